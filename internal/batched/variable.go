package batched

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// Keys of a graph's parameters that hold the arguments of [Seed] and [Bind].
const (
	paramSeeds = "/synlayer_seeds"
	paramBound = "/synlayer_bound"
)

// Seed sets the seeds of the initial weights of variables that layers create in graph g: those of member i are drawn from
// seeds[i]. Without it the seed is GoMLX's [model.ParamInitialSeed], or a random one if that is not set either.
//
// The values of a variable depend only on its seed and path, not on the other members or the backend.
func Seed(g *Graph, seeds ...uint64) {
	model.SetGraphParam(g, paramSeeds, seeds)
}

// seedsOf returns one seed per member.
func seedsOf(scope *model.Scope, g *Graph, members int) []uint64 {
	count := max(members, 1)
	if value, ok := model.GetGraphParam(g, paramSeeds); ok {
		seeds := value.([]uint64)
		if len(seeds) != count {
			exceptions.Panicf("synlayer: %d seeds for %d members", len(seeds), count)
		}
		return seeds
	}
	first := uint64(model.GetParamOr(scope, model.ParamInitialSeed, int64(0)))
	if first == 0 {
		first = rand.Uint64()
	}
	seeds := make([]uint64, count)
	for i := range seeds {
		seeds[i] = first + uint64(i)
	}
	return seeds
}

// Bind makes layers built in graph g from now on use values, by path, instead of variables. A trainer can thus keep
// parameters outside of any store: one compiled graph serves many fits, and a loop can bind its state. A layer panics if it
// needs a path that is not bound.
func Bind(g *Graph, values map[string]*Node) {
	model.SetGraphParam(g, paramBound, &binding{values, map[string]int{}, nil, map[*Node]func() *Node{}})
}

// binding has the bound values of a graph and how they were used.
type binding struct {
	values map[string]*Node
	uses   map[string]int         // how often each was requested
	maps   []denseMap             // with members
	again  map[*Node]func() *Node // gathers again a gradient that [Gradients] has gathered
}

// bound returns the binding of g, or nil.
func bound(g *Graph) *binding {
	if b, ok := model.GetGraphParam(g, paramBound); ok {
		return b.(*binding)
	}
	return nil
}

// Variable is the Variable of package synlayer. If a value is bound to its path ([Bind]), Variable returns that; otherwise
// the variable is drawn from the seeds of the graph ([Seed]). Layers get all their variables here.
func Variable(scope *model.Scope, g *Graph, dtype dtypes.DType, name string, draw func(*rand.Rand) float64, members int, dims ...int) *Node {
	path := model.JoinPath(scope.Scope(), name)
	stacked := dims
	if members > 0 {
		stacked = append([]int{members}, dims...)
	}
	if b := bound(g); b != nil {
		value := b.values[path]
		if value == nil {
			exceptions.Panicf("synlayer: no value is bound to variable %s", path)
		}
		b.uses[path]++
		return checked(value, path, dtype, stacked)
	}
	if v := scope.GetVariable(name); v != nil {
		return checked(v.NodeValue(g), path, dtype, stacked)
	}
	stream := fnv.New64a()
	stream.Write([]byte(path))
	size := shapes.Make(dtype, dims...).Size()
	var flat []float64
	for _, seed := range seedsOf(scope, g, members) {
		rng := rand.New(rand.NewPCG(seed, stream.Sum64()))
		for range size {
			flat = append(flat, draw(rng))
		}
	}
	var value *tensors.Tensor
	switch dtype {
	case dtypes.Float32:
		narrow := make([]float32, len(flat))
		for i, v := range flat {
			narrow[i] = float32(v)
		}
		value = tensors.FromFlatDataAndDimensions(narrow, stacked...)
	case dtypes.Float64:
		value = tensors.FromFlatDataAndDimensions(flat, stacked...)
	default:
		exceptions.Panicf("synlayer: variables of type %s; layers compute in float32 or float64", dtype)
	}
	return scope.VariableWithValue(name, value).NodeValue(g)
}

// checked returns the value of an existing variable, and panics if its shape is wrong.
func checked(value *Node, path string, dtype dtypes.DType, dims []int) *Node {
	if want := shapes.Make(dtype, dims...); !value.Shape().Equal(want) {
		exceptions.Panicf("synlayer: variable %s is %s, want %s", path, value.Shape(), want)
	}
	return value
}

// XavierUniform is the XavierUniform of package synlayer.
func XavierUniform(fanIn, fanOut int) func(*rand.Rand) float64 {
	a := math.Sqrt(6 / float64(fanIn+fanOut))
	return func(rng *rand.Rand) float64 { return a * (2*rng.Float64() - 1) }
}

// Always returns a draw function that always returns v.
func Always(v float64) func(*rand.Rand) float64 {
	return func(*rand.Rand) float64 { return v }
}

package neural

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/internal/batched"
	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/synlayer"
)

// structureOf returns the structure of the fits of a setting on a set.
func structureOf(c Config, bags []mil.Instances, train []cv.Example) structure {
	return c.structure(bags[train[0].Bag].Features())
}

// program holds the compiled graphs of one structure. Parameters are inputs and outputs of its graphs, so any number of
// fits can use it at a time.
type program struct {
	structure
	backend compute.Backend
	paths   []string       // paths of the parameters, in order
	forms   []shapes.Shape // their shapes
	score   *Exec
	pool    *Exec
	large   largeGraphs
}

// newProgram prepares the graphs of a structure. Each is compiled when a bucket first needs it.
func newProgram(b compute.Backend, s structure) (*program, error) {
	p := &program{structure: s, backend: b}
	variables, err := p.variables(b, s.features, 0)
	if err != nil {
		return nil, err
	}
	for v := range variables.IterVariables() {
		p.paths = append(p.paths, v.Path())
	}
	slices.Sort(p.paths)
	for _, path := range p.paths {
		p.forms = append(p.forms, variables.GetVariable(path).Shape())
	}
	if p.score, err = NewExec(b, p.scoreGraph); err != nil {
		return nil, err
	}
	if p.pool, err = NewExec(b, p.poolGraph); err != nil {
		return nil, err
	}
	// One graph per bucket: their number is at most the logarithm of the largest bag.
	p.score.SetMaxCache(-1)
	p.pool.SetMaxCache(-1)
	if s.network.Layers > 0 {
		err = p.newLargeGraphs(b)
	}
	return p, err
}

func (p *program) finalize() {
	p.score.Finalize()
	p.pool.Finalize()
	p.large.finalize()
}

// variables returns a store with the network's variables for bags with the given number of features. Values are drawn
// with seed.
func (p *program) variables(b compute.Backend, features int, seed uint64) (store *model.Store, err error) {
	// Building the network makes its variables; the graph itself is not needed.
	store = model.NewStore()
	err = attempt(func() error {
		g := NewGraph(b, "initial parameters")
		defer g.Finalize()
		batched.Seed(g, seed)
		p.network.Logits(store.RootScope(), synlayer.Bags{X: Parameter(g, "x", shapes.Make(dtypes.Float32, 1, 1, features))})
		return nil
	})
	return store, err
}

// flatten returns the values of a store's variables as one array.
func (p *program) flatten(variables *model.Store) ([]float32, error) {
	var flat []float32
	for i, path := range p.paths {
		v := variables.GetVariable(path)
		if v == nil || !v.Shape().Equal(p.forms[i]) {
			return nil, fmt.Errorf("variable %s of shape %s is missing", path, p.forms[i])
		}
		values, err := valuesOf(v)
		if err != nil {
			return nil, err
		}
		flat = append(flat, values...)
	}
	return flat, nil
}

// valuesOf returns the values of a variable.
func valuesOf(v *model.Variable) ([]float32, error) {
	value, err := v.Value()
	if err != nil {
		return nil, err
	}
	return tensors.CopyFlatData[float32](value)
}

// initial returns the initial values of each parameter of a fit on bags with the given number of features, drawn with seed.
func (p *program) initial(c Config, features int, seed uint64) ([][]float32, error) {
	variables, err := p.variables(p.backend, features, seed)
	if err != nil {
		return nil, err
	}
	parameters := make([][]float32, len(p.paths))
	for i, path := range p.paths {
		v := variables.GetVariable(path)
		if parameters[i], err = valuesOf(v); err != nil {
			return nil, err
		}
		if dims := v.Shape().Dimensions; c.Init == fanIn && strings.HasSuffix(path, "/weights") && len(dims) == 2 {
			// From ±√(6/(inputs+outputs)), as synlayer draws the weights of dense layers.
			smaller := float32(math.Sqrt(float64(dims[0]+dims[1]) / float64(6*dims[0])))
			for k := range parameters[i] {
				parameters[i][k] *= smaller
			}
		}
	}
	if c.start != nil {
		if err := c.start.fill(p.paths, p.forms, parameters); err != nil {
			return nil, err
		}
	}
	return parameters, nil
}

// bind returns a scope in which the network uses the given parameters as its variables, and the given numbers.
func (p *program) bind(parameters, numbers []*Node) *model.Scope {
	values := make(map[string]*Node, len(parameters))
	for i, node := range parameters {
		values[p.paths[i]] = node
	}
	batched.Bind(parameters[0].Graph(), values)
	p.bindNumbers(numbers)
	return model.NewStore().RootScope()
}

// numbers splits a vector into scalars.
func numbers(vector *Node) []*Node {
	all := make([]*Node, vector.Shape().Dim(0))
	for i := range all {
		all[i] = Reshape(SliceAxis(vector, 0, AxisElem(i)))
	}
	return all
}

// split returns the parameters in a flat array.
func (p *program) split(flat *Node) []*Node {
	parameters := make([]*Node, len(p.forms))
	start := 0
	for i, form := range p.forms {
		parameters[i] = Reshape(SliceAxis(flat, 0, AxisRange(start, start+form.Size())), form.Dimensions...)
		start += form.Size()
	}
	return parameters
}

// scoreGraph takes x, mask, the network's numbers and the flat parameters. It returns the logits, [batch] or [batch,
// outputs], the weights [batch, heads, instances] and, in their shape, those before Syn steps.
func (p *program) scoreGraph(in []*Node) []*Node {
	c := p.classify(p.bind(p.split(in[3]), numbers(in[2])), dense(in[0], in[1]))
	return []*Node{c.Logits, c.Weights, ordered(c)}
}

// ordered returns the weights that determine the winners: those before Syn steps, which keep their order but round.
func ordered(c synlayer.Classification) *Node {
	if c.Attention != nil {
		return c.Attention
	}
	return c.Weights
}

// poolGraph takes the inputs of scoreGraph and returns the pooled vectors [batch, features].
func (p *program) poolGraph(in []*Node) []*Node {
	return []*Node{p.classify(p.bind(p.split(in[3]), numbers(in[2])), dense(in[0], in[1])).Pooled}
}

// dense returns bags without sparse columns.
func dense(x, mask *Node) batched.Sparse { return batched.Sparse{Bags: batched.Bags{X: x, Mask: mask}} }

// call runs a graph and turns a panic into an error.
func call(exec *Exec, args []any) (outputs []*tensors.Tensor, err error) {
	err = attempt(func() error {
		outputs, err = exec.Call(args...)
		return err
	})
	return outputs, err
}

// attempt calls f and turns a panic into an error: graph code panics with errors and with other values.
func attempt(f func() error) (err error) {
	caught := exceptions.Try(func() { err = f() })
	if caught == nil {
		return err
	}
	if e, ok := caught.(error); ok {
		return e
	}
	return fmt.Errorf("%v", caught)
}

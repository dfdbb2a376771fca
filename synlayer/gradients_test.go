package synlayer_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend/backendtest"
	"synpool/internal/batched"
	"synpool/internal/goldentest"
	"synpool/synlayer"
)

// twice uses the weights of one dense map for two maps in a row.
type twice struct{}

func (twice) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *Node) {
	shared := scope.In("shared")
	for range 2 {
		bags.X = Tanh(synlayer.Dense(shared, bags.X, bags.Members(), bags.X.Shape().Dim(-1)))
	}
	return synlayer.MeanPooling{}.Pool(scope, bags)
}

// tied maps the instances to 3 features and back by the transpose of the same weights.
type tied struct{}

func (tied) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *Node) {
	x, members := bags.X, bags.Members()
	features := x.Shape().Dim(-1)
	layer := scope.In("code")
	code := Tanh(synlayer.Dense(layer, x, members, 3))
	w := synlayer.Variable(layer, x.Graph(), x.DType(), "weights", synlayer.XavierUniform(features, 3), members, features, 3)
	if members == 0 {
		bags.X = Einsum("bnc,fc->bnf", code, w)
	} else {
		bags.X = Einsum("mbnc,mfc->mbnf", code, w)
	}
	return synlayer.MeanPooling{}.Pool(scope, bags)
}

// gains multiplies each feature by a variable of its own.
type gains struct{}

func (gains) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *Node) {
	x, numMembers := bags.X, bags.Members()
	features := x.Shape().Dim(-1)
	dims := slices.Repeat([]int{1}, x.Rank())
	dims[0], dims[len(dims)-1] = max(numMembers, 1), features
	gain := synlayer.Variable(scope, x.Graph(), x.DType(), "gain", batched.Always(0.5), numMembers, features)
	bags.X = Mul(x, Reshape(gain, dims...))
	return synlayer.MaxPooling{}.Pool(scope, bags)
}

// parameters are values of the variables of networks by path.
type parameters struct {
	paths  []string
	values []*tensors.Tensor
}

// newParameters draws the variables of a network for one seed a member, for none if there is no members axis.
func newParameters(t *testing.T, backend compute.Backend, dtype dtypes.DType, network synlayer.Network, features, numMembers int) parameters {
	t.Helper()
	g := NewGraph(backend, "variables")
	defer g.Finalize()
	dims, seeds := []int{1, 1, features}, []uint64{7}
	if numMembers > 0 {
		dims = append([]int{numMembers}, dims...)
		seeds = []uint64{7, 1 << 40, 9, 11, 13}[:numMembers]
	}
	batched.Seed(g, seeds...)
	store := model.NewStore()
	network.Logits(store.RootScope(), synlayer.Bags{X: Parameter(g, "x", shapes.Make(dtype, dims...))})
	var p parameters
	for v := range store.IterVariables() {
		p.paths = append(p.paths, v.Path())
	}
	slices.Sort(p.paths)
	for _, path := range p.paths {
		value, err := store.GetVariable(path).MustValue().LocalClone()
		if err != nil {
			t.Fatal(err)
		}
		p.values = append(p.values, value)
	}
	return p
}

// bind binds nodes, in the order of the paths, and returns the scope in which to build the network.
func (p parameters) bind(nodes []*Node) *model.Scope {
	values := map[string]*Node{}
	for i, path := range p.paths {
		values[path] = nodes[i]
	}
	batched.Bind(nodes[0].Graph(), values)
	return model.NewStore().RootScope()
}

// byPath returns nodes in the order of the paths.
func (p parameters) byPath(nodes map[string]*Node) []*Node {
	ordered := make([]*Node, len(p.paths))
	for i, path := range p.paths {
		ordered[i] = nodes[path]
	}
	return ordered
}

// with returns the arguments of a graph that takes inputs and then the parameters.
func (p parameters) with(inputs ...any) []any {
	for _, v := range p.values {
		inputs = append(inputs, v)
	}
	return inputs
}

// normal returns an array of standard normal numbers.
func normal(seed uint64, dtype dtypes.DType, dims ...int) *tensors.Tensor {
	rng := rand.New(rand.NewPCG(seed, 1))
	a := array{Dims: dims}
	for range shapes.Make(dtype, dims...).Size() {
		a.Flat = append(a.Flat, rng.NormFloat64())
	}
	return a.Tensor(dtype)
}

// lastPadded masks the last instance of each bag that has several.
func lastPadded(members, batch, instances int) *tensors.Tensor {
	mask := make([]bool, members*batch*instances)
	for i := range mask {
		mask[i] = instances == 1 || i%instances != instances-1
	}
	return tensors.FromFlatDataAndDimensions(mask, members, batch, instances)
}

// logistic is the sum of the logistic losses of positive bags.
func logistic(logits *Node) *Node { return ReduceAllSum(Softplus(Neg(logits))) }

// exact is the tolerance for two ways to compute the same sum: its terms are rounded in the same way, but added in a
// different order. A sum of n terms in float32 is off by about √n·6e-8 of the terms' size, and up to 4,000 are added here.
// Some gradients are zero except for that rounding.
func exact(dtype dtypes.DType) tolerance {
	if dtype == dtypes.Float64 {
		return tolerance{ofLargest: 1e-12, absolute: 1e-15}
	}
	return tolerance{ofLargest: 1e-5, absolute: 1e-7}
}

// TestGradients compares with automatic differentiation, for numbers of rows that use each method of a weight gradient: one
// outer product, a sum of few, a product with a norm from Gram matrices, and one without.
func TestGradients(t *testing.T) {
	const numMembers, features = 3, 9
	networks := map[string]synlayer.Pooling{"twice": twice{}, "tied": tied{}, "gains": gains{}}
	maps.Copy(networks, poolings())
	sizes := [][2]int{{1, 1}, {1, 5}, {1, 20}, {1, 80}, {3, 1}, {3, 5}, {3, 20}, {3, 26}}
	for name, backend := range backendtest.All(t) {
		for what, pooling := range networks {
			for _, dtype := range floatTypes {
				for _, size := range sizes {
					// XLA takes a second to compile one of these graphs, and less for the simplest pooling, whose
					// network has maps of as many rows.
					if name != gobackend.BackendName && (dtype == dtypes.Float64 || size != sizes[5]) && what != "mean" {
						continue
					}
					t.Run(fmt.Sprintf("%s/%s/%s/%v", name, what, dtype, size), func(t *testing.T) {
						t.Parallel()
						network := synlayer.Network{Layers: 2, Width: 8, Dropout: 0.25, Pooling: pooling}
						testGradients(t, backend, dtype, network, numMembers, size[0], size[1], features)
					})
				}
			}
		}
	}
}

func testGradients(t *testing.T, backend compute.Backend, dtype dtypes.DType, network synlayer.Network, numMembers, batch, instances, features int) {
	p := newParameters(t, backend, dtype, network, features, numMembers)
	logits := func(scope *model.Scope, in []*Node) *Node {
		bags := synlayer.Bags{X: in[0], Mask: in[1], DropoutKey: in[2]}
		logits, _ := network.Logits(scope, bags)
		return logits
	}
	var squared []string
	exec := MustNewExec(backend, func(in []*Node) []*Node {
		l := logistic(logits(p.bind(in[3:]), in))
		gradients, squares := batched.Gradients(l)
		if len(gradients) != len(p.paths) {
			t.Errorf("%d gradients of %d variables", len(gradients), len(p.paths))
		}
		squared = slices.Sorted(maps.Keys(squares))
		out := append(p.byPath(gradients), Gradient(l, in[3:]...)...)
		for _, path := range squared {
			out = append(out, squares[path])
		}
		return out
	})
	x, mask := normal(3, dtype, numMembers, batch, instances, features), lastPadded(numMembers, batch, instances)
	keys := tensors.FromFlatDataAndDimensions([]uint32{1, 2, 3}, numMembers)
	out := exec.MustCall(p.with(x, mask, keys)...)
	tol, n := exact(dtype), len(p.paths)
	norms := map[string][]float64{}
	for i, path := range p.paths {
		want := goldentest.Floats(out[n+i])
		tol.check(t, "gradient of "+path, goldentest.Floats(out[i]), want)
		norm := make([]float64, numMembers)
		for j, v := range want {
			norm[j*numMembers/len(want)] += v * v
		}
		norms[path] = norm
	}
	for i, path := range squared {
		tol.check(t, "square of "+path, goldentest.Floats(out[2*n+i]), norms[path])
	}
	if len(squared) == 0 {
		t.Error("no squares")
	}
	if !backendtest.IsGo(backend) || dtype != dtypes.Float64 {
		return
	}
	// The same network of variables in a store, with nothing bound.
	store := model.NewStore()
	for i, path := range p.paths {
		if _, err := store.CreateVariable(path, p.values[i]); err != nil {
			t.Fatal(err)
		}
	}
	plain := model.MustNewExec(backend, store, func(scope *model.Scope, in []*Node) []*Node {
		l := logistic(logits(scope, in))
		var of []*Node
		for _, path := range p.paths {
			of = append(of, store.GetVariable(path).NodeValue(l.Graph()))
		}
		return Gradient(l, of...)
	}).MustCall(x, mask, keys)
	for i, path := range p.paths {
		tol.check(t, "gradient with nothing bound of "+path, goldentest.Floats(out[i]), goldentest.Floats(plain[i]))
	}
}

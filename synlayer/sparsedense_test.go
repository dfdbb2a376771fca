package synlayer_test

import (
	"fmt"
	"math"
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

// sparseBags is bags of few features in use, in both forms. Every array has the members axis in front if there is one.
type sparseBags struct {
	dense, x, mask, columns, positions *tensors.Tensor
	features                           int
}

// drawSparse draws bags that use up to used of the features each, the last of them none, in so many columns. The rest of
// the columns and the last instance are padding, which holds NaN.
func drawSparse(dtype dtypes.DType, numMembers, batch, instances, features, used, columns int) sparseBags {
	rng := rand.New(rand.NewPCG(5, 1))
	dims := []int{batch}
	if numMembers > 0 {
		dims = []int{numMembers, batch}
	}
	count := max(numMembers, 1) * batch
	var dense, x array
	var index, positions []int32
	for bag := range count {
		chosen := rng.Perm(features)[:used-bag%2]
		if bag == count-1 {
			chosen = nil
		}
		place := make([]int32, features)
		for f := range place {
			place[f] = int32(columns + f) // nowhere
		}
		for c := range columns {
			if c < len(chosen) {
				index = append(index, int32(chosen[c]))
				place[chosen[c]] = int32(c)
			} else {
				index = append(index, int32(features+c))
			}
		}
		positions = append(positions, place...)
		for i := range instances {
			row := make([]float64, features)
			for c := range columns {
				v := math.NaN()
				if c < len(chosen) {
					v = 0
					if rng.IntN(3) > 0 {
						v = rng.NormFloat64()
					}
					if i == instances-1 {
						v = math.NaN()
					}
					row[chosen[c]] = v
				}
				x.Flat = append(x.Flat, v)
			}
			dense.Flat = append(dense.Flat, row...)
		}
	}
	with := func(last ...int) []int { return append(slices.Clone(dims), last...) }
	dense.Dims, x.Dims = with(instances, features), with(instances, columns)
	mask := make([]bool, count*instances)
	for i := range mask {
		mask[i] = i%instances != instances-1
	}
	return sparseBags{dense.Tensor(dtype), x.Tensor(dtype), tensors.FromFlatDataAndDimensions(mask, with(instances)...),
		tensors.FromFlatDataAndDimensions(index, with(columns)...), tensors.FromFlatDataAndDimensions(positions, with(features)...), features}
}

// inputs are the arguments of a graph that calls sparse and full with its inputs.
func (b sparseBags) inputs() []any { return []any{b.dense, b.x, b.mask, b.columns, b.positions} }

func (b sparseBags) full(in []*Node) batched.Sparse {
	return batched.Sparse{Bags: batched.Bags{X: in[0], Mask: in[2]}}
}
func (b sparseBags) sparse(in []*Node) batched.Sparse {
	return batched.Sparse{Bags: batched.Bags{X: in[1], Mask: in[2]}, Columns: in[3], Positions: in[4], Features: b.features}
}

// logitsOf is the network's Logits, of sparse bags as a trainer computes them.
func logitsOf(n synlayer.Network, scope *model.Scope, bags batched.Sparse) (logits, weights *Node) {
	if bags.Columns == nil {
		return n.Logits(scope, synlayer.Bags(bags.Bags))
	}
	embedded := batched.Embed(scope, bags, n.Layers, n.Width, n.Dropout)
	pooled, weights := n.Pooling.Pool(scope.In("pooling"), synlayer.Bags(embedded))
	return batched.Classify(scope, pooled, bags.Members(), 1), weights
}

// TestSparse: logits, weights, gradients and squares of networks are those of the same bags in full.
func TestSparse(t *testing.T) {
	all := poolings()
	for name, backend := range backendtest.All(t) {
		for _, dtype := range floatTypes {
			for _, what := range []string{"syn concentrating", "hopfield", "gated", "mean", "max"} {
				for _, batch := range []int{1, 3} {
					for _, dropout := range []float64{0, 0.5} {
						// XLA takes seconds to compile one of these graphs, and less for the simplest pooling.
						if name != gobackend.BackendName && what != "mean" && (what != "gated" || dtype == dtypes.Float32 || batch == 1 || dropout == 0) {
							continue
						}
						t.Run(fmt.Sprintf("%s/%s/%s/batch %d/dropout %g", name, dtype, what, batch, dropout), func(t *testing.T) {
							t.Parallel()
							network := synlayer.Network{Layers: 1, Width: 8, Dropout: dropout, Pooling: all[what]}
							testSparse(t, backend, dtype, network, batch)
						})
					}
				}
			}
		}
	}
}

func testSparse(t *testing.T, backend compute.Backend, dtype dtypes.DType, network synlayer.Network, batch int) {
	const numMembers, instances, features, columns = 3, 6, 23, 9
	p := newParameters(t, backend, dtype, network, features, numMembers)
	b := drawSparse(dtype, numMembers, batch, instances, features, 7, columns)
	n := len(p.paths)
	exec := MustNewExec(backend, func(in []*Node) []*Node {
		key := synlayer.DropoutKey(Const(in[0].Graph(), []uint32{1, 2, 3}), Const(in[0].Graph(), uint32(4)))
		in, values := in[:5], in[5:]
		var out []*Node
		form := func(bags batched.Sparse) {
			bags.DropoutKey = key
			logits, weights := logitsOf(network, p.bind(values), bags)
			gradients, squares := batched.Gradients(logistic(logits))
			gradient, square := gradients["/embedding_0/weights"], squares["/embedding_0/weights"]
			if single := bags.Positions != nil && batch == 1; bags.Columns != nil && single != (square != nil) {
				t.Errorf("batch %d, positions %t: square %v", batch, bags.Positions != nil, square)
			}
			again := batched.Again(gradient)
			if gathered := bags.Positions != nil; gathered != (again != gradient) {
				t.Errorf("positions %t: the gradient again is another node: %t", gathered, again != gradient)
			}
			if square == nil {
				square = batched.SumSquares(gradient)
			}
			out = append(out, logits, weights, square, again)
			out = append(out, p.byPath(gradients)...)
			out = append(out, Gradient(logistic(logits), values...)...)
		}
		form(b.full(in))
		form(b.sparse(in))
		scattered := b.sparse(in)
		scattered.Positions = nil
		form(scattered)
		return out
	})
	out := exec.MustCall(p.with(b.inputs()...)...)
	tol, size := exact(dtype), 4+2*n
	for form, how := range []string{"sparse: ", "sparse without positions: "} {
		got := out[(form+1)*size : (form+2)*size]
		for i, what := range []string{"logits", "weights", "square of the norm", "gradient of the weights again"} {
			tol.check(t, how+what, goldentest.Floats(got[i]), goldentest.Floats(out[i]))
		}
		for i, path := range p.paths {
			tol.check(t, how+"gradient of "+path, goldentest.Floats(got[4+i]), goldentest.Floats(out[4+i]))
			tol.check(t, how+"automatic gradient of "+path, goldentest.Floats(got[4+n+i]), goldentest.Floats(out[4+n+i]))
		}
	}
	// A feature that no bag of a member uses has no gradient at all.
	gradient := goldentest.Floats(out[size+4+slices.Index(p.paths, "/embedding_0/weights")])
	used := make([]bool, numMembers*features)
	for i, place := range tensors.MustCopyFlatData[int32](b.positions) {
		if place < columns {
			used[i/(batch*features)*features+i%features] = true
		}
	}
	for i, v := range gradient {
		if row := i / network.Width; !used[row] && v != 0 {
			t.Fatalf("gradient %g of feature %d of member %d, which uses it nowhere", v, row%features, row/features)
		}
	}
}

// TestTaken: with the rows of the weights that their columns name, bags give the logits, weights and gradients that they give with
// all rows; rows of padding have no gradient.
func TestTaken(t *testing.T) {
	const numMembers, instances, features, columns = 3, 6, 23, 9
	for name, backend := range backendtest.All(t) {
		for _, dtype := range floatTypes {
			network := synlayer.Network{Layers: 1, Width: 8, Dropout: 0.5, Pooling: synlayer.MeanPooling{}}
			p := newParameters(t, backend, dtype, network, features, numMembers)
			b := drawSparse(dtype, numMembers, 1, instances, features, 7, columns)
			first := slices.Index(p.paths, "/embedding_0/weights")
			out := MustNewExec(backend, func(in []*Node) []*Node {
				g := in[0].Graph()
				bags, values := b.sparse(in[:5]), in[5:]
				bags.DropoutKey = synlayer.DropoutKey(Const(g, []uint32{1, 2, 3}), Const(g, uint32(4)))
				index := Reshape(bags.Columns, numMembers, columns, 1)
				named := ConvertDType(Equal(BroadcastToDims(index, numMembers, columns, features), Iota(g, shapes.Make(dtypes.Int32, numMembers, columns, features), 2)), dtype)
				rows := func(all *Node) *Node { return Einsum("mcf,mfw->mcw", named, all) }
				results := func(bags batched.Sparse, values []*Node) (out []*Node) {
					logits, weights := logitsOf(network, p.bind(values), bags)
					gradients, _ := batched.Gradients(logistic(logits))
					return append([]*Node{logits, weights}, p.byPath(gradients)...)
				}
				want := results(bags, values)
				want[2+first] = rows(want[2+first])
				taken := slices.Clone(values)
				taken[first] = rows(values[first])
				bags.Positions, bags.Taken = nil, true
				return append(want, results(bags, taken)...)
			}).MustCall(p.with(b.inputs()...)...)
			for i := range len(out) / 2 {
				exact(dtype).check(t, fmt.Sprintf("%s, %s: output %d (logits, weights, gradients of %v)", name, dtype, i, p.paths),
					goldentest.Floats(out[len(out)/2+i]), goldentest.Floats(out[i]))
			}
		}
	}
}

// TestSparseAlone: networks without members have the same variables and results with both forms of bags.
func TestSparseAlone(t *testing.T) {
	const batch, instances, features = 3, 6, 23
	for name, backend := range backendtest.All(t) {
		for _, dtype := range floatTypes {
			for _, dropout := range []float64{0, 0.5} {
				network := synlayer.Network{Layers: 2, Width: 8, Dropout: dropout, Pooling: gains{}}
				b := drawSparse(dtype, 0, batch, instances, features, 7, 9)
				results := func(form func([]*Node) batched.Sparse) (values []*tensors.Tensor, paths []string) {
					store := model.NewStore()
					values = model.MustNewExec(backend, store, func(scope *model.Scope, in []*Node) []*Node {
						g := in[0].Graph()
						batched.Seed(g, 5)
						bags := form(in)
						bags.DropoutKey = synlayer.DropoutKey(Const(g, uint32(1)), Const(g, uint32(4)))
						logits, weights := logitsOf(network, scope, bags)
						paths = nil
						var variables []*Node
						for v := range store.IterVariables() {
							paths = append(paths, v.Path())
						}
						slices.Sort(paths)
						for _, path := range paths {
							variables = append(variables, store.GetVariable(path).NodeValue(g))
						}
						out := append([]*Node{logits, weights}, variables...)
						return append(out, Gradient(logistic(logits), variables...)...)
					}).MustCall(b.inputs()...)
					return values, paths
				}
				want, paths := results(b.full)
				got, sparsePaths := results(b.sparse)
				if !slices.Equal(paths, sparsePaths) {
					t.Fatalf("variables %v of sparse bags, %v of dense ones", sparsePaths, paths)
				}
				for i := range want {
					if !want[i].Shape().Equal(got[i].Shape()) {
						t.Errorf("%s: output %d is %s, want %s", name, i, got[i].Shape(), want[i].Shape())
					}
					exact(dtype).check(t, fmt.Sprintf("%s, %s, dropout %g: output %d (logits, weights, %v, their gradients)", name, dtype, dropout, i, paths), goldentest.Floats(got[i]), goldentest.Floats(want[i]))
				}
			}
		}
	}
}

// TestSparseDropout: the kept entries are bit-identical to those of the dense bags, even if Features is rounded up.
func TestSparseDropout(t *testing.T) {
	const instances, features, columns = 6, 23, 9
	for name, backend := range backendtest.All(t) {
		for _, dtype := range floatTypes {
			for _, numMembers := range []int{0, 3} {
				b := drawSparse(dtype, numMembers, 4, instances, features, 7, columns)
				out := MustNewExec(backend, func(in []*Node) []*Node {
					g := in[0].Graph()
					scope := model.NewStore().RootScope()
					full, bags, rate := b.full(in), b.sparse(in), ConstAs(in[0], 0.4)
					full.DropoutKey, bags.DropoutKey = Const(g, uint32(9)), Const(g, uint32(9))
					if numMembers > 0 {
						full.DropoutKey, bags.DropoutKey = Const(g, []uint32{9, 8, 7}), Const(g, []uint32{9, 8, 7})
						rate = ConstAs(in[0], []float64{0.4, 0.5, 0.6})
					}
					kept, rounded := bags, bags
					kept.DropoutKey = nil
					rounded.Features, rounded.Numbered, rounded.Positions = features+9, Const(g, uint32(features)), nil
					return []*Node{synlayer.Dropout(scope, full.X, rate, full.DropoutKey),
						batched.SparseDropout(scope, bags, rate), batched.SparseDropout(scope, kept, rate),
						batched.SparseDropout(scope, rounded, rate)}
				}).MustCall(b.inputs()...)
				dense, sparse, kept, rounded := goldentest.Floats(out[0]), goldentest.Floats(out[1]), goldentest.Floats(out[2]), goldentest.Floats(out[3])
				index := tensors.MustCopyFlatData[int32](b.columns)
				x := goldentest.Floats(b.x)
				fallen, stayed := 0, 0
				for i, got := range sparse {
					if math.Float64bits(kept[i]) != math.Float64bits(x[i]) {
						t.Fatalf("%s: without a key %g became %g", name, x[i], kept[i])
					}
					row, c := i/columns, i%columns
					feature := int(index[row/instances*columns+c])
					if feature >= features || row%instances == instances-1 {
						continue // padding
					}
					if want := dense[row*features+feature]; math.Float64bits(got) != math.Float64bits(want) {
						t.Fatalf("%s, %s, %d members: entry %d is %g, of dense bags %g", name, dtype, numMembers, i, got, want)
					}
					if math.Float64bits(got) != math.Float64bits(rounded[i]) {
						t.Fatalf("%s, %s, %d members: entry %d is %g, with features rounded up %g", name, dtype, numMembers, i, got, rounded[i])
					}
					if x[i] != 0 && got == 0 {
						fallen++
					} else if got != 0 {
						stayed++
					}
				}
				if fallen == 0 || stayed == 0 {
					t.Errorf("%s, %d members: %d entries fell, %d stayed", name, numMembers, fallen, stayed)
				}
			}
		}
	}
}

// TestSparsePadding: more columns of padding change nothing, whatever they hold, and have no gradient.
func TestSparsePadding(t *testing.T) {
	const numMembers, batch, instances, features = 3, 3, 6, 23
	network := synlayer.Network{Layers: 1, Width: 8, Dropout: 0.5, Pooling: synlayer.MeanPooling{}}
	for name, backend := range backendtest.All(t) {
		for _, dtype := range floatTypes {
			p := newParameters(t, backend, dtype, network, features, numMembers)
			results := func(columns int) []*tensors.Tensor {
				b := drawSparse(dtype, numMembers, batch, instances, features, 7, columns)
				out := MustNewExec(backend, func(in []*Node) []*Node {
					bags := b.sparse(in)
					bags.DropoutKey = Const(in[0].Graph(), []uint32{1, 2, 3})
					logits, _ := logitsOf(network, p.bind(in[5:]), bags)
					gradients, _ := batched.Gradients(logistic(logits))
					return append([]*Node{Gradient(logistic(logits), in[1])[0], logits}, p.byPath(gradients)...)
				}).MustCall(p.with(b.inputs()...)...)
				index := tensors.MustCopyFlatData[int32](b.columns)
				for i, g := range goldentest.Floats(out[0]) {
					row, c := i/columns, i%columns
					padding := index[row/instances*columns+c] >= features || row%instances == instances-1
					if padding && g != 0 || math.IsNaN(g) {
						t.Fatalf("%s: gradient %g of row %d, column %d of %d, padding: %t", name, g, row, c, columns, padding)
					}
				}
				return out[1:]
			}
			want := results(7)
			for _, columns := range []int{8, 40} {
				for i, got := range results(columns) {
					exact(dtype).check(t, fmt.Sprintf("%s, %s, %d columns: output %d", name, dtype, columns, i), goldentest.Floats(got), goldentest.Floats(want[i]))
				}
			}
		}
	}
}

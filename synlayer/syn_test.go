package synlayer_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/backend/backendtest"
	"synpool/internal/batched"
	"synpool/internal/goldentest"
	"synpool/synlayer"
)

// simplex draws rows of n positive weights that sum to 1.
func simplex(rng *rand.Rand, rows, n int) [][]float64 {
	all := make([][]float64, rows)
	for i := range all {
		all[i] = make([]float64, n)
		sum := 0.0
		for j := range n {
			all[i][j] = rng.ExpFloat64()
			sum += all[i][j]
		}
		for j := range n {
			all[i][j] /= sum
		}
	}
	return all
}

// TestSynInverts: f of an inverse step is the normalised vector that the step began with.
func TestSynInverts(t *testing.T) {
	const n = 5
	weights := simplex(rand.New(rand.NewPCG(1, 1)), 50, n)
	for name, backend := range backendtest.All(t) {
		exec := MustNewExec(backend, func(w, gamma *Node) *Node { return synlayer.Syn(w, gamma, -1) })
		for _, gamma := range []float64{1e-3, 0.1, 0.5, 0.9, 1 - 1e-12, 1} {
			inverse := goldentest.Floats(exec.MustCall(weights, gamma)[0])
			for i, row := range weights {
				norm := 0.0
				for _, w := range row {
					norm = math.Hypot(norm, w)
				}
				for j, w := range row {
					x := inverse[i*n+j]
					if f := gamma*x*x*x + (1-gamma)*x; math.Abs(f-w/norm) > 1e-14 {
						t.Fatalf("%s, gamma %g: f of the inverse of %g is %g", name, gamma, w/norm, f)
					}
				}
			}
		}
	}
}

// TestSynLimits: forward steps go to one-hot on the largest weight, inverse steps to equal weights over those that are
// not zero (the paper's Appendix A), at f⁻¹(1/√N), and zeros stay exactly zero throughout.
func TestSynLimits(t *testing.T) {
	const n, zeros = 6, 2
	rng := rand.New(rand.NewPCG(3, 1))
	weights := simplex(rng, 40, n)
	for _, row := range weights {
		for range zeros {
			row[rng.IntN(n)] = 0
		}
	}
	for name, backend := range backendtest.All(t) {
		both := MustNewExec(backend, func(concentrated, distracted, gamma *Node) (*Node, *Node) {
			return synlayer.Syn(concentrated, gamma, 1), synlayer.Syn(distracted, gamma, -1)
		})
		for _, gamma := range []float64{0.25, 0.5, 1} {
			state := []any{weights, weights, gamma}
			for range 200 {
				out := both.MustCall(state...)
				state[0], state[1] = out[0], out[1]
			}
			concentrated, distracted := goldentest.Floats(state[0].(*tensors.Tensor)), goldentest.Floats(state[1].(*tensors.Tensor))
			for i, row := range weights {
				winner, count := 0, 0
				for j, w := range row {
					if w > row[winner] {
						winner = j
					}
					if w > 0 {
						count++
					}
				}
				y := 1 / math.Sqrt(float64(count))
				for j, w := range row {
					wantHot := 0.0
					if j == winner {
						wantHot = 1
					}
					got, even := concentrated[i*n+j], distracted[i*n+j]
					if w == 0 {
						if got != 0 || even != 0 {
							t.Fatalf("%s, gamma %g: a zero became %g and %g", name, gamma, got, even)
						}
						continue
					}
					if math.Abs(got-wantHot) > 1e-9 {
						t.Fatalf("%s, gamma %g: 200 steps lead %v to %g at %d", name, gamma, row, got, j)
					}
					// f of the limit is 1/√N.
					if f := gamma*even*even*even + (1-gamma)*even; math.Abs(f-y) > 1e-6 {
						t.Fatalf("%s, gamma %g: f of the limit of inverse steps is %g, want %g", name, gamma, f, y)
					}
				}
			}
		}
	}
}

// TestSynTrueGradient compares the gradient through the steps with finite differences, and shows that the
// straight-through gradient is that of the identity, with a value bit-identical to the adjusted weights.
func TestSynTrueGradient(t *testing.T) {
	const n = 5
	weights := simplex(rand.New(rand.NewPCG(5, 1)), 3, n)
	weights[1][2] = 0
	rng := rand.New(rand.NewPCG(6, 1))
	cotangent := make([]float64, 3*n)
	for i := range cotangent {
		cotangent[i] = rng.NormFloat64()
	}
	for name, backend := range backendtest.All(t) {
		for _, gamma := range []float64{0.5, 1} {
			for _, steps := range []int{1, 3, -1, -3} {
				exec := MustNewExec(backend, func(w, r *Node) []*Node {
					adjusted := synlayer.Syn(w, ConstAs(w, gamma), steps)
					bypass := synlayer.StraightThrough(w, adjusted)
					loss := ReduceAllSum(Mul(adjusted, r))
					return []*Node{loss, Gradient(loss, w)[0], Gradient(ReduceAllSum(Mul(bypass, r)), w)[0], Sub(bypass, adjusted)}
				})
				call := func(w [][]float64) []*tensors.Tensor {
					flat := make([]float64, 0, 3*n)
					for _, row := range w {
						flat = append(flat, row...)
					}
					return exec.MustCall(tensors.FromFlatDataAndDimensions(flat, 3, n), tensors.FromFlatDataAndDimensions(cotangent, 3, n))
				}
				out := call(weights)
				gradient, bypass, same := goldentest.Floats(out[1]), goldentest.Floats(out[2]), goldentest.Floats(out[3])
				for i := range 3 * n {
					if bypass[i] != cotangent[i] {
						t.Errorf("%s: straight-through gradient %g, want %g", name, bypass[i], cotangent[i])
					}
					if same[i] != 0 {
						t.Errorf("%s: the straight-through value is off by %g", name, same[i])
					}
					if math.IsNaN(gradient[i]) || math.IsInf(gradient[i], 0) {
						t.Fatalf("%s, gamma %g, %d steps: gradient %g", name, gamma, steps, gradient[i])
					}
					w := weights[i/n][i%n]
					if w == 0 {
						continue // one-sided there, and infinite at gamma 1
					}
					h := 1e-6 * w
					weights[i/n][i%n] = w + h
					up := goldentest.Floats(call(weights)[0])[0]
					weights[i/n][i%n] = w - h
					down := goldentest.Floats(call(weights)[0])[0]
					weights[i/n][i%n] = w
					if want := (up - down) / (2 * h); math.Abs(gradient[i]-want) > 1e-5*max(1, math.Abs(want)) {
						t.Errorf("%s, gamma %g, %d steps: gradient %d is %g, finite differences give %g", name, gamma, steps, i, gradient[i], want)
					}
				}
			}
		}
	}
}

// TestSynUnderflow: weights whose squares underflow keep their ratios, and the smallest possible numbers do no harm.
func TestSynUnderflow(t *testing.T) {
	denormal := float32(math.SmallestNonzeroFloat32)
	for name, backend := range backendtest.All(t) {
		for _, gamma := range []float32{0.5, 1} {
			out, err := CallOnce(backend, func(w, gamma *Node) *Node { return synlayer.Syn(w, gamma, -1) },
				[][]float32{{3e-30, 4e-30}, {3, 4}, {0, 0}, {1e30, 0}}, gamma)
			if err != nil {
				t.Fatal(err)
			}
			got := goldentest.Floats(out)
			for j := range 2 {
				if math.Abs(got[j]-got[2+j]) > 1e-6 {
					t.Errorf("%s: small weights give %g, the same scaled up %g", name, got[j], got[2+j])
				}
			}
			if got[4] != 0 || got[5] != 0 || math.Abs(got[6]-1) > 1e-6 || got[7] != 0 {
				t.Errorf("%s: zero row and lone weight give %v", name, got[4:])
			}
			exec := MustNewExec(backend, func(w, gamma, steps *Node) []*Node {
				var outputs []*Node
				for _, n := range []int{-3, -1, 1, 3} {
					y := synlayer.Syn(w, gamma, n)
					outputs = append(outputs, y, Gradient(ReduceAllSum(Square(y)), w)[0])
				}
				y := batched.SynUpTo(w, gamma, steps, 3)
				return append(outputs, y, Gradient(ReduceAllSum(Square(y)), w)[0])
			})
			for _, row := range [][]float32{{1, denormal}, {1, 1e-38}, {1, 9e-27}, {1, 1e-20}, {denormal, denormal}, {0.5, 0.5}} {
				for _, steps := range []float32{-3, 3} {
					for i, o := range exec.MustCall(row, gamma, steps) {
						for _, v := range goldentest.Floats(o) {
							if math.IsNaN(v) || math.IsInf(v, 0) {
								t.Errorf("%s, gamma %g: output %d of weights %v is %g", name, gamma, i, row, v)
							}
						}
					}
				}
			}
		}
	}
}

// TestDropout: the share of entries that fall is the rate, those that stay are scaled, the pattern depends on key and
// scope and not on the type.
func TestDropout(t *testing.T) {
	scopes := func(backend compute.Backend, dtype dtypes.DType, name string, key uint32, rate float64) []float64 {
		out, err := CallOnce(backend, func(x, key, rate *Node) *Node {
			return synlayer.Dropout(model.NewStore().RootScope().In("%s", name), ConvertDType(x, dtype), rate, key)
		}, tensors.FromFlatDataAndDimensions(slices.Repeat([]float64{1}, 8*50*20), 8, 50, 20), key, rate)
		if err != nil {
			t.Fatal(err)
		}
		return goldentest.Floats(out)
	}
	for name, backend := range backendtest.All(t) {
		for _, rate := range []float64{0, 0.25, 0.75} {
			out := scopes(backend, dtypes.Float64, "a", 7, rate)
			fallen := 0
			for _, v := range out {
				switch {
				case v == 0:
					fallen++
				case math.Abs(v-1/(1-rate)) > 1e-6:
					t.Fatalf("%s: an entry that stays became %g", name, v)
				}
			}
			// Four standard deviations of a binomial of 8000.
			if share := float64(fallen) / float64(len(out)); math.Abs(share-rate) > 4*math.Sqrt(rate*(1-rate)/float64(len(out))) {
				t.Errorf("%s: %g of the entries fell at rate %g", name, share, rate)
			}
		}
		fell := func(values []float64) (pattern []bool) {
			for _, v := range values {
				pattern = append(pattern, v == 0)
			}
			return pattern
		}
		agree := func(a, b []bool) (share float64) {
			for i := range a {
				if a[i] == b[i] {
					share += 1 / float64(len(a))
				}
			}
			return share
		}
		plain := fell(scopes(backend, dtypes.Float64, "a", 7, 0.5))
		if agree(plain, fell(scopes(backend, dtypes.Float32, "a", 7, 0.5))) < 1-1e-9 {
			t.Errorf("%s: the pattern depends on the type", name)
		}
		for what, other := range map[string][]float64{
			"another key":   scopes(backend, dtypes.Float64, "a", 8, 0.5),
			"another scope": scopes(backend, dtypes.Float64, "b", 7, 0.5),
		} {
			if share := agree(plain, fell(other)); math.Abs(share-0.5) > 4*0.5/math.Sqrt(float64(len(plain))) {
				t.Errorf("%s: the pattern of %s agrees in %g of the entries, want about half", name, what, share)
			}
		}
	}
}

// columns returns zeros int32.
func columns(x *Node, dims ...int) *Node {
	return Zeros(x.Graph(), shapes.Make(dtypes.Int32, dims...))
}

// sparse returns bags of columns of so many features.
func sparse(x, columns *Node, features int) batched.Sparse {
	return batched.Sparse{Bags: batched.Bags{X: x}, Columns: columns, Features: features}
}

// TestPanics: invalid arguments panic with a reason.
func TestPanics(t *testing.T) {
	backend := backendtest.Chosen(t)
	bad := synlayer.DefaultSyn()
	bad.Gamma = 0
	loose := synlayer.DefaultSyn()
	loose.Heads = 5
	logits := func(x *Node, p synlayer.Pooling) *Node {
		l, _ := synlayer.Network{Pooling: p}.Logits(model.NewStore().RootScope(), synlayer.Bags{X: x})
		return l
	}
	pooled := func(x *Node, p synlayer.Pooling) *Node {
		v, _ := p.Pool(model.NewStore().RootScope(), synlayer.Bags{X: x})
		return v
	}
	beyond := upTo{synlayer.DefaultSyn(), 4}
	beyond.Iterations = 10
	scaleless := synlayer.DefaultSoftmax()
	scaleless.Scale = 0
	falling := synlayer.DefaultHopfield()
	falling.Dropout = 1
	fallen := synlayer.DefaultSyn()
	fallen.Dropout = 1.5
	endless := synlayer.DefaultHopfield()
	endless.Tolerance = math.NaN()
	for what, c := range map[string]struct {
		build func(x *Node) *Node
		want  string
	}{
		"scale of DSMIL":     {func(x *Node) *Node { return logits(x, synlayer.DSMILPooling{Embed: 3}) }, "DSMILPooling with scale 0"},
		"embedding of DSMIL": {func(x *Node) *Node { return logits(x, synlayer.DSMILPooling{Scale: 1}) }, "DSMILPooling with embedding 0, want 1 or more"},
		"top":                {func(x *Node) *Node { return logits(x, synlayer.CLAMPooling{Embed: 3, Top: 65}) }, "CLAMPooling with top 65, want 1 to 64"},
		"instance weight":    {func(x *Node) *Node { return logits(x, synlayer.CLAMPooling{Embed: 3, Top: 1, InstanceWeight: 2}) }, "CLAMPooling with instance weight 2, want one in [0, 1]"},
		"branches":           {func(x *Node) *Node { return logits(x, synlayer.ACMILPooling{Embed: 3, Top: 1}) }, "ACMILPooling with branches 0"},
		"mask rate": {func(x *Node) *Node {
			return logits(x, synlayer.ACMILPooling{Embed: 3, Top: 1, Branches: 2, MaskRate: 1})
		}, "ACMILPooling with mask rate 1, want one in [0, 1)"},
		"inducing points": {func(x *Node) *Node { return logits(x, synlayer.SetTransformerPooling{Embed: 4, Heads: 2}) }, "SetTransformerPooling with inducing points 0"},
		"blocks": {func(x *Node) *Node {
			return logits(x, synlayer.SetTransformerPooling{Embed: 4, Heads: 2, Inducing: 1, Blocks: -1})
		}, "SetTransformerPooling with -1 blocks"},
		"bound in a network": {func(x *Node) *Node { return logits(x, beyond) }, "10 iterations, but a bound of 4"},
		"dropout of weights": {func(x *Node) *Node { return pooled(x, fallen) }, "SynPooling with dropout 1.5"},
		"dropout of a network": {func(x *Node) *Node {
			l, _ := synlayer.Network{Dropout: 1, Pooling: synlayer.MeanPooling{}}.Logits(model.NewStore().RootScope(), synlayer.Bags{X: x})
			return l
		}, "Network with dropout 1"},
		"dropout in a network": {func(x *Node) *Node { return logits(x, falling) }, "HopfieldPooling with dropout 1"},
		"sharpness":            {func(x *Node) *Node { return pooled(x, synlayer.LogSumExpPooling{}) }, "sharpness 0, want a finite number above 0"},
		"scale":                {func(x *Node) *Node { return pooled(x, scaleless) }, "SynPooling with scale 0, want a finite number above 0"},
		"beta":                 {func(x *Node) *Node { return pooled(x, synlayer.HopfieldPooling{Embed: 32, Heads: 4}) }, "beta 0, want a finite number above 0"},
		"tolerance":            {func(x *Node) *Node { return pooled(x, endless) }, "tolerance NaN"},
		"dropout of a matrix":  {func(x *Node) *Node { return synlayer.Dropout(nil, Reshape(x, 6, 4), nil, nil) }, "x is (Float32)[6, 4], want [batch, instances, features]"},
		"dropout of sparse bags of one": {func(x *Node) *Node {
			return batched.SparseDropout(nil, batched.Sparse{Bags: batched.Bags{X: Reshape(x, 6, 4)}}, nil)
		}, "x is (Float32)[6, 4], want [batch, instances, features]"},
		"gamma": {func(x *Node) *Node { return logits(x, bad) }, "SynPooling with gamma 0, want one in (0, 1]"},
		"heads": {func(x *Node) *Node { return pooled(x, loose) }, "SynPooling with 5 heads, which do not divide an embedding of 32"},
		"rank":  {func(x *Node) *Node { return pooled(Reshape(x, -1), synlayer.MeanPooling{}) }, "want [batch, instances, features]"},
		"mask": {func(x *Node) *Node {
			p, _ := synlayer.MeanPooling{}.Pool(model.NewStore().RootScope(), synlayer.Bags{X: x, Mask: x})
			return p
		}, "want booleans"},
		"another width": {func(x *Node) *Node {
			scope := model.NewStore().RootScope()
			synlayer.Dense(scope, x, 0, 3)
			return synlayer.Dense(scope, x, 0, 4)
		}, "variable /weights is (Float32)[4, 3], want (Float32)[4, 4]"},
		"sparse bags without a layer": {func(x *Node) *Node {
			return batched.Embed(model.NewStore().RootScope(), sparse(x, columns(x, 2, 4), 9), 0, 0, 0).X
		}, "Network of 0 layers on sparse bags"},
		"columns": {func(x *Node) *Node {
			return batched.SparseDense(model.NewStore().RootScope(), sparse(x, columns(x, 2, 5), 9), 3)
		}, "columns of sparse bags are (Int32)[2, 5], want (Int32)[2, 4]"},
		"taken weights of several sparse bags": {func(x *Node) *Node {
			bags := sparse(x, columns(x, 2, 4), 9)
			bags.Taken = true
			return batched.SparseDense(model.NewStore().RootScope(), bags, 3)
		}, "sparse bags whose weights are taken, 2 a batch, want one a batch and bound weights"},
		"positions": {func(x *Node) *Node {
			bags := sparse(x, columns(x, 2, 4), 9)
			bags.Positions = columns(x, 9)
			return batched.SparseDense(model.NewStore().RootScope(), bags, 3)
		}, "positions of sparse bags are (Int32)[9], want (Int32)[2, 9]"},
		"features": {func(x *Node) *Node {
			return batched.SparseDense(model.NewStore().RootScope(), sparse(x, columns(x, 2, 4), 0), 3)
		}, "4 columns of 0 features"},
		"no columns": {func(x *Node) *Node {
			return batched.SparseDense(model.NewStore().RootScope(), sparse(x, nil, 9), 3)
		}, "columns of sparse bags are missing"},
		"nothing bound": {func(x *Node) *Node {
			batched.Gradients(ReduceAllSum(x))
			return x
		}, "nothing is bound"},
	} {
		caught := exceptions.TryCatch[error](func() {
			g := NewGraph(backend, what)
			c.build(Parameter(g, "x", shapes.Make(dtypes.Float32, 2, 3, 4)))
		})
		if caught == nil || !strings.Contains(caught.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", what, caught, c.want)
		}
	}
}

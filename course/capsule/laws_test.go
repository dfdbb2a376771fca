package capsule_test

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
	"github.com/gomlx/gomlx/support/exceptions"
	"gonum.org/v1/gonum/floats"

	"synpool/backend/backendtest"
	"synpool/course/capsule"
	"synpool/internal/batched"
	"synpool/internal/goldentest"
)

// random returns standard normal numbers.
func random(seed uint64, n int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	values := make([]float64, n)
	for i := range values {
		values[i] = rng.NormFloat64()
	}
	return values
}

// normal returns an array of standard normal numbers times a scale.
func normal(seed uint64, scale float64, dims ...int) array {
	size := 1
	for _, d := range dims {
		size *= d
	}
	a := array{Dims: dims, Flat: random(seed, size)}
	for i := range a.Flat {
		a.Flat[i] *= scale
	}
	return a
}

// uniform returns an array of numbers from 0 to 1.
func uniform(seed uint64, dims ...int) array {
	a := normal(seed, 1, dims...)
	for i, v := range a.Flat {
		a.Flat[i] = 0.5 * math.Erfc(-v/math.Sqrt2)
	}
	return a
}

// filled returns an array of one value.
func filled(v float64, dims ...int) array {
	a := normal(0, 0, dims...)
	for i := range a.Flat {
		a.Flat[i] = v
	}
	return a
}

// finite fails for values that are not.
func finite(t *testing.T, what string, values []float64) {
	t.Helper()
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("%s[%d] is %g", what, i, v)
		}
	}
}

// routing has settings that make the routing decide.
func routing(iterations int) capsule.EMRouting {
	return capsule.EMRouting{Iterations: iterations, Temperature: capsule.InverseTemperature{Final: 0.2, Decay: 0.5}, Epsilon: 1e-2}
}

// kinds of input. Some make probabilities underflow, variances vanish, or leave a parent without children.
var kinds = map[string]func(poses, activations array) (array, array){
	"random": func(p, a array) (array, array) { return p, a },
	"far apart": func(p, a array) (array, array) {
		for i := range p.Flat {
			p.Flat[i] = max(-1e6, min(4e5*p.Flat[i], 1e6)) // as far as doc.go promises
		}
		return p, a
	},
	"alike":  func(p, a array) (array, array) { return filled(1, p.Dims...), a },
	"blank":  func(p, a array) (array, array) { return filled(0, p.Dims...), a },
	"absent": func(p, a array) (array, array) { return p, filled(0, a.Dims...) },
	"sure":   func(p, a array) (array, array) { return p, filled(1, a.Dims...) },
	"one": func(p, a array) (array, array) {
		one := filled(0, a.Dims...)
		one.Flat[len(one.Flat)/2] = 1
		return p, one
	},
}

// TestAssignments adds up, for each child, what the parents in reach are assigned of it: 1, for any input and number of
// iterations. Nothing is NaN, gradients included.
func TestAssignments(t *testing.T) {
	const batch, height, width, below = 2, 5, 6, 2
	layers := map[string]capsule.Layer{
		"3x3":            capsule.Convolutional{Types: 3, Kernel: 3, Stride: 1, Routing: routing(3)},
		"3x3, stride 2":  capsule.Convolutional{Types: 2, Kernel: 3, Stride: 2, Routing: routing(4)},
		"2x2, stride 3":  capsule.Convolutional{Types: 2, Kernel: 2, Stride: 3, Routing: routing(2)},
		"1x1":            capsule.Convolutional{Types: 3, Kernel: 1, Stride: 1, Routing: routing(3)},
		"one iteration":  capsule.Convolutional{Types: 3, Kernel: 3, Stride: 1, Routing: routing(1)},
		"5x5":            capsule.Convolutional{Types: 2, Kernel: 5, Stride: 1, Routing: routing(3)},
		"class":          capsule.Class{Classes: 4, Coordinates: true, Routing: routing(3)},
		"class, default": capsule.Class{Classes: 4, Routing: capsule.DefaultEMRouting()},
	}
	for name, backend := range backendtest.All(t) {
		for what, layer := range layers {
			if name != gobackend.BackendName && what != "3x3, stride 2" {
				continue // each takes XLA seconds to compile
			}
			t.Run(name+"/"+what, func(t *testing.T) {
				t.Parallel()
				exec := model.MustNewExec(backend, model.NewStore(), func(scope *model.Scope, poses, activations *Node) []*Node {
					batched.Seed(poses.Graph(), 3)
					above, r := layer.Route(scope, capsule.Capsules{Poses: poses, Activations: activations})
					loss := Add(ReduceAllSum(above.Poses), ReduceAllSum(above.Activations))
					return append([]*Node{r, above.Activations, above.Poses}, Gradient(loss, poses, activations)...)
				})
				for kind, of := range kinds {
					poses, activations := of(normal(1, 1, batch, height, width, below, 4, 4), uniform(2, batch, height, width, below))
					out := exec.MustCall(poses.Tensor(dtypes.Float32), activations.Tensor(dtypes.Float32))
					for k, o := range out {
						finite(t, fmt.Sprintf("%s, output %d", kind, k), goldentest.Floats(o))
					}
					for _, a := range goldentest.Floats(out[1]) {
						if a < 0 || a > 1 {
							t.Fatalf("%s: an activation of %g", kind, a)
						}
					}
					sums := sumsOverParents(layer, out[0], batch, height, width, below)
					reached := 0
					for i, sum := range sums {
						if sum != 0 {
							reached++
							if math.Abs(sum-1) > 1e-5 {
								t.Fatalf("%s: child %d is assigned %g times", kind, i, sum)
							}
						}
					}
					if want := batch * reachedBy(layer, height, width) * below; reached != want {
						t.Errorf("%s: %d children have parents, want %d", kind, reached, want)
					}
				}
			})
		}
	}
}

// reachedBy returns how many positions of the grid below are in some patch.
func reachedBy(layer capsule.Layer, height, width int) int {
	c, ok := layer.(capsule.Convolutional)
	if !ok {
		return height * width
	}
	along := func(size int) (n int) {
		for i := range size {
			for from := 0; from+c.Kernel <= size; from += c.Stride {
				if from <= i && i < from+c.Kernel {
					n++
					break
				}
			}
		}
		return n
	}
	return along(height) * along(width)
}

// sumsOverParents adds up assignments [batch, height, width, types, rows, columns, below] for each child.
func sumsOverParents(layer capsule.Layer, assignments *tensors.Tensor, batch, height, width, below int) []float64 {
	stride := 1
	if c, ok := layer.(capsule.Convolutional); ok {
		stride = c.Stride
	}
	sums := make([]float64, batch*height*width*below)
	dims, values := assignments.Shape().Dimensions, goldentest.Floats(assignments)
	for i, v := range values {
		var at [7]int
		for axis := 6; axis >= 0; axis-- {
			at[axis] = i % dims[axis]
			i /= dims[axis]
		}
		row, column := at[1]*stride+at[4], at[2]*stride+at[5]
		sums[((at[0]*height+row)*width+column)*below+at[6]] += v
	}
	return sums
}

// permuted returns a with the entries of an axis in another order.
func permuted(a array, axis int, order []int) array {
	inner := 1
	for _, d := range a.Dims[axis+1:] {
		inner *= d
	}
	p := array{Dims: a.Dims, Flat: make([]float64, len(a.Flat))}
	for i := range p.Flat {
		k := i / inner % a.Dims[axis]
		p.Flat[i] = a.Flat[i+(order[k]-k)*inner]
	}
	return p
}

// TestPermutation exchanges capsule types: those of a layer, with their weights, and its output is exchanged likewise;
// those below, with the layer's weights for them, and its output stays.
func TestPermutation(t *testing.T) {
	const batch, height, width, below, types, kernel = 2, 4, 4, 3, 4, 3
	layer := capsule.Convolutional{Types: types, Kernel: kernel, Stride: 1, Routing: routing(3)}
	forEach(t, dtypes.Float32, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
		exec := MustNewExec(backend, func(in []*Node) []*Node {
			batched.Bind(in[0].Graph(), map[string]*Node{"/transforms": in[2], "/beta_u": in[3], "/beta_a": in[4]})
			above, r := layer.Route(model.NewStore().RootScope(), capsule.Capsules{Poses: in[0], Activations: in[1]})
			return []*Node{above.Poses, above.Activations, r}
		})
		in := []array{normal(1, 1, batch, height, width, below, 4, 4), uniform(2, batch, height, width, below),
			normal(3, 0.5, kernel*kernel*below, types, 4, 4), normal(4, 1, types), normal(5, 1, types)}
		call := func(in ...array) (out []array) {
			var args []any
			for _, a := range in {
				args = append(args, a.Tensor(dtype))
			}
			for _, o := range exec.MustCall(args...) {
				out = append(out, array{Dims: o.Shape().Dimensions, Flat: goldentest.Floats(o)})
			}
			return out
		}
		plain := call(in...)
		order := []int{2, 0, 3, 1}
		above := call(in[0], in[1], permuted(in[2], 1, order), permuted(in[3], 0, order), permuted(in[4], 0, order))
		for k := range plain {
			check(t, fmt.Sprintf("types above exchanged, output %d", k), above[k].Flat, permuted(plain[k], 3, order).Flat, tolerance(dtype))
		}
		order = []int{1, 2, 0}
		transforms := permuted(in[2].Reshape(kernel*kernel, below, types*16), 1, order)
		transforms.Dims = in[2].Dims
		children := call(permuted(in[0], 3, order), permuted(in[1], 3, order), transforms, in[3], in[4])
		for k := range plain {
			want := plain[k]
			if k == 2 {
				want = permuted(want, 6, order)
			}
			check(t, fmt.Sprintf("types below exchanged, output %d", k), children[k].Flat, want.Flat, tolerance(dtype))
		}
	})
}

// TestBatch routes an image alone as in a batch.
func TestBatch(t *testing.T) {
	const height, width, below = 6, 5, 2
	layer := capsule.Convolutional{Types: 2, Kernel: 3, Stride: 2, Routing: routing(3)}
	forEach(t, dtypes.Float32, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
		store := model.NewStore()
		exec := model.MustNewExec(backend, store, func(scope *model.Scope, poses, activations *Node) []*Node {
			batched.Seed(poses.Graph(), 3)
			above, r := layer.Route(scope, capsule.Capsules{Poses: poses, Activations: activations})
			return []*Node{above.Poses, above.Activations, r}
		})
		poses, activations := normal(1, 1, 3, height, width, below, 4, 4), uniform(2, 3, height, width, below)
		all := exec.MustCall(poses.Tensor(dtype), activations.Tensor(dtype))
		rows := func(a array, i int) array {
			n := len(a.Flat) / a.Dims[0]
			return array{Dims: append([]int{1}, a.Dims[1:]...), Flat: a.Flat[i*n : (i+1)*n]}
		}
		for i := range 3 {
			one := exec.MustCall(rows(poses, i).Tensor(dtype), rows(activations, i).Tensor(dtype))
			for k := range one {
				want := rows(array{Dims: all[k].Shape().Dimensions, Flat: goldentest.Floats(all[k])}, i)
				check(t, fmt.Sprintf("image %d, output %d", i, k), goldentest.Floats(one[k]), want.Flat, tolerance(dtype))
			}
		}
	})
}

// route runs the routing on votes [batch, children, parents, values] in float64.
func route(t *testing.T, r capsule.EMRouting, votes, activations, betaU, betaA array) (poses, a, assignments []float64) {
	t.Helper()
	out := MustNewExec(gobackend.GetBackend(), func(in []*Node) []*Node {
		p := r.Route(in[0], in[1], in[2], in[3])
		return []*Node{p.Poses, p.Activations, p.Assignments}
	}).MustCall(votes.Tensor(dtypes.Float64), activations.Tensor(dtypes.Float64), betaU.Tensor(dtypes.Float64), betaA.Tensor(dtypes.Float64))
	return goldentest.Floats(out[0]), goldentest.Floats(out[1]), goldentest.Floats(out[2])
}

// TestEpsilon shares out votes nearly equally where they differ by a hundredth of √Epsilon, and hardly so where by a
// hundred times as much: of the exponents of 16 values, the first are 16/2·1e-4 or so.
func TestEpsilon(t *testing.T) {
	const batch, children, parents, values = 20, 7, 3, 16
	votes, activations, beta := normal(1, 1, batch, children, parents, values), uniform(2, batch, children), filled(0, parents)
	r := capsule.DefaultEMRouting()
	unequal := func(epsilon float64) (mean float64) {
		r.Epsilon = epsilon
		_, _, assignments := route(t, r, votes, activations, beta, beta)
		for _, p := range assignments {
			mean += math.Abs(p-1./parents) / float64(len(assignments))
		}
		return mean
	}
	if soft, hard := unequal(1e4), unequal(1e-4); soft > 1e-3 || hard < 0.3 {
		t.Errorf("shares are off 1/%d by %.2g on average where votes are close, and by %.2g where they are not", parents, soft, hard)
	}
}

// TestTranslation adds the same to all votes: the poses move by it, and nothing else changes. So coordinates, which move
// with the children, change only what poses say of the place.
func TestTranslation(t *testing.T) {
	const batch, children, parents, values = 20, 7, 3, 16
	votes, activations := normal(1, 1, batch, children, parents, values), uniform(2, batch, children)
	betaU, betaA, by := normal(3, 1, parents), normal(4, 1, parents), random(5, values)
	poses, a, assignments := route(t, routing(3), votes, activations, betaU, betaA)
	for i := range votes.Flat {
		votes.Flat[i] += by[i%values]
	}
	for i := range poses {
		poses[i] += by[i%values]
	}
	movedPoses, movedA, movedAssignments := route(t, routing(3), votes, activations, betaU, betaA)
	check(t, "activations", movedA, a, 1e-6) // what divides is 1e-9 more than what is assigned
	check(t, "assignments", movedAssignments, assignments, 1e-6)
	check(t, "poses", movedPoses, poses, 1e-6)
}

// TestRotation turns the first two rows of all votes, taken as 4x4 matrices. After a quarter turn the poses are turned, and
// nothing else changes: variances only change places. Another angle mixes values whose variances are fitted one by one, and
// activations change.
func TestRotation(t *testing.T) {
	const batch, children, parents, values = 20, 7, 3, 16
	votes, activations := normal(1, 1, batch, children, parents, values), uniform(2, batch, children)
	betaU, betaA := normal(3, 1, parents), normal(4, 1, parents)
	turned := func(matrices []float64, degrees float64) []float64 {
		sin, cos := math.Sincos(degrees * math.Pi / 180)
		to := slices.Clone(matrices)
		for i := range to {
			switch i % values / 4 {
			case 0:
				to[i] = cos*matrices[i] - sin*matrices[i+4]
			case 1:
				to[i] = sin*matrices[i-4] + cos*matrices[i]
			}
		}
		return to
	}
	poses, a, assignments := route(t, routing(3), votes, activations, betaU, betaA)
	by := func(degrees float64) (poses, a, assignments []float64) {
		return route(t, routing(3), array{Dims: votes.Dims, Flat: turned(votes.Flat, degrees)}, activations, betaU, betaA)
	}
	quarterPoses, quarterA, quarterAssignments := by(90)
	check(t, "activations", quarterA, a, 1e-9)
	check(t, "assignments", quarterAssignments, assignments, 1e-9)
	check(t, "poses", quarterPoses, turned(poses, 90), 1e-9)
	if _, other, _ := by(30); floats.Distance(other, a, math.Inf(1)) < 1e-3 {
		t.Errorf("activations %v after a turn by 30 degrees, as before", other)
	}
}

// TestCompare adds up both readings of the assignments: shares over the classes, weights over the children; the other sums
// are not 1. The weights, as attention to the votes, give the poses of the classes.
func TestCompare(t *testing.T) {
	const batch, height, width, types, classes = 2, 2, 3, 2, 3
	layer := capsule.Class{Classes: classes, Routing: routing(3)}
	in := []array{normal(1, 1, batch, height, width, types, 4, 4), uniform(2, batch, height, width, types),
		normal(3, 0.5, types, classes, 4, 4), normal(4, 1, classes), normal(5, 1, classes)}
	forEach(t, dtypes.Float32, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
		var args []any
		for _, a := range in {
			args = append(args, a.Tensor(dtype))
		}
		out := MustNewExec(backend, func(in []*Node) []*Node {
			batched.Bind(in[0].Graph(), map[string]*Node{"/transforms": in[2], "/beta_u": in[3], "/beta_a": in[4]})
			below := capsule.Capsules{Poses: in[0], Activations: in[1]}
			above, assignments := layer.Route(model.NewStore().RootScope(), below)
			shares, weights := layer.Compare(below, assignments)
			votes := Einsum("bnirk,ijkc->bjnirc", Reshape(in[0], batch, height*width, types, 4, 4), in[2])
			attended := Einsum("bjn,bjnv->bjv", weights, Reshape(votes, batch, classes, height*width*types, 16))
			return []*Node{ReduceSum(shares, 1), ReduceSum(weights, 2), ReduceSum(shares, 2), ReduceSum(weights, 1), attended, above.Poses}
		}).MustCall(args...)
		for k, what := range []string{"shares over the classes", "weights over the children", "shares over the children", "weights over the classes"} {
			sums, off := goldentest.Floats(out[k]), 0.0
			for _, sum := range sums {
				off = max(off, math.Abs(sum-1))
			}
			if one := k < 2; one && off > 1e-5 || !one && off < 0.1 {
				t.Errorf("%s sum to %v", what, sums)
			}
		}
		check(t, "poses", goldentest.Floats(out[4]), goldentest.Floats(out[5]), tolerance(dtype))
	})
}

// TestRefuses builds invalid layers.
func TestRefuses(t *testing.T) {
	good := capsule.Capsules{}
	r := capsule.DefaultEMRouting()
	grid := func(g *Graph, dims ...int) *Node { return Zeros(g, shapes.Make(dtypes.Float32, dims...)) }
	routes := func(change func(r *capsule.EMRouting)) func(scope *model.Scope, g *Graph) {
		return func(_ *model.Scope, g *Graph) {
			changed := r
			change(&changed)
			changed.Route(grid(g, 1, 2, 3, 4), grid(g, 1, 2), grid(g, 3), grid(g, 3))
		}
	}
	for name, build := range map[string]func(scope *model.Scope, g *Graph){
		"no iterations":    routes(func(r *capsule.EMRouting) { r.Iterations = 0 }),
		"no epsilon":       routes(func(r *capsule.EMRouting) { r.Epsilon = 0 }),
		"infinite epsilon": routes(func(r *capsule.EMRouting) { r.Epsilon = math.Inf(1) }),
		"no temperature":   routes(func(r *capsule.EMRouting) { r.Temperature.Final = math.NaN() }),
		"infinite":         routes(func(r *capsule.EMRouting) { r.Temperature.Final = math.Inf(1) }),
		"negative":         routes(func(r *capsule.EMRouting) { r.Temperature.Final = -1 }),
		"no decay":         routes(func(r *capsule.EMRouting) { r.Temperature.Decay = math.NaN() }),
		"decay of 1":       routes(func(r *capsule.EMRouting) { r.Temperature.Decay = 1 }),
		"decay below 0":    routes(func(r *capsule.EMRouting) { r.Temperature.Decay = -0.1 }),
		"votes":            func(scope *model.Scope, g *Graph) { r.Route(grid(g, 2, 3, 4), grid(g, 1, 2), grid(g, 3), grid(g, 3)) },
		"children": func(scope *model.Scope, g *Graph) {
			r.Route(grid(g, 1, 2, 3, 4), grid(g, 1, 3), grid(g, 3), grid(g, 3))
		},
		"parents": func(scope *model.Scope, g *Graph) {
			r.Route(grid(g, 1, 2, 3, 4), grid(g, 1, 2), grid(g, 2), grid(g, 3))
		},
		"poses": func(scope *model.Scope, g *Graph) {
			capsule.Class{Classes: 2, Routing: r}.Route(scope, capsule.Capsules{Poses: grid(g, 1, 4, 4, 2, 3, 4), Activations: grid(g, 1, 4, 4, 2)})
		},
		"activations": func(scope *model.Scope, g *Graph) {
			capsule.Class{Classes: 2, Routing: r}.Route(scope, capsule.Capsules{Poses: grid(g, 1, 4, 4, 2, 4, 4), Activations: grid(g, 1, 4, 4)})
		},
		"kernel": func(scope *model.Scope, g *Graph) {
			good.Poses, good.Activations = grid(g, 1, 4, 3, 2, 4, 4), grid(g, 1, 4, 3, 2)
			capsule.Convolutional{Types: 2, Kernel: 4, Stride: 1, Routing: r}.Route(scope, good)
		},
		"stride": func(scope *model.Scope, g *Graph) {
			good.Poses, good.Activations = grid(g, 1, 4, 3, 2, 4, 4), grid(g, 1, 4, 3, 2)
			capsule.Convolutional{Types: 2, Kernel: 2, Routing: r}.Route(scope, good)
		},
		"types": func(scope *model.Scope, g *Graph) {
			good.Poses, good.Activations = grid(g, 1, 4, 3, 2, 4, 4), grid(g, 1, 4, 3, 2)
			capsule.Convolutional{Kernel: 2, Stride: 1, Routing: r}.Route(scope, good)
		},
		"classes": func(scope *model.Scope, g *Graph) {
			good.Poses, good.Activations = grid(g, 1, 4, 3, 2, 4, 4), grid(g, 1, 4, 3, 2)
			capsule.Class{Routing: r}.Route(scope, good)
		},
		"features": func(scope *model.Scope, g *Graph) { capsule.Primary{Types: 2}.Capsules(scope, grid(g, 1, 4, 3)) },
		"primary":  func(scope *model.Scope, g *Graph) { capsule.Primary{}.Capsules(scope, grid(g, 1, 4, 3, 2)) },
		"images":   func(scope *model.Scope, g *Graph) { capsule.DefaultNetwork(2).Classify(scope, grid(g, 1, 28, 28)) },
		"small":    func(scope *model.Scope, g *Graph) { capsule.DefaultNetwork(2).Classify(scope, grid(g, 1, 4, 28, 1)) },
		"labels": func(scope *model.Scope, g *Graph) {
			capsule.SpreadLoss(grid(g, 2, 3), grid(g, 2), grid(g))
		},
		"margin": func(scope *model.Scope, g *Graph) {
			capsule.SpreadLoss(grid(g, 2, 3), Const(g, []int32{0, 1}), grid(g, 2))
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewGraph(gobackend.GetBackend(), name)
			defer g.Finalize()
			if err := exceptions.TryCatch[error](func() { build(model.NewStore().RootScope(), g) }); err == nil {
				t.Error("builds")
			}
		})
	}
}

package capsule_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/course/capsule"
	"synpool/internal/goldentest"
	"synpool/internal/members"
)

// TestCompareSums adds up both matrices both ways. Assignment probabilities sum to 1 over the parents of all classes;
// attention weights over children, in each head alone; the other sums are not 1, or one would be the other.
func TestCompareSums(t *testing.T) {
	const batch, height, width, types, classes = 2, 2, 3, 2, 3
	c := capsule.Class{Classes: classes, Coordinates: true, Routing: routing(3)}
	forEach(t, dtypes.Float32, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
		out := model.MustNewExec(backend, model.NewStore(), func(scope *model.Scope, poses, activations *Node) []*Node {
			members.Seed(poses.Graph(), 3)
			r, a := c.Compare(scope, capsule.Capsules{Poses: poses, Activations: activations})
			return []*Node{r, a}
		}).MustCall(normal(1, 1, batch, height, width, types, 4, 4).Tensor(dtype), uniform(2, batch, height, width, types).Tensor(dtype))
		for k, what := range []string{"assignments", "attention"} {
			weights := array{Dims: out[k].Shape().Dimensions, Flat: goldentest.Floats(out[k])}
			if slices.Min(weights.Flat) < 0 {
				t.Errorf("%s: a weight of %g", what, slices.Min(weights.Flat))
			}
			one, other := added(weights, 1), added(weights, 2) // [batch, parents, children]
			if k == 1 {
				one, other = added(weights, 3), added(weights, 2) // [batch, heads, parents, children]
			}
			check(t, what+": sums that are 1", one, filled(1, len(one)).Flat, 1e-5)
			off := 0.0
			for _, sum := range other {
				off += math.Abs(sum-1) / float64(len(other))
			}
			if off < 0.1 {
				t.Errorf("%s: the other sums are off 1 by %g on average", what, off)
			}
		}
	})
}

// added sums an array along an axis.
func added(a array, axis int) []float64 {
	inner := 1
	for _, d := range a.Dims[axis+1:] {
		inner *= d
	}
	outer := inner * a.Dims[axis]
	sums := make([]float64, len(a.Flat)/a.Dims[axis])
	for i, v := range a.Flat {
		sums[i/outer*inner+i%inner] += v
	}
	return sums
}

// affine is a trained map.
type affine struct{ weights, bias array }

// attention computes attention weights [batch, heads, parents, children] one number at a time.
func attention(poses array, coordinates bool, query, key affine) (weights []float64) {
	batch, height, width, types := poses.Dims[0], poses.Dims[1], poses.Dims[2], poses.Dims[3]
	children, all := height*width*types, len(query.bias.Flat)
	project := func(by affine, image, child, head int) (y [16]float64) {
		x := slices.Clone(poses.Flat[(image*children+child)*16:][:16])
		if coordinates {
			x[3] += (float64(child/types/width) + 0.5) / float64(height)
			x[7] += (float64(child/types%width) + 0.5) / float64(width)
		}
		for h := range y {
			y[h] = by.bias.Flat[head*16+h]
			for i, v := range x {
				y[h] += v * by.weights.Flat[i*all+head*16+h]
			}
		}
		return y
	}
	for image := range batch {
		for head := range all / 16 {
			for parent := range children {
				q, row, total := project(query, image, parent, head), make([]float64, children), 0.0
				for child := range row {
					score := 0.0
					for h, v := range project(key, image, child, head) {
						score += q[h] * v / 4
					}
					row[child] = math.Exp(score)
					total += row[child]
				}
				for _, w := range row {
					weights = append(weights, w/total)
				}
			}
		}
	}
	return weights
}

// TestCompareGolden compares assignments with those of the class layers of the golden file, with and without coordinates,
// and attention with the formula.
func TestCompareGolden(t *testing.T) {
	var cases []goldenCase
	coordinates := map[bool]bool{}
	for _, c := range readGolden[golden](t, "emrouting.json").Layers {
		if c.Kernel == 0 {
			cases = append(cases, c)
			coordinates[c.Coordinates] = true
		}
	}
	if len(coordinates) != 2 {
		t.Fatalf("%d class layers, with coordinates or without: %v", len(cases), coordinates)
	}
	forEach(t, dtypes.Float64, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
		for _, c := range cases {
			classes := c.BetaU.Dims[0]
			query := affine{normal(1, 0.5, 16, classes*16), normal(2, 1, classes*16)}
			key := affine{normal(3, 0.5, 16, classes*16), normal(4, 1, classes*16)}
			store := model.NewStore()
			for path, value := range map[string]array{
				"/transforms": c.Transforms, "/beta_u": c.BetaU, "/beta_a": c.BetaA,
				"/attention/query/weights": query.weights, "/attention/query/bias": query.bias,
				"/attention/key/weights": key.weights, "/attention/key/bias": key.bias,
			} {
				if _, err := store.CreateVariable(path, value.Tensor(dtype)); err != nil {
					t.Fatal(err)
				}
			}
			layer := capsule.Class{Classes: classes, Coordinates: c.Coordinates, Routing: c.routing()}
			out := model.MustNewExec(backend, store, func(scope *model.Scope, poses, activations *Node) []*Node {
				r, a := layer.Compare(scope, capsule.Capsules{Poses: poses, Activations: activations})
				return []*Node{r, a}
			}).MustCall(c.Poses.Tensor(dtype), c.Activations.Tensor(dtype))
			what := fmt.Sprintf("coordinates %v: ", c.Coordinates)
			check(t, what+"assignments", goldentest.Floats(out[0]), c.placedAssignments().Flat, tolerance(dtype))
			check(t, what+"attention", goldentest.Floats(out[1]), attention(c.Poses, c.Coordinates, query, key), tolerance(dtype))
		}
	})
}

// TestComparePositions moves the capsules that are there, four neighbours of two types, to other positions. Weights follow
// them, on both sides, where no coordinates say where they are. Where coordinates do, assignments still follow capsules
// that move together, because coordinates that are added last change all votes alike, and attention does not, because those
// added first go through the projections; neither follows capsules that change places.
func TestComparePositions(t *testing.T) {
	const height, width, types, classes = 4, 5, 2, 3
	const nodes = height * width * types
	poses, activations := normal(1, 1, 1, height, width, types, 4, 4), uniform(2, 1, height, width, types)
	for i := range activations.Flat {
		if row, column := i/types/width, i/types%width; row < 1 || row > 2 || column < 1 || column > 2 {
			activations.Flat[i] = 0
		}
	}
	for _, c := range []struct {
		move          string
		rows, columns []int // that go to each row and column
		coordinates   bool
		follow        [2]bool // assignments, attention
	}{
		{"together", []int{3, 0, 1, 2}, []int{3, 4, 0, 1, 2}, false, [2]bool{true, true}},
		{"together", []int{3, 0, 1, 2}, []int{3, 4, 0, 1, 2}, true, [2]bool{true, false}},
		{"exchanged", []int{0, 2, 1, 3}, []int{0, 1, 2, 3, 4}, false, [2]bool{true, true}},
		{"exchanged", []int{0, 2, 1, 3}, []int{0, 1, 2, 3, 4}, true, [2]bool{false, false}},
	} {
		move := func(a array, axis int) array { return permuted(permuted(a, axis, c.rows), axis+1, c.columns) }
		layer := capsule.Class{Classes: classes, Coordinates: c.coordinates, Routing: routing(3)}
		exec := model.MustNewExec(gobackend.GetBackend(), model.NewStore(), func(scope *model.Scope, poses, activations *Node) []*Node {
			members.Seed(poses.Graph(), 3)
			r, a := layer.Compare(scope, capsule.Capsules{Poses: poses, Activations: activations})
			return []*Node{r, a}
		})
		of := func(poses, activations array) [2]array {
			out := exec.MustCall(poses.Tensor(dtypes.Float64), activations.Tensor(dtypes.Float64))
			return [2]array{
				{Dims: []int{classes, height, width, types}, Flat: goldentest.Floats(out[0])},
				{Dims: []int{classes, height, width, types, height, width, types}, Flat: goldentest.Floats(out[1])},
			}
		}
		there := move(activations, 1)
		got, want := of(move(poses, 1), there), of(poses, activations)
		want[0], want[1] = move(want[0], 1), move(move(want[1], 1), 4)
		for k, what := range []string{"assignments", "attention"} {
			off, largest := 0.0, 0.0
			for i, w := range want[k].Flat {
				if there.Flat[i%nodes] > 0 {
					off, largest = max(off, math.Abs(got[k].Flat[i]-w)), max(largest, w)
				}
			}
			// What divides in the routing is 1e-9 more than what is assigned.
			if off /= largest; c.follow[k] && off > 1e-6 || !c.follow[k] && off < 1e-3 {
				t.Errorf("%s, coordinates %v: %s are off by %.2g of the largest, want them to follow: %v", c.move, c.coordinates, what, off, c.follow[k])
			}
		}
	}
}

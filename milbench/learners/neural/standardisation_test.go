package neural

import (
	"errors"
	"math"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"synpool/backend/backendtest"
	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/synlayer"
)

// TestStandardisation checks that each feature has mean 0 and standard deviation 1 over the training instances, even if
// it has only two values that are neighbours in float32. Other bags have no effect.
func TestStandardisation(t *testing.T) {
	third := float32(1. / 3)
	noise := math.Nextafter32(third, 1)
	dense := []mil.Instances{
		&mil.Dense{Rows: 2, Cols: 4, Values: []float32{1, 10, third, 0, 3, 30, noise, 0}},
		&mil.Dense{Rows: 1, Cols: 4, Values: []float32{1e9, 1e9, 1e9, 1e9}}, // not trained on
		&mil.Dense{Rows: 2, Cols: 4, Values: []float32{5, 10, third, 0, 7, -50, third, 2}},
	}
	train := []cv.Example{{Bag: 0}, {Bag: 2}}
	s := must(FitStandardisation(dense, train))
	out := make([]float32, 8)
	var all []float32
	for _, e := range train {
		if err := s.fill(out, dense[e.Bag]); err != nil {
			t.Fatal(err)
		}
		all = append(all, out...)
	}
	for j := range 4 {
		var mean, square float64
		for i := range 4 {
			mean += float64(all[i*4+j]) / 4
			square += float64(all[i*4+j]) * float64(all[i*4+j]) / 4
		}
		if math.Abs(mean) > 1e-7 || math.Abs(square-1) > 1e-6 {
			t.Errorf("feature %d: mean %g, mean square %g, want 0 and 1", j, mean, square)
		}
	}
	sparse := make([]mil.Instances, len(dense))
	for i, x := range dense {
		sparse[i] = must(mil.ToSparse(x))
	}
	q := must(FitStandardisation(sparse, train))
	if q.Shift != nil {
		t.Error("a sparse set is centred")
	}
	for j := range q.Factor {
		if math.Abs(q.Factor[j]-s.Factor[j]) > 1e-12 {
			t.Errorf("feature %d: factor %g from the sparse form, %g from the dense", j, q.Factor[j], s.Factor[j])
		}
	}
}

// TestFillSparse checks that a bag with equal values gives equal rows in both forms, centred or not.
func TestFillSparse(t *testing.T) {
	dense := &mil.Dense{Rows: 2, Cols: 3, Values: []float32{0, 5, 0, 7, 0, 0}}
	sparse := &mil.Sparse{Rows: 2, Cols: 3, Values: []float32{5, 7}, RowStart: []int{0, 1, 2}, Column: []int32{1, 0}}
	for _, s := range []Standardisation{{}, {Factor: []float64{2, 3, 4}}, {Shift: []float64{1, 2, 3}, Factor: []float64{2, 3, 4}}} {
		a, b := make([]float32, 6), make([]float32, 6)
		if err := errors.Join(s.fill(a, dense), s.fill(b, sparse)); err != nil || !slices.Equal(a, b) {
			t.Errorf("%+v: %v from the dense form, %v from the sparse", s, a, b)
		}
	}
}

// TestLogisticLoss checks the loss of clear cases: e^-|l| and not 0 for a correct bag, |l| for a wrong one.
func TestLogisticLoss(t *testing.T) {
	for name, backend := range backendtest.All(t) {
		out, err := CallOnceN(backend, func(l, y *Node) []*Node {
			value, differentiated := losses(synlayer.Classification{Logits: l}, target{}, y)
			return []*Node{value, Gradient(ReduceAllSum(differentiated), l)[0], differentiated}
		}, []float32{15, -15, 40, -40, 0, 0}, []float32{1, 0, 0, 1, 0, 1})
		if err != nil {
			t.Fatal(err)
		}
		small := math.Log1p(math.Exp(-15))
		for i, want := range [][]float64{{small, small, 40, 40, math.Ln2, math.Ln2}, {-small, small, 1, -1, 0.5, -0.5}, {small, small, 40, 40, math.Ln2, math.Ln2}} {
			for j, got := range tensors.MustCopyFlatData[float32](out[i]) {
				if math.Abs(float64(got)-want[j]) > 1e-6*math.Abs(want[j]) {
					t.Errorf("%s: output %d of bag %d is %g, want %g", name, i, j, got, want[j])
				}
			}
		}
	}
}

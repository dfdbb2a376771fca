package baseline

import (
	"math"
	"testing"

	"synpool/milbench/stats"
)

// Products of the features are the kernel: exactly where all instances are landmarks, and never more than it on the
// diagonal where some are.
func TestKernelFeatures(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		bags, _ := random(4, 20, 5, 1, sparse)
		x, _, err := standardised(bags)
		if err != nil {
			t.Fatal(err)
		}
		const gamma = 0.1
		rows := make([][]float64, x.Rows)
		for i := range rows {
			rows[i] = make([]float64, x.Cols)
			x.Row(i, rows[i])
		}
		for _, most := range []int{1000, 10} {
			k, err := newKernel(x, gamma, most)
			if err != nil {
				t.Fatal(err)
			}
			if k.landmarks.Rows != min(x.Rows, most) || k.landmarks.Sparse() != sparse {
				t.Fatalf("%d landmarks of %d instances, sparse %v", k.landmarks.Rows, x.Rows, k.landmarks.Sparse())
			}
			f := k.features(x)
			landmark := map[int]bool{}
			for i := range k.landmarks.Rows {
				landmark[i*x.Rows/k.landmarks.Rows] = true
			}
			for i := range rows {
				for j := range rows {
					distance := 0.0
					for c := range rows[i] {
						distance += (rows[i][c] - rows[j][c]) * (rows[i][c] - rows[j][c])
					}
					want := math.Exp(-gamma * distance)
					got := dot(f, i, f.Values[j*f.Cols:(j+1)*f.Cols])
					if (landmark[i] || landmark[j]) && math.Abs(got-want) > 1e-6 || i == j && got > want+1e-6 {
						t.Fatalf("sparse %v, %d landmarks: kernel of %d and %d is %v, want %v", sparse, k.landmarks.Rows, i, j, got, want)
					}
				}
			}
		}
	}
}

// Some landmarks stand for all of many instances.
func TestKernelLandmarks(t *testing.T) {
	bags, train := random(9, 900, 4, 1.5, false)
	all := 0
	for _, b := range bags {
		all += b.Rows
	}
	if all <= mostLandmarks {
		t.Fatalf("%d instances", all)
	}
	m, err := Config{Logistic, 1, true, 0.05}.Fit(t.Context(), bags, train)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Weights) != mostLandmarks {
		t.Errorf("%d weights", len(m.Weights))
	}
	var labels []int
	var scores []float64
	for i, b := range bags {
		s, err := m.Score(b)
		if err != nil {
			t.Fatal(err)
		}
		labels, scores = append(labels, train[i].Label), append(scores, s.Score)
	}
	if auc, err := stats.AUC(labels, scores); err != nil || auc < 0.85 {
		t.Errorf("AUC %.3f on the training bags (%v)", auc, err)
	}
}

// A kernel tells apart what no plane does: a bag is positive if an instance is near the origin.
func TestKernelBeyondPlanes(t *testing.T) {
	bags, train := random(5, 60, 2, 0, false)
	for i := range bags {
		m := bags[i]
		for row := range m.Rows {
			x := m.Values[2*row : 2*row+2]
			size := math.Hypot(x[0], x[1])
			want := 3.0
			if i%2 == 0 && row == 0 {
				want = 0.3
			}
			x[0], x[1] = x[0]*want/size, x[1]*want/size
		}
	}
	for gamma, perfect := range map[float64]bool{0: false, 1: true} {
		m, err := Config{Hinge, 10, true, gamma}.Fit(t.Context(), bags, train)
		if err != nil {
			t.Fatal(err)
		}
		least, most := math.Inf(1), math.Inf(-1) // of positive, of negative bags
		for i, b := range bags {
			s, err := m.Score(b)
			if err != nil {
				t.Fatal(err)
			}
			if i%2 == 0 {
				least = min(least, s.Score)
			} else {
				most = max(most, s.Score)
			}
		}
		if (least > most) != perfect {
			t.Errorf("gamma %v: positive bags from %v on, negative ones up to %v", gamma, least, most)
		}
	}
}

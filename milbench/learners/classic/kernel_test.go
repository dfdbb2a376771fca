package classic

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// TestKernelFeatures checks that products of the features are the kernel. They are exact if all instances are
// landmarks; otherwise they are never larger than the kernel on the diagonal.
func TestKernelFeatures(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		bags, _ := random(4, 20, 5, 1, sparse)
		s := must(scaleOf(bags))
		const gamma = 0.1
		var rows [][]float64
		for _, x := range bags {
			if err := mil.EachRow(x, func(_ int, row []float32) {
				z := make([]float64, len(row))
				s.apply(row, z)
				rows = append(rows, z)
			}); err != nil {
				t.Fatal(err)
			}
		}
		for _, most := range []int{1000, 10} {
			k := must(newKernel(bags, s, gamma, most))
			if len(k.landmarks) != min(len(rows), most) {
				t.Fatalf("%d landmarks of %d instances", len(k.landmarks), len(rows))
			}
			f := must(k.features(bags, s))
			landmark := map[int]bool{}
			for i, z := range k.landmarks {
				at := i * len(rows) / len(k.landmarks)
				if landmark[at] = true; !slices.Equal(z, rows[at]) {
					t.Fatalf("landmark %d is %v, want instance %d, %v", i, z, at, rows[at])
				}
			}
			for i := range rows {
				for j := range rows {
					distance := 0.0
					for c := range rows[i] {
						distance += (rows[i][c] - rows[j][c]) * (rows[i][c] - rows[j][c])
					}
					want := math.Exp(-gamma * distance)
					got := floats.Dot(f.values[i*f.columns:(i+1)*f.columns], f.values[j*f.columns:(j+1)*f.columns])
					if (landmark[i] || landmark[j]) && math.Abs(got-want) > 1e-6 || i == j && got > want+1e-6 {
						t.Fatalf("sparse %v, %d landmarks: kernel of %d and %d is %v, want %v", sparse, len(k.landmarks), i, j, got, want)
					}
				}
			}
		}
	}
}

// TestKernelLandmarks checks that some landmarks represent many instances.
func TestKernelLandmarks(t *testing.T) {
	bags, train := random(9, 900, 4, 1.5, false)
	all := 0
	for _, b := range bags {
		all += b.Len()
	}
	if all <= mostLandmarks {
		t.Fatalf("%d instances", all)
	}
	m := fitted(t, Instance{Logistic, 1, true, 0.05}, bags, train)
	if len(m.Weights) != mostLandmarks {
		t.Errorf("%d weights", len(m.Weights))
	}
	var labels []int
	var scores []float64
	for i, b := range bags {
		s := must(m.Predict(b))
		labels, scores = append(labels, train[i].Label), append(scores, s.Scores[0])
	}
	if auc, err := stats.AUC(labels, scores); err != nil || auc < 0.85 {
		t.Errorf("AUC %.3f on the training bags (%v)", auc, err)
	}
}

// TestKernelBeyondPlanes checks a problem that no plane can separate: a bag is positive if an instance is near the
// origin.
func TestKernelBeyondPlanes(t *testing.T) {
	bags, train := random(5, 60, 2, 0, false)
	for i := range bags {
		m := bags[i].(*mil.Dense)
		for row := range m.Rows {
			x := m.Row(row)
			size := float32(math.Hypot(float64(x[0]), float64(x[1])))
			want := float32(3)
			if i%2 == 0 && row == 0 {
				want = 0.3
			}
			x[0], x[1] = x[0]*want/size, x[1]*want/size
		}
	}
	for gamma, perfect := range map[float64]bool{0: false, 1: true} {
		m := fitted(t, Instance{Hinge, 10, true, gamma}, bags, train)
		least, most := math.Inf(1), math.Inf(-1) // of positive, of negative bags
		for i, b := range bags {
			s := must(m.Predict(b))
			if i%2 == 0 {
				least = min(least, s.Scores[0])
			} else {
				most = max(most, s.Scores[0])
			}
		}
		if (least > most) != perfect {
			t.Errorf("gamma %v: positive bags from %v on, negative ones up to %v", gamma, least, most)
		}
	}
}

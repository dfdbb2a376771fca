package trees_test

import (
	"context"
	"math"
	"runtime"
	"testing"

	"synpool/internal/goldenfile"
	"synpool/internal/trees"
)

// golden is a case of testdata/trees.py: rows training rows and as many test rows.
type golden struct {
	Name          string
	Rows          int
	Features      int
	Classes       int
	X             []float32
	Labels        []int
	Config        trees.Config
	Probabilities []float64
	AUC           float64
	AUCSE         float64 `json:"auc_se"`
	grown
}

// grown describes forests of scikit-learn: the large one, and the number of small ones and of their trees.
type grown struct {
	Importance    []float64
	Depth, Leaves float64
	Seeds, Small  int
}

// compare compares a large forest.
func (g grown) compare(t *testing.T, forest *trees.Forest) {
	t.Helper()
	depth, leaves := shape(forest)
	if math.Abs(depth/g.Depth-1) > 0.02 {
		t.Errorf("mean depth %.3f, want %.3f ± 2 %%", depth, g.Depth)
	}
	if math.Abs(leaves/g.Leaves-1) > 0.02 {
		t.Errorf("%.2f leaves on average, want %.2f ± 2 %%", leaves, g.Leaves)
	}
	for j, want := range g.Importance {
		if math.Abs(forest.Importance[j]-want) > 0.01 {
			t.Errorf("importance of feature %d is %.4f, want %.4f ± 0.01", j, forest.Importance[j], want)
		}
	}
}

// compareFigure compares a statistic of small forests, averaged over seeds. On fixed rows it varies only with the seed, so
// the means of both sides differ by about the root of the sum of their squared standard errors.
func (g grown) compareFigure(t *testing.T, name string, want, wantSE float64, figure func(seed uint64) float64) {
	t.Helper()
	var sum, squares float64
	for seed := range g.Seeds {
		v := figure(uint64(seed))
		sum, squares = sum+v, squares+v*v
	}
	n := float64(g.Seeds)
	mean := sum / n
	se := math.Sqrt((squares/n - mean*mean) / (n - 1))
	if bound := 3.5 * math.Hypot(se, wantSE); math.Abs(mean-want) > bound {
		t.Errorf("%s: %.4f, want %.4f ± %.4f", name, mean, want, bound)
	}
}

func (g golden) train() trees.Data {
	return trees.Data{X: g.X[:g.Rows*g.Features], Features: g.Features, Labels: g.Labels[:g.Rows], Classes: g.Classes}
}

func (g golden) test() []float32 { return g.X[g.Rows*g.Features:] }

func goldenCases(t testing.TB) []golden {
	t.Helper()
	return goldenfile.Read[struct{ Cases []golden }](t, "trees.json").Cases
}

func fit(t testing.TB, config trees.Config, data trees.Data, seed uint64) *trees.Forest {
	t.Helper()
	forest, err := config.Fit(context.Background(), data, seed, runtime.GOMAXPROCS(0))
	must(t, err)
	must(t, forest.Validate())
	return forest
}

func predict(t testing.TB, forest *trees.Forest, x []float32) []float64 {
	t.Helper()
	p, err := forest.Predict(context.Background(), x, nil, runtime.GOMAXPROCS(0))
	must(t, err)
	return p
}

// TestGolden compares averages over many trees with scikit-learn's: random numbers differ, distributions must not.
func TestGolden(t *testing.T) {
	for _, g := range goldenCases(t) {
		t.Run(g.Name, func(t *testing.T) {
			forest := fit(t, g.Config, g.train(), 1)
			var mean float64
			for i, p := range predict(t, forest, g.test()) {
				want := g.Probabilities[i]
				off := math.Abs(p - want)
				mean += off / float64(len(g.Probabilities))
				// The variance of what one tree gives is at most p(1−p). Five standard errors of the difference of two means.
				if bound := 5*math.Sqrt(2*want*(1-want)/float64(g.Config.Trees)) + 1e-3; off > bound {
					t.Errorf("probability %d is %.4f, want %.4f ± %.4f", i, p, want, bound)
				}
			}
			if mean > 0.01 {
				t.Errorf("probabilities are off by %.4f on average, want at most 0.01", mean)
			}
			g.grown.compare(t, forest)
		})
	}
}

// TestGoldenAUC compares the AUC of small forests.
func TestGoldenAUC(t *testing.T) {
	for _, g := range goldenCases(t) {
		config := g.Config
		config.Trees = g.Small
		g.compareFigure(t, g.Name+": AUC", g.AUC, g.AUCSE, func(seed uint64) float64 {
			return auc(predict(t, fit(t, config, g.train(), seed), g.test()), g.Labels[g.Rows:], g.Classes)
		})
	}
}

// shape returns depth and number of leaves, averaged over the trees.
func shape(f *trees.Forest) (depth, leaves float64) {
	for t := range f.Trees() {
		a, b := f.Starts[t], f.Starts[t+1]
		depths := make([]int, b-a)
		deepest := 0
		for i := range depths {
			if f.Feature[int(a)+i] >= 0 {
				depths[i+1], depths[f.Next[int(a)+i]] = depths[i]+1, depths[i]+1
			} else {
				leaves++
			}
			deepest = max(deepest, depths[i])
		}
		depth += float64(deepest)
	}
	n := float64(f.Trees())
	return depth / n, leaves / n
}

// auc returns the AUC of the last class against the others.
func auc(p []float64, labels []int, classes int) float64 {
	var won, pairs float64
	for i, a := range labels {
		for j, b := range labels {
			if a != classes-1 || b == classes-1 {
				continue
			}
			pairs++
			if x, y := p[(i+1)*classes-1], p[(j+1)*classes-1]; x > y {
				won++
			} else if x == y {
				won += 0.5
			}
		}
	}
	return won / pairs
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

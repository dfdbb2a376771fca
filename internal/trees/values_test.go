package trees_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"synpool/internal/goldenfile"
	"synpool/internal/trees"
)

// goldenValues is a case of testdata/values.py: rows training rows and as many test rows.
type goldenValues struct {
	Name                string
	Rows, Features      int
	X                   []float32
	Values              []float64
	Config              trees.Config
	Predictions, Spread []float64
	R2                  float64
	R2SE                float64 `json:"r2_se"`
	grown
}

func (g goldenValues) train() trees.Data {
	return trees.Data{X: g.X[:g.Rows*g.Features], Features: g.Features, Values: g.Values[:g.Rows]}
}

func (g goldenValues) test() []float32 { return g.X[g.Rows*g.Features:] }

// TestGoldenValues compares averages over many trees with scikit-learn's, and R² of small forests: random numbers differ, distributions
// must not.
func TestGoldenValues(t *testing.T) {
	file := goldenfile.Read[struct{ Cases []goldenValues }](t, "values.json")
	if len(file.Cases) != 5 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	for _, g := range file.Cases {
		t.Run(g.Name, func(t *testing.T) {
			forest := fit(t, g.Config, g.train(), 1)
			for i, v := range predict(t, forest, g.test()) {
				// Five standard errors of the difference of two means.
				if want, bound := g.Predictions[i], 5*g.Spread[i]*math.Sqrt(2/float64(g.Config.Trees))+1e-3; math.Abs(v-want) > bound {
					t.Errorf("value %d is %.4f, want %.4f ± %.4f", i, v, want, bound)
				}
			}
			g.compare(t, forest)
			config := g.Config
			config.Trees = g.Small
			g.compareFigure(t, "R²", g.R2, g.R2SE, func(seed uint64) float64 {
				return r2(g.Values[g.Rows:], predict(t, fit(t, config, g.train(), seed), g.test()))
			})
		})
	}
}

// r2 returns 1 less the squared errors over those of the mean.
func r2(values, predictions []float64) float64 {
	var mean, missed, all float64
	for _, v := range values {
		mean += v / float64(len(values))
	}
	for i, v := range values {
		missed, all = missed+(v-predictions[i])*(v-predictions[i]), all+(v-mean)*(v-mean)
	}
	return 1 - missed/all
}

// numbered returns rows with values that the first feature tells in part.
func numbered(seed uint64, rows, features int) trees.Data {
	data := drawn(seed, rows, features, 2)
	random := rand.New(rand.NewPCG(seed, 2))
	data.Labels, data.Classes = nil, 0
	for i := range rows {
		data.Values = append(data.Values, 3*float64(data.X[i*features])+random.NormFloat64())
	}
	return data
}

// TestValues: trees with leaves of one row hold the values of their rows; forests depend neither on workers nor on how rows are given;
// values that are scaled and shifted scale and shift the predictions.
func TestValues(t *testing.T) {
	ctx := context.Background()
	data := numbered(3, 90, 6)
	forest := fit(t, small(), data, 5)
	for i, v := range predict(t, forest, data.X) {
		if v != float64(float32(data.Values[i])) && math.Abs(v-data.Values[i]) > 1e-6*math.Abs(data.Values[i]) {
			t.Fatalf("row %d has %v, want %v", i, v, data.Values[i])
		}
	}
	one, err := small().Fit(ctx, data, 5, 1)
	must(t, err)
	same(t, "workers", forest, one)

	config := small()
	config.MinLeaf = 5
	part := data
	part.Rows = rand.New(rand.NewPCG(4, 1)).Perm(90)[:60]
	copied := trees.Data{Features: 6}
	for _, row := range part.Rows {
		copied.X, copied.Values = append(copied.X, data.X[row*6:(row+1)*6]...), append(copied.Values, data.Values[row])
	}
	forest = fit(t, config, part, 2)
	same(t, "rows", forest, fit(t, config, copied, 2))
	before := predict(t, forest, data.X)
	moved := part
	moved.Values = slices.Clone(data.Values)
	for i := range moved.Values {
		moved.Values[i] = 8*moved.Values[i] + 1024
	}
	for i, v := range predict(t, fit(t, config, moved, 2), data.X) {
		if want := 8*before[i] + 1024; math.Abs(v-want) > 1e-3 {
			t.Fatalf("row %d of moved values has %v, want %v", i, v, want)
		}
	}
	for i := range moved.Values {
		moved.Values[i] = 0.1
	}
	if f := fit(t, config, moved, 2); len(f.Feature) != config.Trees || math.Abs(predict(t, f, data.X)[7]-0.1) > 1e-7 {
		t.Errorf("%d nodes of equal values", len(f.Feature))
	}
}

func TestValuesErrors(t *testing.T) {
	for want, change := range map[string]func(*trees.Config, *trees.Data){
		"9 values of 10 rows":                             func(_ *trees.Config, d *trees.Data) { d.Values = d.Values[:9] },
		"row 3 has the value NaN":                         func(_ *trees.Config, d *trees.Data) { d.Values[3] = math.NaN() },
		"row 3 has the value 1e+39, want a float32":       func(_ *trees.Config, d *trees.Data) { d.Values[3] = 1e39 },
		"0 labels of 2 classes, balanced false, beside":   func(_ *trees.Config, d *trees.Data) { d.Classes = 2 },
		"10 labels of 0 classes, balanced false, beside":  func(_ *trees.Config, d *trees.Data) { d.Labels = make([]int, 10) },
		"0 labels of 0 classes, balanced true, beside va": func(c *trees.Config, _ *trees.Data) { c.Balanced = true },
		"no rows to fit on":                               func(_ *trees.Config, d *trees.Data) { d.Rows = []int{} },
	} {
		config, data := small(), numbered(1, 10, 3)
		change(&config, &data)
		if _, err := config.Fit(context.Background(), data, 1, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	for name, change := range map[string]func(f *trees.Forest){
		"leaf":    func(f *trees.Forest) { f.Leaves[2] = float32(math.Inf(1)) },
		"leaves":  func(f *trees.Forest) { f.Leaves = f.Leaves[1:] },
		"classes": func(f *trees.Forest) { f.Classes = -1 },
		"class":   func(f *trees.Forest) { f.Classes = 1 },
	} {
		forest := fit(t, small(), numbered(1, 10, 3), 1)
		if change(forest); forest.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

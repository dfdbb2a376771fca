package trees_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"synpool/internal/trees"
)

// drawn returns rows whose first two features partly separate the classes.
func drawn(seed uint64, rows, features, classes int) trees.Data {
	random := rand.New(rand.NewPCG(seed, 1))
	data := trees.Data{X: make([]float32, rows*features), Features: features, Labels: make([]int, rows), Classes: classes}
	for i := range rows {
		data.Labels[i] = random.IntN(classes)
		for j := range features {
			v := random.NormFloat64()
			if j < 2 {
				v += float64(data.Labels[i])
			}
			data.X[i*features+j] = float32(v)
		}
	}
	return data
}

func small() trees.Config {
	config := trees.DefaultConfig()
	config.Trees = 20
	return config
}

// same fails unless two forests are bit-identical.
func same(t *testing.T, what string, a, b *trees.Forest) {
	t.Helper()
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%s: the forests differ", what)
	}
}

func TestWorkersAndSeeds(t *testing.T) {
	ctx := context.Background()
	data := drawn(1, 90, 10, 3)
	one, err := small().Fit(ctx, data, 5, 1)
	must(t, err)
	p, err := one.Predict(ctx, data.X, nil, 1)
	must(t, err)
	for _, workers := range []int{0, 2, 3, 50} {
		other, err := small().Fit(ctx, data, 5, workers)
		must(t, err)
		same(t, "workers", one, other)
		q, err := one.Predict(ctx, data.X, nil, workers)
		if err != nil || !slices.Equal(p, q) {
			t.Errorf("probabilities with %d workers differ (%v)", workers, err)
		}
	}
	if other := fit(t, small(), data, 6); reflect.DeepEqual(one, other) {
		t.Error("another seed gives the same forest")
	}
	// A larger forest begins with the smaller one.
	config := small()
	config.Trees = 25
	larger := fit(t, config, data, 5)
	if !slices.Equal(larger.Starts[:21], one.Starts) || !slices.Equal(larger.Threshold[:len(one.Threshold)], one.Threshold) {
		t.Error("the first trees of a larger forest differ")
	}
}

// TestRows: fitting on some rows is fitting on a copy of them.
func TestRows(t *testing.T) {
	for _, classes := range []int{2, 4} {
		data := drawn(2, 80, 7, classes)
		for _, balanced := range []bool{false, true} {
			config := small()
			config.Balanced = balanced
			data.Rows = append(rand.New(rand.NewPCG(3, 3)).Perm(80)[:50], 7, 7)
			part := trees.Data{Features: 7, Classes: classes}
			for _, row := range data.Rows {
				part.X = append(part.X, data.X[row*7:(row+1)*7]...)
				part.Labels = append(part.Labels, data.Labels[row])
			}
			a := fit(t, config, data, 4)
			same(t, "rows", a, fit(t, config, part, 4))
			p, err := a.Predict(context.Background(), data.X, data.Rows, 2)
			if err != nil || !slices.Equal(p, predict(t, a, part.X)) {
				t.Errorf("probabilities of rows differ (%v)", err)
			}
			for i, row := range data.Rows { // one alone walks the trees in another way
				alone, err := a.Predict(context.Background(), data.X[row*7:(row+1)*7], nil, 1)
				if err != nil || !slices.Equal(alone, p[i*classes:(i+1)*classes]) {
					t.Errorf("row %d alone: %v (%v), want %v", row, alone, err, p[i*classes:(i+1)*classes])
				}
			}
		}
	}
}

// TestPure: with leaves of one row, every training row that has no double with a different label gets probability 1.
func TestPure(t *testing.T) {
	for _, classes := range []int{2, 5} {
		data := drawn(3, 100, 6, classes)
		for i, p := range predict(t, fit(t, small(), data, 1), data.X) {
			if want := b2f(data.Labels[i/classes] == i%classes); p != want {
				t.Fatalf("probability %d is %g, want %g", i, p, want)
			}
		}
	}
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// TestDoubles: rows that differ only in their labels end in one leaf with the frequencies of the labels.
func TestDoubles(t *testing.T) {
	data := trees.Data{X: []float32{1, 2, 1, 2, 1, 2, 5, 2}, Features: 2, Labels: []int{0, 1, 1, 0}, Classes: 2}
	p := predict(t, fit(t, small(), data, 1), data.X)
	if math.Abs(p[1]-2./3) > 1e-7 || p[6] != 1 {
		t.Errorf("probabilities %v", p)
	}
}

// TestConstant: constant features do not count as candidates, so that a tree always finds the one that varies.
func TestConstant(t *testing.T) {
	const rows, features = 30, 40
	data := trees.Data{X: make([]float32, rows*features), Features: features, Labels: make([]int, rows), Classes: 2}
	for i := range rows {
		for j := range features {
			data.X[i*features+j] = float32(j)
		}
		data.X[i*features+17], data.Labels[i] = float32(i), i/10%2
	}
	config := small()
	config.Features = 1
	forest := fit(t, config, data, 1)
	for _, j := range forest.Feature {
		if j != -1 && j != 17 {
			t.Fatalf("a split on the constant feature %d", j)
		}
	}
	if math.Abs(forest.Importance[17]-1) > 1e-12 {
		t.Errorf("importance %v", forest.Importance)
	}
	for i, p := range predict(t, forest, data.X) {
		if p != b2f(data.Labels[i/2] == i%2) {
			t.Fatalf("row %d has probability %g", i/2, p)
		}
	}
	for i := range rows { // all constant: leaves only
		data.X[i*features+17] = 1
	}
	forest = fit(t, config, data, 1)
	if len(forest.Feature) != config.Trees || slices.Max(forest.Importance) != 0 || math.Abs(predict(t, forest, data.X)[0]-2./3) > 1e-7 {
		t.Errorf("%d nodes, importance %v", len(forest.Feature), forest.Importance)
	}
}

// TestMinima: no leaf and no split has too few rows.
func TestMinima(t *testing.T) {
	for _, classes := range []int{2, 3} {
		data := drawn(5, 150, 5, classes)
		config := small()
		config.MinLeaf, config.MinSplit = 4, 20
		forest := fit(t, config, data, 3)
		for tree := range forest.Trees() {
			a, b := forest.Starts[tree], forest.Starts[tree+1]
			counts := make([]int, b-a)
			for i := range 150 {
				for n := int32(0); ; {
					counts[n]++
					j := forest.Feature[a+n]
					if j < 0 {
						break
					}
					if data.X[i*5+int(j)] <= forest.Threshold[a+n] {
						n++
					} else {
						n = forest.Next[a+n]
					}
				}
			}
			for n, count := range counts {
				if leaf := forest.Feature[int(a)+n] < 0; leaf && count < 4 || !leaf && count < 20 {
					t.Fatalf("node %d of tree %d has %d rows", n, tree, count)
				}
			}
		}
	}
}

// TestMonotone: a tree depends on a feature by its order and by where thresholds fall. A feature of two values has no choice
// of where, so that any increasing map of it leaves the tree; of any feature, scaling by a power of two scales the threshold.
func TestMonotone(t *testing.T) {
	data := drawn(6, 100, 8, 2)
	forest := fit(t, small(), data, 2)
	scaled := data
	scaled.X = slices.Clone(data.X)
	for i := range scaled.X {
		scaled.X[i] *= 8
	}
	other := fit(t, small(), scaled, 2)
	for i := range other.Threshold {
		other.Threshold[i] /= 8
	}
	same(t, "scaled", forest, other)

	for i, v := range data.X {
		data.X[i], scaled.X[i] = 0, -3
		if v > 0.3 {
			data.X[i], scaled.X[i] = 1, 1e6
		}
	}
	a, b := fit(t, small(), data, 2), fit(t, small(), scaled, 2)
	if !slices.Equal(predict(t, a, data.X), predict(t, b, scaled.X)) {
		t.Error("probabilities of mapped features differ")
	}
	a.Threshold, b.Threshold = nil, nil
	same(t, "two values", a, b)
}

// TestBalanced: balanced classes weigh the same, so that a leaf of all rows is undecided.
func TestBalanced(t *testing.T) {
	data := trees.Data{X: make([]float32, 10), Features: 1, Labels: []int{2, 0, 0, 0, 0, 0, 0, 0, 0, 0}, Classes: 3}
	config := small()
	config.Balanced = true
	if p := predict(t, fit(t, config, data, 1), data.X[:1]); !slices.Equal(p, []float64{0.5, 0, 0.5}) {
		t.Errorf("probabilities %v", p)
	}
}

// TestExtremes: neighbouring numbers, zeros of both signs and the largest numbers are divided as they should be.
func TestExtremes(t *testing.T) {
	negative := float32(math.Copysign(0, -1))
	tiny := math.SmallestNonzeroFloat32
	for _, x := range [][]float32{
		{1, math.Nextafter32(1, 2)}, {0, float32(tiny)}, {-float32(tiny), negative}, {-float32(tiny), 0},
		{-math.MaxFloat32, math.MaxFloat32}, {math.Nextafter32(math.MaxFloat32, 0), math.MaxFloat32},
	} {
		data := trees.Data{X: x, Features: 1, Labels: []int{0, 1}, Classes: 2}
		if p := predict(t, fit(t, small(), data, 1), x); !slices.Equal(p, []float64{1, 0, 0, 1}) {
			t.Errorf("%g: probabilities %v", x, p)
		}
	}
	data := trees.Data{X: []float32{negative, 0}, Features: 1, Labels: []int{0, 1}, Classes: 2}
	if forest := fit(t, small(), data, 1); len(forest.Feature) != 20 {
		t.Error("zeros of both signs are told apart")
	}
}

func TestErrors(t *testing.T) {
	ctx := context.Background()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	good := func() trees.Data { return drawn(1, 10, 3, 2) }
	for name, change := range map[string]func(*trees.Config, *trees.Data){
		"no trees":       func(c *trees.Config, _ *trees.Data) { c.Trees = 0 },
		"leaves of 0":    func(c *trees.Config, _ *trees.Data) { c.MinLeaf = 0 },
		"splits of 1":    func(c *trees.Config, _ *trees.Data) { c.MinSplit = 1 },
		"candidates":     func(c *trees.Config, _ *trees.Data) { c.Features = -1 },
		"no features":    func(_ *trees.Config, d *trees.Data) { d.Features = 0 },
		"ragged":         func(_ *trees.Config, d *trees.Data) { d.X = d.X[:29] },
		"few labels":     func(_ *trees.Config, d *trees.Data) { d.Labels = d.Labels[:9] },
		"no classes":     func(_ *trees.Config, d *trees.Data) { d.Classes = 0 },
		"label":          func(_ *trees.Config, d *trees.Data) { d.Labels[3] = 2 },
		"negative label": func(_ *trees.Config, d *trees.Data) { d.Labels[3] = -1 },
		"row":            func(_ *trees.Config, d *trees.Data) { d.Rows = []int{10} },
		"negative row":   func(_ *trees.Config, d *trees.Data) { d.Rows = []int{-1} },
		"no rows":        func(_ *trees.Config, d *trees.Data) { d.Rows = []int{} },
		"NaN":            func(_ *trees.Config, d *trees.Data) { d.X[4] = nan },
		"infinite":       func(_ *trees.Config, d *trees.Data) { d.X[4] = inf },
	} {
		config, data := small(), good()
		change(&config, &data)
		if _, err := config.Fit(ctx, data, 1, 2); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	forest := fit(t, small(), good(), 1)
	for name, x := range map[string][]float32{"NaN": {1, nan, 2}, "ragged": {1, 2, 3, 4}} {
		if _, err := forest.Predict(ctx, x, nil, 1); err == nil {
			t.Errorf("prediction, %s: no error", name)
		}
	}
	if _, err := forest.Predict(ctx, good().X, []int{10}, 1); err == nil {
		t.Error("prediction of a row out of range: no error")
	}
	cause := errors.New("enough")
	ended, cancel := context.WithCancelCause(ctx)
	cancel(cause)
	if _, err := small().Fit(ended, good(), 1, 2); !errors.Is(err, cause) {
		t.Errorf("fit: %v", err)
	}
	if _, err := forest.Predict(ended, good().X, nil, 2); !errors.Is(err, cause) {
		t.Errorf("prediction: %v", err)
	}
}

// TestCancel checks that cancelling also stops within trees.
func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	config := small()
	config.Trees = 1_000_000
	go cancel()
	if _, err := config.Fit(ctx, drawn(1, 5000, 20, 2), 1, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestValidate changes each array of a forest; what is still taken for valid must predict without a panic.
func TestValidate(t *testing.T) {
	data := drawn(9, 40, 4, 3)
	config := small()
	config.Trees = 3
	clone := func() *trees.Forest {
		f := *fit(t, config, data, 1)
		return &f
	}
	split := slices.IndexFunc(clone().Feature, func(j int32) bool { return j >= 0 })
	for name, change := range map[string]func(f *trees.Forest){
		"features":         func(f *trees.Forest) { f.Features = 2 },
		"no features":      func(f *trees.Forest) { f.Features = 0 },
		"classes":          func(f *trees.Forest) { f.Classes = 2 },
		"no classes":       func(f *trees.Forest) { f.Classes = 0 },
		"no trees":         func(f *trees.Forest) { f.Starts = f.Starts[:1] },
		"no starts":        func(f *trees.Forest) { f.Starts = nil },
		"first start":      func(f *trees.Forest) { f.Starts[0] = 1 },
		"negative start":   func(f *trees.Forest) { f.Starts[1] = -5 },
		"far start":        func(f *trees.Forest) { f.Starts[1] = math.MaxInt32 },
		"start":            func(f *trees.Forest) { f.Starts[1] += 2 },
		"thresholds":       func(f *trees.Forest) { f.Threshold = f.Threshold[1:] },
		"links":            func(f *trees.Forest) { f.Next = f.Next[1:] },
		"nodes":            func(f *trees.Forest) { f.Feature = f.Feature[1:] },
		"leaves":           func(f *trees.Forest) { f.Leaves = f.Leaves[1:] },
		"feature":          func(f *trees.Forest) { f.Feature[split] = 4 },
		"negative feature": func(f *trees.Forest) { f.Feature[split] = -2 },
		"leaf for split":   func(f *trees.Forest) { f.Feature[split] = -1 },
		"cycle":            func(f *trees.Forest) { f.Next[split] = 0 },
		"no right child":   func(f *trees.Forest) { f.Next[split] = math.MaxInt32 },
		"NaN threshold":    func(f *trees.Forest) { f.Threshold[split] = float32(math.NaN()) },
		"infinite":         func(f *trees.Forest) { f.Threshold[split] = float32(math.Inf(-1)) },
		"leaf number":      func(f *trees.Forest) { f.Next[len(f.Next)-1]++ },
		"frequency":        func(f *trees.Forest) { f.Leaves[0] = float32(math.NaN()) },
		"sum":              func(f *trees.Forest) { f.Leaves[0], f.Leaves[1], f.Leaves[2] = 1, 1, 0 },
		"importance":       func(f *trees.Forest) { f.Importance[0] = math.NaN() },
		"importances":      func(f *trees.Forest) { f.Importance = nil },
	} {
		f := clone()
		change(f)
		if f.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	random := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		f := clone()
		for range 1 + random.IntN(3) {
			array := [][]int32{f.Starts, f.Feature, f.Next}[random.IntN(3)]
			array[random.IntN(len(array))] = int32(random.IntN(2*len(f.Feature)) - 2)
		}
		if f.Validate() == nil {
			predict(t, f, make([]float32, 8*f.Features))
		}
	}
}

package calibrate

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/stats"
)

// drawn returns labels and scores of a calibrated model: labels are drawn with the probabilities given by the scores
// as logits.
func drawn(rng *rand.Rand, n, classes int) (labels []int, scores [][]float64) {
	for range n {
		row := make([]float64, width(classes))
		for k := range row {
			row[k] = 1.5 * rng.NormFloat64()
		}
		p, u, y := Uncalibrated(row), rng.Float64(), 0
		if classes == 2 {
			if u < p[0] {
				y = 1
			}
		} else {
			for u -= p[0]; u > 0 && y < classes-1; u -= p[y] {
				y++
			}
		}
		labels, scores = append(labels, y), append(scores, row)
	}
	return labels, scores
}

// column returns one number per bag.
func column(rows [][]float64, k int) (all []float64) {
	for _, r := range rows {
		all = append(all, r[k])
	}
	return all
}

func mapped(t *testing.T, c *Calibration, scores [][]float64) (all [][]float64) {
	t.Helper()
	for _, s := range scores {
		p, err := c.Probabilities(s)
		must(t, err)
		sum := 0.0
		for _, q := range p {
			if !(q >= 0 && q <= 1) {
				t.Fatalf("probability %v of %v", q, s)
			}
			sum += q
		}
		if len(p) > 1 && math.Abs(sum-1) > 1e-12 {
			t.Fatalf("probabilities %v", p)
		}
		all = append(all, p)
	}
	return all
}

func fitted(t *testing.T, m Method, classes int, labels []int, scores [][]float64) *Calibration {
	t.Helper()
	c, err := Fit(m, classes, labels, scores)
	must(t, err)
	return c
}

// TestCalibratedSource: calibrated scores do not change, and others become calibrated.
func TestCalibratedSource(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, classes := range []int{2, 4} {
		labels, scores := drawn(rng, 6_000, classes)
		if c := fitted(t, Temperature, classes, labels, scores); math.Abs(c.T-1) > 0.08 {
			t.Errorf("%d classes: T %v of a calibrated source", classes, c.T)
		}
		for _, row := range scores {
			for k := range row {
				row[k] *= 5
			}
		}
		if c := fitted(t, Temperature, classes, labels, scores); math.Abs(c.T-5) > 0.4 {
			t.Errorf("%d classes: T %v, want 5", classes, c.T)
		}
		for _, m := range Methods {
			f, err := Judge(labels, mapped(t, fitted(t, m, classes, labels, scores), scores), DefaultBins)
			ovr := classes > 2 && m != Temperature // uses only one score per class
			if err != nil || !ovr && f.ECE > 0.03 {
				t.Errorf("%d classes, %s: ECE %v, %v", classes, m, f.ECE, err)
			}
		}
	}
}

// TestOrder: an increasing map keeps the order of bags and therefore the AUC. An isotonic one may tie bags but never
// reverses two.
func TestOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 30 {
		labels, scores := drawn(rng, 20+rng.IntN(100), 2)
		labels[0], labels[1] = 0, 1
		z := column(scores, 0)
		before, err := stats.AUC(labels, z)
		if err != nil || before < 0.55 {
			continue // Platt's curve may decrease
		}
		for _, m := range Methods {
			p := column(mapped(t, fitted(t, m, 2, labels, scores), scores), 0)
			after, err := stats.AUC(labels, p)
			if err != nil || m != IsotonicRegression && math.Abs(after-before) > 1e-12 || after < before-1e-12 {
				t.Errorf("%s: AUC %v, was %v (%v)", m, after, before, err)
			}
			order := make([]int, len(z))
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, z[a]-z[b])) })
			for k := range order[1:] {
				if p[order[k]] > p[order[k+1]] {
					t.Errorf("%s: %v of %v, %v of %v", m, p[order[k]], z[order[k]], p[order[k+1]], z[order[k+1]])
				}
			}
		}
	}
}

// TestPermutedLabels: uninformative scores get the base rate; temperature scaling can only return 1/2.
func TestPermutedLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	labels, scores := drawn(rng, 6_000, 2)
	for i := range labels {
		labels[i] = 0
		if rng.Float64() < 0.2 {
			labels[i] = 1
		}
	}
	for m, want := range map[Method]float64{Temperature: 0.5, Platt: 0.2, IsotonicRegression: 0.2} {
		c := fitted(t, m, 2, labels, scores)
		for _, z := range []float64{-1.5, 0, 1.5} {
			if p, err := c.Probabilities([]float64{z}); err != nil || math.Abs(p[0]-want) > 0.04 {
				t.Errorf("%s: %v of %v, want %v (%v)", m, p, z, want, err)
			}
		}
	}
}

// TestUnit: the unit of scores does not matter. Nor does a shift if the method has an intercept.
func TestUnit(t *testing.T) {
	labels, scores := drawn(rand.New(rand.NewPCG(7, 8)), 200, 2)
	for _, m := range Methods {
		for _, unit := range []float64{1e-3, 0.5, 100} {
			shift := 7.0
			if m == Temperature {
				shift = 0
			}
			var moved [][]float64
			for _, s := range scores {
				moved = append(moved, []float64{unit * (s[0] + shift)})
			}
			a, b := mapped(t, fitted(t, m, 2, labels, scores), scores), mapped(t, fitted(t, m, 2, labels, moved), moved)
			for i := range a {
				if math.Abs(a[i][0]-b[i][0]) > 1e-9 {
					t.Errorf("%s: %v, with unit %v %v", m, a[i], unit, b[i])
				}
			}
		}
	}
}

// TestExtremes: scores that separate the classes, equal scores and very large scores give finite curves.
func TestExtremes(t *testing.T) {
	labels := []int{0, 0, 1, 1, 1}
	for name, z := range map[string][]float64{
		"separated": {-1, -2, 1, 2, 3}, "reversed": {3, 2, 1, 0, -1}, "equal": {4, 4, 4, 4, 4}, "zero": {0, 0, 0, 0, 0},
		"large": {-1e99, 2, 3, 1e100, 1e98}, "close": {1, 1, 1, 1, math.Nextafter(1, 2)},
	} {
		var scores [][]float64
		for _, s := range z {
			scores = append(scores, []float64{s})
		}
		for _, m := range Methods {
			c := fitted(t, m, 2, labels, scores)
			if err := c.Validate(); err != nil {
				t.Errorf("%s, %s: %v", name, m, err)
			}
			if want := m == Temperature && (name == "separated" || name == "reversed"); c.AtBound() != want && name != "large" {
				t.Errorf("%s, %s: T %v, at its bound %t", name, m, c.T, !want)
			}
			if want := m == Platt && name == "reversed"; c.Inverted() != want {
				t.Errorf("%s, %s: inverted %t", name, m, !want)
			}
			p := mapped(t, c, scores)
			if name == "equal" && m == IsotonicRegression && p[0][0] != 0.6 {
				t.Errorf("%s, %s: %v", name, m, p)
			}
		}
	}
}

func TestCrossFit(t *testing.T) {
	labels, scores := drawn(rand.New(rand.NewPCG(9, 10)), 60, 3)
	fold := make([]int, 60)
	for i := range fold {
		fold[i] = i % 4
	}
	for _, m := range Methods {
		all, err := CrossFit(m, 3, labels, scores, fold)
		must(t, err)
		var restLabels []int
		var rest [][]float64
		for i, f := range fold {
			if f != 2 {
				restLabels, rest = append(restLabels, labels[i]), append(rest, scores[i])
			}
		}
		c := fitted(t, m, 3, restLabels, rest)
		for i, f := range fold {
			if want, _ := c.Probabilities(scores[i]); f == 2 && !slices.Equal(all[i], want) {
				t.Errorf("%s, bag %d: %v, want %v", m, i, all[i], want)
			}
		}
		// The label of a bag does not influence its own probability.
		other := slices.Clone(labels)
		other[2] = (labels[2] + 1) % 3
		if again, err := CrossFit(m, 3, other, scores, fold); err != nil || !slices.Equal(again[2], all[2]) {
			t.Errorf("%s: %v, with another label %v (%v)", m, all[2], again[2], err)
		}
	}
	if _, err := CrossFit(Platt, 2, []int{0, 1, 1}, [][]float64{{1}, {2}, {3}}, []int{0, 1, 1}); !errors.Is(err, ErrOneClass) {
		t.Error(err)
	}
	for _, fold := range [][]int{{1, 1}, {1}} {
		if _, err := CrossFit(Platt, 2, []int{0, 1}, [][]float64{{1}, {2}}, fold); err == nil {
			t.Errorf("folds %v", fold)
		}
	}
}

func TestRefusals(t *testing.T) {
	two := [][]float64{{1}, {2}}
	for name, c := range map[string]struct {
		classes int
		labels  []int
		scores  [][]float64
		want    string
	}{
		"empty":        {2, nil, nil, "no bags"},
		"one class":    {2, []int{1, 1}, two, "no bag of class 0"},
		"NaN":          {2, []int{0, 1}, [][]float64{{1}, {math.NaN()}}, "bag 1: its score is NaN"},
		"infinite":     {2, []int{0, 1}, [][]float64{{1}, {math.Inf(-1)}}, "bag 1: its score is -Inf"},
		"lengths":      {2, []int{0, 1, 1}, two, "3 labels and scores of 2 bags"},
		"label":        {2, []int{0, 2}, two, "bag 1 has label 2"},
		"scores":       {3, []int{0, 1}, two, "bag 0: 1 scores, not 3"},
		"real targets": {0, []int{0, 1}, two, "0 classes"},
		"lacking":      {3, []int{0, 1}, [][]float64{{1, 2, 3}, {1, 2, 3}}, "no bag of class 2"},
	} {
		for _, m := range Methods {
			_, err := Fit(m, c.classes, c.labels, c.scores)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s, %s: %v, want %q", name, m, err, c.want)
			}
		}
	}
	if _, err := Fit("plat", 2, []int{0, 1}, two); err == nil || !strings.Contains(err.Error(), `did you mean "platt"?`) {
		t.Error(err)
	}
	if _, err := fitted(t, Platt, 2, []int{0, 1}, two).Probabilities([]float64{1, 2}); err == nil {
		t.Error("two scores of a binary target")
	}
	for name, c := range map[string]struct {
		labels []int
		p      [][]float64
	}{
		"empty": {nil, nil}, "NaN": {[]int{0, 1}, [][]float64{{0.5}, {math.NaN()}}}, "above 1": {[]int{0, 1}, [][]float64{{0.5}, {1.5}}},
		"lengths": {[]int{0}, [][]float64{{0.5}, {0.5}}}, "label": {[]int{0, 2}, [][]float64{{0.5}, {0.5}}},
		"rows": {[]int{0, 1}, [][]float64{{0.5}, {0.5, 0.5}}},
		"sum":  {[]int{0, 1}, [][]float64{{0.5, 0.5, 0.5}, {1, 0, 0}}}, "class NaN": {[]int{0}, [][]float64{{math.NaN(), 0.5, 0.5}}},
	} {
		if f, err := Judge(c.labels, c.p, 10); err == nil {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestJSON: what is written is read back bit-identical; what Fit cannot return is refused.
func TestJSON(t *testing.T) {
	for _, classes := range []int{2, 3} {
		labels, scores := drawn(rand.New(rand.NewPCG(11, 12)), 90, classes)
		for _, m := range Methods {
			c := fitted(t, m, classes, labels, scores)
			text, err := json.Marshal(c)
			must(t, err)
			var read Calibration
			if err := json.Unmarshal(text, &read); err != nil {
				t.Fatalf("%v of %s", err, text)
			}
			for _, s := range scores {
				want, _ := c.Probabilities(s)
				if got, err := read.Probabilities(s); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s: %v, want %v (%v)", m, got, want, err)
				}
			}
		}
	}
	for _, text := range []string{
		`{}`, `{"method":"other","classes":2,"bags":9}`, `{"method":"temperature","classes":2,"bags":9}`,
		`{"method":"temperature","classes":2,"bags":9,"temperature":-1}`, `{"method":"temperature","classes":1,"bags":9,"temperature":1}`,
		`{"method":"temperature","classes":2,"bags":9,"temperature":1e9}`, `{"method":"temperature","classes":2,"bags":1,"temperature":1}`,
		`{"method":"temperature","classes":2,"bags":9,"temperature":1,"platt":[{"a":1,"b":0}]}`,
		`{"method":"platt","classes":2,"bags":9}`, `{"method":"platt","classes":3,"bags":9,"platt":[{"a":1,"b":0}]}`,
		`{"method":"platt","classes":2,"bags":9,"platt":[{"a":1e999,"b":0}]}`,
		`{"method":"isotonic","classes":2,"bags":9,"isotonic":[{"scores":[],"probabilities":[]}]}`,
		`{"method":"isotonic","classes":2,"bags":9,"isotonic":[{"scores":[1,2],"probabilities":[0]}]}`,
		`{"method":"isotonic","classes":2,"bags":9,"isotonic":[{"scores":[1,1],"probabilities":[0,1]}]}`,
		`{"method":"isotonic","classes":2,"bags":9,"isotonic":[{"scores":[1,2],"probabilities":[0.5,0.4]}]}`,
		`{"method":"isotonic","classes":2,"bags":9,"isotonic":[{"scores":[1,2],"probabilities":[0,1.5]}]}`,
		`{"method":"isotonic","classes":2,"bags":2,"isotonic":[{"scores":[1,2,3],"probabilities":[0,0.5,1]}]}`,
		`{"method":"temperature","classes":2,"bags":9,"temperature":1,"more":1}`,
	} {
		var c Calibration
		if err := json.Unmarshal([]byte(text), &c); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// FuzzJSON: any calibration that can be read maps finite scores to probabilities.
func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"method":"platt","classes":2,"bags":9,"platt":[{"a":1,"b":0}]}`), 1.5)
	f.Add([]byte(`{"method":"isotonic","classes":2,"bags":9,"isotonic":[{"scores":[1,2],"probabilities":[0,0.5]}]}`), 1.5)
	f.Add([]byte(`{"method":"temperature","classes":3,"bags":9,"temperature":2}`), -1e100)
	f.Fuzz(func(t *testing.T, text []byte, score float64) {
		var c Calibration
		if json.Unmarshal(text, &c) != nil || c.Classes > 1000 || !(math.Abs(score) <= maxScore) {
			return
		}
		scores := make([]float64, width(c.Classes))
		for k := range scores {
			scores[k] = score / float64(k+1)
		}
		mapped(t, &c, [][]float64{scores})
	})
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

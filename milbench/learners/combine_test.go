package learners

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
)

// binaryBefore is a stored combination for two classes from before there were other kinds of targets.
const binaryBefore = `{"weights":[0.915820325246722,0.08417967475327807,0],"auc":[0.9166666666666666,0.6805555555555555,0.2777777777777778],"rankers":[` +
	`[-0.96875,-0.796875,-0.59375,-0.328125,-0.296875,-0.109375,0.3125,0.390625,0.5,0.828125,0.84375,1.109375,1.3125,1.375,1.78125,1.84375,1.921875,` +
	`1.984375,2.109375,2.21875,2.46875,2.578125,2.609375,5.765625],` +
	`[-2.046875,-1.265625,-0.671875,-0.5625,-0.453125,-0.390625,-0.21875,-0.046875,0.09375,0.234375,0.4375,0.59375,0.671875,0.90625,1.078125,1.1875,1.734375,` +
	`1.78125,1.796875,1.875,1.9375,2.265625,2.625],` +
	`[-2.078125,-2.03125,-1.484375,-1.296875,-1.25,-0.859375,-0.671875,-0.640625,-0.578125,-0.484375,-0.453125,-0.21875,-0.046875,0.078125,0.109375,0.125,0.203125,0.265625,` +
	`0.515625,0.625,0.796875]],"slope":2.392700693650723,"shift":0.021096627409925676}`

// TestBinaryUnchanged checks that combinations for two classes are bit-identical to those from before there were other
// kinds of targets, when they are learnt and when they are read.
func TestBinaryUnchanged(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	h := held{starts: []int{0}, bags: 12}
	models := make([][]float64, 3)
	for k := range 24 {
		label := k % 2
		h.labels = append(h.labels, label)
		for m, skill := range []float64{2, 1, 0} {
			models[m] = append(models[m], math.Round(64*(skill*float64(label)+rng.NormFloat64()))/64)
		}
		if (k+1)%6 == 0 {
			h.starts = append(h.starts, k+1)
		}
	}
	c := must(combine(h, columns(models...)))
	tolerance := 0.0
	if runtime.GOARCH != "amd64" { // which may multiply and add in one
		tolerance = 1e-12
	} else if text, err := json.Marshal(c); err != nil || string(text) != binaryBefore {
		t.Errorf("%s, %v", text, err)
	}
	var read combination
	if err := json.Unmarshal([]byte(binaryBefore), &read); err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		if !(math.Abs(got-want) <= tolerance) {
			t.Errorf("%s: score %x, before %x", what, got, want)
		}
	}
	for _, k := range []struct {
		scores []float64
		want   float64
	}{
		{[]float64{0, 0, 0}, -0x1.9c0e0338682f9p+00},
		{[]float64{1.25, -0.5, 3}, -0x1.f1e755c534f8ap-04},
		{[]float64{-9, 2, 0.25}, -0x1.3717c00adfe6cp+02},
		{[]float64{models[0][0], models[1][0], models[2][0]}, -0x1.24e5574d6833cp-01},
	} {
		near("learnt", score(t, c, k.scores...), k.want)
		near("read", score(t, &read, k.scores...), k.want)
	}

	// A whole portfolio.
	m := must(Trainer{}.Train(t.Context(), smallPortfolio(t, 3), shifted(t, 40, false), 7, nil))
	for i, p := range must(m.Predict(t.Context(), shifted(t, 60, false).Instances()[40:44], false)) {
		near("portfolio", p.Scores[0], []float64{-0x1.4fa97f9784612p-02, 0x1.48a8a918d947p-04, -0x1.0ae949d1f4da4p-01, 0x1.e867cb77f1022p-02}[i])
	}
}

// TestPrior checks the slope of a logit with a prior: numbers from SciPy (testdata/platt.py), many bags against its
// influence, and bags that say nothing, which leave the slope near the usual one.
func TestPrior(t *testing.T) {
	values := []float64{-1.5, -1, -0.5, -0.25, 0, 0.25, 0.5, 1, 1.5, 2}
	labels := []int{0, 0, 1, 0, 0, 1, 0, 1, 1, 1}
	for _, k := range []struct{ prior, slope, shift float64 }{{0, 1.026391, -0.19364}, {2, 1.303702, -0.238671}, {100, 1.493918, -0.267506}} {
		if slope, shift := platt(values, labels, k.prior); math.Abs(slope-k.slope)+math.Abs(shift-k.shift) > 1e-5 {
			t.Errorf("prior %v: slope %v and shift %v, want %v and %v", k.prior, slope, shift, k.slope, k.shift)
		}
	}
	rng := rand.New(rand.NewPCG(7, 8))
	last := math.Inf(1)
	for _, n := range []int{30, 300, 30000} {
		values, labels := make([]float64, n), make([]int, n)
		for i := range values {
			labels[i] = i % 2
			values[i] = rng.NormFloat64() + 0.3*float64(labels[i])
		}
		with, _ := platt(values, labels, 2)
		without, _ := platt(values, labels, 0)
		moved := math.Abs(with - without)
		if moved > last/3 {
			t.Errorf("%d bags: the prior moves the slope by %v, before by %v", n, moved, last)
		}
		last = moved
		if n == 30 {
			continue
		}
		if with > usualSlope/2 {
			t.Errorf("%d bags of a slope of 0.3: %v", n, with)
		}
	}
	few := []float64{1, 1, 1, 1}
	if slope, _ := platt(few, []int{0, 1, 0, 1}, 2); math.Abs(slope-usualSlope) > 0.01 {
		t.Errorf("values that say nothing: slope %v, want %v", slope, usualSlope)
	}
}

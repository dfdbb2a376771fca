package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestGoldenCalibration compares with scikit-learn (testdata/targets.py).
func TestGoldenCalibration(t *testing.T) {
	for _, c := range readTargets(t).Calibration {
		t.Run(c.Name, func(t *testing.T) {
			brier, err := BrierScore(c.Labels, c.Probabilities)
			figure{"BrierScore", brier, err, &c.Brier, nil}.check(t)
			bins, err := EqualWidthBins(c.Labels, c.Probabilities, c.Bins)
			if err != nil || len(bins) != len(c.Uniform.N) {
				t.Fatalf("%d bins, %v; want %d", len(bins), err, len(c.Uniform.N))
			}
			for i, b := range bins {
				if w := c.Uniform; b.N != w.N[i] || !near(b.Probability, w.Probability[i], tolerance) || !near(b.Positive, w.Positive[i], tolerance) {
					t.Errorf("bin %d: %+v, want %d, %v, %v", i, b, w.N[i], w.Probability[i], w.Positive[i])
				}
			}
			ece, err := CalibrationError(bins)
			figure{"CalibrationError", ece, err, &c.Uniform.ECE, nil}.check(t)
		})
	}
}

func TestCalibrationLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 100 {
		n, bins := 1+rng.IntN(60), 1+rng.IntN(20)
		labels, p := make([]int, n), make([]float64, n)
		for i := range labels {
			labels[i], p[i] = rng.IntN(2), float64(rng.IntN(17))/16
		}
		perm := rng.Perm(n)
		got, err := EqualWidthBins(labels, p, bins)
		if err != nil || len(got) == 0 || len(got) > bins {
			t.Fatalf("%d of %d bins, %v", len(got), bins, err)
		}
		moved, err := EqualWidthBins(permuted(labels, perm), permuted(p, perm), bins)
		if err != nil || !slices.Equal(got, moved) {
			t.Errorf("%v, in another order %v, %v", got, moved, err)
		}
		total, positives, high := 0, 0.0, math.Inf(-1)
		for _, b := range got {
			if b.N < 1 || b.Low < high || b.Low > b.High || b.Probability < b.Low || b.Probability > b.High+tolerance || b.Positive < 0 || b.Positive > 1 {
				t.Errorf("bin %+v after %v", b, high)
			}
			total, positives, high = total+b.N, positives+float64(b.N)*b.Positive, b.High
		}
		count := 0
		for _, y := range labels {
			count += y
		}
		if total != n || !near(positives, float64(count), tolerance) {
			t.Errorf("%d bags and %v positives, want %d and %d", total, positives, n, count)
		}
		if ece, err := CalibrationError(got); err != nil || ece < 0 || ece > 1 {
			t.Errorf("ECE %v, %v", ece, err)
		}
	}
}

// TestCalibrationBias checks what the comment of CalibrationError claims about a perfectly calibrated model.
func TestCalibrationBias(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	const n, draws = 200, 400
	for _, bins := range []int{5, 10, 20} {
		mean := 0.0
		for range draws {
			labels, p := make([]int, n), make([]float64, n)
			for i := range p {
				p[i] = rng.Float64()
				if rng.Float64() < p[i] {
					labels[i] = 1
				}
			}
			of, err := EqualWidthBins(labels, p, bins)
			must(t, err)
			ece, err := CalibrationError(of)
			must(t, err)
			mean += ece / draws
		}
		if ratio := mean / math.Sqrt(float64(bins)/n); math.Abs(ratio-0.31) > 0.03 {
			t.Errorf("the mean ECE of %d bins is %v, %v of the root", bins, mean, ratio)
		}
	}
}

func TestCalibrationRefusals(t *testing.T) {
	for _, test := range []struct {
		labels        []int
		probabilities []float64
		want          string
	}{
		{[]int{0, 1}, []float64{1}, "2 labels but 1 scores"},
		{nil, nil, "no labels"},
		{[]int{0, 2}, []float64{0, 1}, "label 2 at 1"},
		{[]int{0, 1}, []float64{0, math.NaN()}, "score at 1 is NaN"},
		{[]int{0, 1}, []float64{0, 1.5}, "probability at 1 is 1.5"},
		{[]int{0, 1}, []float64{math.Inf(-1), 1}, "probability at 0 is -Inf"},
	} {
		brier, err := BrierScore(test.labels, test.probabilities)
		refuses(t, "BrierScore", test.want, err, brier)
		_, err = EqualWidthBins(test.labels, test.probabilities, 10)
		refuses(t, "EqualWidthBins", test.want, err)
	}
	_, err := EqualWidthBins([]int{0}, []float64{0.5}, 0)
	refuses(t, "EqualWidthBins", "0 bins", err)
	if bins, err := EqualWidthBins([]int{0}, []float64{0.5}, math.MaxInt); err != nil || len(bins) != 1 || bins[0].Positive != 0 {
		t.Errorf("very many bins: %v, %v", bins, err)
	}
	ece, err := CalibrationError(nil)
	refuses(t, "CalibrationError", "no bins", err, ece)
	for _, bad := range []CalibrationBin{{N: 0}, {N: 1, Positive: math.NaN()}, {N: 1, Probability: 3}} {
		ece, err := CalibrationError([]CalibrationBin{bad})
		refuses(t, "CalibrationError", "bin 0 has", err, ece)
	}
}

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
			uniform, uniformErr := EqualWidthBins(c.Labels, c.Probabilities, c.Bins)
			quantile, quantileErr := EqualMassBins(c.Labels, c.Probabilities, c.Bins)
			if uniformErr != nil || quantileErr != nil || len(uniform) != len(c.Uniform.N) || len(quantile) != len(c.Quantile.N) {
				t.Fatalf("%d and %d bins, %v, %v; want %d and %d", len(uniform), len(quantile), uniformErr, quantileErr, len(c.Uniform.N), len(c.Quantile.N))
			}
			for i, b := range uniform {
				if w := c.Uniform; b.N != w.N[i] || !near(b.Probability, w.Probability[i], tolerance) || !near(b.Positive, w.Positive[i], tolerance) {
					t.Errorf("bin %d of equal width: %+v, want %d, %v, %v", i, b, w.N[i], w.Probability[i], w.Positive[i])
				}
			}
			for i, b := range quantile {
				if w := c.Quantile; b.N != w.N[i] || !near(b.Probability, w.Probability[i], tolerance) || !near(b.Positive, w.Positive[i], tolerance) {
					t.Errorf("bin %d of equal mass: %+v, want %d, %v, %v", i, b, w.N[i], w.Probability[i], w.Positive[i])
				}
			}
			ece, err := CalibrationError(uniform)
			figure{"CalibrationError, equal width", ece, err, &c.Uniform.ECE, nil}.check(t)
			ece, err = CalibrationError(quantile)
			figure{"CalibrationError, equal mass", ece, err, &c.Quantile.ECE, nil}.check(t)
		})
	}
}

// cuts lists the ways to form bins.
var cuts = map[string]func([]int, []float64, int) ([]CalibrationBin, error){"EqualWidthBins": EqualWidthBins, "EqualMassBins": EqualMassBins}

func TestCalibrationLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 100 {
		n, bins := 1+rng.IntN(60), 1+rng.IntN(20)
		labels, p := make([]int, n), make([]float64, n)
		for i := range labels {
			labels[i], p[i] = rng.IntN(2), float64(rng.IntN(17))/16
		}
		perm := rng.Perm(n)
		for name, cut := range cuts {
			got, err := cut(labels, p, bins)
			if err != nil || len(got) == 0 || len(got) > bins {
				t.Fatalf("%s: %d of %d bins, %v", name, len(got), bins, err)
			}
			moved, err := cut(permuted(labels, perm), permuted(p, perm), bins)
			if err != nil || !slices.EqualFunc(got, moved, func(a, b CalibrationBin) bool { return a == b }) {
				t.Errorf("%s: %v, in another order %v, %v", name, got, moved, err)
			}
			total, positives, high := 0, 0.0, math.Inf(-1)
			for _, b := range got {
				if b.N < 1 || b.Low < high || b.Low > b.High || b.Probability < b.Low || b.Probability > b.High+tolerance || b.Positive < 0 || b.Positive > 1 {
					t.Errorf("%s: bin %+v after %v", name, b, high)
				}
				total, positives, high = total+b.N, positives+float64(b.N)*b.Positive, b.High
			}
			count := 0
			for _, y := range labels {
				count += y
			}
			if total != n || !near(positives, float64(count), tolerance) {
				t.Errorf("%s: %d bags and %v positives, want %d and %d", name, total, positives, n, count)
			}
			if ece, err := CalibrationError(got); err != nil || ece < 0 || ece > 1 {
				t.Errorf("%s: ECE %v, %v", name, ece, err)
			}
		}
	}
}

// TestCalibrationBias checks what the comment of CalibrationError claims about a perfectly calibrated model.
func TestCalibrationBias(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	const n, draws = 200, 400
	for name, cut := range cuts {
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
				of, err := cut(labels, p, bins)
				must(t, err)
				ece, err := CalibrationError(of)
				must(t, err)
				mean += ece / draws
			}
			if ratio := mean / math.Sqrt(float64(bins)/n); math.Abs(ratio-0.31) > 0.03 {
				t.Errorf("%s: the mean ECE of %d bins is %v, %v of the root", name, bins, mean, ratio)
			}
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
		for name, cut := range cuts {
			_, err := cut(test.labels, test.probabilities, 10)
			refuses(t, name, test.want, err)
		}
	}
	for name, cut := range cuts {
		_, err := cut([]int{0}, []float64{0.5}, 0)
		refuses(t, name, "0 bins", err)
		if bins, err := cut([]int{0}, []float64{0.5}, math.MaxInt); err != nil || len(bins) != 1 || bins[0].Positive != 0 {
			t.Errorf("%s of very many: %v, %v", name, bins, err)
		}
	}
	ece, err := CalibrationError(nil)
	refuses(t, "CalibrationError", "no bins", err, ece)
	for _, bad := range []CalibrationBin{{N: 0}, {N: 1, Positive: math.NaN()}, {N: 1, Probability: 3}} {
		ece, err := CalibrationError([]CalibrationBin{bad})
		refuses(t, "CalibrationError", "bin 0 has", err, ece)
	}
}

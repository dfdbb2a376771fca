package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// random returns n labels of both classes and scores with ties.
func random(rng *rand.Rand, n int) (labels []int, scores []float64) {
	for i := range n {
		y := rng.IntN(2)
		if i < 4 {
			y = i % 2
		}
		labels = append(labels, y)
		scores = append(scores, math.Round(4*(rng.NormFloat64()+float64(y)))/4)
	}
	return labels, scores
}

// TestRankingLaws checks what ranking figures may and may not depend on.
func TestRankingLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		labels, scores := random(rng, 4+rng.IntN(60))
		auc, err := AUC(labels, scores)
		must(t, err)
		ap, err := AveragePrecision(labels, scores)
		must(t, err)
		for name, f := range increasing {
			if got, _ := AUC(labels, mapped(scores, f)); got != auc {
				t.Errorf("AUC %v became %v under %s", auc, got, name)
			}
			if got, _ := AveragePrecision(labels, mapped(scores, f)); got != ap {
				t.Errorf("average precision %v became %v under %s", ap, got, name)
			}
		}
		if got, _ := AUC(labels, mapped(scores, func(x float64) float64 { return -x })); !near(got, 1-auc, tolerance) {
			t.Errorf("AUC of negated scores is %v, want 1 - %v", got, auc)
		}
		if got, err := AUC(labels, mapped(scores, func(x float64) float64 { return math.Copysign(math.Inf(1), x) })); err != nil || got < 0 || got > 1 {
			t.Errorf("AUC of infinite scores is %v, %v", got, err)
		}
		perm := rng.Perm(len(labels))
		l, s := permuted(labels, perm), permuted(scores, perm)
		if got, _ := AUC(l, s); !near(got, auc, tolerance) {
			t.Errorf("AUC %v became %v in another order", auc, got)
		}
		if got, _ := AveragePrecision(l, s); got != ap {
			t.Errorf("average precision %v became %v in another order", ap, got)
		}
		if auc < 0 || auc > 1 || ap <= 0 || ap > 1 {
			t.Errorf("AUC %v, average precision %v are out of range", auc, ap)
		}
	}
}

// TestLogLossLaws checks the value at logit 0 and the linear growth far from it.
func TestLogLossLaws(t *testing.T) {
	for _, test := range []struct {
		label       int
		logit, want float64
	}{{1, 0, math.Ln2}, {0, 0, math.Ln2}, {1, -1e8, 1e8}, {0, 1e8, 1e8}, {1, 1e8, 0}, {0, -1e300, 0}, {0, math.Inf(-1), 0}, {1, math.Inf(-1), math.Inf(1)}} {
		got, err := LogLoss([]int{test.label}, []float64{test.logit})
		if err != nil || got != test.want {
			t.Errorf("LogLoss of %d at %v = %v, %v; want %v", test.label, test.logit, got, err, test.want)
		}
	}
}

// TestRefusals checks that every figure rejects invalid input.
func TestRefusals(t *testing.T) {
	figures := map[string]func([]int, []float64) (float64, error){
		"AUC": AUC, "AveragePrecision": AveragePrecision, "Accuracy": Accuracy, "BalancedAccuracy": BalancedAccuracy, "LogLoss": LogLoss,
		"DeLong": func(l []int, s []float64) (float64, error) { _, se, err := DeLong(l, s); return se, err },
	}
	for name, f := range figures {
		for _, test := range []struct {
			labels []int
			scores []float64
			want   string
		}{
			{[]int{0, 1}, []float64{1}, "2 labels but 1 scores"},
			{nil, nil, "no labels"},
			{[]int{0, 2, 1, 1}, []float64{1, 2, 3, 4}, "label 2 at 1"},
			{[]int{0, -1}, []float64{1, 2}, "label -1 at 1"},
			{[]int{0, 1, 0, 1}, []float64{1, 2, math.NaN(), 4}, "score at 2 is NaN"},
		} {
			if got, err := f(test.labels, test.scores); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s(%v, %v) = %v, %v; want %q", name, test.labels, test.scores, got, err, test.want)
			}
		}
	}
	for _, labels := range [][]int{{0, 0}, {1, 1}} {
		for _, name := range []string{"AUC", "BalancedAccuracy", "DeLong"} {
			if _, err := figures[name](labels, []float64{1, 2}); !errors.Is(err, ErrOneClass) {
				t.Errorf("%s of %v: %v, want ErrOneClass", name, labels, err)
			}
		}
	}
	if _, _, err := DeLong([]int{0, 1, 1}, []float64{1, 2, 3}); !errors.Is(err, ErrTooFew) {
		t.Errorf("DeLong of one negative: %v, want ErrTooFew", err)
	}
	for _, values := range [][]float64{nil, {1}} {
		if _, err := SD(values); !errors.Is(err, ErrTooFew) {
			t.Errorf("SD(%v): %v, want ErrTooFew", values, err)
		}
		if _, _, _, err := MeanInterval(values, 0.95); !errors.Is(err, ErrTooFew) {
			t.Errorf("MeanInterval(%v): %v, want ErrTooFew", values, err)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		if _, err := SD([]float64{1, bad}); err == nil {
			t.Errorf("SD takes %v", bad)
		}
		if _, _, _, err := MeanInterval([]float64{1, 2, bad}, 0.95); err == nil {
			t.Errorf("MeanInterval takes %v", bad)
		}
	}
	for _, level := range []float64{0, 1, -1, 95, math.NaN()} {
		if _, _, _, err := MeanInterval([]float64{1, 2}, level); err == nil {
			t.Errorf("MeanInterval takes level %v", level)
		}
	}
}

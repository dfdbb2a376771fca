package corpus

import (
	"math"
	"slices"
	"strings"
	"testing"

	"synpool/internal/goldenfile"
)

// requireNear wants equal numbers to within a tolerance, relative above 1.
func requireNear(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tolerance*max(1, math.Abs(want[i]))) {
			t.Errorf("%s: number %d is %v, want %v", what, i, got[i], want[i])
			return
		}
	}
}

// The tolerance is that of float64 sums in another order.
func TestBLEUGolden(t *testing.T) {
	want := goldenfile.Read[struct {
		Cases []struct {
			Name                   string
			Hypotheses, References []string
			Score, BP              float64
			Precisions             []float64
			Matches, Totals        [4]int
			Length                 int
			ReferenceLength        int `json:"reference_length"`
		}
	}](t, "bleu.json")
	if len(want.Cases) < 30 {
		t.Fatalf("%d cases", len(want.Cases))
	}
	for _, c := range want.Cases {
		t.Run(c.Name, func(t *testing.T) {
			b := must(CorpusBLEU(c.Hypotheses, c.References))
			requireNear(t, "score, penalty", []float64{b.Score, b.BrevityPenalty}, []float64{c.Score, c.BP}, 1e-12)
			requireNear(t, "precisions", b.Precisions[:], c.Precisions, 1e-12)
			if b.Matches != c.Matches || b.Totals != c.Totals || b.Length != c.Length || b.ReferenceLength != c.ReferenceLength {
				t.Errorf("%+v, want %+v", b, c)
			}
		})
	}
}

func TestTFIDFGolden(t *testing.T) {
	want := goldenfile.Read[struct {
		TFIDF struct {
			Texts, Words []string
			Fitted       int
			IDF          []float64
			Rows         [][]float64
		}
	}](t, "sklearn.json")
	texts := make([][]string, len(want.TFIDF.Texts))
	for i, text := range want.TFIDF.Texts {
		texts[i] = strings.Fields(text)
	}
	v := vocabulary(t, want.TFIDF.Words...)
	tfidf := newTFIDF(v, texts[:want.TFIDF.Fitted])
	requireNear(t, "idf", tfidf.idf[4:], want.TFIDF.IDF, 1e-14)
	for i, text := range texts {
		dense := make([]float64, v.Len())
		row := tfidf.row(text)
		for k, c := range row.columns {
			dense[c] = row.values[k]
		}
		requireNear(t, want.TFIDF.Texts[i], dense[4:], want.TFIDF.Rows[i], 1e-14)
	}
}

// Both sides stop at derivatives of 1e-9 and 1e-10; by the penalty's curvature the weights are then within 1e-5 of the
// minimum, even with the weakest penalty.
func TestLogisticGolden(t *testing.T) {
	want := goldenfile.Read[struct {
		Logistic []struct {
			Name          string
			Classes       int
			C             float64
			Balanced      bool
			X             [][]float64
			Y             []int
			Weights       [][]float64
			Bias          []float64
			Probabilities [][]float64
		}
	}](t, "sklearn.json")
	if len(want.Logistic) < 5 {
		t.Fatalf("%d cases", len(want.Logistic))
	}
	for _, c := range want.Logistic {
		t.Run(c.Name, func(t *testing.T) {
			rows := make([]row, len(c.X))
			for i, x := range c.X {
				for j, v := range x {
					if v != 0 {
						rows[i].columns, rows[i].values = append(rows[i].columns, j), append(rows[i].values, v)
					}
				}
			}
			l := Logistic{C: c.C, Balanced: c.Balanced, Tolerance: 1e-9, Iterations: 10000}
			m := must(l.fit(rows, len(c.X[0]), c.Y, c.Classes))
			weights, bias := m.weights, m.bias
			if c.Classes == 2 {
				weights, bias = weights[1:], bias[1:]
			}
			for k := range weights {
				requireNear(t, "weights", weights[k], c.Weights[k], 1e-5)
			}
			// Softmax does not see a number added to all biases.
			if c.Classes > 2 {
				bias = slices.Clone(bias)
				shift := bias[0] - c.Bias[0]
				for k := range bias {
					bias[k] -= shift
				}
			}
			requireNear(t, "bias", bias, c.Bias, 1e-5)
			for i, r := range rows {
				p := must(m.probabilities(r))
				requireNear(t, "probabilities", p, c.Probabilities[i], 1e-6)
			}
		})
	}
}

func TestEvaluateGolden(t *testing.T) {
	want := goldenfile.Read[struct {
		Reports []struct {
			Report
			Name   string
			Labels []int
			Scores [][]float64
		}
		Several []struct {
			Report
			Name   string
			Labels [][]bool
			Scores [][]float64
		}
	}](t, "sklearn.json")
	if len(want.Reports) < 7 || len(want.Several) < 2 {
		t.Fatalf("%d and %d cases", len(want.Reports), len(want.Several))
	}
	require := func(name string, got, want Report) {
		t.Run(name, func(t *testing.T) {
			requireNear(t, "f1", got.F1, want.F1, 1e-14)
			requireNear(t, "auc", got.AUC, want.AUC, 1e-14)
			requireNear(t, "accuracy, macro", []float64{got.Accuracy, got.MacroF1, got.MacroAUC}, []float64{want.Accuracy, want.MacroF1, want.MacroAUC}, 1e-14)
		})
	}
	for _, c := range want.Reports {
		require(c.Name, must(Evaluate(c.Labels, c.Scores)), c.Report)
	}
	for _, c := range want.Several {
		require(c.Name, must(EvaluateLabels(c.Labels, c.Scores)), c.Report)
	}
}

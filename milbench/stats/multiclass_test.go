package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestGoldenClasses compares with scikit-learn (testdata/targets.py).
func TestGoldenClasses(t *testing.T) {
	for _, c := range readTargets(t).Classes {
		t.Run(c.Name, func(t *testing.T) {
			predicted, err := PredictedClasses(c.Logits)
			if err != nil || !slices.Equal(predicted, c.Predicted) {
				t.Fatalf("predicted %v, %v; want %v", predicted, err, c.Predicted)
			}
			classes := len(c.Logits[0])
			confusion, err := Confusion(c.Labels, predicted, classes)
			if err != nil || !slices.EqualFunc(confusion, c.Confusion, slices.Equal[[]int]) {
				t.Errorf("confusion %v, %v; want %v", confusion, err, c.Confusion)
			}
			auc, aucErr := MulticlassAUC(c.Labels, c.Logits)
			accuracy, accuracyErr := MulticlassAccuracy(c.Labels, c.Logits)
			balanced, balancedErr := MulticlassBalancedAccuracy(c.Labels, c.Logits)
			loss, lossErr := MulticlassLogLoss(c.Labels, c.Logits)
			kappa, kappaErr := Kappa(c.Labels, predicted, classes)
			for _, f := range []figure{
				{"MulticlassAUC", auc, aucErr, c.AUC, ErrOneClass},
				{"MulticlassAccuracy", accuracy, accuracyErr, &c.Accuracy, nil},
				{"MulticlassBalancedAccuracy", balanced, balancedErr, c.BalancedAccuracy, ErrOneClass},
				{"MulticlassLogLoss", loss, lossErr, &c.LogLoss, nil},
				{"Kappa", kappa, kappaErr, c.Kappa, ErrOneClass},
			} {
				f.check(t)
			}
		})
	}
}

// randomClasses returns n labels of k classes and logits with ties.
func randomClasses(rng *rand.Rand, n, k int) (labels []int, logits [][]float64) {
	for i := range n {
		y := rng.IntN(k)
		if i < k {
			y = i
		}
		row := quarters(rng, k)
		row[y]++
		labels, logits = append(labels, y), append(logits, row)
	}
	return labels, logits
}

// multiclass lists the figures for class logits.
var multiclass = map[string]func([]int, [][]float64) (float64, error){
	"MulticlassAUC": MulticlassAUC, "MulticlassAccuracy": MulticlassAccuracy,
	"MulticlassBalancedAccuracy": MulticlassBalancedAccuracy, "MulticlassLogLoss": MulticlassLogLoss,
}

// TestMulticlassOfTwo: for two classes the figures equal the binary ones for the difference of the logits.
func TestMulticlassOfTwo(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	binary := map[string]func([]int, []float64) (float64, error){
		"MulticlassAUC": AUC, "MulticlassAccuracy": Accuracy, "MulticlassBalancedAccuracy": BalancedAccuracy, "MulticlassLogLoss": LogLoss,
	}
	for range 50 {
		labels, logits := randomClasses(rng, 2+rng.IntN(40), 2)
		difference := make([]float64, len(labels))
		for i, row := range logits {
			difference[i] = row[1] - row[0]
		}
		for name, f := range multiclass {
			got, err := f(labels, logits)
			want, wantErr := binary[name](labels, difference)
			if err != nil || wantErr != nil || !near(got, want, tolerance) {
				t.Errorf("%s: %v, %v; binary %v, %v", name, got, err, want, wantErr)
			}
		}
	}
}

// TestMulticlassLaws: figures do not change with the order of bags or classes, a constant added to a row, or a class
// without bags.
func TestMulticlassLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		k := 2 + rng.IntN(4)
		labels, logits := randomClasses(rng, k+rng.IntN(40), k)
		bags, classes := rng.Perm(len(labels)), rng.Perm(k)
		renamed, moved, shifted, wider := make([]int, len(labels)), make([][]float64, len(labels)), make([][]float64, len(labels)), make([][]float64, len(labels))
		for i, row := range logits {
			renamed[i] = slices.Index(classes, labels[i])
			moved[i] = permuted(row, classes)
			constant := float64(rng.IntN(9) - 4)
			shifted[i] = mapped(row, func(z float64) float64 { return z + constant })
			wider[i] = append(slices.Clone(row), math.Inf(-1))
		}
		for name, f := range multiclass {
			want, err := f(labels, logits)
			if err != nil || want < 0 || name != "MulticlassLogLoss" && want > 1 {
				t.Fatalf("%s: %v, %v", name, want, err)
			}
			for law, of := range map[string]struct {
				labels []int
				logits [][]float64
			}{
				"bags in another order":    {permuted(labels, bags), permuted(logits, bags)},
				"classes in another order": {renamed, moved},
				"another constant":         {labels, shifted},
				"a class without a bag":    {labels, wider},
			} {
				if law == "classes in another order" && strings.HasSuffix(name, "Accuracy") {
					continue // with equal logits the first class counts
				}
				if got, err := f(of.labels, of.logits); err != nil || !near(got, want, tolerance) {
					t.Errorf("%s, %s: %v, %v; want %v", name, law, got, err, want)
				}
			}
		}
		predicted, err := PredictedClasses(logits)
		must(t, err)
		kappa, err := Kappa(labels, predicted, k)
		if err != nil || kappa < -1 || kappa > 1 {
			t.Fatalf("Kappa: %v, %v", kappa, err)
		}
		reverse := func(classes []int) []int {
			out := make([]int, len(classes))
			for i, c := range classes {
				out[i] = k - 1 - c
			}
			return out
		}
		for law, of := range map[string][2][]int{
			"bags in another order": {permuted(labels, bags), permuted(predicted, bags)},
			"grades reversed":       {reverse(labels), reverse(predicted)},
			"roles exchanged":       {predicted, labels},
		} {
			if got, err := Kappa(of[0], of[1], k); err != nil || !near(got, kappa, tolerance) {
				t.Errorf("Kappa, %s: %v, %v; want %v", law, got, err, kappa)
			}
		}
		if got, err := Kappa(labels, labels, k); err != nil || got != 1 {
			t.Errorf("Kappa of right predictions is %v, %v", got, err)
		}
		if got, err := Kappa(labels, predicted, k+3); err != nil || got != kappa {
			t.Errorf("Kappa is %v, %v with more classes, want %v", got, err, kappa)
		}
	}
}

// TestMulticlassFar checks logits that overflow exp, and ranks of probabilities that round to 1.
func TestMulticlassFar(t *testing.T) {
	inf := math.Inf(1)
	for _, test := range []struct {
		label  int
		logits []float64
		want   float64
	}{
		{0, []float64{0, 0, 0}, math.Log(3)},
		{0, []float64{1e8, 0, -1e8}, 0},
		{1, []float64{1e8, 0, -1e8}, 1e8},
		{1, []float64{0, -inf, -inf}, inf},
		{0, []float64{-1e300, -inf}, 0},
		{2, []float64{math.Log(0.5), math.Log(0.25), math.Log(0.25)}, math.Log(4)},
	} {
		if got, err := MulticlassLogLoss([]int{test.label}, [][]float64{test.logits}); err != nil || !(got == test.want || near(got, test.want, tolerance)) {
			t.Errorf("loss of %d at %v: %v, %v; want %v", test.label, test.logits, got, err, test.want)
		}
	}
	auc, err := MulticlassAUC([]int{0, 1, 0}, [][]float64{{100, 0, -inf}, {90, 0, -inf}, {95, 0, -inf}})
	if err != nil || auc != 1 {
		t.Errorf("AUC of far logits is %v, %v, want 1", auc, err)
	}
	auc, err = MulticlassAUC([]int{0, 1, 0}, [][]float64{{0, -inf}, {-inf, 0}, {0, 0}})
	if err != nil || auc != 1 {
		t.Errorf("AUC of certain predictions is %v, %v, want 1", auc, err)
	}
}

func TestMulticlassRefusals(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, f := range multiclass {
		for _, test := range []struct {
			labels []int
			logits [][]float64
			want   string
		}{
			{[]int{0, 1}, [][]float64{{1, 2}}, "2 labels but 1 rows"},
			{nil, nil, "no labels"},
			{[]int{0, 0}, [][]float64{{1}, {2}}, "row 0 has 1 scores"},
			{[]int{0, 1}, [][]float64{{1, 2}, {1, 2, 3}}, "row 1 has 3 scores, row 0 has 2"},
			{[]int{0, 2}, [][]float64{{1, 2}, {1, 2}}, "label 2 at 1; labels are 0 to 1"},
			{[]int{0, -1}, [][]float64{{1, 2}, {1, 2}}, "label -1 at 1"},
			{[]int{0, 1}, [][]float64{{1, 2}, {nan, 2}}, "score of class 0 at 1 is NaN"},
			{[]int{0, 1}, [][]float64{{1, inf}, {1, 2}}, "score of class 1 at 0 is +Inf"},
			{[]int{0, 1}, [][]float64{{1, 2}, {-inf, -inf}}, "all scores at 1 are -Inf"},
		} {
			got, err := f(test.labels, test.logits)
			refuses(t, name, test.want, err, got)
		}
	}
	for _, name := range []string{"MulticlassAUC", "MulticlassBalancedAccuracy"} {
		if got, err := multiclass[name]([]int{1, 1}, [][]float64{{1, 2}, {2, 1}}); !errors.Is(err, ErrOneClass) || got != 0 {
			t.Errorf("%s of one class: %v, %v, want ErrOneClass", name, got, err)
		}
	}
	for _, test := range []struct {
		labels, predicted []int
		classes           int
		want              string
	}{
		{[]int{0, 1}, []int{0}, 2, "2 labels but 1 predicted"},
		{nil, nil, 2, "no labels"},
		{[]int{0}, []int{0}, 1, "1 classes"},
		{[]int{0}, []int{0}, -3, "-3 classes"},
		{[]int{0, 3}, []int{0, 1}, 3, "label 3 at 1"},
		{[]int{0, 1}, []int{0, -1}, 3, "predicted class -1 at 1"},
	} {
		kappa, err := Kappa(test.labels, test.predicted, test.classes)
		refuses(t, "Kappa", test.want, err, kappa)
		_, err = Confusion(test.labels, test.predicted, test.classes)
		refuses(t, "Confusion", test.want, err)
	}
	_, err := PredictedClasses([][]float64{{1, 2}, {1}})
	refuses(t, "PredictedClasses", "row 1 has 1 scores", err)
	_, err = PredictedClasses([][]float64{{}})
	refuses(t, "PredictedClasses", "row 0 has 0 scores", err)
	_, err = PredictedClasses([][]float64{{1, nan}})
	refuses(t, "PredictedClasses", "score of class 1 at 0 is NaN", err)
}

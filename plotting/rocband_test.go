package plotting

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// scored are folds of scores that are equal here and there.
func scored(name string, folds, bags int, apart float64, seed uint64) ROCFolds {
	random := rand.New(rand.NewPCG(seed, 7))
	f := ROCFolds{Name: name}
	for range folds {
		var labels []int
		var scores []float64
		for j := range bags {
			labels = append(labels, j%2)
			scores = append(scores, math.Round(20*(apart*float64(j%2)+random.NormFloat64()))/20)
		}
		f.Labels, f.Scores = append(f.Labels, labels), append(f.Scores, scores)
	}
	return f
}

func TestROCBand(t *testing.T) {
	f, err := ROCBand("Ten repeats on Musk 1", []ROCFolds{
		scored("softmax", 10, 92, 1.2, 1), scored("syn, I = 3", 10, 92, 2.2, 2),
	})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "rocband.svg")
	framed(t, "golden", f)
	f, err = ROCBand("Tiny folds", []ROCFolds{scored("mean", 10, 9, 1, 3)})
	fits(t, "tiny folds", f, err)
	f, err = ROCBand("", []ROCFolds{{"two bags", [][]int{{0, 1}, {1, 0}}, [][]float64{{0, 1}, {0, 1}}}})
	fits(t, "two bags", f, err)
	f, err = ROCBand("Equal scores", []ROCFolds{{"constant", [][]int{{0, 1}, {0, 1}}, [][]float64{{1, 1}, {1e300, 1e300}}}})
	fits(t, "equal", f, err)
	var all []ROCFolds
	for i, name := range many(6) {
		all = append(all, scored(name, 5, 40, float64(i)/6, uint64(i)))
	}
	f, err = ROCBand("Six", all)
	fits(t, "six", f, err)
}

// TestROCBandGolden compares with curves, interpolation and quantiles of scikit-learn, NumPy and SciPy
// (testdata/rocband.py). The quantile of Student's distribution is found by bisection here: 1e-9.
func TestROCBandGolden(t *testing.T) {
	var cases []struct {
		Name               string
		Labels             [][]int
		Scores             [][]float64
		X, Mean, Low, High []float64
		AUC, AUCHalf       float64
	}
	content, err := os.ReadFile(filepath.Join("testdata", "rocband.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 4 {
		t.Fatalf("rocband.json has %d cases", len(cases))
	}
	for _, c := range cases {
		a, err := ROCFolds{c.Name, c.Labels, c.Scores}.average()
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		for what, pair := range map[string][2][]float64{
			"false positive rate": {a.x, c.X}, "mean": {a.mean, c.Mean}, "low": {a.low, c.Low}, "high": {a.high, c.High},
			"AUC": {{a.auc, a.aucHalf}, {c.AUC, c.AUCHalf}},
		} {
			if len(pair[0]) != len(pair[1]) {
				t.Errorf("%s: %s: %d places, want %d", c.Name, what, len(pair[0]), len(pair[1]))
				continue
			}
			for i, got := range pair[0] {
				if want := pair[1][i]; math.Abs(got-want) > 1e-9 {
					t.Errorf("%s: %s at %d is %v, want %v", c.Name, what, i, got, want)
				}
			}
		}
	}
}

func TestRateAt(t *testing.T) {
	// A vertical rise to ½, a step to the right, a slant, and along the top.
	corners := plotter.XYs{{X: 0, Y: 0}, {X: 0, Y: 0.5}, {X: 0.25, Y: 0.5}, {X: 0.25, Y: 0.75}, {X: 0.5, Y: 1}, {X: 1, Y: 1}}
	for x, want := range map[float64]float64{0: 0.5, 0.1: 0.5, 0.25: 0.75, 0.25 - 1e-12: 0.75, 0.3: 0.8, 0.5: 1, 0.7: 1, 1: 1} {
		if got := rateAt(corners, x); math.Abs(got-want) > 1e-12 {
			t.Errorf("at %v: %v, want %v", x, got, want)
		}
	}
}

// TestROCBandOfEqualFolds: the average of equal curves is the curve, in a ribbon without width.
func TestROCBandOfEqualFolds(t *testing.T) {
	one := scored("a", 1, 40, 1, 9)
	f := ROCFolds{"a", [][]int{one.Labels[0], one.Labels[0], one.Labels[0]}, [][]float64{one.Scores[0], one.Scores[0], one.Scores[0]}}
	a, err := f.average()
	if err != nil {
		t.Fatal(err)
	}
	points, auc, err := ROCCurve{Labels: one.Labels[0], Scores: one.Scores[0]}.points()
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range a.x {
		if want := rateAt(points, x); math.Abs(a.mean[i]-want) > 1e-12 || a.high[i]-a.low[i] > 1e-12 {
			t.Errorf("at %v: %v in [%v, %v], want %v", x, a.mean[i], a.low[i], a.high[i], want)
		}
	}
	if math.Abs(a.auc-auc) > 1e-12 || a.aucHalf > 1e-12 {
		t.Errorf("AUC %v ± %v, want %v", a.auc, a.aucHalf, auc)
	}
}

func TestROCBandRefuses(t *testing.T) {
	labels, scores := []int{0, 1}, []float64{0, 1}
	for want, f := range map[string]ROCFolds{
		"setting 1 has no name":                {"", [][]int{labels, labels}, [][]float64{scores, scores}},
		"a: labels of 2 folds but scores of 1": {"a", [][]int{labels, labels}, [][]float64{scores}},
		"the band is over folds, and there ar": {"a", [][]int{labels}, [][]float64{scores}},
		"a: fold 2: 2 labels but 1 scores":     {"a", [][]int{labels, labels}, [][]float64{scores, {1}}},
		"a: fold 2: ":                          {"a", [][]int{labels, {1, 1}}, [][]float64{scores, scores}},
		"fold 1: the score +Inf is not a numb": {"a", [][]int{labels, labels}, [][]float64{{0, math.Inf(1)}, scores}},
		"NaN":                                  {"a", [][]int{labels, labels}, [][]float64{scores, {math.NaN(), 0}}},
	} {
		figure, err := ROCBand("", []ROCFolds{f})
		refuses(t, figure, err, "drawing ROC bands", want)
	}
	figure, err := ROCBand("", nil)
	refuses(t, figure, err, "drawing ROC bands", "there are no settings")
	var seven []ROCFolds
	for _, name := range many(7) {
		seven = append(seven, scored(name, 2, 8, 1, 1))
	}
	figure, err = ROCBand("", seven)
	refuses(t, figure, err, "drawing ROC bands", "7 settings; draw at most 6")
	two := scored("a", 2, 8, 1, 1)
	figure, err = ROCBand("", []ROCFolds{two, two})
	refuses(t, figure, err, "drawing ROC bands", `the setting "a" occurs twice`)
	_, err = ROCBand("", []ROCFolds{{"a", [][]int{labels, {1, 1}}, [][]float64{scores, scores}}})
	if !errors.Is(err, errOneClass) {
		t.Errorf("one class: %v", err)
	}
	_, err = ROCBand("", []ROCFolds{{"a", [][]int{labels}, [][]float64{scores}}})
	if err == nil || !strings.Contains(err.Error(), "two are needed") {
		t.Errorf("one fold: %v", err)
	}
}

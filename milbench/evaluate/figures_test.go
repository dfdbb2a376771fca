package evaluate

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/stats"
)

// drawn draws scored bags of a kind, with mostly correct scores.
func drawn(kind mil.TargetKind, bags int) Scored {
	random := rand.New(rand.NewPCG(9, uint64(kind)))
	s := Scored{Kind: kind}
	for i := range bags {
		target := mil.Target{Label: i % 2}
		scores := []float64{3*float64(i%2) - 1.5 + 2*random.NormFloat64()}
		switch kind {
		case mil.ClassTarget:
			s.Classes, target.Label = 3, i%3
			scores = []float64{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}
			scores[i%3] += 1.5
		case mil.RealTarget, mil.SurvivalTarget:
			target = mil.Target{Value: 5 + random.NormFloat64(), Event: i%4 != 0}
			scores = []float64{target.Value + random.NormFloat64()}
			if kind == mil.SurvivalTarget {
				scores[0] = -scores[0]
			}
		}
		s.Bags = append(s.Bags, results.ScoredBag{Target: target, Scores: scores})
	}
	if kind == mil.BinaryTarget {
		_, s.Logits = results.LabelsScores(s.Bags)
	}
	return s
}

// TestFigures: every kind has its figures, with values from package stats and intervals that contain them.
func TestFigures(t *testing.T) {
	for kind, want := range map[mil.TargetKind]string{
		mil.BinaryTarget:   "AUC DeLong; accuracy Clopper-Pearson; balanced accuracy bootstrap of 80 bags; sensitivity Clopper-Pearson, 36 of 40; specificity Clopper-Pearson, 30 of 40; log-loss bootstrap of 80 bags; Brier score bootstrap of 80 bags",
		mil.ClassTarget:    "macro AUC bootstrap of 80 bags; accuracy Clopper-Pearson; balanced accuracy bootstrap of 80 bags; quadratic kappa bootstrap of 80 bags",
		mil.RealTarget:     "R² bootstrap of 80 bags; MAE bootstrap of 80 bags; RMSE bootstrap of 80 bags; Spearman's ρ bootstrap of 80 bags",
		mil.SurvivalTarget: "concordance bootstrap of 80 bags",
	} {
		s := drawn(kind, 80)
		list, err := Figures(s, 1)
		must(t, err)
		var got []string
		for _, f := range list {
			got = append(got, f.Name+" "+f.Method)
			if f.Value == nil || f.Low == nil || !(*f.Low < *f.Value && *f.Value < *f.High) || f.Why != "" {
				t.Errorf("%v: %s is %v in %v to %v %s", kind, f.Name, f.Value, f.Low, f.High, f.Why)
			}
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%v: %s; want %s", kind, text, want)
		}
	}
	s := drawn(mil.BinaryTarget, 80)
	labels, scores := results.LabelsScores(s.Bags)
	list, err := Figures(s, 1)
	must(t, err)
	auc, se, _ := stats.DeLong(labels, scores)
	if f := list[0]; math.Abs(*f.Value-auc) > 1e-12 || math.Abs(*f.High-min(1, auc+1.959963984540054*se)) > 1e-9 {
		t.Errorf("AUC %v to %v, want %v with error %v", *f.Value, *f.High, auc, se)
	}
	if loss, _ := stats.LogLoss(labels, scores); *list[5].Value != loss {
		t.Errorf("log-loss %v, want %v", *list[5].Value, loss)
	}
	real := drawn(mil.RealTarget, 80)
	list, err = Figures(real, 1)
	if mae, _ := results.MeasureOf(mil.RealTarget, "MAE")(real.Bags, 0); err != nil || *list[1].Value != mae {
		t.Errorf("MAE %v (%v), want %v", *list[1].Value, err, mae)
	}
}

// TestFiguresOfGroups: four copies of each bag, in groups, give the interval for a quarter of the bags, not a
// narrower one.
func TestFiguresOfGroups(t *testing.T) {
	s := drawn(mil.BinaryTarget, 40)
	alone, err := Figures(s, 1)
	must(t, err)
	many := s
	many.Bags, many.Logits, many.Units = nil, nil, make([][]int, 40)
	for range 4 {
		for i := range 40 {
			many.Units[i] = append(many.Units[i], len(many.Bags))
			many.Bags = append(many.Bags, s.Bags[i])
		}
	}
	grouped, err := Figures(many, 1)
	must(t, err)
	if grouped[0].Method != "DeLong" || grouped[1].Name != "AUC" || grouped[1].Method != "bootstrap of 40 groups" || grouped[2].Method != "bootstrap of 40 groups" {
		t.Fatalf("%+v", grouped[:3])
	}
	width := func(f Figure) float64 { return *f.High - *f.Low }
	if r := width(grouped[0]) / width(alone[0]); r > 0.6 {
		t.Errorf("DeLong's interval of bags that stand four times is %v of that of bags", r)
	}
	if r := width(grouped[1]) / width(alone[0]); r < 0.7 || r > 1.4 {
		t.Errorf("the interval over groups is %v of that over bags", r)
	}
	if f := grouped[len(grouped)-1]; f.Name != "group AUC" || *f.Value != *alone[0].Value || *f.Low != *alone[0].Low { // copies have the scores of one
		t.Errorf("%+v, want %+v", f, alone[0])
	}
	if *grouped[3].Low != *alone[2].Low || *grouped[3].High != *alone[2].High {
		t.Errorf("balanced accuracy %v to %v, want %v to %v of the same draws", *grouped[3].Low, *grouped[3].High, *alone[2].Low, *alone[2].High)
	}
}

// TestFiguresUndefined: an undefined figure says why, and the others exist.
func TestFiguresUndefined(t *testing.T) {
	s := drawn(mil.BinaryTarget, 20)
	s.Logits = nil
	for i := range s.Bags {
		s.Bags[i].Label = 1
	}
	list, err := Figures(s, 1)
	if err != nil || len(list) != 7 || list[6].Value != nil || list[6].Why == "" || list[3].Low == nil || list[4].Why == "" || list[0].Value != nil || !strings.Contains(list[0].Why, "only one class") || list[1].Low == nil {
		t.Errorf("%+v, %v", list, err)
	}
	perfect := Scored{Kind: mil.BinaryTarget}
	for i := range 12 {
		perfect.Bags = append(perfect.Bags, results.ScoredBag{Target: mil.Labelled(i % 2), Scores: []float64{float64(i%2) - 0.5}})
	}
	list, err = Figures(perfect, 1)
	if err != nil || *list[0].Value != 1 || list[0].Low != nil || list[0].Why == "" || *list[1].High != 1 || *list[1].Low > 0.8 || list[2].Low != nil || list[2].Why == "" {
		t.Errorf("%+v, %v", list, err)
	}
	// A calibration may move the threshold and may return 0 or 1.
	s = drawn(mil.BinaryTarget, 20)
	plain, _ := Figures(s, 1)
	for i := range s.Logits {
		s.Logits[i] = math.Inf(2*s.Bags[i].Label - 1)
	}
	list, err = Figures(s, 1)
	if err != nil || *list[0].Value != *plain[0].Value || *list[1].Value != 1 || *list[5].Value != 0 || *list[6].Value != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	s.Logits[3] = -s.Logits[3]
	list, err = Figures(s, 1)
	if err != nil || *list[1].Value != 0.95 || list[5].Value != nil || !strings.Contains(list[5].Why, "infinite") || math.Abs(*list[6].Value-0.05) > 1e-12 {
		t.Errorf("%+v, %v", list, err)
	}
	if m, err := Confusion(s); err != nil || m[0][0] != 10 || m[1][0] != 1 {
		t.Errorf("%v, %v", m, err)
	}
	for _, bad := range []Scored{{}, scoredOf(mil.BinaryTarget, []int{0}, []float64{1, 2}), scoredOf(mil.BinaryTarget, []int{0, 0}, []float64{1}, []float64{math.NaN()}),
		{Bags: make([]results.ScoredBag, 1), Logits: make([]float64, 2)}} {
		if list, err := Figures(bad, 1); err == nil || errors.Is(err, stats.ErrOneClass) {
			t.Errorf("%+v, %v", list, err)
		}
	}
}

// scoredOf returns bags of these labels with a row of scores each.
func scoredOf(kind mil.TargetKind, labels []int, scores ...[]float64) Scored {
	s := Scored{Kind: kind, Classes: len(scores[0])}
	for i, y := range labels {
		s.Bags = append(s.Bags, results.ScoredBag{Target: mil.Labelled(y), Scores: scores[i]})
	}
	return s
}

func TestConfusion(t *testing.T) {
	binary := scoredOf(mil.BinaryTarget, []int{0, 1, 1}, []float64{-1}, []float64{2}, []float64{0})
	if m, err := Confusion(binary); err != nil || m[0][0] != 1 || m[1][0] != 1 || m[1][1] != 1 {
		t.Errorf("%v, %v", m, err)
	}
	classes := scoredOf(mil.ClassTarget, []int{2, 0}, []float64{0, 1, 2}, []float64{0, 1, 0})
	if m, err := Confusion(classes); err != nil || m[2][2] != 1 || m[0][1] != 1 {
		t.Errorf("%v, %v", m, err)
	}
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

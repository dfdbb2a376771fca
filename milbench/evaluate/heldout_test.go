package evaluate

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/mil"
	"synpool/milbench/results"
)

// result returns a finished fit on bags with a checksum; scores are for bags 0, 1, ..., which have alternating
// labels.
func result(t *testing.T, checksum, setting string, protocol string, repeat, fold, folds int, scores ...float64) results.Result {
	t.Helper()
	r := results.Result{Set: "toy", Checksum: checksum, Protocol: protocol, Folds: folds, FoldsRun: folds, Repeat: repeat, Fold: fold, Seed: 1, Epoch: 1,
		Config: json.RawMessage(setting), Optimistic: protocol == cv.BestEpochProtocol, Backend: "go", Version: "v1"}
	for i, s := range scores {
		r.Bags = append(r.Bags, results.ScoredBag{ID: fmt.Sprint(fold, "-", i), Target: mil.Labelled(i % 2), Scores: []float64{s}})
	}
	var err error
	if r.Fit, err = r.ID(); err != nil {
		t.Fatal(err)
	}
	must(t, r.Validate())
	return r
}

func TestHeldOut(t *testing.T) {
	const setting = `{"learner":"a","c":1}`
	all := []results.Result{
		result(t, "x", setting, cv.HonestProtocol, 0, 0, 2, -2, 1, -1, 2),
		result(t, "x", `{"c":1, "learner":"a"}`, cv.HonestProtocol, 0, 1, 2, -3, 0.5, 0.6, 3),
		result(t, "x", setting, cv.HonestProtocol, 1, 0, 2, -2, 1, -1, 2), // the repeat lacks a fold
		result(t, "x", setting, cv.BestEpochProtocol, 0, 0, 1, -9, 9, -9, 9),
		result(t, "x", `{"learner":"b"}`, cv.HonestProtocol, 0, 0, 1, 1, -1, 1, -1),
		result(t, "y", setting, cv.HonestProtocol, 0, 0, 1, 1, -1, 1, -1),
	}
	h, err := HeldOut(all, "x", json.RawMessage(setting))
	if err != nil || len(h.Judged) != 2 {
		t.Fatalf("%+v, %v", h, err)
	}
	for _, j := range h.Judged {
		auc := j.Figures[0]
		switch j.Protocol {
		case cv.HonestProtocol:
			if j.Optimistic || j.Repeats != 1 || j.Folds != 2 || j.Bags != 8 || auc.Name != "AUC" || math.Abs(auc.Value-0.875) > 1e-12 {
				t.Errorf("%+v", j)
			}
		case cv.BestEpochProtocol:
			if !j.Optimistic || auc.Value != 1 {
				t.Errorf("%+v", j)
			}
		}
	}
	// Negatives are -3, -2, -1, 0.6; positives 0.5, 1, 2, 3.
	for wanted, want := range map[float64]modeldir.OperatingPoint{
		0.75: {Wanted: 0.75, Threshold: -0.25, Sensitivity: 1, Specificity: 0.75, Positives: 4, Negatives: 4, Repeats: 1, Protocol: cv.HonestProtocol},
		0.9:  {Wanted: 0.9, Threshold: 0.8, Sensitivity: 0.75, Specificity: 1, Positives: 4, Negatives: 4, Repeats: 1, Protocol: cv.HonestProtocol},
	} {
		if o, err := h.Operating(wanted); err != nil || o != want {
			t.Errorf("%+v (%v), want %+v", o, err, want)
		}
	}
	if _, err := h.Operating(2); err == nil {
		t.Error("a specificity of 2")
	}
	for want, c := range map[string]struct {
		all               []results.Result
		checksum, setting string
	}{
		"no results of this data, but of other bags (toy)":         {all, "z", setting},
		"with this setting on this data, but of a":                 {all, "x", `{"learner":"c"}`},
		"no complete repeat of this learner":                       {all[2:3], "x", setting},
		"no results yet":                                           {nil, "x", setting},
		"no results of this learner with this setting on this dat": {all[4:], "x", setting},
	} {
		if _, err := HeldOut(c.all, c.checksum, json.RawMessage(c.setting)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	// If the test part chose the epoch, the figure is marked and there is no threshold.
	if h, err = HeldOut(all[3:4], "x", json.RawMessage(setting)); err != nil || len(h.Judged) != 1 {
		t.Fatalf("%+v, %v", h, err)
	}
	if _, err := h.Operating(0.9); err == nil || !strings.Contains(err.Error(), "optimistic") {
		t.Errorf("error %v", err)
	}
}

// TestHeldOutKinds: figures of a card are those of the kind of target, and only two classes have thresholds.
func TestHeldOutKinds(t *testing.T) {
	for kind, name := range map[mil.TargetKind]string{mil.ClassTarget: "macro AUC", mil.RealTarget: "R²"} {
		r := result(t, "x", `{"learner":"a"}`, cv.HonestProtocol, 0, 0, 1, 0)
		r.Bags = nil
		r.Target = kind
		for i := range 9 {
			bag := results.ScoredBag{ID: fmt.Sprint(i), Target: mil.Target{Value: float64(i)}, Scores: []float64{float64(i * i)}}
			if kind == mil.ClassTarget {
				bag.Target, bag.Scores = mil.Labelled(i%3), []float64{float64(i), 3, float64(-i)}
				r.Classes = []string{"a", "b", "c"}
			}
			r.Bags = append(r.Bags, bag)
		}
		h, err := HeldOut([]results.Result{r}, "x", r.Config)
		if err != nil || len(h.Judged) != 1 || h.Judged[0].Figures[0].Name != name {
			t.Fatalf("%v: %+v, %v", kind, h.Judged, err)
		}
		if _, err := h.Operating(0.9); err == nil || !strings.Contains(err.Error(), "thresholds are for two classes") {
			t.Errorf("%v: error %v", kind, err)
		}
	}
}

// TestOperate: thresholds come from the model card, whatever the new scores are.
func TestOperate(t *testing.T) {
	s := scoredOf(mil.BinaryTarget, []int{0, 0, 0, 1}, []float64{0}, []float64{1}, []float64{2}, []float64{1.5})
	on := modeldir.OperatingPoint{Wanted: 0.9, Threshold: 1}
	points, err := operate([]modeldir.OperatingPoint{on}, s)
	if err != nil || len(points) != 1 {
		t.Fatal(points, err)
	}
	p := points[0]
	if p.Threshold != 1 || p.Training != on || p.Sensitivity.Right != 1 || p.Sensitivity.Of != 1 || p.Specificity.Right != 2 || p.Specificity.Of != 3 || p.Specificity.Method != "Clopper-Pearson" {
		t.Errorf("%+v", p)
	}
	if math.Abs(*p.Specificity.Low-0.0943) > 1e-3 || math.Abs(*p.Specificity.High-0.9916) > 1e-3 { // binomtest(2, 3) of SciPy
		t.Errorf("%v to %v", *p.Specificity.Low, *p.Specificity.High)
	}
	s.Units = [][]int{{0, 1}, {2, 3}}
	s.Bags[3].Label = 0
	points, err = operate([]modeldir.OperatingPoint{on}, s)
	if err != nil || points[0].Sensitivity.Value != nil || !strings.Contains(points[0].Specificity.Method, "too narrow") {
		t.Errorf("%+v, %v", points, err)
	}
}

func TestRelabel(t *testing.T) {
	set := func(kind mil.TargetKind, classes []string, labels ...int) *mil.Set {
		s := &mil.Set{Name: "new", Kind: kind, Classes: classes}
		for i, y := range labels {
			s.Bags = append(s.Bags, mil.Bag{ID: fmt.Sprint("b", i), Target: mil.Labelled(y)})
		}
		return s
	}
	card := func(kind mil.TargetKind, classes ...string) *modeldir.Card {
		return &modeldir.Card{Target: kind, Classes: classes}
	}
	for _, c := range []struct {
		set  *mil.Set
		card *modeldir.Card
		want string
	}{
		{set(mil.BinaryTarget, []string{"a", "b"}, 0, 1), card(mil.BinaryTarget, "a", "b"), "[0 1]"},
		{set(mil.BinaryTarget, []string{"a", "b"}, 0, 1), card(mil.BinaryTarget, "b", "a"), "[1 0]"},
		{set(mil.BinaryTarget, nil, 0, 1), card(mil.BinaryTarget), "[0 1]"},
		{set(mil.BinaryTarget, nil, 0, 1), card(mil.ClassTarget, "2", "1.0", "0"), "[2 1]"},
		{set(mil.ClassTarget, []string{"a", "b", "c"}, 0, 1, 2), card(mil.ClassTarget, "c", "b", "a"), "[2 1 0]"},
		{set(mil.BinaryTarget, []string{"a", "x"}, 0, 1), card(mil.BinaryTarget, "a", "b"), `bag b1 has label "x", a class that the model does not know; it knows a, b`},
		{set(mil.BinaryTarget, []string{"a", "b"}, 0, 1), card(mil.BinaryTarget), `bag b0 has label "a", a class that the model does not know; it knows 0, 1`},
		{set(mil.RealTarget, nil, 0), card(mil.BinaryTarget), "targets of kind real, and the model is for kind binary"},
		{set(mil.BinaryTarget, nil, 0), card(mil.SurvivalTarget), "targets of kind binary, and the model is for kind survival"},
		{set(mil.SurvivalTarget, nil, 0), card(mil.SurvivalTarget), "[0]"},
	} {
		s, err := Relabel(c.set, c.card)
		got := fmt.Sprint(err)
		if err == nil {
			var labels []int
			for _, b := range s.Bags {
				labels = append(labels, b.Label)
			}
			got = fmt.Sprint(labels)
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

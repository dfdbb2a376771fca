package results

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// kindResults makes up results for a kind of target: setting good orders the bags and setting bad does not. Each has
// three repeats of two folds with twelve bags.
func kindResults(kind mil.TargetKind) (list []Result) {
	for _, setting := range []string{"bad", "good"} {
		rng := rand.New(rand.NewPCG(uint64(kind), uint64(len(setting))))
		for repeat := range 3 {
			for fold := range 2 {
				r := ofKind(kind)
				r.Config = json.RawMessage(fmt.Sprintf(`{"pooling":%q}`, setting))
				r.Protocol, r.Folds, r.FoldsRun, r.Repeat, r.Fold = cv.HonestProtocol, 2, 2, repeat, fold
				r.Bags, r.Optimistic, r.Leaked = nil, false, false
				for i := range 12 {
					truth := float64(i)
					if setting == "bad" {
						truth = 6
					}
					truth += rng.NormFloat64()
					b := ScoredBag{ID: fmt.Sprintf("bag%02d", 12*fold+i), Scores: []float64{truth}}
					switch kind {
					case mil.BinaryTarget:
						b.Label, b.Scores[0] = i/6, truth-5.5
					case mil.ClassTarget:
						b.Label = i / 4
						b.Scores = []float64{-math.Abs(truth - 1.5), -math.Abs(truth - 5.5), -math.Abs(truth - 9.5)}
					case mil.RealTarget:
						b.Value = float64(i)
					case mil.SurvivalTarget:
						if b.Value, b.Event = float64(20-i), i%3 > 0; setting == "good" {
							b.Survival = &mil.Survival{Times: []float64{8, 12, 16, 22}}
							for _, at := range b.Survival.Times {
								b.Survival.Alive = append(b.Survival.Alive, 1/(1+math.Exp(at-20+truth)))
							}
						}
					}
					r.Bags = append(r.Bags, b)
				}
				list = append(list, withID(r))
			}
		}
	}
	return list
}

// TestFiguresOfKinds checks the row for every kind against package stats on the same scores, and that the verdict
// names the figure.
func TestFiguresOfKinds(t *testing.T) {
	for kind, want := range map[mil.TargetKind]struct {
		figure  string
		main    func(bags []ScoredBag) (float64, error)
		others  []string
		verdict string
	}{
		mil.BinaryTarget: {"AUC", func(b []ScoredBag) (float64, error) { return stats.AUC(LabelsScores(b)) },
			[]string{"accuracy", "auc_pooled", "average_precision", "balanced_accuracy", "log_loss"}, "good has the largest AUC, "},
		mil.ClassTarget: {"macro AUC", func(b []ScoredBag) (float64, error) { return stats.MulticlassAUC(labelsAll(b)) },
			[]string{"accuracy", "balanced_accuracy", "kappa", "log_loss", "macro_auc_pooled"}, "good has the largest macro AUC, "},
		mil.RealTarget: {"R²", func(b []ScoredBag) (float64, error) {
			var y, p []float64
			for _, one := range b {
				y, p = append(y, one.Value), append(p, one.Scores[0])
			}
			return stats.R2(y, p)
		}, []string{"mae", "r2_pooled", "rmse", "spearman"}, "good has the largest R², "},
		mil.SurvivalTarget: {"concordance", func(b []ScoredBag) (float64, error) {
			var times, risks []float64
			var events []bool
			for _, one := range b {
				times, events, risks = append(times, one.Value), append(events, one.Event), append(risks, one.Scores[0])
			}
			return stats.Concordance(times, events, risks)
		}, []string{"concordance_pooled", "cumulative_auc", "integrated_brier"}, "good has the largest concordance, "},
	} {
		list := kindResults(kind)
		table, err := Tabulate(list)
		if err != nil || len(table.Rows) != 2 {
			t.Fatalf("%v: %+v, %v", kind, table, err)
		}
		good := table.Rows[1]
		sum := 0.0
		for _, r := range list[6:] {
			v, err := want.main(r.Bags)
			must(t, err)
			if own, err := r.Figure(); err != nil || own != v {
				t.Errorf("%v: the figure of a result is %v, want %v (%v)", kind, own, v, err)
			}
			sum += v
		}
		if good.Setting != "good" || good.Figure != want.figure || good.Target != kind || math.Abs(good.Mean-sum/6) > 1e-12 || good.Mean < 0.9 {
			t.Errorf("%v: %s of %s is %v, want %s %v", kind, good.Figure, good.Setting, good.Mean, want.figure, sum/6)
		}
		var keys []string
		for key := range good.Figures {
			keys = append(keys, key)
		}
		if slices.Sort(keys); !slices.Equal(keys, want.others) {
			t.Errorf("%v: figures %v, want %v", kind, keys, want.others)
		}
		if good.Low == nil || *good.Low > good.Mean || *good.High < good.Mean || *good.High > 1 || (good.SE != nil) != (kind == mil.BinaryTarget) {
			t.Errorf("%v: interval %v to %v of %v", kind, good.Low, good.High, good.Mean)
		}
		if len(table.Verdicts) != 1 || !strings.Contains(table.Verdicts[0], want.verdict) {
			t.Errorf("%v: %q, want %q", kind, table.Verdicts, want.verdict)
		}
	}
}

// TestIntegratedBrier: the figure equals that of package stats, averaged over the folds. Curves that know the order
// score lower than 1/2 everywhere. It is missing from fits without curves, fits with unusable curves, and their rows.
func TestIntegratedBrier(t *testing.T) {
	figure := func(list []Result) (float64, bool) {
		t.Helper()
		table, err := Tabulate(list)
		if err != nil || len(table.Rows) != 1 {
			t.Fatalf("%+v, %v", table, err)
		}
		v, is := table.Rows[0].Figures["integrated_brier"]
		return v, is
	}
	good := func() []Result { return kindResults(mil.SurvivalTarget)[6:] }
	sum := 0.0
	for _, r := range good() {
		var times []float64
		var events []bool
		var alive [][]float64
		for _, b := range r.Bags {
			times, events, alive = append(times, b.Value), append(events, b.Event), append(alive, b.Survival.Alive[:3]) // the last bag has time 20
		}
		censoring, err := stats.CensoringCurve(times, events)
		must(t, err)
		v, err := stats.IntegratedBrier(censoring, times, events, alive, []float64{8, 12, 16})
		must(t, err)
		sum += v / 6
	}
	got, is := figure(good())
	if !is || math.Abs(got-sum) > 1e-12 {
		t.Errorf("%v, %v, want %v", got, is, sum)
	}
	change := func(of func(r int, b *ScoredBag)) []Result {
		list := good()
		for r := range list {
			for i := range list[r].Bags {
				of(r, &list[r].Bags[i])
			}
		}
		return list
	}
	half, is := figure(change(func(_ int, b *ScoredBag) { b.Survival.Alive = []float64{0.5, 0.5, 0.5, 0.5} }))
	if !is || got > half/2 {
		t.Errorf("%v, of 1/2 everywhere %v, %v", got, half, is)
	}
	for name, list := range map[string][]Result{
		"a fit without curves":    change(func(r int, b *ScoredBag) { b.Survival = map[bool]*mil.Survival{true: b.Survival}[r != 2] }),
		"other times of a bag":    change(func(r int, b *ScoredBag) { b.Survival.Times[0] -= b.Value / 100 }),
		"one time before the end": change(func(_ int, b *ScoredBag) { b.Survival.Times = []float64{8, 20, 21, 22} }),
	} {
		if v, is := figure(list); is {
			t.Errorf("%s: %v", name, v)
		}
	}
	wrong := good()[0]
	wrong.Bags[3].Survival.Alive[1] = 1.5
	if err := wrong.Validate(); err == nil || err.Error() != "bag bag03: the probabilities of a survival curve must be from 1 to 0 and never increase" {
		t.Errorf("error %v", err)
	}
	of := kindResults(mil.RealTarget)[0]
	of.Bags[0].Survival = &mil.Survival{Times: []float64{1}, Alive: []float64{1}}
	if err := of.Validate(); err == nil || err.Error() != "bag bag00 has a survival curve, and a target of kind real" {
		t.Errorf("error %v", err)
	}
}

// TestKindTables puts rows of every kind into one table; each kind has its own columns.
func TestKindTables(t *testing.T) {
	var list []Result
	for kind := range mil.SurvivalTarget + 1 {
		list = append(list, kindResults(kind)...)
	}
	table := tabulated(t, list)
	var b strings.Builder
	for _, format := range []string{"md", "csv", "tex", "html"} {
		b.Reset()
		must(t, table.Write(&b, format))
		requireGolden(t, "kinds."+format, b.String())
	}
}

// TestUndefinedFigures: a figure without a value leaves an empty cell and a note that says why, and stops nothing.
func TestUndefinedFigures(t *testing.T) {
	list := kindResults(mil.RealTarget)[:6]
	for i := range list {
		for k := range list[i].Bags {
			list[i].Bags[k].Scores = []float64{3}
		}
	}
	table := tabulated(t, list)
	if r := table.Rows[0]; r.Figures["mae"] == 0 || len(r.Figures) != 3 {
		t.Errorf("figures %v; Spearman's correlation with one score for all is not defined", r.Figures)
	}
	var b strings.Builder
	if err := table.Write(&b, "md"); err != nil || strings.Contains(b.String(), "NaN") {
		t.Errorf("%v\n%s", err, b.String())
	}
	for k := range list[1].Bags {
		list[1].Bags[k].Value = 7
		list[1].Bags[k].ID += "-7"
	}
	one := sample("set", `{"pooling":"syn"}`, 0, 0, []int{1, 1}, []float64{1, 2})
	second := sample("set", `{"pooling":"syn"}`, 0, 1, []int{1, 1}, []float64{1, 2})
	events, tied, two := kindResults(mil.SurvivalTarget)[:6], kindResults(mil.SurvivalTarget)[:6], kindResults(mil.SurvivalTarget)[:12]
	for _, r := range []int{0, 6} {
		for k := range two[r].Bags {
			two[r].Bags[k].Event = false
			two[r].Bags[k].ID += "-censored"
		}
	}
	for k := range events[0].Bags {
		events[0].Bags[k].Event = false
		events[0].Bags[k].ID += "-censored"
	}
	for r := range tied {
		for k := range tied[r].Bags {
			tied[r].Bags[k].Value = 12
		}
	}
	for name, test := range map[string]struct {
		fits []Result
		mean bool
		want []string
	}{
		"one target in a fold":    {list, true, []string{"R² is undefined in 1 of 6 folds, which are left out of it: all values are equal", "Spearman's ρ is undefined in 3 of 3 repeats"}},
		"no event in a fold":      {events, true, []string{"concordance is undefined in 1 of 6 folds, which are left out of it: no event was seen"}},
		"all times equal":         {tied, true, []string{"cumulative AUC is undefined in 3 of 3 repeats", "at 12 all bags are censored"}},
		"one class in a fold":     {[]Result{one, sample("set", `{"pooling":"syn"}`, 0, 1, []int{0, 1, 1}, []float64{1, 2, 0})}, true, []string{"AUC is undefined in 1 of 2 folds"}},
		"two settings":            {two, true, []string{"survival, bad, good: concordance is undefined in 1 of 6 folds"}},
		"one class in every fold": {[]Result{one, second}, false, []string{"AUC is undefined in 2 of 2 folds", "pooled AUC is undefined in 1 of 1 repeats", "balanced accuracy is undefined"}},
	} {
		table, err := Tabulate(test.fits)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r := table.Rows[0]; math.IsNaN(r.Mean) == test.mean {
			t.Errorf("%s: mean %v, verdicts %q", name, r.Mean, table.Verdicts)
		}
		for _, want := range test.want {
			if !slices.ContainsFunc(table.Notes, func(note string) bool { return strings.Contains(note, want) }) {
				t.Errorf("%s: no %q in %q", name, want, table.Notes)
			}
		}
		for _, format := range Formats {
			if b.Reset(); table.Write(&b, format) != nil || strings.Contains(b.String(), "NaN") {
				t.Errorf("%s: %s\n%s", name, format, b.String())
			}
		}
	}
}

// TestInsideOfKinds: the main figure of the kind decides; ties go to the smaller loss.
func TestInsideOfKinds(t *testing.T) {
	for kind := range mil.SurvivalTarget + 1 {
		r := kindResults(kind)[6]
		in, err := InsideOf(kind, len(r.Classes), r.Bags)
		want, _ := r.Figure()
		if err != nil || in.Figure != want || (in.Loss > 0) != (kind != mil.SurvivalTarget) {
			t.Errorf("%v: %+v, want %v (%v)", kind, in, want, err)
		}
		r.Inside, r.Validation = &in, nil
		if err := r.Validate(); err != nil {
			t.Error(err)
		}
		if in.Figure = 1.5; r.Validate() == nil {
			t.Errorf("%v: a figure of 1.5 passes", kind)
		}
	}
}

// TestByGroup compares figures of groups, by the mean and the largest score, with those of scikit-learn 1.9 and lifelines 0.30.
func TestByGroup(t *testing.T) {
	scores := []float64{0.3, -0.5, 1.2, 0.1, -0.7, 0.4, 0.9, -1.1, 0.2, 0.6, -0.3, 1.5}
	positive := []int{0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1}
	values := []float64{1, 2, 3, 5, 2, 2, 4, 1, 0, 1, 3, 6}
	times := []float64{5, 3, 8, 2, 6, 4}
	for kind, want := range map[mil.TargetKind][2]float64{
		mil.BinaryTarget:   {0.7777777777777778, 1},
		mil.ClassTarget:    {0.08333333333333333, 0.16666666666666666},
		mil.RealTarget:     {-2.511739130434783, -1.0356521739130433},
		mil.SurvivalTarget: {0.6428571428571429, 0.6428571428571429},
	} {
		var bags []ScoredBag
		var units [][]int
		for i, score := range scores {
			b := ScoredBag{ID: fmt.Sprint(i), Scores: []float64{score}}
			switch kind {
			case mil.BinaryTarget:
				b.Label = positive[i]
			case mil.ClassTarget:
				b.Label, b.Scores = i/2%3, []float64{score, -score, scores[11-i]}
			case mil.RealTarget:
				b.Value = values[i]
			case mil.SurvivalTarget:
				b.Value, b.Event = times[i/2], i/2 != 2 && i/2 != 4
			}
			bags = append(bags, b)
			if i%2 == 0 {
				units = append(units, []int{i, i + 1})
			}
		}
		for k, largest := range []bool{false, true} {
			got, err := Figure(kind, 3, ByGroup(kind, bags, units, largest))
			if err != nil || math.Abs(got-want[k]) > 1e-12 {
				t.Errorf("%v, largest %v: %v, %v; want %v", kind, largest, got, err, want[k])
			}
		}
		bags[1].Target = mil.Target{Label: 1, Value: 99}
		if one := ByGroup(kind, bags, units, false); (one == nil) != (kind == mil.ClassTarget || kind == mil.SurvivalTarget) {
			t.Errorf("%v: targets that differ within a group: %+v", kind, one)
		}
	}
}

package charts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/plotting"
)

// drawnText returns the texts of a figure, each after and before a bar.
func drawnText(t *testing.T, figure *plotting.Figure) string {
	t.Helper()
	var b bytes.Buffer
	if err := figure.Write(&b, plotting.SVG); err != nil {
		t.Fatal(err)
	}
	text := "|"
	for _, found := range regexp.MustCompile(`>([^<]*)</text>`).FindAllStringSubmatch(b.String(), -1) {
		text += html.UnescapeString(found[1]) + "|"
	}
	return text
}

// scored are the fits of two settings on one set, two repeats of two folds, whose scores of a bag of a number and a repeat are given.
func scored(kind mil.TargetKind, classes []string, bags int, target func(bag int) mil.Target,
	scores func(setting, bag, repeat int) []float64) (fits []results.Result) {
	for setting, config := range []string{`{"pooling":"mean"}`, `{"pooling":"max"}`} {
		for repeat := range 2 {
			for fold := range 2 {
				r := results.Result{Set: "set of " + kind.String(), Checksum: "of " + kind.String(), Protocol: cv.HonestProtocol, Folds: 2, FoldsRun: 2,
					Repeat: repeat, Fold: fold, Seed: 1, Config: json.RawMessage(config), Target: kind, Classes: classes, Epoch: 1, Backend: "go", Version: "1"}
				for bag := range bags {
					if (bag/4+repeat)%2 == fold {
						r.Bags = append(r.Bags, results.ScoredBag{ID: fmt.Sprintf("b%02d", bag), Target: target(bag), Scores: scores(setting, bag, repeat)})
					}
				}
				fits = append(fits, r)
			}
		}
	}
	return fits
}

// Sets of each kind: mean is nearly right in both repeats, max is not.
var (
	binaryFits = scored(mil.BinaryTarget, nil, 24, func(bag int) mil.Target { return mil.Labelled(bag % 2) }, func(setting, bag, repeat int) []float64 {
		score := float64(2*(bag%2) - 1)
		if setting == 1 && bag%4 == 0 || bag == 3 && repeat == 0 {
			score = -score
		}
		return []float64{score + 0.01*float64(bag)}
	})
	classFits = scored(mil.ClassTarget, []string{"low", "middle", "very high"}, 24, func(bag int) mil.Target { return mil.Labelled(bag % 3) },
		func(setting, bag, repeat int) []float64 {
			scores := []float64{0, 0, 0.001 * float64(bag)}
			scores[(bag%3+setting*(bag/3%2))%3] += 1
			return scores
		})
	realFits = scored(mil.RealTarget, nil, 24, func(bag int) mil.Target { return mil.Target{Value: float64(bag)} }, func(setting, bag, repeat int) []float64 {
		return []float64{float64(bag)*(1-2*float64(setting)) + float64(2*repeat-1)}
	})
	survivalFits = scored(mil.SurvivalTarget, nil, 24, func(bag int) mil.Target { return mil.Target{Value: float64(1 + bag), Event: bag%4 != 3} },
		func(setting, bag, repeat int) []float64 {
			return []float64{-float64(bag) * (1 - 2*float64(setting)) * float64(1+9*repeat)}
		})
)

// TestBags compares what the figures say with counts by hand.
func TestBags(t *testing.T) {
	for _, c := range []struct {
		name, setting string
		fits          []results.Result
		wants         []string
	}{
		// Of 12 positive bags one is called negative in one of two repeats.
		{"confusion", "", binaryFits, []string{"set of binary, mean (honest, 2 folds)", "mean counts of 2 repeats",
			"positive (n = 12)", "|12.0|", "|11.5|", "|0.5|", "Called class"}},
		{"confusion", "max", binaryFits, []string{"set of binary, max", "|6.0|"}},
		{"confusion", "", classFits, []string{"set of classes, mean", "accuracy 1.00", "very high (n = 8)", "|8|"}},
		// The errors of the repeats, −1 and 1, cancel on average: the figures stay those of the table.
		{"scatter", "", realFits, []string{"MAE 1.00", "Spearman's ρ 1.00", "each a mean over 2 repeats", "Predicted value (mean over 2 repeats)"}},
		// Survival of 8 bags a third, the first with the largest times.
		{"survival", "", survivalFits, []string{"concordance 1.00", "log-rank p < 0.001", "mean rank of the risk over 2 repeats",
			"low risk", "middle risk", "high risk", "censored", "|8|"}},
	} {
		figure, err := Bags(c.fits, c.name, "", c.setting)
		if err != nil {
			t.Errorf("%s, %q: %v", c.name, c.setting, err)
			continue
		}
		text := drawnText(t, figure)
		title := strings.ReplaceAll(text, "|", " ") // may be broken anywhere
		for _, want := range c.wants {
			if !strings.Contains(text, want) && !strings.Contains(title, want) {
				t.Errorf("%s, %q: %q is not in the figure: %s", c.name, c.setting, want, text)
			}
		}
	}
}

func TestBagsRefuses(t *testing.T) {
	nested := func(fits []results.Result) (out []results.Result) {
		for _, r := range fits {
			r.Protocol = cv.NestedProtocol
			r.Config = json.RawMessage(strings.Replace(string(r.Config), `"max"`, `"mean","width":8`, 1))
			r.Inside = &results.Inside{Figure: 0.5}
			out = append(out, r)
		}
		return out
	}
	for want, c := range map[string]struct {
		fits               []results.Result
		name, set, setting string
	}{
		`no figure "map" of bags; use one of confusion, scatter, survival`: {realFits, "map", "", ""},
		"no figure confusion of targets of kind real; use scatter":         {realFits, "confusion", "", ""},
		`no setting "mix"; the settings are max; mean`:                     {realFits, "scatter", "", "mix"},
		`no set "x"; the sets are set of real`:                             {realFits, "scatter", "x", ""},
		"choose one with --set":                                            {append(realFits[:8:8], binaryFits...), "scatter", "", ""},
		"choose one with --setting: ":                                      {append(realFits[:8:8], nested(realFits)...), "scatter", "", ""},
		"each fold has a setting of its own":                               {nested(realFits), "scatter", "", ""},
		"no repeat is complete yet":                                        {realFits[:1], "scatter", "", ""},
	} {
		if _, err := Bags(c.fits, c.name, c.set, c.setting); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := Bags(append(realFits[:8:8], binaryFits...), "scatter", "set of real", ""); err != nil {
		t.Error(err)
	}
}

// TestRiskThirds puts bags of one rank into one third.
func TestRiskThirds(t *testing.T) {
	for _, c := range []struct {
		risks []float64
		want  []int
	}{
		{[]float64{1, 2, 3}, []int{0, 1, 2}},
		{[]float64{9, 1, 5, 3, 7, 2}, []int{2, 0, 1, 1, 2, 0}},
		{[]float64{4, 4, 4, 4}, []int{1, 1, 1, 1}},
		{[]float64{1, 1, 1, 2, 2, 2, 3, 3, 3}, []int{0, 0, 0, 1, 1, 1, 2, 2, 2}},
	} {
		var bags []scoredBag
		for _, r := range c.risks {
			bags = append(bags, scoredBag{numbers: []float64{r}})
		}
		got, err := riskThirds(bags)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%v: %v, want %v (%v)", c.risks, got, c.want, err)
		}
	}
	if _, err := riskThirds(make([]scoredBag, 2)); err == nil {
		t.Error("thirds of two bags")
	}
}

// TestTable draws the main figure of each kind and refuses folders of several.
func TestTable(t *testing.T) {
	for _, c := range []struct {
		fits  []results.Result
		wants []string
	}{
		{binaryFits, []string{"Every setting by AUC", "AUC (mean over 2 repeats", "chance"}},
		{classFits, []string{"Every setting by macro AUC", "Macro AUC (mean", "chance"}},
		{realFits, []string{"predicting the mean", "−"}},
		{survivalFits, []string{"Every setting by concordance", "Concordance (mean", "chance"}},
	} {
		figure, err := Table(c.fits)
		if err != nil {
			t.Error(err)
			continue
		}
		text := drawnText(t, figure)
		for _, want := range c.wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in the figure", c.fits[0].Set, want)
			}
		}
	}
	both := append(realFits[:8:8], binaryFits...)
	if _, err := Table(both); err == nil || !strings.Contains(err.Error(), "set of binary (binary) and set of real (real); choose sets of one kind with --set") {
		t.Error(err)
	}
	if _, err := Table(both, "set of real"); err != nil {
		t.Error(err)
	}
	if _, err := Table(both, "set of real", "x"); err == nil || !strings.Contains(err.Error(), `no set "x"; the sets are set of binary, set of real`) {
		t.Error(err)
	}
}

// TestComparison draws a comparison of settings, and refuses one of several figures.
func TestComparison(t *testing.T) {
	table, err := results.Tabulate(append(realFits[:8:8], binaryFits...))
	if err != nil {
		t.Fatal(err)
	}
	c, err := table.Compare("mean", results.Rope)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Comparison(c); err == nil || !strings.Contains(err.Error(), "the sets have different figures, AUC and R²") {
		t.Error(err)
	}
	c.Sets = c.Sets[:1]
	figure, err := Comparison(c)
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.ReplaceAll(drawnText(t, figure), "|", " "); !strings.Contains(text, "mean against others") {
		t.Error(text)
	}
}

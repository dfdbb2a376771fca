package report

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/results"
	"synpool/paper"
	committed "synpool/paper/results"
)

// A verdict of the first page and how it begins.
const (
	yes        = "Yes"
	no         = "No, lower by"
	noMatter   = "No difference (the interval lies within ±0.01)"
	tooLittle  = "We cannot tell: too little has been run"
	unanswered = "Not run yet"
)

// TestClaims asks every question of planted results, in both directions.
func TestClaims(t *testing.T) {
	asked := make(map[string]bool)
	for _, c := range plantedClaims(t) {
		at := slices.IndexFunc(claims, func(q claim) bool { return q.Question == c.question })
		if at < 0 {
			t.Fatalf("no question %q", c.question)
		}
		asked[c.question] = true
		for name, want := range c.want {
			a := results.Archive{Experiment: claims[at].Experiment}
			if c.fits != nil {
				a.Results = c.fits(name)
			}
			if c.spaces != nil {
				a.Spaces = c.spaces(name)
			}
			if c.curves != nil {
				a.Curves = c.curves(name)
			}
			got, err := claims[at].ask(open(a))
			row := strings.Join([]string{got.Verdict, got.Estimate, got.Interval, got.of}, " | ")
			holds(t, c.question+" "+name, row, err, nil, nil)
			if !strings.HasPrefix(row, want) || (got.Estimate == "") != (want == tooLittle) {
				t.Errorf("%s %s: %s, want %s", c.question, name, row, want)
			}
		}
	}
	for _, c := range claims {
		if !asked[c.Question] {
			t.Errorf("%q is not tested", c.Question)
		}
	}
}

// plantedClaim is a question with results for it: what is planted, and how the verdict must begin.
type plantedClaim struct {
	question string
	fits     func(planted string) []results.Result
	want     map[string]string
	spaces   func(planted string) []results.Space
	curves   func(planted string) []results.MeanCurve
}

// sizes are planted differences; "noise" is none under large noise.
var sizes = map[string]float64{"more": 0.1, "less": -0.1, "none": 0, "noise": 0}

var fourVerdicts = map[string]string{"more": yes, "less": no, "none": noMatter, "noise": cannotTell, "one": tooLittle}

// scatter is the noise of a planted result.
func scatter(planted string, r results.Result) float64 {
	if planted == "noise" {
		return 0.08 * chance(r)
	}
	return 0.002 * chance(r)
}

// some are sets for a planted difference: one alone is too few.
func some(planted string) []string {
	if planted == "one" {
		return []string{denseSets[0]}
	}
	return slices.Concat(denseSets, webSets)
}

// inPaper is a released setting of Syn or softmax in the setting of the paper.
func inPaper(released string) string {
	return strings.NewReplacer(`"gamma":0.5`, `"gamma":1`, `"norm":true`, `"norm":false`).Replace(released)
}

func plantedClaims(t *testing.T) (list []plantedClaim) {
	list = append(list, publishedClaims(t)...)
	list = append(list, poolingClaims(t)...)
	list = append(list, learnerClaims(t)...)
	list = append(list, networkClaims(t)...)
	for i, q := range []string{"Does concentration (I > 0) beat no Syn steps (γ = 1)?", "Does distraction (I < 0) beat no Syn steps (γ = 1)?",
		"Does concentration beat no Syn steps (γ = 0.5 with layer norm)?", "Does distraction beat no Syn steps (γ = 0.5 with layer norm)?"} {
		side := 1 - 2*float64(i%2)
		of := func(i int) string {
			if strings.Contains(q, "γ = 1)") {
				return inPaper(syn(i, ""))
			}
			return syn(i, "")
		}
		list = append(list, plantedClaim{q, func(name string) []results.Result {
			return planted(t, cv.HonestProtocol, 3, 2, some(name), []string{of(-3), of(0), of(3)}, func(r results.Result) float64 {
				auc := 0.7 + scatter(name, r)
				if name == "web" && !isWeb(r.Set) {
					return auc
				}
				if side*iOf(t, r) > 0 {
					auc += sizes[strings.Replace(name, "web", "more", 1)]
				}
				return auc
			})
		}, map[string]string{"more": yes, "less": no, "none": noMatter, "noise": cannotTell, "one": tooLittle, "web": cannotTell + " | "}, nil, nil})
	}
	for q, of := range map[string]func(i int) string{
		"Does concentration make a network robust to noise (γ = 1)?":                   func(i int) string { return inPaper(syn(i, "")) },
		"Does concentration make a network robust to noise (γ = 0.5 with layer norm)?": func(i int) string { return syn(i, "") },
	} {
		list = append(list, plantedClaim{q, func(name string) []results.Result {
			sets := some(name)
			for _, s := range some(name) {
				sets = append(sets, s+"+gaussian(0dB)", s+"+gaussian(10dB)")
			}
			return planted(t, cv.HonestProtocol, 3, 2, sets, []string{of(-3), of(3)}, func(r results.Result) float64 {
				auc := 0.7 + scatter(name, r)
				if strings.Contains(r.Set, "+") && iOf(t, r) > 0 {
					auc += sizes[name]
				}
				return auc
			})
		}, fourVerdicts, nil, nil})
	}
	list = append(list, winnerClaims()...)
	list = append(list, ablationClaims(t)...)
	list = append(list, generatedClaims(t)...)
	return list
}

// winnerClaims plant by how much more often winners change under distraction, by one way of one setting.
func winnerClaims() (list []plantedClaim) {
	for question, of := range map[string]struct {
		preset string
		way    way
	}{
		"Does distraction change the winner of training bags more often (γ = 1, float32)?":               {paperPreset, way{"train", "float32"}},
		"Does distraction change it more often, counted before the steps, which keep the order (γ = 1)?": {paperPreset, way{"train", "before"}},
		"Does distraction change it more often with γ = 0.5 and layer norm (float32)?":                   {releasedPreset, way{"train", "float32"}},
	} {
		list = append(list, plantedClaim{question: question, want: fourVerdicts, curves: func(name string) (curves []results.MeanCurve) {
			for _, set := range some(name) {
				for _, preset := range []string{paperPreset, releasedPreset} {
					for _, i := range []int{-20, -3, 0, 3, 20} {
						c := results.MeanCurve{Set: set, Config: []byte(syn(i, ""))}
						if preset == paperPreset {
							c.Config = []byte(inPaper(syn(i, "")))
						}
						for _, w := range ways {
							r := results.Result{Set: familyOf(set), Config: c.Config}
							change := results.Changes{Part: w.part, Way: w.way, Least: 0.3 + scatter(name, r)}
							if i < 0 && preset == of.preset && w == of.way {
								change.Least += sizes[name]
							}
							c.Changes = append(c.Changes, change)
						}
						curves = append(curves, c)
					}
				}
			}
			return curves
		}})
	}
	return list
}

// publishedClaims plant what each step from the honest protocol to the published one adds.
func publishedClaims(t *testing.T) (list []plantedClaim) {
	list = append(list, plantedClaim{"Does the best test epoch report more than the 0.5 of shuffled labels?", func(name string) []results.Result {
		sets := []string{"fox-shuffled-1"}
		for draw := 2; draw <= 6 && name != "one"; draw++ {
			sets = append(sets, fmt.Sprint("fox-shuffled-", draw))
		}
		return planted(t, cv.BestEpochProtocol, 4, 1, sets, []string{`{"pooling":"softmax"}`}, func(r results.Result) float64 { return 0.5 + scatter(name, r) + sizes[name] })
	}, fourVerdicts, nil, nil})
	for k, q := range []string{1: "Does reporting one fold of four raise the AUC?", 2: "Does the leaked label column raise the published AUC?"} {
		if q == "" {
			continue
		}
		list = append(list, plantedClaim{q, func(name string) []results.Result {
			repeats := 5
			sets := []string{"elephant", "fox", "musk1", "web1", "web4", "web7", "web1+leak", "web4+leak", "web7+leak", "fox-shuffled-1", "fox-shuffled-2"}
			if name == "one" { // family and repeat
				repeats, sets = 1, sets[:2]
			}
			var fits []results.Result
			for at, protocol := range []string{cv.HonestProtocol, cv.BestEpochProtocol, cv.PublishedProtocol} {
				fits = append(fits, planted(t, protocol, 4, repeats, sets, []string{`{"pooling":"softmax"}`, `{"pooling":"mean"}`}, func(r results.Result) float64 {
					auc := 0.7 + scatter(name, r)
					if _, suffix := changed(r.Set); k < at || k == 2 && suffix == leakSuffix {
						auc += sizes[name]
					}
					return auc
				})...)
			}
			return fits
		}, fourVerdicts, nil, nil})
	}
	return list
}

// poolingClaims plant what the choice is worth and what separates poolings.
func poolingClaims(t *testing.T) []plantedClaim {
	nested := func(name string, settings []string, auc func(r results.Result) float64) []results.Result {
		fits := planted(t, cv.NestedProtocol, 3, 2, some(name), settings, auc)
		for i := range fits {
			inside := 0.5
			if string(fits[i].Config) == settings[0] {
				inside = 1 // it is chosen
			}
			fits[i].Validation, fits[i].Inside = nil, &results.Inside{Figure: inside, Loss: 1}
		}
		return fits
	}
	first := []string{`{"pooling":"mean"}`, `{"pooling":"instance","c":1}`}
	firstGains := func(name string) []results.Result {
		return nested(name, first, func(r results.Result) float64 {
			auc := 0.7 + scatter(name, r)
			if string(r.Config) == first[0] {
				auc += sizes[name]
			}
			return auc
		})
	}
	three := []string{`{"pooling":"max"}`, `{"pooling":"mean"}`, `{"pooling":"softmax"}`}
	return []plantedClaim{
		{"Does choosing by a validation part beat a random setting?", firstGains, fourVerdicts, nil, nil},
		{"Do networks beat our instance classifier?", firstGains, fourVerdicts, nil, nil},
		{"Is one pooling the best when validation parts choose?", func(name string) []results.Result {
			return nested(name, three, func(r results.Result) float64 {
				auc, at := 0.7+scatter(name, r), slices.Index(three, string(r.Config))
				switch {
				case name == "best" && at == 0, name == "steps" && at < 2:
					auc += 0.1
				}
				if name == "steps" && at == 0 { // ahead of the last alone
					auc += 0.05
				}
				return auc
			})
		}, map[string]string{"best": "Yes, max | ", "steps": "Yes, max | ", "none": noMatter + " | ", "noise": cannotTell, "one": tooLittle}, nil, nil},
	}
}

// learnerClaims plant what learners, the choice among them and the portfolio are worth.
func learnerClaims(t *testing.T) []plantedClaim {
	three := []string{`{"learner":"miles","c":1}`, `{"learner":"mind","c":1}`, `{"learner":"auto"}`}
	gains := func(which ...int) func(name string) []results.Result {
		return func(name string) []results.Result {
			fits := planted(t, cv.NestedProtocol, 3, 2, some(name), three, func(r results.Result) float64 {
				auc := 0.7 + scatter(name, r)
				if slices.Contains(which, slices.Index(three, string(r.Config))) {
					auc += sizes[name]
				}
				return auc
			})
			for i := range fits {
				inside := 0.5
				if string(fits[i].Config) == three[0] {
					inside = 1 // it is chosen
				}
				fits[i].Inner, fits[i].Validation, fits[i].Inside = 5, nil, &results.Inside{Figure: inside, Loss: 1}
			}
			return fits
		}
	}
	return []plantedClaim{
		{"Does choosing by inner folds beat a random setting?", gains(0), fourVerdicts, nil, nil},
		{"Does joining several learners (`auto`) beat choosing one?", gains(2), fourVerdicts, nil, nil},
		{"Is one learner the best when inner folds choose?", gains(2), map[string]string{"more": "Yes, auto | ", "less": cannotTell + " | ", "none": noMatter, "noise": cannotTell + " | ", "one": tooLittle}, nil, nil},
	}
}

// generatedClaims plant what poolings learn from generated bags.
func generatedClaims(t *testing.T) []plantedClaim {
	drawn := func(name string, sets ...string) (list []string) {
		for _, s := range sets {
			for draw := range 5 {
				if name != "one" || draw == 0 {
					list = append(list, fmt.Sprintf("%s-draw-%d", s, draw+1))
				}
			}
		}
		return list
	}
	poolings := []string{`{"pooling":"max"}`, `{"pooling":"mean"}`, `{"pooling":"instance"}`}
	return []plantedClaim{
		{"Do poolings learn what the MIL assumption forbids?", func(name string) []results.Result {
			return planted(t, cv.HonestProtocol, 1, 1, drawn(name, "raffholt1", "raffholt2"), poolings, func(r results.Result) float64 {
				auc, at := 0.8+0.01*chance(r), slices.Index(poolings, string(r.Config))
				switch {
				case !strings.HasPrefix(r.Set, "raffholt2"): // the first test tells nothing
				case name == "all" && at < 2, name == "some" && at < 1:
					auc -= 0.6
				case name == "open" && at < 1:
					_, draw := drawingOf(r.Set)
					auc = 0.5 + 0.05*float64(draw%3) - 0.05
				}
				return auc
			})
		}, map[string]string{"all": "Yes, 2 of 2 | ", "some": "Yes, 1 of 2 | ", "none": "No, none of 2 | ", "open": cannotTell + " | ", "one": tooLittle}, nil, nil},
	}
}

// TestPage: every question is on the page and has a section, which shows its figure.
func TestPage(t *testing.T) {
	var b bytes.Buffer
	err := Write(&b, nil)
	text := b.String()
	holds(t, "nothing run", text, err, []string{"| question | verdict | estimate | 95 % interval, n |\n|:--|:--|:--|:--|\n"}, []string{yes + ", by 0", "](docs/results"})
	if n := strings.Count(text, "| "+unanswered+" |"); n != len(claims) {
		t.Errorf("%d questions are unanswered, want %d", n, len(claims))
	}
	template, err := templates.ReadFile("RESULTS.md.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	led := make(map[string]bool)
	for _, c := range claims {
		led[c.Experiment] = true
		if !strings.Contains(text, "["+c.Question+"](#"+c.Experiment+")") || strings.Count(string(template), `{{claim "`+c.Question+`"}}`) != 1 {
			t.Errorf("%q is not on the page, or not in its section", c.Question)
		}
	}
	for _, s := range sections {
		if !regexp.MustCompile(`{{section "` + s.experiment + `"}}\n---\n!\[[^\]]+\]\({{figure "` + s.experiment + `"}}\)\n`).Match(template) {
			t.Errorf("%s: the section does not begin with its figure", s.experiment)
		}
		e, err := paper.FindExperiment(s.experiment)
		if err != nil || !slices.Contains(e.Figures, s.figure) {
			t.Errorf("%s: no figure %s (%v)", s.experiment, s.figure, err)
		}
		if !led[s.experiment] || strings.Count(text, `<a id="`+s.experiment+`"></a>`+"\n\n## "+s.title+"\n") != 1 {
			t.Errorf("%s: no claim leads its section", s.experiment)
		}
	}
	if len(sections) != len(paper.Experiments) {
		t.Errorf("%d sections of %d experiments", len(sections), len(paper.Experiments))
	}
}

// TestHolm: of the claims on Syn, only one that holds after Holm's correction for all of them keeps its verdict.
func TestHolm(t *testing.T) {
	one := func(syn bool, p float64) said {
		return said{claim{syn: syn}, effect{Value: 0.1, Low: 0.02, High: 0.18, P: p, N: 3, over: "sets"}.answer()}
	}
	list := []said{one(true, 0.001), one(true, 0.03), one(false, 0.03), one(true, 0.2)}
	holm(list)
	for i, want := range []string{yes, cannotTell + " (p = 0.060 after Holm's correction for the 3 questions about Syn)", yes, cannotTell + " (p = 0.200"} {
		if !strings.HasPrefix(list[i].Verdict, want) {
			t.Errorf("claim %d: %s, want %s", i, list[i].Verdict, want)
		}
	}
}

// TestFits: sentences are about the committed archives, each of which has as many fits as its section says.
func TestFits(t *testing.T) {
	archives, err := committed.Archives()
	for _, s := range sections {
		if n := len(openAll(archives)[s.experiment].Results); n != s.fits {
			t.Errorf("%s: the archive has %d fits, not %d (%v)", s.experiment, n, s.fits, err)
		}
	}
}

// TestShorts sorts claims by what is known of them.
func TestShorts(t *testing.T) {
	of := func(short, experiment string, values ...float64) said {
		return said{claim{short: short, Experiment: experiment}, acrossFamilies(denseSets[:len(values)], values).answer()}
	}
	f := filler{said: []said{{}, of("e", "published", 0.05, 0.07, 0.06), of("a", "noise", 0.04, 0.06, 0.05), of("b", "noise", -0.04, -0.06, -0.05),
		of("c", "noise", 0.001, -0.001, 0.002), of("d", "noise", 0.5, -0.5, 0.2), {}}}
	for what, want := range map[string]string{"better": "a (+0.050)", "worse": "b (−0.050)", "same": "c (+0.001)", "optimistic": "e (+0.060)", "open": "1"} {
		if got := f.shorts(what); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
}

// TestNumber writes what a verdict does not say yet.
func TestNumber(t *testing.T) {
	for _, c := range []struct {
		of   answer
		want string
	}{
		{answer{Verdict: "Yes, by 0.050", Estimate: "+0.050", Interval: "+0.037 to +0.063, 4 sets"}, "95 % interval +0.037 to +0.063, 4 sets."},
		{answer{Verdict: cannotTell, Estimate: "−0.050", Interval: "−0.1 to +0.1, 4 sets", of: "a less b"}, "−0.050 (95 % interval −0.1 to +0.1, 4 sets): a less b."},
		{answer{Verdict: "Yes", Estimate: "3 of 4", Interval: "none: one split"}, "3 of 4 (no interval: one split)."},
		{answer{Verdict: "More than 0.5", Estimate: "above 0.5"}, "above 0.5."},
		{answer{Verdict: tooLittle}, ""},
	} {
		if got := c.of.number(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// ablationClaims plant what Syn steps are worth beside softmax.
func ablationClaims(t *testing.T) (list []plantedClaim) {
	for i, q := range []string{"Do three steps of concentration beat softmax (γ = 1)?", "Do three steps of distraction beat softmax (γ = 1)?",
		"Do three steps of concentration beat softmax (γ = 0.5 with layer norm)?", "Do three steps of distraction beat softmax (γ = 0.5 with layer norm)?"} {
		setting, softmax := syn(3-6*(i%2), ""), `{"pooling":"softmax","norm":true}`
		if i < 2 {
			setting, softmax = inPaper(setting), inPaper(softmax)
		}
		list = append(list, plantedClaim{q, func(name string) []results.Result {
			return planted(t, cv.HonestProtocol, 3, 2, some(name), []string{setting, softmax}, func(r results.Result) float64 {
				if string(r.Config) == softmax {
					return 0.7
				}
				return 0.7 + sizes[name] + scatter(name, r)
			})
		}, fourVerdicts, nil, nil})
	}
	return append(list, plantedClaim{"Does pooling separate the classes of bags that it did not see?", nil,
		map[string]string{"all": "Yes, on these bags | ", "some": "Not on all of these bags | 1 of 2 | none: one split of 1 sets", "nothing": tooLittle},
		func(name string) []results.Space {
			if name == "nothing" {
				return nil
			}
			list := []results.Space{{Set: "a", Of: results.OfMeans, TestSilhouette: 0.1}, {Set: "a", Of: results.OfPooled, Config: []byte(syn(3, "")), TestSilhouette: 0.2}, {Set: "a", Of: results.OfPooled, Config: []byte(syn(-3, "")), TestSilhouette: 0.3}}
			if name == "some" {
				list[2].TestSilhouette = 0.05
			}
			return list
		}, nil})
}

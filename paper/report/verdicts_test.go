package report

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/results"
)

// Every verdict is tested both ways: with a planted effect its sentence claims it, without one it does not.

// Lines that stand where a part does not.
const (
	leftOut   = "*Left out, as it is about the committed results, and does not hold here: “"
	notEnough = "*The results do not suffice for this part.*"
)

// holds checks that a section says some things and does not say others.
func holds(t *testing.T, name, text string, err error, says, silent []string) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	for _, s := range says {
		if !strings.Contains(text, s) {
			t.Errorf("%s: no %q in\n%s", name, s, text)
		}
	}
	for _, s := range append(silent, "NaN", "Inf", "%!") {
		if strings.Contains(text, s) {
			t.Errorf("%s: %q in\n%s", name, s, text)
		}
	}
}

var (
	webSets   = strings.Fields("web1 web2 web3 web4 web5 web6 web7 web8 web9")
	denseSets = strings.Fields("a b c d e f g h")
	manySteps = []int{-20, -10, -3, -1, 0, 1, 3, 10, 20}
)

func synSettings() (list []string) {
	for _, i := range manySteps {
		list = append(list, syn(i, ""))
	}
	return list
}

// TestIterations plants distraction, which wins on every set.
func TestIterations(t *testing.T) {
	sets := slices.Concat(denseSets, webSets)
	a := results.Archive{Experiment: "iterations", Results: planted(t, "honest", 2, 2, sets, synSettings(), func(r results.Result) float64 {
		return 0.7 - 0.01*iOf(t, r) + 0.02*chance(r)
	})}
	text, err := Section(a)
	holds(t, "17 sets", text, err, []string{leftOut + "Friedman's test (F of Iman and Davenport): …. ", "(on 80 % of sets; Table 4) | 100 % | 66 % to 100 %, 9 of 9 sets |", "(on 53.3 % of sets; Table 4) | 0 % | 0 % to 34 %, 0 of 9 sets |",
		"less that over I > 0 | +0.17", ", 9 families of sets |"}, []string{cannotTell})
}

// TestChosen plants a scale that the validation part prefers and one that the test part does, in both settings.
func TestChosen(t *testing.T) {
	var settings []string
	for _, i := range []int{-1, 0, 1} {
		for _, scale := range []string{`"scale":1,`, `"scale":10,`} {
			setting := strings.Replace(syn(i, ""), `"scale":10,`, scale, 1)
			settings = append(settings, setting, inPaper(setting))
		}
	}
	fits := planted(t, "nested", 3, 2, denseSets, settings, func(r results.Result) float64 {
		c := configOf(r)
		auc := 0.6 + 0.02*chance(r)
		if c.Scale == 10 {
			auc += 0.2
		}
		if c.Norm {
			auc += 0.1
		}
		return auc
	})
	for i := range fits {
		inside := 0.5
		if configOf(fits[i]).Scale == 1 {
			inside = 0.9
		}
		fits[i].Validation, fits[i].Inside = nil, &results.Inside{Figure: inside, Loss: 1}
	}
	s := newIterations(results.Archive{Experiment: "iterations", Results: fits})
	for preset, want := range map[string]float64{paperPreset: 0.6, releasedPreset: 0.7} {
		for _, c := range []struct {
			sweep sweepStudy
			want  float64
		}{{s.Chosen(preset), want}, {s.Optimistic(preset), want + 0.2}} {
			if len(c.sweep.sweeps) != len(denseSets) {
				t.Fatalf("%s: %d sets", preset, len(c.sweep.sweeps))
			}
			for _, one := range c.sweep.sweeps {
				if got := mean(one.auc); math.Abs(got-c.want) > 0.04 {
					t.Errorf("%s: a mean AUC of %.3f, want about %.1f", preset, got, c.want)
				}
			}
		}
	}
}

// TestTies shares the place of equal means, which no side gets for coming first.
func TestTies(t *testing.T) {
	settings := []string{syn(-1, ""), syn(0, ""), syn(1, "")}
	fits := planted(t, "honest", 2, 1, denseSets[:6], settings, func(results.Result) float64 { return 0.7 })
	text, err := Section(results.Archive{Experiment: "iterations", Results: fits})
	holds(t, "ties", text, err, []string{"| a | −1, 0, 1 | 0.700 | −1, 0, 1 |", " | 33 % | ", ", 2 of 6 sets |"}, []string{"| Yes |"})
	zero := planted(t, "honest", 2, 1, denseSets[:6], settings, func(r results.Result) float64 {
		if r.Set == "a" { // shared by distraction and concentration
			return 0.7 + 0.1*math.Abs(iOf(t, r))
		}
		return 0.7 - 0.1*math.Abs(iOf(t, r))
	})
	text, err = Section(results.Archive{Experiment: "iterations", Results: zero})
	holds(t, "best at 0", text, err, []string{", 0.5 of 6 sets |"}, nil)
	noisy := planted(t, "honest", 2, 1, []string{"a", "a+gaussian(10dB)"}, settings, func(results.Result) float64 { return 0.7 })
	text, err = Section(results.Archive{Experiment: "noise", Results: noisy})
	holds(t, "ties of noise", text, err, []string{"| gaussian(10dB) | −1, 0, 1 (0.700) | +0.000 |"}, nil)
	text, err = Section(results.Archive{Experiment: "poolings", Results: planted(t, "nested", 2, 1, denseSets[:2], []string{`{"pooling":"max"}`, `{"pooling":"mean"}`}, func(results.Result) float64 { return 0.7 })})
	holds(t, "ties of poolings", text, err, []string{"The best mean is that of max on 1 of 2 and mean on 1 of 2 sets"}, nil)
	if _, err := Section(results.Archive{Experiment: "iterations", Results: planted(t, "honest", 2, 1, []string{"a"}, []string{`{"pooling":"mean"}`}, func(results.Result) float64 { return 0.7 })}); err == nil {
		t.Error("a setting without I is taken")
	}
}

func TestNoiseVerdicts(t *testing.T) {
	settings := []string{syn(-3, ""), syn(-1, ""), syn(0, ""), syn(1, ""), syn(3, "")}
	run := func(sets []string, clean, effect float64) (string, error) {
		var names []string
		for _, s := range sets {
			names = append(names, s)
			if isWeb(s) {
				names = append(names, s+"+deletion(0.1)")
				continue
			}
			names = append(names, s+"+gaussian(20dB)", s+"+gaussian(0dB)")
		}
		return Section(results.Archive{Experiment: "noise", Results: planted(t, "honest", 5, 2, names, settings, func(r results.Result) float64 {
			auc := 0.7 + 0.02*chance(r)
			if strings.Contains(r.Set, "+") {
				return auc + effect*iOf(t, r)
			}
			return auc + clean*iOf(t, r)
		})})
	}
	text, err := run(denseSets, 0, 0.03)
	holds(t, "for concentration", text, err, []string{"| gaussian(0dB) | 3 (", "| a | +0.1", "| h | +0.1"}, nil)
	text, err = run(denseSets, 0.03, 0.03)
	holds(t, "no effect", text, err, []string{"| set | change of the lead |"}, []string{"| a | +0.1", "| h | +0.1", "| a | −0.1"})
	text, err = run([]string{"elephant", "fox", "musk1", "web1", "web4", "web7"}, 0, 0.03)
	holds(t, "six sets", text, err, []string{"| deletion(0.1) |", "| web7 | +0.1", ", 3 families of sets |"}, nil)
}

// TestFavouring: noise takes away what chance gave to the scale that is chosen without it.
func TestFavouring(t *testing.T) {
	var settings []string
	for _, i := range []int{-3, 0, 3} {
		settings = append(settings, syn(i, ""), strings.Replace(syn(i, ""), `"scale":10`, `"scale":1`, 1))
	}
	fits := planted(t, "honest", 5, 2, []string{"elephant", "elephant+gaussian(0dB)", "musk1", "musk1+gaussian(0dB)"}, settings, func(r results.Result) float64 {
		auc := 0.7 + 0.002*chance(r)
		if !strings.Contains(r.Set, "+") {
			auc += 0.02 * iOf(t, r) * map[float64]float64{1: -1, 10: 1}[configOf(r).Scale]
		}
		return auc
	})
	s := newNoise(results.Archive{Experiment: "noise", Results: fits})
	for side, want := range map[string]struct {
		beside string
		moved  float64
	}{distractionSide: {"S = 1, width 0", 0.12}, concentrationSide: {"S = 10, width 0", -0.12}} {
		n := s.Favouring(side, releasedPreset)
		for i, set := range n.moved {
			if n.besides[set] != want.beside || math.Abs(n.moves[i]-want.moved) > 0.01 {
				t.Errorf("%s on %s: %s, %+.3f; want %+v", side, set, n.besides[set], n.moves[i], want)
			}
		}
	}
	if text := s.Choices(); !strings.Contains(text, "| released | distraction | −0.1") || !strings.Contains(text, "| released | concentration | +0.1") {
		t.Error(text)
	}
}

func TestPublishedVerdicts(t *testing.T) {
	base := []string{"elephant", "musk1", "web1"}
	settings := []string{`{"pooling":"softmax"}`, syn(-20, "")}
	repeats := 2
	run := func(epoch, one, leak, loop, shuffled float64) (string, error) {
		sets := slices.Clone(base)
		for i := range 5 {
			for _, s := range base {
				sets = append(sets, fmt.Sprintf("%s-shuffled-%d", s, i+1))
			}
		}
		sets = append(sets, "web1+leak", "musk1+leak") // only that of Web counts
		var fits []results.Result
		for _, protocol := range []string{cv.HonestProtocol, cv.BestEpochProtocol, cv.PublishedProtocol} {
			fits = append(fits, planted(t, protocol, 4, repeats, sets, settings, func(r results.Result) float64 {
				auc := 0.7 + 0.01*chance(r)
				if r.Protocol != cv.HonestProtocol {
					auc += epoch
				}
				if r.Protocol == cv.PublishedProtocol {
					auc += one
				}
				_, suffix := changed(r.Set)
				switch suffix {
				case leakSuffix:
					auc += leak
				case shuffledSuffix:
					auc = 0.5 + 0.03*chance(r)
					if r.Protocol != cv.HonestProtocol {
						auc += shuffled
					}
				}
				if strings.Contains(string(r.Config), "syn") && suffix == "" {
					auc -= loop
				}
				return auc
			})...)
		}
		a := results.Archive{Experiment: "published", Results: fits}
		for _, figure := range []string{"steps", "control"} {
			if _, err := Plot(a, figure); err != nil {
				t.Error(err)
			}
		}
		return Section(a)
	}
	text, err := run(0.1, 0, 0.15, 0.05, 0.1)
	holds(t, "planted", text, err, []string{"the empty loop (softmax in place of Syn) +0.0", "best test epoch +0.1", "leak +0.1", "Mean over the sets other than Web of what each step adds", "| elephant | 8 single folds |", "| web1 | 2 shuffled splits |",
		"The honest protocol reports 0.", "n = 5 shuffles): that contains 0.5, as it must.", "that is above 0.5, where there is nothing to learn"}, []string{leftOut})
	_, byPooling, _ := strings.Cut(text, "by pooling, mean over sets")
	_, row, _ := strings.Cut(byPooling, "\n| softmax |")
	row, _, _ = strings.Cut(row, "\n")
	_, leakless, _ := strings.Cut(text, "\n| musk1 |")
	leakless, _, _ = strings.Cut(leakless, "\n")
	if strings.Contains(leakless, "|  |") {
		t.Errorf("no leak of musk1: %s", leakless)
	}
	if strings.Count(text, "leak +") != 1 || strings.Count(row, "|") != 5 { // of Web alone
		t.Errorf("the leak:\n%s", text)
	}
	text, err = run(0, 0, 0, 0, 0)
	holds(t, "nothing planted", text, err, []string{"best test epoch +0.00", leftOut + "Over all sets and settings"}, nil)
	repeats = 6
	text, err = run(0.1, -0.15, 0.2, -0.1, 0)
	_, changes, _ := strings.Cut(text, "What each step changes on each set")
	changes, _, _ = strings.Cut(changes, "single fold")
	for _, set := range base { // the loop lowers it, the epoch raises it, one fold lowers it; the leak raises it on Web
		want := regexp.MustCompile(`\n\| ` + set + ` \| −0\.0\d+ [^|]*\| \+0\.(09|1)\d+ [^|]*\| −0\.1\d+ [^|]*\|` + map[bool]string{true: ` \+0\.\d+ [^|]*\| \+0\.\d+ `, false: `  \|  \|`}[isWeb(set)])
		if err != nil || !want.MatchString(changes) {
			t.Errorf("%s: %v, no %v in\n%s", set, err, want, changes)
		}
	}
	two := slices.Concat(planted(t, cv.HonestProtocol, 4, 3, base[:1], settings[:1], func(r results.Result) float64 { return 0.7 + 0.01*chance(r) }),
		planted(t, cv.BestEpochProtocol, 4, 3, base[:1], settings[:1], func(r results.Result) float64 { return 0.8 + 0.01*chance(r) }))
	torn := slices.DeleteFunc(slices.Clone(two), func(r results.Result) bool { // a repeat of one fold, which is the best of all
		return r.Protocol == cv.BestEpochProtocol && r.Repeat == 2 && r.Fold > 0
	})
	mean := 0.0 // of what the step adds in the repeats that are whole
	for _, r := range torn {
		if r.Repeat < 2 {
			auc, err := r.Figure()
			if err != nil {
				t.Fatal(err)
			}
			mean += auc * map[string]float64{cv.HonestProtocol: -1, cv.BestEpochProtocol: 1}[r.Protocol] / 8
		}
	}
	text, err = Section(results.Archive{Experiment: "published", Results: torn})
	holds(t, "a torn repeat", text, err, []string{"| elephant |  | " + signed(mean) + " ("}, nil)
	seeds := slices.Clone(two)
	for _, r := range two {
		r.Seed = 2
		seeds = append(seeds, r)
	}
	study := newPublished(results.Archive{Experiment: "published", Results: seeds})
	if both, _, _ := pairs(study.repeats(softmaxSteps[1])["elephant"], study.repeats(softmaxSteps[2])["elephant"]); len(both) != 6 {
		t.Errorf("%d repeats of two seeds, want 6", len(both))
	}
	one := planted(t, "honest", 4, 1, []string{"elephant", "elephant-shuffled-1"}, settings[:1], func(results.Result) float64 { return 0.5 })
	text, err = Section(results.Archive{Experiment: "published", Results: one})
	holds(t, "a part", text, err, []string{"| elephant, softmax | 0.500 |", notEnough}, []string{"that contains 0.5"})
	text, err = Section(results.Archive{Experiment: "published", Results: one[:4]})
	holds(t, "no control", text, err, []string{notEnough}, []string{"elephant, softmax"})
}

func TestAssumptionVerdicts(t *testing.T) {
	var sets []string
	for test := range 2 {
		for draw := range 10 {
			sets = append(sets, fmt.Sprintf("raffholt%d-draw-%d", test+1, draw+1))
		}
	}
	fits := planted(t, "honest", 1, 1, sets, []string{`{"pooling":"max"}`, `{"pooling":"mean"}`, `{"pooling":"gated"}`}, func(r results.Result) float64 {
		auc := map[string]float64{`{"pooling":"max"}`: 0.8, `{"pooling":"mean"}`: 0.49, `{"pooling":"gated"}`: 0.4}[string(r.Config)]
		return auc + 0.05*chance(r)
	})
	text, err := Section(results.Archive{Experiment: "assumption", Results: fits})
	holds(t, "planted", text, err, []string{"- breaks the assumption (the whole interval is under 0.5): gated (1 and 2).", "one repeat): mean (1 and 2).", "- does not break it (the whole interval is over 0.5): max (1 and 2)."}, nil)
	first := slices.DeleteFunc(fits, func(r results.Result) bool { return !strings.HasSuffix(r.Set, "-draw-1") })
	text, err = Section(results.Archive{Experiment: "assumption", Results: first})
	holds(t, "one drawing", text, err, []string{"under 0.5): none.", "over 0.5): none."}, nil)
}

func TestAblationVerdicts(t *testing.T) {
	settings := []string{syn(3, ""), strings.Replace(syn(3, ""), `"gamma":0.5`, `"gamma":1`, 1), `{"pooling":"mean","dropout":0.75}`}
	sets := slices.Concat(denseSets, []string{"web1", "web4"})
	run := func(effect func(set string) float64) (string, error) {
		return Section(results.Archive{Experiment: "ablation", Results: planted(t, "honest", 5, 4, sets, settings, func(r results.Result) float64 {
			auc := 0.7 + 0.01*chance(r)
			if strings.Contains(string(r.Config), `"gamma":1`) {
				auc += effect(r.Set)
			}
			return auc
		})})
	}
	text, err := run(func(set string) float64 {
		if set == "c" || set == "web4" {
			return 0.1
		}
		return 0
	})
	holds(t, "two sets", text, err, []string{"| released, I = 3, γ = 1 | We cannot tell | +0.0"}, nil)
	text, err = run(func(set string) float64 { return 0.05 })
	holds(t, "on all", text, err, []string{"| released, I = 3, γ = 1 | Yes, by 0.0"}, []string{cannotTell})
	// Three families in which a change differs do not carry it after Holm's correction.
	sets = []string{"a", "b", "web1"}
	text, err = run(func(set string) float64 { return map[string]float64{"a": 0.02, "b": 0.05, "web1": 0.037}[set] })
	holds(t, "three sets", text, err, []string{"| released, I = 3, γ = 1 | We cannot tell (p = 0.0", "after Holm's correction for the 2 changes) | +0.0"}, nil)
	sets = slices.Concat(denseSets, []string{"web1", "web4"})
	text, err = run(func(string) float64 { return 0 })
	holds(t, "nowhere", text, err, []string{"| released, I = 3, γ = 1 | No difference"}, nil)
}

// TestChangeCounts counts a change that helps, one that changes nothing and one that is open.
func TestChangeCounts(t *testing.T) {
	settings := []string{syn(3, ""), strings.Replace(syn(3, ""), `"gamma":0.5`, `"gamma":1`, 1), `{"pooling":"mean","dropout":0.75}`, `{"pooling":"softmax","norm":true,"dropout":0.75}`}
	for _, s := range settings {
		settings = append(settings, strings.Replace(s, `"iterations":3`, `"iterations":-3`, 1))
	}
	study := newAblation(results.Archive{Results: planted(t, "honest", 5, 4, denseSets, settings[:6], func(r results.Result) float64 {
		auc := 0.7 + 0.001*chance(r)
		switch string(r.Config) {
		case settings[1], settings[5]:
			auc += 0.1
		case settings[2]:
			auc += 0.2 * float64(2*int(r.Set[0]%2)-1)
		}
		return auc
	})})
	for what, want := range map[string]int{"": 6, "Yes": 2, "No difference": 2, cannotTell: 2} {
		if got := study.Count(what); got != want {
			t.Errorf("%d changes of %q, want %d", got, what, want)
		}
	}
}

func TestPoolingsVerdicts(t *testing.T) {
	settings := []string{syn(-5, ""), syn(5, ""), `{"pooling":"mean"}`, `{"pooling":"instance","c":0.1}`, inPaper(syn(5, ""))}
	run := func(lack float64) (string, error) {
		return Section(results.Archive{Experiment: "poolings", Results: planted(t, "nested", 10, 2, []string{"musk1", "musk2", "tiger", "web1"}, settings, func(r results.Result) float64 {
			auc := 0.95 + 0.001*chance(r)
			if r.Set == "musk1" {
				auc -= lack
			}
			switch string(r.Config) {
			case settings[1]:
				auc += 0.01
			case settings[3]:
				auc -= 0.02
			}
			return auc
		})})
	}
	text, err := run(0)
	holds(t, "above", text, err, []string{"| ours, any | musk1, musk2 and tiger | none |", "| ours, any network | musk1, musk2 and tiger | none |", "| set | instance | mean | syn | syn (paper) | any network | any |",
		"| syn | 2 | I = 5 | ", "| mean | 1 | the only one | ", "HopfieldPooling | 91.3 ± 0.5", "(with 10 folds from 72 % of the bags)", "syn on 4 of 4 sets"}, []string{"and why. AUC"})
	text, err = run(0.2)
	holds(t, "below", text, err, []string{"| ours, any | musk2 and tiger | musk1 |", "Where \"any\" is below, and why.", "| 91.4 | 0 of 4 | 0 of 1 |", "| no setting reaches it |"}, nil)
}

// TestWriteTimes keeps times out of the report.
func TestWriteTimes(t *testing.T) {
	a := results.Archive{Experiment: "assumption", Results: planted(t, "honest", 1, 2, []string{"raffholt1"}, []string{`{"pooling":"max"}`}, func(r results.Result) float64 { return 0.7 + 0.01*chance(r) })}
	var before, after, times bytes.Buffer
	if err := WriteTables(&before, []results.Archive{a}); err != nil {
		t.Fatal(err)
	}
	a.Times = []results.Time{{Fits: 12, Seconds: 61.7, Cores: 2, Backend: "go", Version: "1", Revision: "abc"}}
	if err := WriteTables(&after, []results.Archive{a}); err != nil || before.String() != after.String() {
		t.Errorf("times are in the report (%v)", err)
	}
	if err := WriteTimes(&times, []results.Archive{a}); err != nil || !strings.Contains(times.String(), "| assumption | 12 | 0 | 1m2s | 2 | go | 1 | abc |") {
		t.Errorf("%v: %s", err, times.String())
	}
}

// TestPartial writes a report of an archive whose last repeat is torn, and says so.
func TestPartial(t *testing.T) {
	settings := []string{syn(-3, ""), syn(0, ""), syn(3, "")}
	fits := planted(t, "honest", 3, 2, []string{"a", "a+gaussian(10dB)", "b"}, settings, func(r results.Result) float64 { return 0.7 + 0.02*chance(r) })
	for n := range len(fits) {
		for _, name := range []string{"iterations", "noise"} {
			text, err := Section(results.Archive{Experiment: name, Results: fits[:n+1]})
			holds(t, fmt.Sprintf("%s, %d results", name, n), text, err, []string{"."}, nil)
		}
	}
	text, err := Section(results.Archive{Experiment: "iterations", Results: fits[:len(fits)-1]})
	holds(t, "one missing", text, err, []string{"Notes:\n\n- b, syn I=3: 1 of 2 repeats left out", "Not complete: b: 1 of 2 repeats left out of the tests"}, nil)
}

package learners

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// blank returns bags whose values nobody reads.
func blank(bags, instances int) (all []mil.Instances) {
	for range bags {
		all = append(all, &mil.Dense{Rows: instances, Cols: 20, Values: make([]float32, instances*20)})
	}
	return all
}

// TestAffordable: learners whose time grows with the square of the instances get a sample that takes the seconds allowed: of the
// instances of large bags first, then of the bags. Others and small sets get none. What takes minutes even so is left out.
func TestAffordable(t *testing.T) {
	type sizes struct{ Sample, Instances int }
	reduced := func(setting json.RawMessage, bags []mil.Instances) (s json.RawMessage, of sizes, note string) {
		t.Helper()
		set := &mil.Set{Name: "blank"}
		for _, b := range bags {
			set.Bags = append(set.Bags, mil.Bag{Instances: b})
		}
		list, notes, err := Affordable([]json.RawMessage{setting}, set, false)
		if err != nil {
			t.Fatal(err)
		}
		note = notes[learner.Name(setting)]
		if len(list) == 0 {
			return nil, of, note
		}
		if err := json.Unmarshal(list[0], &of); err != nil || (note == "") != (string(list[0]) == string(setting)) {
			t.Errorf("%s, %q, %v", list[0], note, err)
		}
		return list[0], of, note
	}
	for _, name := range []string{"distance-svm", "set-kernel-svm", "miles", "mind"} {
		e := must(Find(name))
		setting := must(e.Setting(e.Default()))
		if same, _, _ := reduced(setting, blank(200, 10)); string(same) != string(setting) {
			t.Errorf("%s on 200 bags: %s", name, same)
		}
		sampled, of, note := reduced(setting, blank(8000, 10))
		if of.Sample < 400 || of.Sample > 2500 || of.Instances != 0 || !strings.Contains(note, name+" learns from a sample of") {
			t.Errorf("%s on 8,000 bags: %s, %q", name, sampled, note)
		}
		if c, err := e.CostOf(sampled, blank(8000, 10)); err != nil || c.Seconds+c.Shared > fitSeconds || c.Seconds+c.Shared < fitSeconds/2 {
			t.Errorf("%s: the sample costs %+v, %v", name, c, err)
		}
		if again, _, _ := reduced(sampled, blank(8000, 10)); string(again) != string(sampled) {
			t.Errorf("%s: a sample of the sample: %s", name, again)
		}
		large, of, note := reduced(setting, blank(40, 6000))
		if name == "distance-svm" { // it has representatives of large bags
			continue
		}
		if of.Sample != 0 || of.Instances < fewestInstances || of.Instances > 5000 || !strings.Contains(note, name+" learns from at most") {
			t.Errorf("%s on 40 bags of 6,000: %s, %q", name, large, note)
		}
		if err := Check(noNetworks{}, cv.Task{Kind: mil.BinaryTarget, Bags: blank(40, 6000), Fits: []cv.Fit{{Setting: large}}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, of, _ := reduced(setting, blank(4000, 300)); of.Sample == 0 || of.Instances != fewestInstances {
			t.Errorf("%s on 4,000 bags of 300: %+v", name, of)
		}
	}
	for name, setting := range map[string]string{"a network": `{"pooling":"gated"}`, "trees": "statistics-trees"} {
		s := json.RawMessage(setting)
		if e, err := Find(setting); err == nil {
			s, _ = e.Setting(e.Default())
		}
		if same, _, _ := reduced(s, blank(8000, 10)); string(same) != string(s) {
			t.Errorf("%s: %s", name, same)
		}
	}
	e, _ := Find("mi-svm-instance")
	setting, _ := e.Setting(e.Default())
	wide := []mil.Instances{}
	for range 200 {
		wide = append(wide, &mil.Dense{Rows: 200, Cols: 1 << 20})
	}
	if left, _, note := reduced(setting, wide); left != nil || !strings.Contains(note, "mi-svm-instance takes about") || !strings.Contains(note, "it is left out") {
		t.Errorf("a million features: %s, %q", left, note)
	}
}

// TestOverrideSample: a sample is a field of every classical setting.
func TestOverrideSample(t *testing.T) {
	setting, err := Override("statistics-svm", json.RawMessage(`{"sample":50,"c":2}`))
	if err != nil || !strings.Contains(string(setting), `"c":2,`) || !strings.Contains(string(setting), `"sample":50`) {
		t.Errorf("%s, %v", setting, err)
	}
	if setting, err := Override("miles", json.RawMessage(`{"instances":7}`)); err != nil || !strings.Contains(string(setting), `"instances":7`) {
		t.Errorf("%s, %v", setting, err)
	}
	if _, err := Override("miles", json.RawMessage(`{"sample":0}`)); err == nil || !strings.Contains(err.Error(), "sample is 0") {
		t.Errorf("%v", err)
	}
}

// TestAutoAffords: on many bags a portfolio chooses by a sample of them, on large bags by some of their instances, and where the
// protocol has inner folds each training draws a sample. Slow candidates learn from it alone, fast ones from all bags, and the
// outcome and the trained model say so.
func TestAutoAffords(t *testing.T) {
	was := choosingSeconds
	t.Cleanup(func() { choosingSeconds = was })
	for name, c := range map[string]struct {
		bags, instances int
		nested          bool
		seconds         float64
		key             string // of the settings of slow candidates
	}{
		"many bags":   {200, 30, false, 0.5, `"sample":`},
		"inner folds": {1000, 10, true, 3, `"sample":`},
		"large bags":  {50, 240, false, 2, `"instances":`},
	} {
		t.Run(name, func(t *testing.T) {
			choosingSeconds = c.seconds
			autoAffords(t, c.bags, c.instances, c.nested, c.key)
		})
	}
}

func autoAffords(t *testing.T, bags, instances int, nested bool, key string) {
	set := &mil.Set{Name: "planted", Kind: mil.BinaryTarget, Classes: []string{"0", "1"}}
	rng := rand.New(rand.NewPCG(1, 3))
	for i := range bags + 20 {
		d := &mil.Dense{Rows: instances, Cols: 4}
		for j := range 4 * instances {
			d.Values = append(d.Values, float32(rng.NormFloat64()))
			if j%4 == 0 && j < instances/2 && i%2 == 1 {
				d.Values[j] += 3
			}
		}
		set.Bags = append(set.Bags, mil.Bag{ID: fmt.Sprint(i), Target: mil.Labelled(i % 2), Instances: d})
	}
	set.Seal()
	fit := cv.Fit{Seed: 4}
	for i, b := range set.Bags {
		if i < bags {
			fit.Train = append(fit.Train, cv.Example{Bag: i, Target: b.Target})
		} else {
			fit.Test = append(fit.Test, i)
		}
	}
	p := DefaultPortfolio()
	p.Candidates = slices.DeleteFunc(p.Candidates, func(c json.RawMessage) bool {
		return !slices.Contains([]string{"statistics-svm", "set-kernel-svm"}, learner.Name(c))
	})
	setting, err := p.Setting()
	if err != nil {
		t.Fatal(err)
	}
	fit.Setting = setting
	if nested {
		if fit.Inner, err = cv.CutInner(cv.NewTask(set, nil), fit.Train, 5, 1); err != nil {
			t.Fatal(err)
		}
	}
	task := cv.NewTask(set, []cv.Fit{fit})
	s := p.on(task, fit).sampled(task, fit)
	if s == nil || (s.chosen == nil) == (!nested && s.bags > 0) || s.bags > 0 && (s.bags < fewestSampled || 5*s.bags >= 4*bags) || s.bags+s.instances == 0 || !s.whole[0] || slices.Contains(s.left, true) || !slices.Contains(s.whole, false) {
		t.Fatalf("sampling %+v", s)
	}
	all := All(noNetworks{}, Resources{Workers: 2})
	plan, err := all.Plan(task)
	if err != nil || s.chosen != nil && !strings.Contains(plan.Note, "auto chooses by") || !strings.Contains(plan.Note, fmt.Sprintf("with %v: set-kernel-svm", s.sample)) {
		t.Errorf("note %q, %v", plan.Note, err)
	}
	learn := func() (o learner.Outcome) {
		if err := all.Learn(t.Context(), task, func(outcome learner.Outcome) error { o = outcome; return outcome.Err }); err != nil {
			t.Fatal(err)
		}
		o.Wall = 0
		return o
	}
	o := learn()
	if len(o.Epochs) != 1 || len(o.Epochs[0].Test) != 20 || (o.Epochs[0].Validation != nil) != nested {
		t.Fatalf("%+v", o)
	}
	check := func(models []learner.Weighted) {
		t.Helper()
		var kinds [2]int
		for _, m := range models {
			sampled := strings.Contains(string(m.Setting), key)
			slow := learner.Name(m.Setting) != "statistics-svm"
			if slow != sampled {
				t.Errorf("setting %s", m.Setting)
			}
			kinds[map[bool]int{true: 1}[slow]]++
		}
		if kinds[0] == 0 || kinds[1] == 0 {
			t.Errorf("%d fast and %d slow models count", kinds[0], kinds[1])
		}
	}
	check(o.Portfolio)
	if again := learn(); !reflect.DeepEqual(again, o) {
		t.Errorf("%+v, then %+v", o, again)
	}
	if nested {
		return
	}
	m := must(Trainer{Resources: Resources{Workers: 2}}.Train(t.Context(), fit.Setting, set, 4, func(Progress) {}))
	check(m.(*joinedModel).card.Members)

	choosingSeconds = 1e-4 // few bags take long, too
	if s := p.on(task, fit).sampled(task, fit); s == nil || !slices.Contains(s.left, true) || !strings.Contains(s.note(&p, bags), "left out") {
		t.Errorf("sampling %+v", s)
	}
}

// BenchmarkSample reports the AUC of learners that learn from a sample: of 2,000 bags of 10 x 20, of which one instance in
// positive bags is moved by 1.5 standard deviations in three features, and of 120 bags of 400 x 20, of which 20 are. Five folds, one
// repeat; 0 takes all.
func BenchmarkSample(b *testing.B) {
	for _, c := range []struct {
		bags, instances, moved int
		samples                []sample
	}{
		{2000, 10, 1, []sample{{250, 0}, {500, 0}, {1000, 0}, {}}},
		{120, 400, 20, []sample{{0, 50}, {0, 100}, {0, 200}, {24, 0}, {48, 0}, {}}},
	} {
		set := &mil.Set{Name: "moved", Kind: mil.BinaryTarget, Classes: []string{"0", "1"}}
		rng := rand.New(rand.NewPCG(2, 0))
		for i := range c.bags {
			d := &mil.Dense{Rows: c.instances, Cols: 20}
			for range c.instances * d.Cols {
				d.Values = append(d.Values, float32(rng.NormFloat64()))
			}
			for _, k := range rng.Perm(c.instances)[:c.moved*(i%2)] {
				for j := range 3 {
					d.Values[k*d.Cols+j] += 1.5
				}
			}
			set.Bags = append(set.Bags, mil.Bag{ID: fmt.Sprint(i), Target: mil.Labelled(i % 2), Instances: d})
		}
		set.Seal()
		for _, name := range []string{"distance-svm", "set-kernel-svm", "miles", "mi-svm-bag"} {
			for _, of := range c.samples {
				benchmarkSample(b, fmt.Sprintf("%dx%d/%d/%s/%d-%d", c.bags, c.instances, c.moved, name, of.bags, of.instances), set, name, of)
			}
		}
	}
}

func benchmarkSample(b *testing.B, title string, set *mil.Set, name string, of sample) {
	b.Run(title, func(b *testing.B) {
		setting, err := Override(name, json.RawMessage(`{}`))
		if err == nil {
			setting, err = of.of(setting)
		}
		if err != nil {
			b.Fatal(err)
		}
		fits := must(cv.Protocol{Name: cv.HonestProtocol, Folds: 5, Repeats: 1}.Fits(set, []json.RawMessage{setting}, 1))
		for b.Loop() {
			sum := 0.0
			err := All(noNetworks{}, Resources{Workers: 2}).Learn(b.Context(), cv.NewTask(set, fits), func(o learner.Outcome) error {
				if o.Err != nil {
					return o.Err
				}
				var labels []int
				var scores []float64
				for k, i := range fits[o.Fit].Test {
					labels, scores = append(labels, set.Bags[i].Label), append(scores, o.Epochs[0].Test[k].Scores[0])
				}
				auc, err := stats.AUC(labels, scores)
				sum += auc
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(sum/5, "AUC")
		}
	})
}

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

// TestAffordable: learners whose time grows with the square of the bags get a sample that takes the seconds allowed, others
// and small sets none, and bags that are too large for any sample are refused.
func TestAffordable(t *testing.T) {
	for _, name := range []string{"distance-svm", "set-kernel-svm", "miles", "mind"} {
		e, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		setting, err := e.Setting(e.Default())
		if err != nil {
			t.Fatal(err)
		}
		if same, why, err := Affordable(setting, blank(200, 10)); err != nil || string(same) != string(setting) || why != "" {
			t.Errorf("%s on 200 bags: %s, %q, %v", name, same, why, err)
		}
		sampled, why, err := Affordable(setting, blank(8000, 10))
		if err != nil {
			t.Fatal(err)
		}
		var of struct{ Sample int }
		if err := json.Unmarshal(sampled, &of); err != nil || of.Sample < 400 || of.Sample > 2500 || !strings.Contains(why, name+" learns from a sample of") {
			t.Errorf("%s on 8,000 bags: %s, %q, %v", name, sampled, why, err)
		}
		if c, err := e.CostOf(sampled, blank(8000, 10)); err != nil || c.Seconds+c.Shared > fitSeconds || c.Seconds+c.Shared < fitSeconds/2 {
			t.Errorf("%s: the sample costs %+v, %v", name, c, err)
		}
		if again, why, err := Affordable(sampled, blank(8000, 10)); err != nil || string(again) != string(sampled) || why != "" {
			t.Errorf("%s: a sample of the sample: %s, %q, %v", name, again, why, err)
		}
	}
	for name, setting := range map[string]string{"a network": `{"pooling":"gated"}`, "trees": "statistics-trees"} {
		s := json.RawMessage(setting)
		if e, err := Find(setting); err == nil {
			s, _ = e.Setting(e.Default())
		}
		if same, why, err := Affordable(s, blank(8000, 10)); err != nil || string(same) != string(s) || why != "" {
			t.Errorf("%s: %s, %q, %v", name, same, why, err)
		}
	}
	e, _ := Find("set-kernel-svm")
	setting, _ := e.Setting(e.Default())
	if _, _, err := Affordable(setting, blank(400, 4000)); err == nil || !strings.Contains(err.Error(), "set-kernel-svm takes about") {
		t.Errorf("bags of 2,000 instances: %v", err)
	}
}

// TestOverrideSample: a sample is a field of every classical setting.
func TestOverrideSample(t *testing.T) {
	setting, err := Override("statistics-svm", json.RawMessage(`{"sample":50,"c":2}`))
	if err != nil || !strings.Contains(string(setting), `"c":2,`) || !strings.Contains(string(setting), `"sample":50`) {
		t.Errorf("%s, %v", setting, err)
	}
	if _, err := Override("miles", json.RawMessage(`{"sample":0}`)); err == nil || !strings.Contains(err.Error(), "sample is 0") {
		t.Errorf("%v", err)
	}
}

// TestAutoAffords: on many bags a portfolio chooses by a sample. Slow candidates learn from it alone, fast ones from all bags,
// and the outcome and the trained model say so.
func TestAutoAffords(t *testing.T) {
	was := choosingSeconds
	t.Cleanup(func() { choosingSeconds = was })
	choosingSeconds = 0.5
	set := &mil.Set{Name: "planted", Kind: mil.BinaryTarget, Classes: []string{"0", "1"}}
	rng := rand.New(rand.NewPCG(1, 3))
	for i := range 220 {
		d := &mil.Dense{Rows: 30, Cols: 4}
		for j := range 120 {
			d.Values = append(d.Values, float32(rng.NormFloat64()))
			if j == 0 && i%2 == 1 {
				d.Values[0] += 3
			}
		}
		set.Bags = append(set.Bags, mil.Bag{ID: fmt.Sprint(i), Target: mil.Labelled(i % 2), Instances: d})
	}
	set.Seal()
	fit := cv.Fit{Seed: 4}
	for i, b := range set.Bags {
		if i < 200 {
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
	task := cv.NewTask(set, []cv.Fit{fit})
	s := p.on(task, fit).sampled(task, fit)
	if s == nil || len(s.bags) < fewestSampled || len(s.bags) >= 160 || !s.whole[0] || slices.Contains(s.left, true) || !slices.Contains(s.whole, false) {
		t.Fatalf("sampling %+v", s)
	}
	all := All(noNetworks{}, Resources{Workers: 2})
	plan, err := all.Plan(task)
	if err != nil || !strings.Contains(plan.Note, "auto chooses by") || !strings.Contains(plan.Note, "of 200 bags; ") {
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
	if len(o.Epochs) != 1 || len(o.Epochs[0].Test) != 20 || o.Epochs[0].Validation != nil {
		t.Fatalf("%+v", o)
	}
	check := func(models []learner.Weighted) {
		t.Helper()
		var kinds [2]int
		for _, m := range models {
			sampled := strings.Contains(string(m.Setting), `"sample":`)
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
	m, err := Trainer{Resources: Resources{Workers: 2}}.Train(t.Context(), fit.Setting, set, 4, func(Progress) {})
	if err != nil {
		t.Fatal(err)
	}
	check(m.(*joinedModel).card.Members)

	choosingSeconds = 1e-4 // few bags take long, too
	if s := p.on(task, fit).sampled(task, fit); s == nil || !slices.Contains(s.left, true) || !strings.Contains(s.note(&p, 200), "left out") {
		t.Errorf("sampling %+v", s)
	}
}

// BenchmarkSample reports the AUC of learners that learn from a sample of 2,000 bags of 10 x 20, of which one instance in
// positive bags is moved by 1.5 standard deviations in three features: five folds, one repeat. 0 takes all bags.
func BenchmarkSample(b *testing.B) {
	set := &mil.Set{Name: "moved", Kind: mil.BinaryTarget, Classes: []string{"0", "1"}}
	rng := rand.New(rand.NewPCG(2, 0))
	for i := range 2000 {
		d := &mil.Dense{Rows: 10, Cols: 20}
		for range 200 {
			d.Values = append(d.Values, float32(rng.NormFloat64()))
		}
		for j := range 3 * (i % 2) {
			d.Values[j] += 1.5
		}
		set.Bags = append(set.Bags, mil.Bag{ID: fmt.Sprint(i), Target: mil.Labelled(i % 2), Instances: d})
	}
	set.Seal()
	for _, name := range []string{"distance-svm", "set-kernel-svm", "miles"} {
		for _, sample := range []int{250, 500, 1000, 0} {
			b.Run(fmt.Sprintf("%s/%d", name, sample), func(b *testing.B) {
				fields := `{}`
				if sample > 0 {
					fields = fmt.Sprintf(`{"sample":%d}`, sample)
				}
				setting, err := Override(name, json.RawMessage(fields))
				if err != nil {
					b.Fatal(err)
				}
				fits, err := cv.Protocol{Name: cv.HonestProtocol, Folds: 5, Repeats: 1}.Fits(set, []json.RawMessage{setting}, 1)
				if err != nil {
					b.Fatal(err)
				}
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
	}
}

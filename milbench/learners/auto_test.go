package learners

import (
	"context"
	"encoding/json"
	"errors"
	"math"
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

// knowing is a learner that orders bags by their numbers ("good") or by chance. It checks that no fit sees bags of
// another part.
type knowing struct {
	t    *testing.T
	test []int // bags in no training part

	learnt *int // number of fits, if not nil
}

func (k knowing) Takes() learner.Takes {
	return learner.Takes{Kinds: []mil.TargetKind{mil.BinaryTarget}, Dense: true, Sparse: true}
}

func (k knowing) Plan(task cv.Task) (learner.Plan, error) { return (&seeded{}).Plan(task) }

func (k knowing) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	if k.learnt != nil {
		*k.learnt += len(task.Fits)
	}
	for i, fit := range task.Fits {
		for _, e := range fit.Train {
			if slices.Contains(k.test, e.Bag) || slices.Contains(fit.Validation, e.Bag) {
				k.t.Errorf("bag %d is trained on and held out", e.Bag)
			}
		}
		if len(fit.Inner) > 0 || len(fit.Validation) > 0 && len(fit.Test) > 0 {
			k.t.Errorf("fit %d has inner folds, or both a validation and a test part", i)
		}
		setting := string(fit.Setting)
		o := learner.Outcome{Fit: i}
		if strings.Contains(setting, "broken") {
			o.Err = errors.New("no luck")
		} else {
			scores := func(bags []int) (list []mil.Prediction) {
				for _, b := range bags {
					v := float64(b)
					if !strings.Contains(setting, "good") {
						v = cv.Rand(fit.Seed, setting, b).NormFloat64()
					}
					list = append(list, mil.Scored(v))
				}
				return list
			}
			o.Epochs = []learner.Epoch{{Number: 1, Validation: scores(fit.Validation), Test: scores(fit.Test)}}
		}
		if err := done(o); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// numbered returns a task of 60 bags, 40 for training and 20 for testing. Later bags are positive more often; half of
// all are positive.
func numbered(settings ...string) (cv.Task, []int) {
	task := cv.Task{Name: "numbered", Kind: mil.BinaryTarget, Classes: 2}
	fit := cv.Fit{Seed: 7}
	for b := range 60 {
		task.Bags = append(task.Bags, &mil.Dense{Rows: 1, Cols: 1, Values: []float32{float32(b)}})
		if b%3 == 0 {
			fit.Test = append(fit.Test, b)
			continue
		}
		label := 0
		if b >= 30 != (b%10 == 1) {
			label = 1
		}
		fit.Train = append(fit.Train, cv.Example{Bag: b, Target: mil.Labelled(label)})
	}
	for _, s := range settings {
		one := fit
		one.Setting = json.RawMessage(s)
		task.Fits = append(task.Fits, one)
	}
	return task, fit.Test
}

func TestAuto(t *testing.T) {
	const portfolio = `{"learner":"auto","inner":5,"candidates":[{"learner":"chance"},{"learner":"broken"},{"learner":"good"}]}`
	task, test := numbered(portfolio, `{"learner":"good"}`, `{"learner":"auto","inner":5,"candidates":[{"learner":"broken"}]}`)
	outcomes := learn(t, auto{Of: Inner{Of: knowing{t: t, test: test}}}, task)
	joined, good, failed := outcomes[0], outcomes[1], outcomes[2]
	if joined.Err != nil || good.Err != nil {
		t.Fatal(joined.Err, good.Err)
	}
	if len(joined.Epochs) != 1 || joined.Epochs[0].Validation != nil || len(joined.Epochs[0].Test) != len(test) {
		t.Errorf("%+v", joined)
	}
	sum := 0.0
	for _, m := range joined.Portfolio {
		if sum += m.Weight; strings.Contains(string(m.Setting), "broken") {
			t.Errorf("%s counts", m.Setting)
		}
	}
	if math.Abs(sum-1) > 1e-12 || joined.Portfolio[len(joined.Portfolio)-1].Weight < 0.8 || joined.Portfolio[len(joined.Portfolio)-1].Figure < 0.8 {
		t.Errorf("members %+v", joined.Portfolio)
	}
	if failed.Err == nil || !strings.Contains(failed.Err.Error(), "none of 1 candidates could be learnt: broken: ") {
		t.Errorf("all candidates fail: %v", failed.Err)
	}

	// Under the nested protocol held-out scores are handed over.
	task.Fits = task.Fits[:1]
	var err error
	if task.Fits[0].Inner, err = cv.CutInner(task, task.Fits[0].Train, 4, 3); err != nil {
		t.Fatal(err)
	}
	nested := learn(t, auto{Of: Inner{Of: knowing{t: t, test: test}}}, task)[0]
	if nested.Err != nil || len(nested.Epochs[0].Validation) != len(task.Fits[0].HeldOut()) {
		t.Errorf("%+v", nested)
	}
	task.Fits[0].Validation, task.Fits[0].Inner = []int{1}, nil
	if o := learn(t, auto{Of: Inner{Of: knowing{t: t, test: test}}}, task)[0]; o.Err == nil || !strings.Contains(o.Err.Error(), "inner folds, not a validation part") {
		t.Errorf("a validation part: %v", o.Err)
	}
}

// TestAutoShares checks that a candidate that is also a fit is learnt once, with the same outcomes.
func TestAutoShares(t *testing.T) {
	const portfolio = `{"learner":"auto","inner":5,"candidates":[{"learner":"chance"},{"learner":"good"}]}`
	settings := []string{`{"learner":"good"}`, portfolio, `{"learner":"other"}`}
	task, test := numbered(settings...)
	inner := must(cv.CutInner(task, task.Fits[0].Train, 4, 3))
	for i := range task.Fits {
		task.Fits[i].Inner, task.Fits[i].EveryEpoch = inner, true
	}
	count := 0
	auto := auto{Of: Inner{Of: knowing{t: t, test: test, learnt: &count}}}
	together := learn(t, auto, task)
	if want := 3 * (len(inner) + 1); count != want {
		t.Errorf("%d trainings, want %d of three settings", count, want)
	}
	all := task.Fits
	for i := range settings {
		task.Fits = all[i : i+1]
		alone := learn(t, auto, task)[0]
		alone.Fit = i
		if !reflect.DeepEqual(together[i], alone) {
			t.Errorf("%s: %+v, alone %+v", settings[i], together[i], alone)
		}
	}
}

// TestAutoUnweighted: where classes are uneven, a candidate with class weights is also tried without, and the better one counts.
func TestAutoUnweighted(t *testing.T) {
	const both = `{"learner":"auto","inner":5,"unweighted":true,"candidates":[{"learner":"x","balanced":true},{"learner":"chance"},{"learner":"y","balanced":false}]}`
	for _, c := range []struct {
		positive int // of 40
		kind     mil.TargetKind
		setting  string
		want     []string
	}{
		{16, mil.BinaryTarget, both, []string{`{"learner":"x","balanced":true}`, `{"learner":"chance"}`, `{"learner":"y","balanced":false}`, `{"balanced":false,"learner":"x"}`}},
		{17, mil.BinaryTarget, both, []string{`{"learner":"x","balanced":true}`, `{"learner":"chance"}`, `{"learner":"y","balanced":false}`}},
		{10, mil.BinaryTarget, strings.Replace(both, `"y"`, `"x"`, 1), []string{`{"learner":"x","balanced":true}`, `{"learner":"chance"}`, `{"learner":"x","balanced":false}`}},
		{10, mil.RealTarget, both, []string{`{"learner":"x","balanced":true}`, `{"learner":"chance"}`, `{"learner":"y","balanced":false}`}},
		{10, mil.BinaryTarget, strings.Replace(both, `"unweighted":true,`, "", 1), []string{`{"learner":"x","balanced":true}`, `{"learner":"chance"}`, `{"learner":"y","balanced":false}`}},
	} {
		task, _ := numbered(c.setting)
		for i := range task.Fits[0].Train {
			label := 0
			if i < c.positive {
				label = 1
			}
			task.Kind, task.Fits[0].Train[i].Target = c.kind, mil.Target{Label: label, Value: float64(i)}
		}
		var got []string
		for _, fit := range (auto{}).expand(task, true).task.Fits {
			got = append(got, string(fit.Setting))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d positive bags, %v: %v", c.positive, c.kind, got)
		}
	}
	task, test := numbered(`{"learner":"auto","inner":5,"unweighted":true,"candidates":[{"learner":"chance","balanced":true},{"learner":"good","balanced":true}]}`)
	task.Fits[0].Train = slices.DeleteFunc(task.Fits[0].Train, func(e cv.Example) bool { return e.Label == 1 && e.Bag%4 < 2 })
	o := learn(t, auto{Of: Inner{Of: knowing{t: t, test: test}}}, task)[0]
	if o.Err != nil || len(o.Portfolio) < 2 || !slices.ContainsFunc(o.Portfolio, func(m learner.Weighted) bool { return strings.Contains(string(m.Setting), "false") }) {
		t.Errorf("%+v", o)
	}
}

// TestAutoPlan checks that the trainings of all candidates count, and that those of a fit stay together.
func TestAutoPlan(t *testing.T) {
	task, test := numbered(`{"learner":"auto","inner":5,"candidates":[{"learner":"chance"},{"learner":"good"}]}`, `{"learner":"good"}`)
	plan := must(auto{Of: Inner{Of: knowing{t: t, test: test}}}.Plan(task))
	inner := must(cv.CutInner(task, task.Fits[0].Train, 5, cv.SplitSeed(task.Fits[0].Seed, "portfolio")))
	trainings := 2 * (len(inner) + 1) // of the portfolio, one second each
	if len(plan.Groups) != 2 || !slices.Equal(plan.Groups[0].Fits, []int{1}) || !slices.Equal(plan.Groups[1].Fits, []int{0}) {
		t.Fatalf("%+v", plan.Groups)
	}
	if own, of := plan.Groups[0], plan.Groups[1]; own.Blocks != 1 || own.Block != 1 || of.Blocks != 1 || math.Abs(of.Block-float64(trainings)) > 1e-9 || of.Memory != 5 {
		t.Errorf("%+v, of %d trainings", plan.Groups, trainings)
	}
}

// columns returns the scores of models with one score per bag.
func columns(models ...[]float64) (all [][][]float64) {
	for _, scores := range models {
		var rows [][]float64
		for _, s := range scores {
			rows = append(rows, []float64{s})
		}
		all = append(all, rows)
	}
	return all
}

// score joins one score per model into one.
func score(t *testing.T, c *combination, scores ...float64) float64 {
	t.Helper()
	s, err := c.Score(columns(scores)[0])
	if err != nil || len(s) != 1 {
		t.Fatal(s, err)
	}
	return s[0]
}

// TestCombine checks that weights follow the formula, that members that order bags by chance have almost no weight
// beside a good one, and that the joined score orders bags at least nearly as well as the best.
func TestCombine(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	h := held{starts: []int{0}, bags: 120}
	var good, alike, chance []float64
	for k := range 240 { // every bag twice
		label := k % 2
		h.labels = append(h.labels, label)
		v := 2*float64(label) + rng.NormFloat64()
		good, alike, chance = append(good, v), append(alike, math.Exp(v/2)), append(chance, rng.NormFloat64())
		if (k+1)%24 == 0 {
			h.starts = append(h.starts, k+1)
		}
	}
	c := must(combine(h, columns(good, alike, chance)))
	_, se, err := stats.DeLong(h.labels, good)
	if err != nil {
		t.Fatal(err)
	}
	worse := math.Exp((c.Figures[2] - c.Figures[0]) / (1.5 * se * math.Sqrt2))
	if worse > 0.05 || c.Weights[2] != 0 || math.Abs(c.Weights[0]-0.5) > 1e-12 || math.Abs(c.Weights[1]-0.5) > 1e-12 {
		t.Errorf("weights %v of AUCs %v", c.Weights, c.Figures)
	}
	var joined []float64
	loss := 0.0
	for k := range h.labels {
		s := score(t, c, good[k], alike[k], chance[k])
		joined = append(joined, s)
		loss += math.Log1p(math.Exp(-s * float64(2*h.labels[k]-1)))
	}
	if auc, err := h.figure(columns(joined)[0]); err != nil || math.Abs(auc-c.Figures[0]) > 1e-12 {
		t.Errorf("AUC %v, of one alone %v, %v", auc, c.Figures[0], err)
	}
	if loss /= float64(len(h.labels)); loss > 0.45 { // of the true logits, 4 v - 4 halved: 0.34 nats on average
		t.Errorf("log-loss %v", loss)
	}

	// The rank of a score rises with it, between and beyond all held-out scores.
	r := newRanker([]float64{3, -1, 0.5, 3, 2})
	last := math.Inf(-1)
	for s := -9.0; s < 12; s += 0.125 {
		if v := r.of(s); v <= last || math.IsInf(v, 0) || math.IsNaN(v) {
			t.Errorf("rank of %v is %v, before %v", s, v, last)
		} else {
			last = v
		}
	}
}

// TestTooMuchMemory checks that a learner that needs too much memory stops no other.
func TestTooMuchMemory(t *testing.T) {
	task := cv.Task{Name: "many", Kind: mil.BinaryTarget, Classes: 2}
	fit := cv.Fit{Test: []int{0}}
	for b := range 3000 {
		task.Bags = append(task.Bags, &mil.Dense{Rows: 1, Cols: 1, Values: []float32{float32(b)}})
		fit.Train = append(fit.Train, cv.Example{Bag: b, Target: mil.Labelled(b % 2)})
	}
	for _, name := range []string{"distance-svm", "statistics-svm"} {
		fit.Setting = must(Settings(false, name))[0]
		task.Fits = append(task.Fits, fit)
	}
	l := learner.Classical{Entries: Classic(), Workers: 1, Memory: 320e6}
	plan, err := l.Plan(task)
	if err != nil || len(plan.Groups) != 1 || !slices.Equal(plan.Groups[0].Fits, []int{1}) {
		t.Fatalf("%+v, %v", plan.Groups, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = l.Learn(ctx, task, func(o learner.Outcome) error {
		if o.Fit != 0 || o.Err == nil || !strings.HasPrefix(o.Err.Error(), "distance-svm needs ") || !strings.HasSuffix(o.Err.Error(), "more than the 320 MB allowed; raise --memory") {
			t.Errorf("%+v", o)
		}
		cancel() // the other would be learnt now
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestTooLargeToPredict checks that bags too large for a learner are refused by name, and not scored for hours.
func TestTooLargeToPredict(t *testing.T) {
	set := shifted(t, 12, false)
	large := &mil.Dense{Rows: 6000, Cols: set.NumFeatures(), Values: make([]float32, 6000*set.NumFeatures())}
	for name, c := range map[string]struct {
		instances bool
		want      string
	}{
		"mind":           {false, "6000 instances; mind takes at most 5000"},
		"statistics-svm": {true, "6000 instances; statistics-svm scores instances only in bags of at most 2000, and larger bags only as a whole (without --instances)"},
	} {
		m := must(Trainer{}.Train(t.Context(), must(Settings(false, name))[0], set, 1, nil))
		if _, err := m.Predict(t.Context(), []mil.Instances{large}, c.instances); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

package learners

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/calibrate"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// easy returns a set of bags with three features whose means follow the target: the feature with the number of the
// class, otherwise the first. If permuted is true, targets belong to other bags. A fifth of the times is censored.
func easy(t testing.TB, kind mil.TargetKind, bags int, permuted bool) *mil.Set {
	t.Helper()
	rng := rand.New(rand.NewPCG(8, uint64(kind)))
	set := &mil.Set{Name: "easy", Kind: kind}
	if kind == mil.ClassTarget {
		set.Classes = []string{"a", "b", "c"}
	}
	for i := range bags {
		d := &mil.Dense{Rows: 2 + rng.IntN(4), Cols: 3}
		for range d.Rows * d.Cols {
			d.Values = append(d.Values, float32(rng.NormFloat64()))
		}
		target := mil.Labelled(i % 3)
		feature, shift := i%3, 1.5
		if kind != mil.ClassTarget {
			feature, shift = 0, 2*rng.NormFloat64()
			target = mil.Target{Value: 50 + 10*shift}
		}
		if kind == mil.SurvivalTarget {
			target = mil.Target{Value: math.Exp(-shift), Event: i%5 > 0}
		}
		for k := range d.Rows {
			d.Values[k*d.Cols+feature] += float32(shift)
		}
		set.Bags = append(set.Bags, mil.Bag{ID: fmt.Sprint("b", i), Target: target, Instances: d})
	}
	if permuted {
		rng.Shuffle(bags, func(i, k int) { set.Bags[i].Target, set.Bags[k].Target = set.Bags[k].Target, set.Bags[i].Target })
	}
	if err := set.Seal(); err != nil {
		t.Fatal(err)
	}
	return set
}

// candidates returns classical learners for every kind of target except survival.
func candidates(t testing.TB) (list []json.RawMessage) {
	t.Helper()
	for _, c := range [][2]string{{"statistics-svm", `{}`}, {"set-kernel-svm", `{}`}, {"statistics-trees", `{"trees":30}`}, {"citation-knn", `{}`}} {
		setting := must(Override(c[0], json.RawMessage(c[1])))
		list = append(list, setting)
	}
	return list
}

func portfolio(t testing.TB, list ...json.RawMessage) json.RawMessage {
	t.Helper()
	return must(Portfolio{Inner: 5, Candidates: list}.Setting())
}

// halves returns a task with one fit per setting: it trains on the first half of a set and tests on the other.
func halves(set *mil.Set, settings ...json.RawMessage) (task cv.Task, test held) {
	fit := cv.Fit{Seed: 7}
	for i, b := range set.Bags {
		if i < len(set.Bags)/2 {
			fit.Train = append(fit.Train, cv.Example{Bag: i, Target: b.Target})
		} else {
			fit.Test = append(fit.Test, i)
		}
	}
	task = cv.NewTask(set, nil)
	for _, s := range settings {
		one := fit
		one.Setting = s
		task.Fits = append(task.Fits, one)
	}
	whole := cv.Fit{Train: cv.Examples(set), Inner: [][]int{fit.Test}}
	return task, heldOf(task, whole)
}

func scoresOfTest(t *testing.T, o learner.Outcome) (rows [][]float64) {
	t.Helper()
	if o.Err != nil {
		t.Fatal(o.Err)
	}
	for _, p := range o.Epochs[len(o.Epochs)-1].Test {
		rows = append(rows, p.Scores)
	}
	return rows
}

// TestAutoKinds checks macro AUC, R² and concordance on test bags: auto is at least as good as its worst candidate and
// within 0.03 of the best. With permuted targets it is at chance. For classes, its scores are logarithms of informative
// probabilities: their log-loss is far below that of the class shares, log 3. With permuted targets it is within 0.1 of
// that.
func TestAutoKinds(t *testing.T) {
	const near = 0.03
	for _, kind := range []mil.TargetKind{mil.ClassTarget, mil.RealTarget, mil.SurvivalTarget} {
		t.Run(kind.String(), func(t *testing.T) {
			list, learner := candidates(t), All(noNetworks{}, Resources{Workers: 2})
			if kind == mil.SurvivalTarget {
				list = []json.RawMessage{json.RawMessage(`{"pooling":"plain"}`), json.RawMessage(`{"pooling":"noise"}`)}
				learner = All(riskNetworks{}, Resources{Workers: 2})
			}
			task, test := halves(easy(t, kind, 160, false), append(list, portfolio(t, list...))...)
			outcomes := learn(t, learner, task)
			var figures []float64
			for _, o := range outcomes {
				figures = append(figures, must(test.figure(scoresOfTest(t, o))))
			}
			t.Logf("candidates and auto: %.3f", figures)
			last := len(list)
			auto, rest := figures[last], figures[:last]
			if auto < slices.Min(rest) || auto < slices.Max(rest)-near || auto < 0.75 {
				t.Errorf("%.3f, of candidates %.3f", auto, rest)
			}
			for _, m := range outcomes[last].Portfolio {
				if m.Figure < slices.Min(rest)-0.2 || m.Figure > 1 || m.Weight <= 0 {
					t.Errorf("%+v", m)
				}
			}

			chance, wide, most := 0.5, 0.12, math.Log(3)+0.1
			if kind == mil.RealTarget {
				chance = 0
			}
			permuted, targets := halves(easy(t, kind, 160, true), portfolio(t, list...))
			scores := scoresOfTest(t, learn(t, learner, permuted)[0])
			if f := must(targets.figure(scores)); math.Abs(f-chance) > wide {
				t.Errorf("with permuted targets %.3f", f)
			}
			if kind != mil.ClassTarget {
				return
			}
			if loss := must(stats.MulticlassLogLoss(targets.labels, scores)); loss > most {
				t.Errorf("with permuted targets log-loss %.3f", loss)
			}
			scores = scoresOfTest(t, outcomes[last])
			if loss := must(stats.MulticlassLogLoss(test.labels, scores)); loss > 0.5 {
				t.Errorf("log-loss %.3f", loss)
			}
			for _, row := range scores {
				sum := 0.0
				for _, s := range row {
					sum += math.Exp(s)
				}
				if len(row) != 3 || math.Abs(sum-1) > 1e-9 {
					t.Fatalf("probabilities of %v sum to %v", row, sum)
				}
			}
		})
	}
}

// riskNetworks are networks for survival: those of plainNetworks, and others that score by chance.
type riskNetworks struct{ plainNetworks }

func (riskNetworks) Takes() learner.Takes {
	return learner.Takes{Name: "network", Kinds: []mil.TargetKind{mil.SurvivalTarget}, Dense: true}
}

func (r riskNetworks) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	return r.plainNetworks.Learn(ctx, task, func(o learner.Outcome) error {
		if fit := task.Fits[o.Fit]; strings.Contains(string(fit.Setting), "noise") {
			for _, e := range o.Epochs {
				for _, list := range [][]mil.Prediction{e.Validation, e.Test} {
					for i := range list {
						list[i] = mil.Scored(cv.Rand(fit.Seed, "noise", e.Number, i).NormFloat64())
					}
				}
			}
		}
		return done(o)
	})
}

// TestAutoOrder checks that the order of the candidates changes scores only by rounding.
func TestAutoOrder(t *testing.T) {
	for _, kind := range []mil.TargetKind{mil.ClassTarget, mil.RealTarget} {
		list := candidates(t)
		turned := slices.Clone(list)
		slices.Reverse(turned)
		task, _ := halves(easy(t, kind, 80, false), portfolio(t, list...), portfolio(t, turned...))
		outcomes := learn(t, All(noNetworks{}, Resources{Workers: 2}), task)
		a, b := scoresOfTest(t, outcomes[0]), scoresOfTest(t, outcomes[1])
		for i := range a {
			for k := range a[i] {
				if math.Abs(a[i][k]-b[i][k]) > 1e-9*max(1, math.Abs(a[i][k])) {
					t.Errorf("%v, bag %d: %v, in the other order %v", kind, i, a[i], b[i])
				}
			}
		}
	}
}

// TestJoinedKinds saves and loads portfolios and ensembles of every kind: scores are unchanged, a portfolio's scores
// are those of Auto, and every damage of a file is found. The score of an ensemble is the mean of the members' scores, and
// the first member has the seed of the ensemble.
func TestJoinedKinds(t *testing.T) {
	single := json.RawMessage(`{"learner":"statistics-trees","statistics":"min max","trees":5,"min_leaf":1,"balanced":true}`)
	ensemble := json.RawMessage(`{"members":3,` + string(single[1:]))
	for _, kind := range []mil.TargetKind{mil.ClassTarget, mil.RealTarget, mil.SurvivalTarget} {
		t.Run(kind.String(), func(t *testing.T) {
			set := easy(t, kind, 36, false)
			trainer, auto := Trainer{Resources: Resources{Workers: 2}}, portfolio(t, candidates(t)[:3]...)
			var networks learner.Learner = noNetworks{}
			if kind == mil.SurvivalTarget {
				trainer.Networks, networks = riskNetworks{}, riskNetworks{}
				auto = portfolio(t, json.RawMessage(`{"pooling":"plain"}`))
			}
			m, dir := roundTrip(t, trainer, auto, set, kind != mil.SurvivalTarget)
			if about := m.About(); about.Target != kind || len(about.Members) == 0 || about.Members[0].Figure < 0.6 {
				t.Errorf("%+v", about)
			}
			fit := cv.Fit{Seed: 7, Setting: auto, Train: cv.Examples(set), Test: []int{0, 1, 2}}
			o := learn(t, All(networks, Resources{Workers: 1}), cv.NewTask(set, []cv.Fit{fit}))[0]
			want := scoresOfTest(t, o)
			for i, p := range must(m.Predict(t.Context(), set.Instances()[:3], false)) {
				for k, s := range p.Scores {
					if math.Abs(s-want[i][k]) > 1e-6*max(1, math.Abs(s)) {
						t.Errorf("bag %d: Auto scores %v, the model %v", i, want[i], p.Scores)
					}
				}
			}
			damages(t, trainer, dir)
			if kind == mil.SurvivalTarget {
				if _, err := m.Predict(t.Context(), set.Instances(), true); !errors.Is(err, ErrNoInstances) {
					t.Errorf("instances: %v", err)
				}
				return
			}

			m, dir = roundTrip(t, trainer, ensemble, set, true)
			fresh := easy(t, kind, 60, false).Instances()[36:]
			alone := must(must(trainer.Train(t.Context(), single, set, 7, nil)).Predict(t.Context(), fresh, false))
			differ := false
			for i, p := range must(m.Predict(t.Context(), fresh, false)) {
				for k, s := range p.Scores {
					if mean := (p.Members[0][k] + p.Members[1][k] + p.Members[2][k]) / 3; math.Abs(s-mean) > 1e-12*max(1, math.Abs(mean)) {
						t.Errorf("bag %d: score %v, mean of the members %v", i, s, mean)
					}
				}
				if !slices.Equal(p.Members[0], alone[i].Scores) {
					t.Errorf("bag %d: the first member gives %v, alone %v", i, p.Members[0], alone[i].Scores)
				}
				differ = differ || !slices.Equal(p.Members[1], p.Members[2])
			}
			if !differ {
				t.Error("the members are the same")
			}
			damages(t, trainer, dir)
		})
	}
}

// TestForgedKinds checks that combinations and members of another kind of target or number of classes are found.
func TestForgedKinds(t *testing.T) {
	train := func(kind mil.TargetKind) *joinedModel {
		m := must(Trainer{}.Train(t.Context(), portfolio(t, candidates(t)[:1]...), easy(t, kind, 30, false), 1, nil))
		return m.(*joinedModel)
	}
	classes, values := train(mil.ClassTarget), train(mil.RealTarget)
	fewer := *classes.combination
	fewer.Curves = []*calibrate.Calibration{{Method: calibrate.Platt, Classes: 4, Bags: 9, Sigmoids: make([]calibrate.Sigmoid, 4)}}
	for name, forge := range map[string]func(m *joinedModel) string{
		"joins values":  func(m *joinedModel) string { m.combination = values.combination; return "joins 1 scores" },
		"four classes":  func(m *joinedModel) string { m.combination = &fewer; return "joins 4 scores" },
		"a real member": func(m *joinedModel) string { m.models = values.models; return "member 1 does not belong to it" },
		"other classes": func(m *joinedModel) string {
			m.card.Classes = []string{"a", "b", "d"}
			return "member 1 does not belong to it"
		},
		"a member of two classes": func(m *joinedModel) string {
			one := *m.models[0].(*classicModel)
			other := values.models[0].(*classicModel)
			one.text = other.text
			m.models = []Model{&one}
			return "it gives 1 scores of a bag, not 3"
		},
	} {
		t.Run(name, func(t *testing.T) {
			forged := *classes
			want := forge(&forged)
			dir := filepath.Join(t.TempDir(), "model")
			if err := forged.Save(dir); err != nil {
				t.Fatal(err)
			}
			_, err := Trainer{}.Load(dir)
			if !errors.Is(err, modeldir.ErrNoModel) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, want)
			}
		})
	}
}

// TestCombinationKinds checks that parts of another kind, and parts that no data can give, are refused.
func TestCombinationKinds(t *testing.T) {
	const curves = `{"method":"platt","classes":3,"bags":9,"platt":[{"a":1,"b":0},{"a":0,"b":1},{"a":2,"b":0}]}`
	for _, good := range []string{
		`{"kind":"classes","weights":[1],"auc":[0.9],"curves":[` + curves + `]}`,
		`{"kind":"classes","weights":[1,0],"auc":[0.9,0.1],"curves":[` + curves + `,null]}`,
		`{"kind":"real","weights":[1],"auc":[-3.5],"slope":0.5,"shift":2}`, `{"kind":"real","weights":[1],"auc":[0.2],"shift":-2}`,
		`{"kind":"survival","weights":[1],"auc":[0.7],"rankers":[[1,2]]}`,
	} {
		var c combination
		if err := json.Unmarshal([]byte(good), &c); err != nil {
			t.Errorf("%s: %v", good, err)
		} else if text, err := json.Marshal(&c); err != nil || string(text) != good {
			t.Errorf("%s, %v, was %s", text, err, good)
		}
	}
	for _, bad := range []string{
		`{}`, `{"weights":[1],"auc":[0.5],"rankers":[[]],"slope":1,"shift":0}`, `{"weights":[1],"auc":[0.5],"rankers":[[2,1]],"slope":1,"shift":0}`,
		`{"weights":[0.4],"auc":[0.5],"rankers":[[1]],"slope":1,"shift":0}`, `{"weights":[1],"auc":[2],"rankers":[[1]],"slope":1,"shift":0}`,
		`{"weights":[1],"auc":[0.5],"rankers":[[1]],"slope":0,"shift":0}`, `{"weights":[1,0],"auc":[0.5],"rankers":[[1]],"slope":1,"shift":0}`,
		`{"weights":[1],"auc":[0.5],"rankers":[[1]],"slope":1,"shift":0,"more":1}`,
		`{"kind":"classes","weights":[1],"auc":[0.9],"curves":[null]}`, `{"kind":"classes","weights":[1],"auc":[0.9]}`,
		`{"kind":"classes","weights":[1],"auc":[-0.1],"curves":[` + curves + `]}`,
		`{"kind":"classes","weights":[1],"auc":[0.9],"slope":1,"curves":[` + curves + `]}`,
		`{"kind":"classes","weights":[1],"auc":[0.9],"rankers":[[1]],"curves":[` + curves + `]}`,
		`{"kind":"classes","weights":[1],"auc":[0.9],"curves":[` + strings.Replace(curves, `"a":1`, `"a":-1`, 1) + `]}`,
		`{"kind":"classes","weights":[1],"auc":[0.9],"curves":[` + strings.Replace(curves, `"classes":3`, `"classes":4`, 1) + `]}`,
		`{"kind":"classes","weights":[1],"auc":[0.9],"curves":[{"method":"temperature","classes":3,"bags":9,"temperature":1}]}`,
		`{"kind":"real","weights":[1],"auc":[0.2],"slope":-1,"shift":2}`, `{"kind":"real","weights":[1],"auc":[1.5],"slope":1}`,
		`{"kind":"real","weights":[1],"auc":[0.2],"slope":1e400}`, `{"kind":"real","weights":[1],"auc":[0.2],"rankers":[[1]],"slope":1}`,
		`{"kind":"survival","weights":[1],"auc":[0.7],"rankers":[[1,2]],"slope":1}`, `{"kind":"survival","weights":[1],"auc":[0.7]}`,
		`{"kind":"ranks","weights":[1],"auc":[0.7],"rankers":[[1,2]]}`,
	} {
		if err := json.Unmarshal([]byte(bad), new(combination)); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v", bad, err)
		}
	}
	var c combination
	if err := json.Unmarshal([]byte(`{"kind":"classes","weights":[1],"auc":[0.9],"curves":[`+curves+`]}`), &c); err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][][]float64{nil, {{1}}, {{1, 2, math.NaN()}}, {{1, 2, 3}, {1, 2, 3}}} {
		if s, err := c.Score(bad); err == nil {
			t.Errorf("%v: scores %v", bad, s)
		}
	}
}

// TestCombineClasses checks that the softmax of the joined scores is the weighted mean of the calibrated probabilities.
// The unit of a model's scores does not change them, and neither does a number that is added to all scores of a bag.
func TestCombineClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	h := held{kind: mil.ClassTarget, classes: 3, starts: []int{0}, bags: 90}
	good, moved, worse := make([][]float64, 90), make([][]float64, 90), make([][]float64, 90)
	for i := range good {
		h.labels = append(h.labels, i%3)
		by := rng.NormFloat64()
		for k := range 3 {
			z := rng.NormFloat64()
			if k == i%3 {
				z += 2
			}
			good[i], moved[i], worse[i] = append(good[i], z), append(moved[i], z+by), append(worse[i], z/2+rng.NormFloat64())
		}
		if (i+1)%18 == 0 {
			h.starts = append(h.starts, i+1)
		}
	}
	c := must(combine(h, [][][]float64{good, moved, worse}))
	if math.Abs(c.Weights[0]-c.Weights[1]) > 1e-9 || c.Weights[2] >= c.Weights[0] {
		t.Errorf("weights %v of %v", c.Weights, c.Figures)
	}
	alone := must(combine(h, [][][]float64{good}))
	two := must(combine(h, [][][]float64{good, moved}))
	right := 0
	for i := range good {
		a, b := must(alone.Score([][]float64{good[i]})), must(two.Score([][]float64{good[i], moved[i]}))
		both := must(c.Score([][]float64{good[i], moved[i], worse[i]}))
		p := must(c.Curves[0].Probabilities(logOdds(good[i])))
		other := make([]float64, 3)
		if c.Weights[2] > 0 {
			other = must(c.Curves[2].Probabilities(logOdds(worse[i])))
		}
		for k := range 3 {
			if math.Abs(a[k]-b[k]) > 1e-6 {
				t.Errorf("bag %d: %v, moved %v", i, a, b)
			}
			if want := (c.Weights[0]+c.Weights[1])*p[k] + c.Weights[2]*other[k]; math.Abs(calibrate.Uncalibrated(both)[k]-want) > 1e-6 {
				t.Errorf("bag %d: probability %v, want %v", i, calibrate.Uncalibrated(both)[k], want)
			}
		}
		if slices.Index(a, slices.Max(a)) == h.labels[i] {
			right++
		}
	}
	if right < 70 {
		t.Errorf("%d of 90 are right", right)
	}
}

// TestHeldError checks the formula, and that a fold without a figure is left out.
func TestHeldError(t *testing.T) {
	h := held{kind: mil.RealTarget, bags: 9, starts: []int{0, 3, 6, 9}, labels: make([]int, 9), values: []float64{0, 1, 2, 5, 5, 5, 0, 2, 4}}
	rows := columns([]float64{0, 1, 2, 5, 5, 5, 0, 2, 2})[0] // 1, none, 1 - 4/8
	if f := must(h.figure(rows)); math.Abs(f-0.75) > 1e-12 {
		t.Errorf("figure %v", f)
	}
	if se, want := h.error(rows), math.Sqrt((1/2.0+3/6.0)*0.125); math.Abs(se-want) > 1e-12 {
		t.Errorf("standard error %v, want %v", se, want)
	}
	if se := h.error(columns(h.values)[0]); se != 1/9.0 {
		t.Errorf("of equal figures %v", se)
	}
	h.starts = []int{0, 9}
	if se := h.error(rows); se != math.Sqrt(1/12.0) {
		t.Errorf("of one fold %v", se)
	}
	if a, b, err := h.unit([]float64{4, 3, 2, 1, 1, 1, 4, 3, 1}); a != 0 || math.Abs(b-24/9.0) > 1e-12 || err != nil {
		t.Errorf("values that fall: slope %v, shift %v, %v", a, b, err)
	}
}

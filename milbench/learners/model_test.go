package learners

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/mil"
)

// shifted returns a set of bags; each positive one has an instance with a larger feature.
func shifted(t testing.TB, bags int, sparse bool) *mil.Set {
	t.Helper()
	random := cv.Rand(5, "shifted")
	set := &mil.Set{Name: "shifted", Features: []string{"p", "q", "r"}, Classes: []string{"no", "yes"}}
	for i := range bags {
		d := &mil.Dense{Rows: 1 + random.IntN(5), Cols: 3}
		for range d.Rows * d.Cols {
			d.Values = append(d.Values, float32(random.NormFloat64()))
		}
		d.Values[0] += float32(i%2) * 1.5
		b := mil.Bag{ID: fmt.Sprint("b", i), Target: mil.Labelled(i % 2), Instances: d}
		if sparse {
			s := must(mil.ToSparse(d))
			b.Instances = s
		}
		set.Bags = append(set.Bags, b)
	}
	if err := set.Seal(); err != nil {
		t.Fatal(err)
	}
	return set
}

// plainNetworks are networks whose score is the mean of the first feature times a number that depends on the epoch,
// plus a shift that depends on the seed. The second of three epochs is the best.
type plainNetworks struct{ trained *[]int }

func (plainNetworks) Takes() learner.Takes {
	return learner.Takes{Name: "network", Kinds: []mil.TargetKind{mil.BinaryTarget}, Dense: true, Sparse: true}
}

func plainScore(seed uint64, epoch int, bag mil.Instances) float64 {
	sum := 0.0
	_ = mil.EachValue(bag, func(_, j int, v float32) {
		if j == 0 {
			sum += float64(v)
		}
	})
	return sum/float64(bag.Len())*float64([]int{0, -1, 2, 1}[epoch]) + float64(seed%5)/100
}

func (n plainNetworks) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	for i, fit := range task.Fits {
		o := learner.Outcome{Fit: i}
		for epoch := 1; epoch <= 3; epoch++ {
			e := learner.Epoch{Number: epoch}
			for _, b := range fit.Validation {
				e.Validation = append(e.Validation, mil.Scored(plainScore(fit.Seed, epoch, task.Bags[b])))
			}
			for _, b := range fit.Test {
				e.Test = append(e.Test, mil.Scored(plainScore(fit.Seed, epoch, task.Bags[b])))
			}
			o.Epochs = append(o.Epochs, e)
		}
		if err := done(o); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (plainNetworks) Plan(task cv.Task) (learner.Plan, error) {
	return learner.Plan{Fits: len(task.Fits), Workers: 1}, nil
}

type plainCard struct {
	modeldir.Card
	Epoch int `json:"epoch"`
}

type plainNetwork struct{ card plainCard }

func (n plainNetworks) TrainModel(_ context.Context, _ json.RawMessage, epochs int, set *mil.Set, seed uint64, progress func(int, float64)) (Model, error) {
	if epochs == 0 {
		epochs = 3
	}
	for e := 1; e <= epochs; e++ {
		progress(e, 1)
	}
	if n.trained != nil {
		*n.trained = append(*n.trained, epochs)
	}
	return plainNetwork{plainCard{modeldir.CardOf("", set, seed), epochs}}, nil
}

func (plainNetworks) LoadModel(dir string) (Model, error) {
	var m plainNetwork
	err := modeldir.Read(dir, &m.card)
	return m, err
}

func (m plainNetwork) Predict(_ context.Context, bags []mil.Instances, _ bool) (all []mil.Prediction, err error) {
	for _, b := range bags {
		all = append(all, mil.Scored(plainScore(m.card.Seed, m.card.Epoch, b)))
	}
	return all, m.card.Check(bags)
}

func (m plainNetwork) Card() *modeldir.Card { return &m.card.Card }

func (m plainNetwork) Save(dir string) error {
	return modeldir.Save(dir, &m.card, func(folder string) error { return modeldir.WriteJSON(folder, "x.json", 1) })
}

func (m plainNetwork) About() About {
	return AboutCard(&m.card.Card, json.RawMessage(`{"pooling":"plain"}`))
}

// roundTrip trains a model, saves it and loads it again. Its predictions must be bit-identical.
func roundTrip(t *testing.T, trainer Trainer, setting json.RawMessage, set *mil.Set, instances bool) (Model, string) {
	t.Helper()
	m := must(trainer.Train(t.Context(), setting, set, 7, nil))
	dir := filepath.Join(t.TempDir(), "model")
	for range 2 {
		if err := m.Save(dir); err != nil {
			t.Fatal(err)
		}
	}
	loaded := must(trainer.Load(dir))
	bags := append(set.Instances(), &mil.Dense{Rows: 2, Cols: 3, Values: []float32{1, -2, 0.5, 0, 0, 3}})
	want := must(m.Predict(t.Context(), bags, instances))
	got := must(loaded.Predict(t.Context(), bags, instances))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("a loaded model predicts differently: %+v, want %+v", got[0], want[0])
	}
	for i, p := range got {
		if instances && len(p.Instances) != bags[i].Len() || len(p.Scores) != heldOf(cv.NewTask(set, nil), cv.Fit{}).width() {
			t.Fatalf("bag %d: %+v", i, p)
		}
		if !instances || set.Kind != mil.ClassTarget {
			continue
		}
		if len(p.ClassInstances) != set.NumClasses() || !slices.Equal(p.Instances, p.ClassInstances[floats.MaxIdx(p.Scores)]) {
			t.Fatalf("bag %d: %+v", i, p)
		}
	}
	if is, was := loaded.About(), m.About(); !reflect.DeepEqual(is, was) {
		t.Errorf("loaded as %+v, was %+v", is, was)
	}
	narrow := []mil.Instances{bags[0], &mil.Dense{Rows: 1, Cols: 2, Values: []float32{1, 2}}}
	if _, err := loaded.Predict(t.Context(), narrow, false); err == nil || !strings.Contains(err.Error(), "bag 1: 2 features; the model, trained on "+set.Name+", takes 3") {
		t.Errorf("a bag of another width: %v", err)
	}
	return loaded, dir
}

func TestClassicModels(t *testing.T) {
	for _, e := range Classic() {
		for _, sparse := range []bool{false, true} {
			settings := must(e.Settings())
			for i, setting := range settings {
				if e.Model == nil {
					t.Errorf("models of %s cannot be saved", e.Name)
					continue
				}
				t.Run(fmt.Sprint(e.Name, sparse, i), func(t *testing.T) {
					m, _ := roundTrip(t, Trainer{}, setting, shifted(t, 24, sparse), slices.Contains(InstanceScorers(), e.Name))
					if a := m.About(); string(a.Setting) != string(setting) || a.Set != "shifted" || a.NumFeatures != 3 || len(a.Classes) != 2 || len(a.Features) != 3 {
						t.Errorf("%+v", a)
					}
				})
			}
		}
	}
}

// smallPortfolio returns a portfolio with few candidates; one is a network and one cannot be learnt.
func smallPortfolio(t *testing.T, inner int, more ...string) json.RawMessage {
	t.Helper()
	p := Portfolio{Inner: inner}
	for _, name := range []string{"statistics-svm", "set-kernel-svm"} {
		settings := must(Settings(false, name))
		p.Candidates = append(p.Candidates, settings...)
	}
	for _, m := range more {
		p.Candidates = append(p.Candidates, json.RawMessage(m))
	}
	return must(p.Setting())
}

// TestJoinedModel checks that training a portfolio gives the model that Auto makes of the set as a training part. Its
// network has the best number of epochs.
func TestJoinedModel(t *testing.T) {
	var trained []int
	networks := plainNetworks{&trained}
	setting := smallPortfolio(t, 3, `{"pooling":"plain"}`, `{"members":2,"learner":"statistics-trees","statistics":"min max mean","trees":20,"min_leaf":1,"balanced":true}`)
	set := shifted(t, 40, false)
	trainer := Trainer{Networks: networks, Resources: Resources{Workers: 2}}
	m, dir := roundTrip(t, trainer, setting, set, true)
	members := m.About().Members
	if len(members) < 2 || !slices.IsSortedFunc(members, func(a, b learner.Weighted) int { return -int(math.Copysign(1, a.Weight-b.Weight)) }) {
		t.Errorf("members %+v", members)
	}
	for _, of := range members {
		if learner.Name(of.Setting) == "plain" && (of.Epoch != 2 || !slices.Equal(trained, []int{2})) {
			t.Errorf("the network was trained for %v epochs, %d chosen", trained, of.Epoch)
		}
	}
	if !slices.ContainsFunc(members, func(w learner.Weighted) bool { return learner.Name(w.Setting) == "plain" }) {
		t.Errorf("no network in %+v", members)
	}

	// Auto scores the same bags as test bags the same.
	fit := cv.Fit{Seed: 7, Setting: setting, Train: cv.Examples(set), Test: []int{0, 1, 2, 3}}
	o := learn(t, All(networks, Resources{Workers: 1}), cv.NewTask(set, []cv.Fit{fit}))[0]
	if o.Err != nil {
		t.Fatal(o.Err)
	}
	if n := len(o.Epochs[0].Validation); n > 0 {
		t.Errorf("%d validation scores, and no validation part", n)
	}
	got := must(m.Predict(t.Context(), set.Instances()[:4], false))
	for i, p := range o.Epochs[0].Test {
		if math.Abs(p.Scores[0]-got[i].Scores[0]) > 1e-6*math.Abs(p.Scores[0]) {
			t.Errorf("bag %d: Auto scores %v, the model %v", i, p.Scores[0], got[i].Scores[0])
		}
	}
	byName := func(all []learner.Weighted) map[string]learner.Weighted {
		m := map[string]learner.Weighted{}
		for _, w := range all {
			m[string(w.Setting)] = w
		}
		return m
	}
	if is, was := byName(members), byName(o.Portfolio); !reflect.DeepEqual(is, was) {
		t.Errorf("members %v, of Auto %v", is, was)
	}

	damages(t, trainer, dir)
}

// damages checks that every damage of every file of a model is found.
func damages(t *testing.T, trainer Trainer, dir string) {
	t.Helper()
	refused := func(what string) {
		t.Helper()
		_, err := trainer.Load(dir)
		if !errors.Is(err, modeldir.ErrNoModel) || !strings.HasPrefix(err.Error(), dir) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line about %s", what, err, dir)
		}
	}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		good, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		flipped := bytes.Clone(good)
		flipped[len(flipped)/2] ^= 1
		for what, bad := range map[string][]byte{"empty": nil, "flipped": flipped, "cut": good[:len(good)/2], "longer": append(bytes.Clone(good), ' ')} {
			if err := os.WriteFile(path, bad, 0o666); err != nil {
				return err
			}
			refused(what + " " + path)
		}
		if err := os.Remove(path); err != nil {
			return err
		}
		refused("no " + path)
		return os.WriteFile(path, good, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trainer.Load(dir); err != nil {
		t.Error(err)
	}
}

// TestForged changes files and corrects their checksums. The files no longer fit together, and that must be found.
func TestForged(t *testing.T) {
	set := shifted(t, 20, false)
	settings := must(Settings(false, "statistics-svm"))
	trained := must(Trainer{}.Train(t.Context(), settings[0], set, 1, nil))
	m := trained.(*classicModel)
	other := must(Trainer{}.Train(t.Context(), must(Settings(false, "set-kernel-svm"))[0], set, 1, nil))
	h := held{labels: []int{0, 1, 0, 1}, starts: []int{0, 4}}
	j := &joinedModel{card: joinedCard{Card: modeldir.CardOf(AutoName, set, 1), Setting: smallPortfolio(t, 2)}, models: []Model{m, other},
		combination: must(combine(h, columns([]float64{0, 2, 1, 3}, []float64{1, 2, 0, 3})))}
	for k, one := range j.models {
		j.card.Members = append(j.card.Members, learner.Weighted{Setting: one.About().Setting, Weight: j.combination.Weights[k], Figure: j.combination.Figures[k], Epoch: 1})
	}
	if good := filepath.Join(t.TempDir(), "model"); j.Save(good) != nil {
		t.Fatal("not saved")
	} else if _, err := (Trainer{}).Load(good); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		save func(dir string) error
		want string
	}{
		{"more features", func(dir string) error {
			forged := *m
			forged.card.NumFeatures, forged.card.Features = 4, nil
			return forged.Save(dir)
		}, "features for a model of 3"},
		{"the setting of another learner", func(dir string) error {
			forged := *m
			forged.card.Setting = json.RawMessage(`{"learner":"mind"}`)
			return forged.Save(dir)
		}, "is missing"},
		{"an unknown learner", func(dir string) error {
			forged := *m
			forged.card.Setting = json.RawMessage(`{"learner":"statistics-svn"}`)
			return forged.Save(dir)
		}, `did you mean "statistics-svm"?`},
		{"a model that does not fit", func(dir string) error {
			forged := *m
			forged.text = json.RawMessage(`{"statistics":"min","features":3}`)
			return forged.Save(dir)
		}, "machine is missing"},
		{"no machine", func(dir string) error {
			forged := *m
			forged.text = json.RawMessage(`[]`)
			return forged.Save(dir)
		}, "fitted.json"},
		{"an unknown kind", func(dir string) error {
			forged := *m
			forged.card.Kind = "forest"
			return forged.Save(dir)
		}, `its kind, "forest", is unknown`},
		{"a network where none is", plainNetwork{plainCard{Card: m.card.Card}}.saveAs(""), "it is a network"},
		{"fewer members", func(dir string) error {
			forged := *j
			forged.card.Members = forged.card.Members[:1]
			return forged.Save(dir)
		}, "does not fit 1 members"},
		{"other weights", func(dir string) error {
			forged := *j
			forged.card.Members = slices.Clone(forged.card.Members)
			forged.card.Members[0].Weight /= 2
			return forged.Save(dir)
		}, "member 1 weighs"},
		{"a member twice", func(dir string) error {
			forged := *j
			forged.models = []Model{j.models[0], j.models[0]}
			return forged.Save(dir)
		}, "member 2 does not belong to it"},
		{"a member too many", func(dir string) error {
			forged := *j
			forged.models = append(slices.Clone(j.models), j.models[0])
			return forged.Save(dir)
		}, "does not belong to it"},
		{"joined of joined", func(dir string) error {
			forged := *j
			forged.models = []Model{j, j.models[1]}
			return forged.Save(dir)
		}, "a model of kind auto stands in another"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "model")
			if err := c.save(dir); err != nil {
				t.Fatal(err)
			}
			_, err := Trainer{}.Load(dir)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), dir) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, c.want)
			}
		})
	}
}

func (m plainNetwork) saveAs(kind string) func(string) error {
	m.card.Kind = kind
	return m.Save
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// silent is a model that scores no instances.
type silent struct{ learner.Model }

// TestNoInstances checks that a model without scores of instances says so. In a joined model, the members that have
// them count.
func TestNoInstances(t *testing.T) {
	set := shifted(t, 20, false)
	bags := set.Instances()
	train := func(name string) *classicModel {
		return must(Trainer{}.Train(t.Context(), must(Settings(false, name))[0], set, 1, nil)).(*classicModel)
	}
	quiet, other := train("statistics-svm"), train("set-kernel-svm")
	quiet.fitted = silent{quiet.fitted}
	if _, err := quiet.Predict(t.Context(), bags, true); !errors.Is(err, ErrNoInstances) || !strings.Contains(err.Error(), "statistics-svm has no scores of instances; these learners have some: ") {
		t.Errorf("error %v", err)
	}
	h := held{labels: []int{0, 1, 0, 1}, starts: []int{0, 4}}
	j := &joinedModel{card: joinedCard{Card: modeldir.CardOf(AutoName, set, 1)}, models: []Model{quiet, other},
		combination: must(combine(h, columns([]float64{0, 2, 1, 3}, []float64{1, 2, 0, 3})))}
	for k, one := range j.models {
		j.card.Members = append(j.card.Members, learner.Weighted{Setting: one.About().Setting, Weight: j.combination.Weights[k]})
	}
	got := must(j.Predict(t.Context(), bags, true))
	for i, p := range must(other.Predict(t.Context(), bags, true)) {
		want := make([]float64, bags[i].Len())
		addStandardised(want, 1, p.Instances)
		for k := range want {
			if math.Abs(want[k]-got[i].Instances[k]) > 1e-12 {
				t.Errorf("bag %d, instance %d: score %v, want %v", i, k, got[i].Instances[k], want[k])
			}
		}
	}
	j.models[1] = quiet
	if _, err := j.Predict(t.Context(), bags, true); !errors.Is(err, ErrNoInstances) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
}

func TestDefaultPortfolio(t *testing.T) {
	p := DefaultPortfolio()
	if p.Inner != 5 || len(p.Candidates) < 7 {
		t.Errorf("%+v", p)
	}
	for _, c := range p.Candidates {
		e := must(Find(learner.Name(c)))
		if _, err := e.Parse(c); err != nil || e.Model == nil {
			t.Errorf("%s: %v", c, err)
		}
	}
	settings, err := Settings(true, AutoName)
	if err != nil || len(settings) != 1 || learner.Name(settings[0]) != AutoName || !slices.Contains(Names(), AutoName) {
		t.Errorf("%s, %v", settings, err)
	}
}

func TestOverride(t *testing.T) {
	got, err := Override("statistics-svm", json.RawMessage(`{"c":10,"statistics":"min max"}`))
	if want := `{"learner":"statistics-svm","statistics":"min max","gamma":1,"c":10,"balanced":true}`; string(got) != want || err != nil {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	if got, err = Override("instance", json.RawMessage(`{"gamma":0.1}`)); err != nil || !strings.Contains(string(got), `"gamma":0.1`) || !strings.Contains(string(got), `"pooling":"instance"`) {
		t.Errorf("%s, %v", got, err)
	}
	if got, err = Override(AutoName, json.RawMessage(`{"inner":3}`)); err != nil || !strings.HasPrefix(string(got), `{"learner":"auto","inner":3,"prior":2,"unweighted":true,"candidates":[{`) {
		t.Errorf("%s, %v", got, err)
	}
	for fields, want := range map[string]string{
		`{"c":"3"}`:     `c "3": a value of type float64 is needed`,
		`{"gama":3}`:    `there is no field "gama"; did you mean "gamma"?`,
		`{"C":3}`:       `there is no field "C"`,
		`{"c":-1}`:      "c -1: more than 0 is needed",
		`{"x":1}`:       "use one of statistics, gamma, c, balanced",
		`{"learner":1}`: `there is no field "learner"`,
		`[]`:            "is no JSON object",
		`null`:          "is no JSON object",
		`{`:             "is no JSON object",
	} {
		if _, err := Override("statistics-svm", json.RawMessage(fields)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", fields, err, want)
		}
	}
	if got, err = Override(AutoName, json.RawMessage(`{"candidates":[{"learner":"statistics-svm","c":10},{"pooling":"instance"},{"pooling":"mean","epochs":3}]}`)); err != nil ||
		!strings.Contains(string(got), `{"learner":"statistics-svm","statistics":"min max mean","gamma":1,"c":10,"balanced":true},{"pooling":"instance","loss":`) ||
		!strings.HasSuffix(string(got), `,{"pooling":"mean","epochs":3}]}`) {
		t.Errorf("candidates of a few fields: %s, %v", got, err)
	}
	if _, err := Override(AutoName, json.RawMessage(`{"candidates":[{"learner":"miles","gama":1}]}`)); err == nil || err.Error() != `candidate 1: there is no field "gama"; did you mean "gamma"?` {
		t.Error(err)
	}
	if _, err := Override(AutoName, json.RawMessage(`{"inner":1}`)); err == nil || !strings.Contains(err.Error(), "inner 1: 2 to 20") {
		t.Error(err)
	}
}

// TestTrainStops checks that a cancelled training returns the context's error, and that an impossible one is refused
// first.
func TestTrainStops(t *testing.T) {
	set := shifted(t, 20, false)
	ctx, cancel := context.WithCancel(t.Context())
	seen := Progress{}
	_, err := Trainer{}.Train(ctx, smallPortfolio(t, 5), set, 1, func(p Progress) {
		if seen = p; p.Done == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || seen.Total < 12 || seen.Total%10 != 2 {
		t.Errorf("error %v after %+v", err, seen)
	}
	settings := must(Settings(false, "mind"))
	m := must(Trainer{}.Train(t.Context(), settings[0], set, 1, nil))
	if _, err := m.Predict(ctx, set.Instances(), true); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a prediction that was stopped", err)
	}
	if _, err := (Trainer{Resources: Resources{Memory: 1e6}}).Train(t.Context(), settings[0], set, 1, nil); err == nil || !strings.Contains(err.Error(), "raise --memory") {
		t.Errorf("error %v", err)
	}
	if _, err := (Trainer{}).Train(t.Context(), json.RawMessage(`{"pooling":"plain"}`), set, 1, nil); err == nil || !strings.Contains(err.Error(), "setting of a network") {
		t.Errorf("error %v", err)
	}
	one := *set
	one.Bags = slices.Clone(set.Bags)
	for i := range one.Bags {
		one.Bags[i].Target = mil.Labelled(1)
	}
	if _, err := (Trainer{}).Train(t.Context(), smallPortfolio(t, 5), &one, 1, nil); err == nil || !strings.HasPrefix(err.Error(), "shifted: ") {
		t.Errorf("error %v", err)
	}
}

// TestUnable checks that candidates that cannot learn a set are left out, unless none can.
func TestUnable(t *testing.T) {
	set := shifted(t, 20, false)
	setting := smallPortfolio(t, 3, `{"pooling":"plain"}`)
	networks := plainNetworks{}
	check := func(able map[string]bool) func(cv.Task) error {
		return func(task cv.Task) error {
			if able[learner.Name(task.Fits[0].Setting)] {
				return nil
			}
			return errors.New("too large")
		}
	}
	all := All(networks, Resources{Workers: 1}).(prepared).Of.(auto)
	task := cv.NewTask(set, []cv.Fit{{Seed: 1, Setting: setting, Train: cv.Examples(set), Test: []int{0}}})
	for _, able := range []map[string]bool{{"statistics-svm": true, "plain": true}, {}} {
		all.check = check(able)
		o := learn(t, all, task)[0]
		if len(able) == 0 {
			if o.Err == nil || !strings.Contains(o.Err.Error(), "none of 3 candidates could be learnt: statistics-svm: too large") {
				t.Errorf("error %v", o.Err)
			}
			continue
		}
		for _, w := range o.Portfolio {
			if !able[learner.Name(w.Setting)] {
				t.Errorf("%s counts, of %v", w.Setting, slices.Collect(maps.Keys(able)))
			}
		}
		if o.Err != nil || len(o.Portfolio) == 0 {
			t.Errorf("%+v", o)
		}
	}
}

// TestLoadReplaced: a model that is replaced again and again can be read at any moment.
func TestLoadReplaced(t *testing.T) {
	m, dir := roundTrip(t, Trainer{}, json.RawMessage(`{"learner":"statistics-svm","statistics":"min max mean","gamma":1,"c":3,"balanced":true}`), shifted(t, 12, false), false)
	saved := make(chan error)
	go func() {
		var err error
		for range 100 {
			err = errors.Join(err, m.Save(dir))
		}
		saved <- err
	}()
	for {
		select {
		case err := <-saved:
			if err != nil {
				t.Error(err)
			}
			return
		default:
			if _, err := (Trainer{}).Load(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
}

package neural_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend/backendtest"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
	"synpool/synlayer"
)

// must returns a value. An error ends the tests.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// planted returns bags of 1 to 12 instances. Positive ones hold a shifted instance.
func planted(bags int, sparse bool) *mil.Set {
	const features = 6
	rng := rand.New(rand.NewPCG(4, 2))
	set := &mil.Set{Name: "planted", Checksum: "planted"}
	for i := range bags {
		b := mil.Bag{ID: fmt.Sprint(i + 1), Target: mil.Labelled(i % 2)}
		m := &mil.Dense{Rows: 1 + rng.IntN(12), Cols: features}
		for range m.Rows * features {
			m.Values = append(m.Values, float32(3+2*rng.NormFloat64()))
		}
		if b.Label == 1 {
			witness := rng.IntN(m.Rows)
			for j := range 3 {
				m.Values[witness*features+j] += 10
			}
		}
		b.Instances = m
		if sparse {
			s := &mil.Sparse{Cols: features}
			for r := range m.Rows {
				s.Append(m.Row(r))
			}
			b.Instances = s
		}
		set.Bags = append(set.Bags, b)
	}
	return set
}

// config returns a setting that trains quickly.
func config(t *testing.T, pooling string) neural.Config {
	t.Helper()
	c := must(neural.DefaultConfig(pooling))
	c.Width, c.Epochs, c.Batch, c.LR, c.Dropout = 8, 12, 4, 0.01, 0.25
	if c.Embed > 0 {
		c.Embed, c.Heads = 8, 2
	}
	return c
}

func task(t *testing.T, set *mil.Set, p cv.Protocol, configs ...neural.Config) cv.Task {
	t.Helper()
	var settings []json.RawMessage
	for _, c := range configs {
		data := must(json.Marshal(c))
		settings = append(settings, data)
	}
	fits := must(p.Fits(set, settings, 1))
	task := cv.Task{Name: set.Name, Fits: fits}
	for _, b := range set.Bags {
		task.Bags = append(task.Bags, b.Instances)
	}
	return task
}

// learn returns the outcomes in the order of the fits.
func learn(t *testing.T, backend compute.Backend, workers int, task cv.Task) []learner.Outcome {
	t.Helper()
	outcomes := make([]learner.Outcome, len(task.Fits))
	err := neural.Trainer{Backend: backend, Workers: workers}.Learn(context.Background(), task, func(o learner.Outcome) error {
		o.Wall = 0
		outcomes[o.Fit] = o
		return o.Err
	})
	if err != nil {
		t.Fatal(err)
	}
	return outcomes
}

func honest(folds int) cv.Protocol {
	p := cv.Honest()
	p.Folds, p.Repeats = folds, 1
	return p
}

// TestLearns checks that every pooling separates bags with a planted instance from those without. On XLA, where each
// takes many seconds to compile, it checks the first two.
func TestLearns(t *testing.T) {
	set := planted(60, false)
	for name, backend := range backendtest.All(t) {
		poolings := neural.Poolings
		if name != gobackend.BackendName {
			poolings = poolings[:2]
		}
		for _, pooling := range poolings {
			c := config(t, pooling)
			c.Epochs = 30
			task := task(t, set, honest(2), c)
			mean := 0.0
			for i, o := range learn(t, backend, 2, task) {
				var labels []int
				var scores []float64
				for k, b := range task.Fits[i].Test {
					labels = append(labels, set.Bags[b].Label)
					scores = append(scores, o.Epochs[0].Test[k].Scores[0])
				}
				auc := must(stats.AUC(labels, scores))
				mean += auc / 2
			}
			if mean < 0.85 {
				t.Errorf("%s, %s: AUC %.3f on planted bags", name, pooling, mean)
			}
		}
	}
}

// TestDeterministic checks that the same seed gives bit-identical scores, with any number of workers, beside any other
// fits, and if every epoch is scored or only the last.
func TestDeterministic(t *testing.T) {
	set := planted(24, false)
	distract := config(t, "syn")
	distract.Iterations = -3
	for name, backend := range backendtest.All(t) {
		all := task(t, set, honest(3), config(t, "softmax"), distract)
		want := learn(t, backend, 1, all)
		if got := learn(t, backend, 3, all); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: three workers differ from one", name)
		}
		alone := all
		alone.Fits = all.Fits[3:4]
		if got := learn(t, backend, 1, alone); !reflect.DeepEqual(got[0].Epochs, want[3].Epochs) {
			t.Errorf("%s: a fit alone differs from the same fit among others", name)
		}
		alone.Fits = append([]cv.Fit{}, alone.Fits...)
		alone.Fits[0].EveryEpoch = true
		got := learn(t, backend, 1, alone)[0].Epochs
		if len(got) != distract.Epochs || !reflect.DeepEqual(got[len(got)-1], want[3].Epochs[0]) {
			t.Errorf("%s: scoring every epoch changes the last", name)
		}
		for i, e := range got {
			if e.Number != i+1 {
				t.Errorf("%s: epoch %d stands at place %d", name, e.Number, i+1)
			}
		}
		alone.Fits[0].Seed++
		if reflect.DeepEqual(learn(t, backend, 1, alone)[0].Epochs, got) {
			t.Errorf("%s: another seed gives the same scores", name)
		}
	}
}

// TestUnits checks that a unit that is a power of two changes no bit of a score, and that a power of ten, which rounds
// every feature to float32 anew, changes scores after a few epochs by less than a thousandth of their size, as in
// TestLargeIsTheSame.
func TestUnits(t *testing.T) {
	backend := backendtest.Chosen(t)
	for _, sparse := range []bool{false, true} {
		gated, syn := config(t, "gated"), config(t, "syn")
		gated.Epochs, syn.Epochs = 5, 5
		plain := task(t, planted(24, sparse), honest(3), gated, syn)
		want := learn(t, backend, 2, plain)
		for _, unit := range []float64{0x1p-90, 0x1p90, 1e-30, 1e-7, 1e30} {
			other := plain
			other.Bags = nil
			for _, b := range plain.Bags {
				d := &mil.Dense{Rows: b.Len(), Cols: b.Features(), Values: make([]float32, b.Len()*b.Features())}
				if err := b.Read(0, d.Rows, d.Values); err != nil {
					t.Fatal(err)
				}
				for k, v := range d.Values {
					d.Values[k] = float32(float64(v) * unit)
				}
				other.Bags = append(other.Bags, d)
				if sparse {
					other.Bags[len(other.Bags)-1], _ = mil.ToSparse(d) // in memory there is no error
				}
			}
			exponent, tolerance := math.Log2(unit), 0.0
			if exponent != math.Trunc(exponent) {
				tolerance = 1e-3
			}
			for i, o := range learn(t, backend, 2, other) {
				for k, p := range o.Epochs[0].Test {
					if was := want[i].Epochs[0].Test[k].Scores[0]; !(math.Abs(p.Scores[0]-was) <= tolerance*max(1, math.Abs(was))) {
						t.Fatalf("sparse %v, times %g: fit %d scores a bag %v, and %v before", sparse, unit, i, p.Scores[0], was)
					}
				}
			}
		}
	}
}

// TestTestPartIsNotSeen checks that the score of a test bag is bit-identical for other values or numbers of instances
// in the other test bags.
func TestTestPartIsNotSeen(t *testing.T) {
	set := planted(24, false)
	c := config(t, "syn")
	c.Iterations = -3
	for name, backend := range backendtest.All(t) {
		plain := task(t, set, honest(3), c)
		plain.Fits = plain.Fits[:1]
		want := learn(t, backend, 1, plain)[0].Epochs[0].Test
		for _, rows := range []int{1, 12, 40} {
			poisoned := plain
			poisoned.Bags = append([]mil.Instances{}, plain.Bags...)
			for _, b := range plain.Fits[0].Test[1:] {
				m := &mil.Dense{Rows: rows, Cols: poisoned.Bags[b].Features(), Values: make([]float32, rows*poisoned.Bags[b].Features())}
				for i := range m.Values {
					m.Values[i] = float32(i%7 + b)
				}
				poisoned.Bags[b] = m
			}
			got := learn(t, backend, 1, poisoned)[0].Epochs[0].Test
			if got[0].Scores[0] != want[0].Scores[0] {
				t.Errorf("%s: the score of a test bag moved from %g to %g with the other test bags", name, want[0].Scores[0], got[0].Scores[0])
			}
			if got[1].Scores[0] == want[1].Scores[0] {
				t.Errorf("%s: the score of a poisoned test bag did not move", name)
			}
		}
	}
}

// TestTooLarge checks that a task that does not fit into memory is refused in advance.
func TestTooLarge(t *testing.T) {
	set := planted(8, false)
	deep, wide := config(t, "mean"), config(t, "mean")
	deep.Width, deep.Layers = 1<<14, 64
	wide.Batch = 1 << 40 // more than there are bags: all of them
	wide.Epochs = 1
	for _, c := range []struct {
		config neural.Config
		want   string
	}{{deep, "lower --width, --layers or --hidden"}, {wide, ""}} {
		_, err := neural.Trainer{Backend: backendtest.Chosen(t)}.Train(context.Background(), c.config, set, 1, nil)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v, want %q", c.config, err, c.want)
		}
	}
}

// TestSparse checks that the sparse form of a set trains like the dense one, except for centring. All bags are in one
// bucket in both forms, so that the order is the same; sums over the columns in use are rounded differently from sums
// over all.
func TestSparse(t *testing.T) {
	backend := backendtest.Chosen(t)
	c := config(t, "softmax")
	c.Standardise, c.Epochs = false, 6 // rounding grows from 5e-7 after one to 1e-4 after twelve
	small := func(sparse bool) *mil.Set {
		set := planted(24, sparse)
		for i := range set.Bags {
			switch m := set.Bags[i].Instances.(type) {
			case *mil.Dense:
				m.Rows = min(m.Rows, 8)
				m.Values = m.Values[:m.Rows*m.Cols]
			case *mil.Sparse:
				m.Rows = min(m.Rows, 8)
				m.RowStart = m.RowStart[:m.Rows+1]
				m.Column, m.Values = m.Column[:m.RowStart[m.Rows]], m.Values[:m.RowStart[m.Rows]]
			}
		}
		return set
	}
	dense := learn(t, backend, 2, task(t, small(false), honest(3), c))
	sparse := learn(t, backend, 2, task(t, small(true), honest(3), c))
	for i := range dense {
		for k, want := range dense[i].Epochs[0].Test {
			if got := sparse[i].Epochs[0].Test[k].Scores[0]; math.Abs(got-want.Scores[0]) > 1e-5*max(1, math.Abs(want.Scores[0])) {
				t.Errorf("fit %d, bag %d: score %g from the sparse form, %g from the dense", i, k, got, want.Scores[0])
			}
		}
	}
}

// middle pools the mean of mean and maximum.
type middle struct{ synlayer.MeanPooling }

func (p middle) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *graph.Node) {
	mean, weights := p.MeanPooling.Pool(scope, bags)
	most, _ := synlayer.MaxPooling{}.Pool(scope, bags)
	return graph.MulScalar(graph.Add(mean, most), 0.5), weights
}

// listed is a pooling with a list, so it cannot be compared with another.
type listed struct {
	synlayer.MeanPooling
	Factors []float64
}

// wrong is a pooling that panics with a value that is not an error.
type wrong struct{}

func (wrong) Pool(*model.Scope, synlayer.Bags) (pooled, weights *graph.Node) { panic("no such thing") }

// registered registers a pooling for the rest of a test, and returns its default setting.
func registered(t *testing.T, e neural.Entry) neural.Config {
	t.Helper()
	remove := must(neural.Register(e))
	t.Cleanup(remove)
	return must(neural.DefaultConfig(e.Name))
}

// TestOwnPooling checks that a user's own pooling is planned, learnt with others in one task, trained, saved and loaded
// by its name. A name that is unknown is refused.
func TestOwnPooling(t *testing.T) {
	set, backend := planted(24, false), backendtest.Chosen(t)
	remove := must(neural.Register(neural.Entry{Name: "middle", Default: middle{}}))
	own := must(neural.DefaultConfig("middle"))
	other := config(t, "max")
	own.Width, own.Epochs, own.Batch, own.LR, own.Dropout = other.Width, other.Epochs, other.Batch, other.LR, other.Dropout
	both := task(t, set, honest(3), own, other)
	trainer := neural.Trainer{Backend: backend, Workers: 2}
	outcomes := make([]learner.Outcome, len(both.Fits))
	if err := trainer.Learn(context.Background(), both, func(o learner.Outcome) error {
		outcomes[o.Fit] = o
		return o.Err
	}); err != nil {
		t.Fatal(err)
	}
	var scores []float64
	var labels []int
	for i, o := range outcomes {
		if i%2 == 0 {
			for k, s := range o.Epochs[0].Test {
				scores, labels = append(scores, s.Scores[0]), append(labels, set.Bags[both.Fits[i].Test[k]].Label)
			}
		}
	}
	if auc, err := stats.AUC(labels, scores); err != nil || auc < 0.8 {
		t.Errorf("AUC %g with a pooling of one's own (%v)", auc, err)
	}

	trained := must(trainer.Train(context.Background(), own, set, 1, nil))
	dir := t.TempDir()
	if err := trained.Save(dir); err != nil {
		t.Fatal(err)
	}
	loaded := must(neural.Load(backend, dir))
	want := must(trained.Predict(context.Background(), both.Bags, false))
	if got, err := loaded.Predict(context.Background(), both.Bags, false); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the loaded model predicts otherwise (%v)", err)
	}

	remove()
	if _, err := neural.Load(backend, dir); err == nil || !strings.Contains(err.Error(), `"middle"`) {
		t.Errorf("loaded without its pooling: error %v", err)
	}
	err := trainer.Learn(context.Background(), both, func(o learner.Outcome) error { return o.Err })
	if err == nil || !strings.Contains(err.Error(), `"middle"`) {
		t.Errorf("a trainer that does not know the pooling: error %v", err)
	}
	if _, err := neural.Register(neural.Entry{Name: "middle", Default: wrong{}}); err == nil || err.Error() != `pooling "middle": no such thing` {
		t.Errorf("a pooling that panics: error %v", err)
	}
	registered(t, neural.Entry{Name: "middle", Default: synlayer.MeanPooling{}})
	err = trainer.Learn(context.Background(), both, func(o learner.Outcome) error { return o.Err })
	if err == nil || !strings.Contains(err.Error(), "its code or its default has changed") {
		t.Errorf("settings of another pooling of this name: error %v", err)
	}
}

func TestLearnErrors(t *testing.T) {
	set := planted(24, false)
	backend := backendtest.Chosen(t)
	wild := config(t, "sum")
	wild.LR, wild.Standardise, wild.Dropout = 1e38, false, 0
	some := task(t, set, honest(3), wild, config(t, "mean"))
	failed, finished := 0, 0
	err := neural.Trainer{Backend: backend, Workers: 2}.Learn(context.Background(), some, func(o learner.Outcome) error {
		if o.Err != nil {
			failed++
			if !strings.Contains(o.Err.Error(), "not finite") {
				t.Error(o.Err)
			}
		} else {
			finished++
		}
		return nil
	})
	if err != nil || failed != 3 || finished != 3 {
		t.Errorf("%d fits failed and %d finished (%v), want 3 and 3: one failure must not end the others", failed, finished, err)
	}
	full := errors.New("disk full")
	if err := (neural.Trainer{Backend: backend, Workers: 2}).Learn(context.Background(), some, func(learner.Outcome) error { return full }); !errors.Is(err, full) {
		t.Errorf("done's error became %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	handed := 0
	err = neural.Trainer{Backend: backend, Workers: 1}.Learn(ctx, some, func(learner.Outcome) error {
		handed++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || handed != 1 {
		t.Errorf("after cancelling at the first outcome: %d handed over, error %v", handed, err)
	}
}

// TestUnfit checks that a malformed task is refused as a whole. A fit whose training bags cannot be standardised, or
// without a finite score, fails alone.
func TestUnfit(t *testing.T) {
	for name, backend := range backendtest.All(t) {
		some := func() cv.Task {
			t := task(t, planted(12, false), honest(3), config(t, "mean"))
			t.Bags = slices.Clone(t.Bags)
			return t
		}
		trainer := neural.Trainer{Backend: backend, Workers: 1}
		for want, spoil := range map[string]func(*cv.Task){
			"planted: fit 1: training bag 12 of 12":      func(t *cv.Task) { t.Fits[1].Train = []cv.Example{{Bag: 12}} },
			"planted: fit 2: training bag 0 has label 2": func(t *cv.Task) { t.Fits[2].Train = []cv.Example{{Target: mil.Labelled(2)}} },
			"planted: fit 0: bag -1 of 12 is to be":      func(t *cv.Task) { t.Fits[0].Test = []int{-1} },
			"planted: bag 3 has 5 features, bag 0 has 6": func(t *cv.Task) { t.Bags[3] = &mil.Dense{Rows: 1, Cols: 5, Values: make([]float32, 5)} },
			"planted: bag 4: ":                           func(t *cv.Task) { t.Bags[4] = &mil.Dense{Rows: 1, Cols: 6, Values: make([]float32, 5)} },
		} {
			bad := some()
			spoil(&bad)
			_, planned := trainer.Plan(bad)
			learnt := trainer.Learn(context.Background(), bad, func(learner.Outcome) error { t.Errorf("%s: an outcome", name); return nil })
			for _, err := range []error{planned, learnt} {
				if err == nil || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("%s: error %v, want %q", name, err, want)
				}
			}
		}

		huge := some()
		for i, x := range huge.Bags {
			huge.Bags[i] = hundredth(x)
		}
		at := huge.Fits[0].Test[0] // in the training part of the other two
		large := *huge.Bags[at].(*mil.Dense)
		large.Values = slices.Clone(large.Values)
		large.Values[0] = math.MaxFloat32
		huge.Bags[at] = &large
		huge.Fits = append(huge.Fits, huge.Fits[0])
		huge.Fits[3].Test = huge.Fits[0].Test[1:]
		outcomes := make([]learner.Outcome, 4)
		if err := trainer.Learn(context.Background(), huge, func(o learner.Outcome) error { outcomes[o.Fit] = o; return nil }); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, want := range []string{fmt.Sprintf("bag %d: the score is not finite", at), "", "", ""} {
			err := outcomes[i].Err
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: fit %d: error %v, want %q", name, i, err, want)
			}
		}
	}
}

// hundredth returns dense instances in a different unit, where the largest float32 is too large to be standardised.
func hundredth(x mil.Instances) mil.Instances {
	m := *x.(*mil.Dense)
	m.Values = slices.Clone(m.Values)
	for k := range m.Values {
		m.Values[k] /= 100
	}
	return &m
}

// TestPredictRefuses checks that the error names a bag that cannot be scored.
func TestPredictRefuses(t *testing.T) {
	set := planted(12, false)
	for i := range set.Bags {
		set.Bags[i].Instances = hundredth(set.Bags[i].Instances)
	}
	c := config(t, "mean")
	c.Epochs = 1
	trained := must(neural.Trainer{Backend: backendtest.Chosen(t)}.Train(context.Background(), c, set, 1, nil))
	for want, bag := range map[string]mil.Instances{
		"bag 1: 5 values for 1 instances of 6 features":                                               &mil.Dense{Rows: 1, Cols: 6, Values: make([]float32, 5)},
		"bag 1: value NaN of feature 3 of instance 1":                                                 &mil.Dense{Rows: 1, Cols: 6, Values: []float32{1, 2, float32(math.NaN()), 4, 5, 6}},
		"bag 1: its score is not finite: its values or the model's weights are too large for float32": &mil.Dense{Rows: 1, Cols: 6, Values: []float32{math.MaxFloat32, 2, 3, 4, 5, 6}},
		"bag 1: 5 features; the model":                                                                &mil.Dense{Rows: 1, Cols: 5, Values: make([]float32, 5)},
	} {
		predictions, err := trained.Predict(context.Background(), []mil.Instances{set.Bags[0].Instances, bag}, false)
		if err == nil || !strings.HasPrefix(err.Error(), want) || predictions != nil {
			t.Errorf("%d predictions, error %v, want %q", len(predictions), err, want)
		}
	}
}

package learner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/run"
	"synpool/milbench/run/runtest"
)

// sharing is an estimator whose fits share data that depend on Part. log records what it is asked for.
type sharing struct {
	Part string `json:"part"` // "" means that nothing is shared
	Step int    `json:"step"`
}

// asked records what estimators were asked for in a test.
type asked struct {
	mu    sync.Mutex
	fits  int
	made  map[string]int // number of shared data made, by part
	watch func(sharing, learner.Training) error
}

var log *asked

// watching starts a log. Tests that use it must not run in parallel.
func watching(t *testing.T, watch func(sharing, learner.Training) error) *asked {
	log = &asked{made: map[string]int{}, watch: watch}
	t.Cleanup(func() { log = nil })
	return log
}

type sharingPart struct{ sharing }

// Shares implements the optional method of [learner.Estimator].
func (s sharingPart) Shares() string { return "part " + s.Part }

func (s sharing) Cost([]mil.Instances) learner.Cost {
	return learner.Cost{Seconds: 1, Shared: 60, Memory: 40e6}
}

func (s sharing) Fit(ctx context.Context, t learner.Training) (learner.Model, error) {
	log.mu.Lock()
	log.fits++
	log.mu.Unlock()
	shared, rows, err := t.Share()
	if err != nil {
		return nil, err
	}
	if len(rows) != len(t.Bags) {
		return nil, fmt.Errorf("%d rows", len(rows))
	}
	if _, err := learner.Once(shared, "made", func() (int, error) {
		log.mu.Lock()
		defer log.mu.Unlock()
		log.made[s.Part]++
		return 0, nil
	}); err != nil {
		return nil, err
	}
	if log.watch != nil {
		if err := log.watch(s, t); err != nil {
			return nil, err
		}
	}
	return firstValue(s.Step), ctx.Err()
}

// firstValue scores a bag by its first value times a factor.
type firstValue int

func (f firstValue) Predict(bag mil.Instances) (mil.Prediction, error) {
	if bag.Len() == 0 {
		return mil.Prediction{}, errors.New("no instances")
	}
	row := make([]float32, bag.Features())
	if err := bag.Read(0, 1, row); err != nil {
		return mil.Prediction{}, err
	}
	return mil.Scored(float64(f) * float64(row[0])), nil
}

// entries returns an entry whose fits share data and one whose fits do not.
func entries() []learner.Entry {
	return []learner.Entry{
		{Name: "sharing", Summary: "for tests", Default: func() learner.Estimator { return &sharingPart{} }},
		{Name: "alone", Summary: "for tests", Default: func() learner.Estimator { return &sharing{} }},
	}
}

func settings(list ...string) (all []json.RawMessage) {
	for _, s := range list {
		name, rest, _ := strings.Cut(s, " ")
		part, step, _ := strings.Cut(rest, " ")
		all = append(all, json.RawMessage(fmt.Sprintf(`{"learner":%q,"part":%q,"step":%s}`, name, part, step)))
	}
	return all
}

// set returns n bags with one value each, all different.
func set(n int) *mil.Set {
	s := runtest.Set("test", n)
	for i := range s.Bags {
		s.Bags[i].Instances = &mil.Dense{Rows: 1, Cols: 1, Values: []float32{float32(i % 7)}}
	}
	return s
}

func fits(t *testing.T, s *mil.Set, p cv.Protocol, list []json.RawMessage) cv.Task {
	t.Helper()
	all, err := p.Fits(s, list, 1)
	if err != nil {
		t.Fatal(err)
	}
	return cv.NewTask(s, all)
}

// four are settings with two parts.
var four = settings("sharing a 1", "sharing b 1", "sharing a 2", "sharing b 2")

// TestSharedOnce checks that shared data are made once per fold and part, with one worker and with several. Other
// differences between fits do not matter, including inner folds and a validation part. An estimator that shares nothing
// makes them once per fit.
func TestSharedOnce(t *testing.T) {
	s := set(42)
	for name, p := range map[string]cv.Protocol{
		"honest":      {Name: cv.HonestProtocol, Folds: 4, Repeats: 2},
		"nested":      {Name: cv.NestedProtocol, Folds: 4, Repeats: 2, Inner: 3},
		"held back":   {Name: cv.NestedProtocol, Folds: 4, Repeats: 2},
		"best epochs": {Name: cv.BestEpochProtocol, Folds: 4, Repeats: 2},
	} {
		for _, workers := range []int{1, 3} {
			task := fits(t, s, p, append(slices.Clone(four), settings("alone x 1", "alone x 2")...))
			l := watching(t, nil)
			handed := 0
			err := learners.Inner{Of: learner.Classical{Entries: entries(), Workers: workers}}.Learn(t.Context(), task, func(o learner.Outcome) error {
				handed++
				return o.Err
			})
			trainings := 1 + len(task.Fits[0].Inner)
			if cut := p.Inner > 0; (trainings > 1) != cut {
				t.Fatalf("%s: %d trainings", name, trainings)
			}
			if err != nil || handed != 48 || l.fits != 48*trainings {
				t.Errorf("%s, %d workers: %d outcomes of %d fits, %v", name, workers, handed, l.fits, err)
			}
			if l.made["a"] != 8 || l.made["b"] != 8 || l.made["x"] != 16*trainings {
				t.Errorf("%s, %d workers: made %v, want a: 8 b: 8 x: %d", name, workers, l.made, 16*trainings)
			}
		}
	}
}

// TestJobOrder checks that with one worker outcomes come job by job, in the order of the jobs' first fits, and within a
// job in the order of the fits.
func TestJobOrder(t *testing.T) {
	watching(t, nil)
	task := fits(t, set(20), cv.Protocol{Name: cv.HonestProtocol, Folds: 2, Repeats: 1}, append(slices.Clone(four), settings("alone x 1")...))
	var order []int
	if err := (learner.Classical{Entries: entries(), Workers: 1}).Learn(t.Context(), task, func(o learner.Outcome) error {
		order = append(order, o.Fit)
		return o.Err
	}); err != nil || !slices.Equal(order, []int{0, 2, 1, 3, 4, 5, 7, 6, 8, 9}) {
		t.Errorf("order %v, %v", order, err)
	}
	// An invalid setting fails alone.
	task.Fits[2].Setting = json.RawMessage(`{"learner":"sharing","part":"a"}`)
	order = nil
	if err := (learner.Classical{Entries: entries(), Workers: 1}).Learn(t.Context(), task, func(o learner.Outcome) error {
		order = append(order, o.Fit)
		if (o.Err != nil) != (o.Fit == 2) {
			t.Errorf("fit %d: %v", o.Fit, o.Err)
		}
		return nil
	}); err != nil || !slices.Equal(order, []int{0, 1, 3, 2, 4, 5, 7, 6, 8, 9}) {
		t.Errorf("order %v, %v", order, err)
	}
}

// TestLearnErrors checks that a fit whose setting is unknown or whose test bag cannot be scored fails alone and says why, and
// that an error of done ends the task.
func TestLearnErrors(t *testing.T) {
	watching(t, nil)
	task := fits(t, set(20), cv.Protocol{Name: cv.HonestProtocol, Folds: 2, Repeats: 1}, settings("alone x 1", "alone x 2"))
	empty := task.Fits[0].Test[0]
	task.Bags[empty] = &mil.Dense{Cols: 1}
	task.Fits = task.Fits[:2]
	task.Fits[1].Setting, task.Fits[1].Test = json.RawMessage("[]"), nil
	task.Fits = append(task.Fits, task.Fits[0])
	task.Fits[2].Test = task.Fits[0].Test[1:]
	all := learner.Classical{Entries: entries(), Workers: 2}
	if err := all.Learn(t.Context(), task, func(o learner.Outcome) error {
		want := []string{fmt.Sprintf("bag %d: no instances", empty), `there is no learner ""`, ""}[o.Fit]
		if (o.Err == nil) != (want == "") || o.Err != nil && !strings.Contains(o.Err.Error(), want) {
			t.Errorf("fit %d: error %v, want one with %q", o.Fit, o.Err, want)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	full, calls := errors.New("full"), 0
	if err := all.Learn(t.Context(), task, func(learner.Outcome) error { calls++; return full }); !errors.Is(err, full) || calls != 1 {
		t.Errorf("error %v after %d calls", err, calls)
	}
}

// leaks returns a bag in the shared data that the fits must not see because it is outside their training part.
func leaks(shared *learner.Shared, test []mil.Instances) error {
	for i, b := range shared.Bags {
		if slices.Contains(test, b) {
			return fmt.Errorf("shared bag %d is of the test part", i)
		}
	}
	return nil
}

// TestNoTestBags checks, for every protocol, that an estimator that looks at everything it is given finds no test bag,
// and finds the whole training part.
func TestNoTestBags(t *testing.T) {
	s := set(42)
	for _, p := range []cv.Protocol{
		{Name: cv.HonestProtocol, Folds: 3, Repeats: 2}, {Name: cv.NestedProtocol, Folds: 3, Repeats: 2, Inner: 3},
		{Name: cv.NestedProtocol, Folds: 3, Repeats: 2}, {Name: cv.PublishedProtocol, Folds: 3, Repeats: 2}, cv.BestEpoch(),
	} {
		task := fits(t, s, p, four)
		of := map[uint64]cv.Fit{} // by seed
		for _, f := range task.Fits {
			of[f.Seed] = f
			for k := range f.Inner {
				of[cv.SplitSeed(f.Seed, "inner", k)] = f
			}
		}
		l := watching(t, func(_ sharing, train learner.Training) error {
			fit, known := of[train.Seed]
			if !known {
				return fmt.Errorf("a fit of seed %d", train.Seed)
			}
			var test []mil.Instances
			for _, b := range fit.Test {
				test = append(test, task.Bags[b])
			}
			if len(train.Shared.Bags) != len(fit.Train)+len(fit.Validation) || len(train.Targets) != len(train.Bags) {
				return fmt.Errorf("%d bags are shared and %d of %d are to be learnt from", len(train.Shared.Bags), len(train.Bags), len(fit.Train))
			}
			if leaks(learner.NewShared(append(slices.Clone(train.Shared.Bags), test[0])), test) == nil {
				return errors.New("one test bag too many is not seen")
			}
			return errors.Join(leaks(train.Shared, test), leaks(learner.NewShared(train.Bags), test))
		})
		if err := (learners.Inner{Of: learner.Classical{Entries: entries(), Workers: 2}}).Learn(t.Context(), task, func(o learner.Outcome) error { return o.Err }); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
		if l.fits < len(task.Fits) {
			t.Errorf("%+v: %d fits", p, l.fits)
		}
	}
}

// TestSharedIsLetGo checks that shared data are released when their job ends.
func TestSharedIsLetGo(t *testing.T) {
	var before []weak.Pointer[learner.Shared]
	kept := 0
	watching(t, func(_ sharing, train learner.Training) error {
		if n := len(before); n > 0 && before[n-1].Value() == train.Shared {
			return nil
		}
		runtime.GC()
		for _, p := range before {
			if p.Value() != nil {
				kept++
			}
		}
		before = append(before, weak.Make(train.Shared))
		return nil
	})
	task := fits(t, set(40), cv.Protocol{Name: cv.HonestProtocol, Folds: 5, Repeats: 1}, four)
	if err := (learner.Classical{Entries: entries(), Workers: 1}).Learn(t.Context(), task, func(o learner.Outcome) error { return o.Err }); err != nil {
		t.Fatal(err)
	}
	if len(before) != 10 || kept > 0 {
		t.Errorf("%d jobs, %d kept what they shared", len(before), kept)
	}
}

// TestStopAndResume checks that a stopped run keeps its results, and that the next run makes exactly what is missing.
func TestStopAndResume(t *testing.T) {
	start := func(dir string) run.Run {
		r := runtest.Run(dir, learners.Inner{Of: learner.Classical{Entries: entries(), Workers: 2}})
		r.Sets = []*mil.Set{set(60)}
		r.Protocol = cv.Protocol{Name: cv.NestedProtocol, Folds: 5, Repeats: 1, Inner: 2}
		r.Settings = four
		return r
	}
	whole := start(t.TempDir())
	l := watching(t, nil)
	if _, err := whole.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := lines(t, whole.Dir)
	if l.made["a"] != 5 || l.made["b"] != 5 || len(want) != 20 {
		t.Errorf("made %v, %d results", l.made, len(want))
	}

	r := start(t.TempDir())
	kept := 0
	for _, stop := range []int{3, 6, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		r.Progress = func(p run.Progress) {
			if p.Done == stop {
				cancel()
			}
		}
		watching(t, nil)
		sum, err := r.Do(ctx)
		cancel()
		if !errors.Is(err, context.Canceled) || sum.Skipped != kept || sum.Done < stop || sum.Failed > 0 {
			t.Fatalf("stopped after %d: %+v, %v", stop, sum, err)
		}
		kept += sum.Done
	}
	r.Progress = nil
	l = watching(t, nil)
	sum, err := r.Do(t.Context())
	if err != nil || sum.Skipped != kept || sum.Done != 20-kept {
		t.Fatalf("%+v, %v", sum, err)
	}
	if l.fits != (20-kept)*(1+2*4) || l.made["a"]+l.made["b"] > 20-kept { // 48 bags are cut four times
		t.Errorf("%d fits, made %v for %d results", l.fits, l.made, 20-kept)
	}
	got := lines(t, r.Dir)
	for fit, line := range want {
		if got[fit] != line {
			t.Errorf("fit %s is\n%s\nwant\n%s", fit, got[fit], line)
		}
	}
}

// lines returns the results of a folder without their times.
func lines(t *testing.T, dir string) map[string]string {
	t.Helper()
	found, err := results.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]string{}
	for _, r := range found {
		r.WallS = 0
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if by[r.Fit] != "" {
			t.Errorf("fit %s occurs twice", r.Fit)
		}
		by[r.Fit] = string(text)
	}
	return by
}

// TestPlanMemoryAndTime checks that a fit above the memory limit is refused before any is learnt, and that under a low
// limit fewer fits run at a time. Shared data count once per job.
func TestPlanMemoryAndTime(t *testing.T) {
	l := watching(t, nil)
	task := fits(t, set(20), cv.Protocol{Name: cv.HonestProtocol, Folds: 2, Repeats: 1}, four)
	all := learner.Classical{Entries: entries(), Workers: 4}
	plan, err := all.Plan(task)
	if err != nil || plan.Fits != 8 || plan.Workers != 4 || plan.Note != "" || plan.Memory != 220e6 || len(plan.Groups) != 4 || plan.Blocks != 8 {
		t.Errorf("%+v, %v", plan, err)
	}
	seconds := 0.0
	for _, g := range plan.Groups {
		seconds += float64(g.Blocks) * g.Block
	}
	if want := 8*1 + 4*60.0; math.Abs(seconds-want) > 1e-9 || plan.Time != time.Duration(want/4*float64(time.Second)) {
		t.Errorf("%v s of work and %v with four workers, want %v", seconds, plan.Time, want)
	}
	all.Memory = 150e6
	plan, err = all.Plan(task)
	if err != nil || plan.Workers != 2 || plan.Memory != 140e6 || plan.Note != "test: 2 fits at a time, to keep within 150 MB of memory" {
		t.Errorf("%+v, %v", plan, err)
	}
	all.Memory = 90e6
	refused := "test: sharing needs 101 MB of memory for a fit, more than the 90 MB allowed; raise --memory"
	if _, err := all.Plan(task); err == nil || err.Error() != refused {
		t.Errorf("error %v", err)
	}
	if err := all.Learn(t.Context(), task, func(learner.Outcome) error { t.Error("an outcome"); return nil }); err == nil || err.Error() != refused || l.fits > 0 {
		t.Errorf("error %v after %d fits", err, l.fits)
	}
}

// half is a model with nested fields.
type half struct {
	Kept  float64          `json:"kept"`
	Inner *struct{ A int } `json:"inner"`
	Maybe string           `json:"maybe,omitempty"`
	When  time.Time        `json:"when"` // this type decodes itself
	Never func()           `json:"-"`
	also
}

// also is embedded, so its fields are among those of the outer struct.
type also struct {
	Sum int `json:"sum"`
}

func (h *half) Predict(mil.Instances) (mil.Prediction, error) {
	return mil.Scored(h.Kept), nil
}

func (h *half) Validate() error {
	if h.Inner.A < 0 {
		return fmt.Errorf("A %d", h.Inner.A)
	}
	return nil
}

func TestReadModel(t *testing.T) {
	e := learner.Entry{Name: "half", Model: func() learner.Model { return new(half) }}
	const good = `{"kept":2,"inner":{"A":1},"when":"2026-01-02T03:04:05Z","sum":4,"more":1}`
	m, err := e.ReadModel([]byte(good))
	if err != nil || m.(*half).Kept != 2 || m.(*half).Inner.A != 1 || m.(*half).When.IsZero() || m.(*half).Sum != 4 {
		t.Errorf("%+v, %v", m, err)
	}
	for change, want := range map[string]string{
		`"kept":2|"kept":null`:           "kept is missing",
		`"kept":2,|`:                     "kept is missing",
		`{"A":1}|null`:                   "inner is missing",
		`"sum":4,|`:                      "sum is missing",
		`{"A":1}|{}`:                     "inner: A is missing",
		`{"A":1}|{"A":null}`:             "inner: A is missing",
		`{"A":1}|3`:                      "inner: json: cannot unmarshal",
		`{"A":1}|{"A":-1}`:               "A -1",
		`"2026-01-02T03:04:05Z"|"today"`: `parsing time "today"`,
		`"kept":2|"kept":"2"`:            "json: cannot unmarshal",
		`}|`:                             "unexpected end",
	} {
		old, with, _ := strings.Cut(change, "|")
		if _, err := e.ReadModel([]byte(strings.Replace(good, old, with, 1))); err == nil || !strings.HasPrefix(err.Error(), "model of half: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", change, err, want)
		}
	}
	e.Model = nil
	if _, err := e.ReadModel([]byte(good)); err == nil || err.Error() != "model of half: such models cannot be saved" {
		t.Errorf("error %v", err)
	}
}

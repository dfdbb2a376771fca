package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/run"
	"synpool/milbench/run/runtest"
	"synpool/milbench/stats"
)

// TestRunRecords checks every field of the results of a run.
func TestRunRecords(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	l := &runtest.Learner{}
	r := runtest.Run(dir, l)
	var seen []run.Progress
	ended := make(map[string]bool)
	r.Progress = func(p run.Progress) {
		if p.Result != nil {
			ended[p.Result.Fit] = true
		}
		p.Result = nil
		seen = append(seen, p)
	}
	finish(t, r)
	if len(ended) != runtest.Fits {
		t.Errorf("Progress was told the results of %d fits", len(ended))
	}
	if l.Calls != len(r.Sets) {
		t.Errorf("the learner was called %d times for %d sets", l.Calls, len(r.Sets))
	}
	begun := func(at int, set string, done int, work float64) { // a fit takes 1 s by the plan, and 0.5 s before the first of each setting
		t.Helper()
		got, want := seen[at], run.Progress{Summary: run.Summary{Total: runtest.Fits, Done: done}, Set: set}
		share := got.Share
		if got.Share = 0; got != want || math.Abs(share-work/(runtest.Fits+3)) > 1e-6 {
			t.Errorf("call %d of Progress: %+v, share %v; want %+v, %v s", at, got, share, want, work)
		}
	}
	if len(seen) != runtest.Fits+2 {
		t.Fatalf("%d calls of Progress: %+v", len(seen), seen)
	}
	const half = runtest.Fits / 2
	begun(0, "first", 0, 0)
	begun(1, "first", 1, 1.5)
	begun(half, "first", half, half+1.5)
	begun(half+1, "second", half, half+1.5)
	begun(runtest.Fits+1, "second", runtest.Fits, runtest.Fits+3)
	found, err := results.Read(dir)
	must(t, err)
	tested := make(map[string]int)
	for _, res := range found {
		if res.Protocol != "honest" || res.Folds != 4 || res.FoldsRun != 4 || res.Seed != 1 || res.Epoch != runtest.Epochs || res.Leaked ||
			res.Optimistic || res.Backend != "fake" || res.Version != "v0" || res.Revision != "0" || len(res.Validation) != 0 || res.WallS <= 0 {
			t.Fatalf("%+v", res)
		}
		for _, b := range res.Bags {
			tested[fmt.Sprint(b.ID, res.Repeat, string(res.Config))]++
			set := r.Sets[slices.IndexFunc(r.Sets, func(s *mil.Set) bool { return s.Name == res.Set })]
			at := slices.IndexFunc(set.Bags, func(bag mil.Bag) bool { return bag.ID == b.ID })
			if set.Bags[at].Label != b.Label || !slices.Equal(b.Winners, []int{0, at}) {
				t.Errorf("bag %+v is bag %d with label %d", b, at, set.Bags[at].Label)
			}
		}
	}
	if len(tested) != (40+31)*2*3 {
		t.Errorf("%d bags, repeats and settings were tested", len(tested))
	}

	again := &runtest.Learner{}
	sum, err := runtest.Run(dir, again).Do(context.Background())
	if err != nil || sum != (run.Summary{Total: runtest.Fits, Skipped: runtest.Fits}) || again.Calls != 0 {
		t.Errorf("a finished run again: %+v, %v, %d calls of the learner", sum, err, again.Calls)
	}
}

// TestEpochChoice checks which epoch each protocol uses, against the AUC of all epochs.
func TestEpochChoice(t *testing.T) {
	for _, p := range []cv.Protocol{{Name: "honest", Folds: 3, Repeats: 2}, {Name: "nested", Folds: 3, Repeats: 2}, {Name: "published", Folds: 4, Repeats: 3}, {Name: "best-epoch", Folds: 3, Repeats: 2}} {
		r := runtest.Run(t.TempDir(), nil)
		r.Sets, r.Protocol = r.Sets[:1], p
		set := r.Sets[0]
		fits, err := p.Fits(set, r.Settings, r.Seed)
		must(t, err)
		want := make(map[string]int) // epoch by repeat, fold and setting
		r.Learner = &runtest.Learner{Spoil: func(o *learner.Outcome) bool {
			fit := fits[o.Fit]
			best := math.Inf(-1)
			for _, e := range o.Epochs {
				bags, scores := fit.Test, e.Test
				if p.Name == "nested" {
					bags, scores = fit.Validation, e.Validation
				}
				var labels []int
				var values []float64
				for i, b := range bags {
					labels = append(labels, set.Bags[b].Label)
					values = append(values, scores[i].Scores[0])
				}
				auc, err := stats.AUC(labels, values)
				if err != nil {
					t.Error(err)
				}
				if p.Name == "honest" || auc > best {
					best = auc
					want[fmt.Sprint(fit.Repeat, fit.Fold, string(fit.Setting))] = e.Number
				}
			}
			return true
		}}
		found := finish(t, r)
		epochs := make(map[int]bool)
		for _, res := range found {
			var fit cv.Fit
			for _, f := range fits {
				if c, _ := cv.CanonicalSetting(f.Setting); f.Repeat == res.Repeat && f.Fold == res.Fold && string(c) == string(res.Config) {
					fit = f
				}
			}
			if w := want[fmt.Sprint(res.Repeat, res.Fold, string(fit.Setting))]; res.Epoch != w {
				t.Errorf("%s: epoch %d of repeat %d, fold %d, %s; want %d", p.Name, res.Epoch, res.Repeat, res.Fold, res.Config, w)
			}
			epochs[res.Epoch] = true
			if len(res.Validation) != len(fit.Validation) || res.Optimistic != p.Optimistic() {
				t.Errorf("%s: %d validation bags, optimistic %v", p.Name, len(res.Validation), res.Optimistic)
			}
		}
		if (len(epochs) > 1) == (p.Name == "honest") {
			t.Errorf("%s chose the epochs %v", p.Name, slices.Collect(maps.Keys(epochs)))
		}
	}
}

// TestFailedFits lets fits fail in every way. The others are kept, and the next run tries only the failed ones.
func TestFailedFits(t *testing.T) {
	dir := t.TempDir()
	boom := errors.New("boom")
	l := &runtest.Learner{Spoil: func(o *learner.Outcome) bool {
		switch o.Fit {
		case 0:
			o.Epochs, o.Err = nil, boom
		case 1:
			o.Epochs = nil
		case 2:
			o.Epochs[0].Test = o.Epochs[0].Test[1:]
		case 3:
			o.Epochs[0].Test[0].Scores[0] = math.NaN()
		case 4:
			o.Epochs[0].Test[0].Scores[0] = math.Inf(1)
		case 5:
			return false
		}
		return true
	}}
	var failures int
	r := runtest.Run(dir, l)
	r.Progress = func(p run.Progress) {
		if p.Err != nil {
			failures++
		}
	}
	sum, err := r.Do(context.Background())
	if sum != (run.Summary{Total: runtest.Fits, Done: runtest.Fits - 12, Failed: 12}) || failures != 12 {
		t.Errorf("%+v, %d failures reported", sum, failures)
	}
	if !errors.Is(err, boom) {
		t.Fatalf("error %v, want boom in it", err)
	}
	for _, want := range []string{
		`first: repeat 1, fold 1, seed 1, {"iterations":-3,"pooling":"syn"}: boom`, "returned no epoch", "scores for", "NaN", "+Inf", "ended without it",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in the error %v", want, err)
		}
	}
	sum, err = runtest.Run(dir, &runtest.Learner{}).Do(context.Background())
	if err != nil || sum != (run.Summary{Total: runtest.Fits, Skipped: runtest.Fits - 12, Done: 12}) {
		t.Errorf("the next run: %+v, %v", sum, err)
	}
}

// exhausted finishes five fits of one set and then fails for the whole task.
type exhausted struct {
	runtest.Learner
	again bool
}

var errExhausted = errors.New("first: a block of 4 fits failed: out of memory; less --memory makes smaller ones")

func (l *exhausted) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	whole := task
	if task.Name == "first" {
		if task.Fits = task.Fits[:5]; l.again {
			task.Fits = nil
		}
		l.again = true
	}
	err := l.Learner.Learn(ctx, task, done)
	if err == nil && len(task.Fits) < len(whole.Fits) {
		return errExhausted
	}
	return err
}

// TestExhausted: if a learner fails in the middle of a set, the fits it returned stay, the other set is run, and
// the next run completes the rest.
func TestExhausted(t *testing.T) {
	dir := t.TempDir()
	r := runtest.Run(dir, &exhausted{})
	r.Curves = true
	sum, err := r.Do(context.Background())
	if want := (run.Summary{Total: runtest.Fits, Done: 5 + runtest.Fits/2, Failed: runtest.Fits/2 - 5}); sum != want || !errors.Is(err, errExhausted) {
		t.Errorf("%+v, %v", sum, err)
	}
	if err == nil || err.Error() != errExhausted.Error() {
		t.Errorf("the error is %v, want %v", err, errExhausted)
	}
	r.Learner = &runtest.Learner{}
	sum, err = r.Do(context.Background())
	if want := (run.Summary{Total: runtest.Fits, Skipped: 5 + runtest.Fits/2, Done: runtest.Fits/2 - 5}); sum != want || err != nil {
		t.Errorf("the next run: %+v, %v", sum, err)
	}
	if !maps.Equal(contents(t, dir), undisturbed(t)) {
		t.Error("the results differ from an undisturbed run's")
	}
	requireCurves(t, dir)
}

// afterwards fails after handing over all fits.
type afterwards struct{ runtest.Learner }

func (l *afterwards) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	return errors.Join(l.Learner.Learn(ctx, task, done), errors.New("the device is lost"))
}

// TestFailedAfterwards: a learner that fails with nothing left to do is not tried again; the results are kept and the
// error is reported.
func TestFailedAfterwards(t *testing.T) {
	l := &afterwards{}
	r := runtest.Run(t.TempDir(), l)
	sum, err := r.Do(context.Background())
	if sum != (run.Summary{Total: runtest.Fits, Done: runtest.Fits}) || err == nil || err.Error() != "first: the device is lost\nsecond: the device is lost" || l.Calls != 2 {
		t.Errorf("%+v, %v, %d calls", sum, err, l.Calls)
	}
	if got := len(contents(t, r.Dir)); got != runtest.Fits {
		t.Errorf("%d results", got)
	}
}

// flaky fails fits with a setting for some number of times and then trains them; the setting "" means the whole task.
type flaky struct {
	runtest.Learner
	failures map[string]int
	tried    map[string]int
}

func (l *flaky) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	key := func(fit cv.Fit) string {
		return fmt.Sprintf("%s%d%d%s", task.Name, fit.Repeat, fit.Fold, fit.Setting)
	}
	for _, fit := range task.Fits {
		l.tried[key(fit)]++
	}
	if l.failures[""]--; l.failures[""] >= 0 {
		return errors.New("no such device")
	}
	l.Spoil = func(o *learner.Outcome) bool {
		k := key(task.Fits[o.Fit])
		if l.failures[k]--; l.failures[k] >= 0 {
			o.Epochs, o.Err = nil, errors.New("boom")
		}
		return true
	}
	return l.Learner.Learn(ctx, task, done)
}

// TestTries: a failing fit is tried three times within the run, alone, and then reported; so is a failing task.
func TestTries(t *testing.T) {
	once, twice, always := `first00{"pooling":"mean"}`, `second13{"pooling":"mean"}`, `second02{"pooling":"mean"}`
	for _, whole := range []int{0, 2} {
		l := &flaky{failures: map[string]int{once: 1, twice: 2, always: 100, "": whole}, tried: make(map[string]int)}
		if whole > 0 { // both ways in which a fit may fail
			l.failures = map[string]int{"": whole}
		}
		failed := 0
		dir := t.TempDir()
		r := runtest.Run(dir, l)
		r.Curves = true
		r.Progress = func(p run.Progress) {
			if p.Err != nil {
				failed++
			}
		}
		sum, err := r.Do(context.Background())
		if whole > 0 {
			if err != nil || sum != (run.Summary{Total: runtest.Fits, Done: runtest.Fits}) || l.tried[once] != 3 || l.tried[twice] != 1 {
				t.Errorf("a task that fails twice: %+v, %v, tried %v", sum, err, l.tried)
			}
			continue
		}
		if sum != (run.Summary{Total: runtest.Fits, Done: runtest.Fits - 1, Failed: 1}) || failed != 1 || err == nil || strings.Count(err.Error(), "boom") != 1 ||
			!strings.HasPrefix(err.Error(), `second: repeat 1, fold 3, seed 1, {"pooling":"mean"}: boom`) {
			t.Errorf("%+v, %d failures reported, %v", sum, failed, err)
		}
		for fit, n := range l.tried {
			if want := map[string]int{once: 2, twice: 3, always: 3}[fit]; n != max(want, 1) {
				t.Errorf("%s was tried %d times, want %d", fit, n, max(want, 1))
			}
		}
		if len(contents(t, dir)) != runtest.Fits-1 {
			t.Errorf("%d results", len(contents(t, dir)))
		}
		requireCurves(t, dir)
	}
}

// TestPending asks what is left to do before, during and after a run.
func TestPending(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	r := runtest.Run(dir, &exhausted{})
	missing := func(first, second int) {
		t.Helper()
		pending, err := r.Pending()
		must(t, err)
		for i, want := range []int{first, second} {
			p, set := pending[i], r.Sets[i]
			if p.Total != runtest.Fits/2 || p.Task.Name != set.Name || len(p.Task.Bags) != len(set.Bags) || len(p.Task.Fits) != want {
				t.Errorf("%s: %d of %d fits missing, %d bags; want %d of %d", p.Task.Name, len(p.Task.Fits), p.Total, len(p.Task.Bags), want, runtest.Fits/2)
			}
		}
	}
	missing(runtest.Fits/2, runtest.Fits/2)
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("the folder was made (%v)", err)
	}
	if _, err := r.Do(context.Background()); !errors.Is(err, errExhausted) {
		t.Fatal(err)
	}
	before := contents(t, dir)
	missing(runtest.Fits/2-5, 0)
	pending, err := r.Pending()
	must(t, err)
	for _, fit := range pending[0].Task.Fits { // the learner in the next run gets these
		if fit.EveryEpoch {
			t.Errorf("%+v has every epoch", fit)
		}
	}
	r.Learner = &runtest.Learner{}
	finish(t, r)
	missing(0, 0)
	if after := contents(t, dir); len(before) != 5+runtest.Fits/2 || len(after) != runtest.Fits {
		t.Errorf("%d results, then %d", len(before), len(after))
	}

	r.Settings = nil
	if _, err := r.Pending(); err == nil {
		t.Error("wrong input is no error")
	}
	r = runtest.Run(put(t, []byte("damaged\n")), nil)
	if _, err := r.Pending(); err == nil || !strings.Contains(err.Error(), "line 1 is damaged") {
		t.Errorf("a damaged file: %v", err)
	}
}

// twice hands over every outcome twice.
type twice struct{ runtest.Learner }

func (l *twice) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	return l.Learner.Learn(ctx, task, func(o learner.Outcome) error {
		return errors.Join(done(o), done(o))
	})
}

func TestOutcomeTwice(t *testing.T) {
	sum, err := runtest.Run(t.TempDir(), &twice{}).Do(context.Background())
	if err == nil || !strings.Contains(err.Error(), "twice") || sum.Done != 2*3 { // two sets, each tried three times
		t.Errorf("%+v, %v", sum, err)
	}
}

// TestCanceled stops a run in the middle of its first set and resumes it.
func TestCanceled(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	r := runtest.Run(dir, &runtest.Learner{})
	r.Progress = func(p run.Progress) {
		if p.Done == 7 {
			cancel()
		}
	}
	sum, err := r.Do(ctx)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "7 of 48 results kept") || sum != (run.Summary{Total: runtest.Fits, Done: 7}) {
		t.Errorf("%+v, %v", sum, err)
	}
	sum, err = runtest.Run(dir, &runtest.Learner{}).Do(context.Background())
	if err != nil || sum != (run.Summary{Total: runtest.Fits, Skipped: 7, Done: runtest.Fits - 7}) {
		t.Errorf("the next run: %+v, %v", sum, err)
	}
}

// TestRunRefuses checks that invalid input is an error before anything is written.
func TestRunRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		spoil func(*run.Run)
		want  string
	}{
		"no sets":      {func(r *run.Run) { r.Sets = nil }, "no sets"},
		"no settings":  {func(r *run.Run) { r.Settings = nil }, "no settings"},
		"setting":      {func(r *run.Run) { r.Settings[1] = json.RawMessage(`[]`) }, "no JSON object"},
		"same setting": {func(r *run.Run) { r.Settings[1] = json.RawMessage(`{"iterations":-3, "pooling":"syn"}`) }, "occurs twice"},
		"checksum":     {func(r *run.Run) { r.Sets[0].Checksum = "" }, "first: the set has no checksum"},
		"same set":     {func(r *run.Run) { r.Sets[1].Checksum = r.Sets[0].Checksum }, "second holds the same bags as first"},
		"folds":        {func(r *run.Run) { r.Protocol.Folds = 12 }, "second: --folds 12: there are only 11 positive bags"},
	} {
		r := runtest.Run(filepath.Join(t.TempDir(), "out"), &runtest.Learner{})
		test.spoil(&r)
		if _, err := r.Do(context.Background()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q in it", name, err, test.want)
		}
		if _, err := os.Stat(r.Dir); err == nil {
			t.Errorf("%s: the folder was made", name)
		}
	}
	r := runtest.Run(t.TempDir(), &runtest.Learner{})
	f, err := results.Open(r.Dir)
	must(t, err)
	defer f.Close()
	if _, err := r.Do(context.Background()); !errors.Is(err, results.ErrLocked) {
		t.Errorf("locked folder: %v", err)
	}
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

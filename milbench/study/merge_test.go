package study

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"synpool/milbench"
	"synpool/milbench/cluster"
	"synpool/milbench/neural"
)

// fakePlanner puts the fits of a setting into a group.
type fakePlanner struct{}

func (fakePlanner) Plan(task milbench.Task) (neural.Plan, error) {
	var p neural.Plan
	place := make(map[string]int)
	for i, f := range task.Fits {
		at, found := place[string(f.Setting)]
		if !found {
			at = len(p.Groups)
			place[string(f.Setting)] = at
			p.Groups = append(p.Groups, neural.Group{Members: 1, Compile: 0.5, Block: 1, Memory: 1})
		}
		p.Groups[at].Fits = append(p.Groups[at].Fits, i)
		p.Groups[at].Blocks++
	}
	return p, nil
}

// fakePlan is the plan of a run in so many shards.
func fakePlan(t *testing.T, r Run, shards int) *cluster.Plan {
	t.Helper()
	p := &cluster.Plan{Format: cluster.Format, Version: r.Version, Backend: r.Backend, Cores: 1, Seed: r.Seed, Shards: 1, Request: cluster.Request{Curves: r.Curves}}
	for i := range r.Sets {
		one := r
		one.Sets = r.Sets[i : i+1]
		if err := AddTo(p, []Run{one}, r.Sets[i].Name, fakePlanner{}); err != nil {
			t.Fatal(err)
		}
	}
	p.Divide(shards)
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	return p
}

// shardRun trains a shard of a plan into an attempt of dir.
func shardRun(t *testing.T, dir string, p *cluster.Plan, shard int, learner milbench.Learner) (Summary, error) {
	t.Helper()
	if _, err := Follow(dir, p); err != nil {
		return Summary{}, err
	}
	runs := []Run{fakeRun(AttemptDir(dir, shard, p.Shards), learner)}
	runs[0].Curves = p.Request.Curves
	runs, err := Restrict(runs, p, p.Shard(shard))
	if err != nil {
		return Summary{}, err
	}
	if runs[0].Finished, err = Finished(dir, p); err != nil {
		return Summary{}, err
	}
	return DoAll(context.Background(), runs)
}

// folderBytes returns the merged files of a folder.
func folderBytes(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range []string{FileName, CurvesName, SpacesName, TimesName} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "%s\n%s\n", name, text)
	}
	return all.String()
}

func mustMerge(t *testing.T, dirs []string, out string, p *cluster.Plan) Merged {
	t.Helper()
	m, err := Merge(context.Background(), dirs, out, p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestShards trains the shards of a plan, some twice, in folders of two machines: the merged results are those of one run but
// for order and wall times, whatever the order of folders, and merging again changes nothing.
func TestShards(t *testing.T) {
	undisturbed := fakeRun(t.TempDir(), &fakeLearner{})
	undisturbed.Curves = true
	if _, err := undisturbed.Do(context.Background()); err != nil {
		t.Fatal(err)
	}
	p := fakePlan(t, undisturbed, 5)
	if len(p.Fits) != fakeTotal || len(p.Sets) != 2 || len(p.Settings) != 3 || len(p.Groups) != 6 {
		t.Fatalf("%d fits on %d sets, %d settings, %d groups", len(p.Fits), len(p.Sets), len(p.Settings), len(p.Groups))
	}
	one, two := t.TempDir(), t.TempDir()
	done := 0
	for shard := range 5 {
		dirs := [][]string{{one}, {two}, {one, two}}[shard%3]
		for _, dir := range dirs {
			learner := &fakeLearner{}
			sum, err := shardRun(t, dir, p, shard, learner)
			if err != nil || sum.Total != len(p.Shard(shard)) || sum.Done != sum.Total || learner.handed != sum.Done {
				t.Fatalf("shard %d: %+v, %v", shard, sum, err)
			}
			done += sum.Done
		}
	}
	again := &fakeLearner{}
	if sum, err := shardRun(t, one, p, 0, again); err != nil || sum.Skipped != sum.Total || again.handed != 0 {
		t.Errorf("a shard that is finished: %+v, %v", sum, err)
	}
	out := filepath.Join(t.TempDir(), "merged")
	m := mustMerge(t, []string{one, two}, out, nil)
	if m.Results != fakeTotal || m.Planned != fakeTotal || m.Missing != nil || m.Curves != fakeTotal || m.Duplicates != done-fakeTotal || m.Disagreements != 0 {
		t.Errorf("%+v", m)
	}
	got, want := contents(t, out), contents(t, undisturbed.Dir)
	if len(got) != len(want) {
		t.Errorf("%d results, want %d", len(got), len(want))
	}
	for fit, line := range want {
		if got[fit] != line {
			t.Errorf("fit %s is\n%s\nwant\n%s", fit, got[fit], line)
		}
	}
	requireCurves(t, out)
	first := folderBytes(t, out)
	lines := strings.Count(first, "\n")
	if want := 2*fakeTotal + 6 + 8; lines != want { // of results and curves, of times, of names
		t.Errorf("%d lines, want %d\n", lines, want)
	}
	mustMerge(t, []string{two, one, out, two}, out, nil)
	mustMerge(t, []string{out}, out, p)
	if folderBytes(t, out) != first {
		t.Error("merged again other bytes")
	}
	elsewhere := t.TempDir()
	mustMerge(t, []string{two, one}, elsewhere, nil)
	if folderBytes(t, elsewhere) != first {
		t.Error("in another order of the folders other bytes")
	}
	mustMerge(t, []string{one}, two, nil)
	if folderBytes(t, two) != first {
		t.Error("into one of the folders other bytes")
	}
}

// TestClocks: no time of a file or folder has a say in what is merged or skipped.
func TestClocks(t *testing.T) {
	r := fakeRun("", nil)
	p := fakePlan(t, r, 3)
	dir, out := t.TempDir(), t.TempDir()
	for shard := range 3 {
		if _, err := shardRun(t, dir, p, shard, &fakeLearner{}); err != nil {
			t.Fatal(err)
		}
	}
	mustMerge(t, []string{dir}, out, nil)
	want := folderBytes(t, out)
	random := rand.New(rand.NewPCG(8, 3))
	for range 3 {
		if err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			at := time.Unix(random.Int64N(4e9), 0) // 1970 to 2096
			return os.Chtimes(path, at, at)
		}); err != nil {
			t.Fatal(err)
		}
		if sum, err := shardRun(t, dir, p, 1, &fakeLearner{}); err != nil || sum.Done != 0 {
			t.Errorf("%+v, %v", sum, err)
		}
		out := t.TempDir()
		mustMerge(t, []string{dir}, out, nil)
		if folderBytes(t, out) != want {
			t.Error("other bytes with other times of the files")
		}
	}
}

// TestMergeMissing: what is missing is a plan, which trains it and nothing else.
func TestMergeMissing(t *testing.T) {
	r := fakeRun("", nil)
	p := fakePlan(t, r, 6)
	dir := t.TempDir()
	if _, err := Merge(context.Background(), []string{dir}, dir, nil); !errors.Is(err, ErrNoResults) {
		t.Errorf("a merge of nothing: %v", err)
	}
	if _, err := Follow(dir, p); err != nil {
		t.Fatal(err)
	}
	if m := mustMerge(t, []string{dir}, dir, nil); m.Results != 0 || m.Missing == nil || len(m.Missing.Fits) != fakeTotal {
		t.Errorf("a merge before the first result: %+v", m)
	}
	for _, shard := range []int{0, 2, 5} {
		if _, err := shardRun(t, dir, p, shard, &fakeLearner{}); err != nil {
			t.Fatal(err)
		}
	}
	m := mustMerge(t, []string{dir}, dir, nil)
	wanted := append(append(p.Shard(1), p.Shard(3)...), p.Shard(4)...)
	if m.Missing == nil || len(m.Missing.Fits) != len(wanted) || m.Results != fakeTotal-len(wanted) || m.Planned != fakeTotal {
		t.Fatalf("%+v", m)
	}
	path := filepath.Join(dir, "missing.json")
	if err := WritePlan(path, m.Missing); err != nil {
		t.Fatal(err)
	}
	rest, err := cluster.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range rest.Fits {
		if !slices.ContainsFunc(wanted, func(w cluster.Fit) bool { return w.ID == f.ID }) {
			t.Errorf("fit %s is there", f.ID)
		}
	}

	// A plan of the rest, in a folder of its own, is not the whole study: the whole plan says what is missing of it.
	part := t.TempDir()
	rest.Divide(1)
	if _, err := shardRun(t, part, rest, 0, &fakeLearner{}); err != nil {
		t.Fatal(err)
	}
	if m := mustMerge(t, []string{part}, t.TempDir(), nil); m.Missing != nil || m.Planned != len(wanted) {
		t.Errorf("the rest alone: %+v", m)
	}
	if m := mustMerge(t, []string{part}, t.TempDir(), p); m.Missing == nil || len(m.Missing.Fits) != fakeTotal-len(wanted) {
		t.Errorf("the rest of the whole: %+v", m)
	}
	if m := mustMerge(t, []string{part, dir}, t.TempDir(), nil); m.Missing != nil || m.Planned != fakeTotal {
		t.Errorf("both: %+v", m)
	}

	// In the folder itself only the rest is trained.
	learner := &fakeLearner{}
	if _, err := shardRun(t, dir, rest, 0, learner); err != nil || learner.handed != len(wanted) {
		t.Errorf("%d fits, %v", learner.handed, err)
	}
	if m := mustMerge(t, []string{dir}, dir, nil); m.Missing != nil || m.Results != fakeTotal {
		t.Errorf("%+v", m)
	}

	// Without a plan nobody knows what is missing.
	if err := os.Remove(filepath.Join(dir, PlanName)); err != nil {
		t.Fatal(err)
	}
	if m := mustMerge(t, []string{dir}, dir, nil); m.Missing != nil || m.Planned != 0 {
		t.Errorf("%+v", m)
	}
}

// TestMergeDisagreement: attempts of one fit with other scores are told, and one of them is kept whatever the order.
func TestMergeDisagreement(t *testing.T) {
	p := fakePlan(t, fakeRun("", nil), 1)
	one, two := t.TempDir(), t.TempDir()
	for _, dir := range []string{one, two} {
		if _, err := shardRun(t, dir, p, 0, &fakeLearner{}); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(two, AttemptsName, "*", FileName))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var changed bytes.Buffer
	n := 0
	var fit string
	for line := range bytes.Lines(text) {
		var r Result
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if n++; n == 7 {
			r.Bags[3].Score += 1e-9
			fit = r.Fit
		} else if n == 8 { // winners are no scores
			r.Bags[0].Winners = nil
		}
		if line, err = json.Marshal(r); err != nil {
			t.Fatal(err)
		}
		changed.Write(append(line, '\n'))
	}
	if err := os.WriteFile(files[0], changed.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, dirs := range [][]string{{one, two}, {two, one}} {
		out := t.TempDir()
		m := mustMerge(t, dirs, out, nil)
		if m.Disagreements != 1 || len(m.Disagreeing) != 1 || m.Disagreeing[0].Fit != fit || m.Disagreeing[0].Bags != nil || m.Results != fakeTotal || m.Duplicates != fakeTotal {
			t.Errorf("%+v", m)
		}
		kept = append(kept, folderBytes(t, out))
	}
	if kept[0] != kept[1] {
		t.Error("the order of the folders says what is kept")
	}
}

// TestMergeRefuses: what does not go together is refused in one line, and nothing is written.
func TestMergeRefuses(t *testing.T) {
	r := fakeRun("", nil)
	p := fakePlan(t, r, 2)
	newFolder := func(change func(p *cluster.Plan)) string {
		dir := t.TempDir()
		if _, err := shardRun(t, dir, p, 0, &fakeLearner{}); err != nil {
			t.Fatal(err)
		}
		if change != nil {
			other := *p
			change(&other)
			if err := WritePlan(filepath.Join(dir, PlanName), &other); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	rewritten := func(old, new string) string {
		dir := newFolder(nil)
		files, _ := filepath.Glob(filepath.Join(dir, AttemptsName, "*", FileName))
		text, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		changed := bytes.Replace(text, []byte(old), []byte(new), 1)
		if bytes.Equal(changed, text) {
			t.Fatalf("no %s", old)
		}
		if err := os.WriteFile(files[0], changed, 0o666); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	good := newFolder(nil)
	stranger := t.TempDir()
	other := fakeRun(stranger, &fakeLearner{})
	other.Settings = configs(`{"pooling":"max"}`)
	if _, err := other.Do(context.Background()); err != nil {
		t.Fatal(err)
	}
	reseeded := r
	reseeded.Seed = 2
	for _, c := range []struct{ dir, want string }{
		{newFolder(func(o *cluster.Plan) { o.Version = "v9" }), "one is of version v0, the other of v9"},
		{newFolder(func(o *cluster.Plan) { o.Backend = "xla:cpu" }), "one is for backend fake, the other for xla:cpu"},
		{newFolder(func(o *cluster.Plan) { *o = *fakePlan(t, reseeded, 2) }), "one has seed 1, the other 2"},
		{stranger, `which is not of the plan; merge folders of one study`},
		{rewritten(`"version":"v0"`, `"version":"v1"`), "merge results of one version and backend"},
		{rewritten(`"backend":"fake"`, `"backend":"other"`), "merge results of one version and backend"},
		{rewritten(`"fold":`, `"fold":1`), "line 1 is damaged"},
		{rewritten("\n", "}\n"), "line 1 is damaged"},
		{filepath.Join(good, "nothing"), "no such file"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		_, err := Merge(context.Background(), []string{good, c.dir}, out, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %q in it", err, c.want)
		}
		if left, _ := filepath.Glob(filepath.Join(out, "[^.]*")); left != nil {
			t.Errorf("%s: left behind: %v", c.want, left)
		}
	}
	if _, err := Follow(good, fakePlan(t, reseeded, 2)); err == nil || !strings.Contains(err.Error(), "holds fits of another plan (one has seed 1, the other 2); choose another --out") {
		t.Errorf("a second plan in one folder: %v", err)
	}
	f, err := Open(good)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Merge(context.Background(), []string{good}, good, nil); !errors.Is(err, ErrLocked) {
		t.Errorf("a folder that a run writes to: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Merge(canceled, []string{good}, good, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(good, ".*.part")); left != nil {
		t.Errorf("left behind: %v", left)
	}
	if err := Unmerged(good); !errors.Is(err, ErrUnmerged) {
		t.Errorf("attempts that are not merged: %v", err)
	}
	mustMerge(t, []string{good}, good, nil)
	if err := Unmerged(good); err != nil {
		t.Error(err)
	}
}

// TestMergeParts: where no folder follows all fits the whole plan is needed, and nothing is written without; it may have been made
// on another machine, but the backends of the folders are to be the same, and the plan stays the caller's.
func TestMergeParts(t *testing.T) {
	p := fakePlan(t, fakeRun("", nil), 2)
	var dirs []string
	for shard := range 2 {
		dir := t.TempDir()
		part := p.Keep(func(id string) bool {
			return slices.ContainsFunc(p.Shard(shard), func(f cluster.Fit) bool { return f.ID == id })
		})
		part.Divide(1)
		if _, err := shardRun(t, dir, part, 0, &fakeLearner{}); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, dir)
	}
	out := t.TempDir()
	if _, err := Merge(context.Background(), dirs, out, nil); err == nil || !strings.Contains(err.Error(), "give the whole plan as --plan") {
		t.Errorf("two parts: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(out, "[^.]*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
	elsewhere := *p
	elsewhere.Backend = "xla:cpu"
	if m := mustMerge(t, dirs, out, &elsewhere); m.Results != fakeTotal || m.Missing != nil || elsewhere.Backend != "xla:cpu" {
		t.Errorf("%+v, the plan is for %s", m, elsewhere.Backend)
	}
	path := filepath.Join(dirs[1], PlanName)
	other, err := cluster.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other.Backend = "other"
	if err := WritePlan(path, other); err != nil {
		t.Fatal(err)
	}
	if _, err := Merge(context.Background(), dirs, t.TempDir(), p); err == nil || !strings.Contains(err.Error(), "one is for backend fake, the other for other") {
		t.Errorf("folders of two backends: %v", err)
	}
}

// TestFinishedRefuses: what a shard would train beside results that it cannot be merged with is refused beforehand.
func TestFinishedRefuses(t *testing.T) {
	dir := t.TempDir()
	r := fakeRun(dir, &fakeLearner{})
	if _, err := r.Do(context.Background()); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(r *Run){
		"": func(*Run) {},
		"holds results of version v0 on backend fake, and the plan is of version v1 on fake; choose another --out": func(r *Run) { r.Version = "v1" },
		"holds results of version v0 on backend fake, and the plan is of version v0 on go; choose another --out":   func(r *Run) { r.Backend = "go" },
		"which is not of the plan; choose another --out":                                                           func(r *Run) { r.Settings = configs(`{"pooling":"max"}`) },
	} {
		r := fakeRun("", nil)
		change(&r)
		finished, err := Finished(dir, fakePlan(t, r, 2))
		if want == "" {
			if err != nil || len(finished) != fakeTotal {
				t.Errorf("%d fits, %v", len(finished), err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%v, want %q in it", err, want)
		}
	}
	finished, err := Finished(dir, fakePlan(t, r, 2).Keep(func(id string) bool { return id[0] < '4' }))
	if err != nil || len(finished) != fakeTotal {
		t.Errorf("a plan of some of the fits: %d, %v", len(finished), err)
	}
}

// indexed returns a folder with the results of a run, and where they stand in it.
func indexed(t *testing.T) (dir string, x *index) {
	t.Helper()
	dir = t.TempDir()
	if _, err := fakeRun(dir, &fakeLearner{}).Do(context.Background()); err != nil {
		t.Fatal(err)
	}
	x, err := indexResults(folders{dir})
	if err != nil {
		t.Fatal(err)
	}
	return dir, x
}

// TestChangedLine: a line that is another when it is read again is no result.
func TestChangedLine(t *testing.T) {
	dir, x := indexed(t)
	path := filepath.Join(dir, FileName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, changed := range [][]byte{text[:len(text)-1], append([]byte("\n"), text...)} {
		if err := os.WriteFile(path, changed, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := x.write(context.Background(), filepath.Join(t.TempDir(), "out"), nil, nil); err == nil || err.Error() != path+" changed while it was merged; merge again" {
			t.Error(err)
		}
	}
}

// TestEach reads lines a few at a time while others are looked at: whatever ends that, nothing waits for ever.
func TestEach(t *testing.T) {
	_, x := indexed(t)
	before := batchSize
	defer func() { batchSize = before }()
	for _, batchSize = range []int{1, 1000, before} {
		var keys []fitKey
		s := newScanner()
		look := func(lines [][]byte) error {
			key, _, err := s.result(lines[0])
			keys = append(keys, key)
			return err
		}
		if err := x.each(context.Background(), nil, look); err != nil || len(keys) != fakeTotal || !slices.IsSorted(keys) {
			t.Errorf("batches of %d bytes: %d keys, %v", batchSize, len(keys), err)
		}
		some := keys[fakeTotal/2]
		keys = nil
		if err := x.each(context.Background(), func(k fitKey) bool { return k == some }, look); err != nil || len(keys) != 1 || keys[0] != some {
			t.Errorf("batches of %d bytes: %v, want the key %v; %v", batchSize, keys, some, err)
		}
		none := func(fitKey) bool { return false }
		if err := x.each(context.Background(), none, func([][]byte) error { return errors.New("a line that nobody wants") }); err != nil {
			t.Error(err)
		}
		for stop := range fakeTotal {
			looked, failed := 0, errors.New("no more")
			if err := x.each(context.Background(), nil, func([][]byte) error {
				if looked++; looked > stop {
					return failed
				}
				return nil
			}); err != failed || looked != stop+1 {
				t.Errorf("batches of %d bytes: %d looked at, %v", batchSize, looked, err)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		looked := 0
		err := x.each(ctx, nil, func([][]byte) error { looked++; cancel(); return nil })
		if batchSize == 1 && (err != context.Canceled || looked > 4) || err != nil && err != context.Canceled {
			t.Errorf("batches of %d bytes: %d looked at after the end, %v", batchSize, looked, err)
		}
	}
}

// TestAttemptFolder: a folder of a user's own is locked, whatever its parent is called.
func TestAttemptFolder(t *testing.T) {
	for dir, want := range map[string]bool{
		AttemptDir("results", 3, 12):          true,
		"results/attempts/a":                  false,
		"results/attempts/3of12":              false,
		"results/3of12-h-1-abcdefghijkl":      false,
		"x/attempts/0of1-a-b-9-0123456789ab/": true,
	} {
		if isAttempt(dir) != want {
			t.Errorf("%s: %v", dir, !want)
		}
	}
}

// TestNoLinks: without hard links no shard takes the place of another's plan.
func TestNoLinks(t *testing.T) {
	hardLink = func(old, new string) error {
		return &os.LinkError{Op: "link", Old: old, New: new, Err: errors.ErrUnsupported}
	}
	defer func() { hardLink = os.Link }()
	p, dir := fakePlan(t, fakeRun("", nil), 2), t.TempDir()
	path := filepath.Join(dir, PlanName)
	if _, err := Follow(dir, p); err == nil || !strings.Contains(err.Error(), "put the plan there before the shards start: milbench plan ... --out "+path) {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := WritePlan(path, p); err != nil {
		t.Fatal(err)
	}
	if known, err := Follow(dir, p); err != nil || len(known.Fits) != fakeTotal {
		t.Error(err)
	}
}

// TestNoLocks: shards are trained where the file system has no locks; what needs one says what to do.
func TestNoLocks(t *testing.T) {
	lock := tryLock
	tryLock = func(*flock.Flock) (bool, error) { return false, errors.ErrUnsupported }
	defer func() { tryLock = lock }()
	p, dir := fakePlan(t, fakeRun("", nil), 1), t.TempDir()
	if sum, err := shardRun(t, dir, p, 0, &fakeLearner{}); err != nil || sum.Done != fakeTotal {
		t.Errorf("%+v, %v", sum, err)
	}
	const want = "its file system has no locks: give --out on another, say a local disk"
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	if _, err := Merge(context.Background(), []string{dir}, dir, nil); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}

// TestRemoveParts: what killed processes have left is removed, but for what may still be written.
func TestRemoveParts(t *testing.T) {
	dir := t.TempDir()
	p := fakePlan(t, fakeRun("", nil), 1)
	if _, err := shardRun(t, dir, p, 0, &fakeLearner{}); err != nil {
		t.Fatal(err)
	}
	for name, age := range map[string]time.Duration{
		".results.jsonl-1.part": 0, ".curves.jsonl-2.part": 0, ".spaces.jsonl-3.part": 0, ".plan-4.part": 2 * partAge, ".plan-5.part": 0, ".other-6.part": 2 * partAge,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Now().Add(-age), time.Now().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	mustMerge(t, []string{dir}, dir, nil)
	left, err := filepath.Glob(filepath.Join(dir, ".*.part"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range left {
		left[i] = filepath.Base(left[i])
	}
	if !slices.Equal(left, []string{".other-6.part", ".plan-5.part"}) {
		t.Errorf("left behind: %v", left)
	}
}

// TestTornAttempts: a torn last line of an attempt is left out, its fit is trained again, and the attempt stays as it is.
func TestTornAttempts(t *testing.T) {
	r := fakeRun("", nil)
	r.Curves = true
	p := fakePlan(t, r, 2)
	dir := t.TempDir()
	if _, err := shardRun(t, dir, p, 0, &fakeLearner{}); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, AttemptsName, "*", FileName))
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	torn := text[:len(text)-20]
	if err := os.WriteFile(files[0], torn, 0o666); err != nil {
		t.Fatal(err)
	}
	if m := mustMerge(t, []string{dir}, t.TempDir(), nil); m.Results != len(p.Shard(0))-1 || m.Curves != m.Results {
		t.Errorf("%+v", m)
	}
	l := &fakeLearner{}
	if _, err := shardRun(t, dir, p, 0, l); err != nil || l.handed != 1 {
		t.Errorf("%d fits were trained, %v", l.handed, err)
	}
	if now, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(now, torn) {
		t.Errorf("the torn attempt was written to: %v", err)
	}
}

// TestRestrict: a plan of other data is refused.
func TestRestrict(t *testing.T) {
	r := fakeRun("", nil)
	p := fakePlan(t, r, 2)
	changed := fakeRun("", nil)
	changed.Sets[1] = fakeSet("second", 32)
	_, err := Restrict([]Run{changed}, p, p.Fits)
	if err == nil || !strings.Contains(err.Error(), "second: 24 fits of the plan are not there (here second has the checksum") {
		t.Error(err)
	}
	one, two := fakeRun("", nil), fakeRun("", nil)
	one.Sets, two.Sets = one.Sets[:1], two.Sets[1:]
	ofTwo := slices.DeleteFunc(slices.Clone(p.Fits), func(f cluster.Fit) bool { return p.Sets[p.Arms[f.Arm].Set].Name != "second" })
	if runs, err := Restrict([]Run{one, two}, p, ofTwo); err != nil || len(runs) != 1 || runs[0].Sets[0].Name != "second" {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}

// TestFormShard: a shard keeps the sets of its own fits alone.
func TestFormShard(t *testing.T) {
	t.Setenv("MILBENCH_DATA", t.TempDir())
	form := Form{Arms: []Arm{
		{Sets: []string{"musk1"}, Protocol: protocol("honest", 4, 1), Settings: configs(`{"pooling":"mean"}`)},
		{Sets: []string{"musk1"}, Change: Change{Kind: "gaussian", Level: 10, Part: OnBoth}, Protocol: protocol("honest", 4, 1), Settings: configs(`{"pooling":"mean"}`)},
	}}
	runs, _, err := form.Runs("", nil, 3)
	if err != nil || len(runs) != 2 {
		t.Fatal(len(runs), err)
	}
	p := &cluster.Plan{Seed: 3, Shards: 1}
	if err := AddTo(p, runs, "musk1", fakePlanner{}); err != nil || len(p.Fits) != 8 {
		t.Fatal(len(p.Fits), err)
	}
	own := slices.DeleteFunc(slices.Clone(p.Fits), func(f cluster.Fit) bool { return f.Arm == 0 })
	if runs, err = form.Shard(nil, p, own); err != nil || len(runs) != 1 || runs[0].Sets[0].Checksum != p.Sets[1].Checksum {
		t.Errorf("%d runs, %v", len(runs), err)
	}
	form.Arms = form.Arms[:1]
	if _, err := form.Shard(nil, p, own); err == nil || !strings.Contains(err.Error(), "4 fits of the plan are not there") {
		t.Error(err)
	}
}

// FuzzScan: a line that is scanned is one that decodes and is valid, with the same id and maker.
func FuzzScan(f *testing.F) {
	dir := f.TempDir()
	r := fakeRun(dir, &fakeLearner{})
	r.Protocol.Name = milbench.NestedProtocol
	if _, err := r.Do(context.Background()); err != nil {
		f.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, FileName))
	if err != nil {
		f.Fatal(err)
	}
	auc, s := 0.5, newScanner()
	for line := range bytes.Lines(text) {
		f.Add(line)
		var result Result
		if err := json.Unmarshal(line, &result); err != nil {
			f.Fatal(err)
		}
		if _, _, ok := s.scan(line); !ok {
			f.Fatalf("a line as it is written is not scanned: %s", line)
		}
		result.InstanceAUC, result.MemberAUC, result.Seed = &auc, []float64{0.1, 1e-7}, 1<<64-1
		if result.Fit, err = result.ID(); err != nil {
			f.Fatal(err)
		}
		if line, err = json.Marshal(result); err != nil {
			f.Fatal(err)
		}
		if _, _, ok := s.scan(append(line, '\n')); !ok {
			f.Fatalf("a line as it is written is not scanned: %s", line)
		}
		f.Add(append(line, '\n'))
		f.Add(append(bytes.Replace(line, []byte(`"id":"`), []byte(`"id":"é\"`), 1), '\n'))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		key, by, ok := newScanner().scan(line)
		if !ok {
			return
		}
		var result Result
		if err := json.Unmarshal(line, &result); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		if err := result.Validate(); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		if key.String() != result.Fit || by != (maker{result.Backend, result.Version}) {
			t.Errorf("%v, %v of %q", key, by, line)
		}
	})
}

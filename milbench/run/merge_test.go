package run_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"synpool/milbench"
	"synpool/milbench/cluster"
	"synpool/milbench/results"
	"synpool/milbench/run"
	"synpool/milbench/run/runtest"
)

// shardRun trains a shard of a plan into an attempt of dir.
func shardRun(t *testing.T, dir string, p *cluster.Plan, shard int, learner milbench.Learner) (run.Summary, error) {
	t.Helper()
	if _, err := results.Follow(dir, p); err != nil {
		return run.Summary{}, err
	}
	runs := []run.Run{runtest.Run(results.AttemptDir(dir, shard, p.Shards), learner)}
	runs[0].Curves = p.Request.Curves
	runs, err := run.Restrict(runs, p, p.Shard(shard))
	if err != nil {
		return run.Summary{}, err
	}
	if runs[0].Finished, err = results.Finished(dir, p); err != nil {
		return run.Summary{}, err
	}
	return run.DoAll(context.Background(), runs)
}

// folderBytes returns the merged files of a folder.
func folderBytes(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range []string{results.FileName, results.CurvesName, results.SpacesName, results.TimesName} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		fmt.Fprintf(&all, "%s\n%s\n", name, text)
	}
	return all.String()
}

func mustMerge(t *testing.T, dirs []string, out string, p *cluster.Plan) results.Merged {
	t.Helper()
	m, err := results.Merge(context.Background(), dirs, out, p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestShards trains the shards of a plan, some twice, in folders of two machines. The merged results equal those of
// one run except for order and wall times, whatever the order of folders. Merging again changes nothing.
func TestShards(t *testing.T) {
	undisturbed := runtest.Run(t.TempDir(), &runtest.Learner{})
	undisturbed.Curves = true
	if _, err := undisturbed.Do(context.Background()); err != nil {
		t.Fatal(err)
	}
	p := runtest.Plan(t, undisturbed, 5)
	if len(p.Fits) != runtest.Fits || len(p.Sets) != 2 || len(p.Settings) != 3 || len(p.Groups) != 6 {
		t.Fatalf("%d fits on %d sets, %d settings, %d groups", len(p.Fits), len(p.Sets), len(p.Settings), len(p.Groups))
	}
	one, two := t.TempDir(), t.TempDir()
	done := 0
	for shard := range 5 {
		dirs := [][]string{{one}, {two}, {one, two}}[shard%3]
		for _, dir := range dirs {
			learner := &runtest.Learner{}
			sum, err := shardRun(t, dir, p, shard, learner)
			if err != nil || sum.Total != len(p.Shard(shard)) || sum.Done != sum.Total || learner.Handed != sum.Done {
				t.Fatalf("shard %d: %+v, %v", shard, sum, err)
			}
			done += sum.Done
		}
	}
	again := &runtest.Learner{}
	if sum, err := shardRun(t, one, p, 0, again); err != nil || sum.Skipped != sum.Total || again.Handed != 0 {
		t.Errorf("a shard that is finished: %+v, %v", sum, err)
	}
	out := filepath.Join(t.TempDir(), "merged")
	m := mustMerge(t, []string{one, two}, out, nil)
	if m.Results != runtest.Fits || m.Planned != runtest.Fits || m.Missing != nil || m.Curves != runtest.Fits || m.Duplicates != done-runtest.Fits || m.Disagreements != 0 {
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
	if want := 2*runtest.Fits + 6 + 8; lines != want { // for results and curves, for times, for names
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

// TestMergeMissing: the missing fits form a plan, which trains only them.
func TestMergeMissing(t *testing.T) {
	r := runtest.Run("", nil)
	p := runtest.Plan(t, r, 6)
	dir := t.TempDir()
	if _, err := results.Merge(context.Background(), []string{dir}, dir, nil); !errors.Is(err, results.ErrNoResults) {
		t.Errorf("a merge of nothing: %v", err)
	}
	if _, err := results.Follow(dir, p); err != nil {
		t.Fatal(err)
	}
	if m := mustMerge(t, []string{dir}, dir, nil); m.Results != 0 || m.Missing == nil || len(m.Missing.Fits) != runtest.Fits {
		t.Errorf("a merge before the first result: %+v", m)
	}
	for _, shard := range []int{0, 2, 5} {
		if _, err := shardRun(t, dir, p, shard, &runtest.Learner{}); err != nil {
			t.Fatal(err)
		}
	}
	m := mustMerge(t, []string{dir}, dir, nil)
	wanted := append(append(p.Shard(1), p.Shard(3)...), p.Shard(4)...)
	if m.Missing == nil || len(m.Missing.Fits) != len(wanted) || m.Results != runtest.Fits-len(wanted) || m.Planned != runtest.Fits {
		t.Fatalf("%+v", m)
	}
	path := filepath.Join(dir, "missing.json")
	if err := results.WritePlan(path, m.Missing); err != nil {
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

	// A plan for the rest, in a separate folder, is not the whole study. The whole plan shows what is missing.
	part := t.TempDir()
	rest.Divide(1)
	if _, err := shardRun(t, part, rest, 0, &runtest.Learner{}); err != nil {
		t.Fatal(err)
	}
	if m := mustMerge(t, []string{part}, t.TempDir(), nil); m.Missing != nil || m.Planned != len(wanted) {
		t.Errorf("the rest alone: %+v", m)
	}
	if m := mustMerge(t, []string{part}, t.TempDir(), p); m.Missing == nil || len(m.Missing.Fits) != runtest.Fits-len(wanted) {
		t.Errorf("the rest of the whole: %+v", m)
	}
	if m := mustMerge(t, []string{part, dir}, t.TempDir(), nil); m.Missing != nil || m.Planned != runtest.Fits {
		t.Errorf("both: %+v", m)
	}

	// In the original folder only the rest is trained.
	learner := &runtest.Learner{}
	if _, err := shardRun(t, dir, rest, 0, learner); err != nil || learner.Handed != len(wanted) {
		t.Errorf("%d fits, %v", learner.Handed, err)
	}
	if m := mustMerge(t, []string{dir}, dir, nil); m.Missing != nil || m.Results != runtest.Fits {
		t.Errorf("%+v", m)
	}

	// Without a plan it is unknown what is missing.
	if err := os.Remove(filepath.Join(dir, results.PlanName)); err != nil {
		t.Fatal(err)
	}
	if m := mustMerge(t, []string{dir}, dir, nil); m.Missing != nil || m.Planned != 0 {
		t.Errorf("%+v", m)
	}
}

// TestTornAttempts: an incomplete last line of an attempt is ignored, its fit is trained again, and the attempt is
// not changed.
func TestTornAttempts(t *testing.T) {
	r := runtest.Run("", nil)
	r.Curves = true
	p := runtest.Plan(t, r, 2)
	dir := t.TempDir()
	if _, err := shardRun(t, dir, p, 0, &runtest.Learner{}); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, results.AttemptsName, "*", results.FileName))
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
	l := &runtest.Learner{}
	if _, err := shardRun(t, dir, p, 0, l); err != nil || l.Handed != 1 {
		t.Errorf("%d fits were trained, %v", l.Handed, err)
	}
	if now, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(now, torn) {
		t.Errorf("the torn attempt was written to: %v", err)
	}
}

// TestRestrict: a plan of other data is refused.
func TestRestrict(t *testing.T) {
	r := runtest.Run("", nil)
	p := runtest.Plan(t, r, 2)
	changed := runtest.Run("", nil)
	changed.Sets[1] = runtest.Set("second", 32)
	_, err := run.Restrict([]run.Run{changed}, p, p.Fits)
	if err == nil || !strings.Contains(err.Error(), "second: 24 fits of the plan are not there (here second has the checksum") {
		t.Error(err)
	}
	one, two := runtest.Run("", nil), runtest.Run("", nil)
	one.Sets, two.Sets = one.Sets[:1], two.Sets[1:]
	ofTwo := slices.DeleteFunc(slices.Clone(p.Fits), func(f cluster.Fit) bool { return p.Sets[p.Arms[f.Arm].Set].Name != "second" })
	if runs, err := run.Restrict([]run.Run{one, two}, p, ofTwo); err != nil || len(runs) != 1 || runs[0].Sets[0].Name != "second" {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}

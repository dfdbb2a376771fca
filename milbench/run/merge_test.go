package run_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"synpool/milbench/learner"
	"synpool/milbench/results"
	"synpool/milbench/run"
	"synpool/milbench/run/runtest"
)

// shardRun trains a shard into an attempt of dir.
func shardRun(t *testing.T, dir string, shard, shards int, learner learner.Learner) (run.Summary, error) {
	t.Helper()
	r := runtest.Run(results.AttemptDir(dir, shard, shards), learner)
	r.Curves, r.Shard = true, run.Shard{Index: shard, Count: shards}
	var err error
	if r.Finished, err = results.Finished(dir, nil); err != nil {
		return run.Summary{}, err
	}
	return r.Do(context.Background())
}

// TestShards trains shards, some twice, in folders of two machines. The merged results equal those of one run except for
// order and wall times. A finished shard trains nothing, and shards of another number only what is left.
func TestShards(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	total, done := 0, 0
	for shard := range 5 {
		for i, dir := range [][]string{{one}, {two}, {one, two}}[shard%3] {
			learner := &runtest.Learner{}
			sum, err := shardRun(t, dir, shard, 5, learner)
			if err != nil || sum.Done != sum.Total || learner.Trained != sum.Done {
				t.Fatalf("shard %d: %+v, %v", shard, sum, err)
			}
			if done += sum.Done; i == 0 {
				total += sum.Total
			}
		}
	}
	if total != runtest.Fits {
		t.Errorf("%d fits in all shards, want each of %d once", total, runtest.Fits)
	}
	again := &runtest.Learner{}
	if sum, err := shardRun(t, one, 0, 5, again); err != nil || sum.Skipped != sum.Total || again.Trained != 0 {
		t.Errorf("a shard that is finished: %+v, %v", sum, err)
	}
	out := filepath.Join(t.TempDir(), "merged")
	m, err := results.Merge(context.Background(), []string{one, two}, out)
	if err != nil || m.Results != runtest.Fits || m.Curves != runtest.Fits || m.Duplicates != done-runtest.Fits || m.Disagreements != 0 {
		t.Errorf("%+v, %v", m, err)
	}
	got, want := contents(t, out), undisturbed(t)
	if len(got) != len(want) {
		t.Errorf("%d results, want %d", len(got), len(want))
	}
	for fit, line := range want {
		if got[fit] != line {
			t.Errorf("fit %s is\n%s\nwant\n%s", fit, got[fit], line)
		}
	}
	requireCurves(t, out)

	left := 0
	for shard := range 3 { // what folder one lacks, in other shards
		sum, err := shardRun(t, one, shard, 3, &runtest.Learner{})
		must(t, err)
		left += sum.Done
	}
	if m, err := results.Merge(context.Background(), nil, one); err != nil || m.Results != runtest.Fits || m.Duplicates != 0 || left == 0 {
		t.Errorf("%+v, %v, %d trained in other shards", m, err, left)
	}
}

// TestShardsStay: with another setting, the fits of a shard are still in it.
func TestShardsStay(t *testing.T) {
	of := func(settings ...string) map[string]int {
		in := map[string]int{}
		for shard := range 4 {
			r := runtest.Run(t.TempDir(), &runtest.Learner{})
			r.Settings, r.Shard = runtest.Settings(settings...), run.Shard{Index: shard, Count: 4}
			finish(t, r)
			for fit := range contents(t, r.Dir) {
				in[fit] = shard
			}
		}
		return in
	}
	one, two := of(`{"pooling":"mean"}`), of(`{"pooling":"max"}`, `{"pooling":"mean"}`)
	if len(one) != 16 || len(two) != 32 {
		t.Errorf("%d and %d fits", len(one), len(two))
	}
	for fit, shard := range one {
		if two[fit] != shard {
			t.Errorf("fit %s moves from shard %d to %d", fit, shard, two[fit])
		}
	}
}

// TestTornAttempts: an incomplete last line of an attempt is ignored, its fit is trained again, and the attempt is
// not changed.
func TestTornAttempts(t *testing.T) {
	dir := t.TempDir()
	first, err := shardRun(t, dir, 0, 2, &runtest.Learner{})
	must(t, err)
	files, _ := filepath.Glob(filepath.Join(dir, results.AttemptsName, "*", results.FileName))
	text, err := os.ReadFile(files[0])
	must(t, err)
	torn := text[:len(text)-20]
	must(t, os.WriteFile(files[0], torn, 0o666))
	if m, err := results.Merge(context.Background(), []string{dir}, t.TempDir()); err != nil || m.Results != first.Total-1 {
		t.Errorf("%+v, %v", m, err)
	}
	l := &runtest.Learner{}
	if _, err := shardRun(t, dir, 0, 2, l); err != nil || l.Trained != 1 {
		t.Errorf("%d fits were trained, %v", l.Trained, err)
	}
	if now, err := os.ReadFile(files[0]); err != nil || !bytes.Equal(now, torn) {
		t.Errorf("the torn attempt was written to: %v", err)
	}
}

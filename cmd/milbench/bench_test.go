package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"synpool/backend"
	"synpool/milbench/results"
)

// BenchmarkTwelveShards trains fits on Musk 1 in one undisturbed run on two cores, and as twelve shards with a plan: one
// after another on both cores, and two at a time on a core each. What the shards cost more must be at most 15 %. Each of the
// three begins without compiled graphs; those of an arrangement share what they compile. docs/cluster.md has what was measured.
func BenchmarkTwelveShards(b *testing.B) {
	const shards, most = 12, 1.15
	args := []string{"musk1", "--pooling", "softmax,syn", "--iterations=-3,-1,1,3", "--width", "64", "--repeats", "60"}
	if os.Getenv("GOMLX_BACKEND") == "go" {
		args = append(slices.Clone(args[:len(args)-1]), "1", "--epochs", "5")
	}
	run := func(cache string, args ...string) {
		c := process(b, args...)
		c.Env = append(c.Env, backend.CacheVariable+"="+cache)
		if out, err := c.CombinedOutput(); err != nil {
			b.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	for b.Loop() {
		root := b.TempDir()
		plan := filepath.Join(root, "plan.json")
		start := time.Now()
		run(filepath.Join(root, "cache"), append([]string{"run", "--out", filepath.Join(root, "one"), "--cores", "2"}, args...)...)
		one := time.Since(start)
		want, err := results.Read(filepath.Join(root, "one"))
		if err != nil {
			b.Fatal(err)
		}
		for _, atATime := range []int{1, 2} {
			dir := filepath.Join(root, fmt.Sprint("shards", atATime))
			cache := filepath.Join(root, fmt.Sprint("cache", atATime)) // empty, too
			start := time.Now()
			run(cache, append([]string{"plan", "run", "--shards", fmt.Sprint(shards), "--cores", fmt.Sprint(2 / atATime), "--out", plan}, args...)...)
			next := make(chan int, shards)
			for i := range shards {
				next <- i
			}
			close(next)
			var slots sync.WaitGroup
			for range atATime {
				slots.Go(func() {
					for i := range next {
						run(cache, "run", "--plan", plan, "--shard", fmt.Sprintf("%d/%d", i, shards), "--out", dir, "--cores", fmt.Sprint(2/atATime))
					}
				})
			}
			slots.Wait()
			run(cache, "merge", dir, "--out", dir)
			cost := time.Since(start).Seconds() / one.Seconds()
			b.ReportMetric(cost, fmt.Sprintf("of-one-run-%d-at-a-time", atATime))
			if got, err := results.Read(dir); err != nil || len(got) != len(want) {
				b.Fatalf("%d results of %d, %v", len(got), len(want), err)
			}
			if runtime.NumCPU() >= 2 && cost > most {
				b.Errorf("%d at a time: %.2f of the time of one run (%v), want at most %.2f", atATime, cost, one.Round(time.Second), most)
			}
		}
	}
}

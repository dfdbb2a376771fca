package neural

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestQueue: workers that come in any order take every job once. A worker stays with a group while that has jobs, then begins
// one that nobody has begun, if there is one, and goes home only if no group has more left than it takes to have its graphs.
func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		kept := i%2 == 1
		var jobs []job
		total, groups := 0.0, 1+r.IntN(5)
		for range groups {
			l := &layout{buckets: make([]bucketSize, r.IntN(4))}
			seconds := 3 * r.Float64()
			for range 1 + r.IntN(6) {
				jobs = append(jobs, job{layout: l, fits: []int{len(jobs)}, seconds: seconds})
				total += seconds
			}
			total += l.compile()
		}
		workers := 1 + r.IntN(4)
		alone, together := newQueue(jobs, kept).time(1).Seconds(), newQueue(jobs, kept).time(workers).Seconds()
		if math.Abs(alone-total) > 1e-6*total || together > alone || together < alone/float64(workers)-1e-6 {
			t.Fatalf("one worker needs %v s of %v, %d need %v", alone, total, workers, together)
		}

		q := newQueue(jobs, kept)
		taken := make([]int, len(jobs))
		last := make([]*groupJobs, workers)
		working := make([]int, workers)
		for w := range working {
			working[w] = w
		}
		for len(working) > 0 {
			i := r.IntN(len(working))
			w := working[i]
			fresh, help := false, false
			for _, g := range q.groups {
				fresh = fresh || !g.begun
				help = help || float64(len(g.jobs))*g.seconds > g.layout.join(kept)
			}
			stays := last[w] != nil && len(last[w].jobs) > 0
			before := map[*groupJobs]bool{}
			for _, g := range q.groups {
				before[g] = g.begun
			}
			j, of := q.take(last[w])
			switch {
			case stays && of != last[w]:
				t.Fatal("a worker left a group that had jobs")
			case !stays && fresh && (of == nil || before[of]):
				t.Fatal("a worker did not begin a group that nobody had begun")
			case !stays && !fresh && (of != nil) != help:
				t.Fatalf("a worker helps: %v, want %v", of != nil, help)
			}
			if of == nil {
				working = slices.Delete(working, i, i+1)
				continue
			}
			taken[j.fits[0]]++
			last[w] = of
		}
		for i, n := range taken {
			if n != 1 {
				t.Fatalf("job %d was taken %d times", i, n)
			}
		}
	}
}

// A further worker waits for graphs that the first is compiling, or compiles them for itself.
func TestQueueTime(t *testing.T) {
	for _, c := range []struct {
		g    Group
		want float64
	}{
		{Group{Blocks: 8, Compile: 12, Block: 2}, 20},              // each compiles
		{Group{Blocks: 8, Compile: 12, Join: 0.5, Block: 2}, 20.5}, // the second begins half a second later
		{Group{Blocks: 4, Compile: 12, Block: 2}, 20},              // it does not pay to compile for three blocks
		{Group{Blocks: 4, Compile: 12, Join: 0.5, Block: 2}, 16.5},
	} {
		if got := Time([]Group{c.g}, 2).Seconds(); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: %v s, want %v", c.g, got, c.want)
		}
	}
}

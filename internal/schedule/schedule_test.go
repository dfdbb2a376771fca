package schedule

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// drawn returns groups of jobs with different numbers, and the seconds that one worker needs for all.
func drawn(r *rand.Rand) (groups []Group[int], jobs int, total float64) {
	for range 1 + r.IntN(5) {
		g := Group[int]{Each: 3 * r.Float64(), First: 3 * float64(r.IntN(4))}
		g.Join = []float64{g.First, g.First / 20}[r.IntN(2)]
		for range 1 + r.IntN(6) {
			g.Jobs = append(g.Jobs, jobs)
			jobs, total = jobs+1, total+g.Each
		}
		groups, total = append(groups, g), total+g.First
	}
	return groups, jobs, total
}

// again returns groups whose jobs can be taken once more.
func again(groups []Group[int]) []Group[int] { return slices.Clone(groups) }

// TestQueue checks that workers that arrive in any order take every job once. A worker stays with a group while it has
// jobs, then starts a group that nobody has started, and stops only if no group has more work left than its preparation
// takes.
func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		groups, jobs, total := drawn(r)
		workers := 1 + r.IntN(4)
		alone, together := New(again(groups)...).Time(1).Seconds(), New(again(groups)...).Time(workers).Seconds()
		if math.Abs(alone-total) > 1e-6*total || together > alone+1e-6 || together < alone/float64(workers)-1e-6 {
			t.Fatalf("one worker needs %v s of %v, %d need %v", alone, total, workers, together)
		}

		q := New(again(groups)...)
		taken := make([]int, jobs)
		last := make([]*Group[int], workers)
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
				help = help || len(g.Jobs) > 0 && float64(len(g.Jobs))*g.Each > g.Join
			}
			stays := last[w] != nil && len(last[w].Jobs) > 0
			before := map[*Group[int]]bool{}
			for _, g := range q.groups {
				before[g] = g.begun
			}
			j, of := q.Take(last[w])
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
			taken[j]++
			last[w] = of
		}
		for i, n := range taken {
			if n != 1 {
				t.Fatalf("job %d was taken %d times", i, n)
			}
		}
	}
}

func ExampleQueue() {
	q := New(Group[string]{Jobs: []string{"a1", "a2"}, Each: 1}, Group[string]{Jobs: []string{"b1"}, Each: 1})
	for job, of := q.Take(nil); of != nil; job, of = q.Take(of) {
		fmt.Println(job)
	}
	// Output:
	// a1
	// a2
	// b1
}

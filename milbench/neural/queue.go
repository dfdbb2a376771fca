package neural

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// queue hands jobs out to workers. To compile the graphs of a group takes longer, for few fits, than to train them; so a worker
// stays with a group while that has jobs, then begins one that nobody has begun, and helps another worker only where that
// pays: where each compiles for itself, it must do so first.
type queue struct {
	mu     sync.Mutex
	groups []*groupJobs
}

// groupJobs is what is left of the jobs of one group and, in seconds, what each takes beside graphs, what the first worker
// takes to have those, and a further one.
type groupJobs struct {
	layout                 *layout // nil for jobs that are trained step by step
	jobs                   []job
	seconds, compile, join float64
	begun                  bool
}

// newQueue takes jobs of which those of one group follow one another; kept is that of the trainer.
func newQueue(jobs []job, kept bool) *queue {
	q := &queue{}
	for _, j := range jobs {
		if n := len(q.groups); n == 0 || q.groups[n-1].layout != j.layout {
			g := &groupJobs{layout: j.layout, seconds: j.seconds}
			if j.layout != nil {
				g.compile, g.join = j.layout.compile(), j.layout.join(kept)
			}
			q.groups = append(q.groups, g)
		}
		g := q.groups[len(q.groups)-1]
		g.jobs = append(g.jobs, j)
	}
	return q
}

// take returns the next job of a worker whose last was of group last, nil at first, and that job's group, or nil if there is
// none for it.
func (q *queue) take(last *groupJobs) (job, *groupJobs) {
	q.mu.Lock()
	defer q.mu.Unlock()
	next := last
	if last == nil || len(last.jobs) == 0 {
		if next = q.begin(); next == nil {
			return job{}, nil
		}
	}
	j := next.jobs[0]
	next.jobs, next.begun = next.jobs[1:], true
	return j, next
}

// begin returns the group that a free worker turns to: the first that nobody has begun, else the one with the most left, if
// another worker would need longer for that than this one until it has the graphs.
func (q *queue) begin() *groupJobs {
	var most *groupJobs
	left := 0.0
	for _, g := range q.groups {
		if !g.begun {
			return g
		}
		if l := float64(len(g.jobs)) * g.seconds; len(g.jobs) > 0 && l > max(left, g.join) {
			most, left = g, l
		}
	}
	return most
}

// Time returns about how long so many workers need for the blocks of groups.
func Time(groups []Group, workers int) time.Duration {
	q := &queue{}
	for _, g := range groups {
		if g.Blocks > 0 {
			q.groups = append(q.groups, &groupJobs{jobs: slices.Repeat([]job{{seconds: g.Block}}, g.Blocks), seconds: g.Block, compile: g.Compile, join: cmp.Or(g.Join, g.Compile)})
		}
	}
	return q.time(workers)
}

// time returns how long so many workers need for the jobs, which it takes.
func (q *queue) time(workers int) time.Duration {
	type worker struct {
		clock float64
		last  *groupJobs
	}
	some, end, compiled := make([]worker, workers), 0.0, map[*groupJobs]float64{}
	for len(some) > 0 {
		w := &some[0] // that is free first
		for i := range some {
			if some[i].clock < w.clock {
				w = &some[i]
			}
		}
		end = max(end, w.clock)
		j, of := q.take(w.last)
		if of == nil {
			some[0], *w = *w, some[0]
			some = some[1:]
			continue
		}
		if at, ok := compiled[of]; !ok {
			w.clock += of.compile
			compiled[of] = w.clock
		} else if of != w.last {
			if w.clock += of.join; of.join < of.compile { // it waits for the first
				w.clock = max(w.clock, at+of.join)
			}
		}
		w.clock, w.last = w.clock+j.seconds, of
	}
	return time.Duration(end * float64(time.Second))
}

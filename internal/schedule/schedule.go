// Package schedule distributes jobs among workers, and estimates how long they take.
//
// Jobs come in groups. Preparing a group (compiling its graphs, say) may take longer than its jobs. So a worker stays
// with a group while it has jobs, and then starts a group that nobody has started. It helps another worker only if that
// pays, because it must prepare the group for itself first.
package schedule

import (
	"slices"
	"sync"
	"time"
)

// Queue hands out the jobs of groups. It is safe for concurrent use.
type Queue[J any] struct {
	mu     sync.Mutex
	groups []*Group[J]
}

// Group holds the remaining jobs of a group.
type Group[J any] struct {
	Jobs  []J
	Each  float64 // seconds per job
	First float64 // seconds until the first worker has prepared the group
	Join  float64 // the same for each further worker
	begun bool
}

// New returns a queue of groups, in the given order. Groups without jobs are left out.
func New[J any](groups ...Group[J]) *Queue[J] {
	q := &Queue[J]{}
	for i := range groups {
		if len(groups[i].Jobs) > 0 {
			q.groups = append(q.groups, &groups[i])
		}
	}
	return q
}

// Take returns the next job for a worker, and the job's group. last is the group of the worker's previous job, or nil
// at first. The returned group is nil if there is no job for this worker.
func (q *Queue[J]) Take(last *Group[J]) (job J, of *Group[J]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	next := last
	if last == nil || len(last.Jobs) == 0 {
		if next = q.begin(); next == nil {
			return job, nil
		}
	}
	job = next.Jobs[0]
	next.Jobs, next.begun = next.Jobs[1:], true
	return job, next
}

// begin returns the next group of a free worker: the first one that nobody has started. If there is none, it is the
// group with the most work left, provided that this worker could prepare it sooner than the others could finish it.
func (q *Queue[J]) begin() *Group[J] {
	var most *Group[J]
	left := 0.0
	for _, g := range q.groups {
		if !g.begun {
			return g
		}
		if l := float64(len(g.Jobs)) * g.Each; len(g.Jobs) > 0 && l > max(left, g.Join) {
			most, left = g, l
		}
	}
	return most
}

// Time simulates the given number of workers and returns the time they need. It takes all jobs from the queue.
func (q *Queue[J]) Time(workers int) time.Duration {
	type worker struct {
		clock float64
		last  *Group[J]
	}
	some, end, ready := make([]worker, workers), 0.0, map[*Group[J]]float64{}
	for len(some) > 0 {
		free := 0 // the worker that is free first
		for i := range some {
			if some[i].clock < some[free].clock {
				free = i
			}
		}
		w := &some[free]
		end = max(end, w.clock)
		_, of := q.Take(w.last)
		if of == nil {
			some = slices.Delete(some, free, free+1)
			continue
		}
		if at, ok := ready[of]; !ok {
			w.clock += of.First
			ready[of] = w.clock
		} else if of != w.last {
			if w.clock += of.Join; of.Join < of.First { // it waits for the first
				w.clock = max(w.clock, at+of.Join)
			}
		}
		w.clock, w.last = w.clock+of.Each, of
	}
	return time.Duration(end * float64(time.Second))
}

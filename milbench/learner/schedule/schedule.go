// Package schedule hands jobs to workers, and says beforehand how long that takes.
//
// Jobs come in groups. To make a group ready (to compile its graphs, say) may take longer than its jobs; so a worker stays
// with a group while that has jobs, then begins one that nobody has begun, and helps another worker only where that pays:
// it must make the group ready for itself first.
package schedule

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"synpool/milbench"
)

// Queue hands out the jobs of groups. It may be used by several workers at a time.
type Queue[J any] struct {
	mu     sync.Mutex
	groups []*Group[J]
}

// Group is what is left of the jobs of one group.
type Group[J any] struct {
	Jobs  []J
	Each  float64 // seconds that a job takes
	First float64 // seconds that the first worker takes to make the group ready
	Join  float64 // seconds that a further worker takes for that
	begun bool
}

// New returns a queue of groups, in order; those without jobs are left out.
func New[J any](groups ...Group[J]) *Queue[J] {
	q := &Queue[J]{}
	for i := range groups {
		if len(groups[i].Jobs) > 0 {
			q.groups = append(q.groups, &groups[i])
		}
	}
	return q
}

// Take returns the next job of a worker whose last was of group last, nil at first, and that job's group, or nil if there is
// none for it.
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

// begin returns the group that a free worker turns to: the first that nobody has begun, else the one with the most left, if
// another worker would need longer for that than this one until it is ready.
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

// Time returns about how long so many workers need for the blocks of groups.
func Time(groups []milbench.Group, workers int) time.Duration {
	q := &Queue[struct{}]{}
	for _, g := range groups {
		if g.Blocks > 0 {
			q.groups = append(q.groups, &Group[struct{}]{Jobs: make([]struct{}, g.Blocks), Each: g.Block, First: g.Compile, Join: cmp.Or(g.Join, g.Compile)})
		}
	}
	return q.time(workers)
}

// time returns how long so many workers need for the jobs, which it takes.
func (q *Queue[J]) time(workers int) time.Duration {
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

package simulation

import (
	"cmp"
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
)

// Outcome is the result of one simulation.
type Outcome struct {
	Wall        float64 // seconds from submission until the merged results are written
	NodeSeconds float64 // node seconds used by attempts, including lost ones
	Utilisation float64 // share of all core time, until the end, that went into training blocks whose results were kept
	Attempts    int
	Lost        int // attempts lost to failures
}

// Simulate runs the shards on the simulated cluster. The seed fixes everything random, so equal arguments give equal
// outcomes.
func (c Cluster) Simulate(s Shards, seed uint64) (Outcome, error) {
	if err := c.Validate(); err != nil {
		return Outcome{}, err
	}
	if err := c.check(s.work); err != nil {
		return Outcome{}, err
	}
	r := run{Cluster: c, work: s.work, rng: rand.New(rand.NewPCG(seed, 0)), pieces: slices.Clone(s.pieces), workers: make([]worker, c.Cores)}
	slow := make([]float64, c.Nodes)
	for i := range slow {
		slow[i] = 1
		if r.rng.Float64() < c.Stragglers {
			slow[i] = c.Slowdown
		}
	}
	free := make(events, c.Nodes) // when each node becomes free
	for i := range free {
		free[i] = event{0, i}
	}
	waiting := make(events, s.Len()) // when each shard leaves the queue
	for i := range waiting {
		waiting[i] = event{c.Wait * r.rng.ExpFloat64(), i}
	}
	heap.Init(&waiting)
	var o Outcome
	last, end := math.Inf(-1), 0.0
	for len(waiting) > 0 {
		next, node := &waiting[0], &free[0]
		start := max(next.at, node.at, last+1/c.Starts)
		last = start
		first := 0
		if next.of > 0 {
			first = s.ends[next.of-1]
		}
		failure := math.Inf(1)
		if c.Failures > 0 {
			failure = start + 3600/c.Failures*r.rng.ExpFloat64()
		}
		stop, done := r.attempt(r.pieces[first:s.ends[next.of]], start, failure, slow[node.of])
		o.Attempts++
		o.NodeSeconds += stop - start
		node.at, end = stop, max(end, stop)
		heap.Fix(&free, 0)
		if done {
			heap.Pop(&waiting)
			continue
		}
		o.Lost++
		next.at = stop + c.Retry + c.Wait*r.rng.ExpFloat64()
		heap.Fix(&waiting, 0)
	}
	o.Wall = end + float64(s.work.Fits)/c.Merge
	o.Utilisation = r.kept / (float64(c.Nodes) * float64(c.Cores) * o.Wall)
	return o, nil
}

// run is a simulation in progress.
type run struct {
	Cluster
	work    Work
	rng     *rand.Rand
	pieces  []piece // remaining work of every shard
	workers []worker
	begun   []begun // pieces of the current attempt
	kept    float64 // seconds spent on blocks that are kept
}

// worker is a core in the node of the current attempt.
type worker struct {
	clock   float64
	piece   int // the piece that it has compiled, -1 at first
	stopped bool
}

// begun is a piece of the current attempt that some core has started.
type begun struct {
	Run
	lost int32 // blocks lost to a failure
}

// attempt runs the remaining work of a shard on a node that is slower by a factor. It ends when all is done or at a
// failure, and leaves unfinished work in the pieces.
func (r *run) attempt(pieces []piece, start, failure, slow float64) (end float64, done bool) {
	for i := range r.workers {
		r.workers[i] = worker{clock: start + slow*r.StartUp, piece: -1}
	}
	r.begun = r.begun[:0]
	done = true
	for running := len(r.workers); running > 0; {
		w := r.earliest()
		took := 0.0
		if w.piece < 0 || pieces[w.piece].blocks == 0 {
			if w.piece = r.turn(pieces); w.piece < 0 {
				w.stopped = true
				running--
				continue
			}
			took = r.begun[w.piece].Compile
		}
		of := &r.begun[w.piece]
		took = slow * (took + of.Block)
		pieces[w.piece].blocks--
		if w.clock+took > failure {
			done = false
			of.lost++
			w.stopped = true
			running--
			continue
		}
		w.clock += took
		r.kept += slow * of.Block
	}
	for i := range r.begun {
		pieces[i].blocks += r.begun[i].lost
	}
	if !done {
		return failure, false
	}
	for _, w := range r.workers {
		end = max(end, w.clock)
	}
	return end, true
}

// earliest returns the core that is free first.
func (r *run) earliest() *worker {
	var first *worker
	for i := range r.workers {
		if w := &r.workers[i]; !w.stopped && (first == nil || w.clock < first.clock) {
			first = w
		}
	}
	return first
}

// turn returns the next piece for a free core: the first that nobody has started, or else the one with the most work
// left, if that exceeds the time to compile it. Otherwise it returns -1.
func (r *run) turn(pieces []piece) int {
	for i := len(r.begun); i < len(pieces); i++ {
		runs := r.work.groups[pieces[i].group].Runs
		r.begun = append(r.begun, begun{Run: runs[r.rng.IntN(len(runs))]})
		if pieces[i].blocks > 0 {
			return i
		}
	}
	most, left := -1, 0.0
	for _, w := range r.workers {
		if w.piece < 0 || pieces[w.piece].blocks == 0 {
			continue
		}
		if l := float64(pieces[w.piece].blocks) * r.begun[w.piece].Block; l > max(left, r.begun[w.piece].Compile) {
			most, left = w.piece, l
		}
	}
	return most
}

// event is something that happens at a time.
type event struct {
	at float64
	of int
}

// events is a heap of events, the earliest first.
type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(e[i].at, e[j].at), cmp.Compare(e[i].of, e[j].of)) < 0
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

package neural

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/gomlx/compute"

	"synpool/backend"
	"synpool/internal/schedule"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/synlayer"
)

// Plan implements [learner.Learner]. It returns an error for an invalid task ([cv.Task.Validate]), and for a
// task that does not fit into [Trainer.Memory]; that error says how much memory is needed.
func (t Trainer) Plan(task cv.Task) (learner.Plan, error) {
	p, err := t.plan(task)
	if err != nil {
		return learner.Plan{}, err
	}
	return p.Plan, nil
}

// plan is a [learner.Plan] with its jobs.
type plan struct {
	learner.Plan
	jobs   []job
	failed []learner.Outcome // fits that cannot be trained
}

// job holds fits, by index in the task, that one worker trains together.
type job struct {
	layout  *layout // of a block; nil if large
	large   bool    // train chunk by chunk
	fits    []int
	seconds float64 // estimated time on one core, without compiling
}

// queue returns the queue of a plan's jobs. Consecutive jobs with the same layout form a group. kept is [Trainer.Kept].
func (p *plan) queue(kept bool) *schedule.Queue[job] {
	var groups []schedule.Group[job]
	for i, j := range p.jobs {
		if i == 0 || p.jobs[i-1].layout != j.layout {
			g := schedule.Group[job]{Each: j.seconds}
			if j.layout != nil {
				g.First, g.Join = j.layout.compile(), j.layout.join(kept)
			}
			groups = append(groups, g)
		}
		g := &groups[len(groups)-1]
		g.Jobs = append(g.Jobs, j)
	}
	return schedule.New(groups...)
}

// loops reports whether a graph can have a loop of steps. The Go backend fails in loops that use a value twice.
func loops(b compute.Backend) bool { return strings.HasPrefix(b.Name(), "xla") }

// Memory estimates in bytes: a process with XLA; a worker with XLA without its blocks, mostly for compiling; and a
// process without XLA. The benchmark's table compares planned with used memory (compare.py).
const (
	xlaMemory    = 220 << 20
	workerMemory = 150 << 20
	goMemory     = 60 << 20
)

// stateCopies is how many copies of a block's parameters are in memory at a time: the state before and after a call,
// intermediate results of the update, and what malloc keeps for the next call.
const stateCopies = 40

// tableCopies is how many copies of all rows are in memory at a time if steps take rows: with two moments, the current
// values, and what is allocated in between and kept.
const tableCopies = 8

// Members per block. A block has as many members as keep parameters, gradients and moments in a core's cache. Limits
// apply if there are few parameters, or if steps take rows. Ten folds nearly fill a block of mostMembers: with blocks of 25,
// three small networks on Musk 1 took 5.8 s instead of 3.1, and a hundred fits 2 % less time (with 32 features and one bag per
// step, 50 fits a tenth less). Sets whose steps take rows (Web) have an official split, and repeats with five seeds fill a
// block of takenMembers. Devices that are not CPUs use deviceMembers; other numbers were not timed there.
const (
	blockCache    = 8 << 20
	mostMembers   = 12
	takenMembers  = 5
	deviceMembers = 64
)

// blockSize returns the size of the blocks of a structure whose state has the given number of parameters. XLA makes
// different code for each size, and that rounds differently. So the size depends on the structure but not on the number
// of fits, and copies of its first fit fill the last block.
func blockSize(b compute.Backend, s blockStructure, parameters int) int {
	if !loops(b) { // fits side by side save nothing
		return 1
	}
	if !b.HasSharedBuffers() { // not a CPU
		return deviceMembers
	}
	size := max(1, min(blockCache/(16*parameters), mostMembers))
	if s.taken {
		size = min(size, takenMembers)
	}
	for size > 1 && s.twoLeft(size) {
		size--
	}
	return size
}

// lanes is the number of float32 numbers in a vector of XLA's CPU code. Tests change it.
var lanes = backend.Lanes()

// twoLeft reports whether blocks with this number of members must be avoided because their members would differ. If a
// loop has more than sixteen iterations, and two or three more than a multiple of sixteen, XLA's CPU code takes two
// exponentials or logarithms from the C library, which rounds differently.
//
// Loops with exponentials or logarithms whose length is not a multiple of eight run over the members and over their
// logits. With several outputs, they also run over these in training; with Cox's loss, over pairs of bags; with
// log-sum-exp pooling, over pooled vectors; with Syn steps of γ = 1, over heads. Members never differ if their number is a multiple of four. About a user's
// own pooling, nothing else is known.
//
// This holds with AVX-512. Without it, XLA computes with vectors of [lanes] numbers and rounds all iterations after the
// last whole vector differently.
func (s blockStructure) twoLeft(members int) bool {
	if s.own {
		if lanes < 16 {
			return members%lanes != 0
		}
		return members%4 != 0
	}
	each := []int{1, s.batch, s.batch * s.target.outputs()}
	if s.target.minimised == cox {
		each = append(each, s.batch*s.batch)
	}
	per := 0 // numbers of a bag
	switch p := s.network.Pooling.(type) {
	case synlayer.SynPooling:
		if p.Gamma == 1 {
			per = p.Heads
		}
	case synlayer.LogSumExpPooling:
		per = s.features
		if s.network.Layers > 0 {
			per = s.network.Width
		}
	}
	if per > 0 {
		each = append(each, s.batch*per)
		for bags := range mostScored {
			each = append(each, (bags+1)*per)
		}
	}
	return slices.ContainsFunc(each, func(n int) bool {
		n *= members
		if lanes < 16 {
			return n > lanes && n%lanes != 0
		}
		return n > 16 && (n%16 == 2 || n%16 == 3)
	})
}

// kinds are the supported kinds of targets.
var kinds = []mil.TargetKind{mil.BinaryTarget, mil.ClassTarget, mil.RealTarget, mil.SurvivalTarget}

// Takes implements [learner.Learner].
func (t Trainer) Takes() learner.Takes {
	return learner.Takes{Name: "a network", Kinds: kinds, Dense: true, Sparse: true}
}

func (t Trainer) plan(task cv.Task) (*plan, error) {
	if err := task.Validate(); err != nil {
		return nil, err
	}
	if err := t.Takes().Check(task); err != nil {
		return nil, err
	}
	p := &plan{Plan: learner.Plan{Fits: len(task.Fits), Workers: max(t.Workers, 1)}}
	sparse := allSparse(task.Bags)
	groups := map[group][]int{}
	var order []group
	for i, fit := range task.Fits {
		c, err := parse(task, fit)
		if err == nil {
			err = checkFit(c, task.Bags, fit.Train)
		}
		if err != nil {
			p.failed = append(p.failed, learner.Outcome{Fit: i, Err: err})
			continue
		}
		g := newGroup(t.Backend, c, task.Bags, sparse, fit)
		if groups[g] == nil {
			order = append(order, g)
		}
		groups[g] = append(groups[g], i)
	}
	for _, g := range order {
		if err := p.add(t, task, g, groups[g]); err != nil {
			return nil, err
		}
	}
	p.Workers = max(1, min(p.Workers, len(p.jobs)))
	p.Blocks = len(p.jobs)
	for _, j := range p.jobs {
		p.Members = max(p.Members, len(j.fits))
	}
	p.Time = learner.TimeOf(p.Groups, p.Workers)
	return p, nil
}

// add plans the fits of one group, given by index.
func (p *plan) add(t Trainer, task cv.Task, g group, indices []int) error {
	var fits []cv.Fit
	for _, i := range indices {
		fits = append(fits, task.Fits[i])
	}
	l := newLayout(g, task.Bags, fits)
	parameters, err := parametersOf(t.Backend, g.structure)
	if err != nil {
		return fmt.Errorf("%s: building the network: %w", task.Name, err)
	}
	each := l.seconds(parameters, fits) / float64(len(fits))
	moments := uint64(0) // moments of the bags, used for standardisation
	if !g.raw {
		moments = mil.MomentsBytes(task.Bags)
	}
	if l.large(t.Backend, task.Bags) {
		if err := l.target.checkLarge(); err != nil {
			for _, i := range indices {
				p.failed = append(p.failed, learner.Outcome{Fit: i, Err: err})
			}
			return nil
		}
		return p.addLarge(t, task, l, parameters, moments, indices)
	}
	one := l.memberMemory(parameters)
	most := blockSize(t.Backend, g.blockStructure, l.held(parameters, fewestColumns))
	size, workers := most, p.Workers
	process, worker, data := uint64(xlaMemory), uint64(workerMemory), uint64(l.data())
	if !loops(t.Backend) {
		process, worker = goMemory, 0
		each *= BlockSpeedup
	}
	if l.streams {
		data = 0
	}
	need := func() uint64 { return process + moments + uint64(workers)*(worker+4*data+uint64(size)*one) }
	if t.Memory > 0 {
		for workers > 1 && need() > t.Memory {
			workers--
		}
		for size > 1 && (need() > t.Memory || g.twoLeft(size)) {
			size--
		}
		if need() > t.Memory {
			return tooLittle(task, need(), t.Memory)
		}
		switch {
		case workers < p.Workers && most == 1:
			p.note(fmt.Sprintf("%s: %d fits at a time, to keep within %s of memory", task.Name, workers, megabytes(t.Memory)))
		case workers < p.Workers || size < most:
			p.note(fmt.Sprintf("%s: blocks of %d fits on %d of %d cores, to keep within %s of memory (rounding differs with the size of a block)",
				task.Name, size, workers, p.Workers, megabytes(t.Memory)))
		}
		p.Workers = workers
	}
	seconds := float64(size) * each // copies of a fit fill a block
	indices = l.alike(task.Fits, indices, size)
	for some := range slices.Chunk(indices, size) {
		block := slices.Clone(some)
		for len(block) < size {
			block = append(block, block[0])
		}
		p.jobs = append(p.jobs, job{layout: l, fits: block, seconds: seconds})
	}
	p.Memory = max(p.Memory, need())
	p.Groups = append(p.Groups, learner.Group{Fits: indices, Members: size, Blocks: (len(indices) + size - 1) / size,
		Compile: l.compile(), Block: seconds, Memory: need(), Join: l.join(t.Kept)})
	return nil
}

// mostTogether is the largest number of fits on large bags that read them together.
const mostTogether = 8

// addLarge plans fits on large bags, given by index.
func (p *plan) addLarge(t Trainer, task cv.Task, l *layout, parameters int, moments uint64, indices []int) error {
	process := uint64(goMemory)
	if loops(t.Backend) {
		process = xlaMemory
	}
	together := func() int { return max(1, min(mostTogether, (len(indices)+p.Workers-1)/p.Workers)) }
	need := func() uint64 {
		return process + moments + uint64(p.Workers)*(workerMemory+l.largeMemory(task.Bags)+4*uint64(together()*largeCopies*parameters))
	}
	for t.Memory > 0 && p.Workers > 1 && need() > t.Memory {
		p.Workers--
		p.note(fmt.Sprintf("%s: %d at a time, to keep within %s of memory", task.Name, p.Workers, megabytes(t.Memory)))
	}
	if t.Memory > 0 && need() > t.Memory {
		return tooLittle(task, need(), t.Memory)
	}
	each := make([]float64, len(task.Fits))
	byOrder := map[uint64][]int{}
	for _, i := range indices {
		each[i] = l.largeSeconds(task.Bags, task.Fits[i], parameters)
		byOrder[task.Fits[i].Order] = append(byOrder[task.Fits[i].Order], i)
	}
	g := learner.Group{Fits: indices, Memory: need()}
	for _, order := range slices.Sorted(maps.Keys(byOrder)) {
		for fits := range slices.Chunk(byOrder[order], together()) {
			j := job{large: true, fits: fits}
			for _, i := range fits {
				j.seconds += each[i]
			}
			p.jobs = append(p.jobs, j)
			g.Members, g.Blocks, g.Block = max(g.Members, len(fits)), g.Blocks+1, max(g.Block, j.seconds)
		}
	}
	p.Memory = max(p.Memory, need())
	p.Groups = append(p.Groups, g)
	return nil
}

// drawn returns the number of instances of a bag that train a fit in each epoch.
func (l *layout) drawn(bag mil.Instances) int {
	if l.instances > 0 {
		return min(bag.Len(), l.instances)
	}
	return bag.Len()
}

// largeCopies is how many copies of the parameters of a fit on large bags are in memory at a time: with two moments,
// gradients and intermediate results of the update.
const largeCopies = 12

// largeMemory returns the bytes that a worker needs for large bags: a bag, and the network's results for its instances,
// forwards and backwards.
func (l *layout) largeMemory(bags []mil.Instances) uint64 {
	instances := 0
	for _, b := range bags {
		instances = max(instances, l.drawn(b))
	}
	return 4 * (uint64(instances+2*chunkRows)*uint64(l.features) + uint64(paddedRows(instances, false)*l.perInstance))
}

// largeSeconds estimates the time of one core to train a fit on large bags.
func (l *layout) largeSeconds(bags []mil.Instances, fit cv.Fit, parameters int) float64 {
	first := l.features * l.network.Width
	instances := 0
	for _, e := range fit.Train {
		instances += l.drawn(bags[e.Bag])
	}
	flops := float64(4*first+6*(parameters-first)) * float64(instances)
	return float64(l.epochs) * (flops/coreFlops + largeOverhead*float64(len(fit.Train)))
}

// counted caches the number of parameters of each planned structure. An experiment plans the same structures for many
// tasks, and building a network draws all its weights.
var counted sync.Map

// parametersOf returns the number of parameters of a network.
func parametersOf(b compute.Backend, s structure) (int, error) {
	if n, ok := counted.Load(s); ok {
		return n.(int), nil
	}
	p, err := newProgram(b, s)
	if err != nil {
		return 0, err
	}
	defer p.finalize()
	n := 0
	for _, form := range p.forms {
		n += form.Size()
	}
	counted.Store(s, n)
	return n, nil
}

// note adds a line to the plan's note unless it is already there.
func (p *plan) note(line string) {
	if !strings.Contains(p.Note, line) {
		p.Note = strings.TrimPrefix(p.Note+"; "+line, "; ")
	}
}

// tooLittle returns the error for a memory limit that is too small.
func tooLittle(task cv.Task, need, allowed uint64) error {
	return fmt.Errorf("%s: training needs %s of memory, more than the %s allowed; raise --memory or lower --width or --batch",
		task.Name, megabytes(need), megabytes(allowed))
}

// megabytes formats a number of bytes.
func megabytes(n uint64) string {
	if n < 10e9 {
		return fmt.Sprintf("%d MB", (n+1e6-1)/1e6)
	}
	return fmt.Sprintf("%d GB", (n+1e9-1)/1e9)
}

// memberMemory returns the bytes per member of a block, for its state and the intermediate results of a step. Bags are
// shared and not included.
func (l *layout) memberMemory(parameters int) uint64 {
	bags, state, seen := 0, 0, 0
	for _, size := range l.buckets {
		state = max(state, stateCopies*l.held(parameters, size.columns))
		switch {
		case l.taken:
			bags += 3 * size.columns * l.network.Width // rows
		case l.sparse:
			bags += l.room(size) * l.features
		}
		bags += l.room(size) * size.columns // factors
	}
	for _, size := range l.scoringSizes() {
		seen = max(seen, l.scored(size)*size.instances*l.width(size))
	}
	if l.taken {
		state += tableCopies * l.features * l.network.Width
	}
	return 4 * (uint64(bags+state+seen) + 8*l.largest())
}

// room returns the number of places in the arrays of a member's bags.
func (l *layout) room(size bucketSize) int {
	if l.streams {
		return max(l.batch, l.scored(size))
	}
	return l.places(size)
}

// held returns how many of the parameters a step holds in memory. If steps take rows, it holds those of a bag's
// columns.
func (l *layout) held(parameters, columns int) int {
	if !l.taken {
		return parameters
	}
	return parameters + (columns-l.features)*l.network.Width
}

// largest returns the numbers in the largest array of instances in a step or, at most, in scoring.
func (l *layout) largest() uint64 {
	largest := 0
	for _, size := range l.buckets {
		largest = max(largest, size.instances*max(l.batch, scoringBatch(size.instances, l.features))*max(l.width(size), l.network.Width))
	}
	return uint64(largest)
}

// BlockSpeedup is about how many times faster XLA trains many fits side by side than the Go backend trains them.
// On Elephant, it was 33 to 45 times (milbench/learners/neural/bench/README.md).
const BlockSpeedup = 40

// Assumptions of time estimates: floating point operations per second of one core; bytes read per second from its cache
// or, if a network with gradient and moments exceeds the cache, from memory; the overhead of a step, per member in a
// loop and per call; and the seconds to compile or load the graphs of a bucket.
const (
	coreFlops    = 80e9
	coreCache    = 5 << 20
	cacheBytes   = 120e9
	memoryBytes  = 25e9
	stepOverhead = 5e-6
	callOverhead = 1e-4

	largeOverhead  = 2e-3 // per bag of a fit on large bags
	compileSeconds = 3.0
	loadSeconds    = 0.15
)

// seconds estimates the time of one core to train fits side by side.
func (l *layout) seconds(parameters int, fits []cv.Fit) float64 {
	total := 0.0
	for _, fit := range fits {
		for _, e := range fit.Train {
			size := l.sizes[e.Bag]
			held, speed := l.held(parameters, size.columns), cacheBytes
			if 16*held > coreCache {
				speed = memoryBytes
			}
			used := parameters - (l.features-l.width(size))*l.network.Width // of a sparse bag, the rows of its columns
			total += 40*float64(held)/speed/float64(l.batch) + 4*float64(used*size.instances)/coreFlops + stepOverhead
			if l.single {
				total += callOverhead
			}
			if l.taken {
				total += 24 * float64(size.columns*l.network.Width) / memoryBytes
			}
		}
	}
	return total * float64(l.epochs)
}

// compile estimates the seconds that a worker needs to compile the graphs of a group.
func (l *layout) compile() float64 {
	if !l.compiles {
		return 0
	}
	return compileSeconds * float64(len(l.buckets))
}

// join estimates the seconds until a further worker has the graphs of a group, given [Trainer.Kept].
func (l *layout) join(kept bool) float64 {
	if kept {
		return loadSeconds * float64(len(l.buckets))
	}
	return l.compile()
}

// parse returns the setting of a fit.
func parse(task cv.Task, fit cv.Fit) (Config, error) {
	var c Config
	if err := json.Unmarshal(fit.Setting, &c); err != nil {
		return Config{}, err
	}
	c.target = c.learns(task.Kind, task.Classes)
	return c, nil
}

// checkFit reports an invalid setting, or one that is too large for its training bags.
func checkFit(c Config, bags []mil.Instances, train []cv.Example) error {
	if err := c.Validate(); err != nil {
		return err
	}
	if err := c.target.check(c); err != nil {
		return err
	}
	if len(train) == 0 {
		return fmt.Errorf("no bags to train on")
	}
	largest := bags[train[0].Bag]
	for _, e := range train {
		if b := bags[e.Bag]; b.Len() > largest.Len() {
			largest = b
		}
	}
	instances, large := largest.Len(), isLarge(largest, c.Layers)
	if c.Instances > 0 {
		if mil.IsSparse(largest) {
			return fmt.Errorf("instances %d: sparse bags are trained on whole; leave --instances out", c.Instances)
		}
		instances, large = min(instances, c.Instances), true
	}
	return c.checkSize(largest.Features(), instances, len(train), large)
}

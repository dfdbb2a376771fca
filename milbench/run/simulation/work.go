package simulation

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Run is the measured time of a group, in seconds on one core.
type Run struct {
	Compile float64 // compiling its graphs, once for each core
	Block   float64 // training one block
}

// Group is a number of fits that share compiled graphs.
type Group struct {
	Name   string
	Fits   int
	Blocks int   // number of blocks that they are trained in, all equally long
	Runs   []Run // at least one
}

// Validate returns an error for a group without fits or runs, or with invalid times.
func (g Group) Validate() error {
	if g.Fits < 1 || g.Fits > mostFits || g.Blocks < 1 || g.Blocks > mostFits {
		return fmt.Errorf("%s: %d fits in %d blocks", g.Name, g.Fits, g.Blocks)
	}
	if len(g.Runs) == 0 {
		return fmt.Errorf("%s: no run of it was measured", g.Name)
	}
	for _, r := range g.Runs {
		if !(r.Compile >= 0 && r.Compile <= mostSeconds && r.Block > 0 && r.Block <= mostSeconds) {
			return fmt.Errorf("%s: %v s of compiling and %v s per block", g.Name, r.Compile, r.Block)
		}
	}
	return nil
}

// part returns the number of blocks for some of the fits.
func (g *Group) part(fits int) int {
	return (g.Blocks*fits + g.Fits - 1) / g.Fits
}

// mean returns the means over the runs.
func (g *Group) mean() (m Run) {
	for _, r := range g.Runs {
		m.Compile += r.Compile / float64(len(g.Runs))
		m.Block += r.Block / float64(len(g.Runs))
	}
	return m
}

// Deviations returns the runs of groups, divided by the mean of their group. They show how far estimated times may be
// off from run to run.
func Deviations(groups []Group) (deviations []Run) {
	for _, g := range groups {
		m := g.mean()
		for _, r := range g.Runs {
			d := Run{1, r.Block / m.Block}
			if m.Compile > 0 {
				d.Compile = r.Compile / m.Compile
			}
			deviations = append(deviations, d)
		}
	}
	return deviations
}

// Work is fits to train: the blocks of groups, in order.
type Work struct {
	Fits   int
	groups []Group
	means  []Run   // of the groups
	pieces []piece // all of the work, one piece per group
}

// piece is a number of blocks from one group.
type piece struct {
	group  int32
	blocks int32
}

// NewWork returns work with the given number of fits. It repeats the groups in turn as often as needed, each time
// with new graphs, and cuts the last group short. This models a study that grows by adding settings on the same sets
// and folds.
func NewWork(groups []Group, fits int) (Work, error) {
	if len(groups) == 0 {
		return Work{}, errors.New("there are no groups of fits")
	}
	if fits < 1 || fits > mostFits {
		return Work{}, fmt.Errorf("%d fits; give a number from 1 to %d", fits, mostFits)
	}
	w := Work{Fits: fits, groups: slices.Clone(groups)}
	for i := range w.groups {
		if err := w.groups[i].Validate(); err != nil {
			return Work{}, err
		}
		w.means = append(w.means, w.groups[i].mean())
	}
	all := 0
	for i := 0; fits > 0; i = (i + 1) % len(groups) {
		some := min(fits, groups[i].Fits)
		blocks := w.groups[i].part(some)
		if all += blocks; all > mostFits {
			return Work{}, fmt.Errorf("%d fits are more than %d blocks; give fewer", w.Fits, mostFits)
		}
		w.pieces = append(w.pieces, piece{int32(i), int32(blocks)})
		fits -= some
	}
	return w, nil
}

// Blocks returns the number of blocks, which is also the maximum number of shards.
func (w Work) Blocks() int {
	n := 0
	for _, p := range w.pieces {
		n += int(p.blocks)
	}
	return n
}

// Seconds returns the mean time of the work on one core, with every group compiled once.
func (w Work) Seconds() float64 {
	sum := 0.0
	for _, p := range w.pieces {
		sum += w.means[p.group].Compile + float64(p.blocks)*w.means[p.group].Block
	}
	return sum
}

// Shards is work cut into shards.
type Shards struct {
	work   Work
	pieces []piece // pieces of all shards, one shard after another
	ends   []int   // end of each shard in pieces
}

// Len returns the number of shards.
func (s Shards) Len() int { return len(s.ends) }

// Cut cuts the work into at most the given number of shards. Each shard has consecutive blocks, and the longest shard
// is as short as possible, including compilation. There are fewer shards if more would not be shorter, or if there
// are fewer blocks.
func (w Work) Cut(shards int) (Shards, error) {
	if shards < 1 {
		return Shards{}, fmt.Errorf("%d shards; at least 1 is needed", shards)
	}
	low, high := 0.0, w.Seconds() // low is too low a bound, high is high enough
	for _, m := range w.means {
		low = max(low, m.Compile+m.Block)
	}
	low = max(low, high/float64(shards)) * (1 - 1e-9)
	if shards == 1 {
		low = high
	}
	high *= 1 + 1e-9
	for high-low > 1e-4*low {
		middle := (low + high) / 2
		if w.fill(middle, nil) <= shards {
			high = middle
		} else {
			low = middle
		}
	}
	cut := Shards{work: w}
	w.fill(high, &cut)
	return cut, nil
}

// most returns how many of the remaining blocks, with their compilation, fit into the given seconds.
func most(seconds float64, m Run, left int32) int32 {
	return int32(max(0, min((seconds-m.Compile)/m.Block, float64(left))))
}

// fill fills one shard after another with as many blocks as fit into a bound, at least one. It returns the number of
// shards.
func (w Work) fill(bound float64, into *Shards) (shards int) {
	used := math.Inf(1) // seconds in the current shard
	for _, p := range w.pieces {
		m := w.means[p.group]
		for left := p.blocks; left > 0; {
			some := most(bound-used, m, left)
			if some < 1 {
				if into != nil && shards > 0 {
					into.ends = append(into.ends, len(into.pieces))
				}
				shards, used = shards+1, 0
				some = max(1, most(bound, m, left))
			}
			used += m.Compile + float64(some)*m.Block
			left -= some
			if into != nil {
				into.pieces = append(into.pieces, piece{p.group, some})
			}
		}
	}
	if into != nil {
		into.ends = append(into.ends, len(into.pieces))
	}
	return shards
}

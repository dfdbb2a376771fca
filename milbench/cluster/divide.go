package cluster

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
)

// Cost is the estimated cost of a shard's fits.
type Cost struct {
	Fits    int
	Blocks  int
	Compile float64 // seconds on one core, if one worker compiles each group
	Train   float64 // seconds on one core
	Memory  uint64  // approximate peak, in bytes
	Groups  []Share // for each group, in order
}

// Seconds returns the total seconds on one core.
func (c Cost) Seconds() float64 { return c.Compile + c.Train }

// Share is the part of a group that a shard has.
type Share struct{ Group, Blocks int }

// unit is a training: the indices of its fits. Shards are made of units.
type unit struct {
	group, networks int
	fits            []int
}

// units returns the trainings of each group in the plan, in order.
func (p *Plan) units() [][]unit {
	type key struct{ group, training int }
	place := make(map[key]int)
	units := make([][]unit, len(p.Groups))
	for i, f := range p.Fits {
		k := key{f.Group, f.Training}
		at, found := place[k]
		if !found {
			at = len(units[f.Group])
			place[k] = at
			units[f.Group] = append(units[f.Group], unit{f.Group, f.Networks, nil})
		}
		units[f.Group][at].fits = append(units[f.Group][at].fits, i)
	}
	return units
}

// blocks returns the number of blocks for a number of networks.
func (g Group) blocks(networks int) int { return (networks + g.Members - 1) / g.Members }

func networks(units []unit) (n int) {
	for _, u := range units {
		n += u.networks
	}
	return n
}

// Blocks returns the number of blocks in the plan if each group fills its blocks. More shards than blocks are
// useless.
func (p *Plan) Blocks() (n int) {
	for i, units := range p.units() {
		n += p.Groups[i].blocks(networks(units))
	}
	return n
}

// Costs returns the cost of each shard.
func (p *Plan) Costs() []Cost {
	costs := make([]Cost, p.Shards)
	for g, units := range p.units() {
		of := make(map[int]int) // number of networks by shard
		for _, u := range units {
			shard := p.Fits[u.fits[0]].Shard
			of[shard] += u.networks
			costs[shard].Fits += len(u.fits)
		}
		for shard, n := range of {
			c, blocks := &costs[shard], p.Groups[g].blocks(n)
			c.Blocks += blocks
			c.Compile += p.Groups[g].Compile
			c.Train += float64(blocks) * p.Groups[g].Block
			c.Memory = max(c.Memory, p.Groups[g].Memory)
			c.Groups = append(c.Groups, Share{g, blocks})
		}
	}
	return costs
}

// Divide divides the fits into the given number of shards with balanced costs (longest processing time first, Graham
// 1969): the costliest piece of a group goes to the shard with the least cost so far. Every shard with a piece of a
// group compiles its graphs, so a group is cut into no more pieces than needed. Among the possible lengths of pieces,
// Divide uses the longest with a longest shard within 10 % of the best.
func (p *Plan) Divide(shards int) {
	p.Shards = shards
	units := p.units()
	longest, total := 0.0, 0.0
	for g, list := range units {
		if len(list) == 0 {
			continue
		}
		seconds := p.Groups[g].Compile + float64(p.Groups[g].blocks(networks(list)))*p.Groups[g].Block
		longest, total = max(longest, seconds), total+seconds
	}
	const slack, step, shortest = 1.1, 0.95, 0.1 // relative to the mean of the shards
	var tried [][]piece                          // with shorter and shorter pieces
	var ends []float64
	for length := longest; ; length *= step {
		pieces := p.cut(units, length)
		if n := len(tried); n == 0 || len(pieces) > len(tried[n-1]) {
			tried, ends = append(tried, pieces), append(ends, assign(pieces, shards))
		}
		if length <= shortest*total/float64(shards) {
			break
		}
	}
	best := slices.Min(ends)
	chosen := slices.IndexFunc(ends, func(end float64) bool { return end <= slack*best })
	for _, piece := range tried[chosen] {
		for _, u := range piece.units {
			for _, i := range u.fits {
				p.Fits[i].Shard = piece.shard
			}
		}
	}
}

// piece is a number of trainings from one group for one shard.
type piece struct {
	units   []unit
	seconds float64
	shard   int
}

// cut cuts every group into the smallest number of pieces with equally many blocks that take at most length, or have
// one block.
func (p *Plan) cut(units [][]unit, length float64) (pieces []piece) {
	for g, list := range units {
		group := p.Groups[g]
		left := networks(list)
		blocks := group.blocks(left)
		most := blocks
		if group.Block > 0 {
			most = int(math.Floor((length-group.Compile)/group.Block + 1e-9))
		}
		count := (blocks + max(most, 1) - 1) / max(most, 1)
		for ; len(list) > 0; count-- {
			room := (left + count*group.Members - 1) / (count * group.Members) * group.Members // networks that fit into this piece
			end, n := 1, list[0].networks
			for end < len(list) && (n+list[end].networks <= room || count == 1) {
				n += list[end].networks
				end++
			}
			pieces = append(pieces, piece{units: list[:end], seconds: group.Compile + float64(group.blocks(n))*group.Block})
			list, left = list[end:], left-n
		}
	}
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(b.seconds, a.seconds) })
	return pieces
}

// assign gives each piece, the longest first, to the shard with the least load so far. It returns the load of the
// longest shard.
func assign(pieces []piece, shards int) (end float64) {
	h := make(loads, shards)
	for i := range h {
		h[i].shard = i
	}
	for i := range pieces {
		least := &h[0]
		pieces[i].shard = least.shard
		least.seconds += pieces[i].seconds
		end = max(end, least.seconds)
		heap.Fix(&h, 0)
	}
	return end
}

// load is the load of a shard so far.
type load struct {
	seconds float64
	shard   int
}

// loads is a heap, the smallest load first.
type loads []load

func (h loads) Len() int { return len(h) }
func (h loads) Less(i, j int) bool {
	return h[i].seconds < h[j].seconds || h[i].seconds == h[j].seconds && h[i].shard < h[j].shard
}
func (h loads) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *loads) Push(any)     {}
func (h *loads) Pop() any     { return nil }

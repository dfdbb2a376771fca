package cluster

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
)

// Cost is what the fits of a shard take.
type Cost struct {
	Fits    int
	Blocks  int
	Compile float64 // seconds of a core, if one worker compiles each group
	Train   float64 // seconds of a core
	Memory  uint64  // bytes at the peak, about
	Groups  []Share // of each group, in order
}

// Seconds returns the seconds of one core.
func (c Cost) Seconds() float64 { return c.Compile + c.Train }

// Share is what a shard has of a group.
type Share struct{ Group, Blocks int }

// unit is a training: the fits, by index, that it gives. Units are what shards are made of.
type unit struct {
	group, networks int
	fits            []int
}

// units returns the trainings of the plan, those of each group in order.
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

// blocks returns the blocks of so many networks.
func (g Group) blocks(networks int) int { return (networks + g.Members - 1) / g.Members }

func networks(units []unit) (n int) {
	for _, u := range units {
		n += u.networks
	}
	return n
}

// Blocks returns the blocks of the plan, each group's filled up: more shards gain nothing.
func (p *Plan) Blocks() (n int) {
	for i, units := range p.units() {
		n += p.Groups[i].blocks(networks(units))
	}
	return n
}

// Costs returns what each shard takes.
func (p *Plan) Costs() []Cost {
	costs := make([]Cost, p.Shards)
	for g, units := range p.units() {
		of := make(map[int]int) // networks, by shard
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

// Divide divides the fits into so many shards, whose costs are to be even (longest processing time first, Graham 1969): the
// piece of a group that costs most goes to the shard with the least so far. A group is cut into no more pieces than
// needed, since every shard that has a piece compiles its graphs: of all lengths that pieces may have the longest is
// taken whose longest shard is within 10 % of the shortest that any gives.
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
	const slack, step, shortest = 1.1, 0.95, 0.1 // of the mean of the shards
	var tried [][]piece                          // the pieces become shorter
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

// piece is trainings of one group for one shard.
type piece struct {
	units   []unit
	seconds float64
	shard   int
}

// cut cuts every group into the fewest pieces of equally many blocks that last no longer than length, or have one block.
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
			room := (left + count*group.Members - 1) / (count * group.Members) * group.Members // for networks of this piece
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

// assign gives each piece, the longest first, to the shard with the least so far, and returns what the longest shard takes.
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

// load is what a shard has so far.
type load struct {
	seconds float64
	shard   int
}

// loads is a heap, the least load first.
type loads []load

func (h loads) Len() int { return len(h) }
func (h loads) Less(i, j int) bool {
	return h[i].seconds < h[j].seconds || h[i].seconds == h[j].seconds && h[i].shard < h[j].shard
}
func (h loads) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *loads) Push(any)     {}
func (h *loads) Pop() any     { return nil }

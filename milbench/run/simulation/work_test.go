package simulation

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Shards contain every block once, in order, and the longest is as short as possible.
func TestCut(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var groups []Group
		for range 1 + rng.IntN(5) {
			g := equal(1+rng.IntN(6), 0.5+rng.Float64())
			g.Runs[0].Compile = 3 * rng.Float64()
			groups = append(groups, g)
		}
		shards := 1 + rng.IntN(12)
		cut := cutInto(t, shards, groups...)
		if cut.Len() < 1 || cut.Len() > shards || cut.Len() > cut.work.Blocks() {
			t.Fatalf("%d shards of %d blocks, asked for %d", cut.Len(), cut.work.Blocks(), shards)
		}
		var all []int32 // the group of each block
		longest, first := 0.0, 0
		for _, end := range cut.ends {
			length := 0.0
			for _, p := range cut.pieces[first:end] {
				if p.blocks < 1 {
					t.Fatal("a piece without blocks")
				}
				length += cut.work.means[p.group].Compile + float64(p.blocks)*cut.work.means[p.group].Block
				all = append(all, slices.Repeat([]int32{p.group}, int(p.blocks))...)
			}
			if end == first {
				t.Fatal("an empty shard")
			}
			longest, first = max(longest, length), end
		}
		var want []int32
		for g := range groups {
			want = append(want, slices.Repeat([]int32{int32(g)}, groups[g].Fits)...)
		}
		if !slices.Equal(all, want) {
			t.Fatalf("blocks of groups %v, want %v", all, want)
		}
		if best := shortest(groups, want, shards); longest > best*(1+2e-4) || longest < best*(1-1e-9) {
			t.Errorf("the longest of %d shards takes %v s, and %v s are possible", shards, longest, best)
		}
	}
}

// shortest returns the shortest possible time of the longest shard, over all ways to cut the blocks of groups.
func shortest(groups []Group, blocks []int32, shards int) float64 {
	best := make([]float64, len(blocks)+1) // for the first n blocks
	for n := 1; n <= len(blocks); n++ {
		best[n] = 1e9
	}
	for range shards {
		next := slices.Clone(best)
		for n := 1; n <= len(blocks); n++ {
			length := 0.0
			for first := n - 1; first >= 0; first-- {
				r := groups[blocks[first]].Runs[0]
				length += r.Block
				if first == n-1 || blocks[first] != blocks[first+1] {
					length += r.Compile
				}
				next[n] = min(next[n], max(best[first], length))
			}
		}
		best = next
	}
	return best[len(blocks)]
}

func TestNewWork(t *testing.T) {
	groups := []Group{{Name: "a", Fits: 50, Blocks: 7, Runs: []Run{{1, 2}, {3, 4}}}, {Name: "b", Fits: 5, Blocks: 5, Runs: []Run{{0, 10}}}}
	for fits, blocks := range map[int]int{1: 1, 7: 1, 8: 2, 50: 7, 51: 8, 55: 12, 56: 13, 105: 19, 110: 24, 5500: 1200} {
		w, err := NewWork(groups, fits)
		if err != nil || w.Blocks() != blocks || w.Fits != fits {
			t.Errorf("%d fits: %d blocks (%v), want %d", fits, w.Blocks(), err, blocks)
		}
	}
	w, err := NewWork(groups, 110)
	if want := 2 * (2 + 7*3 + 5*10.0); err != nil || w.Seconds() != want {
		t.Errorf("%v s (%v), want %v", w.Seconds(), err, want)
	}
	for want, g := range map[string]Group{
		"0 fits in 1 blocks": {Name: "a", Blocks: 1, Runs: []Run{{0, 1}}},
		"1 fits in 0 blocks": {Name: "a", Fits: 1, Runs: []Run{{0, 1}}},
		"no run of it":       {Name: "a", Fits: 1, Blocks: 1},
		"0 s per block":      {Name: "a", Fits: 1, Blocks: 1, Runs: []Run{{0, 0}}},
		"-1 s of compiling":  {Name: "a", Fits: 1, Blocks: 1, Runs: []Run{{-1, 1}}},
	} {
		if _, err := NewWork([]Group{g}, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", g, err, want)
		}
	}
	for want, f := range map[string]func() error{
		"there are no groups":   func() error { _, err := NewWork(nil, 1); return err },
		"0 fits; give a number": func() error { _, err := NewWork(groups, 0); return err },
		"10000001 fits; give":   func() error { _, err := NewWork(groups, mostFits+1); return err },
		"more than 10000000 blocks": func() error {
			_, err := NewWork([]Group{{Name: "a", Fits: 1, Blocks: mostFits, Runs: []Run{{0, 1}}}}, 2)
			return err
		},
		"0 shards; at least 1": func() error { _, err := w.Cut(0); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Deviations are about 1. Multiplied by the mean they give the run.
func TestDeviations(t *testing.T) {
	groups := []Group{
		{Name: "a", Fits: 1, Blocks: 1, Runs: []Run{{2, 10}, {4, 30}}},
		{Name: "b", Fits: 1, Blocks: 1, Runs: []Run{{0, 5}}},
	}
	if d, want := Deviations(groups), []Run{{2. / 3, 0.5}, {4. / 3, 1.5}, {1, 1}}; !slices.Equal(d, want) {
		t.Errorf("%v, want %v", d, want)
	}
}

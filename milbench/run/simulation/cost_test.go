package simulation

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// few is a fast search that is precise enough for tests.
var few = Search{Simulations: 30, Seed: 1}

// measuredWork returns work from the measured groups.
func measuredWork(t testing.TB, fits int) Work {
	t.Helper()
	w, err := NewWork(Measured(), fits)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// The best number of shards is about as good as any other.
func TestBest(t *testing.T) {
	w := measuredWork(t, 800)
	for _, nodes := range []int{1, 3, 10, 100} {
		c := Default()
		c.Nodes = nodes
		best, err := c.Best(t.Context(), w, few)
		if err != nil {
			t.Fatal(err)
		}
		se := best.WallSD / math.Sqrt(float64(best.Simulations))
		for shards := 1; shards <= w.Blocks(); shards += 1 + shards/8 {
			other, err := c.Cost(t.Context(), w, shards, few)
			if err != nil {
				t.Fatal(err)
			}
			if best.Wall > other.Wall*(1+2*Even)+3*math.Hypot(se, other.WallSD/math.Sqrt(float64(other.Simulations))) {
				t.Errorf("%d nodes: %d shards take %.0f s, %d take %.0f s", nodes, best.Shards, best.Wall, other.Shards, other.Wall)
			}
		}
	}
}

// Doubling the nodes never makes the work slower, up to the tolerance and the error of the means, and never saves
// more than half. At some point work stops scaling; more work stops later.
func TestDoublings(t *testing.T) {
	stopped := 0
	for _, fits := range []int{300, 3000} {
		w, c := measuredWork(t, fits), Default()
		var costs []Cost
		for _, c.Nodes = range Doublings(128) {
			cost, err := c.Best(t.Context(), w, few)
			if err != nil {
				t.Fatal(err)
			}
			costs = append(costs, cost)
		}
		for i, c := range costs[1:] {
			was := costs[i]
			error := 4 * math.Hypot(c.WallSD, was.WallSD) / math.Sqrt(float64(few.Simulations))
			if c.Wall > was.Wall*(1+2*Even)+error {
				t.Errorf("%d fits take %.0f s on %d nodes and %.0f s on %d", fits, was.Wall, was.Nodes, c.Wall, c.Nodes)
			}
			if c.Wall < was.Wall/2*(1-2*Even)-error {
				t.Errorf("%d fits take %.0f s on %d nodes and no more than %.0f s on %d", fits, was.Wall, was.Nodes, c.Wall, c.Nodes)
			}
		}
		stops, err := StopsAt(costs)
		if err != nil || stops <= stopped || stops >= 128 {
			t.Errorf("%d fits stop scaling at %d nodes, fewer fits at %d (%v)", fits, stops, stopped, err)
		}
		stopped = stops
	}
}

func TestDoublingsAreTheLeast(t *testing.T) {
	for most, want := range map[int][]int{1: {1}, 2: {1, 2}, 3: {1, 2, 4}, 1000: {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}} {
		if got := Doublings(most); !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", most, got, want)
		}
	}
}

// A search ends with its context.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Default().Best(ctx, measuredWork(t, 10), few); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestStopsAt(t *testing.T) {
	costs := func(walls ...float64) (c []Cost) {
		for i, w := range walls {
			c = append(c, Cost{Nodes: 1 << i, Wall: w})
		}
		return c
	}
	for _, c := range []struct {
		costs []Cost
		want  int
	}{
		{costs(100, 50, 45.1, 10), 2},
		{costs(100, 50, 45, 40.6), 4},
		{costs(100, 90.1), 1},
		{costs(100, 50, 25), 0},
		{costs(100), 0},
		{nil, 0},
	} {
		if n, err := StopsAt(c.costs); n != c.want || err != nil {
			t.Errorf("%v: %d (%v), want %d", c.costs, n, err, c.want)
		}
	}
	if _, err := StopsAt([]Cost{{Nodes: 1}, {Nodes: 3}}); err == nil {
		t.Error("1 and 3 nodes are taken for doublings")
	}
}

// The scheduler's limit is respected, and means use as many simulations as needed.
func TestCost(t *testing.T) {
	c := Default()
	c.Nodes = 20
	w := measuredWork(t, 2000)
	best, err := c.Best(t.Context(), w, Search{Simulations: 5, Shards: 15})
	if err != nil || best.Shards > 15 {
		t.Errorf("%d shards where 15 are allowed (%v)", best.Shards, err)
	}
	for _, c := range []struct {
		Cluster
		low, high int // number of simulations
	}{{ideal(3), Fewest, 20}, {c, 40, 40}} {
		cost, err := c.Cost(t.Context(), w, 4, Search{Simulations: 40})
		if err != nil || cost.Simulations < c.low || cost.Simulations > c.high || cost.WallSD <= 0 {
			t.Errorf("%+v: %+v (%v)", c, cost, err)
		}
	}
	one, err := c.Cost(t.Context(), w, 4, Search{Simulations: 1, Seed: 3})
	cut, _ := w.Cut(4)
	o, _ := c.Simulate(cut, 3)
	if err != nil || one != (Cost{20, 4, o.Wall, 0, o.NodeSeconds / 3600, o.Utilisation, float64(o.Attempts), float64(o.Lost), 1}) {
		t.Errorf("one simulation: %+v of %+v (%v)", one, o, err)
	}
}

func TestRefuses(t *testing.T) {
	w := measuredWork(t, 10)
	for want, change := range map[string]func(*Cluster){
		"nodes: 0":                       func(c *Cluster) { c.Nodes = 0 },
		"nodes: 100001":                  func(c *Cluster) { c.Nodes = 100_001 },
		"cores of a node: 0":             func(c *Cluster) { c.Cores = 0 },
		"queue wait in seconds: -1":      func(c *Cluster) { c.Wait = -1 },
		"queue wait in seconds: NaN":     func(c *Cluster) { c.Wait = math.NaN() },
		"start-up in seconds: +Inf":      func(c *Cluster) { c.StartUp = math.Inf(1) },
		"failures per node and hour":     func(c *Cluster) { c.Failures = -0.1 },
		"retry delay in seconds":         func(c *Cluster) { c.Retry = -1 },
		"share of stragglers: 1.5":       func(c *Cluster) { c.Stragglers = 1.5 },
		"factor of stragglers: 0.5":      func(c *Cluster) { c.Slowdown = 0.5 },
		"attempts started per second: 0": func(c *Cluster) { c.Starts = 0 },
		"lines merged per second: NaN":   func(c *Cluster) { c.Merge = math.NaN() },
		"fits would hardly ever end":     func(c *Cluster) { c.Failures = 3600 },
	} {
		c := Default()
		change(&c)
		if _, err := c.Cost(t.Context(), w, 1, Search{Simulations: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", c, err, want)
		}
	}
	for want, f := range map[string]func() error{
		"0 simulations":          func() error { _, err := Default().Cost(t.Context(), w, 1, Search{}); return err },
		"0 simulations of up to": func() error { _, err := Default().Best(t.Context(), w, Search{}); return err },
		"of up to -1 shards":     func() error { _, err := Default().Best(t.Context(), w, Search{Simulations: 1, Shards: -1}); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

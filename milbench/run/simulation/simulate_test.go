package simulation

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// ideal is a cluster of single-core nodes without losses and waiting.
func ideal(nodes int) Cluster {
	return Cluster{Nodes: nodes, Cores: 1, Starts: math.Inf(1), Slowdown: 1, Merge: math.Inf(1)}
}

// equal is a group of equally long blocks with one fit each.
func equal(blocks int, seconds float64) Group {
	return Group{Name: "equal", Fits: blocks, Blocks: blocks, Runs: []Run{{Block: seconds}}}
}

// cutInto cuts groups into shards.
func cutInto(t testing.TB, shards int, groups ...Group) Shards {
	t.Helper()
	fits := 0
	for _, g := range groups {
		fits += g.Fits
	}
	w, err := NewWork(groups, fits)
	if err != nil {
		t.Fatal(err)
	}
	cut, err := w.Cut(shards)
	if err != nil {
		t.Fatal(err)
	}
	return cut
}

// simulate returns the outcomes for seeds from 0.
func simulate(t testing.TB, c Cluster, s Shards, simulations int) []Outcome {
	t.Helper()
	outcomes := make([]Outcome, simulations)
	for i := range outcomes {
		var err error
		if outcomes[i], err = c.Simulate(s, uint64(i)); err != nil {
			t.Fatal(err)
		}
	}
	return outcomes
}

// near fails if the mean of values is more than four standard errors from want; they include the error of want.
func near(t *testing.T, name string, values []float64, want, wantSE float64) {
	t.Helper()
	mean, sd := stat.MeanStdDev(values, nil)
	se := math.Hypot(stat.StdErr(sd, float64(len(values))), wantSE)
	if math.Abs(mean-want) > 4*se+1e-9*math.Abs(want) {
		t.Errorf("%s: mean %v ± %v, want %v", name, mean, se, want)
	}
}

// values returns one number of each outcome.
func values(outcomes []Outcome, of func(Outcome) float64) (v []float64) {
	for _, o := range outcomes {
		v = append(v, of(o))
	}
	return v
}

func wall(o Outcome) float64 { return o.Wall }

// Without overhead and randomness, equal blocks take the minimum number of rounds, on nodes and on the cores of one
// node.
func TestRounds(t *testing.T) {
	for blocks := range 40 {
		for nodes := range 9 {
			blocks, nodes := blocks+1, nodes+1
			want := 2.5 * math.Ceil(float64(blocks)/float64(nodes))
			c := ideal(nodes)
			o, err := c.Simulate(cutInto(t, blocks, equal(blocks, 2.5)), 1)
			if err != nil || o.Wall != want || o.Attempts != blocks || o.Lost != 0 || math.Abs(o.NodeSeconds-2.5*float64(blocks)) > 1e-9 ||
				math.Abs(o.Utilisation-float64(blocks)*2.5/(float64(nodes)*want)) > 1e-12 {
				t.Fatalf("%d blocks on %d nodes: %+v (%v), want %v s", blocks, nodes, o, err, want)
			}
			c.Nodes, c.Cores = 1, nodes
			o, err = c.Simulate(cutInto(t, 1, equal(blocks, 2.5)), 1)
			if err != nil || o.Wall != want || o.NodeSeconds != want {
				t.Fatalf("%d blocks on %d cores: %+v (%v), want %v s", blocks, nodes, o, err, want)
			}
		}
	}
}

// Graham's bound for a list schedule: no node is idle before the last shard has started.
func TestListSchedule(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var groups []Group
		for range 1 + rng.IntN(30) {
			groups = append(groups, equal(1+rng.IntN(5), 10*rng.Float64()+0.1))
		}
		nodes, shards := 1+rng.IntN(8), 1+rng.IntN(60)
		cut := cutInto(t, shards, groups...)
		longest := 0.0
		first := 0
		for _, end := range cut.ends {
			length := 0.0
			for _, p := range cut.pieces[first:end] {
				length += float64(p.blocks) * cut.work.means[p.group].Block
			}
			longest, first = max(longest, length), end
		}
		o, err := ideal(nodes).Simulate(cut, 1)
		if err != nil {
			t.Fatal(err)
		}
		mean := cut.work.Seconds() / float64(nodes)
		if low, high := max(mean, longest), mean+(1-1/float64(nodes))*longest; o.Wall < low*(1-1e-12) || o.Wall > high*(1+1e-12) {
			t.Errorf("%d shards on %d nodes: %v s, want from %v to %v", cut.Len(), nodes, o.Wall, low, high)
		}
	}
}

// With failures at rate r per second, an attempt of length L takes (e^(rL)-1)/r including all repetitions. Finished
// blocks are not repeated; start-up and compiling are.
func TestFailures(t *testing.T) {
	const length, simulations = 40.0, 20_000
	c := ideal(1)
	c.Failures, c.Retry = 60, 17
	rate := c.Failures / 3600
	expected := func(length float64) float64 { return math.Expm1(rate*length) / rate }
	for _, shape := range []struct {
		name             string
		startUp, compile float64
		blocks           int
		want             float64
	}{
		{"one block", 0, 0, 1, expected(length)},
		{"start-up and compiling", 5, 15, 1, expected(length)},
		{"blocks", 0, 0, 5, 5 * expected(length/5)},
	} {
		c := c
		c.StartUp = shape.startUp
		g := equal(shape.blocks, (length-shape.startUp-shape.compile)/float64(shape.blocks))
		g.Runs[0].Compile = shape.compile
		outcomes := simulate(t, c, cutInto(t, 1, g), simulations)
		near(t, shape.name, values(outcomes, func(o Outcome) float64 { return o.NodeSeconds }), shape.want, 0)
		near(t, shape.name+": losses", values(outcomes, func(o Outcome) float64 { return float64(o.Lost) }), rate*shape.want, 0)
		near(t, shape.name+": delays", values(outcomes, func(o Outcome) float64 { return o.Wall - o.NodeSeconds - 17*float64(o.Lost) }), 0, 1e-9)
	}
}

// With n equal shards on n nodes, the last is late if one node is slow.
func TestStragglers(t *testing.T) {
	const n, share, factor = 12, 0.07, 2.5
	c := ideal(n)
	c.Stragglers, c.Slowdown = share, factor
	outcomes := simulate(t, c, cutInto(t, n, equal(n, 8)), 5000)
	near(t, "stragglers", values(outcomes, wall), 8*(1+(factor-1)*(1-math.Pow(1-share, n))), 0)
	near(t, "node time", values(outcomes, func(o Outcome) float64 { return o.NodeSeconds }), n*8*(1+(factor-1)*share), 0)
}

// The scheduler limits the attempts started per second, and lines are merged at a given rate.
func TestRates(t *testing.T) {
	c := ideal(500)
	c.Starts = 8
	cut := cutInto(t, 500, equal(500, 0.25))
	if o, err := c.Simulate(cut, 1); err != nil || math.Abs(o.Wall-(499.0/8+0.25)) > 1e-9 {
		t.Errorf("500 attempts, 8 started a second: %+v (%v)", o, err)
	}
	c.Merge = 100
	if o, err := c.Simulate(cut, 1); err != nil || math.Abs(o.Wall-(499.0/8+0.25+5)) > 1e-9 {
		t.Errorf("500 lines merged at 100 a second: %+v (%v)", o, err)
	}
}

// The longest of n exponential waits has mean: the nth harmonic number times their mean.
func TestWait(t *testing.T) {
	const n = 30
	c := ideal(n)
	c.Wait = 12
	harmonic := 0.0
	for k := 1; k <= n; k++ {
		harmonic += 1 / float64(k)
	}
	near(t, "waits", values(simulate(t, c, cutInto(t, n, equal(n, 3)), 5000), wall), 12*harmonic+3, 0)
}

// The time of a group in an attempt is one of its measured runs, each with equal probability.
func TestRuns(t *testing.T) {
	g := Group{Name: "two runs", Fits: 10, Blocks: 5, Runs: []Run{{Compile: 1, Block: 2}, {Compile: 7, Block: 4}}}
	slow := 0
	for _, o := range simulate(t, ideal(1), cutInto(t, 1, g), 1000) {
		switch o.Wall {
		case 1 + 5*2:
		case 7 + 5*4:
			slow++
		default:
			t.Fatalf("%v s is none of the runs", o.Wall)
		}
	}
	if slow < 440 || slow > 560 { // four standard deviations
		t.Errorf("%d of 1000 attempts were like the second run", slow)
	}
}

// TestCluster compares outcomes with those of SimPy (testdata/cluster.py).
func TestCluster(t *testing.T) {
	text, err := os.ReadFile("testdata/cluster.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name                                                                string
		Nodes, Cores, Lines, Simulations                                    int
		Wait, Starts, StartUp, Failures, Retry, Stragglers, Slowdown, Merge float64
		Groups                                                              [][][2]float64
		Shards                                                              [][][2]int32
		Mean, SE                                                            [5]float64
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) != 8 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		none := func(rate float64) float64 { // 0 means no limit
			if rate == 0 {
				return math.Inf(1)
			}
			return rate
		}
		cluster := Cluster{c.Nodes, c.Cores, c.Wait, none(c.Starts), c.StartUp, c.Failures, c.Retry, c.Stragglers, c.Slowdown, none(c.Merge)}
		cut := Shards{work: Work{Fits: c.Lines}}
		for _, runs := range c.Groups {
			g := Group{Name: "group"}
			for _, r := range runs {
				g.Runs = append(g.Runs, Run{r[0], r[1]})
			}
			cut.work.groups = append(cut.work.groups, g)
		}
		for _, shard := range c.Shards {
			for _, p := range shard {
				cut.pieces = append(cut.pieces, piece{p[0], p[1]})
			}
			cut.ends = append(cut.ends, len(cut.pieces))
		}
		outcomes := simulate(t, cluster, cut, c.Simulations)
		for i, of := range []func(Outcome) float64{
			wall,
			func(o Outcome) float64 { return o.NodeSeconds },
			func(o Outcome) float64 { return o.Utilisation },
			func(o Outcome) float64 { return float64(o.Attempts) },
			func(o Outcome) float64 { return float64(o.Lost) },
		} {
			name := c.Name + ": " + []string{"wall", "node seconds", "utilisation", "attempts", "lost"}[i]
			v := values(outcomes, of)
			if c.Simulations == 1 {
				if math.Abs(v[0]-c.Mean[i]) > 1e-9*c.Mean[i] {
					t.Errorf("%s: %v, want %v", name, v[0], c.Mean[i])
				}
				continue
			}
			near(t, name, v, c.Mean[i], c.SE[i])
		}
	}
}

func TestSimulateIsAFunctionOfTheSeed(t *testing.T) {
	c := Default()
	c.Nodes, c.Failures = 5, 5
	w, err := NewWork(Measured(), 2000)
	if err != nil {
		t.Fatal(err)
	}
	cut, err := w.Cut(20)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[Outcome]bool{}
	for seed := range uint64(10) {
		o, err := c.Simulate(cut, seed)
		again, err2 := c.Simulate(cut, seed)
		if err != nil || err2 != nil || o != again || seen[o] {
			t.Errorf("seed %d: %+v, then %+v (%v, %v)", seed, o, again, err, err2)
		}
		seen[o] = true
	}
}

func BenchmarkSimulate(b *testing.B) {
	w, err := NewWork(Measured(), 1_000_000)
	if err != nil {
		b.Fatal(err)
	}
	cut, err := w.Cut(3000)
	if err != nil {
		b.Fatal(err)
	}
	c := Default()
	c.Nodes = 1000
	for i := 0; b.Loop(); i++ {
		if _, err := c.Simulate(cut, uint64(i)); err != nil {
			b.Fatal(err)
		}
	}
}

// A Slurm 22.05 with six slots, three nodes of two cores on one machine, took 20.3 s for 200 tasks of 0.25 s, which
// determines the start-up time of a task. The same work as 12 shards took 9.0 s.
func TestSlurm(t *testing.T) {
	c := ideal(6)
	c.StartUp = 20.3/math.Ceil(200.0/6) - 0.25
	work := equal(200, 0.25)
	tasks, err := c.Simulate(cutInto(t, 200, work), 1)
	if err != nil || math.Abs(tasks.Wall-20.3) > 1e-9 {
		t.Errorf("200 tasks: %v s (%v)", tasks.Wall, err)
	}
	shards, err := c.Simulate(cutInto(t, 12, work), 1)
	if err != nil || math.Abs(shards.Wall/9.0-1) > 0.05 {
		t.Errorf("12 shards: %v s (%v)", shards.Wall, err)
	}
}

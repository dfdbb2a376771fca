package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"synpool/internal/disk"
	"synpool/milbench/cluster"
	"synpool/milbench/results"
	"synpool/milbench/run/simulation"
	"synpool/plotting"
)

// simulated is what milbench plan simulate writes as JSON.
type simulated struct {
	Source string           `json:"source"` // of the times of fits
	Seed   uint64           `json:"seed"`
	Most   int              `json:"simulations"` // of a number of shards
	Bound  int              `json:"max_shards,omitempty"`
	On     simulatedCluster `json:"cluster"`
	Work   []simulatedWork  `json:"work"`
}

// simulatedCluster is a [simulation.Cluster] of any number of nodes.
type simulatedCluster struct {
	Cores      int     `json:"cores_of_a_node"`
	Wait       float64 `json:"mean_queue_wait_seconds"`
	Starts     float64 `json:"starts_a_second"`
	StartUp    float64 `json:"start_up_seconds"`
	Failures   float64 `json:"failures_of_a_node_an_hour"`
	Retry      float64 `json:"retry_seconds"`
	Stragglers float64 `json:"share_of_stragglers"`
	Slowdown   float64 `json:"slowdown_of_stragglers"`
	Merge      float64 `json:"lines_merged_a_second"`
}

// simulatedWork is the cost of a number of fits.
type simulatedWork struct {
	Fits        int               `json:"fits"`
	Blocks      int               `json:"blocks"`
	CoreSeconds float64           `json:"core_seconds"` // on average, every group compiled once
	Costs       []simulation.Cost `json:"costs"`        // on the nodes asked for
	Doublings   []simulation.Cost `json:"doublings"`    // on 1, 2, 4, … nodes
	StopsAt     int               `json:"stops_scaling_at_nodes,omitempty"`
}

// planSimulate is the subcommand that simulates studies on a cluster.
func (p *program) planSimulate() *cobra.Command {
	on := simulation.Default()
	var (
		fits, nodes           = []int{1000, 10_000, 100_000, 1_000_000}, []int{1, 10, 100, 1000}
		wait, startUp, retry  = duration(on.Wait), duration(on.StartUp), duration(on.Retry)
		search                = simulation.Search{Simulations: 50, Seed: 1}
		plan, measured, image string
		asJSON                bool
	)
	c := &cobra.Command{
		Use:   "simulate",
		Short: "Simulate wall time and node hours of studies on a cluster",
		Long: `It simulates a scheduler: its queue, failures, slow nodes, and nodes that start up, compile and
train. The defaults for the cluster are assumptions. Package milbench/run/simulation has the model.

Times of fits:
  default                      six networks, measured five times each on two cores with XLA
  --measured FILE              lines that milbench/learner/neural/bench prints
  --plan FILE                  estimates of a plan, which may be far too short for a machine
  --plan FILE --measured DIR   the estimates, corrected by the fits of the plan in DIR, a folder of
                               results (with SYNPOOL_XLA_CACHE=off: every core compiled)
Times vary from run to run as measured times do. If you ask for more fits than a plan has, settings
of the same kind are added.

For each number of fits and nodes the table has:
  SHARDS        the best number of shards
  WALL TIME     the mean from submission to merged results, and its standard deviation
  NODE HOURS    the time for which nodes are held
  UTILISATION   the share of all cores' time that trained fits which were kept

Then it prints where scaling stops: twice as many nodes save less than 10 % of the wall time.`,
		Example: "  milbench plan simulate\n  milbench plan simulate --fits 50000 --nodes 20,40 --queue-wait 10m --failures 0.01\n  milbench plan simulate --plan plan.json --measured results --figure cost.svg",
		Args:    arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			on.Wait, on.StartUp, on.Retry = wait.Seconds(), startUp.Seconds(), retry.Seconds()
			groups, source, planned, err := simulatedGroups(plan, measured)
			if err != nil {
				return err
			}
			if planned != nil && !c.Flags().Changed("fits") {
				fits = []int{len(planned.Fits)}
			}
			if planned != nil && !c.Flags().Changed("cores") {
				on.Cores = planned.Cores
			}
			if err := checkSimulation(fits, nodes, on, search); err != nil {
				return err
			}
			if c.Flags().Changed("retry") && on.Failures == 0 {
				return errors.New("--retry: nothing fails with --failures 0; leave --retry out")
			}
			if c.Flags().Changed("slowdown") && on.Stragglers == 0 {
				return errors.New("--slowdown: no node is slow with --stragglers 0; leave --slowdown out")
			}
			if image != "" {
				if err := checkFigure("figure", image); err != nil {
					return err
				}
			}
			s := simulated{Source: source, Seed: search.Seed, Most: search.Simulations, Bound: search.Shards,
				On: simulatedCluster{on.Cores, on.Wait, on.Starts, on.StartUp, on.Failures, on.Retry, on.Stragglers, on.Slowdown, on.Merge}}
			for _, n := range fits {
				w, err := p.simulateWork(c.Context(), on, groups, n, nodes, search)
				if errors.Is(err, simulation.ErrFailures) {
					return fmt.Errorf("--failures %v: %w", on.Failures, err)
				}
				if err != nil {
					return err
				}
				s.Work = append(s.Work, w)
			}
			if image != "" {
				figure, err := s.figure()
				if err != nil {
					return err
				}
				if err := figure.Save(image); err != nil {
					return err
				}
				p.note("drawn: %s", image)
			}
			if asJSON {
				return p.writeJSON(s)
			}
			return p.writeSimulated(s)
		},
	}
	f := c.Flags()
	counts := kind[int]{strconv.Atoi, "an integer", "10,100"}
	f.Var(&list[int]{kind: counts, values: &fits, given: func(int) {}}, "fits", "numbers of fits (with --plan, default that of the plan)")
	f.Var(&list[int]{kind: counts, values: &nodes, given: func(int) {}}, "nodes", "numbers of nodes; each node runs one shard at a time")
	f.IntVar(&on.Cores, "cores", on.Cores, "cores of a node (with --plan, default that of the plan)")
	f.DurationVar(&wait, "queue-wait", wait, "mean waiting time of a shard in the queue, exponentially distributed")
	f.Float64Var(&on.Starts, "starts", on.Starts, "most shards that the scheduler starts per second")
	f.DurationVar(&startUp, "start-up", startUp, "time from the start of a shard until it compiles: prolog, container, reading its sets")
	f.Float64Var(&on.Failures, "failures", on.Failures, "failures per node and hour")
	f.DurationVar(&retry, "retry", retry, "time from a failure until the shard is in the queue again")
	f.Float64Var(&on.Stragglers, "stragglers", on.Stragglers, "share of nodes that are slow")
	f.Float64Var(&on.Slowdown, "slowdown", on.Slowdown, "factor of time that slow nodes take")
	f.Float64Var(&on.Merge, "merge", on.Merge, "lines of results merged per second")
	f.IntVar(&search.Shards, "max-shards", 0, "most shards that the scheduler takes as one array (Slurm: 1001 unless MaxArraySize is raised); 0 for no bound")
	f.IntVar(&search.Simulations, "simulations", search.Simulations, "most simulations for each number of shards; fewer once the mean wall time is known to 1 %")
	f.Uint64Var(&search.Seed, "seed", search.Seed, "seed of everything random")
	f.StringVar(&plan, "plan", "", "`file` of a plan whose groups are simulated")
	f.StringVar(&measured, "measured", "", "`file` of measured times with one line per run, as printed by go run ./milbench/learner/neural/bench; with --plan, a folder of results")
	f.StringVar(&image, "figure", "", "`file` to draw wall time against nodes into: .png, .svg or .pdf")
	addJSON(c, &asJSON)
	return c
}

// checkSimulation reports invalid flags.
func checkSimulation(fits, nodes []int, on simulation.Cluster, s simulation.Search) error {
	for _, list := range []struct {
		flag   string
		values []int
		most   int
	}{{"fits", fits, 10_000_000}, {"nodes", nodes, 65_536}} {
		for i, v := range list.values {
			if v < 1 || v > list.most || slices.Contains(list.values[:i], v) {
				return fmt.Errorf("--%s %d: numbers from 1 to %d are needed, each once", list.flag, v, list.most)
			}
		}
	}
	for _, v := range []struct {
		flag      string
		value     float64
		low, high float64
	}{
		{"cores", float64(on.Cores), 1, 1024},
		{"queue-wait", on.Wait, 0, 1e9}, {"start-up", on.StartUp, 0, 1e9}, {"retry", on.Retry, 0, 1e9},
		{"starts", on.Starts, 1e-6, 1e9}, {"merge", on.Merge, 1e-6, 1e12},
		{"failures", on.Failures, 0, 3600}, {"stragglers", on.Stragglers, 0, 1}, {"slowdown", on.Slowdown, 1, 1e6},
		{"simulations", float64(s.Simulations), 1, 1e6}, {"max-shards", float64(s.Shards), 0, math.MaxInt32},
	} {
		if !(v.value >= v.low && v.value <= v.high) {
			return fmt.Errorf("--%s is %v; give a number from %v to %v", v.flag, v.value, v.low, v.high)
		}
	}
	return nil
}

// simulatedGroups returns the groups to simulate, the source of their times, and the plan if there is one.
func simulatedGroups(plan, measured string) (groups []simulation.Group, source string, planned *cluster.Plan, err error) {
	if plan != "" {
		if planned, err = cluster.ReadFile(plan); err != nil {
			return nil, "", nil, err
		}
		source = "estimated, " + plan
	}
	groups, bench := simulation.Measured(), "measured on two cores with XLA (milbench/learner/neural/bench)"
	var level func(group int) float64 // how many times as long as estimated a group takes
	switch {
	case measured != "" && isFolder(measured):
		if planned == nil {
			return nil, "", nil, fmt.Errorf("--measured %s: for a folder of results the plan of the study is needed; give --plan", measured)
		}
		rs, err := results.Read(measured)
		if err != nil {
			return nil, "", nil, err
		}
		if level, err = levels(planned, rs); err != nil {
			return nil, "", nil, fmt.Errorf("--measured %s: %w", measured, err)
		}
		source += ", corrected by what fits took in " + measured
	case measured != "":
		in, err := disk.Open(measured)
		if err != nil {
			return nil, "", nil, fmt.Errorf("--measured: %w", err)
		}
		defer in.Close()
		if groups, err = simulation.ReadGroups(in, measured); err != nil {
			return nil, "", nil, err
		}
		bench = "measured, " + measured
	}
	if planned == nil {
		return groups, bench, nil, nil
	}
	if level == nil {
		level = func(int) float64 { return 1 }
	}
	if groups = plannedGroups(planned, level, simulation.Deviations(groups)); len(groups) == 0 {
		return nil, "", nil, fmt.Errorf("%s: all of its fits will fail, and take no time; plan other settings", plan)
	}
	return groups, source + "; their spread: " + bench, planned, nil
}

// blocksOf returns for each group of a plan its fits and the blocks that train them on one machine.
func blocksOf(p *cluster.Plan) (fits, blocks []int) {
	whole := *p // as one shard
	whole.Fits = slices.Clone(p.Fits)
	whole.Divide(1)
	fits, blocks = make([]int, len(p.Groups)), make([]int, len(p.Groups))
	for _, f := range p.Fits {
		fits[f.Group]++
	}
	for _, share := range whole.Costs()[0].Groups {
		blocks[share.Group] = share.Blocks
	}
	return fits, blocks
}

// levels returns the measured time of each group of fits divided by its estimate. Compiling is part of it: every core of every shard
// does it. A group without results has the ratio of all groups together.
func levels(p *cluster.Plan, rs []results.Result) (func(group int) float64, error) {
	type piece struct{ group, shard int }
	of := make(map[string]piece, len(p.Fits))
	fits, done := make(map[piece]int), make(map[piece]int)
	for _, f := range p.Fits {
		of[f.ID] = piece{f.Group, f.Shard}
		fits[piece{f.Group, f.Shard}]++
	}
	took, estimate := make([]float64, len(p.Groups)), make([]float64, len(p.Groups))
	for _, r := range rs {
		if at, ours := of[r.Fit]; ours && r.WallS > 0 {
			took[at.group] += r.WallS
			done[at]++
		}
	}
	for shard, c := range p.Costs() {
		for _, s := range c.Groups {
			at := piece{s.Group, shard}
			trained := float64(s.Blocks) * float64(done[at]) / float64(fits[at])
			estimate[s.Group] += trained*p.Groups[s.Group].Block + min(float64(p.Cores), math.Ceil(trained))*p.Groups[s.Group].Compile
		}
	}
	all, estimated := 0.0, 0.0
	for g := range took {
		if estimate[g] > 0 {
			all, estimated = all+took[g], estimated+estimate[g]
		}
	}
	if !(all > 0) {
		return nil, errors.New("there is no fit of the plan in it; train a shard of the plan first")
	}
	return func(g int) float64 {
		if estimate[g] > 0 {
			return took[g] / estimate[g]
		}
		return all / estimated
	}, nil
}

// plannedGroups returns the groups of a plan with estimates times a level, once for each deviation. They are shuffled, so that a part
// of them is like the whole.
func plannedGroups(p *cluster.Plan, level func(group int) float64, deviations []simulation.Run) (groups []simulation.Group) {
	fits, blocks := blocksOf(p)
	for i, of := range p.Groups {
		if fits[i] == 0 || of.Block == 0 { // fits that will fail take no time
			continue
		}
		g := simulation.Group{Name: fmt.Sprintf("group %d of the plan", i+1), Fits: fits[i], Blocks: blocks[i]}
		for _, d := range deviations {
			g.Runs = append(g.Runs, simulation.Run{Compile: level(i) * of.Compile * d.Compile, Block: level(i) * of.Block * d.Block})
		}
		groups = append(groups, g)
	}
	rand.New(rand.NewPCG(1, 0)).Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	return groups
}

// simulateWork simulates a number of fits on each number of nodes, and on 1, 2, 4, … nodes.
func (p *program) simulateWork(ctx context.Context, on simulation.Cluster, groups []simulation.Group, fits int, nodes []int, search simulation.Search) (w simulatedWork, err error) {
	work, err := simulation.NewWork(groups, fits)
	if err != nil {
		return w, err
	}
	bar := p.progress()
	defer bar.clear()
	w = simulatedWork{Fits: fits, Blocks: work.Blocks(), CoreSeconds: work.Seconds()}
	costs := make(map[int]simulation.Cost) // by nodes
	doublings := simulation.Doublings(slices.Max(nodes))
	for _, n := range slices.Concat(doublings, nodes) {
		if _, known := costs[n]; known {
			continue
		}
		bar.show(func() string { return fmt.Sprintf("simulating %s fits on %s nodes", thousands(fits), thousands(n)) })
		on.Nodes = n
		if costs[n], err = on.Best(ctx, work, search); err != nil {
			return w, err
		}
	}
	for _, n := range doublings {
		w.Doublings = append(w.Doublings, costs[n])
	}
	for _, n := range nodes {
		w.Costs = append(w.Costs, costs[n])
	}
	w.StopsAt, err = simulation.StopsAt(w.Doublings)
	return w, err
}

// figure draws wall time against nodes.
func (s simulated) figure() (*plotting.Figure, error) {
	var curves []plotting.ScalingCurve
	for _, w := range s.Work {
		c := plotting.ScalingCurve{Name: thousands(w.Fits) + " fits", Stops: float64(w.StopsAt)}
		for _, d := range w.Doublings {
			c.Nodes, c.Hours = append(c.Nodes, float64(d.Nodes)), append(c.Hours, d.Wall/3600)
		}
		curves = append(curves, c)
	}
	return plotting.Scaling("Wall time of studies on a cluster, simulated", curves)
}

// writeSimulated prints costs as text.
func (p *program) writeSimulated(s simulated) error {
	t := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "FITS\tNODES\tSHARDS\tWALL TIME\tSD\tNODE HOURS\tUTILISATION\tLOST ATTEMPTS")
	for _, w := range s.Work {
		for _, c := range w.Costs {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%.3g\t%.0f %%\t%.3g\n", thousands(w.Fits), thousands(c.Nodes), thousands(c.Shards),
				wallText(c.Wall), wallText(c.WallSD), c.NodeHours, 100*c.Utilisation, c.Lost)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	text := "\n"
	for _, w := range s.Work {
		last := w.Doublings[len(w.Doublings)-1]
		switch {
		case w.StopsAt > 0:
			text += fmt.Sprintf("%s fits: twice the nodes save less than 10 %% at %s\n", thousands(w.Fits), thousands(w.StopsAt))
		case len(w.Doublings) > 1:
			text += fmt.Sprintf("%s fits: twice the nodes save 10 %% or more at every doubling up to %s\n", thousands(w.Fits), thousands(last.Nodes))
		}
	}
	if text != "\n" {
		text += "\n"
	}
	_, err := fmt.Fprintf(p.out, "%ssimulated; the times of fits: %s\n", text, s.Source)
	return err
}

// wallText writes a time of many seconds or hours.
func wallText(s float64) string {
	if math.IsInf(s, 0) || s > 1e9 {
		return fmt.Sprintf("%.3g s", s)
	}
	return duration(math.Round(s)).String()
}

// thousands writes a number with a comma between thousands.
func thousands(n int) string {
	text := strconv.Itoa(n)
	var parts []string
	for len(text) > 3 {
		parts = append(parts, text[len(text)-3:])
		text = text[:len(text)-3]
	}
	parts = append(parts, text)
	slices.Reverse(parts)
	return strings.Join(parts, ",")
}

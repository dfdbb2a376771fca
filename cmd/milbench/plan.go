package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"synpool/milbench"
	"synpool/milbench/cluster"
	"synpool/milbench/learner/schedule"
	"synpool/milbench/results"
	"synpool/milbench/run"
)

// planHelp is what plan run and plan study have in common.
const planHelp = `The table has for each shard its fits, the blocks that train them, memory and time as estimated by
milbench run --dry-run for a machine with --cores cores, and the sets that it needs. Shards have
about equal seconds of one core. Networks of one structure share compiled graphs, so they are
divided as little as possible.

--out writes the plan for --plan of milbench run and milbench study. Without it nothing is written.`

// planning is the subcommand that divides fits among machines.
func (p *program) planning() *cobra.Command {
	c := &cobra.Command{
		Use:     "plan COMMAND",
		Short:   "Divide the fits of a run or experiment among several machines",
		Long:    `plan run and plan study say what each shard takes.`,
		Example: "  milbench plan run elephant fox tiger --shards 12 --out plan.json\n  milbench plan study poolings --shards 100 --out plan.json",
		Args:    onlySubcommands,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(p.planRun(), p.planStudy())
	return c
}

// planFlags are the flags of a plan.
type planFlags struct {
	shards, cores int
	memory        memorySize
	out           string
	asJSON        bool
}

func (l *planFlags) addTo(c *cobra.Command) {
	f := c.Flags()
	f.IntVar(&l.shards, "shards", 0, "`number` of shards; 5 to 10 for each machine (required)")
	f.StringVar(&l.out, "out", "", "`file` to write the plan to, as JSON")
	coresFlag(f, &l.cores)
	f.Var(&l.memory, "memory", "memory limit, say 500MB, 2GB or 1.5GiB (default half of the free memory)")
	addJSON(c, &l.asJSON)
	required(c, "shards")
}

// planRun is the subcommand that plans a run.
func (p *program) planRun() *cobra.Command {
	var grid gridFlags
	var l planFlags
	c := &cobra.Command{
		Use:     "run NAME|FILE... --shards N",
		Short:   "Divide the fits of milbench run into shards for several machines",
		Long:    planHelp + filesHelp,
		Example: "  milbench plan run musk1 --shards 12\n  milbench plan run elephant fox --pooling softmax,syn --repeats 10 --shards 12 --out plan.json",
		Args:    arguments(1, 0),
		RunE:    func(_ *cobra.Command, args []string) error { return p.makeAndWrite(ask{names: args, grid: &grid}, l) },
	}
	c.Flags().SortFlags = false
	l.addTo(c)
	grid.addTo(c.Flags())
	return c
}

// planStudy is the subcommand that plans an experiment.
func (p *program) planStudy() *cobra.Command {
	var quick bool
	var sets []string
	var seed uint64
	var l planFlags
	c := &cobra.Command{
		Use:     "study NAME --shards N",
		Short:   "Divide the fits of an experiment into shards for several machines",
		Long:    planHelp + "\n\nSets that have not been fetched are left out and named.",
		Example: "  milbench plan study ablation --quick --shards 4\n  milbench plan study poolings --shards 100 --out plan.json",
		Args:    arguments(1, 1),
		RunE: func(_ *cobra.Command, args []string) error {
			return p.makeAndWrite(ask{names: args, quick: quick, sets: sets, seed: seed}, l)
		},
	}
	l.addTo(c)
	formFlags(c.Flags(), &quick, &sets, &seed)
	return c
}

// formFlags are the flags that choose the fits of an experiment.
func formFlags(f *pflag.FlagSet, quick *bool, sets *[]string, seed *uint64) {
	f.BoolVar(quick, "quick", false, "take the quick form: see milbench study list")
	f.StringSliceVar(sets, "sets", nil, "`names` of the sets of the experiment to run (default all)")
	f.Uint64Var(seed, "seed", 1, "seed of folds, weights, order, dropout, noise, drawings and shuffles")
}

// makeAndWrite makes a plan, writes it to a file and prints its table.
func (p *program) makeAndWrite(a ask, l planFlags) error {
	if l.shards < 1 || l.shards > cluster.MaxShards {
		return fmt.Errorf("--shards %d: 1 to %d are possible", l.shards, cluster.MaxShards)
	}
	if err := checkCores(l.cores); err != nil {
		return err
	}
	if _, err := a.request("", 1); err != nil {
		return err
	}
	choice, trainer, err := p.chooseTrainer(l.cores, l.memory.bound())
	if err != nil {
		return err
	}
	defer choice.Backend.Finalize()
	plan, missing, err := p.makePlan(a, choice.Config, trainer)
	if err != nil {
		return err
	}
	for _, m := range missing {
		p.note("note: left out: %v", m.Err)
	}
	plan.Divide(l.shards)
	if err := plan.Validate(); err != nil {
		return err
	}
	if blocks := plan.Blocks(); blocks < l.shards {
		p.note("note: the fits are trained in %d blocks; more than %[1]d shards gain nothing", blocks)
	}
	if l.out != "" {
		if err := results.WritePlan(l.out, plan); err != nil {
			return err
		}
	}
	return p.writeShards(plan, l)
}

// shardRow is the cost of a shard.
type shardRow struct {
	Shard   int      `json:"shard"`
	Fits    int      `json:"fits"`
	Blocks  int      `json:"blocks"`
	Memory  uint64   `json:"about_memory_bytes"`
	Seconds float64  `json:"about_seconds"`
	Sets    []string `json:"sets"`
}

// seconds returns about how long a machine takes for a shard. Tasks run one after another, and every core compiles for itself, as in
// milbench run --dry-run.
func seconds(plan *cluster.Plan, c cluster.Cost) float64 {
	total := time.Duration(0)
	var task []milbench.Group
	for i, s := range c.Groups {
		g := plan.Groups[s.Group]
		task = append(task, milbench.Group{Blocks: s.Blocks, Compile: g.Compile, Block: g.Block})
		if i+1 == len(c.Groups) || plan.Groups[c.Groups[i+1].Group].Task != g.Task {
			total += schedule.Time(task, plan.Cores)
			task = nil
		}
	}
	return total.Seconds()
}

// writeShards prints the table of shards.
func (p *program) writeShards(plan *cluster.Plan, l planFlags) error {
	var rows []shardRow
	compile, core, longest := 0.0, 0.0, 0.0
	sources := plan.ShardSources()
	for i, c := range plan.Costs() {
		rows = append(rows, shardRow{i, c.Fits, c.Blocks, c.Memory, seconds(plan, c), sources[i]})
		compile, core, longest = compile+c.Compile, core+c.Seconds(), max(longest, rows[i].Seconds)
	}
	if l.asJSON {
		return p.writeJSON(rows)
	}
	t := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "SHARD\tFITS\tBLOCKS\tMEMORY\tTIME\tSETS")
	for _, r := range rows {
		cells := []string{fmt.Sprintf("%d/%d", r.Shard, len(rows)), strconv.Itoa(r.Fits)}
		if r.Fits > 0 {
			cells = append(cells, strconv.Itoa(r.Blocks), "about "+bytesText(r.Memory), run.About(duration(r.Seconds)), strings.Join(r.Sets, ", "))
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	share := 0.0
	if core > 0 {
		share = 100 * compile / core
	}
	_, err := fmt.Fprintf(p.out, "\n%d fits; the longest shard takes %s, all together %s of one core, %.0f %% of it to compile; backend %s, cores: %d\n",
		len(plan.Fits), run.About(duration(longest)), run.About(duration(core)), share, plan.Backend, plan.Cores)
	if err == nil && l.out != "" {
		p.note("the plan is in %s", l.out)
	}
	return err
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

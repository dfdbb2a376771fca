package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/neural"
	"synpool/milbench/run"
)

// setPlan is the cost of the missing fits of a set.
type setPlan struct {
	Set     string  `json:"set,omitempty"`
	Fits    int     `json:"fits"`
	Missing int     `json:"missing"`
	Blocks  int     `json:"blocks"`
	Members int     `json:"members"` // fits in the largest block
	Memory  uint64  `json:"about_memory_bytes"`
	Seconds float64 `json:"about_seconds"`
}

// plan returns the cost of each set of some runs. Sets that do not fit into memory are errors, one line per set.
func (p *program) plan(studies []run.Run) ([]setPlan, error) {
	var plans []setPlan
	var errs []error
	var notes []string
	for _, r := range studies {
		pending, err := r.Pending()
		if err != nil {
			return nil, err
		}
		for _, set := range pending {
			one := setPlan{Set: set.Task.Name, Fits: set.Total, Missing: len(set.Task.Fits)}
			if one.Missing > 0 {
				plan, err := r.Learner.Plan(set.Task)
				if err != nil {
					errs = append(errs, err)
					continue
				}
				if plan.Note != "" && !slices.Contains(notes, plan.Note) {
					p.note("note: %s", plan.Note)
					notes = append(notes, plan.Note)
				}
				one.Blocks, one.Members, one.Memory, one.Seconds = plan.Blocks, plan.Members, plan.Memory, plan.Time.Seconds()
			}
			plans = append(plans, one)
		}
	}
	return plans, errors.Join(errs...)
}

// about writes an estimated time.
func about(seconds float64) string { return run.About(time.Duration(seconds * float64(time.Second))) }

// Runs whose time is noted, and those for which a shorter command is, in seconds.
const (
	notedTime = 10
	longTime  = 600
)

// noteTime notes how long runs take by their plan. If that is long, it names the learners that take most, and a command that
// takes about a tenth and can be followed by the whole one in the same folder.
func (p *program) noteTime(g *gridFlags, args []string, dir string, studies []run.Run, total float64) error {
	if total < notedTime {
		return nil
	}
	if total <= longTime {
		p.note("note: %s by the plan", about(total))
		return nil
	}
	times := make(map[string]float64)
	for _, r := range studies {
		pending, err := r.Pending()
		if err != nil {
			return err
		}
		for _, set := range pending {
			fits := make(map[string][]cv.Fit)
			for _, f := range set.Task.Fits {
				fits[learner.Name(f.Setting)] = append(fits[learner.Name(f.Setting)], f)
			}
			for name, some := range fits {
				task := set.Task
				task.Fits = some
				plan, err := r.Learner.Plan(task)
				if err != nil {
					return err
				}
				times[name] += plan.Time.Seconds()
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(times), func(a, b string) int { return cmp.Or(cmp.Compare(times[a], times[b]), cmp.Compare(a, b)) })
	var most, classical, poolings []string
	for _, name := range slices.Backward(names[max(0, len(names)-3):]) {
		most = append(most, name+" "+about(times[name]))
	}
	kept := 0.0
	for _, name := range names { // the fastest first
		if kept > 0 && kept+times[name] > total/10 {
			break
		}
		if kept += times[name]; slices.Contains(learners.Names(), name) {
			classical = append(classical, name)
		} else {
			poolings = append(poolings, name)
		}
	}
	repeats := studies[0].Protocol.Repeats
	fewer := min(repeats, max(1, int(float64(repeats)*total/10/kept)))
	p.note("note: %s by the plan, most of it for %s", about(total), strings.Join(most, ", "))
	p.note("note: %s: %s; the whole command with the same --out adds the rest", about(kept*float64(fewer)/float64(repeats)), g.shorter(args, dir, classical, poolings, fewer))
	return nil
}

// shorter returns the command of some classical, poolings and repeats, with the other flags as they were given.
func (g *gridFlags) shorter(args []string, dir string, classical, poolings []string, repeats int) string {
	line := commandLine{words: []string{"milbench", "run"}}
	for _, arg := range args {
		line.add(arg)
	}
	if len(classical) > 0 {
		line.add("--learner", strings.Join(classical, ","))
	}
	if len(poolings) > 0 {
		line.add("--pooling", strings.Join(poolings, ","))
	}
	g.flags.Visit(func(f *pflag.Flag) {
		_, network := f.Value.(*list)
		owned := func(pooling string) bool {
			return slices.ContainsFunc(neural.Hyperparameters(pooling), func(h *neural.Hyperparameter) bool { return h.Flag() == f.Name })
		}
		switch {
		case slices.Contains([]string{"learner", "pooling", "repeats", "out"}, f.Name), network && !slices.ContainsFunc(poolings, owned):
		case len(poolings) == 0 && (f.Name == "preset" || f.Name == "sample"):
		default:
			line.flag(f)
		}
	})
	line.add("--repeats", strconv.Itoa(repeats), "--out", dir)
	return strings.Join(line.words, " ")
}

// estimate is the cost of a whole command.
type estimate struct {
	Backend string    `json:"backend"`
	Cores   int       `json:"cores"`
	Memory  uint64    `json:"memory_bound_bytes,omitempty"` // 0 for none
	Sets    []setPlan `json:"sets"`
	Total   setPlan   `json:"total"` // sums; of block and memory the largest, since sets are trained one after another

	Settings []json.RawMessage `json:"settings"` // of all sets together
}

// distinctSettings returns the different settings of some runs.
func distinctSettings(studies []run.Run) (list []json.RawMessage) {
	for _, r := range studies {
		for _, s := range r.Settings {
			if !slices.ContainsFunc(list, func(known json.RawMessage) bool { return string(known) == string(s) }) {
				list = append(list, s)
			}
		}
	}
	return list
}

func newEstimate(backend string, trainer neural.Trainer, plans []setPlan) estimate {
	e := estimate{Backend: backend, Cores: trainer.Workers, Memory: trainer.Memory, Sets: plans}
	for _, s := range plans {
		t := &e.Total
		t.Fits, t.Missing, t.Blocks, t.Seconds = t.Fits+s.Fits, t.Missing+s.Missing, t.Blocks+s.Blocks, t.Seconds+s.Seconds
		t.Members, t.Memory = max(t.Members, s.Members), max(t.Memory, s.Memory)
	}
	return e
}

// writeEstimate prints an estimate.
func (p *program) writeEstimate(e estimate, asJSON bool) error {
	err := p.print(asJSON, e, func(w io.Writer) {
		fmt.Fprintln(w, "SET\tFITS\tMISSING\tBLOCKS\tFITS PER BLOCK\tMEMORY\tTIME")
		total := e.Total
		total.Set = "total"
		for _, s := range append(slices.Clone(e.Sets), total) {
			fmt.Fprintf(w, "%s\t%d\t%d", s.Set, s.Fits, s.Missing)
			if s.Missing > 0 {
				fmt.Fprintf(w, "\t%d\t%d\tabout %s\t%s", s.Blocks, s.Members, bytesText(s.Memory), about(s.Seconds))
			}
			fmt.Fprintln(w)
		}
	})
	if asJSON || err != nil {
		return err
	}
	bound := ""
	if e.Memory > 0 {
		bound = ", within " + bytesText(e.Memory) + " of memory"
	}
	_, err = fmt.Fprintf(p.out, "\nbackend %s, cores: %d%s; estimates; nothing was trained or written\n", e.Backend, e.Cores, bound)
	return err
}

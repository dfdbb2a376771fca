package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"synpool/milbench/learner/neural"
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

// estimate is the cost of a whole command.
type estimate struct {
	Backend string    `json:"backend"`
	Cores   int       `json:"cores"`
	Memory  uint64    `json:"memory_bound_bytes,omitempty"` // 0 for none
	Sets    []setPlan `json:"sets"`
	Total   setPlan   `json:"total"` // sums; of block and memory the largest, since sets are trained one after another
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
	if asJSON {
		return p.writeJSON(e)
	}
	t := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "SET\tFITS\tMISSING\tBLOCKS\tFITS PER BLOCK\tMEMORY\tTIME")
	row := func(name string, s setPlan) {
		cells := []string{name, strconv.Itoa(s.Fits), strconv.Itoa(s.Missing)}
		if s.Missing > 0 {
			cells = append(cells, strconv.Itoa(s.Blocks), strconv.Itoa(s.Members),
				"about "+bytesText(s.Memory), run.About(time.Duration(s.Seconds*float64(time.Second))))
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	for _, s := range e.Sets {
		row(s.Set, s)
	}
	row("total", e.Total)
	if err := t.Flush(); err != nil {
		return err
	}
	bound := ""
	if e.Memory > 0 {
		bound = ", within " + bytesText(e.Memory) + " of memory"
	}
	_, err := fmt.Fprintf(p.out, "\nbackend %s, cores: %d%s; estimates; nothing was trained or written\n", e.Backend, e.Cores, bound)
	return err
}

package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"github.com/spf13/pflag"

	"synpool/backend"
	"synpool/milbench"
	"synpool/milbench/learners/neural"
)

// machine returns what trains on a number of cores (0 for all) within an amount of memory (0 for no bound), and says which
// backend it starts.
func (p *program) machine(cores int, memory uint64) *milbench.Machine {
	return &milbench.Machine{Cores: cores, Memory: memory, Watch: p.large.watch,
		Started: func(c *backend.Choice) { fmt.Fprintln(p.err, c) },
		Note:    p.remark}
}

// fleet is a machine for many fits side by side. It says what XLA would gain where the backend is that of Go.
func (p *program) fleet(cores int, memory uint64) *milbench.Machine {
	m := p.machine(cores, memory)
	m.Started = func(c *backend.Choice) { fmt.Fprintln(p.err, backendLine(c)) }
	return m
}

// backendLine describes a backend before it trains many fits. For the Go backend it says what XLA would gain.
func backendLine(c *backend.Choice) string {
	line := c.String()
	if name, _, _ := strings.Cut(c.Config, ":"); name != gobackend.BackendName {
		return line
	}
	gain := fmt.Sprintf("XLA trains many fits about %d times as fast", neural.BlockSpeedup)
	switch {
	case c.Hint != "":
		line += " (" + gain + ")"
	case os.Getenv(compute.ConfigEnvVar) != "":
		line += "; " + gain + " (milbench backend install, then unset " + compute.ConfigEnvVar + ")"
	}
	return line
}

// coresFlag gives flags the flag --cores.
func coresFlag(flags *pflag.FlagSet, cores *int) {
	flags.IntVar(cores, "cores", runtime.GOMAXPROCS(0), "cores to train on, at most those of the machine")
}

// checkCores reports an invalid number of cores.
func checkCores(cores int) error {
	if cores < 1 {
		return fmt.Errorf("--cores %d: at least 1 is needed", cores)
	}
	return nil
}

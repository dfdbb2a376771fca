package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"github.com/spf13/pflag"

	"synpool/backend"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/networks"
	"synpool/milbench/learners/neural"
)

// chooseTrainer starts a backend, says which, and returns a trainer of many fits on cores of the machine, within an
// amount of memory (0 for no bound).
func (p *program) chooseTrainer(cores int, memory uint64) (*backend.Choice, neural.Trainer, error) {
	choice, err := backend.New()
	if err != nil {
		return nil, neural.Trainer{}, err
	}
	fmt.Fprintln(p.err, backendLine(choice))
	workers := choice.Cores(cores)
	if workers.Note != "" {
		p.note("note: %s", workers.Note)
	}
	return choice, neural.Trainer{Backend: choice.Backend, Workers: workers.Workers, Run: workers.Run, Kept: workers.Kept, Memory: memory, Watch: p.large.watch}, nil
}

// networks returns a trainer and reader of networks. It trains many side by side on a number of cores within an amount of memory (0 for
// no bound) or, if alone, one at a time on all cores. Trainings keep checkpoints in a folder if one is named.
func (p *program) networks(alone bool, cores int, memory uint64, checkpoints string) *networks.Networks {
	return &networks.Networks{Start: func() (neural.Trainer, error) {
		if !alone {
			_, trainer, err := p.chooseTrainer(cores, memory)
			trainer.Checkpoints = checkpoints
			return trainer, err
		}
		choice, err := p.chooseBackend()
		if err != nil {
			return neural.Trainer{}, err
		}
		return neural.Trainer{Backend: choice.Backend, Workers: 1, Memory: memory, Watch: p.large.watch, Checkpoints: checkpoints}, nil
	}}
}

// diverged reports whether the numbers of a training became infinite or NaN.
func diverged(err error) bool { return errors.Is(err, neural.ErrDiverged) }

// allLearners returns a learner of every setting: trainer for networks, and the others with its workers and memory.
func allLearners(trainer neural.Trainer) learner.Learner {
	return learners.All(trainer, learners.Resources{Workers: trainer.Workers, Memory: trainer.Memory})
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

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"synpool/milbench/results"
	"synpool/milbench/run"
)

// shardHelp says in the help of a subcommand where more is said about shards.
const shardHelp = `

Shards:
--shard i/n trains part i of n, on as many machines or in an array of jobs: milbench help shards.`

// mostShards is the largest number of shards.
const mostShards = 100_000

// shardFlag is the flag of a run that is part of a study.
type shardFlag struct{ text string }

func (s *shardFlag) addTo(f *pflag.FlagSet) {
	f.StringVar(&s.text, "shard", "", "`part` to train: i/n with i from 0, /n in an array of jobs, or none to train all even in an array")
}

// shard returns the shard of the flag or the environment, nil for none. It first checks the number of cores.
func (s *shardFlag) shard(cores int) (*run.Shard, error) {
	if err := checkCores(cores); err != nil {
		return nil, err
	}
	switch s.text {
	case "":
		return shardOfArray()
	case "none":
		return nil, nil
	}
	left, right, found := strings.Cut(s.text, "/")
	n, err := strconv.Atoi(right)
	if !found || err != nil {
		return nil, fmt.Errorf("--shard %s: two integers are needed, say 0/12 to 11/12, or /12 in an array of jobs", s.text)
	}
	if n < 1 || n > mostShards {
		return nil, fmt.Errorf("--shard %s: 1 to %d shards are possible", s.text, mostShards)
	}
	if s, err := shardOfArray(); left == "" && err == nil && s != nil && s.Count == n {
		return s, nil // whatever the array counts from
	}
	text, name := left, ""
	for _, variable := range []string{"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"} {
		if text == "" {
			text, name = os.Getenv(variable), variable
		}
	}
	if text == "" {
		return nil, fmt.Errorf("--shard %s: neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX says which; write, say, 0/%d", s.text, n)
	}
	i, err := strconv.Atoi(text)
	if err != nil && name == "" {
		return nil, fmt.Errorf("--shard %s: two integers are needed, say 0/12 to 11/12, or /12 in an array of jobs", s.text)
	}
	if name != "" {
		name = " (" + name + " is " + text + ")"
	}
	if err != nil || i < 0 || i >= n {
		return nil, fmt.Errorf("--shard %s%s: shards count from 0; the last of %d is %d/%d", s.text, name, n, n-1, n)
	}
	return &run.Shard{Index: i, Count: n}, nil
}

// shardOfArray returns the shard of Slurm's variables, nil outside of arrays.
func shardOfArray() (*run.Shard, error) {
	if os.Getenv("SLURM_ARRAY_TASK_ID") == "" {
		if index := os.Getenv("JOB_COMPLETION_INDEX"); index != "" {
			return nil, fmt.Errorf("JOB_COMPLETION_INDEX is %s, but the number of shards is not set; give --shard /n with the Job's completions, or --shard none", index)
		}
		return nil, nil
	}
	values := make(map[string]int)
	for _, name := range []string{"ID", "MIN", "MAX", "COUNT", "STEP"} {
		text := os.Getenv("SLURM_ARRAY_TASK_" + name)
		if text == "" && name == "STEP" {
			text = "1"
		}
		v, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("SLURM_ARRAY_TASK_%s is %q, no integer; give --shard i/n", name, text)
		}
		values[name] = v
	}
	id, low, count, step := values["ID"], values["MIN"], values["COUNT"], values["STEP"]
	if step < 1 || count < 1 || id < low || (id-low)%step != 0 || values["MAX"] != low+(count-1)*step || id > values["MAX"] {
		return nil, fmt.Errorf("task %d of a Slurm array of %d tasks from %d to %d is not in an evenly spaced row; give --shard /n", id, count, low, values["MAX"])
	}
	if count > mostShards {
		return nil, fmt.Errorf("a Slurm array of %d tasks: at most %d shards are possible", count, mostShards)
	}
	return &run.Shard{Index: (id - low) / step, Count: count}, nil
}

// gather makes runs into a folder part of a study, nil for all of it. A shard is trained into a folder of its own, without
// the fits that are finished in any. Without shards, what those of a study have trained is merged first, or only skipped
// if nothing may be written. Results of shards, and all of a study if alike is set, must have the maker of the runs.
func (p *program) gather(ctx context.Context, which *run.Shard, dir string, runs []run.Run, readOnly, alike bool) error {
	shards := which != nil
	if which == nil {
		err := results.Unmerged(dir)
		if shards = errors.Is(err, results.ErrUnmerged); err != nil && !shards || !shards && !readOnly && !alike {
			return err
		}
	}
	var check func(string, results.Result) error
	if alike || shards {
		check = func(path string, r results.Result) error { return sameMaker(path, r, runs[0]) }
	}
	finished, err := results.Finished(dir, check)
	switch {
	case err != nil:
		return err
	case which == nil && !readOnly && shards:
		return p.mergeInto(ctx, nil, dir)
	case which == nil && !readOnly:
		return nil
	case which != nil:
		dir = results.AttemptDir(dir, which.Index, which.Count)
	}
	for i := range runs {
		if runs[i].Finished = finished; which != nil {
			runs[i].Shard, runs[i].Dir = *which, dir
		}
	}
	return nil
}

// trainShard trains what a shard lacks.
func (p *program) trainShard(ctx context.Context, runs []run.Run, total setPlan) error {
	p.note("shard %d/%d: %d fits, %d of them finished", runs[0].Shard.Index, runs[0].Shard.Count, total.Fits, total.Fits-total.Missing)
	if total.Missing == 0 {
		return nil
	}
	return p.do(ctx, runs)
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

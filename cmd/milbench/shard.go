package main

import (
	"context"
	"errors"

	"github.com/spf13/pflag"

	"synpool/milbench/results"
	"synpool/milbench/run"
)

// shardHelp says in the help of a subcommand where more is said about shards.
const shardHelp = `

Shards:
--shard i/n trains part i of n, on as many machines or in an array of jobs: milbench help shards.`

// shardFlag gives flags the flag --shard.
func shardFlag(f *pflag.FlagSet, text *string) {
	f.StringVar(text, "shard", "", "`part` to train: i/n with i from 0, /n in an array of jobs, or none to train all even in an array")
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

package study_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"synpool/milbench"
	"synpool/milbench/cluster"
	"synpool/milbench/neural"
	"synpool/milbench/study"
)

// eachAlone is a planner of a learner that compiles nothing.
type eachAlone struct{}

func (eachAlone) Plan(task milbench.Task) (neural.Plan, error) {
	g := neural.Group{Members: 1, Blocks: len(task.Fits), Block: 0.1, Memory: 1e6}
	for i := range task.Fits {
		g.Fits = append(g.Fits, i)
	}
	return neural.Plan{Fits: len(task.Fits), Groups: []neural.Group{g}, Time: neural.Time([]neural.Group{g}, 1)}, nil
}

// Two of three shards of a run are trained, as machines of their own would, and merged; then what is missing.
func ExampleMerge() {
	run, remove := newRun()
	defer remove()
	dir := run.Dir
	plan := &cluster.Plan{Format: cluster.Format, Version: "v0.1.0", Backend: "none", Cores: 1, Seed: run.Seed, Shards: 1}
	if err := study.AddTo(plan, []study.Run{run}, "eight", eachAlone{}); err != nil {
		fmt.Println(err)
		return
	}
	plan.Divide(3)
	train := func(plan *cluster.Plan, shard int) error {
		if _, err := study.Follow(dir, plan); err != nil {
			return err
		}
		runs, err := study.Restrict([]study.Run{run}, plan, plan.Shard(shard))
		if err != nil {
			return err
		}
		if runs[0].Finished, err = study.Finished(dir, plan); err != nil {
			return err
		}
		runs[0].Dir, runs[0].Backend, runs[0].Version = study.AttemptDir(dir, shard, plan.Shards), plan.Backend, plan.Version
		sum, err := study.DoAll(context.Background(), runs)
		fmt.Printf("shard %d/%d: %d fits done\n", shard, plan.Shards, sum.Done)
		return err
	}
	for _, shard := range []int{0, 2} {
		if err := train(plan, shard); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(strings.ReplaceAll(study.Unmerged(dir).Error(), dir, "DIR"))
	m, err := study.Merge(context.Background(), []string{dir}, dir, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d of %d results, %d missing\n", m.Results, m.Planned, len(m.Missing.Fits))

	path := filepath.Join(dir, "missing.json")
	if err := study.WritePlan(path, m.Missing); err != nil {
		fmt.Println(err)
		return
	}
	rest, err := cluster.ReadFile(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	rest.Divide(1)
	if err := train(rest, 0); err != nil {
		fmt.Println(err)
		return
	}
	m, err = study.Merge(context.Background(), []string{dir}, dir, nil)
	fmt.Printf("%d of %d results, nothing missing: %v, %v\n", m.Results, m.Planned, m.Missing == nil, err)
	// Output:
	// shard 0/3: 2 fits done
	// shard 2/3: 2 fits done
	// DIR holds 4 results of shards that are not merged; first give milbench merge DIR --out DIR
	// 4 of 6 results, 2 missing
	// shard 0/1: 2 fits done
	// 6 of 6 results, nothing missing: true, <nil>
}

func ExampleForm_Only() {
	e, err := study.FindExperiment("poolings")
	form, err := e.Full.Only("fox", "tiger")
	fmt.Println(form.Sets(), err)
	// Output: [fox tiger] <nil>
}

func ExampleSpace_ID() {
	s := study.Space{Checksum: "d4", Of: study.OfPooled, Config: []byte(`{"pooling":"mean"}`)}
	fmt.Println(s.ID() == study.Space{Checksum: "d4", Of: study.OfMeans}.ID(), len(s.ID()))
	// Output: false 16
}

func ExamplePlans() {
	task := milbench.Task{Name: "eight"}
	for _, b := range eight().Bags {
		task.Bags = append(task.Bags, b.Instances)
	}
	for _, setting := range []string{`{"pooling":"mean"}`, `{"pooling":"mean","members":10}`} {
		task.Fits = append(task.Fits, milbench.Fit{Setting: []byte(setting)})
	}
	plan, err := study.Plans(eachAlone{}, 2).Plan(task)
	fmt.Printf("%d fits, %d networks, %v\n", plan.Fits, plan.Groups[0].Blocks, err)
	// Output: 2 fits, 11 networks, <nil>
}

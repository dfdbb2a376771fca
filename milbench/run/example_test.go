package run_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/run"
)

// firstFeature is a learner that learns nothing: it scores a bag by the first feature of its first instance.
type firstFeature struct{}

func (firstFeature) Takes() learner.Takes {
	return learner.Takes{Name: "the first feature", Kinds: []mil.TargetKind{mil.BinaryTarget}, Dense: true, Sparse: true}
}

func (firstFeature) Plan(task cv.Task) (learner.Plan, error) {
	g := learner.Group{Members: 1, Blocks: len(task.Fits), Block: 0.1, Memory: 1e6}
	for i := range task.Fits {
		g.Fits = append(g.Fits, i)
	}
	return learner.Plan{Fits: len(task.Fits), Groups: []learner.Group{g}}, nil
}

func (firstFeature) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	score := func(bags []int) (scores []mil.Prediction) {
		for _, b := range bags {
			first := make([]float32, task.Bags[b].Features())
			if err := task.Bags[b].Read(0, 1, first); err != nil {
				panic(err) // in memory there is none
			}
			scores = append(scores, mil.Scored(float64(first[0])))
		}
		return scores
	}
	for i, fit := range task.Fits {
		if err := ctx.Err(); err != nil {
			return err
		}
		last := learner.Epoch{Number: 1, Loss: 0.5, Validation: score(fit.Validation), Test: score(fit.Test)}
		if err := done(learner.Outcome{Fit: i, Epochs: []learner.Epoch{last}}); err != nil {
			return err
		}
	}
	return nil
}

// eight returns a set of eight bags.
func eight() *mil.Set {
	s := &mil.Set{Name: "eight", Checksum: "e1947"}
	for i, x := range []float32{-3, 2, -2, 3, 1, 1, -1, 2} {
		s.Bags = append(s.Bags, mil.Bag{
			ID: fmt.Sprint("bag", i), Target: mil.Labelled(i % 2),
			Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{x}},
		})
	}
	return s
}

// newRun returns a run into a new folder, and a function that removes the folder.
func newRun() (r run.Run, remove func()) {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		panic(err)
	}
	return run.Run{
		Sets:     []*mil.Set{eight()},
		Protocol: cv.Protocol{Name: cv.HonestProtocol, Folds: 2, Repeats: 3},
		Settings: []json.RawMessage{[]byte(`{"pooling":"mean"}`)},
		Seed:     1, Learner: firstFeature{}, Dir: dir,
	}, func() { os.RemoveAll(dir) }
}

func ExampleRun_Do() {
	r, remove := newRun()
	defer remove()
	for range 2 {
		sum, err := r.Do(context.Background())
		fmt.Printf("%d fits: %d done, %d skipped, %d failed, %v\n", sum.Total, sum.Done, sum.Skipped, sum.Failed, err)
	}
	fits, err := results.Read(r.Dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := results.Tabulate(fits)
	if err != nil {
		fmt.Println(err)
		return
	}
	row := table.Rows[0]
	fmt.Printf("%s, %s: AUC %.3f, SD %.3f over %d repeats\n", row.Set, row.Setting, row.Mean, *row.SD, row.N)
	// Output:
	// 6 fits: 6 done, 0 skipped, 0 failed, <nil>
	// 6 fits: 0 done, 6 skipped, 0 failed, <nil>
	// eight, mean: AUC 0.979, SD 0.036 over 3 repeats
}

func ExampleRun_Pending() {
	r, remove := newRun()
	defer remove()
	if _, err := r.Do(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	r.Protocol.Repeats = 5
	pending, err := r.Pending()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range pending {
		fmt.Printf("%s: %d of %d fits are missing\n", p.Task.Name, len(p.Task.Fits), p.Total)
	}
	// Output: eight: 4 of 10 fits are missing
}

// Two protocols have the same folds and seeds, so each network is trained once.
func ExampleDoAll() {
	r, remove := newRun()
	defer remove()
	r.Base = "eight"
	best := r
	best.Protocol.Name = cv.BestEpochProtocol
	sum, err := run.DoAll(context.Background(), []run.Run{r, best})
	fmt.Println(sum.Done, "results,", err)
	// Output: 12 results, <nil>
}

// Train two of three shards of a run, as separate machines would. The run as a whole merges them and trains the rest.
func ExampleShard() {
	r, remove := newRun()
	defer remove()
	for _, index := range []int{0, 2} {
		part := r
		part.Shard = run.Shard{Index: index, Count: 3}
		part.Dir = results.AttemptDir(r.Dir, index, 3)
		sum, err := part.Do(context.Background())
		fmt.Printf("shard %d/3: %d fits done, %v\n", index, sum.Done, err)
	}
	m, err := results.Merge(context.Background(), nil, r.Dir)
	fmt.Println(m.Results, "results,", err)
	sum, err := r.Do(context.Background())
	fmt.Println(sum.Done, "of", sum.Total, "fits done,", err)
	// Output:
	// shard 0/3: 1 fits done, <nil>
	// shard 2/3: 3 fits done, <nil>
	// 4 results, <nil>
	// 2 of 6 fits done, <nil>
}

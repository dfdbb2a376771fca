package run_test

import (
	"context"
	"fmt"
	"os"

	"synpool/milbench/cv"
	"synpool/milbench/results"
	"synpool/milbench/run"
	"synpool/milbench/run/runtest"
)

// newRun returns a run of six fits into a new folder, and a function that removes the folder.
func newRun() (r run.Run, remove func()) {
	dir, err := os.MkdirTemp("", "run")
	if err != nil {
		panic(err)
	}
	r = runtest.Run(dir, &runtest.Learner{})
	r.Sets, r.Settings = r.Sets[:1], runtest.Settings(`{"pooling":"mean"}`)
	r.Protocol = cv.Protocol{Name: cv.HonestProtocol, Folds: 2, Repeats: 3}
	return r, func() { os.RemoveAll(dir) }
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
	// first, mean: AUC 0.819, SD 0.091 over 3 repeats
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
	// Output: first: 4 of 10 fits are missing
}

// Two protocols have the same folds and seeds, so each network is trained once.
func ExampleDoAll() {
	r, remove := newRun()
	defer remove()
	r.Base = "first"
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
	// shard 2/3: 2 fits done, <nil>
	// 3 results, <nil>
	// 3 of 6 fits done, <nil>
}

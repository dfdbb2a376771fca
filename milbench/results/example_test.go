package results_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/results"
)

// folder returns a new folder and a function that removes it.
func folder() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		panic(err)
	}
	return dir, func() { os.RemoveAll(dir) }
}

// eight returns a learner's results for two folds of a set with eight bags, for the given number of repeats.
func eight(repeats int) (fits []results.Result) {
	scores := []float64{-3, 2, -2, 3, 1, 1, -1, 2}
	for repeat := range repeats {
		for fold := range 2 {
			r := results.Result{Set: "eight", Checksum: "e1947", Protocol: cv.HonestProtocol, Folds: 2, FoldsRun: 2, Repeat: repeat, Fold: fold, Seed: 1,
				Config: json.RawMessage(`{"pooling":"mean"}`), Epoch: 1, Backend: "none", Version: "v0.1.0"}
			for i, score := range scores[4*fold : 4*fold+4] {
				r.Bags = append(r.Bags, results.ScoredBag{ID: fmt.Sprint("bag", 4*fold+i), Target: mil.Labelled(i % 2), Scores: []float64{score - float64(repeat*i)}})
			}
			var err error
			if r.Fit, err = r.ID(); err != nil {
				panic(err)
			}
			fits = append(fits, r)
		}
	}
	return fits
}

// write appends results to a folder.
func write(dir string, fits []results.Result) error {
	file, err := results.Open(dir)
	if err != nil {
		return err
	}
	for _, r := range fits {
		err = errors.Join(err, file.Append(r))
	}
	return errors.Join(err, file.Close())
}

func ExampleOpen() {
	dir, remove := folder()
	defer remove()
	file, err := results.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	r := results.Result{
		Set: "eight", Checksum: "e1947", Protocol: "honest", Folds: 1, FoldsRun: 1, Config: json.RawMessage(`{"pooling":"mean"}`),
		Epoch: 50, Bags: []results.ScoredBag{{ID: "bag0", Target: mil.Labelled(0), Scores: []float64{-3}}, {ID: "bag1", Target: mil.Labelled(1), Scores: []float64{2}}},
	}
	if r.Fit, err = r.ID(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Fit, file.Append(r), len(file.Results()))
	// Output: b72c437f97e0fc09 <nil> 1
}

func ExampleRead() {
	dir, remove := folder()
	defer remove()
	if err := write(dir, eight(3)); err != nil {
		fmt.Println(err)
		return
	}
	fits, err := results.Read(dir)
	fmt.Println(len(fits), len(fits[0].Bags), err)
	// Output: 6 4 <nil>
}

func ExampleScoredBag_UnmarshalJSON() {
	var now, before results.ScoredBag
	err1 := json.Unmarshal([]byte(`{"id":"bag1","label":1,"scores":[2]}`), &now)
	err2 := json.Unmarshal([]byte(`{"id":"bag1","label":1,"score":2}`), &before)
	fmt.Println(now.Scores, before.Scores, err1, err2)
	// Output: [2] [2] <nil> <nil>
}

func ExampleResult_Figure() {
	r := results.Result{Set: "eight", Bags: []results.ScoredBag{{ID: "bag0", Target: mil.Labelled(0), Scores: []float64{-3}}, {ID: "bag1", Target: mil.Labelled(1), Scores: []float64{2}}}}
	fmt.Println(r.Figure())
	r.Bags = r.Bags[1:]
	_, err := r.Figure()
	fmt.Println(err)
	// Output:
	// 1 <nil>
	// eight: repeat 1, fold 1, test part: only one class is there: 0 negative and 1 positive
}

func ExampleTabulate() {
	table, err := results.Tabulate(eight(3))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range table.Rows {
		fmt.Printf("%s, %s: AUC %.3f, SD %.3f over %d repeats\n", row.Set, row.Setting, row.Mean, *row.SD, row.N)
	}
	// Output: eight, mean: AUC 0.792, SD 0.130 over 3 repeats
}

func ExampleTable_Write() {
	table := results.Table{Rows: []results.Row{
		{Set: "musk1", Setting: "softmax", Figure: "AUC", Mean: 0.9, N: 1, Protocol: "published", Optimistic: true, Folds: 4, FoldsRun: 1},
	}}
	if err := table.Write(os.Stdout, "csv"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(table.Write(os.Stdout, "jsn"))
	// Output:
	// set,setting,target,figure,mean,sd,n,protocol,optimistic,leaked,declared,folds,folds_run,test_bags,low,high,interval,se,auc_pooled,average_precision,accuracy,balanced_accuracy,log_loss,instance_auc,group_auc_mean,group_auc_max,checksum,config,backends,versions,revisions
	// musk1,softmax,binary,AUC,0.900000,,1,published,optimistic,,,4,1,0,,,,,,,,,,,,,,,,,
	// --format "jsn": no such format; did you mean "json"?
}

// Merge the results of two folders, then an attempt at a shard with them.
func ExampleMerge() {
	one, removeOne := folder()
	defer removeOne()
	two, removeTwo := folder()
	defer removeTwo()
	fits := eight(3)
	again := fits[3]
	again.WallS = 0.2 // trained twice
	if err := errors.Join(write(one, fits[:4]), write(two, []results.Result{again, fits[4]})); err != nil {
		fmt.Println(err)
		return
	}
	m, err := results.Merge(context.Background(), []string{one, two}, one)
	fmt.Printf("%d results, %d duplicates, %d disagree, %v\n", m.Results, m.Duplicates, m.Disagreements, err)

	if err := write(results.AttemptDir(one, 1, 2), fits[5:]); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.ReplaceAll(results.Unmerged(one).Error(), one, "DIR"))
	m, err = results.Merge(context.Background(), nil, one)
	fmt.Printf("%d results, %v, %v\n", m.Results, results.Unmerged(one), err)
	// Output:
	// 5 results, 1 duplicates, 0 disagree, <nil>
	// DIR holds 1 results of shards that are not merged; first give milbench merge DIR --out DIR
	// 6 results, <nil>, <nil>
}

// A run was stopped in its third repeat.
func ExampleComplete() {
	for _, folds := range results.Complete(eight(3)[:5]) {
		fmt.Println("repeat", folds[0].Repeat, "has", len(folds), "folds")
	}
	// Output:
	// repeat 0 has 2 folds
	// repeat 1 has 2 folds
}

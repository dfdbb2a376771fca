package study_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"synpool/milbench"
	"synpool/milbench/study"
)

// firstFeature is a learner that learns nothing: the score of a bag is the first feature of its first instance.
type firstFeature struct{}

func (firstFeature) Learn(ctx context.Context, task milbench.Task, done func(milbench.Outcome) error) error {
	score := func(bags []int) (scores []milbench.BagScore) {
		for _, b := range bags {
			scores = append(scores, milbench.BagScore{Score: task.Bags[b].Values[0]})
		}
		return scores
	}
	for i, fit := range task.Fits {
		if err := ctx.Err(); err != nil {
			return err
		}
		last := milbench.Epoch{Number: 1, Loss: 0.5, Validation: score(fit.Validation), Test: score(fit.Test)}
		if err := done(milbench.Outcome{Fit: i, Epochs: []milbench.Epoch{last}}); err != nil {
			return err
		}
	}
	return nil
}

// eight returns a set of eight bags.
func eight() *milbench.Set {
	s := &milbench.Set{Name: "eight", Checksum: "e1947"}
	for i, x := range []float64{-3, 2, -2, 3, 1, 1, -1, 2} {
		s.Bags = append(s.Bags, milbench.Bag{
			ID: fmt.Sprint("bag", i), Label: i % 2,
			Instances: milbench.Matrix{Rows: 1, Cols: 1, Values: []float64{x}},
		})
	}
	return s
}

// newRun returns a run into a new folder, and what removes it.
func newRun() (run study.Run, remove func()) {
	dir, err := os.MkdirTemp("", "study")
	if err != nil {
		panic(err)
	}
	return study.Run{
		Sets:     []*milbench.Set{eight()},
		Protocol: milbench.Protocol{Name: milbench.HonestProtocol, Folds: 2, Repeats: 3},
		Settings: []json.RawMessage{[]byte(`{"pooling":"mean"}`)},
		Seed:     1, Learner: firstFeature{}, Dir: dir,
	}, func() { os.RemoveAll(dir) }
}

func ExampleRun_Do() {
	run, remove := newRun()
	defer remove()
	for range 2 {
		sum, err := run.Do(context.Background())
		fmt.Printf("%d fits: %d done, %d skipped, %d failed, %v\n", sum.Total, sum.Done, sum.Skipped, sum.Failed, err)
	}
	// Output:
	// 6 fits: 6 done, 0 skipped, 0 failed, <nil>
	// 6 fits: 0 done, 6 skipped, 0 failed, <nil>
}

func ExampleRun_Pending() {
	run, remove := newRun()
	defer remove()
	if _, err := run.Do(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	run.Protocol.Repeats = 5
	pending, err := run.Pending()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range pending {
		fmt.Printf("%s: %d of %d fits are missing\n", p.Task.Name, len(p.Task.Fits), p.Total)
	}
	// Output: eight: 4 of 10 fits are missing
}

func ExampleReadCurves() {
	run, remove := newRun()
	defer remove()
	run.Curves = true
	if _, err := run.Do(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	curves, err := study.ReadCurves(run.Dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(curves), "curves; the first: loss", curves[0].Loss)
	// Output: 6 curves; the first: loss [0.5]
}

func ExampleCurve_Validate() {
	c := study.Curve{Fit: "b72c437f97e0fc09", Set: "eight", Loss: []float64{0.7, 0.5}, WinnersChanged: []*float64{nil}}
	fmt.Println(c.Validate())
	// Output: 2 losses, 0 validation AUCs and 1 changes of winners; want one of each an epoch
}

func ExampleRead() {
	run, remove := newRun()
	defer remove()
	if _, err := run.Do(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	results, err := study.Read(run.Dir)
	fmt.Println(len(results), len(results[0].Bags), err)
	// Output: 6 4 <nil>
}

func ExampleResult_Validate() {
	r := study.Result{Set: "eight", Checksum: "e1947", Protocol: "honest", Folds: 1, FoldsRun: 1, Config: json.RawMessage(`{"pooling":"mean"}`)}
	fmt.Println(r.Validate())
	// Output: fit "" is not the id of its content, b72c437f97e0fc09
}

func ExampleResult_AUC() {
	r := study.Result{Set: "eight", Bags: []study.ScoredBag{{ID: "bag0", Label: 0, Score: -3}, {ID: "bag1", Label: 1, Score: 2}}}
	fmt.Println(r.AUC())
	r.Bags = r.Bags[1:]
	_, err := r.AUC()
	fmt.Println(err)
	// Output:
	// 1 <nil>
	// eight: repeat 1, fold 1, test part: only one class is there: 0 negative and 1 positive
}

func ExampleResult_ID() {
	a := study.Result{Checksum: "e1947", Config: json.RawMessage(`{"pooling":"mean","width":64}`), Backend: "go"}
	b := study.Result{Checksum: "e1947", Config: json.RawMessage(`{"width": 64, "pooling": "mean"}`), Backend: "xla"}
	x, err1 := a.ID()
	y, err2 := b.ID()
	fmt.Println(x == y, err1, err2)
	// Output: true <nil> <nil>
}

func ExampleOpen() {
	run, remove := newRun()
	defer remove()
	file, err := study.Open(run.Dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer file.Close()
	r := study.Result{
		Set: "eight", Checksum: "e1947", Protocol: "honest", Folds: 1, FoldsRun: 1, Config: json.RawMessage(`{"pooling":"mean"}`),
		Epoch: 50, Bags: []study.ScoredBag{{ID: "bag0", Label: 0, Score: -3}, {ID: "bag1", Label: 1, Score: 2}},
	}
	if r.Fit, err = r.ID(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Fit, file.Append(r), len(file.Results()))
	// Output: b72c437f97e0fc09 <nil> 1
}

func ExampleTabulate() {
	run, remove := newRun()
	defer remove()
	if _, err := run.Do(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	results, err := study.Read(run.Dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	table, err := study.Tabulate(results)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range table.Rows {
		fmt.Printf("%s, %s: AUC %.3f, SD %.3f over %d repeats\n", row.Set, row.Setting, row.AUCMean, *row.AUCSD, row.N)
	}
	// Output: eight, mean: AUC 0.979, SD 0.036 over 3 repeats
}

func ExampleTable_Write() {
	table := study.Table{Rows: []study.Row{
		{Set: "musk1", Setting: "softmax", AUCMean: 0.9, N: 1, Protocol: "published", Optimistic: true, Folds: 4, FoldsRun: 1},
	}}
	if err := table.Write(os.Stdout, "csv"); err != nil {
		fmt.Println(err)
	}
	fmt.Println(table.Write(os.Stdout, "jsn"))
	// Output:
	// set,setting,auc_mean,auc_sd,n,protocol,optimistic,leaked,folds,folds_run,test_bags,auc_low,auc_high,auc_se,auc_pooled,average_precision,accuracy,balanced_accuracy,log_loss,instance_auc,checksum,config,backends,versions,revisions
	// musk1,softmax,0.900000,,1,published,optimistic,,4,1,0,,,,0.000000,0.000000,0.000000,0.000000,0.000000,,,,,,
	// --format "jsn": no such format; did you mean "json"?
}

package neural_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"synpool/backend/backendtest"
	"synpool/milbench"
	"synpool/milbench/dataset"
	"synpool/milbench/neural"
	"synpool/milbench/stats"
)

func TestQuick(t *testing.T) {
	set, err := dataset.Musk1()
	if err != nil {
		t.Fatal(err)
	}
	configs, err := neural.Grid{Pooling: []string{"softmax", "syn"}, Iterations: []int{-3, 3}, Width: []int{64}, Batch: []int{8}}.Configs()
	if err != nil {
		t.Fatal(err)
	}
	var settings []json.RawMessage
	for _, c := range configs {
		b, _ := json.Marshal(c)
		settings = append(settings, b)
		t.Log(string(b))
	}
	p := milbench.Honest()
	p.Repeats = 1
	fits, err := p.Fits(set, settings, 1)
	if err != nil {
		t.Fatal(err)
	}
	task := milbench.Task{Fits: fits}
	for _, b := range set.Bags {
		task.Bags = append(task.Bags, b.Instances)
	}
	start := time.Now()
	auc := map[string]float64{}
	err = neural.Trainer{Backend: backendtest.Chosen(t), Workers: 2}.Learn(context.Background(), task, func(o milbench.Outcome) error {
		fmt.Print(o.Wall.Milliseconds(), " ")
		if o.Err != nil {
			return o.Err
		}
		f := fits[o.Fit]
		var l []int
		var s []float64
		for i, b := range f.Test {
			l = append(l, set.Bags[b].Label)
			s = append(s, o.Epochs[0].Test[i].Score)
		}
		a, err := stats.AUC(l, s)
		auc[string(f.Setting)] += a / 10
		return err
	})
	fmt.Println(time.Since(start), err)
	for k, v := range auc {
		fmt.Println(k, v)
	}
}

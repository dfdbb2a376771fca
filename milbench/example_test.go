package milbench_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"synpool/milbench"
	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/mil"
)

// bagsFile writes 24 bags of four instances. In most tumours one instance is larger and rounder than others.
func bagsFile() string {
	dir, err := os.MkdirTemp("", "milbench-example-")
	if err != nil {
		log.Fatal(err)
	}
	text := "bag,label,size,roundness\n"
	for bag := range 24 {
		label := []string{"normal", "tumour"}[bag%2]
		for k := range 4 {
			size, round := float64(bag*7%5)/10+float64(k)/8, float64(bag*3%7)/10
			switch {
			case k == 2 && label == "tumour":
				size, round = size+1+float64(bag*5%8)/4, round+1
			case k == 2:
				size += float64(bag*3%8) / 3
			}
			text += fmt.Sprintf("b%d,%s,%.2f,%.2f\n", bag, label, size, round)
		}
	}
	file := filepath.Join(dir, "bags.csv")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		log.Fatal(err)
	}
	return file
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

func Example() {
	ctx, file := context.Background(), bagsFile()
	defer os.RemoveAll(filepath.Dir(file))

	set := must(milbench.Open(file, milbench.Reading{}))
	svm, trees := must(milbench.Setting("statistics-svm", nil)), must(milbench.Setting("statistics-trees", map[string]any{"trees": 50}))
	compared := must(milbench.Compare(ctx, milbench.Comparison{Sets: []*mil.Set{set}, Settings: []json.RawMessage{svm, trees}, Seed: 1}, nil))
	model := must(milbench.Train(ctx, set, milbench.Training{Setting: svm, Seed: 1}, nil))
	fresh := must(model.Open(file, milbench.Reading{})) // needs no labels
	scores, explained := must(model.Predict(ctx, fresh)), must(model.Explain(ctx, fresh))

	for _, row := range compared.Table.Rows {
		fmt.Printf("%s: AUC %.2f over %d folds\n", row.Setting, row.Mean, row.FoldsRun)
	}
	fmt.Println(scores.Bags[1].Bag, "is", scores.Bags[1].Class)
	for _, one := range explained.Bags[1].Instances {
		fmt.Printf("instance %d: %.1f\n", one.Instance, *one.Score)
	}
	// Output:
	// statistics-svm: AUC 1.00 over 10 folds
	// statistics-trees: AUC 1.00 over 10 folds
	// b1 is tumour
	// instance 0: 0.3
	// instance 1: 0.2
	// instance 2: 2.2
	// instance 3: 0.1
}

func ExampleOpen() {
	file := bagsFile()
	defer os.RemoveAll(filepath.Dir(file))
	set, err := milbench.Open(file, milbench.Reading{Positive: "normal"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(set.Bags), set.Features, set.Classes)
	// Output: 24 [size roundness] [tumour normal]
}

func ExampleAudit() {
	report, err := milbench.Audit("musk1", dataset.Options{})
	fmt.Println(report.Bags, report.Features, err)
	// Output: 92 166 <nil>
}

func ExampleCheck() {
	set, err := dataset.Musk1()
	if err != nil {
		log.Fatal(err)
	}
	set.Name = "mine"
	_, err = milbench.Check(set, milbench.Reading{Options: dataset.Options{Note: func(text string) { fmt.Println(text) }}})
	fmt.Println(err)
	// Output: <nil>
}

func ExampleModel_Evaluate() {
	ctx, file := context.Background(), bagsFile()
	defer os.RemoveAll(filepath.Dir(file))
	set := must(milbench.Open(file, milbench.Reading{}))
	trained := must(milbench.Train(ctx, set, milbench.Training{Setting: must(milbench.Setting("statistics-svm", nil))}, nil))
	dir := filepath.Join(filepath.Dir(file), "model")
	if err := trained.Save(dir); err != nil {
		log.Fatal(err)
	}
	model := must(milbench.Load(dir, nil))
	labelled := must(model.OpenLabelled(file, milbench.Reading{}))
	e := must(model.Evaluate(ctx, labelled, 1))
	fmt.Printf("%s %.2f\n", e.Figures[0].Name, *e.Figures[0].Value)
	fmt.Println(e.Warnings[0])
	// Output:
	// AUC 1.00
	// 24 bags are among the training bags (b0, b1, b2, b3, b4 and 19 more): figures on them say nothing about new bags; leave them out
}

func ExampleFolds() {
	set := must(milbench.Open("musk1", milbench.Reading{}))
	parts := must(milbench.Folds(set, cv.Protocol{Name: cv.HonestProtocol, Repeats: 1}, 1))
	fmt.Println(len(parts.Bags), parts.Folds)
	// Output: 92 10
}

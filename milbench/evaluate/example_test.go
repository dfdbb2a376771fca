package evaluate_test

import (
	"encoding/json"
	"fmt"

	"synpool/milbench/cv"
	"synpool/milbench/evaluate"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/mil"
	"synpool/milbench/results"
)

// scored returns a model's output for eight bags.
func scored() evaluate.Scored {
	s := evaluate.Scored{Kind: mil.BinaryTarget}
	for i, score := range []float64{-2, -1, 0.5, -0.5, 0.2, 1, 2, -0.1} {
		s.Bags = append(s.Bags, results.ScoredBag{Target: mil.Labelled(i / 4), Scores: []float64{score}})
	}
	return s
}

func ExampleFigures() {
	figures, err := evaluate.Figures(scored(), 1)
	for _, f := range figures[:2] {
		fmt.Printf("%s %.2f, %.2f to %.2f (%s)\n", f.Name, *f.Value, *f.Low, *f.High, f.Method)
	}
	fmt.Println(err)
	// Output:
	// AUC 0.88, 0.59 to 1.00 (DeLong)
	// accuracy 0.75, 0.35 to 0.97 (Clopper-Pearson)
	// <nil>
}

func ExampleConfusion() {
	fmt.Println(evaluate.Confusion(scored()))
	// Output: [[3 1] [1 3]] <nil>
}

// The file of the new bags lists the classes in a different order from the model.
func ExampleRelabel() {
	fresh := &mil.Set{Name: "new", Classes: []string{"benign", "cancer"}, Bags: []mil.Bag{{ID: "a", Target: mil.Labelled(1)}}}
	set, err := evaluate.Relabel(fresh, &modeldir.Card{Classes: []string{"cancer", "benign"}})
	fmt.Println(set.Bags[0].Label, err)
	_, err = evaluate.Relabel(fresh, &modeldir.Card{Classes: []string{"normal", "tumour"}})
	fmt.Println(err)
	// Output:
	// 0 <nil>
	// new: bag a has label "cancer", a class that the model does not know; it knows normal, tumour
}

func ExampleHeldOut() {
	setting := json.RawMessage(`{"learner":"mind"}`)
	r := results.Result{Set: "toy", Checksum: "x", Protocol: cv.HonestProtocol, Folds: 1, FoldsRun: 1, Epoch: 1, Config: setting}
	for i, score := range []float64{-2, -1, 0.5, -0.5, 0.2, 1, 2, -0.1} {
		r.Bags = append(r.Bags, results.ScoredBag{ID: fmt.Sprint(i), Target: mil.Labelled(i / 4), Scores: []float64{score}})
	}
	held, err := evaluate.HeldOut([]results.Result{r}, "x", setting)
	point, _ := held.Operating(0.75)
	fmt.Printf("%s %.3f; above %.2f sensitivity %.2f, specificity %.2f %v\n",
		held.Judged[0].Figures[0].Name, held.Judged[0].Figures[0].Value, point.Threshold, point.Sensitivity, point.Specificity, err)
	// Output: AUC 0.875; above -0.30 sensitivity 1.00, specificity 0.75 <nil>
}

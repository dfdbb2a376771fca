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
		s.Targets = append(s.Targets, mil.Labelled(i/4))
		s.Scores = append(s.Scores, []float64{score})
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

func ExampleOperate() {
	points, err := evaluate.Operate([]modeldir.OperatingPoint{{Wanted: 0.9, Threshold: 0.6}}, scored())
	p := points[0]
	fmt.Printf("sensitivity %d of %d, specificity %d of %d %v\n", p.Sensitivity.Right, p.Sensitivity.Of, p.Specificity.Right, p.Specificity.Of, err)
	// Output: sensitivity 2 of 4, specificity 4 of 4 <nil>
}

// Compare new bags with a feature that is larger in every bag.
func ExampleCompare() {
	set := func(plus float32) *mil.Set {
		s := &mil.Set{Name: "drawn", Features: []string{"size"}}
		for i := range 40 {
			v := float32(i%5) + plus
			s.Bags = append(s.Bags, mil.Bag{ID: fmt.Sprint(i), Instances: &mil.Dense{Rows: 2, Cols: 1, Values: []float32{v, v + 1}}})
		}
		return s
	}
	trained, fresh := set(0), set(2)
	train, _ := mil.ProfileOf(trained)
	profile, _ := mil.ProfileOf(fresh)
	shift, err := evaluate.Compare(train, profile, fresh)
	for _, f := range shift.Unlike() {
		fmt.Printf("%s: %.1f standard deviations, %.0f %% outside\n", f.Name, *f.Difference, 100*f.Outside)
	}
	fmt.Println(evaluate.Known(train, profile, fresh)[:2], err)
	// Output:
	// size: 1.3 standard deviations, 30 % outside
	// [0 1] <nil>
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

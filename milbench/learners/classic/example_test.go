package classic_test

import (
	"context"
	"encoding/json"
	"fmt"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners/classic"
	"synpool/milbench/mil"
)

// Four bags of one feature: a bag is positive if one of its instances is large.
var bags = []mil.Instances{
	&mil.Dense{Rows: 3, Cols: 1, Values: []float32{0, 1, 9}},
	&mil.Dense{Rows: 2, Cols: 1, Values: []float32{1, 2}},
	&mil.Dense{Rows: 2, Cols: 1, Values: []float32{8, 0}},
	&mil.Dense{Rows: 2, Cols: 1, Values: []float32{0, 1}},
}

func ExampleInstance_Fit() {
	train := learner.Training{Bags: bags, Targets: []mil.Target{mil.Labelled(1), mil.Labelled(0), mil.Labelled(1), mil.Labelled(0)}}
	model, err := classic.InstanceEntry().Default().Fit(context.Background(), train)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, bag := range bags {
		p, err := model.Predict(bag)
		fmt.Printf("%.2f from instance %d %v\n", p.Scores[0], p.Winners[0], err)
	}
	// Output:
	// 1.26 from instance 2 <nil>
	// -0.03 from instance 1 <nil>
	// 1.07 from instance 0 <nil>
	// -0.22 from instance 1 <nil>
}

func ExampleInstanceEntry() {
	task := cv.Task{Name: "four", Bags: bags, Fits: []cv.Fit{{
		Setting: json.RawMessage(`{"pooling":"instance","loss":"hinge","c":1,"weighted":true}`),
		Train:   []cv.Example{{Bag: 0, Target: mil.Labelled(1)}, {Bag: 1, Target: mil.Labelled(0)}},
		Test:    []int{2, 3},
	}}}
	classical := learner.Classical{Entries: []learner.Entry{classic.InstanceEntry()}, Workers: 1}
	err := classical.Learn(context.Background(), task, func(o learner.Outcome) error {
		if o.Err != nil {
			return o.Err
		}
		for _, p := range o.Epochs[0].Test {
			fmt.Println(p.Scores[0] > 0)
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// true
	// false
	// <nil>
}

// show prints the scores of the bags and of their instances.
func show(estimator learner.Estimator) {
	train := learner.Training{Bags: bags, Targets: []mil.Target{mil.Labelled(1), mil.Labelled(0), mil.Labelled(1), mil.Labelled(0)}}
	model, err := estimator.Fit(context.Background(), train)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, bag := range bags {
		p, err := learner.Predict(model, bag, true)
		fmt.Printf("%.1f from %.1f %v\n", p.Scores[0], p.Instances, err)
	}
}

func ExampleMILES_Fit() {
	s := classic.MILESEntry().Default().(*classic.MILES)
	s.Penalty = classic.L1
	show(s)
	// Output:
	// 0.9 from [0.0 0.0 1.9] <nil>
	// -0.9 from [0.0 0.0] <nil>
	// 0.9 from [1.8 0.0] <nil>
	// -0.9 from [0.0 0.0] <nil>
}

func ExampleBagMISVM_Fit() {
	show(classic.BagMISVMEntry().Default())
	// Output:
	// 1.0 from [-1.0 -1.1 1.0] <nil>
	// -1.0 from [-1.1 -1.0] <nil>
	// 1.0 from [1.0 -1.0] <nil>
	// -1.0 from [-1.0 -1.1] <nil>
}

func ExampleInstanceMISVM_Fit() {
	s := classic.InstanceMISVMEntry().Default().(*classic.InstanceMISVM)
	s.Gamma = 0 // linear
	show(s)
	// Output:
	// 1.3 from [-1.7 -1.3 1.3] <nil>
	// -1.0 from [-1.3 -1.0] <nil>
	// 1.0 from [1.0 -1.7] <nil>
	// -1.3 from [-1.7 -1.3] <nil>
}

func ExampleCitationKNN_Fit() {
	show(classic.CitationKNN{Distance: classic.Hausdorff, References: 1, Citers: 1})
	// Output:
	// 1.9 from [0.0 0.0 3.9] <nil>
	// -1.9 from [-0.3 0.0] <nil>
	// 1.9 from [3.6 3.0] <nil>
	// -1.9 from [0.0 -0.3] <nil>
}

func ExampleBagOfWords() {
	setting := classic.BagOfWordsEntry().Default().(*classic.BagOfWords)
	setting.Words = 2 // one for small and one for large instances
	show(setting)
	// Output:
	// 1.0 from [0.0 0.0 2.0] <nil>
	// -1.0 from [0.0 0.0] <nil>
	// 1.0 from [2.0 0.9] <nil>
	// -1.0 from [0.0 0.0] <nil>
}

func ExampleFisherVectors() {
	show(classic.FisherVectors{Components: 2, SVM: classic.SVM{C: 10, Balanced: true}})
	// Output:
	// 0.8 from [0.9 -0.6 1.4] <nil>
	// -0.9 from [-0.4 1.4] <nil>
	// 0.8 from [0.5 0.2] <nil>
	// -0.7 from [1.6 -0.9] <nil>
}

// Logistic regression on the mean of a bag, which one instance of three moves.
func ExampleLinearProbe_Fit() {
	show(classic.LinearProbe{C: 1, Balanced: true})
	// Output:
	// 0.7 from [-1.7 -1.0 4.8] <nil>
	// -0.6 from [-1.0 -0.2] <nil>
	// 1.2 from [4.0 -1.7] <nil>
	// -1.3 from [-1.7 -1.0] <nil>
}

// The class whose mean is nearest.
func ExampleNearestMean_Fit() {
	show(classic.NearestMean{})
	// Output:
	// 1.4 from [-3.2 -1.8 9.1] <nil>
	// -1.1 from [-1.8 -0.5] <nil>
	// 2.3 from [7.7 -3.2] <nil>
	// -2.5 from [-3.2 -1.8] <nil>
}

package milbench_test

import (
	"context"
	"encoding/json"
	"fmt"

	"synpool/milbench"
)

// bags returns six bags with one instance each, every other one positive.
func bags() *milbench.Set {
	s := &milbench.Set{Name: "six", Checksum: "none"}
	for i := range 6 {
		s.Bags = append(s.Bags, milbench.Bag{
			ID: fmt.Sprint("bag", i), Target: milbench.Labelled(i % 2),
			Instances: &milbench.Dense{Rows: 1, Cols: 2, Values: []float32{float32(i), 1}},
		})
	}
	return s
}

func ExampleProtocol_Fits() {
	p := milbench.Protocol{Name: milbench.HonestProtocol, Folds: 3, Repeats: 1}
	fits, err := p.Fits(bags(), []json.RawMessage{[]byte(`{"pooling":"mean"}`), []byte(`{"pooling":"max"}`)}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range fits {
		fmt.Printf("fold %d: %s on %d bags, test %d\n", f.Fold, f.Setting, len(f.Train), len(f.Test))
	}
	// Output:
	// fold 0: {"pooling":"mean"} on 4 bags, test 2
	// fold 0: {"pooling":"max"} on 4 bags, test 2
	// fold 1: {"pooling":"mean"} on 4 bags, test 2
	// fold 1: {"pooling":"max"} on 4 bags, test 2
	// fold 2: {"pooling":"mean"} on 4 bags, test 2
	// fold 2: {"pooling":"max"} on 4 bags, test 2
}

func ExampleDefaultProtocol() {
	p, err := milbench.DefaultProtocol("nested")
	fmt.Println(p.Folds, p.Repeats, err)
	_, err = milbench.DefaultProtocol("publish")
	fmt.Println(err)
	// Output:
	// 10 5 <nil>
	// --protocol "publish": no such protocol; did you mean "published"?
}

func ExampleProtocol_FoldsOf() {
	s := bags()
	cut, run := milbench.Published().FoldsOf(s)
	fmt.Printf("%d of %d folds\n", run, cut)
	// Output: 1 of 4 folds
}

func ExampleSet_Validate() {
	s := bags()
	s.Bags[4].ID = "bag3"
	fmt.Println(s.Validate())
	// Output: six: bag bag3 occurs twice; give every bag an id of its own
}

func ExampleSet_Instances() {
	for _, m := range bags().Instances()[:2] {
		fmt.Println(m.(*milbench.Dense).Values)
	}
	// Output:
	// [0 1]
	// [1 1]
}

func ExampleEachRow() {
	bag := &milbench.Sparse{Rows: 2, Cols: 3, Values: []float32{5, 7}, RowStart: []int{0, 1, 2}, Column: []int32{2, 0}}
	err := milbench.EachRow(bag, func(i int, row []float32) { fmt.Println(i, row) })
	fmt.Println(err)
	// Output:
	// 0 [0 0 5]
	// 1 [7 0 0]
	// <nil>
}

func ExampleEachValue() {
	bag := &milbench.Sparse{Rows: 2, Cols: 3, Values: []float32{5, 7}, RowStart: []int{0, 1, 2}, Column: []int32{2, 0}}
	_ = milbench.EachValue(bag, func(i, j int, v float32) { fmt.Println(i, j, v) })
	// Output:
	// 0 2 5
	// 1 0 7
}

func ExamplePack() {
	s := bags()
	for i := range s.Bags {
		s.Bags[i].Instances = &milbench.Dense{Rows: 1, Cols: 8, Values: []float32{0, 0, float32(i), 0, 0, 0, 0, 0}}
	}
	milbench.Pack(s.Bags)
	fmt.Println(milbench.IsSparse(s.Bags[5].Instances))
	// Output: true
}

func ExampleSet_Seal() {
	s := bags()
	err := s.Seal()
	fmt.Println(s.Checksum[:8], err)
	s.Bags[0].Group = "patient 7"
	err = s.Seal()
	fmt.Println(s.Checksum[:8], err)
	// Output:
	// fa98ad2f <nil>
	// ce5d4755 <nil>
}

func ExampleSet_ClassName() {
	s := bags()
	s.Classes = []string{"normal", "tumour"}
	fmt.Println(s.ClassName(s.Bags[1].Label), s.NumLabelled(1))
	// Output: tumour 3
}

func ExampleTargetKind_String() {
	var kind milbench.TargetKind
	err := kind.UnmarshalText([]byte("survival"))
	fmt.Println(milbench.BinaryTarget, kind, err)
	// Output: binary survival <nil>
}

// A classical learner is a struct with one method, and so is its model.
type majority struct{}

func (majority) Fit(_ context.Context, t milbench.Training) (milbench.Model, error) {
	positive := 0
	for _, target := range t.Targets {
		positive += target.Label
	}
	return share(float64(positive) / float64(len(t.Targets))), nil
}

type share float64

func (s share) Predict(milbench.Instances) (milbench.Prediction, error) {
	return milbench.Scored(float64(s)), nil
}

func ExampleEstimator() {
	s := bags()
	t := milbench.Training{Bags: s.Instances()}
	for _, b := range s.Bags {
		t.Targets = append(t.Targets, b.Target)
	}
	model, err := majority{}.Fit(context.Background(), t)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := model.Predict(s.Bags[0].Instances)
	fmt.Println(p.Scores, err)
	// Output: [0.5] <nil>
}

func ExampleTakes_Check() {
	takes := milbench.Takes{Name: "nearest", Kinds: []milbench.TargetKind{milbench.BinaryTarget}, Dense: true, Sparse: true}
	fmt.Println(takes.Check(milbench.Task{Name: "grades", Kind: milbench.ClassTarget, Classes: 3}))
	// Output: grades: nearest cannot learn targets of kind classes; it learns: binary
}

func ExampleParseNumber() {
	for _, text := range []string{"-1.5e3", "1_000", "0x1p-2", "inf"} {
		v, err := milbench.ParseNumber(text)
		fmt.Println(v, err)
	}
	// Output:
	// -1500 <nil>
	// 0 strconv.ParseNumber: parsing "1_000": invalid syntax
	// 0 strconv.ParseNumber: parsing "0x1p-2": invalid syntax
	// 0 strconv.ParseNumber: parsing "inf": invalid syntax
}

func ExampleNearest() {
	fmt.Println(milbench.Nearest("hopfeld", []string{"syn", "softmax", "hopfield"}))
	// Output: hopfield
}

func ExampleSplitSeed() {
	folds := milbench.SplitSeed(1, "folds", 0)
	fmt.Println(folds == milbench.SplitSeed(1, "folds", 0), folds == milbench.SplitSeed(1, "fit", 0))
	// Output: true false
}

func ExampleRand() {
	a, b := milbench.Rand(1, "order", 2), milbench.Rand(1, "order", 2)
	fmt.Println(a.Perm(5)[0] == b.Perm(5)[0])
	// Output: true
}

func ExampleFitID() {
	id, err := milbench.FitID("d4", milbench.HonestProtocol, 10, 0, 3, 1, []byte(`{"pooling":"mean", "lr":1e-3}`))
	fmt.Println(id, err)
	same, err := milbench.FitID("d4", milbench.HonestProtocol, 10, 0, 3, 1, []byte(`{"lr":1e-3,"pooling":"mean"}`))
	fmt.Println(same == id, err)
	// Output:
	// 4b44dfe0399319e9 <nil>
	// true <nil>
}

func ExampleCanonicalSetting() {
	setting, err := milbench.CanonicalSetting([]byte(`{"pooling": "mean", "lr": 1e-3}`))
	fmt.Println(string(setting), err)
	// Output: {"lr":1e-3,"pooling":"mean"} <nil>
}

func ExampleDecodeSetting() {
	values, err := milbench.DecodeSetting([]byte(`{"pooling":"mean","width":256}`))
	fmt.Println(values["pooling"], values["width"], err)
	_, err = milbench.DecodeSetting([]byte(`{} {}`))
	fmt.Println(err)
	// Output:
	// mean 256 <nil>
	// setting "{} {}" has something after its JSON object
}

func ExampleValidateInstances() {
	fmt.Println(milbench.ValidateInstances(&milbench.Dense{Rows: 2, Cols: 3, Values: []float32{1, 2, 3, 4, 5}}))
	// Output: 5 values for 2 instances of 3 features; one for each is needed
}

func ExampleTask_Validate() {
	task := milbench.Task{Name: "baskets", Bags: []milbench.Instances{&milbench.Dense{Rows: 1, Cols: 1, Values: []float32{7}}}}
	task.Fits = []milbench.Fit{{Train: []milbench.Example{{Bag: 1, Target: milbench.Labelled(1)}}}}
	fmt.Println(task.Validate())
	// Output: baskets: fit 0: training bag 1 of 1; bags count from 0
}

func ExampleStandardise() {
	moments, err := milbench.MomentsOf(&milbench.Dense{Rows: 2, Cols: 2, Values: []float32{1, 5, 7, 5}})
	if err != nil {
		fmt.Println(err)
		return
	}
	shift, factor, err := milbench.Standardise([]milbench.Moments{moments})
	fmt.Println(shift, factor, err)
	// Output: [4 5] [0.3333333333333333 0] <nil>
}

func ExamplePrepare() {
	// The second instance of the training part has no value for feature 0, as feature 1 shows. Feature 2 is a word
	// that the training part lacks.
	bag := &milbench.Dense{Rows: 3, Cols: 3, Values: []float32{5, 0, 0, 0, 1, 0, 8, 0, 0}}
	p, err := milbench.Prepare([]milbench.Instances{bag}, []milbench.Missing{{Feature: 0, Indicator: 1}}, []int{2})
	if err != nil {
		fmt.Println(err)
		return
	}
	other, err := p.Of(&milbench.Dense{Rows: 1, Cols: 3, Values: []float32{0, 1, 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := milbench.ToDense(other)
	fmt.Println(d.Values, err)
	// Output: [6.5 1 0] <nil>
}

func ExampleProfileOf() {
	bag := func(id, patient string, values ...float32) milbench.Bag {
		return milbench.Bag{ID: id, Group: patient, Instances: &milbench.Dense{Rows: len(values), Cols: 1, Values: values}}
	}
	set := &milbench.Set{Name: "toy", Features: []string{"size"}, Bags: []milbench.Bag{bag("a", "p", 1, 3), bag("b", "p", 2, 2), bag("c", "q", 5)}}
	p, err := milbench.ProfileOf(set)
	f := p.Features[0]
	fmt.Printf("%d bags of %d groups; %s: mean %.2f, from %g to %g %v\n", p.Bags, p.Groups, f.Name, f.Mean, f.Least, f.Largest, err)
	fmt.Println(milbench.Units(set.Bags))
	// Output:
	// 3 bags of 2 groups; size: mean 2.60, from 1 to 5 <nil>
	// [[0 1] [2]]
}

func ExampleContentSum() {
	a, err := milbench.ContentSum(&milbench.Dense{Rows: 2, Cols: 1, Values: []float32{1, 2}})
	b, _ := milbench.ContentSum(&milbench.Dense{Rows: 2, Cols: 1, Values: []float32{2, 1}})
	fmt.Println(a == b, err)
	// Output: true <nil>
}

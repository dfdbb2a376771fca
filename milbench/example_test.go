package milbench_test

import (
	"encoding/json"
	"fmt"

	"synpool/milbench"
)

// bags returns six bags of one instance each, every other one positive.
func bags() *milbench.Set {
	s := &milbench.Set{Name: "six", Checksum: "none"}
	for i := range 6 {
		s.Bags = append(s.Bags, milbench.Bag{
			ID: fmt.Sprint("bag", i), Label: i % 2,
			Instances: milbench.Matrix{Rows: 1, Cols: 2, Values: []float64{float64(i), 1}},
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
	// Output: six: bag bag3 stands twice; give every bag an id of its own
}

func ExampleSet_Instances() {
	for _, m := range bags().Instances()[:2] {
		fmt.Println(m.Values)
	}
	// Output:
	// [0 1]
	// [1 1]
}

func ExampleMatrix_Row() {
	m := milbench.Matrix{Rows: 2, Cols: 3, Values: []float64{5, 7}, RowStart: []int{0, 1, 2}, Column: []int32{2, 0}}
	row := make([]float64, 3)
	for i := range m.Rows {
		m.Row(i, row)
		fmt.Println(row)
	}
	// Output:
	// [0 0 5]
	// [7 0 0]
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

func ExampleMembers() {
	n, of, err := milbench.Members([]byte(`{"pooling":"mean","members":10}`))
	fmt.Println(n, string(of), err)
	// Output: 10 {"pooling":"mean"} <nil>
}

func ExampleMatrix_Validate() {
	fmt.Println(milbench.Matrix{Rows: 2, Cols: 3, Values: []float64{1, 2, 3, 4, 5}}.Validate())
	// Output: 5 values for 2 instances of 3 features; one for each is needed
}

func ExampleTask_Validate() {
	task := milbench.Task{Name: "baskets", Bags: []milbench.Matrix{{Rows: 1, Cols: 1, Values: []float64{7}}}}
	task.Fits = []milbench.Fit{{Train: []milbench.Example{{Bag: 1, Label: 1}}}}
	fmt.Println(task.Validate())
	// Output: baskets: fit 0: training bag 1 of 1 with label 1; bags count from 0, labels are 0 or 1
}

func ExampleStandardise() {
	shift, factor, err := milbench.Standardise([]milbench.Matrix{{Rows: 2, Cols: 2, Values: []float64{1, 5, 7, 5}}})
	fmt.Println(shift, factor, err)
	// Output: [4 5] [0.3333333333333333 1] <nil>
}

package cv_test

import (
	"encoding/json"
	"fmt"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// bags returns six bags with one instance each, every other one positive.
func bags() *mil.Set {
	s := &mil.Set{Name: "six", Checksum: "none"}
	for i := range 6 {
		s.Bags = append(s.Bags, mil.Bag{
			ID: fmt.Sprint("bag", i), Target: mil.Labelled(i % 2),
			Instances: &mil.Dense{Rows: 1, Cols: 2, Values: []float32{float32(i), 1}},
		})
	}
	return s
}

func ExampleProtocol_Fits() {
	p := cv.Protocol{Name: cv.HonestProtocol, Folds: 3, Repeats: 1}
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
	p, err := cv.DefaultProtocol("nested")
	fmt.Println(p.Folds, p.Repeats, err)
	_, err = cv.DefaultProtocol("publish")
	fmt.Println(err)
	// Output:
	// 10 5 <nil>
	// --protocol "publish": no such protocol; did you mean "published"?
}

func ExampleProtocol_FoldsOf() {
	s := bags()
	cut, run := cv.Published().FoldsOf(s)
	fmt.Printf("%d of %d folds\n", run, cut)
	// Output: 1 of 4 folds
}

func ExampleSplitSeed() {
	folds := cv.SplitSeed(1, "folds", 0)
	fmt.Println(folds == cv.SplitSeed(1, "folds", 0), folds == cv.SplitSeed(1, "fit", 0))
	// Output: true false
}

func ExampleRand() {
	a, b := cv.Rand(1, "order", 2), cv.Rand(1, "order", 2)
	fmt.Println(a.Perm(5)[0] == b.Perm(5)[0])
	// Output: true
}

func ExampleFitID() {
	id, err := cv.FitID("d4", cv.HonestProtocol, 10, 0, 3, 1, []byte(`{"pooling":"mean", "lr":1e-3}`))
	fmt.Println(id, err)
	same, err := cv.FitID("d4", cv.HonestProtocol, 10, 0, 3, 1, []byte(`{"lr":1e-3,"pooling":"mean"}`))
	fmt.Println(same == id, err)
	// Output:
	// 4b44dfe0399319e9 <nil>
	// true <nil>
}

func ExampleCanonicalSetting() {
	setting, err := cv.CanonicalSetting([]byte(`{"pooling": "mean", "lr": 1e-3}`))
	fmt.Println(string(setting), err)
	// Output: {"lr":1e-3,"pooling":"mean"} <nil>
}

func ExampleDecodeSetting() {
	values, err := cv.DecodeSetting([]byte(`{"pooling":"mean","width":256}`))
	fmt.Println(values["pooling"], values["width"], err)
	_, err = cv.DecodeSetting([]byte(`{} {}`))
	fmt.Println(err)
	// Output:
	// mean 256 <nil>
	// setting "{} {}" has something after its JSON object
}

func ExampleTask_Validate() {
	task := cv.Task{Name: "baskets", Bags: []mil.Instances{&mil.Dense{Rows: 1, Cols: 1, Values: []float32{7}}}}
	task.Fits = []cv.Fit{{Train: []cv.Example{{Bag: 1, Target: mil.Labelled(1)}}}}
	fmt.Println(task.Validate())
	// Output: baskets: fit 0: training bag 1 of 1; bags count from 0
}

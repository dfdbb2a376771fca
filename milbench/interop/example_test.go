package interop_test

import (
	"fmt"
	"os"
	"strings"

	"synpool/milbench/cv"
	"synpool/milbench/interop"
	"synpool/milbench/mil"
)

// set returns four bags of one instance.
func set() *mil.Set {
	s := &mil.Set{Name: "toy", Checksum: "c0ffee"}
	for i := range 4 {
		s.Bags = append(s.Bags, mil.Bag{ID: fmt.Sprint("bag", i), Target: mil.Labelled(i % 2),
			Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{float32(i)}}})
	}
	return s
}

func ExampleParts_Write() {
	parts, err := interop.Of(set(), cv.Protocol{Name: cv.HonestProtocol, Folds: 2, Repeats: 1}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := parts.Write(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// bag,label,class,group,repeat,fold,set,checksum,target,protocol,folds,folds_run,seed
	// bag0,0,0,,0,0,toy,c0ffee,binary,honest,2,2,1
	// bag1,1,1,,0,0,toy,c0ffee,binary,honest,2,2,1
	// bag2,0,0,,0,1,toy,c0ffee,binary,honest,2,2,1
	// bag3,1,1,,0,1,toy,c0ffee,binary,honest,2,2,1
}

func ExampleParts_Results() {
	parts, err := interop.Of(set(), cv.Protocol{Name: cv.HonestProtocol, Folds: 2, Repeats: 1}, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	scores := "bag,repeat,fold,probability\n"
	for i, b := range parts.Bags {
		scores += fmt.Sprintf("%s,0,%d,0.%d\n", b.ID, parts.Tested[0][i], 2+5*b.Label)
	}
	all, err := parts.Results(strings.NewReader(scores), "scores.csv", "my model")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range all {
		auc, err := r.Figure()
		fmt.Println("fold", r.Fold, "AUC", auc, err)
	}
	_, err = parts.Results(strings.NewReader("bag,repeat,fold,score\nbag7,0,0,1\n"), "scores.csv", "my model")
	fmt.Println(err)
	// Output:
	// fold 0 AUC 1 <nil>
	// fold 1 AUC 1 <nil>
	// scores.csv: line 2: bag bag7 is not among the 4 bags of the parts; these are other folds
}

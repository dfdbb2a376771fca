package paper_test

import (
	"fmt"

	"synpool/paper"
)

func ExampleFindExperiment() {
	e, err := paper.FindExperiment("ablation")
	fmt.Println(e.Question, err)
	_, err = paper.FindExperiment("Ablatoin")
	fmt.Println(err)
	// Output:
	// What does each part of SynPooling and of its network contribute? <nil>
	// no study "Ablatoin"; did you mean ablation?
}

func ExampleForm_Only() {
	e, err := paper.FindExperiment("poolings")
	if err != nil {
		fmt.Println(err)
		return
	}
	form, err := e.Full.Only("fox", "tiger")
	fmt.Println(form.Sets(), err)
	// Output: [fox tiger] <nil>
}

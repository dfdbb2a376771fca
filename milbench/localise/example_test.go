package localise_test

import (
	"fmt"

	"synpool/milbench/localise"
	"synpool/milbench/mil"
)

// Two slides of four tiles in a row; the last two tiles of the first are a tumour.
func Example() {
	row := func() ([][2]float64, error) { return [][2]float64{{0, 0}, {256, 0}, {512, 0}, {768, 0}}, nil }
	set := &mil.Set{Bags: []mil.Bag{{ID: "ill", Coordinates: row}, {ID: "well", Coordinates: row}}, InstanceLabels: [][]float64{{0, 0, 1, 1}, {0, 0, 0, 0}}}
	bags, err := localise.Truth(set)
	for i, scores := range [][]float64{{0.1, 0.3, 0.2, 0.9}, {0.1, 0.5, 0.1, 0.1}} {
		if err == nil {
			bags[i], err = bags[i].Scored(scores)
		}
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	inBag, pooled := localise.NewPool(bags[:1]).Figures(nil), localise.NewPool(bags).Figures(nil)
	fmt.Printf("AUC in the bag %.2f, pooled %.2f; Dice %.2f; of %d lesion a share of %.2f is found at 1/4 false positives per bag\n",
		inBag.AUC, pooled.AUC, pooled.Dice, bags[0].Lesions, pooled.FROC.Sensitivity[0])
	// Output:
	// AUC in the bag 0.75, pooled 0.83; Dice 0.50; of 1 lesion a share of 1.00 is found at 1/4 false positives per bag
}

func ExampleLesions() {
	places := [][2]float64{{0, 0}, {256, 256}, {1024, 0}}
	fmt.Println(localise.Lesions(places, []bool{true, true, true}, 256))
	// Output: [0 0 1] 2
}

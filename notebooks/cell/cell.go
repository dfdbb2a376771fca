// Package cell supports research on bags in notebook cells. It needs one import line:
//
//	import . "synpool/notebooks/cell"
//
//	var bags = Open("slides.csv")
//	var result = Compare(bags, Mean, Gated, Syn(3))
//	var trained = Train(bags, result.BestExplaining())
//
//	%%
//	Show(bags, result, trained.Explain(bags.Find("slide17")))
//
// Each cell of a GoNB notebook is a separate program. Therefore values are computed when they are first needed, trained
// models are kept for later cells ([StoreVariable]), and an error ends the cell with one line. If a cell also needs GoMLX's
// package graph, which has a Max and a Softmax too, import one of the two packages by name.
package cell

// Must returns v, or ends the cell if there is an error.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

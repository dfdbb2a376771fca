// Package cell is research on bags in the cells of a notebook, imported by one line:
//
//	import . "synpool/notebooks/cell"
//
//	var bags = Open("slides.csv")
//	var result = Compare(bags, Mean, Gated, Syn(3))
//	var model = Train(bags, result.Best())
//
//	%%
//	Show(bags, result, model.Explain(bags.Find("slide17")))
//
// A cell of a GoNB notebook is a program of its own. So values are made when they are first needed, what is trained is kept and found again by
// later cells ([StoreVariable]), and an error ends the cell with one line. A cell that also dot-imports GoMLX's graph, which has a Max and
// a Softmax, too, imports one of the two by name.
package cell

// Must returns v, or ends the cell with the error if there is one.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

package batched

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// SparseDense is [Dense] for the instances of sparse bags, with the same variables. It returns [batch, instances, width],
// with the members axis of the bags if there is one, and uses only the rows of the weights that belong to each bag's
// columns.
func SparseDense(scope *model.Scope, bags Sparse, width int) *Node {
	bags.checkColumns()
	members, columns := bags.Members(), bags.X.Shape().Dim(-1)
	x := ZeroUnless(LessThan(bags.Columns, Const(bags.X.Graph(), int32(bags.Features))), bags.X, -2)
	if bags.Taken {
		if batch := x.Shape().Dim(-3); batch != 1 || bound(x.Graph()) == nil {
			exceptions.Panicf("synlayer: sparse bags whose weights are taken, %d a batch, want one a batch and bound weights", batch)
		}
		return Dense(scope, x, members, width)
	}
	w, b := affine(scope, x, members, bags.Features, width)
	stack := max(members, 1)
	index := Reshape(atMost(bags.Columns, bags.Features-1), stack, -1) // padding: x is 0, so any row will do
	rows := takeRows(Reshape(w, stack, bags.Features, width), index)
	if members == 0 {
		return Add(Einsum("brc,bcw->brw", x, Reshape(rows, -1, columns, width)), Reshape(b, 1, 1, width))
	}
	y := Add(Einsum("mbrc,mbcw->mbrw", x, Reshape(rows, members, -1, columns, width)), Reshape(b, members, 1, 1, width))
	if binding := bound(y.Graph()); binding != nil && bags.Positions != nil {
		binding.maps = append(binding.maps, denseMap{scope.Scope(), x, y, bags.Positions})
	}
	return y
}

// takeRows returns the rows index [count, taken] of each table of tables [count, rows, width].
func takeRows(tables, index *Node) *Node {
	dims := tables.Shape().Dimensions
	first := Mul(Iota(index.Graph(), index.Shape(), 0), Const(index.Graph(), int32(dims[1])))
	return Gather(Reshape(tables, dims[0]*dims[1], dims[2]), ExpandAxes(Add(index, first), -1))
}

// atMost limits an index to 0, ..., last. Backends treat an index out of range differently.
func atMost(index *Node, last int) *Node {
	g := index.Graph()
	return Min(Max(index, Const(g, int32(0))), Const(g, int32(last)))
}

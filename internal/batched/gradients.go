package batched

import (
	"maps"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"
)

// outerRows is the maximum number of rows (instances of a member's batch) for which a gradient is written as a sum of outer
// products, and its norm computed from Gram matrices.
const outerRows = 16

// gramShare bounds for how many rows the norm of a gradient comes from Gram matrices: their products take as many operations
// as gramShare passes over the gradient.
const gramShare = 16

// denseMap is one use with members of [Dense], y [members, rows, width] = x [members, rows, features] W + b, or, with
// positions, of [SparseDense], y [members, batch, rows, width] from x [members, batch, rows, columns].
type denseMap struct {
	scope     string
	x, y      *Node
	positions *Node
}

// Gradients returns the gradient of objective by each bound variable ([Bind]), by path, and for some the square of its norm,
// [members]. On the way to objective, only layers may use the bound values.
//
// The values are those of automatic differentiation. But in networks with a members axis, the gradient of a dense map Y = XW
// + b is computed from the gradient G by Y: dW = XᵀG in the layout of W. For few rows it is a sum of outer products, which
// is computed where it is used and never stored. Its norm then comes from two small products: ‖XᵀG‖² = Σ (XXᵀ)∘(GGᵀ). The
// rounding error relative to Σ|xᵣ|²|gᵣ|² is that of the float type. If instances share an offset and the rows of G cancel,
// the norm loses precision by the square of offset over spread; [SumSquares] of the gradient does not, but takes longer. The
// gradient of a sparse map is gathered from the products of its columns, by the bags' Positions.
func Gradients(objective *Node) (gradients, squares map[string]*Node) {
	b := bound(objective.Graph())
	if b == nil {
		exceptions.Panicf("synlayer: Gradients in graph %q, where nothing is bound; call Bind before the layers", objective.Graph().Name())
	}
	gradients, squares = map[string]*Node{}, map[string]*Node{}
	var own []denseMap
	var by []*Node
	for _, m := range b.maps {
		if b.uses[m.weights()] == 1 && b.uses[m.bias()] == 1 { // weights used several times are left to automatic differentiation
			own, by = append(own, m), append(by, m.y)
			gradients[m.weights()], gradients[m.bias()] = nil, nil
		}
	}
	var rest []string
	for _, path := range slices.Sorted(maps.Keys(b.values)) { // in a fixed order, so that the graph is always the same
		if _, ok := gradients[path]; !ok {
			rest, by = append(rest, path), append(by, b.values[path])
		}
	}
	all := Gradient(objective, by...)
	for i, m := range own {
		g := all[i]
		var gradient, square *Node
		if m.positions != nil {
			gradient, square = b.sparseGradient(m, g)
			g = Reshape(g, g.Shape().Dim(0), -1, g.Shape().Dim(-1))
		} else {
			gradient, square = weightGradient(m.x, g)
		}
		gradients[m.weights()], gradients[m.bias()] = gradient, sumRows(g)
		if square != nil {
			squares[m.weights()] = square
		}
	}
	for i, path := range rest {
		gradients[path] = all[len(own)+i]
	}
	return gradients, squares
}

func (m denseMap) weights() string { return model.JoinPath(m.scope, "weights") }
func (m denseMap) bias() string    { return model.JoinPath(m.scope, "bias") }

// weightGradient returns XᵀG for each member and, if there are few rows, the square of its norm, from x [members, rows,
// features] and g [members, rows, width].
func weightGradient(x, g *Node) (gradient, square *Node) {
	members, rows, features := x.Shape().Dim(0), x.Shape().Dim(1), x.Shape().Dim(2)
	if rows > outerRows {
		gradient = Einsum("mrf,mrw->mfw", x, g)
		if width := g.Shape().Dim(2); rows*rows*(features+width) < gramShare*features*width {
			square = gram(x, g)
		}
		return gradient, square
	}
	for r := range rows {
		outer := Mul(ExpandAxes(Reshape(SliceAxis(x, 1, AxisElem(r)), members, features), 2), SliceAxis(g, 1, AxisElem(r)))
		if gradient == nil {
			gradient = outer
		} else {
			gradient = Add(gradient, outer)
		}
	}
	if rows == 1 {
		return gradient, Mul(SumSquares(x), SumSquares(g))
	}
	return gradient, gram(x, g)
}

// gram returns ‖XᵀG‖² of each member from two small products.
func gram(x, g *Node) *Node {
	square := ReduceSum(Mul(Einsum("mrf,msf->mrs", x, x), Einsum("mrw,msw->mrs", g, g)), 1, 2)
	return Max(square, ZerosLike(square)) // rounding can leave a sum that cancels below 0
}

// sparseGradient is weightGradient for a sparse map. With several bags, which may share features, it does not return the
// square.
func (b *binding) sparseGradient(m denseMap, g *Node) (gradient, square *Node) {
	products := Einsum("mbrc,mbrw->mbcw", m.x, g)
	dims := products.Shape().Dimensions
	members, batch, columns, width := dims[0], dims[1], dims[2], dims[3]
	if batch == 1 {
		square = SumSquares(products)
	}
	absent := Zeros(g.Graph(), shapes.Make(g.DType(), members, batch, 1, width))
	tables := Reshape(Concatenate([]*Node{products, absent}, 2), members, batch*(columns+1), width)
	gather := func(positions *Node) *Node {
		var sum *Node
		for i := range batch {
			index := Reshape(SliceAxis(positions, 1, AxisElem(i)), members, -1)
			rows := takeRows(tables, Add(index, Const(g.Graph(), int32(i*(columns+1)))))
			if sum == nil {
				sum = rows
			} else {
				sum = Add(sum, rows)
			}
		}
		return sum
	}
	positions := atMost(m.positions, columns)
	gradient = gather(positions)
	b.again[gradient] = func() *Node {
		return gather(Mul(positions, ConvertDType(unknownOne(g), dtypes.Int32)))
	}
	return gradient, square
}

// Again returns a gradient for a second use. If [Gradients] gathered it, Again returns a new node with the same values: XLA
// would store a gathered array that two of its loops use, and reading that back takes longer than gathering again. Other
// gradients are returned unchanged.
func Again(gradient *Node) *Node {
	if b := bound(gradient.Graph()); b != nil {
		if again := b.again[gradient]; again != nil {
			return again()
		}
	}
	return gradient
}

// SumSquares returns the sum of squares [members] of each member's entries of x [members, ...].
func SumSquares(x *Node) *Node {
	members := x.Shape().Dim(0)
	return Reshape(SumLast(Square(Reshape(x, members, -1))), members)
}

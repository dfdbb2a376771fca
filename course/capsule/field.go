package capsule

import (
	"github.com/gomlx/compute"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"
)

// field describes which children of a grid each position of the grid above sees: patches of kernel x kernel, stride apart.
type field struct {
	height, width  int // of the grid of children
	types          int // of children
	kernel, stride int
}

func newField(below Capsules, kernel, stride int) field {
	f := field{kernel: kernel, stride: stride}
	f.height, f.width, f.types = below.grid()
	if kernel < 1 || stride < 1 || kernel > min(f.height, f.width) {
		exceptions.Panicf("capsule: patches of %dx%d, %d apart, do not fit on capsules %s", kernel, kernel, stride, below.Activations.Shape())
	}
	return f
}

// above returns the size of the grid above.
func (f field) above() (height, width int) {
	return (f.height-f.kernel)/f.stride + 1, (f.width-f.kernel)/f.stride + 1
}

// positions returns the number of positions above.
func (f field) positions() int {
	height, width := f.above()
	return height * width
}

// children returns the number of children in a patch.
func (f field) children() int { return f.kernel * f.kernel * f.types }

// patches gathers x [batch, height, width, types, ...] into [batch, positions, children, ...].
func (f field) patches(x *Node) *Node {
	height, width := f.above()
	var offsets []*Node
	for row := range f.kernel {
		for column := range f.kernel {
			offsets = append(offsets, Slice(x, AxisRange(),
				AxisRange(row, row+(height-1)*f.stride+1).Stride(f.stride),
				AxisRange(column, column+(width-1)*f.stride+1).Stride(f.stride)))
		}
	}
	dims := x.Shape().Dimensions
	return Reshape(Stack(offsets, 3), append([]int{dims[0], height * width, f.children()}, dims[4:]...)...)
}

// sum adds up x [batch, positions, children] for each child of the grid, [batch, height, width, types]: along the rows, then
// along the columns. (Padded slices, as in max, would also work, but GoMLX 0.28 has no gradient of padding.)
func (f field) sum(x *Node) *Node {
	height, width := f.above()
	x = Reshape(x, -1, height, width, f.kernel, f.kernel, f.types)
	x = Einsum("bvurct,vry->byuct", x, ConstAsDType(x.Graph(), x.DType(), f.incidence(height, f.height)))
	return Einsum("byuct,ucx->byxt", x, ConstAsDType(x.Graph(), x.DType(), f.incidence(width, f.width)))
}

// incidence [positions, kernel, size] is 1 where an offset of the patch at a position is that entry of the axis.
func (f field) incidence(positions, size int) [][][]float64 {
	at := make([][][]float64, positions)
	for position := range at {
		at[position] = make([][]float64, f.kernel)
		for offset := range at[position] {
			at[position][offset] = make([]float64, size)
			at[position][offset][position*f.stride+offset] = 1
		}
	}
	return at
}

// max returns the largest x [batch, positions, children] for each child of the grid, [batch, height, width, types]; -Inf
// where there is no patch. It has no gradient.
func (f field) max(x *Node) *Node {
	height, width := f.above()
	x = Reshape(StopGradient(x), -1, height, width, f.kernel*f.kernel, f.types)
	lowest := Infinity(x.Graph(), x.DType(), -1)
	var largest *Node
	for offset := range f.kernel * f.kernel {
		row, column := offset/f.kernel, offset%f.kernel
		at := Reshape(SliceAxis(x, 3, AxisElem(offset)), -1, height, width, f.types)
		at = Pad(at, lowest, compute.PadAxis{}, f.padding(row, f.height, height), f.padding(column, f.width, width))
		if largest == nil {
			largest = at
		} else {
			largest = Max(largest, at)
		}
	}
	return largest
}

// padding places values on an axis of the given size, stride apart, beginning at start.
func (f field) padding(start, size, values int) compute.PadAxis {
	return compute.PadAxis{Start: start, End: size - start - (values-1)*f.stride - 1, Interior: f.stride - 1}
}

// compete returns the softmax of logits [batch, positions, types, children] over all parents of a child: every type at every
// position whose patch contains the child.
func (f field) compete(logits *Node) *Node {
	if f.positions() == 1 {
		return overTypes(logits)
	}
	largest := f.patches(f.max(ReduceMax(logits, 2)))
	shares := Exp(Sub(logits, ExpandAxes(StopGradient(largest), 2)))
	total := f.patches(f.sum(ReduceSum(shares, 2)))
	return Div(shares, ExpandAxes(total, 2))
}

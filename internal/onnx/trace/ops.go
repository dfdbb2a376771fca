package trace

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"

	"synpool/internal/onnx"
)

// The operations of a network, each as one or a few of ONNX.

func (f *function) Identity(x compute.Value) (compute.Value, error) { return x, nil }
func (f *function) Abs(x compute.Value) (compute.Value, error)      { return f.unary("Abs", x) }
func (f *function) Neg(x compute.Value) (compute.Value, error)      { return f.unary("Neg", x) }
func (f *function) Exp(x compute.Value) (compute.Value, error)      { return f.unary("Exp", x) }
func (f *function) Log(x compute.Value) (compute.Value, error)      { return f.unary("Log", x) }
func (f *function) Sqrt(x compute.Value) (compute.Value, error)     { return f.unary("Sqrt", x) }
func (f *function) Sign(x compute.Value) (compute.Value, error)     { return f.unary("Sign", x) }
func (f *function) Tanh(x compute.Value) (compute.Value, error)     { return f.unary("Tanh", x) }
func (f *function) Erf(x compute.Value) (compute.Value, error)      { return f.unary("Erf", x) }
func (f *function) Sin(x compute.Value) (compute.Value, error)      { return f.unary("Sin", x) }
func (f *function) Cos(x compute.Value) (compute.Value, error)      { return f.unary("Cos", x) }
func (f *function) Floor(x compute.Value) (compute.Value, error)    { return f.unary("Floor", x) }
func (f *function) Ceil(x compute.Value) (compute.Value, error)     { return f.unary("Ceil", x) }
func (f *function) Round(x compute.Value) (compute.Value, error)    { return f.unary("Round", x) }
func (f *function) Logistic(x compute.Value) (compute.Value, error) { return f.unary("Sigmoid", x) }

func (f *function) LogicalNot(x compute.Value) (compute.Value, error) { return f.unary("Not", x) }

// Rsqrt is 1/√x.
func (f *function) Rsqrt(x compute.Value) (compute.Value, error) {
	root, err := f.Sqrt(x)
	if err != nil {
		return nil, err
	}
	return f.unary("Reciprocal", root)
}

// Expm1 is exp(x) − 1 for x above 1/2, and below 2 tanh(x/2) / (1 − tanh(x/2)), which keeps the digits of a small x.
func (f *function) Expm1(x compute.Value) (compute.Value, error) {
	half, err := f.Mul(x, f.scalar(x, 0.5))
	if err != nil {
		return nil, err
	}
	t, err := f.Tanh(half)
	if err != nil {
		return nil, err
	}
	above, _ := f.Mul(t, f.scalar(x, 2))
	below, _ := f.Sub(f.scalar(x, 1), t)
	small, _ := f.Div(above, below)
	power, _ := f.Exp(x)
	plain, _ := f.Sub(power, f.scalar(x, 1))
	far, _ := f.GreaterThan(x, f.scalar(x, 0.5))
	return f.Where(far, plain, small)
}

func (f *function) Log1p(x compute.Value) (compute.Value, error) {
	v := x.(*value)
	return &value{f.r.to.Log1p(v.name, typeNames[v.shape.DType]), v.shape, v.have}, nil
}

func (f *function) IsNaN(x compute.Value) (compute.Value, error) {
	return f.elementwise("IsNaN", shapes.Make(dtypes.Bool, x.(*value).shape.Dimensions...), x)
}

func (f *function) IsFinite(x compute.Value) (compute.Value, error) {
	none, err := f.IsNaN(x)
	if err != nil {
		return nil, err
	}
	endless, _ := f.elementwise("IsInf", none.(*value).shape, x)
	either, _ := f.LogicalOr(none, endless)
	return f.LogicalNot(either)
}

func (f *function) Add(a, b compute.Value) (compute.Value, error) {
	return f.binary("Add", compute.OpTypeAdd, a, b)
}
func (f *function) Sub(a, b compute.Value) (compute.Value, error) {
	return f.binary("Sub", compute.OpTypeSub, a, b)
}
func (f *function) Mul(a, b compute.Value) (compute.Value, error) {
	return f.binary("Mul", compute.OpTypeMul, a, b)
}
func (f *function) Div(a, b compute.Value) (compute.Value, error) {
	return f.binary("Div", compute.OpTypeDiv, a, b)
}
func (f *function) Pow(a, b compute.Value) (compute.Value, error) {
	return f.binary("Pow", compute.OpTypePow, a, b)
}
func (f *function) Max(a, b compute.Value) (compute.Value, error) {
	return f.binary("Max", compute.OpTypeMax, a, b)
}
func (f *function) Min(a, b compute.Value) (compute.Value, error) {
	return f.binary("Min", compute.OpTypeMin, a, b)
}
func (f *function) LogicalAnd(a, b compute.Value) (compute.Value, error) {
	return f.binary("And", compute.OpTypeLogicalAnd, a, b)
}
func (f *function) LogicalOr(a, b compute.Value) (compute.Value, error) {
	return f.binary("Or", compute.OpTypeLogicalOr, a, b)
}
func (f *function) LogicalXor(a, b compute.Value) (compute.Value, error) {
	return f.binary("Xor", compute.OpTypeLogicalXor, a, b)
}
func (f *function) Equal(a, b compute.Value) (compute.Value, error) {
	return f.compare("Equal", compute.OpTypeEqual, a, b)
}
func (f *function) LessThan(a, b compute.Value) (compute.Value, error) {
	return f.compare("Less", compute.OpTypeLessThan, a, b)
}
func (f *function) LessOrEqual(a, b compute.Value) (compute.Value, error) {
	return f.compare("LessOrEqual", compute.OpTypeLessOrEqual, a, b)
}
func (f *function) GreaterThan(a, b compute.Value) (compute.Value, error) {
	return f.compare("Greater", compute.OpTypeGreaterThan, a, b)
}
func (f *function) GreaterOrEqual(a, b compute.Value) (compute.Value, error) {
	return f.compare("GreaterOrEqual", compute.OpTypeGreaterOrEqual, a, b)
}
func (f *function) NotEqual(a, b compute.Value) (compute.Value, error) {
	same, err := f.Equal(a, b)
	if err != nil {
		return nil, err
	}
	return f.LogicalNot(same)
}

// Clamp limits x to a range.
func (f *function) Clamp(low, x, high compute.Value) (compute.Value, error) {
	above, err := f.Max(x, low)
	if err != nil {
		return nil, err
	}
	return f.Min(above, high)
}

func (f *function) Where(condition, yes, no compute.Value) (compute.Value, error) {
	shape, err := shapeinference.Where(condition.(*value).shape, yes.(*value).shape, no.(*value).shape)
	if err != nil {
		return nil, err
	}
	return f.elementwise("Where", shape, condition, yes, no)
}

func (f *function) ConvertDType(x compute.Value, d dtypes.DType) (compute.Value, error) {
	v := x.(*value)
	to, there := typeNames[d]
	if !there {
		return nil, fmt.Errorf("the network uses numbers of type %s, which are not exported", d)
	}
	shape := v.shape.Clone()
	shape.DType = d
	return &value{f.r.to.Cast(v.name, to), shape, v.have}, nil
}

// ReduceSum sums float32 along axes of free sizes in double precision: onnxruntime adds one value after the other, which over 50,000
// instances costs four digits.
func (f *function) ReduceSum(x compute.Value, axes ...int) (compute.Value, error) {
	shape := x.(*value).shape
	along := func(axis int) bool { return len(axes) == 0 || slices.Contains(axes, axis) }
	if shape.DType == dtypes.Float32 {
		for axis, d := range shape.Dimensions {
			if _, free := f.r.factors(d); len(free) > 0 && along(axis) {
				return f.reduceAs(dtypes.Float64, "ReduceSum", x, axes)
			}
		}
	}
	return f.reduce("ReduceSum", x, axes)
}
func (f *function) ReduceMax(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce("ReduceMax", x, axes)
}
func (f *function) ReduceMin(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce("ReduceMin", x, axes)
}
func (f *function) ReduceProduct(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduce("ReduceProd", x, axes)
}
func (f *function) ReduceLogicalOr(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduceAs(dtypes.Int32, "ReduceMax", x, axes)
}
func (f *function) ReduceLogicalAnd(x compute.Value, axes ...int) (compute.Value, error) {
	return f.reduceAs(dtypes.Int32, "ReduceMin", x, axes)
}

// reduceAs reduces values as those of another type.
func (f *function) reduceAs(as dtypes.DType, op string, x compute.Value, axes []int) (compute.Value, error) {
	values, err := f.ConvertDType(x, as)
	if err != nil {
		return nil, err
	}
	reduced, err := f.reduce(op, values, axes)
	if err != nil {
		return nil, err
	}
	return f.ConvertDType(reduced, x.(*value).shape.DType)
}

func (f *function) ArgMinMax(x compute.Value, axis int, d dtypes.DType, isMin bool) (compute.Value, error) {
	v := x.(*value)
	name, err := f.whole(x)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.ArgMinMax(v.shape, axis, d)
	if err != nil {
		return nil, err
	}
	op := "ArgMax"
	if isMin {
		op = "ArgMin"
	}
	found := f.r.to.With(op, []onnx.Attribute{{Name: "axis", Value: int64(axis)}, {Name: "keepdims", Value: int64(0)}}, name)
	return f.ConvertDType(&value{found, shapes.Make(dtypes.Int64, shape.Dimensions...), shape.Dimensions}, d)
}

func (f *function) Reshape(x compute.Value, dims ...int) (compute.Value, error) {
	v := x.(*value)
	shape, err := shapeinference.Reshape(v.shape, dims)
	if err != nil {
		return nil, err
	}
	if slices.Equal(v.shape.Dimensions, dims) {
		return x, nil
	}
	have, name := dims, v.name
	switch {
	case !slices.ContainsFunc(v.have, func(d int) bool { return d != 1 }): // one entry stands for all
		have = slices.Repeat([]int{1}, len(dims))
	default:
		if name, err = f.whole(x); err != nil {
			return nil, err
		}
	}
	return &value{f.r.to.Op("Reshape", name, f.r.dims(have, true)), shape, have}, nil
}

func (f *function) BroadcastInDim(x compute.Value, to shapes.Shape, axes []int) (compute.Value, error) {
	v := x.(*value)
	have := slices.Repeat([]int{1}, to.Rank())
	for k, axis := range axes {
		have[axis] = v.have[k]
	}
	shape := shapes.Make(v.shape.DType, to.Dimensions...)
	name := v.name
	if !slices.Equal(have, v.have) {
		name = f.r.to.Op("Reshape", name, f.r.dims(have, true))
	}
	return &value{name, shape, have}, nil
}

func (f *function) Transpose(x compute.Value, order ...int) (compute.Value, error) {
	v := x.(*value)
	shape, err := shapeinference.Transpose(v.shape, order)
	if err != nil {
		return nil, err
	}
	have, long := make([]int, len(order)), make([]int64, len(order))
	for k, axis := range order {
		have[k], long[k] = v.have[axis], int64(axis)
	}
	return &value{f.r.to.With("Transpose", []onnx.Attribute{{Name: "perm", Value: long}}, v.name), shape, have}, nil
}

func (f *function) Iota(shape shapes.Shape, axis int) (compute.Value, error) {
	n := shape.Dimensions[axis]
	have := slices.Repeat([]int{1}, shape.Rank())
	have[axis] = n
	to, there := typeNames[shape.DType]
	if !there {
		return nil, fmt.Errorf("the network counts in type %s, which is not exported", shape.DType)
	}
	_, sizes := f.r.factors(n)
	end := f.r.to.Op("Reshape", f.r.dims([]int{n}, false), f.r.to.Ints())
	if sizes == nil {
		end = f.r.to.Const(onnx.Scalar(int64(n)))
	}
	count := f.r.to.Op("Range", f.r.to.Const(onnx.Scalar(int64(0))), end, f.r.to.Const(onnx.Scalar(int64(1))))
	name := f.r.to.Op("Reshape", f.r.to.Cast(count, to), f.r.dims(have, true))
	return &value{name, shape, have}, nil
}

func (f *function) Slice(x compute.Value, starts, limits, strides []int) (compute.Value, error) {
	v := x.(*value)
	shape, err := shapeinference.Slice(v.shape, starts, limits, strides)
	if err != nil {
		return nil, err
	}
	name, have := v.name, slices.Clone(shape.Dimensions)
	var from, to, axes, steps []int64
	for k, d := range v.shape.Dimensions {
		step := 1
		if len(strides) > 0 {
			step = strides[k]
		}
		switch {
		case v.have[k] == 1:
			have[k] = 1
			continue
		case starts[k] == 0 && limits[k] == d && step == 1:
			continue
		}
		end := int64(limits[k])
		if _, sizes := f.r.factors(d); sizes != nil && limits[k] == d {
			end = math.MaxInt64
		}
		from, to, axes, steps = append(from, int64(starts[k])), append(to, end), append(axes, int64(k)), append(steps, int64(step))
	}
	if axes != nil {
		g := f.r.to
		name = g.Op("Slice", name, g.Ints(from...), g.Ints(to...), g.Ints(axes...), g.Ints(steps...))
	}
	return &value{name, shape, have}, nil
}

func (f *function) Concatenate(axis int, in ...compute.Value) (compute.Value, error) {
	var of []shapes.Shape
	var names []string
	for _, x := range in {
		name, err := f.whole(x)
		if err != nil {
			return nil, err
		}
		names, of = append(names, name), append(of, x.(*value).shape)
	}
	shape, err := shapeinference.Concatenate(of, axis)
	if err != nil {
		return nil, err
	}
	return &value{f.r.to.Along("Concat", int64(axis), names...), shape, shape.Dimensions}, nil
}

// DotGeneral is a product of matrices: axes are brought into the order batch, rows, sum and batch, sum, columns, and merged.
func (f *function) DotGeneral(a compute.Value, aSum, aBatch []int, b compute.Value, bSum, bBatch []int, config compute.DotGeneralConfig) (compute.Value, error) {
	x, y := a.(*value), b.(*value)
	shape, err := shapeinference.DotGeneral(x.shape, aSum, aBatch, y.shape, bSum, bBatch, config)
	if err != nil {
		return nil, err
	}
	rest := func(v *value, sum, batch []int) (axes []int) {
		for k := range v.shape.Rank() {
			if !slices.Contains(sum, k) && !slices.Contains(batch, k) {
				axes = append(axes, k)
			}
		}
		return axes
	}
	size := func(v *value, axes []int) int {
		n := 1
		for _, k := range axes {
			n *= v.shape.Dimensions[k]
		}
		return n
	}
	aRest, bRest := rest(x, aSum, aBatch), rest(y, bSum, bBatch)
	var batch []int
	for _, k := range aBatch {
		batch = append(batch, x.shape.Dimensions[k])
	}
	matrix := func(v *value, batchAxes, rows, columns []int) (string, error) {
		order := slices.Concat(batchAxes, rows, columns)
		var t compute.Value = v
		if !slices.IsSorted(order) {
			if t, err = f.Transpose(v, order...); err != nil {
				return "", err
			}
		}
		if t, err = f.Reshape(t, slices.Concat(batch, []int{size(v, rows), size(v, columns)})...); err != nil {
			return "", err
		}
		return f.whole(t)
	}
	left, err := matrix(x, aBatch, aRest, aSum)
	if err != nil {
		return nil, err
	}
	right, err := matrix(y, bBatch, bSum, bRest)
	if err != nil {
		return nil, err
	}
	dims := slices.Concat(batch, []int{size(x, aRest), size(y, bRest)})
	product := &value{f.r.to.Op("MatMul", left, right), shapes.Make(shape.DType, dims...), dims}
	return f.Reshape(product, shape.Dimensions...)
}

package onnx

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

// operator evaluates a node. It panics with a message if inputs do not fit, which [Graph.Run] turns into an error.
type operator struct {
	least int // inputs that must be there
	run   func(r *run, n *Node, in []*Tensor) []*Tensor
}

// operators has the operators by name, with the domain before it unless that is ONNX's own.
var operators map[string]operator

func init() {
	operators = map[string]operator{
		"Add": arithmetic(func(a, b float64) float64 { return a + b }, func(a, b int64) int64 { return a + b }),
		"Sub": arithmetic(func(a, b float64) float64 { return a - b }, func(a, b int64) int64 { return a - b }),
		"Mul": arithmetic(func(a, b float64) float64 { return a * b }, func(a, b int64) int64 { return a * b }),
		"Div": arithmetic(func(a, b float64) float64 { return a / b }, func(a, b int64) int64 { return a / b }),
		"Pow": arithmetic(math.Pow, func(a, b int64) int64 { return int64(math.Pow(float64(a), float64(b))) }),
		"Max": variadic(arithmetic(math.Max, func(a, b int64) int64 { return max(a, b) })),
		"Min": variadic(arithmetic(math.Min, func(a, b int64) int64 { return min(a, b) })),

		"Equal":          {2, func(r *run, _ *Node, in []*Tensor) []*Tensor { return one(equal(r, in[0], in[1])) }},
		"Less":           comparison(func(order int) bool { return order < 0 }),
		"LessOrEqual":    comparison(func(order int) bool { return order <= 0 }),
		"Greater":        comparison(func(order int) bool { return order > 0 }),
		"GreaterOrEqual": comparison(func(order int) bool { return order >= 0 }),
		"And":            logical(func(a, b bool) bool { return a && b }),
		"Or":             logical(func(a, b bool) bool { return a || b }),
		"Xor":            logical(func(a, b bool) bool { return a != b }),
		"Not": {1, func(_ *run, _ *Node, in []*Tensor) []*Tensor {
			return one(&Tensor{in[0].Dims, mapped(in[0].Data.([]bool), func(v bool) bool { return !v })})
		}},

		"Neg":        unary(func(v float64) float64 { return -v }),
		"Abs":        unary(math.Abs),
		"Exp":        unary(math.Exp),
		"Log":        unary(math.Log),
		"Sqrt":       unary(math.Sqrt),
		"Reciprocal": unary(func(v float64) float64 { return 1 / v }),
		"Tanh":       unary(math.Tanh),
		"Erf":        unary(math.Erf),
		"Sin":        unary(math.Sin),
		"Cos":        unary(math.Cos),
		"Floor":      unary(math.Floor),
		"Ceil":       unary(math.Ceil),
		"Round":      unary(math.RoundToEven),
		"Sigmoid":    unary(func(v float64) float64 { return 1 / (1 + math.Exp(-v)) }),
		"Sign": unary(func(v float64) float64 {
			switch {
			case v > 0:
				return 1
			case v < 0:
				return -1
			}
			return v
		}),
		"IsNaN": test(math.IsNaN),
		"IsInf": test(func(v float64) bool { return math.IsInf(v, 0) }),

		"Identity": {1, func(_ *run, _ *Node, in []*Tensor) []*Tensor { return one(in[0]) }},
		"Cast": {1, func(_ *run, n *Node, in []*Tensor) []*Tensor {
			return one(cast(in[0], Type(attribute(n, "to", int64(Float)))))
		}},
		"Where": {3, func(r *run, _ *Node, in []*Tensor) []*Tensor { return one(where(r, in[0], in[1], in[2])) }},

		"MatMul": {2, func(r *run, _ *Node, in []*Tensor) []*Tensor { return one(matmul(r, in[0], in[1])) }},

		"Shape": {1, func(_ *run, _ *Node, in []*Tensor) []*Tensor {
			return one(Vector(mapped(in[0].Dims, func(d int) int64 { return int64(d) })...))
		}},
		"Transpose": {1, func(_ *run, n *Node, in []*Tensor) []*Tensor {
			return one(transpose(in[0], attribute[[]int64](n, "perm", nil)))
		}},
		"Reshape":   {2, reshape},
		"Unsqueeze": {2, unsqueeze},
		"Squeeze":   {1, squeeze},
		"Expand":    {2, func(r *run, _ *Node, in []*Tensor) []*Tensor { return one(expand(r, in[0], lengths(in[1]))) }},
		"Range":     {3, sequence},
		"Concat": {1, func(r *run, n *Node, in []*Tensor) []*Tensor {
			return one(concat(r, int(attribute(n, "axis", int64(0))), in))
		}},
		"Slice": {3, slice},
		"Gather": {2, func(r *run, n *Node, in []*Tensor) []*Tensor {
			return one(gather(r, in[0], in[1], int(attribute(n, "axis", int64(0)))))
		}},
		"Compress": {2, compress},
		"TopK":     {2, topK},

		"ReduceSum":  reduction(func(values []float64) float64 { return sum(values) }),
		"ReduceMean": reduction(func(values []float64) float64 { return sum(values) / float64(len(values)) }),
		"ReduceMax":  reduction(func(values []float64) float64 { return fold(math.Inf(-1), values, math.Max) }),
		"ReduceMin":  reduction(func(values []float64) float64 { return fold(math.Inf(1), values, math.Min) }),
		"ReduceProd": reduction(func(values []float64) float64 { return fold(1, values, func(a, b float64) float64 { return a * b }) }),
		"ArgMax":     extreme(func(a, b float64) bool { return a > b }),
		"ArgMin":     extreme(func(a, b float64) bool { return a < b }),
		"Softmax": along(-1, func(values []float64) {
			whole := logSumExp(values)
			for i, v := range values {
				values[i] = math.Exp(v - whole)
			}
		}),
		"CumSum": {2, cumSum},

		ML + ".TreeEnsembleRegressor": {1, treeEnsemble},
		ML + ".OneHotEncoder":         {1, oneHot},
	}
}

func one(t *Tensor) []*Tensor { return []*Tensor{t} }

// size returns the number of values of dimensions, and panics if there are too many.
func (r *run) size(dims []int) int {
	n := size(dims)
	if n < 0 || n > r.most {
		panic(fmt.Sprintf("an array of shape %v; a file and a bag of these sizes may make arrays of %d values", dims, r.most))
	}
	return n
}

// zeros returns an array of zeros.
func (r *run) zeros(t Type, dims []int) *Tensor {
	n := r.size(dims)
	switch t {
	case Float:
		return NewTensor(make([]float32, n), dims...)
	case Double:
		return NewTensor(make([]float64, n), dims...)
	case Int32:
		return NewTensor(make([]int32, n), dims...)
	case Int64:
		return NewTensor(make([]int64, n), dims...)
	case Bool:
		return NewTensor(make([]bool, n), dims...)
	}
	return NewTensor(make([]string, n), dims...)
}

// integers returns whole numbers as int64.
func integers(t *Tensor) []int64 {
	switch data := t.Data.(type) {
	case []int64:
		return data
	case []int32:
		return mapped(data, func(v int32) int64 { return int64(v) })
	}
	panic("whole numbers are needed")
}

// lengths returns whole numbers as dimensions.
func lengths(t *Tensor) []int { return mapped(integers(t), func(v int64) int { return int(v) }) }

// doubles returns numbers as float64.
func doubles(t *Tensor) []float64 {
	switch data := t.Data.(type) {
	case []float64:
		return data
	case []float32:
		return mapped(data, func(v float32) float64 { return float64(v) })
	case []int32:
		return mapped(data, func(v int32) float64 { return float64(v) })
	case []int64:
		return mapped(data, func(v int64) float64 { return float64(v) })
	case []bool:
		return mapped(data, func(v bool) float64 {
			if v {
				return 1
			}
			return 0
		})
	}
	panic("numbers are needed")
}

// typed returns float64 values in another type.
func typed(values []float64, dims []int, t Type) *Tensor {
	switch t {
	case Float:
		return NewTensor(mapped(values, func(v float64) float32 { return float32(v) }), dims...)
	case Int32:
		return NewTensor(mapped(values, func(v float64) int32 { return int32(v) }), dims...)
	case Int64:
		return NewTensor(mapped(values, func(v float64) int64 { return int64(v) }), dims...)
	case Bool:
		return NewTensor(mapped(values, func(v float64) bool { return v != 0 }), dims...)
	}
	return NewTensor(values, dims...)
}

func cast(t *Tensor, to Type) *Tensor {
	if t.Type() == to {
		return t
	}
	if ints, is := t.Data.([]int64); is && to == Int32 {
		return NewTensor(mapped(ints, func(v int64) int32 { return int32(v) }), t.Dims...)
	}
	return typed(doubles(t), t.Dims, to)
}

// together returns the dimensions that two arrays broadcast to.
func together(a, b []int) []int {
	dims := make([]int, max(len(a), len(b)))
	at := func(d []int, k int) int {
		if k -= len(dims) - len(d); k < 0 {
			return 1
		}
		return d[k]
	}
	for k := range dims {
		x, y := at(a, k), at(b, k)
		switch {
		case x == y, y == 1:
			dims[k] = x
		case x == 1:
			dims[k] = y
		default:
			panic("arrays of shapes that do not go together")
		}
	}
	return dims
}

// broadcast calls f with the index of each value of an array of dims and those of the arrays that broadcast to it.
func broadcast(dims []int, shapes [][]int, f func(i int, at []int)) {
	n := size(dims)
	if n == 0 {
		return
	}
	steps := make([][]int, len(shapes))
	for k, shape := range shapes {
		steps[k] = make([]int, len(dims))
		step := 1
		for axis := len(shape) - 1; axis >= 0; axis-- {
			if shape[axis] != 1 {
				steps[k][axis+len(dims)-len(shape)] = step
			}
			step *= shape[axis]
		}
	}
	at, place := make([]int, len(shapes)), make([]int, len(dims))
	for i := 0; ; {
		f(i, at)
		if i++; i == n {
			return
		}
		for axis := len(dims) - 1; ; axis-- {
			place[axis]++
			for k := range at {
				at[k] += steps[k][axis]
			}
			if place[axis] < dims[axis] {
				break
			}
			for k := range at {
				at[k] -= steps[k][axis] * dims[axis]
			}
			place[axis] = 0
		}
	}
}

// pairs applies f to the values of two arrays.
func pairs[A, B any](r *run, x, y *Tensor, a []A, b []A, f func(A, A) B) (out []B, dims []int) {
	if slices.Equal(x.Dims, y.Dims) {
		out = make([]B, len(a))
		for i, v := range a {
			out[i] = f(v, b[i])
		}
		return out, x.Dims
	}
	dims = together(x.Dims, y.Dims)
	out = make([]B, r.size(dims))
	broadcast(dims, [][]int{x.Dims, y.Dims}, func(i int, at []int) { out[i] = f(a[at[0]], b[at[1]]) })
	return out, dims
}

// arithmetic returns an operator on two arrays of numbers. Numbers of float32 are computed in float64 and rounded.
func arithmetic(real func(a, b float64) float64, whole func(a, b int64) int64) operator {
	return operator{2, func(r *run, _ *Node, in []*Tensor) []*Tensor {
		x, y := in[0], in[1]
		if x.Type() != y.Type() {
			panic("arrays of two types")
		}
		switch a := x.Data.(type) {
		case []float32:
			out, dims := pairs(r, x, y, a, y.Data.([]float32), func(a, b float32) float32 { return float32(real(float64(a), float64(b))) })
			return one(NewTensor(out, dims...))
		case []float64:
			out, dims := pairs(r, x, y, a, y.Data.([]float64), real)
			return one(NewTensor(out, dims...))
		}
		out, dims := pairs(r, x, y, integers(x), integers(y), whole)
		return one(cast(NewTensor(out, dims...), x.Type()))
	}}
}

// variadic applies an operator on two arrays to one after another.
func variadic(of operator) operator {
	return operator{1, func(r *run, n *Node, in []*Tensor) []*Tensor {
		all := in[0]
		for _, t := range in[1:] {
			all = of.run(r, n, []*Tensor{all, t})[0]
		}
		return one(all)
	}}
}

func comparison(is func(order int) bool) operator {
	return operator{2, func(r *run, _ *Node, in []*Tensor) []*Tensor {
		x, y := in[0], in[1]
		compare := func(a, b float64) bool { return a == a && b == b && is(cmp.Compare(a, b)) }
		if x.Type() == Int64 || x.Type() == Int32 {
			out, dims := pairs(r, x, y, integers(x), integers(y), func(a, b int64) bool { return is(cmp.Compare(a, b)) })
			return one(NewTensor(out, dims...))
		}
		out, dims := pairs(r, x, y, doubles(x), doubles(y), compare)
		return one(NewTensor(out, dims...))
	}}
}

func equal(r *run, x, y *Tensor) *Tensor {
	if a, is := x.Data.([]string); is {
		out, dims := pairs(r, x, y, a, y.Data.([]string), func(a, b string) bool { return a == b })
		return NewTensor(out, dims...)
	}
	out, dims := pairs(r, x, y, doubles(x), doubles(y), func(a, b float64) bool { return a == b })
	return NewTensor(out, dims...)
}

func logical(f func(a, b bool) bool) operator {
	return operator{2, func(r *run, _ *Node, in []*Tensor) []*Tensor {
		out, dims := pairs(r, in[0], in[1], in[0].Data.([]bool), in[1].Data.([]bool), f)
		return one(NewTensor(out, dims...))
	}}
}

func unary(f func(float64) float64) operator {
	return operator{1, func(_ *run, _ *Node, in []*Tensor) []*Tensor {
		return one(typed(mapped(doubles(in[0]), f), in[0].Dims, in[0].Type()))
	}}
}

func test(f func(float64) bool) operator {
	return operator{1, func(_ *run, _ *Node, in []*Tensor) []*Tensor {
		return one(NewTensor(mapped(doubles(in[0]), f), in[0].Dims...))
	}}
}

func where(r *run, condition, yes, no *Tensor) *Tensor {
	dims := together(together(condition.Dims, yes.Dims), no.Dims)
	switch a := yes.Data.(type) {
	case []float32:
		return chosen(r, dims, condition, yes, no, a, no.Data.([]float32))
	case []float64:
		return chosen(r, dims, condition, yes, no, a, no.Data.([]float64))
	case []int64:
		return chosen(r, dims, condition, yes, no, a, no.Data.([]int64))
	case []int32:
		return chosen(r, dims, condition, yes, no, a, no.Data.([]int32))
	case []bool:
		return chosen(r, dims, condition, yes, no, a, no.Data.([]bool))
	}
	panic("values of a type that cannot be chosen")
}

func chosen[T Value](r *run, dims []int, condition, yes, no *Tensor, a, b []T) *Tensor {
	out, c := make([]T, r.size(dims)), condition.Data.([]bool)
	broadcast(dims, [][]int{condition.Dims, yes.Dims, no.Dims}, func(i int, at []int) {
		if out[i] = b[at[2]]; c[at[0]] {
			out[i] = a[at[1]]
		}
	})
	return NewTensor(out, dims...)
}

// matmul multiplies the matrices of the last two axes; those before broadcast.
func matmul(r *run, a, b *Tensor) *Tensor {
	left, right := a.Dims, b.Dims
	if len(left) == 1 {
		left = []int{1, left[0]}
	}
	if len(right) == 1 {
		right = []int{right[0], 1}
	}
	if len(left) < 2 || len(right) < 2 || left[len(left)-1] != right[len(right)-2] {
		panic("matrices of shapes that do not go together")
	}
	m, k, n := left[len(left)-2], left[len(left)-1], right[len(right)-1]
	before := together(left[:len(left)-2], right[:len(right)-2])
	dims := slices.Concat(before, []int{m, n})
	out := r.zeros(a.Type(), dims)
	if m > 0 && n > 0 && k > 0 {
		broadcast(before, [][]int{left[:len(left)-2], right[:len(right)-2]}, func(i int, at []int) {
			product(out.Data, a.Data, b.Data, i*m*n, at[0]*m*k, at[1]*k*n, m, k, n)
		})
	}
	if len(a.Dims) == 1 {
		dims = slices.Delete(dims, len(dims)-2, len(dims)-1)
	}
	if len(b.Dims) == 1 {
		dims = dims[:len(dims)-1]
	}
	out.Dims = dims
	return out
}

// product writes the product of an m x k and a k x n matrix that begin at the given places.
func product(out, a, b any, o, i, j, m, k, n int) {
	switch x := a.(type) {
	case []float32:
		blas32.Gemm(blas.NoTrans, blas.NoTrans, 1, blas32.General{Rows: m, Cols: k, Stride: k, Data: x[i : i+m*k]},
			blas32.General{Rows: k, Cols: n, Stride: n, Data: b.([]float32)[j : j+k*n]}, 0,
			blas32.General{Rows: m, Cols: n, Stride: n, Data: out.([]float32)[o : o+m*n]})
	case []float64:
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, blas64.General{Rows: m, Cols: k, Stride: k, Data: x[i : i+m*k]},
			blas64.General{Rows: k, Cols: n, Stride: n, Data: b.([]float64)[j : j+k*n]}, 0,
			blas64.General{Rows: m, Cols: n, Stride: n, Data: out.([]float64)[o : o+m*n]})
	default:
		panic("matrices that are not of floating-point numbers")
	}
}

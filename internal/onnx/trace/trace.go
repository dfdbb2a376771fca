// Package trace records a graph of GoMLX as one of ONNX.
//
// It is a backend of GoMLX whose builder adds nodes of ONNX instead of compiling. So whatever a function writes as a graph, also
// a user's own layer, can be exported without being written again. Sizes that shall stay free, such as the number of instances,
// are large primes while the graph is recorded: a dimension tells by its divisors which of them it holds. The graph is recorded
// twice, with other primes; if the two differ in more than these, a size shows in a number and cannot be free.
package trace

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/notimplemented"
	"github.com/gomlx/compute/shapeinference"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/internal/onnx"
)

// Input is an argument of a recorded function: a value of the graph with free sizes, or a tensor.
type Input struct {
	Name   string       // of the value in the graph
	Type   dtypes.DType // of the value
	Dims   []Dim        // of the value
	Tensor *onnx.Tensor // instead of a value: becomes a constant
}

// Dim is a dimension of an input: a number, or a size that stays free, by the name of a scalar int64 in the graph.
type Dim struct {
	Size int
	Free string
}

// Record adds what function f computes from inputs to a graph, and returns the names of its results.
func Record(to *onnx.Graph, inputs []Input, f func(in []*graph.Node) []*graph.Node) ([]string, error) {
	var names [2][]string
	var trials [2]*onnx.Graph
	for k := range 2 {
		into := to.Trial()
		r := &recorder{to: into, primes: map[string]int{}}
		if err := r.choose(inputs, k); err != nil {
			return nil, err
		}
		var err error
		if names[k], err = r.record(inputs, f); err != nil {
			return nil, err
		}
		trials[k] = into
	}
	if !trials[0].Equal(trials[1]) {
		return nil, errors.New("the network computes with a size, such as the number of instances, as with a fixed number")
	}
	to.Take(trials[0])
	return names[0], nil
}

// recorder records one graph.
type recorder struct {
	to     *onnx.Graph
	primes map[string]int // of free sizes
	free   []string       // in order
	inputs map[string]Input
}

// choose gives each free size a prime that divides no other dimension of the inputs.
func (r *recorder) choose(inputs []Input, trial int) error {
	p := 1009 + 2000*trial
	fits := func(p int) bool {
		for d := 2; d*d <= p; d++ {
			if p%d == 0 {
				return false
			}
		}
		for _, in := range inputs {
			dims := mappedSizes(in)
			if slices.ContainsFunc(dims, func(d int) bool { return d > 0 && d%p == 0 }) {
				return false
			}
		}
		return true
	}
	for _, in := range inputs {
		for _, d := range in.Dims {
			if d.Free == "" || r.primes[d.Free] > 0 {
				continue
			}
			for p++; !fits(p); p++ {
				if p > math.MaxInt16 {
					return errors.New("no primes are left for the sizes of the graph")
				}
			}
			r.primes[d.Free], r.free = p, append(r.free, d.Free)
		}
	}
	return nil
}

func mappedSizes(in Input) (sizes []int) {
	if in.Tensor != nil {
		return in.Tensor.Dims
	}
	for _, d := range in.Dims {
		sizes = append(sizes, d.Size)
	}
	return sizes
}

// record calls f with nodes for the inputs. GoMLX panics with what is wrong in a graph.
func (r *recorder) record(inputs []Input, f func(in []*graph.Node) []*graph.Node) (names []string, err error) {
	r.inputs = map[string]Input{}
	caught := exceptions.TryCatch[error](func() {
		g := graph.NewGraph(&backend{r: r}, "exported")
		var nodes []*graph.Node
		for k, in := range inputs {
			name := fmt.Sprint("input ", k)
			r.inputs[name] = in
			shape := shapes.Make(in.Type)
			if in.Tensor != nil {
				shape = shapes.Make(dtypeOf(in.Tensor.Type()), in.Tensor.Dims...)
			}
			for _, d := range in.Dims {
				size := d.Size
				if d.Free != "" {
					size = r.primes[d.Free]
				}
				shape.Dimensions = append(shape.Dimensions, size)
			}
			nodes = append(nodes, graph.Parameter(g, name, shape))
		}
		out := f(nodes)
		err = g.Compile(out...)
	})
	var done recorded
	if e := errors.Join(caught, err); errors.As(e, &done) {
		return done, nil
	} else if e != nil {
		return nil, e
	}
	return nil, errors.New("a graph without results")
}

// recorded ends a recording: the names of the results.
type recorded []string

func (recorded) Error() string { return "recorded" }

// backend is a backend of GoMLX that records.
type backend struct {
	notimplemented.Backend
	r *recorder
}

func (b *backend) Name() string   { return "onnx" }
func (b *backend) String() string { return "onnx" }

// Capabilities says that the backend has functions, so that [function.Closure] can say why it has none.
func (b *backend) Capabilities() compute.Capabilities {
	c := b.Backend.Capabilities()
	c.Functions = true
	return c
}

func (b *backend) Builder(name string) compute.Builder { return &builder{r: b.r} }

type builder struct {
	notimplemented.Builder
	r    *recorder
	main *function
}

func (b *builder) Name() string { return "onnx" }

func (b *builder) Main() compute.Function {
	if b.main == nil {
		b.main = &function{Function: notimplemented.Function{ErrFn: unknown}, r: b.r, b: b}
	}
	return b.main
}

func (b *builder) OpShape(v compute.Value) (shapes.Shape, error) { return v.(*value).shape, nil }

func (b *builder) Compile() (compute.Executable, error) { return nil, b.main.results }

// unknown is the error of an operation that is not recorded. GoMLX takes others instead of fused ones.
func unknown(op compute.OpType) error {
	return fmt.Errorf("the network uses the operation %s, which is not exported (%w)", op, compute.ErrNotImplemented)
}

// value is a value of the recorded graph. Its array may have one entry along an axis where shape has more: then it stands for an
// array that repeats it, as in broadcasting.
type value struct {
	name  string
	shape shapes.Shape
	have  []int
}

type function struct {
	notimplemented.Function
	r       *recorder
	b       *builder
	results recorded
}

// Closure is an error: the body of a loop or the order of a sort.
func (f *function) Closure() (compute.Function, error) {
	return nil, errors.New("the network sorts values or loops, which is not exported")
}

func (f *function) Builder() compute.Builder { return f.b }

func (f *function) Shape(v compute.Value) (shapes.Shape, error) { return v.(*value).shape, nil }

func (f *function) Parameter(name string, shape shapes.Shape, _ *compute.ShardingSpec) (compute.Value, error) {
	in := f.r.inputs[name]
	if in.Tensor != nil {
		name = f.r.to.Const(in.Tensor)
	} else {
		name = in.Name
	}
	return &value{name, shape, shape.Dimensions}, nil
}

func (f *function) Constant(flat any, dims ...int) (compute.Value, error) {
	t := &onnx.Tensor{Dims: dims, Data: flat}
	if t.Type() == 0 {
		return nil, fmt.Errorf("the network has constants of type %T, which are not exported", flat)
	}
	return &value{f.r.to.Const(t), shapes.Make(dtypeOf(t.Type()), dims...), dims}, nil
}

func (f *function) Return(outputs []compute.Value, _ []*compute.ShardingSpec) error {
	for _, o := range outputs {
		name, err := f.whole(o)
		if err != nil {
			return err
		}
		f.results = append(f.results, name)
	}
	return nil
}

var typeNames = map[dtypes.DType]onnx.Type{
	dtypes.Float32: onnx.Float, dtypes.Float64: onnx.Double, dtypes.Int32: onnx.Int32, dtypes.Int64: onnx.Int64, dtypes.Bool: onnx.Bool,
}

func dtypeOf(t onnx.Type) dtypes.DType {
	for d, name := range typeNames {
		if name == t {
			return d
		}
	}
	return dtypes.InvalidDType
}

// factors returns a dimension as a number times free sizes.
func (r *recorder) factors(d int) (number int, sizes []string) {
	for _, name := range r.free {
		for p := r.primes[name]; d > 0 && d%p == 0; d /= p {
			sizes = append(sizes, name)
		}
	}
	return d, sizes
}

// dims returns the name of dimensions as a vector. At most one dimension may be left to the runtime: -1.
func (r *recorder) dims(dims []int, leave bool) string {
	var fixed []int64
	free := 0
	for _, d := range dims {
		if _, sizes := r.factors(d); sizes != nil {
			free++
		}
	}
	var parts []string
	flush := func() {
		if fixed != nil {
			parts = append(parts, r.to.Ints(fixed...))
		}
		fixed = nil
	}
	for _, d := range dims {
		number, sizes := r.factors(d)
		switch {
		case sizes == nil:
			fixed = append(fixed, int64(number))
		case leave && free == 1:
			fixed = append(fixed, -1)
		default:
			flush()
			product := r.to.Const(onnx.Scalar(int64(number)))
			for _, s := range sizes {
				product = r.to.Op("Mul", product, s)
			}
			parts = append(parts, r.to.Op("Reshape", product, r.to.Ints(1)))
		}
	}
	flush()
	switch len(parts) {
	case 0:
		return r.to.Ints()
	case 1:
		return parts[0]
	}
	return r.to.Along("Concat", 0, parts...)
}

// whole returns the name of the array of v with all its entries.
func (f *function) whole(x compute.Value) (string, error) {
	v := x.(*value)
	if slices.Equal(v.have, v.shape.Dimensions) {
		return v.name, nil
	}
	return f.r.to.Op("Expand", v.name, f.r.dims(v.shape.Dimensions, false)), nil
}

// elementwise adds an operation on values that broadcast.
func (f *function) elementwise(op string, shape shapes.Shape, in ...compute.Value) (compute.Value, error) {
	names, have := make([]string, len(in)), slices.Repeat([]int{1}, shape.Rank())
	for k, x := range in {
		v := x.(*value)
		names[k] = v.name
		for axis, d := range v.have {
			if axis += shape.Rank() - len(v.have); d != 1 {
				have[axis] = d
			}
		}
	}
	return &value{f.r.to.Op(op, names...), shape, have}, nil
}

func (f *function) unary(op string, x compute.Value) (compute.Value, error) {
	return f.elementwise(op, x.(*value).shape, x)
}

func (f *function) binary(op string, kind compute.OpType, a, b compute.Value) (compute.Value, error) {
	shape, err := shapeinference.BinaryOp(kind, a.(*value).shape, b.(*value).shape)
	if err != nil {
		return nil, err
	}
	return f.elementwise(op, shape, a, b)
}

func (f *function) compare(op string, kind compute.OpType, a, b compute.Value) (compute.Value, error) {
	shape, err := shapeinference.ComparisonOp(kind, a.(*value).shape, b.(*value).shape)
	if err != nil {
		return nil, err
	}
	return f.elementwise(op, shape, a, b)
}

// scalar returns a scalar of the type of x.
func (f *function) scalar(x compute.Value, v float64) compute.Value {
	d := x.(*value).shape.DType
	t := onnx.Scalar(v)
	switch d {
	case dtypes.Float32:
		t = onnx.Scalar(float32(v))
	case dtypes.Int32:
		t = onnx.Scalar(int32(v))
	case dtypes.Int64:
		t = onnx.Scalar(int64(v))
	}
	return &value{f.r.to.Const(t), shapes.Make(d), nil}
}

func (f *function) reduce(op string, x compute.Value, axes []int) (compute.Value, error) {
	v := x.(*value)
	if len(axes) == 0 {
		for k := range v.shape.Rank() {
			axes = append(axes, k)
		}
	}
	name, err := f.whole(x)
	if err != nil {
		return nil, err
	}
	shape, err := shapeinference.Reduce(v.shape, axes)
	if err != nil {
		return nil, err
	}
	long := make([]int64, len(axes))
	for k, a := range axes {
		long[k] = int64(a)
	}
	return &value{f.r.to.Reduce(op, name, false, long...), shape, shape.Dimensions}, nil
}

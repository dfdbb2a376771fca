package onnx

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Versions of the format and of the operators.
const (
	irVersion = 8
	opset     = 18
	mlOpset   = 3

	// ML is the domain of operators for classical learners.
	ML = "ai.onnx.ml"
)

// Type is the type of a tensor's values, by its number in the format.
type Type int32

// Types of values.
const (
	Float  Type = 1
	Int32  Type = 6
	Int64  Type = 7
	String Type = 8
	Bool   Type = 9
	Double Type = 11
)

// Tensor is an array. Data is a []float32, []int32, []int64, []string, []bool or []float64, row-major.
type Tensor struct {
	Dims []int
	Data any
}

// NewTensor returns a tensor of these dimensions; without dimensions it is a scalar.
func NewTensor[T Value](data []T, dims ...int) *Tensor { return &Tensor{dims, data} }

// Scalar returns a tensor of one value without dimensions.
func Scalar[T Value](v T) *Tensor { return NewTensor([]T{v}) }

// Vector returns a tensor of one dimension.
func Vector[T Value](data ...T) *Tensor { return NewTensor(data, len(data)) }

// Value is a type of values in Go.
type Value interface {
	float32 | int32 | int64 | string | bool | float64
}

// Type returns the type of the values.
func (t *Tensor) Type() Type {
	switch t.Data.(type) {
	case []float32:
		return Float
	case []int32:
		return Int32
	case []int64:
		return Int64
	case []string:
		return String
	case []bool:
		return Bool
	case []float64:
		return Double
	}
	return 0
}

// size returns the number of values of dimensions, or -1 if there are too many: more than 2^46 without those of dimensions of 0.
func size(dims []int) int {
	n, all := 1, 1
	for _, d := range dims {
		if d < 0 || d > 0 && all > (1<<46)/d {
			return -1
		}
		n, all = n*d, all*max(d, 1)
	}
	return n
}

// Info describes an input or an output. A dimension is a number, or a name where it is free. Without Dims nothing is said of them.
type Info struct {
	Name string
	Type Type
	Dims []string
}

// Node is an operation. The values of Attributes are int64, float32, string, []int64, []float32, []string, [*Tensor] or [*Graph].
type Node struct {
	Op, Domain      string
	Inputs, Outputs []string // an empty name is an input that is left out
	Attributes      []Attribute
}

// Attribute is a fixed parameter of an operation.
type Attribute struct {
	Name  string
	Value any
}

// attribute returns the value of an attribute, or otherwise if the node has none of this name and type.
func attribute[T any](n *Node, name string, otherwise T) T {
	for _, a := range n.Attributes {
		if v, is := a.Value.(T); is && a.Name == name {
			return v
		}
	}
	return otherwise
}

// Graph is a computation. The zero value is an empty one.
type Graph struct {
	Name            string
	Inputs, Outputs []Info
	Nodes           []*Node
	Constants       []Constant

	outer *Graph // of the body of a loop
	next  int
	known map[string]string // names of constants and of pure operations by content
}

// Constant is a tensor with a name.
type Constant struct {
	Name string
	*Tensor
}

// root returns the graph that is the body of none.
func (g *Graph) root() *Graph {
	for g.outer != nil {
		g = g.outer
	}
	return g
}

// Fresh returns a name that is new in g and the graphs around it.
func (g *Graph) Fresh(stem string) string {
	r := g.root()
	r.next++
	return strings.ToLower(stem) + "_" + strconv.Itoa(r.next)
}

// Input adds an input and returns its name. Without dimensions it is a scalar.
func (g *Graph) Input(name string, t Type, dims ...string) string {
	g.Inputs = append(g.Inputs, Info{name, t, append([]string{}, dims...)})
	return name
}

// Output adds an output that is the value called from. Without dimensions nothing is said of them.
func (g *Graph) Output(name, from string, t Type, dims ...string) {
	g.Nodes = append(g.Nodes, &Node{Op: "Identity", Inputs: []string{from}, Outputs: []string{name}})
	g.Outputs = append(g.Outputs, Info{name, t, dims})
}

// Const adds a tensor and returns its name. Small tensors that are equal have one name.
func (g *Graph) Const(t *Tensor) string {
	r := g.root()
	key := ""
	if size(t.Dims) <= 16 {
		key = fmt.Sprintf("%T%v%v", t.Data, t.Dims, t.Data)
		if name, there := r.known[key]; there {
			return name
		}
	}
	name := r.Fresh("const")
	r.Constants = append(r.Constants, Constant{name, t})
	r.remember(key, name)
	return name
}

func (g *Graph) remember(key, name string) {
	if key == "" {
		return
	}
	if g.known == nil {
		g.known = map[string]string{}
	}
	g.known[key] = name
}

// Doubles returns the name of a constant of float64 values.
func (g *Graph) Doubles(values []float64, dims ...int) string {
	return g.Const(NewTensor(slices.Clone(values), dims...))
}

// Double returns the name of a constant float64 scalar.
func (g *Graph) Double(v float64) string { return g.Const(Scalar(v)) }

// Ints returns the name of a constant vector of int64 values.
func (g *Graph) Ints(values ...int64) string { return g.Const(Vector(values...)) }

// Op adds an operation of ONNX's own set with one output and returns the output's name.
func (g *Graph) Op(op string, inputs ...string) string { return g.Add("", op, 1, inputs)[0] }

// With adds an operation like [Graph.Op], with attributes.
func (g *Graph) With(op string, attributes []Attribute, inputs ...string) string {
	return g.Add("", op, 1, inputs, attributes...)[0]
}

// Along adds an operation along an axis.
func (g *Graph) Along(op string, axis int64, inputs ...string) string {
	return g.With(op, []Attribute{{"axis", axis}}, inputs...)
}

// Each adds a loop that computes float64 values for each i from 0 to count, a scalar int64, and returns them collected along a new
// first axis. f adds the values to the body of the loop, which can use those of g.
func (g *Graph) Each(count string, f func(body *Graph, i string) ([]string, error)) ([]string, error) {
	body := &Graph{outer: g, Name: "body"}
	i, more := body.Input(g.Fresh("i"), Int64), body.Input(g.Fresh("more"), Bool)
	values, err := f(body, i)
	if err != nil {
		return nil, err
	}
	body.Output(g.Fresh("more"), more, Bool)
	for _, v := range values {
		body.Output(g.Fresh("of_i"), v, Double)
	}
	return g.Add("", "Loop", len(values), []string{count, g.Const(Scalar(true))}, Attribute{"body", body}), nil
}

// Add adds an operation and returns the names of its outputs. An operation that g has already is not added again.
func (g *Graph) Add(domain, op string, outputs int, inputs []string, attributes ...Attribute) []string {
	key := ""
	if !slices.ContainsFunc(attributes, func(a Attribute) bool { _, body := a.Value.(*Graph); return body }) {
		key = fmt.Sprintf("%s %s %d %q %v", domain, op, outputs, inputs, attributes)
		if first, there := g.known[key]; there {
			for _, n := range g.Nodes {
				if n.Outputs[0] == first {
					return n.Outputs
				}
			}
		}
	}
	n := &Node{Op: op, Domain: domain, Inputs: inputs, Attributes: attributes}
	for range outputs {
		n.Outputs = append(n.Outputs, g.Fresh(op))
	}
	g.Nodes = append(g.Nodes, n)
	g.remember(key, n.Outputs[0])
	return n.Outputs
}

// Reduce adds a reduction, such as ReduceMax, over axes. The axes stay, with one entry, if keep is true.
func (g *Graph) Reduce(op, x string, keep bool, axes ...int64) string {
	kept := int64(0)
	if keep {
		kept = 1
	}
	return g.With(op, []Attribute{{"keepdims", kept}}, x, g.Ints(axes...))
}

// Cast adds a conversion of x to another type.
func (g *Graph) Cast(x string, to Type) string {
	return g.With("Cast", []Attribute{{"to", int64(to)}}, x)
}

// Only returns a graph with what these outputs need; names that are not those of outputs count for nothing.
func (g *Graph) Only(outputs ...string) *Graph {
	some := *g
	some.Outputs = slices.DeleteFunc(slices.Clone(g.Outputs), func(o Info) bool { return !slices.Contains(outputs, o.Name) })
	some.known = nil // names what is pruned, too
	some.Prune()
	return &some
}

// Prune removes nodes and constants that no output needs.
func (g *Graph) Prune() {
	needed := map[string]bool{}
	for _, o := range g.Outputs {
		needed[o.Name] = true
	}
	g.prune(needed)
	g.Constants = slices.DeleteFunc(slices.Clone(g.Constants), func(c Constant) bool { return !needed[c.Name] })
}

func (g *Graph) prune(needed map[string]bool) {
	var kept []*Node
	for _, n := range slices.Backward(g.Nodes) {
		if !slices.ContainsFunc(n.Outputs, func(name string) bool { return needed[name] }) {
			continue
		}
		kept = append(kept, n)
		for _, name := range n.Inputs {
			needed[name] = true
		}
		for _, a := range n.Attributes {
			if body, is := a.Value.(*Graph); is {
				body.uses(func(name string) { needed[name] = true })
			}
		}
	}
	slices.Reverse(kept)
	g.Nodes = kept
}

// Trial returns an empty graph whose values can use those of g. [Graph.Take] adds its nodes to g.
func (g *Graph) Trial() *Graph { return &Graph{next: g.root().next, Name: "trial"} }

// Equal reports whether two graphs have the same nodes and constants.
func (g *Graph) Equal(other *Graph) bool { return reflect.DeepEqual(g, other) }

// Take adds the nodes and constants of a [Graph.Trial] of g to g.
func (g *Graph) Take(trial *Graph) {
	g.root().Constants = append(g.root().Constants, trial.Constants...)
	g.Nodes = append(g.Nodes, trial.Nodes...)
	g.root().next = trial.next
}

// Log1p adds log(1 + x) for x in type t. It is log(u)·x/(u − 1) with u = 1 + x rounded, and x where u is 1, which keeps the digits
// of a small x (Goldberg, "What every computer scientist should know about floating-point arithmetic", 1991, theorem 4).
func (g *Graph) Log1p(x string, t Type) string {
	zero, one := g.number(0, t), g.number(1, t)
	u := g.Op("Add", one, x)
	change := g.Op("Sub", u, one)
	none, endless, log := g.Op("Equal", change, zero), g.Op("IsInf", g.Cast(u, Float)), g.Op("Log", u)
	ratio := g.Op("Div", x, g.Op("Where", g.Op("Or", none, endless), one, change))
	return g.Op("Where", none, x, g.Op("Where", endless, log, g.Op("Mul", log, ratio)))
}

// number returns the name of a scalar of type t.
func (g *Graph) number(v float64, t Type) string {
	if t == Float {
		return g.Const(Scalar(float32(v)))
	}
	return g.Double(v)
}

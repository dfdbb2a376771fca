package onnx

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// saved is a tensor of ops.json.
type saved struct {
	Type   Type  `json:"type"`
	Dims   []int `json:"dims"`
	Values []any `json:"values"`
}

func (s saved) tensor(t *testing.T) *Tensor {
	t.Helper()
	if s.Type == String {
		return NewTensor(mapped(s.Values, func(v any) string { return v.(string) }), s.Dims...)
	}
	numbers := mapped(s.Values, func(v any) float64 {
		switch v := v.(type) {
		case float64:
			return v
		case bool:
			if v {
				return 1
			}
			return 0
		case string:
			n, err := strconv.ParseFloat(v, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		return math.NaN()
	})
	return typed(numbers, s.Dims, s.Type)
}

type opCase struct {
	Op              string
	Model           []byte
	Inputs, Outputs map[string]saved
}

func opCases(tb testing.TB) (cases []opCase) {
	tb.Helper()
	text, err := os.ReadFile("testdata/ops.json")
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		tb.Fatal(err)
	}
	return cases
}

// TestOperators compares every operator with onnxruntime (testdata/ops.py). Both compute float32 with one rounding of a sum in
// another order: 1e-6, relative above 1; float64 to 1e-13.
func TestOperators(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range opCases(t) {
		t.Run(c.Op, func(t *testing.T) {
			m, err := Decode(c.Model)
			if err != nil {
				t.Fatal(err)
			}
			seen[c.Op] = true
			inputs := map[string]*Tensor{}
			for name, s := range c.Inputs {
				inputs[name] = s.tensor(t)
			}
			// A file that we write from what was read is the same model.
			again, err := m.Encode()
			if err != nil {
				t.Fatal(err)
			}
			second, err := Decode(again)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []*Model{m, second} {
				got, err := m.Graph.Run(context.Background(), inputs)
				if err != nil {
					t.Fatal(err)
				}
				for name, s := range c.Outputs {
					same(t, got[name], s.tensor(t))
				}
			}
		})
	}
	for name := range operators {
		if bare := strings.TrimPrefix(name, ML+"."); !seen[bare] {
			t.Errorf("no case of operator %s", name)
		}
	}
	if !seen["Loop"] {
		t.Error("no case of operator Loop")
	}
}

func same(t *testing.T, got, want *Tensor) {
	t.Helper()
	if got.Type() != want.Type() || !slices.Equal(got.Dims, want.Dims) {
		t.Fatalf("type %d and shape %v, want type %d and %v", got.Type(), got.Dims, want.Type(), want.Dims)
	}
	if want.Type() == String {
		if !reflect.DeepEqual(got.Data, want.Data) {
			t.Errorf("%v, want %v", got.Data, want.Data)
		}
		return
	}
	tolerance := 1e-6
	if want.Type() == Double {
		tolerance = 1e-13
	}
	a, b := doubles(got), doubles(want)
	for i := range b {
		if a[i] != b[i] && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) && !(math.Abs(a[i]-b[i]) <= tolerance*max(1, math.Abs(b[i]))) {
			t.Errorf("value %d is %v, want %v", i, a[i], b[i])
		}
	}
}

// TestGraph builds a graph twice the same way, in part, and checks that equal nodes and constants are one, and that Prune leaves what
// outputs need.
func TestGraph(t *testing.T) {
	g := &Graph{}
	x := g.Input("x", Double, "n")
	a := g.Op("Add", x, g.Double(1))
	if b := g.Op("Add", x, g.Double(1)); a != b {
		t.Errorf("the same node is %s and %s", a, b)
	}
	g.Op("Mul", a, g.Double(7)) // needed by no output
	g.Output("y", g.Op("Mul", a, a), Double, "n")
	g.Prune()
	if len(g.Nodes) != 3 || len(g.Constants) != 1 {
		t.Errorf("%d nodes and %d constants, want 3 and 1", len(g.Nodes), len(g.Constants))
	}
	got, err := g.Run(context.Background(), map[string]*Tensor{"x": Vector(1., 2.)})
	if err != nil {
		t.Fatal(err)
	}
	same(t, got["y"], Vector(4., 9.))
}

// TestLog1p compares with math.Log1p, from the smallest numbers to infinity, in both types.
func TestLog1p(t *testing.T) {
	x := []float64{0, 1e-300, 1e-20, 1e-9, 1e-3, 0.5, 1, 40, 1e10, math.Inf(1), -0.5, -1e-12}
	for _, kind := range []Type{Double, Float} {
		g := &Graph{}
		g.Output("y", g.Log1p(g.Input("x", kind, "n"), kind), kind, "n")
		in := typed(x, []int{len(x)}, kind)
		got, err := g.Run(context.Background(), map[string]*Tensor{"x": in})
		if err != nil {
			t.Fatal(err)
		}
		exact, tolerance := doubles(in), map[Type]float64{Double: 4e-16, Float: 3e-7}[kind]
		for i, v := range doubles(got["y"]) {
			if want := math.Log1p(exact[i]); v != want && math.Abs(v-want) > tolerance*math.Abs(want) {
				t.Errorf("type %d: log(1 + %v) = %v, want %v", kind, exact[i], v, want)
			}
		}
	}
}

// TestRunErrors has wrong inputs and wrong files: each is an error of one line, never a panic.
func TestRunErrors(t *testing.T) {
	graph := func(nodes ...*Node) *Graph {
		return &Graph{Inputs: []Info{{"x", Double, []string{"n", "2"}}}, Outputs: []Info{{"y", Double, nil}}, Nodes: nodes}
	}
	add := &Node{Op: "Add", Inputs: []string{"x", "x"}, Outputs: []string{"y"}}
	right := map[string]*Tensor{"x": NewTensor(make([]float64, 6), 3, 2)}
	for _, c := range []struct {
		name   string
		g      *Graph
		inputs map[string]*Tensor
		want   string
	}{
		{"missing", graph(add), nil, `input "x" is missing`},
		{"unknown", graph(add), map[string]*Tensor{"z": Scalar(1.)}, `input "z"`},
		{"type", graph(add), map[string]*Tensor{"x": NewTensor(make([]float32, 6), 3, 2)}, "type 1"},
		{"shape", graph(add), map[string]*Tensor{"x": NewTensor(make([]float64, 6), 2, 3)}, "shape [2 3]"},
		{"operator", graph(&Node{Op: "Conv", Inputs: []string{"x"}, Outputs: []string{"y"}}), right, "operator Conv"},
		{"nowhere", graph(&Node{Op: "Add", Inputs: []string{"x", "w"}, Outputs: []string{"y"}}), right, `"w" comes from nowhere`},
		{"few", graph(&Node{Op: "Add", Inputs: []string{"x"}, Outputs: []string{"y"}}), right, "1 inputs"},
		{"left out", graph(&Node{Op: "Add", Inputs: []string{"x", ""}, Outputs: []string{"y"}}), right, "missing"},
		{"shapes", graph(&Node{Op: "MatMul", Inputs: []string{"x", "x"}, Outputs: []string{"y"}}), right, "do not go together"},
		{"body", graph(&Node{Op: "Loop", Inputs: []string{"x"}, Outputs: []string{"y"}}), right, "body"},
		{"axis", graph(&Node{Op: "Softmax", Inputs: []string{"x"}, Outputs: []string{"y"}, Attributes: []Attribute{{"axis", int64(7)}}}), right, "axis"},
		{"output", graph(), right, `output "y"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.g.Run(context.Background(), c.inputs)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
	// Small files that ask for much: by a shape, by a product, by a range, by a number of targets, by a loop, and by many arrays.
	huge := func(nodes ...*Node) *Graph {
		g := graph(nodes...)
		for name, v := range map[string]int64{"none": 0, "one": 1, "much": 1 << 40, "large": 1 << 22} {
			g.Constants = append(g.Constants, Constant{name, Scalar(v)})
		}
		g.Constants = append(g.Constants, Constant{"dims", Vector[int64](1<<14, 1<<14, 1)}, Constant{"column", Vector[int64](1<<13, 1)}, Constant{"row", Vector[int64](1, 1<<13)},
			Constant{"unit", Scalar(1.)}, Constant{"yes", Scalar(true)})
		return g
	}
	op := func(op string, outputs string, inputs ...string) *Node {
		return &Node{Op: op, Inputs: inputs, Outputs: []string{outputs}}
	}
	body := &Graph{Inputs: []Info{{"i", Int64, nil}, {"go", Bool, nil}}, Outputs: []Info{{"go", Bool, nil}, {"x", Double, nil}}}
	live := []*Node{op("Range", "r", "none", "large", "one")}
	sum := op("Max", "y", "r")
	for k := range 20 {
		live = append(live, op("Equal", strconv.Itoa(k), "r", "r"))
		sum.Inputs = append(sum.Inputs, strconv.Itoa(k))
	}
	for _, c := range []struct {
		g    *Graph
		want string
	}{
		{huge(op("Expand", "y", "one", "dims")), "Expand y: an array of shape [16384 16384 1]; "},
		{huge(op("Range", "y", "none", "much", "one")), "Range y: an array of shape [1099511627776]; "},
		{huge(op("Expand", "a", "unit", "column"), op("Expand", "b", "unit", "row"), op("MatMul", "y", "a", "b")), "MatMul y: an array of shape [8192 8192]; "},
		{huge(&Node{Op: "TreeEnsembleRegressor", Domain: ML, Inputs: []string{"x"}, Outputs: []string{"y"}, Attributes: []Attribute{{"n_targets", int64(1 << 30)}}}), "TreeEnsembleRegressor y: an array"},
		{huge(&Node{Op: "Loop", Inputs: []string{"much", "yes"}, Outputs: []string{"y"}, Attributes: []Attribute{{"body", body}}}), "Loop y: an array"},
		{huge(append(live, sum)...), "at a time; a file and a bag of these sizes may make 67108864"},
	} {
		if _, err := c.g.Run(context.Background(), right); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := graph(add).Run(ctx, right); err != context.Canceled {
		t.Errorf("error %v of a stopped run", err)
	}
}

// FuzzDecode reads damaged files and runs what is read: no panic, and no array that the file does not hold.
func FuzzDecode(f *testing.F) {
	for _, c := range opCases(f) {
		f.Add(c.Model)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode(data)
		if err != nil {
			return
		}
		again, err := m.Encode()
		if err != nil {
			return
		}
		second, err := Decode(again)
		if err != nil {
			t.Fatalf("what was read cannot be written and read again: %v", err)
		}
		third, err := second.Encode()
		if err != nil || !bytes.Equal(again, third) {
			t.Fatalf("a file read and written twice changes, %v", err)
		}
	})
}

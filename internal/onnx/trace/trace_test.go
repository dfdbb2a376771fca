package trace

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"

	"synpool/backend/backendtest"
	"synpool/internal/onnx"
)

// record returns a graph with the input x [rows, 3] of which rows is free, and the output y.
func record(f func(x *Node) *Node) (*onnx.Graph, error) {
	g := &onnx.Graph{}
	x := g.Input("x", onnx.Float, "rows", "3")
	rows := g.Op("Gather", g.Op("Shape", x), g.Const(onnx.Scalar(int64(0))))
	names, err := Record(g, []Input{{Name: x, Type: dtypes.Float32, Dims: []Dim{{Free: rows}, {Size: 3}}}}, func(in []*Node) []*Node { return []*Node{f(in[0])} })
	if err != nil {
		return nil, err
	}
	g.Output("y", names[0], onnx.Float)
	g.Prune()
	return g, nil
}

// TestRecord compares recorded functions with what a backend of GoMLX computes, for one row, two and many.
func TestRecord(t *testing.T) {
	b := backendtest.Chosen(t)
	for name, f := range map[string]func(x *Node) *Node{
		"softmax":   func(x *Node) *Node { return Softmax(x, 0) },
		"product":   func(x *Node) *Node { return Einsum("ri,si->rs", x, x) },
		"moved":     func(x *Node) *Node { return Transpose(Reshape(x, -1, 1, 3), 0, 2) },
		"counted":   func(x *Node) *Node { return Mul(x, Iota(x.Graph(), x.Shape(), 0)) },
		"columns":   func(x *Node) *Node { return Mul(x, Iota(x.Graph(), x.Shape(), 1)) },
		"sliced":    func(x *Node) *Node { return Slice(x, AxisRange(), AxisRange(1, 3)) },
		"joined":    func(x *Node) *Node { return Concatenate([]*Node{x, Neg(x)}, 1) },
		"spread":    func(x *Node) *Node { return BroadcastToDims(ExpandAxes(ReduceMax(x, 0), 0), x.Shape().Dimensions...) },
		"one":       func(x *Node) *Node { return ReduceSum(OnesLike(x), 0) },
		"chosen":    func(x *Node) *Node { return Where(GreaterThan(x, ScalarZero(x.Graph(), x.DType())), x, Exp(x)) },
		"log1p":     func(x *Node) *Node { return Log1P(Exp(x)) },
		"expm1":     func(x *Node) *Node { return Expm1(MulScalar(x, 1e-4)) },
		"far":       func(x *Node) *Node { return Expm1(MulScalar(x, 20)) },
		"rsqrt":     func(x *Node) *Node { return Rsqrt(AddScalar(Square(x), 1)) },
		"clip":      func(x *Node) *Node { return ClipScalar(x, -0.5, 0.5) },
		"finite":    func(x *Node) *Node { return ConvertDType(IsFinite(Log(x)), x.DType()) },
		"argmax":    func(x *Node) *Node { return ConvertDType(ArgMax(x, 1), x.DType()) },
		"different": func(x *Node) *Node { return ConvertDType(NotEqual(x, Neg(x)), x.DType()) },
		"sigmoid":   func(x *Node) *Node { return Sigmoid(x) },
	} {
		t.Run(name, func(t *testing.T) {
			g, err := record(f)
			if err != nil {
				t.Fatal(err)
			}
			exec := MustNewExec(b, f)
			defer exec.Finalize()
			for _, rows := range []int{1, 2, 17} {
				x := make([]float32, 3*rows)
				two := make([][]float32, rows)
				for i := range x {
					x[i] = float32(math.Sin(float64(3*i + 1)))
				}
				for r := range two {
					two[r] = x[3*r : 3*r+3]
				}
				got, err := g.Run(context.Background(), map[string]*onnx.Tensor{"x": onnx.NewTensor(x, rows, 3)})
				if err != nil {
					t.Fatal(err)
				}
				var want []float32
				result := exec.MustCall(two)[0]
				result.MustConstFlatData(func(flat any) { want = append(want, flat.([]float32)...) })
				have := got["y"].Data.([]float32)
				if len(have) != len(want) {
					t.Fatalf("%d values of shape %v, want %s", len(have), got["y"].Dims, result.Shape())
				}
				for i, v := range want {
					if d := math.Abs(float64(have[i] - v)); d > 1e-6*max(1, math.Abs(float64(v))) {
						t.Errorf("%d rows, value %d: %v, want %v", rows, i, have[i], v)
					}
				}
			}
		})
	}
}

// TestRecordRefuses has functions that cannot be recorded.
func TestRecordRefuses(t *testing.T) {
	for _, c := range []struct {
		name, want string
		f          func(x *Node) *Node
	}{
		{"size as a number", "with a size", func(x *Node) *Node { return DivScalar(x, x.Shape().Dim(0)) }},
		{"part of a free size", "with a size", func(x *Node) *Node { return Slice(x, AxisRange(0, x.Shape().Dim(0)-1)) }},
		{"operation", "not exported", func(x *Node) *Node { return Sort(x, 0, true) }},
		{"type", "not exported", func(x *Node) *Node { return ConvertDType(ConvertDType(x, dtypes.Float16), dtypes.Float32) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := record(c.f); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

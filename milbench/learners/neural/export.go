package neural

import (
	"context"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
	"synpool/internal/onnx"
	"synpool/internal/onnx/trace"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/synlayer"
)

// Export implements [learner.Exporter].
func (m *Model) Export(g *onnx.Graph, x string) (learner.Exported, error) {
	first := func(name string) string { return g.Op("Unsqueeze", name, g.Ints(0)) }
	size := g.Op("Gather", g.Op("Shape", x), g.Const(onnx.Scalar(int64(0))))
	mask := g.Op("Expand", g.Const(onnx.NewTensor([]bool{true}, 1, 1)), g.Along("Concat", 0, g.Ints(1), g.Op("Reshape", size, g.Ints(1))))
	out, err := m.ExportBags(g, first(x), mask)
	for _, name := range []*string{&out.Scores, &out.Weights, &out.Instances, &out.ClassInstances, &out.Alive} {
		if *name != "" {
			*name = g.Op("Squeeze", *name, g.Ints(0))
		}
	}
	return out, err
}

// ExportBags does the same as Export for several bags at once. x is [bags, instances, features], and mask, booleans [bags,
// instances], is false for padding. All results have the bags as their first axis; padding has weight and score 0.
//
// The graph is that of package synlayer, recorded from GoMLX, so a pooling of your own is exported, too. A network that uses an
// operation without a counterpart is an error that names it.
func (m *Model) ExportBags(g *onnx.Graph, x, mask string) (out learner.Exported, err error) {
	if s := m.card.Standardisation; s.Shift != nil {
		x = g.Op("Sub", x, g.Doubles(s.Shift, len(s.Shift)))
	}
	if s := m.card.Standardisation; s.Factor != nil {
		x = g.Op("Mul", x, g.Doubles(s.Factor, len(s.Factor)))
	}
	x = g.Cast(x, onnx.Float)
	shape := g.Op("Shape", mask)
	bags, instances := g.Op("Gather", shape, g.Const(onnx.Scalar(int64(0)))), g.Op("Gather", shape, g.Const(onnx.Scalar(int64(1))))
	logits, weights, err := m.record(g, x, mask, bags, instances)
	if err != nil {
		return out, err
	}
	outputs := m.card.Config.target.outputs()
	z := g.Cast(g.Op("Reshape", logits, g.Ints(-1, int64(outputs))), onnx.Double)
	out.Weights = g.Cast(weights, onnx.Double)
	out.Instances = g.Reduce("ReduceMean", out.Weights, false, 1)
	switch {
	case m.card.Target == mil.RealTarget:
		z = g.Op("Add", g.Op("Mul", z, g.Double(m.card.Targets.unit())), g.Double(m.card.Targets.Mean))
	case m.card.Target == mil.ClassTarget:
		out.ClassInstances, err = m.exportContributions(g, x, mask, bags, instances, out)
	case outputs > 1: // hazards
		soft := g.Op("Add", g.Op("Max", z, g.Double(0)), g.Log1p(g.Op("Exp", g.Op("Neg", g.Op("Abs", z))), onnx.Double))
		if ends := m.card.Targets.Ends; ends != nil {
			var until []float64 // [outputs, times]: whether the hazard of an interval counts until a time
			var kept []int
			for k := range ends {
				if k+1 == len(ends) || ends[k+1] != ends[k] {
					kept, out.Times = append(kept, k), append(out.Times, ends[k])
				}
			}
			for j := range outputs {
				for _, k := range kept {
					counts := 0.
					if j <= k {
						counts = 1
					}
					until = append(until, counts)
				}
			}
			out.Alive = g.Op("Exp", g.Op("Neg", g.Op("MatMul", soft, g.Doubles(until, outputs, len(kept)))))
		}
		z = g.Op("Log", g.Reduce("ReduceSum", soft, true, 1))
	}
	out.Scores = z
	return out, err
}

// record adds the network to a graph: its logits and the weights [bags, heads, instances] of x [bags, instances, features]. The
// sizes bags and instances are names of scalars; instances may be "" for bags of one.
func (m *Model) record(g *onnx.Graph, x, mask, bags, instances string) (logits, weights string, err error) {
	b, n := trace.Dim{Free: bags}, trace.Dim{Free: instances}
	if instances == "" {
		n = trace.Dim{Size: 1}
	}
	inputs := []trace.Input{
		{Name: x, Type: dtypes.Float32, Dims: []trace.Dim{b, n, {Size: m.card.NumFeatures}}},
		{Name: mask, Type: dtypes.Bool, Dims: []trace.Dim{b, n}},
	}
	start := 0
	for _, form := range m.program.forms {
		inputs = append(inputs, trace.Input{Tensor: onnx.NewTensor(m.parameters[start:start+form.Size()], form.Dimensions...)})
		start += form.Size()
	}
	network := m.card.Config.Network()
	network.Outputs = m.card.Config.target.outputs()
	names, err := trace.Record(g, inputs, func(in []*Node) []*Node {
		values := make(map[string]*Node)
		for i, node := range in[2:] {
			values[m.program.paths[i]] = node
		}
		batched.Bind(in[0].Graph(), values)
		c := network.Classify(model.NewStore().RootScope(), synlayer.Bags{X: in[0], Mask: in[1]})
		return []*Node{c.Logits, c.Weights}
	})
	if err != nil {
		return "", "", err
	}
	return names[0], names[1], nil
}

// exportContributions adds [Model.contributions] to a graph, [bags, classes, instances].
func (m *Model) exportContributions(g *onnx.Graph, x, mask, bags, instances string, out learner.Exported) (string, error) {
	none, err := m.alone(context.Background(), []mil.Instances{&mil.Dense{Cols: m.card.NumFeatures}})
	if err != nil {
		return "", err
	}
	outputs := len(none[0].Scores)
	each := g.Op("Mul", bags, instances)
	logits, _, err := m.record(g, g.Op("Reshape", x, g.Ints(-1, 1, int64(m.card.NumFeatures))), g.Op("Reshape", mask, g.Ints(-1, 1)), each, "")
	if err != nil {
		return "", err
	}
	change := g.Op("Sub", g.Cast(logits, onnx.Double), g.Doubles(none[0].Scores, outputs))
	vector := func(name string) string { return g.Op("Reshape", name, g.Ints(1)) }
	change = g.Op("Reshape", change, g.Along("Concat", 0, vector(bags), vector(instances), g.Ints(int64(outputs))))
	change = g.With("Transpose", []onnx.Attribute{{Name: "perm", Value: []int64{0, 2, 1}}}, change)
	weights := g.Op("Unsqueeze", out.Instances, g.Ints(1))
	if m.headPerScore() {
		weights = out.Weights
	}
	return g.Op("Mul", weights, change), nil
}

package classic

import (
	"errors"
	"math"
	"slices"

	"synpool/internal/onnx"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// Graphs of ONNX for the fitted models. All compute in float64, [instances, features] in x.

var (
	_ learner.Exporter = (*statisticsSVMModel)(nil)
	_ learner.Exporter = (*statisticsTreesModel)(nil)
	_ learner.Exporter = (*bagOfWordsModel)(nil)
	_ learner.Exporter = (*fisherVectorsModel)(nil)
	_ learner.Exporter = (*setKernelModel)(nil)
	_ learner.Exporter = (*distanceSVMModel)(nil)
	_ learner.Exporter = (*mindModel)(nil)
	_ learner.Exporter = (*citationKNNModel)(nil)
	_ learner.Exporter = (*milesModel)(nil)
	_ learner.Exporter = (*misvmModel)(nil)
	_ learner.Exporter = (*instanceModel)(nil)
	_ learner.Exporter = (*linearModel)(nil)
)

// export adds the scaling of instances.
func (s scale) export(g *onnx.Graph, x string) string {
	return g.Op("Mul", g.Op("Sub", x, g.Doubles(s.Shift, len(s.Shift))), g.Doubles(s.Factor, len(s.Factor)))
}

// values returns the scaled instances of bags, row by row.
func (s scale) values(bags ...keptBag) (values []float64, err error) {
	for _, b := range bags {
		if err := mil.EachRow(b.Instances, func(_ int, row []float32) {
			z := make([]float64, len(row))
			s.apply(row, z)
			values = append(values, z...)
		}); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// squareDistances adds the squared Euclidean distances [a, b] between rows a [a, features] and b [b, features]. They are
// |a|² + |b|² − 2ab; what cancels down to rounding is 0, so that equal instances have the distance 0.
func squareDistances(g *onnx.Graph, a, b string) string {
	square := func(x string) string { return g.Reduce("ReduceSum", g.Op("Mul", x, x), true, 1) }
	turned := func(x string) string {
		return g.With("Transpose", []onnx.Attribute{{Name: "perm", Value: []int64{1, 0}}}, x)
	}
	both := g.Op("Add", square(a), turned(square(b)))
	d := g.Op("Sub", both, g.Op("Mul", g.Op("MatMul", a, turned(b)), g.Double(2)))
	return g.Op("Where", g.Op("Greater", d, g.Op("Mul", both, g.Double(1e-13))), d, g.Double(0))
}

// radialOf adds exp(−gamma·d).
func radialOf(g *onnx.Graph, gamma float64, d string) string {
	return g.Op("Exp", g.Op("Mul", d, g.Double(-gamma)))
}

// export adds the scores of machines for values [values].
func (o *outputs) export(g *onnx.Graph, coefficients []float64, values string) string {
	biases := o.machines()
	scores := g.Doubles(biases, len(biases))
	if n := len(coefficients) / len(biases); n > 0 {
		scores = g.Op("Add", scores, g.Op("MatMul", g.Doubles(coefficients, len(biases), n), values))
	}
	return o.Targets.export(g, scores)
}

// export adds the scores for values: logits, or standardised real targets.
func (s *targets) export(g *onnx.Graph, values string) string {
	if s.real() {
		return g.Op("Add", g.Op("Mul", values, g.Double(s.SD)), g.Double(s.Mean))
	}
	return values
}

// export adds the scores for a vector.
func (m *radialMachine) export(g *onnx.Graph, vector string) string {
	d := len(m.Shift)
	z := scale{Shift: m.Shift, Factor: m.Factor}.export(g, vector)
	if len(m.Support) == 0 {
		return m.outputs.export(g, nil, z)
	}
	change := g.Op("Sub", g.Doubles(m.Support, len(m.Support)/d, d), z)
	return m.outputs.export(g, m.Coefficients, radialOf(g, m.Gamma, g.Reduce("ReduceSum", g.Op("Mul", change, change), false, 1)))
}

// exportLeaveOut adds [leaveOut]: a loop over the instances, each time without one of them. A bag of more than [learner.MostLeftOut]
// has NaN instead.
func exportLeaveOut(g *onnx.Graph, x string, score func(g *onnx.Graph, x string) (string, error)) (out learner.Exported, err error) {
	if out.Scores, err = score(g, x); err != nil {
		return out, err
	}
	first := g.Const(onnx.Scalar(int64(0)))
	n := g.Op("Gather", g.Op("Shape", x), first)
	places := g.Op("Range", first, n, g.Const(onnx.Scalar(int64(1))))
	single := g.Op("Equal", n, g.Const(onnx.Scalar(int64(1))))
	count := g.Op("Where", g.Op("LessOrEqual", n, g.Const(onnx.Scalar(int64(learner.MostLeftOut)))), n, first)
	each, err := g.Each(count, func(body *onnx.Graph, i string) ([]string, error) {
		others := body.Op("Or", body.Op("Not", body.Op("Equal", places, i)), single) // a single instance stays, and what it scores is dropped
		rest, err := score(body, body.Along("Compress", 0, x, others))
		return []string{rest}, err
	})
	if err != nil {
		return out, err
	}
	outputs := g.Op("Shape", out.Scores)
	rest := g.Op("Reshape", g.Op("Sub", n, count), g.Ints(1))
	none := g.Op("Expand", g.Double(math.NaN()), g.Along("Concat", 0, rest, outputs))
	without := g.Op("Reshape", each[0], g.Along("Concat", 0, g.Op("Reshape", count, g.Ints(1)), outputs)) // also if there is none
	without = g.Along("Concat", 0, without, none)
	drop := g.Op("Sub", out.Scores, g.Op("Where", single, g.Double(0), without)) // [instances, outputs]
	return scoresOf(g, out, g.With("Transpose", []onnx.Attribute{{Name: "perm", Value: []int64{1, 0}}}, drop)), nil
}

// scoresOf sets the scores of instances [outputs, instances]: for classes also those of the bag's class.
func scoresOf(g *onnx.Graph, out learner.Exported, scores string) learner.Exported {
	out.ClassInstances = scores
	out.Instances = g.Op("Gather", scores, g.With("ArgMax", []onnx.Attribute{{Name: "axis", Value: int64(0)}, {Name: "keepdims", Value: int64(0)}}, out.Scores))
	return out
}

// exportMaximum adds the score of a bag whose score is the largest of its instances [instances].
func exportMaximum(g *onnx.Graph, scores string) learner.Exported {
	return learner.Exported{Scores: g.Reduce("ReduceMax", scores, true, 0), Instances: scores}
}

// export adds the statistics of a bag, [statistics·features].
func (s Statistics) export(g *onnx.Graph, x string) (string, error) {
	names, err := s.names()
	if err != nil {
		return "", err
	}
	mean := g.Reduce("ReduceMean", x, false, 0)
	count := g.Op("Gather", g.Op("Shape", x), g.Ints(0))
	var all []string
	for _, name := range names {
		switch name {
		case "min":
			all = append(all, g.Reduce("ReduceMin", x, false, 0))
		case "max":
			all = append(all, g.Reduce("ReduceMax", x, false, 0))
		case "mean":
			all = append(all, mean)
		case "sd":
			change := g.Op("Sub", x, mean)
			all = append(all, g.Op("Sqrt", g.Reduce("ReduceMean", g.Op("Mul", change, change), false, 0)))
		default:
			sorted := g.Add("", "TopK", 2, []string{x, count}, onnx.Attribute{Name: "axis", Value: int64(0)}, onnx.Attribute{Name: "largest", Value: int64(0)})[0]
			last := g.Op("Sub", g.Cast(count, onnx.Double), g.Double(1))
			at := g.Op("Mul", last, g.Double(quantiles[name]))
			below := g.Op("Floor", at)
			value := func(place string) string { // [1, features]
				return g.Op("Gather", sorted, g.Cast(place, onnx.Int64))
			}
			low, high := value(below), value(g.Op("Min", g.Op("Add", below, g.Double(1)), last))
			all = append(all, g.Op("Squeeze", g.Op("Add", low, g.Op("Mul", g.Op("Sub", high, low), g.Op("Sub", at, below))), g.Ints(0)))
		}
	}
	return g.Along("Concat", 0, all...), nil
}

// Export implements [learner.Exporter].
func (m *statisticsSVMModel) Export(g *onnx.Graph, x string) (learner.Exported, error) {
	return exportLeaveOut(g, x, func(g *onnx.Graph, x string) (string, error) {
		vector, err := m.Statistics.export(g, x)
		return m.Machine.export(g, vector), err
	})
}

// Export implements [learner.Exporter].
func (m *statisticsTreesModel) Export(g *onnx.Graph, x string) (learner.Exported, error) {
	return exportLeaveOut(g, x, func(g *onnx.Graph, x string) (string, error) {
		vector, err := m.Statistics.export(g, x)
		if err != nil {
			return "", err
		}
		vector = g.Cast(g.Cast(scale{Shift: m.Shift, Factor: m.Factor}.export(g, vector), onnx.Float), onnx.Double)
		trees := float64(m.Forest.Trees())
		sums := g.Add(onnx.ML, "TreeEnsembleRegressor", 1, []string{g.Op("Unsqueeze", vector, g.Ints(0))}, m.forest()...)[0]
		p := g.Op("Div", g.Cast(g.Op("Squeeze", sums, g.Ints(0)), onnx.Double), g.Double(trees))
		edge := 0.5 / trees
		switch {
		case m.Targets == nil:
			share := func(class int64) string {
				return g.Op("Min", g.Op("Max", g.Op("Gather", p, g.Ints(class)), g.Double(edge)), g.Double(1-edge))
			}
			return g.Op("Sub", g.Op("Log", share(1)), g.Op("Log", share(0))), nil
		case !m.Targets.real():
			p = g.Op("Log", g.Op("Max", p, g.Double(edge)))
		}
		return m.Targets.export(g, p), nil
	})
}

// forest returns the attributes of the trees.
func (m *statisticsTreesModel) forest() []onnx.Attribute {
	f, width := m.Forest, max(m.classes(), 1)
	var tree, node, feature, yes, no, ofTree, ofNode, target []int64
	var modes []string
	var threshold, weight []float64
	for t := range f.Trees() {
		for i := f.Starts[t]; i < f.Starts[t+1]; i++ {
			at := int64(i - f.Starts[t])
			tree, node = append(tree, int64(t)), append(node, at)
			if f.Feature[i] >= 0 {
				modes, feature, threshold = append(modes, "BRANCH_LEQ"), append(feature, int64(f.Feature[i])), append(threshold, float64(f.Threshold[i]))
				yes, no = append(yes, at+1), append(no, int64(f.Next[i]))
				continue
			}
			modes, feature, threshold, yes, no = append(modes, "LEAF"), append(feature, 0), append(threshold, 0), append(yes, 0), append(no, 0)
			for k, v := range f.Leaf(t, int(f.Next[i])) {
				ofTree, ofNode, target, weight = append(ofTree, int64(t)), append(ofNode, at), append(target, int64(k)), append(weight, float64(v))
			}
		}
	}
	return []onnx.Attribute{
		{Name: "n_targets", Value: int64(width)},
		{Name: "nodes_treeids", Value: tree}, {Name: "nodes_nodeids", Value: node}, {Name: "nodes_featureids", Value: feature},
		{Name: "nodes_values_as_tensor", Value: onnx.Vector(threshold...)}, {Name: "nodes_modes", Value: modes},
		{Name: "nodes_truenodeids", Value: yes}, {Name: "nodes_falsenodeids", Value: no},
		{Name: "target_treeids", Value: ofTree}, {Name: "target_nodeids", Value: ofNode}, {Name: "target_ids", Value: target},
		{Name: "target_weights_as_tensor", Value: onnx.Vector(weight...)},
	}
}

// Export implements [learner.Exporter].
func (m *bagOfWordsModel) Export(g *onnx.Graph, x string) (learner.Exported, error) {
	words := m.centres().Clusters()
	return exportLeaveOut(g, x, func(g *onnx.Graph, x string) (string, error) {
		z := g.Cast(g.Cast(m.Scale.export(g, x), onnx.Float), onnx.Double) // as [scale.rows]
		d := squareDistances(g, z, g.Doubles(m.Centres, words, len(m.Scale.Factor)))
		word := g.With("ArgMin", []onnx.Attribute{{Name: "axis", Value: int64(1)}, {Name: "keepdims", Value: int64(1)}}, d)
		numbers := make([]int64, words)
		for k := range numbers {
			numbers[k] = int64(k)
		}
		is := g.Cast(g.Op("Equal", word, g.Const(onnx.Vector(numbers...))), onnx.Double)
		return m.Machine.export(g, g.Op("Sqrt", g.Reduce("ReduceMean", is, false, 0))), nil
	})
}

// Export implements [learner.Exporter].
func (m *fisherVectorsModel) Export(g *onnx.Graph, x string) (learner.Exported, error) {
	k, d := len(m.Shares), len(m.Scale.Factor)
	first, second, logs := make([]float64, k*d), make([]float64, k*d), make([]float64, k)
	for c, w := range m.Shares {
		logs[c] = math.Log(w)
		for j := range d {
			v := m.Variances[c*d+j]
			logs[c] -= math.Log(v) / 2
			first[c*d+j], second[c*d+j] = 1/math.Sqrt(v*w), 1/math.Sqrt(2*w)
		}
	}
	return exportLeaveOut(g, x, func(g *onnx.Graph, x string) (string, error) {
		z := g.Op("Unsqueeze", g.Cast(g.Cast(m.Scale.export(g, x), onnx.Float), onnx.Double), g.Ints(1))
		change := g.Op("Sub", z, g.Doubles(m.Means, k, d)) // [instances, components, features]
		square := g.Op("Div", g.Op("Mul", change, change), g.Doubles(m.Variances, k, d))
		density := g.Op("Add", g.Op("Mul", g.Reduce("ReduceSum", square, false, 2), g.Double(-0.5)), g.Doubles(logs, k))
		gamma := g.Op("Unsqueeze", g.Along("Softmax", 1, density), g.Ints(2))
		mean := func(values string, factor []float64) string {
			return g.Op("Reshape", g.Op("Mul", g.Reduce("ReduceMean", g.Op("Mul", gamma, values), false, 0), g.Doubles(factor, k, d)), g.Ints(-1))
		}
		vector := g.Along("Concat", 0, mean(change, first), mean(g.Op("Sub", square, g.Double(1)), second))
		size := g.Op("Abs", vector)
		length := g.Op("Max", g.Reduce("ReduceSum", size, true, 0), g.Double(math.SmallestNonzeroFloat64))
		return m.outputs.export(g, m.Weights, g.Op("Mul", g.Op("Sign", vector), g.Op("Sqrt", g.Op("Div", size, length)))), nil
	})
}

// Export implements [learner.Exporter].
func (m *setKernelModel) Export(g *onnx.Graph, x string) (learner.Exported, error) {
	d := len(m.Scale.Factor)
	support, err := m.Scale.values(m.Support...)
	if err != nil {
		return learner.Exported{}, err
	}
	var each []float64 // the coefficient of each instance of the support bags, [machines, instances]
	for k := range m.machines() {
		for i, c := range m.of(m.Coefficients, k) {
			for range m.Support[i].Len() {
				each = append(each, c)
			}
		}
	}
	gamma := m.Setting.Gamma / float64(d)
	return exportLeaveOut(g, x, func(g *onnx.Graph, x string) (string, error) {
		z := m.Scale.export(g, x)
		own := g.Reduce("ReduceSum", radialOf(g, gamma, squareDistances(g, z, z)), false, 0, 1)
		if len(support) == 0 {
			return m.outputs.export(g, nil, own), nil
		}
		sums := g.Reduce("ReduceSum", radialOf(g, gamma, squareDistances(g, z, g.Doubles(support, len(support)/d, d))), false, 0)
		return m.outputs.export(g, each, g.Op("Div", sums, g.Op("Sqrt", own))), nil
	})
}

// errMoves says why earth mover's distances cannot be exported.
var errMoves = errors.New("an earth mover's distance solves a linear programme for every pair of bags, for which ONNX has no operator; train with --distance mean-min, hausdorff or min-hausdorff")

// export adds the distances [bags] from bags of a model to a bag.
func (d Distance) export(g *onnx.Graph, s scale, bags []keptBag, x string) (string, error) {
	if d.moves() {
		return "", errMoves
	}
	values, err := s.values(bags...)
	if err != nil {
		return "", err
	}
	width := len(s.Factor)
	var starts, ends []int64
	at := 0
	for _, b := range bags {
		starts, ends, at = append(starts, int64(at)), append(ends, int64(at+b.Len())), at+b.Len()
	}
	all := squareDistances(g, s.export(g, x), g.Doubles(values, len(values)/width, width)) // [instances, instances of all bags]
	each, err := g.Each(g.Const(onnx.Scalar(int64(len(bags)))), func(body *onnx.Graph, i string) ([]string, error) {
		place := func(list []int64) string {
			return body.Op("Reshape", body.Op("Gather", g.Const(onnx.Vector(list...)), i), g.Ints(1))
		}
		part := body.Op("Slice", all, place(starts), place(ends), g.Ints(1))
		near := func(op string, axis int64) string { // of the distances to the nearest
			return body.Reduce(op, body.Op("Sqrt", body.Reduce("ReduceMin", part, false, axis)), false, 0)
		}
		switch d {
		case MinHausdorff:
			return []string{body.Op("Sqrt", body.Reduce("ReduceMin", part, false, 0, 1))}, nil
		case Hausdorff:
			return []string{body.Op("Max", near("ReduceMax", 0), near("ReduceMax", 1))}, nil
		}
		return []string{body.Op("Mul", body.Op("Add", near("ReduceMean", 0), near("ReduceMean", 1)), body.Double(0.5))}, nil
	})
	if err != nil {
		return "", err
	}
	return each[0], nil
}

// Export implements [learner.Exporter].
func (m *distanceSVMModel) Export(g *onnx.Graph, x string) (learner.Exported, error) {
	return exportLeaveOut(g, x, func(g *onnx.Graph, x string) (string, error) {
		if len(m.Support) == 0 && !m.Setting.Distance.moves() {
			return m.outputs.export(g, nil, x), nil
		}
		d, err := m.Setting.Distance.export(g, m.Scale, m.Support, x)
		if err != nil {
			return "", err
		}
		if m.Mean > 0 {
			d = g.Op("Div", d, g.Double(m.Mean))
		}
		return m.outputs.export(g, m.Coefficients, radialOf(g, m.Setting.Sharpness, g.Op("Pow", d, g.Double(m.Setting.Power)))), nil
	})
}

// Export implements [learner.Exporter].
func (m *mindModel) Export(g *onnx.Graph, x string) (learner.Exported, error) {
	return exportLeaveOut(g, x, func(g *onnx.Graph, x string) (string, error) {
		d, err := m.Distance.export(g, m.Scale, m.Bags, x)
		if err != nil {
			return "", err
		}
		return m.Machine.export(g, d), nil
	})
}

// Export implements [learner.Exporter].
func (m *citationKNNModel) Export(g *onnx.Graph, x string) (learner.Exported, error) {
	width, n := max(2, m.Targets.count()), len(m.Bags)
	if m.Targets.real() {
		width = 2
	}
	var votes []float64 // of each bag, [bags, width]: its class, or its value and that it votes
	for i := range n {
		row := make([]float64, width)
		switch {
		case m.Targets.real():
			row[0], row[1] = m.Values[i], 1
		case m.Targets != nil:
			row[int(m.Values[i])] = 1
		case m.Positive[i]:
			row[1] = 1
		default:
			row[0] = 1
		}
		votes = append(votes, row...)
	}
	reach := slices.Clone(m.Reach)
	for i, r := range reach { // a neighbour at the edge stays one if its distance is rounded differently
		reach[i] = min(r*(1+1e-9), math.MaxFloat64)
	}
	return exportLeaveOut(g, x, func(g *onnx.Graph, x string) (string, error) {
		d, err := m.Setting.Distance.export(g, m.Scale, m.Bags, x)
		if err != nil {
			return "", err
		}
		each := g.Doubles(votes, n, width)
		sum := g.Op("MatMul", g.Cast(g.Op("LessOrEqual", d, g.Doubles(reach, n)), onnx.Double), each)
		if k := min(m.Setting.References, n); k > 0 {
			nearest := g.Add("", "TopK", 2, []string{d, g.Ints(int64(k))}, onnx.Attribute{Name: "largest", Value: int64(0)})[1]
			sum = g.Op("Add", sum, g.Reduce("ReduceSum", g.Op("Gather", each, nearest), false, 0))
		}
		if m.Targets.real() {
			return m.Targets.export(g, g.Op("Div", g.Op("Gather", sum, g.Ints(0)), g.Op("Max", g.Op("Gather", sum, g.Ints(1)), g.Double(1)))), nil
		}
		logs := g.Op("Log", g.Op("Add", sum, g.Double(0.5)))
		if m.Targets == nil {
			return g.Op("Sub", g.Op("Gather", logs, g.Ints(1)), g.Op("Gather", logs, g.Ints(0))), nil
		}
		return logs, nil
	})
}

// Export implements [learner.Exporter].
func (m *milesModel) Export(g *onnx.Graph, x string) (learner.Exported, error) {
	if m.Concepts == nil { // a linear machine that selected none
		none := g.Op("Mul", g.Reduce("ReduceSum", x, false, 1), g.Double(0))
		return learner.Exported{Scores: g.Doubles([]float64{m.Bias}, 1), Instances: none}, nil
	}
	concepts, err := m.Scale.values(*m.Concepts)
	if err != nil {
		return learner.Exported{}, err
	}
	d := len(m.Scale.Factor)
	distances := func(g *onnx.Graph, x string) string {
		return squareDistances(g, m.Scale.export(g, x), g.Doubles(concepts, len(concepts)/d, d))
	}
	if m.Setting.Penalty == Radial {
		return exportLeaveOut(g, x, func(g *onnx.Graph, x string) (string, error) {
			return m.Machine.export(g, radialOf(g, m.gamma(), g.Reduce("ReduceMin", distances(g, x), false, 0))), nil
		})
	}
	all := distances(g, x)
	least := g.Reduce("ReduceMin", all, true, 0)
	terms := g.Op("Mul", radialOf(g, m.gamma(), least), g.Doubles(m.Weights, len(m.Weights)))
	who := g.Cast(g.Op("Equal", all, least), onnx.Double)
	share := g.Op("Div", terms, g.Reduce("ReduceSum", who, true, 0))
	return learner.Exported{
		Scores:    g.Op("Add", g.Reduce("ReduceSum", terms, false, 1), g.Double(m.Bias)),
		Instances: g.Reduce("ReduceSum", g.Op("Mul", who, share), false, 1),
	}, nil
}

// Export implements [learner.Exporter].
func (m *misvmModel) Export(g *onnx.Graph, x string) (learner.Exported, error) {
	z, d := m.Scale.export(g, x), len(m.Scale.Factor)
	f := ""
	if m.Gamma == 0 {
		f = g.Op("MatMul", z, g.Doubles(m.Weights, d))
	} else {
		support, err := m.Scale.values(*m.Support)
		if err != nil {
			return learner.Exported{}, err
		}
		n := len(support) / d
		f = g.Op("MatMul", radialOf(g, m.Gamma/float64(d), squareDistances(g, z, g.Doubles(support, n, d))), g.Doubles(m.Coefficients, n))
	}
	return exportMaximum(g, g.Op("Add", f, g.Double(m.Bias))), nil
}

// Export implements [learner.Exporter].
func (m *instanceModel) Export(g *onnx.Graph, x string) (learner.Exported, error) {
	values := x
	if k := m.Kernel; k != nil {
		n := len(m.Weights)
		values = radialOf(g, k.Gamma, squareDistances(g, k.Scale.export(g, x), g.Doubles(k.Landmarks, n, m.Features)))
	}
	return exportMaximum(g, g.Op("Add", g.Op("MatMul", values, g.Doubles(m.Weights, len(m.Weights))), g.Double(m.Bias))), nil
}

// Export implements [learner.Exporter].
func (m *linearModel) Export(g *onnx.Graph, x string) (learner.Exported, error) {
	turned := g.With("Transpose", []onnx.Attribute{{Name: "perm", Value: []int64{1, 0}}}, x)
	biases := m.machines()
	scores := g.Op("Add", g.Op("MatMul", g.Doubles(m.Coefficients, len(biases), m.Features), turned), g.Doubles(biases, len(biases), 1))
	return scoresOf(g, learner.Exported{Scores: g.Reduce("ReduceMean", scores, false, 1)}, scores), nil
}

// Exportable reports why models of the setting cannot be exported.
func (s DistanceSVM) Exportable() error { return s.Distance.exportable() }

// Exportable reports why models of the setting cannot be exported.
func (s MInD) Exportable() error { return s.Distance.exportable() }

// Exportable reports why models of the setting cannot be exported.
func (s CitationKNN) Exportable() error { return s.Distance.exportable() }

func (d Distance) exportable() error {
	if d.moves() {
		return errMoves
	}
	return nil
}

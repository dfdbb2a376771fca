package calibrate

import (
	"math"

	"synpool/internal/onnx"
)

// Export adds [Calibration.Probabilities] of scores, float64 [1] or [classes], to a graph of ONNX.
func (c *Calibration) Export(g *onnx.Graph, scores string) string {
	if c.Method == Temperature {
		return exportSoftmax(g, g.Op("Mul", scores, g.Double(1/c.T)), c.Classes)
	}
	n := width(c.Classes)
	p := ""
	if c.Method == Platt {
		a, b := make([]float64, n), make([]float64, n)
		for k, s := range c.Sigmoids {
			a[k], b[k] = s.A, s.B
		}
		p = exportLogistic(g, g.Op("Add", g.Op("Mul", scores, g.Doubles(a, n)), g.Doubles(b, n)))
	} else {
		var each []string
		for k, curve := range c.Isotonic {
			each = append(each, curve.export(g, g.Op("Gather", scores, g.Ints(int64(k)))))
		}
		p = g.Along("Concat", 0, each...)
	}
	if c.Classes == 2 {
		return p
	}
	sum := g.Reduce("ReduceSum", p, true, 0)
	some := g.Op("Greater", sum, g.Double(0))
	return g.Op("Where", some, g.Op("Div", p, g.Op("Where", some, sum, g.Double(1))), g.Double(1/float64(n)))
}

// ExportUncalibrated adds [Uncalibrated] to a graph of ONNX.
func ExportUncalibrated(g *onnx.Graph, scores string, classes int) string {
	return exportSoftmax(g, scores, classes)
}

func exportSoftmax(g *onnx.Graph, z string, classes int) string {
	if classes == 2 {
		return exportLogistic(g, z)
	}
	return g.Along("Softmax", 0, z)
}

// exportLogistic adds 1/(1+exp(−z)); an exponential that overflows gives 0.
func exportLogistic(g *onnx.Graph, z string) string {
	return g.Op("Div", g.Double(1), g.Op("Add", g.Double(1), g.Op("Exp", g.Op("Neg", z))))
}

// export adds [Isotonic.Probability] of a score [1].
func (c Isotonic) export(g *onnx.Graph, score string) string {
	n := len(c.Scores)
	scores, p := g.Doubles(c.Scores, n), g.Doubles(c.Probabilities, n)
	below := g.Reduce("ReduceSum", g.Cast(g.Op("Less", scores, score), onnx.Int64), true, 0)
	place := func(offset int64) string {
		at := g.Op("Sub", below, g.Const(onnx.Scalar(offset)))
		return g.Op("Min", g.Op("Max", at, g.Const(onnx.Scalar(int64(0)))), g.Const(onnx.Scalar(int64(n-1))))
	}
	low, high := place(1), place(0)
	of := func(list, at string) string { return g.Op("Gather", list, at) }
	width := g.Op("Sub", of(scores, high), of(scores, low))
	width = g.Op("Where", g.Op("Greater", width, g.Double(0)), width, g.Double(math.Inf(1)))
	share := g.Op("Div", g.Op("Sub", score, of(scores, low)), width)
	return g.Op("Add", of(p, low), g.Op("Mul", g.Op("Sub", of(p, high), of(p, low)), share))
}

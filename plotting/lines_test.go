package plotting

import (
	"math"
	"testing"
)

// TestLines: several curves have a legend, one has none, and what cannot be drawn is refused.
func TestLines(t *testing.T) {
	loss := FunctionCurve{Name: "training", X: []float64{1, 2, 3, 4}, Y: []float64{0.9, 0.5, 0.3, 0.25}}
	held := FunctionCurve{Name: "held out", X: []float64{1, 2, 3, 4}, Y: []float64{0.95, 0.7, 0.6, 0.62}}
	golden(t, "lines.svg")(Lines("Loss by epoch", "epoch", "loss", []FunctionCurve{loss, held}))
	fits(t, "one")(Lines("", "epoch", "loss", []FunctionCurve{loss}))
	fits(t, "a point")(Lines("", "epoch", "loss", []FunctionCurve{{Name: "a", X: []float64{1}, Y: []float64{2}}}))
	refused(t, "there are no curves")(Lines("", "x", "y", nil))
	refused(t, "both axes need a name")(Lines("", "", "y", []FunctionCurve{loss}))
	refused(t, "point 1 (NaN, 2)")(Lines("", "x", "y", []FunctionCurve{{Name: "a", X: []float64{math.NaN()}, Y: []float64{2}}}))
}

// TestHistogram: the heights are the counts, also of equal values.
func TestHistogram(t *testing.T) {
	var values []float64
	for i := range 200 {
		values = append(values, math.Sqrt(float64(i)))
	}
	golden(t, "histogram.svg")(Histogram("Instances of a bag", "instances", values))
	fits(t, "equal")(Histogram("", "x", []float64{2, 2, 2}))
	fits(t, "one")(Histogram("", "x", []float64{-1e9}))
	refused(t, "there are no values")(Histogram("", "x", nil))
	refused(t, "the axis needs a name")(Histogram("", "", values))
	refused(t, "value 2: +Inf")(Histogram("", "x", []float64{1, math.Inf(1)}))
}

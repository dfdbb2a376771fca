package baseline

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"synpool/milbench"
)

// objective is what a fit minimises, that of [Config] divided by C times the sum of the s_i, as a function of the weights
// and, behind them, the bias.
type objective struct {
	x       milbench.Matrix // standardised instances, or their features
	signs   []float64       // of each, 1 in a positive and -1 in a negative bag
	share   [2]float64      // of an instance of each class in the mean loss
	penalty float64
	loss    Loss

	at, slope []float64 // where it was computed last, and the gradient there
	height    float64   // and the value
	meanLoss  float64   // of which this is not the penalty
}

func (f *objective) value(x []float64) float64 {
	f.compute(x)
	return f.height
}

func (f *objective) gradient(to, x []float64) {
	f.compute(x)
	copy(to, f.slope)
}

// compute finds value and gradient, which the minimiser asks for one after the other, in one go.
func (f *objective) compute(x []float64) {
	if f.at != nil && floats.Equal(x, f.at) {
		return
	}
	f.at, f.slope = append(f.at[:0], x...), append(f.slope[:0], x...)
	w, slope := x[:f.x.Cols], f.slope[:f.x.Cols]
	floats.Scale(f.penalty, slope)
	f.slope[f.x.Cols], f.meanLoss = 0, 0
	for i, sign := range f.signs {
		share := f.share[0]
		if sign > 0 {
			share = f.share[1]
		}
		loss, derivative := f.loss.of(sign * (dot(f.x, i, w) + x[f.x.Cols]))
		f.meanLoss += share * loss
		if derivative != 0 {
			derivative *= share * sign
			addScaled(slope, derivative, f.x, i)
			f.slope[f.x.Cols] += derivative
		}
	}
	f.height = f.meanLoss + f.penalty/2*floats.Dot(w, w)
}

// of returns the loss at a margin and its derivative.
func (l Loss) of(margin float64) (loss, derivative float64) {
	if l == Hinge {
		short := max(0, 1-margin)
		return short * short, -2 * short
	}
	e := math.Exp(-math.Abs(margin))
	loss = math.Log1p(e) + max(0, -margin)
	if margin > 0 {
		return loss, -e / (1 + e)
	}
	return loss, -1 / (1 + e)
}

// dot returns the product of row i and w.
func dot(m milbench.Matrix, i int, w []float64) float64 {
	if !m.Sparse() {
		return floats.Dot(w, m.Values[i*m.Cols:(i+1)*m.Cols])
	}
	sum := 0.0
	for k := m.RowStart[i]; k < m.RowStart[i+1]; k++ {
		sum += w[m.Column[k]] * m.Values[k]
	}
	return sum
}

// addScaled adds so many times row i to a vector.
func addScaled(to []float64, times float64, m milbench.Matrix, i int) {
	if !m.Sparse() {
		floats.AddScaled(to, times, m.Values[i*m.Cols:(i+1)*m.Cols])
		return
	}
	for k := m.RowStart[i]; k < m.RowStart[i+1]; k++ {
		to[m.Column[k]] += times * m.Values[k]
	}
}

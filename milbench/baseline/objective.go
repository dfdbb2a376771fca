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

	meanLoss float64 // where it was computed last: of the value, this is not the penalty
}

// compute returns the value and sets the gradient, as [lbfgs.Function] says.
func (f *objective) compute(x, gradient []float64) float64 {
	copy(gradient, x)
	w, slope := x[:f.x.Cols], gradient[:f.x.Cols]
	floats.Scale(f.penalty, slope)
	gradient[f.x.Cols], f.meanLoss = 0, 0
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
			gradient[f.x.Cols] += derivative
		}
	}
	return f.meanLoss + f.penalty/2*floats.Dot(w, w)
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

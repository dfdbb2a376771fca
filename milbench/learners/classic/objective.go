package classic

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"synpool/milbench/mil"
)

// objective is the function that a fit minimises: the objective of [Instance], divided by C times the sum of the s_i.
// Its arguments are the weights, followed by the bias.
type objective struct {
	inputs  inputs
	signs   []float64  // per instance: 1 in a positive bag, -1 in a negative one
	share   [2]float64 // weight of one instance of each class in the mean loss
	penalty float64
	loss    Loss

	meanLoss float64 // part of the last value without the penalty
	err      error   // first error of reading inputs
}

// inputs are the instances for fitting a linear classifier.
type inputs interface {
	// features is the number of weights.
	features() int
	// each calls derivative with the number of every instance and its product with the weights. It adds the instance
	// times the result to slope.
	each(weights, slope []float64, derivative func(i int, product float64) float64) error
}

// compute returns the value and sets the gradient, as described by [synpool/internal/lbfgs.Function].
func (f *objective) compute(x, gradient []float64) float64 {
	copy(gradient, x)
	n := f.inputs.features()
	w, slope := x[:n], gradient[:n]
	floats.Scale(f.penalty, slope)
	gradient[n], f.meanLoss = 0, 0
	err := f.inputs.each(w, slope, func(i int, product float64) float64 {
		sign, share := f.signs[i], f.share[0]
		if sign > 0 {
			share = f.share[1]
		}
		loss, derivative := f.loss.of(sign * (product + x[n]))
		f.meanLoss += share * loss
		derivative *= share * sign
		gradient[n] += derivative
		return derivative
	})
	if err != nil && f.err == nil {
		f.err = err
	}
	return f.meanLoss + f.penalty/2*floats.Dot(w, w)
}

// of returns the loss and its derivative at a margin.
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

// scaledBags are the standardised instances of bags: (x - shift) factor. The bags are not copied: the product with w
// equals that of x - shift with w factor. Sparse instances are not shifted.
type scaledBags struct {
	bags []mil.Instances
	scale

	scaled, sums []float64 // weights and sums for unscaled instances
}

func newScaledBags(bags []mil.Instances) (*scaledBags, error) {
	s, err := scaleOf(bags)
	n := len(s.Factor)
	return &scaledBags{bags: bags, scale: s, scaled: make([]float64, n), sums: make([]float64, n)}, err
}

func (b *scaledBags) features() int { return len(b.Factor) }

func (b *scaledBags) each(weights, slope []float64, derivative func(i int, product float64) float64) error {
	for j, w := range weights {
		b.scaled[j], b.sums[j] = w*b.Factor[j], 0
	}
	i := 0
	for _, x := range b.bags {
		if s, ok := x.(*mil.Sparse); ok {
			for row := range s.Rows {
				columns, values := s.Row(row)
				product := 0.0
				for k, j := range columns {
					product += b.scaled[j] * float64(values[k])
				}
				d := derivative(i, product)
				i++
				if d != 0 {
					for k, j := range columns {
						b.sums[j] += d * float64(values[k])
					}
				}
			}
			continue
		}
		if err := mil.EachRow(x, func(_ int, row []float32) {
			d := derivative(i, dot(row, b.Shift, b.scaled))
			i++
			if d != 0 {
				addScaled(b.sums, d, row, b.Shift)
			}
		}); err != nil {
			return err
		}
	}
	for j := range slope {
		slope[j] += b.Factor[j] * b.sums[j]
	}
	return nil
}

// dot returns the product of an instance minus its shift and weights. The difference comes first: sums of products
// would lose the digits of a feature that is far from 0.
func dot(row []float32, shift, w []float64) float64 {
	shift, w = shift[:len(row)], w[:len(row)]
	var a, b, c, d float64 // four independent sums, which can run in parallel
	j := 0
	for ; j+4 <= len(row); j += 4 {
		a += (float64(row[j]) - shift[j]) * w[j]
		b += (float64(row[j+1]) - shift[j+1]) * w[j+1]
		c += (float64(row[j+2]) - shift[j+2]) * w[j+2]
		d += (float64(row[j+3]) - shift[j+3]) * w[j+3]
	}
	for ; j < len(row); j++ {
		a += (float64(row[j]) - shift[j]) * w[j]
	}
	return a + b + (c + d)
}

// addScaled adds times (row - shift) to sums.
func addScaled(sums []float64, times float64, row []float32, shift []float64) {
	sums, shift = sums[:len(row)], shift[:len(row)]
	for j, v := range row {
		sums[j] += times * (float64(v) - shift[j])
	}
}

// kernelFeatures are features of instances whose products are a kernel.
type kernelFeatures struct {
	rows, columns int
	values        []float64 // row-major
}

func (k *kernelFeatures) features() int { return k.columns }

func (k *kernelFeatures) each(weights, slope []float64, derivative func(i int, product float64) float64) error {
	for i := range k.rows {
		row := k.values[i*k.columns : (i+1)*k.columns]
		if d := derivative(i, floats.Dot(weights, row)); d != 0 {
			floats.AddScaled(slope, d, row)
		}
	}
	return nil
}

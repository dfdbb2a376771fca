package classic

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"synpool/internal/svm"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// vectors holds one vector per shared bag, standardised over these bags.
type vectors struct {
	n, d   int
	values []float64 // row-major
	shift  []float64
	factor []float64
}

// eachBag returns a vector of each bag, one after another.
func eachBag[B any](ctx context.Context, bags []B, vector func(B) ([]float64, error)) (values []float64, err error) {
	for i, b := range bags {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row, err := vector(b)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			values = make([]float64, 0, len(row)*len(bags))
		}
		values = append(values, row...)
	}
	return values, nil
}

// standardiseVectors standardises rows in place: each column gets mean 0 and standard deviation 1. A column that is
// constant, up to rounding relative to its own values, gets the factor 0, as in [mil.Standardise].
func standardiseVectors(values []float64, n, d int) *vectors {
	v := &vectors{n: n, d: d, values: values, shift: make([]float64, d), factor: make([]float64, d)}
	square := make([]float64, d)
	for i := range n {
		floats.Add(v.shift, values[i*d:(i+1)*d])
	}
	floats.Scale(1/float64(max(n, 1)), v.shift)
	for i := range n {
		for j, x := range values[i*d : (i+1)*d] {
			square[j] += (x - v.shift[j]) * (x - v.shift[j])
		}
	}
	for j, s := range square {
		sd := math.Sqrt(s / float64(max(n, 1)))
		if sd > 1e-12*math.Abs(v.shift[j]) {
			v.factor[j] = 1 / sd
		}
	}
	for i := range n {
		v.apply(values[i*d : (i+1)*d])
	}
	return v
}

// apply standardises a vector in place.
func (v *vectors) apply(x []float64) {
	for j := range x {
		x[j] = (x[j] - v.shift[j]) * v.factor[j]
	}
}

// row returns vector i.
func (v *vectors) row(i int) []float64 { return v.values[i*v.d : (i+1)*v.d] }

// mostGram is the number of bags up to which a kernel matrix is held in memory.
const mostGram = 3000

// radial is the kernel exp(-gamma |x-z|^2) of vectors.
type radial struct {
	v     *vectors
	gamma float64
}

func (r radial) Len() int { return r.v.n }

func (r radial) Diagonal(dst []float64) {
	for i := range dst {
		dst[i] = 1
	}
}

func (r radial) Row(i int, dst []float64) {
	x := r.v.row(i)
	for k := range dst {
		dst[k] = radialKernel(r.gamma, x, r.v.row(k))
	}
}

func radialKernel(gamma float64, x, z []float64) float64 {
	z = z[:len(x)]
	sum := 0.0
	for j, v := range x {
		d := v - z[j]
		sum += d * d
	}
	return math.Exp(-gamma * sum)
}

// gram returns the radial kernel of the vectors, as a matrix that fits share if it is small enough.
func (v *vectors) gram(s *learner.Shared, key string, gamma float64) (svm.Kernel, error) {
	if v.n > mostGram {
		return radial{v, gamma}, nil
	}
	squares, err := learner.Once(s, "squares of "+key, func() ([]float64, error) {
		all := make([]float64, v.n*v.n)
		for i := range v.n {
			for k := range i {
				d := 0.0
				z := v.row(k)
				for j, x := range v.row(i) {
					d += (x - z[j]) * (x - z[j])
				}
				all[i*v.n+k], all[k*v.n+i] = d, d
			}
		}
		return all, nil
	})
	if err != nil {
		return nil, err
	}
	return learner.Once(s, fmt.Sprintf("kernel %v of %s", gamma, key), func() (svm.Kernel, error) {
		values := make([]float64, len(squares))
		for i, d := range squares {
			values[i] = math.Exp(-gamma * d)
		}
		return svm.NewMatrix(values, v.n)
	})
}

// radialMachine is a support vector machine with a radial kernel on vectors, or one machine per class.
type radialMachine struct {
	Gamma        float64 `json:"gamma"`
	Shift        numbers `json:"shift"` // shifts of the vectors
	Factor       numbers `json:"factor"`
	Support      numbers `json:"support"`      // standardised, row-major
	Coefficients numbers `json:"coefficients"` // [machines, support]
	outputs
}

// fitRadial fits the machines of a training part to the vectors of its bags. The kernel's gamma is given times the
// number of features, like scikit-learn's gamma="scale".
func (v *vectors) fitRadial(ctx context.Context, t learner.Training, s *learner.Shared, key string, rows []int, gamma float64,
	setting SVM) (*radialMachine, error) {
	gamma /= float64(v.d)
	k, err := v.gram(s, key, gamma)
	if err != nil {
		return nil, err
	}
	fitted, err := setting.fit(ctx, k, rows, t)
	if err != nil {
		return nil, err
	}
	m := &radialMachine{Gamma: gamma, Shift: v.shift, Factor: v.factor, Coefficients: fitted.coefficients, outputs: fitted.outputs}
	for _, i := range fitted.support {
		m.Support = append(m.Support, v.row(rows[i])...)
	}
	return m, nil
}

// validate reports parts that do not fit a machine on vectors of d values.
func (m *radialMachine) validate(d int) error {
	if m == nil || d < 1 || len(m.Shift) != d || len(m.Factor) != d {
		return fmt.Errorf("a machine that does not fit vectors of %d values", d)
	}
	each, err := m.outputs.validate(len(m.Coefficients))
	if err != nil {
		return err
	}
	if len(m.Support) != d*each {
		return fmt.Errorf("a machine that does not fit vectors of %d values", d)
	}
	return cmp.Or(above0("gamma", m.Gamma), atLeast0("factor", m.Factor...))
}

// predict returns the prediction for a vector and standardises the vector in place.
func (m *radialMachine) predict(x []float64) (mil.Prediction, error) {
	for j := range x {
		x[j] = (x[j] - m.Shift[j]) * m.Factor[j]
	}
	values := make([]float64, len(m.Support)/len(x))
	for i := range values {
		values[i] = radialKernel(m.Gamma, m.Support[i*len(x):(i+1)*len(x)], x)
	}
	return m.prediction(m.Coefficients, values)
}

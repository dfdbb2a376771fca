package plotting

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// PCA projects vectors of the same length onto their first two principal components. It returns the coordinates of each
// vector and the share of the variance, from 0 to 1, of each component. Features are centred but not scaled. The largest
// coordinate of a component, in absolute value, is positive, so the result does not depend on the machine. A component
// without variance has coordinates 0.
func PCA(vectors [][]float64) (places [][2]float64, shares [2]float64, err error) {
	defer about(&err, "finding principal components")
	if len(vectors) < 2 {
		return nil, shares, fmt.Errorf("%d vectors; two at least are needed", len(vectors))
	}
	if err := checkVectors(vectors); err != nil {
		return nil, shares, err
	}
	centred, size := centre(vectors)
	places, shares, err = components(centred)
	for i := range places {
		for k := range places[i] {
			places[i][k] *= size
		}
	}
	return places, shares, err
}

// checkVectors reports why vectors cannot be embedded.
func checkVectors(vectors [][]float64) error {
	if len(vectors[0]) == 0 {
		return errors.New("the vectors have no features")
	}
	for i, v := range vectors {
		if len(v) != len(vectors[0]) {
			return fmt.Errorf("vector %d has %d features, vector 1 has %d", i+1, len(v), len(vectors[0]))
		}
		if err := each("feature", v, drawable); err != nil {
			return fmt.Errorf("vector %d, %w", i+1, err)
		}
	}
	return nil
}

// centre subtracts the mean from the vectors and divides them by the largest absolute value, so that no square overflows. It
// also returns that value, or 0 if all vectors are equal up to rounding.
func centre(vectors [][]float64) (*mat.Dense, float64) {
	centred := mat.NewDense(len(vectors), len(vectors[0]), nil)
	column := make([]float64, len(vectors))
	size := 0.0
	for j := range vectors[0] {
		for i, v := range vectors {
			column[i] = v[j]
		}
		mean, high := stat.Mean(column, nil), floats.Norm(column, math.Inf(1))
		floats.AddConst(-mean, column)
		if spread := floats.Norm(column, math.Inf(1)); spread > 1e-13*high {
			size = max(size, spread)
			centred.SetCol(j, column)
		}
	}
	if size > 0 {
		centred.Apply(func(_, _ int, v float64) float64 { return v / size }, centred)
	}
	return centred, size
}

// components returns the coordinates of centred vectors along the first two principal components, and the shares of the
// variance.
func components(centred *mat.Dense) (places [][2]float64, shares [2]float64, err error) {
	var pc stat.PC
	if !pc.PrincipalComponents(centred, nil) {
		return nil, shares, errors.New("the singular values do not converge")
	}
	variances := pc.VarsTo(nil)
	total := floats.Sum(variances)
	var directions, along mat.Dense
	pc.VectorsTo(&directions)
	along.Mul(centred, &directions)
	n, _ := centred.Dims()
	places = make([][2]float64, n)
	for k := range min(2, len(variances)) {
		if variances[k] <= 1e-24*total {
			continue // only rounding errors
		}
		shares[k] = variances[k] / total
		sign := math.Copysign(1, largestOf(mat.Col(nil, k, &directions)))
		for i := range n {
			places[i][k] = sign * along.At(i, k)
		}
	}
	return places, shares, nil
}

// largestOf returns the value with the largest absolute value, the first if there are several.
func largestOf(values []float64) float64 {
	top := 0.0
	for _, v := range values {
		if math.Abs(v) > math.Abs(top)*(1+1e-9) {
			top = v
		}
	}
	return top
}

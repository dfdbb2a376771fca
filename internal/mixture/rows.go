// Package mixture clusters rows with k-means and Gaussian mixtures of diagonal covariance, and computes Fisher vectors of
// sets of rows.
//
//	rows        the data: d float32 features per row; sums are float64
//	cluster     one of k centres and the rows nearest to it
//	component   one of k Gaussian densities with a weight, means and variances
//	γ           responsibility: the probability that a row belongs to a component
//	Fisher      vector of a set of rows: how its likelihood changes with the means and deviations, [2, k, d]
//
// Rows are given as an iterator, so they can be stored anywhere. It must yield the same rows in the same order each time;
// each row is read before the next is requested. [Matrix] makes an iterator from a flat array.
package mixture

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
)

// Matrix yields the listed rows of x [n, features], row-major, or all if rows is nil. It panics if a listed row is out of
// range; an incomplete last row is ignored.
func Matrix(x []float32, features int, rows []int) iter.Seq[[]float32] {
	return func(yield func([]float32) bool) {
		if rows != nil {
			for _, row := range rows {
				if !yield(x[row*features : (row+1)*features]) {
					return
				}
			}
			return
		}
		for i := 0; i+features <= len(x) && features > 0; i += features {
			if !yield(x[i : i+features]) {
				return
			}
		}
	}
}

// pass calls do for each row, as float64, until the context ends.
func pass(ctx context.Context, rows iter.Seq[[]float32], features int, do func(i int, row []float64)) error {
	at, i := make([]float64, features), 0
	for row := range rows {
		if i%1024 == 0 {
			if err := context.Cause(ctx); err != nil {
				return err
			}
		}
		if len(row) != features {
			return fmt.Errorf("mixture: row %d has %d features, want %d", i, len(row), features)
		}
		for j, v := range row {
			at[j] = float64(v)
		}
		do(i, at)
		i++
	}
	return context.Cause(ctx)
}

// measure returns how many rows and features there are, and the variance of a feature, averaged over the features.
func measure(ctx context.Context, rows iter.Seq[[]float32]) (n, d int, variance float64, err error) {
	for row := range rows {
		d = len(row)
		break
	}
	if d == 0 {
		return 0, 0, 0, errors.New("mixture: no rows, or no features")
	}
	means, squares := make([]float64, d), make([]float64, d)
	var wrong error
	err = pass(ctx, rows, d, func(i int, row []float64) {
		n++
		for j, v := range row {
			if v-v != 0 && wrong == nil {
				wrong = fmt.Errorf("mixture: feature %d of row %d is %g", j, i, v)
			}
			// Welford's update.
			off := v - means[j]
			means[j] += off / float64(n)
			squares[j] += off * (v - means[j])
		}
	})
	if err = errors.Join(err, wrong); err != nil {
		return 0, 0, 0, err
	}
	for _, s := range squares {
		variance += s / float64(n) / float64(d)
	}
	return n, d, variance, nil
}

// finite returns an error if a value is not finite or far outside the range of float32.
func finite(what string, values []float64) error {
	for i, v := range values {
		if v-v != 0 || math.Abs(v) > math.MaxFloat32*2 {
			return fmt.Errorf("mixture: %s %d is %g", what, i, v)
		}
	}
	return nil
}

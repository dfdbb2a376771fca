package baseline

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"synpool/milbench"
)

// mostLandmarks bounds the landmarks of a kernel, with which time and memory of a fit grow.
const mostLandmarks = 500

// jitter is added to the diagonal of the kernel matrix of the landmarks, which is 1: instances that stand twice would
// make it singular.
const jitter = 1e-8

// kernel is a radial kernel k(x, z) = exp(-gamma |x-z|^2) and its landmarks, standardised instances of the training bags.
type kernel struct {
	gamma     float64
	landmarks milbench.Matrix
	squares   []float64 // |z|^2 of each landmark
	root      mat.TriDense
}

// newKernel returns a kernel with evenly spaced rows of x as landmarks: all, or as many as there may be.
func newKernel(x milbench.Matrix, gamma float64, most int) (*kernel, error) {
	k := &kernel{gamma: gamma, landmarks: milbench.Matrix{Cols: x.Cols}}
	if x.Sparse() {
		k.landmarks.RowStart = []int{0}
	}
	n := min(x.Rows, most)
	for i := range n {
		row := i * x.Rows / n
		if !x.Sparse() {
			k.landmarks.Values = append(k.landmarks.Values, x.Values[row*x.Cols:(row+1)*x.Cols]...)
		} else {
			from, to := x.RowStart[row], x.RowStart[row+1]
			k.landmarks.Values = append(k.landmarks.Values, x.Values[from:to]...)
			k.landmarks.Column = append(k.landmarks.Column, x.Column[from:to]...)
			k.landmarks.RowStart = append(k.landmarks.RowStart, len(k.landmarks.Values))
		}
		k.landmarks.Rows++
	}
	dense := make([]float64, x.Cols)
	for i := range n {
		k.landmarks.Row(i, dense)
		k.squares = append(k.squares, floats.Dot(dense, dense))
	}
	between := mat.NewSymDense(n, nil)
	row := make([]float64, n)
	for i := range n {
		k.landmarks.Row(i, dense)
		k.to(dense, row)
		for j := range i {
			between.SetSym(i, j, row[j])
		}
		between.SetSym(i, i, 1+jitter)
	}
	var cholesky mat.Cholesky
	if !cholesky.Factorize(between) {
		return nil, fmt.Errorf("the kernel matrix of %d instances is singular; give another gamma than %v", n, gamma)
	}
	cholesky.LTo(&k.root)
	return k, nil
}

// to writes the kernel of a standardised instance and each landmark.
func (k *kernel) to(x, values []float64) {
	square := floats.Dot(x, x)
	for j := range values {
		values[j] = math.Exp(-k.gamma * max(square+k.squares[j]-2*dot(k.landmarks, j, x), 0))
	}
}

// features returns features of instances whose products are the kernel, exactly between landmarks (Nyström's method):
// the rows of K L^-T, with K the kernel between instances and landmarks and L L^T that between landmarks.
func (k *kernel) features(x milbench.Matrix) milbench.Matrix {
	n := k.landmarks.Rows
	f := milbench.Matrix{Rows: x.Rows, Cols: n, Values: make([]float64, x.Rows*n)}
	dense := make([]float64, x.Cols)
	for i := range x.Rows {
		x.Row(i, dense)
		k.to(dense, f.Values[i*n:(i+1)*n])
	}
	blas64.Trsm(blas.Right, blas.Trans, 1, k.root.RawTriangular(), blas64.General{Rows: x.Rows, Cols: n, Stride: n, Data: f.Values})
	return f
}

// coefficients turns weights of the features into factors of the kernel with each landmark, in place.
func (k *kernel) coefficients(weights []float64) {
	blas64.Trsv(blas.Trans, k.root.RawTriangular(), blas64.Vector{N: len(weights), Inc: 1, Data: weights})
}

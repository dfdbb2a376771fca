package classic

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"synpool/milbench/mil"
)

// mostLandmarks is the limit of landmarks of a kernel. Time and memory of a fit grow with their number.
const mostLandmarks = 500

// jitter is added to the diagonal of the landmarks' kernel matrix, which is 1. Without it, duplicate instances would
// make the matrix singular.
const jitter = 1e-8

// kernel is a radial kernel k(x, z) = exp(-gamma |x-z|^2) with its landmarks, which are standardised training
// instances.
type kernel struct {
	gamma     float64
	landmarks [][]float64
	squares   []float64   // |z|^2 of each landmark
	dense     []float64   // landmarks row by row, unless they have few values
	byFeature [][]float64 // for landmarks with few values: per feature its values in all landmarks, nil if all are 0
	root      mat.TriDense
}

// newKernel returns a kernel whose landmarks are evenly spaced instances of bags: all of them, or mostLandmarks.
func newKernel(bags []mil.Instances, s scale, gamma float64, most int) (*kernel, error) {
	k := &kernel{gamma: gamma}
	n := min(instances(bags), most)
	row := make([]float32, len(s.Factor))
	for _, of := range spaced(bags, n) {
		if err := of.read(row); err != nil {
			return nil, err
		}
		z := make([]float64, len(row))
		s.apply(row, z)
		k.add(z)
	}
	k.index()
	between := mat.NewSymDense(n, nil)
	values := make([]float64, n)
	for i := range n {
		k.to(k.landmarks[i], values)
		for j := range i {
			between.SetSym(i, j, values[j])
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

// add appends a landmark.
func (k *kernel) add(z []float64) {
	k.landmarks, k.squares = append(k.landmarks, z), append(k.squares, floats.Dot(z, z))
}

// fewValues is the share of nonzero values below which products with landmarks skip zeros.
const fewValues = 0.1

// index prepares fast products with landmarks that have few values.
func (k *kernel) index() {
	count, width := 0, 0
	for _, z := range k.landmarks {
		width = len(z)
		for _, v := range z {
			if v != 0 {
				count++
			}
		}
	}
	if float64(count) >= fewValues*float64(width)*float64(len(k.landmarks)) {
		k.dense = slices.Concat(k.landmarks...)
		return
	}
	k.byFeature = make([][]float64, width)
	for i, z := range k.landmarks {
		for j, v := range z {
			if v == 0 {
				continue
			}
			if k.byFeature[j] == nil {
				k.byFeature[j] = make([]float64, len(k.landmarks))
			}
			k.byFeature[j][i] = v
		}
	}
}

// to writes the kernels between a standardised instance and all landmarks.
func (k *kernel) to(x, values []float64) {
	square := floats.Dot(x, x)
	if n, d := len(k.landmarks), len(x); k.byFeature == nil {
		blas64.Gemv(blas.NoTrans, 1, blas64.General{Rows: n, Cols: d, Stride: d, Data: k.dense},
			blas64.Vector{N: d, Inc: 1, Data: x}, 0, blas64.Vector{N: n, Inc: 1, Data: values})
	} else {
		clear(values)
		for j, v := range x {
			if v != 0 && k.byFeature[j] != nil {
				floats.AddScaled(values, v, k.byFeature[j])
			}
		}
	}
	for j, product := range values {
		values[j] = math.Exp(-k.gamma * max(square+k.squares[j]-2*product, 0))
	}
}

// features returns features whose products are the kernel, exactly between landmarks (Nyström's method). They are the
// rows of K L^-T, where K is the kernel between instances and landmarks, and L L^T the kernel between landmarks.
func (k *kernel) features(bags []mil.Instances, s scale) (*kernelFeatures, error) {
	n := len(k.landmarks)
	f := &kernelFeatures{columns: n, rows: instances(bags)}
	f.values = make([]float64, 0, f.rows*n)
	z := make([]float64, len(s.Factor))
	for _, x := range bags {
		if err := mil.EachRow(x, func(_ int, row []float32) {
			s.apply(row, z)
			at := len(f.values)
			f.values = f.values[:at+n]
			k.to(z, f.values[at:])
		}); err != nil {
			return nil, err
		}
	}
	blas64.Trsm(blas.Right, blas.Trans, 1, k.root.RawTriangular(), blas64.General{Rows: f.rows, Cols: n, Stride: n, Data: f.values})
	return f, nil
}

// coefficients turns weights of the features into coefficients of the landmarks' kernels, in place.
func (k *kernel) coefficients(weights []float64) {
	blas64.Trsv(blas.Trans, k.root.RawTriangular(), blas64.Vector{N: len(weights), Inc: 1, Data: weights})
}

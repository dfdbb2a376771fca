package classic

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"synpool/internal/svm"
	"synpool/internal/transport"
	"synpool/milbench/learner"
)

// mostInstanceGram is the number of instances and bags up to which their kernel matrix is held in memory: 484 MB.
const mostInstanceGram = 11_000

// instanceKernel is a kernel of standardised instances with d features: exp(-gamma / d |x-z|^2), or their product if
// gamma is 0.
type instanceKernel struct {
	z     *standardised
	p     *points
	gamma float64
}

// Len implements [svm.Kernel].
func (k instanceKernel) Len() int { return k.p.rows }

// Diagonal implements [svm.Kernel].
func (k instanceKernel) Diagonal(dst []float64) {
	d := len(k.z.Factor)
	for i := range dst[:k.p.rows] {
		switch {
		case k.gamma > 0:
			dst[i] = 1
		case k.z.Sparse:
			dst[i] = k.p.squares[i]
		default:
			x := k.p.values[i*d : (i+1)*d]
			dst[i] = floats.Dot(x, x)
		}
	}
}

// Row implements [svm.Kernel].
func (k instanceKernel) Row(i int, dst []float64) {
	k.rows(k.p.slice(i, i+1, len(k.z.Factor)), k.p, dst[:k.p.rows])
}

// rows writes the kernels between points a and points b, row by row of a.
func (k instanceKernel) rows(a, b *points, dst []float64) {
	d := len(k.z.Factor)
	switch {
	case k.gamma > 0:
		if _, err := k.z.between(transport.Euclidean, a, b, dst[:0]); err != nil {
			for i := range dst { // the machine reports it
				dst[i] = math.NaN()
			}
			return
		}
		for i, v := range dst {
			dst[i] = math.Exp(-k.gamma / float64(d) * v * v)
		}
	case k.z.Sparse:
		k.z.spread(a, func(i int, dense []float64) {
			for m := range b.rows {
				dst[i*b.rows+m] = b.dot(m, dense)
			}
		})
	default:
		for i := range a.rows {
			x := a.values[i*d : (i+1)*d]
			for m := range b.rows {
				dst[i*b.rows+m] = floats.Dot(x, b.values[m*d:(m+1)*d])
			}
		}
	}
}

// instanceKernels holds the kernels between instances and bag means.
type instanceKernels struct {
	instanceKernel
	values svm.Kernel // the same kernel, from memory
	first  []int      // first instance of each bag, and the total number
	means  int        // index of the first bag's mean
}

// instanceKernelsOf returns the kernels of the bags t.Bags, which are the given rows of the shared bags, and the places
// of these bags in the kernels. If there are not too many, the kernels are a matrix that fits share.
func instanceKernelsOf(ctx context.Context, s *learner.Shared, rows []int, gamma float64) (*instanceKernels, []int, error) {
	z, err := standardisedOf(s)
	if err != nil {
		return nil, nil, err
	}
	count := len(z.bags)
	for _, p := range z.bags {
		count += p.rows
	}
	if count > mostInstanceGram {
		k := newInstanceKernels(z, z.some(rows), gamma)
		k.values = svm.NewCache(k.instanceKernel, instanceCacheBytes)
		return k, all(len(rows)), nil
	}
	k, err := learner.Once(s, instanceKernelKey(gamma), func() (*instanceKernels, error) {
		k := newInstanceKernels(z, z.bags, gamma)
		n := k.Len()
		values, row := make([]float32, n*n), make([]float64, n)
		for i := range n {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			k.rows(k.p.slice(i, i+1, len(z.Factor)), k.p.slice(0, i+1, len(z.Factor)), row[:i+1])
			for m, v := range row[:i+1] {
				values[i*n+m], values[m*n+i] = float32(v), float32(v)
			}
		}
		var err error
		k.values, err = svm.NewSingle(values, n)
		return k, err
	})
	return k, rows, err
}

func instanceKernelKey(gamma float64) string { return fmt.Sprintf("instance kernel %v", gamma) }

// instanceCacheBytes is the limit for kernel rows that a fit keeps in memory.
const instanceCacheBytes = 256 << 20

// newInstanceKernels returns the kernels of bags without computing them.
func newInstanceKernels(z *standardised, bags []*points, gamma float64) *instanceKernels {
	width := len(z.Factor)
	k := &instanceKernels{instanceKernel: instanceKernel{z: z, p: &points{}, gamma: gamma}, first: []int{0}}
	for _, p := range bags {
		for i := range p.rows {
			k.p.add(p, i, width)
		}
		k.first = append(k.first, k.p.rows)
	}
	k.means = k.p.rows
	for _, p := range bags {
		k.p.add(z.point(z.centre(p)), 0, width)
	}
	return k
}

// point returns a standardised vector as points.
func (z *standardised) point(x []float64) *points {
	if !z.Sparse {
		return &points{rows: 1, values: x}
	}
	p := &points{rows: 1, squares: []float64{0}, sums: []float64{0}}
	for j, v := range x {
		if v != 0 {
			p.values, p.columns = append(p.values, v), append(p.columns, int32(j))
			p.squares[0] += v * v
			p.sums[0] += math.Abs(v)
		}
	}
	p.start = []int32{0, int32(len(p.values))}
	return p
}

// instances returns the indices of a bag's instances.
func (k *instanceKernels) instances(bag int) []int {
	var list []int
	for i := k.first[bag]; i < k.first[bag+1]; i++ {
		list = append(list, i)
	}
	return list
}

// decisions returns the decision values of all instances and means under a machine fitted to the examples.
func (k *instanceKernels) decisions(m *svm.Machine, examples []int) []float64 {
	f, row := make([]float64, k.Len()), make([]float64, k.Len())
	for i, c := range m.Coefficients {
		if c != 0 {
			k.values.Row(examples[i], row)
			floats.AddScaled(f, c, row)
		}
	}
	floats.AddConst(m.Bias, f)
	return f
}

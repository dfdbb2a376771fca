// Package goldentest passes the arrays of golden files to graphs.
package goldentest

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/tensors"
)

// Array is a nested list of numbers from a golden file, with its values in file order.
type Array struct {
	Dims []int
	Flat []float64
}

// UnmarshalJSON implements [json.Unmarshaler]. Lists of different lengths at the same depth are an error.
func (a *Array) UnmarshalJSON(data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*a = Array{}
	return a.add(v, 0)
}

func (a *Array) add(v any, depth int) error {
	switch v := v.(type) {
	case float64:
		a.Flat = append(a.Flat, v)
	case []any:
		if len(a.Dims) == depth {
			a.Dims = append(a.Dims, len(v))
		}
		if a.Dims[depth] != len(v) {
			return fmt.Errorf("ragged array")
		}
		for _, w := range v {
			if err := a.add(w, depth+1); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("%T in an array", v)
	}
	return nil
}

// Reshape returns the values with other dimensions.
func (a Array) Reshape(dims ...int) Array { return Array{dims, a.Flat} }

// Transposed returns a matrix [out, in], PyTorch's layout of a linear map, as [in, out].
func (a Array) Transposed() Array {
	rows, cols := a.Dims[0], a.Dims[1]
	t := Array{Dims: []int{cols, rows}, Flat: make([]float64, len(a.Flat))}
	for i := range rows {
		for j := range cols {
			t.Flat[j*rows+i] = a.Flat[i*cols+j]
		}
	}
	return t
}

// Rows returns rows lo to hi, hi excluded, of a matrix, or entries of a vector.
func (a Array) Rows(lo, hi int) Array {
	stride := len(a.Flat) / a.Dims[0]
	return Array{append([]int{hi - lo}, a.Dims[1:]...), a.Flat[lo*stride : hi*stride]}
}

// Tensor returns the array as float32 or float64.
func (a Array) Tensor(dtype dtypes.DType) *tensors.Tensor {
	if dtype == dtypes.Float64 {
		return tensors.FromFlatDataAndDimensions(slices.Clone(a.Flat), a.Dims...)
	}
	narrow := make([]float32, len(a.Flat))
	for i, v := range a.Flat {
		narrow[i] = float32(v)
	}
	return tensors.FromFlatDataAndDimensions(narrow, a.Dims...)
}

// Floats returns the values of a tensor of either float type.
func Floats(t *tensors.Tensor) []float64 {
	if t.DType() == dtypes.Float64 {
		return tensors.MustCopyFlatData[float64](t)
	}
	var wide []float64
	for _, v := range tensors.MustCopyFlatData[float32](t) {
		wide = append(wide, float64(v))
	}
	return wide
}

// Package safetensors reads and writes files of named arrays in the safetensors format: the length of a header as eight bytes, the
// header as JSON with the type, shape and place of each array, and the values, little endian.
//
// Specification: https://github.com/huggingface/safetensors#format.
package safetensors

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"synpool/internal/float16"
)

// Tensor is an array of float32, row-major. Files may have float64, float16 and bfloat16, which are converted.
type Tensor struct {
	Dims   []int
	Values []float32
}

// place is an array in the header.
type place struct {
	Type    string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

// metadataName is the name of texts in the header.
const metadataName = "__metadata__"

// mostHeader is the limit of the header, as in the reference implementation.
const mostHeader = 100_000_000

var errFormat = errors.New("not a safetensors file, or a damaged one")

// Encode returns the content of a file with arrays and texts. Arrays are in the order of their names.
func Encode(arrays map[string]Tensor, metadata map[string]string) ([]byte, error) {
	header := map[string]any{}
	if len(metadata) > 0 {
		header[metadataName] = metadata
	}
	at := 0
	names := slices.Sorted(maps.Keys(arrays))
	for _, name := range names {
		t := arrays[name]
		n := 4 * len(t.Values)
		header[name] = place{"F32", append([]int{}, t.Dims...), [2]int{at, at + n}}
		at += n
	}
	text, err := json.Marshal(header)
	if err != nil {
		return nil, err
	}
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	out := binary.LittleEndian.AppendUint64(make([]byte, 0, 8+len(text)+at), uint64(len(text)))
	out = append(out, text...)
	for _, name := range names {
		for _, v := range arrays[name].Values {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		}
	}
	return out, nil
}

// Decode reads the content of a file. Nothing in it is trusted to fit.
func Decode(data []byte) (arrays map[string]Tensor, metadata map[string]string, err error) {
	if len(data) < 8 {
		return nil, nil, errFormat
	}
	n := binary.LittleEndian.Uint64(data)
	if n > mostHeader || n > uint64(len(data)-8) {
		return nil, nil, errFormat
	}
	text, values := data[8:8+n], data[8+n:]
	var header map[string]json.RawMessage
	if err := json.Unmarshal(text, &header); err != nil {
		return nil, nil, errFormat
	}
	arrays = map[string]Tensor{}
	total := 0
	for name, one := range header {
		if name == metadataName {
			if err := json.Unmarshal(one, &metadata); err != nil {
				return nil, nil, errFormat
			}
			continue
		}
		var p place
		if err := json.Unmarshal(one, &p); err != nil || p.Offsets[0] < 0 || p.Offsets[1] < p.Offsets[0] || p.Offsets[1] > len(values) {
			return nil, nil, fmt.Errorf("%w: the array %q", errFormat, name)
		}
		if total += p.Offsets[1] - p.Offsets[0]; total > len(values) { // arrays do not overlap
			return nil, nil, fmt.Errorf("%w: the array %q", errFormat, name)
		}
		if arrays[name], err = p.tensor(values[p.Offsets[0]:p.Offsets[1]]); err != nil {
			return nil, nil, fmt.Errorf("the array %q: %w", name, err)
		}
	}
	return arrays, metadata, nil
}

// tensor returns the values of an array.
func (p place) tensor(raw []byte) (t Tensor, err error) {
	size := map[string]int{"F32": 4, "F64": 8, "F16": 2, "BF16": 2}[p.Type]
	if size == 0 {
		return t, fmt.Errorf("values of type %.20q; F32, F64, F16 and BF16 can be read", p.Type)
	}
	n := 1
	for _, d := range p.Shape {
		if d < 0 || d > 0 && n > len(raw)/d {
			return t, errFormat
		}
		n *= d
	}
	if n*size != len(raw) {
		return t, errFormat
	}
	t = Tensor{p.Shape, make([]float32, n)}
	for i := range t.Values {
		b := raw[i*size:]
		switch p.Type {
		case "F32":
			t.Values[i] = math.Float32frombits(binary.LittleEndian.Uint32(b))
		case "F64":
			t.Values[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(b)))
		case "F16":
			t.Values[i] = float16.Float32(binary.LittleEndian.Uint16(b))
		case "BF16":
			t.Values[i] = math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16)
		}
	}
	return t, nil
}

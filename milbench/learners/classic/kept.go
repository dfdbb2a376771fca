package classic

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"synpool/milbench/mil"
)

// errNotValidated reports that a decoded model was not validated.
var errNotValidated = errors.New("a model that was read must be validated before it predicts")

// numbers are float64 values that JSON holds as one base64 string, little endian.
type numbers []float64

// MarshalText implements [encoding.TextMarshaler].
func (n numbers) MarshalText() ([]byte, error) {
	b := make([]byte, 0, 8*len(n))
	for _, v := range n {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return base64.StdEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]. Values that are not finite are an error.
func (n *numbers) UnmarshalText(text []byte) error {
	b, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil || len(b)%8 != 0 {
		return errors.New("numbers that are not float64 values in base64")
	}
	*n = make(numbers, 0, len(b)/8)
	for ; len(b) > 0; b = b[8:] {
		v := math.Float64frombits(binary.LittleEndian.Uint64(b))
		if v-v != 0 {
			return fmt.Errorf("a number is %v", v)
		}
		*n = append(*n, v)
	}
	return nil
}

// words32 are 32-bit words that JSON holds as one base64 string, little endian.
type words32 []uint32

// MarshalText implements [encoding.TextMarshaler].
func (w words32) MarshalText() ([]byte, error) {
	b := make([]byte, 0, 4*len(w))
	for _, v := range w {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return base64.StdEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (w *words32) UnmarshalText(text []byte) error {
	b, err := base64.StdEncoding.AppendDecode(nil, text)
	if err != nil || len(b)%4 != 0 {
		return errors.New("numbers that are not 32-bit words in base64")
	}
	*w = make(words32, 0, len(b)/4)
	for ; len(b) > 0; b = b[4:] {
		*w = append(*w, binary.LittleEndian.Uint32(b))
	}
	return nil
}

// float32Words converts values to words.
func float32Words(values []float32) words32 {
	w := make(words32, len(values))
	for i, v := range values {
		w[i] = math.Float32bits(v)
	}
	return w
}

// keptBag is a training bag that a model stores.
type keptBag struct{ mil.Instances }

type keptJSON struct {
	Rows    int     `json:"rows"`
	Cols    int     `json:"cols"`
	Values  words32 `json:"values"`
	Start   words32 `json:"start,omitempty"` // for a sparse bag
	Columns words32 `json:"columns,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (k keptBag) MarshalJSON() ([]byte, error) {
	if s, ok := k.Instances.(*mil.Sparse); ok {
		j := keptJSON{Rows: s.Rows, Cols: s.Cols, Values: float32Words(s.Values)}
		for _, at := range s.RowStart {
			j.Start = append(j.Start, uint32(at))
		}
		for _, c := range s.Column {
			j.Columns = append(j.Columns, uint32(c))
		}
		return json.Marshal(j)
	}
	d, err := mil.ToDense(k.Instances)
	if err != nil {
		return nil, err
	}
	return json.Marshal(keptJSON{Rows: d.Rows, Cols: d.Cols, Values: float32Words(d.Values)})
}

// UnmarshalJSON implements [json.Unmarshaler]. A malformed bag is an error.
func (k *keptBag) UnmarshalJSON(data []byte) error {
	var j keptJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	values := make([]float32, len(j.Values))
	for i, w := range j.Values {
		values[i] = math.Float32frombits(w)
	}
	if j.Start == nil {
		k.Instances = &mil.Dense{Rows: j.Rows, Cols: j.Cols, Values: values}
	} else {
		s := &mil.Sparse{Rows: j.Rows, Cols: j.Cols, Values: values}
		for _, at := range j.Start {
			s.RowStart = append(s.RowStart, int(at))
		}
		for _, c := range j.Columns {
			s.Column = append(s.Column, int32(c))
		}
		k.Instances = s
	}
	if k.Len() < 1 || k.Features() < 1 {
		return fmt.Errorf("a bag of %d instances of %d features", j.Rows, j.Cols)
	}
	return mil.ValidateInstances(k.Instances)
}

// keptScale is how a model standardises instances.
type keptScale struct {
	Shift  numbers `json:"shift"`
	Factor numbers `json:"factor"`
	Sparse bool    `json:"sparse,omitempty"`
}

func keepScale(z *standardised) keptScale { return keptScale{z.shift, z.factor, z.sparse} }

func (k keptScale) standardised() *standardised {
	return &standardised{scale: scale{k.Shift, k.Factor}, sparse: k.Sparse}
}

// points returns the standardised bags of a model.
func (k keptScale) points(bags []keptBag) (*standardised, []*points, error) {
	z := k.standardised()
	all := make([]*points, len(bags))
	for i, b := range bags {
		var err error
		if all[i], err = z.standardise(b.Instances); err != nil {
			return nil, nil, fmt.Errorf("bag %d of the model: %w", i, err)
		}
	}
	return z, all, nil
}

// validate reports lengths that do not match those of the bags.
func (k keptScale) validate(bags []keptBag) error {
	if len(k.Shift) != len(k.Factor) || len(k.Factor) == 0 {
		return fmt.Errorf("%d shifts and %d factors", len(k.Shift), len(k.Factor))
	}
	for _, b := range bags {
		if b.Instances == nil || b.Features() != len(k.Factor) {
			return fmt.Errorf("a support bag that is not of %d features", len(k.Factor))
		}
	}
	return atLeast0("factor", k.Factor...)
}

package classic

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"synpool/milbench/mil"
)

// errNotValidated reports that a decoded model was not validated.
var errNotValidated = errors.New("a model that was read must be validated before it predicts")

// packed are values that JSON holds as one base64 string, little endian.
type packed[T float32 | float64 | int32 | uint32] []T

// numbers are parameters of models.
type numbers = packed[float64]

// MarshalText implements [encoding.TextMarshaler].
func (p packed[T]) MarshalText() ([]byte, error) {
	b, err := binary.Append(nil, binary.LittleEndian, []T(p))
	return base64.StdEncoding.AppendEncode(nil, b), err
}

// UnmarshalText implements [encoding.TextUnmarshaler]. Values that are not finite are an error.
func (p *packed[T]) UnmarshalText(text []byte) error {
	b, err := base64.StdEncoding.AppendDecode(nil, text)
	size := binary.Size(T(0))
	if err != nil || len(b)%size != 0 {
		return fmt.Errorf("numbers that are not %T values in base64", T(0))
	}
	values := make([]T, len(b)/size)
	if _, err := binary.Decode(b, binary.LittleEndian, values); err != nil {
		return err
	}
	for _, v := range values {
		if v-v != 0 {
			return fmt.Errorf("a number is %v", v)
		}
	}
	*p = values
	return nil
}

// keptBag is a training bag that a model stores.
type keptBag struct{ mil.Instances }

type keptJSON struct {
	Rows    int             `json:"rows"`
	Cols    int             `json:"cols"`
	Values  packed[float32] `json:"values"`
	Start   packed[uint32]  `json:"start,omitempty"` // for a sparse bag
	Columns packed[int32]   `json:"columns,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (k keptBag) MarshalJSON() ([]byte, error) {
	if s, ok := k.Instances.(*mil.Sparse); ok {
		j := keptJSON{Rows: s.Rows, Cols: s.Cols, Values: s.Values, Columns: s.Column}
		for _, at := range s.RowStart {
			j.Start = append(j.Start, uint32(at))
		}
		return json.Marshal(j)
	}
	d, err := mil.ToDense(k.Instances)
	if err != nil {
		return nil, err
	}
	return json.Marshal(keptJSON{Rows: d.Rows, Cols: d.Cols, Values: d.Values})
}

// UnmarshalJSON implements [json.Unmarshaler]. A malformed bag is an error.
func (k *keptBag) UnmarshalJSON(data []byte) error {
	var j keptJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	k.Instances = &mil.Dense{Rows: j.Rows, Cols: j.Cols, Values: j.Values}
	if j.Start != nil {
		s := &mil.Sparse{Rows: j.Rows, Cols: j.Cols, Column: j.Columns, Values: j.Values}
		for _, at := range j.Start {
			s.RowStart = append(s.RowStart, int(at))
		}
		k.Instances = s
	}
	if k.Len() < 1 || k.Features() < 1 {
		return fmt.Errorf("a bag of %d instances of %d features", j.Rows, j.Cols)
	}
	return mil.ValidateInstances(k.Instances)
}

// points returns the standardised bags of a model.
func (s scale) points(bags []keptBag) (*standardised, []*points, error) {
	z := &standardised{scale: s}
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
func (s scale) validate(bags []keptBag) error {
	if len(s.Shift) != len(s.Factor) || len(s.Factor) == 0 {
		return fmt.Errorf("%d shifts and %d factors", len(s.Shift), len(s.Factor))
	}
	for _, b := range bags {
		if b.Instances == nil || b.Features() != len(s.Factor) {
			return fmt.Errorf("a support bag that is not of %d features", len(s.Factor))
		}
	}
	return atLeast0("factor", s.Factor...)
}

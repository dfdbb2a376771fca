package classic

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// instanceModelJSON is the stored form of an [instanceModel].
type instanceModelJSON struct {
	Features *int            `json:"features"`
	Weights  numbers         `json:"weights"`
	Bias     *float64        `json:"bias"`
	Loss     *float64        `json:"loss"`
	Kernel   *landmarkKernel `json:"kernel,omitempty"`
}

// landmarkKernel is the stored form of a [kernel].
type landmarkKernel struct {
	Gamma     float64   `json:"gamma"`
	Scale     keptScale `json:"scale"`
	Landmarks numbers   `json:"landmarks"` // standardised, row-major
}

// MarshalJSON implements [json.Marshaler].
func (m *instanceModel) MarshalJSON() ([]byte, error) {
	features := m.features
	j := instanceModelJSON{Features: &features, Weights: m.Weights, Bias: &m.Bias, Loss: &m.Loss}
	if m.kernel == nil {
		features = len(m.Weights)
	} else {
		j.Kernel = &landmarkKernel{Gamma: m.kernel.gamma, Scale: keptScale{Shift: m.scale.shift, Factor: m.scale.factor}}
		for _, z := range m.kernel.landmarks {
			j.Kernel.Landmarks = append(j.Kernel.Landmarks, z...)
		}
	}
	return json.Marshal(j)
}

// UnmarshalJSON implements [json.Unmarshaler]. Inconsistent parts are an error.
func (m *instanceModel) UnmarshalJSON(data []byte) error {
	var j instanceModelJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	if j.Features == nil || j.Bias == nil || j.Loss == nil {
		return errors.New("features, bias or loss is missing")
	}
	*m = instanceModel{Weights: j.Weights, Bias: *j.Bias, Loss: *j.Loss, features: *j.Features}
	if k := j.Kernel; k != nil {
		n, d := len(j.Weights), *j.Features
		if d < 1 || len(k.Landmarks)%d != 0 || len(k.Landmarks)/d != n || len(k.Scale.Shift) != d || len(k.Scale.Factor) != d {
			return fmt.Errorf("a kernel that does not fit %d landmarks of %d features", n, d)
		}
		m.scale, m.kernel = scale{k.Scale.Shift, k.Scale.Factor}, &kernel{gamma: k.Gamma}
		for i := range n {
			z := k.Landmarks[i*d : (i+1)*d]
			m.kernel.landmarks, m.kernel.squares = append(m.kernel.landmarks, z), append(m.kernel.squares, floats.Dot(z, z))
		}
		m.kernel.index()
	}
	return m.Validate()
}

// Validate reports parts of a decoded model that do not fit together.
func (m *instanceModel) Validate() error {
	if len(m.Weights) == 0 {
		return errors.New("no weights")
	}
	if m.kernel == nil && m.features != len(m.Weights) {
		return fmt.Errorf("%d weights of %d features", len(m.Weights), m.features)
	}
	if math.IsNaN(m.Bias) || math.IsInf(m.Bias, 0) {
		return fmt.Errorf("the bias is %v", m.Bias)
	}
	if m.kernel != nil && !(m.kernel.gamma > 0) {
		return fmt.Errorf("gamma %v: more than 0 is needed", m.kernel.gamma)
	}
	return nil
}

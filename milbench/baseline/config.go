package baseline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"synpool/milbench"
)

// Pooling is the name of the instance classifier in settings, beside those of the poolings.
const Pooling = "instance"

// Loss is a function of the margin m of an instance.
type Loss string

// The losses.
const (
	Logistic Loss = "logistic" // log(1 + exp(-m))
	Hinge    Loss = "hinge"    // max(0, 1-m)^2, the squared hinge of a support vector machine
)

// Losses lists the losses.
var Losses = []Loss{Logistic, Hinge}

// Config is one setting of an instance classifier, the minimum over weights w and bias b of
//
//	|w|^2 / 2  +  C sum_i s_i loss(y_i (w x_i + b))
//
// over the standardised instances x_i of the training bags, with s_i = 1, or N / (2 N_y) where Weighted: N instances,
// N_y of them in bags of the label y. The bias bears no penalty. It is the model of scikit-learn's LogisticRegression and,
// but for its penalty of the bias, LinearSVC.
//
// With Gamma above 0 the x_i are features whose products are the radial kernel exp(-Gamma |x-z|^2) of standardised
// instances, by Nyström's method (Williams and Seeger 2001) with up to 500 evenly spaced training instances as
// landmarks: exactly that kernel between instances of sets that have no more of them in training.
type Config struct {
	Loss     Loss
	C        float64 // the larger, the weaker the penalty
	Weighted bool    // both classes weigh the same, however many instances they have
	Gamma    float64 // of a radial kernel; 0 for a linear classifier
}

// DefaultConfig returns the linear classifier with the logistic loss, C = 1, weighted.
func DefaultConfig() Config { return Config{Loss: Logistic, C: 1, Weighted: true} }

// Validate reports the first hyperparameter that makes no sense.
func (c Config) Validate() error {
	if !slices.Contains(Losses, c.Loss) {
		var names []string
		for _, l := range Losses {
			names = append(names, string(l))
		}
		if near := milbench.Nearest(string(c.Loss), names); near != "" {
			return fmt.Errorf("loss %q: there is no such loss; did you mean %q?", c.Loss, near)
		}
		return fmt.Errorf("loss %q: there is no such loss; use one of %s", c.Loss, strings.Join(names, ", "))
	}
	if !(c.C > 0) || math.IsInf(c.C, 1) {
		return fmt.Errorf("c %v: more than 0 is needed", c.C)
	}
	if !(c.Gamma >= 0) || math.IsInf(c.Gamma, 1) {
		return fmt.Errorf("gamma %v: 0 or more is needed", c.Gamma)
	}
	return nil
}

// stored is the JSON of a setting.
type stored struct {
	Pooling  *string  `json:"pooling"`
	Loss     *Loss    `json:"loss"`
	C        *float64 `json:"c"`
	Weighted *bool    `json:"weighted"`
	Gamma    float64  `json:"gamma,omitempty"`
}

// MarshalJSON writes, say, {"pooling":"instance","loss":"logistic","c":1,"weighted":true}, and gamma if it is not 0.
func (c Config) MarshalJSON() ([]byte, error) {
	name := Pooling
	return json.Marshal(stored{&name, &c.Loss, &c.C, &c.Weighted, c.Gamma})
}

// UnmarshalJSON reads what MarshalJSON writes: a key that is missing, but gamma, or unknown is an error.
func (c *Config) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var read stored
	if err := d.Decode(&read); err != nil {
		return fmt.Errorf("setting of an instance classifier: %w", err)
	}
	switch {
	case read.Pooling == nil || *read.Pooling != Pooling:
		return fmt.Errorf("setting without \"pooling\":%q: %.100s", Pooling, data)
	case read.Loss == nil || read.C == nil || read.Weighted == nil:
		return fmt.Errorf("setting without one of loss, c and weighted: %.100s", data)
	}
	*c = Config{*read.Loss, *read.C, *read.Weighted, read.Gamma}
	return nil
}

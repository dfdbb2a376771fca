package calibrate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Learnt is what the held-out bags of a model have taught: a calibration with its figures, conformal sets or intervals,
// scores of instances, or several of them. Use it for a model trained on all bags. The scores come from the models of the folds, which have seen fewer bags,
// so the final model may be slightly better than After shows.
type Learnt struct {
	Calibration *Calibration `json:"calibration,omitempty"` // nil for none
	Folds       int          `json:"folds"`
	Before      Figures      `json:"before,omitzero"` // with scores taken as logits, see [Uncalibrated]
	After       Figures      `json:"after,omitzero"`  // cross-fitted, see [CrossFit]: estimates for new bags

	Conformal *Conformal `json:"conformal,omitempty"` // nil for none
	// Instances has the scores of instances of held-out negative bags, each scored as a bag of its own; nil for none.
	// See [HeldOut.Instances].
	Instances *Nonconformity `json:"instances,omitempty"`

	Size float64 `json:"mean_size,omitempty"` // classes per set, cross-fitted as After; 0 for intervals
}

// Learn fits a calibration to held-out bags and evaluates it by [CrossFit] with [DefaultBins] bins. fold has the fold
// number of each bag. The errors are those of [CrossFit].
func Learn(method Method, classes int, labels []int, scores [][]float64, fold []int) (*Learnt, error) {
	c, err := Fit(method, classes, labels, scores)
	if err != nil {
		return nil, err
	}
	after, err := CrossFit(method, classes, labels, scores, fold)
	if err != nil {
		return nil, err
	}
	before := make([][]float64, len(scores))
	for i, z := range scores {
		before[i] = Uncalibrated(z)
	}
	l := &Learnt{Calibration: c, Folds: len(slices.Compact(slices.Sorted(slices.Values(fold))))}
	if l.Before, err = Judge(labels, before, DefaultBins); err != nil {
		return nil, err
	}
	l.After, err = Judge(labels, after, DefaultBins)
	return l, err
}

// InstancesText returns in one line what p-values of instances were learnt from.
func (l *Learnt) InstancesText() string {
	return fmt.Sprintf("p-values against %d instances of held-out negative bags", l.Instances.Units)
}

// strict decodes JSON without unknown fields.
func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// UnmarshalJSON implements [json.Unmarshaler]. It rejects unknown fields, one that has learnt nothing, and those
// that fail [Calibration.Validate] or [Conformal.Validate].
func (l *Learnt) UnmarshalJSON(data []byte) error {
	type plain Learnt
	var read plain
	if err := strict(data, &read); err != nil {
		return err
	}
	if read.Calibration == nil && read.Conformal == nil && read.Instances == nil {
		return errors.New("no calibration")
	}
	if read.Instances != nil {
		if err := read.Instances.validate(); err != nil {
			return fmt.Errorf("instances: %w", err)
		}
	}
	*l = Learnt(read)
	return nil
}

package calibrate

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// Learnt is a calibration with the figures of the held-out bags that it was learnt from. It is meant for the model of all bags; those of the
// folds, whose scores it was learnt from, have seen fewer bags, so that the model of all may be a little better than After says.
type Learnt struct {
	Calibration *Calibration `json:"calibration"`
	Folds       int          `json:"folds"`
	Before      Figures      `json:"before"` // of scores that are read as logits, see [Uncalibrated]
	After       Figures      `json:"after"`  // cross-fitted, see [CrossFit]: those of new bags
}

// Learn fits a calibration to held-out bags and judges it by [CrossFit], with [DefaultBins] bins. fold has the number of each bag's fold. The
// errors are those of [CrossFit].
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

// UnmarshalJSON implements [json.Unmarshaler]. It refuses unknown fields, and a calibration that is missing or that
// [Calibration.Validate] refuses.
func (l *Learnt) UnmarshalJSON(data []byte) error {
	type plain Learnt
	var read plain
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&read); err != nil {
		return err
	}
	if read.Calibration == nil {
		return errors.New("no calibration")
	}
	*l = Learnt(read)
	return nil
}

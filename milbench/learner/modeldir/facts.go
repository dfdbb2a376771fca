package modeldir

import (
	"encoding/json"
	"fmt"
	"math"

	"synpool/milbench"
)

// Facts are what the card of a model says beside what it takes to score bags: what it learnt from, how well it did on bags that were held
// out, and what it must not be used for.
type Facts struct {
	Learner  string          `json:"learner"`
	Setting  json.RawMessage `json:"setting"`
	Version  string          `json:"version"`  // of milbench
	Revision string          `json:"revision"` // of its source

	Data milbench.Profile `json:"data"` // the bags that it was trained on

	// Judged has the figures on held-out bags of the same data. Judge is, where there are none, the command that gets them.
	Judged []Judged `json:"judged,omitempty"`
	Judge  string   `json:"judge,omitempty"`

	Operating []OperatingPoint `json:"operating,omitempty"`

	// Calibration says how scores were made probabilities; empty: not at all.
	Calibration string `json:"calibration,omitempty"`

	// Limits are sentences on what the model must not be used for. [Describe] derives them from the rest of the card.
	Limits []string `json:"limits"`
}

// Judged is how well models of the same learner and setting did on bags of the same data that were held out of their training.
type Judged struct {
	Protocol   string   `json:"protocol"`
	Folds      int      `json:"folds"`
	FoldsRun   int      `json:"folds_run"`
	Repeats    int      `json:"repeats"`
	Bags       int      `json:"bags"` // held out in each repeat
	Optimistic bool     `json:"optimistic,omitempty"`
	Versions   []string `json:"versions,omitempty"`
	Figures    []Figure `json:"figures"`
}

// Figure is a number that says how good a model is.
type Figure struct {
	Name  string   `json:"name"`
	Value float64  `json:"value"`
	Low   *float64 `json:"low,omitempty"` // 95 % interval
	High  *float64 `json:"high,omitempty"`
	Over  string   `json:"over,omitempty"` // what the interval is taken over
}

// OperatingPoint is a threshold of scores: a bag is called positive if its score is above it. It was chosen on bags that were held out of the
// training of models of other folds of the same data, and the shares were measured on these.
type OperatingPoint struct {
	Wanted      float64 `json:"wanted"` // the specificity that was asked for
	Threshold   float64 `json:"threshold"`
	Sensitivity float64 `json:"sensitivity"`
	Specificity float64 `json:"specificity"`
	Positives   int     `json:"positives"` // bags
	Negatives   int     `json:"negatives"`
	Repeats     int     `json:"repeats"` // of the protocol; each has scored every bag once
	Protocol    string  `json:"protocol"`
}

// check reports what of the facts of a model cannot be.
func (f *Facts) check(features int) error {
	if err := f.Data.Validate(features); err != nil {
		return err
	}
	for _, o := range f.Operating {
		for _, share := range []float64{o.Wanted, o.Sensitivity, o.Specificity} {
			if !(share >= 0 && share <= 1) {
				return fmt.Errorf("an operating point has a share of %v", share)
			}
		}
		if math.IsNaN(o.Threshold) || math.IsInf(o.Threshold, 0) {
			return fmt.Errorf("an operating point has the threshold %v", o.Threshold)
		}
	}
	return nil
}

package modeldir

import (
	"encoding/json"
	"fmt"
	"math"

	"synpool/milbench/mil"
)

// Facts is what a card says about a model beyond what scoring needs: the training data, the results on held-out bags, and
// the uses to avoid.
type Facts struct {
	Learner  string          `json:"learner"`
	Setting  json.RawMessage `json:"setting"`
	Version  string          `json:"version"`  // version of milbench
	Revision string          `json:"revision"` // revision of its source

	Data mil.Profile `json:"data"` // the bags that it was trained on

	// Judged has the figures on held-out bags of the same data. If there are none, Judge is the command that computes
	// them.
	Judged []Judged `json:"judged,omitempty"`
	Judge  string   `json:"judge,omitempty"`

	Operating []OperatingPoint `json:"operating,omitempty"`

	// Calibration says how scores become probabilities; empty if they do not.
	Calibration string `json:"calibration,omitempty"`

	// Conformal says what sets or intervals the model gives; empty if none.
	Conformal string `json:"conformal,omitempty"`

	// Instances says what p-values of instances the model gives; empty if none.
	Instances string `json:"instances,omitempty"`

	// Limits are sentences that say what the model must not be used for. [Save] derives them from the other fields.
	Limits []string `json:"limits"`
}

// Judged describes how well models of the same learner and setting did on held-out bags of the same data.
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

// Figure is one measure of how good a model is.
type Figure struct {
	Name  string   `json:"name"`
	Value float64  `json:"value"`
	Low   *float64 `json:"low,omitempty"` // 95 % interval
	High  *float64 `json:"high,omitempty"`
	Over  string   `json:"over,omitempty"` // units that the interval is computed over, such as folds
}

// OperatingPoint is a score threshold: bags with a score above it are called positive. It was chosen on held-out bags,
// scored by models of other folds of the same data, and the shares were measured on these bags.
type OperatingPoint struct {
	Wanted      float64 `json:"wanted"` // the requested specificity
	Threshold   float64 `json:"threshold"`
	Sensitivity float64 `json:"sensitivity"`
	Specificity float64 `json:"specificity"`
	Positives   int     `json:"positives"` // number of bags
	Negatives   int     `json:"negatives"`
	Repeats     int     `json:"repeats"` // repeats of the protocol; each scored every bag once
	Protocol    string  `json:"protocol"`
}

// check reports impossible facts.
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

package study

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"synpool/milbench"
	"synpool/milbench/stats"
)

// Result is a finished fit: one line of results.jsonl. Everything but WallS is a function of the inputs.
type Result struct {
	Fit      string `json:"fit"` // the fit's id, see [Result.ID]
	Set      string `json:"set"`
	Checksum string `json:"checksum"` // of the set

	Protocol string          `json:"protocol"`
	Folds    int             `json:"folds"`     // into which a repeat cuts the set; 1 for an official split
	FoldsRun int             `json:"folds_run"` // how many of them make a repeat complete
	Repeat   int             `json:"repeat"`    // from 0
	Fold     int             `json:"fold"`      // from 0
	Seed     uint64          `json:"seed"`      // of the study
	Config   json.RawMessage `json:"config"`    // the setting, a JSON object

	Epoch      int         `json:"epoch"` // whose scores these are, from 1
	Bags       []ScoredBag `json:"bags"`  // the test part
	Validation []ScoredBag `json:"validation,omitempty"`

	// InstanceAUC says how well the weights of instances (scores, of a classifier of instances) tell those that make a bag
	// positive, where instance labels are known: the AUC within a bag, mean over the positive test bags that hold both kinds.
	// Weights of different bags do not compare, hence no AUC over all instances together.
	InstanceAUC *float64 `json:"instance_auc,omitempty"`

	// MemberAUC has, of an ensemble, the test AUC of each member at this epoch.
	MemberAUC []float64 `json:"member_auc,omitempty"`

	Leaked     bool    `json:"leaked"`     // a column that gives the label away was among the features
	Optimistic bool    `json:"optimistic"` // the test part had a say in the epoch
	Backend    string  `json:"backend"`
	Version    string  `json:"version"`
	Revision   string  `json:"revision"`
	WallS      float64 `json:"wall_s"` // seconds that the fit took
}

// ScoredBag is what a trained model says of one bag, beside the truth.
type ScoredBag struct {
	ID      string  `json:"id"`
	Label   int     `json:"label"`
	Score   float64 `json:"score"`             // logit
	Winners []int   `json:"winners,omitempty"` // of each head, the instance with the largest weight
}

// ID returns the fit's id ([milbench.FitID]). Set name, backend, version, revision and wall time have no part in it.
func (r Result) ID() (string, error) {
	return milbench.FitID(r.Checksum, r.Protocol, r.Folds, r.Repeat, r.Fold, r.Seed, r.Config)
}

// AUC returns the area under the ROC curve of the test part.
func (r Result) AUC() (float64, error) {
	auc, err := stats.AUC(labelsScores(r.Bags))
	if err != nil {
		return 0, fmt.Errorf("%s: repeat %d, fold %d, test part: %w", r.Set, r.Repeat+1, r.Fold+1, err)
	}
	return auc, nil
}

// Validate reports what makes r unusable: an id that is not that of its content, no or unnamed bags, labels other than
// 0 and 1, scores that are not finite, or a fold or repeat out of range.
func (r Result) Validate() error {
	id, err := r.ID()
	switch {
	case err != nil:
		return err
	case r.Fit != id:
		return fmt.Errorf("fit %q is not the id of its content, %s", r.Fit, id)
	case r.Set == "" || r.Checksum == "":
		return errors.New("no set or no checksum")
	case r.Repeat < 0 || r.Fold < 0 || r.Fold >= r.FoldsRun || r.FoldsRun > r.Folds:
		return fmt.Errorf("repeat %d, fold %d of %d run of %d is out of range", r.Repeat, r.Fold, r.FoldsRun, r.Folds)
	case r.Epoch < 1:
		return fmt.Errorf("epoch %d is out of range", r.Epoch)
	case len(r.Bags) == 0:
		return errors.New("no bags")
	case r.InstanceAUC != nil && !(*r.InstanceAUC >= 0 && *r.InstanceAUC <= 1):
		return fmt.Errorf("an AUC of instances of %v; it is from 0 to 1", *r.InstanceAUC)
	}
	for _, part := range [][]ScoredBag{r.Bags, r.Validation} {
		for _, b := range part {
			switch {
			case b.ID == "":
				return errors.New("a bag without an id")
			case b.Label != 0 && b.Label != 1:
				return fmt.Errorf("bag %s has label %d; labels are 0 or 1", b.ID, b.Label)
			case math.IsNaN(b.Score) || math.IsInf(b.Score, 0):
				return fmt.Errorf("bag %s has score %v; scores are finite", b.ID, b.Score)
			}
		}
	}
	return nil
}

// labelsScores returns the labels and scores of bags, as stats wants them.
func labelsScores(bags []ScoredBag) (labels []int, scores []float64) {
	for _, b := range bags {
		labels = append(labels, b.Label)
		scores = append(scores, b.Score)
	}
	return labels, scores
}

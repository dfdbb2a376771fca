package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// Result is a finished fit: one line of results.jsonl. Everything except WallS depends only on the inputs.
type Result struct {
	Fit      string `json:"fit"` // id of the fit, see [Result.ID]
	Set      string `json:"set"`
	Checksum string `json:"checksum"` // checksum of the set

	Protocol string          `json:"protocol"`
	Folds    int             `json:"folds"`            // folds per repeat; 1 for an official split
	FoldsRun int             `json:"folds_run"`        // number of folds that make a repeat complete
	Inner    int             `json:"inner,omitempty"`  // see [cv.Protocol.Inner]
	Splits   string          `json:"splits,omitempty"` // sum of given folds ([cv.Splits.Sum]); empty if the protocol cut them
	Shots    int             `json:"shots,omitempty"`  // training bags of each class ([cv.Protocol.Shots]); 0 for all
	Repeat   int             `json:"repeat"`           // from 0
	Fold     int             `json:"fold"`             // from 0
	Seed     uint64          `json:"seed"`             // seed of the study
	Config   json.RawMessage `json:"config"`           // the setting, a JSON object

	// The kind of the set's targets, and the names of its classes if the file has names.
	Target  mil.TargetKind `json:"target,omitempty"`
	Classes []string       `json:"classes,omitempty"`

	Epoch      int         `json:"epoch"`                // epoch of these scores, from 1
	Bags       []ScoredBag `json:"bags"`                 // test part
	Validation []ScoredBag `json:"validation,omitempty"` // bags held out of the training part; with inner folds, one fold after the other
	Inside     *Inside     `json:"inside,omitempty"`     // replaces the scores of the validation part in an [Archive]

	// InstanceAUC measures how well the weights of instances (or scores, from an instance classifier) find the
	// positive ones, if instance labels are known. It is the AUC within a bag, averaged over the test bags with both kinds.
	InstanceAUC *float64 `json:"instance_auc,omitempty"`

	// Localised has more figures of the scores of instances. Archives and results of earlier versions lack it.
	Localised *Localised `json:"instances,omitempty"`

	// Group is the main figure of the groups of the test part, such as patients, if every bag has a group.
	Group *GroupFigure `json:"group_auc,omitempty"` // files use this name for every kind of target

	// MemberAUC has, for an ensemble, the test AUC of each member at this epoch.
	MemberAUC []float64 `json:"member_auc,omitempty"`

	// Portfolio has, for a fit that joins models, the models with weight ([learner.Outcome].Portfolio).
	Portfolio []learner.Weighted `json:"portfolio,omitempty"`

	Leaked     bool    `json:"leaked"`     // a column that leaks the label was among the features
	Optimistic bool    `json:"optimistic"` // the test part influenced the choice of the epoch
	Backend    string  `json:"backend"`
	Version    string  `json:"version"`
	Revision   string  `json:"revision"`
	WallS      float64 `json:"wall_s"` // duration of the fit in seconds
}

// GroupFigure is the main figure of groups of bags, by the mean or the largest score of their bags ([ByGroup]).
type GroupFigure struct {
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// ScoredBag has the true target of a bag and a trained model's output for it.
type ScoredBag struct {
	ID string `json:"id"`
	mil.Target
	Scores   []float64     `json:"scores"`             // see [mil.Prediction]
	Survival *mil.Survival `json:"survival,omitempty"` // predicted curve, if the model has one; not in archives
	Winners  []int         `json:"winners,omitempty"`  // for each head, the instance with the largest weight
	Part     int           `json:"part,omitempty"`     // inner fold that held the bag out, from 1; 0 without inner folds
}

// UnmarshalJSON also reads the old form, in which a bag had a single "score".
func (b *ScoredBag) UnmarshalJSON(data []byte) error {
	type plain ScoredBag
	read := struct {
		*plain
		Score *float64 `json:"score"`
	}{plain: (*plain)(b)}
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	if read.Score != nil {
		b.Scores = []float64{*read.Score}
	}
	return nil
}

// validate returns an error if b is unusable for this kind of target and number of class names.
func (b ScoredBag) validate(kind mil.TargetKind, classes int) error {
	scores := 1
	switch {
	case b.ID == "":
		return errors.New("a bag without an id")
	case kind == mil.BinaryTarget && b.Label != 0 && b.Label != 1:
		return fmt.Errorf("bag %s has label %d; labels are 0 or 1", b.ID, b.Label)
	case kind == mil.ClassTarget:
		if scores = classes; b.Label < 0 || b.Label >= classes {
			return fmt.Errorf("bag %s has label %d of %d classes; they count from 0", b.ID, b.Label, classes)
		}
	}
	if len(b.Scores) != scores {
		return fmt.Errorf("bag %s has %d scores; of a target of kind %v a bag has %d", b.ID, len(b.Scores), kind, scores)
	}
	for _, score := range b.Scores {
		if math.IsNaN(score) || math.IsInf(score, 0) {
			return fmt.Errorf("bag %s has score %v; scores are finite", b.ID, score)
		}
	}
	if b.Survival == nil {
		return nil
	}
	if kind != mil.SurvivalTarget {
		return fmt.Errorf("bag %s has a survival curve, and a target of kind %v", b.ID, kind)
	}
	if err := b.Survival.Validate(); err != nil {
		return fmt.Errorf("bag %s: %w", b.ID, err)
	}
	return nil
}

// Inside measures how good a fit is on the bags held out of its training part, to choose settings. A larger main
// figure ([Row]) is better; ties go to the smaller loss.
//
// With inner folds the figure is averaged over the folds that have one, because scores of different models may not be
// comparable. If no fold has one, it is the figure of all held-out bags together. The loss is over all held-out bags:
// the log-loss in nats per bag, for real targets the mean squared error, for survival 0.
type Inside struct {
	Figure float64 `json:"auc"` // files use these names for every kind of target
	Loss   float64 `json:"log_loss"`
}

// Better reports whether a fit with figures a is chosen over one with b.
func (a Inside) Better(b Inside) bool {
	return a.Figure > b.Figure || a.Figure == b.Figure && a.Loss < b.Loss
}

// ID returns the fit's id ([cv.FitID]). It does not depend on the set's name, backend, version, revision or
// wall time.
func (r Result) ID() (string, error) {
	return cv.FitID(r.Checksum, cv.ProtocolKey(r.Protocol, r.Inner, r.Shots, r.Splits), r.Folds, r.Repeat, r.Fold, r.Seed, r.Config)
}

// fit returns the id of the fit.
func (r Result) fit() string { return r.Fit }

// Figure returns the main figure on the test part, see [Row].
func (r Result) Figure() (float64, error) {
	value, err := Figure(r.Target, len(r.Classes), r.Bags)
	if err != nil {
		return 0, r.testError(err)
	}
	return value, nil
}

// testError adds the test part to an error.
func (r Result) testError(err error) error {
	return fmt.Errorf("%s: repeat %d, fold %d, test part: %w", r.Set, r.Repeat+1, r.Fold+1, err)
}

// ValidationFigures returns the figures on the validation part, computed from its scores or kept by an archive. If
// the fit has no such part, that is an error.
func (r Result) ValidationFigures() (Inside, error) {
	if r.Inside != nil {
		return *r.Inside, nil
	}
	inside, err := InsideOf(r.Target, len(r.Classes), r.Validation)
	if err != nil {
		return Inside{}, fmt.Errorf("%s: fit %s, validation part: %w", r.Set, r.Fit, err)
	}
	return inside, nil
}

// InsideOf returns the figures on bags held out of a training part, given the kind of target and the number of
// classes.
func InsideOf(kind mil.TargetKind, classes int, held []ScoredBag) (Inside, error) {
	of := mainFigure(kind).of
	loss, err := losses[kind](held, classes)
	if err != nil {
		return Inside{}, err
	}
	var sum float64
	parts := 0
	for part := range adjacent(held, func(a, b ScoredBag) bool { return a.Part == b.Part }) {
		figure, err := of(part, classes)
		if undefined(err) {
			continue
		}
		if err != nil {
			return Inside{}, err
		}
		sum += figure
		parts++
	}
	if parts > 0 {
		return Inside{sum / float64(parts), loss}, nil
	}
	figure, err := of(held, classes)
	return Inside{figure, loss}, err
}

// Validate returns an error if r is unusable: an id that does not match the content, no bags, bags twice or without ids,
// labels or numbers of scores that do not fit the kind of target, scores that are not finite, or figures, a fold or a
// repeat out of range.
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
	if r.Localised != nil {
		if err := r.Localised.validate(); err != nil {
			return err
		}
	}
	of := mainFigure(r.Target)
	if g := r.Group; g != nil && !(min(g.Mean, g.Max) >= of.least && max(g.Mean, g.Max) <= of.most) {
		return fmt.Errorf("%ss of groups of %v and %v; they are from %v to %v", of.heading, g.Mean, g.Max, of.least, of.most)
	}
	if in := r.Inside; in != nil {
		switch {
		case len(r.Validation) > 0:
			return errors.New("scores of the validation part and what an archive keeps of them")
		case !(in.Figure >= of.least && in.Figure <= of.most) || math.IsInf(in.Figure, 0):
			return fmt.Errorf("%s of the validation part is %v; it is from %v to %v", of.heading, in.Figure, of.least, of.most)
		case !(in.Loss >= 0) || math.IsInf(in.Loss, 0):
			return fmt.Errorf("a loss of the validation part of %v; it is finite and not below 0", in.Loss)
		}
	}
	tested := make(map[string]bool, len(r.Bags))
	for _, b := range r.Bags {
		if tested[b.ID] {
			return fmt.Errorf("bag %s is tested twice", b.ID)
		}
		tested[b.ID] = true
	}
	for _, part := range [][]ScoredBag{r.Bags, r.Validation} {
		for _, b := range part {
			if err := b.validate(r.Target, len(r.Classes)); err != nil {
				return err
			}
		}
	}
	return nil
}

// LabelsScores returns the labels and scores of bags with a binary target, as needed by package stats.
func LabelsScores(bags []ScoredBag) (labels []int, scores []float64) {
	for _, b := range bags {
		labels = append(labels, b.Label)
		scores = append(scores, b.Scores[0])
	}
	return labels, scores
}

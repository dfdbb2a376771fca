package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"synpool/milbench"
)

// Result is a finished fit: one line of results.jsonl. Everything but WallS is a function of the inputs.
type Result struct {
	Fit      string `json:"fit"` // the fit's id, see [Result.ID]
	Set      string `json:"set"`
	Checksum string `json:"checksum"` // of the set

	Protocol string          `json:"protocol"`
	Folds    int             `json:"folds"`           // into which a repeat cuts the set; 1 for an official split
	FoldsRun int             `json:"folds_run"`       // how many of them make a repeat complete
	Inner    int             `json:"inner,omitempty"` // see [milbench.Protocol.Inner]
	Repeat   int             `json:"repeat"`          // from 0
	Fold     int             `json:"fold"`            // from 0
	Seed     uint64          `json:"seed"`            // of the study
	Config   json.RawMessage `json:"config"`          // the setting, a JSON object

	// Of the set: the kind of its targets, and the names of its classes where the file has some.
	Target  milbench.TargetKind `json:"target,omitempty"`
	Classes []string            `json:"classes,omitempty"`

	Epoch      int         `json:"epoch"`                // whose scores these are, from 1
	Bags       []ScoredBag `json:"bags"`                 // the test part
	Validation []ScoredBag `json:"validation,omitempty"` // bags held out of the training part, of inner folds one fold after the other
	Inside     *Inside     `json:"inside,omitempty"`     // what an [Archive] keeps of the validation part, in the place of its scores

	// InstanceAUC says how well the weights of instances (scores, of a classifier of instances) tell those that make a bag
	// positive, where instance labels are known: the AUC within a bag, mean over the positive test bags that hold both kinds.
	// Weights of different bags do not compare, hence no AUC over all instances together.
	InstanceAUC *float64 `json:"instance_auc,omitempty"`

	// GroupAUC says how well the groups of the test part, such as patients, are told apart, where every bag is of one.
	GroupAUC *GroupAUC `json:"group_auc,omitempty"`

	// MemberAUC has, of an ensemble, the test AUC of each member at this epoch.
	MemberAUC []float64 `json:"member_auc,omitempty"`

	// Portfolio has, of a fit that joins models ([milbench.Outcome].Portfolio), those that count.
	Portfolio []milbench.Weighted `json:"portfolio,omitempty"`

	Leaked     bool    `json:"leaked"`     // a column that gives the label away was among the features
	Optimistic bool    `json:"optimistic"` // the test part had a say in the epoch
	Backend    string  `json:"backend"`
	Version    string  `json:"version"`
	Revision   string  `json:"revision"`
	WallS      float64 `json:"wall_s"` // seconds that the fit took
}

// GroupAUC is the AUC of groups of bags. A group is positive if a bag of it is; its score is the mean of theirs or the largest.
type GroupAUC struct {
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// ScoredBag is what a trained model says of one bag, beside the truth.
type ScoredBag struct {
	ID string `json:"id"`
	milbench.Target
	Scores    []float64          `json:"scores"`              // see [milbench.Prediction]
	Survival  *milbench.Survival `json:"survival,omitempty"`  // the curve, where the model predicts one; archives lack it
	Winners   []int              `json:"winners,omitempty"`   // of each head, the instance with the largest weight
	Instances []float64          `json:"instances,omitempty"` // the score of each instance, where they were asked for
	Part      int                `json:"part,omitempty"`      // the inner fold that held the bag out, from 1; 0 without inner folds
}

// UnmarshalJSON also reads what was written when a bag had a single "score".
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

// validate reports what makes b unusable for a target of a kind, with so many names of classes.
func (b ScoredBag) validate(kind milbench.TargetKind, classes int) error {
	scores := 1
	switch {
	case b.ID == "":
		return errors.New("a bag without an id")
	case kind == milbench.BinaryTarget && b.Label != 0 && b.Label != 1:
		return fmt.Errorf("bag %s has label %d; labels are 0 or 1", b.ID, b.Label)
	case kind == milbench.ClassTarget:
		if scores = classes; b.Label < 0 || b.Label >= classes {
			return fmt.Errorf("bag %s has label %d of %d classes; they count from 0", b.ID, b.Label, classes)
		}
	}
	if len(b.Scores) != scores {
		return fmt.Errorf("bag %s has %d scores; of a target of kind %v a bag has %d", b.ID, len(b.Scores), kind, scores)
	}
	for _, score := range slices.Concat(b.Scores, b.Instances) {
		if math.IsNaN(score) || math.IsInf(score, 0) {
			return fmt.Errorf("bag %s has score %v; scores are finite", b.ID, score)
		}
	}
	if b.Survival == nil {
		return nil
	}
	if kind != milbench.SurvivalTarget {
		return fmt.Errorf("bag %s has a curve of survival, and a target of kind %v", b.ID, kind)
	}
	if err := b.Survival.Validate(); err != nil {
		return fmt.Errorf("bag %s: %w", b.ID, err)
	}
	return nil
}

// Inside is how good a fit is on what was held out of its training part, by which settings are chosen: the larger main figure ([Row]), of
// equal ones the smaller loss. Of inner folds the figure is the mean over those that have one (where none does, that of all together), since
// scores of different models need not compare, and the loss that of all held-out bags: the log-loss in nats per bag, of real targets the
// mean squared error, of survival 0.
type Inside struct {
	Figure float64 `json:"auc"` // both named in files as when all targets were binary
	Loss   float64 `json:"log_loss"`
}

// Better reports whether a fit of figures a is to be chosen rather than one of b.
func (a Inside) Better(b Inside) bool {
	return a.Figure > b.Figure || a.Figure == b.Figure && a.Loss < b.Loss
}

// ID returns the fit's id ([milbench.FitID]). Set name, backend, version, revision and wall time have no part in it.
func (r Result) ID() (string, error) {
	return milbench.FitID(r.Checksum, milbench.ProtocolKey(r.Protocol, r.Inner), r.Folds, r.Repeat, r.Fold, r.Seed, r.Config)
}

// Figure returns the main figure of the test part, see [Row].
func (r Result) Figure() (float64, error) {
	value, err := Figure(r.Target, len(r.Classes), r.Bags)
	if err != nil {
		return 0, r.testError(err)
	}
	return value, nil
}

// testError is an error about the test part.
func (r Result) testError(err error) error {
	hint := ""
	if undefined(err) && r.Folds > 1 {
		hint = "; take fewer folds"
	}
	return fmt.Errorf("%s: repeat %d, fold %d, test part: %w%s", r.Set, r.Repeat+1, r.Fold+1, err, hint)
}

// ValidationFigures returns what the scores of the validation part give, or what an archive kept of them. A fit without
// such a part is an error.
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

// InsideOf returns the figures of bags of a target of so many classes that were held out of a training part.
func InsideOf(kind milbench.TargetKind, classes int, held []ScoredBag) (Inside, error) {
	of := mainFigure(kind).of
	loss, err := losses[kind](held, classes)
	if err != nil {
		return Inside{}, err
	}
	var sum float64
	parts := 0
	for from, to := 0, 0; from < len(held); from = to {
		for to = from; to < len(held) && held[to].Part == held[from].Part; {
			to++
		}
		figure, err := of(held[from:to], classes)
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

// Validate reports what makes r unusable: an id that is not that of its content, no or unnamed bags, labels and numbers of scores
// that are none of its kind of target, scores that are not finite, figures or a fold or repeat out of range.
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
	case r.GroupAUC != nil && !(min(r.GroupAUC.Mean, r.GroupAUC.Max) >= 0 && max(r.GroupAUC.Mean, r.GroupAUC.Max) <= 1):
		return fmt.Errorf("AUCs of groups of %v and %v; they are from 0 to 1", r.GroupAUC.Mean, r.GroupAUC.Max)
	}
	if in, of := r.Inside, mainFigure(r.Target); in != nil {
		switch {
		case len(r.Validation) > 0:
			return errors.New("scores of the validation part and what an archive keeps of them")
		case !(in.Figure >= of.least && in.Figure <= of.most) || math.IsInf(in.Figure, 0):
			return fmt.Errorf("%s of the validation part is %v; it is from %v to %v", of.heading, in.Figure, of.least, of.most)
		case !(in.Loss >= 0) || math.IsInf(in.Loss, 0):
			return fmt.Errorf("a loss of the validation part of %v; it is finite and not below 0", in.Loss)
		}
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

// LabelsScores returns the labels and scores of bags of a binary target, as package judge wants them.
func LabelsScores(bags []ScoredBag) (labels []int, scores []float64) {
	for _, b := range bags {
		labels = append(labels, b.Label)
		scores = append(scores, b.Scores[0])
	}
	return labels, scores
}

package milbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"synpool/milbench/calibrate"
	"synpool/milbench/cv"
	"synpool/milbench/evaluate"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/milbench/results"
)

// Training says how a model is trained, and what its card says of it.
type Training struct {
	Setting json.RawMessage // see [Setting]
	Seed    uint64          // of everything random: initial weights, order, dropout, trees, inner folds

	// Calibrate is the method that learns probabilities from held-out bags, "" for none. The setting is then trained up to
	// five times more.
	Calibrate calibrate.Method

	// From are weights that the network begins with ([neural.ReadWeights]), with a Setting of theirs ([neural.Weights.Setting]).
	From *neural.Weights

	// Exportable leaves candidates of a portfolio out whose models cannot be written as ONNX ([Model.Export]); another setting of
	// which that is known is an error.
	Exportable bool

	// Level is that of sets of classes or intervals of numbers learnt from the same held-out bags, see [calibrate.Conformal]; 0 for none.
	Level float64

	// Instances asks for p-values of instances for [Model.Discover], see [calibrate.HeldOut.Instances].
	Instances bool

	// Results is a folder of [Compare] or milbench run on the same set with the same setting. Its figures go into the card, with
	// thresholds for the specificities in Operating: nil means 0.9 if the set has two classes. "" leaves both out.
	Results   string
	Operating []float64

	Judge             string // for the card without Results: a command that judges the setting
	Version, Revision string // for the card

	Note     func(string)            // gets one line on what is left out; may be nil
	Progress func(learners.Progress) // may be nil
	Folds    func(done, folds int)   // called while the calibration is learnt; may be nil
}

// DefaultSpecificity is what [Training.Results] chooses a threshold for.
const DefaultSpecificity = 0.9

// Train trains a model on the bags of a set or, if the set has an official split, on its training part. Networks of one
// setting use all cores of the machine. All that can be refused is refused before anything is trained.
func Train(ctx context.Context, set *mil.Set, t Training, m *Machine) (*Model, error) {
	if len(t.Setting) == 0 {
		return nil, fmt.Errorf("%s: no setting to train; Setting makes one from a name", set.Name)
	}
	bags, err := set.Part(mil.TrainPart)
	if err != nil {
		return nil, err
	}
	if len(bags.Bags) < len(set.Bags) {
		t.note("%s: %d of %d bags", bags.Name, len(bags.Bags), len(set.Bags))
	}
	for class := range bags.NumClasses() {
		if bags.Kind == mil.ClassTarget && bags.NumLabelled(class) < 2 {
			return nil, fmt.Errorf("%s: only one bag has label %s; a class needs two at least: add bags, or leave it out", bags.Name, bags.ClassName(class))
		}
	}
	if t.Exportable && t.Results != "" && learners.Candidates(t.Setting) != nil {
		return nil, errors.New("--exportable: the figures of --results are those of all candidates; leave one of the two out")
	}
	if t.Exportable {
		only, left, err := learners.OnlyExportable(t.Setting)
		if err != nil {
			return nil, fmt.Errorf("--exportable: %w", err)
		}
		if t.Setting = only; left != nil {
			t.note("--exportable leaves out candidates whose models ONNX cannot hold: of %s", strings.Join(left, ", "))
		}
	}
	settings, notes, err := learners.Affordable([]json.RawMessage{t.Setting}, set, true)
	if err != nil {
		return nil, err
	}
	t.Setting = settings[0]
	for _, note := range notes {
		t.note("%s: %s", bags.Name, note)
	}
	m = m.or()
	trainer := m.trainer(!alone(t.Setting))
	trainer.Note = t.Note
	calibrated := t.Calibrate != "" || t.Level != 0 || t.Instances
	if t.From != nil && t.Results != "" {
		return nil, errors.New("--from: the figures of --results are those of networks that begin at random; leave one of the two out")
	}
	if t.From != nil {
		switch nets, is := trainer.Networks.(*neural.Networks); {
		case !alone(t.Setting) || !is:
			return nil, errors.New("--from: weights are those of one network")
		case calibrated:
			return nil, errors.New("--from: the folds of --calibrate would begin without these weights; leave one of the two out")
		case set.NumFeatures() != t.From.Features:
			return nil, fmt.Errorf("--from: the weights take %d features, and %s has %d", t.From.Features, set.Name, set.NumFeatures())
		default:
			nets.From = t.From
		}
		for _, note := range t.From.Notes {
			t.note("--from: %s", note)
		}
	}
	held := calibrate.HeldOut{Method: t.Calibrate, Level: t.Level, Instances: t.Instances, Learner: learners.All(trainer.Networks, trainer.Resources), Setting: t.Setting, Seed: t.Seed, Progress: t.Folds}
	if calibrated {
		if _, err := held.Folds(bags); err != nil {
			return nil, fmt.Errorf("--calibrate: %w; or leave the flag out", err)
		}
	}
	facts, err := t.judged(set)
	if err != nil {
		return nil, err
	}
	if err := learners.Check(neural.Trainer{}, cv.NewTask(bags, []cv.Fit{{Setting: t.Setting}})); err != nil {
		return nil, err
	}
	for _, why := range refusedCandidates(bags, t.Setting) {
		t.note("%s; it is left out", why)
	}
	var sampled struct{ Sample int }
	if err := json.Unmarshal(t.Setting, &sampled); err == nil && 0 < sampled.Sample && sampled.Sample < len(bags.Bags) {
		t.note("%s learns from a sample of %d of %d bags", learner.Name(t.Setting), sampled.Sample, len(bags.Bags))
	}
	if trainer.NeedsNetworks(t.Setting) {
		if _, err := m.Backend(); err != nil {
			return nil, err
		}
	}
	var learnt *calibrate.Learnt
	if calibrated {
		if learnt, err = held.Learn(ctx, bags); err != nil {
			return nil, fmt.Errorf("--calibrate: %w", err)
		}
	}
	trained, err := trainer.Train(ctx, t.Setting, bags, t.Seed, t.Progress)
	if err != nil {
		return nil, err
	}
	if facts, err = t.described(facts, trained.About(), bags, learnt); err != nil {
		return nil, err
	}
	trained.Card().Facts = &facts
	if learnt != nil {
		if err := trained.Card().Calibrate(learnt); err != nil {
			return nil, err
		}
	}
	return &Model{Learned: trained, Name: learner.Name(t.Setting), Bags: bags}, nil
}

// alone reports whether a setting is that of one network.
func alone(setting json.RawMessage) bool {
	n, _, err := learners.Members(setting)
	return learners.Candidates(setting) == nil && err == nil && n == 0 && learners.Trainer{}.NeedsNetworks(setting)
}

func (t Training) note(format string, args ...any) {
	if t.Note != nil {
		t.Note(fmt.Sprintf(format, args...))
	}
}

// judged reads the figures of the setting from Results. It leaves out the log-loss of scores that are no logits.
func (t Training) judged(set *mil.Set) (facts modeldir.Facts, err error) {
	for _, s := range t.Operating {
		if !(s > 0 && s <= 1) {
			return facts, fmt.Errorf("--operating %v: a specificity is above 0 and at most 1", s)
		}
	}
	if t.Results == "" {
		if t.Operating != nil {
			return facts, errors.New("--operating: thresholds are chosen on held-out scores; give --results a folder of milbench run")
		}
		facts.Judge = t.Judge
		return facts, nil
	}
	all, err := results.Read(t.Results)
	if err != nil {
		return facts, fmt.Errorf("--results: %w", err)
	}
	held, err := evaluate.HeldOut(all, set.Checksum, t.Setting)
	if err != nil {
		return facts, fmt.Errorf("--results %s: %w", t.Results, err)
	}
	facts.Judged = held.Judged
	for i := range facts.Judged {
		j := &facts.Judged[i]
		j.Figures = slices.DeleteFunc(j.Figures, func(g modeldir.Figure) bool { return g.Name == "log-loss" && !learners.Logits(t.Setting) })
	}
	wanted := t.Operating
	if honest := func(j modeldir.Judged) bool { return !j.Optimistic }; wanted == nil && slices.ContainsFunc(held.Judged, honest) && set.Kind == mil.BinaryTarget {
		wanted = []float64{DefaultSpecificity}
	}
	for _, s := range wanted {
		point, err := held.Operating(s)
		if err != nil {
			return facts, fmt.Errorf("--results %s: %w", t.Results, err)
		}
		facts.Operating = append(facts.Operating, point)
	}
	return facts, nil
}

// described adds to facts the trained model, its data and what held-out bags taught (nil for nothing).
func (t Training) described(facts modeldir.Facts, model learners.About, set *mil.Set, learnt *calibrate.Learnt) (modeldir.Facts, error) {
	if learnt != nil && learnt.Calibration != nil {
		facts.Calibration = fmt.Sprintf("%s, learnt from %d bags that %d folds held out; expected calibration error %.3f there, of a perfect model %.3f",
			learnt.Calibration.Method, learnt.Calibration.Bags, learnt.Folds, learnt.After.ECE, learnt.After.Chance)
	}
	if learnt != nil && learnt.Conformal != nil {
		facts.Conformal = learnt.Conformal.String()
	}
	if learnt != nil && learnt.Instances != nil {
		facts.Instances = learnt.InstancesText()
	}
	set, err := set.Impute(model.Missing)
	if err != nil {
		return facts, err
	}
	if facts.Data, err = mil.ProfileOf(set); err != nil {
		return facts, err
	}
	facts.Learner, facts.Setting, facts.Version, facts.Revision = learner.Name(model.Setting), model.Setting, t.Version, t.Revision
	return facts, nil
}

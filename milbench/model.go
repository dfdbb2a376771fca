package milbench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"synpool/internal/disk"
	"synpool/milbench/calibrate"
	"synpool/milbench/dataset"
	"synpool/milbench/evaluate"
	"synpool/milbench/export"
	"synpool/milbench/learners"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/milbench/predict"
)

// Model is a trained model of any kind.
type Model struct {
	Learned learners.Model
	Name    string   // its folder or its learner, for messages
	Bags    *mil.Set // the bags it was trained on; nil for one that was loaded
}

// Load reads a model from a folder that [Model.Save] or milbench train wrote, or from a file of [Model.Export], whose name ends in
// .onnx.
func Load(name string, m *Machine) (*Model, error) {
	if strings.EqualFold(filepath.Ext(name), ".onnx") {
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			read, err := export.Load(name)
			if err != nil {
				return nil, err
			}
			return &Model{Learned: read, Name: name}, nil
		}
	}
	learned, err := m.or().trainer(false).Load(name)
	if err != nil {
		return nil, err
	}
	return &Model{Learned: learned, Name: name}, nil
}

// Export writes the model as a file of ONNX, with everything it does to a bag: missing values, words, scaling, scores, weights,
// probabilities. The file takes one bag or, with batch, several at once; package [export] describes inputs and outputs. If the name
// of the file ends in .safetensors, it has the arrays of a network for PyTorch instead ([neural.Model.StateDict]). It replaces
// a file of this name in one step. An error says why the model cannot be written.
func (m *Model) Export(file string, batch bool) error {
	if strings.EqualFold(filepath.Ext(file), ".safetensors") {
		network, is := m.Learned.(*neural.Model)
		switch {
		case !is:
			return fmt.Errorf("%s: only a network has weights for PyTorch; write it as .onnx", m.Name)
		case batch:
			return errors.New("--batch: for .onnx; weights say nothing about the number of bags")
		}
		data, err := network.StateDict()
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
		return disk.WriteFile(file, data)
	}
	l, err := m.Calibration()
	if err != nil {
		return err
	}
	written, err := export.ONNX(m.Learned, l, batch)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Name, err)
	}
	data, err := written.Encode()
	if err != nil {
		return fmt.Errorf("%s: %w", m.Name, err)
	}
	return disk.WriteFile(file, data)
}

// About describes the model and its training data.
func (m *Model) About() learners.About { return m.Learned.About() }

// Card returns what [Model.Save] writes beside the model.
func (m *Model) Card() *modeldir.Card { return m.Learned.Card() }

// Save writes the model with its card into a folder, which is new or holds a model that it replaces in one step.
func (m *Model) Save(dir string) error { return m.Learned.Save(dir) }

// Leaked returns a warning if the model was trained with a column that leaks the labels, else "".
func (m *Model) Leaked() string {
	if !m.About().Leaked {
		return ""
	}
	return m.Name + " was trained with a column that leaks the labels; its scores mean nothing for bags without that column"
}

// Calibration returns what was learnt about probabilities, sets and intervals from held-out bags, nil for nothing.
func (m *Model) Calibration() (*calibrate.Learnt, error) {
	return predict.Calibration(m.Name, m.Card())
}

// Open opens bags for the model to score: features are taken by name if both have names, and labels are ignored. Missing
// values become the medians of the training data.
func (m *Model) Open(nameOrFile string, how Reading) (*mil.Set, error) {
	if err := how.forNames(nameOrFile); err != nil {
		return nil, err
	}
	how.Unlabelled = true
	set, err := m.read(nameOrFile, how)
	if err != nil {
		return nil, err
	}
	return m.Fill(set, nameOrFile)
}

// Labelled are bags to judge a model on.
type Labelled struct {
	Set *mil.Set // of a file with an official split, the test part
	All int      // bags of the file
}

// OpenLabelled opens bags to judge the model on. Labels are spelled as those it was trained with.
func (m *Model) OpenLabelled(nameOrFile string, how Reading) (*Labelled, error) {
	if err := how.forNames(nameOrFile); err != nil {
		return nil, err
	}
	card := m.Card()
	how.Judged, how.Numbers, how.Classes = true, card.Target == mil.RealTarget, card.Classes
	if card.Target == mil.BinaryTarget && card.Classes == nil {
		how.Classes = []string{"0", "1"}
	}
	whole, err := m.read(nameOrFile, how)
	if err != nil {
		return nil, err
	}
	set, err := whole.Part(mil.TestPart)
	if err != nil {
		return nil, err
	}
	if err := m.fits(set, nameOrFile); err != nil {
		return nil, err
	}
	if set, err = evaluate.Relabel(set, card); err != nil {
		return nil, err
	}
	return &Labelled{set, len(whole.Bags)}, nil
}

// Fill returns a set with the model's medians for missing values. If the features are not those of the model, the error names
// the set. [Model.Predict] and the others do the same.
func (m *Model) Fill(set *mil.Set, name string) (*mil.Set, error) {
	if err := m.fits(set, name); err != nil {
		return nil, err
	}
	return set.Impute(m.About().Missing)
}

func (m *Model) fits(set *mil.Set, name string) error {
	return predict.Fits(m.About(), m.Name, set, name)
}

// read reads the features of the model.
func (m *Model) read(nameOrFile string, how Reading) (*mil.Set, error) {
	about := m.About()
	source, err := how.Options.For(about.Features, about.Centre, how.Column).Open(nameOrFile)
	if err != nil {
		return nil, err
	}
	if about.Features == nil || source.Stored.Features == nil || how.Column == dataset.NoColumn {
		return source.Set(how.Column)
	}
	if !how.Judged {
		return nil, fmt.Errorf("--instance-label-column %v: the features are taken by the names that the model knows; leave the flag out", how.Column)
	}
	// The names of the features leave the column out. Read all columns for it.
	set, err := source.Set(dataset.NoColumn)
	if err != nil {
		return nil, err
	}
	how.Options.Note = nil
	if source, err = how.Options.Open(nameOrFile); err != nil {
		return nil, err
	}
	whole, err := source.Set(how.Column)
	if err != nil {
		return nil, err
	}
	for _, name := range about.Features {
		if slices.Contains(source.Stored.Features, name) && !slices.Contains(whole.Features, name) {
			return nil, fmt.Errorf("--instance-label-column %v: column %s is a feature of the model; give the column of the labels", how.Column, name)
		}
	}
	set.InstanceLabels = whole.InstanceLabels
	return set, nil
}

// Predictions are what a model says about some bags.
type Predictions struct {
	Bags  []predict.Bag
	About learners.About

	Leaked      string // see [Model.Leaked]
	Calibration string // whether and how the probabilities are calibrated
	Discoveries int    // selected instances, of [Model.Discover]
	Conformal   string // what the sets or intervals are; "" for none

	unlike func() (string, error)
}

// Unlike returns a warning if the features of the bags are unlike those of training, else "". It reads all bags.
func (p *Predictions) Unlike() (string, error) { return p.unlike() }

// Predict scores the bags of a set, from [Model.Open] or made by a program.
func (m *Model) Predict(ctx context.Context, set *mil.Set) (*Predictions, error) {
	return m.predict(ctx, set, false)
}

// Explain scores the bags and their instances: by the weights of a network's pooling, or by how much an instance counts for
// another model. The error of a model without either wraps [learners.ErrNoInstances].
func (m *Model) Explain(ctx context.Context, set *mil.Set) (*Predictions, error) {
	return m.predict(ctx, set, true)
}

// Discover explains the bags and selects instances at a false discovery rate, see [predict.Discover]. The error of a model trained
// without [Training.Instances] wraps [predict.ErrNoPValues].
func (m *Model) Discover(ctx context.Context, set *mil.Set, rate float64) (*Predictions, error) {
	calibration, err := m.Calibration()
	if err != nil {
		return nil, err
	}
	if set, err = m.Fill(set, set.Name); err != nil {
		return nil, err
	}
	p, err := m.Explain(ctx, set)
	if err != nil {
		return nil, err
	}
	p.Discoveries, err = predict.Discover(ctx, m.Learned, set, calibration, p.Bags, rate)
	return p, err
}

func (m *Model) predict(ctx context.Context, set *mil.Set, instances bool) (_ *Predictions, err error) {
	if set, err = m.Fill(set, set.Name); err != nil {
		return nil, err
	}
	calibration, err := m.Calibration()
	if err != nil {
		return nil, err
	}
	bags, err := predict.Bags(ctx, m.Learned, set, calibration, instances)
	if err != nil {
		return nil, err
	}
	return &Predictions{Bags: bags, About: m.About(), Leaked: m.Leaked(), Calibration: predict.CalibrationNote(m.About(), calibration), Conformal: predict.ConformalNote(calibration),
		unlike: func() (string, error) {
			if facts := m.Card().Facts; facts != nil {
				return evaluate.Warn(facts.Data, set)
			}
			return "", nil
		}}, nil
}

// Evaluate judges the model on labelled bags; seed is that of the bootstrap.
func (m *Model) Evaluate(ctx context.Context, bags *Labelled, seed uint64) (*evaluate.Evaluation, error) {
	set, err := m.Fill(bags.Set, bags.Set.Name)
	if err != nil {
		return nil, err
	}
	calibration, err := m.Calibration()
	if err != nil {
		return nil, err
	}
	e, err := evaluate.New(ctx, m.Learned, calibration, set, seed)
	if err != nil {
		return nil, predict.WithID(set, err)
	}
	e.Model, e.Whole = m.Name, bags.All
	official := func(j modeldir.Judged) bool { return j.Folds == 1 }
	if len(e.Operating) > 0 && len(set.Bags) < bags.All && slices.ContainsFunc(m.Card().Facts.Judged, official) {
		e.Warn("the thresholds were chosen on the test part of a split: if it is this one, sensitivity and specificity are too good")
	}
	return e, nil
}

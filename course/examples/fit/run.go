package fit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Course describes the course of a training.
type Course struct {
	// Name is the name of the model, for the log.
	Name string
	// Settings are the settings of the whole program. A checkpoint with different settings is an error; they are compared as
	// JSON.
	Settings any
	// Batches returns the batches of an epoch, in an order drawn from rng.
	Batches func(rng *rand.Rand) ([]Batch, error)
	// Input returns a batch as the input of [Loss]. epochs is the number of epochs before it: 2.25 is a quarter into the
	// third.
	Input func(b Batch, epochs float64) ([]any, error)
	// Validate scores the variables after an epoch and describes the score in words for the log. The variables with the
	// largest score are kept, the first of equals. If Validate is nil, the last ones are kept.
	Validate func() (score float64, words string, err error)
	// Log gets one line per epoch.
	Log io.Writer
}

// Kept says which variables a training kept.
type Kept struct {
	Epoch int           // epoch of the kept variables, from 1
	Score float64       // their score by Validate
	Took  time.Duration // duration of the whole training
}

// Run trains until the last epoch and leaves the kept variables in the store; the moments of Adam are those of the last
// step. If ctx ends, or after a crash, a training with a checkpoint loses only the current epoch: it resumes and gives the
// same result as an uninterrupted one.
func (t *Trainer) Run(ctx context.Context, c Course) (Kept, error) {
	p, err := t.load(c.Settings)
	if err != nil {
		return Kept{}, err
	}
	if p.Epochs > 0 && p.Epochs < t.settings.Epochs {
		fmt.Fprintf(c.Log, "%s: going on after epoch %d of %d\n", c.Name, p.Epochs, t.settings.Epochs)
	}
	start := time.Now().Add(-p.Kept.Took)
	for p.Epochs < t.settings.Epochs {
		where := fmt.Sprintf("%s: epoch %d of %d", c.Name, p.Epochs+1, t.settings.Epochs)
		loss, err := t.epoch(ctx, c, p.Epochs)
		if err != nil {
			return Kept{}, fmt.Errorf("%s: %w", where, err)
		}
		p.Epochs++
		score, words := 0.0, ""
		if c.Validate != nil {
			if score, words, err = c.Validate(); err == nil && math.IsNaN(score) {
				err = errors.New("the score is NaN")
			}
			if err != nil {
				return Kept{}, fmt.Errorf("%s, validation: %w", where, err)
			}
			words = ", " + words
		}
		if c.Validate == nil || p.Kept.Epoch == 0 || score > p.Kept.Score {
			p.Kept.Epoch, p.Kept.Score = p.Epochs, score
			if c.Validate != nil {
				if err := t.keep(); err != nil {
					return Kept{}, err
				}
			}
		}
		p.Kept.Took = time.Since(start)
		fmt.Fprintf(c.Log, "%s: loss %.3f%s, %s\n", where, loss, words, p.Kept.Took.Round(time.Second))
		if err := t.save(p); err != nil {
			return Kept{}, err
		}
	}
	return p.Kept, t.restore()
}

// orderStream is the first stream of the seed for the order of batches; those below are for generating data.
const orderStream = 1 << 32

// epoch takes a step on each batch and returns the mean loss.
func (t *Trainer) epoch(ctx context.Context, c Course, before int) (float64, error) {
	batches, err := c.Batches(rand.New(rand.NewPCG(t.settings.Seed, orderStream+uint64(before))))
	if err != nil {
		return 0, err
	}
	if len(batches) == 0 {
		return 0, errors.New("nothing to train on")
	}
	mean := 0.0
	for i, b := range batches {
		if err := ctx.Err(); err != nil {
			return 0, fmt.Errorf("stopped: %w", err)
		}
		in, err := c.Input(b, float64(before)+float64(i)/float64(len(batches)))
		if err != nil {
			return 0, err
		}
		loss, err := t.Step(in...)
		if err != nil {
			return 0, fmt.Errorf("step %d of %d: %w", i+1, len(batches), err)
		}
		mean += loss / float64(len(batches))
	}
	return mean, nil
}

// best is the scope of the variables that are kept.
const best = "/best"

// keep copies the trained variables below best.
func (t *Trainer) keep() error {
	for _, v := range t.trained() {
		copied, err := clone(v)
		if err != nil {
			return err
		}
		if kept := t.Store.GetVariable(best + v.Path()); kept != nil {
			err = kept.SetValue(copied)
		} else if kept, err = t.Store.CreateVariable(best+v.Path(), copied); err == nil {
			kept.SetTrainable(false)
		}
		if err != nil {
			return fmt.Errorf("variable %s: %w", v.Path(), err)
		}
	}
	return nil
}

// restore moves the variables below best, if there are any, back.
func (t *Trainer) restore() error {
	for _, v := range t.trained() {
		kept := t.Store.GetVariable(best + v.Path())
		if kept == nil {
			continue
		}
		copied, err := clone(kept)
		if err == nil {
			err = v.SetValue(copied)
		}
		if err != nil {
			return fmt.Errorf("variable %s: %w", v.Path(), err)
		}
	}
	return t.Store.DeleteVariablesInScope(best)
}

// trained returns the trainable variables.
func (t *Trainer) trained() []*model.Variable {
	return slices.DeleteFunc(slices.Collect(t.Store.IterVariables()), func(v *model.Variable) bool { return !v.Trainable })
}

func clone(v *model.Variable) (*tensors.Tensor, error) {
	value, err := v.Value()
	if err == nil {
		value, err = value.LocalClone()
	}
	if err != nil {
		return nil, fmt.Errorf("variable %s: %w", v.Path(), err)
	}
	return value, nil
}

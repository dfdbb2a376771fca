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

// Course is what a training goes through.
type Course struct {
	// Name of what is trained, for the log.
	Name string
	// Settings of the whole program: a checkpoint of others is an error. They are compared as JSON.
	Settings any
	// Batches returns those of an epoch, in an order drawn from rng.
	Batches func(rng *rand.Rand) ([]Batch, error)
	// Input returns a batch as [Loss] takes it. epochs counts those before it: 2.25 is a quarter into the third.
	Input func(b Batch, epochs float64) ([]any, error)
	// Validate scores the variables after an epoch and says it in words for the log: those with the largest score are kept,
	// the first of equals. Nil keeps the last.
	Validate func() (score float64, words string, err error)
	// Log gets a line an epoch.
	Log io.Writer
}

// Kept says which variables a training kept.
type Kept struct {
	Epoch int           // that they are of, from 1
	Score float64       // that Validate gave them
	Took  time.Duration // of the whole training
}

// Run trains until the last epoch and leaves the variables that were kept in the store. The moments of Adam remain those of the
// last step. When ctx ends, or after a crash, a training with a checkpoint has lost the epoch under way, and goes on to the
// result that it would have had without a break.
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

// orderStream is the first stream of the seed that orders batches: those below are for whoever makes the data.
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

// trained returns the variables that are trained.
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

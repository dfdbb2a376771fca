package runtest

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"time"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// Learner scores a bag by its first value plus noise. The noise depends on seed, setting, epoch and bag.
type Learner struct {
	Delay   time.Duration               // per fit
	Trained int                         // fits over all calls
	Calls   int                         // calls of Learn
	Spoil   func(*learner.Outcome) bool // may change an outcome; returning false withholds it
}

// Epochs is the number of epochs that a [Learner] trains.
const Epochs = 4

// Loss returns the loss that a [Learner] reports for an epoch of a fit.
func Loss(fit cv.Fit, epoch int) float64 { return float64(fit.Seed%1000) / float64(epoch) }

func (l *Learner) Learn(ctx context.Context, task cv.Task, done func(learner.Outcome) error) error {
	l.Trained += len(task.Fits)
	l.Calls++
	for i, fit := range task.Fits {
		time.Sleep(l.Delay)
		if err := ctx.Err(); err != nil {
			return err
		}
		o := learner.Outcome{Fit: i, Wall: time.Since(time.Unix(0, 0)), Epochs: epochs(fit, Epochs, func(epoch, b int) mil.Prediction {
			h := fnv.New64a()
			fmt.Fprint(h, fit.Seed, string(fit.Setting), epoch, b)
			noise := float64(h.Sum64()%1000)/1000 - 0.5
			second := b + (Epochs-epoch)/2 // the winner changes in the last two epochs
			return mil.Prediction{Scores: []float64{first(task.Bags[b]) + 3*noise}, Winners: []int{0, second}}
		})}
		for k := range o.Epochs {
			o.Epochs[k].Loss = Loss(fit, o.Epochs[k].Number)
		}
		if l.Spoil != nil && !l.Spoil(&o) {
			continue
		}
		if err := done(o); err != nil {
			return err
		}
	}
	return nil
}

// epochs returns the epochs that a fit asks for, out of n, without their loss; score scores a bag.
func epochs(fit cv.Fit, n int, score func(epoch, bag int) mil.Prediction) (list []learner.Epoch) {
	for epoch := 1; epoch <= n; epoch++ {
		if !fit.EveryEpoch && epoch < n {
			continue
		}
		all := func(bags []int) (scores []mil.Prediction) {
			for _, b := range bags {
				scores = append(scores, score(epoch, b))
			}
			return scores
		}
		list = append(list, learner.Epoch{Number: epoch, Validation: all(fit.HeldOut()), Test: all(fit.Test)})
	}
	return list
}

// first returns the first value of a bag.
func first(x mil.Instances) float64 {
	row := make([]float32, x.Features())
	if err := x.Read(0, 1, row); err != nil {
		panic(err) // in memory there is no error
	}
	return float64(row[0])
}

func (*Learner) Takes() learner.Takes {
	return learner.Takes{Name: "the fake", Kinds: []mil.TargetKind{mil.BinaryTarget}, Dense: true, Sparse: true}
}

// Plan puts the fits of each setting into one group.
func (*Learner) Plan(task cv.Task) (learner.Plan, error) {
	p := learner.Plan{Fits: len(task.Fits)}
	place := make(map[string]int)
	for i, f := range task.Fits {
		at, found := place[string(f.Setting)]
		if !found {
			at = len(p.Groups)
			place[string(f.Setting)] = at
			p.Groups = append(p.Groups, learner.Group{Members: 1, Compile: 0.5, Block: 1, Memory: 1})
		}
		p.Groups[at].Fits = append(p.Groups[at].Fits, i)
		p.Groups[at].Blocks++
	}
	return p, nil
}

// ByContent is a learner whose scores depend on the training data and on the content of a bag, but not on its
// position in the task.
type ByContent struct {
	Trained int // number of fits
	Calls   int // calls of Learn
}

// fitTime is how long a [ByContent] fit takes.
const fitTime = 6 * time.Millisecond

func (*ByContent) Takes() learner.Takes { return (*Learner)(nil).Takes() }

func (*ByContent) Plan(cv.Task) (learner.Plan, error) { return learner.Plan{}, nil }

func (l *ByContent) Learn(_ context.Context, task cv.Task, done func(learner.Outcome) error) error {
	l.Calls++
	content := make([]uint64, len(task.Bags))
	for i, b := range task.Bags {
		h := fnv.New64a()
		if err := mil.EachRow(b, func(_ int, row []float32) { binary.Write(h, binary.LittleEndian, row) }); err != nil {
			return err
		}
		content[i] = h.Sum64()
	}
	for i, fit := range task.Fits {
		l.Trained++
		model := fnv.New64a()
		fmt.Fprint(model, fit.Seed, string(fit.Setting))
		for _, e := range fit.Train {
			fmt.Fprint(model, content[e.Bag], e.Label)
		}
		o := learner.Outcome{Fit: i, Wall: fitTime, Epochs: epochs(fit, 3, func(epoch, b int) mil.Prediction {
			h := fnv.New64a()
			fmt.Fprint(h, model.Sum64(), epoch, content[b])
			return mil.Prediction{Scores: []float64{float64(h.Sum64() % 1000)}, Winners: []int{int(h.Sum64() % 7)}}
		})}
		for k := range o.Epochs {
			o.Epochs[k].Loss = 1 / float64(o.Epochs[k].Number)
		}
		if err := done(o); err != nil {
			return err
		}
	}
	return nil
}

var _, _ learner.Learner = (*Learner)(nil), (*ByContent)(nil)

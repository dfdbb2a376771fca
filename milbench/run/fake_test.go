package run

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"testing"
	"time"

	"synpool/milbench"
	"synpool/milbench/results"
)

// fakeLearner scores bags by their only feature and noise that is a function of seed, setting, epoch and bag.
type fakeLearner struct {
	delay  time.Duration
	handed int                          // fits over all calls
	calls  int                          // of Learn
	spoil  func(*milbench.Outcome) bool // may change an outcome; false keeps it back
}

const fakeEpochs = 4

func fakeLoss(fit milbench.Fit, epoch int) float64 { return float64(fit.Seed%1000) / float64(epoch) }

func (l *fakeLearner) Learn(ctx context.Context, task milbench.Task, done func(milbench.Outcome) error) error {
	l.handed += len(task.Fits)
	l.calls++
	for i, fit := range task.Fits {
		time.Sleep(l.delay)
		if err := ctx.Err(); err != nil {
			return err
		}
		o := milbench.Outcome{Fit: i, Wall: time.Since(time.Unix(0, 0))}
		for epoch := 1; epoch <= fakeEpochs; epoch++ {
			if !fit.EveryEpoch && epoch < fakeEpochs {
				continue
			}
			score := func(bags []int) (scores []milbench.Prediction) {
				for _, b := range bags {
					h := fnv.New64a()
					fmt.Fprint(h, fit.Seed, string(fit.Setting), epoch, b)
					noise := float64(h.Sum64()%1000)/1000 - 0.5
					second := b + (fakeEpochs-epoch)/2 // another winner in the last two epochs than before
					scores = append(scores, milbench.Prediction{Scores: []float64{first(task.Bags[b]) + 3*noise}, Winners: []int{0, second}})
				}
				return scores
			}
			o.Epochs = append(o.Epochs, milbench.Epoch{Number: epoch, Loss: fakeLoss(fit, epoch), Validation: score(fit.Validation), Test: score(fit.Test)})
		}
		if l.spoil != nil && !l.spoil(&o) {
			continue
		}
		if err := done(o); err != nil {
			return err
		}
	}
	return nil
}

// first returns the first value of a bag.
func first(x milbench.Instances) float64 { return float64(x.(*milbench.Dense).Values[0]) }

func (l *fakeLearner) Takes() milbench.Takes {
	return milbench.Takes{Name: "the fake", Kinds: []milbench.TargetKind{milbench.BinaryTarget}, Dense: true, Sparse: true}
}

// Plan puts the fits of a setting into a group.
func (l *fakeLearner) Plan(task milbench.Task) (milbench.Plan, error) {
	p := milbench.Plan{Fits: len(task.Fits)}
	place := make(map[string]int)
	for i, f := range task.Fits {
		at, found := place[string(f.Setting)]
		if !found {
			at = len(p.Groups)
			place[string(f.Setting)] = at
			p.Groups = append(p.Groups, milbench.Group{Members: 1, Compile: 0.5, Block: 1, Memory: 1})
		}
		p.Groups[at].Fits = append(p.Groups[at].Fits, i)
		p.Groups[at].Blocks++
	}
	return p, nil
}

var _ milbench.Learner = (*fakeLearner)(nil)

// fakeSet returns a set of n bags of one instance, every third positive and its feature larger by one.
func fakeSet(name string, n int) *milbench.Set {
	s := &milbench.Set{Name: name, Checksum: fmt.Sprintf("%064x", len(name)*1000+n)}
	for i := range n {
		label := 0
		if i%3 == 0 {
			label = 1
		}
		s.Bags = append(s.Bags, milbench.Bag{
			ID: fmt.Sprint(name, "-", i), Target: milbench.Labelled(label),
			Instances: &milbench.Dense{Rows: 1, Cols: 1, Values: []float32{float32(label)}},
		})
	}
	return s
}

func configs(list ...string) (out []json.RawMessage) {
	for _, c := range list {
		out = append(out, json.RawMessage(c))
	}
	return out
}

// fakeRun is a run of 2 sets x 3 settings x 2 repeats x 4 folds = 48 fits.
func fakeRun(dir string, l milbench.Learner) Run {
	return Run{
		Sets:     []*milbench.Set{fakeSet("first", 40), fakeSet("second", 31)},
		Protocol: milbench.Protocol{Name: milbench.HonestProtocol, Folds: 4, Repeats: 2},
		Settings: configs(`{"pooling":"syn","iterations":-3}`, `{"pooling":"syn","iterations":3}`, `{"pooling":"mean"}`),
		Seed:     1, Learner: l, Dir: dir, Backend: "fake", Version: "v0", Revision: "0",
	}
}

const fakeTotal = 48

// contents returns the lines of a results folder by fit, without their wall times.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	found, err := results.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	lines := make(map[string]string)
	for _, r := range found {
		r.WallS = 0
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		lines[r.Fit] = string(b)
	}
	return lines
}

// put returns a new folder whose file of results has a content.
func put(t *testing.T, content []byte) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, results.FileName), content, 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

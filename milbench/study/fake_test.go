package study

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"synpool/milbench"
	"synpool/milbench/run"
	"synpool/milbench/run/cluster"
)

// fakeLearner scores bags by the first value of theirs and a chance that is a function of seed, setting, epoch and bag.
type fakeLearner struct{ handed int }

func (*fakeLearner) Takes() milbench.Takes {
	return milbench.Takes{Kinds: []milbench.TargetKind{milbench.BinaryTarget}, Dense: true, Sparse: true}
}

// Plan puts the fits of a setting into a group.
func (*fakeLearner) Plan(task milbench.Task) (milbench.Plan, error) {
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

func (l *fakeLearner) Learn(ctx context.Context, task milbench.Task, done func(milbench.Outcome) error) error {
	l.handed += len(task.Fits)
	for i, fit := range task.Fits {
		o := milbench.Outcome{Fit: i}
		for epoch := 1; epoch <= 4; epoch++ {
			if !fit.EveryEpoch && epoch < 4 {
				continue
			}
			score := func(bags []int) (scores []milbench.Prediction) {
				for _, b := range bags {
					chance := milbench.Rand(fit.Seed, string(fit.Setting), epoch, b).Float64() - 0.5
					scores = append(scores, milbench.Scored(first(task.Bags[b])+3*chance))
				}
				return scores
			}
			o.Epochs = append(o.Epochs, milbench.Epoch{Number: epoch, Loss: 1 / float64(epoch), Validation: score(fit.Validation), Test: score(fit.Test)})
		}
		if err := done(o); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// first returns the first value of a bag.
func first(x milbench.Instances) float64 {
	row := make([]float32, x.Features())
	if err := x.Read(0, 1, row); err != nil {
		panic(err) // in memory there is none
	}
	return float64(row[0])
}

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

// fakeRun is a run of a set under an honest protocol of 4 folds and 2 repeats.
func fakeRun(dir string, l milbench.Learner, set *milbench.Set, settings []json.RawMessage) run.Run {
	return run.Run{Sets: []*milbench.Set{set}, Protocol: protocol(milbench.HonestProtocol, 4, 2), Settings: settings,
		Seed: 1, Learner: l, Dir: dir, Backend: "fake", Version: "v0", Revision: "0"}
}

// fakePlan is the plan of a run in so many shards.
func fakePlan(t *testing.T, r run.Run, shards int) *cluster.Plan {
	t.Helper()
	p := &cluster.Plan{Format: cluster.Format, Version: r.Version, Backend: r.Backend, Cores: 1, Seed: r.Seed, Shards: 1, Request: cluster.Request{Curves: r.Curves}}
	if err := run.AddTo(p, []run.Run{r}, r.Sets[0].Name, &fakeLearner{}); err != nil {
		t.Fatal(err)
	}
	p.Divide(shards)
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	return p
}

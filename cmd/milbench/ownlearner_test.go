package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/synlayer"
)

// above scores a bag by the mean of its first feature.
type above struct{}

func (above) Fit(context.Context, learner.Training) (learner.Model, error) { return &above{}, nil }

func (above) Predict(bag mil.Instances) (mil.Prediction, error) {
	m, err := mil.MomentsOf(bag)
	if err != nil || len(m.Mean) == 0 { // an empty bag
		return mil.Scored(0), err
	}
	return mil.Scored(m.Mean[0]), nil
}

// sharp pools by log-sum-exp.
type sharp struct {
	Sharpness float64 `json:"how_sharp" range:"(0,)" search:"0.5,5" help:"sharpness of the maximum"`
}

func (p sharp) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *graph.Node) {
	return synlayer.LogSumExpPooling{Sharpness: p.Sharpness}.Pool(scope, bags)
}

// TestOwnLearner finds a learner whose scores are logits and a pooling with a hyperparameter of its own, which are registered
// from outside, in all subcommands that take a name, and in help.
func TestOwnLearner(t *testing.T) {
	forget, err := learners.Register(learner.Entry{Name: "above", Summary: "the mean of the first feature", Logits: true,
		Default: func() learner.Estimator { return &above{} }, Model: func() learner.Model { return &above{} }})
	must(t, err)
	t.Cleanup(forget)
	remove, err := neural.Register(neural.Entry{Name: "sharp", Default: sharp{5}})
	must(t, err)
	t.Cleanup(remove)

	file, dir := write(t, "toy.csv", toy(false)), t.TempDir()
	results, drawn := filepath.Join(dir, "results"), filepath.Join(dir, "auc.svg")
	out, _ := succeed(t, with("run", file, "--learner", "above", "--pooling", "mean,sharp", "--how-sharp", "1,2", "--folds", "3", "--repeats", "1", "--out", results)...)
	succeed(t, "plot", results, "--out", drawn)
	svg := contents(t, drawn)
	for _, want := range []string{"above", "mean", "sharp how_sharp=1", "sharp how_sharp=2"} {
		if !strings.Contains(out, want) || !strings.Contains(string(svg), want) {
			t.Errorf("no %q in the table or the figure:\n%s", want, out)
		}
	}
	for model, args := range map[string][]string{
		"above": {"--learner", "above"}, "sharp": {"--pooling", "sharp", "--how-sharp", "2", "--width", "8", "--epochs", "2"},
	} {
		model = filepath.Join(dir, model)
		succeed(t, append([]string{"train", file, "--out", model}, args...)...)
		prints(t, "probability", "predict", model, file)
	}
	for _, c := range []struct{ command, want string }{
		{"run", "settransformer, sharp"}, {"run", "--how-sharp list"}, {"run", "sharpness of the maximum (sharp)"}, {"run", "instance, above, auto"},
		{"train", "--how-sharp value"}, {"train", "instance, above, auto"},
	} {
		help, _ := succeed(t, c.command, "--help")
		if words := strings.Join(strings.Fields(help), " "); !strings.Contains(words, c.want) {
			t.Errorf("%s --help: no %q in\n%s", c.command, c.want, help)
		}
	}
	for _, flag := range []string{"pooling", "learner"} {
		if got, _ := completes(t, "train", "musk1", "--"+flag, map[string]string{"pooling": "sh", "learner": "ab"}[flag]); len(got) != 1 {
			t.Errorf("--%s is completed to %q", flag, got)
		}
	}
	refuse(t, exitUse, "--how-sharp 0: more than 0 is needed", "run", file, "--pooling", "sharp", "--how-sharp", "0", "--out", results)
	refuse(t, exitUse, "--how-sharp: not a setting of --pooling mean, but of sharp", "run", file, "--pooling", "mean", "--how-sharp", "1", "--out", results)
}

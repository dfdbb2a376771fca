package cell

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/synlayer"
)

// power weighs instances by the softmax of a score, to a power.
type power struct{ Power int }

func (p power) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *graph.Node) {
	x := bags.Zeroed()
	scores := synlayer.Dense(scope.In("score"), x, bags.Members(), 1)
	weights = synlayer.BagSoftmax(graph.MulScalar(graph.ExpandAxes(graph.Squeeze(scores, -1), -2), float64(p.Power)), bags.Mask)
	return graph.Squeeze(graph.MatMul(weights, x), -2), weights
}

// first pools by the first instance, whatever the order is.
type first struct{}

func (first) Pool(_ *model.Scope, bags synlayer.Bags) (pooled, weights *graph.Node) {
	_, weights = synlayer.MeanPooling{}.Pool(nil, bags)
	return graph.Squeeze(graph.SliceAxis(bags.X, -2, graph.AxisElem(0)), -2), weights
}

// height scores a bag by the mean of its first feature, less that of the training bags.
type height struct{ Factor float64 }

func (h height) Fit(_ context.Context, t learner.Training) (learner.Model, error) {
	m := &middle{Factor: h.Factor}
	for _, bag := range t.Bags {
		of, err := mil.MomentsOf(bag)
		if err != nil {
			return nil, err
		}
		m.Mean += of.Mean[0] / float64(len(t.Bags))
	}
	return m, nil
}

type middle struct{ Mean, Factor float64 }

func (m *middle) Predict(bag mil.Instances) (mil.Prediction, error) {
	of, err := mil.MomentsOf(bag)
	if err != nil || len(of.Mean) == 0 { // a sparse bag of zeros
		return mil.Scored(0), err
	}
	return mil.Scored(m.Factor * (of.Mean[0] - m.Mean)), nil
}

// TestOpenWith reads lines of a format that nobody else has, lazily, and names the file in errors.
func TestOpenWith(t *testing.T) {
	t.Setenv(StoreVariable, t.TempDir())
	var text strings.Builder
	for i := range 12 {
		fmt.Fprintf(&text, "b%d %d %d %d\n", i, i%2, i%2+i, -i)
	}
	lines := func(r io.Reader) (*mil.Set, error) {
		set := new(mil.Set)
		for {
			var id string
			var label int
			values := make([]float32, 2)
			switch _, err := fmt.Fscanln(r, &id, &label, &values[0], &values[1]); err {
			case nil:
				set.Bags = append(set.Bags, mil.Bag{ID: id, Target: mil.Labelled(label), Instances: &mil.Dense{Rows: 1, Cols: 2, Values: values}})
			case io.EOF:
				return set, nil
			default:
				return nil, fmt.Errorf("bag %d: %w", len(set.Bags)+1, err)
			}
		}
	}
	bags := OpenWith(put(t, "own.lines", text.String()), lines)
	wants(t, printed(t, func() { Show(bags) }), "own", "12", "6 negative, 6 positive")
	if row := Compare(bags, StatisticsTrees).Folds(2).Repeats(1).Row(StatisticsTrees); row.Set != "own" {
		t.Errorf("%+v", row)
	}
	if scores := Train(bags, StatisticsTrees).Predict(bags).Bags(); len(scores) != 12 {
		t.Errorf("%d bags are scored", len(scores))
	}
	file := put(t, "bad.lines", "b0 x\n")
	if _, err := OpenWith(file, lines).read(); err == nil || !strings.HasPrefix(err.Error(), file+": bag 1: ") {
		t.Error(err)
	}
}

// TestOwn: a pooling and a learner of one's own are compared, trained, explained and saved as ours are.
func TestOwn(t *testing.T) {
	t.Setenv(StoreVariable, t.TempDir())
	mine, other := Own("power", power{2}), Own("height", height{1})
	bags := Open(slides(t, "slides.csv", 20, true))
	said := printed(t, func() {
		Show(Compare(bags, mine.Epochs(2), mine.With("power", 3).Epochs(2), other, Mean.Epochs(2)).Folds(2).Repeats(1))
	})
	wants(t, said, "8 fits trained", "power power=2", "power power=3", "height", "mean")
	for _, l := range []Learner{mine.Epochs(2), other} {
		dir := t.TempDir() + "/model"
		printed(t, func() { Save(Train(bags, l), dir) })
		if got, want := Load(dir).Predict(bags).Bags()[0], Train(bags, l).Predict(bags).Bags()[0]; *got.Score != *want.Score {
			t.Errorf("%v: %v, want %v", l, *got.Score, *want.Score)
		}
	}
	wants(t, printed(t, func() { Show(Train(bags, mine.Epochs(2)).Explain(bags.Find("slide2"))) }), "share")
	wants(t, string(mine.Setting()), `"code":"`, `"power":2`, `"dropout":0.2`, `"weight_decay":0.01`, `"epochs":60`)
}

// TestLaws: a pooling that keeps all laws is told from one that looks at the order.
func TestLaws(t *testing.T) {
	if said := printed(t, func() { Show(Laws(power{2})) }); strings.Contains(said, " no ") || strings.Count(said, " yes") != 9 {
		t.Error(said)
	}
	wants(t, printed(t, func() { Show(Laws(first{})) }), "permutation  no ", "dropout      yes")
}

// TestOwnEnds runs itself to see what ends a cell.
func TestOwnEnds(t *testing.T) {
	ends := []struct {
		want string
		end  func()
	}{
		{"neither the method Pool", func() { Own("three", 3) }},
		{"needs a name of its own", func() { Own("mean", power{1}) }},
		{"rank", func() { Own("wrong", wrong{}) }},
		{"no height", func() { Own("failing", failing{}) }},
		{"Predict of a sparse bag", func() { Own("hasty", hasty{}) }},
	}
	if k := strings.TrimPrefix(os.Getenv("OWN_ENDS"), "end"); k != "" {
		ends[k[0]-'0'].end()
		os.Exit(0)
	}
	for k, c := range ends {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestOwnEnds$")
		cmd.Env = append(os.Environ(), fmt.Sprint("OWN_ENDS=end", k))
		var said strings.Builder
		cmd.Stderr = &said
		if err := cmd.Run(); err == nil || !strings.Contains(said.String(), c.want) || strings.Count(said.String(), "\n") != 1 {
			t.Errorf("%s: %v, and says %q", c.want, err, said.String())
		}
	}
}

// wrong adds arrays of different ranks.
type wrong struct{}

func (wrong) Pool(_ *model.Scope, bags synlayer.Bags) (pooled, weights *graph.Node) {
	return graph.Add(bags.X, graph.ReduceSum(bags.X, -1)), nil
}

type failing struct{}

func (failing) Fit(context.Context, learner.Training) (learner.Model, error) {
	return nil, fmt.Errorf("no height")
}

// hasty looks at instances that may not be there.
type hasty struct{}

func (hasty) Fit(context.Context, learner.Training) (learner.Model, error) { return &hasty{}, nil }

func (hasty) Predict(bag mil.Instances) (mil.Prediction, error) {
	of, err := mil.MomentsOf(bag)
	return mil.Scored(of.Mean[0]), err
}

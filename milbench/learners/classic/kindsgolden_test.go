package classic

import (
	"encoding/json"
	"math"
	"testing"

	"synpool/internal/goldenfile"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// kindsForm holds other targets for the bags of a [bagsForm], and the results of scikit-learn.
type kindsForm struct {
	Labels []int
	Values []float64
	Trees  struct {
		Shares         [][]float64 // one row per bag, one value per class
		Values, Spread []float64   // Spread is the standard deviation over the trees
	}
	Fits []struct {
		Setting json.RawMessage
		Classes [][]float64
		Real    []float64
	}
}

// of returns the training part of a kind.
func (k kindsForm) of(kind mil.TargetKind, part learner.Training) learner.Training {
	part.Kind, part.Classes = kind, 0
	if kind == mil.ClassTarget {
		part.Classes = 3
	}
	for i := range part.Targets {
		part.Targets[i] = mil.Target{Label: k.Labels[i], Value: k.Values[i]}
	}
	return part
}

// requireScores compares the scores of bags.
func requireScores(t *testing.T, name string, m learner.Model, bags []mil.Instances, want func(bag, k int) (value, tolerance float64)) {
	t.Helper()
	worst := 0.0
	for i, b := range bags {
		p, err := m.Predict(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for k, got := range p.Scores {
			value, tolerance := want(i, k)
			worst = max(worst, math.Abs(got-value)/tolerance)
			if !(math.Abs(got-value) <= tolerance) {
				t.Errorf("%s: score %d of bag %d is %v, want %v ± %.2g", name, k, i, got, value, tolerance)
			}
		}
	}
	t.Logf("%s: to %.2g of the tolerance", name, worst)
}

// TestGoldenKinds compares with scikit-learn: scores of classes with decision values of its SVC, one class against the
// rest, and real scores with its SVR on standardised targets. Both sides stop at a violation of 1e-3, in decision
// values or standard deviations, so they differ by about 2e-3. Shares and values of trees are random; the tolerance is
// five standard deviations of the difference between the means of 2,000 trees here and 6,000 there.
func TestGoldenKinds(t *testing.T) {
	golden := goldenfile.Read[struct{ Forms []kindsForm }](t, "kinds.json")
	const trees = 2000
	random := 5 * math.Sqrt(1.0/trees+1.0/6000)
	for at, f := range bagsForms(t) {
		bags, k := f.instances(), golden.Forms[at]
		classes, numbers := k.of(mil.ClassTarget, f.training()), k.of(mil.RealTarget, f.training())
		standard := must(targetsOf(numbers))
		fit := func(e learner.Estimator, part learner.Training) learner.Model {
			return must(e.Fit(t.Context(), part))
		}
		for _, c := range k.Fits {
			e := estimator(t, c.Setting)
			name := f.Name + ", " + string(c.Setting)
			requireScores(t, name, fit(e, classes), bags, func(i, class int) (float64, float64) { return c.Classes[i][class], 2e-3 })
			requireScores(t, name, fit(e, numbers), bags, func(i, _ int) (float64, float64) { return c.Real[i], 2e-3 * standard.SD })
		}
		forest := &StatisticsTrees{Statistics: defaultStatistics, Trees: trees, MinLeaf: 1, Balanced: true}
		requireScores(t, f.Name+", shares", changedScores{fit(forest, classes), math.Exp}, bags, func(i, class int) (float64, float64) {
			share := max(k.Trees.Shares[i][class], 0.5/trees)
			return share, random*math.Sqrt(share*(1-share)) + 1e-3
		})
		forest.MinLeaf = 2
		requireScores(t, f.Name+", values", fit(forest, numbers), bags, func(i, _ int) (float64, float64) {
			return k.Trees.Values[i], random*k.Trees.Spread[i] + 1e-3
		})
	}
}

// changedScores has a function of a model's scores.
type changedScores struct {
	learner.Model
	of func(score float64) float64
}

func (c changedScores) Predict(bag mil.Instances) (mil.Prediction, error) {
	p, err := c.Model.Predict(bag)
	for k, v := range p.Scores {
		p.Scores[k] = c.of(v)
	}
	return p, err
}

package classic

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"synpool/internal/goldenfile"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// linearForm holds the results of scikit-learn for a [bagsForm], with its two labels and with the three of a [kindsForm].
type linearForm struct {
	Probes []struct {
		Setting json.RawMessage
		Binary  []float64
		Classes [][]float64
	}
	Nearest [2]struct {
		Squares [][]float64 // squared distances to the class means
		Classes []int
	}
}

// TestGoldenLinear compares log-odds and logits with decision values of scikit-learn's LogisticRegression, up to the constant of
// each bag that logits of classes may have; and scores of the nearest mean with the squared distances and the classes of its NearestCentroid.
// Both minimise to a derivative of 1e-6 and less; C = 30 leaves weights of 10 and more, so the tolerance is 1e-3 of the largest score.
func TestGoldenLinear(t *testing.T) {
	golden := goldenfile.Read[struct{ Forms []linearForm }](t, "linear.json")
	kinds := goldenfile.Read[struct{ Forms []kindsForm }](t, "kinds.json")
	for at, f := range bagsForms(t) {
		bags, g := f.instances(), golden.Forms[at]
		binary, classes := f.training(), kinds.Forms[at].of(mil.ClassTarget, f.training())
		if len(g.Probes) != 3 {
			t.Fatalf("%d probes", len(g.Probes))
		}
		for _, p := range g.Probes {
			e, name := estimator(t, p.Setting), f.Name+", "+string(p.Setting)
			largest := max(1, floats.Norm(p.Binary, math.Inf(1)))
			requireScores(t, name, must(e.Fit(t.Context(), binary)), bags, func(i, _ int) (float64, float64) { return p.Binary[i], 1e-3 * largest })
			m := must(e.Fit(t.Context(), classes))
			for i, b := range bags {
				got, want := must(m.Predict(b)).Scores, p.Classes[i]
				for k := range want {
					if a, b := got[k]-got[0], want[k]-want[0]; !(math.Abs(a-b) <= 1e-3*largest) {
						t.Errorf("%s: class %d of bag %d less class 0: %v, want %v", name, k, i, a, b)
					}
				}
			}
		}
		two, three := must(NearestMean{}.Fit(t.Context(), binary)), must(NearestMean{}.Fit(t.Context(), classes))
		for i, b := range bags {
			for n, m := range []learner.Model{two, three} {
				scores, squares := must(m.Predict(b)).Scores, g.Nearest[n].Squares[i]
				if n == 0 {
					scores = []float64{0, scores[0]}
				}
				for k := range squares {
					if got, want := scores[k]-scores[0], (squares[0]-squares[k])/2; !(math.Abs(got-want) <= 1e-9*max(1, squares[k])) {
						t.Errorf("%s: class %d of bag %d less class 0: %v, want %v", f.Name, k, i, got, want)
					}
				}
				if nearest := slices.Index(scores, slices.Max(scores)); nearest != g.Nearest[n].Classes[i] {
					t.Errorf("%s: bag %d is nearest to class %d, want %d", f.Name, i, nearest, g.Nearest[n].Classes[i])
				}
			}
		}
	}
}

// TestLinearInstances: the score of a bag is the mean of those of its instances, each of which is that of the instance alone.
func TestLinearInstances(t *testing.T) {
	for _, f := range bagsForms(t) {
		for _, e := range []learner.Estimator{LinearProbe{C: 1}, NearestMean{}} {
			m := must(e.Fit(t.Context(), f.training())).(*linearModel)
			for _, b := range f.instances() {
				all, whole := must(m.InstanceScores(b)), must(m.Predict(b)).Scores
				for k, scores := range all {
					if mean := floats.Sum(scores) / float64(len(scores)); !(math.Abs(mean-whole[k]) <= 1e-9*max(1, math.Abs(whole[k]))) {
						t.Errorf("%s: mean %v, bag %v", f.Name, mean, whole[k])
					}
					for i := range scores {
						if alone := must(m.Predict(must(mil.Rows(b, []int{i})))).Scores[k]; !(math.Abs(alone-scores[i]) <= 1e-9*max(1, math.Abs(alone))) {
							t.Errorf("%s: instance %d has %v, alone %v", f.Name, i, scores[i], alone)
						}
					}
				}
			}
		}
	}
}

// TestProbeGradient compares the gradient with differences, for two classes and three.
func TestProbeGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(9, 2, nil)
	for _, kind := range []mil.TargetKind{mil.BinaryTarget, mil.ClassTarget} {
		part := learner.Training{Kind: kind, Classes: 3}
		for i := range 9 {
			x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
			part.Targets = append(part.Targets, mil.Labelled(i%4%2+i%4/3))
		}
		if kind == mil.BinaryTarget {
			for i := range part.Targets {
				part.Targets[i].Label %= 2
			}
		}
		f := newProbeObjective(x, part, LinearProbe{C: 0.7, Balanced: true})
		at := make([]float64, f.scores*3)
		for i := range at {
			at[i] = rng.NormFloat64()
		}
		gradient, other := make([]float64, len(at)), make([]float64, len(at))
		f.compute(at, gradient)
		for i, v := range at {
			const step = 1e-5
			at[i] = v + step
			up := f.compute(at, other)
			at[i] = v - step
			down := f.compute(at, other)
			at[i] = v
			if slope := (up - down) / (2 * step); !(math.Abs(slope-gradient[i]) <= 1e-8) {
				t.Errorf("%v: derivative %d is %v, differences %v", kind, i, gradient[i], slope)
			}
		}
	}
}

// TestLinearAbsent: a class without training bags is never the largest.
func TestLinearAbsent(t *testing.T) {
	f := bagsForms(t)[0]
	part := f.training()
	part.Kind, part.Classes = mil.ClassTarget, 3
	for _, e := range []learner.Estimator{LinearProbe{C: 1}, NearestMean{}} {
		m := must(e.Fit(t.Context(), part))
		for i, b := range f.instances() {
			if scores := must(m.Predict(b)).Scores; scores[2] >= min(scores[0], scores[1]) {
				t.Errorf("%T: bag %d has %v", e, i, scores)
			}
		}
	}
}

package classic_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/learner"
	"synpool/milbench/learners/classic"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// kindEntries returns the learners that take classes and real targets, with few trees, words and components.
func kindEntries() []learner.Entry {
	entries := []learner.Entry{
		classic.StatisticsSVMEntry(), classic.BagOfWordsEntry(), classic.FisherVectorsEntry(), classic.DistanceSVMEntry(),
		classic.SetKernelSVMEntry(), classic.MInDEntry(), classic.StatisticsTreesEntry(), classic.CitationKNNEntry(),
	}
	for i, e := range entries {
		entries[i].Default = func() learner.Estimator {
			estimator := e.Default()
			switch s := estimator.(type) {
			case *classic.StatisticsTrees:
				s.Trees = 100
			case *classic.BagOfWords:
				s.Words = 20
			case *classic.FisherVectors: // with one component per class, nothing separates them
				s.Components = 1
			}
			return estimator
		}
	}
	return entries
}

// machineEntries returns the support vector machines of kindEntries.
func machineEntries() []learner.Entry { return kindEntries()[:6] }

// moved returns a training part and test bags of dense instances whose mean follows the target: for classes, the
// corners of a triangle; for real targets, a line.
func moved(seed uint64, kind mil.TargetKind, train, test int) (part, rest learner.Training) {
	const features = 3
	rng := rand.New(rand.NewPCG(seed, 11))
	all := learner.Training{Kind: kind, Seed: 1}
	if kind == mil.ClassTarget {
		all.Classes = 3
	}
	for i := range train + test {
		var target mil.Target
		var mean [features]float64
		if kind == mil.ClassTarget {
			target.Label = i % 3
			mean[target.Label] = 2
		} else {
			v := rng.NormFloat64()
			target.Value = 100 + 20*v
			mean = [features]float64{2 * v, -v, 0}
		}
		bag := &mil.Dense{Rows: 3 + rng.IntN(5), Cols: features}
		for range bag.Rows {
			for _, m := range mean {
				bag.Values = append(bag.Values, float32(m+0.6*rng.NormFloat64()))
			}
		}
		all.Bags, all.Targets = append(all.Bags, bag), append(all.Targets, target)
	}
	part, rest = all, all
	part.Bags, part.Targets, rest.Bags, rest.Targets = all.Bags[:train], all.Targets[:train], all.Bags[train:], all.Targets[train:]
	return part, rest
}

// fitted returns the fitted model.
func fitted(t testing.TB, e learner.Estimator, part learner.Training) learner.Model {
	t.Helper()
	return must(e.Fit(t.Context(), part))
}

// scoresOf returns the scores of bags.
func scoresOf(t testing.TB, m learner.Model, bags []mil.Instances) (scores [][]float64) {
	t.Helper()
	for _, b := range bags {
		p := must(m.Predict(b))
		scores = append(scores, p.Scores)
	}
	return scores
}

// column returns score k of each bag.
func column(scores [][]float64, k int) (list []float64) {
	for _, s := range scores {
		list = append(list, s[k])
	}
	return list
}

// figure returns how well scores match targets: the macro AUC for classes, Spearman's correlation for real targets.
func figure(t testing.TB, part learner.Training, scores [][]float64) float64 {
	t.Helper()
	var labels []int
	var values []float64
	for _, target := range part.Targets {
		labels, values = append(labels, target.Label), append(values, target.Value)
	}
	var f float64
	var err error
	if part.Kind == mil.ClassTarget {
		f, err = stats.MulticlassAUC(labels, scores)
	} else {
		f, err = stats.Spearman(values, column(scores, 0))
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestKindsLearn checks that every learner learns an easy set of classes and an easy set of numbers in the right unit,
// and learns nothing if the targets of the training part are permuted.
func TestKindsLearn(t *testing.T) {
	for _, c := range []struct {
		kind              mil.TargetKind
		learnt, at, about float64 // at chance; that of numbers on a line varies much
	}{{mil.ClassTarget, 0.95, 0.5, 0.08}, {mil.RealTarget, 0.9, 0, 0.25}} {
		part, rest := moved(1, c.kind, 90, 90)
		for _, e := range kindEntries() {
			scores := scoresOf(t, fitted(t, e.Default(), part), rest.Bags)
			f := figure(t, rest, scores)
			if f < c.learnt {
				t.Errorf("%s, %v: %.3f", e.Name, c.kind, f)
			}
			if c.kind == mil.RealTarget {
				var values []float64
				for _, target := range rest.Targets {
					values = append(values, target.Value)
				}
				if r2, err := stats.R2(values, column(scores, 0)); err != nil || r2 < 0.7 {
					t.Errorf("%s: R2 %.3f, %v", e.Name, r2, err)
				}
			}
			const controls = 10
			chance := 0.0
			for seed := range uint64(controls) {
				permuted := part
				permuted.Targets = slices.Clone(part.Targets)
				rng := rand.New(rand.NewPCG(seed, 12))
				rng.Shuffle(len(permuted.Targets), func(i, k int) {
					permuted.Targets[i], permuted.Targets[k] = permuted.Targets[k], permuted.Targets[i]
				})
				chance += figure(t, rest, scoresOf(t, fitted(t, e.Default(), permuted), rest.Bags)) / controls
			}
			t.Logf("%s, %v: %.3f, permuted %.3f", e.Name, c.kind, f, chance)
			if math.Abs(chance-c.at) > c.about {
				t.Errorf("%s, %v: %.3f on permuted targets", e.Name, c.kind, chance)
			}
		}
	}
}

// TestOneAgainstRest checks that the score of a class is bit-identical to that of the binary machine of this class
// against the rest. A class without bags has -1.
func TestOneAgainstRest(t *testing.T) {
	part, rest := moved(2, mil.ClassTarget, 60, 30)
	part.Classes = 4
	for _, e := range machineEntries() {
		scores := scoresOf(t, fitted(t, e.Default(), part), rest.Bags)
		for k := range 3 {
			one := part
			one.Kind, one.Classes, one.Targets = mil.BinaryTarget, 2, nil
			for _, target := range part.Targets {
				label := 0
				if target.Label == k {
					label = 1
				}
				one.Targets = append(one.Targets, mil.Labelled(label))
			}
			want := column(scoresOf(t, fitted(t, e.Default(), one), rest.Bags), 0)
			for i, v := range column(scores, k) {
				// The kernels of a bag are summed over the support of all machines, not over that of one: zeros are added.
				if v != want[i] {
					t.Fatalf("%s: bag %d has %v of class %d, want %v", e.Name, i, v, k, want[i])
				}
			}
		}
		if none := column(scores, 3); slices.Min(none) != -1 || slices.Max(none) != -1 {
			t.Errorf("%s: scores %v of a class without bags", e.Name, none)
		}
	}
}

// TestTwoClasses checks that a target of two classes gives the same order as a binary target.
func TestTwoClasses(t *testing.T) {
	part, rest := moved(3, mil.ClassTarget, 60, 60)
	for i := range part.Targets {
		part.Targets[i].Label %= 2
	}
	part.Classes = 2
	one := part
	one.Kind = mil.BinaryTarget
	for _, e := range kindEntries() {
		classes, want := scoresOf(t, fitted(t, e.Default(), part), rest.Bags), scoresOf(t, fitted(t, e.Default(), one), rest.Bags)
		var odds []float64
		for _, s := range classes {
			odds = append(odds, s[1]-s[0])
		}
		if r, err := stats.Spearman(odds, column(want, 0)); err != nil || r < 0.999 {
			t.Errorf("%s: Spearman %.4f with the binary scores, %v", e.Name, r, err)
		}
	}
}

// TestTargetUnits checks that predictions have the unit of the real targets. Equal targets are predicted. If a tube holds all
// targets, there is a single value, and the model can be saved.
func TestTargetUnits(t *testing.T) {
	part, rest := moved(4, mil.RealTarget, 50, 30)
	for _, e := range kindEntries() {
		base := column(scoresOf(t, fitted(t, e.Default(), part), rest.Bags), 0)
		other := part
		other.Targets = slices.Clone(part.Targets)
		for i := range other.Targets {
			other.Targets[i].Value = 7 - 1000*other.Targets[i].Value
		}
		for i, v := range column(scoresOf(t, fitted(t, e.Default(), other), rest.Bags), 0) {
			// Machines stop at a violation of 1e-3 standard deviations, of 20,000.
			if want := 7 - 1000*base[i]; math.Abs(v-want) > 100 {
				t.Fatalf("%s: bag %d has %v, want %v", e.Name, i, v, want)
			}
		}
		for i := range other.Targets {
			other.Targets[i].Value = 0.1
		}
		m := fitted(t, e.Default(), other)
		for i, v := range column(scoresOf(t, m, rest.Bags), 0) {
			if math.Abs(v-0.1) > 1e-9 {
				t.Fatalf("%s: bag %d has %v of equal targets", e.Name, i, v)
			}
		}
		kept(t, e, m, rest.Bags)
	}
	wide := &classic.StatisticsSVM{Statistics: "min max mean", Gamma: 1, SVM: classic.SVM{C: 3, Epsilon: 50}}
	if s := column(scoresOf(t, fitted(t, wide, part), rest.Bags), 0); slices.Min(s) != slices.Max(s) {
		t.Errorf("a tube of 50 standard deviations has the values %v", s)
	}
	narrow := *wide
	narrow.Epsilon = 0.1
	standard := *wide
	standard.Epsilon = 0
	if a, b := scoresOf(t, fitted(t, &narrow, part), rest.Bags), scoresOf(t, fitted(t, &standard, part), rest.Bags); a[3][0] != b[3][0] {
		t.Errorf("epsilon 0.1 gives %v, none %v", a[3], b[3])
	}
}

// kept saves and loads a model and checks that it predicts the same.
func kept(t testing.TB, e learner.Entry, m learner.Model, bags []mil.Instances) map[string]any {
	t.Helper()
	text := must(json.Marshal(m))
	read := must(e.ReadModel(text))
	want := scoresOf(t, m, bags)
	for i, scores := range scoresOf(t, read, bags) {
		for k, v := range scores {
			if math.Abs(v-want[i][k]) > 1e-9*max(1, math.Abs(v)) {
				t.Fatalf("%s: bag %d has %v once it is read, %v before", e.Name, i, scores, want[i])
			}
		}
	}
	var values map[string]any
	if err := json.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	return values
}

// TestKindsKept checks that models of classes and real targets are unchanged after saving and loading. A damaged one is
// an error, or predicts without a panic.
func TestKindsKept(t *testing.T) {
	for _, kind := range []mil.TargetKind{mil.ClassTarget, mil.RealTarget} {
		part, rest := moved(5, kind, 30, 10)
		for _, e := range kindEntries() {
			m := fitted(t, e.Default(), part)
			values := kept(t, e, m, rest.Bags)
			machine := values // that has the targets
			if inner, ok := values["machine"].(map[string]any); ok {
				machine = inner
			}
			targets := machine["targets"].(map[string]any)
			damage := func(what string, in map[string]any, key string, value any, wrong bool) {
				before, was := in[key]
				if in[key] = value; value == nil {
					delete(in, key)
				}
				text := must(json.Marshal(values))
				read, err := e.ReadModel(text)
				if err == nil && wrong || err != nil && strings.Contains(err.Error(), "\n") {
					t.Errorf("%s, %v, %s: error %v", e.Name, kind, what, err)
				}
				if err == nil {
					_, _ = read.Predict(rest.Bags[0])
				}
				if in[key] = before; !was {
					delete(in, key)
				}
			}
			damage("no kind", targets, "kind", nil, true)
			damage("no targets", machine, "targets", nil, machine["forest"] != nil || machine["positive"] != nil || kind == mil.ClassTarget)
			damage("survival", targets, "kind", "survival", true)
			damage("an unknown kind", targets, "kind", "other", true)
			damage("binary", targets, "kind", "binary", true)
			for _, n := range []int{-1, 0, 1, 2, 1_000_000_000_000} {
				damage("classes", targets, "classes", n, kind == mil.ClassTarget && n != 2)
			}
			for _, sd := range []float64{-1, 0} {
				damage("sd", targets, "sd", sd, kind == mil.RealTarget)
			}
			for _, key := range []string{"coefficients", "bias", "biases", "weights", "support", "values", "forest", "positive"} {
				if _, has := machine[key]; has {
					damage("no "+key, machine, key, nil, true)
					damage("an empty "+key, machine, key, "", key != "bias" || kind == mil.RealTarget)
				}
			}
			if kind == mil.RealTarget {
				damage("kind classes", targets, "kind", "classes", true)
				targets["classes"] = 3.0
				damage("kind classes of three", targets, "kind", "classes", true)
			}
		}
	}
}

// TestKindsInstances checks that scores of instances are the drops of each score without them, for every way to compute
// them.
func TestKindsInstances(t *testing.T) {
	for _, kind := range []mil.TargetKind{mil.ClassTarget, mil.RealTarget} {
		part, rest := moved(6, kind, 30, 6)
		rest.Bags = append(rest.Bags, &mil.Dense{Rows: 1, Cols: 3, Values: []float32{2, 0, 0}})
		for _, e := range kindEntries() {
			m := fitted(t, e.Default(), part)
			for i, bag := range rest.Bags {
				got, err := m.(learner.InstanceScorer).InstanceScores(bag)
				whole := scoresOf(t, m, []mil.Instances{bag})[0]
				if err != nil || len(got) != len(whole) {
					t.Fatal(e.Name, got, err)
				}
				for k, scores := range got {
					if len(scores) != bag.Len() {
						t.Fatal(e.Name, got)
					}
					for at, v := range scores {
						want := whole[k]
						if d := bag.(*mil.Dense); d.Rows > 1 {
							less := &mil.Dense{Rows: d.Rows - 1, Cols: 3, Values: slices.Delete(slices.Clone(d.Values), 3*at, 3*at+3)}
							want -= scoresOf(t, m, []mil.Instances{less})[0][k]
						}
						if math.Abs(v-want) > 1e-7 {
							t.Errorf("%s, %v: score %d of instance %d of bag %d is %v, want %v", e.Name, kind, k, at, i, v, want)
						}
					}
				}
			}
		}
	}
}

// TestKindsTaken checks the kinds of targets that learners take. Learners that assume that positive instances make a
// bag positive take only binary targets.
func TestKindsTaken(t *testing.T) {
	all := []mil.TargetKind{mil.BinaryTarget, mil.ClassTarget, mil.RealTarget}
	for _, e := range kindEntries() {
		if got := e.Takes(); !slices.Equal(got.Kinds, all) || !got.Dense || !got.Sparse {
			t.Errorf("%s takes %+v", e.Name, got)
		}
	}
	part, _ := moved(7, mil.ClassTarget, 12, 0)
	for _, e := range []learner.Entry{classic.MILESEntry(), classic.BagMISVMEntry(), classic.InstanceMISVMEntry(), classic.InstanceEntry()} {
		if got := e.Takes(); !slices.Equal(got.Kinds, all[:1]) {
			t.Errorf("%s takes %+v", e.Name, got)
		}
		if _, err := e.Default().Fit(t.Context(), part); err == nil || !strings.Contains(err.Error(), "binary ones are needed") {
			t.Errorf("%s: error %v", e.Name, err)
		}
	}
	for _, e := range machineEntries() {
		setting, err := e.Setting(e.Default())
		if err != nil || strings.Contains(string(setting), "epsilon") {
			t.Errorf("%s, %v", setting, err)
		}
		wrong := strings.Replace(string(setting), `"balanced":true`, `"balanced":true,"epsilon":-1`, 1)
		if _, err := e.Parse([]byte(wrong)); err == nil || !strings.Contains(err.Error(), "epsilon -1: 0 or more is needed") {
			t.Errorf("%s: error %v", wrong, err)
		}
	}
}

// must returns a value. An error ends the tests.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

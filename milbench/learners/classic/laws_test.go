package classic_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"synpool/internal/large"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// trainingOf returns some of the drawn bags as a training part.
func trainingOf(bags []mil.Instances, targets []mil.Target, rows []int) learner.Training {
	t := learner.Training{Classes: 2, Seed: 11}
	for _, i := range rows {
		t.Bags, t.Targets = append(t.Bags, bags[i]), append(t.Targets, targets[i])
	}
	return t
}

// learn returns the outcomes of all fits.
func learn(t *testing.T, l learner.Learner, task cv.Task) []learner.Outcome {
	t.Helper()
	outcomes := make([]learner.Outcome, len(task.Fits))
	if err := l.Learn(t.Context(), task, func(o learner.Outcome) error { outcomes[o.Fit] = o; return o.Err }); err != nil {
		t.Fatal(err)
	}
	return outcomes
}

func upTo(n int) (rows []int) {
	for i := range n {
		rows = append(rows, i)
	}
	return rows
}

// firstScores fits an estimator and returns the first scores of bags.
func firstScores(t *testing.T, e learner.Estimator, train learner.Training, bags []mil.Instances) []float64 {
	t.Helper()
	return column(scoresOf(t, fitted(t, e, train), bags), 0)
}

func farthest(a, b []float64) (most float64) {
	for i := range a {
		most = max(most, math.Abs(a[i]-b[i]))
	}
	return most
}

// permuted returns bags with their instances in a different order, and the old position of each instance.
func permuted(t *testing.T, bags []mil.Instances) (all []mil.Instances, orders [][]int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 9))
	for _, b := range bags {
		from := must(mil.ToDense(b))
		to, order := &mil.Dense{Rows: from.Rows, Cols: from.Cols}, rng.Perm(from.Rows)
		for _, k := range order {
			to.Values = append(to.Values, from.Row(k)...)
		}
		all, orders = append(all, to), append(orders, order)
		if mil.IsSparse(b) {
			all[len(all)-1], _ = mil.ToSparse(to) // in memory there is no error
		}
	}
	return all, orders
}

// orderTolerance is how much the order of instances and of training bags may change scores. The default is 1e-6 for
// instances, and for bags what a machine's tolerance of 1e-3 of a gradient allows. The exceptions follow.
var orderTolerance = map[string]struct{ instances, bags float64 }{
	// A kernel that is not positive semidefinite has several stationary points, and the order of the bags decides
	// between them.
	"distance-svm": {1e-6, math.Inf(1)},
	// Its tolerance with the L1 penalty does not determine the weights of similar concepts.
	"miles": {1, 1},
	// Machines on instances, some of them equal, end at a different solution within their tolerance, 1e-4.
	"mi-svm-bag":      {1e-3, 4e-3},
	"mi-svm-instance": {1e-3, 4e-3},
	// Only a term of 1e-8 keeps the kernel matrix of equal instances from being singular.
	"instance": {1e-4, 4e-3},
}

// TestOrder checks that the order of instances and of training bags changes no score by more than [orderTolerance]. The
// scores that one model gives to instances move with them.
func TestOrder(t *testing.T) {
	const train = 30
	for _, sparse := range []bool{false, true} {
		bags, targets := drawn(4, 45, 5, sparse)
		for _, e := range learners.Classic() {
			for i, estimator := range small(t, e) {
				rows := upTo(train)
				want := firstScores(t, estimator, trainingOf(bags, targets, rows), bags)
				turned, orders := permuted(t, bags)
				d := farthest(want, firstScores(t, estimator, trainingOf(turned, targets, rows), turned))
				rand.New(rand.NewPCG(3, 3)).Shuffle(train, func(i, k int) { rows[i], rows[k] = rows[k], rows[i] })
				other := farthest(want, firstScores(t, estimator, trainingOf(bags, targets, rows), bags))
				t.Logf("%s %d, sparse %v: instances %.1g, bags %.1g", e.Name, i, sparse, d, other)
				tolerance, ok := orderTolerance[e.Name]
				if !ok {
					tolerance.instances, tolerance.bags = 1e-6, 4e-3
				}
				m := fitted(t, estimator, trainingOf(bags, targets, rows))
				for b, order := range orders {
					was, err := learner.Predict(m, bags[b], true)
					is, err2 := learner.Predict(m, turned[b], true)
					if err := errors.Join(err, err2); err != nil {
						t.Fatal(err)
					}
					for at, k := range order {
						if !(math.Abs(is.Instances[at]-was.Instances[k]) <= 1e-6) {
							t.Errorf("%s %d, sparse %v: instance %d of bag %d has the score %v, permuted %v", e.Name, i, sparse, k, b, was.Instances[k], is.Instances[at])
						}
					}
				}
				if d > tolerance.instances || other > tolerance.bags {
					t.Errorf("%s %d, sparse %v: scores change by %.2g with the order of instances, by %.2g with that of bags", e.Name, i, sparse, d, other)
				}
			}
		}
	}
}

// changed returns bags with every value v of feature j of bag i replaced by f(i, j, v).
func changed(t *testing.T, bags []mil.Instances, f func(i, j int, v float32) float32) (all []mil.Instances) {
	t.Helper()
	for i, b := range bags {
		from := must(mil.ToDense(b))
		to := &mil.Dense{Rows: from.Rows, Cols: from.Cols}
		for k, v := range from.Values {
			to.Values = append(to.Values, f(i, k%from.Cols, v))
		}
		all = append(all, to)
		if mil.IsSparse(b) {
			all[i], _ = mil.ToSparse(to) // in memory there is no error
		}
	}
	return all
}

// TestUnits checks that the unit of a feature, its size in nanometres or in metres, changes no score. A power of two
// changes only exponents, so scores are bit-identical. A power of ten rounds every value to float32 anew, and a common
// offset every difference from the mean, as another order does in sums: scores may change as in [orderTolerance], and
// those of trees by a row that changes sides. Feature 3 is constant, feature 4 only in the training part.
func TestUnits(t *testing.T) {
	const train = 30
	for _, sparse := range []bool{false, true} {
		bags, targets := drawn(7, 45, 5, sparse)
		bags = changed(t, bags, func(i, j int, v float32) float32 {
			if j == 3 || j == 4 && i < train {
				return 0.1
			}
			return v
		})
		near := changed(t, bags, func(_, _ int, v float32) float32 { return float32(math.Round(2 * float64(v))) })
		for _, e := range learners.Classic() {
			for _, estimator := range small(t, e) {
				setting := must(e.Setting(estimator))
				tolerance, ok := orderTolerance[e.Name]
				if !ok {
					tolerance.bags = 4e-3
				}
				scores := func(bags []mil.Instances) []float64 {
					return firstScores(t, estimator, trainingOf(bags, targets, upTo(train)), bags)
				}
				want := scores(bags)
				compare := func(what string, most float64, want, got []float64) {
					if d := farthest(want, got); !(d <= most) {
						t.Errorf("%s %s, sparse %v, %s: scores change by %.2g", e.Name, setting, sparse, what, d)
					}
				}
				for _, one := range []bool{false, true} {
					if one && strings.Contains(string(setting), `"scaling":"none"`) {
						continue // the only learner that does not scale each feature
					}
					for _, k := range []int{-30, -9, 9, 30} {
						times := func(unit float64) []float64 {
							return scores(changed(t, bags, func(_, j int, v float32) float32 {
								if one && j%3 > 0 {
									return v
								}
								return float32(float64(v) * unit)
							}))
						}
						compare(fmt.Sprintf("times 2^%d, %v", 3*k, one), 0, want, times(math.Ldexp(1, 3*k)))
						compare(fmt.Sprintf("times 10^%d, %v", k, one), tolerance.bags, want, times(math.Pow10(k)))
					}
				}
				if !sparse && e.Name != "citation-knn" { // float32 is 1 apart from 2^23 on; rounding decides votes at equal distances
					compare("offset", tolerance.bags, scores(near), scores(changed(t, near, func(_, _ int, v float32) float32 { return v + 1<<23 })))
				}
			}
		}
	}
}

// TestShared checks that what fits share changes none of them. A fit on the whole training part is bit-identical with
// and without [learner.Training.Shared]. A fit on some of its bags is bit-identical to any other with a Shared of the
// same bags, whatever was fitted with it before, and to the runner's fit.
func TestShared(t *testing.T) {
	const train = 30
	for _, sparse := range []bool{false, true} {
		bags, targets := drawn(5, 40, 4, sparse)
		for _, e := range learners.Classic() {
			estimators := small(t, e)
			used := learner.NewShared(bags[:train])
			part := slices.DeleteFunc(upTo(train), func(i int) bool { return i%4 == 1 })
			for _, estimator := range estimators { // fills what is shared
				for _, rows := range [][]int{upTo(train), slices.DeleteFunc(upTo(train), func(i int) bool { return i%4 == 2 })} {
					one := trainingOf(bags, targets, rows)
					one.Shared = used
					firstScores(t, estimator, one, bags[train:])
				}
			}
			for i, estimator := range estimators {
				whole := trainingOf(bags, targets, upTo(train))
				want := firstScores(t, estimator, whole, bags)
				if whole.Shared = used; !sameBits(want, firstScores(t, estimator, whole, bags)) {
					t.Errorf("%s %d, sparse %v: a fit on all bags changes with what is shared", e.Name, i, sparse)
				}
				one := trainingOf(bags, targets, part)
				one.Shared = learner.NewShared(bags[:train])
				want = firstScores(t, estimator, one, bags)
				if one.Shared = used; !sameBits(want, firstScores(t, estimator, one, bags)) {
					t.Errorf("%s %d, sparse %v: a fit on some bags changes with what was fitted before", e.Name, i, sparse)
				}

				setting := must(e.Setting(estimator))
				fit := cv.Fit{Setting: setting, Seed: one.Seed}
				for k := range bags {
					switch {
					case slices.Contains(part, k):
						fit.Train = append(fit.Train, cv.Example{Bag: k, Target: targets[k]})
					case k < train:
						fit.Validation = append(fit.Validation, k)
					default:
						fit.Test = append(fit.Test, k)
					}
				}
				o := learn(t, learner.Classical{Entries: learners.Classic(), Workers: 2}, cv.Task{Bags: bags, Classes: 2, Fits: []cv.Fit{fit, fit}})
				for _, o := range o {
					held, test := o.Epochs[0].Validation, o.Epochs[0].Test
					for k, b := range fit.Validation {
						if held[k].Scores[0] != want[b] {
							t.Errorf("%s %d, sparse %v: the runner gives held-out bag %d %v, want %v", e.Name, i, sparse, b, held[k].Scores[0], want[b])
						}
					}
					for k, b := range fit.Test {
						if test[k].Scores[0] != want[b] {
							t.Errorf("%s %d, sparse %v: the runner gives test bag %d %v, want %v", e.Name, i, sparse, b, test[k].Scores[0], want[b])
						}
					}
				}
			}
		}
	}
}

// TestNoOtherTargets checks by type that a training part has only the targets of its own bags, and that fits share only
// instances.
func TestNoOtherTargets(t *testing.T) {
	target := reflect.TypeFor[mil.Target]()
	var fields []string
	var visit func(path string, typ reflect.Type)
	seen := map[reflect.Type]bool{}
	visit = func(path string, typ reflect.Type) {
		if typ == target {
			fields = append(fields, path)
			return
		}
		if seen[typ] {
			return
		}
		seen[typ] = true
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			visit(path, typ.Elem())
		case reflect.Map:
			visit(path, typ.Key())
			visit(path, typ.Elem())
		case reflect.Struct:
			for i := range typ.NumField() {
				visit(path+"."+typ.Field(i).Name, typ.Field(i).Type)
			}
		}
	}
	visit("Training", reflect.TypeFor[learner.Training]())
	if !slices.Equal(fields, []string{"Training.Targets"}) {
		t.Errorf("targets stand in %v", fields)
	}
	bags, targets := drawn(1, 10, 2, false)
	for _, e := range learners.Classic() {
		one := trainingOf(bags, targets, upTo(8))
		one.Targets = targets // of two more bags than there are
		if _, err := e.Default().Fit(t.Context(), one); err == nil {
			t.Errorf("%s takes 10 targets of 8 bags", e.Name)
		}
	}
}

// TestTestBags checks that the score of a test bag does not depend on the other test bags.
func TestTestBags(t *testing.T) {
	bags, targets := drawn(6, 40, 4, false)
	var fits []cv.Fit
	for _, e := range learners.Classic() {
		setting := must(e.Setting(small(t, e)[0]))
		fit := cv.Fit{Setting: setting, Test: []int{30, 31, 32, 33, 34, 35, 36, 37, 38, 39}, Inner: [][]int{{0, 2, 4}, {5, 7, 9}}}
		for k := range 30 {
			fit.Train = append(fit.Train, cv.Example{Bag: k, Target: targets[k]})
		}
		fits = append(fits, fit)
	}
	l := learners.Inner{Of: learner.Classical{Entries: learners.Classic(), Workers: 2}}
	before := learn(t, l, cv.Task{Bags: bags, Classes: 2, Fits: fits})
	other := slices.Clone(bags)
	for i := 31; i < 40; i++ {
		other[i] = &mil.Dense{Rows: 1, Cols: 4, Values: []float32{1e3, -1e3, 0, float32(i)}}
	}
	after := learn(t, l, cv.Task{Bags: other, Classes: 2, Fits: fits})
	for i := range fits {
		a, b := before[i].Epochs[0], after[i].Epochs[0]
		if !reflect.DeepEqual(a.Validation, b.Validation) || !reflect.DeepEqual(a.Test[0], b.Test[0]) || reflect.DeepEqual(a.Test[1], b.Test[1]) {
			t.Errorf("%s: other test bags change %v to %v", fits[i].Setting, a.Test[0], b.Test[0])
		}
	}
}

// TestRandomLabels checks that nothing is found if labels are unrelated to bags: the AUC averaged over folds and
// independent draws is 0.5 to within four standard errors. The AUC of a fold with 3 bags of each class has a variance
// of (3+3+1)/(12*3*3) for random scores; the ten folds of a draw are taken to be independent.
func TestRandomLabels(t *testing.T) {
	draws := large.Number(10, 100)
	const folds, n = 10, 60
	l := learner.Classical{Entries: learners.Classic(), Workers: 2}
	var settings []json.RawMessage
	for _, e := range learners.Classic() {
		setting := must(e.Setting(small(t, e)[0]))
		settings = append(settings, setting)
	}
	sums := make([]float64, len(settings))
	for draw := range draws {
		bags, _ := drawn(uint64(100+draw), n, 4, draw%2 == 1)
		s := &mil.Set{Name: "random labels"}
		for i, k := range rand.New(rand.NewPCG(uint64(draw), 1)).Perm(n) {
			s.Bags = append(s.Bags, mil.Bag{ID: fmt.Sprint(i), Instances: bags[i], Target: mil.Labelled(k % 2)})
		}
		fits := must(cv.Protocol{Name: cv.HonestProtocol, Folds: folds, Repeats: 1}.Fits(s, settings, uint64(draw)))
		for i, o := range learn(t, l, cv.NewTask(s, fits)) {
			var labels []int
			var scores []float64
			for k, b := range fits[i].Test {
				labels, scores = append(labels, s.Bags[b].Label), append(scores, o.Epochs[0].Test[k].Scores[0])
			}
			auc := must(stats.AUC(labels, scores))
			sums[i%len(settings)] += auc / float64(folds*draws)
		}
	}
	half := 4 * math.Sqrt(7.0/108/float64(folds*draws))
	for i, auc := range sums {
		t.Logf("%s: %.3f", settings[i], auc)
		if math.Abs(auc-0.5) > half {
			t.Errorf("%s: AUC %.3f on random labels, want 0.5 within %.3f", settings[i], auc, half)
		}
	}
}

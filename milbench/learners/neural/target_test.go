package neural

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"synpool/backend/backendtest"
	"synpool/internal/goldenfile"
	"synpool/internal/large"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/synlayer"
)

// allKinds lets networks take targets of all kinds.
func allKinds(t *testing.T) {
	t.Helper()
	before := kinds
	kinds = []mil.TargetKind{mil.BinaryTarget, mil.ClassTarget, mil.RealTarget, mil.SurvivalTarget}
	t.Cleanup(func() { kinds = before })
}

// TestTargetLosses compares losses and gradients with PyTorch. Both compute in float64 and differ only in the order of
// sums and in the last digits of exponentials and logarithms: 1e-12.
func TestTargetLosses(t *testing.T) {
	cases := goldenfile.Read[[]struct {
		Kind              mil.TargetKind
		Loss              string
		Outputs, Gradient json.RawMessage // [bags], or [bags, outputs]
		Targets, Train    []mil.Target
		Losses            []float64
	}](t, "targets.json")
	flat := func(text json.RawMessage) (all []float64) {
		var rows [][]float64
		if json.Unmarshal(text, &rows) == nil {
			return slices.Concat(rows...)
		}
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	for name, b := range backendtest.All(t) {
		for _, c := range cases {
			of := targetOf(c.Kind, 4).by(c.Loss)
			var train []cv.Example
			for _, e := range c.Train {
				train = append(train, cv.Example{Target: e})
			}
			targets := of.targets(train)
			if err := targets.check(of); err != nil {
				t.Error(err)
			}
			labels := make([]float64, len(c.Targets))
			var examples []cv.Example
			for _, e := range c.Targets {
				examples = append(examples, cv.Example{Target: e})
			}
			single := targets.labels(of, examples)
			for i, e := range c.Targets {
				labels[i] = float64(single[i])
				if c.Kind == mil.RealTarget { // in the digits of the test
					labels[i] = (e.Value - targets.Mean) / targets.SD
				}
			}
			dims := []int{len(labels), of.outputs()}
			if of.outputs() == 1 {
				dims = dims[:1]
			}
			out, err := CallOnceN(b, func(outputs, labels *Node) []*Node {
				outputs = Reshape(outputs, dims...)
				value, differentiated := of.loss(outputs, labels)
				return []*Node{value, Gradient(ReduceAllSum(differentiated), outputs)[0], differentiated}
			}, flat(c.Outputs), labels)
			if err != nil {
				t.Fatal(err)
			}
			for k, want := range [][]float64{c.Losses, flat(c.Gradient), c.Losses} {
				for i, got := range tensors.MustCopyFlatData[float64](out[k]) {
					if math.Abs(got-want[i]) > 1e-12*max(1, math.Abs(want[i])) {
						t.Fatalf("%s, %v %s, output %d: number %d is %v, want %v", name, c.Kind, c.Loss, k, i, got, want[i])
					}
				}
			}
		}
	}
}

// kinded gives bags targets of a kind, determined by their first feature.
func kinded(kind mil.TargetKind, bags []mil.Instances) (examples []cv.Example) {
	for i, x := range bags {
		mean := 0.0
		_ = mil.EachRow(x, func(_ int, row []float32) { mean += float64(row[0]) / float64(x.Len()) })
		e := mil.Target{}
		switch kind {
		case mil.ClassTarget, mil.BinaryTarget:
			for _, bound := range []float64{0, 0.8} {
				if mean > bound && (kind == mil.ClassTarget || e.Label == 0) {
					e.Label++
				}
			}
		case mil.RealTarget:
			e.Value = 100 + 7*mean
		case mil.SurvivalTarget:
			e.Value, e.Event = 3*math.Exp(-mean), i%4 != 0
		}
		examples = append(examples, cv.Example{Bag: i, Target: e})
	}
	return examples
}

// kindedSet returns a set of bags with targets of a kind.
func kindedSet(t *testing.T, kind mil.TargetKind, bags []mil.Instances) *mil.Set {
	t.Helper()
	set := &mil.Set{Name: "toy", Kind: kind}
	if kind == mil.ClassTarget {
		set.Classes = []string{"low", "middle", "high"}
	}
	for i, e := range kinded(kind, bags) {
		set.Bags = append(set.Bags, mil.Bag{ID: fmt.Sprint("b", i), Target: e.Target, Instances: bags[i]})
	}
	if err := set.Seal(); err != nil {
		t.Fatal(err)
	}
	return set
}

// agreement returns how well scores match targets, from 0 to 1.
func agreement(kind mil.TargetKind, examples []cv.Example, scores [][]float64) float64 {
	right, pairs := 0.0, 0.0
	for i, e := range examples {
		if kind == mil.ClassTarget {
			pairs++
			if slices.Index(scores[i], slices.Max(scores[i])) == e.Label {
				right++
			}
			continue
		}
		for j, f := range examples {
			value := func(e cv.Example) float64 {
				if kind == mil.SurvivalTarget {
					return -e.Value
				}
				return e.Value + float64(e.Label)
			}
			if value(e) > value(f) && (kind != mil.SurvivalTarget || e.Event) {
				pairs++
				if scores[i][0] > scores[j][0] {
					right++
				}
			}
		}
	}
	return right / pairs
}

// TestHuberUnit compares centre and unit of Huber's loss with numpy.median and scipy.stats.median_abs_deviation(scale=
// "normal"). Outliers do not change them, however large. If most targets are equal, the others give the unit.
func TestHuberUnit(t *testing.T) {
	for _, c := range []struct {
		values     []float64
		centre, sd float64
	}{
		{[]float64{5.221, 5.88, 1.09, 3.147, 9.832, 10000}, 5.5505, 4.955597915},
		{[]float64{5.221, 5.88, 1.09, 3.147, 9.832, 1e12}, 5.5505, 4.955597915},
		{[]float64{5.221, 5.88, 1.09, -999, 9.832}, 5.221, 6.124629765},
		{[]float64{0, 0, 0, 0, 2, 4, 1e6}, 0, 5.930408874},
		{[]float64{3, 3, 3}, 3, 0},
	} {
		var train []cv.Example
		for _, v := range c.values {
			train = append(train, cv.Example{Target: mil.Target{Value: v}})
		}
		s := target{kind: mil.RealTarget}.by(huber).targets(train)
		if math.Abs(s.Mean-c.centre) > 1e-9 || math.Abs(s.SD-c.sd) > 1e-8 {
			t.Errorf("%v: centre %v, unit %v; want %v, %v", c.values, s.Mean, s.SD, c.centre, c.sd)
		}
	}
}

// TestTargets trains networks for targets of every kind, in blocks if the backend has them, bag by bag, and chunk by
// chunk. The scores match the targets. Blocks and bag-by-bag training agree up to rounding. They are compared after
// three epochs, because every step increases the differences, and at once if rounding may change the instance that a
// pooling chooses. A block with two of the fits is bit-identical.
func TestTargets(t *testing.T) {
	allKinds(t)
	bags, _ := unequal(24)
	for name, b := range backendtest.All(t) {
		for _, of := range []struct {
			kind         mil.TargetKind
			loss, weight string
		}{{mil.ClassTarget, "", ""}, {mil.ClassTarget, "", balanced}, {mil.RealTarget, "", ""}, {mil.RealTarget, huber, ""}, {mil.SurvivalTarget, "", ""}, {mil.SurvivalTarget, cox, ""}} {
			kind := of.kind
			poolings := []string{gated, dsmil}
			if kind == mil.ClassTarget {
				poolings = append(poolings, "syn", clam, "acmil")
			}
			if loops(b) {
				poolings = large.Part(poolings, 3)
			}
			for _, pooling := range poolings {
				c := setting(t, pooling)
				c.Layers, c.Width, c.Epochs, c.LR = 1, 16, 30, 5e-3
				enough := 0.85 // agreement with the training targets
				if kind == mil.SurvivalTarget {
					enough = 0.65 // few events per interval
				}
				if of.loss == cox {
					c.Batch = 12
				}
				examples := kinded(kind, bags)
				c.Loss, c.ClassWeight = of.loss, of.weight
				c.target = c.learns(kind, 3)
				all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}
				text := settingOf(t, c)
				task := cv.Task{Bags: bags, Kind: kind, Classes: map[mil.TargetKind]int{mil.BinaryTarget: 2, mil.ClassTarget: 3}[kind]}
				for seed := range uint64(3) {
					task.Fits = append(task.Fits, cv.Fit{Seed: seed, Setting: text, Train: examples, Test: all, EveryEpoch: true})
				}
				t.Run(fmt.Sprintf("%s/%v%s%s/%s", name, kind, of.loss, of.weight, pooling), func(t *testing.T) {
					const early = 3
					var first [][]float64 // of the first fit after this number of epochs
					learnt := func(task cv.Task) (scores [][][]float64, err error) {
						scores = make([][][]float64, len(task.Fits))
						failed := Trainer{Backend: b, Workers: 1}.Learn(context.Background(), task, func(o learner.Outcome) error {
							if o.Err != nil {
								err = o.Err
								return nil
							}
							if o.Fit == 0 {
								first = nil
								for _, p := range o.Epochs[early-1].Test {
									first = append(first, p.Scores)
								}
							}
							for _, p := range o.Epochs[c.Epochs-1].Test {
								if hazards := kind == mil.SurvivalTarget && of.loss != cox; (p.Survival != nil) != hazards {
									err = fmt.Errorf("survival curve %v", p.Survival)
								}
								scores[o.Fit] = append(scores[o.Fit], p.Scores)
							}
							return nil
						})
						if failed != nil {
							t.Fatal(failed)
						}
						return scores, err
					}
					together := must(learnt(task))
					if got := agreement(kind, examples, together[0]); got < enough {
						t.Errorf("agreement %.2f with the targets that it was trained on", got)
					}
					want := first
					two := task
					two.Fits = task.Fits[1:]
					if again, err := learnt(two); err != nil || !reflect.DeepEqual(again, together[1:]) {
						t.Errorf("in a block of two: %v, want %v, %v", again, together[1:], err)
					}
					f, initial := prepared(t, b, c, bags, examples, 0)
					score := func(p *tensors.Tensor) (scores [][]float64) {
						predictions := must(f.predict(context.Background(), p, all))
						for _, p := range predictions {
							scores = append(scores, p.Scores)
						}
						return scores
					}
					if _, err := f.train(context.Background(), slices.Clone(initial), examples, 0, func(epoch int, _ float64, parameters *tensors.Tensor) error {
						switch epoch {
						case early:
							one, block := score(parameters), want
							if of.loss == cox { // Cox's loss does not depend on a constant, which changes only by rounding
								one, block = centred(one), centred(block)
							}
							requireNear(t, "bag by bag", one, block, 1e-3)
						case c.Epochs:
							if got := agreement(kind, examples, score(parameters)); got < enough {
								t.Errorf("bag by bag: agreement %.2f", got)
							}
						}
						return nil
					}); err != nil {
						t.Fatal(err)
					}
					if pooling != gated || of.loss == cox { // large bags cannot be trained with it
						return
					}
					large := must(f.trainLarge(context.Background(), Trainer{}, slices.Clone(initial), task.Fits[0], func(int, float64) error { return nil }))
					if got := agreement(kind, examples, score(tensors.FromFlatDataAndDimensions(large, len(large)))); got < enough {
						t.Errorf("chunk by chunk: agreement %.2f", got)
					}
				})
			}
		}
	}
}

// TestTargetRefused checks that CLAM, which clusters by classes, refuses other targets.
func TestTargetRefused(t *testing.T) {
	bags, examples := unequal(4)
	for _, kind := range []mil.TargetKind{mil.RealTarget, mil.SurvivalTarget} {
		c := setting(t, clam)
		c.target = targetOf(kind, 0)
		want := fmt.Sprintf("pooling clam clusters instances by classes, and learns no target of kind %v; take gated", kind)
		if err := checkFit(c, bags, examples); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// TestCoxPlaces checks that places without a bag have no effect, whatever their outputs, and neither has another
// member. Without events, or for a single bag, the loss is 0. Risks far apart are finite in float32.
func TestCoxPlaces(t *testing.T) {
	risks := [][]float32{{1, -2, 0.5, 3}, {1, -2, 0.5, 300}, {1, 2, 3, 4}, {5, 0, 0, 0}, {900, -900, 0, 0}}
	labels := [][]float32{{3, 4, 3, 7}, {3, 4, 3, 0}, {2, 4, 6, 8}, {3, 0, 0, 0}, {3, 5, 0, 0}}
	log := func(all ...float64) float64 {
		sum := 0.0
		for _, v := range all {
			sum += math.Exp(v)
		}
		return math.Log(sum)
	}
	whole, part := log(1, -2, 0.5, 3), log(1, -2, 0.5)
	want := [][]float64{
		{4. / 3 * (whole - 1), 0, 4. / 3 * (whole - 0.5), 0}, {3. / 2 * (part - 1), 0, 3. / 2 * (part - 0.5), 0},
		{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0},
	}
	for name, b := range backendtest.All(t) {
		out, err := CallOnceN(b, func(risks, labels *Node) []*Node {
			value, differentiated := targetOf(mil.SurvivalTarget, 0).by(cox).loss(risks, labels)
			return []*Node{value, Gradient(ReduceAllSum(differentiated), risks)[0]}
		}, risks, labels)
		if err != nil {
			t.Fatal(err)
		}
		got, gradient := out[0].Value().([][]float32), out[1].Value().([][]float32)
		for m := range want {
			sum := 0.0
			for i := range want[m] {
				sum += float64(gradient[m][i])
				if math.Abs(float64(got[m][i])-want[m][i]) > 1e-5 {
					t.Errorf("%s: losses %v, want %v", name, got[m], want[m])
				}
				if labels[m][i] == 0 && gradient[m][i] != 0 {
					t.Errorf("%s: gradient %v by a place without a bag", name, gradient[m][i])
				}
			}
			if !(math.Abs(sum) < 1e-5) { // only differences of risks count
				t.Errorf("%s: gradients %v", name, gradient[m])
			}
		}
	}
}

// TestClassWeights checks that the loss of a bag counts by the weight of its class: the number of bags of the rarest class
// divided by that of its own. So the losses of two classes with equal logits add up to the same.
func TestClassWeights(t *testing.T) {
	var examples []cv.Example
	for i := range 100 {
		examples = append(examples, cv.Example{Target: mil.Labelled(max(0, i-97))}) // 98 bags of class 0, one each of 1 and 2
	}
	c := Config{ClassWeight: balanced}
	for name, b := range backendtest.All(t) {
		for kind, of := range map[mil.TargetKind][]cv.Example{mil.BinaryTarget: examples[:99], mil.ClassTarget: examples} {
			t3 := c.learns(kind, 3)
			labels := targets{}.labels(t3, of)
			out, err := CallOnceN(b, func(labels *Node) []*Node {
				logits := Zeros(labels.Graph(), shapes.Make(dtypes.Float32, len(of)))
				if kind == mil.ClassTarget {
					logits = Zeros(labels.Graph(), shapes.Make(dtypes.Float32, len(of), 3))
				}
				value, differentiated := losses(synlayer.Classification{Logits: logits}, t3, labels)
				return []*Node{value, differentiated}
			}, labels)
			if err != nil {
				t.Fatal(err)
			}
			plain := math.Log(float64(max(2, t3.classes)))
			for _, o := range out {
				for i, got := range tensors.MustCopyFlatData[float32](o) {
					want := plain
					if of[i].Label == 0 {
						want /= 98
					}
					if math.Abs(float64(got)-want) > 1e-5*want {
						t.Errorf("%s, %v: loss %v of a bag of class %d, want %v", name, kind, got, of[i].Label, want)
					}
				}
			}
		}
	}
}

// TestLossRefused checks that a loss belongs to one kind of target, that class weights need classes, and that the JSON
// leaves out the defaults.
func TestLossRefused(t *testing.T) {
	bags, examples := unequal(4)
	for _, c := range []struct {
		loss string
		kind mil.TargetKind
		want string

		weight string
	}{
		{huber, mil.BinaryTarget, "loss huber: targets of kind binary have one loss alone; leave --loss out", ""},
		{squared, mil.ClassTarget, "loss squared: targets of kind classes have one loss alone; leave --loss out", ""},
		{"hubr", mil.RealTarget, "loss hubr: one of squared, huber, hazards, cox is needed", ""},
		{cox, mil.RealTarget, "loss cox: not a loss of targets of kind real; take squared or huber", ""},
		{huber, mil.SurvivalTarget, "loss huber: not a loss of targets of kind survival; take hazards or cox", ""},
		{cox, mil.SurvivalTarget, "", ""},
		{hazards, mil.SurvivalTarget, "", ""},
		{huber, mil.RealTarget, "", ""},
		{squared, mil.RealTarget, "", ""},
		{"", mil.ClassTarget, "", balanced},
		{"", mil.BinaryTarget, "", unweighted},
		{huber, mil.RealTarget, "class-weight balanced: targets of kind real have no classes; leave --class-weight out", balanced},
		{"", mil.BinaryTarget, "class-weight even: one of none, balanced is needed", "even"},
	} {
		config := setting(t, gated)
		config.Loss, config.ClassWeight = c.loss, c.weight
		config.target = config.learns(c.kind, 3)
		got := ""
		if err := checkFit(config, bags, examples); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s, %v: error %q, want %q", c.loss, c.kind, got, c.want)
		}
		text, err := json.Marshal(config)
		if err != nil || strings.Contains(string(text), `"loss"`) == (c.loss == "" || defaultLoss(c.loss)) || strings.Contains(string(text), `"class_weight"`) == (c.weight == "" || c.weight == unweighted) {
			t.Errorf("%s: %s, %v", c.loss, text, err)
		}
	}
}

// TestCoxRefused checks that a batch of one bag is refused, and so are large bags, which are trained one at a time.
func TestCoxRefused(t *testing.T) {
	bags, _ := unequal(6)
	c := setting(t, gated)
	c.Loss, c.Epochs, c.Instances, c.Layers = cox, 1, 2, 1
	set := kindedSet(t, mil.SurvivalTarget, bags)
	text := settingOf(t, c)
	const want = "loss cox: large bags are trained on one at a time, and it compares those of a batch; take --loss hazards"
	for name, b := range backendtest.All(t) {
		trainer := Trainer{Backend: b, Workers: 1}
		if _, err := trainer.Train(context.Background(), c, set, 1, nil); err == nil || err.Error() != "toy: "+want {
			t.Errorf("%s: train: error %v", name, err)
		}
		task := cv.NewTask(set, []cv.Fit{{Setting: text, Train: kinded(set.Kind, bags), Test: []int{0}}})
		var failed []error
		if err := trainer.Learn(context.Background(), task, func(o learner.Outcome) error {
			failed = append(failed, o.Err)
			return nil
		}); err != nil || len(failed) != 1 || failed[0] == nil || failed[0].Error() != want {
			t.Errorf("%s: learn: errors %v, %v", name, failed, err)
		}
	}
	c.Batch = 1
	if err := c.Validate(); err == nil || err.Error() != "batch 1: loss cox compares the bags of a batch; give at least 2, better 16 or more" {
		t.Errorf("error %v", err)
	}
}

// centred subtracts the mean of the first scores.
func centred(scores [][]float64) (all [][]float64) {
	mean := 0.0
	for _, s := range scores {
		mean += s[0] / float64(len(scores))
	}
	for _, s := range scores {
		all = append(all, []float64{s[0] - mean})
	}
	return all
}

// requireNear checks that scores are equal up to a share of their largest size.
func requireNear(t *testing.T, what string, got, want [][]float64, share float64) {
	t.Helper()
	size := 1.0
	for _, v := range slices.Concat(want...) {
		size = max(size, math.Abs(v))
	}
	for i := range want {
		for k := range want[i] {
			if math.Abs(got[i][k]-want[i][k]) > share*size {
				t.Errorf("%s: bag %d has %v, want %v", what, i, got[i], want[i])
			}
		}
	}
}

// TestTargetModels checks that models for every kind of target have the same scores after saving and loading.
func TestTargetModels(t *testing.T) {
	allKinds(t)
	bags, _ := unequal(12)
	for name, b := range backendtest.All(t) {
		for _, kind := range kinds[1:] {
			set := kindedSet(t, kind, bags)
			c := setting(t, gated)
			c.Epochs = 2
			m := must(Trainer{Backend: b, Workers: 1}.Train(context.Background(), c, set, 1, nil))
			dir := t.TempDir()
			if err := m.Save(dir); err != nil {
				t.Fatal(err)
			}
			read := must(Load(b, dir))
			want := must(m.Predict(context.Background(), bags, false))
			got, err := read.Predict(context.Background(), bags, false)
			if err != nil || !reflect.DeepEqual(got, want) || len(got[0].Scores) != len(want[0].Scores) {
				t.Errorf("%s, %v: %v, want %v, %v", name, kind, got[0].Scores, want[0].Scores, err)
			}
			if kind == mil.ClassTarget && len(got[0].Scores) != 3 {
				t.Errorf("%s: %d scores", name, len(got[0].Scores))
			}
		}
	}
}

// TestSurvivalCurve checks that exp(−loss) is the probability that the curve gives to what was seen: the fall of the
// curve in interval k for an event there, and its value after k intervals for a bag that has reached their ends. In
// double precision both are the same formula except for the order of sums: 1e-12. The last value agrees with the risk.
func TestSurvivalCurve(t *testing.T) {
	s := targets{Ends: []float64{1, 2, 3, 5, 8, 13, 21}}
	of := targetOf(mil.SurvivalTarget, 0)
	random := rand.New(rand.NewPCG(3, 4))
	for name, b := range backendtest.All(t) {
		for range 5 {
			logits, wide := make([]float32, intervals-1), make([][]float64, 2*intervals-1)
			for k := range logits {
				logits[k] = float32(3 * random.NormFloat64())
			}
			labels := make([]float64, len(wide))
			for i := range wide {
				labels[i] = float64(i)
				for _, l := range logits {
					wide[i] = append(wide[i], float64(l))
				}
			}
			losses, err := CallOnce(b, func(logits, labels *Node) *Node {
				value, _ := of.survivalLoss(logits, labels)
				return value
			}, wide, labels)
			if err != nil {
				t.Fatal(err)
			}
			curve := s.survival(logits)
			if err := curve.Validate(); err != nil || !slices.Equal(curve.Times, s.Ends) {
				t.Fatalf("%v, %v", curve, err)
			}
			alive := append([]float64{1}, curve.Alive...)
			for label, loss := range tensors.MustCopyFlatData[float64](losses) {
				k := label / 2
				want := alive[k]
				if label%2 == 1 {
					want -= alive[k+1]
				}
				if got := math.Exp(-loss); math.Abs(got-want) > 1e-12 {
					t.Errorf("%s: label %d: likelihood %v, the curve says %v", name, label, got, want)
				}
			}
			if risk := s.scores(of, logits)[0]; math.Abs(math.Exp(-math.Exp(risk))-alive[intervals-1]) > 1e-12 {
				t.Errorf("%s: risk %v, and %v live at the end", name, risk, alive[intervals-1])
			}
		}
	}
	tied := targets{Ends: []float64{1, 1, 3, 3, 3, 13, 21}}.survival(make([]float32, intervals-1))
	if want := []float64{1, 3, 13, 21}; !slices.Equal(tied.Times, want) || math.Abs(tied.Alive[0]-0.25) > 1e-12 || math.Abs(tied.Alive[1]-1./32) > 1e-12 {
		t.Errorf("%+v, want times %v", tied, want)
	}
	if none := (targets{}).survival([]float32{1}); none != nil {
		t.Errorf("without intervals: %v", none)
	}
}

// TestCrossEntropySingle checks that the loss is finite in float32 for logits far apart.
func TestCrossEntropySingle(t *testing.T) {
	for name, b := range backendtest.All(t) {
		out, err := CallOnce(b, func(l *Node) *Node {
			return synlayer.CrossEntropy(l, ConvertDType(Const(l.Graph(), []float64{0, 1}), dtypes.Float32))
		}, [][]float32{{1000, -1000, 0}, {1000, -1000, 0}})
		if err != nil {
			t.Fatal(err)
		}
		if got := tensors.MustCopyFlatData[float32](out); got[0] != 0 || got[1] != 2000 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

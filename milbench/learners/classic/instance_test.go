package classic

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/diff/fd"

	"synpool/internal/lbfgs"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// random returns n bags, every other one positive. In each positive bag, one instance is moved by shift.
func random(seed uint64, n, features int, shift float64, sparse bool) ([]mil.Instances, []cv.Example) {
	rng := rand.New(rand.NewPCG(seed, 1))
	var bags []mil.Instances
	var examples []cv.Example
	for i := range n {
		rows := make([][]float64, 1+rng.IntN(6))
		for k := range rows {
			rows[k] = make([]float64, features)
			for j := range rows[k] {
				if !sparse || rng.IntN(8) == 0 {
					rows[k][j] = rng.NormFloat64()
				}
				if k == 0 && i%2 == 0 {
					rows[k][j] += shift
				}
			}
		}
		bags = append(bags, matrix(rows, sparse))
		examples = append(examples, cv.Example{Bag: i, Target: mil.Labelled((i + 1) % 2)})
	}
	return bags, examples
}

// training returns the examples' bags as a training part.
func training(bags []mil.Instances, train []cv.Example) learner.Training {
	var t learner.Training
	for _, e := range train {
		t.Bags, t.Targets = append(t.Bags, bags[e.Bag]), append(t.Targets, e.Target)
	}
	return t
}

// fitted fits a classifier to the examples' bags.
func fitted(t *testing.T, c Instance, bags []mil.Instances, train []cv.Example) *instanceModel {
	t.Helper()
	return must(c.Fit(t.Context(), training(bags, train))).(*instanceModel)
}

// changed applies change to every value of dense bags.
func changed(bags []mil.Instances, change func(v float32) float32) []mil.Instances {
	var all []mil.Instances
	for _, x := range bags {
		d := *x.(*mil.Dense)
		d.Values = slices.Clone(d.Values)
		for k, v := range d.Values {
			d.Values[k] = change(v)
		}
		all = append(all, &d)
	}
	return all
}

// TestGradient compares the gradient with central differences of the value.
func TestGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, loss := range allLosses {
		for _, form := range []string{"dense", "sparse", "offset"} {
			bags, _ := random(1, 12, 5, 1, form == "sparse")
			if form == "offset" { // the scale is folded into the weights: nothing may cancel
				bags = changed(bags, func(v float32) float32 { return v + 1e4 })
			}
			x := must(newScaledBags(bags))
			f := &objective{inputs: x, share: [2]float64{0.02, 0.05}, penalty: 0.3, loss: loss}
			for _, b := range bags {
				for range b.Len() {
					f.signs = append(f.signs, float64(2*rng.IntN(2)-1))
				}
			}
			for range 5 {
				at := make([]float64, 6)
				for j := range at {
					at[j] = rng.NormFloat64()
				}
				got := make([]float64, 6)
				f.compute(at, got)
				value := func(x []float64) float64 { return f.compute(x, make([]float64, len(x))) }
				want := fd.Gradient(nil, value, at, &fd.Settings{Formula: fd.Central})
				tolerance := 1e-7
				if form == "offset" { // products with values of 1e4 are rounded so much, over the step of a difference, 6e-6
					tolerance = 1e-5
				}
				for j := range got {
					if math.Abs(got[j]-want[j]) > tolerance {
						t.Errorf("%s, %s: gradient %v, want %v", loss, form, got, want)
						break
					}
				}
			}
		}
	}
}

// TestLossExtremes checks that large margins neither overflow nor give NaN.
func TestLossExtremes(t *testing.T) {
	for _, margin := range []float64{0, 1, -1, 30, -30, 800, -800, 1e6, -1e6} {
		loss, slope := Logistic.of(margin)
		if want := math.Log1p(math.Exp(-margin)); !math.IsInf(want, 0) && math.Abs(loss-want) > 1e-15*max(1, want) || loss < 0 || slope > 0 || slope < -1 || math.IsNaN(slope) {
			t.Errorf("logistic(%v) = %v, %v", margin, loss, slope)
		}
		if margin < -700 && (loss != -margin || slope != -1) {
			t.Errorf("logistic(%v) = %v, %v", margin, loss, slope)
		}
	}
}

// TestWeighted checks that both classes have the same total weight if Weighted is set. This favours the rarer class and
// has no effect on classes of the same size.
func TestWeighted(t *testing.T) {
	positive := matrix([][]float64{{2, 1}, {1, 3}}, false)
	negative := matrix([][]float64{{0, 1}, {1, 0}, {-1, 2}, {0, 0}, {-2, 1}, {1, 1}}, false)
	bags := []mil.Instances{positive, negative}
	train := []cv.Example{{Bag: 0, Target: mil.Labelled(1)}, {Bag: 1, Target: mil.Labelled(0)}}
	weighted := fitted(t, Instance{Logistic, 1, true, 0}, bags, train)
	plain := fitted(t, Instance{Logistic, 1, false, 0}, bags, train)
	at := func(m *instanceModel) float64 { return m.Weights[0]*0.5 + m.Weights[1]*1.2 + m.Bias }
	if at(weighted) <= at(plain) {
		t.Errorf("the rarer, positive class is favoured by %v and %v", at(weighted), at(plain))
	}
	same := []cv.Example{{Bag: 0, Target: mil.Labelled(1)}, {Bag: 2, Target: mil.Labelled(0)}}
	bags = append(bags, matrix([][]float64{{0, 1}, {-1, 2}}, false))
	a := fitted(t, Instance{Hinge, 0.5, true, 0}, bags, same)
	if b := fitted(t, Instance{Hinge, 0.5, false, 0}, bags, same); text(t, a) != text(t, b) {
		t.Errorf("classes of the same size: %+v, %+v", a, b)
	}
}

// TestStops checks that the context ends a fit in the middle.
func TestStops(t *testing.T) {
	bags, examples := random(3, 60, 6, 2, false)
	ending := &countdown{t.Context(), 5}
	if _, err := defaultInstance().Fit(ending, training(bags, examples[:40])); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if ending.left > 0 || ending.left < -5 {
		t.Errorf("went on with %d looks left", ending.left)
	}
}

// countdown is a context that ends after it was checked a number of times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

func (c *countdown) Value(any) any { return nil }

// TestNotConverged checks that a fit reports that it did not reach its minimum.
func TestNotConverged(t *testing.T) {
	bags, _ := random(3, 40, 6, 2, false)
	x := must(newScaledBags(bags))
	f := &objective{inputs: x, share: [2]float64{0.01, 0.01}, penalty: 1e-3, loss: Logistic}
	for _, b := range bags {
		for range b.Len() {
			f.signs = append(f.signs, float64(2*(len(f.signs)%2)-1))
		}
	}
	for _, c := range []struct {
		tolerance  float64
		iterations int
		want       string
	}{{1e-6, 2, "after 2 iterations"}, {1e-300, 10_000, "more than 1e-300"}} {
		_, err := lbfgs.Minimise(t.Context(), x.features()+1, f.compute, c.tolerance, c.iterations)
		if !errors.Is(err, lbfgs.ErrNotConverged) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("tolerance %v, %d iterations: %v", c.tolerance, c.iterations, err)
		}
	}
}

func TestSetting(t *testing.T) {
	entry := InstanceEntry()
	setting := func(c Instance) string {
		text := must(entry.Setting(&c))
		return string(text)
	}
	written := setting(defaultInstance())
	if written != `{"pooling":"instance","loss":"logistic","c":1,"weighted":true}` {
		t.Error(written)
	}
	if radial := setting(Instance{Hinge, 10, false, 0.02}); radial != `{"pooling":"instance","loss":"hinge","c":10,"weighted":false,"gamma":0.02}` {
		t.Error(radial)
	}
	if read, err := entry.Parse([]byte(written)); err != nil || *read.(*Instance) != defaultInstance() {
		t.Errorf("%+v, %v", read, err)
	}
	for want, setting := range map[string]string{
		`did you mean "weighted"?`: `{"pooling":"instance","loss":"logistic","c":1,"weighted":true,"weigted":false}`,
		`unknown field "heads"`:    `{"pooling":"instance","loss":"logistic","c":1,"weighted":true,"heads":1}`,
		"c is missing":             `{"pooling":"instance","loss":"logistic","weighted":true}`,
		`is that of ""`:            `{"loss":"logistic","c":1,"weighted":true}`,
		`is that of "syn"`:         `{"pooling":"syn","loss":"logistic","c":1,"weighted":true}`,
		"cannot unmarshal":         `{"pooling":"instance","loss":"logistic","c":"1","weighted":true}`,
		"c -1: more than 0":        `{"pooling":"instance","loss":"logistic","c":-1,"weighted":true}`,
	} {
		if _, err := entry.Parse([]byte(setting)); err == nil || !strings.HasPrefix(err.Error(), "setting of instance: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", setting, err, want)
		}
	}
}

func TestRefuses(t *testing.T) {
	bags, train := random(1, 4, 2, 1, false)
	bags = append(bags, &mil.Dense{Cols: 2})
	wide, unknown := matrix([][]float64{{1, 2, 3}}, false), matrix([][]float64{{math.NaN(), 1}}, false)
	for want, c := range map[string]struct {
		change func(*Instance)
		train  []cv.Example
		more   []mil.Instances
	}{
		`loss "hing": there is no such loss; did you mean "hinge"?`:  {func(c *Instance) { c.Loss = "hing" }, train, nil},
		`loss "": there is no such loss; use one of logistic, hinge`: {func(c *Instance) { c.Loss = "" }, train, nil},
		"c 0: more than 0 is needed":                                 {func(c *Instance) { c.C = 0 }, train, nil},
		"c NaN":                                                      {func(c *Instance) { c.C = math.NaN() }, train, nil},
		"gamma -1: 0 or more is needed":                              {func(c *Instance) { c.Gamma = -1 }, train, nil},
		"gamma NaN":                                                  {func(c *Instance) { c.Gamma = math.NaN() }, train, nil},
		"c +Inf":                                                     {func(c *Instance) { c.C = math.Inf(1) }, train, nil},
		"0 instances of negative and 0 of positive":                  {nil, nil, nil},
		"of negative and 0 of positive training bags; both are need":                 {nil, []cv.Example{{Bag: 1, Target: mil.Labelled(0)}, {Bag: 4, Target: mil.Labelled(1)}}, nil},
		"training bag 0 has label 2":                                                 {nil, []cv.Example{{Bag: 0, Target: mil.Labelled(2)}}, nil},
		"bag 4 has 3 features, bag 0 has 2":                                          {nil, append(slices.Clip(train), cv.Example{Bag: 5}), []mil.Instances{wide}},
		"bag 4: value NaN of feature 1 of instance 1; replace it by a finite number": {nil, append(slices.Clip(train), cv.Example{Bag: 5}), []mil.Instances{unknown}},
	} {
		config := defaultInstance()
		if c.change != nil {
			c.change(&config)
		}
		if _, err := config.Fit(t.Context(), training(append(slices.Clip(bags), c.more...), c.train)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	m := fitted(t, defaultInstance(), bags, train)
	for want, bag := range map[string]mil.Instances{"an empty bag has no score": bags[4], "a bag of 3 features for a model of 2": wide, "instance 1: its score is NaN": unknown} {
		if _, err := m.Predict(bag); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", bag, err, want)
		}
	}
}

// TestCost checks that a fit's cost grows with its bags, and with a kernel.
func TestCost(t *testing.T) {
	few, _ := random(1, 4, 2, 1, false)
	many, _ := random(1, 40, 2, 1, false)
	sparse, _ := random(1, 4, 20, 0, true)
	for _, c := range []Instance{defaultInstance(), {Loss: Hinge, C: 1, Gamma: 1}} {
		a, b := c.Cost(few), c.Cost(many)
		if !(a.Seconds > 0 && b.Seconds > 2*a.Seconds) || a.Memory == 0 || b.Memory < 2*a.Memory || c.Cost(sparse).Seconds <= 0 {
			t.Errorf("%+v: %+v, of ten times the bags %+v", c, a, b)
		}
	}
	if linear, radial := defaultInstance().Cost(many), (Instance{Gamma: 1}).Cost(many); radial.Seconds < linear.Seconds || radial.Memory < linear.Memory {
		t.Errorf("with a kernel %+v, without %+v", radial, linear)
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b := must(json.Marshal(v))
	return string(b)
}

// unreadable is a bag whose file vanishes after a number of reads.
type unreadable struct {
	mil.Instances
	left *int
}

func (u unreadable) Read(i, j int, dst []float32) error {
	if *u.left--; *u.left < 0 {
		return errUnreadable
	}
	return u.Instances.Read(i, j, dst)
}

var errUnreadable = errors.New("a.npy: no such file")

// TestUnreadable checks that an unreadable bag is an error of a fit, at any moment, and of a prediction.
func TestUnreadable(t *testing.T) {
	bags, examples := random(1, 6, 3, 1, false)
	reads := math.MaxInt
	train := training(bags, examples)
	train.Bags = slices.Clone(train.Bags)
	train.Bags[3] = unreadable{bags[3], &reads}
	for _, c := range []Instance{defaultInstance(), {Loss: Hinge, C: 1, Gamma: 0.1}} {
		failed := 0
		for n := range 12 {
			reads = n
			_, err := c.Fit(t.Context(), train)
			switch {
			case errors.Is(err, errUnreadable):
				failed++
			case err != nil:
				t.Errorf("%+v, %d reads: %v", c, n, err)
			}
		}
		if failed < 3 {
			t.Errorf("%+v: %d fits failed", c, failed)
		}
		reads = math.MaxInt
		model := must(c.Fit(t.Context(), train))
		reads = 0
		if _, err := model.Predict(train.Bags[3]); !errors.Is(err, errUnreadable) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

package baseline

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
	"synpool/milbench"
)

// random returns n bags, every other one positive, in which one instance of a positive bag is moved by shift.
func random(seed uint64, n, features int, shift float64, sparse bool) ([]milbench.Matrix, []milbench.Example) {
	rng := rand.New(rand.NewPCG(seed, 1))
	var bags []milbench.Matrix
	var examples []milbench.Example
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
		examples = append(examples, milbench.Example{Bag: i, Label: (i + 1) % 2})
	}
	return bags, examples
}

// The gradient that the minimiser is given is that of the value it is given, to what central differences can say.
func TestGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, loss := range Losses {
		for _, sparse := range []bool{false, true} {
			bags, _ := random(1, 12, 5, 1, sparse)
			x, _, err := standardised(bags)
			if err != nil {
				t.Fatal(err)
			}
			f := &objective{x: x, share: [2]float64{0.02, 0.05}, penalty: 0.3, loss: loss}
			for range x.Rows {
				f.signs = append(f.signs, float64(2*rng.IntN(2)-1))
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
				for j := range got {
					if math.Abs(got[j]-want[j]) > 1e-7 {
						t.Errorf("%s, sparse %v: gradient %v, want %v", loss, sparse, got, want)
						break
					}
				}
			}
		}
	}
}

// Far margins neither overflow nor make a NaN.
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

// Standardised columns have mean 0 and deviation 1, whatever their unit; the unit of a feature changes no score.
func TestStandardised(t *testing.T) {
	bags, train := random(2, 30, 4, 1, false)
	scaled := make([]milbench.Matrix, len(bags))
	for i, m := range bags {
		scaled[i] = m
		scaled[i].Values = slices.Clone(m.Values)
		for k := range scaled[i].Values {
			scaled[i].Values[k] = 1e4*scaled[i].Values[k] + 1e5
		}
	}
	x, _, err := standardised(scaled)
	if err != nil {
		t.Fatal(err)
	}
	for j := range 4 {
		sum, square := 0.0, 0.0
		for i := range x.Rows {
			v := x.Values[4*i+j]
			sum, square = sum+v, square+v*v
		}
		if n := float64(x.Rows); math.Abs(sum/n) > 1e-12 || math.Abs(square/n-1) > 1e-12 {
			t.Errorf("column %d has mean %v and mean square %v", j, sum/n, square/n)
		}
	}
	one, err := DefaultConfig().Fit(t.Context(), bags, train)
	if err != nil {
		t.Fatal(err)
	}
	other, err := DefaultConfig().Fit(t.Context(), scaled, train)
	if err != nil {
		t.Fatal(err)
	}
	for i := range bags {
		a, _ := one.Score(bags[i])
		b, _ := other.Score(scaled[i])
		if math.Abs(a.Score-b.Score) > 1e-6 || a.Winners[0] != b.Winners[0] {
			t.Errorf("bag %d: %v, in another unit %v", i, a, b)
		}
	}
}

// A task of fits: all train on the even bags and test on the odd ones, in settings that differ.
func task(sparse bool) milbench.Task {
	bags, examples := random(3, 60, 6, 2, sparse)
	task := milbench.Task{Name: "random", Bags: bags}
	for i, loss := range []Loss{Logistic, Hinge, Logistic, Hinge} {
		setting, err := json.Marshal(Config{Loss: loss, C: math.Pow(10, float64(i-2)), Weighted: i < 2, Gamma: 0.05 * float64(i%2)})
		if err != nil {
			panic(err)
		}
		fit := milbench.Fit{Setting: setting, Seed: uint64(i), EveryEpoch: i%2 == 0}
		for k, e := range examples {
			switch {
			case k < 40:
				fit.Train = append(fit.Train, e)
			case k < 50:
				fit.Validation = append(fit.Validation, e.Bag)
			default:
				fit.Test = append(fit.Test, e.Bag)
			}
		}
		task.Fits = append(task.Fits, fit)
	}
	return task
}

// outcomes learns a task and returns its outcomes by fit.
func outcomes(t *testing.T, l Instance, task milbench.Task) []milbench.Outcome {
	t.Helper()
	all := make([]milbench.Outcome, len(task.Fits))
	handed := 0
	if err := l.Learn(t.Context(), task, func(o milbench.Outcome) error {
		all[o.Fit] = o
		handed++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if handed != len(task.Fits) {
		t.Fatalf("%d outcomes of %d fits", handed, len(task.Fits))
	}
	return all
}

func TestLearn(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		task := task(sparse)
		one := outcomes(t, Instance{Workers: 1}, task)
		many := outcomes(t, Instance{Workers: 4}, task)
		for i, o := range one {
			if o.Err != nil || len(o.Epochs) != 1 || o.Epochs[0].Number != 1 || o.Wall <= 0 {
				t.Fatalf("fit %d: %+v", i, o)
			}
			e := o.Epochs[0]
			if len(e.Validation) != 10 || len(e.Test) != 10 || !(e.Loss > 0 && e.Loss < 1) {
				t.Fatalf("fit %d: %+v", i, e)
			}
			if got, want := text(t, many[i].Epochs), text(t, o.Epochs); got != want {
				t.Errorf("fit %d with one worker and with four: %s, %s", i, want, got)
			}
			var config Config
			if err := json.Unmarshal(task.Fits[i].Setting, &config); err != nil {
				t.Fatal(err)
			}
			model, err := config.Fit(t.Context(), task.Bags, task.Fits[i].Train)
			if err != nil {
				t.Fatal(err)
			}
			right := 0
			for k, b := range task.Fits[i].Test {
				scores, err := model.Scores(task.Bags[b])
				if err != nil {
					t.Fatal(err)
				}
				got := e.Test[k]
				if got.Score != slices.Max(scores) || got.Score != scores[got.Winners[0]] || len(got.Winners) != 1 {
					t.Errorf("fit %d, bag %d: %+v of %v", i, b, got, scores)
				}
				if (got.Score > 0) == (b%2 == 0) {
					right++
				}
			}
			if config.Weighted && right < 7 {
				t.Errorf("fit %d: %d of 10 test bags on the right side", i, right)
			}
		}
	}
}

// The labels of bags that are held out have no way in: they are not in the task. Their instances have none, either.
func TestLearnIgnoresTestBags(t *testing.T) {
	task := task(false)
	task.Fits = task.Fits[:1]
	before := outcomes(t, Instance{}, task)[0].Epochs[0]
	bags := slices.Clone(task.Bags)
	for _, b := range task.Fits[0].Test[1:] {
		bags[b].Values = make([]float64, len(bags[b].Values))
	}
	task.Bags = bags
	after := outcomes(t, Instance{}, task)[0].Epochs[0]
	if text(t, before.Validation) != text(t, after.Validation) || text(t, before.Test[0]) != text(t, after.Test[0]) || before.Loss != after.Loss {
		t.Errorf("other test bags change %v to %v", before, after)
	}
}

// Both classes weigh the same where weighted, which favours the rarer one and changes nothing where they have the same size.
func TestWeighted(t *testing.T) {
	positive := matrix([][]float64{{2, 1}, {1, 3}}, false)
	negative := matrix([][]float64{{0, 1}, {1, 0}, {-1, 2}, {0, 0}, {-2, 1}, {1, 1}}, false)
	bags := []milbench.Matrix{positive, negative}
	train := []milbench.Example{{Bag: 0, Label: 1}, {Bag: 1, Label: 0}}
	weighted, err := Config{Logistic, 1, true, 0}.Fit(t.Context(), bags, train)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := Config{Logistic, 1, false, 0}.Fit(t.Context(), bags, train)
	if err != nil {
		t.Fatal(err)
	}
	at := func(m *Model) float64 { return m.Weights[0]*0.5 + m.Weights[1]*1.2 + m.Bias }
	if at(weighted) <= at(plain) {
		t.Errorf("the rarer, positive class is favoured by %v and %v", at(weighted), at(plain))
	}
	same := []milbench.Example{{Bag: 0, Label: 1}, {Bag: 2, Label: 0}}
	bags = append(bags, matrix([][]float64{{0, 1}, {-1, 2}}, false))
	a, err := Config{Hinge, 0.5, true, 0}.Fit(t.Context(), bags, same)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Config{Hinge, 0.5, false, 0}.Fit(t.Context(), bags, same)
	if err != nil || text(t, a) != text(t, b) {
		t.Errorf("classes of the same size: %+v, %+v (%v)", a, b, err)
	}
}

// The context ends a fit, and done's error ends the task.
func TestLearnStops(t *testing.T) {
	task := task(false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (Instance{}).Learn(ctx, task, func(milbench.Outcome) error { t.Error("an outcome"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	refused, calls := errors.New("full"), 0
	if err := (Instance{Workers: 3}).Learn(t.Context(), task, func(milbench.Outcome) error { calls++; return refused }); !errors.Is(err, refused) || calls != 1 {
		t.Errorf("refused: %v after %d calls", err, calls)
	}

	// In the middle of a fit.
	ending := &countdown{t.Context(), 5}
	if _, err := DefaultConfig().Fit(ending, task.Bags, task.Fits[0].Train); !errors.Is(err, context.Canceled) {
		t.Errorf("in the middle: %v", err)
	}
	if ending.left > 0 || ending.left < -5 {
		t.Errorf("went on with %d looks left", ending.left)
	}
}

// countdown is a context that ends after it was looked at so often.
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

// A fit that does not reach its minimum says so.
func TestNotConverged(t *testing.T) {
	bags, _ := random(3, 40, 6, 2, false)
	x, _, err := standardised(bags)
	if err != nil {
		t.Fatal(err)
	}
	f := &objective{x: x, share: [2]float64{0.01, 0.01}, penalty: 1e-3, loss: Logistic}
	for i := range x.Rows {
		f.signs = append(f.signs, float64(2*(i%2)-1))
	}
	for _, c := range []struct {
		tolerance  float64
		iterations int
		want       string
	}{{1e-6, 2, "after 2 iterations"}, {1e-300, 10_000, "more than 1e-300"}} {
		_, err := lbfgs.Minimise(t.Context(), x.Cols+1, f.compute, c.tolerance, c.iterations)
		if !errors.Is(err, ErrNotConverged) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("tolerance %v, %d iterations: %v", c.tolerance, c.iterations, err)
		}
	}
}

// A fit that fails keeps no other from going on.
func TestLearnFailure(t *testing.T) {
	task := task(false)
	task.Fits[1].Setting = json.RawMessage(`{"pooling":"instance","loss":"logistic","c":-1,"weighted":true}`)
	for i, o := range outcomes(t, Instance{}, task) {
		if (o.Err != nil) != (i == 1) || (o.Epochs == nil) != (i == 1) {
			t.Errorf("fit %d: %v", i, o.Err)
		}
	}
}

func TestConfigJSON(t *testing.T) {
	written := text(t, DefaultConfig())
	if written != `{"pooling":"instance","loss":"logistic","c":1,"weighted":true}` {
		t.Error(written)
	}
	if radial := text(t, Config{Hinge, 10, false, 0.02}); radial != `{"pooling":"instance","loss":"hinge","c":10,"weighted":false,"gamma":0.02}` {
		t.Error(radial)
	}
	var read Config
	if err := json.Unmarshal([]byte(written), &read); err != nil || read != DefaultConfig() {
		t.Errorf("%+v, %v", read, err)
	}
	for want, setting := range map[string]string{
		`unknown field "heads"`:                      `{"pooling":"instance","loss":"logistic","c":1,"weighted":true,"heads":1}`,
		"without one of loss, c and weighted":        `{"pooling":"instance","loss":"logistic","weighted":true}`,
		`without "pooling":"instance"`:               `{"loss":"logistic","c":1,"weighted":true}`,
		`setting without "pooling":"instance": {"po`: `{"pooling":"syn","loss":"logistic","c":1,"weighted":true}`,
		"cannot unmarshal":                           `{"pooling":"instance","loss":"logistic","c":"1","weighted":true}`,
	} {
		if err := json.Unmarshal([]byte(setting), &read); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", setting, err, want)
		}
	}
}

func TestRefuses(t *testing.T) {
	bags, train := random(1, 4, 2, 1, false)
	bags = append(bags, milbench.Matrix{Cols: 2}, matrix([][]float64{{1e300, 1}}, false))
	wide, unknown := matrix([][]float64{{1, 2, 3}}, false), matrix([][]float64{{math.NaN(), 1}}, false)
	for want, c := range map[string]struct {
		change func(*Config)
		train  []milbench.Example
		more   []milbench.Matrix
	}{
		`loss "hing": there is no such loss; did you mean "hinge"?`:  {func(c *Config) { c.Loss = "hing" }, train, nil},
		`loss "": there is no such loss; use one of logistic, hinge`: {func(c *Config) { c.Loss = "" }, train, nil},
		"c 0: more than 0 is needed":                                 {func(c *Config) { c.C = 0 }, train, nil},
		"c NaN":                                                      {func(c *Config) { c.C = math.NaN() }, train, nil},
		"gamma -1: 0 or more is needed":                              {func(c *Config) { c.Gamma = -1 }, train, nil},
		"gamma NaN":                                                  {func(c *Config) { c.Gamma = math.NaN() }, train, nil},
		"c +Inf":                                                     {func(c *Config) { c.C = math.Inf(1) }, train, nil},
		"0 instances of negative and 0 of positive":                  {nil, nil, nil},
		"of negative and 0 of positive training bags; both are need": {nil, []milbench.Example{{Bag: 1, Label: 0}, {Bag: 4, Label: 1}}, nil},
		"training bag 6 of 6":                          {nil, []milbench.Example{{Bag: 6}}, nil},
		"training bag -1 of 6":                         {nil, []milbench.Example{{Bag: -1}}, nil},
		"training bag 0 of 6 with label 2":             {nil, []milbench.Example{{Bag: 0, Label: 2}}, nil},
		"feature 1 has values too large to be squared": {nil, []milbench.Example{{Bag: 0}, {Bag: 5, Label: 1}}, nil},
		"bag 6 has 3 features, bag 0 has 2":            {nil, train, []milbench.Matrix{wide}},
		"bag 6: value NaN of feature 1 of instance 1; replace it by a finite number": {nil, train, []milbench.Matrix{unknown}},
	} {
		config := DefaultConfig()
		if c.change != nil {
			c.change(&config)
		}
		if _, err := config.Fit(t.Context(), append(slices.Clip(bags), c.more...), c.train); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	m, err := DefaultConfig().Fit(t.Context(), bags, train)
	if err != nil {
		t.Fatal(err)
	}
	for want, bag := range map[string]milbench.Matrix{"an empty bag has no score": bags[4], "a bag of 3 features for a model of 2": wide, "instance 1: its score is NaN": unknown} {
		if _, err := m.Score(bag); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", bag, err, want)
		}
	}
	for want, fit := range map[string]milbench.Fit{
		"setting of an instance classifier": {Setting: json.RawMessage(`[]`), Train: train},
		"bag 4: an empty bag":               {Setting: json.RawMessage(text(t, DefaultConfig())), Train: train, Validation: []int{4}},
	} {
		o := outcomes(t, Instance{}, milbench.Task{Bags: bags, Fits: []milbench.Fit{fit}})[0]
		if o.Err == nil || !strings.Contains(o.Err.Error(), want) {
			t.Errorf("error %v, want one with %q", o.Err, want)
		}
	}
	for want, task := range map[string]milbench.Task{
		"fit 0: bag 6 of 6 is to be scored":       {Bags: bags, Fits: []milbench.Fit{{Train: train, Test: []int{6}}}},
		"bag 1: 1 values for 2 instances":         {Bags: []milbench.Matrix{bags[0], {Rows: 2, Cols: 2, Values: []float64{1}}}, Fits: []milbench.Fit{{Train: train[:1]}}},
		"bag 1 has 3 features, bag 0 has 2; all ": {Bags: []milbench.Matrix{bags[0], wide}, Fits: []milbench.Fit{{Train: train[:1]}}},
	} {
		err := Instance{}.Learn(t.Context(), task, func(milbench.Outcome) error { t.Error("an outcome"); return nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// An estimate of time of a setting that makes no sense is 0.
func TestSeconds(t *testing.T) {
	bags, train := random(1, 4, 2, 1, false)
	for want, c := range map[bool]Config{true: DefaultConfig(), false: {Loss: "hing", C: 1}} {
		if got := Seconds(bags, milbench.Fit{Setting: json.RawMessage(text(t, c)), Train: train}); (got > 0) != want {
			t.Errorf("%v seconds of %+v", got, c)
		}
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

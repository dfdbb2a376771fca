package plotting

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/plot"
)

// folds returns noisy courses of values between bounds.
func folds(n, epochs int, low, high, rate, noise float64, random *rand.Rand) [][]float64 {
	var all [][]float64
	for range n {
		values := course(epochs, low, high, rate)
		for i := range values {
			values[i] = min(max(values[i]+noise*random.NormFloat64(), 0), 1)
		}
		all = append(all, values)
	}
	return all
}

// settings are made-up trainings.
func settings(names []string, n, epochs int) []TrainingCurve {
	random := rand.New(rand.NewPCG(3, 4))
	var all []TrainingCurve
	for i, name := range names {
		all = append(all, TrainingCurve{
			Name: name,
			Loss: folds(n, epochs, 0.1+0.02*float64(i), 0.7, 0.1/float64(1+i), 0.02, random),
			AUC:  folds(n, epochs, 0.93-0.03*float64(i), 0.5, 0.15, 0.03, random),
		})
	}
	return all
}

func TestTraining(t *testing.T) {
	golden(t, "training.svg")(Training("Musk 1, ten folds", settings([]string{"softmax", "syn, I = 3", "mean"}, 10, 40)))
	fits(t, "one fit")(Training("One fit", settings([]string{"softmax"}, 1, 20)))
	fits(t, "one epoch")(Training("One epoch", settings([]string{"softmax", "mean"}, 3, 1)))
	fits(t, "one epoch of one fold")(Training("One epoch of one fold", settings([]string{"softmax"}, 1, 1)))
	fits(t, "twelve")(Training("Twelve", settings(many(12), 3, 200)))
	some := settings([]string{"with", "without"}, 2, 10)
	some[1].AUC = nil
	f, err := Training("An AUC here", some)
	fits(t, "an AUC here")(f, err)
	some[0].AUC = nil
	alone, err := Training("No AUC", some)
	fits(t, "no AUC")(alone, err)
	if alone.height >= f.height {
		t.Errorf("without AUC the figure is %v high, with one %v", alone.height, f.height)
	}
	for name, values := range lists {
		if slices.ContainsFunc(values, func(v float64) bool { return math.Abs(v) == 1e100 }) {
			values = []float64{-1e99, 1e99}
		}
		fits(t, name)(Training(name, []TrainingCurve{{"a", [][]float64{values, values}, nil}}))
	}
	for name, v := range map[string]float64{"all 0": 0, "all 1": 1, "all ½": 0.5} {
		fits(t, name)(Training(name, []TrainingCurve{{"a", [][]float64{{v, v}, {v, v}}, [][]float64{{v, v}, {v, v}}}}))
	}
	loss := [][]float64{{0.7, 0.5}, {0.6, 0.4}}
	for want, settings := range map[string][]TrainingCurve{
		"drawing training curves: there are no s": nil,
		"setting 1 has no name":                   {{Loss: loss}},
		`the setting "a" occurs twice`:            {{"a", loss, nil}, {"a", loss, nil}},
		"b: there are no losses":                  {{"a", loss, nil}, {Name: "b"}},
		"a: Training loss: fold 1: there are no ": {{"a", [][]float64{{}}, nil}},
		"a: Training loss: fold 2 has 1 epochs":   {{"a", [][]float64{{1, 2}, {1}}, nil}},
		"a: Training loss: fold 2, epoch 1: NaN":  {{"a", [][]float64{{1}, {math.NaN()}}, nil}},
		"a: Validation AUC: fold 1, epoch 2: 1.5": {{"a", loss, [][]float64{{1, 1.5}, {1, 1}}}},
		"a: AUCs of 1 folds of 2 epochs but loss": {{"a", loss, [][]float64{{1, 1}}}},
		"a: AUCs of 2 folds of 1 epochs but loss": {{"a", loss, [][]float64{{1}, {1}}}},
	} {
		refused(t, want)(Training("", settings))
	}
}

func TestWinnerTransfers(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	golden(t, "winnertransfers.svg")(WinnerTransfers("Musk 1, ten folds", []TransferCurve{
		{"softmax", folds(10, 39, 0.02, 0.5, 0.2, 0.02, random)},
		{"syn, I = 3", folds(10, 39, 0.05, 0.7, 0.1, 0.03, random)},
		{"syn, I = −3", folds(10, 39, 0.3, 0.6, 0.05, 0.03, random)},
	}))
	for name, rates := range map[string][]float64{"one epoch": {0.3}, "never": {0, 0, 0}, "always": {1, 1}, "rarely": {1e-9, 0, 1e-9}} {
		f, err := WinnerTransfers(name, []TransferCurve{{"a", [][]float64{rates, rates}}})
		fits(t, name)(f, err)
		if p := f.plot; p.Y.Min > 0 || p.X.Min > 2 || p.X.Min <= 1.4 {
			t.Errorf("%s: axes from %v and %v, want 2 and 0", name, p.X.Min, p.Y.Min)
		}
	}
	refused(t, "drawing winner transfers: a: there are no rates")(WinnerTransfers("", []TransferCurve{{Name: "a"}}))
	refused(t, "a: Share of winners that changed: fold 1, epoch 3: 2 is not between 0 and 1")(WinnerTransfers("", []TransferCurve{{"a", [][]float64{{1, 2}}}}))
}

// TestFoldCurves: the ribbon is the mean and the sample standard deviation, by hand, cut where the quantity ends.
func TestFoldCurves(t *testing.T) {
	values := [][]float64{{0.2, 1}, {0.4, 0.9}, {0.6, 1}}
	for _, c := range []struct {
		epoch    int
		mean, sd float64
	}{{0, 0.4, 0.2}, {1, 2.9 / 3, math.Sqrt(1.0 / 300)}} {
		if mean, sd := acrossFolds(values, c.epoch); math.Abs(mean-c.mean) > 1e-12 || math.Abs(sd-c.sd) > 1e-12 {
			t.Errorf("epoch %d: %v ± %v, want %v ± %v", c.epoch, mean, sd, c.mean, c.sd)
		}
	}
	if mean, sd := acrossFolds(values[:1], 0); mean != 0.2 || sd != 0 {
		t.Errorf("one fold: %v ± %v", mean, sd)
	}
	q := foldCurves{label: "AUC", names: []string{"a"}, values: [][][]float64{values}, first: 1, least: 0, most: 1}
	p, _, err := q.panel()
	must(t, err)
	if p.Y.Min > 0.2 || p.Y.Max < 1 || p.Y.Max > 1.04 {
		t.Errorf("the axis is from %v to %v", p.Y.Min, p.Y.Max)
	}
	if got := spelled(p.Y.Tick.Marker.(plot.ConstantTicks)); got != "0.2 0.4 0.6 0.8 1.0" {
		t.Errorf("the labels are %s", got)
	}
	// Of more settings than have ribbons, the axis is over the means alone.
	for i := range mostRibbons {
		q.add(fmt.Sprint(i), values)
	}
	if p, _, err = q.panel(); err != nil {
		t.Fatal(err)
	}
	if p.Y.Min < 0.35 || p.Y.Max < 2.9/3 || p.Y.Max > 1 {
		t.Errorf("without ribbons, the axis is from %v to %v", p.Y.Min, p.Y.Max)
	}
}

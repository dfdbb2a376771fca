package results

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/stats"
)

// localisedBags draws figures of bags, two to a group.
func localisedBags(random *rand.Rand, n int) (bags []LocalisedBag) {
	for i := range n {
		bags = append(bags, LocalisedBag{ID: fmt.Sprint(i), Group: fmt.Sprint(i / 2), AUC: random.Float64(), AP: random.Float64(), Dice: random.Float64()})
	}
	return bags
}

// TestLocalisedRow: the intervals of one fit are those of a bootstrap of the mean over the groups of its bags; of two repeats of the same
// figures they are the same; figures of fits are means over the fits; and bags in two folds have a mean of the means of the folds.
func TestLocalisedRow(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	bags := localisedBags(random, 20)
	one := &Localised{Bags: bags, AUC: 0.5, AP: 0.25, Dice: 0.125, FROC: []float64{0, 1}}
	row, err := localisedRow([]*Localised{one})
	must(t, err)
	var units [][]int
	for i := 0; i < len(bags); i += 2 {
		units = append(units, []int{i, i + 1})
	}
	mean := func(items []int) (float64, error) {
		var values []float64
		for _, i := range items {
			values = append(values, bags[i].AP)
		}
		return stat.Mean(values, nil), nil
	}
	low, high, _, err := stats.Bootstrap(units, 2000, 0.95, 1, mean)
	must(t, err)
	if math.Abs(*row.AP.Low-low) > 1e-12 || math.Abs(*row.AP.High-high) > 1e-12 || row.Bags != 20 || !(*row.AP.Low < row.AP.Value && row.AP.Value < *row.AP.High) {
		t.Errorf("%+v, want %v to %v", row.AP, low, high)
	}
	if row.PooledAUC != 0.5 || row.PooledAP != 0.25 || row.PooledDice != 0.125 || *row.FROCMean != 0.5 {
		t.Errorf("%+v", row)
	}
	two, err := localisedRow([]*Localised{one, one})
	must(t, err)
	if math.Abs(*two.AP.Low-*row.AP.Low) > 1e-12 || two.Bags != 20 || math.Abs(two.Dice.Value-row.Dice.Value) > 1e-12 {
		t.Errorf("%+v, of one %+v", two, row)
	}
	folds, err := localisedRow([]*Localised{{Bags: bags[:4], AUC: 1, FROC: []float64{0, 1}}, {Bags: bags[4:], AUC: 0}})
	must(t, err)
	first, _ := mean([]int{0, 1, 2, 3})
	var rest []int
	for i := 4; i < 20; i++ {
		rest = append(rest, i)
	}
	second, _ := mean(rest)
	if math.Abs(folds.AP.Value-(first+second)/2) > 1e-12 || folds.PooledAUC != 0.5 || folds.FROC != nil || folds.FROCMean != nil {
		t.Errorf("%+v, want %v", folds, (first+second)/2)
	}
	alone, err := localisedRow([]*Localised{{Bags: bags[:2]}}) // one group
	if err != nil || alone.AUC.Low != nil {
		t.Errorf("%+v, %v", alone, err)
	}
	if none, err := localisedRow(nil); none != nil || err != nil {
		t.Errorf("%+v, %v", none, err)
	}
}

func TestLocalisedValidate(t *testing.T) {
	bags := localisedBags(rand.New(rand.NewPCG(1, 1)), 2)
	for _, c := range []struct {
		l    Localised
		want string
	}{
		{Localised{Bags: bags}, ""},
		{Localised{}, "figures of instances of no bag"},
		{Localised{Bags: bags, AUC: 2}, "a figure of instances of 2"},
		{Localised{Bags: bags, FROC: []float64{-1}}, "a figure of instances of -1"},
		{Localised{Bags: []LocalisedBag{{Dice: math.NaN()}}}, "a figure of instances of NaN"},
	} {
		if err := c.l.validate(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.l, err, c.want)
		}
	}
}

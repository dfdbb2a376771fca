package results

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"synpool/internal/large"
	"synpool/milbench/localise"
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
	if row.PooledAUC.Value != 0.5 || row.PooledAP.Value != 0.25 || row.PooledDice.Value != 0.125 || row.FROCMean.Value != 0.5 || row.PooledAUC.Low != nil {
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
	if math.Abs(folds.AP.Value-(first+second)/2) > 1e-12 || folds.PooledAUC.Value != 0.5 || folds.FROC != nil || folds.FROCMean != nil {
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

// TestJackknife: for a figure that is a mean over units the interval is that of Student's t over all of them, in one fit, in folds of one
// size, and in repeats of other folds; it stays within 0 and 1; and a group is another unit than a bag of its name.
func TestJackknife(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	values := make([]float64, 20)
	for i := range values {
		values[i] = 0.4 + 0.2*random.Float64()
	}
	// fits has figures of folds of the units in an order.
	fits := func(order []int, folds int) (list []*Localised) {
		for units := range slices.Chunk(order, len(order)/folds) {
			l, n := &Localised{}, float64(len(units))
			for _, u := range units {
				l.AUC += values[u] / n
			}
			for _, u := range units {
				l.Without = append(l.Without, LocalisedUnit{Bag: fmt.Sprint(u), AUC: (l.AUC*n - values[u]) / (n - 1)})
			}
			list = append(list, l)
		}
		return list
	}
	mean, sd := stat.MeanStdDev(values, nil)
	const t19 = 2.093024054408263 // scipy.stats.t.ppf(0.975, 19)
	half := t19 * sd / math.Sqrt(20)
	for name, list := range map[string][]*Localised{
		"one fit":             fits(random.Perm(20), 1),
		"one fit, twice":      slices.Concat(fits(random.Perm(20), 1), fits(random.Perm(20), 1)),
		"ten folds":           fits(random.Perm(20), 10),
		"three repeats of 10": slices.Concat(fits(random.Perm(20), 10), fits(random.Perm(20), 10), fits(random.Perm(20), 10)),
	} {
		if e := jackknife(list, 0); math.Abs(e.Value-mean) > 1e-12 || e.Low == nil || math.Abs(*e.Low-(mean-half)) > 1e-9 || math.Abs(*e.High-(mean+half)) > 1e-9 {
			t.Errorf("%s: %+v, want %v ± %v", name, e, mean, half)
		}
	}
	if e := jackknife(append(fits(random.Perm(20), 1), &Localised{AUC: 1}), 0); e.Low != nil {
		t.Errorf("%+v although a fit has no figures without units", e)
	}
	few := &Localised{AUC: 0.9, Without: []LocalisedUnit{{Bag: "a", AUC: 0.99}, {Group: "a", AUC: 0.8}}}
	if e := jackknife([]*Localised{few}, 0); *e.Low != 0 || *e.High != 1 {
		t.Errorf("%v to %v", *e.Low, *e.High)
	}
}

// TestJackknifeCovers: intervals of level 95 % have the pooled AUC, which is known, in about 95 % of draws of 30 bags. Positive scores are
// 1 above negative ones in mean; a shift of each bag makes its instances alike. The tolerance is about three standard errors and the error
// of the method with few units.
func TestJackknifeCovers(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	truth := distuv.UnitNormal.CDF(1 / math.Sqrt(2*(1+0.25))) // of scores of different bags; few pairs are of one bag
	for _, c := range []struct{ folds, repeats int }{{1, 1}, {5, 1}, {5, 3}} {
		inside, draws := 0, large.Number(200, 2000)
		for range draws {
			var bags []localise.Bag
			for range 30 {
				shift := 0.5 * random.NormFloat64()
				var b localise.Bag
				for k := range 20 {
					b.Positive = append(b.Positive, k < 5)
					score := shift + random.NormFloat64()
					if b.Positive[k] {
						score++
					}
					b.Scores = append(b.Scores, score)
				}
				bags = append(bags, b)
			}
			var fits []*Localised
			for range c.repeats {
				for part := range slices.Chunk(random.Perm(30), 30/c.folds) {
					var own []localise.Bag
					var units [][]int
					for u, i := range part {
						own, units = append(own, bags[i]), append(units, []int{u})
					}
					pool := localise.NewPool(own)
					fit := &Localised{AUC: pool.Figures(nil).AUC}
					for u, f := range pool.Without(units) {
						fit.Without = append(fit.Without, LocalisedUnit{Bag: fmt.Sprint(part[u]), AUC: f.AUC})
					}
					fits = append(fits, fit)
				}
			}
			if e := jackknife(fits, 0); *e.Low <= truth && truth <= *e.High {
				inside++
			}
		}
		if share := float64(inside) / float64(draws); share < 0.90 || share > 0.99 {
			t.Errorf("%+v: %.3f of %d intervals have the AUC", c, share, draws)
		}
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
		{Localised{Bags: bags, Without: []LocalisedUnit{{Dice: 3}}}, "a figure of instances of 3"},
		{Localised{Bags: bags, Without: []LocalisedUnit{{Group: "a"}, {Group: "a"}}}, `without group "a", bag "" occur twice`},
		{Localised{Bags: bags, FROC: []float64{-1}}, "a figure of instances of -1"},
		{Localised{Bags: []LocalisedBag{{Dice: math.NaN()}}}, "a figure of instances of NaN"},
	} {
		if err := c.l.validate(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.l, err, c.want)
		}
	}
}

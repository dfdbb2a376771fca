package results

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"synpool/milbench/stats"
)

// Localised has figures of the scores of instances in the test part of a fit, if instance labels are known
// ([synpool/milbench/localise.Figures]).
type Localised struct {
	Labels string `json:"labels,omitempty"` // checksum of the labels of all instances of the set

	Bags []LocalisedBag `json:"bags"` // test bags with instances of both kinds

	// Of the instances of all test bags as one list.
	AUC  float64   `json:"auc"`
	AP   float64   `json:"ap"`
	Dice float64   `json:"dice"`
	FROC []float64 `json:"froc,omitempty"` // sensitivity at each of [synpool/milbench/localise.Rates]; nil without positions

	// Without has the same of all bags but those of a unit, for each unit. It is nil if one of them is undefined.
	Without []LocalisedUnit `json:"without,omitempty"`
}

// LocalisedUnit has the pooled figures of [Localised] without the bags of a unit: a group, or a bag without one.
type LocalisedUnit struct {
	Group string  `json:"group,omitempty"`
	Bag   string  `json:"bag,omitempty"`
	AUC   float64 `json:"auc"`
	AP    float64 `json:"ap"`
	Dice  float64 `json:"dice"`
	FROC  float64 `json:"froc,omitempty"` // mean of the sensitivities
}

// pooled returns the pooled figures, with the mean of the sensitivities, in one order.
func (l *Localised) pooled() [4]float64 {
	return [...]float64{l.AUC, l.AP, l.Dice, stat.Mean(l.FROC, nil)}
}

func (u LocalisedUnit) pooled() [4]float64 { return [...]float64{u.AUC, u.AP, u.Dice, u.FROC} }

// LocalisedBag has the figures of one bag.
type LocalisedBag struct {
	ID    string  `json:"id"`
	Group string  `json:"group,omitempty"` // [synpool/milbench/mil.Bag.Group]
	AUC   float64 `json:"auc"`
	AP    float64 `json:"ap"`
	Dice  float64 `json:"dice"`
}

// MeanAUC returns the mean AUC in a bag, [Result.InstanceAUC].
func (l *Localised) MeanAUC() float64 {
	sum := 0.0
	for _, b := range l.Bags {
		sum += b.AUC
	}
	return sum / float64(len(l.Bags))
}

// validate returns an error if there are no bags, or if a figure is not from 0 to 1.
func (l *Localised) validate() error {
	if len(l.Bags) == 0 {
		return errors.New("figures of instances of no bag")
	}
	values := append([]float64{l.AUC, l.AP, l.Dice}, l.FROC...)
	for _, b := range l.Bags {
		values = append(values, b.AUC, b.AP, b.Dice)
	}
	seen := map[[2]string]bool{}
	for _, u := range l.Without {
		if values = append(values, u.AUC, u.AP, u.Dice, u.FROC); seen[[2]string{u.Group, u.Bag}] {
			return fmt.Errorf("figures of instances without group %q, bag %q occur twice", u.Group, u.Bag)
		}
		seen[[2]string{u.Group, u.Bag}] = true
	}
	for _, v := range values {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("a figure of instances of %v; it is from 0 to 1", v)
		}
	}
	return nil
}

// Estimate is a figure with its 95 % interval.
type Estimate struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"low"` // null if there is no interval
	High  *float64 `json:"high"`
}

// LocalisedRow has the figures of [Localised] averaged over fits.
type LocalisedRow struct {
	Bags int `json:"bags"` // test bags with instances of both kinds

	// In each bag: mean over the bags of a fit, then over fits. Intervals are percentiles of the bootstrap over these bags, or over
	// their groups ([stats.Bootstrap]): a draw takes the bags of all fits that test them.
	AUC  Estimate `json:"auc"`
	AP   Estimate `json:"ap"`
	Dice Estimate `json:"dice"`

	// Pooled over the test bags of a fit, as scores of different fits cannot be compared, then averaged over fits. Intervals are
	// those of the jackknife over units, see [jackknife].
	PooledAUC  Estimate  `json:"pooled_auc"`
	PooledAP   Estimate  `json:"pooled_ap"`
	PooledDice Estimate  `json:"pooled_dice"`
	FROC       []float64 `json:"froc,omitempty"`      // nil unless all fits have it
	FROCMean   *Estimate `json:"froc_mean,omitempty"` // of FROC
}

const (
	bootstrapDraws = 2000
	bootstrapSeed  = 1
)

// localisedRow averages over fits; it returns nil without any.
func localisedRow(fits []*Localised) (*LocalisedRow, error) {
	if len(fits) == 0 {
		return nil, nil
	}
	var (
		row   LocalisedRow
		units [][]int
		at    = make(map[string]int) // bag by id
		unit  = make(map[string]int) // unit by group
		froc  = true
		n     = float64(len(fits))
	)
	for _, f := range fits {
		froc = froc && len(f.FROC) > 0 && len(f.FROC) == len(fits[0].FROC)
		for _, b := range f.Bags {
			if _, known := at[b.ID]; known {
				continue
			}
			at[b.ID] = row.Bags
			u, known := unit[b.Group]
			if b.Group == "" || !known {
				u = len(units)
				units, unit[b.Group] = append(units, nil), u
			}
			units[u] = append(units[u], row.Bags)
			row.Bags++
		}
	}
	if froc {
		row.FROC = make([]float64, len(fits[0].FROC))
		for _, f := range fits {
			for k, s := range f.FROC {
				row.FROC[k] += s / n
			}
		}
		row.FROCMean = new(Estimate)
	}
	for k, to := range []*Estimate{&row.PooledAUC, &row.PooledAP, &row.PooledDice, row.FROCMean} {
		if to != nil {
			*to = jackknife(fits, k)
		}
	}
	all := slices.Repeat([]int{1}, row.Bags)
	for _, figure := range []struct {
		to *Estimate
		of func(LocalisedBag) float64
	}{
		{&row.AUC, func(b LocalisedBag) float64 { return b.AUC }},
		{&row.AP, func(b LocalisedBag) float64 { return b.AP }},
		{&row.Dice, func(b LocalisedBag) float64 { return b.Dice }},
	} {
		mean := func(counts []int) float64 {
			var means []float64
			for _, f := range fits {
				sum, of := 0.0, 0
				for _, b := range f.Bags {
					c := counts[at[b.ID]]
					sum, of = sum+float64(c)*figure.of(b), of+c
				}
				if of > 0 {
					means = append(means, sum/float64(of))
				}
			}
			return stat.Mean(means, nil)
		}
		figure.to.Value = mean(all)
		low, high, _, err := stats.Bootstrap(units, bootstrapDraws, level, bootstrapSeed, func(items []int) (float64, error) {
			counts := make([]int, row.Bags)
			for _, i := range items {
				counts[i]++
			}
			return mean(counts), nil
		})
		if err != nil && !stats.Undefined(err) {
			return nil, err
		}
		if err == nil && high-low > tied {
			figure.to.Low, figure.to.High = &low, &high
		}
	}
	return &row, nil
}

// jackknife returns the mean over F fits of pooled figure k, with the interval of the jackknife over the units of the test bags. A fit
// with n units, a figure θ and θ(u) without unit u has the pseudo-values P(u) = n θ − (n − 1) θ(u), which stand for n single figures.
// Weighted over the fits that test u,
//
//	s(u) = Σ P(u)/(n F), w(u) = Σ 1/(n F), S = Σ s(u) over all N units
//
// and the interval is mean ± t √(N/(N − 1) Σ (s(u) − w(u) S)²), cut off at 0 and 1, with the 97.5 % quantile t of Student's distribution
// with N − 1 degrees of freedom. For a figure that is a mean over units, and folds of one size, it is that of Student's t over all units,
// however often folds are drawn: the interval is for other bags, not for other trainings. There is none if a fit lacks
// [Localised.Without].
//
// Source: B. Efron and C. Stein, "The jackknife estimate of variance", Annals of Statistics 9 (1981), for smooth figures. Dice above a
// threshold and FROC are not smooth.
func jackknife(fits []*Localised, k int) Estimate {
	var e Estimate
	for _, f := range fits {
		e.Value += f.pooled()[k] / float64(len(fits))
	}
	sums, weights, total := make(map[[2]string]float64), make(map[[2]string]float64), 0.0
	for _, f := range fits {
		n := float64(len(f.Without))
		if n < 2 {
			return e
		}
		weight := 1 / (n * float64(len(fits)))
		for _, u := range f.Without {
			unit, share := [2]string{u.Group, u.Bag}, weight*(n*f.pooled()[k]-(n-1)*u.pooled()[k])
			sums[unit], weights[unit], total = sums[unit]+share, weights[unit]+weight, total+share
		}
	}
	n, squares := float64(len(sums)), 0.0
	for unit, s := range sums {
		d := s - weights[unit]*total
		squares += d * d
	}
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile((1+level)/2) * math.Sqrt(n/(n-1)*squares)
	if half > tied {
		low, high := max(e.Value-half, 0), min(e.Value+half, 1)
		e.Low, e.High = &low, &high
	}
	return e
}

package evaluate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"synpool/milbench/mil"
)

// falseAlarm is the approximate upper limit of the probability that compare flags any feature of a new sample from the
// same source. Half of it is for means and half for ranges, each divided by the number of features (Bonferroni).
const falseAlarm = 0.01

// Effects below these limits do not matter, even if they are not due to chance: a difference of means of 0.2 standard
// deviations, which Cohen calls small ("Statistical power analysis for the behavioral sciences", 1988), and one value
// in a hundred outside the range.
const (
	smallDifference = 0.2
	smallOutside    = 0.01
)

// Shift describes how the features of new bags differ from those in training.
type Shift struct {
	Outside  float64        `json:"outside"` // share of all values that are outside the training range of their feature
	Features []FeatureShift `json:"features"`
}

// FeatureShift describes how the values of one feature differ from those in training.
type FeatureShift struct {
	Name string `json:"name"`

	// Difference is the difference of the means over instances, (new − training)/SD, with the SD in training. Chance
	// is its standard error if new and training bags are from the same source. Both are null if the feature was
	// constant in training.
	Difference *float64 `json:"difference"`
	Chance     *float64 `json:"chance"`

	Outside float64 `json:"outside"` // share of values outside the training range
	Below   int     `json:"below"`   // number of units with a value below it
	Above   int     `json:"above"`   // number of units with a value above it

	Mean  bool `json:"mean_unlike"`  // the mean differs by more than chance, and by enough to matter
	Range bool `json:"range_unlike"` // more units are outside the range than by chance, and enough values to matter
}

// Unlike returns the features that differ from training, the worst first: sorted by the difference of means, then by
// the share outside.
func (s Shift) Unlike() (list []FeatureShift) {
	for _, f := range s.Features {
		if f.Mean || f.Range {
			list = append(list, f)
		}
	}
	size := func(f FeatureShift) float64 {
		if f.Difference == nil {
			return 0
		}
		return math.Abs(*f.Difference)
	}
	slices.SortStableFunc(list, func(a, b FeatureShift) int {
		return cmp.Or(cmp.Compare(size(b), size(a)), cmp.Compare(b.Outside, a.Outside))
	})
	return list
}

// Warning says in one line which features are unlike those of training, "" if none is.
func (s Shift) Warning() string {
	var parts []string
	for _, f := range s.Unlike() {
		text := fmt.Sprintf("%s: %.1f %% of its values outside the range", f.Name, 100*f.Outside)
		if f.Difference != nil {
			verb := "%+.1f"
			if math.Abs(*f.Difference) >= 1e6 {
				verb = "%+.1g"
			}
			text += fmt.Sprintf(", mean "+verb+" standard deviations", *f.Difference)
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	most := min(5, len(parts))
	text := strings.Join(parts[:most], "; ")
	if more := len(parts) - most; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return fmt.Sprintf("%s unlike those of training (of %d features): %s", are(len(parts), "feature"), len(s.Features), text)
}

// otherUnit says in one line that the median times of training and new bags differ by more than a factor of 5, as months and
// years do; "" if they do not, or are not known.
func otherUnit(train, fresh mil.Profile) string {
	if train.Time <= 0 || fresh.Time <= 0 || max(train.Time/fresh.Time, fresh.Time/train.Time) <= 5 {
		return ""
	}
	return fmt.Sprintf("the median time is %.3g, and was %.3g in training: are both in one unit, say months?", fresh.Time, train.Time)
}

// are counts things with their verb.
func are(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " is"
	}
	return fmt.Sprintf("%d %ss are", n, thing)
}

// Warn is [Shift.Warning] of bags that need no labels, given the profile of the training bags.
func Warn(train mil.Profile, s *mil.Set) (string, error) {
	fresh, err := mil.ProfileOf(s)
	if err != nil {
		return "", err
	}
	shift, err := compare(train, fresh, s)
	return shift.Warning(), err
}

// compare compares the features of new bags with those in training; fresh is the profile of the new bags
// ([mil.ProfileOf]). It reads the new bags once, in pieces.
//
// The mean of a feature is unlike if it differs from the training mean by more standard errors than Student's
// quantile for falseAlarm. Instances in a bag are similar, so the standard error is based on the variation between
// units:
//
//	error = B √(C + C'), B² = ((1/C − 1) Between² + (1/C' − 1) Between'²) / (1/C + 1/C' − 2)
//
// Here Between is from [mil.FeatureProfile] and C is the concentration in [mil.Profile], in training and
// new (primed). 1/C is the number of equally large units with the same information. The denominator gives the degrees
// of freedom. This is the two-sample t test on the means of units.
//
// The range is unlike if too many new units have a value above the training maximum (or below the minimum). If units
// are exchangeable, the k largest of U training and U' new units are all new with probability
//
//	U'/(U+U') × (U'−1)/(U+U'−1) × … × (U'−k+1)/(U+U'−k+1)
//
// Both also need an effect that matters: smallDifference and [smallOutside].
func compare(train, fresh mil.Profile, s *mil.Set) (Shift, error) {
	for _, p := range []mil.Profile{train, fresh} {
		if err := p.Validate(s.NumFeatures()); err != nil {
			return Shift{}, err
		}
	}
	features := len(train.Features)
	shift := Shift{Features: make([]FeatureShift, features)}
	outside, below, above := make([]int, features), make([]bool, features), make([]bool, features)
	for _, unit := range mil.Units(s.Bags) {
		clear(below)
		clear(above)
		for _, i := range unit {
			if err := mil.EachRow(s.Bags[i].Instances, func(_ int, row []float32) {
				for j, v := range row {
					f := &train.Features[j]
					if x := s.Value(j, v); x < f.Least {
						below[j] = true
						outside[j]++
					} else if x > f.Largest {
						above[j] = true
						outside[j]++
					}
				}
			}); err != nil {
				return Shift{}, fmt.Errorf("%s: bag %s: %w", s.Name, s.Bags[i].ID, err)
			}
		}
		for j := range shift.Features {
			if below[j] {
				shift.Features[j].Below++
			}
			if above[j] {
				shift.Features[j].Above++
			}
		}
	}
	// Number of equally large units, minus one for the mean. For a single unit, whose share may be rounded, it is 0.
	old, own := max(0, 1/train.Concentration-1), max(0, 1/fresh.Concentration-1)
	largest := math.Inf(1)
	if old+own > 1e-6 {
		largest = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: old + own}.Quantile(1 - falseAlarm/4/float64(features))
	}
	widest := unlikelyBeyond(train.Units, fresh.Units, falseAlarm/4/float64(features))
	for j := range shift.Features {
		f, was, is := &shift.Features[j], train.Features[j], fresh.Features[j]
		f.Name, f.Outside = was.Name, float64(outside[j])/float64(fresh.Instances)
		shift.Outside += f.Outside / float64(features)
		if was.SD > 0 {
			difference, chance := (is.Mean-was.Mean)/was.SD, 0.0
			if old+own > 1e-6 {
				between := (old*was.Between*was.Between + own*is.Between*is.Between) / (old + own)
				chance = math.Sqrt(between*(train.Concentration+fresh.Concentration)) / was.SD
			}
			f.Difference, f.Chance = &difference, &chance
			f.Mean = math.Abs(difference) >= smallDifference && math.Abs(difference) > largest*chance && !math.IsInf(largest, 0)
		}
		f.Range = f.Outside >= smallOutside && max(f.Below, f.Above) >= widest
	}
	return shift, nil
}

// unlikelyBeyond returns the smallest k such that the k largest of all units are new ones with at most the given
// probability, if units are exchangeable. If there is none, it returns one more than the number of new units.
func unlikelyBeyond(train, units int, probability float64) int {
	p := 1.0
	for k := range units {
		p *= float64(units-k) / float64(train+units-k)
		if p <= probability {
			return k + 1
		}
	}
	return units + 1
}

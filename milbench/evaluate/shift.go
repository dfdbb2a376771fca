package evaluate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"synpool/milbench"
)

// False is the probability with which [Compare] calls any feature of a fresh sample of the same source unlike, at most about: half of it is for
// means, half for ranges, divided by the number of features (Bonferroni).
const False = 0.01

// Below these, what is beyond chance does not matter: a difference of means of a fifth of a standard deviation, which Cohen calls small
// ("Statistical power analysis for the behavioral sciences", 1988), and one value of a hundred outside of the range.
const (
	SmallDifference = 0.2
	SmallOutside    = 0.01
)

// Shift is how the features of new bags differ from those of training.
type Shift struct {
	Outside  float64        `json:"outside"` // share of all values that are outside of their feature's range in training
	Features []FeatureShift `json:"features"`
}

// FeatureShift is how the values of a feature of new bags differ from those of training.
type FeatureShift struct {
	Name string `json:"name"`

	// Difference is that of the means over instances, in standard deviations of training: (new − training)/SD. Chance is its standard error where new
	// and training bags come from one source. Both are null of a feature that was constant in training.
	Difference *float64 `json:"difference"`
	Chance     *float64 `json:"chance"`

	Outside float64 `json:"outside"` // share of the values outside of the range of training
	Below   int     `json:"below"`   // units with a value below it
	Above   int     `json:"above"`   // units with a value above it

	Mean  bool `json:"mean_unlike"`  // the mean differs by more than chance, and by more than a little
	Range bool `json:"range_unlike"` // more units are outside of the range than by chance, and more than a few values
}

// Unlike returns the features that are not like those of training, the worst first: by the difference of means, then by the share outside.
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

// Compare compares the features of new bags with those of training; fresh is the profile of the new bags ([milbench.ProfileOf]). It reads the new bags
// once, piece by piece.
//
// The mean of a feature is unlike if its difference from that of training, in standard errors, is beyond the quantile of Student's distribution for
// [False]. The error is what units show among themselves, not that of independent instances, since instances of a bag are alike:
//
//	error = B √(C + C'), B² = ((1/C − 1) Between² + (1/C' − 1) Between'²) / (1/C + 1/C' − 2)
//
// with Between of [milbench.FeatureProfile] and C of [milbench.Profile], in training and new: 1/C is as many units of equal size as tell as much. The
// degrees of freedom are the denominator. It is the two-sample t test of the means of units.
//
// The range is unlike if so many new units have a value beyond the largest (or the least) of training as happens too seldom where units are
// exchangeable: the k largest of U training and U' new units are all new with probability
//
//	U'/(U+U') × (U'−1)/(U+U'−1) × … × (U'−k+1)/(U+U'−k+1)
//
// Both need an effect, too: [SmallDifference] and [SmallOutside].
func Compare(train, fresh milbench.Profile, s *milbench.Set) (Shift, error) {
	for _, p := range []milbench.Profile{train, fresh} {
		if err := p.Validate(s.NumFeatures()); err != nil {
			return Shift{}, err
		}
	}
	features := len(train.Features)
	shift := Shift{Features: make([]FeatureShift, features)}
	outside, below, above := make([]int, features), make([]bool, features), make([]bool, features)
	for _, unit := range milbench.Units(s.Bags) {
		clear(below)
		clear(above)
		for _, i := range unit {
			if err := milbench.EachRow(s.Bags[i].Instances, func(_ int, row []float32) {
				for j, v := range row {
					f := &train.Features[j]
					if x := float64(v); x < f.Least {
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
	// As many units of equal size, less the mean; of one unit, whose share may be rounded, 0.
	old, own := max(0, 1/train.Concentration-1), max(0, 1/fresh.Concentration-1)
	largest := math.Inf(1)
	if old+own > 1e-6 {
		largest = distuv.StudentsT{Mu: 0, Sigma: 1, Nu: old + own}.Quantile(1 - False/4/float64(features))
	}
	widest := unlikelyBeyond(train.Units, fresh.Units, False/4/float64(features))
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
			f.Mean = math.Abs(difference) >= SmallDifference && math.Abs(difference) > largest*chance && !math.IsInf(largest, 0)
		}
		f.Range = f.Outside >= SmallOutside && max(f.Below, f.Above) >= widest
	}
	return shift, nil
}

// unlikelyBeyond returns the least number k of new units such that the k largest of all units are new with at most a probability, where they
// are exchangeable; one more than there are new units if there is none.
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

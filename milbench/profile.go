package milbench

import (
	"fmt"
	"math"
)

// Profile describes the bags of a set, so that other bags can be compared with them when these are no longer there.
type Profile struct {
	Bags      int           `json:"bags"`
	Instances int           `json:"instances"`
	Classes   []ClassNumber `json:"classes,omitempty"` // of survival events and censored bags; none of real targets
	Groups    int           `json:"groups,omitempty"`  // different ones, where every bag is of one; else 0

	// Units are what was drawn independently: groups, and bags of no group ([Units]). Concentration is the sum of the squares of their shares
	// of the instances, 1/Units where all are equal.
	Units         int     `json:"units"`
	Concentration float64 `json:"concentration"`

	Features []FeatureProfile `json:"features"`

	// Contents has of every bag the first 16 digits of its [ContentSum]: by them a bag is known again.
	Contents []string `json:"contents,omitempty"`
}

// ClassNumber is how many bags a class has.
type ClassNumber struct {
	Name string `json:"name"`
	Bags int    `json:"bags"`
}

// FeatureProfile describes the values of a feature over all instances, in the unit of the feature.
type FeatureProfile struct {
	Name    string  `json:"name"` // "feature 3", counted from 1, where the set has no names
	Mean    float64 `json:"mean"`
	SD      float64 `json:"sd"` // over instances, divisor n; 0 of a constant feature
	Least   float64 `json:"least"`
	Largest float64 `json:"largest"`

	// Between is the standard deviation of the means of units, large ones counting more:
	//
	//	Between² = U/(U−1) × Σ n²(x̄ − Mean)² / Σ n²
	//
	// with n the instances of a unit, x̄ their mean and U the number of units. The mean over other units that are drawn alike, with shares w of the
	// instances, has about the standard error Between × √Σw². It is 0 of a single unit.
	Between float64 `json:"between"`
}

// FeatureName returns the name of feature j, counted from 0, or its number from 1 where the set has no names.
func (s *Set) FeatureName(j int) string {
	if j < len(s.Features) {
		return s.Features[j]
	}
	return fmt.Sprintf("feature %d", j+1)
}

// Units returns the bags, by index, of each group, and each bag of no group alone, in the order of their first bags: what a set has of
// independent draws.
func Units(bags []Bag) (units [][]int) {
	at := map[string]int{}
	for i, b := range bags {
		u, known := at[b.Group]
		if b.Group == "" || !known {
			u = len(units)
			units = append(units, nil)
			at[b.Group] = u
		}
		units[u] = append(units[u], i)
	}
	return units
}

// ProfileOf describes the bags of a set. It reads the instances twice, piece by piece, and holds a few numbers for each feature and
// 32 bytes for each instance of one bag. A set without instances has no profile.
func ProfileOf(s *Set) (Profile, error) {
	p := Profile{Bags: len(s.Bags), Classes: classNumbers(s), Contents: make([]string, len(s.Bags))}
	groups, grouped := map[string]bool{}, true
	for _, b := range s.Bags {
		groups[b.Group] = true
		grouped = grouped && b.Group != ""
	}
	if grouped {
		p.Groups = len(groups)
	}
	w := newSums(s.NumFeatures())
	units := Units(s.Bags)
	p.Units = len(units)
	for _, unit := range units {
		for _, i := range unit {
			b := s.Bags[i]
			if err := EachRow(b.Instances, func(_ int, row []float32) { w.add(row) }); err != nil {
				return Profile{}, fmt.Errorf("%s: bag %s: %w", s.Name, b.ID, err)
			}
			sum, err := ContentSum(b.Instances)
			if err != nil {
				return Profile{}, fmt.Errorf("%s: bag %s: %w", s.Name, b.ID, err)
			}
			p.Contents[i] = sum[:16]
		}
		w.endUnit()
	}
	if w.n == 0 {
		return Profile{}, fmt.Errorf("%s: no instances to describe", s.Name)
	}
	p.Instances, p.Concentration = w.n, w.squares/(float64(w.n)*float64(w.n))
	p.Features = w.profiles(p.Units)
	for j := range p.Features {
		p.Features[j].Name = s.FeatureName(j)
	}
	return p, nil
}

// classNumbers counts the bags of each class, or events.
func classNumbers(s *Set) (counts []ClassNumber) {
	if s.Kind == SurvivalTarget {
		events := 0
		for _, b := range s.Bags {
			if b.Event {
				events++
			}
		}
		return []ClassNumber{{"event", events}, {"censored", len(s.Bags) - events}}
	}
	for class := range s.NumClasses() {
		counts = append(counts, ClassNumber{s.ClassName(class), s.NumLabelled(class)})
	}
	return counts
}

// sums gathers what the profiles of features need, instance by instance (Welford) and unit by unit.
type sums struct {
	n              int
	mean, square   []float64 // so far, and the sum of the squares of differences from it
	least, largest []float32

	in      int // instances of the unit
	unit    []float64
	first   []float64 // the mean of the first unit, from which those of others are measured
	squares float64   // Σ n²
	linear  []float64 // Σ n²(x̄ − first)
	quad    []float64 // Σ n²(x̄ − first)²
}

func newSums(features int) *sums {
	zeros := func() []float64 { return make([]float64, features) }
	w := &sums{mean: zeros(), square: zeros(), unit: zeros(), linear: zeros(), quad: zeros(), least: make([]float32, features), largest: make([]float32, features)}
	for j := range features {
		w.least[j], w.largest[j] = math.MaxFloat32, -math.MaxFloat32
	}
	return w
}

// add adds an instance of the unit.
func (w *sums) add(row []float32) {
	w.n++
	w.in++
	share := 1 / float64(w.n)
	for j, v := range row {
		x := float64(v)
		d := x - w.mean[j]
		w.mean[j] += d * share
		w.square[j] += d * (x - w.mean[j])
		w.unit[j] += x
		w.least[j], w.largest[j] = min(w.least[j], v), max(w.largest[j], v)
	}
}

// endUnit ends a unit.
func (w *sums) endUnit() {
	if w.in == 0 {
		return
	}
	n := float64(w.in)
	for j := range w.unit {
		w.unit[j] /= n
	}
	if w.first == nil {
		w.first = append(w.first, w.unit...)
	}
	w.squares += n * n
	for j, x := range w.unit {
		d := x - w.first[j]
		w.linear[j] += n * n * d
		w.quad[j] += n * n * d * d
	}
	clear(w.unit)
	w.in = 0
}

// profiles returns the features of so many units.
func (w *sums) profiles(units int) []FeatureProfile {
	all := make([]FeatureProfile, len(w.mean))
	for j := range all {
		f := &all[j]
		f.Mean, f.Least, f.Largest = w.mean[j], float64(w.least[j]), float64(w.largest[j])
		f.SD = math.Sqrt(w.square[j] / float64(w.n))
		if f.SD <= constantFeature*max(1, math.Abs(f.Mean)) {
			f.SD = 0
		}
		if units > 1 && f.SD > 0 {
			off := f.Mean - w.first[j]
			between := (w.quad[j] - 2*off*w.linear[j] + off*off*w.squares) / w.squares
			f.Between = math.Sqrt(max(0, between) * float64(units) / float64(units-1))
		}
	}
	return all
}

// Validate reports what of a profile of so many features cannot be.
func (p Profile) Validate(features int) error {
	if p.Bags < 1 || p.Instances < 1 || p.Units < 1 || p.Units > p.Bags || p.Groups < 0 || !(p.Concentration > 0 && p.Concentration <= 1+1e-9) {
		return fmt.Errorf("%d bags, %d instances, %d units, concentration %v", p.Bags, p.Instances, p.Units, p.Concentration)
	}
	if len(p.Features) != features {
		return fmt.Errorf("%d profiles for %d features", len(p.Features), features)
	}
	for j, f := range p.Features {
		if !(f.SD >= 0) || !(f.Between >= 0) || !(f.Least <= f.Largest) || f.Mean-f.Mean != 0 {
			return fmt.Errorf("feature %d has mean %v, deviation %v and range %v to %v", j+1, f.Mean, f.SD, f.Least, f.Largest)
		}
	}
	return nil
}

package mil

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Profile summarises the bags of a set. It lets you compare other bags with them when the originals are no longer at
// hand.
type Profile struct {
	Bags      int           `json:"bags"`
	Instances int           `json:"instances"`
	Classes   []ClassNumber `json:"classes,omitempty"` // for survival, events and censored bags; empty for real targets
	Groups    int           `json:"groups,omitempty"`  // number of distinct groups if every bag has one, otherwise 0
	Time      float64       `json:"time,omitempty"`    // median time of a survival target

	// Units is the number of independent draws: groups, plus bags without a group ([Units]). Concentration is the sum
	// of the squares of their shares of the instances. It is 1/Units if all shares are equal.
	Units         int     `json:"units"`
	Concentration float64 `json:"concentration"`

	Features []FeatureProfile `json:"features"`

	// Contents has the first 16 digits of each bag's [ContentSum]. They identify a bag that is seen again.
	Contents []string `json:"contents,omitempty"`
}

// ClassNumber is the number of bags in a class.
type ClassNumber struct {
	Name string `json:"name"`
	Bags int    `json:"bags"`
}

// FeatureProfile summarises the values of a feature over all instances, in the unit of the feature.
type FeatureProfile struct {
	Name    string  `json:"name"` // "feature 3", counted from 1, if the set has no names
	Mean    float64 `json:"mean"`
	SD      float64 `json:"sd"` // over instances, with divisor n; 0 for a constant feature
	Least   float64 `json:"least"`
	Largest float64 `json:"largest"`

	// Between is the standard deviation of the unit means, weighted towards large units:
	//
	//	Between² = U/(U−1) × Σ n²(x̄ − Mean)² / Σ n²
	//
	// Here n is the number of instances in a unit, x̄ their mean and U the number of units. The mean over other units
	// from the same source, with shares w of the instances, has a standard error of about Between × √Σw². Between is
	// 0 for a single unit.
	Between float64 `json:"between"`
}

// Short formats a value of the feature with four digits, or with more where four would hardly tell values apart.
func (f FeatureProfile) Short(v float64) string {
	digits := 4
	if ratio := math.Abs(v) / f.SD; f.SD > 0 && ratio > 1e3 {
		digits += min(12, int(math.Log10(ratio)))
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

// FeatureName returns the name of feature j, counted from 0. If the set has no names, it returns the number, counted
// from 1.
func (s *Set) FeatureName(j int) string {
	if j < len(s.Features) {
		return s.Features[j]
	}
	return fmt.Sprintf("feature %d", j+1)
}

// Units returns the indices of the bags in each independent unit: a group, or a bag without a group. Units are in the
// order of their first bags.
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

// ProfileOf summarises the bags of a set. It reads the instances twice, in pieces. It holds a few numbers per feature
// and 32 bytes per instance of one bag. A set without instances returns an error.
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
	if s.Kind == SurvivalTarget {
		var times []float64
		for _, b := range s.Bags {
			times = append(times, b.Value)
		}
		p.Time = median(times)
	}
	p.Instances, p.Concentration = w.n, w.squares/(float64(w.n)*float64(w.n))
	p.Features = w.profiles(p.Units)
	for j := range p.Features {
		f, centre := &p.Features[j], s.Value(j, 0)
		f.Name = s.FeatureName(j)
		f.Mean, f.Least, f.Largest = f.Mean+centre, f.Least+centre, f.Largest+centre
	}
	return p, nil
}

// classNumbers counts the bags in each class, or the events.
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

// sums accumulates the sums for feature profiles, instance by instance (Welford) and unit by unit.
type sums struct {
	n              int
	mean, square   []float64 // running mean, and sum of squared differences from it
	least, largest []float32

	in      int // instances in the current unit
	unit    []float64
	first   []float64 // mean of the first unit; the means of others are taken relative to it
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

// add adds an instance of the current unit.
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

// profiles returns the feature profiles, given the number of units.
func (w *sums) profiles(units int) []FeatureProfile {
	all := make([]FeatureProfile, len(w.mean))
	for j := range all {
		f := &all[j]
		f.Mean, f.Least, f.Largest = w.mean[j], float64(w.least[j]), float64(w.largest[j])
		f.SD = math.Sqrt(w.square[j] / float64(w.n))
		if f.SD <= constantFeature*math.Abs(f.Mean) {
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

// Validate returns an error if p is not a valid profile of this many features.
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

// ClassesText says how many bags each class has: 45 negative, 47 positive.
func ClassesText(classes []ClassNumber) string {
	var parts []string
	for _, c := range classes {
		parts = append(parts, fmt.Sprintf("%d %s", c.Bags, c.Name))
	}
	return strings.Join(parts, ", ")
}

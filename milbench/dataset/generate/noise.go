package generate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"synpool/internal/spelling"
	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// NoiseKind names a kind of noise.
type NoiseKind string

// The kinds of noise. A term is a non-zero value of an instance together with its column.
const (
	GaussianNoise NoiseKind = "gaussian"       // adds a normal number to every value, by the variance of its feature
	PowerNoise    NoiseKind = "gaussian-power" // adds a normal number to every value, by the power of all values
	Deletion      NoiseKind = "deletion"       // sets the value of a term to 0
	Replacement   NoiseKind = "replacement"    // moves the value of a term to a random column where the instance has 0
	Swap          NoiseKind = "swap"           // exchanges the values of two terms
)

// NoiseKinds lists the kinds of noise.
var NoiseKinds = []NoiseKind{GaussianNoise, PowerNoise, Deletion, Replacement, Swap}

// Noise adds noise to the instances of bags.
//
// The level of Gaussian noise is a signal-to-noise ratio in dB. The noise in feature j has mean 0 and standard
// deviation sd_j 10^(-Level/20), where sd_j is that of the feature over all instances of the set. The ratio is
// therefore the same for every feature, whatever its unit. A constant feature does not change. At 0 dB there is as
// much noise as signal.
//
// With [PowerNoise] it has the same standard deviation p 10^(-Level/20) in every feature, where p² is the mean of the squares of all values
// of the set. This is white noise as awgn of MATLAB adds it to a measured signal. It drowns features of small numbers, and counts a
// mean as signal.
//
// The other kinds are for vectors of unordered terms. Their level is the share of an instance's terms to change:
// level times terms, rounded to the nearest integer (halves up), and at least 1 term if the level is above 0 and the
// instance has one. Swap changes disjoint pairs of terms. The same rule gives their number as a share of half the
// terms, rounded down; an instance with a single term does not change. Replacement stops when no unused column is
// left.
//
// The noise of a bag depends only on the seed, the bag's id, the kind and the level, and for Gaussian noise on the
// deviations of the features, or the power. Other bags have no influence. Levels with the same seed are nested: a term changed at
// 10 % changes in the same way at 20 %, and Gaussian noise differs only in size.
type Noise struct {
	Kind  NoiseKind `json:"kind"`
	Level float64   `json:"level"` // dB for both kinds of Gaussian noise, otherwise a share in [0, 1]
	Seed  uint64    `json:"seed"`
}

// maxDecibel limits the ratio. Beyond it, the noise or the values would vanish in rounding.
const maxDecibel = 300

// Validate returns an error for an unknown kind or a level out of range.
func (n Noise) Validate() error {
	switch {
	case !slices.Contains(NoiseKinds, n.Kind):
		return fmt.Errorf("noise %q: there is no such kind; %s", n.Kind, spelling.Hint(n.Kind, NoiseKinds))
	case n.gaussian() && !(math.Abs(n.Level) <= maxDecibel):
		return fmt.Errorf("noise %s: signal-to-noise ratio %v; give dB from -%d to %[3]d", n.Kind, n.Level, maxDecibel)
	case !n.gaussian() && !(n.Level >= 0 && n.Level <= 1):
		return fmt.Errorf("noise %s: level %v; give the share of terms, from 0 to 1", n.Kind, n.Level)
	}
	return nil
}

func (n Noise) gaussian() bool { return n.Kind == GaussianNoise || n.Kind == PowerNoise }

// String returns the name of the noise, for example "gaussian(10dB)" or "deletion(0.2)".
func (n Noise) String() string {
	unit := ""
	if n.gaussian() {
		unit = "dB"
	}
	return fmt.Sprintf("%s(%v%s)", n.Kind, n.Level, unit)
}

// Apply returns s with noise in all bags, in the same order. Labels, groups and the split do not change. Gaussian
// noise leaves no zeros, so its bags are dense. The result shares no values with s. Its name includes the noise, for
// example "web1+deletion(0.2)".
func (n Noise) Apply(s *mil.Set) (*mil.Set, error) {
	if err := n.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	if len(s.Missing)+len(s.Words) > 0 {
		return nil, fmt.Errorf("%s: noise is for numbers; the set has missing values or words of a categorical column", s.Name)
	}
	noisy := *s
	noisy.Name = s.Name + "+" + n.String()
	noisy.Bags = slices.Clone(s.Bags)
	if n.gaussian() {
		for i, b := range s.Bags {
			dense, err := mil.ToDense(b.Instances)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
			noisy.Bags[i].Instances = dense
		}
		sizes := deviations(noisy.Bags)
		if n.Kind == PowerNoise {
			p := power(noisy.Bags)
			for j := range sizes {
				sizes[j] = p
			}
		}
		ratio := float64(float32(math.Pow(10, -n.Level/20))) // rounded, because the last bits of a power differ between processors
		for j := range sizes {
			sizes[j] *= ratio
		}
		for i, b := range noisy.Bags {
			noisy.Bags[i].Instances = n.add(b, sizes)
		}
	} else {
		for i, b := range s.Bags {
			var err error
			if noisy.Bags[i].Instances, err = n.terms(b); err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
		}
	}
	return &noisy, noisy.Seal()
}

// random returns the random stream for one instance of a bag. All levels share it.
func (n Noise) random(bag string, row int) *rand.Rand {
	return cv.Rand(n.Seed, fmt.Sprintf("%s noise of bag %s", n.Kind, bag), row)
}

// add returns a dense bag with normal noise added, with these standard deviations.
func (n Noise) add(b mil.Bag, sizes []float64) *mil.Dense {
	m := *b.Instances.(*mil.Dense)
	m.Values = slices.Clone(m.Values)
	for i := range m.Rows {
		random, row := &normals{Rand: n.random(b.ID, i)}, m.Row(i)
		for j, size := range sizes {
			row[j] = float32(float64(row[j]) + float64(size*random.next()))
		}
	}
	return &m
}

// deviations returns the standard deviation of each feature over the instances of dense bags, rounded identically on
// every machine. For a constant feature it is 0.
func deviations(bags []mil.Bag) []float64 {
	if len(bags) == 0 {
		return nil
	}
	features, count := bags[0].Instances.Features(), 0
	mean, square := make([]float64, features), make([]float64, features)
	low, high := make([]float64, features), make([]float64, features)
	for j := range low {
		low[j], high[j] = math.Inf(1), math.Inf(-1)
	}
	for _, b := range bags {
		count += b.Instances.Len()
	}
	each := func(f func(j int, v float64)) {
		for _, b := range bags {
			_ = mil.EachValue(b.Instances, func(_, j int, v float32) { f(j, float64(v)) }) // in memory there is no error
		}
	}
	each(func(j int, v float64) {
		mean[j] += v / float64(count)
		low[j], high[j] = min(low[j], v), max(high[j], v)
	})
	each(func(j int, v float64) {
		d := v - mean[j]
		square[j] += float64(d * d)
	})
	for j := range square {
		square[j] = math.Sqrt(square[j] / float64(count))
		if low[j] == high[j] {
			square[j] = 0 // the mean of equal values may be rounded
		}
	}
	return square
}

// power returns the root of the mean square of the values of dense bags, rounded identically on every machine.
func power(bags []mil.Bag) float64 {
	var square float64
	count := 0
	for _, b := range bags {
		count += b.Instances.Len() * b.Instances.Features()
		_ = mil.EachValue(b.Instances, func(_, _ int, v float32) { square += float64(float64(v) * float64(v)) }) // in memory there is no error
	}
	return math.Sqrt(square / float64(max(count, 1)))
}

// term is a non-zero value.
type term struct {
	column int32
	value  float32
}

// terms returns the instances of a bag with noise in their terms, dense or sparse as before.
func (n Noise) terms(b mil.Bag) (mil.Instances, error) {
	from, err := mil.ToSparse(b.Instances)
	if err != nil {
		return nil, err
	}
	rows := &mil.Sparse{Cols: from.Cols, RowStart: []int{0}}
	var row []term
	for i := range from.Rows {
		row = row[:0]
		columns, values := from.Row(i)
		for k, j := range columns {
			if values[k] != 0 {
				row = append(row, term{j, values[k]})
			}
		}
		row = n.touch(row, from.Cols, n.random(b.ID, i))
		slices.SortFunc(row, func(a, b term) int { return cmp.Compare(a.column, b.column) })
		for _, t := range row {
			rows.Column, rows.Values = append(rows.Column, t.column), append(rows.Values, t.value)
		}
		rows.EndRow()
	}
	if mil.IsSparse(b.Instances) {
		return rows, nil
	}
	return mil.ToDense(rows)
}

// touch changes the terms of an instance in place. It draws a permutation first and changes its first elements.
func (n Noise) touch(row []term, columns int, random *rand.Rand) []term {
	order := random.Perm(len(row))
	switch n.Kind {
	case Deletion:
		deleted := make([]bool, len(row))
		for _, k := range order[:touched(n.Level, len(row))] {
			deleted[k] = true
		}
		var kept []term
		for k, t := range row {
			if !deleted[k] {
				kept = append(kept, t)
			}
		}
		return kept
	case Replacement:
		used := make(map[int32]bool, 2*len(row))
		for _, t := range row {
			used[t.column] = true
		}
		for _, k := range order[:min(touched(n.Level, len(row)), columns-len(row))] {
			to := int32(random.IntN(columns))
			for used[to] {
				to = int32(random.IntN(columns))
			}
			used[to] = true
			row[k].column = to
		}
	case Swap:
		for pair := range touched(n.Level, len(row)/2) {
			a, b := order[2*pair], order[2*pair+1]
			row[a].value, row[b].value = row[b].value, row[a].value
		}
	}
	return row
}

// touched returns how many of n terms, or pairs of terms, to change at a level, see [Noise].
func touched(level float64, n int) int {
	if level == 0 {
		return 0
	}
	return min(max(int(math.Round(level*float64(n))), 1), n)
}

package generate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"synpool/milbench/mil"
)

// termSet returns a set of term vectors: rows with 0 to 60 terms with distinct values in 80 columns.
func termSet(seed uint64, bags int, dense bool) *mil.Set {
	random := rand.New(rand.NewPCG(seed, 1))
	s := &mil.Set{Name: "terms"}
	for i := range bags {
		m := &mil.Sparse{Cols: 80, RowStart: []int{0}}
		for range 1 + random.IntN(6) {
			columns := random.Perm(80)[:random.IntN(61)]
			slices.Sort(columns)
			for _, j := range columns {
				m.Column, m.Values = append(m.Column, int32(j)), append(m.Values, 1+random.Float32())
			}
			m.EndRow()
		}
		b := mil.Bag{ID: fmt.Sprint("bag", i), Target: mil.Labelled(i % 2), Instances: m}
		if dense {
			b.Instances, _ = mil.ToDense(m) // there is no error in memory
		}
		s.Bags = append(s.Bags, b)
	}
	s.Checksum = sum(s.Bags)
	return s
}

// rowOf returns the terms of an instance.
func rowOf(m mil.Instances, i int) (columns []int, values []float64) {
	for j, v := range rowAt(m, i) {
		if v != 0 {
			columns, values = append(columns, j), append(values, v)
		}
	}
	return columns, values
}

func sorted(values []float64) []float64 { return slices.Sorted(slices.Values(values)) }

// changed counts the columns whose value differs.
func changed(a, b mil.Instances, i int) (n int) {
	x, y := rowAt(a, i), rowAt(b, i)
	for j := range x {
		if x[j] != y[j] {
			n++
		}
	}
	return n
}

// nearest returns level times n, rounded (halves up), and at least 1.
func nearest(level float64, n int) int {
	if n == 0 || level == 0 {
		return 0
	}
	return max(1, int(level*float64(n)+0.5))
}

// The laws of noise in terms, for every instance: how many terms change and what does not.
func TestNoiseInTerms(t *testing.T) {
	for _, dense := range []bool{false, true} {
		s := termSet(1, 40, dense)
		before := s.Checksum
		for _, kind := range []NoiseKind{Deletion, Replacement, Swap} {
			for _, level := range []float64{0, 0.01, 0.1, 0.2, 0.4, 1} {
				noisy, err := Noise{kind, level, 3}.Apply(s)
				must(t, err)
				if sum(s.Bags) != before {
					t.Fatal("the set has changed")
				}
				if (noisy.Checksum == before) != (level == 0) {
					t.Errorf("%s %v: the checksum is %s", kind, level, noisy.Checksum)
				}
				for i, b := range noisy.Bags {
					o := s.Bags[i]
					if b.ID != o.ID || b.Label != o.Label || b.Instances.Len() != o.Instances.Len() || b.Instances.Features() != 80 || mil.IsSparse(b.Instances) == dense {
						t.Fatalf("%s %v: bag %s of %d instances", kind, level, b.ID, b.Instances.Len())
					}
					for row := range b.Instances.Len() {
						columns, values := rowOf(b.Instances, row)
						wasColumns, wasValues := rowOf(o.Instances, row)
						terms, same := len(wasColumns), changed(o.Instances, b.Instances, row)
						if mil.IsSparse(b.Instances) && !slices.IsSorted(columns) {
							t.Fatalf("%s %v: columns %v", kind, level, columns)
						}
						ok := true
						switch kind {
						case Deletion:
							ok = len(values) == terms-nearest(level, terms) && same == nearest(level, terms)
						case Replacement:
							moved := min(nearest(level, terms), 80-terms)
							kept := 0
							for _, j := range columns {
								if slices.Contains(wasColumns, j) {
									kept++
								}
							}
							ok = slices.Equal(sorted(values), sorted(wasValues)) && kept == terms-moved && same == 2*moved
						case Swap:
							ok = slices.Equal(columns, wasColumns) && slices.Equal(sorted(values), sorted(wasValues)) && same == 2*nearest(level, terms/2)
						}
						if !ok {
							t.Fatalf("%s %v: bag %s, instance %d: terms %v %v, before %v %v", kind, level, b.ID, row, columns, values, wasColumns, wasValues)
						}
					}
				}
			}
		}
	}
}

// A set gives the same noisy set whether it is dense or sparse.
func TestNoiseForms(t *testing.T) {
	for _, n := range []Noise{{Deletion, 0.2, 1}, {Replacement, 0.2, 1}, {Swap, 0.2, 1}, {GaussianNoise, 10, 1}} {
		sparse, err := n.Apply(termSet(2, 12, false))
		must(t, err)
		dense, err := n.Apply(termSet(2, 12, true))
		if err != nil || dense.Checksum != sparse.Checksum {
			t.Errorf("%v: sparse %s, dense %s (%v)", n, sparse.Checksum, dense.Checksum, err)
		}
	}
}

// Each term is deleted, moved or exchanged with equal probability, and moves to any free column.
func TestNoiseUniform(t *testing.T) {
	m := &mil.Dense{Rows: 1, Cols: 12, Values: []float32{1, 2, 3, 4, 5, 0, 0, 0, 0, 0, 0, 0}}
	s := &mil.Set{Name: "one", Bags: []mil.Bag{{ID: "a", Instances: m}}}
	const seeds = 4000
	for _, kind := range []NoiseKind{Deletion, Replacement, Swap} {
		var left, reached [12]int
		for seed := range uint64(seeds) {
			noisy, err := Noise{kind, 0.4, seed}.Apply(s)
			must(t, err)
			for j, v := range values(noisy.Bags[0].Instances) {
				if v != m.Values[j] {
					left[j]++
					if v != 0 {
						reached[j]++
					}
				}
			}
		}
		for j := range 12 {
			want, count := 0.4, left[j]
			if j >= 5 {
				want, count = 0, reached[j]
				if kind == Replacement {
					want = 2.0 / 7
				}
			}
			if got := float64(count) / seeds; math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/seeds) {
				t.Errorf("%s: column %d changes with the share %v, want %v", kind, j, got, want)
			}
		}
	}
}

// Levels are nested, the noise of a bag does not depend on other bags, and the seed matters.
func TestNoiseStreams(t *testing.T) {
	s := termSet(4, 20, false)
	for _, kind := range []NoiseKind{Deletion, Replacement, Swap} {
		apply := func(level float64, seed uint64, s *mil.Set) *mil.Set {
			noisy, err := Noise{kind, level, seed}.Apply(s)
			must(t, err)
			return noisy
		}
		low, high := apply(0.1, 1, s), apply(0.4, 1, s)
		for i, b := range s.Bags {
			for row := range b.Instances.Len() {
				was, little, much := rowAt(b.Instances, row), rowAt(low.Bags[i].Instances, row), rowAt(high.Bags[i].Instances, row)
				for j := range was {
					if little[j] != was[j] && much[j] != little[j] {
						t.Fatalf("%s: bag %s, instance %d, column %d: %v, at 10 %% %v, at 40 %% %v", kind, b.ID, row, j, was[j], little[j], much[j])
					}
				}
			}
		}
		few := *s
		few.Bags = []mil.Bag{s.Bags[7], s.Bags[2]}
		if alone := apply(0.2, 1, &few); sum(alone.Bags[:1]) != sum(apply(0.2, 1, s).Bags[7:8]) {
			t.Errorf("%s: the noise of a bag depends on others", kind)
		}
		first, again, other := apply(0.2, 1, s), apply(0.2, 1, s), apply(0.2, 2, s)
		if first.Checksum != again.Checksum || first.Checksum == other.Checksum {
			t.Errorf("%s: the seed does not fix the noise", kind)
		}
	}
}

// The signal-to-noise ratio is as requested in every feature, by its variance or by the power of all values, and the noise has mean 0.
func TestGaussianNoise(t *testing.T) {
	s := normalSet(5, 400, 6)
	for i := range s.Bags {
		m := s.Bags[i].Instances.(*mil.Dense)
		for k := range m.Values { // features in different units, one of them constant
			if m.Values[k] *= float32(math.Pow(10, float64(k%6-2))); k%6 == 5 {
				m.Values[k] = 0.1
			}
			m.Values[k] += 7
		}
	}
	var all []float64
	for _, b := range s.Bags {
		for _, v := range values(b.Instances) {
			all = append(all, float64(v))
		}
	}
	root := floats.Norm(all, 2) / math.Sqrt(float64(len(all)))
	signals := map[NoiseKind][]float64{GaussianNoise: deviations(s.Bags), PowerNoise: {root, root, root, root, root, root}}
	for _, n := range []Noise{{GaussianNoise, 20, 2}, {GaussianNoise, 0, 2}, {GaussianNoise, -5, 2}, {PowerNoise, 20, 2}, {PowerNoise, -5, 2}} {
		level, signal := n.Level, signals[n.Kind]
		noisy, err := n.Apply(s)
		must(t, err)
		var sum, square [6]float64
		count := float64(s.NumInstances())
		for i, b := range noisy.Bags {
			for k, v := range values(b.Instances) {
				d := float64(v) - float64(values(s.Bags[i].Instances)[k])
				sum[k%6], square[k%6] = sum[k%6]+d, square[k%6]+d*d
			}
		}
		for j := range 5 {
			power := square[j] / count
			ratio := 10 * math.Log10(signal[j]*signal[j]/power)
			if math.Abs(ratio-level) > 5*10/math.Ln10*math.Sqrt(2/count) { // the error of the logarithm of a variance
				t.Errorf("%v, feature %d: %v dB", n, j, ratio)
			}
			if mean := sum[j] / count; math.Abs(mean) > 5*math.Sqrt(power/count) {
				t.Errorf("feature %d: noise of mean %v", j, mean)
			}
		}
		if n.Kind == GaussianNoise && square[5] != 0 {
			t.Errorf("noise in a constant feature")
		}
	}
}

// At another level Gaussian noise differs only in size.
func TestGaussianNoiseNested(t *testing.T) {
	s := normalSet(6, 10, 4)
	ten, err := Noise{GaussianNoise, 10, 2}.Apply(s)
	must(t, err)
	thirty, err := Noise{GaussianNoise, 30, 2}.Apply(s)
	must(t, err)
	for i, b := range s.Bags {
		for k, v := range values(b.Instances) { // rounded to float32; values and noise are of size 1
			a, b := float64(values(ten.Bags[i].Instances)[k]-v), float64(values(thirty.Bags[i].Instances)[k]-v)
			if math.Abs(a-10*b) > 1e-5 {
				t.Fatalf("noise %v at 10 dB and %v at 30 dB", a, b)
			}
		}
	}
	if ten.Name != "noise+gaussian(10dB)" {
		t.Error(ten.Name)
	}
}

func TestNoiseRefuses(t *testing.T) {
	s := termSet(1, 2, false)
	for want, n := range map[string]Noise{
		`noise "gausian": there is no such kind; did you mean "gaussian"?`:                                  {"gausian", 10, 1},
		`noise "": there is no such kind; use one of gaussian, gaussian-power, deletion, replacement, swap`: {"", 10, 1},
		"noise gaussian: signal-to-noise ratio NaN; give dB from -300 to 300":                               {GaussianNoise, math.NaN(), 1},
		"noise gaussian-power: signal-to-noise ratio +Inf":                                                  {PowerNoise, math.Inf(1), 1},
		"noise deletion: level 10; give the share of terms, from 0 to 1":                                    {Deletion, 10, 1},
		"noise swap: level -0.1":       {Swap, -0.1, 1},
		"noise replacement: level NaN": {Replacement, math.NaN(), 1},
	} {
		_, err := n.Apply(s)
		requireOneLine(t, err, "terms", want)
	}
	empty, err := Noise{GaussianNoise, 10, 1}.Apply(&mil.Set{Name: "empty"})
	if err != nil || len(empty.Bags) != 0 || !strings.HasPrefix(empty.Name, "empty+") {
		t.Errorf("%+v, %v", empty, err)
	}
}

// TestNoisePrepared: noise is refused if it would change the indicators of missing values.
func TestNoisePrepared(t *testing.T) {
	bags := []mil.Bag{{ID: "a", Instances: &mil.Dense{Rows: 1, Cols: 2, Values: []float32{0, 1}}}}
	for _, s := range []*mil.Set{
		{Name: "holes", Bags: bags, Missing: []mil.Missing{{Feature: 0, Indicator: 1}}},
		{Name: "words", Bags: bags, Words: []int{1}},
	} {
		for _, kind := range []NoiseKind{GaussianNoise, Deletion} {
			n := Noise{Kind: kind, Level: 0.5, Seed: 1}
			if _, err := n.Apply(s); err == nil || !strings.Contains(err.Error(), s.Name+": noise is for numbers") {
				t.Errorf("%v: %v", n, err)
			}
		}
	}
}

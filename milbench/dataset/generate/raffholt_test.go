package generate

import (
	"math"
	"slices"
	"testing"

	"synpool/milbench/mil"
)

// kind returns the distribution that an instance was drawn from, or "". It uses the mean of the features (256
// features: distributions that differ only in their means are 16 standard errors apart) and their spread.
func kind(row []float64) string {
	n, mean, square := float64(len(row)), 0.0, 0.0
	for _, v := range row {
		mean += v / n
	}
	for _, v := range row {
		square += (v - mean) * (v - mean) / n
	}
	sd := math.Sqrt(square)
	is := func(d Normal) bool {
		return math.Abs(mean-d.Mean) < 5*d.SD/math.Sqrt(n) && math.Abs(sd-d.SD) < 5*d.SD/math.Sqrt(2*n)
	}
	found := ""
	for name, d := range map[string]Normal{
		"background": background, "wide": wideConcept, "shifted": shiftConcept,
		"first": firstConcept, "second": secondConcept, "poison": poison,
	} {
		if is(d) {
			found += name
		}
	}
	return found
}

// Every bag of every test follows the algorithms, and each choice is made with the right frequency, within five
// standard errors.
func TestDrawRaffHolt(t *testing.T) {
	type counts map[string]int
	for test, legal := range map[RaffHoltTest]func(n counts, train, positive bool) bool{
		SingleConcept: func(n counts, train, positive bool) bool {
			concepts := n["wide"] + n["shifted"]
			return n["background"] == 10 && n["first"]+n["second"] == 0 && (n["poison"] == 1) == (train != positive) &&
				(positive && concepts >= 1 && concepts <= 3 || !positive && concepts == 0)
		},
		MultipleConcepts: func(n counts, train, positive bool) bool {
			first, second := n["first"], n["second"]
			return n["background"] >= 1 && n["background"] <= 9 && n["wide"]+n["shifted"] == 0 && (n["poison"] == 1) == (train != positive) &&
				(positive && first >= 1 && first <= 3 && second >= 1 && second <= 3 || !positive && first+second == 1)
		},
		FalseFrequency: func(n counts, train, positive bool) bool {
			first, second := n["first"], n["second"]
			return n["background"] >= 1 && n["background"] <= 9 && n["wide"]+n["shifted"]+n["poison"] == 0 &&
				(positive && first == 1 && second == 1 || !positive && second == 0 && (train && first == 1 || !train && first >= 35 && first <= 44))
		},
	} {
		c := DefaultRaffHolt(test)
		c.Features, c.TrainBags, c.TestBags, c.Seed = 256, 1000, 600, 7
		s, err := DrawRaffHolt(c)
		must(t, err)
		var bags [2][2]int // by part and label
		sizes := map[int]int{}
		wide, shifted, positives := 0, 0, 0
		firstRow := 0 // positive instances at the first place in their bag
		for i, b := range s.Bags {
			train := b.Split == mil.TrainPart
			if train != (i < c.TrainBags) {
				t.Fatalf("test %d: bag %s is in the part %s", test, b.ID, b.Split)
			}
			if train {
				bags[0][b.Label]++
			} else {
				bags[1][b.Label]++
			}
			n := counts{}
			for k := range b.Instances.Len() {
				row := rowAt(b.Instances, k)
				name := kind(row)
				n[name]++
				concept := name != "background" && name != "poison"
				if (s.InstanceLabels[i][k] == 1) != (concept && b.Label == 1) {
					t.Fatalf("test %d: instance label %v of %q in a bag of label %d", test, s.InstanceLabels[i][k], name, b.Label)
				}
			}
			if n[""] > 0 || len(s.InstanceLabels[i]) != b.Instances.Len() || !legal(n, train, b.Label == 1) {
				t.Fatalf("test %d: bag %s of label %d in the part %s holds %v", test, b.ID, b.Label, b.Split, n)
			}
			if b.Label == 1 {
				positives++
				if s.InstanceLabels[i][0] == 1 {
					firstRow++
				}
			}
			sizes[n["background"]]++
			wide, shifted = wide+n["wide"], shifted+n["shifted"]
		}
		if bags != [2][2]int{{500, 500}, {300, 300}} {
			t.Errorf("test %d: bags by part and label: %v", test, bags)
		}
		within := func(what string, n, of int, p float64) {
			t.Helper()
			if got := float64(n) / float64(of); math.Abs(got-p) > 5*math.Sqrt(p*(1-p)/float64(of)) {
				t.Errorf("test %d: %s: a share of %v, want about %v", test, what, got, p)
			}
		}
		if test == SingleConcept {
			within("wide concept", wide, wide+shifted, 0.5)
			// 1, 2 or 3 concepts with 10 background instances and, in the test part, a poison; the parts have weights
			// 5 and 3.
			first := (5*(1.0/11+2.0/12+3.0/13) + 3*(1.0/12+2.0/13+3.0/14)) / (8 * 3)
			within("concept in front", firstRow, positives, first)
		} else {
			for size := 1; size <= 9; size++ {
				within("bags with so many background instances", sizes[size], len(s.Bags), 1.0/9)
			}
		}
	}
}

// Bags of a part do not depend on the number of bags, and the seed determines all of them.
func TestDrawRaffHoltSeeds(t *testing.T) {
	for test := SingleConcept; test <= FalseFrequency; test++ {
		c := DefaultRaffHolt(test)
		c.TrainBags, c.TestBags = 20, 10
		one, err := DrawRaffHolt(c)
		must(t, err)
		again, err := DrawRaffHolt(c)
		if err != nil || again.Checksum != one.Checksum {
			t.Errorf("the same seed gives another set (%v)", err)
		}
		c.TrainBags = 14
		fewer, err := DrawRaffHolt(c)
		must(t, err)
		for i, b := range fewer.Bags {
			if i >= 14 {
				i += 6
			}
			if !slices.Equal(values(b.Instances), values(one.Bags[i].Instances)) {
				t.Errorf("bag %s of fewer is another", b.ID)
			}
		}
		c.Seed++
		if other, err := DrawRaffHolt(c); err != nil || slices.Equal(values(other.Bags[0].Instances), values(one.Bags[0].Instances)) {
			t.Errorf("another seed gives the same bag (%v)", err)
		}
	}
}

func TestDrawRaffHoltRefuses(t *testing.T) {
	for want, spoil := range map[string]func(*RaffHoltConfig){
		"test 0; give 1, 2 or 3":         func(c *RaffHoltConfig) { c.Test = 0 },
		"test 4; give":                   func(c *RaffHoltConfig) { c.Test = 4 },
		"1 training and 500 test bags":   func(c *RaffHoltConfig) { c.TrainBags = 1 },
		"0 test bags; parts differ":      func(c *RaffHoltConfig) { c.TestBags = 0 },
		"0 features; give at least 1":    func(c *RaffHoltConfig) { c.Features = 0 },
		"0 background instances":         func(c *RaffHoltConfig) { c.Negatives = 0 },
		"values; draw fewer":             func(c *RaffHoltConfig) { c.TrainBags = math.MaxInt / 2 },
		"features are more than 2684354": func(c *RaffHoltConfig) { c.Features = math.MaxInt / 2 },
	} {
		c := DefaultRaffHolt(SingleConcept)
		spoil(&c)
		_, err := DrawRaffHolt(c)
		name := "raffholt1"
		if c.Test != SingleConcept {
			name = "raffholt"
		}
		requireOneLine(t, err, name, want)
	}
}

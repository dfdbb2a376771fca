package calibrate

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"synpool/internal/goldenfile"
	"synpool/internal/large"
)

// unitsBy returns the items of each group, in the order of the groups' first items.
func unitsBy(groups []int) (units [][]int) {
	at := make(map[int]int)
	for i, g := range groups {
		u, known := at[g]
		if !known {
			u = len(units)
			at[g], units = u, append(units, nil)
		}
		units[u] = append(units[u], i)
	}
	return units
}

type goldenConformal struct {
	Sets []struct {
		Name    string
		Classes int
		Labels  []int
		Scores  [][]float64
		Groups  []int
		Probes  [][]float64
		P       [][]float64
	}
	Numbers []struct {
		Name                 string
		Level                float64
		Targets, Predictions []float64
		Groups               []int
		HalfWidth            float64 `json:"half_width"`
	}
}

// TestConformalGolden compares with crepes, MAPIE and exact fractions (testdata/conformal.py).
func TestConformalGolden(t *testing.T) {
	golden := goldenfile.Read[goldenConformal](t, "conformal.json")
	if len(golden.Sets) < 7 || len(golden.Numbers) < 8 {
		t.Fatalf("%d and %d cases", len(golden.Sets), len(golden.Numbers))
	}
	for _, g := range golden.Sets {
		c, err := FitSets(DefaultLevel, g.Classes, g.Labels, g.Scores, unitsBy(g.Groups))
		must(t, err)
		agreeOn := 0
		for i, z := range g.Probes {
			p, err := c.PValues(z)
			must(t, err)
			set, err := c.Set(z)
			must(t, err)
			for k := range p {
				if !near(p[k], g.P[i][k], exact) {
					t.Errorf("%s: class %d of %v has p %.17g, want %.17g", g.Name, k, z, p[k], g.P[i][k])
				}
				if slices.Contains(set, k) != (g.P[i][k] > 0.1+1e-12) {
					t.Errorf("%s: set %v by %v", g.Name, set, g.P[i])
				}
				agreeOn++
			}
		}
		if agreeOn != 25*g.Classes {
			t.Errorf("%s: %d p-values", g.Name, agreeOn)
		}
	}
	for _, g := range golden.Numbers {
		c, err := FitIntervals(g.Level, g.Targets, g.Predictions, unitsBy(g.Groups))
		if err != nil || !near(c.HalfWidth(), g.HalfWidth, exact) {
			t.Errorf("%s: ± %v, %v; want %v", g.Name, c.HalfWidth(), err, g.HalfWidth)
		}
	}
}

// TestConformalLaw: of any n+1 scores, each one held back in turn, at least the level is covered by the others. This is the
// guarantee for exchangeable bags, without chance. Where groups have several scores it holds for the share of a group, on average over groups. It holds
// for equal scores, too, which are those of a useless learner.
func TestConformalLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for range large.Number(400, 4000) {
		groups := make([][]float64, 2+rng.IntN(30))
		most, values := 1+rng.IntN(5), 1+rng.IntN(40)
		for g := range groups {
			for range 1 + rng.IntN(most) {
				groups[g] = append(groups[g], float64(rng.IntN(values)+g%3)) // groups differ
			}
		}
		level := []float64{0.5, 0.8, 0.9, 0.95, rng.Float64()}[rng.IntN(5)]
		covered := 0.0
		for g, held := range groups {
			var scores []float64
			var units [][]int
			for other, some := range groups {
				var unit []int
				for _, s := range some {
					if other != g {
						unit, scores = append(unit, len(scores)), append(scores, s)
					}
				}
				units = append(units, unit)
			}
			sample := newNonconformity(scores, units)
			must(t, sample.validate())
			largest := sample.Largest(level)
			for _, s := range held {
				inside := within(sample.PValue(s), level)
				if inside != (s <= largest) {
					t.Fatalf("score %v has p %v, the largest inside is %v", s, sample.PValue(s), largest)
				}
				if inside {
					covered += 1 / float64(len(held)*len(groups))
				}
			}
		}
		if covered < level-1e-9 {
			t.Errorf("%d groups of at most %d bags: coverage %v at level %v", len(groups), most, covered, level)
		}
	}
}

// TestConformalTight: without ties and groups, coverage is above the level by less than one step of n+1.
func TestConformalTight(t *testing.T) {
	for n := 1; n < 60; n++ {
		scores := make([]float64, n)
		for i := range scores {
			scores[i] = float64(2*i + 1)
		}
		units, err := unitsOf(nil, n)
		must(t, err)
		sample := newNonconformity(scores, units)
		for _, level := range []float64{0.5, 0.75, 0.8, 0.9, 0.95, 0.99} {
			covered := 0
			for place := range n + 1 { // the new score is at each place among the others with the same probability
				if within(sample.PValue(float64(2*place)), level) {
					covered++
				}
			}
			if want := math.Ceil(level*float64(n+1) - 1e-9); float64(covered) != want {
				t.Errorf("%d bags at %v: %d of %d places, want %v", n, level, covered, n+1, want)
			}
			if endless := math.IsInf(sample.Largest(level), 1); endless != (n < least(level)) {
				t.Errorf("%d bags at %v: largest %v, least %d", n, level, sample.Largest(level), least(level))
			}
		}
	}
	for level, want := range map[float64]int{0.5: 1, 0.8: 4, 0.9: 9, 0.95: 19, 0.99: 99, 0.85: 6} {
		if least(level) != want {
			t.Errorf("least of %v is %d, want %d", level, least(level), want)
		}
	}
}

// TestSetsLaw: each class is covered at the level, however rare, by the scores of informative, random and constant learners, and a
// change of the unit of scores changes no set.
func TestSetsLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	learners := map[string]func(label, classes int) []float64{
		"informative": func(y, classes int) []float64 {
			z := make([]float64, width(classes))
			for k := range z {
				z[k] = rng.NormFloat64()
			}
			if classes == 2 {
				z[0] += 3*float64(y) - 1
			} else {
				z[y] += 2
			}
			return z
		},
		"random": func(_, classes int) []float64 {
			z := make([]float64, width(classes))
			z[0] = rng.NormFloat64()
			return z
		},
		"constant": func(_, classes int) []float64 { return make([]float64, width(classes)) },
	}
	for _, name := range slices.Sorted(maps.Keys(learners)) {
		score := learners[name]
		for _, classes := range []int{2, 3} {
			covered, tested, trials := make([]float64, classes), make([]float64, classes), large.Number(1500, 15000)
			for range trials {
				var labels []int
				var scores [][]float64
				for i := range 60 {
					y := 0
					if i%5 == 0 || i%10 == 1 {
						y = i % classes // the others are rare
					}
					labels, scores = append(labels, y), append(scores, score(y, classes))
				}
				c, err := FitSets(0.8, classes, labels, scores, nil)
				must(t, err)
				for y := range classes {
					z := score(y, classes)
					set, err := c.Set(z)
					must(t, err)
					if tested[y]++; slices.Contains(set, y) {
						covered[y]++
					}
				}
			}
			for y := range classes {
				share, se := covered[y]/tested[y], math.Sqrt(0.16/tested[y])
				if share < 0.8-4*se {
					t.Errorf("%s, %d classes: coverage of class %d %.3f ± %.3f", name, classes, y, share, se)
				}
				if name == "constant" && share != 1 {
					t.Errorf("constant scores: coverage %v", share)
				}
			}
		}
	}
	labels, scores := drawn(rng, 100, 2)
	c, err := FitSets(0.9, 2, labels, scores, nil)
	must(t, err)
	for _, row := range scores {
		row[0] = 100*row[0] + 7
	}
	other, err := FitSets(0.9, 2, labels, scores, nil)
	must(t, err)
	for z := -5.0; z < 5; z += 0.093 {
		a, _ := c.Set([]float64{z})
		b, _ := other.Set([]float64{100*z + 7})
		if !slices.Equal(a, b) {
			t.Errorf("score %v: %v, in another unit %v", z, a, b)
		}
	}
}

// TestConformalStored: a stored result reads back as it was, and damaged ones are refused.
func TestConformalStored(t *testing.T) {
	labels, scores := drawn(rand.New(rand.NewPCG(25, 26)), 40, 3)
	sets, err := FitSets(0.9, 3, labels, scores, unitsBy([]int{0, 0, 1, 1, 2, 3, 4, 4, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33}))
	must(t, err)
	intervals, err := FitIntervals(0.5, column(scores, 0), column(scores, 1), nil)
	must(t, err)
	for _, c := range []*Conformal{sets, intervals} {
		text, err := json.Marshal(c)
		must(t, err)
		var read Conformal
		if err := json.Unmarshal(text, &read); err != nil || !reflect.DeepEqual(&read, c) {
			t.Errorf("%v: read %+v, want %+v", err, read, c)
		}
	}
	for text, want := range map[string]string{
		`{"level":1,"held_out":[{"scores":[1],"units":1}]}`:                          "level 1",
		`{"level":0.5,"classes":2,"held_out":[{"scores":[1],"units":1}]}`:            "2 classes, and held-out scores of 1",
		`{"level":0.5,"held_out":[{"scores":[2,1],"units":2}]}`:                      "do not ascend",
		`{"level":0.5,"held_out":[{"scores":[1,2],"units":1}]}`:                      "2 scores with 0 weights of 1 units",
		`{"level":0.5,"held_out":[{"scores":[1,2],"weights":[0.5,0.6],"units":1}]}`:  "sum to 1.1",
		`{"level":0.5,"held_out":[{"scores":[1,2],"weights":[1.5,-0.5],"units":1}]}`: "weight 1.5",
		`{"level":0.5,"held_out":[{"scores":[1e300],"units":1}]}`:                    "held-out score is 1e+300",
		`{"level":0.9,"held_out":[{"scores":[1,2,3,4,5,6,7,8],"units":8}]}`:          "an interval of level 0.9 from 8 units",
		`{"level":0.5,"classes":1,"held_out":[{"scores":[1],"units":1}]}`:            "1 classes",
		`{"level":0.5,"held_out":[{"scores":[1],"units":1}],"width":1}`:              "unknown field",
	} {
		if err := json.Unmarshal([]byte(text), new(Conformal)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestConformalRefuses(t *testing.T) {
	two := [][]float64{{0}, {1}}
	for want, err := range map[string]error{
		"level 0; give one above 0 and below 1": second(FitSets(0, 2, []int{0, 1}, two, nil)),
		"level NaN":                             second(FitIntervals(math.NaN(), nil, nil, nil)),
		"no bag of class 1 among 2":             second(FitSets(0.9, 2, []int{0, 0}, two, nil)),
		"bag 1: its score is NaN":               second(FitSets(0.9, 2, []int{0, 1}, [][]float64{{0}, {math.NaN()}}, nil)),
		"the units have the bags [0 0]; each of 2 bags must be in one":   second(FitSets(0.9, 2, []int{0, 1}, two, [][]int{{0}, {0}})),
		"the units have 3 bags, not 2":                                   second(FitSets(0.9, 2, []int{0, 1}, two, [][]int{{0, 1}, {2}})),
		"2 targets and 1 predictions":                                    second(FitIntervals(0.9, []float64{1, 2}, []float64{1}, nil)),
		"bag 0: target +Inf and prediction 1":                            second(FitIntervals(0.9, []float64{math.Inf(1)}, []float64{1}, nil)),
		"2 bags or groups; an interval of level 0.9 needs at least 9":    second(FitIntervals(0.9, []float64{1, 2}, []float64{1, 2}, nil)),
		"1 bags or groups; an interval of level 0.5999 needs at least 2": second(FitIntervals(0.5999, []float64{1, 2}, []float64{1, 2}, [][]int{{0, 1}})),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	c, err := FitSets(0.9, 2, []int{0, 1}, two, nil)
	must(t, err)
	for _, bad := range [][]float64{nil, {1, 2}, {math.Inf(1)}} {
		if set, err := c.Set(bad); err == nil {
			t.Errorf("%v: %v", bad, set)
		}
	}
	if always := fmt.Sprint(c.Always()); always != "[0 1]" || c.Least() != 9 || c.HalfWidth() != 0 {
		t.Errorf("classes in every set: %s, of %d units", always, c.Least())
	}
	if set, err := c.Set([]float64{50}); err != nil || len(set) != 2 {
		t.Errorf("%v, %v: classes of one bag are in every set", set, err)
	}
}

func second[T any](_ T, err error) error { return err }

package localise

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"synpool/internal/goldenfile"
	"synpool/internal/large"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// tolerance is for figures. Both sides compute in float64 and differ only in the order of sums. Scores around 1e6 lose six digits
// of Otsu's variances, but not the threshold.
const tolerance = 1e-12

func near(a, b float64) bool { return math.Abs(a-b) <= tolerance }

type goldenFigures struct{ AUC, AP, Dice float64 }

func (g goldenFigures) match(f Figures) bool {
	return near(f.AUC, g.AUC) && near(f.AP, g.AP) && near(f.Dice, g.Dice)
}

// TestGolden compares with scikit-learn and a program in NumPy and SciPy (testdata/golden.py), with the side of tiles given and
// guessed.
func TestGolden(t *testing.T) {
	golden := goldenfile.Read[struct {
		Side  float64
		Cases []struct {
			Name string
			Bags []struct {
				Places  [][2]float64
				Labels  []float64
				Scores  []float64
				Lesion  []int
				Lesions int
				Figures *goldenFigures
			}
			Pooled goldenFigures
			FROC   []float64
			Mean   float64
		}
	}](t, "golden.json")
	if len(golden.Cases) < 10 {
		t.Fatalf("%d cases", len(golden.Cases))
	}
	for _, c := range golden.Cases {
		for _, side := range []float64{0, golden.Side} {
			set := &mil.Set{}
			for i, b := range c.Bags {
				set.Bags = append(set.Bags, mil.Bag{ID: fmt.Sprint(i), Tile: side, Coordinates: func() ([][2]float64, error) { return b.Places, nil }})
				set.InstanceLabels = append(set.InstanceLabels, b.Labels)
			}
			bags, err := Truth(set)
			if err != nil {
				t.Fatal(err)
			}
			for i, b := range c.Bags {
				bag, err := bags[i].Scored(b.Scores)
				if err != nil {
					t.Fatal(err)
				}
				if bag.Lesions != b.Lesions || !sameParts(bag.Lesion, b.Lesion) {
					t.Errorf("%s: bag %d has lesions %v, want %v", c.Name, i, bag.Lesion, b.Lesion)
				}
				if f := NewPool([]Bag{bag}).Figures(nil); bag.Both() != (b.Figures != nil) || bag.Both() && !b.Figures.match(f) {
					t.Errorf("%s: bag %d has figures %+v, want %+v", c.Name, i, f, b.Figures)
				}
				bags[i] = bag
			}
			f := NewPool(bags).Figures(nil)
			if !c.Pooled.match(f) || !floats.EqualApprox(f.FROC.Sensitivity[:], c.FROC, tolerance) || !near(f.FROC.Mean, c.Mean) {
				t.Errorf("%s: %+v %+v, want %+v %v %v", c.Name, f, f.FROC, c.Pooled, c.FROC, c.Mean)
			}
		}
	}
}

// sameParts reports whether two numberings of lesions are one up to the names; a counts from 0, b from 1, and a negative instance
// is -1 or 0. A bag without lesions has none.
func sameParts(a, b []int) bool {
	if a == nil {
		return slices.Max(b) == 0
	}
	names := map[int]int{-1: 0}
	for i := range a {
		if _, known := names[a[i]]; !known {
			names[a[i]] = b[i]
		}
		if names[a[i]] != b[i] {
			return false
		}
	}
	return true
}

// drawn returns bags on a line of tiles: half of them have lesions. informed is how much a positive label adds to a score, and
// rounded ones have ties.
func drawn(random *rand.Rand, bags, size int, informed float64, rounded bool) (all []Bag) {
	for i := range bags {
		b := Bag{ID: fmt.Sprint(i)}
		var places [][2]float64
		for k := range size {
			positive := i%2 == 1 && (k == 0 || random.IntN(6) == 0)
			score := random.NormFloat64()
			if positive {
				score += informed
			}
			if rounded {
				score = math.Round(2 * score)
			}
			b.Positive, b.Scores, places = append(b.Positive, positive), append(b.Scores, score), append(places, [2]float64{float64(k), 0})
		}
		b.Lesion, b.Lesions = Lesions(places, b.Positive, 1)
		all = append(all, b)
	}
	return all
}

// TestCounts: a bag that counts c times is as c copies of it, and AUC and average precision are those of package stats.
func TestCounts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range large.Number(100, 2000) {
		bags := drawn(random, 2+random.IntN(6), 2+random.IntN(12), 1, random.IntN(2) == 0)
		counts := make([]int, len(bags))
		var copies []Bag
		var labels []int
		var scores []float64
		for i, b := range bags {
			counts[i] = random.IntN(4)
			for range counts[i] {
				copies = append(copies, b)
				for k, positive := range b.Positive {
					labels, scores = append(labels, 0), append(scores, b.Scores[k])
					if positive {
						labels[len(labels)-1] = 1
					}
				}
			}
		}
		if !slices.Contains(labels, 0) || !slices.Contains(labels, 1) {
			continue
		}
		auc, err := stats.AUC(labels, scores)
		if err != nil {
			t.Fatal(err)
		}
		ap, _ := stats.AveragePrecision(labels, scores)
		f, of := NewPool(bags).Figures(counts), NewPool(copies).Figures(nil)
		if !near(f.AUC, auc) || !near(f.AP, ap) || !near(f.Dice, of.Dice) || !floats.EqualApprox(f.FROC.Sensitivity[:], of.FROC.Sensitivity[:], tolerance) {
			t.Fatalf("%+v %+v, of copies %+v %+v, want AUC %v and AP %v", f, f.FROC, of, of.FROC, auc, ap)
		}
	}
}

// TestWithout: figures without a unit are those of the other bags.
func TestWithout(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	bags := drawn(random, 9, 10, 1, true)
	for u, f := range NewPool(bags).Without([][]int{{0, 1}, {2}, {3, 4, 5}, {6, 7, 8}}) {
		from, to := []int{0, 2, 3, 6}[u], []int{2, 3, 6, 9}[u]
		want := NewPool(slices.Delete(slices.Clone(bags), from, to)).Figures(nil)
		if !near(f.AUC, want.AUC) || !near(f.AP, want.AP) || !near(f.Dice, want.Dice) || !near(f.FROC.Mean, want.FROC.Mean) {
			t.Errorf("without bags %d to %d: %+v, want %+v", from, to-1, f, want)
		}
	}
}

// TestLaws: scores that are the labels have figures of 1; figures other than Dice ask for the order of scores alone, and Dice for
// scores up to unit and zero; sensitivities do not fall; the AUC of turned scores is the rest to 1.
func TestLaws(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range large.Number(100, 2000) {
		bags := drawn(random, 2+random.IntN(6), 3+random.IntN(12), 0.7, random.IntN(2) == 0)
		with := func(score func(b Bag, k int) float64) Figures {
			all := slices.Clone(bags)
			for i, b := range bags {
				all[i].Scores = make([]float64, len(b.Scores))
				for k := range b.Scores {
					all[i].Scores[k] = score(b, k)
				}
			}
			return NewPool(all).Figures(nil)
		}
		plain := NewPool(bags).Figures(nil)
		perfect := with(func(b Bag, k int) float64 {
			if b.Positive[k] {
				return 1
			}
			return 0
		})
		if perfect.AUC != 1 || perfect.AP != 1 || perfect.Dice != 1 || perfect.FROC.Mean != 1 {
			t.Fatalf("of the labels: %+v %+v", perfect, perfect.FROC)
		}
		monotone := with(func(b Bag, k int) float64 { return math.Exp(b.Scores[k]) })
		if monotone.AUC != plain.AUC || monotone.AP != plain.AP || *monotone.FROC != *plain.FROC {
			t.Fatalf("%+v, of exp(score) %+v", plain, monotone)
		}
		if scaled := with(func(b Bag, k int) float64 { return 4*b.Scores[k] - 8 }); !near(scaled.Dice, plain.Dice) {
			t.Fatalf("Dice %v, in another unit %v", plain.Dice, scaled.Dice)
		}
		if turned := with(func(b Bag, k int) float64 { return -b.Scores[k] }); !near(turned.AUC, 1-plain.AUC) {
			t.Fatalf("AUC %v, turned %v", plain.AUC, turned.AUC)
		}
		if !slices.IsSorted(plain.FROC.Sensitivity[:]) || plain.FROC.Sensitivity[0] < 0 || plain.FROC.Sensitivity[len(Rates)-1] > 1 {
			t.Fatalf("sensitivities %v", plain.FROC.Sensitivity)
		}
	}
}

// TestRandomScores: scores without information have an AUC of 1/2 and a precision of the share of positives. The tolerances are about four
// standard errors of the means.
func TestRandomScores(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var aucs, more []float64
	n := large.Number(200, 2000)
	for range n {
		bags := drawn(random, 20, 50, 0, false)
		f := NewPool(bags).Figures(nil)
		positives := 0
		for _, b := range bags {
			positives += b.Positives()
		}
		aucs, more = append(aucs, f.AUC), append(more, f.AP-float64(positives)/1000)
	}
	if mean, se := stat.Mean(aucs, nil), stat.StdDev(aucs, nil)/math.Sqrt(float64(n)); math.Abs(mean-0.5) > 4*se || se > 0.01 {
		t.Errorf("mean AUC %v, standard error %v", mean, se)
	}
	if mean := stat.Mean(more, nil); math.Abs(mean) > 0.03 {
		t.Errorf("AP is %v above the share of positives", mean)
	}
}

// TestLesions: a bag is one chain, two lesions or three by the side of tiles; positions below 0 and in any order are fine.
func TestLesions(t *testing.T) {
	places := [][2]float64{{0, 0}, {-3, -1}, {-1, 0}, {0, 10}, {-2, 1}}
	positive := []bool{true, true, true, true, false}
	for side, want := range map[float64][]int{0.5: {0, 1, 2, 3, -1}, 1: {0, 1, 0, 2, -1}, 2: {0, 0, 0, 1, -1}, 9: {0, 0, 0, 0, -1}} {
		if got, n := Lesions(places, positive, side); !slices.Equal(got, want) || n != slices.Max(want)+1 {
			t.Errorf("side %v: %v, %d lesions, want %v", side, got, n, want)
		}
	}
}

// TestUndefined: figures that do not exist are NaN, and lesions without positions have no FROC.
func TestUndefined(t *testing.T) {
	negative := Bag{Positive: []bool{false, false}, Scores: []float64{1, 2}}
	if f := NewPool([]Bag{negative}).Figures(nil); !math.IsNaN(f.AUC) || !math.IsNaN(f.AP) || !math.IsNaN(f.Dice) || f.FROC == nil || !math.IsNaN(f.FROC.Mean) {
		t.Errorf("%+v %+v", f, f.FROC)
	}
	positive := Bag{Positive: []bool{true, true}, Scores: []float64{1, 2}}
	if f := NewPool([]Bag{positive}).Figures(nil); !math.IsNaN(f.AUC) || f.AP != 1 || !near(f.Dice, 2./3) || f.FROC != nil {
		t.Errorf("%+v", f)
	}
	bag := Bag{ID: "a", Positive: []bool{false, true}}
	for want, scores := range map[string][]float64{
		"bag a: 1 instances have scores and 2 labels": {1},
		"bag a: instance 2 has score NaN":             {1, math.NaN()},
	} {
		if _, err := bag.Scored(scores); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	set := &mil.Set{Bags: []mil.Bag{{ID: "a", Coordinates: func() ([][2]float64, error) { return nil, fmt.Errorf("no file") }}}, InstanceLabels: [][]float64{{0, 1}}}
	if _, err := Truth(set); err == nil || err.Error() != "bag a: no file" {
		t.Error(err)
	}
	for _, c := range []struct {
		labels [][]float64
		want   bool
	}{{nil, false}, {[][]float64{{0, 0}, {1, 1}}, false}, {[][]float64{{0, 0}, {-1, 1}}, true}} {
		if got := Known(&mil.Set{InstanceLabels: c.labels}); got != c.want {
			t.Errorf("%v: %t", c.labels, got)
		}
	}
}

func BenchmarkFigures(b *testing.B) {
	pool := NewPool(drawn(rand.New(rand.NewPCG(7, 8)), 100, 10_000, 1, false))
	for b.Loop() {
		pool.Figures(nil)
	}
}

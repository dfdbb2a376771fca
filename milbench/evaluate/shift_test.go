package evaluate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"synpool/internal/large"
	"synpool/milbench/mil"
)

// source draws bags with similar instances, as slides have: each bag and each group shifts all of its instances.
// Features have tails of different weight, one is constant and one is almost always 0.
func source(random *rand.Rand, bags, features, groups int, shift float64) *mil.Set {
	s := &mil.Set{Name: "source"}
	center := make([][]float64, max(groups, bags))
	for i := range center {
		center[i] = make([]float64, features)
		for j := range center[i] {
			center[i][j] = random.NormFloat64()
		}
	}
	for i := range bags {
		b := mil.Bag{ID: fmt.Sprint(i), Target: mil.Labelled(i % 2)}
		c := center[i]
		if groups > 0 {
			b.Group = fmt.Sprint("g", i%groups)
			c = center[i%groups]
		}
		d := &mil.Dense{Rows: 1 + random.IntN(12), Cols: features}
		for range d.Rows {
			for j := range features {
				x := c[j] + random.NormFloat64()
				switch j % 5 {
				case 1:
					x = math.Exp(x)
				case 2:
					x = 3
				case 3:
					x = 0
					if random.IntN(20) == 0 {
						x = 1
					}
				}
				if j == 0 {
					x += shift
				}
				d.Values = append(d.Values, float32(x))
			}
		}
		b.Instances = d
		s.Bags = append(s.Bags, b)
	}
	return s
}

// split divides the units of a set at random, with a share of them for training.
func split(random *rand.Rand, s *mil.Set, share float64) (train, rest *mil.Set) {
	units := mil.Units(s.Bags)
	random.Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
	train, rest = &mil.Set{Name: "train"}, &mil.Set{Name: "rest"}
	for u, unit := range units {
		to := rest
		if float64(u) < share*float64(len(units)) {
			to = train
		}
		for _, i := range unit {
			to.Bags = append(to.Bags, s.Bags[i])
		}
	}
	return train, rest
}

func profile(t *testing.T, s *mil.Set) mil.Profile {
	t.Helper()
	p, err := mil.ProfileOf(s)
	must(t, err)
	return p
}

func compared(t *testing.T, train, rest *mil.Set) Shift {
	t.Helper()
	shift, err := compare(profile(t, train), profile(t, rest), rest)
	must(t, err)
	return shift
}

// TestFreshSamplesAreAlike: a new sample from the same source is called unlike about as rarely as falseAlarm promises.
// The test allows three standard errors of the share of splits.
func TestFreshSamplesAreAlike(t *testing.T) {
	n := large.Number(250, 2500)
	for _, c := range []struct {
		bags, features, groups int
		share                  float64
	}{{60, 3, 0, 0.5}, {80, 40, 0, 0.5}, {120, 20, 0, 0.8}, {120, 20, 0, 0.2}, {150, 10, 30, 0.5}} {
		random := rand.New(rand.NewPCG(7, uint64(c.bags+c.features)))
		unlike := 0
		for range n {
			train, rest := split(random, source(random, c.bags, c.features, c.groups, 0), c.share)
			if len(compared(t, train, rest).Unlike()) > 0 {
				unlike++
			}
		}
		t.Logf("%+v: %d of %d splits are unlike", c, unlike, n)
		if most := falseAlarm*float64(n) + 3*math.Sqrt(falseAlarm*float64(n)); float64(unlike) > most {
			t.Errorf("%+v: %d of %d splits are unlike, at most %.1f may be", c, unlike, n, most)
		}
	}
}

// TestShiftIsFound: if one feature of the new bags moves by two standard deviations, only that feature is unlike.
func TestShiftIsFound(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	found, others, n := 0, 0, large.Number(60, 600)
	for range n {
		shift := compared(t, source(random, 60, 10, 0, 0), source(random, 40, 10, 0, 2*math.Sqrt2))
		unlike := shift.Unlike()
		if len(unlike) > 0 && unlike[0].Name == "feature 1" && unlike[0].Mean && math.Abs(*unlike[0].Difference-2) < 1 {
			found++
		}
		if len(unlike) > 1 {
			others++
		} else if text := shift.Warning(); !strings.HasPrefix(text, "1 feature is unlike those of training (of 10 features): feature 1: ") {
			t.Error(text)
		}
	}
	if found < n || others > n/20 {
		t.Errorf("of %d shifts %d were found, and %d of another feature", n, found, others)
	}
}

// TestCompare checks numbers that can be computed by hand.
func TestCompare(t *testing.T) {
	bags := func(values ...[]float32) *mil.Set {
		s := &mil.Set{Name: "hand", Features: []string{"a", "b"}}
		for i, v := range values {
			s.Bags = append(s.Bags, mil.Bag{ID: fmt.Sprint(i), Instances: &mil.Dense{Rows: len(v) / 2, Cols: 2, Values: v}})
		}
		return s
	}
	train := bags([]float32{-1, 5}, []float32{1, 5}, []float32{-1, 5}, []float32{1, 5})
	shift := compared(t, train, bags([]float32{2, 5, 0, 5}, []float32{-4, 6, 0, 5}))
	a, b := shift.Features[0], shift.Features[1]
	if math.Abs(*a.Difference+0.5) > 1e-12 || a.Outside != 0.5 || a.Below != 1 || a.Above != 1 || a.Range || a.Mean {
		t.Errorf("%+v", a)
	}
	// Between² = 4/3 and 4.5, C = 1/4 and 1/2, SD = 1: new means are 1 and -2, about -0.5.
	if want := math.Sqrt((3*4./3 + 4.5) / 4 * 0.75); math.Abs(*a.Chance-want) > 1e-12 {
		t.Errorf("chance %v, want %v", *a.Chance, want)
	}
	if b.Difference != nil || b.Chance != nil || b.Outside != 0.25 || b.Above != 1 || shift.Outside != 0.375 {
		t.Errorf("%+v, %v outside", b, shift.Outside)
	}
	// A constant feature with a different constant in all of many new bags.
	var many [][]float32
	for range 40 {
		many = append(many, []float32{1, 6})
	}
	unlike := compared(t, train, bags(many...)).Unlike()
	if !slices.ContainsFunc(unlike, func(f FeatureShift) bool { return f.Name == "b" && f.Range && !f.Mean && f.Above == 40 }) {
		t.Errorf("%+v", unlike)
	}
	narrow := &mil.Set{Name: "narrow", Bags: []mil.Bag{{Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{1}}}}}
	if _, err := compare(profile(t, train), profile(t, narrow), narrow); err == nil {
		t.Error("another number of features")
	}
}

// TestUnlikelyBeyond compares with the share of shuffles in which the k largest are all new.
func TestUnlikelyBeyond(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const train, units, n = 6, 4, 200_000
	counts := make([]int, units+2)
	for range n {
		k := 0
		for _, at := range random.Perm(train + units) {
			if at < train {
				break
			}
			k++
		}
		counts[k]++
	}
	beyond := 0
	for k := units; k > 0; k-- {
		beyond += counts[k]
		p := float64(beyond) / n
		if got := unlikelyBeyond(train, units, p*1.1+1e-9); got > k {
			t.Errorf("%d or more in a share %v of shuffles, but %d are needed", k, p, got)
		}
		if got := unlikelyBeyond(train, units, p*0.85); got <= k {
			t.Errorf("%d or more in a share %v of shuffles, but %d suffice", k, p, got)
		}
	}
}

func TestKnown(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	train, other := source(random, 10, 3, 0, 0), source(random, 5, 3, 0, 0)
	other.Bags = append(other.Bags, mil.Bag{ID: "again", Instances: train.Bags[4].Instances})
	if ids := known(profile(t, train), profile(t, other), other); !slices.Equal(ids, []string{"again"}) {
		t.Errorf("%q", ids)
	}
}

// TestOtherUnit: years beside months are named, a cohort that lives twice as long is not.
func TestOtherUnit(t *testing.T) {
	for _, c := range []struct {
		train, fresh float64
		named        bool
	}{{11.2, 0.66, true}, {0.66, 11.2, true}, {30, 900, true}, {11, 22, false}, {0, 5, false}, {5, 0, false}} {
		if got := otherUnit(mil.Profile{Time: c.train}, mil.Profile{Time: c.fresh}); (got != "") != c.named {
			t.Errorf("%v after %v: %q", c.fresh, c.train, got)
		}
	}
}

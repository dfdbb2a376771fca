package mil

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// TestProfile compares with sums computed from the definitions, for data far from zero.
func TestProfile(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s := &Set{Name: "drawn", Features: []string{"a", "b", "c"}, Classes: []string{"no", "yes"}}
	for i := range 30 {
		d := &Dense{Rows: 1 + random.IntN(6), Cols: 3}
		for range d.Rows {
			d.Values = append(d.Values, float32(1000+random.NormFloat64()+float64(i%3)), float32(random.ExpFloat64()), 7)
		}
		s.Bags = append(s.Bags, Bag{ID: fmt.Sprint(i), Target: Labelled(i % 2), Group: fmt.Sprint("g", i%10), Instances: d})
	}
	p, err := ProfileOf(s)
	if err != nil {
		t.Fatal(err)
	}
	units := Units(s.Bags)
	if p.Bags != 30 || p.Groups != 10 || p.Units != 10 || len(units) != 10 || !slices.Equal(units[3], []int{3, 13, 23}) || p.Instances != s.NumInstances() {
		t.Errorf("%+v, units %v", p, units)
	}
	if want := []ClassNumber{{"no", 15}, {"yes", 15}}; !reflect.DeepEqual(p.Classes, want) {
		t.Errorf("classes %v", p.Classes)
	}
	for j, f := range p.Features {
		var all []float64
		byUnit := make([][]float64, len(units))
		for u, unit := range units {
			for _, i := range unit {
				_ = EachRow(s.Bags[i].Instances, func(_ int, row []float32) {
					all = append(all, float64(row[j]))
					byUnit[u] = append(byUnit[u], float64(row[j]))
				})
			}
		}
		mean := func(x []float64) (m float64) {
			for _, v := range x {
				m += v / float64(len(x))
			}
			return m
		}
		m, sd, between, squares := mean(all), 0.0, 0.0, 0.0
		for _, v := range all {
			sd += (v - m) * (v - m) / float64(len(all))
		}
		for _, x := range byUnit {
			n := float64(len(x))
			between += n * n * (mean(x) - m) * (mean(x) - m)
			squares += n * n
		}
		want := FeatureProfile{s.Features[j], m, math.Sqrt(sd), slices.Min(all), slices.Max(all), math.Sqrt(between / squares * 10 / 9)}
		for k, pair := range [][2]float64{{f.Mean, want.Mean}, {f.SD, want.SD}, {f.Least, want.Least}, {f.Largest, want.Largest}, {f.Between, want.Between},
			{p.Concentration, squares / float64(len(all)*len(all))}} {
			if math.Abs(pair[0]-pair[1]) > 1e-9*max(1, math.Abs(pair[1])) {
				t.Errorf("feature %d, number %d: %v, want %v", j, k, pair[0], pair[1])
			}
		}
	}
	if c := p.Features[2]; c.SD != 0 || c.Between != 0 {
		t.Errorf("a constant feature: %+v", c)
	}
	if err := p.Validate(3); err != nil {
		t.Error(err)
	}
	for _, bad := range []func(p *Profile){
		func(p *Profile) { p.Units = 31 }, func(p *Profile) { p.Bags = 0 }, func(p *Profile) { p.Concentration = 2 },
		func(p *Profile) { p.Features = p.Features[:2] }, func(p *Profile) { p.Features[0].SD = -1 },
		func(p *Profile) { p.Features[1].Least = math.Inf(1) }, func(p *Profile) { p.Features[1].Mean = math.NaN() },
	} {
		q := p
		q.Features = slices.Clone(p.Features)
		if bad(&q); q.Validate(3) == nil {
			t.Errorf("%+v is valid", q)
		}
	}
	// Sparse bags have the profile of dense ones.
	sparse := *s
	sparse.Bags = slices.Clone(s.Bags)
	for i := range sparse.Bags {
		sparse.Bags[i].Instances, _ = ToSparse(s.Bags[i].Instances)
	}
	if q, err := ProfileOf(&sparse); err != nil || !reflect.DeepEqual(p, q) {
		t.Errorf("sparse bags: %v, %v", q, err)
	}
	if _, err := ProfileOf(&Set{Name: "none"}); err == nil {
		t.Error("a profile of nothing")
	}
}

// TestProfileOfTargets checks the counts for each kind of target.
func TestProfileOfTargets(t *testing.T) {
	bag := func(target Target) Bag {
		return Bag{Target: target, Instances: &Dense{Rows: 1, Cols: 1, Values: []float32{1}}}
	}
	for _, c := range []struct {
		set  Set
		want []ClassNumber
	}{
		{Set{Kind: RealTarget, Bags: []Bag{bag(Target{Value: 3})}}, nil},
		{Set{Kind: SurvivalTarget, Bags: []Bag{bag(Target{Event: true}), bag(Target{}), bag(Target{})}}, []ClassNumber{{"event", 1}, {"censored", 2}}},
		{Set{Bags: []Bag{bag(Target{Label: 1}), bag(Target{})}}, []ClassNumber{{"0", 1}, {"1", 1}}},
	} {
		p, err := ProfileOf(&c.set)
		if err != nil || !reflect.DeepEqual(p.Classes, c.want) || p.Groups != 0 || p.Units != len(c.set.Bags) || p.Features[0].Name != "feature 1" {
			t.Errorf("%+v, %v", p, err)
		}
	}
}

func TestContentSum(t *testing.T) {
	sum := func(x Instances) string {
		t.Helper()
		s, err := ContentSum(x)
		if err != nil || len(s) != 64 {
			t.Fatal(s, err)
		}
		return s
	}
	a := sum(&Dense{Rows: 2, Cols: 2, Values: []float32{1, 0, 3, 4}})
	if b := sum(&Dense{Rows: 2, Cols: 2, Values: []float32{3, 4, 1, 0}}); a != b {
		t.Error("another order is another sum")
	}
	if b := sum(&Sparse{Rows: 2, Cols: 2, RowStart: []int{0, 1, 3}, Column: []int32{0, 0, 1}, Values: []float32{1, 3, 4}}); a != b {
		t.Error("sparse bags have another sum")
	}
	for _, other := range []*Dense{{Rows: 2, Cols: 2, Values: []float32{0, 1, 3, 4}}, {Rows: 1, Cols: 2, Values: []float32{1, 0}}, {Rows: 3, Cols: 2, Values: []float32{1, 0, 3, 4, 3, 4}}} {
		if a == sum(other) {
			t.Errorf("%v has the same sum", other)
		}
	}
}

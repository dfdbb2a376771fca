package audit

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"synpool/internal/fetched"
	"synpool/internal/goldenfile"
	"synpool/internal/large"
	"synpool/milbench/dataset"
	"synpool/milbench/dataset/generate"
	"synpool/milbench/mil"
)

// noise is a set of dense normal features without any information; every second bag is positive.
func noise(seed uint64, bags, features int) *mil.Set {
	random := rand.New(rand.NewPCG(seed, 1))
	s := &mil.Set{Name: "noise"}
	for i := range bags {
		m := &mil.Dense{Rows: 1 + random.IntN(9), Cols: features}
		for range m.Rows * m.Cols {
			m.Values = append(m.Values, float32(random.NormFloat64()))
		}
		s.Bags = append(s.Bags, mil.Bag{ID: strconv.Itoa(i + 1), Target: mil.Labelled(i % 2), Instances: m})
	}
	return s
}

// plant overwrites column j (from 0) of a dense set: f gets the bag, its index, and the row.
func plant(s *mil.Set, j int, f func(b mil.Bag, i, row int) float64) *mil.Set {
	for i, b := range s.Bags {
		for row := range b.Instances.Len() {
			values(b)[row*b.Instances.Features()+j] = float32(f(b, i, row))
		}
	}
	return s
}

// values returns the values of a dense bag.
func values(b mil.Bag) []float32 { return b.Instances.(*mil.Dense).Values }

// inspect is [Inspect] for a set in memory, where nothing fails.
func inspect(s *mil.Set) Report {
	r, err := Inspect(s)
	if err != nil {
		panic(err)
	}
	return r
}

func TestAuditFindsPlantedLeaks(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	flip := func(b mil.Bag, i, flips int) float64 { // the label, flipped for this many positive bags
		if i < 2*flips {
			return 0
		}
		return float64(b.Label)
	}
	for _, c := range []struct {
		name  string
		f     func(b mil.Bag, i, row int) float64
		want  Function // "" for no leak
		agree int
	}{
		{"label", func(b mil.Bag, i, _ int) float64 { return float64(b.Label) }, Value, 200},
		{"label of -1 and 1, sign flipped", func(b mil.Bag, i, _ int) float64 { return 1 - 2*float64(b.Label) }, Value, 200},
		{"label, 5 bags of 200 disagree", func(b mil.Bag, i, _ int) float64 { return flip(b, i, 5) }, Value, 195},
		{"label, 6 bags of 200 disagree", func(b mil.Bag, i, _ int) float64 { return flip(b, i, 6) }, "", 0},
		{"instance labels", func(b mil.Bag, _, row int) float64 { return float64(b.Label * ((row + 1) % 2)) }, Max, 200},
		{"instance labels, 3 bags disagree", func(b mil.Bag, i, row int) float64 { return flip(b, i, 3) * float64((row+1)%2) }, Max, 197},
		{"instance labels, sign flipped", func(b mil.Bag, _, row int) float64 { return 7 - 3*float64(b.Label*((row+1)%2)) }, Min, 200},
		{"label times a constant, and noise", func(b mil.Bag, _, _ int) float64 { return 1000*float64(b.Label) + random.NormFloat64() }, Max, 200},
		{"minus label times a constant, and noise", func(b mil.Bag, _, _ int) float64 { return -1000*float64(b.Label) + random.NormFloat64() }, Max, 200},
		{"noise, its floor raised", func(b mil.Bag, _, row int) float64 {
			if row == 0 {
				return float64(b.Label)
			}
			return 2 + 9*random.Float64()
		}, Min, 200},
		{"mean of large opposite values", func(b mil.Bag, i, row int) float64 {
			n := b.Instances.Len()
			switch {
			case n == 1:
				return float64(b.Label)
			case row == 0:
				return float64(b.Label*n - i*(n-1))
			}
			return float64(i)
		}, Mean, 200},
		{"signs at random where positive", func(b mil.Bag, i, row int) float64 {
			return float64(b.Label * (1 - 2*(i/2%2)) * (1 + row))
		}, NonZero, 200},
		{"codes, odd ones positive", func(b mil.Bag, i, _ int) float64 { return float64(i % 10) }, Value, 200},
		{"number of a patient with three bags", func(b mil.Bag, i, _ int) float64 { return float64(2*(i/6) + b.Label) }, Value, 200},
		{"number of the bag, classes mixed", func(_ mil.Bag, i, _ int) float64 { return float64(i) }, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, unit := range []float64{1, 1e-30, 1e30} { // the unit of the columns does not matter
				s := plant(noise(1, 200, 12), 4, c.f)
				for _, b := range s.Bags {
					values := b.Instances.(*mil.Dense).Values
					for k, v := range values {
						values[k] = float32(float64(v) * unit)
					}
				}
				s.Features = make([]string, 12)
				s.Features[4] = "suspect"
				r := inspect(s)
				if c.want == "" {
					if !r.OK() {
						t.Fatalf("false alarm in units of %g: %v", unit, r.Leaks)
					}
					continue
				}
				want := []Leak{{Column: 5, Name: "suspect", Function: c.want, Agree: c.agree, Of: 200}}
				if r.OK() || !slices.Equal(r.Leaks, want) {
					t.Fatalf("found %v, want %v in units of %g", r.Leaks, want, unit)
				}
			}
		})
	}
}

// In a column with two values one bag may disagree even in small sets, where 5 % of the smaller class is less than
// one bag.
func TestAuditToleratesOneBag(t *testing.T) {
	for _, bags := range []int{30, 38} {
		for _, c := range []struct {
			name  string
			f     func(b mil.Bag, i, row int) float64
			wrong int // -1: no leak
		}{
			{"label", func(b mil.Bag, _, _ int) float64 { return float64(b.Label) }, 0},
			{"label, one positive bag disagrees", func(b mil.Bag, i, _ int) float64 { return float64(b.Label * min(1, i/2)) }, 1},
			{"label, one negative bag disagrees", func(b mil.Bag, i, _ int) float64 { return float64(1 - (1-b.Label)*min(1, i/2)) }, 1},
			{"instance labels, one bag disagrees", func(b mil.Bag, i, row int) float64 { return float64(b.Label * min(1, i/2) * ((row + 1) % 2)) }, 1},
			{"label, two bags disagree", func(b mil.Bag, i, _ int) float64 { return float64(b.Label * min(1, i/4)) }, -1},
			{"measurement, one bag disagrees", func(b mil.Bag, i, _ int) float64 {
				return float64(b.Label*min(1, i/2)) + float64(i)/100
			}, -1},
		} {
			r := inspect(plant(noise(1, bags, 12), 4, c.f))
			switch {
			case c.wrong < 0 && !r.OK():
				t.Errorf("%d bags, %s: false alarm: %v", bags, c.name, r.Leaks)
			case c.wrong >= 0 && (len(r.Leaks) != 1 || r.Leaks[0].Column != 5 || r.Leaks[0].Agree != bags-c.wrong):
				t.Errorf("%d bags, %s: found %v", bags, c.name, r.Leaks)
			}
		}
	}
	// With few bags, one that disagrees leaves too little evidence.
	one := func(b mil.Bag, i, _ int) float64 { return float64(b.Label * min(1, i/2)) }
	if r := inspect(plant(noise(1, 12, 12), 4, one)); !r.OK() {
		t.Errorf("12 bags: %v", r.Leaks)
	}
}

// A file sorted by class whose bag numbers were kept as a column.
func TestAuditFindsBagNumbers(t *testing.T) {
	s := plant(noise(1, 60, 3), 2, func(_ mil.Bag, i, _ int) float64 { return float64(i) })
	for i := range s.Bags {
		s.Bags[i].Label = i / 30
	}
	if r := inspect(s); len(r.Leaks) != 1 || r.Leaks[0].Column != 3 || r.Leaks[0].Agree != 60 {
		t.Errorf("found %v", r.Leaks)
	}
}

func TestAuditLeavesStrongFeaturesAlone(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for _, c := range []struct {
		name string
		f    func(b mil.Bag, i, row int) float64
	}{
		// A witness in every positive bag. Its max separates the bags with an AUC of about 0.98.
		{"witness", func(b mil.Bag, _, row int) float64 {
			if row == 0 {
				return 3.5*float64(b.Label) + random.NormFloat64()
			}
			return random.NormFloat64()
		}},
		{"shifted in all instances", func(b mil.Bag, _, _ int) float64 { return 1.5*float64(b.Label) + random.NormFloat64() }},
		{"a covariate of the bag", func(b mil.Bag, i, _ int) float64 { return float64((i*37+11*b.Label)%67 + 9*b.Label) }},
		{"a term in four of five positive bags", func(b mil.Bag, i, _ int) float64 {
			if i%10 < 8 {
				return float64(b.Label)
			}
			return 0
		}},
		{"nine of ten labels", func(b mil.Bag, i, _ int) float64 {
			if i/2%10 == 0 {
				return float64(1 - b.Label)
			}
			return float64(b.Label)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r := inspect(plant(noise(2, 200, 12), 4, c.f)); !r.OK() {
				t.Errorf("false alarm: %v", r.Leaks)
			}
		})
	}
}

// TestAuditStrong: a feature that separates bags as well as a leak, but does not look like an answer, is reported and
// stops nothing.
func TestAuditStrong(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	shifted := func(b mil.Bag, _, _ int) float64 { return 6*float64(b.Label) + random.NormFloat64() }
	answer := func(b mil.Bag, i, _ int) float64 { // a label times a constant with noise; two labels are wrong
		label := float64(b.Label)
		if i < 4 {
			label = 0
		}
		return 100*label + random.NormFloat64()
	}
	for name, bags := range map[string]int{"few bags": 40, "many": 200} {
		s := plant(noise(3, bags, 12), 4, shifted)
		r := inspect(s)
		if !r.OK() || len(r.Strong) != 1 || r.Strong[0].Column != 5 || r.Strong[0].Agree < bags-bags/40 {
			t.Errorf("%s: leaks %v, strong %v", name, r.Leaks, r.Strong)
		}
	}
	single := noise(3, 60, 12)
	for i := range single.Bags {
		single.Bags[i].Instances = &mil.Dense{Rows: 1, Cols: 12, Values: values(single.Bags[i])[:12]}
	}
	if r := inspect(plant(single, 4, shifted)); !r.OK() || len(r.Strong) != 1 { // with one instance per bag every column is constant within bags
		t.Errorf("bags of one instance: leaks %v, strong %v", r.Leaks, r.Strong)
	}
	if r := inspect(plant(single, 4, func(b mil.Bag, _, _ int) float64 { return float64(b.Label) })); len(r.Leaks) != 1 {
		t.Errorf("a label of bags of one instance: leaks %v, strong %v", r.Leaks, r.Strong)
	}
	if r := inspect(plant(noise(3, 200, 12), 4, answer)); len(r.Leaks) != 1 || len(r.Strong) != 0 || r.Leaks[0].Agree != 198 {
		t.Errorf("a label with noise: leaks %v, strong %v", r.Leaks, r.Strong)
	}
}

// sparseTerms resembles the Web sets: few positive bags and thousands of rare terms. Some terms are more frequent in
// positive bags. Column leak (from 0) holds the bag label; -1 means none.
func sparseTerms(bags, features, leak int) *mil.Set {
	random := rand.New(rand.NewPCG(8, 8))
	s := &mil.Set{Name: "terms"}
	for i := range bags {
		b := mil.Bag{ID: strconv.Itoa(i + 1)}
		if i%5 == 2 {
			b.Label = 1
		}
		m := &mil.Sparse{Cols: features}
		for range 10 + random.IntN(30) {
			row := map[int32]float32{}
			for range 20 {
				term := int32(float64(features) * math.Pow(random.Float64(), 3))
				if b.Label == 1 && random.IntN(20) == 0 {
					term = int32(random.IntN(20)) * int32(features/20)
				}
				row[term] = float32(1 + random.IntN(3))
			}
			delete(row, int32(leak))
			if b.Label == 1 && leak >= 0 {
				row[int32(leak)] = 1
			}
			for _, j := range slices.Sorted(func(yield func(int32) bool) {
				for j := range row {
					if !yield(j) {
						return
					}
				}
			}) {
				m.Column, m.Values = append(m.Column, j), append(m.Values, row[j])
			}
			m.EndRow()
		}
		b.Instances = m
		s.Bags = append(s.Bags, b)
	}
	return s
}

func dense(s *mil.Set) *mil.Set {
	d := *s
	d.Bags = slices.Clone(s.Bags)
	for i, b := range s.Bags {
		d.Bags[i].Instances, _ = mil.ToDense(b.Instances)
	}
	return &d
}

func TestAuditOfSparseTerms(t *testing.T) {
	const features = 1300
	for _, leak := range []int{-1, 0, 511, 512, 1024, features - 1} {
		s := sparseTerms(105, features, leak)
		r := inspect(s)
		var want []Leak
		if leak >= 0 {
			want = []Leak{{Column: leak + 1, Function: Value, Agree: 105, Of: 105}}
		}
		if !slices.Equal(r.Leaks, want) {
			t.Errorf("leak in %d: found %v", leak, r.Leaks)
		}
		if d := inspect(dense(s)); !equalJSON(t, r, d) {
			t.Errorf("leak in %d: held dense %+v, sparse %+v", leak, d, r)
		}
	}
}

func equalJSON(t *testing.T, a, b any) bool {
	t.Helper()
	x, err := json.Marshal(a)
	must(t, err)
	y, err := json.Marshal(b)
	must(t, err)
	return string(x) == string(y)
}

// With thousands of columns and few bags, some column agrees with every label by chance.
func TestAuditOfFewBags(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 13))
	s := plant(noise(4, 12, 5000), 0, func(b mil.Bag, _, _ int) float64 { return float64(b.Label) })
	for j := 1; j < 5000; j++ {
		plant(s, j, func(mil.Bag, int, int) float64 { return float64(random.IntN(2)) })
	}
	if r := inspect(s); !r.OK() || !r.Blind {
		t.Errorf("blind %v, leaks %v", r.Blind, r.Leaks)
	}
	label := func(b mil.Bag, _, _ int) float64 { return float64(b.Label) }
	for _, c := range []struct{ bags, features int }{{10, 1}, {12, 4}, {16, 60}, {20, 900}, {58, 709}} {
		r := inspect(plant(noise(4, c.bags, c.features), c.features-1, label))
		if len(r.Leaks) != 1 || r.Leaks[0].Column != c.features || r.Blind {
			t.Errorf("%d bags, %d features: blind %v, leaks %v", c.bags, c.features, r.Blind, r.Leaks)
		}
	}
}

// False alarms in small sets without information must be rarer than promised.
func TestAuditFalseAlarms(t *testing.T) {
	alarms := 0
	const sets = 2000
	random := rand.New(rand.NewPCG(17, 17))
	for i := range sets {
		s := noise(uint64(i), 9+i%8, 2)
		plant(s, 0, func(mil.Bag, int, int) float64 { return float64(random.IntN(3)) })
		random.Shuffle(len(s.Bags), func(a, b int) { s.Bags[a].Label, s.Bags[b].Label = s.Bags[b].Label, s.Bags[a].Label })
		if !inspect(s).OK() {
			alarms++
		}
	}
	if share := float64(alarms) / sets; share > leakChance {
		t.Errorf("%d false alarms in %d sets", alarms, sets)
	}
}

func TestAuditIgnoresOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 21))
	s := noise(6, 80, 9)
	plant(s, 2, func(b mil.Bag, _, row int) float64 { return float64(b.Label * (1 + row)) })
	plant(s, 5, func(b mil.Bag, _, row int) float64 { return 5 - float64(b.Label*((row+1)%2)) })
	plant(s, 7, func(mil.Bag, int, int) float64 { return 4 })
	s.Bags[31].Instances = s.Bags[11].Instances
	want := inspect(s)
	if len(want.Leaks) != 2 || want.Constant != 1 || len(want.Duplicates) != 1 {
		t.Fatalf("%+v", want)
	}
	for range 5 {
		columns := random.Perm(9)
		p := &mil.Set{Name: s.Name}
		for _, i := range random.Perm(len(s.Bags)) {
			b := s.Bags[i]
			m := &mil.Dense{Rows: b.Instances.Len(), Cols: b.Instances.Features()}
			for _, row := range random.Perm(m.Rows) {
				for _, j := range columns {
					m.Values = append(m.Values, values(b)[row*m.Cols+j])
				}
			}
			b.Instances = m
			p.Bags = append(p.Bags, b)
		}
		got := inspect(p)
		for i := range got.Leaks {
			got.Leaks[i].Column = columns[got.Leaks[i].Column-1] + 1
		}
		slices.SortFunc(got.Leaks, func(a, b Leak) int { return a.Column - b.Column })
		slices.Sort(got.Duplicates[0].Bags)
		slices.Sort(want.Duplicates[0].Bags)
		if !equalJSON(t, got, want) {
			t.Errorf("columns %v: %+v, want %+v", columns, got, want)
		}
	}
}

func TestAuditDuplicates(t *testing.T) {
	rows := func(values ...float32) mil.Instances {
		return &mil.Dense{Rows: len(values) / 2, Cols: 2, Values: values}
	}
	s := &mil.Set{Bags: []mil.Bag{
		{ID: "a", Target: mil.Labelled(0), Instances: rows(1, 2, 3, 4)},
		{ID: "b", Target: mil.Labelled(0), Instances: rows(3, 4, 1, 2)},       // a in another order
		{ID: "c", Target: mil.Labelled(1), Instances: rows(3, 4, 1, 2, 1, 2)}, // not a: one instance more
		{ID: "d", Target: mil.Labelled(0), Instances: rows(0, 5)},
		{ID: "e", Target: mil.Labelled(1), Instances: &mil.Sparse{Rows: 1, Cols: 2, Values: []float32{5}, RowStart: []int{0, 1}, Column: []int32{1}}}, // d, sparse
		{ID: "f", Target: mil.Labelled(1), Instances: rows(float32(math.Copysign(0, -1)), 5)},                                                         // d with another zero
		{ID: "g", Target: mil.Labelled(1), Instances: rows(7, 7, 7, 7)},
	}}
	r := inspect(s)
	want := []Duplicate{{Bags: []string{"a", "b"}}, {Bags: []string{"d", "e", "f"}, Conflict: true}}
	if !equalJSON(t, r.Duplicates, want) {
		t.Errorf("duplicates %+v, want %+v", r.Duplicates, want)
	}
	if r.Shared != 3 { // (1,2), (3,4), (0,5); (7,7) stands in one bag alone
		t.Errorf("%d shared instances", r.Shared)
	}
	if want := (BagSizes{1, 2, 3}); r.BagSize != want {
		t.Errorf("sizes %+v", r.BagSize)
	}
}

// Bags that differ only in the label column still count as duplicates.
func TestAuditDuplicatesBesidesTheLabel(t *testing.T) {
	s := plant(noise(9, 40, 4), 3, func(b mil.Bag, _, _ int) float64 { return float64(b.Label) })
	s.Bags[4].Instances = &mil.Dense{Rows: s.Bags[9].Instances.Len(), Cols: 4, Values: slices.Clone(values(s.Bags[9]))}
	for row := range s.Bags[4].Instances.Len() {
		values(s.Bags[4])[row*4+3] = 0
	}
	if r := inspect(s); !equalJSON(t, r.Duplicates, []Duplicate{{Bags: []string{"5", "10"}, Conflict: true}}) {
		t.Errorf("duplicates %+v", r.Duplicates)
	}
}

// Sets that no reader returns must not cause a panic.
func TestAuditOfOddSets(t *testing.T) {
	m := &mil.Dense{Rows: 1, Cols: 2, Values: []float32{float32(math.NaN()), float32(math.Inf(1))}}
	for name, s := range map[string]*mil.Set{
		"no bags":         {},
		"one bag":         {Bags: []mil.Bag{{Instances: m}}},
		"one class":       {Bags: []mil.Bag{{Instances: m}, {Instances: m}}},
		"no columns":      {Bags: []mil.Bag{{Instances: &mil.Dense{Rows: 3}}, {Target: mil.Labelled(1), Instances: &mil.Dense{}}}},
		"empty bag":       {Bags: []mil.Bag{{Instances: m}, {Target: mil.Labelled(1), Instances: &mil.Dense{Cols: 2}}}},
		"too many labels": {Bags: []mil.Bag{{Instances: m}, {Target: mil.Labelled(7), Instances: m}, {Target: mil.Labelled(-3), Instances: m}}},
	} {
		if r := inspect(s); !r.OK() || !r.Blind {
			t.Errorf("%s: %+v", name, r)
		}
	}
	wider := &mil.Set{Name: "odd", Bags: []mil.Bag{{ID: "a", Instances: m}, {ID: "b", Target: mil.Labelled(1), Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{1}}}}}
	if _, err := Inspect(wider); err == nil || err.Error() != "odd: bag b has 1 features, bag a has 2" {
		t.Errorf("error %v", err)
	}
}

// auditSummary is the output of testdata/audit_reference.py for a file.
type auditSummary struct {
	Bags, Positive, Instances, Features, Constant, Nonzero, Shared int
	BagSize                                                        BagSizes `json:"bag_size"`
	LastWrong                                                      int      `json:"last_wrong"`
}

// The published files: Inspect finds the label column in every cell-array file and nothing else, and nothing once it
// is moved.
func TestAuditFiles(t *testing.T) {
	reference := goldenfile.Read[struct{ Files map[string]auditSummary }](t, "audit_reference.json")
	clean := []string{"clean1.data", "elephant_100x100_matlab.mat", "musk1norm_matlab.mat"}
	if len(reference.Files) != 17 {
		t.Fatalf("%d files in the reference", len(reference.Files))
	}
	for name, want := range reference.Files {
		t.Run(name, func(t *testing.T) {
			s, err := dataset.ReadFile(fetched.File(t, name))
			must(t, err)
			start := time.Now()
			r := inspect(s)
			if d := time.Since(start); d > time.Second {
				t.Errorf("took %v", d)
			}
			density := float64(want.Nonzero) / float64(want.Instances*want.Features)
			if r.Bags != want.Bags || r.Positive != want.Positive || r.Instances != want.Instances || r.Features != want.Features ||
				r.Constant != want.Constant || r.Density != density || r.BagSize != want.BagSize || r.Shared != want.Shared {
				t.Errorf("%+v, want %+v", r, want)
			}
			if r.Blind || len(r.Duplicates) > 0 {
				t.Errorf("blind %v, duplicates %v", r.Blind, r.Duplicates)
			}
			if slices.Contains(clean, name) {
				if !r.OK() {
					t.Errorf("false alarm: %v", r.Leaks)
				}
				return
			}
			if len(r.Leaks) != 1 || r.Leaks[0].Column != want.Features || r.Leaks[0].Agree != want.Bags-want.LastWrong {
				t.Fatalf("found %v, want column %d with %d disagreements", r.Leaks, want.Features, want.LastWrong)
			}
			moved, err := dataset.MoveInstanceLabels(s, dataset.LastColumn)
			must(t, err)
			if r := inspect(moved); !r.OK() {
				t.Errorf("after the move: %v", r.Leaks)
			}
		})
	}
}

func BenchmarkAudit(b *testing.B) {
	for _, size := range []struct{ bags, features int }{{113, 6000}, {1000, 6000}} {
		s := sparseTerms(size.bags, size.features, size.features-1)
		b.Run(fmt.Sprintf("%dx%d", size.bags, size.features), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if len(inspect(s).Leaks) != 1 {
					b.Fatal("no leak found")
				}
			}
		})
	}
}

// slides returns a set with features like those from image networks: rectified mixtures of a few kinds of tissue,
// correlated, and with a stain per bag. In positive bags a share of the instances is of another kind, which some
// features reveal in every bag.
func slides(seed uint64, bags, features int) *mil.Set {
	random := rand.New(rand.NewPCG(seed, 2))
	const kinds, hidden = 8, 16
	centres, mix := make([][hidden]float64, kinds), make([][hidden]float64, features)
	for _, rows := range [][][hidden]float64{centres, mix} {
		for i := range rows {
			for j := range rows[i] {
				rows[i][j] = random.NormFloat64()
			}
		}
	}
	share := 0.02 + 0.5*random.Float64()
	s := &mil.Set{Name: "slides"}
	for i := range bags {
		m := &mil.Dense{Rows: 30 + random.IntN(60), Cols: features}
		stain := random.NormFloat64()
		for row := range m.Rows {
			kind := random.IntN(kinds - 1)
			if i%2 == 1 && (row == 0 || random.Float64() < share) {
				kind = kinds - 1
			}
			var z [hidden]float64
			for j := range z {
				z[j] = 2*centres[kind][j] + random.NormFloat64() + 0.3*stain
			}
			for _, w := range mix {
				v := 0.0
				for j := range z {
					v += w[j] * z[j]
				}
				m.Values = append(m.Values, float32(max(0, v)))
			}
		}
		s.Bags = append(s.Bags, mil.Bag{ID: strconv.Itoa(i + 1), Target: mil.Labelled(i % 2), Instances: m})
	}
	return s
}

// TestAuditOfRealFeatures looks for leaks where there are none, in 1,000 trials in CI. It uses features of generated
// slides (many of them separate the bags) and real sets with true and shuffled labels. The promised chance of a false
// alarm is below 0.05 per set. In fact there is none at all.
func TestAuditOfRealFeatures(t *testing.T) {
	trials := large.Number(40, 1000)
	var real []*mil.Set
	for _, name := range []string{"clean1.data", "elephant_100x100_matlab.mat", "musk1norm_matlab.mat"} {
		s, err := dataset.ReadFile(fetched.File(t, name))
		must(t, err)
		real = append(real, s)
	}
	strong := 0
	for i := range trials {
		var s *mil.Set
		seed := uint64(i)
		if i%4 < 2 {
			s = slides(seed, 20+4*(i%11), 48)
		} else {
			s = real[i/4%len(real)]
		}
		if i%2 == 1 {
			var err error
			s, err = generate.ShuffledLabels(s, seed)
			must(t, err)
		}
		r := inspect(s)
		if !r.OK() {
			t.Errorf("trial %d, %s of %d bags: false alarm: %v", i, s.Name, len(s.Bags), r.Leaks)
		}
		if i%4 == 0 && len(r.Strong) > 0 {
			strong++
		}
	}
	if strong < trials/20 {
		t.Errorf("%d of %d sets of slides have a strong feature; these trials must be hard", strong, trials/4)
	}
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

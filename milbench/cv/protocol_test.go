package cv

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/mil"
)

// testSet returns a set of n bags without groups or split. The first positive ones are positive.
func testSet(n, positive int) *mil.Set {
	s := &mil.Set{Name: "test", Checksum: "0"}
	for i := range n {
		label := 0
		if i < positive {
			label = 1
		}
		s.Bags = append(s.Bags, mil.Bag{ID: fmt.Sprint("bag", i), Target: mil.Labelled(label), Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{0}}})
	}
	return s
}

// grouped assigns the bags of s in turn to groups of the given sizes; a bag in a group of size 1 stays alone.
func grouped(s *mil.Set, sizes ...int) *mil.Set {
	for i, g := 0, 0; i < len(s.Bags); g++ {
		size := sizes[g%len(sizes)]
		for range size {
			if i < len(s.Bags) && size > 1 {
				s.Bags[i].Group = fmt.Sprint("patient", g)
			}
			i++
		}
	}
	return s
}

// split puts every third bag of s into the test part.
func split(s *mil.Set) *mil.Set {
	for i := range s.Bags {
		s.Bags[i].Split = mil.TrainPart
		if i%3 == 0 {
			s.Bags[i].Split = mil.TestPart
		}
	}
	return s
}

// paired makes groups of two bags, three apart, so that [split] does not divide them.
func paired(s *mil.Set) *mil.Set {
	for i := range s.Bags {
		s.Bags[i].Group = fmt.Sprint("patient", i%3, "/", i/6)
	}
	return s
}

var oneSetting = []json.RawMessage{json.RawMessage(`{"pooling":"mean"}`)}

func trainBags(f Fit) []int {
	var bags []int
	for _, e := range f.Train {
		bags = append(bags, e.Bag)
	}
	return bags
}

// TestFits checks laws that hold under every protocol and for every kind of set.
func TestFits(t *testing.T) {
	sets := map[string]*mil.Set{
		"plain":   testSet(92, 47),
		"skewed":  testSet(57, 12),
		"small":   testSet(20, 10),
		"groups":  grouped(testSet(120, 55), 3, 1, 1, 2, 5),
		"split":   split(testSet(113, 40)),
		"split+g": paired(split(testSet(113, 40))),
	}
	for setName, s := range sets {
		for _, p := range []Protocol{{Name: HonestProtocol, Folds: 10, Repeats: 3}, {Name: NestedProtocol, Folds: 5, Repeats: 2}, {Name: PublishedProtocol, Folds: 4, Repeats: 3}, {Name: BestEpochProtocol, Folds: 3, Repeats: 2}, {Name: HonestProtocol, Folds: 2, Repeats: 1}} {
			t.Run(fmt.Sprint(setName, " ", p), func(t *testing.T) {
				fits, err := p.Fits(s, oneSetting, 7)
				must(t, err)
				cut, run := p.FoldsOf(s)
				if len(fits) != run*p.Repeats {
					t.Fatalf("%d fits, want %d folds x %d repeats", len(fits), run, p.Repeats)
				}
				tested := make([]map[int]int, p.Repeats)
				for i, f := range fits {
					if f.Repeat != i/run || f.Fold != i%run {
						t.Fatalf("fit %d is of repeat %d, fold %d", i, f.Repeat, f.Fold)
					}
					if f.EveryEpoch != (p.Name != HonestProtocol) {
						t.Errorf("EveryEpoch is %v", f.EveryEpoch)
					}
					train := trainBags(f)
					all := slices.Concat(train, f.Validation, f.Test)
					slices.Sort(all)
					for j, bag := range all {
						if bag != j {
							t.Fatalf("fold %d: the parts are no partition of the bags: %v", i, all)
						}
					}
					if len(all) != len(s.Bags) {
						t.Fatalf("fold %d: the parts have %d bags of %d", i, len(all), len(s.Bags))
					}
					for _, part := range [][]int{train, f.Validation, f.Test} {
						if !slices.IsSorted(part) {
							t.Errorf("part %v does not ascend", part)
						}
						n := strataOfSet(s).count(part)
						if len(part) > 0 && (n[0] == 0 || n[1] == 0) {
							t.Errorf("part %v has %v bags of the classes", part, n)
						}
					}
					for _, e := range f.Train {
						if e.Label != s.Bags[e.Bag].Label {
							t.Errorf("bag %d was handed over with label %d", e.Bag, e.Label)
						}
					}
					where := make(map[string]int)
					for part, bags := range [][]int{train, f.Validation, f.Test} {
						for _, b := range bags {
							g := s.Bags[b].Group
							if other, seen := where[g]; g != "" && seen && other != part {
								t.Errorf("group %s stands in two parts", g)
							}
							where[g] = part
						}
					}
					if (len(f.Validation) > 0) != (p.Name == NestedProtocol) {
						t.Errorf("%d validation bags", len(f.Validation))
					}
					if p.Name == NestedProtocol {
						share := float64(len(f.Validation)) / float64(len(train)+len(f.Validation))
						if share < 0.15 || share > 0.25 {
							t.Errorf("the validation part is %.3f of the training part", share)
						}
					}
					if tested[f.Repeat] == nil {
						tested[f.Repeat] = make(map[int]int)
					}
					for _, b := range f.Test {
						tested[f.Repeat][b]++
					}
				}
				for r, bags := range tested {
					for b, n := range bags {
						if n != 1 {
							t.Errorf("repeat %d tests bag %d %d times", r, b, n)
						}
					}
					if run == cut && cut > 1 && len(bags) != len(s.Bags) {
						t.Errorf("repeat %d tests %d of %d bags", r, len(bags), len(s.Bags))
					}
				}
			})
		}
	}
}

// TestFoldsAreEven checks that, without groups, the folds' classes and sizes differ by at most one, in training, test
// and validation parts.
func TestFoldsAreEven(t *testing.T) {
	for _, size := range [][2]int{{92, 47}, {57, 12}, {100, 50}, {200, 100}, {31, 29}, {11, 5}} {
		s := testSet(size[0], size[1])
		for k := 2; k <= min(10, size[1], size[0]-size[1]); k++ {
			for seed := range uint64(5) {
				fits, err := Protocol{Name: HonestProtocol, Folds: k, Repeats: 2}.Fits(s, oneSetting, seed)
				must(t, err)
				for _, f := range fits {
					n := strataOfSet(s).count(f.Test)
					for c, of := range [2]int{size[0] - size[1], size[1]} {
						if n[c] != of/k && n[c] != (of+k-1)/k {
							t.Errorf("%v in %d folds: %d of %d bags of class %d in one", size, k, n[c], of, c)
						}
					}
					if l := len(f.Test); l != size[0]/k && l != (size[0]+k-1)/k {
						t.Errorf("%v in %d folds: one has %d bags", size, k, l)
					}
				}
			}
		}
	}
}

// TestGroupedFoldsAreFair checks the greedy rule on groups that allow even folds.
func TestGroupedFoldsAreFair(t *testing.T) {
	s := grouped(testSet(120, 60), 4, 2, 2, 1, 1)
	fits, err := Protocol{Name: HonestProtocol, Folds: 5, Repeats: 3}.Fits(s, oneSetting, 3)
	must(t, err)
	for _, f := range fits {
		if n := strataOfSet(s).count(f.Test); n[0] < 11 || n[0] > 13 || n[1] < 11 || n[1] > 13 {
			t.Errorf("repeat %d, fold %d has %v bags of the classes, want about 12 each", f.Repeat, f.Fold, n)
		}
	}
}

// TestFitsDeterminism checks what the parts and seeds of fits depend on.
func TestFitsDeterminism(t *testing.T) {
	s := grouped(testSet(90, 40), 1, 1, 2)
	two := append(slices.Clone(oneSetting), json.RawMessage(`{"pooling":"max"}`))
	p := Protocol{Name: NestedProtocol, Folds: 5, Repeats: 2}
	a, err := p.Fits(s, two, 1)
	must(t, err)
	again, err := p.Fits(s, two, 1)
	must(t, err)
	if !reflect.DeepEqual(a, again) {
		t.Error("the same seed gave other fits")
	}

	seeds := make(map[uint64]bool)
	for i := 0; i < len(a); i += 2 {
		seeds[a[i].Seed] = true
		if string(a[i].Setting) != string(two[0]) || string(a[i+1].Setting) != string(two[1]) {
			t.Errorf("fits %d and %d have settings %s and %s", i, i+1, a[i].Setting, a[i+1].Setting)
		}
		b := a[i+1]
		b.Setting = a[i].Setting
		if !reflect.DeepEqual(a[i], b) {
			t.Errorf("two settings of repeat %d, fold %d differ in more than the setting", a[i].Repeat, a[i].Fold)
		}
	}
	if len(seeds) != len(a)/2 {
		t.Errorf("%d seeds for %d folds", len(seeds), len(a)/2)
	}

	more, err := Protocol{Name: NestedProtocol, Folds: 5, Repeats: 3}.Fits(s, two[1:], 1)
	must(t, err)
	for i := range len(a) / 2 {
		if !reflect.DeepEqual(more[i], a[2*i+1]) {
			t.Errorf("repeat %d, fold %d changed with the number of repeats or settings", more[i].Repeat, more[i].Fold)
		}
	}
	if reflect.DeepEqual(more[0].Test, more[5].Test) {
		t.Error("two repeats have the same folds")
	}
	other, err := p.Fits(s, two, 2)
	must(t, err)
	if reflect.DeepEqual(a[0].Test, other[0].Test) || a[0].Seed == other[0].Seed {
		t.Error("another seed gave the same folds or the same fit seed")
	}
}

// TestOfficialSplit checks the use of a split column: unchanged, or only its size under the published protocol.
func TestOfficialSplit(t *testing.T) {
	s := split(testSet(113, 40))
	var official []int
	for i := range s.Bags {
		if i%3 == 0 {
			official = append(official, i)
		}
	}
	for _, p := range []Protocol{{Name: HonestProtocol, Folds: 10, Repeats: 3}, {Name: NestedProtocol, Folds: 10, Repeats: 3}, {Name: PublishedProtocol, Folds: 4, Repeats: 3}, {Name: BestEpochProtocol, Folds: 10, Repeats: 3}} {
		fits, err := p.Fits(s, oneSetting, 1)
		must(t, err)
		for i, f := range fits {
			if f.Repeat != i || f.Fold != 0 {
				t.Errorf("%s: fit %d is of repeat %d, fold %d", p.Name, i, f.Repeat, f.Fold)
			}
			if same := slices.Equal(f.Test, official); same != (p.Name != PublishedProtocol) {
				t.Errorf("%s: test part %v, official %v", p.Name, f.Test, official)
			}
			if len(f.Test) != len(official) {
				t.Errorf("%s: %d test bags, want %d", p.Name, len(f.Test), len(official))
			}
			if i > 0 && f.Seed == fits[0].Seed {
				t.Errorf("%s: two repeats have one seed", p.Name)
			}
		}
	}
}

// inGroups returns 40 bags, 20 of them positive, in groups of both classes.
func inGroups(groups int) *mil.Set {
	s := testSet(40, 20)
	for i := range s.Bags {
		s.Bags[i].Group = fmt.Sprint("g", i%groups)
	}
	return s
}

func TestFitsErrors(t *testing.T) {
	oneSided := split(testSet(30, 10)) // test part: 0, 3, 6, ...
	for i := range oneSided.Bags {
		oneSided.Bags[i].Label = 1 - min(1, i%3)
	}
	torn := split(testSet(30, 15))
	torn.Bags[0].Group, torn.Bags[1].Group = "patient7", "patient7"
	triangle := testSet(30, 15) // any two of three groups share a class that the third lacks
	triangle.Kind, triangle.Classes = mil.ClassTarget, []string{"a", "b", "c"}
	for i := range triangle.Bags {
		triangle.Bags[i].Label, triangle.Bags[i].Group = i%3, fmt.Sprint("g", (i%3+i/3%2)%3)
	}
	clumped := testSet(30, 15) // all positives are from one patient
	for i := range 15 {
		clumped.Bags[i].Group = "patient1"
	}
	for _, test := range []struct {
		name string
		p    Protocol
		s    *mil.Set
		want string
	}{
		{"folds", Protocol{Name: HonestProtocol, Folds: 1, Repeats: 1}, testSet(20, 10), "--folds 1"},
		{"repeats", Protocol{Name: HonestProtocol, Folds: 2, Repeats: 0}, testSet(20, 10), "--repeats 0"},
		{"huge folds", Protocol{Name: HonestProtocol, Folds: 1 << 40, Repeats: 1}, testSet(20, 10), "--folds 1099511627776: at most 1000 folds"},
		{"huge folds of a split", Protocol{Name: HonestProtocol, Folds: 1001, Repeats: 1}, split(testSet(30, 15)), "--folds 1001: at most 1000 folds"},
		{"huge repeats", Protocol{Name: HonestProtocol, Folds: 2, Repeats: 100_000_000}, testSet(20, 10), "--repeats 100000000: at most 1000 repeats"},
		{"huge together", Protocol{Name: HonestProtocol, Folds: 200, Repeats: 1000}, testSet(400, 200), "test: 1 settings x 200 folds x 1000 repeats: at most 100000 fits"},
		{"name", Protocol{Name: "honset", Folds: 2, Repeats: 1}, testSet(20, 10), `did you mean "honest"?`},
		{"rarer positive", Protocol{Name: HonestProtocol, Folds: 10, Repeats: 1}, testSet(40, 9), "test: --folds 10: there are only 9 positive bags; use at most 9 folds"},
		{"rarer negative", Protocol{Name: HonestProtocol, Folds: 10, Repeats: 1}, testSet(40, 33), "only 7 negative bags; use at most 7"},
		{"one class", Honest(), testSet(20, 20), "two classes"},
		{"no bags", Honest(), &mil.Set{Name: "void"}, "void: no bags"},
		{"group", Protocol{Name: HonestProtocol, Folds: 3, Repeats: 1}, clumped, "test: its 15 positive bags are of one group (patient1), which is never divided; two at least are needed"},
		{"one group", Protocol{Name: HonestProtocol, Folds: 2, Repeats: 1}, inGroups(1), "test: its 40 bags are of one group (g0), which is never divided"},
		{"few groups", Protocol{Name: HonestProtocol, Folds: 5, Repeats: 1}, inGroups(4), "test: --folds 5: its 40 bags are of 4 groups (g0, g1, g2, g3), which are never divided; use at most 4 folds"},
		{"uneven groups", Protocol{Name: HonestProtocol, Folds: 2, Repeats: 2}, triangle, "5 of 10 bags of class c, and groups are never divided; name other groups with --group, or add bags"},
		{"bags out", Protocol{Name: HonestProtocol, Folds: 40, Repeats: 1}, testSet(40, 20), "test: --folds 40: there are only 20 negative bags; use at most 20 folds"},
		{"split of one class", Honest(), oneSided, "test: repeat 1, official split: no negative bag in the test part"},
		{"torn group", Honest(), torn, "bag bag1 is in the training part and bag bag0 of the same group (patient7) in the test part"},
		{"validation", Protocol{Name: NestedProtocol, Folds: 2, Repeats: 1}, testSet(20, 2), "in its training part there is only 1 positive bag: no fifth of it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := test.p.Fits(test.s, oneSetting, 1)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %q, want %q in it", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %q", err)
			}
		})
	}
	if _, err := Honest().Fits(testSet(40, 20), nil, 1); err == nil || !strings.Contains(err.Error(), "no settings") {
		t.Errorf("no settings: error %v", err)
	}
}

func TestDefaultProtocol(t *testing.T) {
	for _, name := range ProtocolNames {
		p, err := DefaultProtocol(name)
		if err != nil || p.Name != name || p.Validate() != nil {
			t.Errorf("DefaultProtocol(%q) = %+v, %v", name, p, err)
		}
		if p.Optimistic() != (name == "published" || name == "best-epoch") {
			t.Errorf("%s is optimistic: %v", name, p.Optimistic())
		}
	}
	for name, want := range map[string]string{"nestd": `did you mean "nested"?`, "x": "use one of honest, nested, published, best-epoch"} {
		if _, err := DefaultProtocol(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("DefaultProtocol(%q): error %v, want %q in it", name, err, want)
		}
	}
}

// TestBestEpoch checks that this protocol differs from the honest one only in the epoch: parts and seeds are the
// same.
func TestBestEpoch(t *testing.T) {
	s := testSet(40, 15)
	honest, err := Protocol{Name: HonestProtocol, Folds: 5, Repeats: 2}.Fits(s, oneSetting, 3)
	must(t, err)
	best, err := Protocol{Name: BestEpochProtocol, Folds: 5, Repeats: 2}.Fits(s, oneSetting, 3)
	must(t, err)
	for i := range best {
		if honest[i].EveryEpoch || !best[i].EveryEpoch {
			t.Fatalf("fit %d: every epoch %v, of the honest protocol %v", i, best[i].EveryEpoch, honest[i].EveryEpoch)
		}
		best[i].EveryEpoch = false
	}
	if !reflect.DeepEqual(honest, best) {
		t.Error("the fits differ in more than that")
	}
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestOn: without a number of folds, the rarest class limits them; a number that is given stays.
func TestOn(t *testing.T) {
	for _, c := range []struct{ given, positive, want int }{{0, 9, 9}, {0, 20, 10}, {0, 1, 10}, {7, 3, 7}} {
		s := testSet(40, c.positive)
		p := Protocol{Name: HonestProtocol, Folds: c.given, Repeats: 1}.On(s)
		if p.Folds != c.want {
			t.Errorf("%d folds of %d positive bags: %d, want %d", c.given, c.positive, p.Folds, c.want)
		}
		if _, err := p.Fits(s, oneSetting, 1); (err == nil) != (p.Folds <= c.positive) {
			t.Errorf("%d positive bags: %v", c.positive, err)
		}
	}
}

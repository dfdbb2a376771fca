package cv

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/mil"
)

// wholeTask returns the task of a set, with all its bags as training part.
func wholeTask(s *mil.Set) (Task, []Example) {
	var train []Example
	for i, b := range s.Bags {
		train = append(train, Example{Bag: i, Target: b.Target})
	}
	return NewTask(s, nil), train
}

// cuts groups the folds by cut: a new cut starts when a bag is held out again.
func cuts(inner [][]int) (all [][][]int) {
	var seen map[int]bool
	for _, fold := range inner {
		if seen == nil || slices.ContainsFunc(fold, func(i int) bool { return seen[i] }) {
			all, seen = append(all, nil), map[int]bool{}
		}
		for _, i := range fold {
			seen[i] = true
		}
		all[len(all)-1] = append(all[len(all)-1], fold)
	}
	return all
}

// TestCutInner checks the laws of inner folds.
func TestCutInner(t *testing.T) {
	classes := testSet(100, 0)
	classes.Kind, classes.Classes = mil.ClassTarget, []string{"a", "b", "c"}
	survival := testSet(60, 0)
	survival.Kind = mil.SurvivalTarget
	real := testSet(90, 0)
	real.Kind = mil.RealTarget
	for i := range classes.Bags {
		classes.Bags[i].Label = i % 7 % 3
	}
	for i := range survival.Bags {
		survival.Bags[i].Target = mil.Target{Value: float64(i), Event: i%3 == 0}
	}
	for name, c := range map[string]struct {
		set     *mil.Set
		k       int
		cuts    int
		folds   int // folds per cut
		grouped bool
	}{
		"large":              {testSet(200, 70), 5, 1, 5, false},
		"150":                {testSet(150, 30), 5, 1, 5, false},
		"149":                {testSet(149, 30), 5, 2, 5, false},
		"75":                 {testSet(75, 30), 3, 2, 3, false},
		"few":                {testSet(40, 17), 5, 4, 5, false},
		"very few":           {testSet(9, 3), 5, 4, 3, false},
		"two of the rarest":  {testSet(30, 2), 20, 4, 2, false},
		"three classes":      {classes, 4, 2, 4, false},
		"survival":           {survival, 5, 3, 5, false},
		"real":               {real, 5, 2, 5, false},
		"groups":             {grouped(testSet(120, 50), 1, 3, 2), 5, 2, 5, true},
		"patients of two":    {paired(testSet(60, 30)), 4, 3, 4, true},
		"two folds, no more": {testSet(400, 200), 2, 1, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				task, train := wholeTask(c.set)
				inner, err := CutInner(task, train, c.k, seed)
				must(t, err)
				strata := task.strata(train)
				total := strata.count(everyBag(len(train)))
				all := cuts(inner)
				if len(all) != c.cuts {
					t.Fatalf("%d cuts, want %d", len(all), c.cuts)
				}
				for _, folds := range all {
					if len(folds) != c.folds {
						t.Errorf("%d folds, want %d", len(folds), c.folds)
					}
					held := slices.Concat(folds...)
					slices.Sort(held)
					if !slices.Equal(held, everyBag(len(train))) { // each bag once
						t.Errorf("held out: %v", held)
					}
					least, most := slices.Clone(total), make([]int, len(total))
					for _, fold := range folds {
						if len(fold) == 0 || !slices.IsSorted(fold) {
							t.Errorf("fold %v", fold)
						}
						for class, n := range strata.count(fold) {
							least[class], most[class] = min(least[class], n), max(most[class], n)
							if c.set.NumClasses() > 0 && n >= total[class] {
								t.Errorf("the rest of %v lacks class %d", fold, class)
							}
						}
						for _, i := range fold {
							for k, b := range c.set.Bags {
								if b.Group != "" && b.Group == c.set.Bags[i].Group && !slices.Contains(fold, k) {
									t.Fatalf("bags %d and %d of group %s are apart", i, k, b.Group)
								}
							}
						}
					}
					for class := range total {
						if !c.grouped && most[class]-least[class] > 1 {
							t.Errorf("from %d to %d bags of class %d in a fold", least[class], most[class], class)
						}
					}
				}
				again, err := CutInner(task, train, c.k, seed)
				if err != nil || !reflect.DeepEqual(inner, again) {
					t.Errorf("the same seed cuts differently: %v", err)
				}
				if other, err := CutInner(task, train, c.k, seed+100); err != nil || len(train) > 20 && reflect.DeepEqual(inner, other) {
					t.Errorf("another seed cuts alike: %v", err)
				}
				if len(all) > 1 && len(train) > 20 && reflect.DeepEqual(all[0], all[1]) {
					t.Error("two cuts are alike")
				}
			}
		})
	}
}

func everyBag(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// How a part of a set is cut depends only on its own bags. Other bags in the task change nothing except the indices.
func TestCutInnerOfPart(t *testing.T) {
	s := grouped(testSet(90, 40), 1, 2)
	task, all := wholeTask(s)
	train := slices.DeleteFunc(slices.Clone(all), func(e Example) bool { return e.Bag%3 == 0 })
	inner, err := CutInner(task, train, 5, 1)
	must(t, err)
	for _, fold := range inner {
		for _, i := range fold {
			if i%3 == 0 {
				t.Errorf("bag %d is not in the training part", i)
			}
		}
	}
	small := &mil.Set{Name: "small"}
	for _, e := range train {
		small.Bags = append(small.Bags, s.Bags[e.Bag])
	}
	own, renumbered := wholeTask(small)
	want, err := CutInner(own, renumbered, 5, 1)
	must(t, err)
	for k := range want {
		for n, i := range want[k] {
			if inner[k][n] != train[i].Bag {
				t.Fatalf("fold %d: %v, of the part alone %v", k, inner[k], want[k])
			}
		}
	}
	for i := range task.Groups { // if groups are unknown, every bag stands alone
		task.Groups[i] = ""
	}
	without := task
	without.Groups = nil
	a, err1 := CutInner(task, train, 5, 1)
	b, err2 := CutInner(without, train, 5, 1)
	if err := errors.Join(err1, err2); err != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("no groups: %v", err)
	}
}

// A fold is left out if its rest would lack a class. If fewer than two folds are left, or a class has no held-out
// bag, that is an error.
func TestCutInnerGroups(t *testing.T) {
	s := testSet(60, 30)
	for i := range 10 { // ten of thirty positive bags form a group
		s.Bags[i].Group = "one"
	}
	task, train := wholeTask(s)
	inner, err := CutInner(task, train, 5, 1)
	if err != nil || len(inner) != 15 {
		t.Errorf("%d folds, %v", len(inner), err)
	}
	leaves := false
	for _, fold := range inner {
		leaves = leaves || slices.Contains(fold, 0)
	}
	if !leaves {
		t.Error("no fold holds out the group")
	}
	for want, c := range map[string]struct {
		change func(*mil.Set)
		k      int
	}{
		"its classes have [59 1] bags": {func(s *mil.Set) { *s = *testSet(60, 1) }, 5},
		"its classes have [60 0] bags": {func(s *mil.Set) { *s = *testSet(60, 0) }, 5},
		"its classes have [30 30] bag": {func(*mil.Set) {}, 1},
		"protocol: its groups are too large": {func(s *mil.Set) { // no fold could hold out a positive bag and leave one
			for i := range 30 {
				s.Bags[i].Group = "one"
			}
		}, 5},
		"its groups are too large": {func(s *mil.Set) {
			for i := range s.Bags {
				s.Bags[i].Group = fmt.Sprint("group", i/30)
			}
		}, 5},
	} {
		s := testSet(60, 30)
		c.change(s)
		task, train := wholeTask(s)
		if _, err := CutInner(task, train, c.k, 1); !errors.Is(err, ErrInner) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if _, err := CutInner(task, nil, 5, 1); !errors.Is(err, ErrInner) {
		t.Errorf("an empty training part: %v", err)
	}
}

func TestProtocolInner(t *testing.T) {
	if got := Nested(); got.Inner != InnerFolds || got.Key() != "nested 5" {
		t.Errorf("%+v has the key %q", got, got.Key())
	}
	held := Protocol{Name: NestedProtocol, Folds: 10, Repeats: 1}
	if held.Key() != "nested" || Honest().Key() != "honest" {
		t.Errorf("keys %q and %q", held.Key(), Honest().Key())
	}
	for want, p := range map[string]Protocol{
		"": {Name: NestedProtocol, Folds: 2, Repeats: 1, Inner: 20},
		"--inner 5: only the nested protocol has inner folds; add --protocol nested": {Name: HonestProtocol, Folds: 2, Repeats: 1, Inner: 5},
		"--inner 3: only the nested protocol":                                        {Name: BestEpochProtocol, Folds: 2, Repeats: 1, Inner: 3},
		"--inner 1: 2 to 20 inner folds":                                             {Name: NestedProtocol, Folds: 2, Repeats: 1, Inner: 1},
		"--inner 21: 2 to 20 inner folds":                                            {Name: NestedProtocol, Folds: 2, Repeats: 1, Inner: 21},
		"--inner -1: 2 to 20 inner folds":                                            {Name: NestedProtocol, Folds: 2, Repeats: 1, Inner: -1},
	} {
		if err := p.Validate(); (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", p, err, want)
		}
	}
}

// Inner folds cover the whole training part. They are the same for all settings of a fold and differ between folds.
// The parts and seeds of the fits equal those of the nested protocol without inner folds, and of the honest one.
func TestFitsInner(t *testing.T) {
	settings := []json.RawMessage{json.RawMessage(`{"pooling":"mean"}`), json.RawMessage(`{"pooling":"max"}`)}
	for name, s := range map[string]*mil.Set{"folds": testSet(60, 25), "groups": grouped(testSet(60, 25), 1, 2), "official split": split(testSet(60, 25))} {
		p := Protocol{Name: NestedProtocol, Folds: 4, Repeats: 2, Inner: 3}
		fits, err := p.Fits(s, settings, 7)
		must(t, err)
		honest, err := Protocol{Name: HonestProtocol, Folds: 4, Repeats: 2}.Fits(s, settings, 7)
		if err != nil || len(honest) != len(fits) {
			t.Fatalf("%d fits, honest %d, %v", len(fits), len(honest), err)
		}
		var before [][]int
		for i, f := range fits {
			if f.Validation != nil || len(f.Inner) != 12 || !f.EveryEpoch || f.Seed != honest[i].Seed || !slices.Equal(f.Test, honest[i].Test) || !slices.Equal(f.Train, honest[i].Train) {
				t.Fatalf("%s: fit %d: %+v", name, i, f)
			}
			if !slices.Equal(f.HeldOut(), slices.Concat(f.Inner...)) {
				t.Errorf("%s: held out: %v", name, f.HeldOut())
			}
			if same := reflect.DeepEqual(f.Inner, before); same != (i%2 == 1) {
				t.Errorf("%s: fit %d: inner folds as of the fit before: %v", name, i, same)
			}
			before = f.Inner
			for _, folds := range cuts(f.Inner) {
				held := slices.Concat(folds...)
				slices.Sort(held)
				if !slices.Equal(held, trainBags(f)) {
					t.Errorf("%s: fit %d holds out %v of %v", name, i, held, trainBags(f))
				}
			}
			if err := (Task{Bags: s.Instances(), Classes: 2, Fits: fits[i : i+1]}).Validate(); err != nil {
				t.Error(err)
			}
		}
	}

	// The error says which training part cannot be cut.
	if _, err := (Protocol{Name: NestedProtocol, Folds: 2, Repeats: 1, Inner: 5}).Fits(testSet(60, 2), oneSetting, 1); !errors.Is(err, ErrInner) || !strings.HasPrefix(err.Error(), "test: repeat 1, fold 1 of 2: in its training part there is only 1 positive bag: the training part cannot be cut") {
		t.Errorf("error %v", err)
	}
}

// A fit with inner folds that do not match its training part is refused.
func TestValidateInner(t *testing.T) {
	s := testSet(12, 6)
	for want, change := range map[string]func(*Fit){
		"":                                       func(*Fit) {},
		"inner fold 1 is empty":                  func(f *Fit) { f.Inner[1] = nil },
		"bag 9 of inner fold 0 is not in the tr": func(f *Fit) { f.Inner[0] = []int{9} },
		"bag -1 of inner fold 0 is not in the t": func(f *Fit) { f.Inner[0] = []int{-1} },
		"both inner folds and a validation part": func(f *Fit) { f.Validation = []int{9} },
	} {
		fit := Fit{Inner: [][]int{{0, 7}, {1, 8}}, Test: []int{10, 11}}
		for _, i := range []int{0, 1, 2, 6, 7, 8} {
			fit.Train = append(fit.Train, Example{Bag: i, Target: s.Bags[i].Target})
		}
		change(&fit)
		if err := NewTask(s, []Fit{fit}).Validate(); (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), "test: fit 0: "+want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestStrata: every class is in every fold, training and validation part, as far as its bags allow. The same holds
// for events in survival and for quintiles of real targets.
func TestStrata(t *testing.T) {
	for _, kind := range []mil.TargetKind{mil.ClassTarget, mil.RealTarget, mil.SurvivalTarget} {
		s := testSet(60, 0)
		s.Kind = kind
		for i := range s.Bags {
			switch kind {
			case mil.ClassTarget:
				s.Classes = []string{"normal", "early", "late"}
				s.Bags[i].Target = mil.Labelled(i % 3)
				if i%4 == 0 {
					s.Bags[i].Target = mil.Labelled(0)
				}
			case mil.RealTarget:
				s.Bags[i].Target = mil.Target{Value: float64(i)}
			case mil.SurvivalTarget:
				s.Bags[i].Target = mil.Target{Value: float64(i), Event: i%3 == 0}
			}
		}
		for _, name := range []string{HonestProtocol, NestedProtocol} {
			fits, err := Protocol{Name: name, Folds: 5, Repeats: 2}.Fits(s, oneSetting, 3)
			if err != nil {
				t.Fatalf("%v: %v", kind, err)
			}
			all := strataOfSet(s).count(everyBag(60))
			for _, f := range fits {
				test := strataOfSet(s).count(f.Test)
				for c, n := range all {
					if test[c] < n/5 || test[c] > (n+4)/5 {
						t.Errorf("%v: %d bags of class %d in the test part, of %d in five", kind, test[c], c, n)
					}
				}
				if name == NestedProtocol {
					inside := strataOfSet(s).count(f.Validation)
					for c, n := range all {
						if left := n - test[c]; n > 0 && (inside[c] < left/5 || inside[c] > (left+4)/5) {
							t.Errorf("%v: %d bags of class %d validate, of %d", kind, inside[c], c, left)
						}
					}
				}
				for _, e := range f.Train {
					if e.Target != s.Bags[e.Bag].Target {
						t.Errorf("%v: bag %d is trained on with target %v", kind, e.Bag, e.Target)
					}
				}
			}
		}
	}
	s := testSet(6, 0)
	s.Kind, s.Classes = mil.ClassTarget, []string{"a", "b", "c"}
	for i := range s.Bags {
		s.Bags[i].Label = i % 3
	}
	if _, err := (Protocol{Name: HonestProtocol, Folds: 3, Repeats: 1}).Fits(s, oneSetting, 1); err == nil || !strings.Contains(err.Error(), "there are only 2 bags of class a; use at most 2 folds") {
		t.Errorf("error %v", err)
	}
}

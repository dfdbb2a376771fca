package cv

import (
	"slices"
	"strings"
	"testing"

	"synpool/milbench/mil"
)

// given returns folds of n bags: in repeat r, bag i is tested by fold (i + r) mod folds.
func given(n, folds, repeats int) *Splits {
	s := &Splits{}
	for r := range repeats {
		var tested []int
		for i := range n {
			tested = append(tested, (i/2+r)%folds)
		}
		s.Tested = append(s.Tested, tested)
	}
	return s
}

// TestSplits: fits have the given test parts and train on all other bags, whatever the seed; the seed of a fit is that of the
// protocol's own folds.
func TestSplits(t *testing.T) {
	set := testSet(12, 12)
	for i := range set.Bags {
		set.Bags[i].Label = i % 2
	}
	splits := given(12, 3, 2)
	p := Protocol{Name: HonestProtocol, Repeats: 2, Splits: splits}.On(set)
	own, err := Protocol{Name: HonestProtocol, Folds: 3, Repeats: 2}.Fits(set, oneSetting, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, seed := range []uint64{5, 6} {
		fits, err := p.Fits(set, oneSetting, seed)
		if err != nil || len(fits) != 6 {
			t.Fatalf("%d fits, %v", len(fits), err)
		}
		for k, f := range fits {
			var train []int
			for _, e := range f.Train {
				train = append(train, e.Bag)
			}
			for i := range set.Bags {
				if tests := splits.Tested[f.Repeat][i] == f.Fold; tests != slices.Contains(f.Test, i) || tests == slices.Contains(train, i) {
					t.Errorf("repeat %d, fold %d: bag %d in training part %v and test part %v", f.Repeat, f.Fold, i, train, f.Test)
				}
			}
			if same := f.Seed == own[k].Seed; same != (seed == 5) {
				t.Errorf("seed %d: fit %d has seed %d", seed, k, f.Seed)
			}
		}
	}
	for i := range set.Bags {
		set.Bags[i].Group = string(rune('a' + i/3))
	}
	if err := splits.Divided(set); err == nil || !strings.Contains(err.Error(), "repeat 1, fold 1: bag bag2 is in the training part") {
		t.Errorf("divided groups: %v", err)
	}
	if _, err := p.Fits(set, oneSetting, 1); err != nil {
		t.Errorf("given folds may divide groups: %v", err)
	}
	for i := range set.Bags {
		set.Bags[i].Group = string(rune('a' + i/2))
	}
	if err := splits.Divided(set); err != nil {
		t.Errorf("whole groups: %v", err)
	}
}

// TestSplitsKey: the key of a protocol depends on every fold of every bag, and without given folds it is what it was.
func TestSplitsKey(t *testing.T) {
	keys := map[string]bool{Honest().Key(): true}
	if !keys[HonestProtocol] {
		t.Errorf("%v", keys)
	}
	for r := range 2 {
		for i := range 6 {
			s := given(6, 3, 2)
			s.Tested[r][i] = (s.Tested[r][i] + 1) % 3
			keys[Protocol{Name: HonestProtocol, Splits: s}.Key()] = true
			keys[Protocol{Name: NestedProtocol, Inner: 5, Splits: s}.Key()] = true
		}
	}
	if len(keys) != 25 {
		t.Errorf("%d keys, want 25", len(keys))
	}
	if a, b := given(6, 3, 2).Sum(), given(6, 3, 2).Sum(); a != b || len(a) != 16 {
		t.Errorf("sums %s and %s of equal folds", a, b)
	}
}

func TestSplitsRefuse(t *testing.T) {
	set := testSet(12, 6)
	for want, p := range map[string]Protocol{
		"--folds-file: the published protocol makes its own fold":      {Name: PublishedProtocol, Folds: 3, Repeats: 1, Splits: given(12, 3, 2)},
		"--folds 4: the given folds are 3":                             {Name: HonestProtocol, Folds: 4, Repeats: 1, Splits: given(12, 3, 2)},
		"--repeats 3: the given folds are of 2 repeats":                {Name: HonestProtocol, Folds: 3, Repeats: 3, Splits: given(12, 3, 2)},
		"test: the given folds are of 11 bags, and the set has 12":     {Name: HonestProtocol, Folds: 3, Repeats: 1, Splits: given(11, 3, 2)},
		"fold 1 of 6: no negative bag in the test part; take other fo": {Name: HonestProtocol, Folds: 6, Repeats: 1, Splits: given(12, 6, 1)},
	} {
		if _, err := p.Fits(set, oneSetting, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	split(set)
	if _, err := (Protocol{Name: HonestProtocol, Folds: 3, Repeats: 1, Splits: given(12, 3, 2)}).Fits(set, oneSetting, 1); err == nil || !strings.Contains(err.Error(), "take --split none") {
		t.Error(err)
	}
}

// TestShots: each fold trains on so many bags of each class of its training part, and the fewer are among the more. Test parts and seeds
// are those of all bags.
func TestShots(t *testing.T) {
	set := testSet(40, 15)
	for _, p := range []Protocol{{Name: HonestProtocol, Folds: 3, Repeats: 2}, {Name: NestedProtocol, Folds: 3, Repeats: 2, Inner: 2}, {Name: NestedProtocol, Folds: 3, Repeats: 2}} {
		whole, err := p.Fits(set, oneSetting, 3)
		if err != nil {
			t.Fatal(err)
		}
		used := make([][]int, len(whole)) // of the draw before
		differ := false
		for _, p.Shots = range []int{5, 7, 10} {
			fits, err := p.Fits(set, oneSetting, 3)
			if err != nil {
				t.Fatal(err)
			}
			for k, f := range fits {
				var bags, all, count = slices.Clone(f.Validation), slices.Clone(whole[k].Validation), [2]int{}
				for _, e := range f.Train {
					bags = append(bags, e.Bag)
				}
				for _, e := range whole[k].Train {
					all = append(all, e.Bag)
				}
				for _, i := range bags {
					count[set.Bags[i].Label]++
					if !slices.Contains(all, i) {
						t.Errorf("%d shots: bag %d is not in the training part", p.Shots, i)
					}
				}
				if count != [2]int{p.Shots, p.Shots} {
					t.Errorf("%d shots: %v bags of the classes", p.Shots, count)
				}
				for _, i := range used[k] {
					if !slices.Contains(bags, i) {
						t.Errorf("%d shots: bag %d of fewer shots is missing", p.Shots, i)
					}
				}
				used[k] = bags
				differ = differ || !slices.Equal(bags, used[0])
				if !slices.Equal(f.Test, whole[k].Test) || f.Seed != whole[k].Seed {
					t.Errorf("%d shots: fit %d has another test part or seed", p.Shots, k)
				}
			}
		}
		if !differ {
			t.Error("all folds draw the same bags")
		}
	}
	few := Protocol{Name: HonestProtocol, Folds: 3, Repeats: 1, Shots: 11}
	if _, err := few.Fits(set, oneSetting, 1); err == nil || err.Error() != "test: repeat 1, fold 1 of 3: --shots 11: the training part has only 10 positive bags; take at most so many" {
		t.Error(err)
	}
	few.Shots = -1
	if _, err := few.Fits(set, oneSetting, 1); err == nil || !strings.Contains(err.Error(), "--shots -1: at least 1") {
		t.Error(err)
	}
	few.Shots, set.Kind = 2, mil.RealTarget
	for i := range set.Bags {
		set.Bags[i].Target = mil.Target{Value: float64(i)}
	}
	if _, err := few.Fits(set, oneSetting, 1); err == nil || !strings.Contains(err.Error(), "test: --shots: targets of kind real have no classes") {
		t.Error(err)
	}
	if a, b := (Protocol{Name: HonestProtocol, Shots: 2}).Key(), (Protocol{Name: HonestProtocol, Shots: 22}).Key(); a == b || a == HonestProtocol {
		t.Errorf("keys %s and %s", a, b)
	}
}

package cv

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"synpool/milbench/mil"
)

// strata holds, for every bag, what folds are balanced by: its class and its group. For survival the class says
// whether the event was seen; for a real target it is the quintile of the value.
type strata struct {
	number int // number of classes, at least 2
	class  []int
	group  []string // nil without groups
}

// strataOfSet returns the strata of a set's bags.
func strataOfSet(s *mil.Set) strata {
	all := make([]Example, len(s.Bags))
	for i, b := range s.Bags {
		all[i] = Example{Bag: i, Target: b.Target}
	}
	return NewTask(s, nil).strata(all)
}

// strata returns the strata of training bags; nothing is known about other bags.
func (t Task) strata(train []Example) strata {
	all := strata{number: max(t.Classes, 2), class: make([]int, len(t.Bags)), group: t.Groups}
	values := make([]float64, len(train))
	for i, e := range train {
		all.class[e.Bag], values[i] = stratum(e.Target, t.Kind), e.Value
	}
	if t.Kind == mil.RealTarget {
		all.number = 5
		for i, fifth := range fifths(values) {
			all.class[train[i].Bag] = fifth
		}
	}
	return all
}

// stratum returns the class to stratify by; for survival, whether the event was seen. A real target depends on the
// other bags: see strata.
func stratum(t mil.Target, kind mil.TargetKind) int {
	switch kind {
	case mil.RealTarget:
		return 0
	case mil.SurvivalTarget:
		if t.Event {
			return 1
		}
		return 0
	}
	return t.Label
}

// fifths returns the quintile of each value, from 0. It depends on the share of values below.
func fifths(values []float64) []int {
	sorted := slices.Sorted(slices.Values(values))
	all := make([]int, len(values))
	for i, v := range values {
		below, _ := slices.BinarySearch(sorted, v)
		all[i] = 5 * below / len(values)
	}
	return all
}

// count counts the bags of each class.
func (s strata) count(bags []int) []int {
	n := make([]int, s.number)
	for _, i := range bags {
		n[s.class[i]]++
	}
	return n
}

// groups gathers the bags of each group, in the order of their first bags; a bag without a group stands alone.
func (s strata) groups(bags []int) [][]int {
	var groups [][]int
	place := make(map[string]int)
	for _, i := range bags {
		name := ""
		if s.group != nil {
			name = s.group[i]
		}
		at, seen := place[name]
		if name == "" || !seen {
			at = len(groups)
			groups = append(groups, nil)
			place[name] = at
		}
		groups[at] = append(groups[at], i)
	}
	return groups
}

// folds cuts bags into k folds, as described in [Protocol]. The order of the folds is random too.
func (s strata) folds(bags []int, k int, rng *rand.Rand) [][]int {
	groups := s.groups(bags)
	rng.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	slices.SortStableFunc(groups, func(a, b []int) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return slices.Compare(s.count(b)[1:], s.count(a)[1:])
	})

	total := s.count(bags)
	folds := make([][]int, k)
	held := make([][]int, k)
	for f := range held {
		held[f] = make([]int, len(total))
	}
	for _, g := range groups {
		n := s.count(g)
		best, least := -1, 0.0
		for f := range folds {
			var added float64
			for c := range n {
				if n[c] > 0 {
					// The growth of the square, without the term that is equal in every fold. Adding quotients, not
					// products, keeps processors from fusing operations, which could break a tie differently.
					added += float64(n[c]*held[f][c]) / (float64(total[c]) * float64(total[c]))
				}
			}
			if best < 0 || added < least || added == least && len(folds[f]) < len(folds[best]) {
				best, least = f, added
			}
		}
		folds[best] = append(folds[best], g...)
		for c := range n {
			held[best][c] += n[c]
		}
	}
	rng.Shuffle(k, func(i, j int) { folds[i], folds[j] = folds[j], folds[i] })
	for _, f := range folds {
		slices.Sort(f)
	}
	return folds
}

// Small training parts are cut again until this many held-out predictions are made, or this many cuts.
const (
	innerPredictions = 150
	maxInnerCuts     = 4
)

// ErrInner is wrapped by the error for a training part that cannot be cut into inner folds.
var ErrInner = errors.New("the training part cannot be cut into inner folds, which need two bags or groups of each class; add bags, or use a learner that chooses nothing under the honest protocol")

// CutInner cuts a training part of a task into k inner folds, or into as many as its rarest class has bags. Folds are
// stratified and keep groups whole, as in [Protocol].
//
// A part with fewer than 150 bags is cut up to four times, until at least 150 bags have been held out. The folds of
// all cuts follow each other in inner. A fold is left out if the rest would lack a class. CutInner returns an error
// ([ErrInner]) if a cut has fewer than two folds or if its folds hold out no bag of some class.
func CutInner(t Task, train []Example, k int, seed uint64) (inner [][]int, err error) {
	s := t.strata(train)
	bags := make([]int, len(train))
	for i, e := range train {
		bags[i] = e.Bag
	}
	total := s.count(bags)
	if t.Classes > 0 {
		k = min(k, slices.Min(total))
	} else {
		k = min(k, len(bags))
	}
	if k < 2 {
		return nil, fmt.Errorf("%w: its classes have %v bags", ErrInner, total)
	}
	cuts := min(max((innerPredictions+len(bags)-1)/len(bags), 1), maxInnerCuts)
	for cut := range cuts {
		before, held := len(inner), make([]bool, len(total)) // classes that are held out
		for _, fold := range s.folds(bags, k, Rand(seed, "cut", cut)) {
			usable, count := len(fold) > 0, s.count(fold)
			for c, n := range count {
				usable = usable && (t.Classes == 0 || n < total[c])
			}
			if !usable {
				continue
			}
			inner = append(inner, fold)
			for c, n := range count {
				held[c] = held[c] || n > 0 || t.Classes == 0
			}
		}
		if len(inner) < before+2 || slices.Contains(held, false) {
			return nil, fmt.Errorf("%w: its groups are too large", ErrInner)
		}
	}
	return inner, nil
}

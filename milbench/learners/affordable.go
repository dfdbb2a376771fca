package learners

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// The time of some learners grows with the square of the bags, or faster. On many bags a sample takes their place: one that
// learns in fitSeconds of a core by the estimates of [learner.Cost], and for portfolios one that all slow candidates choose
// from in choosingSeconds. A candidate is slow if it takes more than a fifth of that by itself. Samples of four fifths and
// more save too little. Tests allow less.
var choosingSeconds = 30.0

const (
	fitSeconds    = 5.0
	longSeconds   = 300.0 // for a fit on few bags that no sample makes faster
	fewestSampled = 100
)

// shuffled returns bags in another order, so that the first ones are like all. Files are often sorted.
func shuffled(bags []mil.Instances) []mil.Instances {
	bags = slices.Clone(bags)
	cv.Rand(0, "cost").Shuffle(len(bags), func(i, j int) { bags[i], bags[j] = bags[j], bags[i] })
	return bags
}

// saves reports whether a sample is small enough to be worth it.
func saves(sample, bags int) bool { return 5*sample < 4*bags }

// superlinear reports whether half of the bags take less than two sevenths of the time: with the square of the bags they take
// a quarter, and trees take a third.
func superlinear(e learner.Entry, setting json.RawMessage, bags []mil.Instances) bool {
	all, err1 := e.CostOf(setting, bags)
	half, err2 := e.CostOf(setting, bags[:len(bags)/2])
	return err1 == nil && err2 == nil && all.Seconds+all.Shared > 3.5*(half.Seconds+half.Shared)
}

// most returns the largest number of bags, of n, that take no more seconds than allowed, with two digits; 0 if that is below
// fewestSampled.
func most(n int, allowed float64, seconds func(n int) float64) int {
	m := sort.Search(n, func(m int) bool { return seconds(m+1) > allowed })
	if m < n {
		unit := int(math.Pow10(max(0, len(fmt.Sprint(m))-2)))
		m -= m % unit
	}
	if m < min(n, fewestSampled) {
		return 0
	}
	return m
}

// Affordable returns the setting with a sample of the bags of a training part ([cv.SampleKey]) if all of them take more than
// five seconds for a fit. why says so in a line, without a dot. If even few bags take minutes, that is an error. Networks,
// portfolios and settings with a sample are returned as they are.
func Affordable(setting json.RawMessage, bags []mil.Instances) (affordable json.RawMessage, why string, err error) {
	e, err := Find(learner.Name(setting))
	if err != nil {
		return setting, "", nil
	}
	bags = shuffled(bags)
	seconds := func(n int) float64 {
		c, _ := e.CostOf(setting, bags[:n]) // of an invalid setting, which its learner reports
		return c.Seconds + c.Shared
	}
	all := seconds(len(bags))
	if all <= fitSeconds || !superlinear(e, setting, bags) {
		return setting, "", nil
	}
	m := most(len(bags), fitSeconds, seconds)
	if m > 0 && !saves(m, len(bags)) {
		return setting, "", nil
	}
	if m == 0 && all <= longSeconds {
		return setting, "", nil
	}
	if m == 0 {
		return nil, "", fmt.Errorf("%s takes about %.0f s for a fit on %d bags of this size; name it to wait", e.Name, all, len(bags))
	}
	if affordable, err = cv.Replace(setting, map[string]any{cv.SampleKey: m}); err != nil {
		return nil, "", err
	}
	return affordable, fmt.Sprintf("%s learns from a sample of %d bags; on all %d it takes about %.0f s for a fit, and does if it is named", e.Name, m, len(bags), all), nil
}

// sampling says how a portfolio deals with many bags. It is nil if it can afford all of them.
type sampling struct {
	bags  []int  // inner folds hold out these alone
	whole []bool // candidates that learn from all bags, the fast ones; the others learn from those above
	left  []bool // candidates that are left out, because few bags take long
}

// sampled returns the sampling of a portfolio on a fit with so many inner folds.
func (p *Portfolio) sampled(task cv.Task, fit cv.Fit) *sampling {
	var bags []mil.Instances
	var targets []mil.Target
	for _, e := range fit.Train {
		bags, targets = append(bags, task.Bags[e.Bag]), append(targets, e.Target)
	}
	bags = shuffled(bags)
	// Inner folds train on most of n bags each; what they share is computed once.
	seconds := func(k, n int) float64 {
		e, err := Find(learner.Name(p.Candidates[k]))
		if err != nil {
			return 0 // a network
		}
		rest, _ := e.CostOf(p.Candidates[k], bags[:n*(p.Inner-1)/p.Inner])
		c, _ := e.CostOf(p.Candidates[k], bags[:n])
		return float64(p.Inner)*rest.Seconds + c.Seconds + c.Shared
	}
	s := &sampling{whole: make([]bool, len(p.Candidates)), left: make([]bool, len(p.Candidates))}
	total := 0.0
	for k, setting := range p.Candidates {
		each := seconds(k, len(bags))
		e, err := Find(learner.Name(setting))
		if s.whole[k] = err != nil || each <= choosingSeconds/5 || !superlinear(e, setting, bags); !s.whole[k] {
			total += each
		}
	}
	if total <= choosingSeconds {
		return nil
	}
	for {
		slowest := -1
		n := most(len(bags), choosingSeconds, func(n int) (sum float64) {
			for k := range p.Candidates {
				if !s.whole[k] && !s.left[k] {
					sum += seconds(k, n)
				}
			}
			return sum
		})
		if n > 0 && !saves(n, len(bags)) && !slices.Contains(s.left, true) {
			return nil
		}
		if n > 0 {
			for _, i := range learner.Sample(targets, task.Classes, n, fit.Seed) {
				s.bags = append(s.bags, fit.Train[i].Bag)
			}
			return s
		}
		for k := range p.Candidates {
			if !s.whole[k] && !s.left[k] && (slowest < 0 || seconds(k, fewestSampled) > seconds(slowest, fewestSampled)) {
				slowest = k
			}
		}
		s.left[slowest] = true
	}
}

// note describes a sampling in a line.
func (s *sampling) note(p *Portfolio, bags int) string {
	var some, left []string
	for k, c := range p.Candidates {
		name := learner.Name(c)
		switch list := &some; {
		case s.whole[k]:
		default:
			if s.left[k] {
				list = &left
			}
			if len(*list) == 0 || (*list)[len(*list)-1] != name {
				*list = append(*list, name)
			}
		}
	}
	text := fmt.Sprintf("%s chooses by %d of %d bags", AutoName, len(s.bags), bags)
	if len(some) > 0 {
		text += "; " + strings.Join(some, ", ") + " learn from these alone"
	}
	if len(left) > 0 {
		text += "; " + strings.Join(left, ", ") + " are left out, because they take long"
	}
	return text
}

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

// The time of some learners grows with the square of the instances, or faster. On large sets a sample takes their place: one
// that learns in fitSeconds of a core by the estimates of [learner.Cost], and for portfolios one that all slow candidates choose
// from in choosingSeconds. A candidate is slow if it takes more than a fifth of that by itself, or more than half of slowSeconds where
// its time grows with the instances. Bags have fewer instances, but
// fewestInstances at least, before there are fewer bags. Samples of four fifths and more save too little. Tests allow less.
var choosingSeconds = 24.0

const (
	fitSeconds      = 5.0
	slowSeconds     = 120.0
	longSeconds     = 300.0 // for a fit on few bags that no sample makes faster
	fewestSampled   = 100
	fewestInstances = 100
)

// sample is what stands for a training part: some bags, and some instances of each; 0 means all.
type sample struct{ bags, instances int }

// of returns the setting with the sample, unless its own is smaller.
func (s sample) of(setting json.RawMessage) (json.RawMessage, error) {
	if s == (sample{}) {
		return setting, nil
	}
	var own struct{ Sample, Instances int }
	if err := json.Unmarshal(setting, &own); err != nil {
		return nil, err
	}
	fields := make(map[string]any)
	if s.bags > 0 && (own.Sample == 0 || s.bags < own.Sample) {
		fields[cv.SampleKey] = s.bags
	}
	if s.instances > 0 && (own.Instances == 0 || s.instances < own.Instances) {
		fields[cv.InstancesKey] = s.instances
	}
	return cv.Replace(setting, fields)
}

// String says what the sample holds.
func (s sample) String() string {
	var parts []string
	if s.bags > 0 {
		parts = append(parts, fmt.Sprintf("a sample of %d bags", s.bags))
	}
	if s.instances > 0 {
		parts = append(parts, fmt.Sprintf("at most %d instances of a bag", s.instances))
	}
	return strings.Join(parts, " and ")
}

// sampleOf returns the largest sample of so many bags, the largest of which has so many instances, that takes no more seconds
// than allowed. limit is the largest number of instances that is taken at all. Without ok, it is the smallest, and takes longer.
func sampleOf(bags, largest, limit int, allowed float64, seconds func(sample) float64) (s sample, ok bool) {
	m := min(largest, limit)
	if n := most(m, fewestInstances, allowed, func(n int) float64 { return seconds(sample{0, n}) }); n > 0 {
		m = n
	} else {
		m = min(m, fewestInstances)
	}
	if largest > limit || saves(m, largest) {
		s.instances = m
	}
	n := most(bags, fewestSampled, allowed, func(n int) float64 { return seconds(sample{n, s.instances}) })
	if ok = n > 0; !ok {
		n = min(bags, fewestSampled)
	}
	if saves(n, bags) {
		s.bags = n
	}
	return s, ok
}

// saves reports whether a sample is small enough to be worth it.
func saves(sample, all int) bool { return 5*sample < 4*all }

// most returns the largest number up to n that takes no more seconds than allowed, with two digits; 0 if that is below fewest.
func most(n, fewest int, allowed float64, seconds func(n int) float64) int {
	m := sort.Search(n, func(m int) bool { return seconds(m+1) > allowed })
	if m < n {
		unit := int(math.Pow10(max(0, len(fmt.Sprint(m))-2)))
		m -= m % unit
	}
	if m < min(n, fewest) {
		return 0
	}
	return m
}

// shuffled returns bags in another order, so that the first ones are like all. Files are often sorted.
func shuffled(bags []mil.Instances) []mil.Instances {
	bags = slices.Clone(bags)
	cv.Rand(0, "cost").Shuffle(len(bags), func(i, j int) { bags[i], bags[j] = bags[j], bags[i] })
	return bags
}

// largest returns the number of instances of the largest bag.
func largest(bags []mil.Instances) (n int) {
	for _, b := range bags {
		n = max(n, b.Len())
	}
	return n
}

// limit returns how many instances of a bag a learner takes at most.
func limit(e learner.Entry) int {
	if n := e.Takes().MaxInstances; n > 0 {
		return n
	}
	return math.MaxInt
}

// seconds estimates the time of a fit on a sample of shuffled bags, apart from what fits share, and that.
func seconds(e learner.Entry, setting json.RawMessage, bags []mil.Instances, s sample) (own, shared float64) {
	if s.bags > 0 {
		bags, s.bags = bags[:s.bags], 0
	}
	setting, err := s.of(setting)
	if err != nil {
		return 0, 0
	}
	c, _ := e.CostOf(setting, bags) // of an invalid setting, which its learner reports
	return c.Seconds, c.Shared
}

// superlinear reports whether half of the bags take less than two sevenths of the time: with the square of the bags they take
// a quarter, and trees take a third.
func superlinear(e learner.Entry, setting json.RawMessage, bags []mil.Instances) bool {
	own, shared := seconds(e, setting, bags, sample{})
	half, halfShared := seconds(e, setting, bags, sample{bags: len(bags) / 2})
	return own+shared > 3.5*(half+halfShared)
}

// Affordable returns settings with a sample of the training bags of a set ([cv.SampleKey]) or of their instances
// ([cv.InstancesKey]) where all of them take more than five seconds for a fit and grow faster than
// the set, or more than two minutes, or where a bag has more instances than the learner
// takes. Settings of a learner have the same sample, so that inner folds compare like with like. They are left out if even a
// small sample takes minutes. Settings that are named take all the time they need. notes has a line, without a dot, for each learner with a sample or left out, by its name. Networks,
// portfolios and settings with a sample are returned as they are.
func Affordable(settings []json.RawMessage, set *mil.Set, named bool) (affordable []json.RawMessage, notes map[string]string, err error) {
	var bags []mil.Instances
	for _, b := range set.Bags {
		if b.Split != mil.TestPart {
			bags = append(bags, b.Instances)
		}
	}
	bags = shuffled(bags)
	large := largest(set.Instances())
	all := make(map[string][]json.RawMessage) // by learner
	for _, setting := range settings {
		name := learner.Name(setting)
		all[name] = append(all[name], setting)
	}
	samples, left := make(map[string]sample), make(map[string]bool)
	notes = make(map[string]string)
	for name, settings := range all {
		e, err := Find(name)
		if err != nil {
			continue
		}
		slowest := func(s sample) (most float64) {
			for _, setting := range settings {
				own, shared := seconds(e, setting, bags, s)
				most = max(most, own+shared)
			}
			return most
		}
		whole := slowest(sample{})
		tooLarge := slices.ContainsFunc(settings, func(s json.RawMessage) bool { return min(large, e.Instances(s)) > limit(e) })
		slow := whole > slowSeconds || whole > fitSeconds && slices.ContainsFunc(settings, func(s json.RawMessage) bool { return superlinear(e, s, bags) })
		allowed := fitSeconds
		if named {
			slow, allowed = false, math.Inf(1)
		}
		if !slow && !tooLarge {
			continue
		}
		s, ok := sampleOf(len(bags), large, limit(e), allowed, slowest)
		switch {
		case !ok && slowest(s) > longSeconds:
			left[name] = true
			notes[name] = fmt.Sprintf("%s takes about %.0f s for a fit, even on %v; name it to wait; it is left out", name, slowest(s), s)
		case s != sample{}:
			samples[name] = s
			notes[name] = fmt.Sprintf("%s learns from %v; on all of them it takes about %.0f s for a fit, and does if it is named", name, s, whole)
			if s.instances == limit(e) {
				notes[name] = fmt.Sprintf("%s learns from %v, and scores a bag by so many; it takes no more", name, s)
			}
		}
	}
	for _, setting := range settings {
		name := learner.Name(setting)
		if left[name] {
			continue
		}
		if setting, err = samples[name].of(setting); err != nil {
			return nil, nil, err
		}
		affordable = append(affordable, setting)
	}
	return affordable, notes, nil
}

// sampling says how a portfolio deals with a large training part. It is nil if it can afford all of it.
type sampling struct {
	sample
	chosen []int  // inner folds hold out these bags alone; nil for all
	whole  []bool // candidates that learn from all bags and instances, the fast ones; the others learn from the sample
	left   []bool // candidates that are left out, because even the smallest sample takes long
}

// sampled returns the sampling of a portfolio on a fit. Inner folds of a protocol hold out all bags; then each training draws
// a sample of its own.
func (p *Portfolio) sampled(task cv.Task, fit cv.Fit) *sampling {
	var bags []mil.Instances
	var targets []mil.Target
	for _, e := range fit.Train {
		bags, targets = append(bags, task.Bags[e.Bag]), append(targets, e.Target)
	}
	bags = shuffled(bags)
	given := len(fit.Inner)
	// Inner folds train on most of the bags each; what they share is computed once.
	each := func(k int, s sample) float64 {
		e, err := Find(learner.Name(p.Candidates[k]))
		if err != nil {
			return 0 // a network
		}
		n := s.bags
		if n == 0 {
			n = len(bags)
		}
		own, shared := seconds(e, p.Candidates[k], bags, sample{n, s.instances})
		if given > 0 && n < len(bags) { // nothing is shared, and all bags are scored
			return float64(given+1)*(own+shared) + 2*shared*float64(len(bags))/float64(n)
		}
		rest, _ := seconds(e, p.Candidates[k], bags, sample{max(1, n*(p.Inner-1)/p.Inner), s.instances})
		return float64(p.Inner)*rest + own + shared
	}
	s := &sampling{whole: make([]bool, len(p.Candidates)), left: make([]bool, len(p.Candidates))}
	total, large, most := 0.0, largest(task.Bags), math.MaxInt
	for k, setting := range p.Candidates {
		alone := each(k, sample{})
		e, err := Find(learner.Name(setting))
		s.whole[k] = err != nil || min(large, e.Instances(setting)) <= limit(e) && (alone <= choosingSeconds/5 || alone <= slowSeconds/2 && !superlinear(e, setting, bags))
		if !s.whole[k] {
			total += alone
			most = min(most, limit(e))
		}
	}
	if total <= choosingSeconds && large <= most {
		return nil
	}
	for {
		sum := func(of sample) (sum float64) {
			for k := range p.Candidates {
				if !s.whole[k] && !s.left[k] {
					sum += each(k, of)
				}
			}
			return sum
		}
		var ok bool
		if s.sample, ok = sampleOf(len(bags), large, most, choosingSeconds, sum); ok {
			break
		}
		slowest := -1
		for k := range p.Candidates {
			if !s.whole[k] && !s.left[k] && (slowest < 0 || each(k, s.sample) > each(slowest, s.sample)) {
				slowest = k
			}
		}
		s.left[slowest] = true
	}
	if s.sample == (sample{}) && !slices.Contains(s.left, true) {
		return nil
	}
	if s.bags > 0 && given == 0 {
		for _, i := range learner.Sample(targets, task.Classes, s.bags, fit.Seed) {
			s.chosen = append(s.chosen, fit.Train[i].Bag)
		}
	}
	return s
}

// setting returns what candidate k learns with, apart from the bags that inner folds hold out.
func (s *sampling) setting(k int, setting json.RawMessage) (json.RawMessage, error) {
	if s == nil || s.whole[k] {
		return setting, nil
	}
	return s.of(setting)
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
			if !slices.Contains(*list, name) {
				*list = append(*list, name)
			}
		}
	}
	var parts []string
	if len(s.chosen) > 0 {
		parts = append(parts, fmt.Sprintf("%s chooses by %d of %d bags", AutoName, len(s.chosen), bags))
	}
	if s.sample != (sample{}) && len(some) > 0 {
		parts = append(parts, fmt.Sprintf("with %v: %s", s.sample, strings.Join(some, ", ")))
	}
	if len(left) > 0 {
		parts = append(parts, "left out, because they take long: "+strings.Join(left, ", "))
	}
	if len(s.chosen) == 0 {
		return AutoName + ": " + strings.Join(parts, "; ")
	}
	return strings.Join(parts, "; ")
}

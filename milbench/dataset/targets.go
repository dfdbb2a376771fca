package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"synpool/milbench"
)

// mostClasses is the number of different integers up to which they are taken for classes, and not for a real target.
const mostClasses = 20

// setTargets gives the bags of a set the targets that a file writes as words, one a bag.
//
// The numbers 0 and 1, or -1 and 1, are a binary target without names of classes. Other numbers are a real target if one of
// them is no integer or there are more than 20 different ones. All else is a class: two words are a binary target, of which
// the second in order is the positive one ([SetPositive]), more are classes. Times with events ([survivalWord]) are survival.
func setTargets(s *milbench.Set, words []string) error {
	if slices.ContainsFunc(words, isSurvival) {
		return setSurvival(s, words)
	}
	if i := slices.Index(words, ""); i >= 0 {
		return fmt.Errorf("bag %s has no label; give every bag one", s.Bags[i].ID)
	}
	values, numbers := make([]float64, len(words)), true
	distinct := map[string]string{} // by value, where all are numbers, as first written
	for i, word := range words {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil || v-v != 0 {
			numbers = false
			break
		}
		values[i] = v
		if key := strconv.FormatFloat(v, 'g', -1, 64); distinct[key] == "" {
			distinct[key] = word
		}
	}
	if !numbers {
		clear(distinct)
		for _, word := range words {
			distinct[word] = word
		}
	}
	within := func(allowed ...float64) bool {
		return numbers && !slices.ContainsFunc(values, func(v float64) bool { return !slices.Contains(allowed, v) })
	}
	switch {
	case within(0, 1), within(-1, 1):
		for i, v := range values {
			if v == 1 {
				s.Bags[i].Label = 1
			}
		}
		return nil
	case numbers && (len(distinct) > mostClasses || slices.ContainsFunc(values, func(v float64) bool { return v != float64(int64(v)) })):
		s.Kind = milbench.RealTarget
		for i, v := range values {
			s.Bags[i].Value = v
		}
		return nil
	case !numbers && len(distinct) == len(words) && len(words) > 2:
		return fmt.Errorf("every bag has a label of its own, bag %s %q and bag %s %q, say; name the column that holds the classes label", s.Bags[0].ID, words[0], s.Bags[1].ID, words[1])
	}
	for _, word := range distinct {
		s.Classes = append(s.Classes, word)
	}
	slices.SortFunc(s.Classes, func(a, b string) int {
		if numbers {
			x, _ := strconv.ParseFloat(a, 64)
			y, _ := strconv.ParseFloat(b, 64)
			return cmp.Compare(x, y)
		}
		return milbench.CompareNatural(a, b)
	})
	if len(s.Classes) == 1 {
		return fmt.Errorf("all %d bags have label %s; two classes are needed", len(words), s.Classes[0])
	}
	if len(s.Classes) > 2 {
		s.Kind = milbench.ClassTarget
	}
	for i, word := range words {
		if numbers {
			word = distinct[strconv.FormatFloat(values[i], 'g', -1, 64)]
		}
		s.Bags[i].Label = slices.Index(s.Classes, word)
	}
	return nil
}

// survivalMark begins the words of survival, which no label begins with.
const survivalMark = "\x00"

// survivalWord returns the word of a time and an event, as files write them.
func survivalWord(time, event string) string { return survivalMark + time + survivalMark + event }

func isSurvival(word string) bool { return strings.HasPrefix(word, survivalMark) }

// setSurvival gives the bags of a set times and events.
func setSurvival(s *milbench.Set, words []string) error {
	s.Kind = milbench.SurvivalTarget
	for i, word := range words {
		parts := strings.Split(word, survivalMark)
		if len(parts) != 3 {
			return fmt.Errorf("bag %s has no time", s.Bags[i].ID)
		}
		time, err := strconv.ParseFloat(parts[1], 64)
		if err != nil || !(time >= 0) || time-time != 0 {
			return fmt.Errorf("bag %s has time %q; write a number from 0", s.Bags[i].ID, parts[1])
		}
		switch strings.ToLower(parts[2]) {
		case "1", "true":
			s.Bags[i].Event = true
		case "0", "false":
		default:
			return fmt.Errorf("bag %s has event %q; write 1 where it was seen and 0 where the bag was lost from sight", s.Bags[i].ID, parts[2])
		}
		s.Bags[i].Value = time
	}
	return nil
}

// SetPositive makes a class of a binary set, by the word that its file writes, the positive one. A set without names has the
// classes 0 and 1. The set gets another checksum if that changes it.
func SetPositive(s *milbench.Set, word string) error {
	if s.Kind != milbench.BinaryTarget {
		return fmt.Errorf("%s: a positive class is for two; its target is of kind %v", s.Name, s.Kind)
	}
	classes := []string{s.ClassName(0), s.ClassName(1)}
	switch slices.Index(classes, word) {
	case 1:
		return nil
	case 0:
	default:
		if near := milbench.Nearest(word, classes); near != "" {
			return fmt.Errorf("%s: no bag has label %q; did you mean %q?", s.Name, word, near)
		}
		return fmt.Errorf("%s: no bag has label %q; the labels are %s and %s", s.Name, word, classes[0], classes[1])
	}
	s.Classes = []string{classes[1], classes[0]}
	for i := range s.Bags {
		s.Bags[i].Label = 1 - s.Bags[i].Label
	}
	return s.Seal()
}

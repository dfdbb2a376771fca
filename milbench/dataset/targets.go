package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"synpool/internal/spelling"
	"synpool/milbench/mil"
)

// mostClasses is the largest number of different integers that still count as classes; more are a real target.
const mostClasses = 20

// setTargets sets the targets of the bags from the words in a file, one per bag.
//
// The numbers 0 and 1, or -1 and 1, are a binary target without class names. Other numbers are a real target if one
// of them is not an integer or if there are more than 20 different ones. All other words are classes. Two of them are
// a binary target. Positive is the larger of two integers, else the word that [KnownPositive] knows, else the rarer
// one, else the one that sorts second; see also [SetPositive]. Times with events ([survivalWord]) are survival. With
// [Options.Numbers] all numbers are a real target.
func (o Options) setTargets(s *mil.Set, words []string) error {
	if slices.ContainsFunc(words, isSurvival) {
		if o.Numbers {
			return errors.New("times with events are no labels that are numbers; leave --numbers out")
		}
		return setSurvival(s, words)
	}
	if err := checkWords(s, words); err != nil {
		return err
	}
	values, numbers := make([]float64, len(words)), true
	distinct := map[string]string{} // by value if all are numbers, as first written
	for i, word := range words {
		v, err := mil.ParseNumber(word)
		if err != nil {
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
	if o.Numbers && !numbers {
		i := slices.IndexFunc(words, func(word string) bool { _, err := mil.ParseNumber(word); return err != nil })
		return fmt.Errorf("bag %s has label %q, which is not a number; leave --numbers out", s.Bags[i].ID, words[i])
	}
	if i := slices.IndexFunc(words, func(word string) bool { return strings.ContainsAny(word, ";|") }); i >= 0 {
		return fmt.Errorf("bag %s has several labels, %q: one label at a time; write a column for each and name one with --label, or write a class without ; and |", s.Bags[i].ID, words[i])
	}
	switch {
	case !o.Numbers && (within(0, 1) || within(-1, 1)):
		for i, v := range values {
			if v == 1 {
				s.Bags[i].Label = 1
			}
		}
		return nil
	case !o.Numbers && o.Judged && o.Classes != nil:
		if s.Classes = o.Classes; len(s.Classes) > 2 {
			s.Kind = mil.ClassTarget
		}
		for i, word := range words {
			if s.Bags[i].Label = slices.IndexFunc(s.Classes, func(class string) bool { return mil.SameWord(class, word) }); s.Bags[i].Label < 0 {
				return fmt.Errorf("bag %s has label %q, a class that the model does not know; it knows %s", s.Bags[i].ID, word, strings.Join(s.Classes, ", "))
			}
		}
		return nil
	case o.Numbers, numbers && (len(distinct) > mostClasses || slices.ContainsFunc(values, func(v float64) bool { return v != float64(int64(v)) })):
		s.Kind = mil.RealTarget
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
			x, _ := mil.ParseNumber(a)
			y, _ := mil.ParseNumber(b)
			return cmp.Compare(x, y)
		}
		return mil.CompareNatural(a, b)
	})
	if len(s.Classes) == 1 {
		return fmt.Errorf("all %d bags have label %s; two classes are needed", len(words), s.Classes[0])
	}
	if len(s.Classes) > 2 {
		s.Kind = mil.ClassTarget
	}
	if c := s.Classes; len(c) == 2 && !numbers {
		n := 0 // bags of the first class minus those of the second
		for _, word := range words {
			n += 1 - 2*slices.Index(c, word)
		}
		if known := KnownPositive(c[0], c[1]); known < 0 || known == 0 && n < 0 {
			slices.Reverse(c)
		}
	}
	for i, word := range words {
		if numbers {
			word = distinct[strconv.FormatFloat(values[i], 'g', -1, 64)]
		}
		s.Bags[i].Label = slices.Index(s.Classes, word)
	}
	return nil
}

// Words of labels, in lower case, that say that something is absent or present. A word of the first kind decides.
var (
	negativeWord = regexp.MustCompile(`-$|^[nf0]$|^non[a-z]|(^|[^a-z])(neg|negativ[e]?|non?|not|none|without|absen(t|ce)|false|normal|controls?|ctrl|benign|healthy|well|low|lower|` +
		`wt|wild|wild-?type|mss|msi-?l|pmmr|proficient|alive|living|survived|survivors?|inactive|unaffected|uninfected|untreated|placebo|stable|nr)($|[^a-z])`)
	positiveWord = regexp.MustCompile(`\+$|^[yt1]$|(^|[^a-z])(pos|positiv[e]?|yes|true|tumou?r|tumou?ral|cancer|carcinoma|malignan(t|cy)|metasta(sis|ses|tic)|diseased?|ill|sick|abnormal|cases?|high|higher|` +
		`mut|mutant|mutated|mutation|msi|msi-?h|dmmr|deficient|amplified|presen(t|ce)|respon(der|ders|se|sive)|dead|died|deceased|relapsed?|recurren(t|ce)|progress(ion|ive|or)|active|affected|infected|treated)($|[^a-z])`)
)

// KnownPositive tells which of two labels is positive by their words, such as tumour beside normal, or mut beside wt: it
// is above 0 for the second, below 0 for the first, and 0 if the words do not tell.
func KnownPositive(first, second string) int {
	sense := func(word string) int {
		switch word = strings.ToLower(word); {
		case negativeWord.MatchString(word):
			return -1
		case positiveWord.MatchString(word):
			return 1
		}
		return 0
	}
	return sense(second) - sense(first)
}

// missing has the spellings of a missing label or value, in lower case.
var missing = []string{"", "?", "na", "n/a", "nan", "nil", "none", "null"}

// isMissing reports whether a field means a missing value.
func isMissing(text string) bool {
	return slices.Contains(missing, strings.ToLower(strings.TrimSpace(text)))
}

// noGroup reports whether a field names no group.
func noGroup(text string) bool { return isMissing(text) || strings.EqualFold(text, "unknown") }

// checkWords returns an error for bags without a label, words that differ only in case, or a single word among
// numbers.
func checkWords(s *mil.Set, words []string) error {
	first := map[string]string{} // as written, keyed by lower case
	var odd []int                // words that are not numbers
	for i, word := range words {
		lower := strings.ToLower(word)
		if isMissing(word) {
			return noLabel(s.Bags[i].ID, word)
		}
		if other, known := first[lower]; known && other != word {
			return fmt.Errorf("bag %s has label %q, and there is %q; write labels of one class alike", s.Bags[i].ID, word, other)
		}
		first[lower] = word
		if _, err := mil.ParseNumber(word); err != nil {
			odd = append(odd, i)
		}
	}
	if len(odd) == 1 && len(words) > 3 {
		return fmt.Errorf("bag %s has label %q, and the labels of all other bags are numbers; correct it", s.Bags[odd[0]].ID, words[odd[0]])
	}
	return nil
}

// survivalMark starts a survival word. No label starts with it.
const survivalMark = "\x00"

// survivalWord returns the word for a time and an event, as spelt in files.
func survivalWord(time, event string) string { return survivalMark + time + survivalMark + event }

func isSurvival(word string) bool { return strings.HasPrefix(word, survivalMark) }

func noLabel(id, word string) error {
	return fmt.Errorf("bag %s has no label (%q counts as a missing value); give it one, call the class by another word, or leave the bag out", id, shown(word))
}

// lacksLabel reports whether a word is no label, or a time or event is missing.
func lacksLabel(word string) bool {
	if !isSurvival(word) {
		return isMissing(word)
	}
	parts := strings.Split(word, survivalMark)
	return len(parts) == 3 && (isMissing(parts[1]) || isMissing(parts[2]))
}

// setSurvival sets the times and events of the bags.
func setSurvival(s *mil.Set, words []string) error {
	s.Kind = mil.SurvivalTarget
	for i, word := range words {
		parts := strings.Split(word, survivalMark)
		if len(parts) != 3 {
			return fmt.Errorf("bag %s has no time", s.Bags[i].ID)
		}
		time, err := mil.ParseNumber(parts[1])
		if err != nil || time < 0 {
			return fmt.Errorf("bag %s has time %q; write a number from 0", s.Bags[i].ID, parts[1])
		}
		switch strings.ToLower(parts[2]) {
		case "1", "true":
			s.Bags[i].Event = true
		case "0", "false":
		default:
			return fmt.Errorf("bag %s has event %q; write 1 if it was seen and 0 if the bag is censored", s.Bags[i].ID, parts[2])
		}
		s.Bags[i].Value = time
	}
	return nil
}

// setOrder numbers the classes of a set in the order of words, which must list all of them. If the numbers change, so
// does the checksum.
func setOrder(s *mil.Set, words []string) error {
	if s.Kind != mil.ClassTarget {
		return fmt.Errorf("%s: --order is for three classes or more; the target is of kind %v", s.Name, s.Kind)
	}
	at := make([]int, len(s.Classes)) // the new number of each class
	for i, class := range s.Classes {
		if at[i] = slices.IndexFunc(words, func(word string) bool { return mil.SameWord(class, word) }); at[i] < 0 {
			return fmt.Errorf("%s: --order lacks %q; name all of %s", s.Name, class, strings.Join(s.Classes, ","))
		}
	}
	if len(words) != len(s.Classes) { // each class occurs once
		return fmt.Errorf("%s: --order has %d labels, the file %d: %s; name each once", s.Name, len(words), len(s.Classes), strings.Join(s.Classes, ","))
	}
	classes := make([]string, len(words))
	for i, class := range s.Classes {
		classes[at[i]] = class
	}
	s.Classes = classes
	for i, b := range s.Bags {
		s.Bags[i].Label = at[b.Label]
	}
	return s.Seal()
}

// SetPositive makes one class of a binary set the positive one, given its word in the file. A set without names has
// the classes 0 and 1. If the positive class changes, so does the checksum.
func SetPositive(s *mil.Set, word string) error {
	if s.Kind != mil.BinaryTarget {
		return fmt.Errorf("%s: a positive class needs two classes; the target is of kind %v", s.Name, s.Kind)
	}
	classes := []string{s.ClassName(0), s.ClassName(1)}
	at := slices.IndexFunc(classes, func(class string) bool { return mil.SameWord(class, word) })
	_, notNumber := mil.ParseNumber(word)
	if at < 0 && s.Classes == nil && mil.SameWord(word, "-1") {
		at = 0 // for labels -1 and 1
	}
	switch at {
	case 1:
		return nil
	case 0:
	default:
		if near := spelling.Nearest(word, classes); near != "" && notNumber != nil {
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

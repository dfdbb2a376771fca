package cv

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"synpool/milbench/mil"
)

// Untested marks a bag that no fold tests, in [Splits].
const Untested = -1

// Splits are the test parts of given folds, such as those that a paper publishes ([Protocol].Splits).
type Splits struct {
	Tested [][]int // [repeats][bags]: the fold that tests the bag, from 0; Untested for none
}

// Folds returns the number of folds per repeat.
func (s *Splits) Folds() int {
	most := Untested
	for _, tested := range s.Tested {
		for _, fold := range tested {
			most = max(most, fold)
		}
	}
	return most + 1
}

// Sum returns the first 16 hexadecimal digits of the SHA-256 of Tested as JSON. It depends on nothing else, so equal folds of
// different files have the same sum.
func (s *Splits) Sum() string {
	text, err := json.Marshal(s.Tested)
	if err != nil {
		panic(err) // integers are JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Divided returns an error that names the first group with bags in both parts of a fold, and nil if all groups stay whole.
// [Protocol.Fits] takes such folds, as published ones are what they are.
func (s *Splits) Divided(set *mil.Set) error {
	for repeat, tested := range s.Tested {
		for fold, test := range s.tests(repeat) {
			inTest := make([]bool, len(tested))
			for _, i := range test {
				inTest[i] = true
			}
			if err := set.Torn(inTest); err != nil {
				return fmt.Errorf("repeat %d, fold %d: %w", repeat+1, fold+1, err)
			}
		}
	}
	return nil
}

// tests returns the test parts of a repeat.
func (s *Splits) tests(repeat int) [][]int {
	parts := make([][]int, s.Folds())
	for i, fold := range s.Tested[repeat] {
		if fold != Untested {
			parts[fold] = append(parts[fold], i)
		}
	}
	return parts
}

// validate returns an error if a protocol asks for other folds or repeats.
func (s *Splits) validate(p Protocol) error {
	switch {
	case p.Name == PublishedProtocol:
		return fmt.Errorf("--folds-file: the %s protocol makes its own fold; take the %s protocol", p.Name, HonestProtocol)
	case p.Folds != s.Folds():
		return fmt.Errorf("--folds %d: the given folds are %d; leave --folds out", p.Folds, s.Folds())
	case p.Repeats > len(s.Tested):
		return fmt.Errorf("--repeats %d: the given folds are of %d repeats; take at most as many", p.Repeats, len(s.Tested))
	}
	return nil
}

// fits returns an error if the folds are not of a set.
func (s *Splits) fits(set *mil.Set) error {
	if set.HasSplit() {
		return fmt.Errorf("%s: --folds-file: the set has an official split; take --split none to leave it aside", set.Name)
	}
	for _, tested := range s.Tested {
		if len(tested) != len(set.Bags) {
			return fmt.Errorf("%s: the given folds are of %d bags, and the set has %d", set.Name, len(tested), len(set.Bags))
		}
	}
	return nil
}

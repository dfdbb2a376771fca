package modeldir

import (
	"errors"
	"fmt"

	"synpool/milbench/mil"
)

// CardOf returns the card of a model of the given kind that is trained on a set.
func CardOf(kind string, set *mil.Set, seed uint64) Card {
	return Card{Format: format, Kind: kind, Set: set.Name, Checksum: set.Checksum, Classes: set.Classes, Target: set.Kind, Leaked: set.Leaked, Seed: seed,
		NumFeatures: set.NumFeatures(), Features: set.Features, Centre: set.Centre, Missing: set.Missing, Words: set.Words}
}

// BagError is the reason why a bag cannot be scored.
type BagError struct {
	Bag int // index of the bag
	Err error
}

// Error implements error. Like Bag, it counts bags from 0.
func (e *BagError) Error() string { return fmt.Sprintf("bag %d: %v", e.Bag, e.Err) }

// Unwrap returns the reason.
func (e *BagError) Unwrap() error { return e.Err }

// Check returns a [*BagError] for the first bag that the model cannot score: one without instances, with a different
// number of features, or with values that are not finite.
func (c *Card) Check(bags []mil.Instances) error {
	for i, b := range bags {
		switch {
		case b.Features() != c.NumFeatures:
			return &BagError{i, fmt.Errorf("%d features; the model, trained on %s, takes %d", b.Features(), c.Set, c.NumFeatures)}
		case b.Len() == 0:
			return &BagError{i, errors.New("no instances")}
		}
		if err := mil.ValidateInstances(b); err != nil {
			return &BagError{i, err}
		}
	}
	return nil
}

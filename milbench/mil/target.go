package mil

import (
	"fmt"
	"strings"
)

// TargetKind is the kind of a set's targets.
type TargetKind int

// The kinds of targets.
const (
	BinaryTarget   TargetKind = iota // two classes; the second one is positive
	ClassTarget                      // three or more unordered classes
	RealTarget                       // a real number
	SurvivalTarget                   // a time, and whether the event occurred then or the bag is censored
)

var targetKinds = []string{"binary", "classes", "real", "survival"}

// String returns the kind as written in files: binary, classes, real or survival.
func (k TargetKind) String() string {
	if k < 0 || int(k) >= len(targetKinds) {
		return fmt.Sprintf("TargetKind(%d)", int(k))
	}
	return targetKinds[k]
}

// MarshalText returns the same text as String.
func (k TargetKind) MarshalText() ([]byte, error) {
	if k < 0 || int(k) >= len(targetKinds) {
		return nil, fmt.Errorf("%v is not a kind of target", k)
	}
	return []byte(k.String()), nil
}

// UnmarshalText parses the text from MarshalText.
func (k *TargetKind) UnmarshalText(text []byte) error {
	for i, name := range targetKinds {
		if name == string(text) {
			*k = TargetKind(i)
			return nil
		}
	}
	return fmt.Errorf("%q is not a kind of target; the kinds are %s", text, strings.Join(targetKinds, ", "))
}

// Target is the target of a bag. The set defines its kind.
type Target struct {
	// Label is the class: an index in [Set.Classes], from 0. For a binary target, 0 is negative and 1 is positive.
	Label int `json:"label"`
	// Value is a real target or a survival time.
	Value float64 `json:"value,omitempty"`
	// Event is true if the event was seen at the time, false if the bag was censored.
	Event bool `json:"event,omitempty"`
}

// Labelled returns the target for a class.
func Labelled(class int) Target { return Target{Label: class} }

// Validate returns an error if the target does not fit the kind; classes is the number of classes.
func (t Target) Validate(kind TargetKind, classes int) error {
	switch {
	case kind == BinaryTarget && t.Label != 0 && t.Label != 1:
		return fmt.Errorf("label %d; bag labels are 0 or 1", t.Label)
	case kind == ClassTarget && (t.Label < 0 || t.Label >= classes):
		return fmt.Errorf("label %d of %d classes; they count from 0", t.Label, classes)
	case (kind == RealTarget || kind == SurvivalTarget) && t.Value-t.Value != 0:
		return fmt.Errorf("target %v; replace it by a finite number", t.Value)
	case kind == SurvivalTarget && t.Value < 0:
		return fmt.Errorf("time %v; times are 0 or more", t.Value)
	}
	return nil
}

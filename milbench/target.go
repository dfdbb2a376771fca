package milbench

import (
	"fmt"
	"strings"
)

// TargetKind is the kind of the targets of a set.
type TargetKind int

// The kinds of targets.
const (
	BinaryTarget   TargetKind = iota // two classes, the second of which is the positive one
	ClassTarget                      // three classes or more, without order
	RealTarget                       // a real number
	SurvivalTarget                   // a time, and whether the event was seen then or the bag is censored
)

var targetKinds = []string{"binary", "classes", "real", "survival"}

// String returns the kind as it stands in files: binary, classes, real or survival.
func (k TargetKind) String() string {
	if k < 0 || int(k) >= len(targetKinds) {
		return fmt.Sprintf("TargetKind(%d)", int(k))
	}
	return targetKinds[k]
}

// MarshalText writes what String returns.
func (k TargetKind) MarshalText() ([]byte, error) {
	if k < 0 || int(k) >= len(targetKinds) {
		return nil, fmt.Errorf("%v is no kind of target", k)
	}
	return []byte(k.String()), nil
}

// UnmarshalText reads what MarshalText writes.
func (k *TargetKind) UnmarshalText(text []byte) error {
	for i, name := range targetKinds {
		if name == string(text) {
			*k = TargetKind(i)
			return nil
		}
	}
	return fmt.Errorf("%q is no kind of target; the kinds are %s", text, strings.Join(targetKinds, ", "))
}

// Target is what a bag is labelled with; its kind is that of the set.
type Target struct {
	// Label is the class, from 0, an index in [Set.Classes]; of a binary target 0 is negative and 1 positive.
	Label int `json:"label"`
	// Value is a real target, or the time of survival.
	Value float64 `json:"value,omitempty"`
	// Event says that the event was seen at the time; otherwise the bag was censored.
	Event bool `json:"event,omitempty"`
}

// Labelled returns the target of a class.
func Labelled(class int) Target { return Target{Label: class} }

// validate reports a target that is none of the kind; classes is their number.
func (t Target) validate(kind TargetKind, classes int) error {
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

// stratum is the class by which folds are stratified: of survival whether the event was seen; of a real target it needs the others, see strata.
func (t Target) stratum(kind TargetKind) int {
	switch kind {
	case RealTarget:
		return 0
	case SurvivalTarget:
		if t.Event {
			return 1
		}
		return 0
	}
	return t.Label
}

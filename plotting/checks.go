package plotting

import (
	"fmt"
	"math"
	"slices"
)

// Limits of axes and shades.
const (
	largest  = 1e100 // absolute value
	smallest = 1e-100
)

// about prefixes an error with what was being drawn.
func about(err *error, drawing string) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", drawing, *err)
	}
}

// drawable reports why a value cannot be drawn.
func drawable(v float64) error {
	if math.IsNaN(v) || math.Abs(v) > largest {
		return fmt.Errorf("%v is not a number that can be drawn", v)
	}
	return nil
}

// notNegative reports why a number cannot be drawn as a length.
func notNegative(v float64) error {
	if v < 0 {
		return fmt.Errorf("%v is negative", v)
	}
	return drawable(v)
}

// positive reports why a number has no place on a logarithmic axis.
func positive(v float64) error {
	if v < smallest {
		return fmt.Errorf("%v is not above 0, where a logarithmic axis begins", v)
	}
	return drawable(v)
}

// isFraction reports a number beyond 0 and 1.
func isFraction(v float64) error {
	if !(0 <= v && v <= 1) {
		return fmt.Errorf("%v is not between 0 and 1", v)
	}
	return nil
}

// isShare reports a number that is not a share. Sums of float32 may be slightly above 1.
func isShare(v float64) error {
	if !(v >= 0 && v <= 1+1e-6) {
		return fmt.Errorf("%v is no share, which is from 0 to 1; divide by the sum", v)
	}
	return nil
}

// each reports the first value that a check refuses. what names the values; they are counted from 1.
func each(what string, values []float64, check func(float64) error) error {
	for i, v := range values {
		if err := check(v); err != nil {
			return fmt.Errorf("%s %d: %w", what, i+1, err)
		}
	}
	return nil
}

// increasing is each for values that must increase.
func increasing(what string, values []float64, check func(float64) error) error {
	if err := each(what, values, check); err != nil {
		return err
	}
	for i, v := range values {
		if i > 0 && v <= values[i-1] {
			return fmt.Errorf("%s %d: %v after %v; give them increasing", what, i+1, v, values[i-1])
		}
	}
	return nil
}

// labelled reports why curves of that kind cannot be told apart by name and stroke.
func labelled[C any](kind string, curves []C, name func(C) string) error {
	groups, group, err := grouped(kind, curves, name)
	for i, g := range group {
		if g < i {
			return fmt.Errorf("the %s %q occurs twice", kind, groups[g])
		}
	}
	return err
}

// grouped returns the distinct names of curves of that kind, in order of first appearance, and the index of each curve's
// name.
func grouped[C any](kind string, curves []C, name func(C) string) (groups []string, group []int, err error) {
	for i, c := range curves {
		if name(c) == "" {
			return nil, nil, fmt.Errorf("%s %d has no name", kind, i+1)
		}
		at := slices.Index(groups, name(c))
		if at < 0 {
			at, groups = len(groups), append(groups, name(c))
		}
		group = append(group, at)
	}
	if len(groups) > mostCurves {
		return nil, nil, fmt.Errorf("%d names are too many to tell apart; draw at most %d", len(groups), mostCurves)
	}
	return groups, group, nil
}

// checkNames reports names that are not those of n things, and more things or names than can be told apart. Without names,
// things have numbers.
func checkNames(what string, names []string, n, most int) error {
	switch {
	case names != nil && len(names) != n:
		return fmt.Errorf("%d names for %d %ss", len(names), n, what)
	case n > most:
		return fmt.Errorf("%d %ss; at most %d can be told apart", n, what, most)
	case names != nil && n > mostNamed:
		return fmt.Errorf("%d names of %ss; at most %d can be read; leave the names out", n, what, mostNamed)
	}
	return nil
}

// mostNamed is the maximum number of rows, columns or bars that have names.
const mostNamed = 100

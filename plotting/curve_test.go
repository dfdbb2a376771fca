package plotting

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

// fits checks that a figure is drawn within its margins.
func fits(t *testing.T, name string, f *Figure, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	framed(t, name, f)
}

// refuses checks that there is no figure but an error on one line that begins with what was drawn and says what is wrong.
func refuses(t *testing.T, f *Figure, err error, drawing, want string) {
	t.Helper()
	if f != nil || err == nil || !strings.HasPrefix(err.Error(), drawing+": ") || !strings.Contains(err.Error(), want) ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one of %q with %q", err, drawing, want)
	}
}

// course returns n values that fall from high towards low.
func course(n int, low, high, rate float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = low + (high-low)*math.Exp(-rate*float64(i))
	}
	return values
}

// lists has values that are hard to draw, by description.
var lists = map[string][]float64{
	"one point":     {0.25},
	"one zero":      {0},
	"equal":         {3, 3, 3, 3},
	"zeros":         {0, 0, 0},
	"nearly equal":  {1, 1 + 1e-12, 1 - 1e-12},
	"huge":          {-1e100, 0, 1e100},
	"huge, equal":   {1e100, 1e100},
	"large":         {123456789, 123456999},
	"small":         {1e-99, 3e-99, 2e-99},
	"tiny":          {5e-324, 0, 1e-300},
	"both signs":    {-0.003, 0.002},
	"wide":          {1e-9, 1, 1e9},
	"below 0":       {-5, -7, -6.5},
	"three quarter": {0.75, 0.5, 0.25},
}

// many returns n names, one of them long.
func many(n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("syn, γ = %d/%d", i, n))
	}
	names[n/2] = strings.Repeat("a long name ", 20)
	return names
}

func TestLabelled(t *testing.T) {
	if err := labelled("run", many(len(palette)*len(dashes))); err != nil {
		t.Error(err)
	}
	for want, names := range map[string][]string{
		"run 2 has no name":                 {"a", ""},
		`the run "a" occurs twice`:          {"a", "b", "a"},
		"29 names are too many to tell":     many(29),
		"30 names are too many to tell":     append(many(29), "last"),
		`the run "first" occurs twice`:      append(append([]string{"first"}, many(20)...), "first"),
		"run 1 has no name":                 {""},
		"29 names are too many to tell apa": append(many(29), "syn, γ = 0/29"),
	} {
		if err := labelled("run", names); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	groups, group, err := grouped("run", []string{"b", "a", "b", "c", "a"})
	if fmt.Sprint(groups, group, err) != "[b a c] [0 1 0 2 1] <nil>" {
		t.Errorf("groups %v, %v (%v)", groups, group, err)
	}
}

// TestStrokes: as many curves as are allowed look different.
func TestStrokes(t *testing.T) {
	seen := map[string]bool{}
	for i := range len(palette) * len(dashes) {
		s := fmt.Sprint(line(i))
		if seen[s] {
			t.Errorf("the stroke %d is drawn twice", i)
		}
		seen[s] = true
	}
}

// draws checks that a figure is drawn.
func draws(t *testing.T, name string, f *Figure, err error) {
	t.Helper()
	if err == nil {
		err = f.Write(io.Discard, SVG)
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

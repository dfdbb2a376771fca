package retrieval_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"synpool/course/examples/fit/fittest"
	"synpool/course/examples/memory/retrieval"
	"synpool/internal/fetched"
)

// digits returns n digits; it skips where they are not there.
func digits(t *testing.T, n int) [][]float64 {
	t.Helper()
	return fetched.Load(t, func() ([][]float64, error) { return retrieval.Digits(n) })
}

func TestDigits(t *testing.T) {
	digits := digits(t, 200)
	if len(digits) != 200 {
		t.Fatalf("%d digits", len(digits))
	}
	seen := map[string]bool{}
	for _, x := range digits {
		black := 0
		for _, v := range x {
			if v < -1 || v > 1 {
				t.Fatalf("a pixel of %g", v)
			}
			if v == -1 {
				black++
			}
		}
		if len(x) != 784 || black < 400 || black > 784-10 {
			t.Fatalf("a digit of %d pixels, %d of them black", len(x), black)
		}
		seen[fmt.Sprint(x)] = true
	}
	if len(seen) != 200 {
		t.Errorf("%d different digits of 200", len(seen))
	}
	if fewer, err := retrieval.Digits(3); err != nil || !slices.EqualFunc(fewer, digits[:3], slices.Equal) {
		t.Errorf("fewer digits are others (%v)", err)
	}
	if _, err := retrieval.Digits(100_000); err == nil || !strings.Contains(err.Error(), "different digits in the set mnist") {
		t.Errorf("100,000 digits: %v", err)
	}
}

// TestRecall: what [retrieval.DigitConfig] says of 24 and of 100 digits. A black half can lead farther away than it was.
func TestRecall(t *testing.T) {
	c := retrieval.DefaultDigits()
	c.Stored, c.Cues = []int{24, 100}, 24
	rows := fittest.Must(c.Recall(digits(t, 100)))
	for _, r := range rows {
		at := fmt.Sprintf("%s of %d, %s", r.Memory, r.Stored, r.Cue)
		if r.Cues != 24 || r.CueRMS < 0.3 || r.Fixed != 1 {
			t.Errorf("%s: %+v", at, r)
		}
		black, few := r.Cue == "lower half black", r.Stored == 24
		switch memory, _, _ := strings.Cut(r.Memory, " at "); {
		case memory == "classical" || memory == "polynomial of power 3":
			if r.Failed != 1 || r.Nearest != 0 || r.Wrong < 0.1 {
				t.Errorf("%s: %+v", at, r)
			}
		case memory == "polynomial of power 20" && black:
			if r.Nearest == 0 || r.Nearest > 0.2 || r.RMS <= r.CueRMS {
				t.Errorf("%s: %+v", at, r)
			}
		case memory == "polynomial of power 20":
			if few != (r.Failed == 0) || few != (r.RMS == 0) || r.Nearest < 0.75 {
				t.Errorf("%s: %+v", at, r)
			}
		case memory == "exponential" && black:
			if r.Nearest < 0.7 || r.Nearest == 1 {
				t.Errorf("%s: %+v", at, r)
			}
		case memory == "exponential":
			if r.Wrong != 0 || r.Failed != 0 || r.Nearest != 1 || r.RMS != 0 || r.Updates != 2 {
				t.Errorf("%s: %+v", at, r)
			}
		case memory == "continuous" && black:
			if r.Nearest < 0.2 || r.Nearest > 0.5 || r.RMS <= r.CueRMS {
				t.Errorf("%s: %+v", at, r)
			}
		case memory == "continuous":
			if r.Failed != 0 || r.Nearest != 1 || r.RMS > 0.01 || r.Updates > 4 {
				t.Errorf("%s: %+v", at, r)
			}
		case memory == "synergetic" && black:
			if r.Nearest < 0.9 || r.Nearest == 1 || r.RMS > r.CueRMS || r.Updates < 10 {
				t.Errorf("%s: %+v", at, r)
			}
		case memory == "synergetic":
			if few != (r.Failed == 0) || r.Nearest < 0.8 || r.Updates < 10 {
				t.Errorf("%s: %+v", at, r)
			}
		default:
			t.Errorf("%s: a row of no memory", at)
		}
	}
	if len(rows) != 2*(4*3+2*3) {
		t.Errorf("%d rows", len(rows))
	}
}

// TestBadDigits: settings and digits that do not fit are errors.
func TestBadDigits(t *testing.T) {
	for _, n := range []int{0, -1} {
		if _, err := retrieval.Digits(n); err == nil || !strings.Contains(err.Error(), "ask for at least 1") {
			t.Errorf("%d digits: %v", n, err)
		}
	}
	digits := [][]float64{{1, -1, 1, -1}, {-1, -1, 1, -1}}
	good := retrieval.DefaultDigits()
	good.Stored, good.Cues = []int{1, 2}, 2
	for what, c := range map[string]struct {
		spoil func(c *retrieval.DigitConfig)
		want  string
	}{
		"nothing":  {func(c *retrieval.DigitConfig) { *c = retrieval.DigitConfig{} }, "give at least 1 of each"},
		"stored":   {func(c *retrieval.DigitConfig) { c.Stored = []int{2, 0} }, "give at least 1 of each"},
		"negative": {func(c *retrieval.DigitConfig) { c.Stored = []int{-1} }, "give at least 1 of each"},
		"cues":     {func(c *retrieval.DigitConfig) { c.Cues = -1 }, "give at least 1 of each"},
		"updates":  {func(c *retrieval.DigitConfig) { c.Updates = 0 }, "give at least 1 of each"},
		"digits":   {func(c *retrieval.DigitConfig) { c.Stored = []int{3, 1} }, "3 digits to store of 2"},
		"noise":    {func(c *retrieval.DigitConfig) { c.Noise = -1 }, "standard deviation -1"},
	} {
		config := good
		c.spoil(&config)
		if _, err := config.Recall(digits); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
		if _, err := config.BetaSweep(digits); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
	if rows, err := good.Recall(digits); err != nil || len(rows) != 2*(4*3+2*3) {
		t.Errorf("%d rows (%v)", len(rows), err)
	}
	if points, err := good.BetaSweep(digits); err != nil || len(points) != 14 {
		t.Errorf("%d points (%v)", len(points), err)
	}
}

func TestCapacities(t *testing.T) {
	rows := fittest.Must(retrieval.Capacities(true))
	for i, r := range rows {
		if r.Share != float64(r.Patterns)/r.Theory || r.Share < 0.7 || r.Share > 1.5 {
			t.Errorf("%+v", r)
		}
		if i > 0 && rows[i-1].Memory == r.Memory && (r.Components <= rows[i-1].Components || r.Patterns <= rows[i-1].Patterns) {
			t.Errorf("%+v after %+v", r, rows[i-1])
		}
	}
	if len(rows) < 12 {
		t.Errorf("%d rows", len(rows))
	}
}

func TestConvergence(t *testing.T) {
	rows := fittest.Must(retrieval.Convergence())
	for _, r := range rows {
		// At a distance of 1e-6 the rate is at its limit to about as much; at γ = 1 forward steps are cubic.
		if cubic := r.Direction == "forward" && r.Gamma == 1; cubic && r.Rate > 1e-4 || !cubic && math.Abs(r.Rate-r.Theory) > 1e-4 {
			t.Errorf("%+v", r)
		}
	}
	if len(rows) != 32 {
		t.Errorf("%d rows", len(rows))
	}
}

package report

import (
	"errors"
	"testing"

	"synpool/milbench/stats"
	"synpool/plotting"
)

// words are what the page says.
func (a answer) words() [3]string { return [3]string{a.Estimate, a.Interval, a.Verdict} }

func TestDirectionOf(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      direction
	}{
		{-0.005, 0.005, same}, {0.002, 0.008, same}, {-0.008, -0.002, same}, {-0.01, 0.01, same},
		{0.002, 0.011, higher}, {0.05, 0.1, higher}, {-0.011, -0.002, lower}, {-0.1, -0.05, lower},
		{-0.005, 0.02, unclear}, {-0.02, 0.005, unclear}, {-0.3, 0.3, unclear}, {0, 0.02, unclear}, {-0.02, 0, unclear},
	} {
		if got := directionOf(c.low, c.high); got != c.want {
			t.Errorf("%v to %v: %d, want %d", c.low, c.high, got, c.want)
		}
	}
}

// TestAcrossFamilies: what the page says of differences, and their rows in the figure. Web 1 to 4 are one family.
func TestAcrossFamilies(t *testing.T) {
	for _, c := range []struct {
		name        string
		sets        []string
		differences []float64
		want        [3]string
		verdict     int // of the row
	}{
		{"yes", denseSets[:4], []float64{0.04, 0.06, 0.05, 0.05}, [3]string{"+0.050", "+0.037 to +0.063, 4 families of sets", "Yes, by 0.050"}, 1},
		{"no", denseSets[:4], []float64{-0.04, -0.06, -0.05, -0.05}, [3]string{"−0.050", "−0.063 to −0.037, 4 families of sets", "No, lower by 0.050"}, -1},
		{"same", denseSets[:4], []float64{0.001, -0.001, 0.002, 0.002}, [3]string{"+0.001", "−0.001 to +0.003, 4 families of sets", noDifference}, 0},
		{"unclear", denseSets[:4], []float64{0.05, -0.05, 0.05, -0.05}, [3]string{"+0.000", "−0.092 to +0.092, 4 families of sets", "We cannot tell"}, 0},
		{"Web only", []string{"a", "b", "web1", "web2", "web3", "web4"}, []float64{0.01, 0, 0.08, 0.09, 0.08, 0.09},
			[3]string{"+0.032", "−0.084 to +0.147, 3 families of sets", "We cannot tell"}, 0},
	} {
		e := acrossFamilies(c.sets, c.differences)
		if got := e.answer(); got.words() != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if r := e.row("x"); r.Name != "x" || r.Verdict != c.verdict || r.Low >= r.High || r.Same != (c.name == "same") {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
	for _, sets := range [][]string{{"a"}, {"web1", "web2"}} {
		if _, err := attempt(func() effect { return acrossFamilies(sets, make([]float64, len(sets))) }); !errors.Is(err, stats.ErrTooFew) {
			t.Errorf("%q: %v", sets, err)
		}
	}
	if _, err := attempt(func() effect { return acrossFamilies(nil, nil) }); !errors.Is(err, errIncomplete) {
		t.Errorf("no set: %v", err)
	}
	if _, err := attempt(func() *plotting.Figure { return plotClaims(nil) }); !errors.Is(err, errIncomplete) {
		t.Errorf("no archive: %v", err)
	}
}

// TestAcrossRepeats has repeats that agree on sets that do not: the interval is over repeats.
func TestAcrossRepeats(t *testing.T) {
	got := acrossRepeats([][]float64{{0.2, 0.21, 0.19}, {0, 0.01, -0.01}}).answer()
	if want := ([3]string{"+0.100", "+0.075 to +0.125, 3 repeats", "Yes, by 0.100"}); got.words() != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if _, err := attempt(func() effect { return acrossRepeats([][]float64{{0.2}, {0}}) }); !errors.Is(err, stats.ErrTooFew) {
		t.Errorf("one repeat: %v", err)
	}
}

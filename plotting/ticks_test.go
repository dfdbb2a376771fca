package plotting

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

// spelled joins labels; ticks without one are left out.
func spelled(ticks plot.ConstantTicks) string {
	var labels []string
	for _, tick := range ticks {
		if tick.Label != "" {
			labels = append(labels, tick.Label)
		}
	}
	return strings.Join(labels, " ")
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		whole     bool
		want      string
	}{
		{0, 1, false, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{-0.04, 1.04, false, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{-0.33, 0.27, false, "−0.3 −0.2 −0.1 0.0 0.1 0.2"},
		{0, 3, true, "0 1 2 3"},
		{0, 3, false, "0.0 0.5 1.0 1.5 2.0 2.5 3.0"},
		{-0.5, 0.5, true, "0"},
		{-1, 51, true, "0 10 20 30 40 50"},
		{-2, 102, true, "0 20 40 60 80 100"},
		{0, 1_000_000, true, "0 0.2×10⁶ 0.4×10⁶ 0.6×10⁶ 0.8×10⁶ 1.0×10⁶"},
		{0, 500_000, true, "0 100000 200000 300000 400000 500000"},
		{-2.4e-7, 1e-8, false, "−2.0×10⁻⁷ −1.5×10⁻⁷ −1.0×10⁻⁷ −0.5×10⁻⁷ 0"},
		{1e15, 1e15 + 1e11, false, "1.00000×10¹⁵ 1.00002×10¹⁵ 1.00004×10¹⁵ 1.00006×10¹⁵ 1.00008×10¹⁵ 1.00010×10¹⁵"},
		{0.00099, 0.00311, false, "0.0010 0.0015 0.0020 0.0025 0.0030"},
		{-1e100, 1e100, false, "−1.0×10¹⁰⁰ −0.5×10¹⁰⁰ 0 0.5×10¹⁰⁰ 1.0×10¹⁰⁰"},
	} {
		if got := spelled(ticksUpTo(7, c.low, c.high, c.whole)); got != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}

func TestLogTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{8, 900, "10 100"},
		{45, 440, "50 100 200"},
		{90, 1100, "100 200 500 1000"},
		{1, 1e5, "1 10 100 1000 10000 100000"},
		{0.002, 0.5, "0.01 0.1"},
		{1, 1e8, "1 10² 10⁴ 10⁶ 10⁸"},
		{3e6, 4e7, "5×10⁶ 10⁷ 2×10⁷"},
		{1e-100, 1e100, "10⁻⁷⁸ 10⁻⁵² 10⁻²⁶ 1 10²⁶ 10⁵² 10⁷⁸"},
		{2e-7, 6e-5, "10⁻⁶ 10⁻⁵"},
		{0.0011, 0.009, "0.002 0.005"},
		{110, 190, "120 140 160 180"},
	} {
		if got := spelled(logTicks(math.Log10(c.low), math.Log10(c.high))); got != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}

// TestTicksAnywhere: over whatever values an axis spans, labels are few, short and distinct and stand in order within it.
func TestTicksAnywhere(t *testing.T) {
	check := func(name string, low, high float64, ticks plot.ConstantTicks) {
		t.Helper()
		seen, last, n := map[string]bool{}, math.Inf(-1), 0
		for _, tick := range ticks {
			if tick.Value <= last || tick.Value < low-1e-6*(high-low) || tick.Value > high+1e-6*(high-low) {
				t.Errorf("%s: the tick %v after %v from %v to %v", name, tick.Value, last, low, high)
			}
			last = tick.Value
			if tick.Label == "" {
				continue
			}
			n++
			if seen[tick.Label] || len([]rune(tick.Label)) > 14 {
				t.Errorf("%s: the label %q from %v to %v occurs twice or is too long", name, tick.Label, low, high)
			}
			seen[tick.Label] = true
		}
		if n < 1 || n > 10 {
			t.Errorf("%s: %d labels from %v to %v", name, n, low, high)
		}
	}
	for name, values := range lists {
		low, high := math.Inf(1), math.Inf(-1)
		for _, v := range values {
			low, high = min(low, v), max(high, v)
		}
		low, high = span(low, high)
		if !(low < high) {
			t.Errorf("%s: from %v to %v", name, low, high)
		}
		check(name, low, high, ticksUpTo(7, low, high, false))
		check(name+", up to 8", low, high, ticksUpTo(8, low, high, false))
	}
	for power := -99; power < 99; power++ {
		for _, first := range []float64{1, 1.7, 3.3, 9.99} {
			low := first * math.Pow10(power)
			for _, ratio := range []float64{1.2, 2, 7, 33, 500, 1e6} {
				check("decimal", low, ratio*low, ticksUpTo(7, low, ratio*low, false))
				l, h := math.Log10(low), math.Log10(ratio*low)
				check("logarithmic", l, h, logTicks(l, h))
			}
		}
	}
}

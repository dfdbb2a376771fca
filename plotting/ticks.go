package plotting

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// span widens a range by a margin, and far enough that the axis can have distinct round labels.
func span(low, high float64) (float64, float64) {
	size := max(math.Abs(low), math.Abs(high))
	switch short := 1e-4*size - (high - low); {
	case size < smallest:
		low, high = -1, 1
	case low == high:
		low, high = low-size/10, high+size/10
	case short > 0:
		low, high = low-short/2, high+short/2
	}
	pad := 0.04 * (high - low)
	return low - pad, high + pad
}

// ticksUpTo returns up to most round values from low to high (only integers if whole is true), with enough digits to tell
// them apart. Large or small values share a power of ten.
func ticksUpTo(most int, low, high float64, whole bool) plot.ConstantTicks {
	power := int(math.Floor(math.Log10((high - low) / float64(most+1))))
	if whole {
		power = max(power, 0)
	}
	multiple, first, last := 0.0, 0.0, 0.0
	at := func(i float64) float64 {
		if power < 0 {
			return i * multiple / math.Pow10(-power) // a quotient of integers is closest to the decimal
		}
		return i * multiple * math.Pow10(power)
	}
	for _, multiple = range []float64{1, 2, 5, 10, 20, 50} {
		first, last = math.Ceil(low/at(1)-1e-9), math.Floor(high/at(1)+1e-9)
		if last-first < float64(most) {
			break
		}
	}
	if multiple >= 10 {
		multiple, power = multiple/10, power+1
	}
	exponent, digits := 0, max(0, -power)
	if top := max(math.Abs(at(first)), math.Abs(at(last))); top >= 1e6 || top > 0 && top < 1e-3 {
		exponent = int(math.Floor(math.Log10(top) + 1e-9))
		digits = max(0, exponent-power)
	}
	var ticks plot.ConstantTicks
	for i := first; i <= last; i++ {
		v := at(i)
		label := strconv.FormatFloat(math.Abs(v)/math.Pow10(exponent), 'f', digits, 64) + powerOfTen(exponent)
		switch {
		case v == 0 && exponent != 0:
			label = "0"
		case v < 0:
			label = "−" + label
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: label})
	}
	return ticks
}

// logTicks returns ticks for powers of ten from 10^low to 10^high, at their base-10 logarithms, with unlabelled multiples
// between them. Over less than two decades it also labels 2 and 5 times the powers, and if these are too few, round values.
func logTicks(low, high float64) plot.ConstantTicks {
	first, last := int(math.Floor(low)), int(math.Ceil(high))
	stride := (last-first)/8 + 1
	fine := high-low < 2
	labelled := 0
	var ticks plot.ConstantTicks
	for power := first; power <= last; power++ {
		for multiple := 1; multiple < 10 && (multiple == 1 || stride == 1); multiple++ {
			tick := plot.Tick{Value: float64(power) + math.Log10(float64(multiple))}
			if tick.Value < low-1e-9 || tick.Value > high+1e-9 {
				continue
			}
			if multiple == 1 && power%stride == 0 || fine && (multiple == 2 || multiple == 5) {
				tick.Label = logLabel(multiple, power, low >= -3 && high < 6)
				labelled++
			}
			ticks = append(ticks, tick)
		}
	}
	if labelled >= 2 {
		return ticks
	}
	ticks = ticksUpTo(7, math.Pow(10, low), math.Pow(10, high), false)
	for i := range ticks {
		ticks[i].Value = math.Log10(ticks[i].Value)
	}
	return ticks
}

// logLabel writes a multiple of a power of ten, in plain or exponent form.
func logLabel(multiple, power int, plainly bool) string {
	switch {
	case plainly && power < 0:
		return strconv.FormatFloat(float64(multiple)/math.Pow10(-power), 'f', -power, 64)
	case plainly:
		return strconv.FormatFloat(float64(multiple)*math.Pow10(power), 'f', 0, 64)
	case multiple == 1 && power != 0:
		return strings.TrimPrefix(powerOfTen(power), "×")
	default:
		return strconv.Itoa(multiple) + powerOfTen(power)
	}
}

// powerOfTen returns a power of ten as a factor to write after a number; "" for 10⁰.
func powerOfTen(n int) string {
	if n == 0 {
		return ""
	}
	return "×10" + superscript(n)
}

// roundStep returns the smallest of 1, 2, 5, 10, ... steps of a pitch that leaves room for a number.
func roundStep(pitch, room vg.Length) int {
	for ten := 1; ; ten *= 10 {
		for _, step := range []int{ten, 2 * ten, 5 * ten} {
			if vg.Length(step)*pitch >= room {
				return step
			}
		}
	}
}

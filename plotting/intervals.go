package plotting

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// IntervalRow is a measure of one setting on one data set, such as the AUC, or a difference of two AUCs ([AUCDifferences]).
type IntervalRow struct {
	Set, Setting    string
	Mean, Low, High float64   // the mean and its 95 % confidence interval
	N               int       // number of averaged values, 0 if unknown
	Over            string    // what the values come from, in the plural; "" means folds
	Points          []float64 // the values, drawn faint; may be nil
}

// check reports why a row cannot be drawn on a scale.
func (r IntervalRow) check(s intervalScale) error {
	if r.Set == "" || r.Setting == "" {
		return errors.New("both need a name")
	}
	for _, v := range append([]float64{r.Mean}, r.Points...) {
		if err := drawable(v); err != nil {
			return err
		}
		if v < s.Least || v > 1 {
			if math.IsInf(s.Least, -1) {
				return fmt.Errorf("the %s %v is above 1", s.Name, v)
			}
			return fmt.Errorf("the %s %v is not between %v and 1", s.Name, v, s.Least)
		}
	}
	if r.N < 0 || r.N > 0 && len(r.Points) > r.N {
		return fmt.Errorf("%d values and N = %d do not go together", len(r.Points), r.N)
	}
	return checkInterval("mean", r.Low, r.Mean, r.High)
}

// checkInterval reports why an interval cannot be drawn.
func checkInterval(what string, low, mean, high float64) error {
	if err := cmp.Or(drawable(low), drawable(mean), drawable(high)); err != nil {
		return err
	}
	if low > mean || mean > high {
		return fmt.Errorf("the %s %v is not in its interval [%v, %v]", what, mean, low, high)
	}
	return nil
}

// Measures of the figure.
const (
	rowPitch  = 13 * vg.Length(1) // distance between settings
	setGap    = 11 * vg.Length(1) // extra distance between data sets
	nameWidth = 2.2 * vg.Inch     // width of a data set's name
)

// Measure is a measure of quality for comparing settings; its best value is 1.
type Measure struct {
	Name  string  // name of the axis, such as R²
	Least float64 // worst possible value; -Inf if unbounded

	// Neutral is the value where a line is drawn, and Meaning is its label: 0.5 and "chance" for the AUC.
	Neutral float64
	Meaning string
}

// Intervals draws any measure in the style of [AUCIntervals], on an axis that always includes the neutral value.
func Intervals(title string, m Measure, rows []IntervalRow) (f *Figure, err error) {
	defer about(&err, "drawing intervals")
	if m.Name == "" || m.Meaning == "" {
		return nil, errors.New("the axis and its line need a name")
	}
	if !(m.Least <= m.Neutral && m.Neutral <= 1) {
		return nil, fmt.Errorf("the neutral value %v is not between %v and 1", m.Neutral, m.Least)
	}
	return drawIntervals(title, rows, intervalScale{Measure: m, reach: true})
}

// AUCIntervals draws, for each setting and data set, a dot at the mean AUC, a bar for its confidence interval and, faintly,
// the single values. Data sets, and the settings within them, are listed from top to bottom in order of first appearance.
func AUCIntervals(title string, rows []IntervalRow) (f *Figure, err error) {
	defer about(&err, "drawing AUC intervals")
	return drawIntervals(title, rows, plainAUC)
}

// AUCDifferences draws differences in AUC in the style of [AUCIntervals], with a line at 0. To show changes of settings, use
// the changes as data sets and the changed things as settings.
func AUCDifferences(title string, rows []IntervalRow) (f *Figure, err error) {
	defer about(&err, "drawing AUC differences")
	return drawIntervals(title, rows, differenceOfAUC)
}

// intervalScale describes how an axis shows a measure.
type intervalScale struct {
	Measure
	signed bool // numbers have a sign, including those above 0
	reach  bool // the neutral value is always on the axis
}

var (
	plainAUC        = intervalScale{Measure: Measure{Name: "AUC", Neutral: 0.5, Meaning: "chance"}}
	differenceOfAUC = intervalScale{Measure: Measure{Name: "AUC difference", Least: -1, Meaning: "no difference"}, signed: true}
)

func drawIntervals(title string, rows []IntervalRow, scale intervalScale) (*Figure, error) {
	if len(rows) == 0 {
		return nil, errors.New("there are no rows")
	}
	var sets, settings []string
	seen := map[[2]string]bool{}
	for _, r := range rows {
		err, key := r.check(scale), [2]string{r.Set, r.Setting}
		if err == nil && seen[key] {
			err = errors.New("occurs twice")
		}
		if err == nil && r.Over != rows[0].Over {
			err = fmt.Errorf("is a mean over %q, the first row over %q", r.Over, rows[0].Over)
		}
		if err != nil {
			return nil, fmt.Errorf("set %q, setting %q: %w", r.Set, r.Setting, err)
		}
		seen[key] = true
		if !slices.Contains(sets, r.Set) {
			sets = append(sets, r.Set)
		}
		if !slices.Contains(settings, r.Setting) {
			settings = append(settings, r.Setting)
		}
	}

	p := newPlot(scale.label(rows), "")
	p.X.Min, p.X.Max = scale.limits(rows)
	p.X.Tick.Marker = scale.ticks(p.X.Min, p.X.Max)
	nameRows(&p.Y, sets)
	p.Add(bands(len(sets)), grid(true, false))
	neutral := p.X.Min < scale.Neutral && scale.Neutral < p.X.Max
	if neutral {
		p.Add(segment(plotter.XY{X: scale.Neutral, Y: p.Y.Min}, plotter.XY{X: scale.Neutral, Y: p.Y.Max}, chance()))
	}
	inner := rowPitch / (vg.Length(len(settings))*rowPitch + setGap) // a setting's share of a set's height
	p.Add(painting(func(c *draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(c)
		for _, r := range rows {
			set, setting := slices.Index(sets, r.Set), slices.Index(settings, r.Setting)
			middle := float64(len(sets)-1-set) + float64(inner)*(float64(len(settings)-1)/2-float64(setting))
			for _, v := range r.Points {
				c.DrawGlyph(draw.GlyphStyle{Color: faded(colour(setting)), Radius: 1.5, Shape: draw.CircleGlyph{}}, vg.Point{X: x(v), Y: y(middle)})
			}
			drawInterval(c, p, r.Low, r.Mean, r.High, middle, glyph(setting))
		}
	}))

	var entries []entry
	for i, name := range settings {
		entries = append(entries, entry{label: name, glyph: glyph(i), line: draw.LineStyle{Color: colour(i), Width: lineWidth}})
	}
	if neutral {
		entries = append(entries, entry{label: scale.Meaning, line: chance()})
	}
	body := vg.Length(len(sets))*(vg.Length(len(settings))*rowPitch+setGap) + 34
	if body > 100*vg.Inch {
		return nil, fmt.Errorf("%d sets with %d settings are too many for a figure", len(sets), len(settings))
	}
	return newFigure(title, entries, p, figureWidth, body), nil
}

// label names the axis and says what the mean is over.
func (s intervalScale) label(rows []IntervalRow) string {
	name := capital(s.Name)
	over, n := rows[0].Over, rows[0].N
	if over == "" {
		over = "folds"
	}
	if slices.ContainsFunc(rows, func(r IntervalRow) bool { return r.N != n }) || n == 0 {
		return fmt.Sprintf("%s (mean over %s ± 95 %% CI)", name, over)
	}
	if n == 1 && slices.ContainsFunc(rows, func(r IntervalRow) bool { return r.Low < r.High }) {
		return fmt.Sprintf("%s (of one %s ± 95 %% CI)", name, strings.TrimSuffix(over, "s"))
	}
	if n == 1 {
		return fmt.Sprintf("%s (of one %s)", name, strings.TrimSuffix(over, "s"))
	}
	return fmt.Sprintf("%s (mean over %d %s ± 95 %% CI)", name, n, over)
}

// limits returns a range that covers everything drawn, with the neutral value if required and a small margin. It is at least
// 0.1 wide and excludes impossible values.
func (s intervalScale) limits(rows []IntervalRow) (low, high float64) {
	low, high = rows[0].Low, rows[0].High
	for _, r := range rows {
		low, high = min(low, r.Low), max(high, r.High)
		for _, v := range r.Points {
			low, high = min(low, v), max(high, v)
		}
	}
	if s.reach {
		low, high = min(low, s.Neutral), max(high, s.Neutral)
	}
	if short := 0.1 - (high - low); short > 0 {
		low, high = low-short/2, high+short/2
	}
	low, high = max(low, s.Least-0.02), min(high, 1.02)
	pad := 0.03 * (high - low)
	return low - pad, high + pad
}

// ticks returns about six round values; an interval may extend above 1, a measure may not.
func (s intervalScale) ticks(low, high float64) plot.ConstantTicks {
	if high-low > 1.6 && !s.signed { // without a bound below
		return ticksUpTo(8, low, min(high, 1), false)
	}
	step, digits := 0.01, 2
	for _, wider := range []float64{0.02, 0.05, 0.1, 0.2} {
		if (high-low)/step > 8 {
			step = wider
		}
	}
	if step >= 0.1 {
		digits = 1
	}
	var ticks plot.ConstantTicks
	for i := math.Ceil(max(low, s.Least-step/2) / step); i*step <= min(high, 1+step/2); i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: s.number(i*step, digits)})
	}
	return ticks
}

// number formats the value of a tick.
func (s intervalScale) number(v float64, digits int) string {
	text := fmt.Sprintf("%.*f", digits, math.Abs(v))
	switch {
	case strings.Trim(text, "0.") == "":
		return text
	case v < 0:
		return "−" + text
	case s.signed:
		return "+" + text
	}
	return text
}

// nameRows turns a vertical axis into named rows, from top to bottom.
func nameRows(a *plot.Axis, names []string) {
	a.Min, a.Max = -0.5, float64(len(names))-0.5
	a.Width, a.Tick.Length = 0, 0
	var ticks plot.ConstantTicks
	for i, name := range names {
		ticks = append(ticks, plot.Tick{Value: float64(len(names) - 1 - i), Label: fit(a.Tick.Label, name, nameWidth)})
	}
	a.Tick.Marker = ticks
}

// bands shades every second of n rows.
func bands(n int) painting {
	return func(c *draw.Canvas, p *plot.Plot) {
		_, y := p.Transforms(c)
		for i := n - 2; i >= 0; i -= 2 {
			fill(c, band, box(c.Min.X, y(float64(i)-0.5), c.Max.X, y(float64(i)+0.5)))
		}
	}
}

// drawInterval draws a marker on a bar. An interval may leave the axis; the bar has no end there.
func drawInterval(c *draw.Canvas, p *plot.Plot, low, mean, high, at float64, g draw.GlyphStyle) {
	x, y := p.Transforms(c)
	bar := draw.LineStyle{Color: g.Color, Width: lineWidth}
	c.StrokeLine2(bar, x(max(low, p.X.Min)), y(at), x(min(high, p.X.Max)), y(at))
	for _, end := range []float64{low, high} {
		if p.X.Min <= end && end <= p.X.Max {
			c.StrokeLine2(bar, x(end), y(at)-2.5, x(end), y(at)+2.5)
		}
	}
	c.DrawGlyph(g, vg.Point{X: x(mean), Y: y(at)})
}

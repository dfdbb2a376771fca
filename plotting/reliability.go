package plotting

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ReliabilityBin is a point of a reliability diagram: bags with about the same predicted probability.
type ReliabilityBin struct {
	Low, High   float64 // bounds of the probabilities, 0 to 1
	N           int     // number of bags, 1 or more
	Probability float64 // mean predicted probability of the bags
	Positive    float64 // share of the bags that are positive
}

// ReliabilityCurve is the reliability of one model, or of one calibration of its scores, in bins of increasing probability.
type ReliabilityCurve struct {
	Name string
	Bins []ReliabilityBin
}

// Limits and measures of the figure.
const (
	mostReliability = 4                  // number of curves, because their bars are side by side
	bagsHeight      = 1.1 * vg.Inch      // height of the lower panel, including axes
	leastBar        = 1.5 * vg.Length(1) // width of a bar
	capWidth        = 2.5 * vg.Length(1) // width of the ends of an interval, to either side
)

// Reliability draws reliability diagrams: for each bin, the share of positive bags against their mean predicted probability,
// with a 95 % Wilson interval, and below it the number of bags per bin. Calibrated probabilities lie on the diagonal; below
// it, probabilities are too high. Each bin has a separate interval, so about one in 20 misses the diagonal by chance. share
// names the vertical axis, usually "Share of positives". With several classes, use the probability of the predicted class,
// and set Positive to the share of bags whose class is right.
//
// Sources: A. Niculescu-Mizil and R. Caruana, "Predicting good probabilities with supervised learning", ICML (2005); E. B. Wilson, "Probable
// inference, the law of succession, and statistical inference", Journal of the American Statistical Association 22 (1927).
func Reliability(title, share string, curves []ReliabilityCurve) (f *Figure, err error) {
	defer about(&err, "drawing a reliability diagram")
	switch {
	case share == "":
		return nil, errors.New("the vertical axis needs a name")
	case len(curves) == 0:
		return nil, errors.New("there are no curves")
	case len(curves) > mostReliability:
		return nil, fmt.Errorf("%d curves; draw at most %d, as their intervals hide one another", len(curves), mostReliability)
	}
	if err := labelled("curve", curves, func(c ReliabilityCurve) string { return c.Name }); err != nil {
		return nil, err
	}
	most := 0
	for _, c := range curves {
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		for _, b := range c.Bins {
			most = max(most, b.N)
		}
	}
	upper, lower := newPlot("", share), newPlot("Probability", "Bags")
	for _, axis := range []*plot.Axis{&upper.X, &upper.Y, &lower.X} {
		axis.Min, axis.Max, axis.Tick.Marker = -0.01, 1.01, ticksUpTo(7, 0, 1, false)
	}
	unlabelled(&upper.X)
	upper.Add(grid(true, true), segment(plotter.XY{}, plotter.XY{X: 1, Y: 1}, chance()), binShares(curves))
	lower.Y.Min, lower.Y.Max = 0, 1.05*float64(most)
	lower.Y.Tick.Marker = ticksUpTo(3, 0, lower.Y.Max, true)
	lower.Add(grid(false, true), bagBars(curves))

	var entries []entry
	for i, c := range curves {
		entries = append(entries, entry{label: c.Name, glyph: glyph(i)})
	}
	interval := draw.LineStyle{Color: faded(colour(0)), Width: lineWidth}
	entries = append(entries, entry{label: "95 % interval of a bin", line: interval}, entry{label: "calibrated", line: chance()})
	side := squared(upper, squareWidth-2*margin)
	return newDrawing(title, entries, squareWidth, side+panelGap+bagsHeight, func(c *draw.Canvas) {
		above, below := *c, *c
		above.Min.Y = c.Max.Y - side
		below.Max.Y = above.Min.Y - panelGap
		// The data areas of both panels begin and end where those of the narrower one do.
		a, b := upper.DataCanvas(above), lower.DataCanvas(below)
		above.Min.X += max(b.Min.X-a.Min.X, 0)
		below.Min.X += max(a.Min.X-b.Min.X, 0)
		above.Max.X -= max(a.Max.X-b.Max.X, 0)
		below.Max.X -= max(b.Max.X-a.Max.X, 0)
		upper.Draw(above)
		lower.Draw(below)
	}), nil
}

// check reports why the curve cannot be drawn.
func (c ReliabilityCurve) check() error {
	if len(c.Bins) == 0 {
		return errors.New("there are no bins")
	}
	within := func(v float64) bool { return v >= 0 && v <= 1 }
	for i, b := range c.Bins {
		switch {
		case b.N < 1:
			return fmt.Errorf("bin %d has %d bags; leave empty bins out", i+1, b.N)
		case !within(b.Low) || !within(b.High) || b.Low > b.High:
			return fmt.Errorf("bin %d is from %v to %v, which are no probabilities in order", i+1, b.Low, b.High)
		case !within(b.Probability) || !within(b.Positive):
			return fmt.Errorf("bin %d has the probability %v and the share %v; both are 0 to 1", i+1, b.Probability, b.Positive)
		case i > 0 && b.Probability < c.Bins[i-1].Probability:
			return fmt.Errorf("bin %d has a smaller probability than the one before", i+1)
		}
	}
	return nil
}

// wilson returns the 95 % Wilson interval of a share of n:
//
//	(p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n), z the 97.5 % quantile of the normal distribution
func wilson(share float64, n int) (low, high float64) {
	z := distuv.UnitNormal.Quantile(0.975)
	m := float64(n)
	middle, half := share+z*z/(2*m), z*math.Sqrt(share*(1-share)/m+z*z/(4*m*m))
	scale := 1 + z*z/m
	return max((middle-half)/scale, 0), min((middle+half)/scale, 1)
}

// binShares draws the points of curves with their intervals. All intervals lie behind all points. No line joins the points: it
// would jump up and down between bins with few bags.
func binShares(curves []ReliabilityCurve) painting {
	return func(c *draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(c)
		for i, curve := range curves {
			bar := draw.LineStyle{Color: faded(colour(i)), Width: lineWidth}
			for _, b := range curve.Bins {
				low, high := wilson(b.Positive, b.N)
				at := x(b.Probability)
				c.StrokeLine2(bar, at, y(low), at, y(high))
				for _, end := range []float64{low, high} {
					c.StrokeLine2(bar, at-capWidth, y(end), at+capWidth, y(end))
				}
			}
		}
		for i, curve := range curves {
			for _, b := range curve.Bins {
				c.DrawGlyphNoClip(glyph(i), vg.Point{X: x(b.Probability), Y: y(b.Positive)})
			}
		}
	}
}

// bagBars draws the number of bags per bin, with the bars of several curves side by side.
func bagBars(curves []ReliabilityCurve) painting {
	return func(c *draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(c)
		for i, curve := range curves {
			for _, b := range curve.Bins {
				low, high := x(b.Low), x(b.High)
				part := 0.8 * (high - low) / vg.Length(len(curves))
				left := low + 0.1*(high-low) + vg.Length(i)*part
				fill(c, colour(i), box(left, y(0), left+max(part, leastBar), y(float64(b.N))))
			}
		}
	}
}

package plotting

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
)

// foldCurves has the values of a quantity during training, by setting, fold and epoch.
type foldCurves struct {
	label       string
	names       []string      // of the settings
	values      [][][]float64 // [setting][fold][epoch]; a setting without values is left out
	first       int           // epoch of the first values
	least, most float64       // bounds of the quantity
	zero        bool          // the axis starts at 0
}

// panel returns axes over epochs with the mean over folds of every setting. With several folds and up to six settings, a
// ribbon shows one sample standard deviation above and below it.
func (q foldCurves) panel() (*plot.Plot, error) {
	low, high, epochs := math.Inf(1), math.Inf(-1), 1
	if q.zero {
		low = 0
	}
	p := newPlot("Epoch", q.label)
	p.Add(grid(true, true))
	var ribbons, traces []plot.Plotter
	for i, folds := range q.values {
		if len(folds) == 0 {
			continue
		}
		if err := q.check(folds); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", q.names[i], q.label, err)
		}
		var x, mean, below, above []float64
		for e := range folds[0] {
			m, sd := acrossFolds(folds, e)
			if !q.ribboned(folds) {
				sd = 0 // the axis has to hold the curve alone
			}
			x, mean = append(x, float64(q.first+e)), append(mean, m)
			below, above = append(below, max(m-sd, q.least)), append(above, min(m+sd, q.most))
			low, high = min(low, below[e]), max(high, above[e])
		}
		if q.ribboned(folds) {
			ribbons = append(ribbons, ribbon(x, below, above, colour(i)))
		}
		traces = append(traces, trace(counted(q.first, mean), i))
		epochs = max(epochs, len(mean))
	}
	p.Add(ribbons...)
	p.Add(traces...)
	countAxis(&p.X, q.first, q.first+epochs-1)
	p.Y.Min, p.Y.Max = span(low, high)
	beyond := 0.04 * (p.Y.Max - p.Y.Min)
	p.Y.Min, p.Y.Max = max(p.Y.Min, q.least-beyond), min(p.Y.Max, q.most+beyond)
	p.Y.Tick.Marker = ticksUpTo(8, max(p.Y.Min, q.least), min(p.Y.Max, q.most), false)
	return p, nil
}

// check reports why the folds of a setting cannot be drawn.
func (q foldCurves) check(folds [][]float64) error {
	for f, values := range folds {
		if len(values) == 0 {
			return fmt.Errorf("fold %d: there are no epochs", f+1)
		}
		if len(values) != len(folds[0]) {
			return fmt.Errorf("fold %d has %d epochs, fold 1 has %d", f+1, len(values), len(folds[0]))
		}
		for e, v := range values {
			err := drawable(v)
			if err == nil && (v < q.least || v > q.most) {
				err = fmt.Errorf("%v is not between %v and %v", v, q.least, q.most)
			}
			if err != nil {
				return fmt.Errorf("fold %d, epoch %d: %w", f+1, q.first+e, err)
			}
		}
	}
	return nil
}

// ribboned reports whether a setting gets a ribbon: it has several folds, and there are not too many settings.
func (q foldCurves) ribboned(folds [][]float64) bool {
	return len(folds) > 1 && len(q.values) <= mostRibbons
}

// acrossFolds returns the mean over folds at an epoch and the sample standard deviation, which is 0 for one fold.
func acrossFolds(folds [][]float64, epoch int) (mean, sd float64) {
	var values []float64
	for _, f := range folds {
		values = append(values, f[epoch])
	}
	if len(values) == 1 {
		return values[0], 0
	}
	return stat.MeanStdDev(values, nil)
}

// entries returns the legend of the settings and, if one has several folds, of the ribbons.
func (q foldCurves) entries() []entry {
	var entries []entry
	several := false
	for i, folds := range q.values {
		if len(folds) == 0 {
			continue
		}
		entries = append(entries, traceEntry(q.names[i], counted(q.first, folds[0]), i))
		several = several || q.ribboned(folds)
	}
	if several {
		entries = append(entries, ribbonEntry("mean ± 1 SD over folds"))
	}
	return entries
}

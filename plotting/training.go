package plotting

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// TrainingCurve has the training curves of one setting, by fold and epoch.
type TrainingCurve struct {
	Name string
	Loss [][]float64 // [fold][epoch], mean over the training bags
	AUC  [][]float64 // [fold][epoch], on the validation part; nil if there is none
}

// TransferCurve says how often the winner of a bag (the instance with the largest attention weight) changed during the
// training of a setting, by fold and epoch.
type TransferCurve struct {
	Name string
	Rate [][]float64 // [fold][epoch]: share of winners that differ from the epoch before, starting at epoch 2
}

// Measures of two panels.
const (
	panelHeight = 2.2 * vg.Inch // height of one panel, including axes
	panelGap    = 4 * vg.Length(1)
)

// Training draws the loss over the epochs and, in a second panel below, the validation AUC if a setting has one. Curves are
// means over the folds; with up to six settings, ribbons show one sample standard deviation to either side. (There are two
// panels because curves on two axes would cross wherever their scales make them.)
func Training(title string, settings []TrainingCurve) (f *Figure, err error) {
	defer about(&err, "drawing training curves")
	losses := foldCurves{label: "Training loss", must: "losses", first: 1, least: math.Inf(-1), most: math.Inf(1)}
	aucs := foldCurves{label: "Validation AUC", first: 1, least: 0, most: 1}
	for _, s := range settings {
		losses.add(s.Name, s.Loss)
		aucs.add(s.Name, s.AUC)
	}
	upper, entries, err := losses.panel()
	if err != nil {
		return nil, err
	}
	validated := false
	for _, s := range settings {
		if len(s.AUC) > 0 && (len(s.AUC) != len(s.Loss) || len(s.AUC[0]) != len(s.Loss[0])) {
			return nil, fmt.Errorf("%s: AUCs of %d folds of %d epochs but losses of %d folds of %d", s.Name,
				len(s.AUC), len(s.AUC[0]), len(s.Loss), len(s.Loss[0]))
		}
		validated = validated || len(s.AUC) > 0
	}
	if !validated {
		return newFigure(title, entries, upper, figureWidth, curveHeight), nil
	}
	lower, _, err := aucs.panel()
	if err != nil {
		return nil, err
	}
	lower.X.Min, lower.X.Max, lower.X.Tick.Marker = upper.X.Min, upper.X.Max, upper.X.Tick.Marker
	unlabelled(&upper.X)
	both := panels(draw.Tiles{Cols: 1, PadY: panelGap}, []*plot.Plot{upper, lower}, nil)
	return newDrawing(title, entries, figureWidth, 2*panelHeight, both), nil
}

// WinnerTransfers draws the share of bags and heads whose winner changed in each epoch. Curves are means over the folds;
// with up to six settings, ribbons show one sample standard deviation to either side.
func WinnerTransfers(title string, settings []TransferCurve) (f *Figure, err error) {
	defer about(&err, "drawing winner transfers")
	rates := foldCurves{label: "Share of winners that changed", must: "rates", first: 2, least: 0, most: 1, zero: true}
	for _, s := range settings {
		rates.add(s.Name, s.Rate)
	}
	p, entries, err := rates.panel()
	if err != nil {
		return nil, err
	}
	return newFigure(title, entries, p, figureWidth, curveHeight), nil
}

// foldCurves has the values of a quantity during training, by setting, fold and epoch.
type foldCurves struct {
	label       string
	names       []string      // of the settings
	values      [][][]float64 // [setting][fold][epoch]; a setting without values is left out
	must        string        // what a setting cannot lack, in the plural; "" if it may have no values
	first       int           // epoch of the first values
	least, most float64       // bounds of the quantity
	zero        bool          // the axis starts at 0
}

// add adds a setting.
func (q *foldCurves) add(name string, values [][]float64) {
	q.names, q.values = append(q.names, name), append(q.values, values)
}

// panel returns axes over epochs with the mean over folds of every setting, and the legend. With several folds and up to six settings, a
// ribbon shows one sample standard deviation above and below it.
func (q foldCurves) panel() (*plot.Plot, []entry, error) {
	if len(q.names) == 0 {
		return nil, nil, errors.New("there are no settings")
	}
	if err := labelled("setting", q.names, func(name string) string { return name }); err != nil {
		return nil, nil, err
	}
	low, high, epochs := math.Inf(1), math.Inf(-1), 1
	if q.zero {
		low = 0
	}
	p := newPlot("Epoch", q.label)
	p.Add(grid(true, true))
	var ribbons, traces []plot.Plotter
	var entries []entry
	for i, folds := range q.values {
		if len(folds) == 0 && q.must != "" {
			return nil, nil, fmt.Errorf("%s: there are no %s", q.names[i], q.must)
		}
		if len(folds) == 0 {
			continue
		}
		if err := q.check(folds); err != nil {
			return nil, nil, fmt.Errorf("%s: %s: %w", q.names[i], q.label, err)
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
		curve, e := trace(q.names[i], pairs(x, mean), i)
		traces, entries = append(traces, curve), append(entries, e)
		epochs = max(epochs, len(mean))
	}
	if len(ribbons) > 0 {
		entries = append(entries, ribbonEntry("mean ± 1 SD over folds"))
	}
	p.Add(append(ribbons, traces...)...)
	countAxis(&p.X, q.first, q.first+epochs-1)
	p.Y.Min, p.Y.Max = span(low, high)
	beyond := 0.04 * (p.Y.Max - p.Y.Min)
	p.Y.Min, p.Y.Max = max(p.Y.Min, q.least-beyond), min(p.Y.Max, q.most+beyond)
	p.Y.Tick.Marker = ticksUpTo(8, max(p.Y.Min, q.least), min(p.Y.Max, q.most), false)
	return p, entries, nil
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

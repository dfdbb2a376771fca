package plotting

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/plot/plotter"
)

// ROCFolds has the labels, 0 or 1, and the scores of a setting by fold, or by repeat; larger scores are more positive.
type ROCFolds struct {
	Name   string
	Labels [][]int     // [fold][bag]
	Scores [][]float64 // [fold][bag]
}

// rocPlaces is the number of equal steps of the false positive rate where curves are averaged.
const rocPlaces = 100

// ROCBand draws ROC curves averaged vertically over folds (Fawcett, "An introduction to ROC analysis", Pattern Recognition
// Letters 27, 2006): the mean true positive rate at each false positive rate, 0, 0.01, …, 1, in a ribbon that shows its
// pointwise 95 % confidence interval by Student's t distribution. The legend shows the mean AUC over the folds with its
// interval. There must be at least two folds, each with both classes. Because folds share training bags, the intervals are
// about different folds of these bags, not about different bags.
func ROCBand(title string, settings []ROCFolds) (*Figure, error) {
	f, err := rocBand(title, settings)
	if err != nil {
		return nil, fmt.Errorf("drawing ROC bands: %w", err)
	}
	return f, nil
}

func rocBand(title string, settings []ROCFolds) (*Figure, error) {
	if len(settings) == 0 {
		return nil, errors.New("there are no settings")
	}
	if err := labelled("setting", namesOf(settings, func(s ROCFolds) string { return s.Name })); err != nil {
		return nil, err
	}
	if len(settings) > mostRibbons {
		return nil, fmt.Errorf("%d settings; draw at most %d, as bands hide one another", len(settings), mostRibbons)
	}
	p := rocPlot()
	var entries []entry
	var traces []*plotter.Line
	for i, s := range settings {
		a, err := s.average()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		points := plotter.XYs{{}} // the mean curve rises from the origin to its rate at 0
		for k := range a.x {
			points = append(points, plotter.XY{X: a.x[k], Y: a.mean[k]})
		}
		p.Add(ribbon(a.x, a.low, a.high, colour(i)))
		traces = append(traces, &plotter.Line{XYs: points, LineStyle: line(i)})
		entries = append(entries, traceEntry(fmt.Sprintf("%s (AUC %.3f ± %.3f)", s.Name, a.auc, a.aucHalf), points, i))
	}
	for _, t := range traces {
		p.Add(t)
	}
	entries = append(entries, ribbonEntry("95 % CI of the mean over folds"), entry{label: "chance", line: chance()})
	return newFigure(title, entries, p, squareWidth, squared(p, squareWidth-2*margin)), nil
}

// rocAverage is the vertical average of ROC curves.
type rocAverage struct {
	x, mean, low, high []float64 // false positive rates; mean true positive rates and their interval
	auc, aucHalf       float64   // mean AUC and half of the width of its interval
}

// average averages the curves of the folds.
func (f ROCFolds) average() (rocAverage, error) {
	var a rocAverage
	if len(f.Labels) != len(f.Scores) {
		return a, fmt.Errorf("labels of %d folds but scores of %d", len(f.Labels), len(f.Scores))
	}
	if len(f.Labels) < 2 {
		return a, fmt.Errorf("the band is over folds, and there are %d; two are needed", len(f.Labels))
	}
	var curves []plotter.XYs
	var aucs []float64
	for i := range f.Labels {
		points, auc, err := ROCCurve{Labels: f.Labels[i], Scores: f.Scores[i]}.points()
		if err != nil {
			return a, fmt.Errorf("fold %d: %w", i+1, err)
		}
		curves, aucs = append(curves, points), append(aucs, auc)
	}
	rates := make([]float64, len(curves))
	for i := range rocPlaces + 1 {
		x := float64(i) / rocPlaces
		for k, c := range curves {
			rates[k] = rateAt(c, x)
		}
		mean, half := meanInterval(rates)
		a.x, a.mean = append(a.x, x), append(a.mean, mean)
		a.low, a.high = append(a.low, max(mean-half, 0)), append(a.high, min(mean+half, 1))
	}
	a.auc, a.aucHalf = meanInterval(aucs)
	return a, nil
}

// meanInterval returns the mean of two or more values and half the width of its 95 % confidence interval by Student's t
// distribution.
func meanInterval(values []float64) (mean, half float64) {
	mean, sd := stat.MeanStdDev(values, nil)
	n := float64(len(values))
	return mean, distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * sd / math.Sqrt(n)
}

// rateAt returns the true positive rate of a curve at a false positive rate, interpolated between corners; where the curve
// rises vertically it is the highest.
func rateAt(corners plotter.XYs, x float64) float64 {
	const slack = 1e-9 // for rounding errors of the rates
	next := sort.Search(len(corners), func(i int) bool { return corners[i].X > x+slack })
	if next == len(corners) {
		return 1
	}
	a, b := corners[next-1], corners[next]
	return a.Y + (b.Y-a.Y)*max(x-a.X, 0)/(b.X-a.X)
}

package plotting

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// TrainingCurve has the training curves of one setting, by fold and epoch.
type TrainingCurve struct {
	Name string
	Loss [][]float64 // [fold][epoch], mean over the training bags
	AUC  [][]float64 // [fold][epoch], on the validation part; nil if there is none
}

// Measures of two panels.
const (
	panelHeight = 2.2 * vg.Inch // height of one panel, including axes
	panelGap    = 4 * vg.Length(1)
)

// Training draws the loss over the epochs and, in a second panel below, the validation AUC if a setting has one. Curves are
// means over the folds; with up to six settings, ribbons show one sample standard deviation to either side. (There are two
// panels because curves on two axes would cross wherever their scales make them.)
func Training(title string, settings []TrainingCurve) (*Figure, error) {
	f, err := training(title, settings)
	if err != nil {
		return nil, fmt.Errorf("drawing training curves: %w", err)
	}
	return f, nil
}

func training(title string, settings []TrainingCurve) (*Figure, error) {
	if len(settings) == 0 {
		return nil, errors.New("there are no settings")
	}
	losses := foldCurves{label: "Training loss", first: 1, least: math.Inf(-1), most: math.Inf(1)}
	aucs := foldCurves{label: "Validation AUC", first: 1, least: 0, most: 1}
	for _, s := range settings {
		losses.names, losses.values = append(losses.names, s.Name), append(losses.values, s.Loss)
		aucs.values = append(aucs.values, s.AUC)
	}
	aucs.names = losses.names
	if err := labelled("setting", losses.names); err != nil {
		return nil, err
	}
	for _, s := range settings {
		if len(s.Loss) == 0 {
			return nil, fmt.Errorf("%s: there are no losses", s.Name)
		}
	}
	upper, err := losses.panel()
	if err != nil {
		return nil, err
	}
	for _, s := range settings {
		if len(s.AUC) > 0 && (len(s.AUC) != len(s.Loss) || len(s.AUC[0]) != len(s.Loss[0])) {
			return nil, fmt.Errorf("%s: AUCs of %d folds of %d epochs but losses of %d folds of %d", s.Name,
				len(s.AUC), len(s.AUC[0]), len(s.Loss), len(s.Loss[0]))
		}
	}
	if !slices.ContainsFunc(settings, func(s TrainingCurve) bool { return len(s.AUC) > 0 }) {
		return newFigure(title, losses.entries(), upper, figureWidth, curveHeight), nil
	}
	lower, err := aucs.panel()
	if err != nil {
		return nil, err
	}
	lower.X.Min, lower.X.Max, lower.X.Tick.Marker = upper.X.Min, upper.X.Max, upper.X.Tick.Marker
	unlabelled(&upper.X)
	return newDrawing(title, losses.entries(), figureWidth, 2*panelHeight, panels(draw.Tiles{PadY: panelGap}, upper, lower)), nil
}

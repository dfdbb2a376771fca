package plotting

import (
	"errors"
	"fmt"
)

// TransferCurve says how often the winner of a bag (the instance with the largest attention weight) changed during the
// training of a setting, by fold and epoch.
type TransferCurve struct {
	Name string
	Rate [][]float64 // [fold][epoch]: share of winners that differ from the epoch before, starting at epoch 2
}

// WinnerTransfers draws the share of bags and heads whose winner changed in each epoch. Curves are means over the folds;
// with up to six settings, ribbons show one sample standard deviation to either side.
func WinnerTransfers(title string, settings []TransferCurve) (*Figure, error) {
	f, err := winnerTransfers(title, settings)
	if err != nil {
		return nil, fmt.Errorf("drawing winner transfers: %w", err)
	}
	return f, nil
}

func winnerTransfers(title string, settings []TransferCurve) (*Figure, error) {
	if len(settings) == 0 {
		return nil, errors.New("there are no settings")
	}
	rates := foldCurves{label: "Share of winners that changed", first: 2, least: 0, most: 1, zero: true}
	for _, s := range settings {
		rates.names, rates.values = append(rates.names, s.Name), append(rates.values, s.Rate)
	}
	if err := labelled("setting", rates.names); err != nil {
		return nil, err
	}
	for _, s := range settings {
		if len(s.Rate) == 0 {
			return nil, fmt.Errorf("%s: there are no rates", s.Name)
		}
	}
	p, err := rates.panel()
	if err != nil {
		return nil, err
	}
	return newFigure(title, rates.entries(), p, figureWidth, curveHeight), nil
}

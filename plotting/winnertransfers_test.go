package plotting

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestWinnerTransfers(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	f, err := WinnerTransfers("Musk 1, ten folds", []TransferCurve{
		{"softmax", folds(10, 39, 0.02, 0.5, 0.2, 0.02, random)},
		{"syn, I = 3", folds(10, 39, 0.05, 0.7, 0.1, 0.03, random)},
		{"syn, I = −3", folds(10, 39, 0.3, 0.6, 0.05, 0.03, random)},
	})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "winnertransfers.svg")
	framed(t, "golden", f)
	var curves []TransferCurve
	for _, name := range many(12) {
		curves = append(curves, TransferCurve{name, folds(4, 60, 0, 0.5, 0.2, 0.02, random)})
	}
	f, err = WinnerTransfers("Twelve", curves)
	fits(t, "twelve", f, err)
	for name, rates := range map[string][]float64{"one epoch": {0.3}, "never": {0, 0, 0}, "always": {1, 1}, "rarely": {1e-9, 0, 1e-9}} {
		f, err := WinnerTransfers(name, []TransferCurve{{"a", [][]float64{rates, rates}}})
		fits(t, name, f, err)
		if p := f.plot; p.Y.Min > 0 || p.X.Min > 2 || p.X.Min <= 1.4 {
			t.Errorf("%s: axes from %v and %v, want 2 and 0", name, p.X.Min, p.Y.Min)
		}
	}
}

func TestWinnerTransfersRefuses(t *testing.T) {
	for want, settings := range map[string][]TransferCurve{
		"there are no settings":                 nil,
		"setting 1 has no name":                 {{Rate: [][]float64{{1}}}},
		"a: there are no rates":                 {{Name: "a"}},
		"a: Share of winners that changed: fol": {{"a", [][]float64{{}}}},
		"fold 1, epoch 3: 2 is not between 0 a": {{"a", [][]float64{{1, 2}}}},
		"fold 1, epoch 2: NaN is not a number ": {{"a", [][]float64{{math.NaN()}}}},
		"fold 2 has 1 epochs, fold 1 has 2":     {{"a", [][]float64{{1, 1}, {1}}}},
		`the setting "a" occurs twice`:          {{"a", [][]float64{{1}}}, {"a", [][]float64{{1}}}},
	} {
		f, err := WinnerTransfers("", settings)
		refuses(t, f, err, "drawing winner transfers", want)
	}
}

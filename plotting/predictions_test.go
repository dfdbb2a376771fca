package plotting

import (
	"math"
	"strings"
	"testing"
)

// aged are made-up ages and predictions of them.
func aged(n int) (targets, predictions []float64) {
	for i := range n {
		age := 20 + 60*float64(i)/float64(n)
		targets, predictions = append(targets, age), append(predictions, 50+0.8*(age-50)+9*math.Sin(float64(7*i)))
	}
	return targets, predictions
}

func TestPredictions(t *testing.T) {
	targets, predictions := aged(60)
	f, err := Predictions("Ages", "True age (years)", "Predicted age (years)", targets, predictions)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "predictions.svg")
	framed(t, "golden", f)
	for name, n := range map[string]int{"one": 1, "many": 2000} {
		targets, predictions := aged(n)
		f, err := Predictions("", "x", "y", targets, predictions)
		if err != nil {
			t.Fatal(err)
		}
		framed(t, name, f)
	}
}

func TestPredictionsRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		x                    string
		targets, predictions []float64
	}{
		"2 targets and 1 predictions": {"x", []float64{1, 2}, []float64{1}},
		"there are no points":         {"x", nil, nil},
		"both axes need a name":       {"", []float64{1}, []float64{1}},
		"(1, NaN) is not a point":     {"x", []float64{1}, []float64{math.NaN()}},
	} {
		_, err := Predictions("", c.x, "y", c.targets, c.predictions)
		if err == nil || !strings.HasPrefix(err.Error(), "drawing predictions: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

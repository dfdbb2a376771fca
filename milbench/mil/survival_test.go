package mil

import "testing"

func TestSurvival(t *testing.T) {
	for name, c := range map[string]struct {
		curve  Survival
		valid  bool
		median float64
		known  bool
	}{
		"falls below":     {Survival{[]float64{1, 2, 3}, []float64{0.9, 0.5, 0.1}}, true, 2, true},
		"stays above":     {Survival{[]float64{1, 2, 3}, []float64{0.9, 0.8, 0.51}}, true, 0, false},
		"all at once":     {Survival{[]float64{1}, []float64{0}}, true, 1, true},
		"empty":           {Survival{}, false, 0, false},
		"one short":       {Survival{[]float64{1, 2}, []float64{1}}, false, 0, false},
		"rises":           {Survival{[]float64{1, 2}, []float64{0.6, 0.7}}, false, 0, false},
		"above 1":         {Survival{[]float64{1}, []float64{1.1}}, false, 0, false},
		"time goes back":  {Survival{[]float64{2, 1}, []float64{0.9, 0.8}}, false, 0, false},
		"a time is twice": {Survival{[]float64{1, 1}, []float64{0.9, 0.8}}, false, 0, false},
	} {
		if err := c.curve.Validate(); (err == nil) != c.valid {
			t.Errorf("%s: error %v", name, err)
		}
		if m, known := c.curve.Median(); known != c.known || m != c.median {
			t.Errorf("%s: median %v, %v", name, m, known)
		}
	}
}

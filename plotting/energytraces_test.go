package plotting

import (
	"math"
	"testing"
)

func TestEnergyTraces(t *testing.T) {
	f, err := EnergyTraces("Energy of retrievals", []EnergyRun{
		{"classical", course(7, -12, -3, 1.1), true},
		{"power 3", course(4, -15, -4, 2), true},
		{"β = 1", course(15, -9, -1, 0.3), false},
	})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "energytraces.svg")
	framed(t, "golden", f)
	for name, values := range lists {
		f, err := EnergyTraces(name, []EnergyRun{{"run", values, true}})
		draws(t, name, f, err)
	}
	var runs []EnergyRun
	for i, name := range many(12) {
		runs = append(runs, EnergyRun{name, course(3+i, -float64(i), 4, 0.5), i%2 == 0})
	}
	f, err = EnergyTraces("Twelve", runs)
	fits(t, "twelve", f, err)
	runs = nil
	for i := range 100 {
		runs = append(runs, EnergyRun{[]string{"digits", "noise"}[i%2], course(3+i%9, -float64(i%13), float64(i%7), 0.5), true})
	}
	f, err = EnergyTraces("Many of two kinds", runs)
	fits(t, "many", f, err)
	if got := len(f.legend[0]); got != 3 {
		t.Errorf("the legend has %d entries, want two names and the fixed point", got)
	}
}

func TestEnergyTracesRefuses(t *testing.T) {
	for want, runs := range map[string][]EnergyRun{
		"there are no runs":                   nil,
		"run 2, b: there are no energies":     {{Name: "a", Energies: []float64{1}}, {Name: "b"}},
		"run 1 has no name":                   {{Energies: []float64{1}}},
		"run 1, a: step 1: NaN is not a":      {{Name: "a", Energies: []float64{1, math.NaN()}}},
		"run 1, a: step 0: -Inf is not a num": {{Name: "a", Energies: []float64{math.Inf(-1)}}},
	} {
		f, err := EnergyTraces("", runs)
		refuses(t, f, err, "drawing energy traces", want)
	}
}

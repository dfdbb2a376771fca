package plotting

import (
	"math"
	"testing"
)

// survived are made-up curves of two groups.
func survived() []SurvivalCurve {
	return []SurvivalCurve{
		{"low risk", []float64{5, 8, 12, 20}, []float64{0.9, 0.9, 0.7, 0.7}, []float64{8, 20}, []float64{5, 8, 12, 20, 20}},
		{"high risk", []float64{1, 2, 3, 9}, []float64{0.75, 0.5, 0.5, 0}, []float64{3}, []float64{1, 2, 3, 9}},
	}
}

func TestSurvival(t *testing.T) {
	golden(t, "survival.svg")(Survival("Two groups", "Time (months)", survived()))
	wide := survived()
	wide[0].Name = long
	wide[1].Times, wide[1].Censored, wide[1].Followed = []float64{1, 2, 3, 9e7}, nil, []float64{0, 1, 9e7}
	for i := range 2000 {
		wide[0].Followed = append(wide[0].Followed, float64(i)/100)
		wide[0].Censored = append(wide[0].Censored, float64(i)/100)
	}
	fits(t, "wide")(Survival(long, "Time", wide))
	fits(t, "at once")(Survival("", "Time", []SurvivalCurve{{Name: "at once", Times: []float64{0}, Survival: []float64{0}}}))
	with := func(change func(*SurvivalCurve)) []SurvivalCurve {
		all := survived()
		change(&all[1])
		return all
	}
	for want, curves := range map[string][]SurvivalCurve{
		"there are no curves":                nil,
		"draw at most 6":                     make([]SurvivalCurve, 7),
		`"low risk" occurs twice`:            with(func(c *SurvivalCurve) { c.Name = "low risk" }),
		"high risk: 1 times and 4 values":    with(func(c *SurvivalCurve) { c.Times = c.Times[:1] }),
		"time 1: -1 is negative":             with(func(c *SurvivalCurve) { c.Times[0] = -1 }),
		"time 2: 1 after 1; give them":       with(func(c *SurvivalCurve) { c.Times[1] = 1 }),
		"value 3 is 0.6 after 0.5; values":   with(func(c *SurvivalCurve) { c.Survival[2] = 0.6 }),
		"value 4 is NaN":                     with(func(c *SurvivalCurve) { c.Survival[3] = math.NaN() }),
		"a bag's time is 10; it is from 0 t": with(func(c *SurvivalCurve) { c.Followed[0] = 10 }),
		"a bag's time is NaN":                with(func(c *SurvivalCurve) { c.Censored[0] = math.NaN() }),
	} {
		refused(t, want)(Survival("", "Time", curves))
	}
	refused(t, "drawing survival curves: the axis of time needs a name")(Survival("", "", survived()))
}

func TestSurvivalAtRisk(t *testing.T) {
	c := survived()[0]
	for time, want := range map[float64]int{0: 5, 5: 5, 5.1: 4, 20: 2, 21: 0} {
		if got := c.atRisk(time); got != want {
			t.Errorf("%d at risk at %v, want %d", got, time, want)
		}
	}
	for time, want := range map[float64]float64{0: 1, 4.9: 1, 5: 0.9, 12: 0.7, 30: 0.7} {
		if got := c.at(time); got != want {
			t.Errorf("%v at %v, want %v", got, time, want)
		}
	}
}

package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// chiSquareTolerance is for figures that use a different factorisation.
const chiSquareTolerance = 1e-11

// TestGoldenSurvival compares with scikit-survival (testdata/targets.py). lifelines agrees where it has the figure.
func TestGoldenSurvival(t *testing.T) {
	for _, c := range readTargets(t).Survival {
		t.Run(c.Name, func(t *testing.T) {
			same := func(name string, got, want []float64, err error) {
				t.Helper()
				if err != nil || !slices.EqualFunc(got, want, func(a, b float64) bool { return near(a, b, tolerance) }) {
					t.Errorf("%s: %v, %v; want %v", name, got, err, want)
				}
			}
			concordance, err := Concordance(c.Times, c.Events, c.Risks)
			same("Concordance", []float64{concordance}, []float64{c.Concordance}, err)
			curve, err := KaplanMeier(c.Times, c.Events)
			same("times of KaplanMeier", curve.Times, c.KMTimes, err)
			same("KaplanMeier", curve.Survival, c.KM, err)
			censoring, err := CensoringCurve(c.TrainTimes, c.TrainEvents)
			same("times of CensoringCurve", censoring.Times, c.CensoringTimes, err)
			same("CensoringCurve", censoring.Survival, c.Censoring, err)
			aucs, mean, err := CumulativeAUC(censoring, c.Times, c.Events, c.Risks, c.At)
			same("CumulativeAUC", aucs, c.AUCs, err)
			same("mean CumulativeAUC", []float64{mean}, []float64{c.MeanAUC}, err)
			briers, err := survivalBriers(censoring, c.Times, c.Events, c.Curves, c.At)
			same("Brier scores", briers, c.Briers, err)
			ibs, err := IntegratedBrier(censoring, c.Times, c.Events, c.Curves, c.At)
			same("IntegratedBrier", []float64{ibs}, []float64{c.IBS}, err)
			test, err := LogRank(c.Times, c.Events, c.Groups)
			if err != nil || test.Degrees != c.Degrees || !near(test.ChiSquare, c.Chi2, chiSquareTolerance) || !near(test.P, c.P, chiSquareTolerance) {
				t.Errorf("LogRank: %+v, %v; want %.17g, %d, %.17g", test, err, c.Chi2, c.Degrees, c.P)
			}
		})
	}
}

// randomSurvival returns times with ties and risks with ties. The first two times are events and the last is not.
func randomSurvival(rng *rand.Rand, n int) (times []float64, events []bool, risks []float64) {
	risks = quarters(rng, n)
	for i, r := range risks {
		times = append(times, 1+math.Round(8*rng.ExpFloat64()*math.Exp(-r/2)))
		events = append(events, i < 2 || rng.IntN(3) > 0)
	}
	times[0], times[1], times[n-1], events[n-1] = 1, 2, slices.Max(times)+1, false
	return times, events, risks
}

// TestSurvivalLaws checks what survival figures may and may not depend on.
func TestSurvivalLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 100 {
		n := 4 + rng.IntN(40)
		times, events, risks := randomSurvival(rng, n)
		groups := make([]int, n)
		for i := range groups {
			groups[i] = i % 3
		}
		censoring, err := CensoringCurve(append(slices.Clone(times), 1000), append(slices.Clone(events), false))
		must(t, err)
		at := []float64{1.5, 2, 2.25}
		curves := make([][]float64, n)
		for i := range curves {
			curves[i] = []float64{rng.Float64(), rng.Float64(), rng.Float64()}
		}
		concordance := func(times []float64, events []bool, risks []float64) float64 {
			c, err := Concordance(times, events, risks)
			if err != nil || c < 0 || c > 1 {
				t.Fatalf("Concordance: %v, %v", c, err)
			}
			return c
		}
		cumulative := func(times []float64, events []bool, risks []float64) []float64 {
			aucs, mean, err := CumulativeAUC(censoring, times, events, risks, at)
			if err != nil || mean < slices.Min(aucs)-tolerance || mean > slices.Max(aucs)+tolerance {
				t.Fatalf("CumulativeAUC: %v, %v, %v", aucs, mean, err)
			}
			return append(aucs, mean)
		}
		brier := func(times []float64, events []bool, curves [][]float64) float64 {
			b, err := IntegratedBrier(censoring, times, events, curves, at)
			if err != nil || b < 0 {
				t.Fatalf("IntegratedBrier: %v, %v", b, err)
			}
			return b
		}
		logRank := func(times []float64, events []bool, groups []int) LogRankTest {
			test, err := LogRank(times, events, groups)
			if err != nil || test.P < 0 || test.P > 1 {
				t.Fatalf("LogRank: %+v, %v", test, err)
			}
			return test
		}
		same := func(name string, got, want []float64, tolerance float64) {
			if !slices.EqualFunc(got, want, func(a, b float64) bool { return near(a, b, tolerance) }) {
				t.Errorf("%s: %v, want %v", name, got, want)
			}
		}
		c, aucs, b, test := concordance(times, events, risks), cumulative(times, events, risks), brier(times, events, curves), logRank(times, events, groups)
		perm := rng.Perm(n)
		times2, events2, risks2, groups2 := permuted(times, perm), permuted(events, perm), permuted(risks, perm), permuted(groups, perm)
		same("Concordance in another order", []float64{concordance(times2, events2, risks2)}, []float64{c}, 0)
		same("CumulativeAUC in another order", cumulative(times2, events2, risks2), aucs, tolerance)
		same("IntegratedBrier in another order", []float64{brier(times2, events2, permuted(curves, perm))}, []float64{b}, tolerance)
		for name, groups := range map[string][]int{"another order": groups2, "other groups": mappedGroups(groups2)} {
			again := logRank(times2, events2, groups)
			same("LogRank of "+name, []float64{again.ChiSquare, again.P}, []float64{test.ChiSquare, test.P}, 1e-9)
		}
		for name, f := range increasing {
			same("Concordance of risks under "+name, []float64{concordance(times, events, mapped(risks, f))}, []float64{c}, 0)
			same("CumulativeAUC of risks under "+name, cumulative(times, events, mapped(risks, f)), aucs, 0)
		}
		longer := mapped(times, func(t float64) float64 { return t * t })
		same("Concordance of other times", []float64{concordance(longer, events, risks)}, []float64{c}, 0)
		again := logRank(longer, events, groups)
		same("LogRank of other times", []float64{again.ChiSquare, again.P}, []float64{test.ChiSquare, test.P}, 0)
		negated := mapped(risks, func(r float64) float64 { return -r })
		same("Concordance negated", []float64{concordance(times, events, negated)}, []float64{1 - c}, tolerance)
		opposite := cumulative(times, events, negated)
		same("CumulativeAUC negated", mapped(opposite, func(a float64) float64 { return 1 - a }), aucs, 1e-12)
		equal := make([]float64, n)
		same("figures of equal risks", append(cumulative(times, events, equal), concordance(times, events, equal)), []float64{.5, .5, .5, .5, .5}, tolerance)
		observed, expected := 0, 0.0
		for g := range test.Groups {
			observed += test.Observed[g]
			expected += test.Expected[g]
		}
		if observed != countEvents(events) || !near(expected, float64(observed), tolerance) {
			t.Errorf("%d events observed and %v expected of %d", observed, expected, countEvents(events))
		}
	}
}

// mappedGroups renumbers the groups, in the opposite order.
func mappedGroups(groups []int) []int {
	out := make([]int, len(groups))
	for i, g := range groups {
		out[i] = 7 - 5*g
	}
	return out
}

// TestSurvivalWithoutCensoring: if every event was seen, the figures equal those for plain numbers and labels.
func TestSurvivalWithoutCensoring(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 50 {
		n := 5 + rng.IntN(40)
		times, risks := make([]float64, n), make([]float64, n)
		events, lives, curves := make([]bool, n), make([]float64, n), make([][]float64, n)
		for i, p := range rng.Perm(n) {
			times[i], risks[i], events[i], lives[i] = float64(p), rng.NormFloat64(), true, rng.Float64()
			curves[i] = lives[i : i+1]
		}
		tau, err := Kendall(times, risks)
		must(t, err)
		if c, err := Concordance(times, events, risks); err != nil || !near(c, (1-tau)/2, tolerance) {
			t.Errorf("Concordance %v, %v with Kendall's τ %v", c, err, tau)
		}
		censoring, err := CensoringCurve(times, events)
		must(t, err)
		curve, err := KaplanMeier(times, events)
		must(t, err)
		for at := range n - 1 {
			early, late, longer := make([]int, n), make([]int, n), 0
			for i, time := range times {
				if time > float64(at) {
					late[i] = 1
					longer++
				}
				early[i] = 1 - late[i]
			}
			aucs, mean, err := CumulativeAUC(censoring, times, events, risks, []float64{float64(at)})
			want, wantErr := AUC(early, risks)
			if err != nil || wantErr != nil || !near(aucs[0], want, tolerance) || !near(mean, want, tolerance) {
				t.Errorf("CumulativeAUC %v, %v, %v; AUC %v, %v", aucs, mean, err, want, wantErr)
			}
			briers, err := survivalBriers(censoring, times, events, curves, []float64{float64(at)})
			want, wantErr = BrierScore(late, lives)
			if err != nil || wantErr != nil || !near(briers[0], want, tolerance) {
				t.Errorf("Brier score %v, %v; BrierScore %v, %v", briers, err, want, wantErr)
			}
			if s, err := curve.at(float64(at) + 0.5); err != nil || !near(s, float64(longer)/float64(n), tolerance) {
				t.Errorf("%v, %v live after %d, want %d of %d", s, err, at, longer, n)
			}
		}
		if s, err := curve.at(float64(n)); err != nil || s != 0 {
			t.Errorf("%v, %v live after the last event", s, err)
		}
	}
}

// TestIntegratedBrierFollowUp: it uses the censoring of the bags themselves, and the times before the last bag's.
func TestIntegratedBrierFollowUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for range 50 {
		n := 10 + rng.IntN(20)
		times, events, _ := randomSurvival(rng, n)
		censoring, err := CensoringCurve(times, events)
		must(t, err)
		last := slices.Max(times)
		at := []float64{last / 4, last / 2, last * 0.9, last, last + 1}
		rows, known := make([][]float64, n), make([][]float64, n)
		for i := range rows {
			for k := range at {
				rows[i] = append(rows[i], math.Pow(rng.Float64(), float64(k)))
			}
			known[i] = rows[i][:3]
		}
		got, err := IntegratedBrierFollowUp(times, events, rows, at)
		want, wantErr := IntegratedBrier(censoring, times, events, known, at[:3])
		if err != nil || wantErr != nil || got != want {
			t.Errorf("%v, %v, want %v, %v", got, err, want, wantErr)
		}
		if _, err := IntegratedBrierFollowUp(times, events, rows, []float64{last - 1, last, last + 1, last + 2, last + 3}); !errors.Is(err, ErrTooFew) {
			t.Errorf("of one time: %v", err)
		}
		rows[n-1] = rows[n-1][:2]
		if _, err := IntegratedBrierFollowUp(times, events, rows, at); err == nil {
			t.Error("no error of a short row")
		}
	}
}

// TestTiedTimes checks the pairs that Concordance compares among bags with equal times.
func TestTiedTimes(t *testing.T) {
	for name, test := range map[string]struct {
		times  []float64
		events []bool
		risks  []float64
		want   float64
		err    error
	}{
		"an event and a censored bag":         {[]float64{3, 3}, []bool{true, false}, []float64{2, 1}, 1, nil},
		"the same, exchanged":                 {[]float64{3, 3}, []bool{false, true}, []float64{2, 1}, 0, nil},
		"two events":                          {[]float64{3, 3}, []bool{true, true}, []float64{2, 1}, 0, ErrNoPairs},
		"censored before the event":           {[]float64{2, 3}, []bool{false, true}, []float64{2, 1}, 0, ErrNoPairs},
		"both censored":                       {[]float64{2, 3}, []bool{false, false}, []float64{2, 1}, 0, ErrNoEvents},
		"one bag":                             {[]float64{2}, []bool{true}, []float64{2}, 0, ErrNoPairs},
		"two events, and a bag that lives on": {[]float64{3, 3, 4}, []bool{true, true, false}, []float64{2, 1, 1}, 0.75, nil},
		"infinite risks, two of them tied":    {[]float64{1, 2, 3}, []bool{true, true, true}, []float64{math.Inf(1), math.Inf(1), 0}, 2.5 / 3, nil},
	} {
		got, err := Concordance(test.times, test.events, test.risks)
		if !errors.Is(err, test.err) || !near(got, test.want, tolerance) {
			t.Errorf("%s: %v, %v; want %v, %v", name, got, err, test.want, test.err)
		}
	}
	censoring, err := CensoringCurve([]float64{1, 2, 2, 2, 3}, []bool{true, true, false, false, true})
	if want := []float64{1, 1. / 3, 1. / 3}; err != nil || !slices.EqualFunc(censoring.Survival, want, func(a, b float64) bool { return near(a, b, tolerance) }) {
		t.Errorf("censoring %v, %v; want %v", censoring.Survival, err, want)
	}
}

// TestLogRankUndefined checks groups that carry no information.
func TestLogRankUndefined(t *testing.T) {
	for name, test := range map[string]struct {
		times  []float64
		events []bool
		groups []int
		err    error
	}{
		"one group":                       {[]float64{1, 2}, []bool{true, true}, []int{4, 4}, ErrOneGroup},
		"no event":                        {[]float64{1, 2}, []bool{false, false}, []int{0, 1}, ErrNoEvents},
		"a group is censored before":      {[]float64{1, 2, 3}, []bool{false, true, true}, []int{0, 1, 1}, ErrOneGroup},
		"all have their event at once":    {[]float64{2, 2, 2}, []bool{true, true, true}, []int{0, 1, 1}, ErrNoPairs},
		"all but those who were censored": {[]float64{1, 2, 2}, []bool{false, true, true}, []int{0, 1, 0}, ErrNoPairs},
	} {
		if got, err := LogRank(test.times, test.events, test.groups); !errors.Is(err, test.err) || got.Degrees != 0 || got.P != 0 {
			t.Errorf("%s: %+v, %v, want %v", name, got, err, test.err)
		}
	}
	// A third group, all censored before the first event, changes nothing.
	times, events, groups := []float64{2, 3, 4, 5, 6}, []bool{true, true, false, true, true}, []int{0, 1, 0, 1, 1}
	want, err := LogRank(times, events, groups)
	must(t, err)
	for _, third := range []int{-1, 2} {
		got, err := LogRank(append(slices.Clone(times), 1, 1), append(slices.Clone(events), false, false), append(slices.Clone(groups), third, third))
		if err != nil || len(got.Groups) != 3 || got.Degrees != want.Degrees || !near(got.ChiSquare, want.ChiSquare, tolerance) || !near(got.P, want.P, tolerance) {
			t.Errorf("with group %d: %+v, %v; want %+v", third, got, err, want)
		}
	}
}

func TestSurvivalRefusals(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	none := SurvivalCurve{Times: []float64{10}, Survival: []float64{1}} // nobody is censored
	figures := map[string]func([]float64, []bool) ([]float64, error){
		"Concordance": func(t []float64, e []bool) ([]float64, error) {
			c, err := Concordance(t, e, make([]float64, len(t)))
			return []float64{c}, err
		},
		"KaplanMeier":    func(t []float64, e []bool) ([]float64, error) { c, err := KaplanMeier(t, e); return c.Survival, err },
		"CensoringCurve": func(t []float64, e []bool) ([]float64, error) { c, err := CensoringCurve(t, e); return c.Survival, err },
		"LogRank": func(t []float64, e []bool) ([]float64, error) {
			test, err := LogRank(t, e, make([]int, len(t)))
			return []float64{test.ChiSquare, test.P}, err
		},
		"CumulativeAUC": func(t []float64, e []bool) ([]float64, error) {
			aucs, mean, err := CumulativeAUC(none, t, e, make([]float64, len(t)), []float64{1})
			return append(aucs, mean), err
		},
		"IntegratedBrier": func(t []float64, e []bool) ([]float64, error) {
			b, err := IntegratedBrier(none, t, e, make([][]float64, len(t)), []float64{1, 2})
			return []float64{b}, err
		},
	}
	for name, f := range figures {
		for _, test := range []struct {
			times  []float64
			events []bool
			want   string
		}{
			{[]float64{1, 2}, []bool{true}, "2 times but 1 events"},
			{nil, nil, "no times"},
			{[]float64{1, nan}, []bool{true, true}, "time at 1 is NaN"},
			{[]float64{inf, 1}, []bool{true, true}, "time at 0 is +Inf"},
			{[]float64{1, -1}, []bool{true, true}, "time at 1 is -1"},
		} {
			values, err := f(test.times, test.events)
			refuses(t, name, test.want, err, values...)
		}
	}
	times, events, risks := []float64{1, 2, 3}, []bool{true, true, false}, []float64{3, 2, 1}
	c, err := Concordance(times, events, risks[:2])
	refuses(t, "Concordance", "3 times but 2 risks", err, c)
	c, err = Concordance(times, events, []float64{1, nan, 2})
	refuses(t, "Concordance", "risk at 1 is NaN", err, c)
	_, err = LogRank(times, events, []int{0, 1})
	refuses(t, "LogRank", "3 times but 2 groups", err)

	for want, of := range map[string]struct {
		censoring SurvivalCurve
		risks, at []float64
		err       error
	}{
		"3 times but 1 risks":                            {none, risks[:1], []float64{1}, nil},
		"risk at 0 is NaN":                               {none, []float64{nan, 1, 2}, []float64{1}, nil},
		"no times to take":                               {none, risks, nil, nil},
		"must be finite and increase":                    {none, risks, []float64{2, 2}, nil},
		"[NaN]; they must be finite":                     {none, risks, []float64{nan}, nil},
		"no event was seen by time 0.5":                  {none, risks, []float64{0.5}, ErrNoEvents},
		"no comparable pairs at time 3":                  {none, risks, []float64{2, 3}, ErrNoPairs},
		"censoring: a survival curve of 0 times":         {SurvivalCurve{}, risks, []float64{2}, nil},
		"a survival curve of 1 times and 2 values":       {SurvivalCurve{[]float64{1}, []float64{1, 0}}, risks, []float64{2}, nil},
		"value 1 of a survival curve is 0.6":             {SurvivalCurve{[]float64{1, 2}, []float64{0.5, 0.6}}, risks, []float64{2}, nil},
		"value 0 of a survival curve is NaN":             {SurvivalCurve{[]float64{1, 2}, []float64{nan, 0}}, risks, []float64{2}, nil},
		"time 1 of a survival curve is 1":                {SurvivalCurve{[]float64{1, 1}, []float64{1, 0}}, risks, []float64{2}, nil},
		"weight of bag 1: time is beyond":                {SurvivalCurve{[]float64{1}, []float64{1}}, risks, []float64{2}, ErrBeyondFollowUp},
		"beyond the follow-up: at 2 all bags":            {SurvivalCurve{[]float64{2}, []float64{0}}, risks, []float64{2}, ErrBeyondFollowUp},
		"weight of bag 0: time is beyond the follow-up:": {SurvivalCurve{[]float64{0}, []float64{5e-324}}, risks, []float64{2}, ErrBeyondFollowUp},
	} {
		aucs, mean, err := CumulativeAUC(of.censoring, times, events, of.risks, of.at)
		refuses(t, "CumulativeAUC", want, err, append(aucs, mean)...)
		if of.err != nil && !errors.Is(err, of.err) {
			t.Errorf("CumulativeAUC: %v, want %v", err, of.err)
		}
	}
	// The weight of a later event is not needed.
	if _, _, err := CumulativeAUC(SurvivalCurve{[]float64{1}, []float64{1}}, times, events, risks, []float64{1}); err != nil {
		t.Errorf("CumulativeAUC at 1: %v", err)
	}

	curves := [][]float64{{0.5, 0.25}, {0.5, 0.25}, {0.5, 0.25}}
	for want, of := range map[string]struct {
		censoring SurvivalCurve
		curves    [][]float64
		at        []float64
		err       error
	}{
		"3 times but 2 rows":                      {none, curves[:2], []float64{1, 2}, nil},
		"bag 0 has 2 probabilities of survival":   {none, curves, []float64{1, 2, 3}, nil},
		"bag 2 lives after 2 with probability 2":  {none, [][]float64{{0, 0}, {0, 0}, {0, 2}}, []float64{1, 2}, nil},
		"bag 1 lives after 1 with probability Na": {none, [][]float64{{0, 0}, {nan, 0}, {0, 2}}, []float64{1, 2}, nil},
		"must be finite and increase":             {none, curves, []float64{2, 1}, nil},
		"times of the integral: 1":                {none, curves, []float64{2}, ErrTooFew},
		"times of the integral: 0":                {none, curves, nil, ErrTooFew},
		"a survival curve of 0 times":             {SurvivalCurve{}, curves, []float64{1, 2}, nil},
		"time is beyond the follow-up: 11":        {none, curves, []float64{5, 11}, nil},
		"the follow-up: at 2 all bags":            {SurvivalCurve{[]float64{2}, []float64{0}}, curves, []float64{1, 2}, ErrBeyondFollowUp},
	} {
		if of.at != nil && of.at[len(of.at)-1] == 11 { // if some bags survive, the weight at the time itself is needed
			b, err := IntegratedBrier(of.censoring, []float64{1, 2, 20}, events, of.curves, of.at)
			refuses(t, "IntegratedBrier", want, err, b)
			continue
		}
		b, err := IntegratedBrier(of.censoring, times, events, of.curves, of.at)
		refuses(t, "IntegratedBrier", want, err, b)
		if of.err != nil && !errors.Is(err, of.err) {
			t.Errorf("IntegratedBrier: %v, want %v", err, of.err)
		}
	}
}

package report

import (
	"slices"

	"synpool/milbench/results"
	"synpool/milbench/stats"
	"synpool/plotting"
)

// gained is what an ensemble gains on a set over the mean of its own members.
type gained struct {
	tested
	set                  string
	Member, Spread, Mean float64 // AUC of a member, SD over members, AUC of the ensemble
}

// ensembleStudy is the experiment ensembles: every ensemble against the mean of its own members.
type ensembleStudy struct {
	figures[string]
	Gained []gained
	Tests  []tested // of each
}

// newEnsembles needs results that kept the AUCs of members.
func newEnsembles(a results.Archive) (s ensembleStudy) {
	joined := of(a.Results, func(c config) bool { return c.Members > 0 })
	need(!slices.ContainsFunc(joined, func(r results.Result) bool { return len(r.MemberAUC) < 2 }))
	s.figures = newFigures(joined, config.withMembers)
	means := measure(joined, config.withMembers, func(r results.Result) float64 { return mean(r.MemberAUC) })
	spreads := measure(joined, config.withMembers, func(r results.Result) float64 { return must(stats.SD(r.MemberAUC)) })
	for _, set := range s.sets {
		for _, setting := range s.settings {
			if s.has(set, setting) {
				s.Tests = append(s.Tests, pairedT(set+", "+setting, s.folds[set][setting], means.folds[set][setting], s.ratio[set]))
				s.Gained = append(s.Gained, gained{set: set, Member: means.mean(set, setting), Spread: spreads.mean(set, setting), Mean: s.mean(set, setting)})
			}
		}
	}
	corrected(s.Tests)
	for i, t := range s.Tests {
		s.Gained[i].tested = t
	}
	return s
}

// Gain is what ensembles gain, averaged over all.
func (s ensembleStudy) Gain() float64 {
	_, gains := differences(s.Tests)
	return mean(gains)
}

// ensemblesHelp says what the mean of several networks' scores gains over one, mean over the settings of each set.
func ensemblesHelp(s ensembleStudy) answer {
	var sets []string
	var gains []float64
	for _, g := range s.Gained {
		sets, gains = append(sets, g.set), append(gains, g.Difference)
	}
	return acrossGroups(sets, gains, ofSet).answer()
}

// gainsPlot draws what each ensemble gains over its members, with the interval of the test.
func gainsPlot(s ensembleStudy) *plotting.Figure {
	var rows []plotting.ComparedRow
	for _, t := range s.Tests {
		row := plotting.ComparedRow{Name: t.Name, Difference: t.Difference, Low: t.Difference, High: t.Difference}
		if t.SE > 0 {
			low, high, err := t.Interval(1 - alpha)
			row.Low, row.High = must(low, err), high
			row.Same = directionOf(low, high) == same
		}
		if !row.Same {
			row.Verdict = t.side()
		}
		rows = append(rows, row)
	}
	return must(plotting.Comparison("What ten networks gain over one; in colour after Holm's correction", "Difference in AUC (95 % CI of the corrected resampled t-test)", margin, rows))
}

package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/results"
	"synpool/milbench/stats"
)

// common returns the values of I that more than half of the sets have, in order, and the sets that have all of these.
func (f figures[K]) common() (settings []K, sets []string) {
	for _, s := range f.settings {
		n := 0
		for _, set := range f.sets {
			if len(f.folds[set][s]) > 0 {
				n++
			}
		}
		if 2*n > len(f.sets) {
			settings = append(settings, s)
		}
	}
	return settings, f.complete(settings)
}

// sweep is the mean AUC over values of I on one set, and the least share of winners that changed.
type sweep struct {
	steps []int
	auc   []float64
	least []float64 // NaN if it was not kept
}

// shares returns which shares of the best (the worst, times -1) means are of concentration and of distraction: means that are
// equal share.
func (s sweep) shares(times float64) (concentration, distraction float64) {
	at := extremes(s.auc, times)
	for _, i := range at {
		switch sign(float64(s.steps[i])) {
		case 1:
			concentration += 1 / float64(len(at))
		case -1:
			distraction += 1 / float64(len(at))
		}
	}
	return concentration, distraction
}

// sides returns the means of values over I > 0 and over I < 0.
func (s sweep) sides(values []float64) (concentration, distraction float64) {
	concentration, distraction, _ = bySide(s.steps, values)
	return concentration, distraction
}

// bySide returns the means of values over I > 0, over I < 0 and at 0.
func bySide(steps []int, values []float64) (concentration, distraction, none float64) {
	var sides [3][]float64
	for i, v := range values {
		at := 1 + sign(float64(steps[i]))
		sides[at] = append(sides[at], v)
	}
	return stat.Mean(sides[2], nil), stat.Mean(sides[0], nil), stat.Mean(sides[1], nil)
}

// ranks returns the mean ranks of concentration and of distraction; the best mean has rank 1.
func (s sweep) ranks() (concentration, distraction float64, err error) {
	ranks, err := stats.AverageRanks([][]float64{s.auc})
	if err != nil {
		return 0, 0, err
	}
	concentration, distraction = s.sides(ranks)
	return concentration, distraction, nil
}

// names names the values of I at some places.
func (s sweep) names(at []int) string {
	var names []string
	for _, i := range at {
		names = append(names, integer(s.steps[i]))
	}
	return strings.Join(names, ", ")
}

// twoSided reports whether values of I, in order, are of distraction and of concentration.
func twoSided(steps []int) bool {
	return len(steps) > 0 && steps[0] < 0 && steps[len(steps)-1] > 0
}

// sides returns, of every fold of a set, the mean AUC over I > 0, over I < 0 and at 0.
func sides(f figures[int], set string, steps []int) (concentration, distraction, none []float64) {
	for i := range f.keys[set] {
		var values []float64
		for _, s := range steps {
			values = append(values, f.folds[set][s][i])
		}
		more, fewer, zero := bySide(steps, values)
		concentration, distraction, none = append(concentration, more), append(distraction, fewer), append(none, zero)
	}
	return concentration, distraction, none
}

func concentrationHelps(a results.Archive) (answer, error) { return stepsHelp(a, 0) }

func distractionHelps(a results.Archive) (answer, error) { return stepsHelp(a, 1) }

// stepsHelp compares the mean AUC over I > 0 (side 0) or over I < 0 (side 1) with that at I = 0. Sets are tested one by one as
// well, with Holm's correction for both sides of all of them.
func stepsHelp(a results.Archive, side int) (answer, error) {
	f, err := newFigures(a.Results, iterationsOf)
	if err != nil {
		return answer{}, err
	}
	steps, sets := f.common()
	if len(sets) == 0 || !slices.Contains(steps, 0) || !twoSided(steps) {
		return answer{}, errIncomplete
	}
	var differences, p []float64
	for _, set := range sets {
		concentration, distraction, none := sides(f, set, steps)
		for k, of := range [][]float64{concentration, distraction} {
			test, err := pairedT(of, none, f.ratio[set])
			if err != nil {
				return answer{}, err
			}
			p = append(p, test.P)
			if k == side {
				differences = append(differences, stat.Mean(less(of, none), nil))
			}
		}
	}
	said, err := answered(acrossSets(sets, differences))
	if err != nil {
		return answer{}, err
	}
	holm, err := stats.Holm(p)
	if err != nil {
		return answer{}, err
	}
	var up, down int
	for i, d := range differences {
		switch {
		case holm[2*i+side] >= alpha:
		case d > 0:
			up++
		default:
			down++
		}
	}
	said.more = join(said.more, alone(up, down, len(sets), "sets"))
	return said, nil
}

// swept are the values of I of all sets.
type swept struct {
	figures[int]
	steps  []int // that most sets have
	on     []string
	values [][]float64 // AUCs, then least changes, of each set that has all of them
	rows   [][]string  // of the table
}

// sweeps reads results and curves.
func sweeps(a results.Archive) (s swept, err error) {
	if s.figures, err = newFigures(a.Results, iterationsOf); err != nil {
		return swept{}, err
	}
	changes, err := leastChanges(a.Curves)
	if err != nil {
		return swept{}, err
	}
	if s.steps, s.on = s.common(); !twoSided(s.steps) {
		s.on = nil
	}
	if len(s.on) == 0 {
		return s, nil
	}
	for _, set := range s.sets {
		for _, all := range []bool{false, true} {
			one := sweep{steps: s.steps}
			name := set
			if all {
				one.steps = slices.DeleteFunc(slices.Clone(s.settings), func(i int) bool { return !s.has(set, []int{i}) })
				name = fmt.Sprintf("%s, its %d values of I", set, len(one.steps))
			}
			if !s.has(set, one.steps) || all && slices.Equal(one.steps, s.steps) {
				continue
			}
			for _, i := range one.steps {
				one.auc = append(one.auc, s.mean(set, i))
				lowest, kept := changes[set][i]
				if !kept {
					lowest = math.NaN()
				}
				one.least = append(one.least, lowest)
			}
			if !twoSided(one.steps) {
				continue // one side alone
			}
			row, err := one.row(name)
			if err != nil {
				return swept{}, fmt.Errorf("%s: %w", set, err)
			}
			s.rows = append(s.rows, row)
			if !all {
				s.values = append(s.values, slices.Concat(one.auc, one.least))
			}
		}
	}
	return s, nil
}

// iterations is the section of Tables 4 and 5 and Figure 6.
func iterations(a results.Archive) (string, error) {
	s, err := sweeps(a)
	if err != nil {
		return "", err
	}
	if len(s.on) == 0 {
		return "No set has values of I on both sides yet.\n\n" + s.noted(), nil
	}
	var b strings.Builder
	b.WriteString(table([]string{"set", "best I", "AUC", "worst I", "AUC", "AUC at 0", "mean rank of I > 0", "mean rank of I < 0",
		"least change of winners, I > 0", "I = 0", "I < 0", "Kendall's τ-b of change and AUC"}, s.rows))
	fmt.Fprintf(&b, "Most sets have these %d values of I: %s. Where several have the best or worst mean, all are named. The test part chooses the best of so many means, so it is too high. "+
		"The least change of winners is the smallest share of held-out bags and heads whose winning instance changes from one epoch to the next, averaged over fits and values of I.\n\n", len(s.steps), sweep{steps: s.steps}.names(places(len(s.steps))))

	names := make([]string, len(s.steps))
	var aucs [][]float64
	for i, step := range s.steps {
		names[i] = "I = " + integer(step)
	}
	for _, row := range s.values {
		aucs = append(aucs, row[:len(s.steps)])
	}
	text, err := ranked(names, "sets", s.on, aucs)
	if err != nil {
		return "", err
	}
	b.WriteString(text)
	text, err = paperClaims(s.steps, s.on, s.values)
	return b.String() + text + s.noted(), err
}

// places returns the numbers from 0 to n-1.
func places(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// row is the line of a table.
func (s sweep) row(name string) ([]string, error) {
	concentration, distraction, err := s.ranks()
	if err != nil {
		return nil, err
	}
	best, worst := extremes(s.auc, 1), extremes(s.auc, -1)
	zero := ""
	if i := slices.Index(s.steps, 0); i >= 0 {
		zero = number(s.auc[i])
	}
	row := []string{name, s.names(best), number(s.auc[best[0]]), s.names(worst), number(s.auc[worst[0]]), zero,
		fmt.Sprintf("%.1f", concentration), fmt.Sprintf("%.1f", distraction)}
	if slices.ContainsFunc(s.least, math.IsNaN) {
		return append(row, "", "", "", ""), nil
	}
	more, less, none := bySide(s.steps, s.least)
	at := ""
	if zero != "" {
		at = number(none)
	}
	tau, err := kendall(s.least, s.auc)
	return append(row, number(more), at, number(less), signedOrNone(tau)), err
}

// paperSays are what the paper says of concentration and distraction, the last two of the least changes of winners.
var paperSays = []string{
	"Distraction has the best result more often than concentration (on 80 % of sets; Table 4)",
	"Distraction has the worst result more often than concentration (on 53.3 % of sets; Table 4)",
	"Distraction has the better AUC; mean over I < 0 less that over I > 0",
	"Concentration has the better average rank (Table 5); mean rank of I < 0 less that of I > 0",
	"The winning instance changes more often under distraction (Figure 6); least change at I < 0 less that at I > 0",
	"A higher least change of winners goes with a better AUC (Figure 6); Kendall's τ-b over the values of I",
}

// paperVerdicts tests what the paper says, the first of [paperSays]. values has a row for each set: the AUC at each I, then the least
// change of winners there, NaN if it was not kept.
func paperVerdicts(steps []int, sets []string, values [][]float64) ([]verdict, error) {
	claims := paperSays
	if kept := slices.ContainsFunc(values, func(row []float64) bool { return !slices.ContainsFunc(row, math.IsNaN) }); !kept {
		claims = claims[:4]
	}
	return overSets(sets, values, func(rows [][]float64) ([]finding, error) {
		var gains, rank, transfer, together []float64 // of each set
		var sweeps []sweep
		for _, row := range rows {
			s := sweep{steps, row[:len(steps)], row[len(steps):]}
			sweeps = append(sweeps, s)
			concentration, distraction, err := s.ranks()
			if err != nil {
				return nil, err
			}
			rank = append(rank, distraction-concentration)
			concentration, distraction = s.sides(s.auc)
			gains = append(gains, distraction-concentration)
			if !slices.ContainsFunc(s.least, math.IsNaN) {
				concentration, distraction = s.sides(s.least)
				transfer = append(transfer, distraction-concentration)
				tau, err := kendall(s.least, s.auc)
				if err != nil {
					return nil, err
				}
				if !math.IsNaN(tau) {
					together = append(together, tau)
				}
			}
		}
		best, err := distractionWins(sweeps, 1, 0.8)
		if err != nil {
			return nil, err
		}
		worst, err := distractionWins(sweeps, -1, 0.533)
		if err != nil {
			return nil, err
		}
		findings := []finding{best, worst}
		for _, list := range [][]float64{gains, rank, transfer, together}[:len(claims)-2] {
			one, err := shift(list)
			if err != nil {
				return nil, err
			}
			findings = append(findings, one)
		}
		return findings, nil
	})
}

// paperClaims says what these sets say of the paper's claims.
func paperClaims(steps []int, sets []string, values [][]float64) (string, error) {
	if len(sets) < 2 {
		return fewSets + "\n\n", nil
	}
	verdicts, err := paperVerdicts(steps, sets, values)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("What the paper says, and what these sets say of it:\n\n")
	cannot := undecidable(sets, len(verdicts))
	if cannot != "" {
		fmt.Fprintf(&b, "These are estimates. No result could have decided: %s.\n\n", cannot)
	}
	var judged []string
	for _, v := range verdicts {
		judged = append(judged, []string{"No, the opposite holds", cannotTell, "Yes"}[1+v.side])
	}
	b.WriteString(verdictTable("claim", sets, paperSays, judged, verdicts))
	b.WriteString("The tests are sign tests for the first two claims and Wilcoxon's signed-rank tests for the others.")
	if len(verdicts) < len(paperSays) {
		b.WriteString(" The curves, which tell how often the winner changes, were not kept.")
	}
	return b.String() + "\n\n", nil
}

// paperCounts sums up what these sets say of the paper's claims.
func paperCounts(a results.Archive) (string, error) {
	s, err := sweeps(a)
	if err != nil || len(s.on) < 2 {
		return "", err
	}
	verdicts, err := paperVerdicts(s.steps, s.on, s.values)
	if err != nil {
		return "", err
	}
	by := make(map[int]int)
	for _, v := range verdicts {
		by[v.side]++
	}
	text := fmt.Sprintf("The paper makes %d claims about I. These sets confirm %d, contradict %d and leave %d open.", len(verdicts), by[1], by[-1], by[0])
	if cannot := undecidable(s.on, len(verdicts)); cannot != "" {
		text += " No result could have decided: " + cannot + "."
	}
	more, fewer := 0, 0 // sets on which the winner changes more and less often under distraction
	for _, row := range s.values {
		switch concentration, distraction := (sweep{steps: s.steps}).sides(row[len(s.steps):]); {
		case distraction > concentration:
			more++
		case distraction < concentration:
			fewer++
		}
	}
	if more+fewer > 0 {
		text += fmt.Sprintf(" In the paper's Figure 6 the winning instance changes more often under distraction: here on %d sets, less often on %d.", more, fewer)
	}
	return text, nil
}

// sentence makes one of a part of it.
func sentence(part string) string { return capital(part) + "." }

// capital begins a part of a sentence with a capital letter.
func capital(part string) string { return strings.ToUpper(part[:1]) + part[1:] }

// distractionWins counts the sets whose best mean (the worst, times -1) is one of distraction, and tests by their signs whether
// it is more often so than of concentration.
func distractionWins(sweeps []sweep, times, paper float64) (finding, error) {
	var share float64
	var wins, losses, zero int
	for _, s := range sweeps {
		concentration, distraction := s.shares(times)
		share += distraction
		if concentration+distraction == 0 {
			zero++
		}
		switch sign(round(distraction - concentration)) {
		case 1:
			wins++
		case -1:
			losses++
		}
	}
	share = round(share)
	low, high, err := stats.ShareInterval(share, len(sweeps), 1-alpha)
	if err != nil {
		return finding{}, err
	}
	p, err := stats.SignTest(wins, losses)
	shared := ""
	if zero > 0 {
		shared = fmt.Sprintf(", %d for I = 0", zero)
	}
	if share != math.Trunc(share) {
		shared += "; equal means share a set"
	}
	holds := "without"
	if low <= paper && paper <= high {
		holds = "with"
	}
	cell := fmt.Sprintf("%s: %.0f %% (%.0f %% to %.0f %%, %s the paper's %.4g %%); %d sets for distraction, %d for concentration%s",
		count(share, len(sweeps)), 100*share/float64(len(sweeps)), 100*low, 100*high, holds, 100*paper, wins, losses, shared)
	return finding{p, sign(float64(wins - losses)), cell, cell}, err
}

// leastChanges returns the least change of winners, by set and I.
func leastChanges(curves []results.MeanCurve) (map[string]map[int]float64, error) {
	changes := make(map[string]map[int]float64)
	for _, c := range curves {
		s, err := configOf(c.Config)
		if err != nil {
			return nil, fmt.Errorf("curves of %s: %w", c.Set, err)
		}
		if changes[c.Set] == nil {
			changes[c.Set] = make(map[int]float64)
		}
		changes[c.Set][s.Iterations] = c.Least
	}
	return changes, nil
}

package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/stats"
)

// autoLearner is the portfolio, which joins what the other learners say.
const autoLearner = "auto"

// familyOf names what a set shares bags, pages or molecules with; see docs/datasets.md.
func familyOf(set string) string {
	for family, sets := range map[string][]string{
		"musk":   {"musk1", "musk2"},
		"images": {"elephant", "fox", "tiger"},
		"birds":  {"brown-creeper", "winter-wren"},
		"corel":  {"corel-african", "corel-beach"},
	} {
		if slices.Contains(sets, set) {
			return family
		}
	}
	return strings.TrimRight(set, "0123456789")
}

// families averages rows, one a set, over the sets of each family.
func families(sets []string, rows [][]float64) (names []string, merged [][]float64) {
	of := make(map[string][][]float64)
	for i, set := range sets {
		name := familyOf(set)
		if of[name] == nil {
			names = append(names, name)
		}
		of[name] = append(of[name], rows[i])
	}
	for _, name := range names {
		var mean []float64
		for k := range rows[0] {
			mean = append(mean, round(stat.Mean(column(of[name], k), nil)))
		}
		merged = append(merged, mean)
	}
	return names, merged
}

// acrossFamilies returns the mean of differences, one a set, over families of sets, with its interval. It needs two families
// ([stats.ErrTooFew]).
func acrossFamilies(sets []string, differences []float64) (effects, error) {
	rows := make([][]float64, len(sets))
	for i, d := range differences {
		rows[i] = []float64{d}
	}
	names, merged := families(sets, rows)
	list, err := acrossSets(names, column(merged, 0))
	for i := range list {
		list[i].over = "families of sets"
	}
	return list, err
}

// learnerGrid has a line for each set and a column for each learner, whose settings inner folds choose: those that learn every set by
// their average rank over families of sets, the best first, then the others.
func learnerGrid(fits []results.Result) (grid, error) {
	t, err := tabulate(labelled(fits, false))
	if err != nil {
		return grid{}, err
	}
	g := newGrid(t.Rows, func(r results.Row) (string, string) { return r.Set, poolingOf(r) })
	slices.SortFunc(g.lines, mil.CompareNatural)
	complete, _, values := g.overFamilies()
	if len(values) == 0 {
		return g, nil
	}
	ranks, err := stats.AverageRanks(values)
	if err != nil {
		return grid{}, err
	}
	others := slices.DeleteFunc(slices.Clone(g.columns), func(c string) bool { return slices.Contains(complete, c) })
	g.columns = nil
	for _, i := range byRank(ranks) {
		g.columns = append(g.columns, complete[i])
	}
	g.columns = append(g.columns, others...)
	return g, nil
}

// overFamilies returns the columns that have every line, a set, and their means over the sets of each family.
func (g grid) overFamilies() (columns, names []string, values [][]float64) {
	columns = slices.DeleteFunc(slices.Clone(g.columns), func(c string) bool {
		return slices.ContainsFunc(g.lines, func(set string) bool { _, there := g.cells[set][c]; return !there })
	})
	if len(columns) == 0 {
		return nil, nil, nil
	}
	names, values = families(g.means(columns))
	return columns, names, values
}

// labelled returns the results of sets whose labels are shuffled, or of the others.
func labelled(fits []results.Result, shuffled bool) []results.Result {
	return slices.DeleteFunc(slices.Clone(fits), func(r results.Result) bool {
		_, suffix := changed(r.Set)
		return (suffix == shuffledSuffix) != shuffled
	})
}

// onShuffled says what learners reach where there is nothing to learn.
func onShuffled(fits []results.Result, learners []string) (string, error) {
	rows, err := pooledTable(labelled(fits, true))
	if err != nil || len(rows) == 0 {
		return "", err
	}
	g := newGrid(rows, func(r results.Row) (string, string) { return poolingOf(r), strings.TrimSuffix(r.Set, shuffledSuffix) })
	slices.SortFunc(g.lines, func(a, b string) int { return cmp.Compare(slices.Index(learners, a), slices.Index(learners, b)) })
	var above, below []string
	for _, learner := range g.lines {
		for set, r := range g.cells[learner] {
			switch {
			case r.Low == nil || r.High == nil:
			case *r.Low > 0.5:
				above = append(above, learner+" on "+set)
			case *r.High < 0.5:
				below = append(below, learner+" on "+set)
			}
		}
	}
	slices.Sort(above)
	slices.Sort(below)
	verdict := "All intervals contain 0.5."
	if len(above)+len(below) > 0 {
		verdict = fmt.Sprintf("A learner that sees the test part would have an interval above 0.5. Of %[2]d intervals these lie above 0.5: %[1]s; these below: %[3]s. One interval in twenty misses 0.5 by chance. Folds of few bags lean below 0.5, since the training part has fewer of what the test part has more of.",
			listed(above), len(rows), listed(below))
	}
	return "Sets whose labels were shuffled, where the truth is 0.5; mean and 95 % interval over shuffles:\n\n" + g.show("learner", func(r results.Row) string {
		if r.Low == nil || r.High == nil {
			return meanSD(r)
		}
		return fmt.Sprintf("%s (%s to %s, n = %d)", number(r.Mean), number(*r.Low), number(*r.High), r.N)
	}) + "\n" + verdict + "\n\n", nil
}

// learners is the section of the study of all learners.
func learners(a results.Archive) (string, error) {
	g, err := learnerGrid(a.Results)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(g.markdown("set") + "Mean AUC ± standard deviation over repeats, where there are several. Inner folds choose the settings of each learner. The model then learns from the whole training part. Learners stand in the order of their average rank.\n\n")
	if columns, names, values := g.overFamilies(); len(values) > 0 {
		text, err := ranked(columns, "families", names, values)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "Sets of one family share bags, pages or molecules ([datasets.md](datasets.md)) and are averaged first. The families are %s.", listed(names))
		if n := len(columns); n < len(g.columns) {
			fmt.Fprintf(&b, " Not every set has %s, which the ranks leave out.", listed(g.columns[n:]))
		}
		b.WriteString("\n\n" + text)
		if text, err = besideAuto(g); err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	text, err := learnerChoices(a.Results, g)
	if err != nil {
		return "", err
	}
	b.WriteString(text)
	if text, err = onShuffled(a.Results, g.columns); err != nil {
		return "", err
	}
	b.WriteString(text)
	b.WriteString("Published figures, AUC × 100 (standard deviation over 10 repeats of 10 folds), Carbonneau et al. 2018, settings chosen inside the training part, and ours (over repeats of different folds):\n\n")
	var lines [][]string
	for _, r := range carbonneau.rows {
		lines = append(lines, r.line())
	}
	b.WriteString(table(append([]string{"method"}, carbonneau.sets...), append(lines, g.ours(g.columns, carbonneau.sets)...)))
	b.WriteString(besidePublished(g))
	return b.String(), nil
}

// besidePublished says where the portfolio is above every published row, and on which sets its candidates were chosen.
func besidePublished(g grid) string {
	var above, below []string
	for k, set := range carbonneau.sets {
		r, there := g.cells[set][autoLearner]
		if !there {
			continue
		}
		best := slices.MaxFunc(carbonneau.rows, func(a, b literatureRow) int { return cmp.Compare(a.cells[k].mean, b.cells[k].mean) })
		if 100*r.Mean > best.cells[k].mean {
			above = append(above, set)
		} else {
			below = append(below, fmt.Sprintf("%s (%.1f; %s has %.1f)", set, 100*r.Mean, best.method, best.cells[k].mean))
		}
	}
	if len(above)+len(below) == 0 {
		return ""
	}
	return fmt.Sprintf("\n`auto` is above every published row on %s. It is not above the best of them on %s. Its candidates were chosen with the musk, image and web sets in view. So its figures on the other families say more about new bags.\n", listed(above), listed(below))
}

// besideAuto compares the portfolio with each learner, over families of sets.
func besideAuto(g grid) (string, error) {
	if !slices.Contains(g.columns, autoLearner) {
		return "", nil
	}
	var rows [][]string
	bayes := stats.DefaultBayesSignedRank()
	families := 0
	for _, other := range g.columns {
		if other == autoLearner {
			continue
		}
		names, a, b := g.paired(autoLearner, other)
		list, err := acrossFamilies(names, less(a, b))
		if errors.Is(err, stats.ErrTooFew) {
			return "A test over families of sets needs two of them.\n\n", nil
		}
		if err != nil {
			return "", err
		}
		e := list[0]
		families = max(families, e.n)
		a, b = overFamilies(names, a), overFamilies(names, b)
		p, err := bayes.Compare(a, b, 1)
		if err != nil {
			return "", err
		}
		rows = append(rows, []string{other, signed(e.mean), fmt.Sprintf("%s to %s", signed(e.low), signed(e.high)), fmt.Sprint(e.n), share(p.Better), share(p.Equal), share(p.Worse)})
	}
	return fmt.Sprintf("`auto` beside each learner, AUC, over families of sets: the mean difference, its 95 %% interval, and the probability that auto is better, as good, or worse (Bayesian signed-rank test, differences up to %v are as good):\n\n", bayes.Rope) +
		table([]string{"learner", "auto less it", "95 % interval", "families", "better", "as good", "worse"}, rows), nil
}

// share writes a probability.
func share(p float64) string { return fmt.Sprintf("%.2f", p) }

// paired returns the means of two columns on the sets that have both.
func (g grid) paired(a, b string) (sets []string, x, y []float64) {
	sets, rows := g.means([]string{a, b})
	return sets, column(rows, 0), column(rows, 1)
}

// overFamilies averages values, one a set.
func overFamilies(sets []string, values []float64) []float64 {
	rows := make([][]float64, len(values))
	for i, v := range values {
		rows[i] = []float64{v}
	}
	_, merged := families(sets, rows)
	return column(merged, 0)
}

// singles returns the results of single classical learners: not of what joins them, nor of networks, which have one setting each.
func singles(fits []results.Result) []results.Result {
	return slices.DeleteFunc(labelled(fits, false), func(r results.Result) bool {
		name := learnerOf(r.Config)
		return name == autoLearner || name == ""
	})
}

// learnerOf returns the name of the learner of a setting, "" of a network.
func learnerOf(setting json.RawMessage) string {
	if name, key := cv.NameOf(setting); key == cv.LearnerKey {
		return name
	}
	return ""
}

// learnerChoices says what choosing among all settings of all single learners is worth.
func learnerChoices(fits []results.Result, g grid) (string, error) {
	all, err := choicesOf(singles(fits))
	if err != nil || len(all) == 0 {
		return "", err
	}
	var rows [][]string
	var sets []string
	var drawn, hindsight, joined, tau []float64
	var joinedSets []string
	for _, c := range all {
		auto := ""
		if r, there := g.cells[c.set][autoLearner]; there {
			auto = number(r.Mean)
			joinedSets, joined = append(joinedSets, c.set), append(joined, r.Mean-c.test)
		}
		rows = append(rows, []string{c.set, fmt.Sprint(c.settings), number(c.all), number(c.test), auto, number(c.hindsight), c.best, number(c.validation), signedOrNone(c.together)})
		sets, drawn, hindsight = append(sets, c.set), append(drawn, c.test-c.all), append(hindsight, c.test-c.hindsight)
		if !math.IsNaN(c.together) {
			tau = append(tau, c.together)
		}
	}
	text := "What inner folds gain when they choose one setting of one classical learner, AUC of the test parts:\n\n" +
		table([]string{"set", "settings", "one drawn at random", "chosen", "auto joins several", "best in hindsight", "which", "chosen, inner folds", "τ-b in a fold"}, rows)
	says := func(sets []string, values []float64) (string, error) {
		list, err := acrossFamilies(sets, values)
		if errors.Is(err, stats.ErrTooFew) {
			return signed(stat.Mean(values, nil)), nil
		}
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%s (95 %% interval %s)", signed(list[0].mean), list[0].interval()), nil
	}
	random, err := says(sets, drawn)
	if err != nil {
		return "", err
	}
	best, err := says(sets, hindsight)
	if err != nil {
		return "", err
	}
	text += "A chosen setting less one drawn at random: " + random + ". A chosen setting less the best in hindsight, which nobody can know: " + best + "."
	if len(joined) > 0 {
		more, err := says(joinedSets, joined)
		if err != nil {
			return "", err
		}
		text += " Joining several less choosing one: " + more + "."
	}
	if len(tau) > 0 {
		text += fmt.Sprintf(" The order of settings on inner folds agrees with that on the test part with a τ-b of %s, averaged over folds.", signed(stat.Mean(tau, nil)))
	}
	return text + "\n\n", nil
}

// bestLearner says whether the learner with the best average rank is ahead of all others, over families of sets. The estimate is its
// lead over the second.
func bestLearner(a results.Archive) (answer, error) {
	g, err := learnerGrid(a.Results)
	if err != nil {
		return answer{}, err
	}
	if len(g.columns) < 2 {
		return answer{}, errIncomplete
	}
	first := g.columns[0]
	var said answer
	by := make(map[direction][]string) // the others, by what the first is beside them
	for k, other := range g.columns[1:] {
		sets, x, y := g.paired(first, other)
		list, err := acrossFamilies(sets, less(x, y))
		if err != nil {
			return answer{}, err
		}
		if k == 0 {
			said = list.answer()
			said.of = fmt.Sprintf("`%s` less `%s`, the first two by rank", first, other)
		}
		by[list.direction()] = append(by[list.direction()], other)
	}
	of := len(g.columns) - 1
	said.verdict = cannotTell
	switch {
	case len(by[higher]) == of:
		said.verdict = "Yes, " + first
	case len(by[same]) == of:
		said.verdict = noDifference
	}
	complete, _, _ := g.overFamilies()
	beside := []string{fmt.Sprintf("`%s` has the best average rank of the %d learners that ran on every set", first, len(complete))}
	for _, part := range []struct {
		side  direction
		says  string
		named bool
	}{{higher, "ahead of", false}, {same, "no different from", true}, {lower, "behind", true}} {
		switch names := by[part.side]; {
		case len(names) == 0:
		case part.named:
			beside = append(beside, fmt.Sprintf("it is %s %s", part.says, listed(names)))
		default:
			beside = append(beside, fmt.Sprintf("by its intervals it is %s %d of the %d others", part.says, len(names), of))
		}
	}
	if names := by[unclear]; len(names) > 0 {
		beside = append(beside, "these cannot be told apart from it: "+listed(names))
	}
	said.more = join(strings.Join(beside, "; ")+".", said.more)
	return said, nil
}

// choosingInsideHelps says what choosing by inner folds is worth over a setting drawn at random.
func choosingInsideHelps(a results.Archive) (answer, error) {
	all, err := choicesOf(singles(a.Results))
	if err != nil {
		return answer{}, err
	}
	sets, rows := all.worth()
	return answered(acrossFamilies(sets, column(rows, 0)))
}

// joiningHelps says what auto is worth over the one setting that inner folds choose.
func joiningHelps(a results.Archive) (answer, error) {
	g, err := learnerGrid(a.Results)
	if err != nil {
		return answer{}, err
	}
	all, err := choicesOf(singles(a.Results))
	if err != nil {
		return answer{}, err
	}
	var sets []string
	var gains []float64
	for _, c := range all {
		if r, there := g.cells[c.set][autoLearner]; there {
			sets, gains = append(sets, c.set), append(gains, r.Mean-c.test)
		}
	}
	return answered(acrossFamilies(sets, gains))
}

package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/stats"
	"synpool/plotting"
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

// learnerStudy is the experiment learners: a line for each set and a column for each learner, whose settings inner folds choose. Those
// that learn every set stand in the order of their average rank over families of sets, the best first, then the others.
type learnerStudy struct {
	literary
	complete []string      // learners that ran on every set
	Families []string      // of sets
	values   [][]float64   // the means of complete learners over the sets of each family
	shuffled []results.Row // of sets whose labels are shuffled
}

func newLearners(a results.Archive) learnerStudy {
	isShuffled := func(r results.Result) bool { _, suffix := changed(r.Set); return suffix == shuffledSuffix }
	fits := without(a.Results, isShuffled)
	g := newGrid(tabulate(fits).Rows, func(r results.Row) (string, string) { return r.Set, poolingOf(r) })
	need(len(g.lines) > 0)
	slices.SortFunc(g.lines, mil.CompareNatural)
	if complete, _, values := g.overFamilies(); len(values) > 0 {
		others := without(g.columns, func(c string) bool { return slices.Contains(complete, c) })
		g.columns = nil
		for _, i := range byRank(averageRanks(values)) {
			g.columns = append(g.columns, complete[i])
		}
		g.columns = append(g.columns, others...)
	}
	s := learnerStudy{literary: literary{grid: g, shown: g.columns}}
	s.complete, s.Families, s.values = g.overFamilies()
	// Single classical learners: not what joins them, nor networks, which have one setting each.
	s.Choices = choicesOf(of(fits, func(c config) bool { return c.Learner != "" && c.Learner != autoLearner }))
	if of := without(a.Results, func(r results.Result) bool { return !isShuffled(r) }); len(of) > 0 {
		s.shuffled = pooledTable(of)
	}
	return s
}

// overFamilies returns the columns that have every line, a set, and their means over the sets of each family.
func (g grid) overFamilies() (columns, names []string, values [][]float64) {
	columns = without(g.columns, func(c string) bool {
		return slices.ContainsFunc(g.lines, func(set string) bool { _, there := g.cells[set][c]; return !there })
	})
	if len(columns) == 0 {
		return nil, nil, nil
	}
	sets, rows := g.means(columns...)
	names, values = merge(sets, rows, familyOf)
	return columns, names, values
}

// Left are the learners that not every set has.
func (s learnerStudy) Left() []string { return s.columns[len(s.complete):] }

// Ranks ranks the learners that learn every set.
func (s learnerStudy) Ranks() ranking { return rank(s.complete, s.values) }

// OnShuffled says what learners reach where there is nothing to learn.
func (s learnerStudy) OnShuffled() string {
	g := newGrid(s.shuffled, func(r results.Row) (string, string) { return poolingOf(r), strings.TrimSuffix(r.Set, shuffledSuffix) })
	slices.SortFunc(g.lines, func(a, b string) int { return cmp.Compare(slices.Index(s.columns, a), slices.Index(s.columns, b)) })
	return g.show("learner", func(r results.Row) string {
		if r.Low == nil {
			return meanSD(r)
		}
		return fmt.Sprintf("%s, n = %d)", strings.TrimSuffix(meanInterval(r), ")"), r.N)
	})
}

// Shuffled counts the learners on sets with shuffled labels, and Misses names those whose interval lies above 0.5 (side 1) or below (-1).
func (s learnerStudy) Shuffled() int { return len(s.shuffled) }

func (s learnerStudy) Misses(side int) string {
	var names []string
	for _, r := range s.shuffled {
		if rowBeside(r, 0.5) == side {
			names = append(names, poolingOf(r)+" on "+strings.TrimSuffix(r.Set, shuffledSuffix))
		}
	}
	slices.Sort(names)
	return listed(names)
}

// lead returns the lead of a column over another, over families of sets.
func (g grid) lead(first, other string) effect {
	sets, x, y := g.paired(first, other)
	return acrossFamilies(sets, less(x, y))
}

// besideAuto compares the portfolio with a learner, over families of sets.
type besideAuto struct {
	Name string
	effect
	stats.Posterior
}

// BesideAuto compares the portfolio with each learner.
func (s learnerStudy) BesideAuto() (list []besideAuto) {
	for _, other := range without(s.columns, func(c string) bool { return c == autoLearner }) {
		sets, values := s.means(autoLearner, other)
		_, merged := merge(sets, values, familyOf)
		p := must(stats.DefaultBayesSignedRank().Compare(column(merged, 0), column(merged, 1), 1))
		list = append(list, besideAuto{other, s.lead(autoLearner, other), p})
	}
	return list
}

// Worth is what a chosen setting is worth over one drawn at random, and InHindsight over the best in hindsight.
func (s learnerStudy) Worth() effect { return s.Choices.Worth() }

func (s learnerStudy) InHindsight() effect {
	return acrossFamilies(s.Choices.gains(choice.inHindsight))
}

// Joining is what auto is worth over the one setting that inner folds choose.
func (s learnerStudy) Joining() effect {
	var sets []string
	var gains []float64
	for _, c := range s.Choices {
		if r, there := s.cells[c.Set][autoLearner]; there {
			sets, gains = append(sets, c.Set), append(gains, r.Mean-c.Test)
		}
	}
	return acrossFamilies(sets, gains)
}

// standing is how the method with the best average rank does beside the others, over families of sets.
type standing struct {
	First         string
	Complete      int      // methods that ran on every set
	Others, Ahead int      // all but the first, and those that it is ahead of
	Unclear, Rest []string // those that cannot be told apart from it, and those that are no different, or ahead
	answer                 // whether it is ahead of all others; the estimate is its lead over the second
}

// standing compares the first of methods, in the order of their ranks, with the others. It needs two.
func (g grid) standing(methods []string) standing {
	need(len(methods) > 1)
	by := make(map[direction][]string) // the others, by what the first is beside them
	var leads []effect
	for _, other := range methods[1:] {
		lead := g.lead(methods[0], other)
		leads, by[lead.direction()] = append(leads, lead), append(by[lead.direction()], other)
	}
	s := standing{First: methods[0], Others: len(leads), Ahead: len(by[higher]), Unclear: by[unclear], Rest: append(by[same], by[lower]...), answer: leads[0].answer()}
	complete, _, _ := g.overFamilies()
	s.Complete = len(complete)
	s.Verdict, s.of = cannotTell, fmt.Sprintf("`%s` less `%s`, the first two by rank", methods[0], methods[1])
	switch s.Others {
	case s.Ahead:
		s.Verdict = "Yes, " + s.First
	case len(by[same]):
		s.Verdict = noDifference
	}
	return s
}

// Standing is that of the learner with the best average rank.
func (s learnerStudy) Standing() standing { return s.standing(s.columns) }

// bestLearner says whether the learner with the best average rank is ahead of all others.
func bestLearner(s learnerStudy) answer { return s.Standing().answer }

// choosingInsideHelps says what choosing by inner folds is worth over a setting drawn at random.
func choosingInsideHelps(s learnerStudy) answer {
	return s.Worth().answer()
}

// joiningHelps says what auto is worth over the one setting that inner folds choose.
func joiningHelps(s learnerStudy) answer { return s.Joining().answer() }

// learnersMap draws the AUC of every learner on every set, or with the Web sets averaged into one.
func learnersMap(merged bool) func(learnerStudy) *plotting.Figure {
	return func(s learnerStudy) *plotting.Figure {
		sets, auc := s.lines, s.aucs()
		if merged {
			sets, auc = mergeWeb(sets, auc)
		}
		need(len(sets) > 0)
		return must(plotting.AUCTable("AUC of every learner; inner folds choose its settings", sets, s.columns, auc))
	}
}

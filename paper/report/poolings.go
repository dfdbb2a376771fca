package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/stats"
	"synpool/paper"
)

// The columns of what the validation parts choose among several poolings.
const (
	anyModel    = "any"         // among all
	anyNetwork  = "any network" // but the classifier of instances
	anyEnsemble = "ensemble"    // among ensembles of networks
)

// instancePooling is the pooling of the classifier of instances.
const instancePooling = "instance"

func poolingOf(r results.Row) string {
	name, _, _ := strings.Cut(r.Setting, " ")
	return name
}

// poolingGrid has a line for each set and a column for each pooling and for what is chosen among several.
func poolingGrid(fits []results.Result) (grid, error) {
	fits = models(fits)
	t, err := tabulate(fits)
	if err != nil {
		return grid{}, err
	}
	g := newGrid(t.Rows, func(r results.Row) (string, string) { return r.Set, poolingOf(r) })
	for _, of := range []struct {
		column string
		is     func(config) bool
	}{
		{anyNetwork, func(c config) bool { return c.Pooling != instancePooling }},
		{anyModel, func(config) bool { return true }},
	} {
		if err := g.addBest(only(fits, of.is), of.column); err != nil {
			return grid{}, err
		}
	}
	slices.SortFunc(g.lines, mil.CompareNatural)
	return g, nil
}

// addBest adds a column of what the validation parts choose among all settings.
func (g *grid) addBest(fits []results.Result, column string) error {
	t, err := tabulateBest(fits)
	if err != nil {
		return err
	}
	g.add(t.Rows, func(r results.Row) (string, string) { return r.Set, column })
	return nil
}

// models returns the results of single models. Folders of earlier versions have ensembles among them.
func models(fits []results.Result) []results.Result {
	return only(fits, func(c config) bool { return c.Members == 0 })
}

// only returns the results of some settings.
func only(fits []results.Result, is func(config) bool) []results.Result {
	return slices.DeleteFunc(slices.Clone(fits), func(r results.Result) bool {
		c, err := configOf(r.Config)
		return err == nil && !is(c)
	})
}

// single returns the columns of single poolings.
func (g grid) single() []string {
	return slices.DeleteFunc(slices.Clone(g.columns), func(n string) bool { return n == anyModel || n == anyNetwork })
}

// poolings is the section of Tables 1 and 2.
func poolings(a results.Archive) (string, error) {
	a.Results = models(a.Results)
	g, err := poolingGrid(a.Results)
	if err != nil {
		return "", err
	}
	form, _, err := paper.FormOf(results.Archive{Experiment: "poolings", Results: a.Results})
	if err != nil {
		return "", err
	}
	shown := g
	shown.lines = slices.Clone(g.lines)
	for _, set := range form.Sets() {
		switch {
		case g.cells[set] != nil:
		case slices.ContainsFunc(a.Results, func(r results.Result) bool { return r.Set == set }):
			shown.lines = append(shown.lines, set+" (not complete)")
		default:
			shown.lines = append(shown.lines, set+" (not run: `milbench data fetch "+set+"`)")
		}
	}
	var b strings.Builder
	b.WriteString(shown.show("set", meanSDSE))
	b.WriteString("Mean ± standard deviation over repeats. In brackets stands the standard error of one repeat's AUC over bags (DeLong's). Columns are poolings. \"instance\" is the classifier of instances with a maximum. " +
		"\"any network\" is what the validation parts choose among all settings of all networks. \"any\" also has the classifier of instances to choose from.\n\n")

	single := g.single()
	sets, values := g.means(single)
	wins := make([]float64, len(single))
	for _, row := range values {
		best := extremes(row, 1)
		for _, i := range best {
			wins[i] += 1 / float64(len(best))
		}
	}
	text, err := ranked(single, "sets", sets, values)
	if err != nil {
		return "", err
	}
	b.WriteString(text)
	var won []string
	for i, name := range single {
		if wins[i] > 0 {
			won = append(won, fmt.Sprintf("%s on %s", name, count(round(wins[i]), len(values))))
		}
	}
	if len(won) > 0 {
		fmt.Fprintf(&b, "The best mean is that of %s sets. Equal means share a place.\n\n", listed(won))
	}

	text, err = chosenSettings(a.Results, g)
	if err != nil {
		return "", err
	}
	b.WriteString(text)
	choices, err := choicesOf(a.Results)
	if err != nil {
		return "", err
	}
	if text, err = choices.table(); err != nil {
		return "", err
	}
	b.WriteString(text)
	b.WriteString(besideLiterature(g, choices))
	return b.String(), nil
}

// bestPooling says whether one pooling is ahead of all others, whose settings and epochs validation parts choose. The estimate
// is the lead of the first by rank over the second.
func bestPooling(a results.Archive) (answer, error) {
	g, err := poolingGrid(a.Results)
	if err != nil {
		return answer{}, err
	}
	methods := g.single()
	sets, values := g.means(methods)
	if len(methods) < 2 || len(sets) < 2 {
		return answer{}, errIncomplete
	}
	ranks, err := stats.AverageRanks(values)
	if err != nil {
		return answer{}, err
	}
	order := byRank(ranks)
	alike := true // whether no two poolings differ by what matters
	var lead effects
	for k, i := range order {
		for _, j := range order[k+1:] {
			e, err := acrossSets(sets, less(column(values, i), column(values, j)))
			if err != nil {
				return answer{}, err
			}
			alike = alike && e.direction() == same
			if lead == nil {
				lead = e
			}
		}
	}
	said := lead.answer()
	first, second := order[0], order[1]
	said.of = fmt.Sprintf("`%s` less `%s`, the first two by rank", methods[first], methods[second])
	if alike {
		said.verdict = noDifference
		said.more = join(said.more, "That holds for any two poolings.")
		return said, nil
	}
	all, once, err := rankings(methods, sets, values)
	if err != nil {
		return answer{}, err
	}
	ahead := slices.DeleteFunc(slices.Clone(order[1:]), func(j int) bool { return !all.ahead(first, j) || !once.ahead(first, j) })
	var names []string
	for _, j := range ahead {
		names = append(names, "`"+methods[j]+"`")
	}
	p := "Friedman's test: " + pValue(all.test.FP)
	if once.sets < all.sets {
		p += ", with Web as one set " + pValue(once.test.FP)
	}
	if !strings.HasPrefix(said.verdict, cannotTell) {
		said.verdict = cannotTell + " (the ranks do not show it)"
	}
	beside := fmt.Sprintf("`%s` has the best average rank (%s).", methods[first], p)
	switch {
	case len(ahead) == len(order)-1:
		said.verdict = "Yes, " + methods[first]
	case len(ahead) > 0:
		beside += " It is ahead of " + listed(names) + " alone."
	default:
		beside += " The ranks do not show that it is ahead of any other."
	}
	said.more = join(beside, said.more)
	return said, nil
}

// networksBeatInstances compares what validation parts choose among all networks and among the instance classifiers.
func networksBeatInstances(a results.Archive) (answer, error) {
	g, err := poolingGrid(a.Results)
	if err != nil {
		return answer{}, err
	}
	sets, values := g.means([]string{anyNetwork, instancePooling})
	return answered(acrossSets(sets, less(column(values, 0), column(values, 1))))
}

// meanSDSE is the cell of a row with its standard error.
func meanSDSE(r results.Row) string {
	if r.N == 0 || r.SE == nil {
		return meanSD(r)
	}
	return meanSD(r) + " (" + number(*r.SE) + ")"
}

// chosenSettings has a line for each pooling: how many settings it has, and which the validation parts chose most often.
func chosenSettings(fits []results.Result, g grid) (string, error) {
	tried := make(map[string][]map[string]any) // settings, by pooling
	seen := make(map[string]bool)
	for _, r := range fits {
		c, err := configOf(r.Config)
		if err != nil {
			return "", fmt.Errorf("%s: %w", r.Set, err)
		}
		if seen[string(r.Config)] {
			continue
		}
		seen[string(r.Config)] = true
		var values map[string]any
		if err := json.Unmarshal(r.Config, &values); err != nil {
			return "", err
		}
		tried[c.Pooling] = append(tried[c.Pooling], values)
	}
	var rows [][]string
	var budget []string
	for _, pooling := range g.single() {
		all := tried[pooling]
		budget = append(budget, fmt.Sprintf("%s %d", pooling, len(all)))
		chosenIn := make(map[string]int) // how many fits, by setting
		total := 0
		for _, set := range g.lines {
			r, there := g.cells[set][pooling]
			if !there {
				continue
			}
			chosen := r.Chosen
			if len(chosen) == 0 && r.Config != nil {
				chosen = []results.Chosen{{Config: r.Config, Fits: r.N * r.FoldsRun}}
			}
			for _, c := range chosen {
				var values map[string]any
				if err := json.Unmarshal(c.Config, &values); err != nil {
					return "", err
				}
				chosenIn[settingText(values, all)] += c.Fits
				total += c.Fits
			}
		}
		most, n := []string(nil), 0
		for _, text := range slices.Sorted(maps.Keys(chosenIn)) {
			switch {
			case chosenIn[text] > n:
				most, n = []string{text}, chosenIn[text]
			case chosenIn[text] == n:
				most = append(most, text)
			}
		}
		rows = append(rows, []string{pooling, fmt.Sprint(len(all)), strings.Join(most, "; "), count(float64(n), total)})
	}
	return "The settings that the validation parts chose most often (Table 2):\n\n" + table([]string{"pooling", "settings tried", "most often chosen", "folds"}, rows) +
		"Budgets differ: " + listed(budget) + " settings. Every fit learns from four fifths of the training part" + learnt(fits) + ". The other fifth chooses. Nothing is refitted on both.\n\n", nil
}

// learnt says for each number of folds that sets were cut into from which share of the bags a fit learns, four fifths of the
// training part; "" where there are official splits alone.
func learnt(fits []results.Result) string {
	var folds []int
	for _, r := range fits {
		if r.Folds > 1 && !slices.Contains(folds, r.Folds) {
			folds = append(folds, r.Folds)
		}
	}
	if len(folds) == 0 {
		return ""
	}
	slices.Sort(folds)
	var shares []string
	for _, n := range folds {
		shares = append(shares, fmt.Sprintf("with %d folds from %.0f %%", n, 80*(1-1/float64(n))))
	}
	return " (" + listed(shares) + " of the bags)"
}

// settingText names a setting by what differs among those that were tried.
func settingText(values map[string]any, all []map[string]any) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if slices.ContainsFunc(all, func(o map[string]any) bool { return fmt.Sprint(o[key]) != fmt.Sprint(values[key]) }) {
			name := key
			if key == "iterations" {
				name = "I"
			}
			value := fmt.Sprint(values[key])
			if _, isText := values[key].(string); !isText {
				value = minus(value)
			}
			parts = append(parts, name+" = "+value)
		}
	}
	if len(parts) == 0 {
		return "the only one"
	}
	return strings.Join(parts, ", ")
}

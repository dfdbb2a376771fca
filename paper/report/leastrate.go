package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"synpool/milbench/results"
)

// leastRate says from which witness rate on settings find what tells: the estimate is that of the best one, which stands between
// the largest rate whose interval lies under [found] and the least from which on all lie above it.
func leastRate(a results.Archive) (answer, error) {
	g, err := witnessGrid(a.Results)
	if err != nil {
		return answer{}, err
	}
	if len(g.columns) == 0 || slices.ContainsFunc(g.lines, func(line string) bool {
		return slices.ContainsFunc(g.columns, func(column string) bool { return g.cells[line][column].Low == nil })
	}) {
		return answer{}, errIncomplete
	}
	best := ""
	at := len(g.columns)
	for _, line := range g.lines {
		own := slices.Index(g.columns, g.from(line, finds))
		if own >= 0 && (own < at || own == at && g.cells[line][g.columns[own]].Mean > g.cells[best][g.columns[own]].Mean) {
			best, at = line, own
		}
	}
	if best == "" {
		return answer{verdict: "More than " + g.columns[len(g.columns)-1], estimate: "above " + g.columns[len(g.columns)-1], more: "None of these rates is enough."}, nil
	}
	under, over := "", "no upper limit"
	for _, column := range g.columns {
		if *g.cells[best][column].High < found {
			under = "above " + column + ", "
		}
	}
	if rate := g.from(best, func(r results.Row) bool { return *r.Low >= found }); rate != "" {
		over = "at most " + rate
	}
	return answer{
		verdict:  fmt.Sprintf("%s (%s)", g.columns[at], best),
		estimate: g.columns[at],
		of:       "share of instances, best pooling",
		interval: fmt.Sprintf("%s%s, %d drawings", under, over, g.cells[best][g.columns[at]].N),
		more:     g.needed(),
	}, nil
}

// needed says in words which rates are enough for which poolings, from the least on; the settings of Syn at one scale together.
func (g grid) needed() string {
	rates := append(slices.Clone(g.columns), "") // the last stands for none of them
	reach := make(map[string][]int)              // places among the rates, by pooling
	var poolings []string
	for _, line := range g.lines {
		name := line
		if _, scale, syn := strings.Cut(line, ", "); syn {
			name = "Syn with " + scale
		}
		if reach[name] == nil {
			poolings = append(poolings, name)
		}
		reach[name] = append(reach[name], slices.Index(rates, g.from(line, finds)))
	}
	slices.SortStableFunc(poolings, func(x, y string) int { return cmp.Compare(slices.Min(reach[x]), slices.Min(reach[y])) })
	var order []string
	names := make(map[string][]string) // poolings, by what they need
	for _, name := range poolings {
		low, high := rates[slices.Min(reach[name])], rates[slices.Max(reach[name])]
		text := low
		switch {
		case low == "":
			text = "more than " + g.columns[len(g.columns)-1]
		case high == "":
			text += " or more"
		case low != high:
			text += " to " + high
		}
		if names[text] == nil {
			order = append(order, text)
		}
		names[text] = append(names[text], name)
	}
	verdict := "A rate of " + order[0] + " is enough for " + listed(names[order[0]]) + "."
	for _, text := range order[1:] {
		verb := " needs "
		if len(names[text]) > 1 {
			verb = " need "
		}
		verdict += " " + capital(listed(names[text])) + verb + text + "."
	}
	return verdict
}

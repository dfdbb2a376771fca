package report

import (
	"fmt"
	"strings"

	"synpool/milbench"
	"synpool/milbench/study"
)

// What a changed set's name has after its own.
const (
	leakSuffix     = "+leak"
	shuffledSuffix = "-shuffled"
)

// changed returns the name of a set and what it was changed by.
func changed(name string) (set, suffix string) {
	if set, found := strings.CutSuffix(name, leakSuffix); found {
		return set, leakSuffix
	}
	if set, _, found := strings.Cut(name, shuffledSuffix); found {
		return set, shuffledSuffix
	}
	return name, ""
}

// published is the section on what each step from the honest protocol to the published one is worth.
func published(a study.Archive) (string, error) {
	type step struct {
		name, protocol, suffix string
	}
	steps := []step{
		{"honest", milbench.HonestProtocol, ""},
		{"best test epoch", milbench.BestEpochProtocol, ""},
		{"and one fold (published)", milbench.PublishedProtocol, ""},
		{"and the leak", milbench.PublishedProtocol, leakSuffix},
		{"honest with the leak", milbench.HonestProtocol, leakSuffix},
	}
	control := []step{
		{"honest", milbench.HonestProtocol, shuffledSuffix},
		{"best test epoch", milbench.BestEpochProtocol, shuffledSuffix},
		{"published", milbench.PublishedProtocol, shuffledSuffix},
	}
	all, err := study.Tabulate(a.Results)
	if err != nil {
		return "", err
	}
	var keys []string // set and setting
	cells := make(map[string]map[step]study.Row)
	for _, r := range all.Rows {
		set, suffix := changed(r.Set)
		key := set + ", " + label(r)
		if cells[key] == nil {
			cells[key] = make(map[step]study.Row)
			keys = append(keys, key)
		}
		for _, s := range append(steps, control...) {
			if s.protocol == r.Protocol && s.suffix == suffix {
				cells[key][s] = r
			}
		}
	}
	var b strings.Builder
	mean := func(list []step) []float64 {
		means := make([]float64, len(list))
		n := 0.0
		for _, key := range keys {
			if len(cells[key]) < len(steps)+len(control) {
				continue
			}
			n++
			for i, s := range list {
				means[i] += cells[key][s].AUCMean
			}
		}
		for i := range means {
			means[i] /= n
		}
		return means
	}
	write := func(list []step) {
		head := []string{"set, setting"}
		for _, s := range list {
			head = append(head, s.name)
		}
		var rows [][]string
		for _, key := range keys {
			row := []string{key}
			for _, s := range list {
				row = append(row, meanSD(cells[key][s]))
			}
			rows = append(rows, row)
		}
		last := []string{"mean"}
		for _, m := range mean(list) {
			last = append(last, number(m))
		}
		b.WriteString(table(head, append(rows, last)))
	}
	write(steps)
	m := mean(steps)
	fmt.Fprintf(&b, "On average the best test epoch adds %s, one fold instead of all %s, and the leaked column %s more. ", signed(m[1]-m[0]), signed(m[2]-m[1]), signed(m[3]-m[2]))
	loop := 0.0
	n := 0.0
	for _, key := range keys {
		set, setting, _ := strings.Cut(key, ", ")
		other, ok := cells[set+", softmax"]
		if strings.HasPrefix(setting, "syn") && ok {
			loop += cells[key][steps[0]].AUCMean - other[steps[0]].AUCMean
			n++
		}
	}
	if n > 0 {
		fmt.Fprintf(&b, "The loop that never ran is softmax attention; had its 20 inverse steps run, the honest figure would differ by %s on average.\n\n", signed(loop/n))
	}
	b.WriteString("The control: the same on sets whose labels were shuffled, where there is nothing to learn and 0.5 is the truth.\n\n")
	write(control)
	c := mean(control)
	fmt.Fprintf(&b, "The honest protocol reports %s there, the best test epoch %s and the published protocol %s.\n", number(c[0]), number(c[1]), number(c[2]))
	return b.String(), nil
}

package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/plotting"
)

// step is a way to a figure: a setting under a protocol on a set with a change.
type step struct{ name, setting, protocol, suffix string }

// key is the column of a step in a grid.
func (s step) key() string { return strings.Join([]string{s.setting, s.protocol, s.suffix}, "|") }

// stepsOf are the steps from the honest protocol to the published one.
func stepsOf(setting string) []step {
	return []step{
		{"honest", setting, cv.HonestProtocol, ""},
		{"best test epoch", setting, cv.BestEpochProtocol, ""},
		{"one fold", setting, cv.PublishedProtocol, ""},
		{"leak", setting, cv.PublishedProtocol, leakSuffix},
	}
}

var (
	// described is the setting of the paper whose loop never ran, so that softmax ran in its place.
	described = step{"Syn, I = −20, honest", "syn I = −20", cv.HonestProtocol, ""}
	// softmaxSteps are those of the program that ran, from what its paper describes on.
	softmaxSteps = slices.Concat([]step{described}, stepsOf("softmax"))
	// leaked is the honest protocol on the files that held the label.
	leaked = step{"honest with the leak", "softmax", cv.HonestProtocol, leakSuffix}
)

// publishedStudy is the experiment published: a line for each set and a column for each step, of every setting.
type publishedStudy struct {
	grid
	fits   []results.Result
	single []results.Row // of each shuffle of labels
	rows   []results.Row // with these together
}

func newPublished(a results.Archive) publishedStudy {
	s := publishedStudy{fits: a.Results, single: tabulate(a.Results).Rows}
	s.rows = pooled(s.single)
	s.grid = newGrid(s.rows, func(r results.Row) (line, column string) {
		set, suffix := changed(r.Set)
		return set, step{setting: label(r), protocol: r.Protocol, suffix: suffix}.key()
	})
	return s
}

// sets returns the sets, the Web sets last.
func (s publishedStudy) sets() []string {
	return slices.Concat(group(denseGroup, s.lines), group(webGroup, s.lines))
}

// steps has a line for each set and a column for each of some steps, on sets with a change.
func (s publishedStudy) steps(list []step, suffix string) grid {
	g := newGrid(nil, nil)
	for _, one := range list {
		for _, set := range s.sets() {
			at := one
			at.suffix += suffix
			if r, there := s.cells[set][at.key()]; there {
				g.add([]results.Row{r}, func(results.Row) (string, string) { return set, one.name })
			}
		}
	}
	return g
}

// Steps has the figures of softmax at each step.
func (s publishedStudy) Steps() string {
	list := append(slices.Clone(softmaxSteps), leaked)
	list[1].name = "the loop is empty: softmax, honest"
	return s.steps(list, "").Table("set")
}

// gain returns the mean over the sets of a group of what a step adds to the one before, and on how many sets both are there.
func (s publishedStudy) gain(of string, from, to step) (gain float64, n int) {
	var differences []float64
	for _, set := range group(of, s.lines) {
		a, first := s.cells[set][from.key()]
		b, second := s.cells[set][to.key()]
		if first && second {
			differences = append(differences, b.Mean-a.Mean)
		}
	}
	return mean(differences), len(differences)
}

// Adds says what the k-th step of softmax adds on a group of sets.
func (s publishedStudy) Adds(of string, k int) string {
	d, n := s.gain(of, softmaxSteps[k-1], softmaxSteps[k])
	need(n > 0)
	return fmt.Sprintf("%s (n = %d)", signed(d), n)
}

// ByPooling says what each step adds, by pooling.
func (s publishedStudy) ByPooling() string {
	var rows [][]string
	var poolings []string
	for _, column := range s.columns {
		pooling, _, _ := strings.Cut(column, "|")
		if slices.Contains(poolings, pooling) {
			continue
		}
		poolings = append(poolings, pooling)
		row := []string{pooling}
		steps := stepsOf(pooling)
		for i, to := range steps[1:] {
			for _, of := range []string{denseGroup, webGroup} {
				if to.suffix != leakSuffix || of == webGroup {
					d, _ := s.gain(of, steps[i], to)
					row = append(row, signed(d))
				}
			}
		}
		rows = append(rows, row)
	}
	return table([]string{"pooling", "best test epoch", "the same, Web", "one fold", "the same, Web", "leak, Web"}, rows)
}

// repeats returns the AUC of each complete repeat of a step, by set.
func (s publishedStudy) repeats(of step) map[string]map[fold]float64 {
	f := newFigures(without(s.fits, func(r results.Result) bool {
		_, suffix := changed(r.Set)
		return configOf(r).label() != of.setting || r.Protocol != of.protocol || suffix != of.suffix
	}), config.label)
	aucs := make(map[string]map[fold]float64)
	for _, name := range f.sets {
		set, _ := changed(name)
		aucs[set] = make(map[fold]float64)
		folds := make(map[fold][]float64)
		for i, key := range f.keys[name] {
			key.fold = 0
			folds[key] = append(folds[key], f.folds[name][of.setting][i])
		}
		for key, values := range folds {
			aucs[set][key] = mean(values)
		}
	}
	return aucs
}

// pairs returns the repeats that a set has before and after a step, in order, and their AUCs.
func pairs(from, to map[fold]float64) (repeats []fold, before, after []float64) {
	for _, repeat := range slices.SortedFunc(maps.Keys(from), fold.compare) {
		if auc, both := to[repeat]; both {
			repeats, before, after = append(repeats, repeat), append(before, from[repeat]), append(after, auc)
		}
	}
	return repeats, before, after
}

// adds says what a step from one protocol to the next adds for softmax: over families of sets, or on a group of few families over the
// repeats that all of its sets have.
func (s publishedStudy) adds(of string, from, to step) effect {
	before, after := s.repeats(from), s.repeats(to)
	var sets []string
	var rows [][]float64
	var means []float64
	for _, set := range group(of, slices.SortedFunc(maps.Keys(before), mil.CompareNatural)) {
		if repeats, x, y := pairs(before[set], after[set]); len(repeats) > 0 {
			gains := less(y, x)
			sets, rows, means = append(sets, set), append(rows, gains), append(means, mean(gains))
		}
	}
	if of == allGroup {
		return acrossFamilies(sets, means)
	}
	need(!slices.ContainsFunc(rows, func(row []float64) bool { return len(row) != len(rows[0]) }))
	return acrossRepeats(rows)
}

// stepAdds answers what the k-th step of softmax adds on a group of sets.
func stepAdds(of string, k int) func(publishedStudy) answer {
	return func(s publishedStudy) answer {
		return s.adds(of, softmaxSteps[k-1], softmaxSteps[k]).answer()
	}
}

// shownSteps are the steps whose changes are shown set by set.
var shownSteps = []struct {
	name, of string
	from, to step
}{
	{"the empty loop", allGroup, softmaxSteps[0], softmaxSteps[1]},
	{"best test epoch", allGroup, softmaxSteps[1], softmaxSteps[2]},
	{"one fold", allGroup, softmaxSteps[2], softmaxSteps[3]},
	{"leak", webGroup, softmaxSteps[3], softmaxSteps[4]},
	{"leak, honest protocol", webGroup, softmaxSteps[1], leaked},
}

// ChangesTable is a table of what the steps change on each set, with intervals over repeats.
func (s publishedStudy) ChangesTable() string {
	head, rows := []string{"set"}, make(map[string][]string)
	for _, set := range s.sets() {
		rows[set] = []string{set}
	}
	for _, one := range shownSteps {
		head = append(head, one.name)
		from, to := s.repeats(one.from), s.repeats(one.to)
		for _, set := range s.sets() {
			cell := ""
			if len(group(one.of, []string{set})) > 0 {
				if repeats, before, after := pairs(from[set], to[set]); len(repeats) > 1 {
					gain := newEffect(less(after, before), "repeats")
					cell = fmt.Sprintf("%s (%s)", gain.Mean(), gain.Range())
				}
			}
			rows[set] = append(rows[set], cell)
		}
	}
	var list [][]string
	for _, set := range s.sets() {
		list = append(list, rows[set])
	}
	return table(head, list)
}

// folds are the AUCs of the single folds of a set.
type folds struct {
	Set                      string
	N                        int
	Mean, SD, Least, Largest float64 // SD is NaN of one fold
}

// SingleFolds says how far the AUC of one fold may be from the mean of all, for softmax under a protocol, on a group of sets.
func (s publishedStudy) SingleFolds(protocol, of string) (list []folds) {
	f := newFigures(without(s.fits, func(r results.Result) bool {
		_, suffix := changed(r.Set)
		return r.Protocol != protocol || configOf(r).label() != "softmax" || suffix != "" || len(group(of, []string{r.Set})) == 0
	}), config.label)
	for _, set := range f.sets {
		values := f.folds[set]["softmax"]
		list = append(list, folds{set, len(values), mean(values), stat.StdDev(values, nil), slices.Min(values), slices.Max(values)})
	}
	return list
}

// SpreadOfFolds says between which bounds the SD of single folds lies, by set.
func (s publishedStudy) SpreadOfFolds() string {
	list := s.SingleFolds(cv.BestEpochProtocol, denseGroup)
	need(len(list) > 0)
	bySD := func(a, b folds) int { return cmp.Compare(a.SD, b.SD) }
	return number(slices.MinFunc(list, bySD).SD) + " to " + number(slices.MaxFunc(list, bySD).SD)
}

// Control says what each protocol reports on sets whose labels are shuffled.
func (s publishedStudy) Control() string {
	g := newGrid(without(s.rows, func(r results.Row) bool { _, suffix := changed(r.Set); return suffix != shuffledSuffix }), func(r results.Row) (line, column string) {
		set, _ := changed(r.Set)
		return set + ", " + label(r), r.Protocol
	})
	g.columns = without([]string{cv.HonestProtocol, cv.BestEpochProtocol, cv.PublishedProtocol}, func(p string) bool { return !slices.Contains(g.columns, p) })
	return g.show("set, setting", meanInterval)
}

// OnShuffled is the mean AUC over sets and settings under a protocol, over the shuffles of the labels that have been run on all of them.
func (s publishedStudy) OnShuffled(protocol string) effect {
	return newEffect(s.shuffles(protocol), "shuffles")
}

// shuffles returns the mean AUC over sets and settings under a protocol for each such shuffle.
func (s publishedStudy) shuffles(protocol string) (means []float64) {
	values := make(map[uint64][]float64) // by shuffle
	whole := 0
	for _, r := range s.single {
		if _, suffix := changed(r.Set); suffix != shuffledSuffix || r.Protocol != protocol {
			continue
		}
		_, draw := drawingOf(r.Set)
		values[draw] = append(values[draw], r.Mean)
		whole = max(whole, len(values[draw]))
	}
	for _, draw := range slices.Sorted(maps.Keys(values)) {
		if list := values[draw]; len(list) == whole {
			means = append(means, mean(list))
		}
	}
	return means
}

// BestEpoch is what the best test epoch of softmax adds to the last one, over families of sets. It cannot be below 0 on any fold, so
// that a test of its sign would say nothing.
func (s publishedStudy) BestEpoch() effect { return s.adds(allGroup, softmaxSteps[1], softmaxSteps[2]) }

// reportsTooMuch says how far the best test epoch is above 0.5 on shuffled labels, over the shuffles.
func reportsTooMuch(s publishedStudy) answer {
	above := s.shuffles(cv.BestEpochProtocol)
	for i := range above {
		above[i] -= 0.5
	}
	return newEffect(above, "shuffles").answer()
}

// stepsPlot draws what each step from the honest protocol to the published one does, from the Syn that was described on, for
// the softmax that the published program ran; or the same on sets with shuffled labels.
func stepsPlot(title, suffix, over string) func(publishedStudy) *plotting.Figure {
	return func(s publishedStudy) *plotting.Figure {
		list := slices.Clone(softmaxSteps)
		list[1].name = "softmax (empty loop), honest"
		g := s.steps(list, suffix)
		slices.SortFunc(g.lines, mil.CompareNatural)
		return columnIntervals(title, g, over)
	}
}

package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/stats"
)

// step is a way to a figure: a setting under a protocol on a set with a change.
type step struct{ name, setting, protocol, suffix string }

// key is the column of a step in a grid.
func (s step) key() string { return strings.Join([]string{s.setting, s.protocol, s.suffix}, "|") }

// publishedKey is the place of a row in a grid of steps.
func publishedKey(r results.Row) (line, column string) {
	set, suffix := changed(r.Set)
	return set, step{setting: label(r), protocol: r.Protocol, suffix: suffix}.key()
}

// described is the setting of the paper whose loop never ran, so that softmax ran in its place.
const described = "syn I = −20"

// stepsOf are the steps from the honest protocol to the published one.
func stepsOf(setting string) []step {
	return []step{
		{"honest", setting, cv.HonestProtocol, ""},
		{"best test epoch", setting, cv.BestEpochProtocol, ""},
		{"one fold", setting, cv.PublishedProtocol, ""},
		{"leak", setting, cv.PublishedProtocol, leakSuffix},
	}
}

// leaked is the honest protocol on the files that held the label.
var leaked = step{"honest with the leak", "softmax", cv.HonestProtocol, leakSuffix}

// softmaxSteps are those of the program that ran, from what its paper describes on.
func softmaxSteps() []step {
	return slices.Concat([]step{{"Syn, I = −20, honest", described, cv.HonestProtocol, ""}}, stepsOf("softmax"))
}

// gain returns the mean over sets of what a step adds to the one before, and on how many sets both are there.
func gain(g grid, sets []string, from, to step) (mean float64, n int) {
	var differences []float64
	for _, set := range sets {
		a, first := g.cells[set][from.key()]
		b, second := g.cells[set][to.key()]
		if first && second {
			differences = append(differences, b.Mean-a.Mean)
		}
	}
	return stat.Mean(differences, nil), len(differences)
}

// published is the section on what each step from the honest protocol to the published one is worth.
func published(a results.Archive) (string, error) {
	rows, err := pooledTable(a.Results)
	if err != nil {
		return "", err
	}
	g := newGrid(rows, publishedKey)
	images := slices.DeleteFunc(slices.Clone(g.lines), isWeb)
	web := slices.DeleteFunc(slices.Clone(g.lines), isNotWeb)
	var b strings.Builder
	b.WriteString(stepTables(g, images, web))
	for _, part := range []func([]results.Result, []string, []string) (string, error){stepTests, singleFolds} {
		text, err := part(a.Results, images, web)
		if err != nil {
			return "", err
		}
		b.WriteString(text)
	}
	text, err := control(a.Results, rows)
	return b.String() + text, err
}

// stepTables are the figures of softmax at each step, and what each step adds, of every pooling.
func stepTables(g grid, images, web []string) string {
	list := softmaxSteps()
	head := []string{"set"}
	for i, s := range list {
		name := s.name
		if i == 1 {
			name = "the loop is empty: softmax, honest"
		}
		head = append(head, name)
	}
	var lines [][]string
	for _, set := range slices.Concat(images, web) {
		row := []string{set}
		for _, s := range append(list, leaked) {
			row = append(row, meanSD(g.cells[set][s.key()]))
		}
		lines = append(lines, row)
	}
	var b strings.Builder
	b.WriteString(table(append(head, leaked.name), lines))
	b.WriteString("Softmax attention, which the published program ran, one step further in each column. Of these sets only the Web ones were published with a label column, so means of the leak are over Web. (UCSB's input has one column too many, too.) Where a different set has a figure with the leak, we put the column in. On Web, \"one fold\" is a shuffled split instead of the official one.\n\n")
	for _, group := range []struct {
		name string
		sets []string
		to   int
	}{{"the sets other than Web", images, 4}, {"the Web sets", web, 5}} {
		var parts []string
		for i := 1; i < group.to; i++ {
			if d, n := gain(g, group.sets, list[i-1], list[i]); n > 0 {
				name := list[i].name
				if i == 1 {
					name = "the empty loop (softmax in place of Syn)"
				}
				parts = append(parts, fmt.Sprintf("%s %s (n = %d)", name, signed(d), n))
			}
		}
		if len(parts) > 0 {
			fmt.Fprintf(&b, "Mean over %s of what each step adds: %s.\n\n", group.name, strings.Join(parts, ", "))
		}
	}
	var poolings []string
	for _, column := range g.columns {
		if name, _, _ := strings.Cut(column, "|"); !slices.Contains(poolings, name) {
			poolings = append(poolings, name)
		}
	}
	lines = nil
	for _, pooling := range poolings {
		row := []string{pooling}
		s := stepsOf(pooling)
		for i := 1; i < len(s); i++ {
			groups := [][]string{images, web}
			if s[i].suffix == leakSuffix {
				groups = groups[1:]
			}
			for _, sets := range groups {
				cell := ""
				if d, n := gain(g, sets, s[i-1], s[i]); n > 0 {
					cell = signed(d)
				}
				row = append(row, cell)
			}
		}
		lines = append(lines, row)
	}
	b.WriteString("What each step adds, by pooling, mean over sets:\n\n")
	b.WriteString(table([]string{"pooling", "best test epoch", "the same, Web", "one fold", "the same, Web", "leak, Web"}, lines))
	return b.String()
}

// repeats returns the AUC of each complete repeat of a step, by set.
func (s step) repeats(fits []results.Result) (map[string]map[fold]float64, error) {
	f, err := newFigures(slices.DeleteFunc(slices.Clone(fits), func(r results.Result) bool {
		c, err := configOf(r.Config)
		_, suffix := changed(r.Set)
		return err == nil && (c.label() != s.setting || r.Protocol != s.protocol || suffix != s.suffix)
	}), named(config.label))
	if err != nil {
		return nil, err
	}
	aucs := make(map[string]map[fold]float64)
	for _, name := range f.sets {
		set, _ := changed(name)
		aucs[set] = make(map[fold]float64)
		folds := make(map[fold][]float64)
		for i, key := range f.keys[name] {
			key.fold = 0
			folds[key] = append(folds[key], f.folds[name][s.setting][i])
		}
		for key, values := range folds {
			aucs[set][key] = stat.Mean(values, nil)
		}
	}
	return aucs, nil
}

// stepFigures are the AUCs of complete repeats, by step, set and repeat.
type stepFigures map[string]map[string]map[fold]float64

// stepRepeats returns the AUCs of some steps.
func stepRepeats(fits []results.Result, steps []step) (stepFigures, error) {
	figure := make(stepFigures)
	for _, s := range steps {
		var err error
		if figure[s.key()], err = s.repeats(fits); err != nil {
			return nil, err
		}
	}
	return figure, nil
}

// pairs returns the repeats of a set that two steps have, in order, and their AUCs before and after.
func (figure stepFigures) pairs(from, to step, set string) (repeats []fold, before, after []float64) {
	then := figure[to.key()][set]
	first := figure[from.key()][set]
	for _, repeat := range slices.SortedFunc(maps.Keys(first), fold.compare) {
		if auc, both := then[repeat]; both {
			repeats, before, after = append(repeats, repeat), append(before, first[repeat]), append(after, auc)
		}
	}
	return repeats, before, after
}

// less returns a - b, value by value.
func less(a, b []float64) []float64 {
	differences := make([]float64, len(a))
	for i := range a {
		differences[i] = a[i] - b[i]
	}
	return differences
}

// stepAdds says what a step from one protocol to the next adds for softmax on some sets, in the repeats that all of these have.
func stepAdds(a results.Archive, from, to step, of func(set string) bool) (effects, error) {
	figure, err := stepRepeats(a.Results, []step{from, to})
	if err != nil {
		return nil, err
	}
	var sets []string
	var shared []fold
	for _, set := range slices.SortedFunc(maps.Keys(figure[from.key()]), mil.CompareNatural) {
		repeats, _, _ := figure.pairs(from, to, set)
		if len(repeats) == 0 || !of(set) {
			continue
		}
		if len(sets) == 0 {
			shared = repeats
		}
		sets = append(sets, set)
		shared = slices.DeleteFunc(shared, func(repeat fold) bool { return !slices.Contains(repeats, repeat) })
	}
	rows := make([][]float64, len(sets))
	for i, set := range sets {
		for _, repeat := range shared {
			rows[i] = append(rows[i], figure[to.key()][set][repeat]-figure[from.key()][set][repeat])
		}
	}
	return acrossRepeats(sets, rows)
}

// bestEpochRaises says what taking the best test epoch adds.
func bestEpochRaises(a results.Archive) (answer, error) {
	steps := stepsOf("softmax")
	said, err := answered(stepAdds(a, steps[0], steps[1], func(string) bool { return true }))
	if err != nil {
		return answer{}, err
	}
	means, err := shuffledMeans(a.Results)
	if err != nil {
		return answer{}, err
	}
	for i, of := range [][]float64{means[cv.BestEpochProtocol], means[cv.HonestProtocol]} {
		if len(of) < 2 {
			continue
		}
		mean, low, high, err := stats.MeanInterval(of, 1-alpha)
		if err != nil {
			return answer{}, err
		}
		says := []string{"On shuffled labels, where the truth is 0.5, it reports", "The honest protocol reports"}[i]
		said.more = join(said.more, fmt.Sprintf("%s %s (%s to %s, %d shuffles).", says, number(mean), number(low), number(high), len(of)))
	}
	return said, nil
}

// leakRaises says what the label column adds where figures were published with it, on Web.
func leakRaises(a results.Archive) (answer, error) {
	steps := stepsOf("softmax")
	return answered(stepAdds(a, steps[2], steps[3], isWeb))
}

// oneFoldRaises says what reporting a single fold adds; Web has no folds.
func oneFoldRaises(a results.Archive) (answer, error) {
	steps := stepsOf("softmax")
	said, err := answered(stepAdds(a, steps[1], steps[2], isNotWeb))
	if err != nil {
		return answer{}, err
	}
	f, err := newFigures(ofSoftmax(a.Results, cv.BestEpochProtocol, isNotWeb), named(config.label))
	if err != nil {
		return answer{}, err
	}
	var spreads []float64
	for _, set := range f.sets {
		sd, err := stats.SD(f.folds[set]["softmax"])
		if err != nil {
			return answer{}, err
		}
		spreads = append(spreads, sd)
	}
	if len(spreads) == 0 {
		return answer{}, errIncomplete
	}
	said.more = join(said.more, fmt.Sprintf("The AUC of a single fold has an SD of %s to %s, depending on the set.", number(slices.Min(spreads)), number(slices.Max(spreads))))
	return said, nil
}

// ofSoftmax returns the results of softmax under a protocol on some sets.
func ofSoftmax(fits []results.Result, protocol string, of func(set string) bool) []results.Result {
	return slices.DeleteFunc(slices.Clone(fits), func(r results.Result) bool {
		c, err := configOf(r.Config)
		_, suffix := changed(r.Set)
		return err != nil || r.Protocol != protocol || c.label() != "softmax" || suffix != "" || !of(r.Set)
	})
}

// between writes down numbers that may all be the same: "5", "3 to 5".
func between(n []int) string {
	if low, high := slices.Min(n), slices.Max(n); low < high {
		return fmt.Sprintf("%d to %d", low, high)
	}
	return fmt.Sprint(n[0])
}

// stepTests says on which sets the steps of softmax change the figure: differences by repeat, a paired t-test of each with
// Holm's correction for all of them.
func stepTests(fits []results.Result, images, web []string) (string, error) {
	list := softmaxSteps()
	figure, err := stepRepeats(fits, append(list, leaked))
	if err != nil {
		return "", err
	}
	tested := []struct {
		name     string
		from, to step
		sets     []string
	}{
		{"the empty loop", list[0], list[1], slices.Concat(images, web)},
		{"best test epoch", list[1], list[2], slices.Concat(images, web)},
		{"one fold", list[2], list[3], slices.Concat(images, web)},
		{"leak", list[3], list[4], web},
		{"leak, honest protocol", list[1], leaked, web},
	}
	var cells []string
	var p, gains []float64
	var at [][2]int // step and set of each cell
	sets := slices.Concat(images, web)
	var repeats []int // of each cell
	for i, s := range tested {
		for k, set := range sets {
			repeatsOfBoth, before, after := figure.pairs(s.from, s.to, set)
			if !slices.Contains(s.sets, set) || len(repeatsOfBoth) < 2 {
				continue
			}
			test, err := pairedT(after, before, 0)
			if err != nil {
				return "", fmt.Errorf("%s, %s: %w", set, s.name, err)
			}
			mean, low, high, err := stats.MeanInterval(less(after, before), 1-alpha)
			if err != nil {
				return "", err
			}
			repeats = append(repeats, len(repeatsOfBoth))
			p, gains, at = append(p, test.P), append(gains, mean), append(at, [2]int{i, k})
			cells = append(cells, fmt.Sprintf("%s (%s to %s)", signed(mean), signed(low), signed(high)))
		}
	}
	if len(p) == 0 {
		return "", nil
	}
	holm, err := stats.Holm(p)
	if err != nil {
		return "", err
	}
	head, rows := []string{"set"}, make([][]string, len(sets))
	for k, set := range sets {
		rows[k] = append([]string{set}, make([]string, len(tested))...)
	}
	higher, lower := make([][]string, len(tested)), make([][]string, len(tested))
	for n, place := range at {
		i, k := place[0], place[1]
		rows[k][1+i] = cells[n]
		if holm[n] < alpha {
			rows[k][1+i] += " *"
			if gains[n] > 0 {
				higher[i] = append(higher[i], sets[k])
			} else {
				lower[i] = append(lower[i], sets[k])
			}
		}
	}
	var says []string
	for i, s := range tested {
		head = append(head, s.name)
		if len(higher[i]) > 0 {
			says = append(says, fmt.Sprintf("%s raises it on %s", s.name, listed(higher[i])))
		}
		if len(lower[i]) > 0 {
			says = append(says, fmt.Sprintf("%s lowers it on %s", s.name, listed(lower[i])))
		}
	}
	if len(says) == 0 {
		says = append(says, "no cell has one")
	}
	return "What each step changes on each set, softmax: mean and 95 % interval over repeats. They speak of other folds and seeds on the same bags:\n\n" + table(head, rows) +
		fmt.Sprintf("A star marks a change by the paired t-test over %s repeats, with Holm's correction for the %d cells, at 5 %%: %s. %s\n\n", between(repeats), len(p), strings.Join(says, "; "),
			"Without a star we cannot tell, unless the interval lies within ±"+fmt.Sprint(margin)+"."), nil
}

// singleFolds says how far the figure of one fold may be from the mean of all, for softmax.
func singleFolds(fits []results.Result, images, web []string) (string, error) {
	pick := func(protocol string, sets []string) []results.Result {
		return ofSoftmax(fits, protocol, func(set string) bool { return slices.Contains(sets, set) })
	}
	var rows [][]string
	for _, of := range []struct {
		fits []results.Result
		what string
	}{{pick(cv.BestEpochProtocol, images), "single folds"}, {pick(cv.PublishedProtocol, web), "shuffled splits"}} {
		f, err := newFigures(of.fits, named(config.label))
		if err != nil {
			return "", err
		}
		for _, set := range f.sets {
			values := f.folds[set]["softmax"]
			sd := ""
			if v, err := stats.SD(values); err == nil {
				sd = number(v)
			}
			rows = append(rows, []string{set, fmt.Sprintf("%d %s", len(values), of.what), number(f.mean(set, "softmax")), sd, number(slices.Min(values)), number(slices.Max(values))})
		}
	}
	if len(rows) == 0 {
		return "", nil
	}
	return "A study of a single fold could have reported any figure in this range (softmax, best test epoch; on Web the published protocol):\n\n" +
		table([]string{"set", "of", "mean", "SD", "least", "largest"}, rows), nil
}

// shuffledMeans returns, by protocol, the mean AUC over sets and settings of each shuffle of the labels that has been run on all
// of them.
func shuffledMeans(fits []results.Result) (map[string][]float64, error) {
	t, err := tabulate(fits)
	if err != nil {
		return nil, err
	}
	values := make(map[string]map[uint64][]float64) // by protocol and shuffle
	for _, r := range t.Rows {
		if _, suffix := changed(r.Set); suffix != shuffledSuffix {
			continue
		}
		_, draw := drawingOf(r.Set)
		if values[r.Protocol] == nil {
			values[r.Protocol] = make(map[uint64][]float64)
		}
		values[r.Protocol][draw] = append(values[r.Protocol][draw], r.Mean)
	}
	means := make(map[string][]float64)
	for protocol, of := range values {
		whole := 0
		for _, list := range of {
			whole = max(whole, len(list))
		}
		for _, draw := range slices.Sorted(maps.Keys(of)) {
			if list := of[draw]; len(list) == whole {
				means[protocol] = append(means[protocol], stat.Mean(list, nil))
			}
		}
	}
	return means, nil
}

// control says what each protocol reports where labels were shuffled: over the shuffles, mean and interval of the mean over
// sets and settings.
func control(fits []results.Result, rows []results.Row) (string, error) {
	means, err := shuffledMeans(fits)
	if err != nil {
		return "", err
	}
	if len(means) == 0 {
		return "The control on shuffled labels was not run.\n\n", nil
	}
	names := []string{"honest protocol", "best test epoch", "published protocol"}
	protocols := []string{cv.HonestProtocol, cv.BestEpochProtocol, cv.PublishedProtocol}
	var sentences []string
	for i, protocol := range protocols {
		says, err := holdsHalf(means[protocol])
		if err != nil {
			return "", err
		}
		if says != "" {
			sentences = append(sentences, fmt.Sprintf("The %s reports %s", names[i], says))
		}
	}
	shuffled := slices.DeleteFunc(slices.Clone(rows), func(r results.Row) bool { _, suffix := changed(r.Set); return suffix != shuffledSuffix })
	g := newGrid(shuffled, func(r results.Row) (line, column string) {
		set, _ := changed(r.Set)
		return set + ", " + label(r), r.Protocol
	})
	g.columns = slices.DeleteFunc(protocols, func(p string) bool { return !slices.Contains(g.columns, p) })
	cells := g.show("set, setting", func(r results.Row) string {
		if r.Low == nil || r.High == nil {
			return meanSD(r)
		}
		return fmt.Sprintf("%s (%s to %s)", number(r.Mean), number(*r.Low), number(*r.High))
	})
	return "The control: sets whose labels were shuffled, where there is nothing to learn and the truth is 0.5; mean and 95 % interval over shuffles:\n\n" + cells +
		"Over all sets and settings: " + strings.Join(sentences, " ") + "\n\n", nil
}

// holdsHalf says of the means of shuffles whether their 95 % interval holds 0.5.
func holdsHalf(means []float64) (string, error) {
	switch len(means) {
	case 0:
		return "", nil
	case 1:
		return number(means[0]) + "; one shuffle has no interval.", nil
	}
	mean, low, high, err := stats.MeanInterval(means, results.Level)
	if err != nil {
		return "", err
	}
	low, high = max(low, 0), min(high, 1)
	verdict := "that contains 0.5, as it must"
	switch {
	case low > 0.5:
		verdict = "that is above 0.5, where there is nothing to learn"
	case high < 0.5:
		verdict = "that is under 0.5"
	}
	return fmt.Sprintf("%s (95 %% interval %s to %s, n = %d shuffles): %s.", number(mean), number(low), number(high), len(means), verdict), nil
}

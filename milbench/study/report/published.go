package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench"
	"synpool/milbench/judge"
	"synpool/milbench/results"
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
		{"honest", setting, milbench.HonestProtocol, ""},
		{"best test epoch", setting, milbench.BestEpochProtocol, ""},
		{"one fold", setting, milbench.PublishedProtocol, ""},
		{"leak", setting, milbench.PublishedProtocol, leakSuffix},
	}
}

// leaked is the honest protocol on the files that held the label.
var leaked = step{"honest with the leak", "softmax", milbench.HonestProtocol, leakSuffix}

// softmaxSteps are those of the program that ran, from what its paper describes on.
func softmaxSteps() []step {
	return slices.Concat([]step{{"Syn, I = −20, honest", described, milbench.HonestProtocol, ""}}, stepsOf("softmax"))
}

// gain returns the mean over sets of what a step adds to the one before, and on how many sets both are there.
func gain(g grid, sets []string, from, to step) (mean float64, n int) {
	var differences []float64
	for _, set := range sets {
		a, first := g.cells[set][from.key()]
		b, second := g.cells[set][to.key()]
		if first && second {
			differences = append(differences, b.AUCMean-a.AUCMean)
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
	b.WriteString("The softmax attention that the published program ran, a step further in each column. Of these sets only the Web ones had a label column where figures were published (UCSB's input has one column more than the set, too); the means of the leak are over these, and where another set has a figure the column was put in. On Web \"one fold\" is a shuffled split in place of the official one.\n\n")
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
	figure := make(map[string]map[string]map[fold]float64) // by step, set and repeat
	for _, s := range append(list, leaked) {
		var err error
		if figure[s.key()], err = s.repeats(fits); err != nil {
			return "", err
		}
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
			from, to := figure[s.from.key()][set], figure[s.to.key()][set]
			var before, after, differences []float64
			for _, repeat := range slices.SortedFunc(maps.Keys(from), fold.compare) {
				if auc, both := to[repeat]; both {
					before, after, differences = append(before, from[repeat]), append(after, auc), append(differences, auc-from[repeat])
				}
			}
			if !slices.Contains(s.sets, set) || len(differences) < 2 {
				continue
			}
			test, err := pairedT(after, before, 0)
			if err != nil {
				return "", fmt.Errorf("%s, %s: %w", set, s.name, err)
			}
			mean, low, high, err := judge.MeanInterval(differences, 1-alpha)
			if err != nil {
				return "", err
			}
			repeats = append(repeats, len(differences))
			p, gains, at = append(p, test.P), append(gains, mean), append(at, [2]int{i, k})
			cells = append(cells, fmt.Sprintf("%s (%s to %s)", signed(mean), signed(low), signed(high)))
		}
	}
	if len(p) == 0 {
		return "", nil
	}
	holm, err := judge.Holm(p)
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
		if !slices.ContainsFunc(at, func(place [2]int) bool { return place[0] == i }) {
			continue // not run
		}
		says = append(says, fmt.Sprintf("%s raises it on %s, lowers it on %s", s.name, listed(higher[i]), listed(lower[i])))
	}
	return "What each step changes on each set, softmax: mean over repeats and 95 % interval, which tell of other folds and seeds on the same bags:\n\n" + table(head, rows) +
		fmt.Sprintf("A star marks a change by the paired t-test over %s repeats, with Holm's correction for the %d cells, at 5 %%: %s. %s\n\n", between(repeats), len(p), strings.Join(says, "; "),
			"A cell without a star is not a proof that the step changes nothing."), nil
}

// singleFolds says how far the figure of one fold may be from the mean of all, for softmax.
func singleFolds(fits []results.Result, images, web []string) (string, error) {
	pick := func(protocol string, sets []string) []results.Result {
		return slices.DeleteFunc(slices.Clone(fits), func(r results.Result) bool {
			c, err := configOf(r.Config)
			return err != nil || r.Protocol != protocol || c.label() != "softmax" || !slices.Contains(sets, r.Set)
		})
	}
	var rows [][]string
	for _, of := range []struct {
		fits []results.Result
		what string
	}{{pick(milbench.BestEpochProtocol, images), "single folds"}, {pick(milbench.PublishedProtocol, web), "shuffled splits"}} {
		f, err := newFigures(of.fits, named(config.label))
		if err != nil {
			return "", err
		}
		for _, set := range f.sets {
			values := f.folds[set]["softmax"]
			sd := ""
			if v, err := judge.SD(values); err == nil {
				sd = number(v)
			}
			rows = append(rows, []string{set, fmt.Sprintf("%d %s", len(values), of.what), number(f.mean(set, "softmax")), sd, number(slices.Min(values)), number(slices.Max(values))})
		}
	}
	if len(rows) == 0 {
		return "", nil
	}
	return "A study that runs a single fold could have reported any figure in this range (softmax, best test epoch; on Web the published protocol):\n\n" +
		table([]string{"set", "of", "mean", "SD", "least", "largest"}, rows), nil
}

// control says what each protocol reports where labels were shuffled: over the shuffles, mean and interval of the mean over
// sets and settings.
func control(fits []results.Result, rows []results.Row) (string, error) {
	t, err := results.Tabulate(fits)
	if err != nil {
		return "", err
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
		values[r.Protocol][draw] = append(values[r.Protocol][draw], r.AUCMean)
	}
	if len(values) == 0 {
		return "The control on shuffled labels was not run.\n\n", nil
	}
	names := []string{"honest protocol", "best test epoch", "published protocol"}
	protocols := []string{milbench.HonestProtocol, milbench.BestEpochProtocol, milbench.PublishedProtocol}
	var sentences []string
	for i, protocol := range protocols {
		whole := 0
		for _, list := range values[protocol] {
			whole = max(whole, len(list))
		}
		var means []float64 // of each shuffle that has been run on all sets
		for _, draw := range slices.Sorted(maps.Keys(values[protocol])) {
			if list := values[protocol][draw]; len(list) == whole {
				means = append(means, stat.Mean(list, nil))
			}
		}
		says, err := holdsHalf(means)
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
		if r.AUCLow == nil || r.AUCHigh == nil {
			return meanSD(r)
		}
		return fmt.Sprintf("%s (%s to %s)", number(r.AUCMean), number(*r.AUCLow), number(*r.AUCHigh))
	})
	return "The control: the same on sets whose labels were shuffled, where there is nothing to learn and 0.5 is the truth; mean and 95 % interval over shuffles:\n\n" + cells +
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
	mean, low, high, err := judge.MeanInterval(means, results.Level)
	if err != nil {
		return "", err
	}
	low, high = max(low, 0), min(high, 1)
	verdict := "that holds 0.5, as it must"
	switch {
	case low > 0.5:
		verdict = "that is above 0.5, where there is nothing to learn"
	case high < 0.5:
		verdict = "that is under 0.5"
	}
	return fmt.Sprintf("%s (95 %% interval %s to %s, n = %d shuffles): %s.", number(mean), number(low), number(high), len(means), verdict), nil
}

package cell

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"synpool/internal/spelling"
	"synpool/milbench"
	"synpool/milbench/cv"
	"synpool/milbench/evaluate"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
	"synpool/plotting"
)

// looked returns the bags to look at, with or without labels and with missing values.
func (b *Bags) looked() *mil.Set {
	if o, err := b.read(); err == nil {
		return o.set
	}
	if b.made == nil && b.parent == nil && !b.options.Median {
		if o, err := b.Median().read(); err == nil {
			return o.set
		}
	}
	return b.any()
}

// Head returns a card with the first instances, n or 10, each with its bag and the first features.
func (b *Bags) Head(n ...int) Card {
	set, most := b.looked(), mostShown
	if len(n) > 0 {
		most = max(0, n[0])
	}
	columns := shownFeatures(set, nil)
	c := Card{title: b.name, rows: [][]string{{"bag", "target"}}}
	grouped := groupsOf(set) > 0
	if grouped {
		c.rows[0] = append(c.rows[0], "group")
	}
	c.rows[0] = append(c.rows[0], "instance")
	for _, j := range columns {
		c.rows[0] = append(c.rows[0], set.FeatureName(j))
	}
	for _, bag := range set.Bags {
		row := make([]float32, set.NumFeatures())
		for i := 0; i < bag.Instances.Len() && len(c.rows) <= most; i++ {
			Check(bag.Instances.Read(i, i+1, row))
			cells := []string{bag.ID, targetText(set, bag.Target)}
			if grouped {
				cells = append(cells, bag.Group)
			}
			cells = append(cells, strconv.Itoa(i))
			for _, j := range columns {
				cells = append(cells, fmt.Sprintf("%.4g", set.Value(j, row[j])))
			}
			c.rows = append(c.rows, cells)
		}
	}
	c.notes = leftOut(set, columns, set.NumInstances()-len(c.rows)+1)
	return c
}

// leftOut says what a table does not show.
func leftOut(set *mil.Set, columns []int, instances int) (notes []string) {
	if instances > 0 {
		notes = append(notes, fmt.Sprintf("and %s", counted(instances, "more instance", "more instances")))
	}
	if more := set.NumFeatures() - len(columns) - len(set.Missing); more > 0 {
		notes = append(notes, fmt.Sprintf("and %s", counted(more, "more feature", "more features")))
	}
	return notes
}

// shownFeatures returns the named features, or the first ones; indicators of missing values are not shown.
func shownFeatures(set *mil.Set, names []string) (columns []int) {
	var known []string
	for j := range set.NumFeatures() {
		known = append(known, set.FeatureName(j))
	}
	for _, name := range names {
		j := slices.Index(known, name)
		if j < 0 {
			Check(fmt.Errorf("%s: no feature %q; %s", set.Name, name, spelling.Hint(name, known)))
		}
		columns = append(columns, j)
	}
	for j := 0; names == nil && j < len(known) && len(columns) < mostShown; j++ {
		if !slices.ContainsFunc(set.Missing, func(m mil.Missing) bool { return m.Indicator == j }) {
			columns = append(columns, j)
		}
	}
	return columns
}

// targetText returns the target of a bag as the file has it, or positive or negative.
func targetText(set *mil.Set, t mil.Target) string {
	switch set.Kind {
	case mil.RealTarget:
		return fmt.Sprintf("%.4g", t.Value)
	case mil.SurvivalTarget:
		if t.Event {
			return fmt.Sprintf("%.4g", t.Value)
		}
		return fmt.Sprintf("over %.4g", t.Value)
	}
	if set.Kind == mil.BinaryTarget && set.Classes == nil {
		return []string{"negative", "positive"}[t.Label]
	}
	return set.ClassName(t.Label)
}

// mostDrawn is the number of bags that [Bags.Figure] draws, evenly spaced; mostRead the number of values that it reads.
const (
	mostDrawn = 1000
	mostRead  = 1 << 28
)

// Figure draws the bags, of many a thousand, along the principal components of their mean features, each feature with the standard deviation
// 1 over the bags; for targets that are numbers or times, the target against the first component.
func (b *Bags) Figure() *plotting.Figure { return Must(figureOf(b.Set())) }

func figureOf(set *mil.Set) (*plotting.Figure, error) {
	if n := set.NumInstances() * set.NumFeatures(); n > mostRead {
		return nil, fmt.Errorf("%s: a figure reads all %d values, more than %d; take some bags with Only", set.Name, n, mostRead)
	}
	var bags []mil.Bag
	for i := 0; i < len(set.Bags); i += 1 + (len(set.Bags)-1)/mostDrawn {
		bags = append(bags, set.Bags[i])
	}
	vectors := make([][]float64, len(bags))
	for i, bag := range bags {
		vectors[i] = make([]float64, set.NumFeatures())
		n := float64(bag.Instances.Len())
		if err := mil.EachValue(bag.Instances, func(_, j int, v float32) { vectors[i][j] += float64(v) / n }); err != nil {
			return nil, err
		}
	}
	for j := range set.NumFeatures() {
		column := make([]float64, len(vectors))
		for i := range vectors {
			column[i] = vectors[i][j]
		}
		if sd := stat.StdDev(column, nil); sd > 0 {
			for i := range vectors {
				vectors[i][j] /= sd
			}
		}
	}
	places, shares, err := plotting.PCA(vectors)
	if err != nil {
		return nil, err
	}
	axis := func(k int) string { return fmt.Sprintf("component %d (%.0f %% of the variance)", k+1, 100*shares[k]) }
	y, points := axis(1), make([]plotting.ScatterPoint, len(places))
	if set.NumClasses() == 0 {
		y = "target"
	}
	for i, bag := range bags {
		points[i] = plotting.ScatterPoint{X: places[i][0], Y: places[i][1]}
		if set.NumClasses() == 0 {
			points[i].Y = bag.Value
		} else {
			points[i].Class = targetText(set, bag.Target)
		}
	}
	title := fmt.Sprintf("Bags of %s by their means", set.Name)
	if len(bags) < len(set.Bags) {
		title = fmt.Sprintf("%d of %d bags of %s by their means", len(bags), len(set.Bags), set.Name)
	}
	return plotting.Scatter(title, axis(0), y, points)
}

// mostDescribed is the number of instances whose features [Bags.Describe] reads, evenly spaced.
const mostDescribed = 100_000

// Describe returns a card with the targets, the sizes of the bags and, for the named features or the first ten, the missing
// values, the quartiles and a histogram over the instances.
func (b *Bags) Describe(features ...string) Card {
	set := b.looked()
	var sizes []float64
	for _, bag := range set.Bags {
		sizes = append(sizes, float64(bag.Instances.Len()))
	}
	c := Card{title: b.name}
	c.add("bags", "%d", len(set.Bags))
	c.add("target", "%s", targetOf(set))
	c.add("instances", "%d", set.NumInstances())
	c.add("per bag", "%s", summary(sizes))
	if groups := groupsOf(set); groups > 0 {
		c.add("groups", "%d", groups)
	}
	columns := shownFeatures(set, features)
	every := 1 + (set.NumInstances()-1)/mostDescribed
	values, missing, at := make([][]float64, len(columns)), make([]int, len(columns)), 0
	indicator := make([]int, len(columns))
	for k, j := range columns {
		indicator[k] = -1
		if i := slices.IndexFunc(set.Missing, func(m mil.Missing) bool { return m.Feature == j }); i >= 0 {
			indicator[k] = set.Missing[i].Indicator
		}
	}
	for _, bag := range set.Bags {
		Check(mil.EachRow(bag.Instances, func(_ int, row []float32) {
			if at++; (at-1)%every > 0 {
				return
			}
			for k, j := range columns {
				if i := indicator[k]; i >= 0 && row[i] != 0 {
					missing[k]++
				} else {
					values[k] = append(values[k], set.Value(j, row[j]))
				}
			}
		}))
	}
	c.rows = [][]string{{"feature", "missing", "least", "25 %", "median", "75 %", "largest", "histogram"}}
	for k, j := range columns {
		row := []string{set.FeatureName(j), strconv.Itoa(missing[k])}
		slices.Sort(values[k])
		for _, p := range []float64{0, 0.25, 0.5, 0.75, 1} {
			text := ""
			if len(values[k]) > 0 {
				text = fmt.Sprintf("%.4g", stats.Quantile(values[k], p))
			}
			row = append(row, text)
		}
		c.rows = append(c.rows, append(row, histogram(values[k])))
	}
	if every > 1 {
		c.notes = append(c.notes, fmt.Sprintf("features of every %d. instance", every))
	}
	c.notes = append(c.notes, leftOut(set, columns, 0)...)
	return c
}

// summary returns the range, the median and a histogram of values.
func summary(values []float64) string {
	values = slices.Sorted(slices.Values(values))
	return fmt.Sprintf("%.4g to %.4g, median %.4g  %s", values[0], values[len(values)-1], stats.Quantile(values, 0.5), histogram(values))
}

// histogram draws the counts of sorted values in ten equal ranges from the least to the largest.
func histogram(sorted []float64) string {
	const blocks, bins = "▁▂▃▄▅▆▇█", 10
	if len(sorted) == 0 || sorted[0] == sorted[len(sorted)-1] {
		return ""
	}
	counts, wide := make([]float64, bins), sorted[len(sorted)-1]-sorted[0]
	for _, v := range sorted {
		counts[min(bins-1, int(bins*(v-sorted[0])/wide))]++
	}
	var b strings.Builder
	for _, n := range counts {
		if n == 0 {
			b.WriteRune('·')
			continue
		}
		b.WriteRune([]rune(blocks)[int(math.Ceil(8*n/floats.Max(counts)))-1])
	}
	return b.String()
}

// Where returns the bags that meet a condition on their label, group, split or size, the number of instances. A condition is
// a value, or a comparison with a number or word:
//
//	bags.Where("label", "ill").Where("size", ">= 10").Where("group", "!= p7")
func (b *Bags) Where(field, condition string) *Bags {
	return b.chosenBy(func(set *mil.Set) ([]bool, error) {
		operator, want := "=", strings.TrimSpace(condition)
		for _, o := range []string{">=", "<=", "!=", "=", ">", "<"} {
			if rest, ok := strings.CutPrefix(want, o); ok {
				operator, want = o, strings.TrimSpace(rest)
				break
			}
		}
		number, notNumber := mil.ParseNumber(want)
		keep := make([]bool, len(set.Bags))
		seen := map[string]bool{}
		for i, bag := range set.Bags {
			text, err := fieldOf(set, bag, field)
			if err != nil {
				return nil, err
			}
			order := cmp.Compare(text, want)
			if value, err := mil.ParseNumber(text); err == nil && notNumber == nil {
				order = cmp.Compare(value, number)
			} else if operator[0] == '<' || operator[0] == '>' {
				return nil, fmt.Errorf("%s %q: it is no number, so that no other is below or above it", field, text)
			}
			seen[text] = true
			keep[i] = map[string]bool{"=": order == 0, "!=": order != 0, ">": order > 0, "<": order < 0, ">=": order >= 0, "<=": order <= 0}[operator]
		}
		if !slices.Contains(keep, true) {
			return nil, fmt.Errorf("no bag has %s %s; values are %s", field, condition, listed(sortedNames(seen)))
		}
		return keep, nil
	})
}

// fieldOf returns a field of a bag.
func fieldOf(set *mil.Set, bag mil.Bag, field string) (string, error) {
	switch field {
	case "label":
		if set.NumClasses() == 0 {
			return strconv.FormatFloat(bag.Value, 'g', -1, 64), nil
		}
		return set.ClassName(bag.Label), nil
	case "group":
		return bag.Group, nil
	case "split":
		return string(bag.Split), nil
	case "size":
		return strconv.Itoa(bag.Instances.Len()), nil
	}
	fields := []string{"label", "group", "split", "size"}
	return "", fmt.Errorf("no field %q of a bag; %s", field, spelling.Hint(field, fields))
}

// Split returns all bags but a part, and the part: one of n parts, drawn at random, that have equal shares of the classes and
// keep groups together.
func (b *Bags) Split(n int) (train, test *Bags) {
	of := func(test bool) *Bags {
		return b.chosenBy(func(set *mil.Set) ([]bool, error) {
			drawn := *set
			drawn.Bags = slices.Clone(set.Bags)
			for i := range drawn.Bags {
				drawn.Bags[i].Split = mil.NoSplit
			}
			fits, err := cv.Protocol{Name: cv.HonestProtocol, Folds: n, Repeats: 1}.Fits(&drawn, []json.RawMessage{Mean.Setting()}, 1)
			if err != nil {
				return nil, err
			}
			keep := make([]bool, len(set.Bags))
			for i := range keep {
				keep[i] = slices.Contains(fits[0].Test, i) == test
			}
			return keep, nil
		})
	}
	return of(false), of(true)
}

// Evaluate judges the model on labelled bags: figures with intervals, calls by class, thresholds that were chosen on held-out
// bags of training, and whether the bags are like those of training. The bags should not be those that it learnt from.
func (m *Model) Evaluate(bags *Bags) Card {
	model := Must(m.load())
	labelled := Must(bags.labelled(model))
	evaluation := Must(model.Evaluate(interrupted(), labelled, 1))
	var text bytes.Buffer
	Check(evaluation.Write(&text))
	said := spoken(text.String())
	return Card{text: said, html: "<pre>" + html.EscapeString(said) + "</pre>"}
}

// labelled reads the bags for judging a model.
func (b *Bags) labelled(model *milbench.Model) (*milbench.Labelled, error) {
	if b.parent == nil && b.made == nil {
		return model.OpenLabelled(b.name, b.options)
	}
	o, err := b.read()
	if err != nil {
		return nil, err
	}
	set, err := evaluate.Relabel(o.set, model.Card())
	if err != nil {
		return nil, err
	}
	return &milbench.Labelled{Set: set, All: len(set.Bags)}, nil
}

// Features returns the pooled vector of each bag, the features by which a network tells bags apart.
func (m *Model) Features(bags *Bags) [][]float64 {
	model, set, err := m.on(bags)
	Check(err)
	network, ok := model.Learned.(*neural.Model)
	if !ok {
		Check(fmt.Errorf("%s: only a network pools features", m.name))
	}
	return Must(network.Pooled(interrupted(), set.Instances()))
}

// Shares returns the weights of the instances of each bag, divided by their sum.
func (m *Model) Shares(bags *Bags) (all [][]float64) {
	model, set, err := m.on(bags)
	Check(err)
	for i, said := range Must(model.Explain(interrupted(), set)).Bags {
		e := &explained{bag: said, x: set.Bags[i].Instances}
		if e.scored() {
			Check(fmt.Errorf("%s: instances have scores, which have no shares; take a network", m.name))
		}
		all = append(all, e.shares())
	}
	return all
}

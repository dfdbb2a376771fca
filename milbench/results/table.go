package results

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// level is the level of all confidence intervals in a table.
const level = 0.95

// Row has the figures of one setting on one set, averaged over repeats. The main figure is the AUC for binary
// targets, the macro AUC for classes, R² for real targets and the concordance for survival. For each repeat it is
// averaged over the folds.
type Row struct {
	Set     string         `json:"set"`
	Setting string         `json:"setting"` // the pooling, and what distinguishes the row from others on the set
	Target  mil.TargetKind `json:"target"`
	Figure  string         `json:"figure"` // name of the main figure
	Mean    float64        `json:"mean"`   // NaN if no fold has the figure, null in the table as JSON
	SD      *float64       `json:"sd"`     // over repeats; null for one repeat
	N       int            `json:"n"`      // number of complete repeats

	Protocol   string `json:"protocol"`
	Optimistic bool   `json:"optimistic"`
	Leaked     bool   `json:"leaked"`
	Declared   bool   `json:"declared,omitempty"` // stated by the author of the scores; the training was not observed

	Folds    int `json:"folds"`           // folds per repeat; 1 for an official split
	FoldsRun int `json:"folds_run"`       // number of folds run
	TestBags int `json:"test_bags"`       // test bags per repeat
	Inner    int `json:"inner,omitempty"` // number of inner folds under the nested protocol

	Splits string `json:"splits,omitempty"` // see [Result.Splits]
	Shots  int    `json:"shots,omitempty"`  // see [Result.Shots]

	// 95 % interval, cut to the figure's range, and what it is over ([Interval]); null if there is none.
	Low      *float64  `json:"low"`
	High     *float64  `json:"high"`
	Interval Interval  `json:"interval,omitempty"`
	Values   []float64 `json:"values"` // main figure of each repeat that has one

	// SE is the standard error of one repeat's AUC. It is DeLong's error of each fold, with folds taken as
	// independent, and the root mean square over repeats. It is null if a fold has fewer than two bags in a class,
	// and for non-binary targets.
	SE *float64 `json:"se"`

	// Figures has the other figures for the kind of target by name, averaged over repeats. Average precision is
	// averaged over folds; the others use the scores of all folds of a repeat together. Folds or repeats without a
	// value are left out and noted; a figure is absent if none has it, for example the AUC of one class.
	Figures map[string]float64 `json:"figures"`

	// InstanceAUC is [Result.InstanceAUC] averaged over all fits; absent if no fit has it.
	InstanceAUC *float64 `json:"instance_auc,omitempty"`

	// Localised is [Result.Localised] averaged over the fits that have it; absent if none has.
	Localised *LocalisedRow `json:"instances,omitempty"`

	// Group is [Result.Group] averaged over the fits that have it; absent if none has.
	Group *GroupFigure `json:"group_auc,omitempty"`

	// Classes has the class names as spelt in the file. For a binary target the negative class is first.
	Classes []string `json:"classes,omitempty"`

	Checksum string          `json:"checksum"`
	Config   json.RawMessage `json:"config"`           // null if the validation part chose it
	Chosen   []Chosen        `json:"chosen,omitempty"` // settings chosen, most frequent first

	// Where the fits come from, sorted and without duplicates. More than one is noted beside the table.
	Backends  []string `json:"backends"`
	Versions  []string `json:"versions"`
	Revisions []string `json:"revisions"`

	folds map[foldKey]float64 // main figure of each fold
	apart bool                // all other rows of its set and protocol are worse beyond chance

	// For a single fold: the labels of its bags, ordered by id, and their scores in each repeat.
	labels []int
	scores [][]float64
}

// Interval says what a confidence interval is over.
type Interval string

const (
	// OverRepeats is the t interval over three or more repeats. It covers other folds and seeds on the same bags, not
	// new bags.
	OverRepeats Interval = "repeats"
	// OverFolds is the interval over the folds, if there are fewer repeats. It is corrected for the training bags
	// that the folds share ([stats.CorrectedInterval]).
	OverFolds Interval = "folds"
	// OverBags is the interval from DeLong's standard error over test bags, for fewer than five folds or an official
	// split.
	OverBags Interval = "bags"
)

// Minimum numbers of repeats, or of folds over all repeats, for an interval. Over two it would span 0 to 1.
const (
	fewestRepeats = 3
	fewestFolds   = 5
)

// Chosen is a setting that the validation part chose, with the number of fits.
type Chosen struct {
	Config json.RawMessage `json:"config"`
	Fits   int             `json:"fits"`
}

// Table has the rows for a results folder, with verdicts and notes.
type Table struct {
	Rows     []Row
	Verdicts []string // which rows of a set differ beyond chance, in words
	Notes    []string // what was left out, and what may not be comparable
}

// Tabulate computes a table from raw results. Rows are ordered by set, protocol and setting. Repeats that lack a fold
// are left out and noted. Rows with fits from several backends, versions or revisions are noted.
//
// Sets are identified by checksum. A set has the name in its last result, and counts as leaked if any result says so.
// Sets with the same name and different checksums get separate rows. If a fit has several results, the first counts;
// otherwise the order of the results does not matter.
//
// Under the nested protocol a set has one row per pooling. In every fold, the row uses the setting with the best main
// figure on the validation part. Ties go to the smallest loss there, then to the first in order.
func Tabulate(results []Result) (Table, error) { return tabulate(results, chooseInside) }

// TabulateBest computes a table in which the validation parts choose among all settings, whatever their pooling. It
// has one row per set under the nested protocol, and none for other protocols.
func TabulateBest(results []Result) (Table, error) {
	results = slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return r.Protocol != cv.NestedProtocol })
	return tabulate(results, func(c comparison, t *Table) ([]*rowFits, error) {
		row, err := c.choose(c.rows, "any", t)
		return []*rowFits{row}, err
	})
}

// Rank sorts the rows of each comparison by the main figure, the best first.
func (t Table) Rank() {
	for rows := range t.comparisons() {
		slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(b.Mean, a.Mean) })
	}
}

// comparisons returns the adjacent rows of each set and protocol.
func (t Table) comparisons() iter.Seq[[]Row] { return adjacent(t.Rows, Row.ComparesWith) }

// adjacent returns the parts of a list whose items are the same as the first one of the part.
func adjacent[T any](list []T, same func(first, other T) bool) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for rest := list; len(rest) > 0; {
			n := 1
			for n < len(rest) && same(rest[0], rest[n]) {
				n++
			}
			if !yield(rest[:n]) {
				return
			}
			rest = rest[n:]
		}
	}
}

// ComparesWith reports whether two rows are of the same set and protocol.
func (r Row) ComparesWith(s Row) bool { return r.study() == s.study() }

// Covers reports whether a result is of the row's set and protocol.
func (r Row) Covers(f Result) bool { return r.study() == f.study() }

func (r Row) study() studyKey {
	return studyKey{r.Checksum, r.Protocol, r.Folds, r.FoldsRun, r.Inner, r.Shots, r.Splits}
}

func (r Result) study() studyKey {
	return studyKey{r.Checksum, r.Protocol, r.Folds, r.FoldsRun, r.Inner, r.Shots, r.Splits}
}

// tabulate makes rows from results; inside makes the rows of a comparison under the nested protocol.
func tabulate(results []Result, inside func(comparison, *Table) ([]*rowFits, error)) (Table, error) {
	var t Table
	studies, err := gather(results, &t)
	if err != nil {
		return Table{}, err
	}
	var rows []*rowFits
	for _, study := range studies {
		chosen := study.rows
		if study.protocol == cv.NestedProtocol {
			if chosen, err = inside(study, &t); err != nil {
				return Table{}, err
			}
		}
		rows = append(rows, chosen...)
	}
	for _, r := range rows {
		r.dropIncomplete(&t)
		if len(r.repeats) == 0 {
			continue
		}
		row, err := r.figures(&t)
		if err != nil {
			return Table{}, err
		}
		t.Rows = append(t.Rows, row)
	}
	t.noteMixtures()
	t.noteThresholds()
	t.Verdicts, err = t.verdicts()
	return t, err
}

// repeatKey identifies a repeat. Repeats from studies with different seeds are different repeats.
type repeatKey struct {
	seed   uint64
	repeat int
}

func (k repeatKey) compare(l repeatKey) int {
	return cmp.Or(cmp.Compare(k.seed, l.seed), cmp.Compare(k.repeat, l.repeat))
}

// rowFits has the results for one row.
type rowFits struct {
	set     *content
	setting setting
	label   string
	config  json.RawMessage
	chosen  []Chosen
	repeats map[repeatKey]map[int]*Result // by repeat and fold
}

// content has what the results say about the bags with one checksum.
type content struct {
	checksum string
	names    []string // the newest is last
	shown    string   // name in the table
	leaked   bool     // true if any result says so
	target   mil.TargetKind
	classes  []string // class names as spelt in the file; for a binary target the negative one is first
}

// name returns the newest name.
func (c *content) name() string { return c.names[len(c.names)-1] }

// add records one more result.
func (c *content) add(r *Result) {
	c.leaked = c.leaked || r.Leaked
	if r.Classes != nil {
		c.classes = r.Classes
	}
	if len(c.names) == 0 || c.name() != r.Set {
		c.names = append(slices.DeleteFunc(c.names, func(name string) bool { return name == r.Set }), r.Set)
	}
}

// studyKey has what the rows of one comparison share. All of it is in [Result.ID] or follows from it. Otherwise a
// change between two parts of a run, such as renaming a file, would split repeats that no further run could complete.
type studyKey struct {
	checksum, protocol       string
	folds, run, inner, shots int
	splits                   string
}

// comparison has the rows of one set under one protocol.
type comparison struct {
	studyKey
	set  *content
	rows []*rowFits
}

// gather sorts results into rows in table order, and names the sets and settings.
func gather(results []Result, t *Table) ([]comparison, error) {
	sets := make(map[string]*content)
	rows, known := make(map[studyKey]map[string]*rowFits), newTargets()
	canonical := make(map[string]json.RawMessage) // there are few settings and many results
	for i := range results {
		r := &results[i]
		set := sets[r.Checksum]
		if set == nil {
			set = &content{checksum: r.Checksum, target: r.Target}
			sets[r.Checksum] = set
		}
		set.add(r)
		if err := known.agree(*r); err != nil { // they may come from several folders
			return nil, err
		}
		key := r.study()
		config, known := canonical[string(r.Config)]
		if !known {
			var err error
			if config, err = cv.CanonicalSetting(r.Config); err != nil {
				return nil, fmt.Errorf("%s: %w", r.Set, err)
			}
			canonical[string(r.Config)] = config
		}
		if rows[key] == nil {
			rows[key] = make(map[string]*rowFits)
		}
		row := rows[key][string(config)]
		if row == nil {
			s, err := decodeSetting(config)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.Set, err)
			}
			row = &rowFits{set: set, setting: s, config: config, repeats: make(map[repeatKey]map[int]*Result)}
			rows[key][string(config)] = row
		}
		row.add(r)
	}

	var all []comparison
	for key, byConfig := range rows {
		c := comparison{studyKey: key, set: sets[key.checksum], rows: slices.SortedFunc(maps.Values(byConfig), func(a, b *rowFits) int {
			return compareSettings(a.setting, b.setting)
		})}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b comparison) int {
		return cmp.Or(compareSets(a.set, b.set),
			cmp.Compare(slices.Index(cv.ProtocolNames, a.protocol), slices.Index(cv.ProtocolNames, b.protocol)),
			strings.Compare(a.protocol, b.protocol), cmp.Compare(a.folds, b.folds), cmp.Compare(a.run, b.run), cmp.Compare(b.inner, a.inner), cmp.Compare(a.splits, b.splits), cmp.Compare(a.shots, b.shots))
	})
	labelRows(all)
	nameSets(slices.SortedFunc(maps.Values(sets), compareSets), t)
	return all, nil
}

// compareSets orders by name, then by checksum.
func compareSets(a, b *content) int {
	return cmp.Or(mil.CompareNatural(a.name(), b.name()), strings.Compare(a.checksum, b.checksum))
}

// labelRows labels the rows of all sets with one name.
func labelRows(all []comparison) {
	rows, settings := make(map[string][]*rowFits), make(map[string][]setting)
	for _, c := range all {
		for _, row := range c.rows {
			name := c.set.name()
			rows[name], settings[name] = append(rows[name], row), append(settings[name], row.setting)
		}
	}
	for name, some := range settings {
		for i, label := range labels(some) {
			rows[name][i].label = label
		}
	}
}

// add adds a result. If a fit has two results, the first stays.
func (row *rowFits) add(r *Result) {
	key := repeatKey{r.Seed, r.Repeat}
	if row.repeats[key] == nil {
		row.repeats[key] = make(map[int]*Result)
	}
	if row.repeats[key][r.Fold] == nil {
		row.repeats[key][r.Fold] = r
	}
}

// Complete returns the complete repeats among the fits of one setting on one set under one protocol, in the order of seeds
// and repeats, each with its folds in order. Of two results of a fit the first counts.
func Complete(fits []Result) (repeats [][]Result) {
	row := rowFits{repeats: make(map[repeatKey]map[int]*Result)}
	for i := range fits {
		row.add(&fits[i])
	}
	for _, key := range slices.SortedFunc(maps.Keys(row.repeats), repeatKey.compare) {
		var folds []Result
		for _, fold := range slices.Sorted(maps.Keys(row.repeats[key])) {
			folds = append(folds, *row.repeats[key][fold])
		}
		if len(folds) == folds[0].FoldsRun {
			repeats = append(repeats, folds)
		}
	}
	return repeats
}

// dropIncomplete removes repeats that lack a fold, and notes it.
func (row *rowFits) dropIncomplete(t *Table) {
	var dropped, total int
	for key, folds := range row.repeats {
		total++
		for _, r := range folds {
			if len(folds) < r.FoldsRun {
				dropped++
				delete(row.repeats, key)
			}
			break
		}
	}
	if dropped > 0 {
		t.note(row, dropped, total)
	}
}

func (t *Table) note(row *rowFits, dropped, total int) {
	t.Notes = append(t.Notes, fmt.Sprintf("%s, %s: %d of %d repeats left out, not all of their fits are finished; run again to finish them", row.set.shown, row.label, dropped, total))
}

// chooseInside makes one row per pooling from the rows of a nested comparison.
func chooseInside(c comparison, t *Table) (rows []*rowFits, err error) {
	for some := range adjacent(c.rows, func(a, b *rowFits) bool { return a.setting.pooling == b.setting.pooling }) {
		row, err := c.choose(some, some[0].setting.pooling, t)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// choose makes one row from candidates: in each fold it takes the one that is best on the validation part. A repeat
// that lacks a fit of any candidate is left out and noted, because its choice is still open.
func (c comparison) choose(candidates []*rowFits, name string, t *Table) (*rowFits, error) {
	if len(candidates) == 1 {
		return candidates[0], nil // only the epoch to choose
	}
	row := &rowFits{set: c.set, setting: setting{pooling: name}, label: name + " (chosen inside)", repeats: make(map[repeatKey]map[int]*Result)}
	keys := make(map[repeatKey]bool)
	for _, candidate := range candidates {
		for key := range candidate.repeats {
			keys[key] = true
		}
	}
	chosen := make(map[*rowFits]int)
	dropped := 0
	for key := range keys {
		if slices.ContainsFunc(candidates, func(r *rowFits) bool { return len(r.repeats[key]) < c.run }) {
			dropped++
			continue
		}
		for fold := range c.run {
			best, err := bestInside(candidates, key, fold)
			if err != nil {
				return nil, err
			}
			chosen[best]++
			row.add(best.repeats[key][fold])
		}
	}
	if dropped > 0 {
		t.note(row, dropped, len(keys))
	}
	for _, candidate := range candidates {
		if n := chosen[candidate]; n > 0 {
			row.chosen = append(row.chosen, Chosen{Config: candidate.config, Fits: n})
		}
	}
	slices.SortStableFunc(row.chosen, func(a, b Chosen) int { return b.Fits - a.Fits })
	return row, nil
}

// bestInside returns the candidate that is best on the validation part of a fold.
func bestInside(candidates []*rowFits, key repeatKey, fold int) (*rowFits, error) {
	var best *rowFits
	var most Inside
	for _, candidate := range candidates {
		inside, err := candidate.repeats[key][fold].ValidationFigures()
		if err != nil {
			return nil, err
		}
		if best == nil || inside.Better(most) {
			best, most = candidate, inside
		}
	}
	return best, nil
}

// nameSets chooses the names of sets in the table: the newest name, plus the start of the checksum if different sets
// share it. It notes both shared and former names.
func nameSets(sets []*content, t *Table) {
	count := make(map[string]int)
	for _, set := range sets {
		count[set.name()]++
	}
	for i, set := range sets {
		set.shown = set.name()
		if n := count[set.name()]; n > 1 {
			set.shown += " (" + set.checksum[:min(8, len(set.checksum))] + ")"
			if i == 0 || sets[i-1].name() != set.name() {
				t.Notes = append(t.Notes, fmt.Sprintf("%s: %d sets of this name have different checksums; the start of them tells the sets apart", set.name(), n))
			}
		}
		if set.target == mil.ClassTarget {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: the classes are %s, in this order for kappa", set.shown, strings.Join(set.classes, ", ")))
		} else if len(set.classes) == 2 {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: positive is %s, negative %s", set.shown, set.classes[1], set.classes[0]))
		}
		if former := set.names[:len(set.names)-1]; len(former) > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%s: some of its results have the name %s; the bags are the same", set.shown, strings.Join(former, ", ")))
		}
	}
}

// noteMixtures notes the rows with fits from several backends, versions or revisions. These are not in the id of a
// fit, so a run can resume with another one. Rows with the same mixture share a note.
func (t *Table) noteMixtures() {
	t.noteRows(func(r Row) (mixture, row string) {
		var parts []string
		for _, of := range []struct {
			what   string
			values []string
		}{{"backends", r.Backends}, {"versions", r.Versions}, {"revisions", r.Revisions}} {
			if len(of.values) < 2 {
				continue
			}
			values := slices.Clone(of.values)
			if values[0] == "" {
				values[0] = "unknown"
			}
			parts = append(parts, fmt.Sprintf("%s (%s)", of.what, strings.Join(values, ", ")))
		}
		return strings.Join(parts, " and "), r.Set + ", " + r.Setting
	}, "; ", "%[2]s: fits from several %[1]s; run into a new folder for figures of one alone")
}

// noteThresholds notes the rows whose balanced accuracy is that of chance although scores separate the classes. Rows of a
// set share a note.
func (t *Table) noteThresholds() {
	t.noteRows(func(r Row) (set, row string) {
		if accuracy, there := r.Figures["balanced_accuracy"]; there && r.Target == mil.BinaryTarget && accuracy <= 0.55 && r.Mean >= 0.8 {
			set = r.Set
		}
		return set, r.Setting
	}, ", ", "%s: bal. acc. of %s is that of chance though the AUC is not: the score 0, a probability of 0.5, decides on the class, and nearly all bags are on one side of it; "+
		"milbench train --results chooses a threshold on held-out bags; for a rare class, networks take --class-weight balanced")
}

// noteRows adds a note for each subject, in the order of the rows. of returns the subject of a row, "" for none, and the name of the row;
// format gets the subject and the joined names.
func (t *Table) noteRows(of func(Row) (subject, row string), separator, format string) {
	var subjects []string
	rows := make(map[string][]string)
	for _, r := range t.Rows {
		subject, row := of(r)
		if subject == "" {
			continue
		}
		if rows[subject] == nil {
			subjects = append(subjects, subject)
		}
		rows[subject] = append(rows[subject], row)
	}
	for _, subject := range subjects {
		t.Notes = append(t.Notes, fmt.Sprintf(format, subject, strings.Join(rows[subject], separator)))
	}
}

// figures computes the row. It notes which figures are undefined, and why.
func (row *rowFits) figures(t *Table) (Row, error) {
	declared, _ := row.setting.values[declaredKey].(bool)
	out := Row{Declared: declared, Set: row.set.shown, Checksum: row.set.checksum, Leaked: row.set.leaked, Classes: row.set.classes, Setting: row.label, N: len(row.repeats),
		Target: row.set.target, Figure: mainFigure(row.set.target).heading, Config: row.config, Chosen: row.chosen, folds: make(map[foldKey]float64)}
	all, classes := figures[row.set.target], len(row.set.classes)
	sums, counts, lacks, why := make([]float64, len(all)), make([]int, len(all)), make([]int, len(all)), make([]error, len(all))
	backends, versions, revisions := make(map[string]bool), make(map[string]bool), make(map[string]bool)
	variance, defined := 0.0, row.set.target == mil.BinaryTarget
	var instances, groupMeans, groupMaxima, ofFolds []float64
	var localised []*Localised
	fits, labels := 0, make(map[string]bool)
	for _, key := range slices.SortedFunc(maps.Keys(row.repeats), repeatKey.compare) {
		folds := row.repeats[key]
		var pooled []ScoredBag
		foldSums, foldCounts, foldVariance := make([]float64, len(all)), make([]int, len(all)), 0.0
		for _, fold := range slices.Sorted(maps.Keys(folds)) {
			r := folds[fold]
			for i, f := range all {
				if !f.folds {
					continue
				}
				v, err := f.value(r.Bags, classes)
				if undefined(err) {
					lacks[i]++
					if why[i] == nil || errors.Is(err, errNoCurves) {
						why[i] = err
					}
					continue
				}
				if err != nil {
					return Row{}, r.testError(err)
				}
				foldSums[i] += v
				foldCounts[i]++
				if i == 0 {
					ofFolds = append(ofFolds, v)
					out.folds[foldKey{key, fold}] = v
				}
			}
			if defined {
				if _, se, err := stats.DeLong(LabelsScores(r.Bags)); err == nil {
					foldVariance += se * se
				} else {
					defined = false
				}
			}
			if r.InstanceAUC != nil {
				instances = append(instances, *r.InstanceAUC)
			}
			fits++
			if r.Localised != nil {
				localised = append(localised, r.Localised)
				labels[r.Localised.Labels] = true
			}
			if r.Group != nil {
				groupMeans, groupMaxima = append(groupMeans, r.Group.Mean), append(groupMaxima, r.Group.Max)
			}
			pooled = append(pooled, r.Bags...)
			backends[r.Backend], versions[r.Version], revisions[r.Revision] = true, true, true
			out.Protocol, out.Folds, out.FoldsRun, out.Inner, out.Splits, out.Shots = r.Protocol, r.Folds, r.FoldsRun, r.Inner, r.Splits, r.Shots
			out.Optimistic = out.Optimistic || r.Optimistic
		}
		n := float64(len(folds))
		variance += foldVariance / (n * n)
		out.TestBags = max(out.TestBags, len(pooled))

		slices.SortFunc(pooled, func(a, b ScoredBag) int { return cmp.Compare(a.ID, b.ID) })
		if n == 1 {
			labels, scores := LabelsScores(pooled)
			out.labels, out.scores = labels, append(out.scores, scores)
		}
		for i, f := range all {
			if f.folds {
				if foldCounts[i] > 0 {
					sums[i] += foldSums[i] / float64(foldCounts[i])
					counts[i]++
				}
				if i == 0 && foldCounts[0] > 0 {
					out.Values = append(out.Values, foldSums[0]/float64(foldCounts[0]))
				}
				continue
			}
			value, err := f.value(pooled, classes)
			if undefined(err) {
				lacks[i]++
				why[i] = cmp.Or(why[i], err)
				continue
			}
			if err != nil {
				return Row{}, fmt.Errorf("%s, %s: %w", row.set.shown, row.label, err)
			}
			sums[i] += value
			counts[i]++
		}
	}

	n := float64(out.N)
	out.Figures = make(map[string]float64)
	for i, f := range all {
		if errors.Is(why[i], errNoCurves) {
			continue
		}
		if i > 0 && counts[i] > 0 {
			out.Figures[f.key] = sums[i] / float64(counts[i])
		}
		if lacks[i] > 0 {
			of, what := out.N, "repeats"
			if f.folds {
				of, what = out.N*out.FoldsRun, "folds"
			}
			text := fmt.Sprintf(": %s is undefined in %d of %d %s, which are left out of it: %v", f.name, lacks[i], of, what, why[i])
			same := slices.IndexFunc(t.Notes, func(note string) bool {
				return strings.HasPrefix(note, row.set.shown+", ") && strings.HasSuffix(note, text)
			})
			if same < 0 {
				t.Notes = append(t.Notes, row.set.shown+", "+row.label+text)
			} else {
				t.Notes[same] = strings.TrimSuffix(t.Notes[same], text) + ", " + row.label + text
			}
		}
	}
	out.Mean = stat.Mean(out.Values, nil) // NaN without values
	if len(instances) > 0 {
		mean := stat.Mean(instances, nil)
		out.InstanceAUC = &mean
	}
	var err error
	if out.Localised, err = localisedRow(localised); err != nil {
		return Row{}, fmt.Errorf("%s, %s: %w", row.set.shown, row.label, err)
	}
	if n := len(localised); n > 0 && n < fits {
		t.Notes = append(t.Notes, fmt.Sprintf("%s, %s: %d of %d fits have figures of instances: the others have no test bag with instances of both kinds, or ran before there were labels", row.set.shown, row.label, n, fits))
	}
	if len(labels) > 1 {
		t.Notes = append(t.Notes, fmt.Sprintf("%s, %s: its fits are judged by %d different labels of instances; run it again with another --out", row.set.shown, row.label, len(labels)))
	}
	if len(groupMeans) > 0 {
		out.Group = &GroupFigure{stat.Mean(groupMeans, nil), stat.Mean(groupMaxima, nil)}
	}
	if defined {
		se := math.Sqrt(variance / n)
		out.SE = &se
	}
	if len(out.Values) > 1 {
		sd, err := stats.SD(out.Values)
		if err != nil {
			return Row{}, err
		}
		out.SD = &sd
	}
	if err := out.interval(ofFolds); err != nil {
		return Row{}, err
	}
	out.Backends, out.Versions, out.Revisions = slices.Sorted(maps.Keys(backends)), slices.Sorted(maps.Keys(versions)), slices.Sorted(maps.Keys(revisions))
	return out, nil
}

// interval computes the interval of the main figure from the repeats or, if they are few, from all folds.
func (r *Row) interval(folds []float64) (err error) {
	var low, high float64
	switch {
	case len(r.Values) >= fewestRepeats:
		r.Interval = OverRepeats
		_, low, high, err = stats.MeanInterval(r.Values, level)
	case len(folds) >= fewestFolds:
		r.Interval = OverFolds
		_, low, high, err = stats.CorrectedInterval(folds, 1/float64(r.Folds-1), level)
	case r.SE != nil:
		r.Interval = OverBags
		half := distuv.UnitNormal.Quantile((1+level)/2) * *r.SE
		low, high = r.Mean-half, r.Mean+half
	default:
		return nil
	}
	if err != nil || high-low <= tied { // equal figures say nothing about their spread
		r.Interval = ""
		return err
	}
	of := mainFigure(r.Target)
	low, high = max(low, of.least), min(high, of.most)
	r.Low, r.High = &low, &high
	return nil
}

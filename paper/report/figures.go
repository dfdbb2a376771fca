package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"synpool/milbench/mil"
	"synpool/milbench/results"
)

// fold names a fold of a repeat. Every drawing of a generated set, and every shuffle of labels, is a repeat of its own.
type fold struct {
	draw, seed   uint64
	repeat, fold int
}

func (k fold) compare(l fold) int {
	return cmp.Or(cmp.Compare(k.draw, l.draw), cmp.Compare(k.seed, l.seed), cmp.Compare(k.repeat, l.repeat), cmp.Compare(k.fold, l.fold))
}

// figures are test AUCs (or another figure) of single folds, by set and setting. All settings of a set have the same folds.
type figures[K cmp.Ordered] struct {
	sets     []string // in order
	settings []K      // in order
	folds    map[string]map[K][]float64
	keys     map[string][]fold // what folds hold, by set
	notes    []string          // what was left out
}

// newFigures computes the AUC of every fold; name names settings.
func newFigures[K cmp.Ordered](fits []results.Result, name func(config) K) figures[K] {
	return measure(fits, name, func(r results.Result) float64 { return must(r.Figure()) })
}

// design is what all results on a set must share to be compared.
type design struct {
	protocol          string
	folds, run, inner int
}

// measure computes a figure of every fold. Of every set it keeps the repeats that are complete in all settings, leaves out
// the settings that have none, and notes both. It fails on results of two protocols, folds or contents under one name.
func measure[K cmp.Ordered](fits []results.Result, name func(config) K, value func(results.Result) float64) figures[K] {
	type drawing struct {
		set  string
		draw uint64
	}
	cells := make(map[string]map[K]map[fold]float64)
	sums := make(map[drawing]string)
	designs := make(map[string]design)
	for _, r := range fits {
		set, draw := drawingOf(r.Set)
		setting := name(configOf(r))
		d := design{r.Protocol, r.Folds, r.FoldsRun, r.Inner}
		if cells[set] == nil {
			cells[set], designs[set] = make(map[K]map[fold]float64), d
		}
		if first := designs[set]; first != d {
			panic(failure{fmt.Errorf("%s: results under %s of %d folds (%d inner) and under %s of %d (%d inner); archive one of them alone",
				r.Set, first.protocol, first.folds, first.inner, d.protocol, d.folds, d.inner)})
		}
		at := drawing{set, draw}
		if first, known := sums[at]; known && first != r.Checksum {
			try(fmt.Errorf("%s: results on two sets of this name, with checksums %.8s and %.8s; archive one of them alone", r.Set, first, r.Checksum))
		}
		sums[at] = r.Checksum
		if cells[set][setting] == nil {
			cells[set][setting] = make(map[fold]float64)
		}
		key := fold{draw, r.Seed, r.Repeat, r.Fold}
		if _, known := cells[set][setting][key]; !known {
			cells[set][setting][key] = value(r)
		}
	}
	f := figures[K]{folds: make(map[string]map[K][]float64), keys: make(map[string][]fold)}
	for set, bySetting := range cells {
		kept, notes := completeFolds(bySetting, designs[set].run)
		for _, note := range notes {
			f.notes = append(f.notes, set+": "+note)
		}
		if len(kept) == 0 {
			continue
		}
		f.sets = append(f.sets, set)
		f.keys[set] = kept
		f.folds[set] = make(map[K][]float64)
		for setting, values := range bySetting {
			for _, key := range kept {
				f.folds[set][setting] = append(f.folds[set][setting], values[key])
			}
			if !slices.Contains(f.settings, setting) {
				f.settings = append(f.settings, setting)
			}
		}
	}
	slices.Sort(f.settings)
	slices.Sort(f.notes)
	slices.SortFunc(f.sets, mil.CompareNatural)
	return f
}

// completeFolds returns the folds of the repeats that are complete in all settings but those that have no complete one, which
// it deletes, and what was left out.
func completeFolds[K cmp.Ordered](cells map[K]map[fold]float64, run int) (kept []fold, notes []string) {
	repeats := make(map[fold]int) // settings in which it is complete
	settings := len(cells)
	for setting, values := range cells {
		folds := make(map[fold]int)
		for key := range values {
			key.fold = 0
			folds[key]++
		}
		complete := 0
		for key, n := range folds {
			repeats[key] += 0 // it counts as one that was begun
			if n == run {
				repeats[key]++
				complete++
			}
		}
		if complete == 0 {
			delete(cells, setting)
		}
	}
	if n := settings - len(cells); n > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d settings left out, they have no complete repeat", n, settings))
	}
	dropped := 0
	for key, n := range repeats {
		if n < len(cells) || n == 0 {
			dropped++
			continue
		}
		for i := range run {
			key.fold = i
			kept = append(kept, key)
		}
	}
	if dropped > 0 {
		notes = append(notes, fmt.Sprintf("%d of %d repeats left out of the tests, not all of their settings are finished", dropped, len(repeats)))
	}
	slices.SortFunc(kept, fold.compare)
	return kept, notes
}

// mean returns the mean over the folds, to nine digits, so that equal AUCs are equal.
func (f figures[K]) mean(set string, setting K) float64 { return round(mean(f.folds[set][setting])) }

func mean(values []float64) float64 { return stat.Mean(values, nil) }

func round(v float64) float64 { return math.Round(v*1e9) / 1e9 }

// table returns the means of settings, one row per set.
func (f figures[K]) table(sets []string, settings []K) [][]float64 {
	var rows [][]float64
	for _, set := range sets {
		var row []float64
		for _, s := range settings {
			row = append(row, f.mean(set, s))
		}
		rows = append(rows, row)
	}
	return rows
}

// has reports whether all settings have been run on a set.
func (f figures[K]) has(set string, settings ...K) bool {
	return !slices.ContainsFunc(settings, func(s K) bool { return len(f.folds[set][s]) == 0 })
}

// complete returns the sets on which all settings have been run.
func (f figures[K]) complete(settings ...K) []string {
	return without(f.sets, func(set string) bool { return !f.has(set, settings...) })
}

// Incomplete returns a paragraph of what was left out, "" if nothing was.
func (f figures[K]) Incomplete() string {
	if len(f.notes) == 0 {
		return ""
	}
	return "Not complete: " + strings.Join(f.notes, "; ") + "."
}

// without returns what is left of a list, in a list of its own.
func without[T any](list []T, drop func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), drop)
}

// column returns the values of rows at k.
func column(rows [][]float64, k int) (values []float64) {
	for _, row := range rows {
		values = append(values, row[k])
	}
	return values
}

// less returns a - b, value by value.
func less(a, b []float64) []float64 { return floats.SubTo(make([]float64, len(a)), a, b) }

// What a changed set's name has after its own.
const (
	leakSuffix     = "+leak"
	shuffledSuffix = "-shuffled"
	drawSuffix     = "-draw"
)

// drawingOf returns what repeated drawings of a set, or shuffles of its labels, have in common, and the seed of this one,
// 0 where there is only one: "needle-0.05-draw-2" is the second of "needle-0.05" in a study of seed 1, "web1-shuffled-3" the
// third of "web1-shuffled".
func drawingOf(set string) (name string, draw uint64) {
	at := max(strings.LastIndex(set, "-"), 0)
	n, err := strconv.ParseUint(strings.TrimPrefix(set[at:], "-"), 10, 64)
	if err != nil {
		return set, 0
	}
	if name, drawn := strings.CutSuffix(set[:at], drawSuffix); drawn {
		return name, n
	}
	if strings.HasSuffix(set[:at], shuffledSuffix) {
		return set[:at], n
	}
	return set, 0
}

// changed returns the name of a set and its change.
func changed(name string) (set, suffix string) {
	name, _ = drawingOf(name)
	for _, suffix := range []string{leakSuffix, shuffledSuffix} {
		if set, found := strings.CutSuffix(name, suffix); found {
			return set, suffix
		}
	}
	return name, ""
}

// isWeb reports whether a set is one of Web 1 to 9, with noise or without.
func isWeb(set string) bool {
	set, _ = changed(set)
	set, _, _ = strings.Cut(set, "+")
	number, found := strings.CutPrefix(set, "web")
	_, err := strconv.Atoi(number)
	return found && err == nil
}

// config is what sections want to know of a setting.
type config struct {
	Learner      string // of a classical one
	Pooling      string
	Iterations   int
	Members      int
	Gamma, Scale float64
	Heads        int
	Norm         bool
	Width        int
	Epochs       int
	Renormalise  bool
	TrueGradient bool `json:"true_gradient"`
	Dropout      float64
	Candidates   []struct { // of a portfolio
		Pooling string
		Epochs  int
	}
}

// decode reads a setting.
func decode(text json.RawMessage) (c config, err error) {
	if err = json.Unmarshal(text, &c); err != nil {
		err = fmt.Errorf("setting %.60q: %w", text, err)
	}
	return c, err
}

func configOf(r results.Result) config {
	c, err := decode(r.Config)
	if err != nil {
		try(fmt.Errorf("%s: %w", r.Set, err))
	}
	return c
}

// of returns the results of some settings.
func of(fits []results.Result, is func(config) bool) []results.Result {
	return without(fits, func(r results.Result) bool { return !is(configOf(r)) })
}

// label names a setting by its pooling and, of Syn, its I.
func (c config) label() string {
	if c.Pooling == "syn" {
		return "syn I = " + integer(c.Iterations)
	}
	return c.Pooling
}

// withPreset adds to the label which setting of Syn it is of.
func (c config) withPreset() string {
	if c.Pooling == "syn" || c.Pooling == "softmax" {
		return c.label() + ", " + c.preset()
	}
	return c.label()
}

// steps returns the I of Syn.
func (c config) steps() int {
	if c.Pooling != "syn" {
		try(fmt.Errorf("a setting of %s has no I; settings of this study are of syn", c.Pooling))
	}
	return c.Iterations
}

// rowNamed returns the function that names the setting of a row; one that the validation part chose keeps its name.
func rowNamed(name func(config) string) func(results.Row) string {
	return func(r results.Row) string {
		if c, err := decode(r.Config); err == nil {
			return name(c)
		}
		return r.Setting
	}
}

var label = rowNamed(config.label)

package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"synpool/milbench/stats"
	"synpool/milbench/study"
)

// figures are the test AUCs of single folds, by set and setting.
type figures struct {
	sets     []string // in order
	settings []string // in order
	folds    map[string]map[string][]float64
	ratio    map[string]float64 // of test to training bags, by set; 0 for an official split, where repeats differ by seed
}

// newFigures computes the AUC of every fold. The settings of each set must have been run on the same folds.
func newFigures(results []study.Result, name func(study.Result) string) (figures, error) {
	results = slices.Clone(results)
	slices.SortStableFunc(results, func(a, b study.Result) int {
		return cmp.Or(cmp.Compare(a.Seed, b.Seed), cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(a.Fold, b.Fold))
	})
	f := figures{folds: make(map[string]map[string][]float64), ratio: make(map[string]float64)}
	for _, r := range results {
		var labels []int
		var scores []float64
		for _, b := range r.Bags {
			labels, scores = append(labels, b.Label), append(scores, b.Score)
		}
		auc, err := stats.AUC(labels, scores)
		if err != nil {
			return figures{}, fmt.Errorf("%s: fit %s: %w", r.Set, r.Fit, err)
		}
		if f.folds[r.Set] == nil {
			f.folds[r.Set] = make(map[string][]float64)
			f.sets = append(f.sets, r.Set)
			if r.Folds > 1 {
				f.ratio[r.Set] = 1 / float64(r.Folds-1)
			}
		}
		setting := name(r)
		if !slices.Contains(f.settings, setting) {
			f.settings = append(f.settings, setting)
		}
		f.folds[r.Set][setting] = append(f.folds[r.Set][setting], auc)
	}
	slices.SortFunc(f.sets, study.CompareNatural)
	return f, nil
}

// mean returns the mean over the folds.
func (f figures) mean(set, setting string) float64 {
	sum := 0.0
	for _, v := range f.folds[set][setting] {
		sum += v
	}
	return sum / float64(len(f.folds[set][setting]))
}

// table returns the means of settings, a row a set.
func (f figures) table(sets, settings []string) [][]float64 {
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

// complete returns the sets on which all settings have been run.
func (f figures) complete(settings []string) (sets []string) {
	for _, set := range f.sets {
		if !slices.ContainsFunc(settings, func(s string) bool { return len(f.folds[set][s]) == 0 }) {
			sets = append(sets, set)
		}
	}
	return sets
}

// config is what sections want to know of a setting.
type config struct {
	Pooling      string
	Iterations   int
	Members      int
	Gamma, Scale float64
	Heads        int
	Norm         bool
	Renormalise  bool
	TrueGradient bool `json:"true_gradient"`
	Dropout      float64
}

func configOf(text json.RawMessage) (c config, err error) {
	err = json.Unmarshal(text, &c)
	return c, err
}

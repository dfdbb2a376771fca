package study

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"synpool/milbench"
	"synpool/milbench/stats"
)

// Level is the level of the confidence intervals of a table.
const Level = 0.95

// Row is the figures of one setting on one set. A repeat's AUC and average precision are means over its folds; its
// pooled AUC, accuracies and log-loss are of the scores of all its folds together. A row has their means over repeats.
type Row struct {
	Set        string   `json:"set"`
	Setting    string   `json:"setting"` // the pooling and what tells the row from others of the set
	AUCMean    float64  `json:"auc_mean"`
	AUCSD      *float64 `json:"auc_sd"` // over repeats; null for one repeat
	N          int      `json:"n"`      // complete repeats
	Protocol   string   `json:"protocol"`
	Optimistic bool     `json:"optimistic"`
	Leaked     bool     `json:"leaked"`

	Folds    int `json:"folds"`     // into which a repeat cuts the set; 1 for an official split
	FoldsRun int `json:"folds_run"` // of these
	TestBags int `json:"test_bags"` // of a repeat

	AUCLow  *float64  `json:"auc_low"` // 95 % t interval over repeats, cut at 0 and 1; null for one repeat
	AUCHigh *float64  `json:"auc_high"`
	AUCs    []float64 `json:"aucs"` // of each repeat

	// AUCSE is the standard error of one repeat's AUC: DeLong's of each fold, folds taken as independent, root mean
	// square over repeats. Null where a fold has fewer than two bags of a class.
	AUCSE            *float64 `json:"auc_se"`
	AUCPooled        float64  `json:"auc_pooled"`
	AveragePrecision float64  `json:"average_precision"`
	Accuracy         float64  `json:"accuracy"`
	BalancedAccuracy float64  `json:"balanced_accuracy"`
	LogLoss          float64  `json:"log_loss"`

	Checksum string          `json:"checksum"`
	Config   json.RawMessage `json:"config"`           // null where the validation part chose it
	Chosen   []Chosen        `json:"chosen,omitempty"` // what it chose, most often first
	Backends []string        `json:"backends"`
}

// Chosen is a setting that the validation part chose, and in how many fits.
type Chosen struct {
	Config json.RawMessage `json:"config"`
	Fits   int             `json:"fits"`
}

// Table is the rows of a results folder, and what a reader should know beside them.
type Table struct {
	Rows  []Row
	Notes []string // what was left out
}

// Tabulate computes a table from raw results, in any order. Rows are ordered by set, protocol and setting. Repeats
// that lack a fold are left out and noted.
//
// Under the nested protocol a set has one row a pooling, for which the validation parts choose among its settings: in
// every fold the setting with the best AUC on the validation part counts, of equals that with the least log-loss there,
// then the first in order.
func Tabulate(results []Result) (Table, error) {
	studies, err := gather(results)
	if err != nil {
		return Table{}, err
	}
	var t Table
	var rows []*rowFits
	for _, study := range studies {
		if study.protocol == milbench.NestedProtocol {
			if study, err = chooseInside(study, &t); err != nil {
				return Table{}, err
			}
		}
		rows = append(rows, study.rows...)
	}
	nameSets(rows)
	for _, r := range rows {
		r.dropIncomplete(&t)
		if len(r.repeats) == 0 {
			continue
		}
		row, err := r.figures()
		if err != nil {
			return Table{}, err
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// repeatKey names a repeat: repeats of studies with other seeds are repeats too.
type repeatKey struct {
	seed   uint64
	repeat int
}

func (k repeatKey) compare(l repeatKey) int {
	return cmp.Or(cmp.Compare(k.seed, l.seed), cmp.Compare(k.repeat, l.repeat))
}

// rowFits is the results of which one row is made.
type rowFits struct {
	set, checksum string
	setting       setting
	label         string
	config        json.RawMessage
	chosen        []Chosen
	repeats       map[repeatKey]map[int]*Result // repeat, fold
}

// studyKey is what the rows of one comparison share.
type studyKey struct {
	set, checksum, protocol string
	folds, run              int
	leaked                  bool
}

// comparison is the rows of one set under one protocol.
type comparison struct {
	studyKey
	rows []*rowFits
}

// gather sorts results into rows, in the order of the table, with their labels.
func gather(results []Result) ([]comparison, error) {
	rows := make(map[studyKey]map[string]*rowFits)
	for i := range results {
		r := &results[i]
		key := studyKey{r.Set, r.Checksum, r.Protocol, r.Folds, r.FoldsRun, r.Leaked}
		config, err := canonical(r.Config)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Set, err)
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
			row = &rowFits{set: r.Set, checksum: r.Checksum, setting: s, config: config, repeats: make(map[repeatKey]map[int]*Result)}
			rows[key][string(config)] = row
		}
		row.add(r)
	}

	var all []comparison
	for key, byConfig := range rows {
		c := comparison{studyKey: key, rows: slices.SortedFunc(maps.Values(byConfig), func(a, b *rowFits) int {
			return compareSettings(a.setting, b.setting)
		})}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b comparison) int {
		return cmp.Or(compareNatural(a.set, b.set), strings.Compare(a.checksum, b.checksum),
			cmp.Compare(slices.Index(milbench.ProtocolNames, a.protocol), slices.Index(milbench.ProtocolNames, b.protocol)),
			strings.Compare(a.protocol, b.protocol), cmp.Compare(a.folds, b.folds), cmp.Compare(a.run, b.run),
			compareBools(a.leaked, b.leaked))
	})
	labelRows(all)
	return all, nil
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// labelRows labels every row by the keys that differ among all rows of its set's name.
func labelRows(all []comparison) {
	bySet := make(map[string][]setting)
	for _, c := range all {
		for _, row := range c.rows {
			bySet[c.set] = append(bySet[c.set], row.setting)
		}
	}
	for _, c := range all {
		keys := differing(bySet[c.set])
		for _, row := range c.rows {
			row.label = row.setting.label(keys)
		}
	}
}

// add puts r into its place; of two results of one fit the first stays.
func (row *rowFits) add(r *Result) {
	key := repeatKey{r.Seed, r.Repeat}
	if row.repeats[key] == nil {
		row.repeats[key] = make(map[int]*Result)
	}
	if row.repeats[key][r.Fold] == nil {
		row.repeats[key][r.Fold] = r
	}
}

// dropIncomplete drops the repeats that lack a fold and notes it.
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
	t.Notes = append(t.Notes, fmt.Sprintf("%s, %s: %d of %d repeats left out, not all of their fits are finished; run again to finish them", row.set, row.label, dropped, total))
}

// chooseInside makes one row a pooling out of the rows of a nested comparison. Repeats that lack a fit of any setting
// of the pooling are left out and noted: their choice is still open.
func chooseInside(c comparison, t *Table) (comparison, error) {
	inside := comparison{studyKey: c.studyKey}
	for rest := c.rows; len(rest) > 0; {
		pooling := rest[0].setting.pooling
		n := slices.IndexFunc(rest, func(r *rowFits) bool { return r.setting.pooling != pooling })
		if n < 0 {
			n = len(rest)
		}
		candidates := rest[:n]
		rest = rest[n:]
		if n == 1 {
			inside.rows = append(inside.rows, candidates[0]) // nothing to choose but the epoch
			continue
		}

		row := &rowFits{set: c.set, checksum: c.checksum, setting: setting{pooling: pooling}, label: pooling + " (chosen inside)",
			repeats: make(map[repeatKey]map[int]*Result)}
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
					return comparison{}, err
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
		inside.rows = append(inside.rows, row)
	}
	return inside, nil
}

// bestInside returns the candidate that is best on the validation part of a fold.
func bestInside(candidates []*rowFits, key repeatKey, fold int) (*rowFits, error) {
	var best *rowFits
	var bestAUC, bestLoss float64
	for _, candidate := range candidates {
		r := candidate.repeats[key][fold]
		labels, scores := labelsScores(r.Validation)
		auc, err := stats.AUC(labels, scores)
		if err != nil {
			return nil, fmt.Errorf("%s: fit %s, validation part: %w", r.Set, r.Fit, err)
		}
		loss, err := stats.LogLoss(labels, scores)
		if err != nil {
			return nil, fmt.Errorf("%s: fit %s, validation part: %w", r.Set, r.Fit, err)
		}
		if best == nil || auc > bestAUC || auc == bestAUC && loss < bestLoss {
			best, bestAUC, bestLoss = candidate, auc, loss
		}
	}
	return best, nil
}

// nameSets tells sets of one name and different content apart by the start of their checksums.
func nameSets(rows []*rowFits) {
	sums := make(map[string]map[string]bool)
	for _, row := range rows {
		if sums[row.set] == nil {
			sums[row.set] = make(map[string]bool)
		}
		sums[row.set][row.checksum] = true
	}
	for _, row := range rows {
		if len(sums[row.set]) > 1 {
			row.set += " (" + row.checksum[:min(8, len(row.checksum))] + ")"
		}
	}
}

// figures computes the row.
func (row *rowFits) figures() (Row, error) {
	out := Row{Set: row.set, Setting: row.label, N: len(row.repeats), Config: row.config, Chosen: row.chosen}
	backends := make(map[string]bool)
	variance, defined := 0.0, true
	for _, key := range slices.SortedFunc(maps.Keys(row.repeats), repeatKey.compare) {
		folds := row.repeats[key]
		var pooled []ScoredBag
		var auc, precision, foldVariance float64
		for _, fold := range slices.Sorted(maps.Keys(folds)) {
			r := folds[fold]
			labels, scores := labelsScores(r.Bags)
			a, err1 := stats.AUC(labels, scores)
			p, err2 := stats.AveragePrecision(labels, scores)
			if err := errors.Join(err1, err2); err != nil {
				return Row{}, fmt.Errorf("%s: fit %s, test part: %w", r.Set, r.Fit, err)
			}
			auc += a
			precision += p
			if _, se, err := stats.DeLong(labels, scores); err == nil {
				foldVariance += se * se
			} else {
				defined = false
			}
			pooled = append(pooled, r.Bags...)
			backends[r.Backend] = true
			out.Protocol, out.Folds, out.FoldsRun, out.Checksum = r.Protocol, r.Folds, r.FoldsRun, r.Checksum
			out.Optimistic = out.Optimistic || r.Optimistic
			out.Leaked = out.Leaked || r.Leaked
		}
		n := float64(len(folds))
		out.AUCs = append(out.AUCs, auc/n)
		out.AveragePrecision += precision / n
		variance += foldVariance / (n * n)
		out.TestBags = max(out.TestBags, len(pooled))

		labels, scores := labelsScores(pooled)
		for _, figure := range []struct {
			sum     *float64
			compute func([]int, []float64) (float64, error)
		}{
			{&out.AUCPooled, stats.AUC},
			{&out.Accuracy, stats.Accuracy},
			{&out.BalancedAccuracy, stats.BalancedAccuracy},
			{&out.LogLoss, stats.LogLoss},
		} {
			value, err := figure.compute(labels, scores)
			if err != nil {
				return Row{}, fmt.Errorf("%s, %s: %w", row.set, row.label, err)
			}
			*figure.sum += value
		}
	}

	n := float64(out.N)
	for _, figure := range []*float64{&out.AveragePrecision, &out.AUCPooled, &out.Accuracy, &out.BalancedAccuracy, &out.LogLoss} {
		*figure /= n
	}
	for _, a := range out.AUCs {
		out.AUCMean += a / n
	}
	if defined {
		se := math.Sqrt(variance / n)
		out.AUCSE = &se
	}
	if out.N > 1 {
		sd, err := stats.SD(out.AUCs)
		if err != nil {
			return Row{}, err
		}
		_, low, high, err := stats.MeanInterval(out.AUCs, Level)
		if err != nil {
			return Row{}, err
		}
		low, high = max(low, 0), min(high, 1)
		out.AUCSD, out.AUCLow, out.AUCHigh = &sd, &low, &high
	}
	out.Backends = slices.Sorted(maps.Keys(backends))
	return out, nil
}

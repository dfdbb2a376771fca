package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/plotting"
)

// The epochs of a network say which grid of the experiment networks its setting is of.
const (
	smallEpochs     = 60  // the settings for a few hundred bags
	searchedEpochs  = 80  // those drawn at random from our grid
	publishedEpochs = 160 // those drawn from the grid of Ramsauer et al. 2021
)

// anyPooling stands for all poolings together.
const anyPooling = "all four"

// network is a setting of the experiment networks.
type network struct {
	epochs  int
	pooling string // anyPooling of a portfolio of several
	joined  bool   // a portfolio
}

// networkOf reads a setting.
func networkOf(text json.RawMessage) (n network, err error) {
	type one struct {
		Pooling string
		Epochs  int
	}
	var s struct {
		one
		Candidates []one
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return n, fmt.Errorf("setting %.60q: %w", text, err)
	}
	if len(s.Candidates) == 0 {
		return network{epochs: s.Epochs, pooling: s.Pooling}, nil
	}
	n = network{epochs: s.Candidates[0].Epochs, pooling: s.Candidates[0].Pooling, joined: true}
	if slices.ContainsFunc(s.Candidates, func(c one) bool { return c.Pooling != n.pooling }) {
		n.pooling = anyPooling
	}
	return n, nil
}

// searches are the results of the experiment networks, by what they are of.
type searches struct {
	fits map[search][]results.Result
	sets []string
}

// search is a network under a protocol.
type search struct {
	network
	protocol string
	inner    int
}

// nestedIn returns the search of a network under the nested protocol with inner folds.
func (n network) nestedIn(inner int) search { return search{n, cv.NestedProtocol, inner} }

// searchesOf sorts results; what is of each pooling is of all of them, too, but portfolios.
func searchesOf(fits []results.Result) (s searches, inner int, err error) {
	s.fits = make(map[search][]results.Result)
	for _, r := range fits {
		n, err := networkOf(r.Config)
		if err != nil {
			return s, 0, err
		}
		inner = max(inner, r.Inner)
		at := search{n, r.Protocol, r.Inner}
		s.fits[at] = append(s.fits[at], r)
		if !n.joined {
			at.pooling = anyPooling
			s.fits[at] = append(s.fits[at], r)
		}
		if !slices.Contains(s.sets, r.Set) {
			s.sets = append(s.sets, r.Set)
		}
	}
	slices.SortFunc(s.sets, mil.CompareNatural)
	return s, inner, nil
}

// choice returns what is chosen among the settings of a search on a set; ok is false where there are not two.
func (s searches) choice(of search, set string) (c choice, ok bool, err error) {
	all, err := choicesOf(slices.DeleteFunc(slices.Clone(s.fits[of]), func(r results.Result) bool { return r.Set != set }))
	if err != nil || len(all) == 0 {
		return choice{}, false, err
	}
	return all[0], true, nil
}

// means returns the mean AUC over the folds of a set, of each setting of a search.
func (s searches) means(of search, set string) (map[string]float64, error) {
	folds := make(map[string][]float64)
	for _, r := range s.fits[of] {
		if r.Set != set {
			continue
		}
		auc, err := r.Figure()
		if err != nil {
			return nil, err
		}
		folds[string(r.Config)] = append(folds[string(r.Config)], auc)
	}
	means := make(map[string]float64)
	for setting, aucs := range folds {
		means[setting] = stat.Mean(aucs, nil)
	}
	return means, nil
}

// mean returns the mean of [searches.means] and the largest; NaN where there is none.
func (s searches) mean(of search, set string) (mean, best float64, err error) {
	means, err := s.means(of, set)
	if err != nil || len(means) == 0 {
		return math.NaN(), math.NaN(), err
	}
	values := slices.Sorted(maps.Values(means))
	return stat.Mean(values, nil), slices.Max(values), nil
}

// orNone writes a number, "" for NaN.
func orNone(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return number(v)
}

// networks is the section of the experiment networks.
func networks(a results.Archive) (string, error) {
	s, inner, err := searchesOf(a.Results)
	if err != nil {
		return "", err
	}
	found, err := s.found(inner)
	if err != nil {
		return "", err
	}
	var rows [][]string
	var sets []string
	gains, more := make(map[string][]float64), make(map[string][]float64) // of what is chosen and joined over the small settings, by set
	for _, f := range found {
		rows = append(rows, []string{f.set, f.pooling, orNone(f.small), number(f.all), number(f.test), orNone(f.joined), number(f.hindsight), f.best, signedOrNone(f.together)})
		if f.pooling != anyPooling && !math.IsNaN(f.small) && !math.IsNaN(f.joined) {
			if gains[f.set] == nil {
				sets = append(sets, f.set)
			}
			gains[f.set], more[f.set] = append(gains[f.set], f.test-f.small), append(more[f.set], f.joined-f.small)
		}
	}
	var chosen, joined []float64
	for _, set := range sets {
		chosen, joined = append(chosen, stat.Mean(gains[set], nil)), append(joined, stat.Mean(more[set], nil))
	}
	if len(rows) == 0 {
		return "", errIncomplete
	}
	var b strings.Builder
	b.WriteString("Networks whose settings are drawn at random, AUC of the test parts. Inner folds choose one of them, or join them (`auto`). \"Small\" are our settings for a few hundred bags.\n\n" +
		wordTable([]string{"set", "pooling", "small", "one drawn at random", "chosen", "joined", "best in hindsight", "which", "τ-b in a fold"}, rows))
	if len(sets) > 1 {
		one, err := acrossSets(sets, chosen)
		if err != nil {
			return "", err
		}
		all, err := acrossSets(sets, joined)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "A chosen network less the small settings of its pooling: %s (95 %% interval %s). The joined networks less the small settings: %s (%s).\n\n", signed(one[0].mean), one[0].interval(), signed(all[0].mean), all[0].interval())
	}
	text, err := s.small(inner)
	if err != nil {
		return "", err
	}
	b.WriteString(text)
	if text, err = s.hyperparameters(inner); err != nil {
		return "", err
	}
	b.WriteString(text)
	if text, err = s.besidePublished(inner); err != nil {
		return "", err
	}
	b.WriteString(text)
	return b.String(), nil
}

// small has a line for each set and a column for each pooling with small settings, the best first.
func (s searches) small(inner int) (string, error) {
	mean, columns := make(map[string]float64), []string(nil)
	for of := range s.fits {
		if of.epochs != smallEpochs || of.joined || of.pooling == anyPooling {
			continue
		}
		for _, set := range s.sets {
			auc, _, err := s.mean(of, set)
			if err != nil {
				return "", err
			}
			mean[of.pooling] += auc / float64(len(s.sets)) // NaN where a set is missing
		}
		if !math.IsNaN(mean[of.pooling]) {
			columns = append(columns, of.pooling)
		}
	}
	if len(columns) < 2 {
		return "", nil
	}
	slices.SortFunc(columns, func(a, b string) int { return cmp.Or(cmp.Compare(mean[b], mean[a]), cmp.Compare(a, b)) })
	var rows [][]string
	for _, set := range s.sets {
		row := []string{set}
		for _, pooling := range columns {
			auc, _, err := s.mean(network{epochs: smallEpochs, pooling: pooling}.nestedIn(inner), set)
			if err != nil {
				return "", err
			}
			row = append(row, number(auc))
		}
		rows = append(rows, row)
	}
	return "Every pooling with its small settings, in the order of the mean over sets:\n\n" + table(append([]string{"set"}, columns...), rows), nil
}

// outcome is what a search of the settings of a pooling finds on a set; NaN is what was not run.
type outcome struct {
	choice
	pooling       string
	small, joined float64
}

// found returns what is found on each set, pooling by pooling.
func (s searches) found(inner int) (list []outcome, err error) {
	for _, set := range s.sets {
		for _, pooling := range s.poolings() {
			of := network{epochs: searchedEpochs, pooling: pooling}
			c, ok, err := s.choice(of.nestedIn(inner), set)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			one := outcome{choice: c, pooling: pooling, small: math.NaN()}
			if pooling != anyPooling {
				if one.small, _, err = s.mean(network{epochs: smallEpochs, pooling: pooling}.nestedIn(inner), set); err != nil {
					return nil, err
				}
			}
			of.joined = true
			if one.joined, _, err = s.mean(of.nestedIn(inner), set); err != nil {
				return nil, err
			}
			list = append(list, one)
		}
	}
	return list, nil
}

// networksMap draws what is found beside the small settings.
func networksMap(a results.Archive) (*plotting.Figure, error) {
	s, inner, err := searchesOf(a.Results)
	if err != nil {
		return nil, err
	}
	all, err := s.found(inner)
	if err != nil {
		return nil, err
	}
	var sets, columns []string
	values := make(map[string]map[string]float64) // by set and column
	for _, f := range all {
		if values[f.set] == nil {
			values[f.set] = make(map[string]float64)
			sets = append(sets, f.set)
		}
		for _, c := range []struct {
			name string
			auc  float64
		}{{"small", f.small}, {"chosen", f.test}, {"joined", f.joined}} {
			name := f.pooling + ", " + c.name
			if math.IsNaN(c.auc) {
				continue
			}
			if values[f.set][name] = c.auc; !slices.Contains(columns, name) {
				columns = append(columns, name)
			}
		}
	}
	if len(sets) == 0 {
		return nil, errIncomplete
	}
	auc := make([][]float64, len(sets))
	for i, set := range sets {
		for _, c := range columns {
			v, there := values[set][c]
			if !there {
				v = math.NaN()
			}
			auc[i] = append(auc[i], v)
		}
	}
	return plotting.AUCTable("AUC of networks with small settings, with a setting chosen inside, and joined", sets, columns, auc)
}

// poolings are those that settings are drawn of, and all together where there are several.
func (s searches) poolings() (list []string) {
	for of := range s.fits {
		if of.epochs == searchedEpochs && !of.joined && of.pooling != anyPooling && !slices.Contains(list, of.pooling) {
			list = append(list, of.pooling)
		}
	}
	slices.Sort(list)
	if len(list) > 1 {
		list = append(list, anyPooling)
	}
	return list
}

// hyperparameters says what each value of the settings that were drawn is worth: the mean over sets of its AUC less that of all
// settings of the same poolings.
func (s searches) hyperparameters(inner int) (string, error) {
	type value struct{ name, value string }
	worth := make(map[value][]float64)
	count := make(map[value]map[string]bool) // settings
	number := make(map[value]float64)        // to order by
	for _, pooling := range s.poolings() {
		if pooling == anyPooling {
			continue
		}
		of := network{epochs: searchedEpochs, pooling: pooling}.nestedIn(inner)
		for _, set := range s.sets {
			all, _, err := s.mean(of, set)
			if err != nil {
				return "", err
			}
			means, err := s.means(of, set)
			if err != nil {
				return "", err
			}
			for _, setting := range slices.Sorted(maps.Keys(means)) {
				var fields map[string]any
				if err := json.Unmarshal([]byte(setting), &fields); err != nil {
					return "", err
				}
				for name, v := range fields {
					if name == "pooling" {
						continue
					}
					at := value{name, minus(fmt.Sprint(v))}
					worth[at] = append(worth[at], means[setting]-all)
					if count[at] == nil {
						count[at] = make(map[string]bool)
					}
					count[at][setting] = true
					number[at], _ = v.(float64)
				}
			}
		}
	}
	values := make(map[string][]value)
	for at := range worth {
		values[at.name] = append(values[at.name], at)
	}
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if len(values[name]) < 2 {
			continue
		}
		slices.SortFunc(values[name], func(a, b value) int {
			if number[a] != number[b] {
				return int(math.Copysign(1, number[a]-number[b]))
			}
			return strings.Compare(a.value, b.value)
		})
		var parts []string
		for _, at := range values[name] {
			parts = append(parts, fmt.Sprintf("%s: %s (%d)", at.value, signed(stat.Mean(worth[at], nil)), len(count[at])))
		}
		rows = append(rows, []string{name, strings.Join(parts, "; ")})
	}
	if len(rows) == 0 {
		return "", nil
	}
	return "What each value of a setting changes: mean AUC of the settings with that value, less that of all settings of the same pooling, averaged over poolings and sets (number of settings):\n\n" +
		wordTable([]string{"setting", "values"}, rows), nil
}

// besidePublished takes the difference to the published HopfieldPooling apart.
func (s searches) besidePublished(inner int) (string, error) {
	theirs := network{epochs: publishedEpochs, pooling: "hopfield"}
	single, joined := theirs.nestedIn(inner), theirs.nestedIn(inner)
	joined.joined = true
	var rows [][]string
	var hindsight, protocol []float64
	for i, set := range ramsauer.sets {
		best, bestOfAll, err := s.mean(search{theirs, cv.BestEpochProtocol, 0}, set)
		if err != nil {
			return "", err
		}
		fifth, ok1, err := s.choice(theirs.nestedIn(0), set)
		if err != nil {
			return "", err
		}
		within, ok2, err := s.choice(single, set)
		if err != nil {
			return "", err
		}
		together, _, err := s.mean(joined, set)
		if err != nil {
			return "", err
		}
		ours, _, err := s.mean(network{searchedEpochs, "hopfield", true}.nestedIn(inner), set)
		if err != nil {
			return "", err
		}
		all, _, err := s.mean(network{searchedEpochs, anyPooling, true}.nestedIn(inner), set)
		if err != nil {
			return "", err
		}
		if !ok1 || !ok2 || math.IsNaN(best) {
			continue
		}
		hindsight, protocol = append(hindsight, bestOfAll-within.test), append(protocol, within.test-fifth.test)
		rows = append(rows, []string{set, ramsauer.rows[0][i+1], hundred(bestOfAll), hundred(best), hundred(fifth.test), hundred(within.test), hundred(together), hundred(ours), hundred(all)})
	}
	if len(rows) == 0 {
		return "", nil
	}
	return "The published HopfieldPooling and ours with settings drawn from its grid, AUC × 100:\n\n" +
		table([]string{"set", "published", "best test epoch, best setting in hindsight", "best test epoch, one at random", "chosen by a fifth", "chosen by inner folds", "joined", "our grid, joined", "our grid, " + anyPooling + ", joined"}, rows) +
		fmt.Sprintf("With the same networks, the test part's best epoch and setting report %s more than an honest choice by inner folds. Inner folds less a fifth of the training part: %s.\n\n", signed(stat.Mean(hindsight, nil)), signed(stat.Mean(protocol, nil))), nil
}

// hundred writes an AUC times 100, "" for NaN.
func hundred(auc float64) string {
	if math.IsNaN(auc) {
		return ""
	}
	return minus(fmt.Sprintf("%.1f", 100*auc))
}

// publishedHopfield returns the published AUC of HopfieldPooling on a set; known is false where there is none.
func publishedHopfield(set string) (auc float64, known bool) {
	i := slices.Index(ramsauer.sets, set)
	if i < 0 {
		return 0, false
	}
	_, err := fmt.Sscanf(ramsauer.rows[0][i+1], "%f", &auc)
	return auc / 100, err == nil
}

// reachesHopfield compares the joined networks with the published HopfieldPooling.
func reachesHopfield(a results.Archive) (answer, error) {
	s, inner, err := searchesOf(a.Results)
	if err != nil {
		return answer{}, err
	}
	var differences []float64
	var sets, reached, missed []string
	for _, set := range ramsauer.sets {
		theirs, known := publishedHopfield(set)
		auc, _, err := s.mean(network{searchedEpochs, anyPooling, true}.nestedIn(inner), set)
		if err != nil {
			return answer{}, err
		}
		switch {
		case !known || math.IsNaN(auc):
			continue
		case round(auc) >= round(theirs-margin):
			reached = append(reached, set)
		default:
			missed = append(missed, set)
		}
		sets, differences = append(sets, set), append(differences, auc-theirs)
	}
	if len(differences) == 0 {
		return answer{}, errIncomplete
	}
	said, err := answered(acrossSets(sets, differences))
	if len(reached) > 0 {
		said.more = join(said.more, fmt.Sprintf("They are within %v of it, or above it, on %s.", margin, listed(reached)))
	}
	if len(missed) > 0 {
		said.more = join(said.more, fmt.Sprintf("They are lower by more than %v on %s.", margin, listed(missed)))
	}
	return said, err
}

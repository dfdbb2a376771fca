package report

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/milbench/stats"
)

// choice is how well the validation parts of one set choose among all settings. AUCs are means over folds and repeats.
type choice struct {
	set      string
	folds    int
	settings int

	validation, test float64   // of what is chosen
	all              float64   // on the test part, mean over settings: that of a setting drawn at random
	hindsight        float64   // on the test part, of the setting that is best there
	best             string    // its name
	together         float64   // Kendall's tau-b of validation and test AUC over the settings of a fold, mean over the folds that have one, NaN if none has
	networks         float64   // validation less test AUC, mean over the settings of networks
	instances        float64   // and over those of the classifier of instances, NaN if there are none
	ofNetworks       []float64 // on the test part, of each setting of networks
	ofInstances      []float64 // and of the classifier of instances
	taken            int       // folds in which a classifier of instances is chosen
}

type choices []choice

// tried is a fit as the choice sees it, and what it is worth.
type tried struct {
	inside results.Inside
	test   float64
}

// choicesOf returns the choices of sets that have more than one setting, over the folds that all of them have.
func choicesOf(fits []results.Result) (all choices, err error) {
	bySet := make(map[string]map[fold]map[string]tried) // then fold and setting
	var sets, settings []string
	for _, r := range fits {
		t := tried{}
		if t.inside, err = r.ValidationFigures(); err != nil {
			return nil, err
		}
		if t.test, err = r.Figure(); err != nil {
			return nil, err
		}
		if bySet[r.Set] == nil {
			bySet[r.Set] = make(map[fold]map[string]tried)
			sets = append(sets, r.Set)
		}
		at := fold{seed: r.Seed, repeat: r.Repeat, fold: r.Fold}
		if bySet[r.Set][at] == nil {
			bySet[r.Set][at] = make(map[string]tried)
		}
		bySet[r.Set][at][string(r.Config)] = t
		if !slices.Contains(settings, string(r.Config)) {
			settings = append(settings, string(r.Config))
		}
	}
	slices.SortFunc(sets, mil.CompareNatural)
	slices.Sort(settings)
	names, instance, err := settingNames(settings)
	if err != nil {
		return nil, err
	}
	for _, set := range sets {
		there := slices.DeleteFunc(slices.Clone(settings), func(s string) bool {
			for _, of := range bySet[set] {
				if _, has := of[s]; has {
					return false
				}
			}
			return true
		})
		c := choice{set: set, settings: len(there)}
		var validation, test, together []float64
		means := make([][]float64, len(there)) // test AUCs of each setting
		var networks, instances []float64
		for _, at := range slices.SortedFunc(maps.Keys(bySet[set]), fold.compare) {
			of := bySet[set][at]
			if len(of) < len(there) || len(there) < 2 {
				continue
			}
			c.folds++
			chosen := there[0]
			var inside, outside []float64
			for i, s := range there {
				if of[s].inside.Better(of[chosen].inside) {
					chosen = s
				}
				inside, outside = append(inside, of[s].inside.Figure), append(outside, of[s].test)
				means[i] = append(means[i], of[s].test)
				if gap := of[s].inside.Figure - of[s].test; instance[s] {
					instances = append(instances, gap)
				} else {
					networks = append(networks, gap)
				}
			}
			validation, test = append(validation, of[chosen].inside.Figure), append(test, of[chosen].test)
			if instance[chosen] {
				c.taken++
			}
			tau, err := kendall(inside, outside)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", set, err)
			}
			if !math.IsNaN(tau) {
				together = append(together, tau)
			}
		}
		if c.folds == 0 {
			continue
		}
		var average []float64
		for i, s := range there {
			m := stat.Mean(means[i], nil)
			if average = append(average, m); m > c.hindsight {
				c.hindsight, c.best = m, names[s]
			}
			if instance[s] {
				c.ofInstances = append(c.ofInstances, m)
			} else {
				c.ofNetworks = append(c.ofNetworks, m)
			}
		}
		c.validation, c.test, c.all, c.together = stat.Mean(validation, nil), stat.Mean(test, nil), stat.Mean(average, nil), stat.Mean(together, nil)
		c.networks, c.instances = stat.Mean(networks, nil), stat.Mean(instances, nil)
		all = append(all, c)
	}
	return all, nil
}

// settingNames names settings by their pooling and by what differs among those of it, and says which are of the classifier of
// instances.
func settingNames(settings []string) (names map[string]string, instance map[string]bool, err error) {
	names, instance = make(map[string]string), make(map[string]bool)
	values, same := make(map[string]map[string]any), make(map[string][]map[string]any)
	pooling := make(map[string]string)
	for _, s := range settings {
		c, err := configOf(json.RawMessage(s))
		if err != nil {
			return nil, nil, err
		}
		var of map[string]any
		if err := json.Unmarshal([]byte(s), &of); err != nil {
			return nil, nil, err
		}
		name := cmp.Or(c.Learner, c.Pooling)
		pooling[s], instance[s], values[s] = name, name == instancePooling, of
		same[name] = append(same[name], of)
	}
	for _, s := range settings {
		names[s] = pooling[s]
		if text := settingText(values[s], same[pooling[s]]); len(same[pooling[s]]) > 1 {
			names[s] += ", " + text
		}
	}
	return names, instance, nil
}

// table shows what the choice is worth on every set.
func (all choices) table() (string, error) {
	if len(all) == 0 {
		return "", nil
	}
	var rows [][]string
	var tau []float64
	for _, c := range all {
		rows = append(rows, []string{c.set, fmt.Sprint(c.settings), number(c.validation), number(c.test), number(c.all), number(c.hindsight), c.best,
			signedOrNone(c.together), signedOrNone(c.networks), signedOrNone(c.instances), count(float64(c.taken), c.folds)})
		if !math.IsNaN(c.together) {
			tau = append(tau, c.together)
		}
	}
	sets, better := all.worth()
	worth, err := overAll(better)
	if err != nil {
		return "", err
	}
	verdict := "A chosen setting less one drawn at random, averaged over sets: " + worth
	if _, merged := mergeWeb(sets, better); len(merged) < len(better) {
		if worth, err = overAll(merged); err != nil {
			return "", err
		}
		verdict += "; with Web as one set " + worth
	}
	if len(tau) > 0 {
		verdict += ". The order of settings on the validation part agrees with that on the test part with a τ-b of " + signed(stat.Mean(tau, nil))
	}
	return "What the validation parts gain when they choose among all settings (\"any\"), AUC:\n\n" + table([]string{"set", "settings", "chosen, validation", "chosen, test", "drawn at random, test", "best in hindsight, test", "which", "τ-b in a fold",
		"validation less test, networks", "the same, instance", "folds in which instance is chosen"}, rows) + verdict + ". The validation part also chooses a network's epoch, so a network's AUC there is too high. The classifier of instances has no epochs.\n\n", nil
}

// worth returns what the choice is worth over a setting drawn at random, a row for each set.
func (all choices) worth() (sets []string, rows [][]float64) {
	for _, c := range all {
		sets, rows = append(sets, c.set), append(rows, []float64{c.test - c.all})
	}
	return sets, rows
}

// choosingHelps says what choosing among all settings by validation parts is worth over a setting drawn at random.
func choosingHelps(a results.Archive) (answer, error) {
	all, err := choicesOf(models(a.Results))
	if err != nil {
		return answer{}, err
	}
	sets, rows := all.worth()
	return answered(acrossSets(sets, column(rows, 0)))
}

// kendall is Kendall's τ-b, NaN where all values of one side are equal, so that there is none.
func kendall(x, y []float64) (float64, error) {
	tau, err := stats.Kendall(x, y)
	if errors.Is(err, stats.ErrAllEqual) {
		return math.NaN(), nil
	}
	return tau, err
}

// overAll writes the mean of the first values of rows, one a set, and its interval.
func overAll(rows [][]float64) (string, error) {
	return meanInterval(column(rows, 0), fmt.Sprintf(", n = %d sets", len(rows)))
}

func signedOrNone(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return signed(v)
}

// whyHead is the head of the rows of [choices.why].
var whyHead = []string{"set", "chosen", "to reach", "networks that reach it", "instance settings that reach it", "best in hindsight", "its AUC", "drawn at random", "instance chosen in", "what follows"}

// why is a row that says why what is chosen on a set, AUC × 100, is below least: how many settings reach it on the test part, and
// whether the validation parts could have found one.
func (all choices) why(set string, chosen, least float64) []string {
	row := []string{set, hundred(chosen), hundred(least)}
	i := slices.IndexFunc(all, func(c choice) bool { return c.set == set })
	if i < 0 {
		return append(row, "", "", "", "", "", "", "there are not enough fits to say why")
	}
	c := all[i]
	reach := func(aucs []float64) (n int) {
		for _, auc := range aucs {
			if round(auc) >= round(least) {
				n++
			}
		}
		return n
	}
	networks, instances := reach(c.ofNetworks), reach(c.ofInstances)
	ofInstances, taken := "", ""
	if len(c.ofInstances) > 0 {
		ofInstances, taken = count(float64(instances), len(c.ofInstances)), count(float64(c.taken), c.folds)+" folds"
	}
	follows := "some settings reach it; the validation parts do not find them"
	switch {
	case networks == 0 && instances == 0:
		follows = "no setting reaches it"
	case networks == 0:
		follows = "no network reaches it; the classifier of instances does"
	}
	return append(row, count(float64(networks), len(c.ofNetworks)), ofInstances, c.best, hundred(c.hindsight), hundred(c.all), taken, follows)
}

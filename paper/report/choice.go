package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/results"
)

// choice is how well the validation parts of one set choose among all settings. AUCs are means over folds and repeats.
type choice struct {
	Set      string
	Folds    int
	Settings int

	Validation, Test float64   // of what is chosen
	All              float64   // on the test part, mean over settings: that of a setting drawn at random
	Hindsight        float64   // on the test part, of the setting that is best there
	Best             string    // its name
	Together         float64   // Kendall's tau-b of validation and test AUC over the settings of a fold, mean over the folds that have one, NaN if none has
	Networks         float64   // validation less test AUC, mean over the settings of networks
	Instances        float64   // and over those of the classifier of instances, NaN if there are none
	ofNetworks       []float64 // on the test part, of each setting of networks
	ofInstances      []float64 // and of the classifier of instances
	Taken            int       // folds in which a classifier of instances is chosen
}

type choices []choice

// tried is a fit as the choice sees it, and what it is worth.
type tried struct {
	inside results.Inside
	test   float64
}

// choicesOf returns the choices of sets that have more than one setting, over the folds that all of them have.
func choicesOf(fits []results.Result) (all choices) {
	bySet := make(map[string]map[fold]map[string]tried) // then fold and setting
	of := make(map[string][]string)                     // the settings of a set
	for _, r := range fits {
		if bySet[r.Set] == nil {
			bySet[r.Set] = make(map[fold]map[string]tried)
		}
		at := fold{seed: r.Seed, repeat: r.Repeat, fold: r.Fold}
		if bySet[r.Set][at] == nil {
			bySet[r.Set][at] = make(map[string]tried)
		}
		setting := canonical(r.Config)
		bySet[r.Set][at][setting] = tried{must(r.ValidationFigures()), must(r.Figure())}
		of[r.Set] = append(of[r.Set], setting)
	}
	names := settingNames(fits)
	for _, set := range slices.SortedFunc(maps.Keys(bySet), mil.CompareNatural) {
		slices.Sort(of[set])
		if c := choose(set, slices.Compact(of[set]), bySet[set], names); c.Folds > 0 {
			all = append(all, c)
		}
	}
	return all
}

// choose chooses among settings in every fold that has all of them.
func choose(set string, settings []string, folds map[fold]map[string]tried, names map[string]settingName) choice {
	c := choice{Set: set, Settings: len(settings)}
	var validation, test, together, networks, instances, average []float64
	means := make([][]float64, len(settings)) // test AUCs of each setting
	for _, at := range slices.SortedFunc(maps.Keys(folds), fold.compare) {
		of := folds[at]
		if len(of) < len(settings) || len(settings) < 2 {
			continue
		}
		c.Folds++
		chosen := settings[0]
		var inside, outside []float64
		for i, s := range settings {
			if of[s].inside.Better(of[chosen].inside) {
				chosen = s
			}
			inside, outside = append(inside, of[s].inside.Figure), append(outside, of[s].test)
			means[i] = append(means[i], of[s].test)
			if gap := of[s].inside.Figure - of[s].test; names[s].instance() {
				instances = append(instances, gap)
			} else {
				networks = append(networks, gap)
			}
		}
		validation, test = append(validation, of[chosen].inside.Figure), append(test, of[chosen].test)
		if names[chosen].instance() {
			c.Taken++
		}
		if tau := kendall(inside, outside); !math.IsNaN(tau) {
			together = append(together, tau)
		}
	}
	for i, s := range settings {
		m := mean(means[i])
		if average = append(average, m); m > c.Hindsight {
			c.Hindsight, c.Best = m, names[s].String()
		}
		if names[s].instance() {
			c.ofInstances = append(c.ofInstances, m)
		} else {
			c.ofNetworks = append(c.ofNetworks, m)
		}
	}
	c.Validation, c.Test, c.All, c.Together = mean(validation), mean(test), mean(average), mean(together)
	c.Networks, c.Instances = mean(networks), mean(instances)
	return c
}

// canonical returns a setting as a key.
func canonical(setting json.RawMessage) string {
	return string(must(cv.CanonicalSetting(setting)))
}

// settingName names a setting by its pooling or learner, and by what differs among the settings of it.
type settingName struct {
	pooling, differs string
	alone            bool // it is the only one of its pooling
}

func (n settingName) instance() bool { return n.pooling == instancePooling }

func (n settingName) String() string {
	if n.alone {
		return n.pooling
	}
	return n.pooling + ", " + n.differs
}

// settingNames names the settings of results.
func settingNames(fits []results.Result) map[string]settingName {
	names, values := make(map[string]settingName), make(map[string]map[string]any)
	same := make(map[string][]map[string]any) // settings, by pooling
	for _, r := range fits {
		setting := canonical(r.Config)
		if values[setting] != nil {
			continue
		}
		c := configOf(r)
		var of map[string]any
		try(json.Unmarshal(r.Config, &of))
		name := c.column()
		names[setting], values[setting] = settingName{pooling: name}, of
		same[name] = append(same[name], of)
	}
	for s, name := range names {
		all := same[name.pooling]
		name.differs, name.alone = settingText(values[s], all), len(all) == 1
		names[s] = name
	}
	return names
}

// settingText names a setting by what differs among those that were tried.
func settingText(values map[string]any, all []map[string]any) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if slices.ContainsFunc(all, func(o map[string]any) bool { return fmt.Sprint(o[key]) != fmt.Sprint(values[key]) }) {
			name := key
			if key == "iterations" {
				name = "I"
			}
			value := fmt.Sprint(values[key])
			if _, isText := values[key].(string); !isText {
				value = minus(value)
			}
			parts = append(parts, name+" = "+value)
		}
	}
	if len(parts) == 0 {
		return "the only one"
	}
	return strings.Join(parts, ", ")
}

// Tau is the mean over sets of Kendall's τ-b of validation and test AUC.
func (all choices) Tau() string {
	var tau []float64
	for _, c := range all {
		if !math.IsNaN(c.Together) {
			tau = append(tau, c.Together)
		}
	}
	need(len(tau) > 0)
	return signed(mean(tau))
}

// gains returns what the choice is worth over something else on each set.
func (all choices) gains(over func(choice) float64) (sets []string, gains []float64) {
	for _, c := range all {
		sets, gains = append(sets, c.Set), append(gains, c.Test-over(c))
	}
	return sets, gains
}

func (c choice) drawnAtRandom() float64 { return c.All }

func (c choice) inHindsight() float64 { return c.Hindsight }

// Worth is what the choice is worth over a setting drawn at random.
func (all choices) Worth() effect { return acrossFamilies(all.gains(choice.drawnAtRandom)) }

// choosingHelps says what choosing among all settings by validation parts is worth over a setting drawn at random.
func choosingHelps(s poolingStudy) answer {
	return s.Choices.Worth().answer()
}

// whyHead is the head of the rows of [choices.why].
var whyHead = []string{"set", "chosen", "to reach", "networks that reach it", "instance settings that reach it", "best in hindsight", "its AUC", "drawn at random", "instance chosen in", "what follows"}

// why is a row that says why what is chosen on a set, AUC × 100, is below least: how many settings reach it on the test part, and
// whether the validation parts could have found one.
func (all choices) why(set string, chosen, least float64) []string {
	row := []string{set, hundred(chosen), hundred(least)}
	i := slices.IndexFunc(all, func(c choice) bool { return c.Set == set })
	if i < 0 {
		return append(row, "", "", "", "", "", "", "there are not enough fits to say why")
	}
	c := all[i]
	reach := func(aucs []float64) int {
		return len(without(aucs, func(auc float64) bool { return round(auc) < round(least) }))
	}
	networks, instances := reach(c.ofNetworks), reach(c.ofInstances)
	ofInstances, taken := "", ""
	if len(c.ofInstances) > 0 {
		ofInstances, taken = count(float64(instances), len(c.ofInstances)), count(float64(c.Taken), c.Folds)+" folds"
	}
	follows := "some settings reach it; the validation parts do not find them"
	switch {
	case networks == 0 && instances == 0:
		follows = "no setting reaches it"
	case networks == 0:
		follows = "no network reaches it; the classifier of instances does"
	}
	return append(row, count(float64(networks), len(c.ofNetworks)), ofInstances, c.Best, hundred(c.Hindsight), hundred(c.All), taken, follows)
}

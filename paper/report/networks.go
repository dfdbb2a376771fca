package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

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

// search is settings of networks under a protocol.
type search struct {
	epochs   int
	pooling  string // anyPooling of a portfolio of several
	joined   bool   // a portfolio
	protocol string
	inner    int
}

// searchOf returns what a result is of.
func searchOf(r results.Result) search {
	c := configOf(r)
	s := search{c.Epochs, c.Pooling, len(c.Candidates) > 0, r.Protocol, r.Inner}
	for i, one := range c.Candidates {
		if i == 0 {
			s.epochs, s.pooling = one.Epochs, one.Pooling
		} else if one.Pooling != s.pooling {
			s.pooling = anyPooling
		}
	}
	return s
}

// networkStudy is the experiment networks: results by what they are of; what is of each pooling is of all of them, too, but portfolios.
type networkStudy struct {
	fits  map[search]map[string][]results.Result // and by set
	sets  []string
	inner int // folds
	Found []outcome
}

func newNetworks(a results.Archive) networkStudy {
	s := networkStudy{fits: make(map[search]map[string][]results.Result)}
	add := func(at search, r results.Result) {
		if s.fits[at] == nil {
			s.fits[at] = make(map[string][]results.Result)
		}
		s.fits[at][r.Set] = append(s.fits[at][r.Set], r)
	}
	for _, r := range a.Results {
		s.inner = max(s.inner, r.Inner)
		at := searchOf(r)
		add(at, r)
		if !at.joined {
			at.pooling = anyPooling
			add(at, r)
		}
		s.sets = append(s.sets, r.Set)
	}
	slices.SortFunc(s.sets, mil.CompareNatural)
	s.sets = slices.Compact(s.sets)
	s.search()
	return s
}

// nested returns the search of settings under the nested protocol with the inner folds of the study.
func (s networkStudy) nested(epochs int, pooling string, joined bool) search {
	return search{epochs, pooling, joined, cv.NestedProtocol, s.inner}
}

// choice returns what is chosen among the settings of a search on a set; ok is false where there are not two.
func (s networkStudy) choice(of search, set string) (c choice, ok bool) {
	all := choicesOf(s.fits[of][set])
	if len(all) == 0 {
		return choice{}, false
	}
	return all[0], true
}

// means returns the mean AUC over the folds of a set, of each setting of a search.
func (s networkStudy) means(of search, set string) map[string]float64 {
	folds := make(map[string][]float64)
	for _, r := range s.fits[of][set] {
		folds[string(r.Config)] = append(folds[string(r.Config)], must(r.Figure()))
	}
	means := make(map[string]float64)
	for setting, aucs := range folds {
		means[setting] = mean(aucs)
	}
	return means
}

// mean returns the mean of [networkStudy.means], NaN where there is none.
func (s networkStudy) mean(of search, set string) float64 {
	return mean(slices.Sorted(maps.Values(s.means(of, set))))
}

// outcome is what a search of the settings of a pooling finds on a set; NaN is what was not run.
type outcome struct {
	choice
	Pooling       string
	Small, Joined float64
}

// poolings are those that settings are drawn of, without all together.
func (s networkStudy) poolings() (list []string) {
	for of := range s.fits {
		if of.epochs == searchedEpochs && !of.joined && of.pooling != anyPooling {
			list = append(list, of.pooling)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// search finds what there is on each set, pooling by pooling, and then of all together where there are several.
func (s *networkStudy) search() {
	poolings := s.poolings()
	if len(poolings) > 1 {
		poolings = append(poolings, anyPooling)
	}
	for _, set := range s.sets {
		for _, pooling := range poolings {
			c, ok := s.choice(s.nested(searchedEpochs, pooling, false), set)
			if !ok {
				continue
			}
			one := outcome{c, pooling, math.NaN(), s.mean(s.nested(searchedEpochs, pooling, true), set)}
			if pooling != anyPooling {
				one.Small = s.mean(s.nested(smallEpochs, pooling, false), set)
			}
			s.Found = append(s.Found, one)
		}
	}
}

// gains are the means over sets and poolings of what something gains over the small settings of a pooling.
func (s networkStudy) gains(of func(outcome) float64) string {
	sets := make(map[string]bool)
	var gains []float64
	for _, f := range s.Found {
		if !math.IsNaN(f.Small) && !math.IsNaN(f.Joined) {
			sets[f.Set], gains = true, append(gains, of(f)-f.Small)
		}
	}
	need(len(sets) > 0)
	return fmt.Sprintf("%s, mean over %d sets", signed(mean(gains)), len(sets))
}

// ChosenGains and JoinedGains are what a chosen network and the joined ones gain over the small settings.
func (s networkStudy) ChosenGains() string { return s.gains(func(f outcome) float64 { return f.Test }) }
func (s networkStudy) JoinedGains() string {
	return s.gains(func(f outcome) float64 { return f.Joined })
}

// Small has a line for each set and a column for each pooling with small settings, the best first.
func (s networkStudy) Small() string {
	means, columns := make(map[string]float64), []string(nil)
	for of := range s.fits {
		if of.epochs != smallEpochs || of.joined || of.pooling == anyPooling {
			continue
		}
		for _, set := range s.sets {
			means[of.pooling] += s.mean(of, set) / float64(len(s.sets)) // NaN where a set is missing
		}
		if !math.IsNaN(means[of.pooling]) {
			columns = append(columns, of.pooling)
		}
	}
	need(len(columns) > 1)
	slices.SortFunc(columns, func(a, b string) int { return cmp.Or(cmp.Compare(means[b], means[a]), cmp.Compare(a, b)) })
	var rows [][]string
	for _, set := range s.sets {
		row := []string{set}
		for _, pooling := range columns {
			row = append(row, number(s.mean(s.nested(smallEpochs, pooling, false), set)))
		}
		rows = append(rows, row)
	}
	return table(append([]string{"set"}, columns...), rows)
}

// Hyperparameters says what each value of the settings that were drawn is worth: the mean over sets of its AUC less that of all
// settings of the same poolings.
func (s networkStudy) Hyperparameters() string {
	type value struct {
		name, text string
		number     float64 // to order by
	}
	worth := make(map[value][]float64)
	settings := make(map[value]map[string]bool) // that have the value
	for _, pooling := range s.poolings() {
		of := s.nested(searchedEpochs, pooling, false)
		for _, set := range s.sets {
			all, means := s.mean(of, set), s.means(of, set)
			for _, setting := range slices.Sorted(maps.Keys(means)) {
				var fields map[string]any
				try(json.Unmarshal([]byte(setting), &fields))
				delete(fields, "pooling")
				for name, v := range fields {
					at := value{name: name, text: minus(fmt.Sprint(v))}
					at.number, _ = v.(float64)
					if settings[at] == nil {
						settings[at] = make(map[string]bool)
					}
					settings[at][setting] = true
					worth[at] = append(worth[at], means[setting]-all)
				}
			}
		}
	}
	values := make(map[string][]string) // by name, in order
	for _, at := range slices.SortedFunc(maps.Keys(worth), func(a, b value) int { return cmp.Or(cmp.Compare(a.number, b.number), cmp.Compare(a.text, b.text)) }) {
		values[at.name] = append(values[at.name], fmt.Sprintf("%s: %s (%d)", at.text, signed(mean(worth[at])), len(settings[at])))
	}
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if len(values[name]) > 1 {
			rows = append(rows, []string{name, strings.Join(values[name], "; ")})
		}
	}
	return wordTable([]string{"setting", "values"}, rows)
}

// besideHopfield takes the difference to the published HopfieldPooling apart on one set.
type besideHopfield struct {
	Set, Published                         string
	Hindsight, Best, Fifth, Within, Joined float64 // of settings of the published grid
	Ours, All                              float64 // of our grid, joined
}

// BesideHopfield takes the difference apart on every set.
func (s networkStudy) BesideHopfield() (list []besideHopfield) {
	theirs := s.nested(publishedEpochs, "hopfield", false)
	byFifth, bestEpoch, joined := theirs, theirs, theirs
	byFifth.inner, bestEpoch.inner, bestEpoch.protocol, joined.joined = 0, 0, cv.BestEpochProtocol, true
	for i, set := range ramsauer.sets {
		fifth, ok1 := s.choice(byFifth, set)
		within, ok2 := s.choice(theirs, set)
		means := slices.Sorted(maps.Values(s.means(bestEpoch, set)))
		if ok1 && ok2 && len(means) > 0 {
			list = append(list, besideHopfield{set, ramsauer.rows[0][1+i], slices.Max(means), mean(means), fifth.Test, within.Test, s.mean(joined, set),
				s.mean(s.nested(searchedEpochs, "hopfield", true), set), s.mean(s.nested(searchedEpochs, anyPooling, true), set)})
		}
	}
	return list
}

// OverHonest is what the test part's best epoch and setting report over a choice by inner folds, and OverFifth what this is worth over a
// fifth of the training part.
func (s networkStudy) OverHonest() float64 {
	return s.meanBeside(func(b besideHopfield) float64 { return b.Hindsight - b.Within })
}

func (s networkStudy) OverFifth() float64 {
	return s.meanBeside(func(b besideHopfield) float64 { return b.Within - b.Fifth })
}

func (s networkStudy) meanBeside(of func(besideHopfield) float64) float64 {
	var values []float64
	for _, b := range s.BesideHopfield() {
		values = append(values, of(b))
	}
	need(len(values) > 0)
	return mean(values)
}

// overHopfield returns the sets with a published HopfieldPooling, and by how much the joined networks are above it.
func (s networkStudy) overHopfield() (sets []string, differences []float64) {
	for _, set := range ramsauer.sets {
		if auc := s.mean(s.nested(searchedEpochs, anyPooling, true), set); !math.IsNaN(auc) {
			published, _ := ramsauer.auc("HopfieldPooling", set)
			sets, differences = append(sets, set), append(differences, auc-published/100)
		}
	}
	need(len(sets) > 0)
	return sets, differences
}

// Hopfield names the sets on which the joined networks are lower by more than the margin, or the others.
func (s networkStudy) Hopfield(lower bool) (names []string) {
	sets, differences := s.overHopfield()
	for i, set := range sets {
		if (round(differences[i]) < -margin) == lower {
			names = append(names, set)
		}
	}
	return names
}

// reachesHopfield compares the joined networks with the published HopfieldPooling. These sets are one family, so there is no interval.
func reachesHopfield(s networkStudy) answer {
	sets, differences := s.overHopfield()
	lower := len(s.Hopfield(true))
	said := answer{Verdict: "Not on all of these sets", Estimate: signed(mean(differences)), Interval: fmt.Sprintf("none: one family of %d sets", len(sets)),
		of: fmt.Sprintf("mean difference; lower by more than %v on %s", margin, count(float64(lower), len(sets)))}
	if lower == 0 {
		said.Verdict = "Yes, on these sets"
	}
	return said
}

// networksMap draws what is found beside the small settings.
func networksMap(s networkStudy) *plotting.Figure {
	g := newGrid(nil, nil)
	for _, f := range s.Found {
		for _, cell := range []results.Row{{Setting: "small", Mean: f.Small}, {Setting: "chosen", Mean: f.Test}, {Setting: "joined", Mean: f.Joined}} {
			if !math.IsNaN(cell.Mean) {
				g.add([]results.Row{cell}, func(results.Row) (string, string) { return f.Set, f.Pooling + ", " + cell.Setting })
			}
		}
	}
	need(len(g.lines) > 0)
	return must(plotting.AUCTable("AUC of networks with small settings, with a setting chosen inside, and joined", g.lines, g.columns, g.aucs()))
}

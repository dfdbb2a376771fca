package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/plotting"
)

// noiseStudy is the experiment noise, of Table 6: of each setting of Syn ([config.preset]) what noise does where the other hyperparameters of
// a set favour distraction without noise, as in the paper, and where they favour concentration.
type noiseStudy struct{ of map[favoured]noiseMoves }

// favoured is a setting of Syn, and what its other hyperparameters favour.
type favoured struct{ preset, side string }

// The sides.
const (
	distractionSide   = "distraction"
	concentrationSide = "concentration"
)

func newNoise(a results.Archive) noiseStudy {
	s := noiseStudy{make(map[favoured]noiseMoves)}
	for _, preset := range []string{paperPreset, releasedPreset} {
		fits := of(a.Results, func(c config) bool { return c.preset() == preset })
		if len(fits) == 0 {
			continue
		}
		for times, side := range map[float64]string{-1: distractionSide, 1: concentrationSide} {
			s.of[favoured{preset, side}] = newNoiseMoves(favouring(fits, times))
		}
	}
	need(len(s.of) > 0)
	return s
}

// Favouring returns what noise does in a preset where hyperparameters favour a side.
func (s noiseStudy) Favouring(side, preset string) noiseMoves {
	one, there := s.of[favoured{preset, side}]
	need(there)
	return one
}

// beside names the hyperparameters beside I.
func (c config) beside() string { return fmt.Sprintf("S = %v, width %d", c.Scale, c.Width) }

// favouring returns the results of each set, with noise and without, of the hyperparameters beside which the mean AUC over I > 0 less that
// over I < 0, times 1 or −1, is largest without noise. It also returns these, by set.
func favouring(fits []results.Result, times float64) (chosen []results.Result, besides map[string]string) {
	clean := make(map[string]map[string]*sweep) // every fit is a point
	for _, r := range fits {
		set, noise := noiseOf(r.Set)
		c := configOf(r)
		if clean[set] == nil {
			clean[set] = make(map[string]*sweep)
		}
		if noise == "" {
			if clean[set][c.beside()] == nil {
				clean[set][c.beside()] = &sweep{}
			}
			one := clean[set][c.beside()]
			one.steps, one.auc = append(one.steps, c.steps()), append(one.auc, must(r.Figure()))
		}
	}
	besides = make(map[string]string)
	for set, tried := range clean {
		most := math.Inf(-1)
		for _, beside := range slices.Sorted(maps.Keys(tried)) {
			if lead := -times * tried[beside].lead(tried[beside].auc); lead > most {
				besides[set], most = beside, lead
			}
		}
	}
	return without(fits, func(r results.Result) bool { set, _ := noiseOf(r.Set); return configOf(r).beside() != besides[set] }), besides
}

// noiseMoves is what noise does with one choice of hyperparameters.
type noiseMoves struct {
	figures[int]
	all     []string          // sets, with noise and without, that have all values of I
	besides map[string]string // the hyperparameters beside I, by set without noise
	moved   []string          // sets that have been run with noise and without
	moves   []float64         // by how much noise moves the lead of concentration on each of them, mean over the noises
}

func newNoiseMoves(fits []results.Result, besides map[string]string) noiseMoves {
	n := noiseMoves{figures: newFigures(fits, config.steps), besides: besides}
	need(twoSided(n.settings))
	n.all = n.complete(n.settings...)
	need(len(n.all) > 0)
	if left := len(n.sets) - len(n.all); left > 0 {
		n.notes = append(n.notes, fmt.Sprintf("%d sets left out that have not been run with all values of I", left))
	}
	for _, name := range n.all {
		if _, noise := noiseOf(name); noise != "" {
			continue
		}
		var moves []float64
		for _, other := range n.all {
			if set, noise := noiseOf(other); set == name && noise != "" && slices.Equal(n.keys[other], n.keys[name]) {
				moves = append(moves, mean(less(n.lead(other), n.lead(name))))
			}
		}
		if moves != nil {
			n.moved, n.moves = append(n.moved, name), append(n.moves, mean(moves))
		}
	}
	return n
}

// noiseOf returns what a set with noise was, and its noise.
func noiseOf(name string) (set, noise string) {
	set, noise, _ = strings.Cut(name, "+")
	return set, noise
}

// lead returns, of every fold of a set, the mean over I > 0 less the mean over I < 0.
func (n noiseMoves) lead(set string) []float64 {
	concentration, distraction, _ := sides(n.figures, set, n.settings)
	return less(concentration, distraction)
}

// The groups of sets: each kind of noise is for one of the first two.
const (
	denseGroup = "Images and molecules"
	webGroup   = "Web"
	allGroup   = "All sets"
)

// group returns the sets of a group.
func group(name string, sets []string) []string {
	return without(sets, func(set string) bool { return name != allGroup && isWeb(set) != (name == webGroup) })
}

// noises returns the noises in order, "" for none, the sets that were disturbed, and the names of these with each noise, by set.
func noises(sets []string) (order, bases []string, at map[string]map[string]string) {
	at = make(map[string]map[string]string)
	for _, name := range sets {
		set, noise := noiseOf(name)
		if !slices.Contains(bases, set) {
			bases = append(bases, set)
		}
		if at[noise] == nil {
			at[noise] = make(map[string]string)
			order = append(order, noise)
		}
		at[noise][set] = name
	}
	slices.SortFunc(order, mil.CompareNatural)
	return order, bases, at
}

// Table has a row for each noise: the best I on each set of a group, and the lead of concentration.
func (n noiseMoves) Table(of string) string {
	order, bases, at := noises(group(of, n.all))
	head := []string{"noise"}
	for _, set := range bases {
		head = append(head, fmt.Sprintf("%s (%s)", set, n.besides[set]))
	}
	var rows [][]string
	for _, noise := range order {
		row := []string{cmp.Or(noise, "none")}
		var leads []float64
		for _, set := range bases {
			name, found := at[noise][set]
			if !found {
				row = append(row, "")
				continue
			}
			means := n.table([]string{name}, n.settings)[0]
			best := extremes(means, 1)
			row = append(row, fmt.Sprintf("%s (%s)", stepNames(n.settings, best), number(means[best[0]])))
			leads = append(leads, mean(n.lead(name)))
		}
		rows = append(rows, append(row, signed(mean(leads))))
	}
	return table(append(head, "lead of concentration"), rows)
}

// Moved has a row for each set: by how much noise moves the lead of concentration, mean over the noises.
func (n noiseMoves) Moved() string {
	need(len(n.moved) > 0)
	var rows [][]string
	for i, set := range n.moved {
		rows = append(rows, []string{set, signed(n.moves[i])})
	}
	return table([]string{"set", "change of the lead"}, rows)
}

// Choices is a table of what noise adds to the lead of concentration, by the setting of Syn and what the other hyperparameters favour.
func (s noiseStudy) Choices() string {
	var rows [][]string
	for _, preset := range []string{paperPreset, releasedPreset} {
		for _, side := range []string{distractionSide, concentrationSide} {
			n, there := s.of[favoured{preset, side}]
			if !there {
				continue
			}
			var leads []float64
			for _, set := range n.moved {
				leads = append(leads, mean(n.lead(set)))
			}
			e := acrossFamilies(n.moved, n.moves)
			rows = append(rows, []string{preset, side, signed(mean(leads)), e.Mean(), e.Interval()})
		}
	}
	return table([]string{"setting", "hyperparameters favour", "lead of concentration without noise", "noise adds", "95 % interval"}, rows)
}

// concentrationResists says whether noise moves the lead of concentration over distraction where hyperparameters favour distraction.
func concentrationResists(preset string) func(noiseStudy) answer {
	return func(s noiseStudy) answer {
		n := s.Favouring(distractionSide, preset)
		said := acrossFamilies(n.moved, n.moves).answer()
		said.of = "what noise adds to the lead of concentration over distraction"
		return said
	}
}

// eachPreset draws rows of both settings, with hyperparameters that favour distraction.
func (s noiseStudy) eachPreset(title string, rows func(n noiseMoves, preset string) []plotting.IntervalRow) *plotting.Figure {
	var all []plotting.IntervalRow
	for _, preset := range []string{paperPreset, releasedPreset} {
		if n, there := s.of[favoured{preset, distractionSide}]; there {
			all = append(all, rows(n, preset)...)
		}
	}
	need(len(all) > 0)
	return must(plotting.AUCDifferences(title, all))
}

// noisePlot draws the lead of concentration under each noise: a mean over families of sets, and the families.
func noisePlot(s noiseStudy) *plotting.Figure {
	return s.eachPreset("Does noise favour concentration? Mean AUC over I > 0 less that over I < 0", func(n noiseMoves, preset string) (rows []plotting.IntervalRow) {
		for _, name := range []string{denseGroup, webGroup} {
			order, bases, at := noises(group(name, n.all))
			for _, noise := range order {
				var sets []string
				var leads []float64
				for _, set := range bases {
					if name, found := at[noise][set]; found {
						sets, leads = append(sets, set), append(leads, mean(n.lead(name)))
					}
				}
				rows = append(rows, overFamilies(cmp.Or(noise, "none"), name+", "+preset, sets, leads))
			}
		}
		return rows
	})
}

// leadPlot draws what noise adds to the lead of concentration over distraction: a mean over families of sets, and the families.
func leadPlot(s noiseStudy) *plotting.Figure {
	return s.eachPreset("What noise adds to the lead of concentration", func(n noiseMoves, preset string) []plotting.IntervalRow {
		return []plotting.IntervalRow{overFamilies(preset, "mean over families of sets", n.moved, n.moves)}
	})
}

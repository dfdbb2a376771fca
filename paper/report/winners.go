package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"synpool/milbench/mil"
	"synpool/milbench/results"
	"synpool/plotting"
)

// The settings of Syn by their presets.
const (
	paperPreset    = "paper"    // γ = 1, no layer norm
	releasedPreset = "released" // γ = 0.5, layer norm
)

// preset is the preset of a setting of Syn or softmax, by its layer norm and γ, "" if these are of none.
func (c config) preset() string {
	switch {
	case c.Pooling == "syn" && (c.Gamma == 1) == c.Norm:
		return ""
	case c.Norm:
		return releasedPreset
	}
	return paperPreset
}

// way is a way to count winners ([synpool/milbench/learner.Winners]).
type way struct{ part, way string }

// ways are all of them; the first is what the paper counts.
var ways = []way{{"train", "float32"}, {"train", "before"}, {"train", "rounded"}, {"train", "float64"}, {"held-out", "float32"}, {"held-out", "before"}, {"held-out", "rounded"}, {"held-out", "float64"}}

func (w way) String() string {
	names := map[string]string{"train": "training bags", "held-out": "held-out bags", "before": "before the steps", "float32": "after them in float32", "rounded": "in float32, correctly rounded", "float64": "in float64"}
	return names[w.part] + ", " + names[w.way]
}

// winnerStudy is the experiment winners, of Figure 6.
type winnerStudy struct {
	all   []results.Result
	sets  []string
	Steps []int
	least map[counted]float64 // the least share of winners that change between two epochs
}

// counted is what winners are counted of.
type counted struct {
	preset string
	way    way
	set    string
	steps  int
}

func newWinners(a results.Archive) winnerStudy {
	s := winnerStudy{all: a.Results, least: make(map[counted]float64)}
	for _, c := range a.Curves {
		setting := must(decode(c.Config))
		s.sets, s.Steps = append(s.sets, c.Set), append(s.Steps, setting.Iterations)
		for _, change := range c.Changes {
			s.least[counted{setting.preset(), way{change.Part, change.Way}, c.Set, setting.Iterations}] = change.Least
		}
	}
	slices.SortFunc(s.sets, mil.CompareNatural)
	slices.Sort(s.Steps)
	s.sets, s.Steps = slices.Compact(s.sets), slices.Compact(s.Steps)
	need(twoSided(s.Steps))
	return s
}

// of returns the least changes of a set, one for each I; it fails where some are missing.
func (s winnerStudy) of(preset string, w way, set string) (values []float64) {
	for _, i := range s.Steps {
		v, there := s.least[counted{preset, w, set, i}]
		need(there)
		values = append(values, v)
	}
	return values
}

// leads returns by how much winners change more often under distraction: of each set the mean over I < 0 less that over I > 0, without
// the values of I beyond most on either side.
func (s winnerStudy) leads(preset string, w way, most int) (leads []float64) {
	for _, set := range s.sets {
		var steps []int
		var values []float64
		for k, v := range s.of(preset, w, set) {
			if i := s.Steps[k]; max(i, -i) <= most {
				steps, values = append(steps, i), append(values, v)
			}
		}
		concentration, distraction, _ := sidesOf(steps, values)
		leads = append(leads, distraction-concentration)
	}
	return leads
}

// everyStep is a bound that no I exceeds.
const everyStep = math.MaxInt

// Leads has a row for each way and setting: the lead of distraction over families of sets, with all I and without ±20.
func (s winnerStudy) Leads() string {
	var rows [][]string
	for _, preset := range []string{paperPreset, releasedPreset} {
		for _, w := range ways {
			row := []string{preset, w.String()}
			for _, most := range []int{everyStep, 10} {
				leads := s.leads(preset, w, most)
				positive := len(without(leads, func(v float64) bool { return !(v > 0) }))
				row = append(row, s.acrossFamilies(leads), count(float64(positive), len(leads)))
			}
			rows = append(rows, row)
		}
	}
	return table([]string{"setting", "winners of", "all I: lead (95 % interval)", "sets with a lead", "without ±20: lead", "sets with a lead"}, rows)
}

// Without20 is the lead of distraction on training bags without I = ±20, by the winners after the steps in float32.
func (s winnerStudy) Without20(preset string) string {
	return s.acrossFamilies(s.leads(preset, ways[0], 10))
}

// acrossFamilies is the mean of a value of each set, over families of sets, with its interval.
func (s winnerStudy) acrossFamilies(values []float64) string {
	e := acrossFamilies(s.sets, values)
	return fmt.Sprintf("%s (%s)", e.Mean(), e.Range())
}

// Together says whether more changes go with a better AUC: Kendall's τ-b of both over the values of I, mean over families of sets, by the
// winners of training bags after the steps in float32.
func (s winnerStudy) Together(preset string) string {
	aucs := newFigures(of(s.all, func(c config) bool { return c.preset() == preset }), config.steps)
	var sets []string
	var taus []float64
	for _, set := range s.sets {
		need(aucs.has(set, s.Steps...))
		if tau := kendall(s.of(preset, ways[0], set), aucs.table([]string{set}, s.Steps)[0]); !math.IsNaN(tau) {
			sets, taus = append(sets, set), append(taus, tau)
		}
	}
	e := acrossFamilies(sets, taus)
	return fmt.Sprintf("%s (%s)", e.Mean(), e.Range())
}

// BySteps has a row for each I and a column for each way: the least share that changes, mean over sets.
func (s winnerStudy) BySteps(preset string) string {
	head := []string{"I"}
	columns := make([][]float64, len(ways))
	for k, w := range ways {
		head = append(head, w.String())
		columns[k] = s.mean(preset, w, s.sets)
	}
	var rows [][]string
	for k, i := range s.Steps {
		row := []string{integer(i)}
		for _, column := range columns {
			row = append(row, number(column[k]))
		}
		rows = append(rows, row)
	}
	return table(head, rows)
}

// mean is the mean over sets, one value for each I.
func (s winnerStudy) mean(preset string, w way, sets []string) (means []float64) {
	var rows [][]float64
	for _, set := range sets {
		rows = append(rows, s.of(preset, w, set))
	}
	for k := range s.Steps {
		means = append(means, mean(column(rows, k)))
	}
	return means
}

// changesMore says whether the winning instance changes more often under distraction.
func changesMore(preset, how string) func(winnerStudy) answer {
	return func(s winnerStudy) answer {
		w := way{"train", how}
		said := acrossFamilies(s.sets, s.leads(preset, w, everyStep)).answer()
		said.of = "least share that changes at I < 0 less that at I > 0, training bags"
		said.effect = nil // not an AUC
		return said
	}
}

// curve is a curve of values, one for each I.
func (s winnerStudy) curve(name string, values []float64) plotting.SweepCurve {
	c := plotting.SweepCurve{Name: name, Mean: values}
	for _, i := range s.Steps {
		c.X = append(c.X, float64(i))
	}
	return c
}

// winnerStepsPlot draws the least changes against I, in both settings, before the steps and after them.
func winnerStepsPlot(s winnerStudy) *plotting.Figure {
	var curves []plotting.SweepCurve
	for _, preset := range []string{paperPreset, releasedPreset} {
		for _, w := range ways[:2] {
			curves = append(curves, s.curve(preset+", "+strings.TrimPrefix(w.String(), "training bags, "), s.mean(preset, w, s.sets)))
		}
	}
	return must(plotting.Sweep("Winners that change between two epochs", "Syn steps I", "least share", curves))
}

// winnerSetsPlot draws the same per set, of the paper's setting after the steps in float32. The Web sets, which are the same pages, have one
// curve, their mean.
func winnerSetsPlot(s winnerStudy) *plotting.Figure {
	var curves []plotting.SweepCurve
	var pages []string
	for _, set := range s.sets {
		if isWeb(set) {
			pages = append(pages, set)
		} else {
			curves = append(curves, s.curve(set, s.of(paperPreset, ways[0], set)))
		}
	}
	if len(pages) > 0 {
		curves = append(curves, s.curve("Web, mean", s.mean(paperPreset, ways[0], pages)))
	}
	return must(plotting.Sweep("Figure 6 with γ = 1 in float32, by set", "Syn steps I", "least share", curves))
}

package report

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"synpool/milbench/cv"
	"synpool/milbench/results"
	"synpool/plotting"
)

// featureStudy is the experiment features: where instances and bags lie.
type featureStudy struct {
	Spaces  []space
	Sets    int
	Pooled  int // spaces
	Farther int // pooled spaces in which the classes of the test part lie farther apart than in the plain means of bags
}

// space is a space with its name and the AUC over all folds, NaN where there is none.
type space struct {
	results.Space
	Name string
	AUC  float64
}

func newFeatures(a results.Archive) (s featureStudy) {
	need(len(a.Spaces) > 0)
	aucs := newGrid(tabulate(a.Results).Rows, func(r results.Row) (string, string) { return r.Set, rowNamed(config.withPreset)(r) })
	means := make(map[string]float64) // silhouettes, by set
	for _, one := range a.Spaces {
		means[one.Set] += 0
		if one.Of == results.OfMeans {
			means[one.Set] = one.TestSilhouette
		}
	}
	s.Sets = len(means)
	for _, one := range a.Spaces {
		auc, name := math.NaN(), spaceName(one)
		if one.Of == results.OfPooled {
			auc = aucs.AUC(one.Set, name)
			s.Pooled++
			if one.TestSilhouette > means[one.Set] {
				s.Farther++
			}
		}
		s.Spaces = append(s.Spaces, space{one, name, auc})
	}
	return s
}

// poolingSeparates says in how many pooled spaces the classes lie farther apart. One split of each set is no test.
func poolingSeparates(s featureStudy) answer {
	need(s.Pooled > 0)
	said := answer{Verdict: "Not on all of these bags", Estimate: count(float64(s.Farther), s.Pooled), Interval: fmt.Sprintf("none: one split of %d sets", s.Sets),
		of: "spaces in which the classes lie farther apart than in the plain means of bags"}
	if s.Farther == s.Pooled {
		said.Verdict = "Yes, on these bags"
	}
	return said
}

// Classes says how many vectors of each class one part has.
func (s space) Classes(test bool) string {
	var n [2]int
	for i, class := range s.Labels {
		if s.Test[i] == test {
			n[class]++
		}
	}
	return fmt.Sprintf("%d + %d", n[0], n[1])
}

// spaceName says what a space is of.
func spaceName(s results.Space) string {
	if s.Of == results.OfPooled {
		return must(decode(s.Config)).withPreset()
	}
	return map[string]string{results.OfInstances: "instances", results.OfMeans: "means of bags"}[s.Of]
}

// silhouettesPlot draws the silhouette of the classes of the test part in every space.
func silhouettesPlot(a opened) *plotting.Figure {
	var rows []plotting.IntervalRow
	for _, s := range a.Spaces {
		v := s.TestSilhouette
		rows = append(rows, plotting.IntervalRow{Set: s.Set, Setting: spaceName(s), Mean: v, Low: v, High: v, N: 1, Over: "splits"})
	}
	need(len(rows) > 0)
	return must(plotting.Intervals("Distance of the classes in the test part", plotting.Measure{Name: "silhouette", Least: -1, Meaning: "the classes overlap"}, rows))
}

// spacesPlot draws instances and pooled bags of every set by t-SNE, those pooled with the setting of the paper where there are some.
func spacesPlot(a opened) *plotting.Figure {
	var panels []plotting.ScatterPanel
	columns := 0
	preset := func(s results.Space) string {
		if s.Of != results.OfPooled {
			return ""
		}
		return must(decode(s.Config)).preset()
	}
	papers := slices.ContainsFunc(a.Spaces, func(s results.Space) bool { return preset(s) == paperPreset })
	for _, s := range a.Spaces {
		if s.Of == results.OfMeans || papers && preset(s) == releasedPreset {
			continue
		}
		if s.Set == a.Spaces[0].Set {
			columns++
		}
		const perplexity, iterations = 30, 1000
		places, _, err := plotting.TSNE(s.Vectors, min(perplexity, float64(len(s.Vectors)-1)/3), iterations, cv.Rand(1, "t-SNE"))
		name := "raw"
		if s.Of == results.OfPooled {
			name = strings.TrimPrefix(must(decode(s.Config)).label(), "syn ")
		}
		panel := plotting.ScatterPanel{Name: fmt.Sprintf("%s %s: %.2f/%.2f", s.Set, name, s.TrainSilhouette, s.TestSilhouette)}
		for i, p := range must(places, err) {
			panel.Points = append(panel.Points, plotting.ScatterPoint{X: p[0], Y: p[1], Class: []string{"negative", "positive"}[s.Labels[i]], Test: s.Test[i]})
		}
		panels = append(panels, panel)
	}
	if len(panels) == 0 {
		try(errors.New("the spaces were not kept"))
	}
	return must(plotting.ScatterPanels("t-SNE of raw and of pooled features; silhouette of training/test part", min(columns, 4), panels))
}

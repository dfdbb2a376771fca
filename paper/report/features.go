package report

import (
	"errors"
	"fmt"

	"synpool/milbench/cv"
	"synpool/milbench/results"
	"synpool/plotting"
)

// features is the section on where instances and bags lie.
func features(a results.Archive) (string, error) {
	if len(a.Spaces) == 0 {
		return "", errIncomplete
	}
	t, err := tabulate(a.Results)
	if err != nil {
		return "", err
	}
	aucs := newGrid(t.Rows, func(r results.Row) (string, string) { return r.Set, label(r) })
	var rows [][]string
	for _, s := range a.Spaces {
		name, err := spaceName(s)
		if err != nil {
			return "", err
		}
		auc := ""
		if r, ok := aucs.cells[s.Set][name]; ok && s.Of == results.OfPooled {
			auc = number(r.Mean)
		}
		rows = append(rows, []string{s.Set, name, number(s.TrainSilhouette), classes(s, false), number(s.TestSilhouette), classes(s, true), auc})
	}
	further, spaces, sets := fartherApart(a.Spaces)
	return table([]string{"set", "space", "silhouette, training part", "negative + positive", "silhouette, test part", "negative + positive", "AUC"}, rows) +
		"The silhouette of the two classes is 1 for two tight groups far apart, and about 0 for groups that overlap. It uses all features. " +
		"Beside it stands the number of vectors of each class, bags or drawn instances. Instances have the labels of their bags. AUC is over all folds.\n\n" +
		fmt.Sprintf("There are %d pooled spaces of %d sets. Spaces of one set have the same bags, so they are not independent. In %d of them the classes of the test part lie farther apart than in the plain means of the bags' instances. One split of each set is no test: this describes these bags.\n\n", spaces, sets, further), nil
}

// fartherApart counts the pooled spaces, those in which the classes of the test part lie farther apart than in the plain means of bags,
// and the sets.
func fartherApart(spaces []results.Space) (farther, pooled, sets int) {
	raw := make(map[string]float64)
	of := make(map[string]bool)
	for _, s := range spaces {
		of[s.Set] = true
		if s.Of == results.OfMeans {
			raw[s.Set] = s.TestSilhouette
		}
	}
	for _, s := range spaces {
		if s.Of == results.OfPooled {
			pooled++
			if s.TestSilhouette > raw[s.Set] {
				farther++
			}
		}
	}
	return farther, pooled, len(of)
}

// poolingSeparates says in how many pooled spaces the classes lie farther apart. One split of each set is no test.
func poolingSeparates(a results.Archive) (answer, error) {
	farther, pooled, sets := fartherApart(a.Spaces)
	if pooled == 0 {
		return answer{}, errIncomplete
	}
	said := answer{verdict: "Not on all of these bags", estimate: fmt.Sprintf("%d of %d", farther, pooled), interval: fmt.Sprintf("none: one split of %d sets", sets),
		of: "spaces in which the classes lie farther apart than in the plain means of bags"}
	if farther == pooled {
		said.verdict = "Yes, on these bags"
	}
	return said, nil
}

// classes says how many vectors of each class one part has.
func classes(s results.Space, test bool) string {
	var n [2]int
	for i, class := range s.Labels {
		if s.Test[i] == test {
			n[class]++
		}
	}
	return fmt.Sprintf("%d + %d", n[0], n[1])
}

// spaceName says what a space is of.
func spaceName(s results.Space) (string, error) {
	if s.Of != results.OfPooled {
		return map[string]string{results.OfInstances: "instances", results.OfMeans: "means of bags"}[s.Of], nil
	}
	c, err := configOf(s.Config)
	if err != nil {
		return "", err
	}
	return c.label(), nil
}

// silhouettesPlot draws the silhouette of the classes of the test part in every space.
func silhouettesPlot(a results.Archive) (*plotting.Figure, error) {
	var rows []plotting.IntervalRow
	for _, s := range a.Spaces {
		name, err := spaceName(s)
		if err != nil {
			return nil, err
		}
		v := s.TestSilhouette
		rows = append(rows, plotting.IntervalRow{Set: s.Set, Setting: name, Mean: v, Low: v, High: v, N: 1, Over: "splits"})
	}
	if len(rows) == 0 {
		return nil, errIncomplete
	}
	return plotting.Intervals("Distance of the classes in the test part", plotting.Measure{Name: "silhouette", Least: -1, Meaning: "the classes overlap"}, rows)
}

// spacesPlot draws instances and pooled bags of every set by t-SNE.
func spacesPlot(a results.Archive) (*plotting.Figure, error) {
	var panels []plotting.ScatterPanel
	columns := 0
	for _, s := range a.Spaces {
		if s.Of == results.OfMeans {
			continue
		}
		if s.Set == a.Spaces[0].Set {
			columns++
		}
		name, err := spaceName(s)
		if err != nil {
			return nil, err
		}
		const perplexity, iterations = 30, 1000
		places, _, err := plotting.TSNE(s.Vectors, min(perplexity, float64(len(s.Vectors)-1)/3), iterations, cv.Rand(1, "t-SNE"))
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", s.Set, name, err)
		}
		panel := plotting.ScatterPanel{Name: fmt.Sprintf("%s, %s: %s / %s", s.Set, name, number(s.TrainSilhouette), number(s.TestSilhouette))}
		for i, p := range places {
			panel.Points = append(panel.Points, plotting.ScatterPoint{X: p[0], Y: p[1], Class: []string{"negative", "positive"}[s.Labels[i]], Test: s.Test[i]})
		}
		panels = append(panels, panel)
	}
	if len(panels) == 0 {
		return nil, errors.New("the spaces were not kept")
	}
	return plotting.ScatterPanels("t-SNE of instances and of pooled bags; silhouette of training / test part", min(columns, 4), panels)
}

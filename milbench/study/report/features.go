package report

import (
	"errors"
	"fmt"

	"synpool/milbench"
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
	var further, spaces int // of pooled spaces
	sets := make(map[string]bool)
	raw := make(map[string]float64)
	for _, s := range a.Spaces {
		sets[s.Set] = true
		if s.Of == results.OfMeans {
			raw[s.Set] = s.TestSilhouette
		}
	}
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
		if s.Of == results.OfPooled {
			spaces++
			if s.TestSilhouette > raw[s.Set] {
				further++
			}
		}
	}
	return table([]string{"set", "space", "silhouette, training part", "negative + positive", "silhouette, test part", "negative + positive", "AUC"}, rows) +
		"The silhouette of the two classes is 1 for two tight groups far apart and about 0 for groups that lie in one another; it is computed in all features. " +
		"Beside it stands on how many vectors of each class, bags or drawn instances, it is computed. Instances bear the labels of their bags. AUC is that of all folds.\n\n" +
		fmt.Sprintf("Of the %d pooled spaces, several of each of %d sets on the same bags and so not independent, %d have the classes of the test part further apart than the plain means of the bags' instances have. One split of each set is no test: this describes these bags.\n\n", spaces, len(sets), further), nil
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
		places, _, err := plotting.TSNE(s.Vectors, min(perplexity, float64(len(s.Vectors)-1)/3), iterations, milbench.Rand(1, "t-SNE"))
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

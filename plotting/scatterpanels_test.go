package plotting

import (
	"fmt"
	"math"
	"testing"
)

func TestScatterPanels(t *testing.T) {
	f, err := ScatterPanels("Three scatters", 2, []ScatterPanel{
		{"two classes", cloud(60, 2)}, {"the second alone", cloud(40, 2)[1:2]}, {"three classes", cloud(90, 3)},
	})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "scatterpanels.svg")
	framed(t, "golden", f)
	for columns := 1; columns <= mostTileColumns; columns++ {
		for _, n := range []int{1, columns + 1, columns * mostTileRows} {
			var all []ScatterPanel
			for i, name := range many(n) {
				all = append(all, ScatterPanel{name, cloud(5+40*(i%3), 1+i%12)})
			}
			f, err := ScatterPanels("Many", columns, all)
			fits(t, fmt.Sprintf("%d in %d columns", n, columns), f, err)
		}
	}
}

func TestScatterPanelsRefuses(t *testing.T) {
	good := ScatterPanel{"good", cloud(10, 2)}
	for want, c := range map[string]struct {
		columns int
		panels  []ScatterPanel
	}{
		"there are no panels":                   {2, nil},
		"1 panels in 0 columns; 1 to 4 columns": {0, []ScatterPanel{good}},
		"panel 2, empty: there are no points":   {2, []ScatterPanel{good, {"empty", nil}}},
		"panel 1, bad: point 1: (NaN, 0)":       {2, []ScatterPanel{{"bad", []ScatterPoint{{X: math.NaN()}}}}},
		"13 classes; at most 12":                {2, []ScatterPanel{{"many", cloud(100, 13)}}},
	} {
		f, err := ScatterPanels("", c.columns, c.panels)
		refuses(t, f, err, "drawing panels of scatters", want)
	}
}

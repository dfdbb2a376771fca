package plotting

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// ScatterPanel is one of several scatter plots.
type ScatterPanel struct {
	Name   string // drawn over the panel
	Points []ScatterPoint
}

// scatterPanelHeight is the height of a panel's data area.
const scatterPanelHeight = 128 * vg.Length(1)

// ScatterPanels draws scatter plots in panels, in the given number of columns. Each panel has its own axes without numbers,
// for coordinates whose unit has no meaning, such as those of [TSNE]. A class has the same marker in all panels; see
// [Scatter].
func ScatterPanels(title string, columns int, panels []ScatterPanel) (*Figure, error) {
	f, err := scatterPanels(title, columns, panels)
	if err != nil {
		return nil, fmt.Errorf("drawing panels of scatters: %w", err)
	}
	return f, nil
}

func scatterPanels(title string, columns int, panels []ScatterPanel) (*Figure, error) {
	if err := checkTiles(len(panels), columns); err != nil {
		return nil, err
	}
	var c classes
	var names []string
	var plots []*plot.Plot
	for i, panel := range panels {
		if err := checkPoints("x", "y", panel.Points); err != nil {
			return nil, fmt.Errorf("panel %d, %s: %w", i+1, panel.Name, err)
		}
		class, low, high := c.add(panel.Points)
		p := newPlot("", "")
		valueAxis(&p.X, low.X, high.X)
		valueAxis(&p.Y, low.Y, high.Y)
		p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks{}, plot.ConstantTicks{}
		p.Add(scatter{panel.Points, class})
		names, plots = append(names, panel.Name), append(plots, p)
	}
	if len(c.names) > mostClasses {
		return nil, fmt.Errorf("%d classes; at most %d can be told apart", len(c.names), mostClasses)
	}
	return tiled(title, c.entries(), columns, scatterPanelHeight, names, plots), nil
}

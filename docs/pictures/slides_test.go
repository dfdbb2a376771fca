package pictures

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/dataset/generate"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
	"synpool/milbench/predict"
	"synpool/milbench/stats"
)

// shades are the ranks from which a tile is darker, and what the legend says of them.
var shades = []struct {
	from float64
	name string
}{{0, "lower half"}, {0.5, "above half"}, {0.75, "top quarter"}, {0.9, "top tenth"}, {0.95, "top twentieth"}}

// TestSlides draws a slide that a model has not seen: where the tumour is, which nobody told it, and the ranks of the weights of its tiles.
func TestSlides(t *testing.T) {
	if runtime.GOARCH != "amd64" { // other processors round differently
		return
	}
	drawing := generate.DefaultSlides()
	drawing.LeastTiles, drawing.MostTiles, drawing.Features = 300, 500, 16
	drawing.Shift = 2.5 // fewer features, but each says more
	set, err := generate.DrawSlides(drawing)
	must(t, err)
	bag, truth := set.Bags[0], set.InstanceLabels[0]
	places, err := bag.Coordinates()
	must(t, err)
	seen := *set
	seen.Bags = slices.DeleteFunc(slices.Clone(set.Bags), func(b mil.Bag) bool { return b.Group == bag.Group })
	seen.InstanceLabels = nil
	config, err := neural.PresetConfig(neural.SmallPreset, "gated")
	must(t, err)
	config.Batch, config.Epochs = 1, 20
	model, err := neural.Trainer{Backend: goBackend(t), Workers: 1}.Train(t.Context(), config, &seen, 1, nil)
	must(t, err)
	predictions, err := model.Predict(t.Context(), []mil.Instances{bag.Instances}, false)
	must(t, err)
	shares := predictions[0].Shares()
	ranks := predict.Ranks(shares)
	var labels []int
	tumour, weight := 0, 0.0
	for k, label := range truth {
		labels = append(labels, int(label))
		tumour, weight = tumour+int(label), weight+label*shares[k]
	}
	auc, err := stats.AUC(labels, shares)
	must(t, err)
	t.Logf("probability %.3f, AUC of tiles %.3f, weight on the tumour %.3f", predictions[0].Probability(), auc, weight)

	low, high := places[0], places[0]
	for _, at := range places {
		for i := range at {
			low[i], high[i] = min(low[i], at[i]), max(high[i], at[i])
		}
	}
	p := &picture{title: "A heat map of a slide: attention finds the tumour",
		desc: fmt.Sprintf("A drawn slide of %d tiles, %d of them tumour, which the model has not seen. It was trained with one label per slide. Left: where the tumour is. "+
			"Right: each tile by the rank of its attention weight. The tumour has the highest ranks: %.0f %% of the weight is there, and the AUC of the tiles is %.2f. The model gives the slide a tumour with probability %.2f.",
			len(truth), tumour, 100*weight, auc, predictions[0].Probability())}
	const room, top = 290.0, 88.0
	tile := min(room/((high[0]-low[0])/generate.TileSide+1), 12)
	tiles := func(left float64, class string, of func(k int) bool) {
		var d strings.Builder
		for k, at := range places {
			if of(k) {
				x, y := left+(at[0]-low[0])/generate.TileSide*tile, top+(at[1]-low[1])/generate.TileSide*tile
				fmt.Fprintf(&d, "M%s %sh%sv%[3]sh-%[3]sz", shorter(x), shorter(y), shorter(tile-.6))
			}
		}
		p.path(class, d.String())
	}
	p.text(20, 32, "head", "A synthetic slide that the model has not seen")
	p.text(20, 56, "", "The model learnt from one label per slide. Nobody told it where a tumour is.")
	p.text(20, 78, "bold", "Where the tumour is")
	p.text(334, 78, "bold", "Rank of the attention weight")
	tiles(20, "heat0", func(k int) bool { return labels[k] == 0 })
	tiles(20, "heat4", func(k int) bool { return labels[k] == 1 })
	for i, shade := range shades {
		tiles(334, fmt.Sprintf("heat%d", i), func(k int) bool {
			return ranks[k] >= shade.from && (i == len(shades)-1 || ranks[k] < shades[i+1].from)
		})
	}
	y := top + ((high[1]-low[1])/generate.TileSide+1)*tile + 24
	for i, shade := range shades {
		x := 20 + 122*float64(i)
		p.box(x, y-13, 16, 16, 3, fmt.Sprintf("heat%d", i))
		p.text(x+21, y, "", "%s", shade.name)
	}
	p.text(20, y+32, "", "Probability of a tumour: %.2f. On the tumour lie %.0f %% of the weight.", predictions[0].Probability(), 100*weight)
	p.height = y + 52
	p.keep(t, "slides.svg")
}

// shorter writes a place without a leading zero.
func shorter(v float64) string { return strings.TrimPrefix(at(v), "0") }

package plotting_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"synpool/plotting"
)

// save prints the error of drawing or saving a figure. It saves into a folder of its own, which it removes again.
func save(figure *plotting.Figure, err error) {
	if err == nil {
		var dir string
		if dir, err = os.MkdirTemp("", "figure"); err == nil {
			defer os.RemoveAll(dir)
			err = figure.Save(filepath.Join(dir, "figure.png"))
		}
	}
	fmt.Println(err)
}

func ExampleAUCIntervals() {
	save(plotting.AUCIntervals("Musk 1 under 10-fold cross-validation", []plotting.IntervalRow{
		{Set: "musk1", Setting: "softmax", Mean: 0.91, Low: 0.86, High: 0.96, N: 10},
		{Set: "musk1", Setting: "syn, I = 3", Mean: 0.92, Low: 0.88, High: 0.96, N: 10},
	}))
	// Output: <nil>
}

func ExampleAUCDifferences() {
	save(plotting.AUCDifferences("One change at a time", []plotting.IntervalRow{
		{Set: "one head", Setting: "I = 3", Mean: -0.01, Low: -0.03, High: 0.01, N: 6, Over: "sets"},
		{Set: "no dropout", Setting: "I = 3", Mean: 0.02, Low: -0.01, High: 0.05, N: 6, Over: "sets"},
	}))
	// Output: <nil>
}

func ExampleIntervals() {
	r2 := plotting.Measure{Name: "R²", Least: math.Inf(-1), Meaning: "predicting the mean"}
	save(plotting.Intervals("Ages of 60 bags", r2, []plotting.IntervalRow{
		{Set: "ages", Setting: "gated", Mean: 0.41, Low: 0.22, High: 0.60, N: 10, Over: "repeats"},
		{Set: "ages", Setting: "max", Mean: -0.12, Low: -0.35, High: 0.11, N: 10, Over: "repeats"},
	}))
	// Output: <nil>
}

func ExampleComparison() {
	save(plotting.Comparison("mean against others", "AUC of mean less that of the other (95 % CI)", 0.01, []plotting.ComparedRow{
		{Name: "gated", Difference: 0.005, Low: -0.03, High: 0.04},
		{Name: "max", Difference: 0.06, Low: 0.02, High: 0.10, Verdict: 1},
	}))
	// Output: <nil>
}

func ExampleAUCTable() {
	save(plotting.AUCTable("Mean AUC", []string{"musk1", "fox"}, []string{"mean", "softmax", "syn"}, [][]float64{
		{0.91, 0.87, 0.93},
		{0.61, math.NaN(), 0.58}, // softmax did not finish on fox
	}))
	// Output: <nil>
}

func ExampleCriticalDifference() {
	// Four methods on fourteen sets, at the critical difference of the test of Nemenyi at 10 %.
	save(plotting.CriticalDifference("Average ranks over 14 sets", []plotting.MethodRank{
		{Name: "mean", Rank: 3.1}, {Name: "softmax", Rank: 2.0}, {Name: "gated", Rank: 2.9}, {Name: "syn", Rank: 2.0},
	}, 1.12))
	// Output: <nil>
}

func ExampleSweep() {
	save(plotting.Sweep("Concentration and distraction", "Syn steps I", "AUC", []plotting.SweepCurve{
		{Name: "elephant", X: []float64{-3, 0, 3}, Mean: []float64{0.92, 0.93, 0.91}, Low: []float64{0.90, 0.91, 0.89}, High: []float64{0.94, 0.95, 0.93}},
		{Name: "fox", X: []float64{-3, 0, 3}, Mean: []float64{0.63, 0.64, 0.66}},
	}))
	// Output: <nil>
}

func ExampleConfusion() {
	save(plotting.Confusion("Test bags of five folds", []string{"benign", "malignant", "uncertain"}, [][]float64{{22, 3, 0}, {7, 10, 4}, {0, 2, 12}}))
	// Output: <nil>
}

func ExamplePredictions() {
	save(plotting.Predictions("Test bags of five folds", "True age (years)", "Predicted age (years)", []float64{31, 44, 58, 72}, []float64{36, 41, 60, 66}))
	// Output: <nil>
}

func ExampleReliability() {
	save(plotting.Reliability("Held-out bags", "Share of positives", []plotting.ReliabilityCurve{{Name: "platt", Bins: []plotting.ReliabilityBin{
		{Low: 0, High: 0.2, N: 31, Probability: 0.08, Positive: 0.10},
		{Low: 0.2, High: 0.8, N: 12, Probability: 0.53, Positive: 0.42},
		{Low: 0.8, High: 1, N: 40, Probability: 0.93, Positive: 0.95},
	}}}))
	// Output: <nil>
}

func ExampleSurvival() {
	// Of three bags two had the event, after 4 and 9 months; the third was seen without it for 12 months.
	save(plotting.Survival("Bags of high risk", "Time (months)", []plotting.SurvivalCurve{{
		Name: "high risk", Times: []float64{4, 9, 12}, Survival: []float64{2. / 3, 1. / 3, 1. / 3}, Censored: []float64{12}, Followed: []float64{4, 9, 12},
	}}))
	// Output: <nil>
}

func ExampleTraining() {
	save(plotting.Training("Musk 1, two folds", []plotting.TrainingCurve{
		{Name: "softmax", Loss: [][]float64{{0.69, 0.52, 0.41}, {0.68, 0.55, 0.47}}, AUC: [][]float64{{0.61, 0.80, 0.86}, {0.58, 0.79, 0.88}}},
	}))
	save(plotting.Training("", []plotting.TrainingCurve{{Name: "softmax", Loss: [][]float64{{0.69, math.NaN()}}}}))
	// Output:
	// <nil>
	// drawing training curves: softmax: Training loss: fold 1, epoch 2: NaN is not a number that can be drawn
}

func ExampleWinnerTransfers() {
	save(plotting.WinnerTransfers("Musk 1", []plotting.TransferCurve{
		{Name: "softmax", Rate: [][]float64{{0.42, 0.20, 0.11, 0.05}}},
		{Name: "syn, I = 3", Rate: [][]float64{{0.55, 0.31, 0.12, 0.02}}},
	}))
	// Output: <nil>
}

func ExampleAttentionBars() {
	conformations := plotting.WeightAxis{Of: "conformation", Names: []string{"88_1+1", "88_1+2", "88_1+3"}}
	save(plotting.AttentionBars("Which conformation decides", conformations, []plotting.AttentionWeights{
		{Name: "softmax", Weights: []float64{0.2, 0.5, 0.3}},
		{Name: "syn, I = 3", Weights: []float64{0.05, 0.85, 0.1}},
	}))
	// Output: <nil>
}

func ExampleShareBars() {
	save(plotting.ShareBars("Where a network looks", plotting.WeightAxis{Of: "cell"}, []plotting.AttentionWeights{{Weights: []float64{0.2, 0.5, 0.3}}}))
	// Output: <nil>
}

func ExampleShareMap() {
	save(plotting.ShareMap("A head", plotting.WeightAxis{Of: "query"}, plotting.WeightAxis{Of: "key"}, [][]float64{{0.9, 0.1}, {0.4, 0.6}}))
	// Output: <nil>
}

func ExampleWordShares() {
	save(plotting.WordShares("What weighs", []plotting.Sentence{
		{Words: []string{"a", "lovely", "film"}, Weights: []float64{0.05, 0.85, 0.1}, Weight: 0.7},
		{Words: []string{"we", "went", "home"}, Weights: []float64{0.3, 0.4, 0.3}, Weight: 0.3},
	}))
	// Output: <nil>
}

func ExampleImageBags() {
	stroke := []float64{
		0, 1, 0,
		0, 1, 0,
		0, 1, 0,
	}
	ring := []float64{
		1, 1, 1,
		1, 0, 1,
		1, 1, 1,
	}
	save(plotting.ImageBags("Which digit decides", "weight", 3, 3, []plotting.ImageBag{
		{Name: "Bag 1, positive", Images: [][]float64{stroke, ring, stroke}, Values: []float64{0.1, 0.8, 0.1}, Winner: true, Labels: []string{"1", "0", "1"}},
		{Name: "Bag 2, negative", Images: [][]float64{stroke, stroke}, Values: []float64{0.5, 0.5}},
	}))
	// Output: <nil>
}

func ExampleImageShares() {
	black, white := []float64{1}, []float64{0}
	save(plotting.ImageShares("Which pixel decides", 1, 1, []plotting.ImageBag{
		{Name: "A bag", Images: [][]float64{black, white}, Values: []float64{0.75, 0.25}, Winner: true},
	}))
	// Output: <nil>
}

func ExampleTileMap() {
	save(plotting.TileMap("A slide", "rank of the weight", []plotting.Tile{{X: 0, Y: 0, Value: 0.2}, {X: 512, Y: 0, Value: 1}, {X: 512, Y: 512, Value: 0.7}}, 512, nil))
	// Output: <nil>
}

func ExampleConvergencePanels() {
	save(plotting.ConvergencePanels("Convergence", 2, []plotting.ConvergencePanel{
		{Name: "to one", Orders: [][]float64{{0.50, 0.30}, {0.81, 0.49}, {0.94, 0.31}, {1, 0}}},
		{Name: "to both", Orders: [][]float64{{0.50, 0.50}, {0.65, 0.65}, {0.71, 0.71}}},
	}))
	// Output: <nil>
}

func ExampleEnergyTraces() {
	save(plotting.EnergyTraces("Retrieval of two digits", []plotting.EnergyRun{
		{Name: "3, half masked", Energies: []float64{-2.1, -5.6, -6.0, -6.0}, Fixed: true},
		{Name: "7, half masked", Energies: []float64{-1.8, -3.9, -5.2}},
	}))
	// Output: <nil>
}

func ExampleCapacity() {
	save(plotting.Capacity("Random patterns brought back", []plotting.CapacityCurve{
		{Name: "classical", Components: []float64{50, 100, 200}, Measured: []float64{7, 14, 27}, Theory: []float64{6.9, 13.8, 27.6}},
		{Name: "exponential", Components: []float64{8, 12, 16}, Measured: []float64{7, 23, 78}, Theory: []float64{6.7, 21.7, 75.4}},
	}))
	// Output: <nil>
}

func ExampleSimplex() {
	save(plotting.Simplex("Weights of three instances", [3]string{"A", "B", "C"}, []plotting.Trajectory{
		{Name: "concentration", Weights: [][3]float64{{0.5, 0.3, 0.2}, {0.7, 0.2, 0.1}, {1, 0, 0}}},
		{Name: "distraction", Weights: [][3]float64{{0.1, 0.1, 0.8}, {0.2, 0.2, 0.6}, {0.3, 0.3, 0.4}}},
	}))
	// Output: <nil>
}

func ExampleFunctions() {
	var x, cube []float64
	for i := range 101 {
		v := float64(i) / 100
		x, cube = append(x, v), append(cube, v*v*v)
	}
	save(plotting.Functions("A function and its inverse", "x", "f(x)", []plotting.FunctionCurve{
		{Name: "f(x) = x³", X: x, Y: cube},
		{Name: "f⁻¹(x) = ³√x", X: cube, Y: x},
	}))
	// Output: <nil>
}

func ExampleScatter() {
	pooled := [][]float64{{1, 0, 2}, {2, 0, 4}, {3, 1, 6}, {9, 5, 0}, {8, 5, 1}}
	classes := []string{"negative", "negative", "negative", "positive", "positive"}
	places, shares, err := plotting.PCA(pooled)
	if err != nil {
		fmt.Println(err)
		return
	}
	var points []plotting.ScatterPoint
	for i, p := range places {
		points = append(points, plotting.ScatterPoint{X: p[0], Y: p[1], Class: classes[i], Test: i%2 == 1})
	}
	x := fmt.Sprintf("First principal component (%.0f %% of the variance)", 100*shares[0])
	y := fmt.Sprintf("Second principal component (%.0f %%)", 100*shares[1])
	save(plotting.Scatter("Pooled bags", x, y, points))
	// Output: <nil>
}

func ExampleScatterPanels() {
	save(plotting.ScatterPanels("Before and after pooling", 2, []plotting.ScatterPanel{
		{Name: "instances", Points: []plotting.ScatterPoint{{X: 1, Y: 2, Class: "positive"}, {X: 2, Y: 1, Class: "negative"}, {X: 1.5, Y: 1.2, Class: "positive", Test: true}}},
		{Name: "pooled", Points: []plotting.ScatterPoint{{X: 1, Y: 0, Class: "positive"}, {X: -1, Y: 0, Class: "negative"}}},
	}))
	// Output: <nil>
}

func ExamplePCA() {
	places, shares, err := plotting.PCA([][]float64{{0, 0}, {3, 4}, {6, 8}})
	fmt.Printf("%.1f %.2f %v\n", places, shares, err)
	// Output: [[-5.0 0.0] [0.0 0.0] [5.0 0.0]] [1.00 0.00] <nil>
}

func ExampleTSNE() {
	random := rand.New(rand.NewPCG(1, 0))
	var pooled [][]float64 // bags of two classes, in 16 dimensions
	for i := range 60 {
		v := make([]float64, 16)
		for j := range v {
			v[j] = float64(2*(i%2)) + random.NormFloat64()
		}
		pooled = append(pooled, v)
	}
	places, divergence, err := plotting.TSNE(pooled, 15, 1000, random)
	fmt.Printf("%d places, divergence %.1f, %v\n", len(places), divergence, err)
	// Output: 60 places, divergence 0.3, <nil>
}

func ExampleFigure_Save() {
	figure, err := plotting.Confusion("Test bags", []string{"negative", "positive"}, [][]float64{{40, 5}, {8, 39}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Save("confusion.doc"))
	// Output: saving the figure confusion.doc: the extension must be .png, .svg or .pdf
}

func ExampleFigure_Show() {
	figure, err := plotting.Confusion("Test bags", []string{"negative", "positive"}, [][]float64{{40, 5}, {8, 39}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Show()) // outside of a notebook, nothing
	// Output: <nil>
}

func ExampleFigure_Write() {
	figure, err := plotting.AUCIntervals("", []plotting.IntervalRow{{Set: "fox", Setting: "mean", Mean: 0.6, Low: 0.5, High: 0.7}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Write(os.Stdout, "docx"))
	// Output: a figure cannot be written as "docx"; use png, svg or pdf
}

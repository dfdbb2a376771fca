package plotting_test

import (
	"fmt"
	"math"

	"synpool/plotting"
)

func ExampleConvergencePanels() {
	figure, err := plotting.ConvergencePanels("Convergence", 2, []plotting.ConvergencePanel{
		{Name: "to one", Orders: [][]float64{{0.50, 0.30}, {0.81, 0.49}, {0.94, 0.31}, {1, 0}}},
		{Name: "to both", Orders: [][]float64{{0.50, 0.50}, {0.65, 0.65}, {0.71, 0.71}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "panels.png"))
	// Output: <nil>
}

func ExampleEnergyTraces() {
	figure, err := plotting.EnergyTraces("Retrieval of two digits", []plotting.EnergyRun{
		{Name: "3, half masked", Energies: []float64{-2.1, -5.6, -6.0, -6.0}, Fixed: true},
		{Name: "7, half masked", Energies: []float64{-1.8, -3.9, -5.2}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "energy.svg"))
	// Output: <nil>
}

func ExampleFunctions() {
	var x, cube []float64
	for i := range 101 {
		v := float64(i) / 100
		x, cube = append(x, v), append(cube, v*v*v)
	}
	figure, err := plotting.Functions("A function and its inverse", "x", "f(x)", []plotting.FunctionCurve{
		{Name: "f(x) = x³", X: x, Y: cube},
		{Name: "f⁻¹(x) = ³√x", X: cube, Y: x},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "functions.pdf"))
	// Output: <nil>
}

func ExampleTraining() {
	figure, err := plotting.Training("Musk 1, two folds", []plotting.TrainingCurve{
		{Name: "softmax", Loss: [][]float64{{0.69, 0.52, 0.41}, {0.68, 0.55, 0.47}}, AUC: [][]float64{{0.61, 0.80, 0.86}, {0.58, 0.79, 0.88}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "training.png"))
	_, err = plotting.Training("", []plotting.TrainingCurve{{Name: "softmax", Loss: [][]float64{{0.69, math.NaN()}}}})
	fmt.Println(err)
	// Output:
	// <nil>
	// drawing training curves: softmax: Training loss: fold 1, epoch 2: NaN is not a number that can be drawn
}

func ExampleWinnerTransfers() {
	figure, err := plotting.WinnerTransfers("Musk 1", []plotting.TransferCurve{
		{Name: "softmax", Rate: [][]float64{{0.42, 0.20, 0.11, 0.05}}},
		{Name: "syn, I = 3", Rate: [][]float64{{0.55, 0.31, 0.12, 0.02}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "transfers.png"))
	// Output: <nil>
}

func ExampleCapacity() {
	figure, err := plotting.Capacity("Random patterns brought back", []plotting.CapacityCurve{
		{Name: "classical", Components: []float64{50, 100, 200}, Measured: []float64{7, 14, 27}, Theory: []float64{6.9, 13.8, 27.6}},
		{Name: "exponential", Components: []float64{8, 12, 16}, Measured: []float64{7, 23, 78}, Theory: []float64{6.7, 21.7, 75.4}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "capacity.png"))
	// Output: <nil>
}

func ExampleSimplex() {
	figure, err := plotting.Simplex("Weights of three instances", [3]string{"A", "B", "C"}, []plotting.Trajectory{
		{Name: "concentration", Weights: [][3]float64{{0.5, 0.3, 0.2}, {0.7, 0.2, 0.1}, {1, 0, 0}}},
		{Name: "distraction", Weights: [][3]float64{{0.1, 0.1, 0.8}, {0.2, 0.2, 0.6}, {0.3, 0.3, 0.4}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "simplex.png"))
	// Output: <nil>
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

func ExampleReliability() {
	figure, err := plotting.Reliability("Held-out bags", "Share of positives", []plotting.ReliabilityCurve{{Name: "platt", Bins: []plotting.ReliabilityBin{
		{Low: 0, High: 0.2, N: 31, Probability: 0.08, Positive: 0.10},
		{Low: 0.2, High: 0.8, N: 12, Probability: 0.53, Positive: 0.42},
		{Low: 0.8, High: 1, N: 40, Probability: 0.93, Positive: 0.95},
	}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "reliability.png"))
	// Output: <nil>
}

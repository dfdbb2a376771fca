package plotting_test

import (
	"fmt"
	"os"
	"path/filepath"

	"synpool/plotting"
)

func ExampleAUCIntervals() {
	figure, err := plotting.AUCIntervals("Musk 1 under 10-fold cross-validation", []plotting.IntervalRow{
		{Set: "musk1", Setting: "softmax", Mean: 0.91, Low: 0.86, High: 0.96, N: 10},
		{Set: "musk1", Setting: "syn, I = 3", Mean: 0.92, Low: 0.88, High: 0.96, N: 10},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "auc.png"))
	// Output: <nil>
}

func ExampleAUCDifferences() {
	figure, err := plotting.AUCDifferences("One change at a time", []plotting.IntervalRow{
		{Set: "one head", Setting: "I = 3", Mean: -0.01, Low: -0.03, High: 0.01, N: 6, Over: "sets"},
		{Set: "no dropout", Setting: "I = 3", Mean: 0.02, Low: -0.01, High: 0.05, N: 6, Over: "sets"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "differences.png"))
	// Output: <nil>
}

func ExampleROC() {
	curves := []plotting.ROCCurve{
		{Name: "softmax", Labels: []int{0, 0, 1, 1}, Scores: []float64{-1.2, 0.1, -0.3, 2.4}},
		{Name: "mean", Labels: []int{0, 0, 1, 1}, Scores: []float64{-0.4, 0.3, 0.2, 0.9}},
	}
	figure, err := plotting.ROC("Scores of the test folds", curves)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "roc.png"))
	curves[1].Scores = curves[1].Scores[1:]
	_, err = plotting.ROC("Scores of the test folds", curves)
	fmt.Println(err)
	// Output:
	// <nil>
	// drawing ROC curves: mean: 4 labels but 3 scores
}

func ExampleFigure_Save() {
	figure, err := plotting.ROC("Scores of the test folds", []plotting.ROCCurve{
		{Name: "softmax", Labels: []int{0, 0, 1, 1}, Scores: []float64{-1.2, 0.1, -0.3, 2.4}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "roc.pdf"))
	fmt.Println(figure.Save("roc.doc"))
	// Output:
	// <nil>
	// saving the figure roc.doc: the extension must be .png, .svg or .pdf
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

// save puts a figure into a folder of its own and removes it again.
func save(figure *plotting.Figure, name string) error {
	dir, err := os.MkdirTemp("", "figure")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return figure.Save(filepath.Join(dir, name))
}

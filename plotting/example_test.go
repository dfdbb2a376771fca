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

func ExampleFigure_Save() {
	figure, err := plotting.Confusion("Test bags", []string{"negative", "positive"}, [][]float64{{40, 5}, {8, 39}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(save(figure, "confusion.pdf"))
	fmt.Println(figure.Save("confusion.doc"))
	// Output:
	// <nil>
	// saving the figure confusion.doc: the extension must be .png, .svg or .pdf
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

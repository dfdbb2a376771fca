package plotting_test

import (
	"bytes"
	"fmt"
	"strings"

	"synpool/plotting"
)

func ExampleWordsHTML() {
	var page bytes.Buffer
	err := plotting.WordsHTML(&page, "Fish & chips", []plotting.Sentence{
		{Words: []string{"<b>", "excellent"}, Weights: []float64{0.1, 0.9}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(page.String()) {
		if strings.HasPrefix(line, "<h1>") || strings.HasPrefix(line, "<b ") {
			fmt.Print(line)
		}
	}
	// Output:
	// <h1>Fish &amp; chips</h1>
	// <b style="background: #c7e3ff; color: #000000" title="0.1">&lt;b&gt;</b>
	// <b style="background: #07263e; color: #ffffff" title="0.9">excellent</b>
}

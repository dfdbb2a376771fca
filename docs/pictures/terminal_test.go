package pictures

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// columns of the terminal that is drawn.
const columns = 70

// longest is how many lines of the terminal a line of a recording may take; of a longer one, such as the legend of a table, the first is shown.
const longest = 5

// wrapped breaks a line between words, so that no part is longer than most letters unless it is one word.
func wrapped(line string, most int) (lines []string) {
	last := ""
	for _, word := range strings.SplitAfter(line, " ") {
		if utf8.RuneCountInString(last)+utf8.RuneCountInString(strings.TrimSuffix(word, " ")) > most && last != "" {
			lines, last = append(lines, last), ""
		}
		last += word
	}
	return append(lines, last)
}

// TestTerminal draws recordings of commands as stills of a terminal. A test of cmd/milbench compares the recordings with what the commands write.
func TestTerminal(t *testing.T) {
	for _, still := range []struct{ name, title, desc string }{
		{"audit", "A terminal: milbench audit finds the column that leaks the labels",
			"milbench audit bags.csv counts 40 bags, 20 of them tumour, and says: no column leaks the bag labels. milbench audit leaky.csv says: LEAK, column 3 (scanner): its value tells the label of 40 of 40 bags."},
		{"run", "A terminal: milbench run, half-way through",
			"milbench run bags.csv --folds 5 --repeats 1 --out results notes which label is positive and which backend runs. Its last line counts the fits that are done and says how long the others take."},
		{"table", "A terminal: milbench table ranks ten learners",
			"milbench table results prints one row per learner with the AUC, its 95 % confidence interval, and other figures; columns on the right are cut off here. A sentence below says which learners cannot be told apart from the best."},
	} {
		file, err := os.ReadFile(still.name + ".txt")
		must(t, err)
		p := &picture{title: still.title, desc: still.desc}
		y := 32.0
		for i, class := range []string{"two", "faint", "three"} {
			p.dot(24+18*float64(i), 20, 5, class)
		}
		for line := range strings.Lines(string(file)) {
			line = strings.TrimRight(line, "\n")
			class := "mono"
			switch {
			case strings.HasPrefix(line, "$ "):
				class = "mono bold said"
				y += 4
			case strings.HasPrefix(line, "LEAK"), strings.HasPrefix(line, "milbench: ") && !strings.Contains(line, "note: "):
				class = "mono warn"
			case strings.Contains(line, "fits done"), strings.Contains(line, "no column leaks"), strings.Contains(line, "has the largest"), strings.Contains(line, "have the largest"):
				class = "mono good"
			}
			lines := []string{line}
			switch {
			case !strings.HasPrefix(line, "|"):
				if lines = wrapped(line, columns); len(lines) > longest {
					lines = []string{strings.TrimSuffix(lines[0], " ") + " …"}
				}
			case utf8.RuneCountInString(line) > columns:
				lines[0] = string([]rune(line)[:columns]) + "…"
			}
			for _, shown := range lines {
				y += 21
				if shown != "" {
					p.text(18, y, class, "%s", shown)
				}
			}
		}
		p.height = y + 20
		p.keep(t, still.name+".svg")
		if !strings.Contains(string(file), fmt.Sprintf("$ milbench %s ", still.name)) {
			t.Errorf("%s.txt is a recording of another command", still.name)
		}
	}
}

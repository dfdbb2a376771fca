package pictures

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestJudged draws the table of docs/judge.md, in which the scores of a program in PyTorch stand beside two learners. A test of cmd/milbench compares the
// table with what the commands of that page print.
func TestJudged(t *testing.T) {
	page, err := os.ReadFile("../judge.md")
	must(t, err)
	row := regexp.MustCompile(`(?m)^\| musk1 +\| ([^ ]+) +\| +([0-9.]+) \| ([0-9.]+)–([0-9.]+) `)
	rows := row.FindAllStringSubmatch(string(page), -1)
	verdict := regexp.MustCompile(`(?m)^musk1: (.+)$`).FindStringSubmatch(string(page))
	if len(rows) < 3 || verdict == nil {
		t.Fatalf("docs/judge.md has %d rows and the verdict %q", len(rows), verdict)
	}
	number := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		must(t, err)
		return v
	}
	low := 1.0
	var said []string
	for _, r := range rows {
		low = min(low, number(r[3]))
		said = append(said, fmt.Sprintf("%s %s (%s to %s)", r[1], r[2], r[3], r[4]))
	}
	low = math.Floor(low*20) / 20
	p := &picture{title: "The scores of a PyTorch model, judged beside two other learners on Musk 1",
		desc: fmt.Sprintf("AUC and 95 %% interval over five folds on Musk 1: %s. %s", strings.Join(said, ", "), verdict[1])}
	const left, right, top = 170.0, 540.0, 80.0
	x := func(auc float64) float64 { return left + (right-left)*(auc-low)/(1-low) }
	p.text(20, 32, "head", "Scores of a PyTorch model, judged on Musk 1")
	p.text(20, 56, "minor", "AUC and 95 %% interval over the same five folds")
	bottom := top + 40*float64(len(rows))
	for tick := low; tick < 1.001; tick += 0.05 {
		p.line(x(tick), top-8, x(tick), bottom, "thin")
		p.text(x(tick), bottom+18, "middle minor", "%.2f", tick)
	}
	for i, r := range rows {
		y := top + 14 + 40*float64(i)
		class, edge, name := "one", "edge1", ""
		if strings.Contains(r[1], "pytorch") {
			class, edge, name = "two", "edge2", "bold"
		}
		p.text(20, y+5, name, "%s", r[1])
		for _, end := range []float64{number(r[3]), number(r[4])} {
			p.line(x(end), y-6, x(end), y+6, "stroke "+edge)
		}
		p.line(x(number(r[3])), y, x(number(r[4])), y, "stroke "+edge)
		p.dot(x(number(r[2])), y, 6, class)
		p.text(right+16, y+5, name, "%s", r[2])
	}
	said = wrapped(verdict[1], 78)
	p.lines(20, bottom+50, "", said...)
	p.height = bottom + 48 + 20*float64(len(said))
	p.keep(t, "judged.svg")
}

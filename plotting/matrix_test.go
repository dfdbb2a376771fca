package plotting

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// table returns made-up weights whose rows sum to 1, the largest near the diagonal.
func table(rows, columns int) [][]float64 {
	weights := make([][]float64, rows)
	for i := range weights {
		weights[i] = make([]float64, columns)
		sum := 0.0
		for j := range weights[i] {
			d := (float64(i)+0.5)/float64(rows) - (float64(j)+0.5)/float64(columns)
			weights[i][j] = math.Exp(-30*d*d) * (1.2 + math.Sin(float64(3*i+7*j)))
			sum += weights[i][j]
		}
		for j := range weights[i] {
			weights[i][j] /= sum
		}
	}
	return weights
}

// wordsOf returns so many made-up words.
func wordsOf(n int) []string {
	some := strings.Fields("the small boat on the lake carried three children and an extraordinarily patient dog . <end>")
	out := make([]string, n)
	for i := range out {
		out[i] = some[i%len(some)]
	}
	return out
}

func TestMatrixLayout(t *testing.T) {
	// One row of wide cells has its names side by side; more and longer names lean, then stand, then ask for more room.
	for _, c := range []struct {
		name     string
		m        matrix
		angle    float64
		cell     vg.Point
		textWide bool // no wider than a text column
	}{
		{"few", matrix{values: table(2, 3), columns: []string{"a", "b", "c"}}, 0, vg.Point{X: mostWidth, Y: cellHeight}, true},
		{"lean", matrix{values: table(2, 13), columns: wordsOf(13)}, math.Pi / 4, vg.Point{X: -1, Y: cellHeight}, true},
		{"stand", matrix{values: table(2, 30), columns: wordsOf(30)}, math.Pi / 2, vg.Point{X: -1, Y: cellHeight}, true},
		{"wide", matrix{values: table(60, 100), columns: wordsOf(100)}, math.Pi / 2, vg.Point{X: namedWidth, Y: leastHeight}, false},
		{"numbers", matrix{values: table(1, 400)}, 0, vg.Point{X: -1, Y: cellHeight}, true},
	} {
		c.m.row, c.m.column, c.m.shades = "head", "instance", shadingOf(slices.Concat(c.m.values...))
		l := c.m.layout()
		if l.angle != c.angle || c.cell.X > 0 && l.cell.X != c.cell.X || l.cell.Y != c.cell.Y || (l.width <= figureWidth-2*margin+1e-9) != c.textWide {
			t.Errorf("%s: angle %v, cell %v, width %v", c.name, l.angle, l.cell, l.width)
		}
		if right := l.left + vg.Length(len(c.m.values[0]))*l.cell.X; right > l.width || l.bar.Min.X < right || l.bar.Max.X > l.width {
			t.Errorf("%s: the cells end at %v, the bar is %v, the width %v", c.name, right, l.bar, l.width)
		}
	}
}

func TestThin(t *testing.T) {
	s := legendStyle()
	for _, c := range []struct {
		n     int
		pitch vg.Length
		first string
	}{{12, 30, "1"}, {40, 8, "2"}, {400, 1, "20"}, {1000, 0.4, "100"}} {
		numbers := labels(s, nil, c.n, cellName)
		thin(s, numbers, c.pitch)
		numbers = slices.DeleteFunc(numbers, func(n string) bool { return n == "" })
		if len(numbers) == 0 || numbers[0] != c.first {
			t.Errorf("%d at a pitch of %v: %v, want the first to be %s", c.n, c.pitch, numbers, c.first)
		}
		every := float64(c.n) / float64(len(numbers))
		if got := vg.Length(every) * c.pitch; got < widest(s, numbers) {
			t.Errorf("%d at a pitch of %v: every %.0f-th overlap", c.n, c.pitch, every)
		}
	}
}

func TestAUCTable(t *testing.T) {
	golden(t, "auctable.svg")(AUCTable("Mean AUC of five repeats", []string{"musk1", "fox", "brown-creeper"}, []string{"mean pooling", "MI-SVM", "syn, I = 3"},
		[][]float64{{0.91, 0.87, 0.93}, {0.61, math.NaN(), 0.48}, {0.99, 0.99, 0.97}}))
	fits(t, "no values")(AUCTable("No values", []string{"a"}, []string{"b", "c"}, [][]float64{{math.NaN(), math.NaN()}}))
	random := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct{ sets, learners int }{{1, 1}, {1, 30}, {24, 1}, {24, 8}, {24, 30}, {100, 100}} {
		var sets, learners []string
		var auc [][]float64
		for i := range c.sets {
			sets = append(sets, fmt.Sprint("set ", i+1))
			row := make([]float64, c.learners)
			for j := range row {
				if row[j] = 1 - random.Float64()/2; random.IntN(20) == 0 {
					row[j] = math.NaN()
				}
			}
			auc = append(auc, row)
		}
		for j := range c.learners {
			learners = append(learners, strings.Repeat("a long name ", j%3)+fmt.Sprint(j+1))
		}
		fits(t, fmt.Sprintf("%d x %d", c.sets, c.learners))(AUCTable("Title", sets, learners, auc))
	}
	for want, c := range map[string]struct {
		sets, learners []string
		auc            [][]float64
	}{
		"drawing a table of AUCs: there are no AUC values":        {nil, nil, nil},
		"set 1, learner 2: an AUC of 1.5 is not between 0 and 1":  {[]string{"a"}, []string{"b", "c"}, [][]float64{{1, 1.5}}},
		"set 2, learner 1: an AUC of -0.1 is not between 0 and 1": {[]string{"a", "b"}, []string{"c"}, [][]float64{{1}, {-0.1}}},
		"0 names for 1 sets":                                      {nil, []string{"c"}, [][]float64{{1}}},
		"2 names for 1 learners":                                  {[]string{"a"}, []string{"b", "c"}, [][]float64{{1}}},
		"set 1 has 1 AUC values but set 2 has 2":                  {[]string{"a", "b"}, []string{"c"}, [][]float64{{1}, {1, 1}}},
		"set 1, learner 1: an AUC of +Inf is not between 0 and 1": {[]string{"a"}, []string{"b"}, [][]float64{{math.Inf(1)}}},
		"101 sets; at most 100 can be told apart":                 {make([]string, 101), []string{"b"}, slices.Repeat([][]float64{{0.5}}, 101)},
	} {
		refused(t, want)(AUCTable("", c.sets, c.learners, c.auc))
	}
}

func TestConfusion(t *testing.T) {
	golden(t, "confusion.svg")(Confusion("Three classes, mean counts of 2 repeats", []string{"benign", "malignant", "uncertain"}, [][]float64{{22, 3, 0}, {7.5, 9, 4.5}, {0, 1.5, 12.5}}))
	for name, n := range map[string]int{"two": 2, "eight": 8, "thirty": 30} {
		var classes []string
		counts := make([][]float64, n)
		for i := range n {
			classes = append(classes, strings.Repeat("a long word ", i+1))
			counts[i] = make([]float64, n)
			counts[i][i], counts[i][(i+1)%n] = float64(700*i), float64(i) // none of the first class
		}
		fits(t, name)(Confusion(long, classes, counts))
	}
	two := []string{"a", "b"}
	for want, counts := range map[string][][]float64{
		"2 classes and 0 rows":             nil,
		"row 2 has 1 counts of 2 classes":  {{1, 2}, {1}},
		"row 1, column 2: -1 is negative":  {{1, -1}, {1, 1}},
		"row 2, column 1: NaN is not a nu": {{1, 1}, {math.NaN(), 1}},
	} {
		refused(t, want)(Confusion("", two, counts))
	}
	refused(t, "drawing a confusion matrix: 1 classes and 1 rows")(Confusion("", two[:1], [][]float64{{1}}))
}

func TestShareMap(t *testing.T) {
	cells, queries := WeightAxis{Of: "cell"}, WeightAxis{Of: "query"}
	golden(t, "sharemap.svg")(ShareMap("A head", WeightAxis{"query", []string{"a", "b"}}, WeightAxis{Of: "key"}, [][]float64{{0.1, 0.6, 0.3}, {0.4, 0.3, 0.3}}))
	fits(t, "many columns")(ShareMap("", queries, cells, table(1, 400)))
	for want, c := range map[string]struct {
		rows, columns WeightAxis
		shares        [][]float64
	}{
		"drawing a map of shares: rows and columns need":    {WeightAxis{}, cells, nil},
		"drawing a map of shares: there are no Share":       {cells, cells, nil},
		"query 2, cell 1: 7 is no share, which is from 0 t": {queries, cells, [][]float64{{1}, {7}}},
		"query 1, cell 1: NaN is no share":                  {queries, cells, [][]float64{{math.NaN()}}},
		"query 1 has 2 Share values but query 2 has 1":      {queries, cells, [][]float64{{1, 0}, {1}}},
		"401 cells; at most 400 can be told apart":          {queries, cells, table(1, 401)},
		"101 names of cells; at most 100 can be read":       {queries, WeightAxis{"cell", wordsOf(101)}, table(1, 101)},
	} {
		refused(t, want)(ShareMap("", c.rows, c.columns, c.shares))
	}
}

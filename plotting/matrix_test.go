package plotting

import (
	"math"
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

// same returns so many equal values.
func same(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

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
		{"few", matrix{weights: table(2, 3), columns: []string{"a", "b", "c"}}, 0, vg.Point{X: mostWidth, Y: cellHeight}, true},
		{"lean", matrix{weights: table(2, 13), columns: wordsOf(13)}, math.Pi / 4, vg.Point{X: -1, Y: cellHeight}, true},
		{"stand", matrix{weights: table(2, 30), columns: wordsOf(30)}, math.Pi / 2, vg.Point{X: -1, Y: cellHeight}, true},
		{"wide", matrix{weights: table(60, 100), columns: wordsOf(100)}, math.Pi / 2, vg.Point{X: namedWidth, Y: leastHeight}, false},
		{"numbers", matrix{weights: table(1, 400)}, 0, vg.Point{X: -1, Y: cellHeight}, true},
	} {
		c.m.row, c.m.column = "head", "instance"
		l := c.m.layout(shadingOf(c.m.weights...))
		if l.angle != c.angle || c.cell.X > 0 && l.cell.X != c.cell.X || l.cell.Y != c.cell.Y || (l.width <= figureWidth-2*margin+1e-9) != c.textWide {
			t.Errorf("%s: angle %v, cell %v, width %v", c.name, l.angle, l.cell, l.width)
		}
		if right := l.left + vg.Length(len(c.m.weights[0]))*l.cell.X; right > l.width || l.bar.Min.X < right || l.bar.Max.X > l.width {
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

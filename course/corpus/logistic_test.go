package corpus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
)

// The gradient that the minimiser is given is that of the value it is given, to what central differences can say.
func TestLogisticGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for classes := 2; classes <= 4; classes++ {
		f := objective{columns: 5, classes: classes, free: classes, penalty: 0.3, share: make([]float64, classes)}
		if classes == 2 {
			f.free = 1
		}
		for k := range f.share {
			f.share[k] = 0.01 + rng.Float64()
		}
		for range 20 {
			a, b := rng.IntN(5), rng.IntN(5)
			f.rows = append(f.rows, row{columns: []int{a, b}, values: []float64{rng.NormFloat64(), rng.NormFloat64()}})
			f.labels = append(f.labels, rng.IntN(classes))
		}
		x := make([]float64, f.free*(f.columns+1))
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		got := make([]float64, len(x))
		f.compute(x, got)
		value := func(x []float64) float64 { return f.compute(x, make([]float64, len(x))) }
		requireNear(t, "gradient", got, fd.Gradient(nil, value, x, &fd.Settings{Formula: fd.Central}), 1e-7)
	}
}

// Huge values neither overflow nor make a NaN.
func TestLogisticExtremes(t *testing.T) {
	rows := []row{{[]int{0}, []float64{1e4}}, {[]int{0}, []float64{-1e4}}, {}}
	m := must(Logistic{C: 1e6, Tolerance: 1e-6, Iterations: 1000}.fit(rows, 1, []int{0, 1, 1}, 2))
	for i, r := range rows {
		p, err := m.probabilities(r)
		if err != nil || math.IsNaN(p[0]) || math.Abs(p[0]+p[1]-1) > 1e-12 {
			t.Errorf("row %d: %v, %v", i, p, err)
		}
	}
}

func TestLogisticRefuses(t *testing.T) {
	good := []row{{[]int{0}, []float64{1}}, {[]int{1}, []float64{1}}}
	for message, c := range map[string]struct {
		change  func(*Logistic)
		rows    []row
		columns int
		labels  []int
		classes int
	}{
		"with C 0":                         {func(l *Logistic) { l.C = 0 }, good, 2, []int{0, 1}, 2},
		"with C NaN":                       {func(l *Logistic) { l.C = math.NaN() }, good, 2, []int{0, 1}, 2},
		"with C +Inf":                      {func(l *Logistic) { l.C = math.Inf(1) }, good, 2, []int{0, 1}, 2},
		"tolerance 0":                      {func(l *Logistic) { l.Tolerance = 0 }, good, 2, []int{0, 1}, 2},
		"0 iterations":                     {func(l *Logistic) { l.Iterations = 0 }, good, 2, []int{0, 1}, 2},
		"not converged after 1 iterations": {func(l *Logistic) { l.Iterations, l.Tolerance = 1, 1e-14 }, good, 2, []int{0, 1}, 2},
		"1 labels for 2 texts":             {nil, good, 2, []int{0}, 2},
		"1 classes":                        {nil, good, 2, []int{0, 0}, 1},
		"label 2 of text 1":                {nil, good, 2, []int{0, 2}, 2},
		"label -1 of text 0":               {nil, good, 2, []int{-1, 1}, 2},
		"no text of class 1":               {nil, good, 2, []int{0, 0}, 2},
		fmt.Sprint(math.MaxInt, " classes of 2 texts"):       {nil, good, 2, []int{0, 1}, math.MaxInt},
		fmt.Sprint("2 classes of ", math.MaxInt, " columns"): {nil, good, math.MaxInt, []int{0, 1}, 2},
	} {
		l := Logistic{C: 1, Tolerance: 1e-5, Iterations: 1000}
		if c.change != nil {
			c.change(&l)
		}
		_, err := l.fit(c.rows, c.columns, c.labels, c.classes)
		requireOneLine(t, err, message)
	}
	m := logisticModel{[][]float64{{1}, {math.MaxFloat64}}, []float64{1, math.MaxFloat64}}
	_, err := m.probabilities(row{[]int{0}, []float64{1}})
	requireOneLine(t, err, "too large for the text")
}

func TestBagOfWords(t *testing.T) {
	var texts [][]string
	var labels []int
	for i := range 40 { // only the order of two words tells the classes apart
		text := "well not bad so good"
		if i%2 == 0 {
			text = "well not good so bad"
		}
		texts, labels = append(texts, strings.Fields(text)), append(labels, i%2)
	}
	b := DefaultBagOfWords()
	m := must(b.Fit(texts, labels, 2))
	for i, text := range texts {
		p, err := m.Probabilities(text)
		if err != nil || p[labels[i]] <= 0.6 {
			t.Errorf("%v: %v, %v", text, p, err)
		}
	}
	for _, text := range [][]string{nil, {"unknown", "words"}} {
		if p, err := m.Probabilities(text); err != nil || math.Abs(p[0]-0.5) > 0.05 {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
	b.Longest = 1
	m = must(b.Fit(texts, labels, 2))
	if p, err := m.Probabilities(texts[0]); err != nil || math.Abs(p[0]-0.5) > 1e-3 {
		t.Errorf("without order: %v, %v", p, err)
	}

	_, err := b.Fit(nil, nil, 2)
	requireOneLine(t, err, "bag of words: no word occurs 2 times")
	_, err = b.Fit(texts, labels[1:], 2)
	requireOneLine(t, err, "bag of words: 39 labels for 40 texts")
	if row := vocabulary(t, "a").bag(strings.Fields("a <pad> a b")); !slices.Equal(row.columns, []int{4}) || row.values[0] != 2 {
		t.Errorf("%v", row)
	}
}

func TestEvaluateRefuses(t *testing.T) {
	for message, c := range map[string]struct {
		labels []int
		scores [][]float64
	}{
		"0 labels and no scores":               {nil, nil},
		"1 labels for 2 texts":                 {[]int{0}, [][]float64{{1, 0}, {0, 1}}},
		"0 classes":                            {[]int{0}, [][]float64{{}}},
		"1 classes":                            {[]int{0}, [][]float64{{1}}},
		"no text of class 1":                   {[]int{0, 0}, [][]float64{{1, 0}, {0, 1}}},
		"label 2 of text 1":                    {[]int{0, 2}, [][]float64{{1, 0}, {0, 1}}},
		"text 1 has 3 scores, the first has 2": {[]int{0, 1}, [][]float64{{1, 0}, {0, 1, 2}}},
		"text 1 has a score that is NaN":       {[]int{0, 1}, [][]float64{{1, 0}, {0, math.NaN()}}},
	} {
		_, err := Evaluate(c.labels, c.scores)
		requireOneLine(t, err, message)
	}
	r, err := Evaluate([]int{0, 1, 1}, [][]float64{{math.Inf(1), math.Inf(-1)}, {math.Inf(-1), 0}, {0, math.Inf(1)}})
	if err != nil || r.Accuracy != 1 || r.MacroAUC != 1 {
		t.Errorf("infinite scores: %+v, %v", r, err)
	}
}

func TestEvaluateLabelsRefuses(t *testing.T) {
	with, without := []bool{true, true}, []bool{false, false}
	for message, c := range map[string]struct {
		labels        [][]bool
		probabilities [][]float64
	}{
		"0 labels and no scores":               {nil, nil},
		"1 labels for 2 texts":                 {[][]bool{with}, [][]float64{{1, 0}, {0, 1}}},
		"text 1 has 1 labels and 2":            {[][]bool{with, {true}}, [][]float64{{1, 0}, {0, 1}}},
		"text 1 has 3 scores, the first has 2": {[][]bool{with, without}, [][]float64{{1, 0}, {0, 1, 0}}},
		"text 1 has a score that is NaN":       {[][]bool{with, without}, [][]float64{{1, 0}, {math.NaN(), 1}}},
		"2 of 2 texts have label 1":            {[][]bool{with, {false, true}}, [][]float64{{1, 0}, {0, 1}}},
		"0 of 2 texts have label 1":            {[][]bool{without, {true, false}}, [][]float64{{1, 0}, {0, 1}}},
	} {
		_, err := EvaluateLabels(c.labels, c.probabilities)
		requireOneLine(t, err, message)
	}
}

func TestCorpusBLEURefuses(t *testing.T) {
	for _, references := range [][]string{nil, {"a"}, {"a", "b", "c"}} {
		_, err := CorpusBLEU([]string{"a", "b"}, references)
		requireOneLine(t, err, fmt.Sprintf("2 hypotheses and %d references", len(references)))
	}
	_, err := CorpusBLEU(nil, nil)
	requireOneLine(t, err, "0 hypotheses")
}

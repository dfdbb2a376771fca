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
			f.rows = append(f.rows, Row{Columns: []int{a, b}, Values: []float64{rng.NormFloat64(), rng.NormFloat64()}})
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
	rows := []Row{{[]int{0}, []float64{1e4}}, {[]int{0}, []float64{-1e4}}, {}}
	m, err := Logistic{C: 1e6, Tolerance: 1e-6, Iterations: 1000}.Fit(rows, 1, []int{0, 1, 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rows {
		p, err := m.Probabilities(r)
		if err != nil || math.IsNaN(p[0]) || math.Abs(p[0]+p[1]-1) > 1e-12 {
			t.Errorf("row %d: %v, %v", i, p, err)
		}
	}
}

func TestLogisticRefuses(t *testing.T) {
	good := []Row{{[]int{0}, []float64{1}}, {[]int{1}, []float64{1}}}
	for message, c := range map[string]struct {
		change  func(*Logistic)
		rows    []Row
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
		"0 rows of 2 columns":              {nil, nil, 2, nil, 2},
		"2 rows of 0 columns":              {nil, good, 0, []int{0, 1}, 2},
		"1 labels for 2 texts":             {nil, good, 2, []int{0}, 2},
		"1 classes":                        {nil, good, 2, []int{0, 0}, 1},
		"label 2 of text 1":                {nil, good, 2, []int{0, 2}, 2},
		"label -1 of text 0":               {nil, good, 2, []int{-1, 1}, 2},
		"no text of class 1":               {nil, good, 2, []int{0, 0}, 2},
		fmt.Sprint(math.MaxInt, " classes of 2 texts"):       {nil, good, 2, []int{0, 1}, math.MaxInt},
		fmt.Sprint("2 classes of ", math.MaxInt, " columns"): {nil, good, math.MaxInt, []int{0, 1}, 2},
		"row 1 has column 1 of 1":                            {nil, good, 1, []int{0, 1}, 2},
		"row 0, column 0 is NaN":                             {nil, []Row{{[]int{0}, []float64{math.NaN()}}, {}}, 1, []int{0, 1}, 2},
		"row 1, column 0 is -Inf":                            {nil, []Row{{}, {[]int{0}, []float64{math.Inf(-1)}}}, 1, []int{0, 1}, 2},
		"row 0 has 2 columns but 1 values":                   {nil, []Row{{[]int{0, 0}, []float64{1}}, {}}, 1, []int{0, 1}, 2},
	} {
		l := DefaultLogistic()
		if c.change != nil {
			c.change(&l)
		}
		_, err := l.Fit(c.rows, c.columns, c.labels, c.classes)
		requireOneLine(t, err, message)
	}
	_, err := new(LogisticModel).Probabilities(Row{})
	requireOneLine(t, err, "no weights")
	for message, m := range map[string]*LogisticModel{
		"weights of 2 classes and 1 biases":             {[][]float64{{1}, {1}}, []float64{1}},
		"2 weights of class 1 and 1 of class 0":         {[][]float64{{1}, {1, 2}}, []float64{1, 1}},
		"0 weights of class 1 and 1 of class 0":         {[][]float64{{1}, nil}, []float64{1, 1}},
		"are not finite, or too large for the text":     {[][]float64{{1}, {math.Inf(1)}}, []float64{1, 1}},
		"not finite, or too large for the text; fit it": {[][]float64{{1}, {1}}, []float64{1, math.NaN()}},
		"too large for the text":                        {[][]float64{{1}, {math.MaxFloat64}}, []float64{1, math.MaxFloat64}},
	} {
		_, err := m.Probabilities(Row{[]int{0}, []float64{1}})
		requireOneLine(t, err, message)
	}
	m, err := DefaultLogistic().Fit(good, 2, []int{0, 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Probabilities(Row{[]int{2}, []float64{1}})
	requireOneLine(t, err, "column 2 of 2")
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
	m, err := b.Fit(texts, labels, 2)
	if err != nil {
		t.Fatal(err)
	}
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
	if m, err = b.Fit(texts, labels, 2); err != nil {
		t.Fatal(err)
	}
	if p, err := m.Probabilities(texts[0]); err != nil || math.Abs(p[0]-0.5) > 1e-3 {
		t.Errorf("without order: %v, %v", p, err)
	}

	for message, broken := range map[string]BagOfWordsModel{
		"no words or no weights":               {},
		"no words or no weights; fit":          {TFIDF: &TFIDF{}, Logistic: m.Logistic},
		"no weights; fit it first":             {TFIDF: m.TFIDF},
		"0 document frequencies for 9 columns": {TFIDF: &TFIDF{Vocabulary: m.TFIDF.Vocabulary}, Logistic: m.Logistic},
	} {
		_, err := broken.Probabilities(texts[0])
		requireOneLine(t, err, "the bag of words has ", message)
	}
	_, err = b.Fit(nil, nil, 2)
	requireOneLine(t, err, "bag of words: no word occurs 2 times")
	_, err = b.Fit(texts, labels[1:], 2)
	requireOneLine(t, err, "bag of words: 39 labels for 40 texts")
	v, err := NewVocabulary([]string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = NewTFIDF(v, nil)
	requireOneLine(t, err, "no texts")
	if row := v.Bag(strings.Fields("a <pad> a b")); !slices.Equal(row.Columns, []int{4}) || row.Values[0] != 2 {
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

func TestCorpusBLEURefuses(t *testing.T) {
	for message, f := range map[string]func() (BLEU, error){
		"no tokeniser":  func() (BLEU, error) { return CorpusBLEU(nil, []string{"a"}, []string{"a"}) },
		"no hypotheses": func() (BLEU, error) { return CorpusBLEU(Tokenize13a, nil, nil) },
		"no references": func() (BLEU, error) { return CorpusBLEU(Tokenize13a, []string{"a"}) },
		"2 hypotheses but 1 sentences in list 1": func() (BLEU, error) {
			return CorpusBLEU(Tokenize13a, []string{"a", "b"}, []string{"a", "b"}, []string{"a"})
		},
	} {
		_, err := f()
		requireOneLine(t, err, message)
	}
	// Words may hold spaces of their own.
	b, err := CorpusBLEU(func(s string) []string { return strings.Split(s, ",") }, []string{"a b,c d,e f,g h i j k l"}, []string{"a b,c d,e f,g h i j k l"})
	if err != nil || b.Score != 100 {
		t.Errorf("%v, %v", b.Score, err)
	}
	b, err = CorpusBLEU(func(s string) []string { return strings.Split(s, ",") }, []string{"a b,c"}, []string{"a,b c"})
	if err != nil || b.Matches != [maxOrder]int{} {
		t.Errorf("other words match: %+v, %v", b, err)
	}
}

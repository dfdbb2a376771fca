package classic

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"synpool/internal/mixture"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

//go:embed testdata/words.json
var wordsJSON []byte

// wordsTolerance applies to decision values. Ours stop at a violation of 1e-3 of the dual, the reference far below.
const wordsTolerance = 1e-3

// wordsGolden is the content of testdata/words.json.
type wordsGolden struct {
	Data map[string]struct {
		Bags   [][][]float64
		Labels []int
	}
	Cases []wordsCase
}

// wordsCase is a fit on the first Train of the first Shared bags.
type wordsCase struct {
	Form          string
	Shared, Train int
	Setting       json.RawMessage
	Start         []float64        // initial centres
	Mixture       *mixture.Mixture // initial mixture of EM
	Histograms    [][]float64
	Vectors       [][]float64 // of the first bags
	Scores        []float64
}

// readWords returns the cases of a learner.
func readWords(t *testing.T, name string) (g wordsGolden) {
	t.Helper()
	if err := json.Unmarshal(wordsJSON, &g); err != nil {
		t.Fatal(err)
	}
	g.Cases = slices.DeleteFunc(g.Cases, func(c wordsCase) bool { return learner.Name(c.Setting) != name })
	if len(g.Cases) != 12 {
		t.Fatalf("%d cases of %s", len(g.Cases), name)
	}
	return g
}

// training returns the bags and the training part of a case.
func (g wordsGolden) training(c wordsCase) (bags []mil.Instances, train learner.Training) {
	data := g.Data[c.Form]
	for i, rows := range data.Bags {
		bags = append(bags, matrix(rows, c.Form == "sparse"))
		if i < c.Train {
			train.Bags, train.Targets = append(train.Bags, bags[i]), append(train.Targets, mil.Labelled(data.Labels[i]))
		}
	}
	train.Shared = learner.NewShared(bags[:c.Shared])
	return bags, train
}

// checkScores compares the scores of bags with those of a case.
func checkScores(t *testing.T, m learner.Model, bags []mil.Instances, want []float64) {
	t.Helper()
	if len(want) != len(bags) {
		t.Fatalf("%d scores of %d bags", len(want), len(bags))
	}
	for i, bag := range bags {
		got, err := m.Predict(bag)
		if err != nil || !(math.Abs(got.Scores[0]-want[i]) <= wordsTolerance) {
			t.Errorf("bag %d has the score %v, want %v (%v)", i, got.Scores, want[i], err)
		}
	}
}

// TestWordsGolden compares results with scikit-learn from the same centres.
func TestWordsGolden(t *testing.T) {
	g := readWords(t, "bag-of-words")
	for k, c := range g.Cases {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			bags, train := g.training(c)
			s, err := BagOfWordsEntry().Parse(c.Setting)
			if err != nil {
				t.Fatal(err)
			}
			words := s.(*BagOfWords)
			words.start = c.Start
			m, err := words.Fit(t.Context(), train)
			if err != nil {
				t.Fatal(err)
			}
			book, err := words.codebookOf(t.Context(), train.Shared)
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.Shared {
				for j, v := range book.vectors.row(i) {
					if !(math.Abs(v-c.Histograms[i][j]) <= 1e-6) {
						t.Errorf("bag %d, word %d: %v, want %v", i, j, v, c.Histograms[i][j])
					}
				}
			}
			checkScores(t, m, bags, c.Scores)
		})
	}
}

// TestFisherGolden compares results with scikit-learn and numpy from the same mixture.
func TestFisherGolden(t *testing.T) {
	g := readWords(t, "fisher-vectors")
	for k, c := range g.Cases {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			bags, train := g.training(c)
			s, err := FisherVectorsEntry().Parse(c.Setting)
			if err != nil {
				t.Fatal(err)
			}
			vectors := s.(*FisherVectors)
			vectors.start = c.Mixture
			m, err := vectors.Fit(t.Context(), train)
			if err != nil {
				t.Fatal(err)
			}
			f, err := vectors.fisherOf(t.Context(), train.Shared)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range c.Vectors {
				for j, v := range want {
					if got := f.values[i*len(want)+j]; !(math.Abs(got-v) <= 1e-5) {
						t.Errorf("bag %d, value %d: %v, want %v", i, j, got, v)
					}
				}
			}
			checkScores(t, m, bags, c.Scores)
		})
	}
}

// wordEntries returns the learners that this file tests.
func wordEntries() []learner.Entry { return []learner.Entry{BagOfWordsEntry(), FisherVectorsEntry()} }

// eachWords calls f with the default of each learner and both ends of its grid.
func eachWords(t *testing.T, f func(t *testing.T, e learner.Entry, s learner.Estimator)) {
	for _, e := range wordEntries() {
		for i, s := range []learner.Estimator{e.Default(), e.Grid[0], e.Grid[len(e.Grid)-1]} {
			t.Run(fmt.Sprintf("%s %d", e.Name, i), func(t *testing.T) { f(t, e, s) })
		}
	}
}

// predicted returns a model's prediction for a bag and its instances.
func predicted(t *testing.T, m learner.Model, bag mil.Instances) mil.Prediction {
	t.Helper()
	p, err := learner.Predict(m, bag, true)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// readBack decodes a model like one from a file.
func readBack(e learner.Entry, text []byte) (learner.Model, error) {
	m := e.Model()
	if err := json.Unmarshal(text, m); err != nil {
		return nil, err
	}
	return m, m.(interface{ Validate() error }).Validate()
}

// TestWordsJSON checks that a model read from its JSON has bit-identical predictions. A bag that is empty, has other
// features, or has values that are not finite is an error.
func TestWordsJSON(t *testing.T) {
	eachWords(t, func(t *testing.T, e learner.Entry, s learner.Estimator) {
		for _, sparse := range []bool{false, true} {
			bags, examples := random(5, 30, 9, 3, sparse)
			m, err := s.Fit(t.Context(), training(bags, examples[:20]))
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			read, err := readBack(e, text)
			if err != nil {
				t.Fatal(err)
			}
			for i, bag := range bags {
				want, got := predicted(t, m, bag), predicted(t, read, bag)
				if want.Scores[0] != got.Scores[0] || !slices.Equal(want.Instances, got.Instances) {
					t.Errorf("bag %d has %v, the model before it was saved says %v", i, got, want)
				}
			}
			nan := &mil.Dense{Rows: 1, Cols: 9, Values: make([]float32, 9)}
			nan.Values[8] = float32(math.NaN())
			for _, wrong := range []*mil.Dense{{Cols: 9}, {Rows: 1, Cols: 2, Values: make([]float32, 2)}, nan} {
				if p, err := learner.Predict(read, wrong, true); err == nil {
					t.Errorf("a bag %v has %v", wrong, p)
				}
			}
		}
	})
}

// TestWordsCorrupt checks that a model whose JSON was changed is refused.
func TestWordsCorrupt(t *testing.T) {
	eachWords(t, func(t *testing.T, e learner.Entry, s learner.Estimator) {
		bags, examples := random(5, 30, 9, 3, false)
		m, err := s.Fit(t.Context(), training(bags, examples[:20]))
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		short, err := numbers{1}.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		nan, err := numbers{math.NaN()}.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var value map[string]any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		tried := 0
		try := func(path string, with any) {
			changed, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			tried++
			if _, err := readBack(e, changed); err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s as %v: error %v", path, with, err)
			}
		}
		var visit func(path string, at map[string]any)
		visit = func(path string, at map[string]any) {
			for name, v := range at {
				var bad []any
				switch v := v.(type) {
				case string:
					bad = []any{string(short), string(nan), "", "AAA", 1.0, []any{}, map[string]any{}}
				case map[string]any:
					visit(path+"."+name, v)
					bad = []any{"", map[string]any{}, nil}
				default:
					bad = []any{"", map[string]any{}}
				}
				for _, with := range bad {
					at[name] = with
					try(path+"."+name, with)
				}
				at[name] = v
			}
		}
		visit("", value)
		if tried < 20 {
			t.Errorf("%d changes were tried", tried)
		}
		for cut := 0; cut < len(text); cut += 1 + len(text)/50 {
			if _, err := readBack(e, text[:cut]); err == nil {
				t.Errorf("%d of %d bytes are a model", cut, len(text))
			}
		}
	})
}

// turned returns dense bags with their instances in a different order, and the old position of each instance.
func turned(bags []mil.Instances) (all []mil.Instances, orders [][]int) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, b := range bags {
		from := b.(*mil.Dense)
		to, order := &mil.Dense{Rows: from.Rows, Cols: from.Cols}, rng.Perm(from.Rows)
		for _, k := range order {
			to.Values = append(to.Values, from.Row(k)...)
		}
		all, orders = append(all, to), append(orders, order)
	}
	return all, orders
}

// TestWordsPermutation checks that permuting instances changes no bag's score, in training or later, and permutes the
// instances' scores. Permuting bags changes scores only within the tolerance of the machine.
func TestWordsPermutation(t *testing.T) {
	eachWords(t, func(t *testing.T, _ learner.Entry, s learner.Estimator) {
		bags, examples := random(6, 40, 5, 3, false)
		other, orders := turned(bags)
		reversed := slices.Clone(examples[:30])
		slices.Reverse(reversed)
		var models []learner.Model
		for _, train := range []learner.Training{training(bags, examples[:30]), training(other, examples[:30]), training(bags, reversed)} {
			m, err := s.Fit(t.Context(), train)
			if err != nil {
				t.Fatal(err)
			}
			models = append(models, m)
		}
		for i, bag := range bags {
			want := predicted(t, models[0], bag)
			for _, m := range models[:2] {
				got := predicted(t, m, other[i])
				if math.Abs(got.Scores[0]-want.Scores[0]) > 1e-6 {
					t.Errorf("bag %d has the score %v, permuted %v", i, want.Scores, got.Scores)
				}
				for at, k := range orders[i] {
					if math.Abs(got.Instances[at]-want.Instances[k]) > 1e-6 {
						t.Errorf("instance %d of bag %d has the score %v, permuted %v", k, i, want.Instances[k], got.Instances[at])
					}
				}
			}
			if got := predicted(t, models[2], bag); math.Abs(got.Scores[0]-want.Scores[0]) > wordsTolerance*5 {
				t.Errorf("bag %d has the score %v, with bags in another order %v", i, want.Scores, got.Scores)
			}
		}
	})
}

// TestWordsSeedAndInstances checks that the seed of a fit has no effect, because inner fits share what is built without
// targets. Scores of instances are the drops of their bag's score.
func TestWordsSeedAndInstances(t *testing.T) {
	eachWords(t, func(t *testing.T, _ learner.Entry, s learner.Estimator) {
		bags, examples := random(8, 40, 5, 3, true)
		train := training(bags, examples[:30])
		one, err := s.Fit(t.Context(), train)
		if err != nil {
			t.Fatal(err)
		}
		train.Seed = 99
		two, err := s.Fit(t.Context(), train)
		if err != nil {
			t.Fatal(err)
		}
		for i, bag := range bags {
			want, got := predicted(t, one, bag), predicted(t, two, bag)
			if want.Scores[0] != got.Scores[0] {
				t.Errorf("bag %d has the score %v, with another seed %v", i, want.Scores, got.Scores)
			}
			fell, err := leaveOut(one, bag)
			if err != nil || !slices.Equal(fell[0], want.Instances) {
				t.Errorf("bag %d: its instances have %v, want %v (%v)", i, want.Instances, fell, err)
			}
		}
	})
}

// TestWordsRefuses checks that an invalid setting, a single class and too many features are errors.
func TestWordsRefuses(t *testing.T) {
	for _, s := range []learner.Estimator{
		BagOfWords{Words: 1, Gamma: 1, C: 1}, BagOfWords{Words: mostWords + 1, Gamma: 1, C: 1},
		FisherVectors{C: 1}, FisherVectors{Components: mostComponents + 1, C: 1}, FisherVectors{Components: 3},
		BagOfWords{Words: 3, C: 1}, BagOfWords{Words: 3, Gamma: 1, C: math.NaN()},
	} {
		bags, examples := random(5, 10, 3, 1, false)
		if _, err := s.Fit(t.Context(), training(bags, examples)); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
	for _, e := range wordEntries() {
		bags, examples := random(5, 10, 3, 1, false)
		train := training(bags, examples)
		for i := range train.Targets {
			train.Targets[i] = mil.Labelled(1)
		}
		if _, err := e.Default().Fit(t.Context(), train); err == nil || !strings.Contains(err.Error(), "one class") {
			t.Errorf("%s: error %v", e.Name, err)
		}
		most := e.Default().(interface{ Takes() learner.Takes }).Takes().MaxFeatures
		for over := range 2 {
			setting, err := e.Setting(e.Default())
			if err != nil {
				t.Fatal(err)
			}
			task := cv.Task{Name: "wide", Classes: 2, Bags: []mil.Instances{&mil.Sparse{Rows: 1, Cols: most + over, RowStart: []int{0, 0}}}, Fits: []cv.Fit{{Setting: setting}}}
			want := ""
			if over > 0 {
				want = fmt.Sprintf("wide: %s takes at most %d features; there are %d", e.Name, most, most+1)
			}
			if err := (learner.Classical{Entries: wordEntries()}).Check(task); (err == nil) != (want == "") || err != nil && err.Error() != want {
				t.Errorf("error %v, want %q", err, want)
			}
		}
	}
}

// TestSample checks that many instances are sampled at even spacing, and that rows are ordered by value.
func TestSample(t *testing.T) {
	var bags []mil.Instances
	for i := range 10 {
		b := &mil.Dense{Rows: 7, Cols: 1}
		for k := range 7 {
			b.Values = append(b.Values, float32(70-7*i-k)) // 70 to 1
		}
		bags = append(bags, b)
	}
	s := scale{shift: []float64{1}, factor: []float64{0.5}}
	var every []float32
	for i := range 70 {
		every = append(every, float32(i)/2)
	}
	for most, want := range map[int][]float32{1000: every, 5: {6.5, 13.5, 20.5, 27.5, 34.5}} {
		x, err := newSample(bags, s, most)
		if err != nil {
			t.Fatal(err)
		}
		var got []float32
		for row := range x.rows() {
			got = append(got, row[0])
		}
		if !slices.Equal(got, want) {
			t.Errorf("at most %d: %v, want %v", most, got, want)
		}
	}
	for _, test := range [][3]int{{100, 5, 100}, {1 << 20, 5, mostSampled}, {1 << 20, 8000, 5000}} {
		if got := sampled(test[0], test[1]); got != test[2] {
			t.Errorf("%d of %d instances of %d features are sampled, want %d", got, test[0], test[1], test[2])
		}
	}
}

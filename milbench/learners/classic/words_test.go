package classic

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"synpool/internal/goldenfile"
	"synpool/internal/mixture"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// wordsTolerance applies to decision values. Ours stop at a violation of 1e-3 of the dual, the reference far below.
const wordsTolerance = 1e-3

// wordsGolden is the content of testdata/words.json.
type wordsGolden struct {
	Data  map[string]goldenBags
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
	g = goldenfile.Read[wordsGolden](t, "words.json")
	g.Cases = slices.DeleteFunc(g.Cases, func(c wordsCase) bool { return learner.Name(c.Setting) != name })
	if len(g.Cases) != 12 {
		t.Fatalf("%d cases of %s", len(g.Cases), name)
	}
	return g
}

// training returns the bags and the training part of a case.
func (g wordsGolden) training(c wordsCase) (bags []mil.Instances, train learner.Training) {
	bags, train = g.Data[c.Form].part(c.Form == "sparse", c.Train)
	train.Shared = learner.NewShared(bags[:c.Shared])
	return bags, train
}

// TestWordsGolden compares results with scikit-learn from the same centres.
func TestWordsGolden(t *testing.T) {
	g := readWords(t, "bag-of-words")
	for k, c := range g.Cases {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			bags, train := g.training(c)
			words := estimator(t, c.Setting).(*BagOfWords)
			words.start = c.Start
			m := must(words.Fit(t.Context(), train))
			book := must(words.codebookOf(t.Context(), train.Shared))
			for i := range c.Shared {
				for j, v := range book.vectors.row(i) {
					if !(math.Abs(v-c.Histograms[i][j]) <= 1e-6) {
						t.Errorf("bag %d, word %d: %v, want %v", i, j, v, c.Histograms[i][j])
					}
				}
			}
			requireScores(t, string(c.Setting), m, bags, func(i, _ int) (float64, float64) { return c.Scores[i], wordsTolerance })
		})
	}
}

// TestFisherGolden compares results with scikit-learn and numpy from the same mixture.
func TestFisherGolden(t *testing.T) {
	g := readWords(t, "fisher-vectors")
	for k, c := range g.Cases {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			bags, train := g.training(c)
			vectors := estimator(t, c.Setting).(*FisherVectors)
			vectors.start = c.Mixture
			m := must(vectors.Fit(t.Context(), train))
			f := must(vectors.fisherOf(t.Context(), train.Shared))
			for i, want := range c.Vectors {
				for j, v := range want {
					if got := f.values[i*len(want)+j]; !(math.Abs(got-v) <= 1e-5) {
						t.Errorf("bag %d, value %d: %v, want %v", i, j, got, v)
					}
				}
			}
			requireScores(t, string(c.Setting), m, bags, func(i, _ int) (float64, float64) { return c.Scores[i], wordsTolerance })
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

// TestWordsSeed checks that the seed of a fit has no effect, because inner fits share what is built without targets.
func TestWordsSeed(t *testing.T) {
	eachWords(t, func(t *testing.T, _ learner.Entry, s learner.Estimator) {
		bags, examples := random(8, 40, 5, 3, true)
		train := training(bags, examples[:30])
		one := must(s.Fit(t.Context(), train))
		train.Seed = 99
		two := must(s.Fit(t.Context(), train))
		for i, bag := range bags {
			if want, got := must(one.Predict(bag)), must(two.Predict(bag)); want.Scores[0] != got.Scores[0] {
				t.Errorf("bag %d has the score %v, with another seed %v", i, want.Scores, got.Scores)
			}
		}
	})
}

// TestWordsRefuses checks that too many features are an error.
func TestWordsRefuses(t *testing.T) {
	for _, e := range wordEntries() {
		most := e.Default().(interface{ Takes() learner.Takes }).Takes().MaxFeatures
		for over := range 2 {
			setting := must(e.Setting(e.Default()))
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
	s := scale{Shift: []float64{1}, Factor: []float64{0.5}}
	var every []float32
	for i := range 70 {
		every = append(every, float32(i)/2)
	}
	for most, want := range map[int][]float32{1000: every, 5: {6.5, 13.5, 20.5, 27.5, 34.5}} {
		x := must(newSample(bags, s, most))
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

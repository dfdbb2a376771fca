package training_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute/gobackend"
	"gonum.org/v1/gonum/floats"

	"synpool/course/corpus"
	"synpool/course/examples/fit/fittest"
	"synpool/course/examples/reviews/training"
	"synpool/internal/fetched"
)

var signs = []string{"dull", "bright"}

// telling makes reviews where one word of one sentence determines the class.
func telling(n int) []corpus.Review {
	rng := rand.New(rand.NewPCG(1, 1))
	fill := strings.Fields("the film has a plot and some people in it who talk for long")
	var reviews []corpus.Review
	for i := range n {
		sentences := make([][]string, 2+rng.IntN(3))
		for j := range sentences {
			sentences[j] = make([]string, 2+rng.IntN(4))
			for k := range sentences[j] {
				sentences[j][k] = fill[rng.IntN(len(fill))]
			}
		}
		at := rng.IntN(len(sentences))
		sentences[at][rng.IntN(len(sentences[at]))] = signs[i%2]
		reviews = append(reviews, corpus.Review{Name: fmt.Sprint(i), Class: i % 2, Fold: i / 2 % 10, Sentences: sentences})
	}
	return reviews
}

// small are settings of seconds.
func small() training.Settings {
	s := training.Quick()
	s.Sentences, s.Words, s.Embed, s.Epochs, s.Rate = 4, 6, 12, 5, 0.01
	s.Attention.Words.Hidden, s.Attention.Sentences.Hidden = 6, 6
	s.Attention.WordAttention.Width, s.Attention.SentenceAttention.Width, s.Document.Width = 8, 8, 8
	return s
}

// learnt are networks that learnt from telling reviews, and their data.
var learnt = map[bool]*struct {
	sync.Once
	*training.Data
	*training.Network
}{false: {}, true: {}}

func learn(t *testing.T, flat bool) (*training.Data, *training.Network) {
	l := learnt[flat]
	l.Do(func() {
		s := small()
		s.Flat = flat
		data, err := s.Prepare(telling(400))
		if err == nil {
			l.Data = data
			l.Network, err = s.Train(context.Background(), gobackend.GetBackend(), data, io.Discard)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
	return l.Data, l.Network
}

// TestTrain: where one word of one sentence says the class, both networks find it, and the sentence weighs most.
func TestTrain(t *testing.T) {
	for _, flat := range []bool{false, true} {
		data, network := learn(t, flat)
		if n := len(data.Parts[0].Labels); n != 320 || len(data.Parts[1].Labels) != 40 || len(data.Parts[2].Labels) != 40 {
			t.Fatalf("%d reviews to train on", n)
		}
		report := fittest.Must(network.Evaluate(data.Parts[2]))
		readings := fittest.Must(network.Read(data.Parts[2]))
		found := 0
		for i, r := range readings {
			sum := 0.0
			for j, w := range r.Sentences {
				sum += w
				if words := floats.Sum(r.Words[j]); !flat && math.Abs(words-1) > 1e-5 || flat && math.Abs(words-w) > 1e-5 {
					t.Fatalf("flat %t, review %d: the words of sentence %d, which weighs %g, weigh %g", flat, i, j, w, words)
				}
			}
			if math.Abs(sum-1) > 1e-5 || len(r.Sentences) != len(data.Parts[2].IDs[i]) {
				t.Fatalf("flat %t, review %d: %d sentences weigh %g", flat, i, len(r.Sentences), sum)
			}
			at := slices.IndexFunc(data.Parts[2].Reviews[i].Sentences, func(s []string) bool {
				return slices.Contains(s, signs[0]) || slices.Contains(s, signs[1])
			})
			if slices.Index(r.Sentences, slices.Max(r.Sentences)) == at {
				found++
			}
		}
		t.Logf("flat %t: accuracy %.3f, the telling sentence weighs most in %d of %d reviews", flat, report.Accuracy, found, len(readings))
		// A sentence's state knows its neighbours, so that the weight may lie beside it; one of three by chance.
		if report.Accuracy < 0.9 || found < len(readings)/2 {
			t.Errorf("flat %t: accuracy %.3f, the telling sentence weighs most in %d of %d reviews", flat, report.Accuracy, found, len(readings))
		}
	}
}

// TestReadWithout: without a sentence a review reads as if it had never had it, and without the telling one it says less.
func TestReadWithout(t *testing.T) {
	data, network := learn(t, true)
	part := training.Part{IDs: data.Parts[2].IDs[:8]}
	part.IDs = append(part.IDs, part.IDs[0][:1], nil)
	without := fittest.Must(network.ReadWithout(part))
	before := fittest.Must(network.Read(part))
	for i, sentences := range part.IDs {
		if len(without[i]) != len(sentences) {
			t.Fatalf("review %d: %d readings, want %d", i, len(without[i]), len(sentences))
		}
		var lost []float64 // of the probability of the right class
		for k, got := range without[i] {
			rest := training.Part{IDs: [][][]int32{slices.Delete(slices.Clone(sentences), k, k+1)}}
			want := fittest.Must(network.Read(rest))[0]
			if len(got.Sentences) != len(sentences)-1 || math.Abs(got.Scores[1]-want.Scores[1]) > 1e-6 {
				t.Errorf("review %d without sentence %d: %+v, want %+v", i, k, got, want)
			}
			if i < 8 {
				class := data.Parts[2].Labels[i]
				lost = append(lost, before[i].Scores[class]-got.Scores[class])
			}
		}
		if i < 8 {
			tells := slices.IndexFunc(data.Parts[2].Reviews[i].Sentences, func(words []string) bool {
				return slices.Contains(words, signs[0]) || slices.Contains(words, signs[1])
			})
			if slices.Index(lost, slices.Max(lost)) != tells {
				t.Errorf("review %d: without each sentence the right class loses %.3f, sentence %d tells", i, lost, tells)
			}
		}
	}
	if readings, err := network.ReadWithout(training.Part{}); err != nil || len(readings) != 0 {
		t.Errorf("of no reviews %v, %v", readings, err)
	}
}

// TestBaseline: the bag has words alone, so that it cannot tell reviews apart that differ in the order of words.
func TestBaseline(t *testing.T) {
	order := [2][]string{strings.Fields("dull not bright"), strings.Fields("bright not dull")}
	reviews := telling(100)
	for i := range reviews {
		reviews[i].Sentences = [][]string{order[reviews[i].Class]}
	}
	for auc, reviews := range map[float64][]corpus.Review{0.5: reviews, 1: telling(100)} {
		data := fittest.Must(small().Prepare(reviews))
		if r, err := training.Baseline(data); err != nil || r.MacroAUC != auc {
			t.Errorf("AUC %g, want %g: %v", r.MacroAUC, auc, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	prepare := func(s training.Settings) error {
		_, err := s.Prepare(telling(100))
		return err
	}
	fittest.RequireRefused(t, small(), prepare, map[string]func(*training.Settings){
		"fold":         func(s *training.Settings) { s.Fold = 10 },
		"no sentences": func(s *training.Settings) { s.Sentences = 0 },
		"no words":     func(s *training.Settings) { s.Words = 0 },
		"vocabulary":   func(s *training.Settings) { s.Vocabulary = 0 },
	})
	s := small()
	s.Batch, s.Epochs = 64, 1
	data := fittest.Must(s.Prepare(telling(40)))
	network := fittest.Must(s.Train(t.Context(), gobackend.GetBackend(), data, io.Discard))
	if len(data.Parts[0].Labels) != 32 || network.Epoch != 1 {
		t.Errorf("fewer reviews than a batch: %d, epoch %d", len(data.Parts[0].Labels), network.Epoch)
	}
}

// TestReviews follows the text from the file to the numbers, and measures the bag of words.
func TestReviews(t *testing.T) {
	reviews := fetched.Load(t, corpus.LoadReviews)
	s := training.Quick()
	data := fittest.Must(s.Prepare(reviews))
	if n := [3]int{len(data.Parts[0].Labels), len(data.Parts[1].Labels), len(data.Parts[2].Labels)}; n != [3]int{1600, 200, 200} {
		t.Errorf("%d reviews in the parts", n)
	}
	for p, part := range data.Parts {
		for i, r := range part.Reviews {
			if want := strings.HasPrefix(r.Name, "pos/"); part.Labels[i] == 1 != want {
				t.Fatalf("part %d: %s has label %d", p, r.Name, part.Labels[i])
			}
			// The last sentence is read last, and each word that the vocabulary knows is itself.
			last, ids := r.Sentences[len(r.Sentences)-1], part.IDs[i][len(part.IDs[i])-1]
			for j, w := range data.Vocabulary.Decode(ids) {
				if w != last[j] && w != "<unk>" {
					t.Fatalf("part %d: %s: word %d of the last sentence is %q, not %q", p, r.Name, j, w, last[j])
				}
			}
		}
	}

	baseline := fittest.Must(training.Baseline(data))
	t.Logf("bag of words: accuracy %.3f, AUC %.3f", baseline.Accuracy, baseline.MacroAUC)
	if baseline.Accuracy < 0.85 {
		t.Errorf("bag of words: accuracy %.3f", baseline.Accuracy)
	}
}

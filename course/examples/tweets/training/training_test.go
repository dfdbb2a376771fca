package training_test

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomlx/compute/gobackend"
	"gonum.org/v1/gonum/floats"

	"synpool/course/corpus"
	"synpool/course/examples/fit/fittest"
	"synpool/course/examples/tweets/training"
	"synpool/internal/fetched"
)

var signs = []string{"red", "green", "blue"}

// telling makes tweets where one word determines the class.
func telling(n int) []corpus.Tweet {
	rng := rand.New(rand.NewPCG(1, 1))
	fill := strings.Fields("the sky over this town is wide and calm today we walk home")
	var tweets []corpus.Tweet
	for i := range n {
		words := make([]string, 4+rng.IntN(5))
		for j := range words {
			words[j] = fill[rng.IntN(len(fill))]
		}
		words[rng.IntN(len(words))] = signs[i%3]
		tweets = append(tweets, corpus.Tweet{ID: i, Class: i % 3, Text: corpus.NewMasked(strings.Join(words, " "))})
	}
	return tweets
}

// small are settings of seconds.
func small() training.Settings {
	s := training.Quick()
	s.Embed, s.Hidden, s.Attention.Width, s.Longest, s.Epochs, s.Batch, s.Rate = 16, 8, 8, 8, 5, 32, 0.02
	return s
}

// TestTrain: where one word says the class, the network and the bag of words find it, and the word weighs most.
func TestTrain(t *testing.T) {
	for _, sigmoid := range []bool{false, true} {
		s := small()
		s.Sigmoid = sigmoid
		data := fittest.Must(s.Prepare(telling(600)))
		network := fittest.Must(s.Train(t.Context(), gobackend.GetBackend(), data, io.Discard))
		report := fittest.Must(network.Evaluate(data.Parts[2]))
		baseline := fittest.Must(training.Baseline(data))
		if report.MacroF1 < 0.95 || baseline.MacroF1 < 0.95 {
			t.Errorf("sigmoid %t: macro-F1 %.3f, of the bag of words %.3f", sigmoid, report.MacroF1, baseline.MacroF1)
		}
		found, tops := 0, []training.WordImportance(nil)
		for class, sign := range signs {
			top := fittest.Must(network.TopWords(data.Parts[2], class, 5, 1))
			tops = append(tops, top...)
			if len(top) == 1 && top[0].Word.Raw() == sign && top[0].Mean > 2 {
				found++
			}
		}
		// One class can be told by the lack of the others' words.
		if found < 2 {
			t.Errorf("sigmoid %t: the telling word weighs most in %d classes: %v", sigmoid, found, tops)
		}
		for _, most := range []int{0, -1} {
			if top, err := network.TopWords(data.Parts[2], 0, 1, most); err != nil || len(top) != 0 {
				t.Errorf("at most %d words: %v, %v", most, top, err)
			}
		}
		scores, words, err := network.Importances("calm blue town")
		if err != nil || len(words) != 3 || scores[2] < scores[0] || words[1].Weight < words[0].Weight ||
			!sigmoid && math.Abs(floats.Sum(scores)-1) > 1e-5 || math.Abs(words[0].Weight+words[1].Weight+words[2].Weight-1) > 1e-5 {
			t.Errorf("importances %v, %v, %v", scores, words, err)
		}
		if _, words, err := network.Importances(""); err != nil || len(words) != 0 {
			t.Errorf("importances of nothing: %v, %v", words, err)
		}
	}
}

// TestMasked: no text is read in what is printed.
func TestMasked(t *testing.T) {
	s := small()
	s.Batch, s.Epochs = 64, 1 // fewer tweets than a batch
	data := fittest.Must(s.Prepare(telling(60)))
	network := fittest.Must(s.Train(t.Context(), gobackend.GetBackend(), data, io.Discard))
	_, words, err := network.Importances("a wide green town")
	if err != nil {
		t.Fatal(err)
	}
	top, err := network.TopWords(data.Parts[0], 1, 1, 5)
	if err != nil || len(top) != 5 {
		t.Fatal(top, err)
	}
	for _, printed := range []string{fmt.Sprint(data), fmt.Sprintf("%+v", data.Parts[0]), fmt.Sprintf("%v %+v", words, top)} {
		for _, w := range []string{"town", "green", "wide"} {
			if strings.Contains(printed, w) {
				t.Errorf("%q is in %.200q", w, printed)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	prepare := func(s training.Settings) error {
		_, err := s.Prepare(telling(60))
		return err
	}
	fittest.RequireRefused(t, small(), prepare, map[string]func(*training.Settings){
		"no words":   func(s *training.Settings) { s.Longest = 0 },
		"vocabulary": func(s *training.Settings) { s.Vocabulary = 0 },
		"too few":    func(s *training.Settings) { s.Most = 5 },
		"no batch":   func(s *training.Settings) { s.Batch = 0 },
	})
}

// TestTweets follows the text from the file to the numbers.
func TestTweets(t *testing.T) {
	tweets := fetched.Load(t, corpus.LoadTweets)
	s := training.Quick()
	s.Most, s.Longest = 2500, 24
	data := fittest.Must(s.Prepare(tweets))
	if n := [3]int{len(data.Parts[0].Labels), len(data.Parts[1].Labels), len(data.Parts[2].Labels)}; n[0]+n[1]+n[2] != 2500 || n[0] < 1995 || n[0] > 2005 || n[2] < 245 {
		t.Errorf("%d tweets in the parts", n)
	}
	classes := map[corpus.Masked]int{}
	for _, tweet := range tweets {
		classes[tweet.Text] = tweet.Class
	}
	for p, part := range data.Parts {
		for i, text := range part.Texts {
			words := corpus.TweetWords(text.Raw())
			if part.Labels[i] != classes[text] || len(part.IDs[i]) != min(len(words), s.Longest) {
				t.Fatalf("part %d, tweet %d: label %d, %d words", p, i, part.Labels[i], len(part.IDs[i]))
			}
			for j, w := range data.Vocabulary.Decode(part.IDs[i]) {
				if w != words[j] && w != "<unk>" {
					t.Fatalf("part %d, tweet %d: word %d is another", p, i, j)
				}
			}
		}
	}
}

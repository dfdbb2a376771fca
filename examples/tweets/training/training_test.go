package training_test

import (
	"context"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomlx/compute/gobackend"

	"synpool/corpus"
	"synpool/examples/tweets/training"
)

// TestTrain: where one word says the class, the network and the bag of words find it, and the word weighs most.
func TestTrain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	signs := []string{"red", "green", "blue"}
	fill := strings.Fields("the sky over this town is wide and calm today we walk home")
	var tweets []corpus.Tweet
	for i := range 600 {
		words := make([]string, 4+rng.IntN(5))
		for j := range words {
			words[j] = fill[rng.IntN(len(fill))]
		}
		words[rng.IntN(len(words))] = signs[i%3]
		tweets = append(tweets, corpus.Tweet{ID: i, Class: i % 3, Text: corpus.Masked(strings.Join(words, " "))})
	}
	for _, sigmoid := range []bool{false, true} {
		s := training.Quick()
		s.Embed, s.Hidden, s.Attention.Width, s.Longest, s.Epochs, s.Batch, s.Rate, s.Sigmoid = 16, 8, 8, 8, 5, 32, 0.01, sigmoid
		data, err := s.Prepare(tweets)
		if err != nil {
			t.Fatal(err)
		}
		network, err := s.Train(context.Background(), gobackend.GetBackend(), data, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		report, err := network.Evaluate(data.Parts[2])
		if err != nil {
			t.Fatal(err)
		}
		baseline, err := training.Baseline(data)
		if err != nil {
			t.Fatal(err)
		}
		if report.MacroF1 < 0.95 || baseline.MacroF1 < 0.95 {
			t.Errorf("sigmoid %t: macro-F1 %.3f, of the bag of words %.3f", sigmoid, report.MacroF1, baseline.MacroF1)
		}
		found := 0
		for class, sign := range signs {
			top, err := network.TopWords(data.Parts[2], class, 5, 1)
			if err != nil {
				t.Fatal(err)
			}
			if len(top) == 1 && top[0].Word == corpus.Mask(sign) && top[0].Mean > 1.5 {
				found++
			}
		}
		// One class can be told by the lack of the others' words.
		if found < 2 {
			t.Errorf("sigmoid %t: the telling word weighs most in %d classes", sigmoid, found)
		}
		scores, words, err := network.Importances("calm blue town")
		if err != nil || len(words) != 3 || scores[2] < scores[0] || words[1].Weight < words[0].Weight {
			t.Errorf("importances %v, %v, %v", scores, words, err)
		}
		if _, words, err := network.Importances(""); err != nil || len(words) != 0 {
			t.Errorf("importances of nothing: %v, %v", words, err)
		}
	}
}

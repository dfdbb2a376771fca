package training_test

import (
	"context"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gomlx/compute/gobackend"

	"synpool/corpus"
	"synpool/examples/translation/training"
)

// TestTrain: of a language whose words stand for words of another, in the opposite order, both models learn a share, that with
// attention the larger one.
func TestTrain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	words := map[string]string{"a": "ein", "dog": "hund", "cat": "katze", "sees": "sieht", "big": "gross", "red": "rot", "house": "haus", "tree": "baum"}
	from := []string{"a", "dog", "cat", "sees", "big", "red", "house", "tree"}
	draw := func(n int) []corpus.Pair {
		var pairs []corpus.Pair
		for range n {
			var source, target []string
			for range 4 + rng.IntN(3) {
				w := from[rng.IntN(len(from))]
				source, target = append(source, w), append([]string{words[w]}, target...)
			}
			pairs = append(pairs, corpus.Pair{Source: strings.Join(source, " "), Target: strings.Join(target, " ")})
		}
		return pairs
	}
	set := corpus.Multi30k{Train: draw(600), Validation: draw(50), Test: draw(50)}
	s := training.Quick()
	s.Longest, s.Embed, s.Encoder, s.Hidden, s.Align, s.Dropout, s.Rate, s.Batch, s.Epochs, s.Beam = 6, 12, 12, 24, 12, 0, 0.01, 25, 10, 2
	data, err := s.Prepare(set)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := s.Train(context.Background(), gobackend.GetBackend(), data, false, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	attentive, err := s.Train(context.Background(), gobackend.GetBackend(), data, true, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("BLEU %.1f without attention, %.1f with, %.1f by a beam", plain.Greedy.Score, attentive.Greedy.Score, attentive.Beam.Score)
	if attentive.Greedy.Score < plain.Greedy.Score+20 || attentive.Beam.Score < 80 || len(attentive.Translations) != len(data.Test) {
		t.Errorf("BLEU %.1f without attention, %.1f with, %.1f by a beam", plain.Greedy.Score, attentive.Greedy.Score, attentive.Beam.Score)
	}
	s.Longest = 1
	if _, err := s.Prepare(set); err == nil {
		t.Error("no error where no pair is short enough")
	}
}

package training_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/gobackend"

	"synpool/corpus"
	"synpool/examples/reviews/training"
)

// TestTrain: where one word of one sentence says the class, both networks find it, and the sentence weighs most.
func TestTrain(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	signs := []string{"dull", "bright"}
	fill := strings.Fields("the film has a plot and some people in it who talk for long")
	var reviews []corpus.Review
	for i := range 400 {
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
	s := training.Quick()
	s.Sentences, s.Words, s.Embed, s.Epochs, s.Rate = 4, 6, 12, 5, 0.01
	s.Attention.Words.Hidden, s.Attention.Sentences.Hidden = 6, 6
	s.Attention.WordAttention.Width, s.Attention.SentenceAttention.Width, s.Document.Width = 8, 8, 8
	data, err := s.Prepare(reviews)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(data.Parts[0].Labels); n != 320 || len(data.Parts[1].Labels) != 40 || len(data.Parts[2].Labels) != 40 {
		t.Fatalf("%d reviews to train on", n)
	}
	for _, flat := range []bool{false, true} {
		network, err := s.Train(context.Background(), gobackend.GetBackend(), data, flat, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		report, err := network.Evaluate(data.Parts[2])
		if err != nil {
			t.Fatal(err)
		}
		readings, err := network.Read(data.Parts[2])
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for i, r := range readings {
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
	s.Fold = 10
	if _, err := s.Prepare(reviews); err == nil {
		t.Error("no error of fold 10")
	}
}

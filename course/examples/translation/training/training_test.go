package training_test

import (
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"

	"synpool/course/corpus"
	"synpool/course/examples/fit/fittest"
	"synpool/course/examples/translation/training"
	"synpool/course/sequence"
	"synpool/internal/fetched"
	"synpool/internal/large"
)

// reversing makes pairs whose target has one word for each word of the source, in reverse order.
func reversing() corpus.Multi30k {
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
	return corpus.Multi30k{Train: draw(600), Validation: draw(50), Test: draw(50)}
}

// small are settings of seconds, for the model with attention.
func small() training.Settings {
	s := training.Quick()
	s.Longest, s.Embed, s.Encoder, s.Hidden, s.Align, s.Dropout, s.Rate, s.Batch, s.Epochs, s.Beam = 6, 12, 12, 24, 12, 0, 0.01, 25, 10, 2
	return s
}

// train returns a model and its BLEU on the test pairs by a beam of each width.
func train(t *testing.T, backend compute.Backend, s training.Settings, data *training.Data, widths ...int) (*training.Network, []float64) {
	t.Helper()
	network := fittest.Must(s.Train(t.Context(), backend, data, io.Discard))
	var scores []float64
	for _, width := range widths {
		translations := fittest.Must(network.Translate(data.Test, width))
		bleu := fittest.Must(data.BLEU(data.Test, translations))
		scores = append(scores, bleu.Score)
	}
	return network, scores
}

// TestTrain: of a language whose words stand for words of another, in the opposite order, both models learn a share, that with
// attention the larger one.
func TestTrain(t *testing.T) {
	backend, s := gobackend.GetBackend(), small()
	data := fittest.Must(s.Prepare(reversing()))
	_, attentive := train(t, backend, s, data, 1, s.Beam)
	if attentive[1] < 80 {
		t.Errorf("BLEU %.1f with attention", attentive)
	}
	if !large.Asked() {
		return
	}
	s.Align = 0
	_, plain := train(t, backend, s, data, 1)
	t.Logf("BLEU %.1f without attention, %.1f with", plain, attentive)
	if attentive[0] < plain[0]+20 {
		t.Errorf("BLEU %.1f without attention, %.1f with", plain, attentive)
	}
}

// TestTransformer: a transformer learns the same language.
func TestTransformer(t *testing.T) {
	s := small()
	s.Transformer, s.Embed, s.Layers, s.Heads, s.Rate = true, 24, 2, 4, 0.005
	data := fittest.Must(s.Prepare(reversing()))
	network, scores := train(t, gobackend.GetBackend(), s, data, 1, s.Beam)
	t.Logf("BLEU %.1f, loss %.3f", scores, network.Loss)
	if min(scores[0], scores[1]) < 80 {
		t.Errorf("BLEU %.1f", scores)
	}
}

// TestAlign: words stand beside those of the source that weigh most, words that are none among them.
func TestAlign(t *testing.T) {
	s := small()
	data := fittest.Must(s.Prepare(reversing()))
	example := training.Example{Pair: corpus.Pair{Source: "A red house"}}
	h := sequence.Hypothesis{
		Words:      []int32{data.Target.ID("haus"), corpus.PadID, data.Target.ID("rot")},
		Alignments: [][]float64{{0.1, 0.2, 0.7, 0}, {0.9, 0.1, 0, 0}, {0.2, 0.5, 0.3, 0}, {1, 0, 0, 0}},
	}
	want := []training.Aligned{{"haus", "house", 0.7}, {"<pad>", "a", 0.9}, {"rot", "red", 0.5}}
	if got := data.Align(example, h); !slices.Equal(got, want) {
		t.Errorf("aligned %v, want %v", got, want)
	}
	if got := data.Align(example, sequence.Hypothesis{Words: []int32{5}}); len(got) != 0 {
		t.Errorf("without attention %v", got)
	}
}

// TestBLEUByLength: each source counts within its limit alone, so a wrong translation lowers one score, and one limit gives BLEU.
func TestBLEUByLength(t *testing.T) {
	s := small()
	data := fittest.Must(s.Prepare(reversing()))
	var translations []sequence.Hypothesis
	for _, e := range data.Test {
		h := sequence.Hypothesis{Words: slices.Clone(e.Target)}
		if len(e.Source) == 5 {
			h.Words[0] = corpus.PadID
		}
		translations = append(translations, h)
	}
	scores := fittest.Must(data.BLEUByLength(data.Test, translations, 4, 5, 6))
	if scores[0] != 100 || scores[1] >= 90 || scores[2] != 100 {
		t.Errorf("BLEU %v of sources of 4, 5 and 6 words, wrong ones of 5", scores)
	}
	all := fittest.Must(data.BLEU(data.Test, translations))
	if one := fittest.Must(data.BLEUByLength(data.Test, translations, 6)); !slices.Equal(one, []float64{all.Score}) {
		t.Errorf("BLEU %v of one part, %v of all", one, all.Score)
	}
	if _, err := data.BLEUByLength(data.Test, translations, 3, 6); err == nil {
		t.Error("no source of up to 3 words, and no error")
	}
}

func TestRefusals(t *testing.T) {
	prepare := func(s training.Settings) error {
		_, err := s.Prepare(reversing())
		return err
	}
	fittest.RequireRefused(t, small(), prepare, map[string]func(*training.Settings){
		"too short":  func(s *training.Settings) { s.Longest = 1 },
		"no words":   func(s *training.Settings) { s.Longest = 0 },
		"no beam":    func(s *training.Settings) { s.Beam = 0 },
		"vocabulary": func(s *training.Settings) { s.Vocabulary = 0 },
	})
}

// TestMulti30k: in full no pair is left out, and words become the numbers that stand for them.
func TestMulti30k(t *testing.T) {
	set := fetched.Load(t, corpus.LoadMulti30k)
	all := fittest.Must(training.Full().Prepare(set))
	if n := [3]int{len(all.Train), len(all.Validation), len(all.Test)}; n != [3]int{29000, 1014, 1000} {
		t.Errorf("%d pairs of the parts in full", n)
	}
	set.Train = set.Train[:6000]
	s := small()
	s.Longest, s.Vocabulary = 12, 300
	data := fittest.Must(s.Prepare(set))
	for _, e := range append(slices.Clip(data.Train), data.Validation...) {
		for _, c := range []struct {
			vocabulary *corpus.Vocabulary
			ids        []int32
			words      []string
		}{{data.Source, e.Source, training.Words(e.Pair.Source)}, {data.Target, e.Target, training.Words(e.Pair.Target)}} {
			if len(c.ids) != len(c.words) || len(c.ids) > s.Longest {
				t.Fatalf("%d numbers of %d words", len(c.ids), len(c.words))
			}
			for i, w := range c.vocabulary.Decode(c.ids) {
				if w != c.words[i] && w != "<unk>" {
					t.Fatalf("word %d is %q, not %q", i, w, c.words[i])
				}
			}
		}
	}
}

package training

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/compute/gobackend"

	"synpool/course/corpus"
	"synpool/course/examples/fit/fittest"
)

// TestVectors: the embedding of a training whose steps are tiny is the file for its words, in either form, and as without a
// file for the others; larger steps move it.
func TestVectors(t *testing.T) {
	var tweets []corpus.Tweet
	for i := range 60 {
		tweets = append(tweets, corpus.Tweet{ID: i, Class: i % 3, Text: corpus.NewMasked("the " + []string{"red", "green", "blue"}[i%3] + " sky")})
	}
	const lines = "red 0.5 -1 0.25\nzebra 9 9 9\nsky 1 2 3\n"
	weights := func(rate float64, file string) (words [][]float32, d *Data) {
		s := Quick()
		s.Embed, s.Hidden, s.Attention.Width, s.Longest, s.Batch, s.Epochs, s.Rate = 3, 4, 4, 4, 64, 1, rate
		if file != "" {
			s.Vectors = filepath.Join(t.TempDir(), "vectors.txt")
			if err := os.WriteFile(s.Vectors, []byte(file), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		d = fittest.Must(s.Prepare(Tweets(tweets)))
		n := fittest.Must(s.Train(t.Context(), gobackend.GetBackend(), d, io.Discard))
		value := fittest.Must(n.predict.Store().GetVariable("/embedding/weights").Value())
		return value.Value().([][]float32), d
	}
	apart := func(a, b []float32) float64 {
		sum := 0.0
		for i := range a {
			sum += math.Abs(float64(a[i]) - float64(b[i]))
		}
		return sum
	}
	plain, _ := weights(1e-9, "")
	for name, file := range map[string]string{"GloVe": lines, "word2vec": "3 3\n" + lines} {
		started, d := weights(1e-9, file)
		for id, row := range started {
			want := plain[id]
			switch d.Vocabulary.Word(int32(id)) {
			case "red":
				want = []float32{0.5, -1, 0.25}
			case "sky":
				want = []float32{1, 2, 3}
			}
			if apart(row, want) > 1e-6 {
				t.Errorf("%s: %s starts from %v, want %v", name, d.Vocabulary.Word(int32(id)), row, want)
			}
		}
	}
	moved, d := weights(0.01, lines)
	if id := d.Vocabulary.ID("sky"); apart(moved[id], []float32{1, 2, 3}) < 1e-3 {
		t.Errorf("sky stays at %v", moved[id])
	}
	// The features of the file replace Embed.
	if wide, _ := weights(1e-9, "sky 1 2 3 4 5\n"); len(wide[0]) != 5 {
		t.Errorf("%d features, want 5", len(wide[0]))
	}
}

func TestVectorsRefused(t *testing.T) {
	tweets := Tweets([]corpus.Tweet{{Class: 0, Text: corpus.NewMasked("sky")}})
	for range 5 {
		tweets.Texts, tweets.Labels = append(tweets.Texts, tweets.Texts...), append(tweets.Labels, tweets.Labels...)
	}
	s := Quick()
	s.Vectors = filepath.Join(t.TempDir(), "vectors.txt")
	if err := os.WriteFile(s.Vectors, []byte("sky 1 2 3\nred 1 2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%s: line 2 has 2 numbers, not 3", s.Vectors)
	if _, err := s.Prepare(tweets); err == nil || err.Error() != want || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, want %s", err, want)
	}
}

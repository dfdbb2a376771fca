package training_test

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
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

var fill = strings.Fields("the sky over this town is wide and calm today we walk home")

// sentence returns 4 to 8 words, some of which are planted.
func sentence(rng *rand.Rand, planted ...string) string {
	words := make([]string, max(4+rng.IntN(5), len(planted)))
	for j := range words {
		words[j] = fill[rng.IntN(len(fill))]
	}
	for j, at := range rng.Perm(len(words))[:len(planted)] {
		words[at] = planted[j]
	}
	return strings.Join(words, " ")
}

// telling makes tweets where one word determines the class.
func telling(n int) training.Texts {
	rng := rand.New(rand.NewPCG(1, 1))
	var tweets []corpus.Tweet
	for i := range n {
		tweets = append(tweets, corpus.Tweet{ID: i, Class: i % 3, Text: corpus.NewMasked(sentence(rng, signs[i%3]))})
	}
	return training.Tweets(tweets)
}

// planted are the words of the labels of [toxic].
var planted = [6]string{"bramble", "thistle", "nettle", "thunder", "pickle", "copper"}

// toxic reads comments from a file of the form of Kaggle's, where a word determines each label. Labels are correlated as in
// the real comments: half of the texts have none, every other label implies the first, and the second also the third.
func toxic(t *testing.T, n int) training.Texts {
	t.Helper()
	rng := rand.New(rand.NewPCG(2, 1))
	file := strings.Builder{}
	file.WriteString("id,comment_text,toxic,severe_toxic,obscene,threat,insult,identity_hate\n")
	for i := range n {
		var labels [6]bool
		if i%2 == 0 {
			severe := rng.IntN(4) == 0
			labels = [6]bool{true, severe, severe || rng.IntN(3) == 0, rng.IntN(6) == 0, rng.IntN(3) == 0, rng.IntN(6) == 0}
		}
		var words []string
		flags := ""
		for k, is := range labels {
			if is {
				words, flags = append(words, planted[k]), flags+",1"
			} else {
				flags += ",0"
			}
		}
		fmt.Fprintf(&file, "%016x,\"%s\n\nso \"\"they\"\" say\"%s\n", i, sentence(rng, words...), flags)
	}
	path := filepath.Join(t.TempDir(), "train.csv")
	if err := os.WriteFile(path, []byte(file.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return training.Comments(fittest.Must(corpus.ReadComments(path)))
}

// small are settings of seconds.
func small() training.Settings {
	s := training.Quick()
	s.Embed, s.Hidden, s.Attention.Width, s.Longest, s.Epochs, s.Batch, s.Rate = 16, 8, 8, 8, 5, 32, 0.02
	return s
}

// TestTrain: where one word says the class, the network and the bag of words find it, and the word matters most.
func TestTrain(t *testing.T) {
	s := small()
	data := fittest.Must(s.Prepare(telling(600)))
	network := fittest.Must(s.Train(t.Context(), gobackend.GetBackend(), data, io.Discard))
	report := fittest.Must(network.Evaluate(data.Parts[2]))
	baseline := fittest.Must(training.Baseline(data))
	if report.MacroF1 < 0.95 || baseline.MacroF1 < 0.95 {
		t.Errorf("macro-F1 %.3f, of the bag of words %.3f", report.MacroF1, baseline.MacroF1)
	}
	requireTop(t, network, data, signs)
	for _, most := range []int{0, -1} {
		if top, err := network.TopWords(data.Parts[2], 1, most); err != nil || len(top) != 3 || len(top[0]) != 0 {
			t.Errorf("at most %d words: %v, %v", most, top, err)
		}
	}
	scores, words, err := network.Importances("calm blue town")
	if err != nil || len(words) != 3 || scores[2] < scores[0] || words[1].Weight < words[0].Weight || words[1].Effects[2] < 0.3 ||
		math.Abs(floats.Sum(scores)-1) > 1e-5 || math.Abs(words[0].Weight+words[1].Weight+words[2].Weight-1) > 1e-5 {
		t.Errorf("importances %v, %v, %v", scores, words, err)
	}
	if _, words, err := network.Importances(""); err != nil || len(words) != 0 {
		t.Errorf("importances of nothing: %v, %v", words, err)
	}
}

// requireTop wants words[k] to matter most for label k on the test part.
func requireTop(t *testing.T, network *training.Network, data *training.Data, words []string) {
	t.Helper()
	top := fittest.Must(network.TopWords(data.Parts[2], 3, 3))
	for k, name := range data.Names {
		if w := top[k][0]; w.Word.Raw() != words[k] || w.Effect < 0.1 || w.Effect < 3*top[k][1].Effect || w.Weight < 2 {
			t.Errorf("%s: the words are %+v, want %s first by far", name, top[k], corpus.Mask(words[k]))
		}
	}
}

// TestToxic: each of six correlated labels is told on held-out comments, and its own word matters most for it.
func TestToxic(t *testing.T) {
	s := small()
	s.Longest, s.Epochs = 14, 8
	data := fittest.Must(s.Prepare(toxic(t, 800)))
	for p, part := range data.Parts {
		n := map[[2]bool]int{}
		for _, labels := range part.Labels {
			n[[2]bool{labels[0], labels[1]}]++
			if labels[1] && !(labels[0] && labels[2]) {
				t.Errorf("part %d: labels %v", p, labels)
			}
		}
		if share := float64(n[[2]bool{true, true}]) / float64(len(part.Labels)); share < 0.08 || share > 0.16 {
			t.Errorf("part %d: a share %.3f has the second label", p, share)
		}
	}
	network := fittest.Must(s.Train(t.Context(), gobackend.GetBackend(), data, io.Discard))
	report := fittest.Must(network.Evaluate(data.Parts[2]))
	baseline := fittest.Must(training.Baseline(data))
	for k, name := range data.Names {
		if report.AUC[k] < 0.95 || baseline.AUC[k] < 0.95 {
			t.Errorf("%s: AUC %.3f, of the bag of words %.3f", name, report.AUC[k], baseline.AUC[k])
		}
	}
	requireTop(t, network, data, planted[:])
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
	top, err := network.TopWords(data.Parts[0], 1, 5)
	if err != nil || len(top) != 3 || len(top[1]) != 5 {
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
	if _, err := small().Prepare(training.Comments(nil)); err == nil {
		t.Error("no error of no texts")
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
	data := fittest.Must(s.Prepare(training.Tweets(tweets)))
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
			if !part.Labels[i][classes[text]] || len(part.IDs[i]) != min(len(words), s.Longest) {
				t.Fatalf("part %d, tweet %d: labels %v, %d words", p, i, part.Labels[i], len(part.IDs[i]))
			}
			for j, w := range data.Vocabulary.Decode(part.IDs[i]) {
				if w != words[j] && w != "<unk>" {
					t.Fatalf("part %d, tweet %d: word %d is another", p, i, j)
				}
			}
		}
	}
}

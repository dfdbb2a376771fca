package training_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend/backendtest"
	"synpool/course/corpus"
	"synpool/course/examples/fit"
	"synpool/course/examples/fit/fittest"
	"synpool/course/examples/tweets/training"
	"synpool/course/sequence"
	"synpool/internal/fetched"
	"synpool/internal/large"
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
		data, network := fittest.Train(t, gobackend.GetBackend(), s, telling(600))
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
		found, tops := 0, []training.WordImportance(nil)
		for class, sign := range signs {
			top, err := network.TopWords(data.Parts[2], class, 5, 1)
			if err != nil {
				t.Fatal(err)
			}
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
		if err != nil || len(words) != 3 || scores[2] < scores[0] || words[1].Weight < words[0].Weight {
			t.Errorf("importances %v, %v, %v", scores, words, err)
		}
		if _, words, err := network.Importances(""); err != nil || len(words) != 0 {
			t.Errorf("importances of nothing: %v, %v", words, err)
		}
	}
}

// TestSeveralLabels: of texts with none, one or two of three labels, one of them rare, each told by a word, a classifier with a
// sigmoid for each label finds all that new texts have.
func TestSeveralLabels(t *testing.T) {
	const texts, labels = 400, 3
	shares := []float64{0.5, 0.3, 0.05}
	rng := rand.New(rand.NewPCG(2, 2))
	draw := func() (words [][]int32, right [][]float32, counts []int, two int) {
		counts = make([]int, labels)
		for range texts {
			text, has := make([]int32, 8), make([]float32, labels)
			for i := range text {
				text[i] = 1 + labels + int32(rng.IntN(10))
			}
			at, told := rng.Perm(len(text)), 0
			for k, share := range shares {
				if told < 2 && rng.Float64() < share {
					text[at[k]], has[k] = int32(1+k), 1
					counts[k], told = counts[k]+1, told+1
				}
			}
			if told == 2 {
				two++
			}
			words, right = append(words, text), append(right, has)
		}
		return words, right, counts, two
	}
	c := sequence.Classifier{
		Embedding: sequence.Embedding{Words: 11 + labels, Width: 8}, Encoder: &sequence.RNN{Cell: sequence.GRU, Hidden: 8, Bidirectional: true},
		Pooling: sequence.WordAttention{Width: 8}, Classes: labels,
	}
	words, right, counts, _ := draw()
	there, absent := fit.BalancedLabels(counts, texts)
	backend, s := gobackend.GetBackend(), fit.Settings{Rate: 0.01, Batch: texts, Epochs: 1, Seed: 1}
	trainer, err := fit.New(backend, s, func(scope *model.Scope, in []*Node, key *Node) *Node {
		y, _ := c.Logits(scope, in[0], nil, key, dtypes.Float32)
		return Div(fit.BinaryCrossEntropy(y, in[1], OnesLike(ReduceMax(in[1], -1)), there, absent))
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if _, err := trainer.Step(words, right); err != nil {
			t.Fatal(err)
		}
	}
	predict, err := model.NewExec(backend, trainer.Store, func(scope *model.Scope, words *Node) *Node {
		y, _ := c.Logits(scope, words, nil, nil, dtypes.Float32)
		return ConvertDType(GreaterThan(y, ScalarZero(y.Graph(), dtypes.Float32)), dtypes.Float32)
	})
	if err != nil {
		t.Fatal(err)
	}
	words, right, counts, two := draw()
	out, err := fit.Call(predict, words)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i, predicted := range out[0].([][]float32) {
		if slices.Equal(predicted, right[i]) {
			found++
		}
	}
	t.Logf("all labels of %d of %d texts; %v texts have each, %d two", found, texts, counts, two)
	if found < texts*97/100 || two < 40 || counts[2] < 10 {
		t.Errorf("all labels of %d of %d texts; %v texts have each, %d two", found, texts, counts, two)
	}
}

// TestMasked: no text is read in what is printed.
func TestMasked(t *testing.T) {
	s := small()
	s.Epochs = 1
	data, network := fittest.Train(t, gobackend.GetBackend(), s, telling(60))
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
		"shares":     func(s *training.Settings) { s.Shares = []int{1, 1} },
		"no words":   func(s *training.Settings) { s.Longest = 0 },
		"vocabulary": func(s *training.Settings) { s.Vocabulary = 0 },
		"too few":    func(s *training.Settings) { s.Most = 5 },
		"no batch":   func(s *training.Settings) { s.Batch = 0 },
		"no epochs":  func(s *training.Settings) { s.Epochs = 0 },
		"no seed":    func(s *training.Settings) { s.Seed = 0 },
	})
	s := small()
	s.Batch, s.Epochs = 64, 1
	if data, network := fittest.Train(t, gobackend.GetBackend(), s, telling(60)); len(data.Parts[0].Labels) >= 64 || network.Epoch != 1 {
		t.Errorf("fewer tweets than a batch: %d, epoch %d", len(data.Parts[0].Labels), network.Epoch)
	}
}

// TestTweets trains on a slice of the real tweets, and follows the text from the file to the weights.
func TestTweets(t *testing.T) {
	tweets := fetched.Load(t, corpus.LoadTweets)
	s := training.Quick()
	s.Most, s.Longest, s.Embed, s.Hidden, s.Attention.Width, s.Epochs, s.Batch, s.Rate = 2500, 24, 24, 12, 12, large.Number(1, 3), 32, 5e-3
	data, network := fittest.Train(t, backendtest.Chosen(t), s, tweets)
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
	report, err := network.Evaluate(data.Parts[2])
	if err != nil {
		t.Fatal(err)
	}
	baseline, err := training.Baseline(data)
	if err != nil {
		t.Fatal(err)
	}
	// All tweets in the largest class: 77 % of them, and an F1 of 0.87 in that class alone.
	majority := slices.Repeat([][]float64{{0, 1, 0}}, len(data.Parts[2].Labels))
	guess, err := corpus.Evaluate(data.Parts[2].Labels, majority)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("macro-F1 %.3f, AUC %.3f; of the bag of words %.3f, %.3f; of the largest class %.3f", report.MacroF1, report.MacroAUC, baseline.MacroF1, baseline.MacroAUC, guess.MacroF1)
	if report.MacroF1 < guess.MacroF1+0.2 || report.MacroAUC < 0.75 || baseline.MacroF1 < guess.MacroF1+0.2 {
		t.Errorf("macro-F1 %.3f, AUC %.3f; of the bag of words %.3f; of the largest class %.3f", report.MacroF1, report.MacroAUC, baseline.MacroF1, guess.MacroF1)
	}
	for i, text := range data.Parts[2].Texts[:20] {
		scores, words, err := network.Importances(text.Raw())
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, w := range words {
			sum += w.Weight
		}
		if total := scores[0] + scores[1] + scores[2]; math.Abs(total-1) > 1e-5 || math.Abs(sum-1) > 1e-5 || len(words) != len(data.Parts[2].IDs[i]) {
			t.Errorf("tweet %d: scores add up to %g, weights of %d words to %g", i, total, len(words), sum)
		}
	}
}

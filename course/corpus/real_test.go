package corpus

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"synpool/internal/fetched"
	"synpool/internal/goldenfile"
	"synpool/internal/large"
)

// export names a folder to write what the baselines see, for testdata/baseline.py.
var export = flag.String("export", "", "write the features of the baselines to this `folder`")

// The counts are those that Python's csv and zipfile find.
func TestTweets(t *testing.T) {
	tweets := fetched.Load(t, LoadTweets)
	var classes [3]int
	entities, lines, longest := 0, 0, 0
	for _, tweet := range tweets {
		classes[tweet.Class]++
		text := tweet.Text.Raw()
		if strings.Contains(text, "&#") {
			entities++
		}
		if strings.Contains(text, "\n") {
			lines++
		}
		longest = max(longest, len([]rune(text)))
	}
	if len(tweets) != 24783 || classes != [3]int{1430, 19190, 4163} || entities != 6005 || lines != 917 || longest != 754 || tweets[24782].ID != 25296 {
		t.Errorf("%d tweets, classes %v, %d with entities, %d of several lines, the longest %d, last id %d", len(tweets), classes, entities, lines, longest, tweets[24782].ID)
	}
}

func TestReviews(t *testing.T) {
	reviews := fetched.Load(t, LoadReviews)
	var classes [2]int
	var folds [10][2]int
	sentences, words := 0, 0
	for _, r := range reviews {
		classes[r.Class]++
		folds[r.Fold][r.Class]++
		sentences += len(r.Sentences)
		for _, s := range r.Sentences {
			words += len(s)
		}
	}
	for i, f := range folds {
		if f != [2]int{100, 100} {
			t.Errorf("fold %d: %v", i, f)
		}
	}
	if len(reviews) != 2000 || classes != [2]int{1000, 1000} || reviews[0].Name != "neg/cv000_29416" || reviews[1999].Name != "pos/cv999_13106" {
		t.Errorf("%d reviews, %v, from %s to %s", len(reviews), classes, reviews[0].Name, reviews[1999].Name)
	}
	if sentences != 64720 || words != 1492665 {
		t.Errorf("%d sentences, %d words", sentences, words)
	}
}

func TestMulti30k(t *testing.T) {
	set := fetched.Load(t, LoadMulti30k)
	if len(set.Train) != 29000 || len(set.Validation) != 1014 || len(set.Test) != 1000 {
		t.Errorf("%d, %d, %d pairs", len(set.Train), len(set.Validation), len(set.Test))
	}
	// The captions may not be passed on, so that the sum of one pair stands for it.
	const want = "62c415f4530e228e5166bbb104b08bb155bf897c1456fa10d96fe32c3123cff0"
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(set.Validation[1].Source+"\n"+set.Validation[1].Target))); got != want {
		t.Errorf("the second pair of the validation part has the SHA-256 %s", got)
	}
}

// baselineCase is a set and a bag of words, whose C out of 0.3, 1, 3, 10 and 100 and longest run of 1 or 2 words are
// those of the best macro-F1 on the validation part of the split 8:1:1 with seed 1, see [BenchmarkSelection]; the one that
// does not balance the classes has the setting of the one that does.
type baselineCase struct {
	name    string
	texts   [][]string
	labels  []int
	classes int
	setting BagOfWords
}

func baselineCases(t testing.TB) []baselineCase {
	t.Helper()
	tweets := fetched.Load(t, LoadTweets)
	reviews := fetched.Load(t, LoadReviews)
	balanced := baselineCase{name: "tweets", classes: 3, setting: DefaultBagOfWords()}
	for _, tweet := range tweets {
		balanced.texts, balanced.labels = append(balanced.texts, TweetWords(tweet.Text.Raw())), append(balanced.labels, tweet.Class)
	}
	plain := balanced
	plain.name, plain.setting.Logistic.Balanced = "tweets, not balanced", false
	films := baselineCase{name: "reviews", classes: 2, setting: DefaultBagOfWords()}
	for _, r := range reviews {
		var words []string
		for _, s := range r.Sentences {
			words = append(words, s...)
		}
		films.texts, films.labels = append(films.texts, words), append(films.labels, r.Class)
	}
	films.setting.Longest, films.setting.Logistic.C = 1, 10
	if !large.Asked() {
		return []baselineCase{films}
	}
	return []baselineCase{balanced, plain, films}
}

// TestBaselines measures the bag of words on the test parts and compares with scikit-learn's logistic regression on the
// same rows. Both stop at derivatives of 1e-7, so near the same minimum that they predict the same class of every text;
// in the AUC a single pair of reviews whose scores differ by rounding alone counts 1e-4.
func TestBaselines(t *testing.T) {
	var want map[string]Report
	if *export == "" {
		want = goldenfile.Read[map[string]Report](t, "baseline.json")
	}
	for _, c := range baselineCases(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			parts := must(StratifiedSplit(c.labels, []int{8, 1, 1}, 1))
			texts, labels := choose(c.texts, parts[0]), choose(c.labels, parts[0])
			c.setting.Logistic.Tolerance = 1e-7
			m := must(c.setting.Fit(texts, labels, c.classes))
			test, answers := choose(c.texts, parts[2]), choose(c.labels, parts[2])
			got := must(m.Evaluate(test, answers))
			t.Logf("%d training and %d test texts, %d words: accuracy %.4f, macro-F1 %.4f, macro AUC %.4f; F1 %.3f, AUC %.4f",
				len(texts), len(test), m.tfidf.vocabulary.Len()-4, got.Accuracy, got.MacroF1, got.MacroAUC, got.F1, got.AUC)
			if *export != "" {
				folder := filepath.Join(*export, strings.ReplaceAll(c.name, ", ", "-"))
				if err := writeCase(folder, c, m, texts, labels, test, answers); err != nil {
					t.Fatal(err)
				}
				return
			}
			ref, ok := want[c.name]
			if !ok {
				t.Fatalf("no reference for %s", c.name)
			}
			requireNear(t, "accuracy, macro-F1", []float64{got.Accuracy, got.MacroF1}, []float64{ref.Accuracy, ref.MacroF1}, 1e-12)
			requireNear(t, "AUC", got.AUC, ref.AUC, 1.5e-4)
		})
	}
}

// BenchmarkSelection fits every setting that the baselines were chosen from, and wants the best on the validation part to
// be theirs:
//
//	go test synpool/course/corpus -run '^$' -bench Selection -benchtime 1x
func BenchmarkSelection(b *testing.B) {
	for _, c := range baselineCases(b) {
		if !c.setting.Logistic.Balanced {
			continue // has the setting of the one that does
		}
		parts := must(StratifiedSplit(c.labels, []int{8, 1, 1}, 1))
		texts, labels := choose(c.texts, parts[0]), choose(c.labels, parts[0])
		validation, answers := choose(c.texts, parts[1]), choose(c.labels, parts[1])
		best, chosen, tried := 0.0, BagOfWords{}, 0
		for longest := 1; longest <= 2; longest++ {
			for _, strength := range []float64{0.3, 1, 3, 10, 100} {
				setting := c.setting
				setting.Longest, setting.Logistic.C = longest, strength
				b.Run(fmt.Sprintf("%s/longest=%d/C=%v", c.name, longest, strength), func(b *testing.B) {
					var r Report
					for b.Loop() {
						m := must(setting.Fit(texts, labels, c.classes))
						r = must(m.Evaluate(validation, answers))
					}
					b.ReportMetric(r.MacroF1, "macro-F1")
					tried++
					if r.MacroF1 > best {
						best, chosen = r.MacroF1, setting
					}
				})
			}
		}
		if tried == 10 && chosen != c.setting {
			b.Errorf("%s: the best is %+v, not %+v", c.name, chosen, c.setting)
		}
	}
}

func choose[T any](of []T, indices []int) []T {
	chosen := make([]T, len(indices))
	for i, k := range indices {
		chosen[i] = of[k]
	}
	return chosen
}

// writeCase writes the rows of both parts in svmlight's form, and the setting. Words are numbers there.
func writeCase(folder string, c baselineCase, m *BagOfWordsModel, texts [][]string, labels []int, test [][]string, answers []int) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	setting, err := json.Marshal(map[string]any{"name": c.name, "C": c.setting.Logistic.C, "balanced": c.setting.Logistic.Balanced, "columns": m.tfidf.vocabulary.Len()})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "setting.json"), setting, 0o666); err != nil {
		return err
	}
	for _, part := range []struct {
		name   string
		texts  [][]string
		labels []int
	}{{"train", texts, labels}, {"test", test, answers}} {
		f, err := os.Create(filepath.Join(folder, part.name+".svm"))
		if err != nil {
			return err
		}
		out := bufio.NewWriter(f)
		for i, text := range part.texts {
			fmt.Fprint(out, part.labels[i])
			row := m.row(text)
			for k, column := range row.columns {
				fmt.Fprintf(out, " %d:%.17g", column, row.values[k])
			}
			fmt.Fprintln(out)
		}
		if err := out.Flush(); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

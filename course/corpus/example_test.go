package corpus_test

import (
	"fmt"
	"math"
	"strings"

	"synpool/course/corpus"
)

// must returns v, or ends an Example.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func ExampleCatalog() {
	for _, e := range corpus.Catalog() {
		fmt.Printf("%-8s %5d texts in %d files, %s\n", e.Name, e.Texts, len(e.Files), e.Licence)
	}
	// Output:
	// tweets   24783 texts in 1 files, MIT
	// reviews   2000 texts in 1 files, CC BY 4.0
	// multi30k 31014 texts in 6 files, research use only; not to be passed on
}

func ExampleNewMasked() {
	text := corpus.NewMasked("You silly goose!")
	fmt.Println(text, len(corpus.Words(text.Raw())))
	// Output: You s**** g****! 4
}

func ExampleWords() {
	fmt.Printf("%q\n", corpus.Words("Isn't it 3.5?"))
	// Output: ["Isn't" "it" "3.5" "?"]
}

func ExampleTweetWords() {
	fmt.Printf("%q\n", corpus.TweetWords("RT @someone: Good &amp; new! http://example.com #GoodDay"))
	// Output: ["rt" "<user>" ":" "good" "&" "new" "!" "<url>" "#goodday"]
}

func ExampleVocabulary() {
	counts := corpus.Counts{}
	counts.Add(strings.Fields("the dog saw the cat")...)
	counts.Add(strings.Fields("the cat ran")...)
	v := must(counts.Vocabulary(2, math.MaxInt))
	ids := v.Encode(strings.Fields("the zebra saw the cat"))
	fmt.Println(v.Len())
	fmt.Println(ids, v.Decode(ids))
	// Output:
	// 6
	// [4 1 1 4 5] [the <unk> <unk> the cat]
}

func ExampleReadVectors() {
	counts := corpus.Counts{}
	counts.Add("the", "cat", "sat")
	v := must(counts.Vocabulary(1, math.MaxInt))
	vectors := must(corpus.ReadVectors("testdata/vectors.txt", v))
	fmt.Println(vectors.Width, vectors.Of[v.ID("the")], vectors.Of[v.ID("sat")])
	// Output: 3 [0.5 -1 0.002] []
}

func ExamplePad() {
	sentences := [][]int32{{4, 5, 6, 7}, {8}}
	_, err := corpus.Pad(sentences, 3)
	fmt.Println(err)
	b := must(corpus.Pad(corpus.Truncate(sentences, 3), 3))
	fmt.Println(b.Dims, b.IDs, b.Mask)
	// Output:
	// sentence 0 has 4 words, more than 3; truncate it or pad to more
	// [2 3] [4 5 6 8 0 0] [true true true true false false]
}

func ExampleStratifiedSplit() {
	labels := []int{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}
	parts := must(corpus.StratifiedSplit(labels, []int{4, 1, 1}, 1))
	fmt.Println(len(parts[0]), len(parts[1]), len(parts[2]))
	// Output: 8 2 2
}

func ExampleBagOfWords() {
	texts := [][]string{{"good", "film"}, {"good", "fun"}, {"bad", "film"}, {"bad", "joke"}}
	m := must(corpus.DefaultBagOfWords().Fit(texts, []int{1, 1, 0, 0}, 2))
	p := must(m.Probabilities([]string{"good", "joke"}))
	fmt.Println(p[1] > 0.6)
	// Output: true
}

func ExampleEvaluate() {
	r := must(corpus.Evaluate([]int{0, 0, 1, 1}, [][]float64{{0.9, 0.1}, {0.4, 0.6}, {0.2, 0.8}, {0.3, 0.7}}))
	fmt.Printf("accuracy %.2f, macro-F1 %.3f, AUC %.2f\n", r.Accuracy, r.MacroF1, r.MacroAUC)
	// Output: accuracy 0.75, macro-F1 0.733, AUC 1.00
}

func ExampleReadComments() {
	for _, c := range must(corpus.ReadComments("testdata/comments.csv")) {
		fmt.Println(c.ID, len(corpus.TweetWords(c.Text.Raw())), c.Labels)
	}
	// Output:
	// 00000000000000a1 19 [false false false false false false]
	// 00000000000000b2 9 [true false false false true false]
	// 00000000000000c3 5 [false false false false false false]
}

func ExampleEvaluateLabels() {
	r := must(corpus.EvaluateLabels([][]bool{{true, true}, {true, false}, {false, false}}, [][]float64{{0.9, 0.6}, {0.7, 0.8}, {0.1, 0.2}}))
	fmt.Printf("accuracy %.2f, AUC %.2f\n", r.Accuracy, r.AUC)
	// Output: accuracy 0.67, AUC [1.00 0.50]
}

func ExampleCorpusBLEU() {
	b, err := corpus.CorpusBLEU([]string{"The cat sat on the mat ."}, []string{"The cat is on the mat ."})
	fmt.Printf("%.2f %v\n", b.Score, err)
	// Output: 48.89 <nil>
}

func ExampleStories() {
	stories := must(corpus.Stories{Entities: 2}.Generate(1, 4))
	for _, s := range stories {
		fmt.Println(strings.Join(s.Facts, "\n"))
		fmt.Printf("%s? %s, by the facts %d\n", s.Question, s.Answer, s.Support)
	}
	// Output:
	// ben went to the garden
	// anna took the ball
	// ben took the lamp
	// anna went to the kitchen
	// where is the lamp? garden, by the facts [2 0]
}

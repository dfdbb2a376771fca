package corpus

import "fmt"

// BagOfWords configures the bag-of-words baseline: tf-idf of words and n-grams, and [Logistic] regression.
type BagOfWords struct {
	Longest  int // length of the longest n-grams
	AtLeast  int // minimum count of a word in the training texts
	AtMost   int // maximum size of the vocabulary
	Logistic Logistic
}

// DefaultBagOfWords uses words and pairs of words that occur at least twice, at most 100,000 of them, balanced classes and C
// = 3. Pairs and C were chosen by macro-F1 on a validation part of the tweets, from words with or without pairs, and C of
// 0.3, 1, 3, 10 and 100 (BenchmarkSelection in this package's tests).
func DefaultBagOfWords() BagOfWords {
	return BagOfWords{Longest: 2, AtLeast: 2, AtMost: 100_000, Logistic: Logistic{C: 3, Balanced: true, Tolerance: 1e-5, Iterations: 1000}}
}

// BagOfWordsModel is a fitted [BagOfWords].
type BagOfWordsModel struct {
	longest  int
	tfidf    *tfidf
	logistic *logisticModel
}

// Fit learns vocabulary, document frequencies and weights from texts (lists of words) with labels 0 to classes-1.
func (b BagOfWords) Fit(texts [][]string, labels []int, classes int) (*BagOfWordsModel, error) {
	counts := Counts{}
	grams := make([][]string, len(texts))
	for i, text := range texts {
		grams[i] = ngrams(text, b.Longest)
		counts.Add(grams[i]...)
	}
	v, err := counts.Vocabulary(b.AtLeast, b.AtMost)
	if err != nil {
		return nil, fmt.Errorf("bag of words: %w", err)
	}
	t := newTFIDF(v, grams)
	rows := make([]row, len(grams))
	for i, g := range grams {
		rows[i] = t.row(g)
	}
	m, err := b.Logistic.fit(rows, v.Len(), labels, classes)
	if err != nil {
		return nil, fmt.Errorf("bag of words: %w", err)
	}
	return &BagOfWordsModel{b.Longest, t, m}, nil
}

// row returns the features of a text for the logistic regression.
func (m *BagOfWordsModel) row(text []string) row { return m.tfidf.row(ngrams(text, m.longest)) }

// Probabilities returns the probability of each class.
func (m *BagOfWordsModel) Probabilities(text []string) ([]float64, error) {
	return m.logistic.probabilities(m.row(text))
}

// Evaluate compares the labels of texts with the probabilities of the model.
func (m *BagOfWordsModel) Evaluate(texts [][]string, labels []int) (Report, error) {
	scores := make([][]float64, len(texts))
	for i, text := range texts {
		var err error
		if scores[i], err = m.Probabilities(text); err != nil {
			return Report{}, err
		}
	}
	return Evaluate(labels, scores)
}

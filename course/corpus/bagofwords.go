package corpus

import (
	"errors"
	"fmt"
)

// BagOfWords configures the bag-of-words baseline: [TFIDF] of words and n-grams, and [Logistic] regression.
type BagOfWords struct {
	Longest  int // length of the longest n-grams, see [Ngrams]
	AtLeast  int // minimum count of a word in the training texts
	AtMost   int // maximum size of the vocabulary
	Logistic Logistic
}

// DefaultBagOfWords uses words and pairs of words that occur at least twice, at most 100,000 of them, balanced classes and C
// = 3. Pairs and C were chosen by macro-F1 on a validation part of the tweets, from words with or without pairs, and C of
// 0.3, 1, 3, 10 and 100 (BenchmarkSelection in this package's tests).
func DefaultBagOfWords() BagOfWords {
	l := DefaultLogistic()
	l.C, l.Balanced = 3, true
	return BagOfWords{Longest: 2, AtLeast: 2, AtMost: 100_000, Logistic: l}
}

// BagOfWordsModel is a fitted [BagOfWords].
type BagOfWordsModel struct {
	Longest  int
	TFIDF    *TFIDF
	Logistic *LogisticModel
}

// Fit learns vocabulary, document frequencies and weights from texts (lists of words) with labels 0 to classes-1.
func (b BagOfWords) Fit(texts [][]string, labels []int, classes int) (*BagOfWordsModel, error) {
	counts := Counts{}
	grams := make([][]string, len(texts))
	for i, text := range texts {
		grams[i] = Ngrams(text, b.Longest)
		counts.Add(grams[i]...)
	}
	v, err := counts.Vocabulary(b.AtLeast, b.AtMost)
	if err != nil {
		return nil, fmt.Errorf("bag of words: %w", err)
	}
	t, err := NewTFIDF(v, grams)
	if err != nil {
		return nil, fmt.Errorf("bag of words: %w", err)
	}
	rows := make([]Row, len(grams))
	for i, g := range grams {
		rows[i] = t.Row(g)
	}
	m, err := b.Logistic.Fit(rows, v.Len(), labels, classes)
	if err != nil {
		return nil, fmt.Errorf("bag of words: %w", err)
	}
	return &BagOfWordsModel{b.Longest, t, m}, nil
}

// Row returns the features of a text for the logistic regression.
func (m *BagOfWordsModel) Row(text []string) Row { return m.TFIDF.Row(Ngrams(text, m.Longest)) }

// Probabilities returns the probability of each class. It is an error if the model was not made by Fit.
func (m *BagOfWordsModel) Probabilities(text []string) ([]float64, error) {
	switch {
	case m.TFIDF == nil || m.TFIDF.Vocabulary == nil || m.Logistic == nil:
		return nil, errors.New("the bag of words has no words or no weights; fit it first")
	case len(m.TFIDF.IDF) != m.TFIDF.Vocabulary.Len():
		return nil, fmt.Errorf("the bag of words has %d document frequencies for %d columns; fit it first", len(m.TFIDF.IDF), m.TFIDF.Vocabulary.Len())
	}
	return m.Logistic.Probabilities(m.Row(text))
}

package corpus

import (
	"maps"
	"math"
	"slices"
)

// row is a sparse row: the ascending indices of its non-zero columns, and their values.
type row struct {
	columns []int
	values  []float64
}

// tfidf turns a text into a row of tf-idf values with one column per word of a vocabulary:
//
//	value = tf * idf / norm,   idf = 1 + ln((1+n) / (1+df))
//
// with tf the count of the word in the text, n the number of training texts, and df the number of those with the word; norm
// gives the row the Euclidean length 1. The formulas are scikit-learn's defaults. Words outside the vocabulary are ignored,
// and a text of only such words is a row of zeros. The columns of the reserved words are always zero.
type tfidf struct {
	vocabulary *Vocabulary
	idf        []float64 // one per column
}

// newTFIDF computes the idf of each word of v from texts.
func newTFIDF(v *Vocabulary, texts [][]string) *tfidf {
	frequency := make([]int, v.Len())
	for _, text := range texts {
		for _, column := range v.bag(text).columns {
			frequency[column]++
		}
	}
	idf := make([]float64, len(frequency))
	for i, df := range frequency {
		idf[i] = 1 + math.Log(float64(1+len(texts))/float64(1+df))
	}
	return &tfidf{v, idf}
}

// row returns the row of a text.
func (t *tfidf) row(words []string) row {
	r := t.vocabulary.bag(words)
	squares := 0.0
	for i, column := range r.columns {
		r.values[i] *= t.idf[column]
		squares += r.values[i] * r.values[i]
	}
	for i := range r.values {
		r.values[i] /= math.Sqrt(squares)
	}
	return r
}

// bag returns the bag of words of a text: the count of each word of the vocabulary, in the column of the word's number.
func (v *Vocabulary) bag(words []string) row {
	counts := make(map[int]float64)
	for _, w := range words {
		if id, known := v.ids[w]; known {
			counts[int(id)]++
		}
	}
	r := row{columns: slices.Sorted(maps.Keys(counts))}
	for _, column := range r.columns {
		r.values = append(r.values, counts[column])
	}
	return r
}

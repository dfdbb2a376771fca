package corpus

import (
	"errors"
	"math"
	"slices"
)

// Row is a sparse row: the ascending indices of its non-zero columns, and their values.
type Row struct {
	Columns []int
	Values  []float64
}

// TFIDF turns a text into a row of tf-idf values with one column per word of a vocabulary:
//
//	value = tf * idf / norm,   idf = 1 + ln((1+n) / (1+df))
//
// with tf the count of the word in the text, n the number of training texts, and df the number of those with the word; norm
// gives the row the Euclidean length 1. The formulas are scikit-learn's defaults. Words outside the vocabulary are ignored,
// and a text of only such words is a row of zeros. The columns of the reserved words are always zero.
type TFIDF struct {
	Vocabulary *Vocabulary
	IDF        []float64 // one per column
}

// NewTFIDF computes the idf of each word of v from texts.
func NewTFIDF(v *Vocabulary, texts [][]string) (*TFIDF, error) {
	if len(texts) == 0 {
		return nil, errors.New("no texts to take document frequencies from")
	}
	frequency := make([]int, v.Len())
	for _, text := range texts {
		for _, column := range v.Bag(text).Columns {
			frequency[column]++
		}
	}
	idf := make([]float64, len(frequency))
	for i, df := range frequency {
		idf[i] = 1 + math.Log(float64(1+len(texts))/float64(1+df))
	}
	return &TFIDF{v, idf}, nil
}

// Row returns the row of a text.
func (t *TFIDF) Row(words []string) Row {
	row := t.Vocabulary.Bag(words)
	squares := 0.0
	for i, column := range row.Columns {
		row.Values[i] *= t.IDF[column]
		squares += row.Values[i] * row.Values[i]
	}
	for i := range row.Values {
		row.Values[i] /= math.Sqrt(squares)
	}
	return row
}

// Bag returns the bag of words of a text: the count of each word of the vocabulary, in the column of the word's number.
func (v *Vocabulary) Bag(words []string) Row {
	counts := make(map[int]float64)
	for _, w := range words {
		if id, known := v.ids[w]; known {
			counts[int(id)]++
		}
	}
	row := Row{Columns: make([]int, 0, len(counts)), Values: make([]float64, 0, len(counts))}
	for column := range counts {
		row.Columns = append(row.Columns, column)
	}
	slices.Sort(row.Columns)
	for _, column := range row.Columns {
		row.Values = append(row.Values, counts[column])
	}
	return row
}

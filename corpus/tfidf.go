package corpus

import (
	"errors"
	"math"
	"slices"
)

// Row is a sparse row: the columns, ascending, that are not zero, and their values.
type Row struct {
	Columns []int
	Values  []float64
}

// TFIDF turns a text into a row of one column for each word of a vocabulary:
//
//	value = tf * idf / norm,   idf = 1 + ln((1+n) / (1+df))
//
// with tf the number of times that the text has the word, n the number of texts that idf was taken from and df that of
// those with the word; norm makes the row of Euclidean length 1. The formulas are those of scikit-learn's default.
// Words outside the vocabulary do not count, and a text of such words alone is a row of zeros. The columns of the
// reserved words are always zero.
type TFIDF struct {
	Vocabulary *Vocabulary
	IDF        []float64 // of each column
}

// NewTFIDF takes idf from these texts.
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

// Bag returns the bag of words of a text: how often it has each word of the vocabulary, in the column of its number.
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

package corpus

import "fmt"

// Batch holds sentences or documents padded to the same shape, row-major: the numbers of words, with [PadID] as padding, and
// a mask that is true for words. A sentence without words is all padding.
type Batch struct {
	IDs  []int32
	Mask []bool
	Dims []int // [sentences, words] or [documents, sentences, words]
}

// Pad returns the sentences as a batch [sentences, length]. A sentence longer than length is an error: see [Truncate].
func Pad(sentences [][]int32, length int) (Batch, error) {
	b, err := newBatch(len(sentences), length)
	if err != nil {
		return Batch{}, err
	}
	for i, s := range sentences {
		if err := b.put(i*length, s, length); err != nil {
			return Batch{}, fmt.Errorf("sentence %d %w", i, err)
		}
	}
	return b, nil
}

// PadDocuments returns the documents as a batch [documents, sentences, words]. A document with more sentences, or with a
// longer sentence, is an error: see [Truncate].
func PadDocuments(documents [][][]int32, sentences, words int) (Batch, error) {
	b, err := newBatch(len(documents), sentences, words)
	if err != nil {
		return Batch{}, err
	}
	for i, d := range documents {
		if len(d) > sentences {
			return Batch{}, fmt.Errorf("document %d has %d sentences, more than %d; truncate it or pad to more", i, len(d), sentences)
		}
		for j, s := range d {
			if err := b.put((i*sentences+j)*words, s, words); err != nil {
				return Batch{}, fmt.Errorf("document %d, sentence %d %w", i, j, err)
			}
		}
	}
	return b, nil
}

// largestBatch is the maximum number of words in a batch: more is likely a typo.
const largestBatch = 1 << 28

func newBatch(dims ...int) (Batch, error) {
	size := 1
	for _, d := range dims {
		if d < 1 || size > largestBatch/d {
			return Batch{}, fmt.Errorf("a batch %v; it has 1 or more along every axis and at most %d words", dims, largestBatch)
		}
		size *= d
	}
	return Batch{IDs: make([]int32, size), Mask: make([]bool, size), Dims: dims}, nil
}

func (b *Batch) put(at int, sentence []int32, length int) error {
	if len(sentence) > length {
		return fmt.Errorf("has %d words, more than %d; truncate it or pad to more", len(sentence), length)
	}
	for k, id := range sentence {
		if id == PadID {
			return fmt.Errorf("has padding as word %d; give its words alone", k)
		}
		b.IDs[at+k], b.Mask[at+k] = id, true
	}
	return nil
}

// Truncate cuts lists longer than length at the end: the words of sentences, or the sentences of documents. The result
// shares memory with lists.
func Truncate[T any](lists [][]T, length int) [][]T {
	length = max(length, 0)
	short := make([][]T, len(lists))
	for i, l := range lists {
		n := min(len(l), length)
		short[i] = l[:n:n]
	}
	return short
}

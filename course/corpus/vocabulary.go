package corpus

import (
	"cmp"
	"fmt"
	"slices"
)

// The numbers of the reserved words.
const (
	PadID     int32 = iota // padding after the end of a sentence in a batch
	UnknownID              // any word outside the vocabulary
	BeginID                // begin of a sentence
	EndID                  // end of a sentence
)

// reserved has the names of the reserved words.
var reserved = []string{PadID: "<pad>", UnknownID: "<unk>", BeginID: "<s>", EndID: "</s>"}

// Counts has the count of each word.
type Counts map[string]int

// Add adds 1 to the count of each of words.
func (c Counts) Add(words ...string) {
	for _, w := range words {
		c[w]++
	}
}

// Vocabulary returns the atMost most frequent of the words that were counted at least atLeast times. With atMost math.MaxInt
// it keeps all of them. Words are sorted by falling count, and equal counts by bytes.
func (c Counts) Vocabulary(atLeast, atMost int) (*Vocabulary, error) {
	if atLeast < 1 || atMost < 1 {
		return nil, fmt.Errorf("a vocabulary of words that occur at least %d times, at most %d of them; both numbers are 1 or more", atLeast, atMost)
	}
	var words []string
	for w, n := range c {
		if n >= atLeast && w != "" && !slices.Contains(reserved, w) {
			words = append(words, w)
		}
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(c[b], c[a]), cmp.Compare(a, b)) })
	if len(words) == 0 {
		return nil, fmt.Errorf("no word occurs %d times; count more text or ask for less", atLeast)
	}
	v := &Vocabulary{words: slices.Concat(reserved, words[:min(atMost, len(words))]), ids: make(map[string]int32, len(words))}
	for i, w := range v.words[len(reserved):] {
		v.ids[w] = int32(len(reserved) + i)
	}
	return v, nil
}

// Vocabulary numbers words: [PadID], [UnknownID], [BeginID], [EndID], then its words from 4 on. It is immutable and safe for
// concurrent use.
type Vocabulary struct {
	words []string // including the reserved ones
	ids   map[string]int32
}

// Len returns the number of words, including the four reserved ones.
func (v *Vocabulary) Len() int { return len(v.words) }

// ID returns the number of a word, or [UnknownID] if the vocabulary lacks it. A word spelled like a reserved one is unknown.
func (v *Vocabulary) ID(word string) int32 {
	if id, ok := v.ids[word]; ok {
		return id
	}
	return UnknownID
}

// Word returns the word with a number, or "<unk>" if there is none.
func (v *Vocabulary) Word(id int32) string {
	if id < 0 || int(id) >= len(v.words) {
		return reserved[UnknownID]
	}
	return v.words[id]
}

// Encode returns the numbers of the words of a sentence.
func (v *Vocabulary) Encode(words []string) []int32 {
	ids := make([]int32, len(words))
	for i, w := range words {
		ids[i] = v.ID(w)
	}
	return ids
}

// EncodeDocument returns the numbers of the words of each sentence of a document.
func (v *Vocabulary) EncodeDocument(sentences [][]string) [][]int32 {
	ids := make([][]int32, len(sentences))
	for i, s := range sentences {
		ids[i] = v.Encode(s)
	}
	return ids
}

// Decode returns the words of ids up to the first [EndID], without [PadID] and [BeginID].
func (v *Vocabulary) Decode(ids []int32) []string {
	var words []string
	for _, id := range ids {
		switch id {
		case EndID:
			return words
		case PadID, BeginID:
		default:
			words = append(words, v.Word(id))
		}
	}
	return words
}

// Delimit returns ids between [BeginID] and [EndID].
func Delimit(ids []int32) []int32 {
	return slices.Concat([]int32{BeginID}, ids, []int32{EndID})
}

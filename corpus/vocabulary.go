package corpus

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The numbers of the words that stand for no word of the text.
const (
	PadID     int32 = iota // behind the end of a sentence in a batch
	UnknownID              // any word outside the vocabulary
	BeginID                // before a sentence
	EndID                  // behind a sentence
)

// reserved are their names.
var reserved = []string{PadID: "<pad>", UnknownID: "<unk>", BeginID: "<s>", EndID: "</s>"}

// Counts counts words.
type Counts map[string]int

// Add counts each of words once more.
func (c Counts) Add(words ...string) {
	for _, w := range words {
		c[w]++
	}
}

// Vocabulary returns the words that were counted at least atLeast times, the atMost most frequent of them.
// math.MaxInt keeps all. Words stand in falling order of their counts, equal ones in the order of their bytes.
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
	return NewVocabulary(words[:min(atMost, len(words))])
}

// Vocabulary numbers words: [PadID], [UnknownID], [BeginID], [EndID], then its words from 4 on. It is not changed after
// it was made, and may be used by many at once. In JSON it is the list of its words.
type Vocabulary struct {
	words []string // with the reserved ones
	ids   map[string]int32
}

// NewVocabulary returns the vocabulary of these words in this order, say those that [Vocabulary.Words] returned and a
// model was stored with. None may be empty, reserved (<pad>, <unk>, <s>, </s>) or there twice.
func NewVocabulary(words []string) (*Vocabulary, error) {
	if len(words) == 0 {
		return nil, errors.New("a vocabulary of no words")
	}
	v := &Vocabulary{words: slices.Concat(reserved, words), ids: make(map[string]int32, len(words))}
	for i, w := range words {
		if w == "" || slices.Contains(reserved, w) {
			return nil, fmt.Errorf("word %d of the vocabulary is %q; it can be no word", i, w)
		}
		if _, twice := v.ids[w]; twice {
			return nil, fmt.Errorf("word %d of the vocabulary is there twice", i)
		}
		v.ids[w] = int32(len(reserved) + i)
	}
	return v, nil
}

// Len returns the number of numbers: the words and the four reserved ones.
func (v *Vocabulary) Len() int { return len(v.words) }

// Words returns the words without the reserved ones, in order.
func (v *Vocabulary) Words() []string {
	return slices.Clone(v.words[min(len(reserved), len(v.words)):])
}

// MarshalJSON encodes the words as a list. A vocabulary without words, and one with a word that is not UTF-8, is an
// error.
func (v Vocabulary) MarshalJSON() ([]byte, error) {
	words := v.Words()
	if len(words) == 0 {
		return nil, errors.New("a vocabulary of no words")
	}
	for i, w := range words {
		if !utf8.ValidString(w) {
			return nil, fmt.Errorf("word %d of the vocabulary is not UTF-8, which JSON cannot hold", i)
		}
	}
	return json.Marshal(words)
}

// UnmarshalJSON makes the vocabulary that [Vocabulary.MarshalJSON] encoded; errors are those of [NewVocabulary].
func (v *Vocabulary) UnmarshalJSON(data []byte) error {
	var words []string
	if err := json.Unmarshal(data, &words); err != nil {
		return fmt.Errorf("a vocabulary is a list of words: %w", err)
	}
	made, err := NewVocabulary(words)
	if err != nil {
		return err
	}
	*v = *made
	return nil
}

// ID returns the number of a word, [UnknownID] of one that the vocabulary lacks. A word of the text that is written
// like a reserved one is unknown.
func (v *Vocabulary) ID(word string) int32 {
	if id, ok := v.ids[word]; ok {
		return id
	}
	return UnknownID
}

// Word returns the word of a number; "<unk>" of a number that no word has.
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

// Decode returns the words of numbers up to the first [EndID], without padding and begins.
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

// String says how many words there are, and shows none of them.
func (v *Vocabulary) String() string {
	return fmt.Sprintf("vocabulary of %d words and %s", len(v.Words()), strings.Join(reserved, " "))
}

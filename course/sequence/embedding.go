package sequence

import (
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/synlayer"
)

// Embedding maps each word of a vocabulary to a trainable vector: the variable weights [Words, Width], drawn from N(0,
// 0.1²). Words with a pretrained vector start from that; the others have the same initial values as without any.
type Embedding struct {
	Words      int // size of the vocabulary, including reserved words
	Width      int
	Pretrained map[int32][]float32 // vectors [Width] by number of the word; nil for none
}

// Embed returns the vectors [..., Width], of type dtype, of the words [...], given as integers. A number outside [0, Words)
// has the vector 0.
func (e Embedding) Embed(scope *model.Scope, words *Node, dtype dtypes.DType) *Node {
	if e.Words < 1 || e.Width < 1 {
		exceptions.Panicf("sequence: Embedding of %d words to %d features, want 1 or more of each", e.Words, e.Width)
	}
	if !words.DType().IsInt() {
		exceptions.Panicf("sequence: words are %s, want integers", words.Shape())
	}
	g := words.Graph()
	for word, vector := range e.Pretrained {
		if word < 0 || int(word) >= e.Words || len(vector) != e.Width {
			exceptions.Panicf("sequence: word %d has a pretrained vector of %d features, want words below %d and %d features", word, len(vector), e.Words, e.Width)
		}
	}
	drawn := 0
	table := synlayer.Variable(scope, g, dtype, "weights", func(rng *rand.Rand) float64 {
		word, feature := drawn/e.Width, drawn%e.Width
		drawn++
		x := 0.1 * rng.NormFloat64() // drawn for every word, so that those without a vector do not change
		if vector := e.Pretrained[int32(word)]; vector != nil {
			return float64(vector[feature])
		}
		return x
	}, 0, e.Words, e.Width)
	first, last := ConstAs(words, 0), ConstAs(words, e.Words-1)
	inside := Min(Max(words, first), last)
	return zeroUnless(Equal(inside, words), Gather(table, ExpandAxes(inside, -1)))
}

package sequence

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/synlayer"
)

// Classifier classifies sentences: embedding, spatial dropout, encoder, pooling, and a dense map to one logit per class.
// Without an encoder it is a bag-of-words model: plain with [synlayer.SumPooling], weighted with [DocumentAttention]. Train
// its logits with a softmax for exclusive classes, or with sigmoids for any number of labels.
//
// Variables, by path below the scope: those of the parts below embedding, encoder, pooling and output.
type Classifier struct {
	Embedding Embedding
	Dropout   float64 // [SpatialDropout] of the embedded words
	Encoder   *RNN    // nil for none
	Pooling   synlayer.Pooling
	Classes   int
}

// Logits returns the logits [batch, Classes] of sentences and the pooling's weights [batch, heads, length]. words [batch,
// length] has the numbers of the words; mask [batch, length] is true for a real word. key is the dropout key of this
// training step, nil outside training.
func (c Classifier) Logits(scope *model.Scope, words, mask, key *Node, dtype dtypes.DType) (logits, weights *Node) {
	s := synlayer.Bags{X: c.Embedding.Embed(scope.In("embedding"), words, dtype), Mask: mask, DropoutKey: key}
	s.X = SpatialDropout(scope.In("dropout"), s, c.Dropout)
	if c.Encoder != nil {
		s.X, _ = c.Encoder.Encode(scope.In("encoder"), s, nil)
	}
	pooled, weights := c.Pooling.Pool(scope.In("pooling"), s)
	return synlayer.Dense(scope.In("output"), pooled, 0, c.Classes), weights
}

// DocumentClassifier classifies documents: embedding, spatial dropout, hierarchical attention, and a dense map to one logit
// per class. Variables, by path below the scope: those of the parts below embedding, attention and output.
type DocumentClassifier struct {
	Embedding Embedding
	Dropout   float64 // [SpatialDropout] of the embedded words of each sentence
	Attention HierarchicalAttention
	Classes   int
}

// Logits returns the logits [batch, Classes] of documents, and the weights of the words [batch, sentences, words] and of the
// sentences [batch, sentences]. words [batch, sentences, words] has the numbers of the words; mask has the same shape and is
// true for a real word, nil for all. key is the dropout key of this training step, nil outside training.
func (c DocumentClassifier) Logits(scope *model.Scope, words, mask, key *Node, dtype dtypes.DType) (logits, ofWords, ofSentences *Node) {
	if words.Rank() != 3 {
		exceptions.Panicf("sequence: documents are %s, want [batch, sentences, words]", words.Shape())
	}
	mask = Transpose(explicitMask(mask, words.Graph(), words.Shape().Dimensions), 0, 1)
	x := c.Embedding.Embed(scope.In("embedding"), Transpose(words, 0, 1), dtype) // sentences in front, for the dropout
	dims := x.Shape().Dimensions
	flat := synlayer.Bags{X: Reshape(x, -1, dims[2], dims[3]), DropoutKey: key}
	x = zeroUnless(mask, Reshape(SpatialDropout(scope.In("dropout"), flat, c.Dropout), dims...))
	pooled, ofWords, ofSentences := c.Attention.pool(scope.In("attention"), x, mask, key)
	return synlayer.Dense(scope.In("output"), pooled, 0, c.Classes), ofWords, ofSentences
}

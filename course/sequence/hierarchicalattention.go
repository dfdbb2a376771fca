package sequence

import (
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/synlayer"
)

// HierarchicalAttention pools a document in two levels (Yang et al. 2016, section 2.2, equations 5 to 10). The encoded words
// x_it of each sentence i are pooled by attention into the sentence vector s_i; the encoded sentences are pooled by
// attention into the document vector v:
//
//	h_i = Words(x_i),    α_i = softmax over words t of u_w · tanh(W_w h_it + b_w),   s_i = Σ_t α_it h_it
//	h = Sentences(s),    α = softmax over sentences i of u_s · tanh(W_s h_i + b_s),  v = Σ_i α_i h_i
//
// A sentence without words has no effect. A document without sentences has the vector 0.
//
// Variables, by path below the scope: those of the parts below words, word_attention, sentences and sentence_attention.
type HierarchicalAttention struct {
	Words             RNN
	WordAttention     WordAttention
	Sentences         RNN
	SentenceAttention WordAttention
}

// DefaultHierarchicalAttention returns the paper's sizes: bidirectional GRUs with 50 features per direction, and context
// vectors of 100 features.
func DefaultHierarchicalAttention() HierarchicalAttention {
	encoder, attention := RNN{Cell: GRU, Hidden: 50, Bidirectional: true}, WordAttention{Width: 100}
	return HierarchicalAttention{Words: encoder, WordAttention: attention, Sentences: encoder, SentenceAttention: attention}
}

// Pool returns the vectors [batch, features] of documents x [batch, sentences, words, features], the weights of the words
// [batch, sentences, words] in their sentence, and the weights of the sentences [batch, sentences] in their document. mask
// [batch, sentences, words] is true for a real word, nil for all. key is the dropout key of this training step, nil outside
// training.
func (h HierarchicalAttention) Pool(scope *model.Scope, x, mask, key *Node) (documents, words, sentences *Node) {
	if x.Rank() != 4 {
		exceptions.Panicf("sequence: documents are %s, want [batch, sentences, words, features]", x.Shape())
	}
	x, mask = masked(x, mask)
	return h.pool(scope, Transpose(x, 0, 1), Transpose(mask, 0, 1), key)
}

// pool is Pool for x [sentences, batch, words, features] and mask [sentences, batch, words]. What dropout draws for a
// sentence depends on its position in the flattened batch. With the sentences axis first, padding sentences do not change
// that position.
func (h HierarchicalAttention) pool(scope *model.Scope, x, mask, key *Node) (documents, words, sentences *Node) {
	dims := x.Shape().Dimensions
	flat := synlayer.Bags{X: Reshape(x, -1, dims[2], dims[3]), Mask: Reshape(mask, -1, dims[2]), DropoutKey: key}
	flat.X, _ = h.Words.Encode(scope.In("words"), flat, nil)
	vectors, words := h.WordAttention.Pool(scope.In("word_attention"), flat)
	document := synlayer.Bags{X: Transpose(Reshape(vectors, dims[0], dims[1], -1), 0, 1), Mask: Transpose(LogicalAny(mask, -1), 0, 1), DropoutKey: key}
	document.X, _ = h.Sentences.Encode(scope.In("sentences"), document, nil)
	documents, sentences = h.SentenceAttention.Pool(scope.In("sentence_attention"), document)
	return documents, Transpose(Reshape(words, dims[:3]...), 0, 1), Squeeze(sentences, 1)
}

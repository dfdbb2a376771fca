// Package sequence has attention over words, sentences and the words of a source, and the encoders below it, as GoMLX layers
// in the manner of package synlayer. Every attention takes an optional Syn adjustment of its weights ([Adjustment]).
//
// # Glossary
//
//   - sentence: a sequence of words, given as their vectors or as their numbers in a vocabulary.
//   - state: what a recurrent cell knows after a word ([RNN]).
//   - context vector: the trained query that words are compared with ([WordAttention]).
//   - hop: one look at a memory ([MemoryNetwork]).
//   - teacher forcing: the decoder reads the right words, whatever it would have said ([Translator.Logits]).
//   - alignment: the weights of the source's words at one step of the decoder.
//   - beam: the hypotheses that a search keeps ([Beam]).
//
// # Shapes
//
//	x          [batch, length, features]           words of sentences, [synlayer.Bags] in an order
//	mask       [batch, length]                     true for a real word, false for padding; nil for all real
//	words      [batch, length]                     their numbers, integers
//	documents  [batch, sentences, words, features]
//	weights    [batch, heads, length]              of a pooling; padding is exactly 0
//	weights    [batch, heads, queries, keys]       of [MultiHeadAttention]
//	alignments [batch, steps, length]
//
// The poolings ([WordAttention], [DocumentAttention]) and [DeepSets] may have a members axis in front, the others not.
//
// Padding behind a mask, of any value and NaN among it, changes nothing, nor what dropout draws for the rest. A sentence of
// padding alone is defined everywhere: its weights and states are 0, or the first state, and its neighbours do not feel it.
// Real values may be as large as 1e9 in float32, of which squares and their products with weights and gradients stay finite.
//
// # Recurrence
//
// Recurrences are While loops on XLA, with gradients of their own, and unrolled on GoMLX's Go backend, which compiles nothing
// and lacks an operation that loops need. An unrolled graph takes XLA a second or so for every few words: [RNN.Unroll] asks
// for it, for a graph that is itself the body of a loop. GoMLX's own LSTM always unrolls and panics on sentences of unequal
// length (version 0.28.2); the tests compare with it, and with PyTorch's.
package sequence

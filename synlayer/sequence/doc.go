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
//
// # Sources
//
// The doc comments cite by author and year:
//
//   - Bahdanau, Cho and Bengio, "Neural machine translation by jointly learning to align and translate", ICLR 2015, arXiv:1409.0473.
//   - Cho et al., "Learning phrase representations using RNN encoder-decoder for statistical machine translation", EMNLP 2014, arXiv:1406.1078.
//   - Gal and Ghahramani, "A theoretically grounded application of dropout in recurrent neural networks", NIPS 2016, arXiv:1512.05287.
//   - Gers, Schmidhuber and Cummins, "Learning to forget: continual prediction with LSTM", Neural Computation 12 (2000), doi.org/10.1162/089976600300015015.
//   - Hochreiter and Schmidhuber, "Long short-term memory", Neural Computation 9 (1997), doi.org/10.1162/neco.1997.9.8.1735.
//   - Ilse, Tomczak and Welling, "Attention-based deep multiple instance learning", ICML 2018, arXiv:1802.04712.
//   - Nadaraya, "On estimating regression", Theory of Probability and Its Applications 9 (1964), doi.org/10.1137/1109020.
//   - Sukhbaatar, Szlam, Weston and Fergus, "End-to-end memory networks", NIPS 2015, arXiv:1503.08895.
//   - Sutskever, Vinyals and Le, "Sequence to sequence learning with neural networks", NIPS 2014, arXiv:1409.3215.
//   - Tompson et al., "Efficient object localization using convolutional networks", CVPR 2015, arXiv:1411.4280.
//   - Vaswani et al., "Attention is all you need", NIPS 2017, arXiv:1706.03762.
//   - Wang, Huang, Zhu and Zhao, "Attention-based LSTM for aspect-level sentiment classification", EMNLP 2016, doi.org/10.18653/v1/D16-1058.
//   - Watson, "Smooth regression analysis", Sankhyā A 26 (1964).
//   - Yang et al., "Hierarchical attention networks for document classification", NAACL 2016, doi.org/10.18653/v1/N16-1174.
//   - Zaheer et al., "Deep sets", NIPS 2017, arXiv:1703.06114.
package sequence

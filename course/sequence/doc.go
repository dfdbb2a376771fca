// Package sequence provides attention layers over words, sentences and source texts, and the encoders that they need, as
// GoMLX layers in the style of package synlayer. Every attention layer can adjust its weights by Syn steps ([Adjustment]).
//
// # Glossary
//
//   - sentence: a sequence of words, given as vectors or as numbers in a vocabulary.
//   - state: the hidden state of a recurrent cell after a word ([RNN]).
//   - context vector: the trainable query of an attention over words ([WordAttention]).
//   - hop: one read of the memory ([MemoryNetwork]).
//   - teacher forcing: in training, the decoder reads the correct words instead of its own output ([Translator.Logits]).
//   - alignment: the attention weights of the source words at one decoder step.
//   - beam: the hypotheses that the search keeps at each step ([Beam]).
//
// # Shapes
//
//	x          [batch, length, features]           words of sentences, ordered [synlayer.Bags]
//	mask       [batch, length]                     true for a real word, false for padding; nil for all real
//	words      [batch, length]                     numbers of the words, integers
//	documents  [batch, sentences, words, features]
//	weights    [batch, heads, length]              in a pooling; padding is exactly 0
//	weights    [batch, heads, queries, keys]       in [MultiHeadAttention]
//	alignments [batch, steps, length]
//
// The poolings ([WordAttention], [DocumentAttention]) and [DeepSets] support a leading members axis; the other layers do
// not.
//
// Masked padding changes nothing, whatever its values are (even NaN), including what dropout draws for the rest. A sentence
// of padding only is always defined: its weights are 0, its states are 0 or the initial state, and it does not affect the
// rest of the batch. Real values may be as large as 1e9 in float32; their squares, and the products with weights and
// gradients, stay finite.
//
// # Recurrence
//
// On XLA, recurrences are While loops with custom gradients. On GoMLX's Go backend, which compiles nothing and lacks an
// operation that loops need, they are unrolled. XLA takes about a second to compile every few words of an unrolled graph;
// set [RNN.Unroll] only for a graph that is itself the body of a loop. GoMLX's own LSTM always unrolls, and panics on
// sentences of unequal length (version 0.28.2). The tests compare with PyTorch's.
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
//   - Luong, Pham and Manning, "Effective approaches to attention-based neural machine translation", EMNLP 2015, arXiv:1508.04025.
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

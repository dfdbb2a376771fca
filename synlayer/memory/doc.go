// Package memory has the associative memories that attention and the Syn layer derive from, in float64.
//
// # Glossary
//
//   - pattern: a vector to be brought back; state: the vector that a memory updates, begun at a cue.
//   - cue: a pattern with a part masked or with noise, from which the pattern is to be brought back.
//   - update: one application of a memory's rule to the whole state.
//   - order parameters: how much of each pattern a state holds: the softmax weights of [Continuous], V⁺x of [Synergetic].
//   - one-hot: order parameters of which one is 1 and the others 0, a retrieved pattern.
//   - metastable: a state between patterns at which updates stay.
//
// # Memories
//
//	memory         patterns  energy of a state ξ                                    retrieves about
//	[Hopfield]     ±1        −½ ξᵀWξ + bᵀξ,  W = Σ x xᵀ                             0.14 d
//	[Polynomial]   ±1        −Σ (xᵀξ)ᵃ                                              α dᵃ⁻¹
//	[Exponential]  ±1        −Σ exp(xᵀξ)                                            2^(d/2)
//	[Continuous]   any       −lse(β, Xᵀξ) + ½ ξᵀξ + (log N)/β + ½ M²                exponentially many in d
//	[Synergetic]   any       that of Haken's network, of the order parameters       d, linearly independent
//
// of d components; [Memory] is what they have in common and [Retrieve] brings back a pattern with the trace of every
// update. [Attention] is the continuous memory between projections, [Sequence] that of transitions from pattern to pattern,
// [Syn] the Syn layer's step on order parameters.
//
// [MeasureRecall], [CapacityConfig.Capacity] and [BetaSweep] measure retrieval; [Figure1] has the cases of convergence of
// the paper's figure 1.
//
// Patterns and states are rows: [pattern][component]. Memories, measures and theory return an error for numbers and lengths
// that do not fit: they do not panic, up to sizes that the machine has room for, and no result of theirs is NaN or infinite.
// A source of chance, where one is asked for, must be there.
//
// After Store a memory, or a [Sequence], may be used by several goroutines at once, except one with Shuffle, as a source of
// chance is of one goroutine; Store and changes of fields are not safe beside other uses. [Attention] and [Syn] store nothing.
//
// # Sources
//
//   - "The paper": Wang, Li, Ma and Jiang, "Concentration or distraction? A synergetic-based attention weights optimization
//     method", Complex & Intelligent Systems 9 (2023), doi.org/10.1007/s40747-023-01133-0, equations 1 to 10, figure 1 and
//     appendix A.
//   - Amit, Gutfreund and Sompolinsky, "Storing infinite numbers of patterns in a spin-glass model of neural networks", Physical
//     Review Letters 55 (1985), doi.org/10.1103/PhysRevLett.55.1530.
//   - Demircigil et al., "On a model of associative memory with huge storage capacity", Journal of Statistical Physics 168
//     (2017), arXiv:1702.01929.
//   - Haken, "Synergetic computers and cognition", Springer 1991.
//   - Hopfield, "Neural networks and physical systems with emergent collective computational abilities", Proceedings of the
//     National Academy of Sciences 79 (1982), doi.org/10.1073/pnas.79.8.2554.
//   - Krotov and Hopfield, "Dense associative memory for pattern recognition", NIPS 2016, arXiv:1606.01164.
//   - McEliece, Posner, Rodemich and Venkatesh, "The capacity of the Hopfield associative memory", IEEE Transactions on
//     Information Theory 33 (1987), doi.org/10.1109/TIT.1987.1057328.
//   - Ramsauer et al., "Hopfield networks is all you need", ICLR 2021, arXiv:2008.02217.
package memory

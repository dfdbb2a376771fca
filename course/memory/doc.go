// Package memory provides, in float64, the associative memories that attention and the Syn layer are derived from.
//
// # Glossary
//
//   - pattern: a stored vector; state: the vector that a memory updates, starting at a cue.
//   - cue: a masked or noisy version of a pattern; the memory should retrieve the pattern from it.
//   - update: one application of a memory's rule to the whole state.
//   - order parameters: how much of each pattern a state contains: the softmax weights in [Continuous], V⁺x in [Synergetic].
//   - one-hot: one order parameter is 1 and the others are 0, so the state is a retrieved pattern.
//   - metastable: a fixed state between patterns.
//
// # Memories
//
//	memory         patterns  energy of a state ξ                                    retrieves about
//	[Hopfield]     ±1        −½ ξᵀWξ + bᵀξ,  W = Σ x xᵀ                             0.14 d
//	[Polynomial]   ±1        −Σ (xᵀξ)ᵃ                                              α dᵃ⁻¹
//	[Exponential]  ±1        −Σ exp(xᵀξ)                                            2^(d/2)
//	[Continuous]   any       −lse(β, Xᵀξ) + ½ ξᵀξ + (log N)/β + ½ M²                exponentially many in d
//	[Synergetic]   any       Haken's potential of the order parameters              d, linearly independent
//
// d is the number of components. All of them implement [Memory]; [Retrieve] retrieves a pattern and returns the trace of
// every update. [Attention] is the continuous memory between projections, and [Syn] is the Syn layer's step on order
// parameters. [TwoLayer] is a network of visible and hidden neurons in continuous time, with dense associative memories and
// [Continuous] as limits. [Sequence] leads from pattern to pattern with two learnt matrices.
//
// [MeasureRecall], [CapacityConfig.Capacity] and [BetaSweep] measure retrieval; [Figure1] returns the convergence cases of
// the paper's figure 1.
//
// Patterns and states are rows: [pattern][component]. Memories, measurements and capacity formulas return an error for
// invalid numbers and lengths. They do not panic for sizes that fit into the machine's memory, and no result is NaN or
// infinite. Where a random source is an argument, it must not be nil.
//
// After Store or Learn, several goroutines may use a memory at once. Store, Learn and changes of fields are not safe for
// concurrent use. [Attention] and [Syn] store nothing.
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
//   - Krotov and Hopfield, "Large associative memory problem in neurobiology and machine learning", ICLR 2021, arXiv:2008.06996.
//   - Lu and Wu, "Learning sequence attractors in recurrent networks with hidden neurons", workshop on associative memory and
//     Hopfield networks at NeurIPS 2023, arXiv:2404.02729.
//   - McEliece, Posner, Rodemich and Venkatesh, "The capacity of the Hopfield associative memory", IEEE Transactions on
//     Information Theory 33 (1987), doi.org/10.1109/TIT.1987.1057328.
//   - Ramsauer et al., "Hopfield networks is all you need", ICLR 2021, arXiv:2008.02217.
package memory

// Package synlayer provides the Syn layer and poolings of bags of instances, as GoMLX layers.
//
// # Glossary
//
//   - instance: a feature vector; bag: a set of instances with one label.
//   - pooling: a function that maps a bag to one vector and ignores the order of the instances ([Pooling]).
//   - attention weights: how much each instance contributes to the pooled vector, one row per head.
//   - winner: the instance with the largest weight in a head.
//   - Syn step: divide the weights by their L2 norm, then apply f(x) = γx³ + (1−γ)x ([Syn]). Forward steps concentrate the
//     weights on the winner. Inverse steps, which apply f⁻¹, spread them out (distraction).
//   - straight-through gradient: the backward pass treats the adjustment of the weights as the identity ([StraightThrough]).
//   - members: networks of the same structure, each with its own weights, computed side by side in one graph.
//
// # Shapes
//
//	x        [batch, instances, features]
//	mask     [batch, instances]         true for a real instance, false for padding
//	weights  [batch, heads, instances]  padding is exactly 0
//	pooled   [batch, features]
//	number   []                         a hyperparameter given as a node, such as γ of Syn
//
// All of these may have a leading members axis. A number is then a scalar or a vector with one entry per member. Stacking k
// members gives the same results as running each alone.
//
// A bag without a real instance (an empty bag, or a row that pads the batch) is always defined: its weights are 0, its
// gradients are finite, and it does not affect the other bags of the batch.
//
// # Use
//
// A pooling is a struct of its hyperparameters; its method Pool owns the trainable variables. Functions such as [Syn],
// [BagSoftmax] and [Dropout] only compute and have no variables. Graph-building functions panic on a wrong shape and name
// it, as GoMLX's own do.
//
// Source of the Syn layer: Wang, Li, Ma and Jiang, "Concentration or distraction? A synergetic-based attention weights
// optimization method", Complex & Intelligent Systems 9 (2023), https://doi.org/10.1007/s40747-023-01133-0, equations 9 to
// 13 and figures 3 and 5; the doc comments say where the published code differs.
package synlayer

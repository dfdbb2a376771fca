// Package synlayer has the Syn layer and the poolings of a bag of instances, as GoMLX layers.
//
// # Glossary
//
//   - instance: a feature vector; bag: a set of instances that has one label.
//   - pooling: a function of a bag to one vector that does not depend on the order of the instances ([Pooling]).
//   - attention weights: what each instance contributes to the pooled vector, one row a head.
//   - winner: the instance with the largest weight of a head.
//   - Syn step: divide the weights by their L2 norm, then apply f(x) = γx³ + (1−γ)x ([Syn]). Steps forward
//     concentrate the weights on the winner, steps through the inverse of f distract them from it.
//   - straight-through gradient: the gradient of the adjusted weights is taken for that of the weights before
//     ([StraightThrough]).
//   - members: networks of one structure, each with its own weights, that are computed side by side in one graph.
//
// # Shapes
//
//	x        [batch, instances, features]
//	mask     [batch, instances]         true for a real instance, false for padding
//	weights  [batch, heads, instances]  padding is exactly 0
//	pooled   [batch, features]
//	number   []                         a hyperparameter that is given as a node, as γ of Syn
//
// All of these may carry a leading members axis, numbers then being scalar or a vector of one a member: k members
// stacked in front give what the k give alone.
//
// A bag without a real instance (an empty bag, or a row that pads the batch) is defined everywhere: its weights are 0,
// its gradients finite, and its neighbours do not feel it.
//
// # Use
//
// A pooling is a struct literal of its hyperparameters; its method Pool owns the trainable variables. The functions
// that are verbs ([Syn], [BagSoftmax], [Dropout], ...) compute and own nothing. Graph-building functions panic, as
// GoMLX's own do, with the shape that does not fit.
//
// Source of the Syn layer: Wang, Li, Ma and Jiang, "Concentration or distraction? A synergetic-based attention weights
// optimization method", Complex & Intelligent Systems 9 (2023), https://doi.org/10.1007/s40747-023-01133-0, equations 9
// to 13 and figures 3 and 5; where the code published with it differs, the doc comments say so.
package synlayer

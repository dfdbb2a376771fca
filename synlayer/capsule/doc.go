// Package capsule has matrix capsules with EM routing as GoMLX layers, and the comparison of their assignments with
// attention.
//
// # Glossary
//
//   - capsule: a detector of one kind of entity at one place. It gives a pose, a 4x4 matrix that says how the entity
//     lies, and an activation, the probability that it is there.
//   - type: the capsules of a layer that share their weights, one at each position of the grid, as a channel does.
//   - children, parents: the capsules of a layer and of the layer above. The field of a parent is the patch of the
//     grid below that holds its children.
//   - vote: what a child thinks the pose of a parent is, its own pose times a trained transform.
//   - assignment probabilities: for each child, how likely each parent is to explain its vote. They sum to 1 over
//     the parents in reach, whatever their type and position: parents compete for children. (Attention weights sum
//     to 1 over the children, head by head: children compete for each parent.)
//   - EM routing: expectation maximisation fits to the votes, for each parent, a normal distribution with diagonal
//     covariance: the M-step finds means and variances, the E-step the assignment probabilities ([EMRouting]).
//   - inverse temperature: what the activations' logits are multiplied by; it grows with the iterations.
//
// # Shapes
//
//	images       [batch, height, width, channels]
//	poses        [batch, height, width, types, 4, 4]
//	activations  [batch, height, width, types]
//	assignments  [batch, height, width, types, rows, columns, types below]   rows and columns of the parent's field
//
// Gradients pass through all iterations of the routing. Nothing is NaN, gradients included, for poses of up to a million
// (beyond 1e19 the squares of float32 are infinite): a parent to which nothing is assigned has pose 0 and the smallest
// variance.
//
// # Use
//
// Layers are struct literals of their hyperparameters ([Primary], [Convolutional], [Class]), a [Network] joins them,
// and [SpreadLoss] trains it. [Network.Route] returns what every layer finds, and [Class.Compare] puts assignments beside
// attention. Variables are those of [synpool/synlayer]: its Seed fixes them. Graph-building functions panic, as GoMLX's
// own do, with the shape that does not fit.
//
// Source: Hinton, Sabour and Frosst, "Matrix capsules with EM routing", ICLR 2018,
// https://openreview.net/forum?id=HJWLfGWRb. Where it leaves a value open or is not followed, the doc comments say what is
// done.
package capsule

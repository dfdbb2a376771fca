// Package capsule provides matrix capsules with EM routing as GoMLX layers.
//
// # Glossary
//
//   - capsule: a detector of one kind of entity at one place. It has a pose, a 4x4 matrix that describes the position and
//     orientation of the entity, and an activation, the probability that the entity is present.
//   - type: the capsules of a layer that share weights, one at each position of the grid, like a channel.
//   - children, parents: the capsules of a layer and of the layer above. The field of a parent is the patch of the
//     grid below that holds its children.
//   - vote: a child's prediction of a parent's pose: its own pose times a trained transform.
//   - assignment probabilities: for each child, how likely each parent is to explain its vote. They sum to 1 over all
//     parents in reach, of any type and position: parents compete for children. (Attention weights sum to 1 over the
//     children in each head: children compete for each parent.)
//   - EM routing: expectation maximisation fits a normal distribution with diagonal covariance to the votes for each parent.
//     The M-step computes means and variances, the E-step the assignment probabilities ([EMRouting]).
//   - inverse temperature: the factor of the activations' logits; it grows with the iterations.
//
// # Shapes
//
//	images       [batch, height, width, channels]
//	poses        [batch, height, width, types, 4, 4]
//	activations  [batch, height, width, types]
//	assignments  [batch, height, width, types, rows, columns, types below]   rows and columns of the parent's field
//
// Gradients pass through all iterations of the routing. Results and gradients are never NaN for poses of up to a million
// (beyond 1e19 the squares of float32 are infinite). A parent without assigned children has pose 0 and the smallest
// variance.
//
// # Use
//
// Layers are structs of their hyperparameters ([Primary], [Convolutional], [Class]); a [Network] combines them, and
// [SpreadLoss] trains it. [Network.Route] returns the capsules of every layer, and [Class.Compare] reads assignments as
// attention. Variables are made by [synpool/synlayer]; its Seed fixes them. Graph-building functions panic on a wrong shape
// and name it, as GoMLX's own do.
//
// Source: Hinton, Sabour and Frosst, "Matrix capsules with EM routing", ICLR 2018,
// https://openreview.net/forum?id=HJWLfGWRb. The doc comments say where it leaves a value open and where this package
// differs.
package capsule

// Package members builds the layers of package synlayer so that a trainer can compute many networks side by side: k
// networks of one structure, the members, stacked along an axis in front of every array, each with its own weights.
//
// What package synlayer offers to everyone is here in full, and beside it what a trainer needs:
//
//   - [Bind] has layers take parameters that live outside of any store, and [Gradients] gives their gradients fast.
//   - [BindNumbers] has layers take hyperparameters that are numbers from nodes, so that one compiled graph serves every
//     setting that differs in nothing else and each member has its own. A pooling asks for them by [Number] and [SynSteps].
//   - [Seed] draws the weights of each member from a seed of its own.
//   - [Sparse] bags, of thousands of features of which each uses few, pass [Embed], the layers before the pooling.
//
// Shapes are those of package synlayer; errors are in its name, too, since its users meet them.
package members

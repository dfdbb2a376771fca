// Package batched builds the layers of package synlayer so that a trainer can compute many networks side by side. The
// members are k networks of the same structure, each with its own weights, stacked along a leading axis of every array.
//
// It implements the public functions of package synlayer, and additionally what a trainer needs:
//
//   - [Bind] makes layers use parameters that live outside of any store, and [Gradients] computes their gradients fast.
//   - [BindNumbers] makes layers read numeric hyperparameters from nodes. So one compiled graph serves all settings that
//     differ only in these numbers, and each member can have its own. A pooling reads them with [Number] and [SynSteps].
//   - [Seed] draws the weights of each member from its own seed.
//   - [Sparse] bags, with thousands of features but few non-zero ones per bag, are the input of [Embed], the layers before
//     the pooling.
//
// Shapes are those of package synlayer. Errors also name that package, because its users see them.
package batched

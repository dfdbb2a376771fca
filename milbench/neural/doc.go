// Package neural trains the networks of package synlayer on bags: a [milbench.Learner] made of GoMLX.
//
// # Glossary
//
//   - setting: a [Config], every hyperparameter of network and training; a [Grid] lists many.
//   - structure: what of a setting shapes the compiled graph. Settings that differ in numbers alone (learning rate,
//     weight decay, dropout, scale, gamma, ...) share one.
//   - bucket: the number of instances to which a bag is padded, a power of two; one graph is compiled a bucket.
//   - model: a trained network with the standardisation of its inputs ([Model]), which can be saved.
//
// # Training
//
// As in the Syn paper: AdamW (learning rate 1e-3, weight decay 1e-4, epsilon 1e-8), 50 epochs, one bag a step, the
// gradient's norm clipped to 1, logistic loss. Every epoch takes the bags in a new random order; the last batch of an
// epoch may hold fewer bags, and the loss is the mean over those it holds.
//
// Everything random in a fit (initial weights, order, dropout) is a function of the fit's seed, each through a stream
// of its own. One fit on one backend gives the same scores to the bit, whatever other fits are trained beside it.
package neural

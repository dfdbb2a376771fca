// Package neural trains the networks of package synlayer on bags: a [milbench.Learner] made of GoMLX.
//
// # Glossary
//
//   - setting: a [Config], every hyperparameter of network and training; a [Grid] lists many.
//   - structure: what of a setting shapes the compiled graph. Settings that differ in numbers alone (learning rate,
//     weight decay, dropout, scale, gamma, Syn steps up to a bound, ...) share one.
//   - bucket: the number of instances to which a bag is padded, and of a sparse bag the number of columns; one graph is
//     compiled a bucket.
//   - block: fits trained side by side along a leading members axis, each with its own bags, order, dropout, norm clip,
//     numbers and weights.
//   - round: a part of an epoch that goes through the buckets once; one call of a graph takes the steps of a round in a
//     bucket, or of sparse bags one step.
//   - model: a trained network with the standardisation of its inputs ([Model]), which can be saved.
//
// # Training
//
// As in the Syn paper: AdamW (learning rate 1e-3, weight decay 1e-4, epsilon 1e-8), 50 epochs, one bag a step, the
// gradient's norm clipped to 1, logistic loss, which is the mean over the bags of a batch. [Losses] has those of other targets. Poolings with a training loss of their own
// ([synlayer.Classifier]) are trained on that, in the same steps, and it is the loss that is reported.
//
// Every epoch takes the bags in a new random order, which is not quite a plain shuffle: the bags of each bucket are
// shuffled and cut into batches, so that a batch holds bags of one bucket alone and the last of each bucket may be
// smaller; the batches are dealt to two rounds in turn, from the first on in every other epoch; and in a round small bags
// come before large ones. BenchmarkOrder compares the AUC with that of a plain shuffle, over 50 fits of the default setting
// on each set: the mean differences and their standard errors are +0.005 ± 0.007 (elephant), -0.020 ± 0.014 (fox),
// +0.004 ± 0.007 (tiger), +0.001 ± 0.009 (musk1) and +0.001 ± 0.009 (musk2).
//
// Everything random in a fit (initial weights, order, dropout) is a function of the fit's seed, each through a stream
// of its own. One fit on one backend gives the same scores to the bit, whatever other fits are trained beside it.
//
// # Blocks
//
// On XLA the fits of a structure, any mix of folds, seeds and settings, are trained in blocks, one on each worker, in
// loops inside the graph with parameters and moments on the device throughout ([Trainer.Learn]). The network is the one
// of package synlayer, written once; a user's own pooling that keeps the laws of syntest is trained in the same way
// ([OwnConfig]). Elsewhere fits are trained one by one, step by step, about 40 times slower.
//
// Members take a step in a bucket together, each on a bag of its own, or wait; so fits trained on like numbers of bags of
// each bucket share a block. On a CPU a block is as many fits as keep their weights and moments in the cache of a core, and
// each worker has a client pinned to a core (package backend). On a GPU one client trains large blocks; how long that
// takes was not measured. What shapes a graph beside the structure, bags of a bucket, steps and, of sparse bags, features, is rounded up, so
// that sets and folds that differ a little share the graphs that are kept.
//
// A sparse bag uses few rows of the first weights, and AdamW changes all of them in every step. On a CPU, where a step is on one
// bag, a block keeps these weights outside of the graph, hands over the rows that the bag uses and puts them back; a row makes up
// for the steps that it has missed when it is taken again, in closed form. That is the same training but for rounding, and for the
// epsilon of weights whose gradients are as small as it, below 1e-5 in the first steps. It is so up to lr·wd = 0.01.
//
// # Large bags
//
// Sets whose bags have 256 instances or more on average, and those of more than 256 MB with a bag of more than 512, are trained in
// chunks of 1,024 instances, a bag at a time; on a GPU the latter alone. Only the first layer sees the features, so a chunk is multiplied by its weights and left; the rest of the network takes
// the products of the whole bag, whatever its pooling, and the gradient by them goes back chunk by chunk. The training is that of
// whole bags, dropout included, but for rounding and for the order: a plain shuffle of all bags of the set by [milbench.Fit.Order],
// so that fits of one order, the folds of a repeat, read each bag once an epoch for all of them. Bags stay in their files.
//
// Where a fit stands in its block moves no bit of it. On a CPU XLA rounds some operations otherwise at the end of an array
// than before, as was seen on x86-64 with and without AVX-512: 1/√x, log(1+x), and the exponentials and logarithms of the last
// two or three numbers after a multiple of sixteen. The networks and the loss do without the first two, which a user's own
// pooling has to see to itself, and no block is of a size that leads to the third.
package neural

// Package neural trains the networks of package synlayer on bags. It is a [synpool/milbench/learner.Learner] that uses GoMLX.
//
// # Glossary
//
//   - setting: a [Config], which holds all hyperparameters of a network and its training; a [Grid] lists many.
//   - entry: what a pooling is called, its hyperparameters and its defaults ([Entry]).
//   - structure: the part of a setting that shapes the compiled graph. Settings that differ only in numbers (learning rate,
//     weight decay, dropout, scale, gamma, Syn steps up to a bound, ...) share one.
//   - bucket: the number of instances that a bag is padded to and, for a sparse bag, the number of columns; one graph is
//     compiled per bucket.
//   - block: fits that are trained side by side along a leading members axis. Each has its own bags, order, dropout, norm
//     clip, numbers and weights.
//   - round: a part of an epoch that visits each bucket once. On XLA, one call of a graph takes all steps of a round in a
//     bucket.
//   - model: a trained network with the standardisation of its inputs ([Model]), which can be saved.
//
// # Training
//
// Training follows the Syn paper: AdamW (learning rate 1e-3, weight decay 1e-4, epsilon 1e-8), 50 epochs, one bag per
// step, and a gradient norm clipped to 1. The loss is the logistic loss, averaged over the bags of a batch; [Config.Loss]
// has those for other targets. Poolings with a training loss of their own ([synlayer.Classifier]) are trained on it
// in the same steps, and it is the reported loss.
//
// Every epoch visits the bags in a new random order, which is not quite a plain shuffle. The bags of each bucket are
// shuffled and cut into batches, so a batch holds bags of one bucket, and the last batch of a bucket may be smaller.
// The batches alternate between two rounds; odd epochs start with the first round, even ones with the second. Within a
// round, small bags come before large ones. BenchmarkOrder compares the AUC with that of a plain shuffle, over 50 fits
// of the default setting on each set. The mean differences and their standard errors are +0.005 ± 0.007 (elephant),
// -0.020 ± 0.014 (fox), +0.004 ± 0.007 (tiger), +0.001 ± 0.009 (musk1) and +0.001 ± 0.009 (musk2).
//
// Everything random in a fit (initial weights, order, dropout) is a function of the fit's seed, with separate streams.
// On one backend, the scores of a fit are bit-identical, whatever other fits are trained beside it.
//
// # Blocks
//
// Fits of one structure are trained in blocks, with any mix of folds, seeds and settings ([Trainer.Learn]). Each worker
// trains a block in loops inside the graph; parameters and moments stay on the device. The network is that of package
// synlayer, written once. A user's own pooling that keeps the laws of syntest is trained in the same way ([Register]).
// On the Go backend, which is about 40 times slower, a block has one fit and a call takes one step.
//
// A call also takes one step, with bags read for it, if a set of small bags is larger than 256 MB.
//
// In a bucket, members take each step together, each on its own bag; a member without a bag waits. So fits with similar
// numbers of training bags per bucket share a block. On a CPU, a block has as many fits as keep their weights and
// moments in a core's cache, and each worker has a client pinned to a core (package backend). On a GPU, one client
// trains blocks of 64 fits. The structure and a few sizes shape a graph: bags per bucket, steps and, for
// sparse bags, features. They are rounded up, so that sets and folds that differ slightly share the graphs that are
// kept.
//
// A sparse bag uses few rows of the first weights, but AdamW changes all rows in every step. On a CPU with one bag per
// step, a block therefore keeps these weights outside the graph. It passes the rows that a bag uses to the graph and
// puts them back afterwards. When a row is taken again, it makes up for the missed steps in closed form. The training
// is the same, up to lr·wd = 0.01, except for rounding, and for weights whose gradients are as small as epsilon, below
// 1e-5 in the first steps.
//
// # Large bags
//
// A set is trained in chunks of 1,024 instances, one bag at a time, if its bags have 256 or more instances on average
// (1,024 on a GPU), or if it is larger than 256 MB and has a bag with more than 512 instances. Only the first layer sees the features, so each chunk is multiplied by its weights and dropped. The rest of
// the network, with any pooling, takes the products of the whole bag, and the gradient goes back chunk by chunk. On a CPU whole bags in one
// graph, as in blocks, took no less time and 1.6 times the memory, so these two ways to take a step remain. A GPU
// has its own memory: there a whole bag is one array, one graph does the same for it, and bags stay in the GPU's memory
// while there is room. Fits take their steps on it one after another, without a members axis. Graphs round differently for
// each number of members, so the axis would have a fixed length, filled with copies that take as long as fits. For a fit
// alone, or a run resumed with few left, this costs a multiple of the products. It would save the calls: by the measured
// parts, 0.4 of 5 s for four fits on 40 slides on an H200.
//
// The training equals that of whole bags, including dropout, except for rounding and for the order:
// [synpool/milbench/cv.Fit.Order] determines a plain shuffle of all bags of the set. So fits with the same order, such as the
// folds of a repeat, read each bag once per epoch for all of them. Bags stay in their files.
//
// # Reproducibility
//
// The place of a fit in its block does not change its results: they are bit-identical. On a CPU, XLA rounds some
// operations differently at the end of an array, as was seen on x86-64 with and without AVX-512: 1/√x, log(1+x), and
// the exponentials and logarithms of the last two or three numbers after a multiple of sixteen. The networks and the
// loss avoid the first two; a user's own pooling must do so itself. Block sizes are chosen to avoid the third.
package neural

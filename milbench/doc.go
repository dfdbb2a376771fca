// Package milbench is the vocabulary of an honest multiple-instance learning (MIL) benchmark.
//
// # Glossary
//
//   - instance: a feature vector.
//   - bag: a set of instances with one label, 0 (negative) or 1 (positive). The standard MIL assumption: a bag is
//     positive if at least one of its instances is.
//   - set: the bags of one data set ([Set]).
//   - protocol: how a set is split into training and test parts, how often, and which epoch counts ([Protocol]).
//   - setting: the hyperparameters of one model, as JSON.
//   - fit: one training of one setting on the training part of one fold of one repeat ([Fit]).
//   - learner: whatever trains fits and scores bags ([Learner]).
//   - score: a learner's logit for a bag; larger is more positive.
//   - winner: the instance with the largest attention weight of a head.
//   - leaked: a column that gives the bag label away was among the features.
//   - optimistic: the test part had a say in the figure, which is therefore too good.
//
// The package imports the standard library alone. Its children read sets (dataset), train networks (neural), compute
// figures (stats) and run studies (study).
package milbench

// Package milbench is the vocabulary of an honest multiple-instance learning (MIL) benchmark.
//
// # Glossary
//
//   - instance: a feature vector; the values are float32 ([Instances]).
//   - bag: a set of instances with one target ([Bag]). The standard MIL assumption: a bag is positive if at least one of its
//     instances is.
//   - target: what is learnt of a bag ([Target]): one of two classes, the second of which is positive, one of several classes, a
//     real number, or a time of survival.
//   - set: the bags of one data set ([Set]).
//   - protocol: how a set is split into training and test parts, how often, and which epoch counts ([Protocol]).
//   - setting: the hyperparameters of one model, as JSON.
//   - fit: one training of one setting on the training part of one fold of one repeat ([Fit]).
//   - learner: whatever trains fits and scores bags ([Learner]); an estimator fits one model at a time ([Estimator]).
//   - prediction: the scores of a bag and, where the learner has them, of its instances ([Prediction]). The score of a binary
//     target is the logit of "positive".
//   - winner: the instance with the largest attention weight of a head; the field also calls it key instance.
//   - leaked: a column that leaks the bag label was among the features.
//   - optimistic: the test part had a say in the figure, which is therefore too good.
//
// The package imports the standard library alone. Its children read sets (dataset), learn (learner), hand fits to learners (run,
// cluster), keep results (results), judge them (judge) and hold the paper's experiments (study).
package milbench

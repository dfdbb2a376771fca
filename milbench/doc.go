// Package milbench defines the basic types of a benchmark for multiple-instance learning (MIL).
//
// # Glossary
//
//   - instance: a feature vector of float32 values ([Instances]).
//   - bag: a set of instances with one target ([Bag]). Under the standard MIL assumption, a bag is positive if at
//     least one of its instances is positive.
//   - target: what a learner predicts for a bag ([Target]): one of two classes (the second is positive), one of
//     several classes, a real number, or a survival time.
//   - set: the bags of one data set ([Set]).
//   - protocol: how a set is split into training and test parts, how often, and how the epoch is chosen ([Protocol]).
//   - setting: the hyperparameters of one model, as JSON.
//   - fit: training one setting on the training part of one fold of one repeat ([Fit]).
//   - learner: code that trains fits and scores bags ([Learner]). An estimator fits one model at a time
//     ([Estimator]).
//   - prediction: the scores of a bag and, if the learner provides them, of its instances ([Prediction]). For a
//     binary target the score is the logit of the positive class.
//   - winner: the instance with the largest attention weight in a head; also called the key instance.
//   - leaked: a column that leaks the bag label was among the features.
//   - optimistic: the test part influenced the figure, so the figure is too good.
//
// The package imports only the standard library. Its subpackages read sets (dataset), train models (learner), run
// fits (run, cluster), store results (results), evaluate them (judge) and contain the paper's experiments (study).
package milbench

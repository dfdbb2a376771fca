// Package mil has the vocabulary of multiple-instance learning (MIL): bags, instances, targets, sets, predictions.
//
// # Glossary
//
//   - instance: a feature vector of float32 values ([Instances]).
//   - bag: a set of instances with one target ([Bag]). Under the standard MIL assumption, a bag is positive if at
//     least one of its instances is positive.
//   - target: what a learner predicts for a bag ([Target]): one of two classes (the second is positive), one of
//     several classes, a real number, or a survival time.
//   - set: the bags of one data set ([Set]).
//   - prediction: the scores of a bag and, if the learner provides them, of its instances ([Prediction]). For a
//     binary target the score is the logit of the positive class.
//   - winner: the instance with the largest attention weight in a head; also called the key instance.
//   - leaked: a column that leaks the bag label was among the features.
//
// Apart from spelling hints the package imports only the standard library.
package mil

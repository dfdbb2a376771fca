// Package stats computes the figures of a binary classifier from its raw scores.
//
// # Glossary
//
//   - label: 0 (negative) or 1 (positive).
//   - score: a real number, larger is more positive; where a figure needs a threshold or a probability the score is
//     read as a logit, so that the threshold is 0 and the probability is 1/(1+exp(-score)).
//   - ROC AUC: the probability that a positive scores above a negative, ties counted half.
//   - repeat: one run of a whole procedure, say of all folds of a cross-validation.
//
// Every function refuses labels and scores of different lengths, labels other than 0 and 1, and NaN.
package stats

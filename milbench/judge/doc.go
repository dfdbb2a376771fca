// Package judge computes the figures of a binary classifier from its raw scores, and tests whether methods differ.
//
// # Glossary
//
//   - label: 0 (negative) or 1 (positive).
//   - score: a real number, larger is more positive; where a figure needs a threshold or a probability the score is
//     read as a logit, so that the threshold is 0 and the probability is 1/(1+exp(-score)).
//   - ROC AUC: the probability that a positive scores above a negative, ties counted half.
//   - repeat: one run of a whole procedure, say of all folds of a cross-validation.
//   - rank of a method: its place on a set, 1 the best; methods of the same figure share the mean of their places.
//   - rope: the region of practical equivalence; differences from -rope to rope do not matter, say 0.01 of an AUC.
//   - p-value: the probability of a difference at least as large where there is none.
//
// # Which test
//
// Two methods on one set, by folds: [CorrectedT]. Two methods over sets: [Wilcoxon]. Several methods over sets:
// [Friedman], and if it finds a difference [Nemenyi], whose [NemenyiDifference] a figure shows. Several tests at a time:
// [Holm] on their p-values. After Demšar (2006). How probable it is that one of two methods is better by an amount that
// matters: [BayesCorrelatedT] on one set, [BayesSignedRank] over sets. On how many of the sets something holds: [ShareInterval], [SignTest]; whether
// two figures go together: [Kendall].
//
// Every function refuses lengths that differ, labels other than 0 and 1, and NaN, and never returns NaN.
package judge

// Package judge computes figures of models from their raw scores, and tests whether methods differ. There are figures for
// two classes, for more classes, for real numbers and for times of survival.
//
// # Glossary
//
//   - label: 0 (negative) or 1 (positive); of several classes 0 to k-1.
//   - score: a real number, larger is more positive; where a figure needs a threshold or a probability the score is
//     read as a logit, so that the threshold is 0 and the probability is 1/(1+exp(-score)). Of several classes a bag has a
//     logit for each, [bags][classes], and the probabilities are their softmax. Functions that take probabilities instead
//     say so.
//   - target, prediction: the real number that a bag has, and the one that a model gives it, in the same unit.
//   - time, event: how long a bag was followed up, 0 or more in any unit, and whether its event was seen then.
//   - censored: without an event; all that is known is that the bag lives longer than its time.
//   - risk: a real number of a bag, the larger the earlier its event; any increasing function of it does as well.
//   - survival: the probability of living longer than a time.
//   - ROC AUC: the probability that a positive scores above a negative, ties counted half.
//   - repeat: one run of a whole procedure, say of all folds of a cross-validation.
//   - rank of a method: its place on a set, 1 the best; methods of the same figure share the mean of their places.
//   - rope: the region of practical equivalence; differences from -rope to rope do not matter, say 0.01 of an AUC.
//   - p-value: the probability of a difference at least as large where there is none.
//
// # Which figure
//
// Two classes: [AUC] with its error [DeLong], [AveragePrecision] if positives are rare, [BalancedAccuracy] at the
// threshold, [LogLoss] of the probabilities. More classes: [MulticlassAUC], [MulticlassBalancedAccuracy],
// [MulticlassLogLoss], [Confusion]; [Kappa] if they have an order. Real numbers: [R2], [RMSE] and [MAE], [Spearman] for
// their order. Survival: [Concordance] of the risks, [CumulativeAUC] by given times, [IntegratedBrier] of the probabilities;
// [KaplanMeier] curves of groups, compared by [LogRank]. Whether probabilities can be taken at their word: [BrierScore],
// and [CalibrationError] of the bins of a reliability diagram. A threshold for two classes: [ThresholdAt] on bags that the model has
// not seen, and [SensitivitySpecificity] of it on others. An interval of any of these figures: [Bootstrap].
//
// # Which test
//
// Two methods on one set, by folds: [CorrectedT]. Two methods over sets: [Wilcoxon]. Several methods over sets:
// [Friedman], and if it finds a difference [Nemenyi], whose [NemenyiDifference] a figure shows. Several tests at a time:
// [Holm] on their p-values. After Demšar (2006). How probable it is that one of two methods is better by an amount that
// matters: [BayesCorrelatedT] on one set, [BayesSignedRank] over sets. On how many of the sets something holds: [ShareInterval], [SignTest]; whether
// two figures go together: [Kendall].
//
// Every function refuses lengths that differ, labels that are none, and NaN, and never returns NaN.
package judge

// Package stats computes figures of merit from raw scores and tests whether methods differ. It has figures for two
// classes, several classes, real targets and survival times.
//
// # Glossary
//
//   - label: 0 (negative) or 1 (positive); with several classes, 0 to k-1.
//   - score: a real number; larger means more positive. If a figure needs a threshold or a probability, the score is
//     a logit: the threshold is 0 and the probability is 1/(1+exp(-score)). With several classes a bag has one logit
//     per class, [bags][classes], and the probabilities are their softmax. Functions that take probabilities instead
//     say so.
//   - target, prediction: the true real number of a bag and the predicted one, in the same unit.
//   - time, event: how long a bag was followed up (0 or more, in any unit), and whether its event was seen then.
//   - censored: without an event; it is only known that the bag survives beyond its time.
//   - risk: a real number per bag; a larger risk means an earlier event. Only the order matters.
//   - survival: the probability of surviving beyond a time.
//   - ROC AUC: the probability that a positive scores above a negative, with ties counted half.
//   - repeat: one run of a whole procedure, such as all folds of a cross-validation.
//   - rank of a method: its place on a set, 1 for the best; methods with equal figures share the mean of their
//     places.
//   - rope: the region of practical equivalence. Differences from -rope to rope do not matter, for example 0.01 of an
//     AUC.
//   - p-value: the probability of a difference at least as large if there is no true difference.
//
// # Which figure
//
//   - Two classes: [AUC] with its standard error [DeLong]; [AveragePrecision] if positives are rare;
//     [BalancedAccuracy] at the threshold; [LogLoss] for the probabilities.
//   - Several classes: [MulticlassAUC], [MulticlassBalancedAccuracy], [MulticlassLogLoss], [Confusion]; [Kappa] if
//     the classes are ordered.
//   - Real targets: [R2], [RMSE], [MAE]; [Spearman] for the order.
//   - Survival: [Concordance] for risks, [CumulativeAUC] for events by given times, [IntegratedBrier] for
//     probabilities. Compare [KaplanMeier] curves of groups with [LogRank].
//   - Calibration: [BrierScore], and [CalibrationError] from the bins of a reliability diagram.
//   - Threshold for two classes: [ThresholdAt] on bags that the model has not seen, then [SensitivitySpecificity] on
//     others.
//   - Interval for any of these: [Bootstrap].
//
// # Which test
//
// The tests follow Demšar (2006).
//
//   - Two methods on one set, by folds: [CorrectedT].
//   - Two methods over several sets: [Wilcoxon].
//   - Several methods over several sets: [Friedman] and, if it finds a difference, [NemenyiDifference], which a diagram
//     shows.
//   - Several tests at once: [Holm] on their p-values, or [BenjaminiHochberg] for a false discovery rate.
//   - How probable a relevant difference is: [BayesCorrelatedT] on one set, [BayesSignedRank] over several sets.
//   - On how many sets something holds: [ShareInterval].
//   - Whether two figures agree: [Kendall].
//
// Every function returns an error for unequal lengths, invalid labels and NaN. None returns NaN.
package stats

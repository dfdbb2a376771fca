// Package calibrate turns scores into calibrated probabilities: a prediction with probability 0.8 should be right for
// 8 of 10 bags. A calibration is learnt from scores of bags that the model has not seen. The methods are temperature
// scaling, Platt's sigmoid and isotonic regression. It also turns scores into sets of classes, and numbers into intervals,
// that have the true target with a wanted probability ([Conformal]). Both are stored as JSON.
//
// # Glossary
//
//   - score: a model's output for a bag, see [synpool/milbench/mil.Prediction]: for a binary target one number, larger
//     means more positive; for several classes one number each. It need not be a logit.
//   - label: the class of a bag, from 0; for a binary target 1 is positive.
//   - held-out: not used to train the model. A model is overconfident on its training bags, so a calibration learnt
//     from them would find no error.
//   - calibrated: among bags with similar probabilities, the share of positives equals the probability.
//   - cross-fitted: a bag's calibration was learnt without the bags of its fold, see [CrossFit].
//   - level, coverage: the wanted and the measured share of sets or intervals that have the true target.
//   - nonconformity: how badly a target suits its bag; p-value: the share of held-out bags that suit theirs as badly, see
//     [Nonconformity].
//   - ECE: expected calibration error, computed from bins of probabilities, see [Figures].
//
// # Which method
//
//   - [Temperature] has one parameter and makes a model more or less confident. The order of bags and the decisions
//     do not change. Use it for logits of networks. It cannot move the threshold: scores of 0 stay at 1/2.
//   - [Platt] has two parameters and works for any scores, including margins of support vector machines. Use it with
//     few bags.
//   - [IsotonicRegression] has as many parameters as the data need and fits any increasing curve. It needs many bags,
//     about 1,000, and may give bags with different scores the same probability.
//
// [Judge] computes the Brier score, the log-loss and the expected calibration error of probabilities.
//
// # Probabilities or sets
//
// A probability of 0.8 is right on average over all bags of about that score, if the calibration is good. A set of level 0.9 misses the class in at
// most 1 of 10 bags of each class, whatever the learner, if new bags are drawn as the held-out ones were; what a weak learner costs is the
// size of the sets. Platt's sigmoid and sets can be learnt from the same held-out scores.
package calibrate

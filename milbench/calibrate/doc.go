// Package calibrate makes probabilities of scores: a probability of 0.8 should be right in 8 of 10 bags. A calibration is learnt from
// scores of bags that the model has not seen, by temperature, Platt's sigmoid or isotonic regression, and is kept as JSON.
//
// # Glossary
//
//   - score: what a model says of a bag, see [synpool/milbench.Prediction]: of a binary target one number, larger is more positive; of
//     several classes one number each. It need not be a logit.
//   - label: the class of a bag, from 0; of a binary target 1 is positive.
//   - held-out: of bags that the model was not trained on. A model is too sure of those that it was trained on, and a calibration learnt from
//     them would say that it is right.
//   - calibrated: among bags of about the same probability, the share of positives is that probability.
//   - cross-fitted: the calibration of a bag was learnt without the bags of its fold, see [CrossFit].
//   - ECE: expected calibration error, of bins of probabilities, see [Figures].
//
// # Which method
//
//   - [Temperature], one number: makes a model more or less sure. The order of bags and the decision stay as they are. It is for logits of
//     networks, and cannot move the decision: scores that are 0 stay at 1/2.
//   - [Platt], two numbers: takes any scores, margins of support vector machines too. It is for few bags.
//   - [IsotonicRegression], as many numbers as the data ask for: takes any shape that rises. It needs many bags, about 1,000, and gives bags of
//     different scores the same probability.
//
// [Judge] computes the Brier score, the log-loss and the expected calibration error of probabilities.
package calibrate

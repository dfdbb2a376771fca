// Package evaluate judges a trained model on labelled bags that are new to it: figures of its kind with intervals, its operating points, and
// whether the new bags are like those that it was trained on.
//
// # Glossary
//
//   - unit: what was drawn independently, a group of bags (a patient, say) or a bag of no group ([milbench.Units]).
//   - figure: a number that says how good the model is, with an interval and how that was made ([Figure]).
//   - operating point: a threshold of scores that was chosen on bags that were held out of training, never on the new bags ([Operate]).
//   - shift: how far the values of features are from those of the training bags ([Compare]).
//   - held out: scores of bags by models of other folds, as milbench run keeps them ([HeldOut]).
package evaluate

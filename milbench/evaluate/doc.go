// Package evaluate evaluates a trained model on new labelled bags. It computes figures with intervals, applies
// operating points, and checks whether the new bags resemble the training bags.
//
// # Glossary
//
//   - unit: an independent draw: a group of bags (such as a patient) or a bag without a group ([synpool/milbench/mil.Units]).
//   - figure: a measure of how good the model is, with an interval and its method ([Figure]).
//   - figures of instances: how well scores of instances find the positive ones, where their labels are known ([Instances]).
//   - operating point: a score threshold chosen on bags held out of training, never on the new bags ([Point]).
//   - shift: how far feature values are from those of the training bags ([Shift]).
//   - held out: scores of bags by models from other folds, as stored by milbench run ([HeldOut]).
package evaluate

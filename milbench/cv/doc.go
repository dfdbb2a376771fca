// Package cv divides sets for cross-validation.
//
// # Glossary
//
//   - protocol: how a set is split into training and test parts, how often, and how the epoch is chosen ([Protocol]).
//   - setting: the hyperparameters of one model, as JSON.
//   - fit: training one setting on the training part of one fold of one repeat ([Fit]). Its id ([FitID]) names all
//     that decides its scores.
//   - task: what a learner may see of a set: all instances, and the targets of training parts ([Task]).
//   - optimistic: the test part influenced the figure, so the figure is too good.
package cv

// Package learner defines what a learner is. A [Learner] trains fits and scores bags. An [Estimator] is a classical
// learner, which fits one model at a time; [Classical] turns estimators, each described by an [Entry], into a Learner.
//
// # Settings
//
// A setting is the JSON of an estimator, preceded by the learner's name:
//
//	{"learner":"nearest","neighbours":3}
//
// It contains every hyperparameter, so that a stored setting is complete. Only those that an estimator leaves out of
// its JSON (omitempty) may be missing.
package learner

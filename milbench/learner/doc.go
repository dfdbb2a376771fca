// Package learner defines what a learner is. A [Learner] trains fits and scores bags. An [Estimator] is a classical
// learner, which fits one model at a time; package learners has those of this module, and runs estimators as learners.
package learner

// Package milbench is a benchmark and a toolkit for multiple-instance learning (MIL). Its folders have the parts: mil
// the vocabulary, cv cross-validation, learner and learners what trains, dataset the readers, results and stats the
// figures.
package milbench

// Package paper defines the experiments of the Syn paper and our own. An experiment consists of settings, sets, changes of
// these sets, and a protocol. Unless an experiment varies it, networks have the setting of the released program, not that
// of the paper (presets of [synpool/milbench/learners/neural]).
//
// # Glossary
//
//   - experiment: a question, and the runs that answer it ([Experiment]).
//   - form: one size of an experiment, the full one or a quick one ([Form]).
//   - arm: settings on sets under a protocol; a form has several ([Arm]).
//   - change: what is done to a set first: noise, other labels, a column that leaks the labels ([Change]).
//   - space: positions of a set's instances or bags, before and after a network ([KeepSpaces], [results.Space]).
//
// A form makes runs (package run), and their results go into an archive (package results). Package report turns
// archives into text and figures; [Lacking] lists what an archive lacks.
package paper

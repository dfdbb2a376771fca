// Package study has the experiments of the Syn paper and our own: which settings are run on which sets, changed in which way,
// under which protocol.
//
// # Glossary
//
//   - experiment: a question, and what is run to answer it ([Experiment]).
//   - form: one size of an experiment, the full one or a quick one ([Form]).
//   - arm: settings on sets under a protocol; a form has several ([Arm]).
//   - change: what is done to a set first: noise, other labels, a column that gives the labels away ([Change]).
//   - space: where the instances or bags of a set lie, before and after a network ([KeepSpaces], [results.Space]).
//
// A form makes runs (package run), whose results go into an archive (package results); package report writes of archives what
// they say, and [Lacking] what they lack.
package study

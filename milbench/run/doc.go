// Package run hands the fits of a protocol to a learner and keeps what it hands over in a results folder.
//
// # Glossary
//
//   - run: sets, a protocol and settings, handed to a learner; it resumes where an earlier run stopped ([Run]).
//   - joint runs: runs into one folder whose equal fits are trained once ([DoAll]).
//   - plan: the fits of runs, divided into shards for several machines ([AddTo], [Restrict]; package cluster).
//
// A fit is known by what decides its scores (the set's checksum, protocol, folds, repeat, fold, seed and setting): a
// fit whose result is in the folder is never run again, and a fit that failed leaves no result and is tried
// again.
package run

// Package study runs the fits of a protocol on sets, keeps their raw scores in a file, and tabulates them.
//
// # Glossary
//
//   - result: the scores of one finished fit, one line of results.jsonl ([Result]).
//   - curve: loss, validation AUC and changes of winners of a fit after every epoch, one line of curves.jsonl, which is
//     beside results.jsonl where a run was asked for it ([Curve]).
//   - results folder: the folder of results.jsonl, locked while a study writes to it ([File]).
//   - run: sets, a protocol and settings, handed to a learner; goes on where an earlier run stopped ([Run]).
//   - attempt: a process that trains a shard of a plan ([cluster.Plan]) into a results folder of its own ([AttemptDir]).
//   - merge: the results of several folders, and of the attempts in them, in one file ([Merge]).
//   - table: means and spreads over repeats, computed from the raw scores ([Tabulate]).
//
// A fit is known by what decides its scores (the set's checksum, protocol, folds, repeat, fold, seed and setting): a
// fit whose line is in results.jsonl is never run again, and a fit that failed leaves no line, so that it is tried
// again. Its curve is written first: a curve without a result is that of a fit which was not finished.
package study

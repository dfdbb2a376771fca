// Package results keeps the raw scores of finished fits: in a folder while they are made, in an archive when they are
// published, and tabulates them.
//
// # Glossary
//
//   - result: the scores of one finished fit, one line of results.jsonl ([Result]).
//   - curve: loss, figure of the validation part and changes of winners of a fit after every epoch, one line of curves.jsonl, which is
//     beside results.jsonl where a run was asked for it ([Curve]).
//   - results folder: the folder of results.jsonl, locked while a run writes to it ([File]).
//   - attempt: the results folder of a process that trains a shard of a plan ([AttemptDir]).
//   - merge: the results of several folders, and of the attempts in them, in one file ([Merge]).
//   - archive: the results of an experiment in one compact file ([Archive]).
//   - table: means and spreads over repeats, computed from the raw scores ([Tabulate]).
//
// The curve of a fit is written before its result: a curve without a result is that of a fit which was not finished.
package results

// Package results stores the raw scores of finished fits and makes tables from them. Scores are in a folder during a
// run and in an archive when published.
//
// # Glossary
//
//   - result: the scores of one finished fit, one line of results.jsonl ([Result]).
//   - curve: a fit's loss, validation figure and changes of winners after every epoch, one line of curves.jsonl. The
//     file exists beside results.jsonl if the run was asked for it ([Curve]).
//   - results folder: the folder of results.jsonl, locked while a run writes to it ([File]).
//   - attempt: the results folder of one process that trains a shard ([AttemptDir]).
//   - merge: to concatenate the results in several folders, and in their attempts ([Merge]).
//   - archive: the results of an experiment in one compact file ([Archive]).
//   - table: means and spreads over repeats, computed from the raw scores ([Tabulate]).
//
// The curve of a fit is written before its result, so a curve without a result belongs to an unfinished fit.
package results

// Package run passes the fits of a protocol to a learner and stores the results in a folder.
//
// # Glossary
//
//   - run: sets, a protocol and settings, for one learner ([Run]). It resumes where an earlier run stopped.
//   - combined runs: runs into one folder that train equal fits once ([DoAll]).
//   - shard: a part of the fits of runs, for one of several machines ([Shard]). Results do not depend on it, so shards may
//     run anywhere, in any order, and more than once.
//
// A fit is identified by everything that determines its scores: the set's checksum, protocol, folds, repeat, fold,
// seed and setting. A fit with a result in the folder is never run again. A failed fit leaves no result, so the next
// run tries it again.
package run

// Package cluster divides the fits of a study among machines.
//
// # Glossary
//
//   - plan: the fits of a study, which of them are trained together, what that costs, and the shard of each ([Plan]).
//   - shard: the fits that one machine trains, counted from 0; a task of a Slurm array, an index of a Kubernetes Job.
//   - group: fits whose networks have one structure, so that their graphs are compiled once ([Group]).
//   - block: networks of a group that are trained side by side, in the same time whether the block is full or not.
//   - training: what gives one or more fits; fits that differ only in how they are scored share one.
//
// Ids and seeds of fits are functions of the inputs, and what a fit gives does not depend on its shard: shards may be
// trained anywhere, in any order, and more than once.
package cluster

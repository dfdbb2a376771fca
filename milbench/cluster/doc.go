// Package cluster divides the fits of a study among several machines.
//
// # Glossary
//
//   - plan: the fits of a study, with the ones trained together, their cost and the shard of each ([Plan]).
//   - shard: the fits that one machine trains, counted from 0; a task in a Slurm array or an index of a Kubernetes
//     Job.
//   - group: fits whose networks have the same structure, so their graphs are compiled once ([Group]).
//   - block: networks of a group that are trained side by side. A full block takes no longer than a partly filled
//     one.
//   - training: what produces one or more fits; fits that differ only in scoring share a training.
//
// Ids and seeds of fits depend only on the inputs, and the result of a fit does not depend on its shard. Shards may
// therefore be trained anywhere, in any order, and more than once.
package cluster

// Package simulation estimates what a study will cost on a cluster. It is a discrete-event simulation, fed with
// measured times of fits, of a scheduler and of nodes that compile, train, slow down and fail.
//
// # Glossary
//
//   - block: fits that a core trains side by side; they are saved or lost together.
//   - group: fits that share compiled graphs, such as those of a setting over folds and repeats ([Group]).
//   - work: groups in order ([Work]); shard: a piece of work, one task in the scheduler's array ([Work.Cut]).
//   - node: a machine that runs one shard at a time, on all its cores ([Cluster]).
//   - attempt: a shard on a node, from its start until it ends or the node fails.
//   - wall time: from the submission of the array until the merged results are written ([Outcome]).
//
// # Model
//
// All shards are submitted at time 0. Each attempt first waits in the queue, in parallel with the others, for an
// exponential time. Then, first come first served, it waits for a free node and for the scheduler, which starts a
// limited number of attempts per second.
//
// On its node the attempt starts up. Its cores then work like the workers of neural.Trainer without a cache of
// compiled graphs. A core stays with a group while the group has blocks left, then takes a group that nobody has
// started. It helps another core only if the remaining work exceeds the time to compile. Every core compiles a
// group's graphs for itself.
//
// The times to compile and train a group are drawn for each attempt from the measured runs, because whatever slowed a
// run lasted for all of it. A share of the nodes is slower in everything, by a factor.
//
// Nodes fail at a constant rate, so the time from an attempt's start to its loss is exponential. Finished blocks are
// kept. After a delay, the rest of the shard is queued again; it must start up and compile again. At the end one
// process merges the lines.
//
// The model leaves out: sets of a shard that are trained one after another; a shared file system or network that
// slows nodes down; waiting times that depend on the hour or on the request; and simultaneous failures of many nodes.
package simulation

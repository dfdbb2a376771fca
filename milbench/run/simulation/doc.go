// Package simulation says what a study costs on a cluster before it is run there: it plays a scheduler with nodes that
// compile, train, straggle and fail, as a discrete-event simulation fed with measured times of fits.
//
// # Glossary
//
//   - block: fits that a core trains side by side; what is on the disk or lost as a whole.
//   - group: fits that share compiled graphs, such as those of a setting over folds and repeats ([Group]).
//   - work: groups in order ([Work]); shard: a piece of it, one task of the scheduler's array ([Work.Cut]).
//   - node: what runs one shard at a time, on all its cores ([Cluster]).
//   - attempt: a shard on a node, from its start until it ends or the node fails.
//   - wall time: from the submission of the array until the merged results are written ([Outcome]).
//
// # Model
//
// All shards are submitted at time 0. An attempt waits in the queue, beside the others, for a time that is exponential,
// then, first come first served, for a node that is free and for the scheduler, which starts so many attempts a second at
// most. On its node it starts up, and its cores then do what the workers of neural.Trainer do where compiled graphs are
// not kept: a core stays with a group while that has blocks left, then turns to one that nobody has begun, and helps
// another core only where more is left than compiling takes; every core compiles the graphs of a group for itself. What a
// group takes to compile and to train is drawn for every attempt from the runs in which it was measured: what made one of
// these slower than another lasted for all of it. A share of the nodes is slower than that in everything, by a factor.
// Nodes fail at a rate, so that the time from an attempt's start to its loss is exponential; blocks that were finished
// are kept, and after a delay what is left of the shard is in the queue again, to start up and compile anew. In the end
// one process merges the lines.
//
// What the model leaves out: that the sets of a shard are trained one after another, a file system or a network that many
// nodes share and that slows them down, waits that depend on the hour or on how much was asked for, and failures of many
// nodes at a time.
package simulation

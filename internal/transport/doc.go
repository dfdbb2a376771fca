// Package transport computes optimal transport distances between bags, also known as earth mover's or 1-Wasserstein
// distances.
//
// Glossary:
//
//   - bag: n rows (instances) of features, with weights; the default weight is 1/n
//   - cost: the distance between a row of one bag and a row of the other; n x m of them
//   - plan: how much mass goes from row i to row j; its rows sum to the weights of one bag, its columns to those of the
//     other
//   - distance: the least sum of plan times cost
//   - potentials: one number per row; the sum of two never exceeds the cost, which proves that a plan is optimal
//
// Large bags can be reduced to representatives ([Coarsen]), with a bound on the error.
//
// A [Solver] computes exact distances, from costs or between bags. [Costs] computes only the costs.
package transport

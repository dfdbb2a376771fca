// Package transport computes optimal transport distances between bags, also known as earth mover's or 1-Wasserstein
// distances.
//
// Glossary:
//
//   - bag: n rows (instances) of some features, with weights; 1/n each where none are given
//   - cost: the distance between a row of one bag and a row of the other; n x m of them
//   - plan: how much of row i goes to row j; rows of the plan sum to the weights of one bag, columns to those of the other
//   - distance: the least sum of plan times cost
//   - potentials: one number per row, whose sums stay below the costs; they prove that a plan is the best
//
// Bags of many rows may be coarsened ([Coarsen]) to representatives, with a bound on the error.
//
// A [Solver] finds exact distances, for given costs or between given bags. [Costs] computes the costs alone.
package transport

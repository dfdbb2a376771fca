// Package retrieval measures associative memories: how many random patterns they store, how they retrieve handwritten
// digits, the effect of the inverse temperature, and how they converge. Each measurement returns rows for a figure or a
// table; the program above prints them all.
package retrieval

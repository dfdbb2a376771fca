// Package retrieval measures associative memories: how many random patterns they hold, how they bring handwritten digits
// back, what their inverse temperature does, and how they converge. Each measure returns rows, for a figure or a table;
// the program above it prints them all.
package retrieval

// Package report writes RESULTS.md: for every experiment of package study its question, the tables and tests that are
// computed from the archived raw scores, and in plain words what follows and what does not; beside it a table of times.
package report

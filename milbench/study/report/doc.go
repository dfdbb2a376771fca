// Package report writes RESULTS.md. Its first page has a row for each claim: an estimate, its interval and a verdict. Below
// stand, for every experiment of package study, its question, the tables and tests that are computed from the archived raw
// scores, and in plain words what follows and what does not. Times are a table of their own.
package report

// Package report writes RESULTS.md, docs/tables.md and the figures in docs/results. RESULTS.md has the verdicts: a row for each claim
// with its estimate and interval, and a short section for each experiment of package study. docs/tables.md has the tables and tests
// behind them, computed from the archived raw scores. Times are a table of their own.
package report

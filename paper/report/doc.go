// Package report writes RESULTS.md, docs/tables.md and the figures in docs/results. RESULTS.md has the verdicts: a row for each claim
// with its estimate and interval, and a short section for each experiment of package paper. docs/tables.md has the tables and tests
// behind them, computed from the archived raw scores. Times are a table of their own.
//
// The sentences of both pages are written by hand, in RESULTS.md.tmpl and tables.md.tmpl; numbers, tables and figures are computed. A
// sentence that states what was found has a check beside it: where the results do not bear it out, it is left out, and if the archive is
// as large as the one it was written of, the report ends with [ErrRewrite].
//
// # Glossary
//
//   - section: an experiment on a page.
//   - part: what stands between two lines "---" of a template; it is filled in as a whole, or left out.
//   - study: what is computed of an experiment, once for both pages. The templates call its fields and methods.
//   - claim: a question with a verdict, which a rule takes from an interval.
package report

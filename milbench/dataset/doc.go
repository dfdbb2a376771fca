// Package dataset reads, names, fetches, generates, disturbs and audits the sets of the benchmark.
//
// # Glossary
//
//   - form: how a file holds a set: MATLAB level 5 ([ReadMATLAB]), UCI C4.5 ([ReadC45]), comma-separated values
//     ([ReadCSV]), a folder of NumPy arrays ([ReadNumPy]), MNIST IDX ([ReadImages], [ReadDigits]). [ReadFile] tells the
//     forms apart.
//   - as stored: every column of the file a feature, as [ReadFile] returns it.
//   - label column: a stored column that holds instance labels, not a feature; [MoveInstanceLabels] takes it out.
//   - density: the share of values that are not zero. Below 0.25 over the whole set all bags are held sparse,
//     otherwise all are held dense, whatever the form of the file.
//   - generated set: one that is drawn when it is opened: the algorithmic unit tests of Raff and Holt ([DrawRaffHolt]) and
//     bags of known witness rate ([DrawNeedle]). Its seed fixes it to the bit on every machine.
//   - noise: what is done to the instances of a set to see how a model bears it ([Noise]).
//   - control: a set with its labels moved at random ([ShuffledLabels]).
//
// A reader returns a set that passes [synpool/milbench.Set.Validate] and holds finite values alone, or an error of
// one line that names the file and the bag, line or column. It never allocates by a length that the file claims.
//
// # Labels
//
// Bag labels are stored as 0 and 1, or as -1 and 1; a set that uses both 0 and -1 has three classes and is refused.
package dataset

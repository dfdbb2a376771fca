// Package dataset reads, names and fetches the sets of the benchmark. Its subpackages generate and modify sets
// (generate) and audit them (audit).
//
// # Glossary
//
//   - form: how a file stores a set: MATLAB level 5 ([ReadMATLAB]), UCI C4.5 ([ReadC45]), comma-separated values
//     ([ReadCSV]), Apache Parquet ([ReadFile]), three files for columns, bags and labels ([ReadTransposed]), a folder
//     with one NumPy, PyTorch or HDF5 file per bag ([ReadFile]), or MNIST IDX ([ReadImages]).
//     [ReadFile] detects the form.
//   - as stored: with every column of the file as a feature, as returned by [ReadFile].
//   - label column: a stored column with instance labels, not a feature; [MoveInstanceLabels] removes it from the
//     features.
//   - density: the share of non-zero values. If it is below 0.25 for the whole set, all bags are held sparse,
//     otherwise all are held dense, whatever the form of the file ([synpool/milbench/mil.Pack]). If the arrays are large
//     together, they stay in their files and are read in pieces.
//   - generated set: a named set that is generated on opening (package generate).
//
// A reader returns a set that passes [synpool/milbench/mil.Set.Validate] and has only finite values, or a one-line error
// that names the file and the bag, line or column. It never allocates memory for a length that the file only claims.
//
// # Labels
//
// Each bag has one label, a number or a word. Together the labels determine the kind of the target:
//
//   - binary: 0 and 1, or -1 and 1, or any two other integers or words. Positive is the larger integer, a known word such as
//     tumour or mut, else the rarer label ([SetPositive]).
//   - classes: three or more words, or 3 to 20 different integers. Tables show classes as spelt in the file.
//   - real: numbers with a non-integer or with more than 20 different values.
//   - survival: times with events.
package dataset

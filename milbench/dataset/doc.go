// Package dataset reads, names and fetches the sets of the benchmark. Its children draw and change sets (generate) and
// audit them (audit).
//
// # Glossary
//
//   - form: how a file holds a set: MATLAB level 5 ([ReadMATLAB]), UCI C4.5 ([ReadC45]), comma-separated values
//     ([ReadCSV]), Apache Parquet ([ReadFile]), three files of columns, bags and labels ([ReadTransposed]), a folder of NumPy, PyTorch or HDF5 files, one per bag ([ReadFolder]), MNIST IDX ([ReadImages], [ReadDigits]). [ReadFile] tells the
//     forms apart.
//   - as stored: every column of the file a feature, as [ReadFile] returns it.
//   - label column: a stored column that holds instance labels, not a feature; [MoveInstanceLabels] takes it out.
//   - density: the share of values that are not zero. Below 0.25 over the whole set all bags are held sparse,
//     otherwise all are held dense, whatever the form of the file ([milbench.Pack]). Arrays that are large together stay in
//     their files, mapped into memory or read in pieces.
//   - generated set: a named one that is drawn when it is opened (package generate).
//
// A reader returns a set that passes [synpool/milbench.Set.Validate] and holds finite values alone, or an error of
// one line that names the file and the bag, line or column. It never allocates by a length that the file claims.
//
// # Labels
//
// Bag labels are numbers or words, one a bag. All of them together tell the kind of the target: 0 and 1, or -1 and 1, are
// binary; so are two words, of which the second in order is the positive one ([SetPositive]); three words or more are
// classes; numbers of which one is no integer, or more than 20 different ones, are a real target; times with events are
// survival. Tables show classes as the file writes them.
package dataset

// Package interop writes the parts of a protocol for other programs and reads the scores that they return.
//
// A file of parts is a CSV table with one line per bag and repeat:
//
//	bag       id of the bag
//	label     class as spelt in the set, a word or a number; for real targets the number
//	class     number of the class, from 0; of two classes, 1 is positive. Not for real targets
//	time      for survival, instead of label and class, together with event
//	event     1 if the event was seen at the time, 0 if the bag is censored
//	group     bags of one group are in the same part; empty for none
//	repeat    from 0
//	fold      the fold that tests the bag, from 0; all other bags of the repeat are training bags of that fold. Empty: never tested
//	set, checksum, target, protocol, folds, folds_run, seed    identical on all lines: identify the parts
//
// Return scores in a table with the columns bag, repeat, fold and, depending on the target, the same columns that
// milbench predict writes:
//
//	binary      score, a logit or any number that is larger for positive bags; or probability, of the positive label; or the columns for classes
//	classes     probability_WORD for each class, or score_WORD with logits
//	real        value or prediction
//	survival    risk; a larger risk means an earlier event
//
// Class probabilities must sum to 1 within 0.001. They are stored as logarithms; probabilities below 1e-12 count as
// 1e-12. Scores become results next to those of other learners. They are marked as declared, because their training
// was not observed.
//
// Both tables may have additional columns, in any order. Fields may be separated by commas, semicolons or tabs. A
// byte order mark is allowed.
package interop

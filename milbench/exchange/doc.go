// Package exchange hands the parts of a protocol to other programs, and takes the scores that they return.
//
// A file of parts is a CSV table with a line for each bag and repeat:
//
//	bag       id of the bag
//	label     the class as the set has it, a word or a number; of real targets the number
//	class     the number of the class, from 0; of two classes 1 is the positive one. Not of real targets
//	time      of survival, instead of label and class, with
//	event     1 if the event was seen at the time, 0 if the bag is censored
//	group     bags of one group are in one part; empty for none
//	repeat    from 0
//	fold      the fold that tests the bag, from 0; all other bags of the repeat train that fold. Empty: the bag is never tested
//	set, checksum, target, protocol, folds, folds_run, seed    the same on all lines: what the parts are of
//
// Scores come back as a table with the columns bag, repeat, fold and, by the kind of target, those that milbench predict writes:
//
//	binary      score, a logit or any number that is larger for positive bags; or probability, that of the positive label; or those of classes
//	classes     probability_WORD for each class, or score_WORD, logits
//	real        value or prediction
//	survival    risk, the larger the earlier the event
//
// Probabilities of classes sum to 1 within 0.001. They are stored as logarithms, a probability below 1e-12 as that of 1e-12. Scores become
// results beside those of other learners, marked declared: nobody here has seen the training.
//
// Both tables may have other columns, in any order, commas, semicolons or tabs between fields, and a byte order mark.
package exchange

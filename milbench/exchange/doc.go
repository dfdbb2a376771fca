// Package exchange hands the parts of a protocol to other programs, and takes the scores that they return.
//
// A file of parts is a CSV table with a line for each bag and repeat:
//
//	bag       id of the bag
//	label     as the set has it: a word or a number
//	class     0 or 1, of the positive label
//	group     bags of one group are in one part; empty for none
//	repeat    from 0
//	fold      the fold that tests the bag, from 0; all other bags of the repeat train that fold. Empty: the bag is never tested
//	set, checksum, protocol, folds, folds_run, seed    the same on all lines: what the parts are of
//
// Scores come back as a CSV table with the columns bag, repeat, fold and score, a logit or any number that is larger for positive
// bags, or probability, that of the positive label. They become results beside those of other learners, marked declared: nobody here has
// seen the training.
package exchange

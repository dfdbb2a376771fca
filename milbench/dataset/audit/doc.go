// Package audit checks a set before training. It finds columns that leak the bag labels ([Inspect]) and duplicate
// bags ([GroupDuplicates]).
package audit

// Package audit describes a set before it is learnt from: columns that leak the bag labels ([Inspect]), and bags that stand
// in it twice ([GroupDuplicates]).
package audit

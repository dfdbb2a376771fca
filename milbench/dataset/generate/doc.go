// Package generate draws sets, and changes sets at random.
//
//   - drawn: bags of handwritten digits ([DigitsConfig]), the algorithmic unit tests of Raff and Holt ([DrawRaffHolt]),
//     bags of known witness rate ([DrawNeedle]), and slides of tissue with tumours ([DrawSlides]).
//   - changed: noise in the instances of a set ([Noise]), and its labels moved at random, as a control ([ShuffledLabels]).
//
// A seed fixes everything, bit-identical on every machine.
package generate

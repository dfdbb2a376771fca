// Package generate generates synthetic sets and modifies sets at random.
//
//   - generated: bags of handwritten digits ([DigitsConfig]), the algorithmic unit tests of Raff and Holt
//     ([DrawRaffHolt]), bags with a known witness rate ([DrawNeedle]), and slides of tissue with tumours
//     ([DrawSlides]).
//   - modified: noise in the instances ([Noise]), and permuted labels as a control ([ShuffledLabels]).
//
// The seed fixes everything, bit-identical on every machine.
package generate

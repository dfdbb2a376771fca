// Package localise judges how well the scores of instances find the positive ones, where labels of instances are known.
//
// # Glossary
//
//   - positive instance: one with a label above 0, for example a tile with tumour.
//   - in a bag: a figure of one bag alone. It asks for the order of scores within the bag, and needs instances of both kinds.
//   - pooled: a figure of the instances of all bags as one list. It asks for scores that mean the same in every bag. Weights of
//     a pooling do not: they are shares of their bag, and a negative bag has large ones, too.
//   - lesion: positive instances of a bag whose tiles touch, see [Lesions].
//   - false positive: a negative instance that counts as positive.
package localise

// Package corpus reads, names and fetches text sets, and makes of text what a model takes: words, numbers, batches,
// splits. It scores translations ([CorpusBLEU]) and classes ([Evaluate]), and has the baseline that attention over words
// is compared with ([BagOfWords]).
//
// # Glossary
//
//   - word: a token: a word, a number, a mark or a stand-in such as <user>.
//   - sentence: a list of words; document: a list of sentences.
//   - vocabulary: the words that have a number of their own ([Vocabulary]); every other word is unknown.
//   - parallel files: two files whose lines are each other's translations.
//   - fact, hop: a line of a story, and a step from one fact to the next ([Stories]).
//
// # Where the sets are
//
// In the folder that CORPUS_DATA names, else in that of MILBENCH_DATA, else in the folder milbench in the user's cache:
// one folder can hold the sets of both packages. The command synpool/corpus/download fills it.
//
// # Offensive text
//
// The tweets of [ReadTweets] hold hate speech. Their text is [Masked], which is printed and encoded with stars; words
// taken out of it are ordinary strings, which [Mask] makes fit to print.
//
// Readers return an error of one line that names the file and the line, and never quote the text. They allocate by what
// they have read, never by a length that a file claims.
package corpus

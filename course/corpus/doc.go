// Package corpus fetches and reads text data sets, and turns text into the input of a model: words, numbers, batches and
// splits. It scores translations ([CorpusBLEU]) and classifications ([Evaluate], [EvaluateLabels]), reads pretrained word
// vectors ([ReadVectors]), and provides a bag-of-words baseline for attention models ([BagOfWords]).
//
// # Glossary
//
//   - word: a token: a word, a number, a punctuation mark or a stand-in such as <user>.
//   - sentence: a list of words; document: a list of sentences.
//   - vocabulary: the words that have their own number ([Vocabulary]); every other word is unknown.
//   - parallel files: two files with the same number of lines, which are translations of each other.
//   - fact, hop: a line of a story, and a step from one fact to the next ([Stories]).
//
// # Where the sets are
//
// Fetched sets are in the folder given by the environment variable CORPUS_DATA, or else by MILBENCH_DATA, or else in the
// folder milbench in the user's cache. One folder can hold the sets of both packages. The command
// synpool/course/corpus/download fills it. It does not fetch the comments of [ReadComments] and word vectors: bring the
// files.
//
// # Offensive text
//
// The tweets of [LoadTweets] and the comments of [ReadComments] contain hate speech. Their text is [Masked], which is printed
// and encoded with stars. Words extracted from it are ordinary strings; use [Mask] before printing them.
//
// Readers return one-line errors that name the file and the line, and never quote the text. They allocate memory only for
// data that they have read, and never trust a length in a file.
package corpus

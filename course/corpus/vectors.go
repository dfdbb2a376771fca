package corpus

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"synpool/internal/disk"
)

// Vectors are pretrained vectors of some words of a vocabulary.
type Vectors struct {
	Width int                 // features of a vector
	Of    map[int32][]float32 // by number of the word
}

// ReadVectors reads the vectors of the words of v from a text file, which may be gzipped. A line has a word and its numbers,
// with a space before each number:
//
//   - word2vec (Mikolov et al. 2013, code.google.com/archive/p/word2vec) and fastText: the first line has two whole numbers,
//     those of the words and of the features.
//   - GloVe (Pennington, Socher and Manning 2014, nlp.stanford.edu/projects/glove): there is no such line. A word can contain
//     spaces, as in glove.840B, except in the first line.
//
// Words must be spelled as in the vocabulary. GloVe's vectors of tweets suit [TweetWords]: both are in lower case and have
// <user> and <url>. The first vector of a repeated word counts. These are errors, which name the line: another number of
// features or of words than the first line says, and a number of a word of v that is not finite. A file without any word of v
// is an error, too.
func ReadVectors(path string, v *Vocabulary) (Vectors, error) {
	f, err := disk.Open(path)
	if err != nil {
		return Vectors{}, err
	}
	defer f.Close()
	return readVectors(f, path, v)
}

// mostFeatures is the maximum number of features of a vector: a file with more is something else.
const mostFeatures = 1 << 14

func readVectors(r io.Reader, name string, v *Vocabulary) (Vectors, error) {
	in, err := inflated(r)
	if err != nil {
		return Vectors{}, fmt.Errorf("%s: line 1: %w", name, err)
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	vectors := Vectors{Of: make(map[int32][]float32)}
	line, last := 0, math.MaxInt // last is the number of lines, by the first
	for lines.Scan() {
		line++
		text := strings.TrimRight(lines.Text(), " ")
		if line == 1 {
			words, width, is := vectorHeader(text)
			if vectors.Width = width; vectors.Width < 1 || vectors.Width > mostFeatures {
				return Vectors{}, fmt.Errorf("%s: line 1 has %d features; word vectors have 1 to %d", name, vectors.Width, mostFeatures)
			}
			if is {
				last = 1 + words
				continue
			}
		}
		if line > last {
			return Vectors{}, fmt.Errorf("%s: line %d is beyond the %d words of line 1", name, line, last-1)
		}
		if err := vectors.add(text, v); err != nil {
			return Vectors{}, fmt.Errorf("%s: line %d %w", name, line, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return Vectors{}, fmt.Errorf("%s: line %d is longer than %d bytes", name, line+1, longestLine)
	case err != nil:
		return Vectors{}, fmt.Errorf("%s: line %d: %w", name, line+1, readError(err))
	case line < last && last < math.MaxInt:
		return Vectors{}, fmt.Errorf("%s: it ends at line %d, before the %d words of line 1: %w", name, line, last-1, errDamaged)
	case len(vectors.Of) == 0:
		return Vectors{}, fmt.Errorf("%s: no word of the texts is in it", name)
	}
	return vectors, nil
}

// vectorHeader returns the number of features that the first line has, and if it is a header, the number of words.
func vectorHeader(text string) (words, width int, is bool) {
	if first, second, _ := strings.Cut(text, " "); !strings.Contains(second, " ") {
		words, err := strconv.ParseUint(first, 10, 32)
		width, bad := strconv.ParseUint(second, 10, 31)
		if err == nil && bad == nil {
			return int(words), int(width), true
		}
	}
	return 0, strings.Count(text, " "), false
}

// add reads a line, and keeps the first vector of a word of v.
func (p Vectors) add(text string, v *Vocabulary) error {
	word := text
	for range p.Width {
		at := strings.LastIndexByte(word, ' ')
		if at < 0 {
			return fmt.Errorf("has %d numbers, not %d", strings.Count(text, " "), p.Width)
		}
		word = word[:at]
	}
	if _, err := strconv.ParseFloat(word[strings.LastIndexByte(word, ' ')+1:], 32); err == nil && strings.Contains(word, " ") {
		return fmt.Errorf("has more than %d numbers", p.Width)
	}
	id, known := v.ids[word]
	if _, kept := p.Of[id]; kept || !known {
		return nil
	}
	vector := make([]float32, 0, p.Width)
	for number := range strings.SplitSeq(text[len(word)+1:], " ") {
		x, err := strconv.ParseFloat(number, 32)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("has no finite number in dimension %d", len(vector)+1)
		}
		vector = append(vector, float32(x))
	}
	p.Of[id] = vector
	return nil
}

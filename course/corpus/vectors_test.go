package corpus

import (
	"fmt"
	"strings"
	"testing"
)

// TestReadVectors: both forms of one file give the same vectors.
func TestReadVectors(t *testing.T) {
	v := vocabulary(t, "the", "cat", "<user>", "sat", ".", "at")
	lines := "the 0.5 -1 2e-3\n. 1 2 3\n. . . 4 5 6\n<unk> 7 7 7\n<user> 0.25 0.5 1\nthe 9 9 9\n\u00a0 8 8 8\n\xff 8 8 8\nat name@domain.com 5 5 5\n"
	want := map[string]string{"the": "[0.5 -1 0.002]", ".": "[1 2 3]", "<user>": "[0.25 0.5 1]"}
	for name, text := range map[string]string{
		"GloVe": lines, "word2vec": "9 3\n" + lines, "its spaces at line ends": "9 3 \n" + strings.ReplaceAll(lines, "\n", " \n"),
		"Windows": strings.ReplaceAll(lines, "\n", "\r\n"), "gzipped": string(gzipped(t, lines)), "no last line end": strings.TrimSuffix(lines, "\n"),
	} {
		got, err := readVectors(strings.NewReader(text), "v.txt", v)
		if err != nil || got.Width != 3 || len(got.Of) != len(want) {
			t.Errorf("%s: %v, %v", name, got, err)
			continue
		}
		for word, vector := range want {
			if fmt.Sprint(got.Of[v.ID(word)]) != vector {
				t.Errorf("%s: %s has %v, want %s", name, word, got.Of[v.ID(word)], vector)
			}
		}
	}
}

func TestReadVectorsRefuses(t *testing.T) {
	v := vocabulary(t, "the", "cat")
	for text, message := range map[string]string{
		"":                                     "v.txt: no word of the texts is in it",
		"zebra 1 2\n":                          "v.txt: no word of the texts is in it",
		"the\n":                                "v.txt: line 1 has 0 features; word vectors have 1 to 16384",
		"2 0\n":                                "v.txt: line 1 has 0 features",
		"1 2000000000\nthe 1\n":                "v.txt: line 1 has 2000000000 features",
		"the 1 2 3\ncat 1 2\n":                 "v.txt: line 2 has 2 numbers, not 3",
		"the 1 2 3\ncat 1 2 3 4\n":             "v.txt: line 2 has more than 3 numbers",
		"the 1 2 3\n\ncat 1 2 3\n":             "v.txt: line 2 has 0 numbers, not 3",
		"2 3\nzebra 1 2\n":                     "v.txt: line 2 has 2 numbers, not 3",
		"2 3\nthe 1 2 3\n":                     "v.txt: it ends at line 2, before the 2 words of line 1: the file is damaged",
		"1 3\nthe 1 2 3\ncat 1 2 3\n":          "v.txt: line 3 is beyond the 1 words of line 1",
		"the 1 x 3\n":                          "v.txt: line 1 has no finite number in dimension 2",
		"cat 1 2 3\nthe 1 2 NaN\n":             "v.txt: line 2 has no finite number in dimension 3",
		"the 1e99 2 3\n":                       "v.txt: line 1 has no finite number in dimension 1",
		"the 1  3\n":                           "v.txt: line 1 has no finite number in dimension 2",
		"cat 1\n" + strings.Repeat("x", 1<<20): "v.txt: line 2 is longer than 1048576 bytes",
		string(gzipped(t, "the 1 2 3\n"))[:20]: ": it ends early: the file is damaged",
	} {
		_, err := readVectors(strings.NewReader(text), "v.txt", v)
		requireOneLine(t, err, message)
	}
	_, err := ReadVectors("testdata/none.txt", v)
	requireOneLine(t, err, "testdata/none.txt")
}

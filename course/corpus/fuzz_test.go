package corpus

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"synpool/internal/alloctest"
)

// inflation bounds what a byte of a compressed file can take: deflate packs up to 1032 to 1, and every line of a byte
// needs a string of 16 bytes in a slice that grows twofold.
const inflation = 1032 * 64

func FuzzTweets(f *testing.F) {
	good := header + "0,3,0,0,3,2,\"a \"\"fine\"\" day\nagain\"\n7,6,4,2,0,0,plain\n"
	f.Add([]byte(good))
	f.Add([]byte(header + "1,3,0,0,3,2\n"))
	f.Add([]byte(header + "1,3,0,0,3,2,\"open\n"))
	f.Add(gzipped(f, good))
	f.Add(gzipped(f, good)[:40])
	f.Fuzz(func(t *testing.T, data []byte) {
		var tweets []Tweet
		var err error
		alloctest.Bounded(t, data, inflation, func() { tweets, err = readTweets(bytes.NewReader(data), "fuzz") })
		if err != nil {
			requireOneLine(t, err, "fuzz: ")
			return
		}
		var out bytes.Buffer
		w := csv.NewWriter(&out)
		w.Write(tweetHeader)
		for _, tweet := range tweets {
			row := []string{strconv.Itoa(tweet.ID), strconv.Itoa(tweet.Votes[0] + tweet.Votes[1] + tweet.Votes[2])}
			for _, n := range append(tweet.Votes[:], tweet.Class) {
				row = append(row, strconv.Itoa(n))
			}
			w.Write(append(row, tweet.Text.Raw()))
		}
		w.Flush()
		back, err := readTweets(&out, "back")
		if err != nil || !slices.Equal(back, tweets) {
			t.Errorf("%v come back as %v, %v", tweets, back, err)
		}
	})
}

func FuzzComments(f *testing.F) {
	f.Add(must(os.ReadFile("testdata/comments.csv")))
	f.Add([]byte(strings.Join(commentHeader, ",") + "\na1,\"open\n,0,0,0,0,0,0\n"))
	f.Add(gzipped(f, strings.Join(commentHeader, ",")+"\na1,b,0,0,0,0,0,1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var comments []Comment
		var err error
		alloctest.Bounded(t, data, inflation, func() { comments, err = readComments(bytes.NewReader(data), "fuzz") })
		if err != nil {
			requireOneLine(t, err, "fuzz: ")
			return
		}
		var out bytes.Buffer
		w := csv.NewWriter(&out)
		w.Write(commentHeader)
		for _, c := range comments {
			row := []string{c.ID, c.Text.Raw()}
			for _, is := range c.Labels {
				row = append(row, map[bool]string{true: "1", false: "0"}[is])
			}
			w.Write(row)
		}
		w.Flush()
		back, err := readComments(&out, "back")
		if err != nil || !slices.Equal(back, comments) {
			t.Errorf("%v come back as %v, %v", comments, back, err)
		}
	})
}

func FuzzVectors(f *testing.F) {
	f.Add(must(os.ReadFile("testdata/vectors.txt")))
	f.Add([]byte("cat 1 2\n. . . 3 4\n"))
	f.Add([]byte("4000000000 2000000000\ncat 1\n"))
	f.Add(gzipped(f, "the 1e30 -0\n"))
	counts := Counts{}
	counts.Add("the", "cat", "a b")
	v := must(counts.Vocabulary(1, 10))
	f.Fuzz(func(t *testing.T, data []byte) {
		var vectors Vectors
		var err error
		alloctest.Bounded(t, data, inflation, func() { vectors, err = readVectors(bytes.NewReader(data), "fuzz", v) })
		if err != nil {
			requireOneLine(t, err, "fuzz: ")
			return
		}
		text := fmt.Sprintln(len(vectors.Of), vectors.Width)
		for id, vector := range vectors.Of {
			text += v.Word(id) + " " + strings.Trim(fmt.Sprint(vector), "[]") + "\n"
		}
		back, err := readVectors(strings.NewReader(text), "back", v)
		if err != nil || fmt.Sprint(back) != fmt.Sprint(vectors) {
			t.Errorf("%v come back as %v, %v", vectors, back, err)
		}
	})
}

func FuzzReviews(f *testing.F) {
	good := zipped(f, "r/neg/cv000_1.txt", "bad film .\nvery bad .\n", "r/pos/cv999_2.txt", "it\x12s good\n", "r/README", "read me")
	f.Add(good)
	f.Add(good[:len(good)-20])
	f.Add(zipped(f, "neg/cv000_1.txt", strings.Repeat("\n", 1<<16)))
	f.Add(zipped(f, "neg/cv000_1.txt", string(gzipped(f, strings.Repeat("a\n", 1<<16)))))
	f.Add(overlapping(f, 60, strings.Repeat("a ", 1<<19)))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, data []byte) {
		var reviews []Review
		var err error
		alloctest.Bounded(t, data, inflation, func() { reviews, err = readReviews(bytes.NewReader(data), int64(len(data)), "fuzz") })
		if err != nil {
			requireOneLine(t, err, "fuzz: ")
			return
		}
		var files []string
		for _, r := range reviews {
			var text strings.Builder
			text.WriteString("\ufeff")
			for _, s := range r.Sentences {
				fmt.Fprintln(&text, strings.Join(s, " "))
			}
			files = append(files, r.Name+".txt", text.String())
		}
		again := zipped(t, files...)
		back, err := readReviews(bytes.NewReader(again), int64(len(again)), "back")
		if err != nil || fmt.Sprint(back) != fmt.Sprint(reviews) {
			t.Errorf("%v come back as %v, %v", reviews, back, err)
		}
	})
}

func FuzzPairs(f *testing.F) {
	f.Add([]byte("a dog\na cat\n"), []byte("ein Hund\neine Katze\n"))
	f.Add([]byte("a dog\n\n"), []byte("ein Hund\n"))
	f.Add(gzipped(f, "a dog\na cat"), []byte("\ufeffein Hund\r\neine Katze"))
	f.Add(gzipped(f, "a dog\na cat")[:20], []byte("\xff"))
	f.Add([]byte("\ufeff\ufeffa dog\n"), []byte("ein Hund\n"))
	f.Fuzz(func(t *testing.T, source, target []byte) {
		var pairs []Pair
		var err error
		alloctest.Bounded(t, slices.Concat(source, target), inflation, func() {
			pairs, err = readPairs(bytes.NewReader(source), bytes.NewReader(target), "fuzz", "fuzz")
		})
		if err != nil {
			requireOneLine(t, err, "fuzz")
			return
		}
		// A first line which begins with a byte order mark keeps it behind another one.
		var from, to strings.Builder
		from.WriteString("\ufeff")
		to.WriteString("\ufeff")
		for _, p := range pairs {
			fmt.Fprintln(&from, p.Source)
			fmt.Fprintln(&to, p.Target)
		}
		back, err := readPairs(strings.NewReader(from.String()), strings.NewReader(to.String()), "back", "back")
		if err != nil || !slices.Equal(back, pairs) {
			t.Errorf("%q come back as %q, %v", pairs, back, err)
		}
	})
}

func FuzzWords(f *testing.F) {
	for _, text := range []string{"", " \n", "Isn't it 3.5? Dr. Smith: no!", "RT @someone: see https://example.com/a?b=c #GoodDay &amp; 😀👍🏽", "T-Shirt, 1-2, ...", "a\xffb"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for name, tokenize := range map[string]func(string) []string{"Words": Words, "TweetWords": TweetWords} {
			for _, word := range tokenize(text) {
				if strings.TrimSpace(word) == "" {
					t.Errorf("%s: blank word %q", name, word)
				}
			}
		}
		joined := strings.Join(Words(text), "")
		if kept := strings.Map(func(r rune) rune { return pick(r, visible(r)) }, text); utf8.ValidString(text) && strings.Map(func(r rune) rune { return pick(r, visible(r)) }, joined) != kept {
			t.Errorf("words %q of %q lack something", joined, text)
		}
		requireMasked(t, text)
	})
}

func pick(r rune, keep bool) rune {
	if keep {
		return r
	}
	return -1
}

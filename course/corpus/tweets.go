package corpus

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"synpool/internal/disk"
)

// Tweet is a row of the tweets of Davidson et al. 2017.
type Tweet struct {
	ID    int
	Votes [3]int // votes for each of [TweetClasses]
	Class int    // index into [TweetClasses] of the class with the most votes
	Text  Masked
}

// TweetClasses has the names of the classes, by number.
var TweetClasses = [3]string{"hate speech", "offensive language", "neither"}

var tweetHeader = []string{"", "count", "hate_speech", "offensive_language", "neither", "class", "tweet"}

// LoadTweets reads the named set tweets. Its file must have been fetched ([ErrNotFetched]).
func LoadTweets() ([]Tweet, error) {
	paths, err := verified(tweetsName)
	if err != nil {
		return nil, err
	}
	f, err := disk.Open(paths[0])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tweetsName, err)
	}
	defer f.Close()
	return readTweets(f, paths[0])
}

// readTweets reads tweets from comma-separated rows of id, number of votes, votes for each class, class and text, with the
// header ",count,hate_speech,offensive_language,neither,class,tweet". The file may be gzipped; errors call it name.
//
// These are errors: wrong columns, votes that do not add up, a class with fewer votes than another, a repeated id, and text
// that is empty or not UTF-8. Errors name the line and never quote a row.
func readTweets(r io.Reader, name string) ([]Tweet, error) {
	in, err := inflated(r)
	if err != nil {
		return nil, fmt.Errorf("%s: line 1: %w", name, err)
	}
	counted := &lineCounter{r: in, line: 1}
	rows := csv.NewReader(counted)
	rows.ReuseRecord = true
	var tweets []Tweet
	ids := make(map[int]bool)
	for first := true; ; first = false {
		record, err := rows.Read()
		if err == io.EOF {
			break
		}
		if bad := new(csv.ParseError); errors.As(err, &bad) {
			if errors.Is(err, csv.ErrFieldCount) {
				return nil, fmt.Errorf("%s: line %d has %d columns, not %d", name, bad.Line, len(record), len(tweetHeader))
			}
			return nil, fmt.Errorf("%s: line %d: %w", name, bad.Line, bad.Err)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, counted.line, readError(err))
		}
		line, _ := rows.FieldPos(0)
		if first {
			if !slices.Equal(record, tweetHeader) {
				return nil, fmt.Errorf("%s: line %d is not the header %s", name, line, strings.Join(tweetHeader, ","))
			}
			continue
		}
		t, err := parseTweet(record)
		if err == nil && ids[t.ID] {
			err = errors.New("the id of an earlier line")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, line, err)
		}
		ids[t.ID] = true
		tweets = append(tweets, t)
	}
	if len(tweets) == 0 {
		return nil, fmt.Errorf("%s: no tweets", name)
	}
	return tweets, nil
}

// lineCounter counts the lines that pass through it; if the input ends early, line is the last one.
type lineCounter struct {
	r    io.Reader
	line int
}

func (c *lineCounter) Read(to []byte) (int, error) {
	n, err := c.r.Read(to)
	c.line += bytes.Count(to[:n], []byte("\n"))
	return n, err
}

// parseTweet reads a record with as many fields as the header.
func parseTweet(record []string) (Tweet, error) {
	var numbers [6]int
	for i := range numbers {
		n, err := strconv.Atoi(record[i])
		if err != nil || n < 0 {
			return Tweet{}, fmt.Errorf("column %d (%s) is not a whole number from 0", i+1, tweetHeader[i])
		}
		numbers[i] = n
	}
	t := Tweet{ID: numbers[0], Votes: [3]int(numbers[2:5]), Class: numbers[5], Text: NewMasked(record[6])}
	sum := 0
	for _, votes := range t.Votes {
		if votes > numbers[1]-sum {
			return Tweet{}, fmt.Errorf("the votes for the classes are more than the count %d", numbers[1])
		}
		sum += votes
	}
	switch {
	case sum != numbers[1]:
		return Tweet{}, fmt.Errorf("the votes for the classes add up to %d, not to the count %d", sum, numbers[1])
	case t.Class >= len(t.Votes):
		return Tweet{}, fmt.Errorf("class %d; classes are 0, 1 and 2", t.Class)
	case t.Votes[t.Class] < slices.Max(t.Votes[:]):
		return Tweet{}, fmt.Errorf("class %d has fewer votes than another", t.Class)
	case !utf8.ValidString(record[6]):
		return Tweet{}, errors.New("the text is not UTF-8")
	case strings.TrimSpace(record[6]) == "":
		return Tweet{}, errors.New("the text is empty")
	}
	return t, nil
}

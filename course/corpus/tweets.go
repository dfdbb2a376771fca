package corpus

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
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
//
// The file has comma-separated rows of id, number of votes, votes for each class, class and text, with the header
// ",count,hate_speech,offensive_language,neither,class,tweet". These are errors: wrong columns, votes that do not add up, a
// class with fewer votes than another, a repeated id, and text that is empty or not UTF-8.
func LoadTweets() ([]Tweet, error) {
	paths, err := verified(tweetsName)
	if err != nil {
		return nil, err
	}
	return loadTable(paths[0], tweetHeader, parseTweet)
}

// parseTweet returns the tweet of a record, and its id.
func parseTweet(record []string) (Tweet, string, error) {
	var numbers [6]int
	for i := range numbers {
		n, err := strconv.Atoi(record[i])
		if err != nil || n < 0 {
			return Tweet{}, "", fmt.Errorf("column %d (%s) is not a whole number from 0", i+1, tweetHeader[i])
		}
		numbers[i] = n
	}
	t := Tweet{ID: numbers[0], Votes: [3]int(numbers[2:5]), Class: numbers[5], Text: NewMasked(record[6])}
	sum := 0
	for _, votes := range t.Votes {
		if votes > numbers[1]-sum {
			return Tweet{}, "", fmt.Errorf("the votes for the classes are more than the count %d", numbers[1])
		}
		sum += votes
	}
	switch {
	case sum != numbers[1]:
		return Tweet{}, "", fmt.Errorf("the votes for the classes add up to %d, not to the count %d", sum, numbers[1])
	case t.Class >= len(t.Votes):
		return Tweet{}, "", fmt.Errorf("class %d; classes are 0, 1 and 2", t.Class)
	case t.Votes[t.Class] < slices.Max(t.Votes[:]):
		return Tweet{}, "", fmt.Errorf("class %d has fewer votes than another", t.Class)
	case !utf8.ValidString(record[6]):
		return Tweet{}, "", errors.New("the text is not UTF-8")
	case strings.TrimSpace(record[6]) == "":
		return Tweet{}, "", errors.New("the text is empty")
	}
	return t, strconv.Itoa(t.ID), nil
}

package corpus

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// Comment is a row of the comments on Wikipedia's talk pages that Jigsaw and Kaggle published in the Toxic Comment
// Classification Challenge of 2018. A comment can have several labels, or none.
type Comment struct {
	ID     string
	Text   Masked
	Labels [6]bool // of [CommentLabels]
}

// CommentLabels has the names of the labels, by number. They are correlated: a comment with one of the others is mostly
// toxic, too.
var CommentLabels = [6]string{"toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate"}

var commentHeader = append([]string{"id", "comment_text"}, CommentLabels[:]...)

// ReadComments reads comments from the file train.csv of the challenge, which may be gzipped. This package cannot fetch it:
// sign in at kaggle.com/c/jigsaw-toxic-comment-classification-challenge, accept the rules, and unzip the download.
//
// The file has comma-separated rows with the header
// "id,comment_text,toxic,severe_toxic,obscene,threat,insult,identity_hate". The text is quoted and may have several lines; a
// label is 0 or 1. These are errors: wrong columns, another label (test_labels.csv has -1), an empty or repeated id, and
// text that is not UTF-8.
func ReadComments(path string) ([]Comment, error) {
	return loadTable(path, commentHeader, parseComment)
}

// parseComment returns the comment of a record, and its id.
func parseComment(record []string) (Comment, string, error) {
	c := Comment{ID: record[0], Text: NewMasked(record[1])}
	for k, label := range record[2:] {
		if label != "0" && label != "1" {
			return Comment{}, "", fmt.Errorf("column %d (%s) is neither 0 nor 1", k+3, CommentLabels[k])
		}
		c.Labels[k] = label == "1"
	}
	switch {
	case c.ID == "":
		return Comment{}, "", errors.New("the id is empty")
	case !utf8.ValidString(c.ID), !utf8.ValidString(record[1]):
		return Comment{}, "", errors.New("the text is not UTF-8; save the file as UTF-8")
	}
	return c, c.ID, nil
}

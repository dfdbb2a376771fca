// Package spelling finds the name that a misspelt one is meant to be.
package spelling

import (
	"fmt"
	"strings"
)

// Hint says in an error how to go on after a name that is none of names: with the nearest of them, or with all.
func Hint[S ~string](misspelt S, names []S) string {
	if near := Nearest(misspelt, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	var list []string
	for _, name := range names {
		list = append(list, string(name))
	}
	return "use one of " + strings.Join(list, ", ")
}

// Nearest returns the name with the smallest Levenshtein distance to a misspelt one, or the first of several such
// names. It returns "" if fewer than half of the letters match. Error messages use it for suggestions.
func Nearest[S ~string](misspelt S, names []S) S {
	best, least := S(""), 0
	for _, name := range names {
		d := levenshtein(string(misspelt), string(name))
		if 2*d <= max(len(misspelt), len(name)) && (best == "" || d < least) {
			best, least = name, d
		}
	}
	return best
}

// levenshtein counts the insertions, deletions and substitutions of bytes that turn a into b.
func levenshtein(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

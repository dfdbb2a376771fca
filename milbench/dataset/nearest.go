package dataset

import "strings"

// nearest returns the name that takes the fewest edits to get to from s, if those are few.
func nearest(s string, names []string) (string, bool) {
	s = strings.ToLower(s)
	best, least := "", max(2, len(s)/3)+1
	for _, name := range names {
		if d := editDistance(s, name); d < least {
			best, least = name, d
		}
	}
	return best, best != ""
}

// editDistance returns the Levenshtein distance of a and b in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1) // distances of the prefix of a so far to every prefix of b
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
			row[j+1] = min(substitute, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}

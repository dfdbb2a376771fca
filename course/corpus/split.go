package corpus

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// StratifiedSplit splits texts with these labels into parts in the ratio of shares, such as 8:1:1, and returns the ascending
// indices of each part.
//
// The n texts of each class are shuffled by PCG(seed, label). Part p takes those from n*S(p-1)/S to n*S(p)/S, both rounded
// (halves up), where S(p) is the sum of the shares up to p and S that of all. So every part has its share of every class to
// within one text.
func StratifiedSplit(labels []int, shares []int, seed uint64) ([][]int, error) {
	total := int64(0)
	for i, s := range shares {
		const most = 1 << 20
		if s < 1 || s > most {
			return nil, fmt.Errorf("share %d of part %d; shares are from 1 to %d", s, i, most)
		}
		total += int64(s)
	}
	if total == 0 || len(labels) == 0 {
		return nil, errors.New("nothing to split")
	}
	classes := make(map[int][]int)
	for i, y := range labels {
		classes[y] = append(classes[y], i)
	}
	parts := make([][]int, len(shares))
	for _, y := range slices.Sorted(maps.Keys(classes)) {
		texts := classes[y]
		rng := rand.New(rand.NewPCG(seed, uint64(y)))
		rng.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		from, sum := 0, int64(0)
		for p, s := range shares {
			sum += int64(s)
			to := int((2*int64(len(texts))*sum + total) / (2 * total))
			if from == to {
				return nil, fmt.Errorf("class %d has %d texts, none of them for part %d; ask for fewer or more equal parts", y, len(texts), p)
			}
			parts[p] = append(parts[p], texts[from:to]...)
			from = to
		}
	}
	for _, p := range parts {
		slices.Sort(p)
	}
	return parts, nil
}

package retrieval

import (
	"fmt"

	"synpool/milbench/dataset"
	"synpool/milbench/mil"
)

// Digits returns n different handwritten digits of the set mnist, in the order of its bags, as vectors of 28x28 pixels from
// −1 for black to 1 for white. The set must have been fetched; each call reads all of it.
func Digits(n int) ([][]float64, error) {
	if n < 1 {
		return nil, fmt.Errorf("retrieval: %d digits; ask for at least 1", n)
	}
	entry, err := dataset.Find("mnist")
	if err != nil {
		return nil, err
	}
	set, err := entry.Load()
	if err != nil {
		return nil, err
	}
	var digits [][]float64
	seen := map[string]bool{}
	for _, bag := range set.Bags {
		pixels, err := mil.ToDense(bag.Instances)
		if err != nil {
			return nil, err
		}
		for i := range pixels.Rows {
			if len(digits) == n {
				return digits, nil
			}
			image := make([]float64, pixels.Cols)
			for j, v := range pixels.Row(i) {
				image[j] = 2*float64(v) - 1
			}
			if key := fmt.Sprint(image); !seen[key] {
				seen[key] = true
				digits = append(digits, image)
			}
		}
	}
	if len(digits) < n {
		return nil, fmt.Errorf("retrieval: %d different digits in the set mnist; ask for at most that many, not %d", len(digits), n)
	}
	return digits, nil
}

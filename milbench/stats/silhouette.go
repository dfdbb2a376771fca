package stats

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Silhouette returns the mean silhouette coefficient of equally long vectors in two groups, labelled 0 and 1:
//
//	s = (b − a) / max(a, b)
//
// Here a is the mean Euclidean distance from a vector to the others in its group, and b is the mean distance to the
// other group. s is 0 for a vector that is alone in its group, and if a and b are both 0. The coefficient is from −1
// to 1: 1 for two tight groups far apart, about 0 for groups that overlap.
//
// Source: P. J. Rousseeuw, "Silhouettes: a graphical aid to the interpretation and validation of cluster analysis",
// Journal of Computational and Applied Mathematics 20 (1987).
func Silhouette(vectors [][]float64, labels []int) (float64, error) {
	if len(vectors) != len(labels) {
		return 0, fmt.Errorf("%d vectors and %d labels", len(vectors), len(labels))
	}
	var count [2]int
	for i, v := range vectors {
		if labels[i] != 0 && labels[i] != 1 {
			return 0, fmt.Errorf("label %d is %d; labels are 0 or 1", i, labels[i])
		}
		count[labels[i]]++
		if len(v) != len(vectors[0]) {
			return 0, fmt.Errorf("vector %d has %d features, vector 0 has %d", i, len(v), len(vectors[0]))
		}
		for j, x := range v {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return 0, fmt.Errorf("vector %d: feature %d is %v", i, j, x)
			}
		}
	}
	if count[0] == 0 || count[1] == 0 {
		return 0, errors.New("vectors of both labels are needed")
	}
	sums := make([][2]float64, len(vectors)) // for each vector, the summed distances to both groups
	for i, v := range vectors {
		for k, w := range vectors[:i] {
			d := floats.Distance(v, w, 2)
			sums[i][labels[k]] += d
			sums[k][labels[i]] += d
		}
	}
	total := 0.0
	for i, s := range sums {
		own, other := labels[i], 1-labels[i]
		if count[own] == 1 {
			continue
		}
		a, b := s[own]/float64(count[own]-1), s[other]/float64(count[other])
		if larger := max(a, b); larger > 0 {
			total += (b - a) / larger
		}
	}
	return total / float64(len(vectors)), nil
}

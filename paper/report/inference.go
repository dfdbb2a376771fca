package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"synpool/milbench/stats"
)

// extremes returns the indices of the largest of values (times +1 or -1), all of them where several are equal.
func extremes(values []float64, times float64) (at []int) {
	for i, v := range values {
		switch {
		case len(at) == 0 || times*v > times*values[at[0]]:
			at = []int{i}
		case v == values[at[0]]:
			at = append(at, i)
		}
	}
	return at
}

// mergeWeb averages the rows of the Web sets into one.
func mergeWeb(sets []string, rows [][]float64) (names []string, merged [][]float64) {
	return merge(sets, rows, func(set string) string {
		if isWeb(set) {
			return "web"
		}
		return set
	})
}

// merge averages rows, one a set, over the sets of each family, column by column; NaN stands for a missing value.
func merge(sets []string, rows [][]float64, family func(string) string) (names []string, merged [][]float64) {
	of := make(map[string][][]float64)
	for i, set := range sets {
		name := family(set)
		if of[name] == nil {
			names = append(names, name)
		}
		of[name] = append(of[name], rows[i])
	}
	for _, name := range names {
		row := of[name][0]
		if len(of[name]) > 1 {
			row = make([]float64, len(row))
			for k := range row {
				row[k] = round(mean(without(column(of[name], k), math.IsNaN)))
			}
		}
		merged = append(merged, row)
	}
	return names, merged
}

// byRank returns the places of ranks from the best on.
func byRank(ranks []float64) []int {
	order := make([]int, len(ranks))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(ranks[i], ranks[j]) })
	return order
}

// averageRanks ranks the columns of rows; the best mean has rank 1.
func averageRanks(values [][]float64) []float64 { return must(stats.AverageRanks(values)) }

// ranking is methods ranked over families of sets.
type ranking struct {
	Methods           []string // the best first
	Behind            []string // those that the first is ahead of
	Table             string   // of average ranks
	Friedman, Nemenyi string   // p of Friedman's test, Nemenyi's critical difference
	Apart             []string // which methods are ahead of which others
}

// rank ranks methods over families, a row of values each. It needs two methods and two families, and results that differ.
func rank(methods []string, values [][]float64) (r ranking) {
	need(len(methods) > 1 && len(values) > 1 && slices.ContainsFunc(values, func(row []float64) bool { return len(extremes(row, 1)) < len(row) }))
	test, critical := must(stats.Friedman(values)), must(stats.NemenyiDifference(len(methods), len(values), alpha))
	r.Friedman, r.Nemenyi = pValue(test.FP), fmt.Sprintf("%.2f", critical)
	var rows [][]string
	order := byRank(test.Ranks)
	for x, i := range order {
		var behind []string
		for _, j := range order[x+1:] {
			if test.FP < alpha && test.Ranks[j]-test.Ranks[i] >= critical {
				behind = append(behind, methods[j])
			}
		}
		if x == 0 {
			r.Behind = behind
		}
		if len(behind) > 0 {
			r.Apart = append(r.Apart, methods[i]+" is ahead of "+listed(behind))
		}
		rows, r.Methods = append(rows, []string{methods[i], fmt.Sprintf("%.2f", test.Ranks[i])}), append(r.Methods, methods[i])
	}
	r.Table = table([]string{"average rank (1 is the best)", fmt.Sprintf("%d families of sets", len(values))}, rows)
	return r
}

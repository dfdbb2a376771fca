package report

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestExtremes(t *testing.T) {
	values := []float64{0.5, 0.9, 0.4, 0.9, 0.4}
	if best, worst := extremes(values, 1), extremes(values, -1); !slices.Equal(best, []int{1, 3}) || !slices.Equal(worst, []int{2, 4}) {
		t.Errorf("best at %v, worst at %v", best, worst)
	}
}

func TestMergeWeb(t *testing.T) {
	names, rows := mergeWeb([]string{"a", "web1", "web2+deletion(0.1)", "webster"}, [][]float64{{1, 2}, {0.2, math.NaN()}, {0.4, 0.6}, {3, 4}})
	if !slices.Equal(names, []string{"a", "web", "webster"}) || !slices.Equal(rows[1], []float64{0.3, 0.6}) || rows[2][0] != 3 {
		t.Errorf("%v: %v", names, rows)
	}
}

// TestRanked tells methods apart that differ in every family, and not where they take turns.
func TestRanked(t *testing.T) {
	methods := []string{"good", "fair", "bad"}
	var apart, turns, same [][]float64
	for i := range 12 {
		apart, same = append(apart, []float64{0.9, 0.8, 0.7}), append(same, []float64{0.7, 0.7, 0.7})
		row := []float64{0.7, 0.7, 0.7}
		row[i%3], row[(i+1)%3] = 0.9, 0.8
		turns = append(turns, row)
	}
	for _, c := range []struct {
		values [][]float64
		want   []string
	}{
		{apart, []string{"good is ahead of fair and bad; fair is ahead of bad", "12 families of sets |", "| good | 1.00 |\n| fair | 2.00 |\n| bad | 3.00 |", "p < 0.001"}},
		{turns, []string{"none"}},
		{slices.Concat(turns[:3], apart[:1]), []string{"none", "4 families"}},
	} {
		r := rank(methods, c.values)
		holds(t, "ranks", strings.Join([]string{r.Table, r.Friedman, r.Nemenyi, chained(r.Apart)}, "\n"), nil, c.want, nil)
	}
	for _, few := range [][][]float64{same, apart[:1]} {
		if _, err := attempt(func() ranking { return rank(methods, few) }); !errors.Is(err, errIncomplete) {
			t.Errorf("%v: %v", few, err)
		}
	}
}

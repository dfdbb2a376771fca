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

// TestRanked tells methods apart that differ on every set, and does not where they take turns or differ on Web alone.
func TestRanked(t *testing.T) {
	methods := []string{"good", "fair", "bad"}
	sets := strings.Fields("a b c d e f g h i j k l")
	var apart, turns, same [][]float64
	for i := range 12 {
		apart, same = append(apart, []float64{0.9, 0.8, 0.7}), append(same, []float64{0.7, 0.7, 0.7})
		row := []float64{0.7, 0.7, 0.7}
		row[i%3], row[(i+1)%3] = 0.9, 0.8
		turns = append(turns, row)
	}
	web := strings.Fields("a b c web1 web2 web3 web4 web5 web6 web7 web8 web9")
	onWeb := slices.Concat(turns[:3], apart[3:])
	var part [][]float64 // good is ahead everywhere, fair ahead of bad on Web
	for _, row := range []string{"987", "798", "879", "987", "798", "978", "987"} {
		values := []float64{1}
		for _, v := range row {
			values = append(values, float64(v-'0')/10)
		}
		part = append(part, values)
	}
	four, six := []string{"good", "fair", "poor", "bad"}, strings.Fields("a b c d e f web1 web2 web3 web4 web5 web6 web7 web8 web9")
	for range 8 {
		part = append(part, part[6])
	}
	if r := rank(four, "sets", six, part); !slices.Equal(r.Behind, []string{"poor", "bad"}) || strings.Contains(chained(r.Apart), "fair is ahead") {
		t.Errorf("apart on Web alone: %+v", r)
	}
	if r := rank(four, "sets", strings.Fields("a b c d e f g h i j k l m n o"), part); !strings.Contains(chained(r.Apart), "fair is ahead") {
		t.Errorf("fair and bad over all sets: %+v", r)
	}
	for _, c := range []struct {
		sets   []string
		values [][]float64
		want   []string
	}{
		{sets, apart, []string{"good is ahead of fair and bad; fair is ahead of bad", "| good | 1.00 |\n| fair | 2.00 |\n| bad | 3.00 |", "p < 0.001"}},
		{sets, turns, []string{"none"}},
		{web, onWeb, []string{"none", "| 12 sets | Web as one, 4 sets |", "p < 0.001"}},
	} {
		r := rank(methods, "sets", c.sets, c.values)
		holds(t, "ranks", strings.Join([]string{r.Table, r.Friedman, r.Nemenyi, chained(r.Apart)}, "\n"), nil, c.want, nil)
	}
	for _, few := range [][][]float64{same, apart[:1]} {
		if _, err := attempt(func() ranking { return rank(methods, "sets", sets[:len(few)], few) }); !errors.Is(err, errIncomplete) {
			t.Errorf("%v: %v", few, err)
		}
	}
}

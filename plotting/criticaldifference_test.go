package plotting

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
)

// ranked returns methods a, b, c, ... of the ranks.
func ranked(ranks ...float64) []MethodRank {
	var out []MethodRank
	for i, r := range ranks {
		out = append(out, MethodRank{string(rune('a' + i)), r})
	}
	return out
}

func TestCriticalDifference(t *testing.T) {
	golden(t, "criticaldifference.svg")(CriticalDifference("Average ranks over ten sets", []MethodRank{
		{"softmax attention", 3.1}, {"syn, I = 3", 1.4}, {"syn, I = −3", 2.2}, {"mean pooling", 4.8}, {"max pooling", 5.6}, {"gated attention", 3.9},
	}, 1.85))
	ordered := func(k int) []MethodRank {
		var out []MethodRank
		for i := range k {
			out = append(out, MethodRank{fmt.Sprintf("method %d", i+1), float64(i + 1)})
		}
		return out
	}
	for name, c := range map[string]struct {
		methods    []MethodRank
		difference float64
	}{
		"two":        {ranked(1.2, 1.8), 0.3},
		"two alike":  {ranked(1.5, 1.5), 0.3},
		"all alike":  {ranked(2.5, 2.5, 2.5, 2.5), 1},
		"thirty":     {ordered(30), 9},
		"forty":      {ordered(40), 8.5},
		"many alike": {ranked(same(20, 10.5)...), 3},
		"huge":       {ranked(1, 2, 3), 1e99},
		"small":      {ranked(1, 2, 3), 1e-99},
		"long names": {[]MethodRank{{long + "1", 1}, {long + "2", 2}, {solid, 3}}, 1.5},
		"odd names":  {[]MethodRank{{odd, 1}, {"日本", 2}}, 0.5},
	} {
		fits(t, name)(CriticalDifference("Title", c.methods, c.difference))
	}
	for want, c := range map[string]struct {
		methods    []MethodRank
		difference float64
	}{
		"drawing a critical difference: ranks need two methods":  {ranked(1), 1},
		"41 methods; at most 40":                                 {ranked(same(41, 21)...), 1},
		"the critical difference 0 is not a number above 0":      {ranked(1, 2), 0},
		"the critical difference -1 is not a number above 0":     {ranked(1, 2), -1},
		"the critical difference NaN is not a number":            {ranked(1, 2), math.NaN()},
		"method 2 has no name":                                   {[]MethodRank{{"a", 1}, {" ", 2}}, 1},
		`method "a" occurs twice`:                                {[]MethodRank{{"a", 1}, {"a", 2}}, 1},
		`method "b": the rank NaN is not between 1 and 2`:        {ranked(1, math.NaN()), 1},
		`method "b": the rank 3 is not between 1 and 2`:          {ranked(1, 3), 1},
		`method "a": the rank 0 is not between 1 and 2`:          {ranked(0, 2), 1},
		"the mean of the ranks is 1.333, that of 3 methods is 2": {ranked(1, 1, 2), 1},
	} {
		refused(t, want)(CriticalDifference("", c.methods, c.difference))
	}
}

// TestJoined: the first two are the example of section 3.2.2 of Demšar (2006), four variants of C4.5 on 14 sets. According
// to the paper, none differ at 5 %, and the last differs from the first two at 10 %. The other cases are counted by hand.
func TestJoined(t *testing.T) {
	c45 := []float64{1.964, 2.000, 2.893, 3.143}
	for _, c := range []struct {
		ranks      []float64
		difference float64
		groups     [][2]int
		lanes      int
	}{
		{c45, 2.569 * math.Sqrt(4*5/(6.0*14)), [][2]int{{0, 3}}, 1},
		{c45, 2.291 * math.Sqrt(4*5/(6.0*14)), [][2]int{{0, 2}, {2, 3}}, 2},
		{[]float64{1, 2, 3, 4}, 0.5, nil, 0},
		{[]float64{1, 2, 3, 4}, 1, nil, 0}, // as far apart as the critical difference is different
		{[]float64{1, 2, 3, 4}, 1.001, [][2]int{{0, 1}, {1, 2}, {2, 3}}, 2},
		{[]float64{1, 2, 3, 4}, 2.5, [][2]int{{0, 2}, {1, 3}}, 2},
		{[]float64{1, 2, 3, 4}, 10, [][2]int{{0, 3}}, 1},
		{[]float64{2.5, 2.5, 2.5, 2.5}, 0.1, [][2]int{{0, 3}}, 1},
		{[]float64{1.1, 1.9, 3.5, 3.6, 4.9}, 1, [][2]int{{0, 1}, {2, 3}}, 1},
		{[]float64{1, 1.95, 2, 2.95, 5}, 0.98, [][2]int{{0, 1}, {1, 2}, {2, 3}}, 3}, // side by side, two would look like one
		{[]float64{1.4, 2.2, 3.1, 3.9, 4.8, 5.6}, 1.85, [][2]int{{0, 2}, {1, 3}, {2, 4}, {3, 5}}, 3},
	} {
		got := joined(ranked(c.ranks...), c.difference)
		if !slices.Equal(got, c.groups) {
			t.Errorf("%v at %v: joined %v, want %v", c.ranks, c.difference, got, c.groups)
		}
		if got := lanes(ranked(c.ranks...), got); len(got) != c.lanes {
			t.Errorf("%v at %v: lanes %v, want %d", c.ranks, c.difference, got, c.lanes)
		}
	}
}

// TestJoinedPairs: methods are under one bar exactly if they are closer than the critical difference, and no bar lies
// within another.
func TestJoinedPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		ranks := make([]float64, 2+random.IntN(12))
		for i := range ranks {
			ranks[i] = 1 + math.Round(40*random.Float64())/10
		}
		slices.Sort(ranks)
		difference := 0.3 + 2*random.Float64()
		groups := joined(ranked(ranks...), difference)
		for i := range ranks {
			for j := i + 1; j < len(ranks); j++ {
				under := slices.ContainsFunc(groups, func(g [2]int) bool { return g[0] <= i && j <= g[1] })
				if near := ranks[j]-ranks[i] < difference; near != under {
					t.Fatalf("%v at %v: %v joins %d and %d: %v, want %v", ranks, difference, groups, i, j, under, near)
				}
			}
		}
		for i, g := range groups {
			for j, h := range groups {
				if i != j && h[0] <= g[0] && g[1] <= h[1] {
					t.Fatalf("%v at %v: %v lies within %v", ranks, difference, g, h)
				}
			}
		}
		n := 0
		for _, lane := range lanes(ranked(ranks...), groups) {
			n += len(lane)
			for i := 1; i < len(lane); i++ {
				if gap := ranks[lane[i][0]] - ranks[lane[i-1][1]]; gap < 0.03*float64(len(ranks)-1) {
					t.Fatalf("%v at %v: the bars %v of a lane are %v apart", ranks, difference, lane, gap)
				}
			}
		}
		if n != len(groups) {
			t.Fatalf("%v at %v: %d bars for %v", ranks, difference, n, groups)
		}
	}
}

// TestRankAxis: up to 15 methods the axis shows every rank, of more those that methods have; numbers have room.
func TestRankAxis(t *testing.T) {
	for _, c := range []struct {
		ranks     []float64
		low, high float64
	}{
		{[]float64{1.5, 1.5}, 1, 2},
		{same(15, 8), 1, 15},
		{same(16, 8.5), 8, 9},
		{same(17, 9), 9, 10},
		{append([]float64{4.2}, append(same(16, 9.5), 14.8)...), 4, 15},
	} {
		if low, high := (ranking{methods: ranked(c.ranks...)}).ends(); low != c.low || high != c.high {
			t.Errorf("%v: axis from %v to %v, want %v to %v", c.ranks, low, high, c.low, c.high)
		}
	}
	for want, pitch := range map[int]vg.Length{1: 14, 2: 13, 5: 3, 10: 1.4, 20: 0.7} {
		if got := roundStep(pitch, 14); got != want {
			t.Errorf("pitch %v: every %d ranks, want %d", pitch, got, want)
		}
	}
}

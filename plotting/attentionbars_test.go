package plotting

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// poolings returns made-up weights of so many poolings over so many instances.
func poolings(n, instances int) []AttentionWeights {
	var out []AttentionWeights
	for i, weights := range table(n, instances) {
		out = append(out, AttentionWeights{Name: fmt.Sprintf("pooling %d", i+1), Weights: weights})
	}
	return out
}

func TestAttentionBars(t *testing.T) {
	conformations := WeightAxis{"conformation", []string{"88_1+1", "88_1+2", "88_1+3", "88_1+4", "88_1+5", "88_1+6"}}
	golden(t, "attentionbars.svg")(AttentionBars("Conformations of one molecule", conformations, []AttentionWeights{
		{"softmax", []float64{0.12, 0.25, 0.18, 0.2, 0.15, 0.1}},
		{"syn, I = 3", []float64{0.05, 0.62, 0.12, 0.13, 0.06, 0.02}},
		{"mean", same(6, 1.0/6)},
	}))
	for name, c := range map[string]struct {
		names    []string
		poolings []AttentionWeights
	}{
		"one instance": {nil, []AttentionWeights{{"", []float64{1}}}},
		"equal":        {nil, []AttentionWeights{{"mean", same(30, 1.0/30)}}},
		"zero":         {nil, []AttentionWeights{{"", same(4, 0)}}},
		"negative":     {nil, []AttentionWeights{{"", []float64{-0.5, 0.2, 0.8}}, {"b", []float64{-1, -2, -3}}}[1:]},
		"mixed":        {nil, []AttentionWeights{{"a", []float64{-0.5, 0.2, 0.8}}, {"b", []float64{0, 0, -1}}}},
		"huge":         {nil, []AttentionWeights{{"", []float64{1e99, 2e98}}}},
		"small":        {nil, []AttentionWeights{{"", []float64{1e-40, 2e-40}}}},
		"twelve":       {wordsOf(60), poolings(12, 60)},
		"many":         {nil, poolings(2, 1500)},
		"many names":   {wordsOf(100), poolings(1, 100)},
		"long names":   {[]string{long, "b"}, []AttentionWeights{{long, []float64{0.4, 0.6}}}},
		"odd names":    {[]string{odd, ""}, []AttentionWeights{{odd, []float64{0.4, 0.6}}}},
	} {
		fits(t, name)(AttentionBars("Title", WeightAxis{"instance", c.names}, c.poolings))
	}
	for want, c := range map[string]struct {
		names    []string
		poolings []AttentionWeights
	}{
		"drawing attention over a bag: there are no weights": {nil, nil},
		"there are no weights":                               {nil, []AttentionWeights{{"a", nil}}},
		"pooling 2 has no name":                              {nil, []AttentionWeights{{"a", []float64{1}}, {"", []float64{1}}}},
		"b: 2 weights, but 1 of the first":                   {nil, []AttentionWeights{{"a", []float64{1}}, {"b", []float64{1, 2}}}},
		"bag: instance 2: NaN is not a number":               {nil, []AttentionWeights{{"", []float64{1, math.NaN()}}}},
		"a: instance 1: -Inf is not a number":                {nil, []AttentionWeights{{"a", []float64{math.Inf(-1)}}}},
		"1 names for 2 instances":                            {[]string{"a"}, []AttentionWeights{{"", []float64{1, 2}}}},
		"13 poolings; at most 12":                            {nil, poolings(13, 2)},
		"1501 instances; at most 1500":                       {nil, poolings(1, 1501)},
		"101 names of instances; at most 100":                {wordsOf(101), poolings(1, 101)},
	} {
		refused(t, want)(AttentionBars("", WeightAxis{"instance", c.names}, c.poolings))
	}
	refused(t, "the bars need to be of something")(AttentionBars("", WeightAxis{}, poolings(1, 2)))
	refused(t, "child 2: NaN is not a number")(AttentionBars("", WeightAxis{Of: "child"}, []AttentionWeights{{"", []float64{1, math.NaN()}}}))
}

func TestShareBars(t *testing.T) {
	cells := WeightAxis{Of: "cell"}
	golden(t, "sharebars.svg")(ShareBars("What a pooling sees", cells, []AttentionWeights{{"mean", same(4, 0.25)}, {"attention", []float64{0.1, 0.6, 0.2, 0.1}}}))
	golden(t, "smallshares.svg")(ShareBars("Equal shares", cells, []AttentionWeights{{"", []float64{0.16, 0.17, 0.16, 0.17}}}))
	refused(t, "drawing shares of a bag: there are no weights")(ShareBars("", cells, nil))
	refused(t, "drawing shares of a bag: cell 2: -0.5 is no share")(ShareBars("", cells, []AttentionWeights{{Weights: []float64{1, -0.5}}}))
	refused(t, "syn: cell 1: 3 is no share")(ShareBars("", cells, []AttentionWeights{{"mean", []float64{1}}, {"syn", []float64{3}}}))
}

// TestWinnerInLegend: the mark is explained where it is drawn.
func TestWinnerInLegend(t *testing.T) {
	for name, c := range map[string]struct {
		weights []float64
		rows    int
	}{"a winner": {[]float64{0.2, 0.8}, 1}, "none": {same(2, 0.5), 0}} {
		f, err := AttentionBars("", WeightAxis{Of: "instance"}, []AttentionWeights{{"", c.weights}})
		if err != nil || len(f.legend) != c.rows {
			t.Errorf("%s: a legend of %d rows, want %d (%v)", name, len(f.legend), c.rows, err)
		}
	}
}

func TestWinners(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	for _, c := range []struct {
		weights []float64
		want    []int
		says    string
	}{
		{[]float64{0.1, 0.6, 0.2, 0.1}, []int{1}, "winner b, weight 0.60"},
		{[]float64{0.4, 0.1, 0.1, 0.4}, []int{0, 3}, "winners a and d, weight 0.40 each"},
		{[]float64{0.3, 0.3, 0.1, 0.3}, []int{0, 1, 3}, "3 winners, weight 0.30 each"},
		{same(4, 0.25), nil, "no winner, all weights are 0.25"},
		{[]float64{1}, []int{0}, "winner a, weight 1.00"},
		{[]float64{-0.9, -0.3, -0.5, -0.6}, []int{1}, "winner b, weight −0.30"},
	} {
		if got := winners(c.weights); !slices.Equal(got, c.want) {
			t.Errorf("%v: winners %v, want %v", c.weights, got, c.want)
		}
		if got := says(c.weights, names, shadingOf(c.weights)); got != c.says {
			t.Errorf("%v: %q, want %q", c.weights, got, c.says)
		}
	}
}

package plotting

import (
	"fmt"
	"math"
	"slices"
	"strings"
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
	f, err := AttentionBars("Conformations of one molecule", WeightAxis{"conformation", []string{"88_1+1", "88_1+2", "88_1+3", "88_1+4", "88_1+5", "88_1+6"}}, []AttentionWeights{
		{"softmax", []float64{0.12, 0.25, 0.18, 0.2, 0.15, 0.1}},
		{"syn, I = 3", []float64{0.05, 0.62, 0.12, 0.13, 0.06, 0.02}},
		{"mean", same(6, 1.0/6)},
	})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "attentionbars.svg")
	framed(t, "golden", f)
}

func TestAttentionBarsFit(t *testing.T) {
	long := strings.Repeat("a long name ", 9)
	for name, c := range map[string]struct {
		names    []string
		poolings []AttentionWeights
	}{
		"one instance": {nil, []AttentionWeights{{"", []float64{1}}}},
		"one pooling":  {nil, poolings(1, 20)},
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
		"odd names":    {[]string{"<&>\"\x00\xff\n", ""}, []AttentionWeights{{"日本\t", []float64{0.4, 0.6}}}},
	} {
		f, err := AttentionBars("Title", WeightAxis{"instance", c.names}, c.poolings)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		framed(t, name, f)
	}
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
		a := AttentionWeights{Weights: c.weights}
		if got := a.winners(); !slices.Equal(got, c.want) {
			t.Errorf("%v: winners %v, want %v", c.weights, got, c.want)
		}
		if got := a.says(names, shadingOf(c.weights)); got != c.says {
			t.Errorf("%v: %q, want %q", c.weights, got, c.says)
		}
	}
}

func TestAttentionBarsRefuses(t *testing.T) {
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
		"1 names but 2 weights":                              {[]string{"a"}, []AttentionWeights{{"", []float64{1, 2}}}},
		"13 poolings; at most 12":                            {nil, poolings(13, 2)},
		"1501 instances; at most 1500":                       {nil, poolings(1, 1501)},
		"101 names; at most 100 can be read":                 {wordsOf(101), poolings(1, 101)},
	} {
		refused(t, want)(AttentionBars("", WeightAxis{"instance", c.names}, c.poolings))
	}
	refused(t, "the bars need to be of something")(AttentionBars("", WeightAxis{}, poolings(1, 2)))
	refused(t, "child 2: NaN is not a number")(AttentionBars("", WeightAxis{Of: "child"}, []AttentionWeights{{"", []float64{1, math.NaN()}}}))
}

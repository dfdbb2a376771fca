package plotting

import (
	"math"
	"strings"
	"testing"
)

func TestAttentionHeatMap(t *testing.T) {
	f, err := AttentionHeatMap("Four heads over a bag", []string{"head 1", "head 2", "head 3", "head 4"}, nil, table(4, 9))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "attentionheatmap.svg")
	framed(t, "golden", f)
}

func TestAttentionHeatMapFits(t *testing.T) {
	long := strings.Repeat("a long name ", 9)
	for name, c := range map[string]struct {
		heads, instances []string
		weights          [][]float64
	}{
		"one cell":      {nil, nil, [][]float64{{1}}},
		"one, named":    {[]string{long}, []string{long}, [][]float64{{1}}},
		"equal":         {nil, nil, [][]float64{same(5, 0.2), same(5, 0.2)}},
		"zero":          {nil, nil, [][]float64{same(5, 0)}},
		"negative":      {nil, nil, [][]float64{{-1, 2, -3}}},
		"huge":          {nil, nil, [][]float64{{1e99, 3e99}}},
		"small":         {nil, nil, [][]float64{{1e-30, 3e-30}}},
		"twelve":        {nil, wordsOf(30), table(12, 30)},
		"many":          {nil, nil, table(100, 400)},
		"many names":    {wordsOf(100), wordsOf(100), table(100, 100)},
		"long names":    {[]string{"a", long}, []string{long, "b", strings.ReplaceAll(long, " ", "_")}, table(2, 3)},
		"odd names":     {[]string{"<&>\"\x00\xff\n"}, []string{"", "日本\t"}, table(1, 2)},
		"last is long":  {nil, []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", long}, table(3, 10)},
		"a long column": {nil, []string{long}, table(60, 1)},
	} {
		f, err := AttentionHeatMap("Title", c.heads, c.instances, c.weights)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		framed(t, name, f)
	}
}

func TestAttentionHeatMapRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		heads, instances []string
		weights          [][]float64
	}{
		"drawing a heat map of attention: there are no weights": {nil, nil, nil},
		"there are no weights":                            {nil, nil, [][]float64{{}}},
		"head 1 has 2 weights but head 2 has 1":           {nil, nil, [][]float64{{1, 2}, {3}}},
		"head 2, instance 1: NaN is not a number":         {nil, nil, [][]float64{{1}, {math.NaN()}}},
		"head 1, instance 2: +Inf is not a number":        {nil, nil, [][]float64{{1, math.Inf(1)}}},
		"1e+101 is not a number":                          {nil, nil, [][]float64{{1e101}}},
		"1 names but the weights have 2 of heads":         {[]string{"a"}, nil, [][]float64{{1}, {1}}},
		"2 names but the weights have 1 of instances":     {nil, []string{"a", "b"}, [][]float64{{1}, {1}}},
		"101 heads; at most 100":                          {nil, nil, table(101, 1)},
		"401 instances; at most 400":                      {nil, nil, table(1, 401)},
		"101 names of instances; at most 100 can be read": {nil, wordsOf(101), table(1, 101)},
	} {
		refused(t, want)(AttentionHeatMap("", c.heads, c.instances, c.weights))
	}
}

// refused checks that a figure was refused with one line that has want.
func refused(t *testing.T, want string) func(*Figure, error) {
	t.Helper()
	return func(f *Figure, err error) {
		t.Helper()
		if f != nil || err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

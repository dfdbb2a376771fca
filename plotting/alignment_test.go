package plotting

import (
	"math"
	"strings"
	"testing"
)

func TestAlignment(t *testing.T) {
	source := strings.Fields("the small boat on the lake carried three children and a dog .")
	target := strings.Fields("le petit bateau sur le lac portait trois enfants et un chien .")
	f, err := Alignment("What each French word attends to", source, target, table(len(target), len(source)))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, f, "alignment.svg")
	framed(t, "golden", f)
}

func TestAlignmentFits(t *testing.T) {
	long := strings.Repeat("Donaudampfschiff", 4)
	for name, c := range map[string]struct{ source, target []string }{
		"one":       {[]string{"yes"}, []string{"ja"}},
		"short":     {[]string{"I", "am"}, []string{"je", "suis", "là"}},
		"long word": {[]string{"a", "b", long}, []string{long, "b"}},
		"long":      {wordsOf(80), wordsOf(90)},
		"flat":      {wordsOf(60), wordsOf(2)},
		"tall":      {wordsOf(2), wordsOf(60)},
		"odd":       {[]string{"<&>\"\x00\xff"}, []string{"日本", "γ±−"}},
	} {
		f, err := Alignment("Title", c.source, c.target, table(len(c.target), len(c.source)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		framed(t, name, f)
	}
}

func TestAlignmentRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		source, target []string
		weights        [][]float64
	}{
		"drawing an alignment: 0 source words and 1 target words": {nil, []string{"a"}, [][]float64{{1}}},
		"there are no weights":                           {[]string{}, []string{}, nil},
		"2 names but the weights have 1 of target words": {[]string{"a"}, []string{"b", "c"}, [][]float64{{1}}},
		"target word 1, source word 1: NaN":              {[]string{"a"}, []string{"b"}, [][]float64{{math.NaN()}}},
		"101 names of source words":                      {wordsOf(101), []string{"a"}, table(1, 101)},
		"101 target words":                               {[]string{"a"}, wordsOf(101), table(101, 1)},
	} {
		refused(t, want)(Alignment("", c.source, c.target, c.weights))
	}
}

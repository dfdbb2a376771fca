package plotting

import "testing"

func TestShares(t *testing.T) {
	words, err := WordShares("What a network reads", document())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, words, "wordshares.svg")
	framed(t, "words", words)
	bars, err := ShareBars("What a pooling sees", WeightAxis{Of: "cell"}, []AttentionWeights{{"mean", same(4, 0.25)}, {"attention", []float64{0.1, 0.6, 0.2, 0.1}}})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, bars, "sharebars.svg")
	framed(t, "bars", bars)
	table, err := ShareMap("A head", WeightAxis{Of: "query", Names: []string{"a", "b"}}, WeightAxis{Of: "key"}, [][]float64{{0.1, 0.6, 0.3}, {0.4, 0.3, 0.3}})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, table, "sharemap.svg")
	framed(t, "table", table)
}

func TestSharesRefuses(t *testing.T) {
	for want, sentences := range wordsRefused() {
		refused(t, "drawing shares of words: "+want)(WordShares("", sentences))
	}
	refused(t, "sentence 1, word 2: 1.5 is no share")(WordShares("", []Sentence{{Words: []string{"a", "b"}, Weights: []float64{0, 1.5}}}))
	refused(t, "sentence 1, weight 1: 2 is no share")(WordShares("", []Sentence{{Words: []string{"a"}, Weights: []float64{1}, Weight: 2}}))

	cells := WeightAxis{Of: "cell"}
	refused(t, "drawing shares of a bag: there are no weights")(ShareBars("", cells, nil))
	refused(t, "drawing shares of a bag: cell 2: -0.5 is no share")(ShareBars("", cells, []AttentionWeights{{Weights: []float64{1, -0.5}}}))
	refused(t, "syn: cell 1: 3 is no share")(ShareBars("", cells, []AttentionWeights{{"mean", []float64{1}}, {"syn", []float64{3}}}))

	refused(t, "drawing a map of shares: rows and columns need")(ShareMap("", WeightAxis{}, cells, nil))
	refused(t, "drawing a map of shares: there are no Share values")(ShareMap("", cells, cells, nil))
	refused(t, "query 2, cell 1: 7 is no share, which is from 0 to 1; divide by the sum")(ShareMap("", WeightAxis{Of: "query"}, cells, [][]float64{{1}, {7}}))
}

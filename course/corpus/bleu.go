package corpus

import (
	"errors"
	"fmt"
	"math"
)

// maxOrder is the length of the longest n-grams that [CorpusBLEU] compares.
const maxOrder = 4

// BLEU is the score of a corpus of translations, with the numbers behind it.
type BLEU struct {
	Score           float64           // 0 to 100
	Precisions      [maxOrder]float64 // of 1- to 4-grams, in percent, smoothed
	Matches, Totals [maxOrder]int     // number of n-grams that are in a reference, and of all
	BrevityPenalty  float64           // 0 to 1
	Length          int               // in words
	ReferenceLength int
}

// CorpusBLEU returns the BLEU score of hypotheses against one or more lists of references; each list has one reference per
// hypothesis:
//
//	BLEU = BP * exp(mean_n ln p_n),   p_n = 100 * Matches[n] / Totals[n],   BP = min(1, exp(1 - ReferenceLength / Length))
//
// An n-gram matches at most as often as it occurs in the reference that has it most often. ReferenceLength uses the
// reference whose length is nearest, or the shorter of two equally near. If a p_n would be 0, it is smoothed to 100 / (2^z *
// Totals[n]), where z is the number of such n so far. Without any match, or if no hypothesis has 4 words, the score is 0.
// This is sacrebleu's default with its tokeniser [Tokenize13a] or, for text that is already tokenised, [TokenizeNone]. It is
// case-sensitive.
//
// Papineni et al. 2002; smoothing "exp" of Chen and Cherry 2014, method 3; Post 2018 for the defaults.
func CorpusBLEU(tokenize func(sentence string) []string, hypotheses []string, references ...[]string) (BLEU, error) {
	if tokenize == nil {
		return BLEU{}, errors.New("no tokeniser; use Tokenize13a, or TokenizeNone for words that are apart already")
	}
	if len(hypotheses) == 0 || len(references) == 0 {
		return BLEU{}, errors.New("no hypotheses or no references to score")
	}
	for i, list := range references {
		if len(list) != len(hypotheses) {
			return BLEU{}, fmt.Errorf("%d hypotheses but %d sentences in list %d of references", len(hypotheses), len(list), i)
		}
	}
	var b BLEU
	for i, hypothesis := range hypotheses {
		words := tokenize(hypothesis)
		listed := make([][]string, len(references))
		nearest := 0
		for j, list := range references {
			listed[j] = tokenize(list[i])
			n, off, least := len(listed[j]), distance(len(listed[j]), len(words)), distance(nearest, len(words))
			if j == 0 || off < least || off == least && n < nearest {
				nearest = n
			}
		}
		b.Length += len(words)
		b.ReferenceLength += nearest
		for n := range maxOrder {
			allowed := make(map[run]int)
			for _, reference := range listed {
				for r, times := range runs(reference, n+1) {
					allowed[r] = max(allowed[r], times)
				}
			}
			for r, times := range runs(words, n+1) {
				b.Matches[n] += min(times, allowed[r])
				b.Totals[n] += times
			}
		}
	}
	b.score()
	return b, nil
}

// run is an n-gram, with empty strings after its last word.
type run [maxOrder]string

// runs counts the n-grams of words.
func runs(words []string, n int) map[run]int {
	counts := make(map[run]int)
	for i := 0; i+n <= len(words); i++ {
		var r run
		copy(r[:], words[i:i+n])
		counts[r]++
	}
	return counts
}

func distance(a, b int) int { return max(a-b, b-a) }

// score computes the score from the matches and lengths.
func (b *BLEU) score() {
	switch {
	case b.Length >= b.ReferenceLength:
		b.BrevityPenalty = 1
	case b.Length > 0:
		b.BrevityPenalty = math.Exp(1 - float64(b.ReferenceLength)/float64(b.Length))
	}
	if b.Matches[0] == 0 { // without matching words there are no longer n-grams
		return
	}
	smoothed, logs := 1.0, 0.0
	for n, total := range b.Totals {
		switch {
		case total == 0:
			return // no sentence is long enough: ln 0
		case b.Matches[n] == 0:
			smoothed *= 2
			b.Precisions[n] = 100 / (smoothed * float64(total))
		default:
			b.Precisions[n] = 100 * float64(b.Matches[n]) / float64(total)
		}
		logs += math.Log(b.Precisions[n])
	}
	b.Score = min(100, b.BrevityPenalty*math.Exp(logs/maxOrder)) // exp(ln 100) is above 100 by rounding
}

// String returns the score in sacrebleu's form.
func (b BLEU) String() string {
	ratio := 0.0
	if b.ReferenceLength > 0 {
		ratio = float64(b.Length) / float64(b.ReferenceLength)
	}
	p := b.Precisions
	return fmt.Sprintf("BLEU = %.2f %.1f/%.1f/%.1f/%.1f (BP = %.3f ratio = %.3f hyp_len = %d ref_len = %d)",
		b.Score, p[0], p[1], p[2], p[3], b.BrevityPenalty, ratio, b.Length, b.ReferenceLength)
}

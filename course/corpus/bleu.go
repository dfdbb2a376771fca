package corpus

import (
	"fmt"
	"math"
	"strings"
	"unicode"
)

// maxOrder is the length of the longest n-grams that [CorpusBLEU] compares.
const maxOrder = 4

// BLEU is the score of a corpus of translations, with the numbers behind it.
type BLEU struct {
	Score           float64           // 0 to 100
	Precisions      [maxOrder]float64 // of 1- to 4-grams, in percent, smoothed
	Matches, Totals [maxOrder]int     // number of n-grams that are in the reference, and of all
	BrevityPenalty  float64           // 0 to 1
	Length          int               // in words
	ReferenceLength int
}

// CorpusBLEU returns the BLEU score of hypotheses, whose words are between white space, against one reference each:
//
//	BLEU = BP * exp(mean_n ln p_n),   p_n = 100 * Matches[n] / Totals[n],   BP = min(1, exp(1 - ReferenceLength / Length))
//
// An n-gram matches at most as often as it occurs in the reference. If a p_n would be 0, it is smoothed to 100 / (2^z *
// Totals[n]), where z is the number of such n so far. Without any match, or if no hypothesis has 4 words, the score is 0.
// This is sacrebleu's default for text that is already tokenised ("none"). It is case-sensitive.
//
// Papineni et al. 2002; smoothing "exp" of Chen and Cherry 2014, method 3; Post 2018 for the defaults.
func CorpusBLEU(hypotheses, references []string) (BLEU, error) {
	if len(hypotheses) == 0 || len(references) != len(hypotheses) {
		return BLEU{}, fmt.Errorf("%d hypotheses and %d references to score; give one or more, one reference each", len(hypotheses), len(references))
	}
	var b BLEU
	for i, hypothesis := range hypotheses {
		words, reference := strings.FieldsFunc(hypothesis, pythonSpace), strings.FieldsFunc(references[i], pythonSpace)
		b.Length += len(words)
		b.ReferenceLength += len(reference)
		for n := range maxOrder {
			allowed := runs(reference, n+1)
			for r, times := range runs(words, n+1) {
				b.Matches[n] += min(times, allowed[r])
				b.Totals[n] += times
			}
		}
	}
	b.score()
	return b, nil
}

// pythonSpace reports whether Python's str.split treats r as white space: Unicode's white space and the ASCII separators.
func pythonSpace(r rune) bool { return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f }

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

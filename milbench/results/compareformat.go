package results

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// words explains a verdict; a and b are the names of the settings.
func (v Verdict) words(a, b string) string {
	switch v {
	case BetterVerdict:
		return a + " is better"
	case WorseVerdict:
		return b + " is better"
	case SameVerdict:
		return "the same in practice"
	case OpenVerdict:
		return "cannot tell"
	}
	return ""
}

// signed formats a difference.
func signed(x float64) string { return strings.Replace(fmt.Sprintf("%+.3f", x), "-", "−", 1) }

// Write writes the comparison as text: a Markdown table for each set, one over all sets if there are several, and an
// explanation.
func (c Comparison) Write(w io.Writer) error {
	var b strings.Builder
	a := c.Reference
	rows := [][]string{{"Set", "Figure", a + " less", "difference", "95 % CI", "pairs", "p", "P(better)", "P(same)", "P(worse)", "in words"}}
	for _, d := range c.Sets {
		set := d.Set
		if d.Protocol != "honest" {
			set += ", " + d.Protocol
		}
		rows = append(rows, []string{set, d.Figure, d.B, signed(d.Difference), signed(d.Low) + " to " + signed(d.High), fmt.Sprintf("%d %s", d.Pairs, d.Over), threeDigits(d.P),
			threeDigits(d.Posterior.Better), threeDigits(d.Posterior.Equal), threeDigits(d.Posterior.Worse), d.Verdict.words(a, d.B)})
	}
	text := map[int]bool{0: true, 1: true, 2: true, len(rows[0]) - 1: true}
	markdown(&b, rows, func(i int) bool { return text[i] })
	fmt.Fprintf(&b, "\nDifference: between the mean figures over the pairs. A pair is a fold where both were trained and tested on the same bags or, with a single fold, a bag. "+
		"95 %% CI and p: corrected resampled t-test; over bags, DeLong. P(better), P(same), P(worse): the probability that %s is better by more than %v, that both are "+
		"within %v of each other, which does not matter in practice, and that it is worse (Bayesian correlated t-test). In words: the outcome with a probability of at least %v; \"cannot tell\" is not \"the same\".\n", a, c.Rope, c.Rope, sure)
	if len(c.Over) > 0 {
		b.WriteString("\n")
		rows := [][]string{{a + " against", "Figure", "sets", "wins", "ties", "losses", "open", "difference", "p", "P(better)", "P(same)", "P(worse)", "in words"}}
		for _, o := range c.Over {
			row := []string{o.B, o.Figure, strconv.Itoa(o.Sets), strconv.Itoa(o.Wins), strconv.Itoa(o.Ties), strconv.Itoa(o.Losses), strconv.Itoa(o.Open), signed(o.Difference), optional(o.P, 3)}
			if o.Posterior != nil {
				row = append(row, threeDigits(o.Posterior.Better), threeDigits(o.Posterior.Equal), threeDigits(o.Posterior.Worse), o.Verdict.words(a, o.B))
			} else {
				row = append(row, "", "", "", fmt.Sprintf("too few sets: %d are needed", fewestSets))
			}
			rows = append(rows, row)
		}
		last := len(rows[0]) - 1
		markdown(&b, rows, func(i int) bool { return i < 2 || i == last })
		b.WriteString("\nOver sets: wins, ties and losses count the decided sets in the table above; p: Wilcoxon's signed-rank test of the sets' means; P(...): Bayesian signed-rank test.\n")
	}
	for _, note := range c.Notes {
		b.WriteString("\n" + note + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

package memory

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
)

// Recall says how well a memory retrieved patterns.
type Recall struct {
	WrongComponents float64 // share of the components that are wrong
	FailedPatterns  float64 // share of the patterns with a wrong component
	Nearest         float64 // share of the final states that are nearer to their pattern than to any other
	RMS             float64 // root mean square error per component
	Updates         float64 // mean number of updates
	Fixed           float64 // share of the final states that are fixed; the others reached the limit of updates
}

// MeasureRecall retrieves from every cue with at most that many updates and measures how well pattern i comes back from cue
// i. A component is wrong if it differs from the pattern by more than off; a state counts as fixed if no component changes
// by more than a hundredth of off. m must have stored the patterns, and may have stored others.
func MeasureRecall(m Memory, patterns, cues [][]float64, updates int, off float64) (Recall, error) {
	d, err := checkPatterns(patterns)
	if err != nil {
		return Recall{}, err
	}
	if err := checkCues(cues, len(patterns)); err != nil {
		return Recall{}, err
	}
	var components, failed, nearest, count, fixed int
	squares := 0.0
	for i, cue := range cues {
		if err := checkVector("the state", cue, d); err != nil {
			return Recall{}, fmt.Errorf("cue %d: %w", i, err)
		}
		end, updated, ended, err := settle(m, cue, updates, off/100, nil)
		if err != nil {
			return Recall{}, fmt.Errorf("cue %d: %w", i, err)
		}
		wrong := 0
		for l, v := range end {
			difference := math.Abs(v - patterns[i][l])
			if difference > off {
				wrong++
			}
			squares += difference * difference
		}
		components += wrong
		if wrong > 0 {
			failed++
		}
		if isNearest(end, patterns, i) {
			nearest++
		}
		if ended {
			fixed++
		}
		count += updated
	}
	if err := checkFinite("the square of an error", squares); err != nil {
		return Recall{}, err
	}
	n := float64(len(cues))
	return Recall{
		WrongComponents: float64(components) / (n * float64(d)),
		FailedPatterns:  float64(failed) / n,
		Nearest:         float64(nearest) / n,
		RMS:             math.Sqrt(squares / (n * float64(d))),
		Updates:         float64(count) / n,
		Fixed:           float64(fixed) / n,
	}, nil
}

// checkCues requires one cue for each of the first patterns.
func checkCues(cues [][]float64, patterns int) error {
	if len(cues) == 0 || len(cues) > patterns {
		return fmt.Errorf("memory: %d cues of %d patterns; give at least one and at most one a pattern", len(cues), patterns)
	}
	return nil
}

// isNearest reports whether pattern i is nearer to x than every other pattern that differs from it.
func isNearest(x []float64, patterns [][]float64, i int) bool {
	own := floats.Distance(x, patterns[i], 2)
	for j, p := range patterns {
		if j != i && floats.Distance(x, p, 2) <= own && !floats.Equal(p, patterns[i]) {
			return false
		}
	}
	return true
}

package corpus

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// solve answers a story by reading its facts, the later ones for the newer.
func solve(s Story) string {
	where := map[string]string{}
	for _, fact := range s.Facts {
		words := strings.Fields(fact)
		first, last := words[0], words[len(words)-1]
		switch {
		case words[1] == "went":
			where[first] = last
		case words[1] == "took":
			where[last] = first
		default: // the ball is in the box
			where[words[1]] = last
		}
	}
	words := strings.Fields(s.Question)
	at := words[len(words)-1]
	for where[at] != "" {
		at = where[at]
	}
	return at
}

func TestStories(t *testing.T) {
	for hops := 1; hops <= 3; hops++ {
		for _, entities := range []int{2, 4, 6} {
			for _, moves := range []int{1, 3} {
				g := Stories{hops, entities, moves}
				t.Run(fmt.Sprintf("%+v", g), func(t *testing.T) {
					const n = 2000
					stories, err := g.Generate(n, 1)
					if err != nil {
						t.Fatal(err)
					}
					answers := Counts{}
					for _, s := range stories {
						answers.Add(s.Answer)
						if got := solve(s); got != s.Answer {
							t.Fatalf("%+v: answer %s", s, got)
						}
						if len(s.Facts) != entities*(moves+hops-1) || len(s.Support) != hops {
							t.Fatalf("%+v: %d facts, %d in support", s, len(s.Facts), len(s.Support))
						}
						var support Story
						order := slices.Sorted(slices.Values(s.Support))
						for _, line := range order {
							support.Facts = append(support.Facts, s.Facts[line])
						}
						support.Question = s.Question
						if got := solve(support); got != s.Answer {
							t.Fatalf("%+v: its support answers %s", s, got)
						}
					}
					for place, count := range answers { // 5 standard deviations
						p := 1 / float64(entities)
						if math.Abs(float64(count)-n*p) > 5*math.Sqrt(n*p*(1-p)) {
							t.Errorf("%s answers %d of %d", place, count, n)
						}
					}
					again, err := g.Generate(n, 1)
					if err != nil || fmt.Sprint(again) != fmt.Sprint(stories) {
						t.Error("the same seed gives other stories")
					}
					if other, err := g.Generate(n, 2); err != nil || fmt.Sprint(other) == fmt.Sprint(stories) {
						t.Errorf("another seed gives the same stories, %v", err)
					}
				})
			}
		}
	}
}

// What one hop can know is a sum over the facts of terms of question, fact and line. Logistic regression on these terms
// solves one hop, and no more than 3 of 4 stories of two or three.
func TestStoriesNeedTheirHops(t *testing.T) {
	terms := func(s Story) []string {
		var words []string
		for line, fact := range s.Facts {
			words = append(words, s.Question+", "+fact, fmt.Sprintf("%s, %s, line %d", s.Question, fact, line))
		}
		return words
	}
	for _, g := range []Stories{{1, 2, 1}, {1, 4, 1}, {2, 2, 1}, {2, 4, 1}, {2, 2, 2}, {3, 2, 1}, {3, 3, 1}} {
		t.Run(fmt.Sprintf("%+v", g), func(t *testing.T) {
			stories, err := g.Generate(3000, 1)
			if err != nil {
				t.Fatal(err)
			}
			var texts [][]string
			var labels []int
			for _, s := range stories {
				texts, labels = append(texts, terms(s)), append(labels, slices.Index(places, s.Answer))
			}
			m, err := BagOfWords{Longest: 1, AtLeast: 1, AtMost: math.MaxInt, Logistic: Logistic{C: 100, Tolerance: 1e-3, Iterations: 2000}}.Fit(texts[:2000], labels[:2000], g.Entities)
			if err != nil {
				t.Fatal(err)
			}
			right := 0
			for i, text := range texts[2000:] {
				p, err := m.Probabilities(text)
				if err != nil {
					t.Fatal(err)
				}
				if slices.Index(p, slices.Max(p)) == labels[2000+i] {
					right++
				}
			}
			t.Logf("%d of 1000 right", right)
			if one := g.Hops == 1; one && right < 990 || !one && right > 790 { // 3 of 4 and 3 standard deviations
				t.Errorf("%d of 1000 right", right)
			}
		})
	}
}

// One hop reaches 3 of 4 of the smallest stories of two: for the first place where the first person took the object and
// went there, a sum of two terms of question and fact against a constant, and for the second place otherwise.
func TestOneHopReachesThreeOfFour(t *testing.T) {
	const n = 4000
	stories, err := Stories{Hops: 2, Entities: 2, Moves: 1}.Generate(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for _, s := range stories {
		sum := -1.5
		for _, fact := range s.Facts {
			if fact == people[0]+" went to the "+places[0] || s.Question == "where is the "+strings.TrimPrefix(fact, people[0]+" took the ") {
				sum++
			}
		}
		answer := places[1]
		if sum > 0 {
			answer = places[0]
		}
		if answer == s.Answer {
			right++
		}
	}
	if math.Abs(float64(right)-0.75*n) > 3*math.Sqrt(n*0.75*0.25) { // 3 standard deviations
		t.Errorf("%d of %d right", right, n)
	}
}

func TestStoriesRefuse(t *testing.T) {
	for _, g := range []Stories{{0, 4, 1}, {4, 4, 1}, {2, 1, 1}, {2, 7, 1}, {2, 4, 0}, {2, 4, 11}} {
		_, err := g.Generate(1, 1)
		requireOneLine(t, err, "1 to 3 hops, 2 to 6 entities and 1 to 10 moves")
	}
	_, err := DefaultStories().Generate(0, 1)
	requireOneLine(t, err, "0 stories")
	_, err = DefaultStories().Generate(math.MaxInt, 1)
	requireOneLine(t, err, "1 to 16777216 stories")
}

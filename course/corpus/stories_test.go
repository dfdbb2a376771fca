package corpus

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// solve answers a story by reading its facts.
func solve(s Story) string {
	where := map[string]string{}
	for _, fact := range s.Facts {
		words := strings.Fields(fact)
		first, last := words[0], words[len(words)-1]
		if words[1] == "went" {
			where[first] = last
		} else {
			where[last] = first
		}
	}
	words := strings.Fields(s.Question)
	return where[where[words[len(words)-1]]]
}

func TestStories(t *testing.T) {
	for _, entities := range []int{2, 4, 6} {
		g := Stories{entities}
		t.Run(fmt.Sprintf("%+v", g), func(t *testing.T) {
			const n = 2000
			stories := must(g.Generate(n, 1))
			answers := Counts{}
			for _, s := range stories {
				answers.Add(s.Answer)
				if got := solve(s); got != s.Answer {
					t.Fatalf("%+v: answer %s", s, got)
				}
				if len(s.Facts) != 2*entities || len(s.Support) != Hops {
					t.Fatalf("%+v: %d facts, %d in support", s, len(s.Facts), len(s.Support))
				}
				support := Story{Facts: []string{s.Facts[s.Support[0]], s.Facts[s.Support[1]]}, Question: s.Question}
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

// What one hop can know is a sum over the facts of terms of question, fact and line. Logistic regression on these terms
// solves no more than 3 of 4 stories.
func TestStoriesNeedTwoHops(t *testing.T) {
	stories := must(Stories{2}.Generate(3000, 1))
	var texts [][]string
	var labels []int
	for _, s := range stories {
		var words []string
		for line, fact := range s.Facts {
			words = append(words, s.Question+", "+fact, fmt.Sprintf("%s, %s, line %d", s.Question, fact, line))
		}
		texts, labels = append(texts, words), append(labels, slices.Index(places, s.Answer))
	}
	m := must(BagOfWords{Longest: 1, AtLeast: 1, AtMost: math.MaxInt, Logistic: Logistic{C: 100, Tolerance: 1e-3, Iterations: 2000}}.Fit(texts[:2000], labels[:2000], 2))
	if right := must(m.Evaluate(texts[2000:], labels[2000:])).Accuracy; right > 0.79 { // 3 of 4 and 3 standard deviations
		t.Errorf("a share of %g right", right)
	}
}

func TestStoriesRefuse(t *testing.T) {
	for _, entities := range []int{1, 7} {
		_, err := Stories{entities}.Generate(1, 1)
		requireOneLine(t, err, "2 to 6 people")
	}
	for _, n := range []int{0, math.MaxInt} {
		_, err := DefaultStories().Generate(n, 1)
		requireOneLine(t, err, fmt.Sprintf("%d stories", n), "1 to 16777216 stories")
	}
}

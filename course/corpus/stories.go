package corpus

import (
	"fmt"
	"math/rand/v2"
)

// Story is a list of facts and a question that they answer.
type Story struct {
	Facts    []string
	Question string
	Answer   string // one word
	Support  []int  // indices of the facts that the answer follows from, first to last
}

// Stories generates stories like the bAbI tasks with two supporting facts (Weston et al. 2015). Every person is at a place
// and took an object, and the question asks for an object:
//
//	anna went to the garden    ben took the lamp    ben went to the kitchen    anna took the ball
//	where is the lamp   kitchen
//
// Who has what and who is where are independent, uniformly drawn permutations. The facts are in random order.
//
// One hop of attention with a linear answer, as in MemN2N, cannot solve them. Its preference between two answers is the sign
// of a sum over the facts. Each term depends only on the question, one fact and its line, because the softmax divides all
// terms by the same positive number. Let T be the lines "a took x, b took y" and T' the same with x and y exchanged; let L be
// the lines "a is at p, b is at q" and L' the same with p and q exchanged. When asked for x, the right answer is p with (T,
// L) and (T', L'), and q with (T, L') and (T', L). The sum for p against q would have to be positive for the first two and
// negative for the others, but both pairs have the same total. The four cases are equally likely, so at most 3 of 4 answers
// are right, whatever the weights. A network with layers after the attention does not have this limit.
type Stories struct {
	Entities int // number of people, and also of places and objects; 2 to 6
}

// DefaultStories returns stories of four people.
func DefaultStories() Stories { return Stories{Entities: 4} }

// Hops is the number of facts that an answer needs.
const Hops = 2

var (
	people  = []string{"anna", "ben", "clara", "david", "emma", "felix"}
	places  = []string{"kitchen", "garden", "office", "hallway", "cellar", "attic"}
	objects = []string{"ball", "lamp", "book", "apple", "coat", "key"}
)

// mostStories is the maximum number of stories: more is likely a typo.
const mostStories = 1 << 24

// Generate returns n stories, the same for the same seed.
func (s Stories) Generate(n int, seed uint64) ([]Story, error) {
	if s.Entities < 2 || s.Entities > len(people) || n < 1 || n > mostStories {
		return nil, fmt.Errorf("%d stories of %d people; there are 1 to %d stories of 2 to %d people", n, s.Entities, mostStories, len(people))
	}
	rng := rand.New(rand.NewPCG(seed, Hops))
	stories := make([]Story, n)
	for i := range stories {
		stories[i] = s.generate(rng)
	}
	return stories, nil
}

func (s Stories) generate(rng *rand.Rand) Story {
	n := s.Entities
	place, owner := rng.Perm(n), rng.Perm(n) // of each person, of each object
	facts, order := make([]string, 2*n), make([]int, 2*n)
	for i := range n {
		facts[i] = fmt.Sprintf("%s went to the %s", people[i], places[place[i]])
		facts[n+i] = fmt.Sprintf("%s took the %s", people[owner[i]], objects[i])
		order[i], order[n+i] = i, n+i
	}
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	var story Story
	line := make([]int, 2*n) // of each fact
	for l, fact := range order {
		story.Facts = append(story.Facts, facts[fact])
		line[fact] = l
	}
	asked := rng.IntN(n)
	story.Question, story.Answer = "where is the "+objects[asked], places[place[owner[asked]]]
	story.Support = []int{line[n+asked], line[owner[asked]]}
	return story
}

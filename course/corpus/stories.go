package corpus

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Story is a list of facts and a question that they answer.
type Story struct {
	Facts    []string
	Question string
	Answer   string // one word
	Support  []int  // indices of the facts that the answer follows from, first to last
}

// Stories generates stories like the bAbI tasks with several supporting facts (Weston et al. 2015). Every person is at a
// place. With two hops every person also took an object, and the question asks for an object. With three hops every object
// is in a container, which a person took:
//
//	anna went to the garden    ben took the lamp    ben went to the kitchen    anna took the ball
//	where is the lamp   kitchen
//
// Who has what and who is where are independent, uniformly drawn permutations. The facts are in random order, except that
// the moves of one person stay in order: the last one counts, and the places of earlier ones are drawn at random.
//
// One hop of attention with a linear answer, as in MemN2N, cannot solve stories of two or more hops. Its preference between
// two answers is the sign of a sum over the facts. Each term depends only on the question, one fact and its line, because
// the softmax divides all terms by the same positive number. Let T be the lines "a took x, b took y" and T' the same with x
// and y exchanged; let L be the lines "a is at p, b is at q" and L' the same with p and q exchanged. When asked for x, the
// right answer is p with (T, L) and (T', L'), and q with (T, L') and (T', L). The sum for p against q would have to be
// positive for the first two and negative for the others, but both pairs have the same total. The four cases are equally
// likely, so at most 3 of 4 answers are right, whatever the weights. A network with layers after the attention does not have
// this limit.
type Stories struct {
	Hops     int // 1 to 3
	Entities int // number of people, and also of places, objects and containers; 2 to 6
	Moves    int // moves per person, 1 to 10
}

// DefaultStories returns two hops, four people and one move each.
func DefaultStories() Stories { return Stories{Hops: 2, Entities: 4, Moves: 1} }

var (
	people     = []string{"anna", "ben", "clara", "david", "emma", "felix"}
	places     = []string{"kitchen", "garden", "office", "hallway", "cellar", "attic"}
	objects    = []string{"ball", "lamp", "book", "apple", "coat", "key"}
	containers = []string{"box", "basket", "bag", "bucket", "drawer", "jar"}
)

// mostStories is the maximum number of stories: more is likely a typo.
const mostStories = 1 << 24

// Generate returns n stories, the same for the same seed.
func (s Stories) Generate(n int, seed uint64) ([]Story, error) {
	if s.Hops < 1 || s.Hops > 3 || s.Entities < 2 || s.Entities > len(people) || s.Moves < 1 || s.Moves > 10 || n < 1 || n > mostStories {
		return nil, fmt.Errorf("%d stories of %d hops, %d entities and %d moves; there are 1 to %d stories, 1 to 3 hops, 2 to %d entities and 1 to 10 moves", n, s.Hops, s.Entities, s.Moves, mostStories, len(people))
	}
	rng := rand.New(rand.NewPCG(seed, uint64(s.Hops)))
	stories := make([]Story, n)
	for i := range stories {
		stories[i] = s.generate(rng)
	}
	return stories, nil
}

func (s Stories) generate(rng *rand.Rand) Story {
	levels := [][][]string{{people}, {people, objects}, {people, containers, objects}}[s.Hops-1]
	owner := make([][]int, s.Hops)               // per level: who or what has it; for a person: the place
	lists := make([][]string, s.Hops*s.Entities) // facts in order: the moves of a person, one fact for a thing
	for l, names := range levels {
		owner[l] = rng.Perm(s.Entities)
		for i, o := range owner[l] {
			facts := &lists[l*s.Entities+i]
			switch l {
			case 0:
				for range s.Moves - 1 {
					*facts = append(*facts, fmt.Sprintf("%s went to the %s", names[i], places[rng.IntN(s.Entities)]))
				}
				*facts = append(*facts, fmt.Sprintf("%s went to the %s", names[i], places[o]))
			case 1:
				*facts = append(*facts, fmt.Sprintf("%s took the %s", people[o], names[i]))
			case 2:
				*facts = append(*facts, fmt.Sprintf("the %s is in the %s", names[i], containers[o]))
			}
		}
	}

	var order []int // the list of each line
	for list, facts := range lists {
		order = append(order, slices.Repeat([]int{list}, len(facts))...)
	}
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	var story Story
	last := make([]int, len(lists)) // the line of the last fact of each list
	for line, list := range order {
		story.Facts = append(story.Facts, lists[list][0])
		lists[list] = lists[list][1:]
		last[list] = line
	}

	at := rng.IntN(s.Entities)
	story.Question = "where is the " + levels[s.Hops-1][at]
	if s.Hops == 1 {
		story.Question = "where is " + people[at]
	}
	for l := s.Hops - 1; l >= 0; l-- {
		story.Support = append(story.Support, last[l*s.Entities+at])
		at = owner[l][at]
	}
	story.Answer = places[at]
	return story
}

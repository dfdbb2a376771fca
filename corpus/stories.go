package corpus

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Story is a question that its facts answer.
type Story struct {
	Facts    []string
	Question string
	Answer   string // one word
	Support  []int  // the facts that the answer follows from, first to last
}

// Stories makes stories in the manner of bAbI's tasks of several supporting facts (Weston et al. 2015). Every person is
// at a place; with two hops every person also took an object, and the question is for an object; with three hops every
// object is in a container, which a person took:
//
//	anna went to the garden    ben took the lamp    ben went to the kitchen    anna took the ball
//	where is the lamp   kitchen
//
// Who has what and who is where are independent permutations, each drawn uniformly, and the facts stand in random order,
// apart from the moves of one person: the last of them counts, the places of earlier ones are drawn freely.
//
// One hop of attention with a linear answer, as in MemN2N, cannot solve two or more. Which of two answers it prefers is
// the sign of a sum over the facts, each term a function of the question, one fact and its line alone: the softmax
// divides all terms by the same positive number. Let T, T' be the lines that a took x and b took y or the other way
// round, and L, L' those that a is at p and b at q or the other way round. Asked for x the right answer is p with (T, L)
// and (T', L'), and q with (T, L') and (T', L). The sum for p against q would have to be positive with the first two and
// negative with the others; but both pairs have the same total. The four are equally likely, so that at most 3 of 4
// answers are right, whatever the weights. A network of layers behind the attention is not bound by it.
type Stories struct {
	Hops     int // 1 to 3
	Entities int // people, as many places and, if need be, objects and containers; 2 to 6
	Moves    int // of each person, 1 to 10
}

// DefaultStories returns two hops, four people and one move each.
func DefaultStories() Stories { return Stories{Hops: 2, Entities: 4, Moves: 1} }

var (
	people     = []string{"anna", "ben", "clara", "david", "emma", "felix"}
	places     = []string{"kitchen", "garden", "office", "hallway", "cellar", "attic"}
	objects    = []string{"ball", "lamp", "book", "apple", "coat", "key"}
	containers = []string{"box", "basket", "bag", "bucket", "drawer", "jar"}
)

// mostStories bounds the number of stories: more is a slip of the pen.
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
	owner := make([][]int, s.Hops)               // of each level: who or what has it; of a person: the place
	lists := make([][]string, s.Hops*s.Entities) // facts in their order: of a person the moves, of a thing one
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

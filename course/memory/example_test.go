package memory_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"synpool/course/memory"
)

// letters are patterns of 3 by 5 dots.
var letters = [][]float64{
	memory.Signs([]float64{1, 1, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0}, 0), // T
	memory.Signs([]float64{1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 1}, 0), // L
	memory.Signs([]float64{1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 0, 1}, 0), // H
}

func draw(state []float64) {
	for i, v := range state {
		if i > 0 && i%3 == 0 {
			fmt.Print(" ")
		}
		fmt.Print(map[bool]string{true: "#", false: "."}[v > 0])
	}
	fmt.Println()
}

// fail ends an example.
func fail(err error) {
	if err != nil {
		panic(err)
	}
}

// number returns v, or ends an example.
func number(v float64, err error) float64 {
	fail(err)
	return v
}

func ExampleRetrieve() {
	m := &memory.Polynomial{Power: 3}
	fail(m.Store(letters))
	trace, err := memory.Retrieve(m, memory.MaskHalf(letters[1], -1), 10, 0)
	fail(err)
	for _, step := range trace.Steps {
		fmt.Printf("%.0f  ", step.Energy)
		draw(step.State)
	}
	fmt.Println(trace.Fixed)
	// Output:
	// -341  #.. #.. #.. ... ...
	// -3277  #.. #.. #.. #.. ###
	// -3277  #.. #.. #.. #.. ###
	// true
}

func ExampleHopfield() {
	m := &memory.Hopfield{}
	fail(m.Store(letters[:2]))
	cue, err := memory.Flip(letters[0], 0.1, rand.New(rand.NewPCG(1, 1)))
	fail(err)
	draw(cue)
	end, err := m.Update(cue)
	fail(err)
	draw(end)
	// Output:
	// .## .#. ##. .#. .#.
	// ### .#. .#. .#. .#.
}

func ExampleExponential() {
	// Sixteen patterns of eight components, twice as many as there are components.
	patterns := memory.RandomSigns(16, 8, rand.New(rand.NewPCG(2, 1)))
	for _, m := range []memory.Memory{&memory.Hopfield{ZeroDiagonal: true}, &memory.Exponential{}} {
		fail(m.Store(patterns))
		recall, err := memory.MeasureRecall(m, patterns, patterns, 10, 0)
		fail(err)
		fmt.Printf("%T loses %.2f of the patterns\n", m, recall.FailedPatterns)
	}
	// Output:
	// *memory.Hopfield loses 0.81 of the patterns
	// *memory.Exponential loses 0.12 of the patterns
}

func ExampleContinuous() {
	m := &memory.Continuous{Beta: 4}
	fail(m.Store([][]float64{{1, 0, 0.5}, {0, 1, 0.5}, {-1, 0, 0}}))
	cue := []float64{0.9, 0.2, 0}
	weights, err := m.OrderParameters(cue)
	fail(err)
	end, err := m.Update(cue)
	fail(err)
	fmt.Printf("%.3f of the patterns make %.3f\n", weights, end)
	// Output: [0.942 0.057 0.001] of the patterns make [0.941 0.057 0.500]
}

func ExampleAttention() {
	// Self-attention of three rows in two heads of one column, with values of the rows themselves.
	x := [][]float64{{1, 0}, {0, 1}, {1, 1}}
	z, weights, err := memory.Attention{Heads: 2, Beta: 1}.Associate(x, x)
	fail(err)
	fmt.Printf("%.3f\n%.3f\n", z, weights[0])
	// Output:
	// [[0.845 0.667] [0.667 0.845] [0.845 0.845]]
	// [[0.422 0.155 0.422] [0.333 0.333 0.333] [0.422 0.155 0.422]]
}

func ExampleSynergetic() {
	s := &memory.Synergetic{Gamma: 1}
	fail(s.Store([][]float64{{1, 0.2, 0}, {0.8, 0.6, 0}}))
	state := []float64{0.9, 0.3, 0.4}
	for range 4 {
		order, err := s.OrderParameters(state)
		fail(err)
		energy, err := s.Energy(state)
		fail(err)
		fmt.Printf("order parameters %.3f, energy %.3f\n", order, energy)
		state, err = s.Update(state)
		fail(err)
	}
	// Output:
	// order parameters [0.682 0.273], energy -0.180
	// order parameters [0.926 0.272], energy -0.217
	// order parameters [0.923 0.157], energy -0.236
	// order parameters [0.975 0.091], energy -0.246
}

func ExampleSynergetic_State() {
	s := &memory.Synergetic{Gamma: 1}
	fail(s.Store([][]float64{{1, 0}, {1, 1}}))
	_, err := s.Update([]float64{0, 0})
	fmt.Println(errors.Is(err, memory.ErrZeroState))
	biased, err := s.State([]float64{0, 1e-9})
	fail(err)
	trace, err := memory.Retrieve(s, biased, 100, 1e-9)
	fail(err)
	fmt.Printf("%.3f\n", trace.Last())
	// Output:
	// true
	// [1.000 1.000]
}

func ExampleSynergetic_Activate() {
	s := memory.Synergetic{Gamma: 1}
	order := []float64{0.5, -0.6, 0.3}
	for range 2000 {
		var err error
		order, err = s.Activate(order)
		fail(err)
	}
	fmt.Println(order[1] == -1, order[0] == 0 && order[2] == 0)
	// Output: true true
}

func ExampleSyn() {
	s := memory.Syn{Gamma: 0.5}
	forward, inverse := []float64{0.5, 0.3, 0.2, 0}, []float64{0.5, 0.3, 0.2, 0}
	for range 3 {
		var err error
		forward, err = s.Forward(forward)
		fail(err)
		inverse, err = s.Inverse(inverse)
		fail(err)
	}
	fmt.Printf("%.3f\n%.3f\n", forward, inverse)
	fmt.Printf("rates %.3f and %.3f\n", number(s.ForwardRate(1)), number(s.InverseRate(3)))
	// Output:
	// [0.903 0.148 0.077 0.000]
	// [0.809 0.736 0.666 0.000]
	// rates 0.500 and 0.584
}

func ExampleCapacityConfig_Capacity() {
	c := memory.CapacityConfig{Criterion: memory.WrongComponents, Threshold: 0.0036, Updates: 1, Draws: 20, Cues: 50, Limit: 1000, Seed: 1}
	patterns, _, err := c.Capacity(&memory.Polynomial{Power: 3, Synchronous: true}, 40)
	fail(err)
	fmt.Printf("%d patterns, %.0f in theory\n", patterns, number(memory.PolynomialCapacity(3, 40, 0.0036)))
	// Output: 68 patterns, 74 in theory
}

func ExamplePolynomialCapacity() {
	for _, power := range []int{2, 3, 4} {
		fmt.Printf("%.0f ", number(memory.PolynomialCapacity(power, 100, 0.0036)))
	}
	fmt.Printf("%.1f\n", number(memory.ClassicalCapacity(100)))
	// Output: 14 462 9231 13.8
}

func ExampleExponentialCapacityAll() {
	fmt.Println(math.Round(number(memory.ExponentialCapacityAll(20, 0.5))))
	// Output: 270
}

func ExampleBetaSweep() {
	patterns := [][]float64{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}
	points, err := memory.BetaSweep(patterns, [][]float64{{0.8, 0.1}}, []float64{0, 2, 8}, 50)
	fail(err)
	for _, p := range points {
		fmt.Printf("beta %g: %.2f patterns, %.3f from the own, %.3f from the mean\n", p.Beta, p.SharedBy, p.ToOwn, p.ToMean)
	}
	// Output:
	// beta 0: 4.00 patterns, 0.707 from the own, 0.000 from the mean
	// beta 2: 3.89 patterns, 0.588 from the own, 0.119 from the mean
	// beta 8: 1.01 patterns, 0.000 from the own, 0.707 from the mean
}

func ExampleMeasureRecall() {
	m := &memory.Exponential{}
	fail(m.Store(letters))
	var cues [][]float64
	for _, x := range letters {
		cue, err := memory.Flip(x, 0.2, rand.New(rand.NewPCG(1, 1)))
		fail(err)
		cues = append(cues, cue)
	}
	recall, err := memory.MeasureRecall(m, letters, cues, 10, 0)
	fail(err)
	fmt.Printf("%.2f of the components wrong, after %.1f updates\n", recall.WrongComponents, recall.Updates)
	// Output: 0.00 of the components wrong, after 2.0 updates
}

func ExampleFigure1() {
	cases, err := memory.Figure1()
	fail(err)
	for _, c := range cases {
		end := c.Orders[len(c.Orders)-1]
		fmt.Printf("%s  %-60s %.3f\n", c.Name, c.Title, end)
	}
	// Output:
	// a  target: approximately one-hot                                [0.999 0.000 0.000 0.000]
	// b  metastable: the mean of the patterns that are alike          [0.500 0.500 0.000 0.000]
	// c  globally stable: the mean of all patterns, which are alike   [0.250 0.250 0.250 0.250]
	// d  abnormal: the farthest pattern                               [1.000 0.000 0.000]
	// e  target: strictly one-hot                                     [1.000 0.000 0.000 0.000]
	// f  metastable: equal at the equal largest                       [0.577 0.577 0.000 0.000]
	// g  saddle: no update                                            [0.000 0.000 0.000 0.000]
	// h  abnormal: a negative one-hot                                 [0.000 -1.000 0.000 0.000]
}

func Example_cues() {
	random := rand.New(rand.NewPCG(1, 1))
	fmt.Println(memory.Signs([]float64{0.1, 0.7, 0.4}, 0.5))
	fmt.Println(memory.MaskHalf([]float64{1, 2, 3, 4}, 0))
	fmt.Println(memory.RandomSigns(2, 4, random))
	fmt.Println(memory.Flip([]float64{1, 1, 1, 1}, 0.5, random))
	x, err := memory.AddNoise([]float64{1, 1, 1}, 0.1, random)
	fail(err)
	fmt.Printf("%.2f\n", x)
	// Output:
	// [-1 1 -1]
	// [1 2 0 0]
	// [[-1 1 -1 -1] [1 -1 -1 1]]
	// [1 -1 -1 1] <nil>
	// [0.98 1.16 0.99]
}

package memory_test

import (
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

func ExampleTwoLayer() {
	// Model B: slow visible neurons, and fast hidden neurons that compete.
	n := &memory.TwoLayer{Visible: memory.Quadratic{}, Hidden: memory.LogSumExp{Beta: 4}, TauVisible: 1, TauHidden: 0.1}
	fail(n.Store([][]float64{{1, 0, 0.5}, {0, 1, 0.5}, {-1, 0, 0}}))
	v, h := []float64{0.9, 0.2, 0}, []float64{0, 0, 0}
	for step := range 31 {
		if step%10 == 0 {
			fmt.Printf("%.3f energy %.3f\n", v, number(n.Energy(v, h)))
		}
		var err error
		v, h, err = n.Step(v, h, 0.3)
		fail(err)
	}
	// Output:
	// [0.900 0.200 0.000] energy 0.084
	// [0.960 0.046 0.464] energy -0.629
	// [0.976 0.024 0.497] energy -0.630
	// [0.978 0.022 0.500] energy -0.630
}

func ExampleRectifiedPower() {
	// Model A: a dense associative memory. All neurons are infinitely fast.
	n := &memory.TwoLayer{Visible: memory.Absolute{}, Hidden: memory.RectifiedPower{Power: 4}}
	fail(n.Store(letters))
	v, h := memory.MaskHalf(letters[1], -1), make([]float64, len(letters))
	draw(v)
	v, _, err := n.Step(v, h, 1)
	fail(err)
	draw(v)
	// Output:
	// #.. #.. #.. ... ...
	// #.. #.. #.. #.. ###
}

func ExampleSequence() {
	// A cycle of three letters.
	s := &memory.Sequence{Hidden: 20, Margin: 1, Rate: 0.01, Epochs: 500}
	random := rand.New(rand.NewPCG(1, 1))
	fail(s.Learn(append(letters[:3:3], letters[0]), random))
	state, err := memory.Flip(letters[0], 0.1, random)
	fail(err)
	for range 4 {
		draw(state)
		state, err = s.Update(state)
		fail(err)
	}
	// Output:
	// ##. .#. .#. ##. .#.
	// #.. #.. #.. #.. ###
	// #.# #.# ### #.# #.#
	// ### .#. .#. .#. .#.
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

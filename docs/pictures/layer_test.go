package pictures

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"synpool/backend/backendtest"
	"synpool/synlayer"
)

// weighed returns the softmax weights of scores, and these weights after each of the given numbers of Syn steps with the γ of [synlayer.DefaultSyn].
func weighed(t *testing.T, scores []float32, steps ...int) (softmax []float32, after [][]float32) {
	t.Helper()
	mask := make([]bool, len(scores))
	for i := range mask {
		mask[i] = true
	}
	exec, err := NewExec(backendtest.Chosen(t), func(scores, mask *Node) []*Node {
		weights := synlayer.BagSoftmax(scores, mask)
		all := []*Node{weights}
		for _, n := range steps {
			all = append(all, synlayer.Syn(weights, Scalar(weights.Graph(), weights.DType(), synlayer.DefaultSyn().Gamma), n))
		}
		return all
	})
	must(t, err)
	out, err := exec.Call([][][]float32{{scores}}, [][]bool{mask})
	must(t, err)
	for _, w := range out {
		after = append(after, w.Value().([][][]float32)[0][0])
	}
	return after[0], after[1:]
}

// listed writes weights down for those who do not see the picture.
func listed(weights []float32) string {
	var all []string
	for _, w := range weights {
		all = append(all, fmt.Sprintf("%.2f", w))
	}
	return strings.Join(all, ", ")
}

// winner is the class of a bar.
func winner(weights []float32, i int) string {
	if weights[i] == slices.Max(weights) {
		return "two"
	}
	return "one"
}

// TestLayer draws how a bag becomes a probability, with the weights of five instances.
func TestLayer(t *testing.T) {
	scores := []float32{0.6, 2.0, 1.5, 0.2, 1.0}
	steps := []int{-3, 0, 1, 2, 3}
	softmax, after := weighed(t, scores, steps...)
	p := &picture{height: 524, title: "The Syn layer: from a bag of instances to the probability of the bag",
		desc: fmt.Sprintf("A bag of five instances passes a hidden layer, which gives each instance a score: %s. Softmax makes weights of the scores: %s. "+
			"Syn steps divide the weights by their L2 norm and apply f(x) = γx³ + (1−γ)x, here with γ = %g. After three steps they are %s: the winner is ahead. "+
			"After three negative steps, by the inverse of f, they are %s: they have come closer. The weighted sum of the instances passes a linear map, which gives the probability of the bag.",
			listed(scores), listed(softmax), synlayer.DefaultSyn().Gamma, listed(after[4]), listed(after[0]))}
	const top, row, bars = 52, 26, 18
	middle := top + 2.5*row - 4.0
	for _, head := range []struct {
		x    float64
		text string
	}{{20, "bag of instances"}, {270, "scores"}, {430, "softmax weights"}} {
		p.text(head.x, 34, "head", "%s", head.text)
	}
	shades := []string{"one", "faint", "three"} // of features, which stand for any
	for i := range scores {
		y := top + row*float64(i)
		p.text(20, y+14, "minor", "%d", i+1)
		for k := range 4 {
			p.box(38+20*float64(k), y, 17, bars, 2, shades[(2*i+k*k+i*k)%3])
		}
		p.text(270, y+14, "", "%.1f", scores[i])
		p.box(300, y, 45*float64(scores[i]), bars, 2, "one")
		p.bar(430, y, 340, bars, float64(softmax[i]), winner(softmax, i))
	}
	p.arrow(124, middle, 146, middle)
	p.box(150, top, 84, 5*row-8, 6, "box")
	p.text(192, middle-4, "middle", "hidden")
	p.text(192, middle+15, "middle", "layer")
	p.arrow(238, middle, 260, middle)
	p.arrow(398, middle, 420, middle)
	p.arrow(500, top+5*row-2, 500, 206)

	p.box(12, 210, width-24, 224, 8, "panel")
	p.text(24, 234, "head", "Syn steps")
	p.text(24, 258, "", "Divide the weights by their L2 norm. Then apply f(x) = γx³ + (1−γ)x, here γ = %g.", synlayer.DefaultSyn().Gamma)
	p.text(24, 279, "", "Positive steps concentrate on the winner. Negative ones, by f⁻¹, even out.")
	for k, n := range steps {
		x := 24 + 121*float64(k)
		name := map[int]string{-3: "−3 steps", 0: "no step", 1: "1 step"}[n]
		if name == "" {
			name = fmt.Sprintf("%d steps", n)
		}
		p.text(x, 306, "bold", "%s", name)
		for i := range scores {
			p.bar(x, 315+22*float64(i), 68, 16, float64(after[k][i]), winner(after[k], i))
		}
	}
	p.arrow(126, 438, 126, 456)
	p.box(20, 460, 212, 44, 6, "box")
	p.text(126, 487, "middle", "weighted sum of instances")
	p.arrow(236, 482, 262, 482)
	p.box(266, 460, 120, 44, 6, "box")
	p.text(326, 487, "middle", "linear map")
	p.arrow(390, 482, 416, 482)
	p.box(420, 460, 200, 44, 6, "box")
	p.text(520, 487, "middle bold", "probability of the bag")
	p.keep(t, "layer.svg")
}

// TestWeights draws the weights of a bag as the field Iterations of a pooling changes them.
func TestWeights(t *testing.T) {
	scores := []float32{0.6, 2.0, 1.5, 0.2, 1.0}
	steps := []int{-3, 0, 3}
	_, after := weighed(t, scores, steps...)
	p := &picture{height: 236, title: "The weights of five instances by the field Iterations of a Syn pooling",
		desc: fmt.Sprintf("Iterations = -3 evens out: the weights are %s. Iterations = 0 is softmax attention: %s. Iterations = 3 concentrates on the second instance: %s.",
			listed(after[0]), listed(after[1]), listed(after[2]))}
	const base, tall = 180, 118
	for k, n := range steps {
		left := 20 + 204*float64(k)
		p.text(left+96, 32, "mono middle", "Iterations = %d", n)
		p.line(left, base+.5, left+192, base+.5, "stroke")
		for i, w := range after[k] {
			x := left + 4 + 37*float64(i)
			shown := fmt.Sprintf("%.2f", w)
			var rounded float64
			fmt.Sscan(shown, &rounded)
			p.box(x, base-tall*rounded, 30, tall*rounded, 2, winner(after[k], i))
			p.text(x+15, base-tall*rounded-5, "middle", "%s", shown)
			p.text(x+15, base+19, "middle minor", "%d", i+1)
		}
		p.text(left+96, base+42, "middle bold", "%s", []string{"even out", "softmax attention", "concentrate"}[k])
	}
	p.keep(t, "weights.svg")
}

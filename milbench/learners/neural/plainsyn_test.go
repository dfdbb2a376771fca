package neural

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"synpool/backend/backendtest"
	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/synlayer"
)

// TestPlainSyn compares the steps on the host with those of the layer, in both types. Each rounds a few times per step, and an
// inverse step divides earlier errors by up to three, a forward step multiplies them by up to three.
func TestPlainSyn(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, b := range backendtest.All(t) {
		for _, gamma := range []float64{0.05, 0.5, 1} {
			for _, iterations := range []int{-20, -3, -1, 0, 1, 3, 6} {
				single, double := make([]float32, 7), make([]float64, 7)
				for i := range single {
					single[i] = random.Float32()
					double[i] = float64(single[i])
				}
				single[3], double[3] = 0, 0
				steps := func(w *graph.Node) *graph.Node { return synlayer.Syn(w, graph.ConstAs(w, gamma), iterations) }
				near := func(got, want, precision float64) bool {
					return math.Abs(got-want) <= 40*precision*math.Pow(3, float64(max(iterations, 0)))*math.Abs(want)
				}
				want32 := graph.MustExecOnce(b, steps, single).Value().([]float32)
				want64 := graph.MustExecOnce(b, steps, double).Value().([]float64)
				for i, got := range plainSyn(single, gamma, iterations) {
					if !near(float64(got), float64(want32[i]), 0x1p-24) {
						t.Errorf("%s, gamma %g, %d steps: float32 weight %d is %.9g, of the layer %.9g", name, gamma, iterations, i, got, want32[i])
					}
				}
				for i, got := range plainSyn(double, gamma, iterations) {
					if !near(got, want64[i], 0x1p-53) {
						t.Errorf("%s, gamma %g, %d steps: weight %d is %.17g, of the layer %.17g", name, gamma, iterations, i, got, want64[i])
					}
				}
			}
		}
	}
}

// TestRoundedWinners checks what twenty inverse steps with gamma 1 do to the order of weights: in float32 the winner is another one
// most times, in float64 never. With gamma 0.5, float32 nearly always keeps it.
func TestRoundedWinners(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	lost := map[string]int{}
	for range 200 {
		single, double := make([]float32, 16), make([]float64, 16)
		for i := range single {
			single[i] = random.Float32()
			double[i] = float64(single[i])
		}
		for name, at := range map[string]int{"float32": largest(plainSyn(single, 1, -20)), "float64": largest(plainSyn(double, 1, -20)), "gamma 0.5": largest(plainSyn(single, 0.5, -20))} {
			if at != largest(single) {
				lost[name]++
			}
		}
	}
	if lost["float32"] < 100 || lost["float64"] > 0 || lost["gamma 0.5"] > 4 {
		t.Errorf("lost winners of 200: %v", lost)
	}
}

// TestWinners trains with gamma 1 and -20 and 3 steps, and compares the winners of training and held-out bags before the steps with those of
// the predictions. Those after steps that round nothing away are the same.
func TestWinners(t *testing.T) {
	for name, b := range backendtest.All(t) {
		bags, examples := unequal(20)
		task := cv.Task{Name: "unequal", Bags: bags, Kind: mil.BinaryTarget, Classes: 2}
		for _, iterations := range []int{-20, 3} {
			c := setting(t, "syn")
			c.Gamma, c.Iterations, c.Epochs = 1, iterations, 2
			task.Fits = append(task.Fits, cv.Fit{Setting: settingOf(t, c), Train: examples[:15], Test: []int{15, 16, 17, 18, 19}, EveryEpoch: true, Winners: true})
		}
		for f, o := range learn(t, Trainer{Backend: b}, task) {
			for _, e := range o.Epochs {
				of := map[string][]int{}
				for _, w := range e.Winners {
					of[w.Part+" "+w.Way] = w.Of
				}
				var predicted []int
				for _, p := range e.Test {
					predicted = append(predicted, p.Winners...)
				}
				heads := len(e.Test[0].Winners)
				if len(of) != 8 || !slices.Equal(of["held-out before"], predicted) || len(of["train before"]) != 15*heads {
					t.Fatalf("%s: winners %v, of the predictions %v", name, of, predicted)
				}
				for _, part := range []string{"train ", "held-out "} {
					if !slices.Equal(of[part+"float64"], of[part+"before"]) {
						t.Errorf("%s, fit %d: %swinners %v, after the steps in float64 %v", name, f, part, of[part+"before"], of[part+"float64"])
					}
				}
				for _, way := range []string{"train float32", "train rounded"} {
					if same := slices.Equal(of[way], of["train before"]); same != (f == 1) {
						t.Errorf("%s, fit %d: that winners are the same in %s is %v", name, f, way, same)
					}
				}
			}
		}
	}
}

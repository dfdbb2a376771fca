// Command deepsets trains deep sets (Zaheer et al. 2017) to rank outliers: each set has its points about two places, drawn anew
// for each set, and of some candidates one lies between them. It prints the share of sets whose outlier is ranked first, by
// the network and by the distance from the mean, which cannot do it.
//
//	go run ./examples/deepsets -quick
package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend"
	"synpool/examples/fit"
	"synpool/synlayer"
	"synpool/synlayer/sequence"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "deepsets:", err)
		os.Exit(1)
	}
}

const (
	batch      = 64
	size       = 10 // points of a set
	candidates = 5
	features   = 4
)

func run() error {
	quick := flag.Bool("quick", false, "fewer steps")
	seed := flag.Uint64("seed", 1, "of the sets and the initial weights, 1 or more")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unknown argument %q; see -help", flag.Arg(0))
	}
	steps := 3000
	if *quick {
		steps = 600
	}
	choice, err := backend.New()
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, choice)
	for _, pooling := range []struct {
		name string
		synlayer.Pooling
	}{
		{"sum", synlayer.SumPooling{}}, {"mean", synlayer.MeanPooling{}},
		{"attention", sequence.WordAttention{Width: 32}},
		{"attention, 3 Syn steps", sequence.WordAttention{Width: 32, Adjust: sequence.Adjustment{Iterations: 3, Gamma: 0.5}}},
		{"attention, -3 Syn steps", sequence.WordAttention{Width: 32, Adjust: sequence.Adjustment{Iterations: -3, Gamma: 0.5, Renormalise: true}}},
	} {
		d := sequence.DeepSets{Element: []int{64, 64}, Pooling: pooling.Pooling, Set: []int{64, 1}}
		trainer, err := fit.New(choice.Backend, fit.Settings{Rate: 2e-3, Clip: 1, Seed: *seed}, func(scope *model.Scope, in []*Node, _ *Node) *Node {
			return sequence.RankingLoss(d.Scores(scope, synlayer.Bags{X: in[0]}, in[1]), in[2], 1)
		})
		if err != nil {
			return err
		}
		rng := rand.New(rand.NewPCG(*seed, 1))
		start := time.Now()
		for range steps {
			sets, shown, outlier := draw(rng)
			if _, err := trainer.Step(sets, shown, outlier); err != nil {
				return err
			}
		}
		took := time.Since(start)
		exec, err := model.NewExec(choice.Backend, trainer.Store, func(scope *model.Scope, sets, shown *Node) *Node {
			return d.Scores(scope, synlayer.Bags{X: sets}, shown)
		})
		if err != nil {
			return err
		}
		rng = rand.New(rand.NewPCG(*seed, 2))
		right, byDistance, total := 0, 0, 0
		for range 20 {
			sets, shown, outlier := draw(rng)
			out, err := exec.Call(sets, shown)
			if err != nil {
				return err
			}
			for i, scores := range out[0].Value().([][]float32) {
				want := slices.Index(outlier[i], true)
				total++
				if slices.Index(scores, slices.Max(scores)) == want {
					right++
				}
				if furthest(sets[i], shown[i]) == want {
					byDistance++
				}
			}
		}
		fmt.Printf("%-24s %.1f %% of outliers ranked first, by the distance from the mean %.1f %%, by chance %d %%; %s\n", pooling.name, 100*float64(right)/float64(total), 100*float64(byDistance)/float64(total), 100/candidates, took.Round(100*time.Millisecond))
	}
	return nil
}

// draw returns sets, candidates and which of those is the outlier.
func draw(rng *rand.Rand) (sets, shown [][][]float32, outlier [][]bool) {
	for range batch {
		place := make([]float64, features)
		norm := 0.0
		for i := range place {
			place[i] = rng.NormFloat64()
			norm += place[i] * place[i]
		}
		point := func(side float64) []float32 {
			x := make([]float32, features)
			for i := range x {
				x[i] = float32(2*side*place[i]/math.Sqrt(norm) + 0.4*rng.NormFloat64())
			}
			return x
		}
		side := func() float64 { return float64(2*rng.IntN(2) - 1) }
		set, show, flags := make([][]float32, size), make([][]float32, candidates), make([]bool, candidates)
		for i := range set {
			set[i] = point(side())
		}
		flags[rng.IntN(candidates)] = true
		for i := range show {
			if flags[i] {
				show[i] = point(0)
			} else {
				show[i] = point(side())
			}
		}
		sets, shown, outlier = append(sets, set), append(shown, show), append(outlier, flags)
	}
	return sets, shown, outlier
}

// furthest returns the candidate with the largest distance from the mean of a set.
func furthest(set, shown [][]float32) int {
	best, largest := 0, -1.0
	for i, x := range shown {
		d := 0.0
		for j := range x {
			mean := 0.0
			for _, y := range set {
				mean += float64(y[j]) / float64(len(set))
			}
			d += (float64(x[j]) - mean) * (float64(x[j]) - mean)
		}
		if d > largest {
			best, largest = i, d
		}
	}
	return best
}

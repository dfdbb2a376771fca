package neural

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"synpool/milbench/cv"
)

// SearchGrid returns values for [Grid.Sample] that suit sets of up to a few hundred bags: [SmallConfig] with several
// values of dropout, weight decay, the learning rate and the pooling's own hyperparameters. Hyperparameters that shape
// the graph need compiling, so they have two values each. There are enough epochs for fits that choose their epoch.
func SearchGrid(poolings ...string) Grid {
	return Grid{
		Preset: SmallPreset, Pooling: poolings, Epochs: []int{80},
		Dropout: []float64{0, 0.2, 0.5, 0.75}, WeightDecay: []float64{1e-4, 1e-3, 1e-2, 0.1, 0.3},
		LR: []float64{3e-4, 1e-3, 3e-3}, LRDecay: []float64{0, 0.02, 0.04},
		Batch: []int{4, 16}, Width: []int{32, 128}, Layers: []int{1, 2},
		Heads: []int{1, 8}, Norm: []bool{false, true}, Iterations: []int{-3, -1, 0, 1, 3},
		Scale: []float64{0.3, 1, 3, 10}, Beta: []float64{0.1, 0.3, 1, 3},
	}
}

// mostDraws is how many times in a row Sample may draw in vain.
const mostDraws = 1000

// Sample returns n different settings per pooling. Each hyperparameter is drawn at random from its list; invalid
// combinations are drawn again. There are fewer settings if the lists allow no more. The same grid and seed give the
// same settings.
//
// Source: J. Bergstra and Y. Bengio, "Random search for hyper-parameter optimization", JMLR 13 (2012).
func (g Grid) Sample(n int, seed uint64) ([]Config, error) {
	if n < 1 {
		return nil, fmt.Errorf("a sample of %d settings: at least 1 is needed", n)
	}
	if len(g.Pooling) == 0 {
		_, err := g.Configs()
		return nil, err
	}
	var configs []Config
	for _, pooling := range g.Pooling {
		random := cv.Rand(seed, "sample "+pooling)
		var some []Config
		var wrong error
		for vain := 0; len(some) < n && vain < mostDraws; vain++ {
			one, err := g.drawn(pooling, random).Configs()
			if err != nil {
				wrong = err
				continue
			}
			if !slices.Contains(some, one[0]) {
				some, vain = append(some, one[0]), 0
			}
		}
		if len(some) == 0 {
			return nil, wrong
		}
		configs = append(configs, some...)
	}
	return configs, nil
}

// drawn returns a grid with one random value per list.
func (g Grid) drawn(pooling string, random *rand.Rand) Grid {
	g.Pooling = []string{pooling}
	v := reflect.ValueOf(&g).Elem()
	for i := range v.NumField() {
		if list := v.Field(i); list.Kind() == reflect.Slice && list.Len() > 1 {
			k := random.IntN(list.Len())
			list.Set(list.Slice(k, k+1))
		}
	}
	return g
}

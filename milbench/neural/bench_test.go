package neural

import (
	"context"
	"fmt"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"synpool/backend/backendtest"
	"synpool/milbench"
	"synpool/milbench/dataset"
)

// musk1 returns the bags of Musk 1 and its examples.
func musk1(b *testing.B) (bags []milbench.Matrix, examples []milbench.Example) {
	b.Helper()
	set, err := dataset.Musk1()
	if err != nil {
		b.Fatal(err)
	}
	for i, bag := range set.Bags {
		bags = append(bags, bag.Instances)
		examples = append(examples, milbench.Example{Bag: i, Label: bag.Label})
	}
	return bags, examples
}

// BenchmarkTrainingStep times one step of the default network on a bag of four instances of Musk 1.
func BenchmarkTrainingStep(b *testing.B) {
	bags, examples := musk1(b)
	c, err := DefaultConfig(syn)
	if err != nil {
		b.Fatal(err)
	}
	for name, backend := range backendtest.All(b) {
		b.Run(name, func(b *testing.B) {
			programs := programs{backend: backend, of: map[structure]*sharedProgram{}}
			defer programs.finalize()
			f, initial, err := programs.prepare(c, bags, examples, 1)
			if err != nil {
				b.Fatal(err)
			}
			state, numbers, dropout := newState(initial), f.trainingNumbers(), tensors.FromScalar(uint32(1))
			total, t := tensors.FromScalar(float32(0)), int32(0)
			step := func() {
				t++
				if total, err = f.step(state, []int{0}, []int{1}, t, numbers, dropout, total); err != nil {
					b.Fatal(err)
				}
			}
			step()
			for b.Loop() {
				step()
			}
		})
	}
}

// BenchmarkFit times one fit of the demo: width 64, batch 8, 50 epochs on Musk 1. The graphs are compiled beforehand.
func BenchmarkFit(b *testing.B) {
	bags, examples := musk1(b)
	for name, backend := range backendtest.All(b) {
		for _, iterations := range []int{3, -3} {
			c, err := DefaultConfig(syn)
			if err != nil {
				b.Fatal(err)
			}
			c.Iterations, c.Width, c.Batch = iterations, 64, 8
			b.Run(fmt.Sprintf("%s/iterations=%d", name, iterations), func(b *testing.B) {
				programs := programs{backend: backend, of: map[structure]*sharedProgram{}}
				defer programs.finalize()
				fit := func() {
					f, initial, err := programs.prepare(c, bags, examples, 1)
					if err != nil {
						b.Fatal(err)
					}
					if _, err = f.train(context.Background(), initial, examples, 1, func(int, float64, *tensors.Tensor) error { return nil }); err != nil {
						b.Fatal(err)
					}
				}
				fit()
				for b.Loop() {
					fit()
				}
			})
		}
	}
}

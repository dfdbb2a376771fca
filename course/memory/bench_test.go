package memory_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"synpool/course/memory"
)

// BenchmarkFlips times an asynchronous update from a random state, by component: O(N) for N patterns, whatever the number
// of components.
func BenchmarkFlips(b *testing.B) {
	for _, n := range []int{500, 2000} {
		for _, d := range []int{50, 200, 800} {
			random := rand.New(rand.NewPCG(1, 1))
			patterns, state := memory.RandomSigns(n, d, random), memory.RandomSigns(1, d, random)[0]
			for name, m := range map[string]memory.Memory{"polynomial": &memory.Polynomial{Power: 3}, "exponential": &memory.Exponential{Log: true}} {
				store(b, m, patterns)
				b.Run(fmt.Sprintf("%s/patterns=%d/components=%d", name, n, d), func(b *testing.B) {
					for b.Loop() {
						must(m.Update(state))(b)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*d), "ns/component")
				})
			}
		}
	}
}

// BenchmarkUpdate times an update of each memory with 100 patterns of 784 components.
func BenchmarkUpdate(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1))
	patterns, state := memory.RandomSigns(100, 784, random), memory.RandomSigns(1, 784, random)[0]
	for name, m := range map[string]memory.Memory{
		"hopfield": &memory.Hopfield{}, "polynomial": &memory.Polynomial{Power: 3}, "exponential": &memory.Exponential{Log: true},
		"continuous": &memory.Continuous{Beta: 0.1}, "synergetic": &memory.Synergetic{Gamma: 1},
	} {
		store(b, m, patterns)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				must(m.Update(state))(b)
			}
		})
	}
}

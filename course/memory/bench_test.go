package memory_test

import (
	"math/rand/v2"
	"testing"

	"synpool/course/memory"
)

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

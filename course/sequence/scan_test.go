package sequence_test

import (
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend/backendtest"
	"synpool/course/sequence"
)

// TestLoops: on a backend that compiles, the graphs of the recurrences and their gradients have as many nodes whatever the
// number of steps is, and more where they are to unroll. (17 and 32 words are halved equally often to find the largest weight.)
func TestLoops(t *testing.T) {
	for name, backend := range backendtest.All(t) {
		if !slow(backend) {
			continue
		}
		for what, m := range translators() {
			t.Run(name+"/"+what, func(t *testing.T) {
				nodes := func(m sequence.Translator, steps int) int {
					g := NewGraph(backend, "loops")
					defer g.Finalize()
					store := model.NewStore()
					words := BroadcastToDims(Const(g, int32(1)), 2, steps)
					logits, _ := m.Logits(store.RootScope(), m.Encode(store.RootScope(), words, nil, nil, dtypes.Float32), words, nil)
					var of []*Node
					for v := range store.IterVariables() {
						of = append(of, v.NodeValue(g))
					}
					Gradient(ReduceAllSum(logits), of...)
					return len(g.Nodes())
				}
				if few, many := nodes(m, 17), nodes(m, 32); few != many {
					t.Errorf("%d nodes for 17 steps and %d for 32", few, many)
				}
				m.Encoder.Unroll = true
				if few, many := nodes(m, 17), nodes(m, 32); few >= many {
					t.Errorf("unrolled, %d nodes for 17 steps and %d for 32", few, many)
				}
			})
		}
	}
}

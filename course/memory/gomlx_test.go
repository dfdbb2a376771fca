package memory_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend/backendtest"
	"synpool/course/memory"
	"synpool/synlayer"
)

// TestAttentionIsHopfieldPooling compares [memory.Attention] with [synlayer.HopfieldPooling] of the same weights in float64,
// to 1e-12.
func TestAttentionIsHopfieldPooling(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	const instances, features, embed, heads = 7, 5, 8, 2
	linear := func(in, out int) memory.Linear {
		return memory.Linear{Weights: normal(random, in, out, 0.5), Bias: normal(random, 1, out, 0.3)[0]}
	}
	query, x := normal(random, 1, features, 1), normal(random, instances, features, 1)
	for name, backend := range backendtest.All(t) {
		a := memory.Attention{Heads: heads, Beta: 0.7,
			Query: linear(features, embed), Key: linear(features, embed), Value: linear(features, embed), Output: linear(embed, features)}
		values := map[string]any{"/query": query[0]}
		for path, l := range map[string]memory.Linear{"/query_projection/": a.Query, "/key_projection/": a.Key, "/value_projection/": a.Value, "/output/": a.Output} {
			values[path+"weights"], values[path+"bias"] = l.Weights, l.Bias
		}
		s := model.NewStore()
		for path, value := range values {
			must(s.CreateVariable(path, must(tensors.FromAnyValue(value))(t)))(t)
		}
		pooling := synlayer.HopfieldPooling{Embed: embed, Heads: heads, Beta: a.Beta}
		exec := model.MustNewExec(backend, s, func(scope *model.Scope, x *Node) (pooled, weights *Node) {
			return pooling.Pool(scope, synlayer.Bags{X: x})
		})
		pooled, weights := exec.MustCall2([][][]float64{x})
		for v := range s.IterVariables() {
			if _, ok := values[v.Path()]; !ok && !strings.Contains(v.Path(), "#") {
				t.Fatalf("the layer made a variable %s of its own", v.Path())
			}
		}
		got, gotWeights, err := a.Associate(query, x)
		if err != nil {
			t.Fatal(err)
		}
		requireClose(t, name+": pooled", got[0], pooled.Value().([][]float64)[0], 1e-12)
		for h, w := range weights.Value().([][][]float64)[0] {
			requireClose(t, name+": weights", gotWeights[h][0], w, 1e-12)
		}
	}
}

// TestStepsAreSyn compares [memory.Syn] with the layer of the same steps, [synlayer.Syn], in float64: to 1e-12, as
// rounding is amplified by the steps.
func TestStepsAreSyn(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	for name, backend := range backendtest.All(t) {
		for _, count := range []int{1, 5, -1, -5, -20} {
			exec := MustNewExec(backend, func(w, gamma *Node) *Node { return synlayer.Syn(w, gamma, count) })
			for _, gamma := range []float64{0.25, 0.5, 1} {
				step := memory.Syn{Gamma: gamma}.Forward
				if count < 0 {
					step = memory.Syn{Gamma: gamma}.Inverse
				}
				for range 20 {
					w := simplex(random, 6, random.IntN(4))
					order := w
					for range max(count, -count) {
						order = must(step(order))(t)
					}
					requireClose(t, name, exec.MustCall1(w, gamma).Value().([]float64), order, 1e-12)
				}
			}
		}
	}
}

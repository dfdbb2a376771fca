package memory_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers/attention"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend/backendtest"
	"synpool/course/memory"
	"synpool/synlayer"
)

// variables is a store of the given values.
func variables(t *testing.T, values map[string]any) *model.Store {
	t.Helper()
	s := model.NewStore()
	for path, value := range values {
		if _, err := s.CreateVariable(path, must(tensors.FromAnyValue(value))(t)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// requireOnly wants the store to hold no variables but those.
func requireOnly(t *testing.T, s *model.Store, values map[string]any) {
	t.Helper()
	for v := range s.IterVariables() {
		if _, ok := values[v.Path()]; !ok && !strings.Contains(v.Path(), "#") {
			t.Fatalf("the layer made a variable %s of its own", v.Path())
		}
	}
}

// TestAttentionIsMultiHeadAttention compares [memory.Attention] with GoMLX's multi-head attention in float64, with the
// weights of the golden file, to 1e-12.
func TestAttentionIsMultiHeadAttention(t *testing.T) {
	for name, backend := range backendtest.All(t) {
		for _, c := range readGolden[attentionCase](t, "attention.json") {
			const scope = "/MultiHeadAttention/"
			values := map[string]any{
				scope + "query/dense/weights": c.Query, scope + "key/dense/weights": c.Key,
				scope + "value/dense/weights": c.Value, scope + "output/dense/weights": c.Output,
			}
			if c.QueryBias != nil {
				values[scope+"query/dense/biases"] = c.QueryBias
				values[scope+"key/dense/biases"] = c.KeyBias
				values[scope+"value/dense/biases"] = c.ValueBias
				values[scope+"output/dense/biases"] = c.OutputBias
			}
			s := variables(t, values)
			exec := model.MustNewExec(backend, s, func(scope *model.Scope, r, y *Node) (z, weights *Node) {
				return attention.MultiHeadAttention(scope, r, y, y, c.Heads, len(c.Key[0])/c.Heads).
					WithOutputDim(len(c.Output[0])).UseProjectionBias(c.QueryBias != nil).DoneWithCoefficients()
			})
			z, weights := exec.MustCall2([][][]float64{c.States}, [][][]float64{c.Patterns})
			requireOnly(t, s, values)
			got, gotWeights, err := c.layer().Associate(c.States, c.Patterns)
			if err != nil {
				t.Fatal(err)
			}
			for i, row := range z.Value().([][][]float64)[0] {
				requireClose(t, name+": z", got[i], row, 1e-12)
				for h, w := range weights.Value().([][][][]float64)[0][i] {
					requireClose(t, name+": weights", gotWeights[h][i], w, 1e-12)
				}
			}
		}
	}
}

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
		s := variables(t, values)
		pooling := synlayer.HopfieldPooling{Embed: embed, Heads: heads, Beta: a.Beta}
		exec := model.MustNewExec(backend, s, func(scope *model.Scope, x *Node) (pooled, weights *Node) {
			return pooling.Pool(scope, synlayer.Bags{X: x})
		})
		pooled, weights := exec.MustCall2([][][]float64{x})
		requireOnly(t, s, values)
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
// rounding is amplified by the steps. What the layer ends in after many inverse steps, 60 at γ of 0.5 and 1, is f⁻¹(1/√N).
func TestStepsAreSyn(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	for name, backend := range backendtest.All(t) {
		for _, count := range []int{1, 5, -1, -5, -20} {
			exec := MustNewExec(backend, func(w, gamma *Node) *Node { return synlayer.Syn(w, gamma, count) })
			for _, gamma := range []float64{0.25, 0.5, 1} {
				s := memory.Syn{Gamma: gamma}
				for range 20 {
					w := simplex(random, 6, random.IntN(4))
					times := 1
					if count == -20 {
						times = 3
					}
					layer, order := w, w
					for range times {
						layer = exec.MustCall1(layer, gamma).Value().([]float64)
					}
					for range times * max(count, -count) {
						if count > 0 {
							order = must(s.Forward(order))(t)
						} else {
							order = must(s.Inverse(order))(t)
						}
					}
					requireClose(t, name, layer, order, 1e-12)
					n := 0
					for _, v := range w {
						if v > 0 {
							n++
						}
					}
					for i, v := range w {
						if f := gamma*layer[i]*layer[i]*layer[i] + (1-gamma)*layer[i]; count == -20 && gamma >= 0.5 && v > 0 && math.Abs(f-1/math.Sqrt(float64(n))) > 1e-6 {
							t.Fatalf("%s, gamma %g: f of the limit is %g for %d weights", name, gamma, f, n)
						}
					}
				}
			}
		}
	}
}

package sequence_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend/backendtest"
	"synpool/course/sequence"
	"synpool/internal/goldenfile"
	"synpool/internal/goldentest"
	"synpool/synlayer"
)

// must returns v, or panics with the error: for results that a test or an Example goes on with.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// array is a nested list of numbers of a golden file.
type array = goldentest.Array

// third returns one third of the rows.
func third(a array, i int) array { return a.Rows(i*a.Dims[0]/3, (i+1)*a.Dims[0]/3) }

// golden is a case of testdata/golden.json.
type golden struct {
	Name   string
	Config struct {
		Hidden, Embed, Heads, Inner, Width int
		Layers                             int
		Bidirectional, Causal              bool
		NormFirst                          bool `json:"norm_first"`
		Activation                         string
		State, Align                       int
		Score                              string // "" for additive
		Iterations                         int
		Gamma                              float64
		Renormalise                        bool
		Source, Before                     [][]int32
		SourceWords                        int `json:"source_words"`
		TargetWords                        int `json:"target_words"`
		Words, Sentences, Hops, Answers    int
		Linear                             bool
		Story                              [][][]int32
		Question                           [][]int32
	}
	Mask                                   [][]bool
	Documents                              [][][]bool
	Target                                 [][]bool
	Inputs, Parameters, Outputs, Gradients map[string]array
}

// goldens returns the cases whose names begin with prefix.
func goldens(t *testing.T, prefix string) []golden {
	t.Helper()
	file := goldenfile.Read[struct{ Cases []golden }](t, "golden.json")
	cases := slices.DeleteFunc(file.Cases, func(c golden) bool { return !strings.HasPrefix(c.Name, prefix) })
	if len(cases) == 0 {
		t.Fatalf("no case of %s", prefix)
	}
	return cases
}

// below returns the parameters whose names begin with prefix, without it.
func below(torch map[string]array, prefix string) map[string]array {
	rest := map[string]array{}
	for name, value := range torch {
		if name, ok := strings.CutPrefix(name, prefix); ok {
			rest[name] = value
		}
	}
	return rest
}

// linear adds to ours, below the path to, the weights and bias of torch's linear map from.
func linear(ours map[string]array, to string, torch map[string]array, from string) {
	ours[to+"/weights"] = torch[from+".weight"].Transposed()
	if bias, ok := torch[from+".bias"]; ok {
		ours[to+"/bias"] = bias
	}
}

// forEach runs f on every backend at hand in both float types.
func forEach(t *testing.T, f func(t *testing.T, backend compute.Backend, dtype dtypes.DType)) {
	for name, backend := range backendtest.All(t) {
		for _, dtype := range []dtypes.DType{dtypes.Float64, dtypes.Float32} {
			t.Run(fmt.Sprintf("%s/%s", name, dtype), func(t *testing.T) { f(t, backend, dtype) })
		}
	}
}

// slow says whether the backend compiles each graph for a second or more.
func slow(backend compute.Backend) bool { return !backendtest.IsGo(backend) }

// near fails unless got is want: in float64 to the rounding of sums of tens of terms, in float32 to that of PyTorch's
// values against its own in float64, a few units of 1e-7 of the largest.
func near(t *testing.T, what string, dtype dtypes.DType, got, want []float64) {
	t.Helper()
	off := 1e-12
	if dtype == dtypes.Float32 {
		off = 5e-6
	}
	within(t, what, got, want, off)
}

// within fails unless got is want up to off times the largest of want, or off where that is below 1.
func within(t *testing.T, what string, got, want []float64, off float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	largest := 1.0
	for _, w := range want {
		largest = max(largest, math.Abs(w))
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= off*largest) {
			t.Fatalf("%s[%d] = %.17g, want %.17g", what, i, got[i], want[i])
		}
	}
}

// waves is the sum of y times cos(0, 1, 2, ...), the objective of the golden gradients.
func waves(outputs ...*Node) *Node {
	var sum *Node
	for _, y := range outputs {
		weights := make([]float64, y.Shape().Size())
		for i := range weights {
			weights[i] = math.Cos(float64(i))
		}
		s := ReduceAllSum(Mul(Reshape(y, -1), ConstAs(y, weights)))
		if sum == nil {
			sum = s
		} else {
			sum = Add(sum, s)
		}
	}
	return sum
}

// layer is what check builds: the outputs by name from the inputs by name.
type layer func(scope *model.Scope, in map[string]*Node, mask *Node) map[string]*Node

// check compares a layer with a golden case: params names PyTorch's parameters as ours.
func (c golden) check(t *testing.T, backend compute.Backend, dtype dtypes.DType, params func(map[string]array) map[string]array, build layer) {
	t.Helper()
	store := model.NewStore()
	values := params(c.Parameters)
	paths := slices.Sorted(maps.Keys(values))
	for _, path := range paths {
		if _, err := store.CreateVariable(path, values[path].Tensor(dtype)); err != nil {
			t.Fatal(err)
		}
	}
	names, outputs := slices.Sorted(maps.Keys(c.Inputs)), slices.Sorted(maps.Keys(c.Outputs))
	args := []any{tensors.FromValue(c.Mask)}
	for _, name := range names {
		args = append(args, c.Inputs[name].Tensor(dtype))
	}
	results, err := model.MustNewExec(backend, store, func(scope *model.Scope, args []*Node) []*Node {
		mask, args := args[0], args[1:]
		in := map[string]*Node{}
		for i, name := range names {
			in[name] = args[i]
		}
		made := build(scope, in, mask)
		var out []*Node
		for _, name := range outputs {
			out = append(out, made[name])
		}
		of := slices.Clone(args)
		for _, path := range paths {
			of = append(of, store.GetVariable(path).NodeValue(mask.Graph()))
		}
		return append(out, Gradient(waves(out...), of...)...)
	}).Call(args...)
	if err != nil {
		t.Fatalf("%s: %v", c.Name, err)
	}
	count := 0
	for v := range store.IterVariables() {
		if v.Trainable && v.DType().IsFloat() {
			count++
		}
	}
	if count != len(paths) {
		t.Fatalf("%s: the layer has %d variables, PyTorch's %d", c.Name, count, len(paths))
	}
	for i, name := range outputs {
		near(t, c.Name+": "+name, dtype, goldentest.Floats(results[i]), c.Outputs[name].Flat)
	}
	results = results[len(outputs):]
	for i, name := range names {
		near(t, c.Name+": gradient of "+name, dtype, goldentest.Floats(results[i]), c.Gradients[name].Flat)
	}
	gradients := params(c.Gradients)
	for i, path := range paths {
		near(t, c.Name+": gradient of "+path, dtype, goldentest.Floats(results[len(names)+i]), gradients[path].Flat)
	}
}

// TestGoldenRNN compares both cells, in both directions, as a loop and unrolled, with PyTorch's on packed sequences.
func TestGoldenRNN(t *testing.T) {
	for kind, cell := range map[string]sequence.Cell{"LSTM": sequence.LSTM, "GRU": sequence.GRU} {
		for _, c := range goldens(t, kind) {
			for _, unroll := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, unroll %t", c.Name, unroll), func(t *testing.T) {
					forEach(t, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
						if slow(backend) && (dtype == dtypes.Float32 || !c.Config.Bidirectional || unroll && cell == sequence.GRU) {
							return // the same once more, which takes XLA seconds to compile
						}
						c.check(t, backend, dtype, rnnParameters, func(scope *model.Scope, in map[string]*Node, mask *Node) map[string]*Node {
							initial := []*Node{in["h"]}
							if cell == sequence.LSTM {
								initial = append(initial, in["c"])
							}
							rnn := sequence.RNN{Cell: cell, Hidden: c.Config.Hidden, Bidirectional: c.Config.Bidirectional, Unroll: unroll}
							states, last := rnn.Encode(scope, synlayer.Bags{X: in["x"], Mask: mask}, initial)
							out := map[string]*Node{"states": states, "last_h": last[0]}
							if cell == sequence.LSTM {
								out["last_c"] = last[1]
							}
							return out
						})
					})
				})
			}
		}
	}
}

func rnnParameters(torch map[string]array) map[string]array {
	ours := map[string]array{}
	for suffix, direction := range map[string]string{"_l0": "/forward/", "_l0_reverse": "/backward/"} {
		if _, ok := torch["weight_ih"+suffix]; ok {
			ours[direction+"weights"] = torch["weight_ih"+suffix].Transposed()
			ours[direction+"recurrent"] = torch["weight_hh"+suffix].Transposed()
			ours[direction+"bias"] = torch["bias_ih"+suffix]
			ours[direction+"recurrent_bias"] = torch["bias_hh"+suffix]
		}
	}
	return ours
}

// TestGoldenMultiHeadAttention compares with PyTorch's nn.MultiheadAttention, which has a mask of keys and a causal one.
func TestGoldenMultiHeadAttention(t *testing.T) {
	for _, c := range goldens(t, "MultiheadAttention") {
		forEach(t, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
			attention := sequence.MultiHeadAttention{Embed: c.Config.Embed, Heads: c.Config.Heads, Causal: c.Config.Causal}
			params := func(torch map[string]array) map[string]array { return attentionParameters(torch, "", "/") }
			c.check(t, backend, dtype, params, func(scope *model.Scope, in map[string]*Node, mask *Node) map[string]*Node {
				query, key, value := in["query"], in["key"], in["value"]
				if x := in["x"]; x != nil {
					query, key, value = x, x, x
				}
				out, weights := attention.Attend(scope, query, key, value, mask)
				return map[string]*Node{"out": out, "weights": weights}
			})
		})
	}
}

func attentionParameters(torch map[string]array, from, to string) map[string]array {
	ours := map[string]array{to + "output/weights": torch[from+"out_proj.weight"].Transposed(), to + "output/bias": torch[from+"out_proj.bias"]}
	for i, name := range []string{"query", "key", "value"} {
		ours[to+name+"/weights"] = third(torch[from+"in_proj_weight"], i).Transposed()
		ours[to+name+"/bias"] = third(torch[from+"in_proj_bias"], i)
	}
	return ours
}

// TestGoldenTransformerLayer compares with PyTorch's nn.TransformerEncoderLayer and nn.TransformerDecoderLayer, with the norm
// first or last.
func TestGoldenTransformerLayer(t *testing.T) {
	for _, c := range append(goldens(t, "TransformerEncoderLayer"), goldens(t, "TransformerDecoderLayer")...) {
		forEach(t, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
			if slow(backend) && dtype == dtypes.Float32 {
				return // the same once more, which takes XLA seconds to compile
			}
			layer := sequence.TransformerLayer{
				Attention: sequence.MultiHeadAttention{Embed: c.Config.Embed, Heads: c.Config.Heads},
				Inner:     c.Config.Inner, NormFirst: c.Config.NormFirst, GELU: c.Config.Activation == "gelu",
			}
			c.check(t, backend, dtype, transformerParameters, func(scope *model.Scope, in map[string]*Node, mask *Node) map[string]*Node {
				s := synlayer.Bags{X: in["x"], Mask: mask}
				if c.Target == nil {
					y, _ := layer.Encode(scope, s)
					return map[string]*Node{"out": y}
				}
				s.Mask = Const(mask.Graph(), c.Target)
				y, _, _ := layer.Decode(scope, s, synlayer.Bags{X: in["source"], Mask: mask})
				return map[string]*Node{"out": y}
			})
		})
	}
}

// transformerParameters are those of an encoder layer or, if there is a second attention, of a decoder layer.
func transformerParameters(torch map[string]array) map[string]array {
	ours := attentionParameters(torch, "self_attn.", "/attention/")
	norms := []string{"attention", "inner"}
	if cross := below(torch, "multihead_attn."); len(cross) > 0 {
		maps.Copy(ours, attentionParameters(cross, "", "/cross/"))
		norms = []string{"attention", "cross", "inner"}
	}
	for i, name := range norms {
		from, to := fmt.Sprintf("norm%d", i+1), "/"+name+"_norm"
		ours[to+"/gain"], ours[to+"/bias"] = torch[from+".weight"], torch[from+".bias"]
	}
	linear(ours, "/inner", torch, "linear1")
	linear(ours, "/outer", torch, "linear2")
	return ours
}

// TestGoldenTranslator compares the encoder and decoder, with each score, adjusted or not, and without attention, as loops and unrolled, with
// the same in PyTorch's cells and automatic differentiation.
func TestGoldenTranslator(t *testing.T) {
	for _, c := range goldens(t, "Translator") {
		score := sequence.Score(max(0, slices.Index([]string{"additive", "dot", "general"}, c.Config.Score)))
		cell := sequence.LSTM
		if strings.Contains(c.Name, "GRU") {
			cell = sequence.GRU
		}
		for _, unroll := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, unroll %t", c.Name, unroll), func(t *testing.T) {
				forEach(t, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
					if slow(backend) && (unroll || dtype == dtypes.Float32 || max(c.Config.Iterations, -c.Config.Iterations) != 2) {
						return // most of it once more, which takes XLA seconds to compile
					}
					translator := sequence.Translator{
						Source: c.Config.SourceWords, Target: c.Config.TargetWords, Embed: c.Config.Embed, Hidden: c.Config.State, Align: c.Config.Align, Score: score,
						Adjust:  sequence.Adjustment{Iterations: c.Config.Iterations, Gamma: c.Config.Gamma, Renormalise: c.Config.Renormalise},
						Encoder: sequence.RNN{Cell: cell, Hidden: c.Config.Hidden, Bidirectional: true, Unroll: unroll},
					}
					c.check(t, backend, dtype, c.translatorParameters, func(scope *model.Scope, _ map[string]*Node, mask *Node) map[string]*Node {
						g := mask.Graph()
						memory := translator.Encode(scope, Const(g, c.Config.Source), mask, nil, dtype)
						logits, alignments := translator.Logits(scope, memory, Const(g, c.Config.Before), nil)
						return map[string]*Node{"logits": logits, "alignments": alignments}
					})
				})
			})
		}
	}
}

func (c golden) translatorParameters(torch map[string]array) map[string]array {
	ours := map[string]array{"/source/weights": torch["source.weight"], "/target/weights": torch["target.weight"]}
	for name, value := range rnnParameters(below(torch, "encoder.")) {
		ours["/encoder"+name] = value
	}
	for _, name := range []string{"bridge_0", "bridge_1", "key", "readout", "output"} {
		if _, ok := torch[name+".weight"]; ok {
			linear(ours, "/"+name, torch, name)
		}
	}
	input := torch["cell.weight_ih"].Transposed() // of y, then of c
	ours["/decoder/weights"] = input.Rows(0, c.Config.Embed)
	ours["/decoder/recurrent"] = torch["cell.weight_hh"].Transposed()
	ours["/decoder/bias"], ours["/decoder/recurrent_bias"] = torch["cell.bias_ih"], torch["cell.bias_hh"]
	if input.Dims[0] > c.Config.Embed {
		ours["/decoder/context"] = input.Rows(c.Config.Embed, input.Dims[0])
	}
	if c.Config.Align > 0 {
		ours["/query"] = torch["query.weight"].Transposed()
		ours["/score"] = torch["score.weight"].Reshape(c.Config.Align)
	}
	return ours
}

// TestGoldenTransformerTranslator compares with stacks of PyTorch's layers, with the norm first or last.
func TestGoldenTransformerTranslator(t *testing.T) {
	for _, c := range goldens(t, "TransformerTranslator") {
		m := sequence.TransformerTranslator{
			Source: c.Config.SourceWords, Target: c.Config.TargetWords, Layers: c.Config.Layers, Longest: 1,
			Layer: sequence.TransformerLayer{
				Attention: sequence.MultiHeadAttention{Embed: c.Config.Embed, Heads: c.Config.Heads}, Inner: c.Config.Inner, NormFirst: c.Config.NormFirst,
			},
		}
		params := func(torch map[string]array) map[string]array {
			ours := map[string]array{"/source/weights": torch["source.weight"], "/target/weights": torch["target.weight"]}
			linear(ours, "/output", torch, "output")
			for _, name := range []string{"encoder", "decoder"} {
				for i := range m.Layers {
					for path, value := range transformerParameters(below(torch, fmt.Sprintf("%s.layers.%d.", name, i))) {
						ours[fmt.Sprintf("/%s_%d%s", name, i, path)] = value
					}
				}
				if m.Layer.NormFirst {
					ours["/"+name+"_norm/gain"], ours["/"+name+"_norm/bias"] = torch[name+".norm.weight"], torch[name+".norm.bias"]
				}
			}
			return ours
		}
		forEach(t, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
			if slow(backend) && (dtype == dtypes.Float32 || !c.Config.NormFirst) {
				return // most of it once more, which takes XLA seconds to compile
			}
			c.check(t, backend, dtype, params, func(scope *model.Scope, _ map[string]*Node, mask *Node) map[string]*Node {
				g := mask.Graph()
				memory := m.Encode(scope, Const(g, c.Config.Source), mask, nil, dtype)
				logits, alignments := m.Logits(scope, memory, Const(g, c.Config.Before), nil)
				return map[string]*Node{"logits": logits, "alignments": alignments}
			})
		})
	}
}

// TestGoldenPoolings compares the attentions to words with the same of each sentence alone in PyTorch.
func TestGoldenPoolings(t *testing.T) {
	for name, pooling := range map[string]synlayer.Pooling{"WordAttention": sequence.WordAttention{Width: 3}, "DocumentAttention": sequence.DocumentAttention{Width: 3}} {
		for _, c := range goldens(t, name) {
			params := func(torch map[string]array) map[string]array {
				ours := map[string]array{"/context": torch["context"]}
				for _, name := range []string{"tanh", "word", "document"} {
					if _, ok := torch[name+".weight"]; ok {
						linear(ours, "/"+name, torch, name)
					}
				}
				return ours
			}
			forEach(t, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
				c.check(t, backend, dtype, params, func(scope *model.Scope, in map[string]*Node, mask *Node) map[string]*Node {
					pooled, weights := pooling.Pool(scope, synlayer.Bags{X: in["x"], Mask: mask})
					return map[string]*Node{"pooled": pooled, "weights": weights}
				})
			})
		}
	}
}

// TestGoldenHierarchicalAttention compares with PyTorch's GRU on each sentence and document alone, one with an empty sentence.
func TestGoldenHierarchicalAttention(t *testing.T) {
	for _, c := range goldens(t, "HierarchicalAttention") {
		encoder := sequence.RNN{Cell: sequence.GRU, Hidden: c.Config.Hidden, Bidirectional: true}
		attention := sequence.WordAttention{Width: c.Config.Width}
		h := sequence.HierarchicalAttention{Words: encoder, WordAttention: attention, Sentences: encoder, SentenceAttention: attention}
		params := func(torch map[string]array) map[string]array {
			ours := map[string]array{}
			for _, name := range []string{"words", "sentences"} {
				for path, value := range rnnParameters(below(torch, name+".")) {
					ours["/"+name+path] = value
				}
			}
			for _, name := range []string{"word_attention", "sentence_attention"} {
				linear(ours, "/"+name+"/tanh", torch, name+".tanh")
				ours["/"+name+"/context"] = torch[name+".context"]
			}
			return ours
		}
		forEach(t, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
			if slow(backend) && dtype == dtypes.Float32 {
				return // the same once more, which takes XLA seconds to compile
			}
			c.check(t, backend, dtype, params, func(scope *model.Scope, in map[string]*Node, mask *Node) map[string]*Node {
				documents, words, sentences := h.Pool(scope, in["x"], Const(mask.Graph(), c.Documents), nil)
				return map[string]*Node{"documents": documents, "words": words, "sentences": sentences}
			})
		})
	}
}

// TestGoldenMemoryNetwork compares with one story and question at a time, with empty sentences and one sentence more than
// there are ages, with the softmax and without.
func TestGoldenMemoryNetwork(t *testing.T) {
	for _, c := range goldens(t, "MemoryNetwork") {
		m := sequence.MemoryNetwork{
			Words: c.Config.Words, Width: c.Config.Width, Sentences: c.Config.Sentences, Hops: c.Config.Hops, Answers: c.Config.Answers, Linear: c.Config.Linear,
		}
		params := func(torch map[string]array) map[string]array {
			ours := map[string]array{}
			for i := range c.Config.Hops + 1 {
				ours[fmt.Sprintf("/embedding_%d/weights", i)] = torch[fmt.Sprintf("embedding.%d.weight", i)]
				ours[fmt.Sprintf("/age_%d/weights", i)] = torch[fmt.Sprintf("age.%d.weight", i)]
			}
			linear(ours, "/answer", torch, "answer")
			return ours
		}
		forEach(t, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
			c.check(t, backend, dtype, params, func(scope *model.Scope, _ map[string]*Node, mask *Node) map[string]*Node {
				words := func(ids any) (words, there *Node) {
					words = Const(mask.Graph(), ids)
					return words, NotEqual(words, ScalarZero(words.Graph(), words.DType()))
				}
				story, ofStory := words(c.Config.Story)
				question, ofQuestion := words(c.Config.Question)
				logits, weights := m.Logits(scope, story, ofStory, question, ofQuestion, dtype)
				return map[string]*Node{"logits": logits, "weights": weights}
			})
		})
	}
}

// TestGoldenDeepSets compares with each set alone in PyTorch's linear maps and rectifiers.
func TestGoldenDeepSets(t *testing.T) {
	d := sequence.DeepSets{Element: []int{5, 3}, Pooling: synlayer.SumPooling{}, Set: []int{4, 2}}
	params := func(torch map[string]array) map[string]array {
		ours := map[string]array{}
		for _, name := range []string{"element", "set"} {
			linear(ours, "/"+name+"_0", torch, name+".0")
			linear(ours, "/"+name+"_1", torch, name+".2")
		}
		return ours
	}
	for _, c := range goldens(t, "DeepSets") {
		forEach(t, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
			c.check(t, backend, dtype, params, func(scope *model.Scope, in map[string]*Node, mask *Node) map[string]*Node {
				f, _ := d.Apply(scope, synlayer.Bags{X: in["x"], Mask: mask})
				return map[string]*Node{"f": f}
			})
		})
	}
}

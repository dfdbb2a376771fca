package synlayer_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend/backendtest"
	"synpool/internal/batched"
	"synpool/internal/goldenfile"
	"synpool/internal/goldentest"
	"synpool/synlayer"
)

// array is a nested list of numbers of a golden file.
type array = goldentest.Array

// tolerance is what a value may be off, relative to its size, or to that of the largest of its array, or absolutely.
type tolerance struct{ relative, ofLargest, absolute float64 }

func (tol tolerance) check(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", what, len(got), len(want))
		return
	}
	largest := 0.0
	for _, w := range want {
		largest = max(largest, math.Abs(w))
	}
	for i := range want {
		if off := math.Abs(got[i] - want[i]); !(off <= tol.absolute+tol.relative*math.Abs(want[i])+tol.ofLargest*largest) {
			t.Errorf("%s[%d] = %.17g, want %.17g: off by %.3g", what, i, got[i], want[i], off)
			return
		}
	}
}

var floatTypes = []dtypes.DType{dtypes.Float64, dtypes.Float32}

// forEach runs f on every backend at hand in both float types.
func forEach(t *testing.T, f func(t *testing.T, backend compute.Backend, dtype dtypes.DType)) {
	for name, backend := range backendtest.All(t) {
		for _, dtype := range floatTypes {
			t.Run(fmt.Sprintf("%s/%s", name, dtype), func(t *testing.T) { f(t, backend, dtype) })
		}
	}
}

// TestGoldenSynSteps compares Syn with 50-digit arithmetic, and with gamma 1 also LogSyn, on the logarithms of the weights.
func TestGoldenSynSteps(t *testing.T) {
	type synCase struct {
		Gamma   float64
		Steps   int
		Weights array
		Out     array
	}
	cases := goldenfile.Read[[]synCase](t, "golden/syn_steps.json")
	forEach(t, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
		// Cases with one number of steps make one batch: shorter rows end in zeros, which must stay, and gamma is a
		// number that differs between rows.
		bySteps := map[int][]int{}
		width := 0
		for i, c := range cases {
			bySteps[c.Steps] = append(bySteps[c.Steps], i)
			width = max(width, len(c.Weights.Flat))
		}
		for steps, rows := range bySteps {
			weights := array{Dims: []int{len(rows), width}, Flat: make([]float64, len(rows)*width)}
			gammas := array{Dims: []int{len(rows)}}
			for k, i := range rows {
				copy(weights.Flat[k*width:], cases[i].Weights.Flat)
				gammas.Flat = append(gammas.Flat, cases[i].Gamma)
			}
			out, err := CallOnceN(backend, func(w, gamma *Node) []*Node {
				bounded := batched.SynUpTo(w, gamma, Const(w.Graph(), int32(steps)), max(steps, -steps))
				positive := GreaterThan(w, ScalarZero(w.Graph(), w.DType()))
				logs := synlayer.LogSyn(ExpandAxes(Log(Where(positive, w, OnesLike(w))), -2), positive, steps)
				return []*Node{synlayer.Syn(w, gamma, steps), bounded, Exp(Squeeze(logs, -2))}
			}, weights.Tensor(dtype), gammas.Tensor(dtype))
			if err != nil {
				t.Fatal(err)
			}
			tol := tolerance{relative: 1e-9, absolute: 1e-300}
			if steps <= -20 {
				tol.relative = 1e-7
			}
			if dtype == dtypes.Float32 {
				tol = tolerance{relative: 2e-5, absolute: 1e-37}
			}
			for form, name := range []string{"Syn", "SynUpTo", "LogSyn"} {
				got := goldentest.Floats(out[form])
				for k, i := range rows {
					if name == "LogSyn" && (cases[i].Gamma < 1 || slices.Min(cases[i].Weights.Flat) < 0) {
						continue
					}
					want := make([]float64, width)
					copy(want, cases[i].Out.Flat)
					tol.check(t, fmt.Sprintf("%s, case %d (gamma %g, %d steps)", name, i, cases[i].Gamma, steps), got[k*width:(k+1)*width], want)
				}
			}
		}
	})
}

// goldenTolerance is that of the files made in float64 by PyTorch: sums of a few products, so errors are measured
// against the largest value of an array.
func goldenTolerance(dtype dtypes.DType) tolerance {
	if dtype == dtypes.Float64 {
		return tolerance{relative: 1e-8, absolute: 1e-12}
	}
	return tolerance{relative: 1e-4, ofLargest: 1e-4, absolute: 1e-6}
}

// run builds f on a store that holds params, by path, and returns its outputs followed by the gradient of the first
// output, a scalar, with respect to input 0 and to each parameter.
func run(t *testing.T, backend compute.Backend, dtype dtypes.DType, params map[string]array, inputs []array,
	f func(scope *model.Scope, inputs []*Node) (loss *Node, outputs []*Node)) (outputs [][]float64, gradX []float64, grads map[string][]float64) {
	t.Helper()
	store := model.NewStore()
	var paths []string
	for path, value := range params {
		if _, err := store.CreateVariable(path, value.Tensor(dtype)); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	slices.Sort(paths)
	exec := model.MustNewExec(backend, store, func(scope *model.Scope, in []*Node) []*Node {
		loss, outputs := f(scope, in)
		of := []*Node{in[0]}
		for _, path := range paths {
			of = append(of, store.GetVariable(path).NodeValue(loss.Graph()))
		}
		return append(outputs, Gradient(loss, of...)...)
	})
	args := make([]any, len(inputs))
	for i, in := range inputs {
		args[i] = in.Tensor(dtype)
	}
	results, err := exec.Call(args...)
	if err != nil {
		t.Fatal(err)
	}
	for v := range store.IterVariables() {
		if _, ok := params[v.Path()]; !ok && !strings.Contains(v.Path(), "#") {
			t.Fatalf("the layer made a variable %s that the golden file does not have", v.Path())
		}
	}
	count := len(results) - 1 - len(paths)
	for _, r := range results[:count] {
		outputs = append(outputs, goldentest.Floats(r))
	}
	gradX = goldentest.Floats(results[count])
	grads = map[string][]float64{}
	for i, path := range paths {
		grads[path] = goldentest.Floats(results[count+1+i])
	}
	return outputs, gradX, grads
}

// synParams names the parameters of the published SynPool as ours.
func synParams(published map[string]array, in, under string) map[string]array {
	p := func(name string) array { return published[in+name] }
	return map[string]array{
		under + "query":                    p("q").Reshape(len(p("q").Flat)),
		under + "norm/gain":                p("layernorm.weight"),
		under + "norm/bias":                p("layernorm.bias"),
		under + "keyvalue/weights":         p("in_proj_kv.weight").Transposed(),
		under + "keyvalue/bias":            p("in_proj_kv.bias"),
		under + "query_projection/weights": p("in_proj_q.weight").Transposed(),
		under + "query_projection/bias":    p("in_proj_q.bias"),
		under + "output/weights":           p("out_proj.weight").Transposed(),
		under + "output/bias":              p("out_proj.bias"),
	}
}

func TestGoldenSynPool(t *testing.T) {
	type poolCase struct {
		EmbedDim   int `json:"embed_dim"`
		OutputDim  int `json:"output_dim"`
		Heads      int
		Steps      int
		Scale      float64
		Gamma      float64
		Params     map[string]array
		X          array
		Attention  array
		Out        array
		Cotangent  array
		GradX      array            `json:"grad_x"`
		GradParams map[string]array `json:"grad_params"`
	}
	cases := goldenfile.Read[[]poolCase](t, "golden/synpool.json")
	forEach(t, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
		for i, c := range cases {
			pooling := synlayer.SynPooling{Embed: c.EmbedDim, Heads: c.Heads, Scale: c.Scale, Iterations: c.Steps,
				Gamma: c.Gamma, Norm: true, Output: c.OutputDim}
			outputs, gradX, grads := run(t, backend, dtype, synParams(c.Params, "", "/"), []array{c.X, c.Cotangent},
				func(scope *model.Scope, in []*Node) (*Node, []*Node) {
					pooled, weights := pooling.Pool(scope, synlayer.Bags{X: in[0]})
					return ReduceAllSum(Mul(pooled, in[1])), []*Node{pooled, weights}
				})
			tol := goldenTolerance(dtype)
			name := fmt.Sprintf("case %d ", i)
			tol.check(t, name+"out", outputs[0], c.Out.Flat)
			tol.check(t, name+"attention", outputs[1], c.Attention.Flat)
			tol.check(t, name+"grad_x", gradX, c.GradX.Flat)
			for path, want := range synParams(c.GradParams, "", "/") {
				tol.check(t, name+"gradient of "+path, grads[path], want.Flat)
			}
		}
	})
}

type hopfieldCase struct {
	HiddenDim   int `json:"hidden_dim"`
	OutputDim   int `json:"output_dim"`
	Heads       int
	Beta        float64
	UpdateSteps int `json:"update_steps"`
	Params      map[string]array
	X           array
	Association array
	Out         array
	Cotangent   array
	GradX       array `json:"grad_x"`
}

// params names the parameters of the published layer as ours.
func (c hopfieldCase) params() map[string]array {
	const core = "hopfield.association_core."
	embed := c.HiddenDim * c.Heads
	in, bias := c.Params[core+"in_proj_weight"], c.Params[core+"in_proj_bias"]
	query := c.Params["pooling_weights"]
	params := map[string]array{
		"/query":          query.Reshape(len(query.Flat)),
		"/output/weights": c.Params[core+"out_proj.weight"].Transposed(),
		"/output/bias":    c.Params[core+"out_proj.bias"],
	}
	for k, name := range []string{"query", "key", "value"} {
		params["/"+name+"_projection/weights"] = in.Rows(k*embed, (k+1)*embed).Transposed()
		params["/"+name+"_projection/bias"] = bias.Rows(k*embed, (k+1)*embed)
	}
	return params
}

// TestGoldenHopfield compares the published layer. The gradient by x of case 1 is that of complex steps (hopfieldpooling.py), which equal the
// file's to 1e-18 in the other cases: some versions of PyTorch misplace the gradient of masked_select, through which the
// published layer updates the state pattern of several bags or heads.
func TestGoldenHopfield(t *testing.T) {
	cases := goldenfile.Read[[]hopfieldCase](t, "golden/hopfieldpooling.json")
	forEach(t, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
		for i, c := range cases {
			pooling := synlayer.HopfieldPooling{Embed: c.HiddenDim * c.Heads, Heads: c.Heads, Beta: c.Beta,
				UpdateSteps: c.UpdateSteps, Tolerance: 1e-4, Output: c.OutputDim, BatchStop: true}
			outputs, gradX, _ := run(t, backend, dtype, c.params(), []array{c.X, c.Cotangent},
				func(scope *model.Scope, in []*Node) (*Node, []*Node) {
					pooled, weights := pooling.Pool(scope, synlayer.Bags{X: in[0]})
					return ReduceAllSum(Mul(pooled, in[1])), []*Node{pooled, weights}
				})
			tol := goldenTolerance(dtype)
			name := fmt.Sprintf("case %d ", i)
			tol.check(t, name+"out", outputs[0], c.Out.Flat)
			tol.check(t, name+"association", outputs[1], c.Association.Flat)
			tol.check(t, name+"grad_x", gradX, c.GradX.Flat)
		}
	})
}

// TestGoldenNet compares the whole network, with the published loss: the logistic loss of a positive bag with the
// probability clamped to [1e-5, 1-1e-5].
func TestGoldenNet(t *testing.T) {
	type netCase struct {
		EmbedLayers int `json:"embed_layers"`
		HiddenDim   int `json:"hidden_dim"`
		EmbedDim    int `json:"embed_dim"`
		Steps       int
		Heads       int
		Scale       float64
		Params      map[string]array
		X           array
		Prob        float64
		Loss        float64
		GradParams  map[string]array `json:"grad_params"`
	}
	ours := func(published map[string]array, layers int) map[string]array {
		params := synParams(published, "pooling.", "/pooling/")
		for i := range layers {
			// The published layers alternate with their ReLU.
			params[fmt.Sprintf("/embedding_%d/weights", i)] = published[fmt.Sprintf("feature_extractor.%d.weight", 2*i)].Transposed()
			params[fmt.Sprintf("/embedding_%d/bias", i)] = published[fmt.Sprintf("feature_extractor.%d.bias", 2*i)]
		}
		params["/classifier/weights"] = published["classifier.0.weight"].Transposed()
		params["/classifier/bias"] = published["classifier.0.bias"]
		return params
	}
	cases := goldenfile.Read[[]netCase](t, "golden/net.json")
	forEach(t, func(t *testing.T, backend compute.Backend, dtype dtypes.DType) {
		for i, c := range cases {
			network := synlayer.Network{Layers: c.EmbedLayers, Width: c.HiddenDim, Pooling: synlayer.SynPooling{
				Embed: c.EmbedDim, Heads: c.Heads, Scale: c.Scale, Iterations: c.Steps, Gamma: 0.5, Norm: true}}
			x := c.X.Reshape(append([]int{1}, c.X.Dims...)...)
			outputs, _, grads := run(t, backend, dtype, ours(c.Params, c.EmbedLayers), []array{x},
				func(scope *model.Scope, in []*Node) (*Node, []*Node) {
					logits, _ := network.Logits(scope, synlayer.Bags{X: in[0]})
					prob := Sigmoid(ReduceAllSum(logits))
					loss := Neg(Log(ClipScalar(prob, 1e-5, 1-1e-5)))
					return loss, []*Node{prob, loss}
				})
			tol := goldenTolerance(dtype)
			name := fmt.Sprintf("case %d ", i)
			tol.check(t, name+"prob", outputs[0], []float64{c.Prob})
			tol.check(t, name+"loss", outputs[1], []float64{c.Loss})
			for path, want := range ours(c.GradParams, c.EmbedLayers) {
				tol.check(t, name+"gradient of "+path, grads[path], want.Flat)
			}
		}
	})
}

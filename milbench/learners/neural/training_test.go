package neural

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train"
	"github.com/gomlx/gomlx/ml/train/loss"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"synpool/backend/backendtest"
	"synpool/internal/goldenfile"
	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/synlayer"
)

// trainingCase is a case of training.json or training_deep.json.
type trainingCase struct {
	Pooling                                   string
	Features, Width, Embed, Heads, Iterations int
	Branches, Top, Inducing                   int
	Scale, Gamma, LR                          float64
	MaskRate                                  float64 `json:"mask_rate"`
	WeightDecay                               float64 `json:"weight_decay"`
	LRDecay                                   float64 `json:"lr_decay"`
	Bags                                      [][][]float64
	Labels                                    []int
	Batches                                   [][]int
	Initial, Final                            map[string][]float64
	Losses, Norms                             []float64
}

func (c trainingCase) config() Config {
	return Config{Pooling: cmp.Or(c.Pooling, "syn"), Iterations: c.Iterations, Gamma: c.Gamma, Embed: c.Embed, Heads: c.Heads, Scale: c.Scale, Norm: true,
		Branches: c.Branches, Top: c.Top, MaskRate: c.MaskRate, Inducing: c.Inducing,
		Layers: 1, Width: c.Width, Epochs: 1, Batch: 2, LR: c.LR, LRDecay: c.LRDecay, WeightDecay: c.WeightDecay}
}

// blind reports whether a number of a variable shifts all logits of a softmax equally. The softmax does not depend on
// it, so its gradient is only rounding.
func (c trainingCase) blind(path string, i int) bool {
	switch {
	case path == "/pooling/keyvalue/bias": // keys first
		return i < c.Embed
	case c.Pooling == setFormer:
		return strings.HasSuffix(path, "/key/bias")
	}
	return path == "/pooling/score/bias"
}

// TestTrainingAgainstPyTorch takes 20 steps from the same weights as PyTorch did in float64, with batches of two bags
// of different size and with clipping. It compares every loss and the final parameters. The tolerance is float32
// rounding, 6e-8 per step and operation, over 20 steps. AdamW divides a gradient by its size, so a parameter may be off
// by a fraction of the 0.2 that 20 steps can move it. The biases that a softmax does not depend on have only rounding
// as gradient and are left out.
func TestTrainingAgainstPyTorch(t *testing.T) {
	var cases []trainingCase
	for _, file := range []string{"training.json", "training_deep.json"} {
		cases = append(cases, goldenfile.Read[[]trainingCase](t, file)...)
	}
	for name, backend := range backendtest.All(t) {
		for _, c := range cases {
			config := c.config()
			what := fmt.Sprintf("%s, %s, I = %d, decay %v", name, config.Pooling, c.Iterations, c.LRDecay)
			p, err := newProgram(backend, config.structure(c.Features))
			if err != nil {
				t.Fatal(err)
			}
			var bags []mil.Instances
			for _, rows := range c.Bags {
				m := &mil.Dense{Rows: len(rows), Cols: c.Features}
				for _, row := range rows {
					for _, v := range row {
						m.Values = append(m.Values, float32(v))
					}
				}
				bags = append(bags, m)
			}
			if len(p.paths) != len(c.Initial) {
				t.Fatalf("variables %v, the golden file has %d", p.paths, len(c.Initial))
			}
			var flat, final []float32
			blind := map[int]bool{}
			for _, path := range p.paths {
				for i, v := range c.Initial[path] {
					blind[len(flat)] = c.blind(path, i)
					flat = append(flat, float32(v))
					final = append(final, float32(c.Final[path][i]))
				}
			}
			f := &fitting{program: p, config: config, bags: bags, batch: config.Batch}
			state, values := newState(flat), trainingNumbers(config, len(c.Batches))
			numbers := tensors.FromFlatDataAndDimensions(values, len(values))
			clipped := false
			for step, want := range c.Losses {
				batch := c.Batches[step%len(c.Batches)]
				var labels []float32
				for _, i := range batch {
					labels = append(labels, float32(c.Labels[i]))
				}
				loss := tensors.FromScalar(float32(0))
				if loss, err = f.step(state, batch, labels, int32(step+1), numbers, tensors.FromScalar(uint32(1)), loss); err != nil {
					t.Fatal(err)
				}
				if got := float64(tensors.ToScalar[float32](loss)) / float64(len(batch)); math.Abs(got-want) > 2e-5*max(1, want) {
					t.Errorf("%s: loss of step %d is %.8g, want %.8g", what, step+1, got, want)
				}
				clipped = clipped || c.Norms[step] > 1
			}
			if !clipped {
				t.Errorf("no gradient of the golden file was clipped")
			}
			check := func(how string) func(i int, got float32) {
				return func(i int, got float32) {
					if !blind[i] && math.Abs(float64(got-final[i])) > 1e-3 {
						t.Errorf("%s%s: parameter %d is %.8g after the last step, want %.8g", how, what, i, got, final[i])
					}
				}
			}
			for i, got := range tensors.MustCopyFlatData[float32](state[0]) {
				check("")(i, got)
			}
			blockAgainstPyTorch(t, backend, config, bags, c.Labels, c.Batches, flat, c.Losses, check("block, "))
			p.finalize()
		}
	}
}

// blockAgainstPyTorch takes the same steps with the second member of a block; the first takes the batches in reverse.
// It returns the final parameters, by their place among all.
func blockAgainstPyTorch(t *testing.T, backend compute.Backend, config Config, bags []mil.Instances, labels []int, golden [][]int, initial []float32, losses []float64,
	check func(i int, parameter float32)) {
	t.Helper()
	var examples []cv.Example
	for i, label := range labels {
		examples = append(examples, cv.Example{Bag: i, Target: mil.Labelled(label)})
	}
	b := newBlock(t, backend, bags, examples, []uint64{1, 2}, config, config)
	if len(b.buckets) != 1 {
		t.Fatalf("bags of %d buckets, one batch cannot hold them", len(b.buckets))
	}
	b.seeds = tensors.FromFlatDataAndDimensions([]uint32{2, 1}, 2)
	pieces := b.pieces(initial)
	for k, part := range b.parts {
		var one []float32
		for _, i := range part.parameters {
			one = append(one, pieces[i]...)
		}
		b.state[blockArrays+k] = tensors.FromFlatDataAndDimensions(append(one, one...), append([]int{2}, part.dims...)...)
	}
	before := float32(0)
	for step, want := range losses {
		last := len(golden) - 1 - step%len(golden)
		if err := b.trainBucket(t.Context(), 0, [][][]int{{golden[last]}, {golden[step%len(golden)]}}); err != nil {
			t.Fatal(err)
		}
		total := tensors.MustCopyFlatData[float32](b.state[blockLoss])[1]
		if got := float64(total-before) / float64(len(golden[step%len(golden)])); math.Abs(got-want) > 3e-5*max(1, want) {
			t.Errorf("block, %s, I = %d: loss of step %d is %.8g, want %.8g", config.Pooling, config.Iterations, step+1, got, want)
		}
		before = total
	}
	var args []any
	for _, s := range b.state {
		args = append(args, s)
	}
	parts := must(call(b.current, append(args, b.numbers)))
	start := make([]int, len(b.forms)) // of each parameter among all
	for i := 1; i < len(start); i++ {
		start[i] = start[i-1] + b.forms[i-1].Size()
	}
	for k, part := range b.parts {
		values := tensors.MustCopyFlatData[float32](parts[k])
		values = values[len(values)/2:] // of the second member
		for _, i := range part.parameters {
			for j, v := range values[:b.forms[i].Size()] {
				check(start[i]+j, v)
			}
			values = values[b.forms[i].Size():]
		}
	}
}

// TestAgainstTrainStep takes 20 steps like GoMLX's own trainer and Adam, from the same weights on the same bags.
// Without weight decay, and with gradients too small to be clipped, the losses are equal up to float32.
func TestAgainstTrainStep(t *testing.T) {
	bags, examples := unequal(8)
	for i := range bags { // one bucket, small features and so small gradients
		m := bags[i].(*mil.Dense)
		m.Rows, m.Values = 3, slices.Repeat(m.Values[:5], 3)
		for j := range m.Values {
			m.Values[j] *= 0.3 * float32(1+j/5)
		}
	}
	for name, b := range backendtest.All(t) {
		c := setting(t, "syn")
		c.Standardise, c.Norm, c.WeightDecay, c.Batch, c.Epochs = false, false, 0, len(bags), 20
		f, initial := prepared(t, b, c, bags, examples, 5)
		var losses []float64
		if _, err := f.train(t.Context(), initial, examples, 5, func(_ int, loss float64, _ *tensors.Tensor) error {
			losses = append(losses, loss)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		store := must(f.program.variables(b, f.program.features, weightsSeed(5)))
		trainer := train.NewTrainer(b, store, func(scope *model.Scope, inputs []*graph.Node) []*graph.Node {
			logits, _ := c.Network().Logits(scope, synlayer.Bags{X: inputs[0], Mask: inputs[1]})
			return []*graph.Node{graph.InsertAxes(logits, -1)}
		}, loss.BinaryCrossentropyLogits, optimizer.Adam().LearningRate(c.LR).Epsilon(adamEpsilon).Done(), nil, nil)
		indices, labels := make([]int, len(bags)), make([]float32, len(bags))
		for i, e := range examples {
			indices[i], labels[i] = e.Bag, float32(e.Label)
		}
		for step, want := range losses {
			batch := must(newBatch(bags, indices, len(bags), Standardisation{}))
			metrics, err := trainer.TrainStep(train.Batch{
				Inputs: []*tensors.Tensor{batch.x, batch.mask}, Labels: []*tensors.Tensor{tensors.FromFlatDataAndDimensions(slices.Clone(labels), len(labels), 1)},
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := float64(tensors.ToScalar[float32](metrics[0])); math.Abs(got-want) > 2e-5*max(1, want) {
				t.Errorf("%s: step %d: loss %.7g by TrainStep, %.7g here", name, step+1, got, want)
			}
		}
		if !(losses[19] < 0.9*losses[0]) {
			t.Errorf("%s: loss from %g to %g", name, losses[0], losses[19])
		}
	}
}

// pieces splits a flat array into the values of each parameter.
func (p *program) pieces(flat []float32) [][]float32 {
	var pieces [][]float32
	for _, form := range p.forms {
		pieces = append(pieces, flat[:form.Size()])
		flat = flat[form.Size():]
	}
	return pieces
}

package neural

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend/backendtest"
	"synpool/internal/large"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/synlayer"
)

// blockBackend returns XLA's backend if the tests run on it, as in CI; only XLA has blocks.
func blockBackend(t *testing.T) compute.Backend {
	t.Helper()
	for _, b := range backendtest.All(t) {
		if loops(b) {
			return b
		}
	}
	t.Log("no XLA backend, no blocks")
	return nil
}

// unequal returns bags of 1 to 40 instances, in three buckets. Their first feature determines the label.
func unequal(bags int) (matrices []mil.Instances, examples []cv.Example) {
	rng := rand.New(rand.NewPCG(7, 7))
	for i := range bags {
		m := &mil.Dense{Rows: []int{1, 3, 8, 12, 40}[i%5], Cols: 5}
		for j := range m.Rows * m.Cols {
			v := rng.NormFloat64()
			if j%m.Cols == 0 {
				v += float64(i % 2)
			}
			m.Values = append(m.Values, float32(v))
		}
		matrices = append(matrices, m)
		examples = append(examples, cv.Example{Bag: i, Target: mil.Labelled(i % 2)})
	}
	return matrices, examples
}

// shorten cuts dense bags to at most 8 instances, so that they are in one bucket.
func shorten(bags []mil.Instances) {
	for i := range bags {
		m := bags[i].(*mil.Dense)
		m.Rows = min(m.Rows, 8)
		m.Values = m.Values[:m.Rows*m.Cols]
	}
}

// spread makes bags sparse: value j of an instance moves to a column that depends on the bag and on j. Values below 0.3
// in size are left out, except the first.
func spread(bags []mil.Instances, columns int) {
	for i, x := range bags {
		m := x.(*mil.Dense)
		s := &mil.Sparse{Cols: columns}
		for r := range m.Rows {
			for j, v := range m.Row(r) {
				if j == 0 || math.Abs(float64(v)) > 0.3 {
					s.Column, s.Values = append(s.Column, int32(j*columns/m.Cols+i%3)), append(s.Values, v)
				}
			}
			s.EndRow()
		}
		bags[i] = s
	}
}

// scatter returns sparse bags of 1 to 40 instances. Each bag uses 200, 400 or 900 of the columns, and each of its
// instances a fifth of these. Column 0 determines the label. One bag has no values.
func scatter(count, columns int) (bags []mil.Instances, examples []cv.Example) {
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range count {
		m := &mil.Sparse{Rows: []int{1, 3, 8, 12, 40}[i%5], Cols: columns, RowStart: []int{0}}
		used := rng.Perm(columns - 1)[:[]int{200, 400, 900}[i%3]]
		slices.Sort(used)
		for range m.Rows {
			if i != 7 {
				m.Column, m.Values = append(m.Column, 0), append(m.Values, float32(rng.NormFloat64()+2*float64(i%2)))
			}
			for _, j := range used {
				if i != 7 && rng.IntN(5) == 0 {
					m.Column, m.Values = append(m.Column, int32(j+1)), append(m.Values, float32(rng.NormFloat64()))
				}
			}
			m.RowStart = append(m.RowStart, len(m.Values))
		}
		bags = append(bags, m)
		examples = append(examples, cv.Example{Bag: i, Target: mil.Labelled(i % 2)})
	}
	return bags, examples
}

// setting returns a small setting.
func setting(t *testing.T, pooling string) Config {
	t.Helper()
	c := must(DefaultConfig(pooling))
	c.Width, c.Embed, c.Heads, c.Batch, c.Dropout = 48, 8, 2, 3, 0
	return c
}

// likewise returns the small setting of a pooling with the training of c.
func likewise(t *testing.T, pooling string, c Config) Config {
	t.Helper()
	other := setting(t, pooling)
	other.Epochs, other.LR, other.Batch = c.Epochs, c.LR, c.Batch
	return other
}

// must returns a value. An error ends the tests.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// settingOf returns the setting of a fit.
func settingOf(t *testing.T, c Config) json.RawMessage {
	t.Helper()
	text := must(json.Marshal(c))
	return text
}

// learn returns the outcomes of all fits, without their times.
func learn(t *testing.T, trainer Trainer, task cv.Task) []learner.Outcome {
	t.Helper()
	outcomes := make([]learner.Outcome, len(task.Fits))
	if err := trainer.Learn(t.Context(), task, func(o learner.Outcome) error {
		o.Wall = 0
		outcomes[o.Fit] = o
		return o.Err
	}); err != nil {
		t.Fatal(err)
	}
	return outcomes
}

// prepared returns a fit on a backend and its initial parameters.
func prepared(t *testing.T, b compute.Backend, c Config, bags []mil.Instances, examples []cv.Example, seed uint64) (*fitting, []float32) {
	t.Helper()
	programs := newPrograms(b)
	t.Cleanup(programs.finalize)
	f, initial, err := programs.prepare(c, bags, examples, seed, newMoments(bags))
	if err != nil {
		t.Fatal(err)
	}
	return f, initial
}

// newBlock returns a prepared block of fits that train on all bags and score all bags.
func newBlock(t *testing.T, b compute.Backend, bags []mil.Instances, examples []cv.Example, seeds []uint64, configs ...Config) *block {
	t.Helper()
	g := newGroup(b, configs[0], bags, allSparse(bags), cv.Fit{Train: examples})
	program, err := newBlockProgram(b, g.blockStructure)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(program.finalize)
	block := &block{blockProgram: program, bags: bags, moments: newMoments(bags), configs: configs, results: make([]learner.Outcome, len(configs))}
	for m := range configs {
		block.fits = append(block.fits, cv.Fit{Seed: seeds[m], Train: examples})
	}
	block.layout = newLayout(g, bags, block.fits)
	held := newPrograms(b)
	t.Cleanup(held.finalize)
	if block.data, err = held.held(block.layout, bags); err != nil {
		t.Fatal(err)
	}
	if err := block.prepare(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = block.finalize() })
	return block
}

// gain is a user's own pooling: it multiplies each feature by a variable and takes the maximum over the instances.
type gain struct{ start float64 }

func (p gain) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *graph.Node) {
	x, members := bags.X, bags.Members()
	features := x.Shape().Dim(-1)
	dims := slices.Repeat([]int{1}, x.Rank())
	dims[0], dims[len(dims)-1] = max(members, 1), features
	factor := synlayer.Variable(scope, x.Graph(), x.DType(), "gain", func(*rand.Rand) float64 { return p.start }, members, features)
	bags.X = graph.Mul(x, graph.Reshape(factor, dims...))
	return synlayer.MaxPooling{}.Pool(scope, bags)
}

// extent is the maximum minus the minimum. An offset that all instances share does not change it, so the gradients of
// the instances cancel.
type extent struct{}

func (extent) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *graph.Node) {
	most, weights := synlayer.MaxPooling{}.Pool(scope, bags)
	bags.X = graph.Neg(bags.X)
	least, _ := synlayer.MaxPooling{}.Pool(scope, bags)
	return graph.Add(most, least), weights
}

// TestBlockIsStepByStep checks that members of a block have the same losses as in step-by-step training over five
// epochs with 10 or 30 steps. Members differ in seeds, learning rates, dropout rates, numbers of Syn steps and other
// numbers. Cases: dropout on and off; one bag and several bags per step; a user's own pooling; sparse bags, where a
// block rounds up the number of features; and features that are not standardised and share an offset three hundred
// times their spread. Both paths compute in float32 and round differently; 2e-4 is a hundred times the difference after
// the first epoch.
func TestBlockIsStepByStep(t *testing.T) {
	for name, pooling := range map[string]synlayer.Pooling{"gain": gain{0.5}, "extent": extent{}} {
		t.Cleanup(must(Register(Entry{Name: name, Default: pooling})))
	}
	variants := map[string]func(c *Config, m int){
		"no dropout": func(c *Config, m int) {},
		"dropout": func(c *Config, m int) {
			c.Dropout, c.Batch, c.Width, c.LR = 0.25+0.25*float64(m), 1, 512, 1e-4*float64(m+1)
		},
		"own": func(c *Config, m int) { c.Pooling = "gain" },
		"raw": func(c *Config, m int) {
			c.Pooling, c.Standardise, c.Batch, c.Width = "extent", false, 1, 512
		},
		"two layers, renormalised, true gradient": func(c *Config, m int) {
			c.Layers, c.Renormalise, c.TrueGradient, c.Gamma, c.WeightDecay = 2, true, true, 0.1*float64(m+1), 0.1*float64(m)
			c.LR = 2e-4 * float64(m+1) // the true gradient is steep and increases rounding if steps are large
		},
		"no layer": func(c *Config, m int) { c.Layers = 0 },
		// Poolings with a loss of their own and randomness in it.
		dsmil: func(c *Config, m int) { *c = likewise(t, dsmil, *c); c.Scale = 0.1 * float64(m+1) },
		clam:  func(c *Config, m int) { *c = likewise(t, clam, *c); c.Top = 3 },
		"acmil": func(c *Config, m int) {
			*c = likewise(t, "acmil", *c)
			c.Branches, c.Top, c.MaskRate, c.Dropout = 3, 4, 0.2*float64(m+1), 0.25
		},
		"sparsemax": func(c *Config, m int) { *c = likewise(t, gated, *c); c.Weights = synlayer.SparsemaxWeights },
		"entmax":    func(c *Config, m int) { *c = likewise(t, gated, *c); c.Weights = synlayer.Entmax15Weights },
		"hidden":    func(c *Config, m int) { *c = likewise(t, "mean", *c); c.Layers, c.Hidden = 0, 8 },
		setFormer:   func(c *Config, m int) { *c = likewise(t, setFormer, *c); c.LR *= 0.2 },
		"sparse": func(c *Config, m int) {
			c.Batch, c.Dropout, c.LR = 1, 0.25+0.25*float64(m), 1e-4*float64(m+1)
		},
		"sparse, of many features": func(c *Config, m int) {
			c.Batch, c.Dropout, c.LR, c.WeightDecay = 1, 0.25+0.25*float64(m), 1e-4*float64(m+1), 0.1*float64(m)
		},
		"sparse, of much decay": func(c *Config, m int) {
			c.Batch, c.Dropout, c.LR, c.WeightDecay = 1, 0.25, 1e-4*float64(m+1), 200
		},
		"sparse, in batches": func(c *Config, m int) {
			c.Batch, c.Dropout, c.LR = 3, 0.25+0.25*float64(m), 1e-4*float64(m+1)
		},
	}
	for backendName, backend := range backendtest.All(t) {
		for _, name := range large.Part(slices.Sorted(maps.Keys(variants)), 4) {
			t.Run(backendName+"/"+name, func(t *testing.T) { blockIsStepByStep(t, backend, name, variants[name]) })
		}
	}
}

func blockIsStepByStep(t *testing.T, backend compute.Backend, name string, vary func(c *Config, m int)) {
	bags, examples := unequal(30)
	if strings.HasPrefix(name, "sparse, ") {
		bags, examples = scatter(30, 3000)
	}
	if name == "sparse" {
		spread(bags, 400)
	}
	if slices.Contains(Poolings, name) {
		shorten(bags)
	}
	if name == "raw" {
		for _, b := range bags {
			for i := range b.(*mil.Dense).Values {
				b.(*mil.Dense).Values[i] += 300
			}
		}
	}
	var configs []Config
	for m := range 3 {
		c := setting(t, "syn")
		c.Iterations, c.LR, c.Scale, c.Epochs = 3*(m-1), 1e-3*float64(m+1), 5+float64(m), 5
		vary(&c, m)
		configs = append(configs, c)
	}
	seeds := []uint64{11, 12, 13}
	b := newBlock(t, backend, bags, examples, seeds, configs...)
	if taken := name == "sparse, of many features" && backend.HasSharedBuffers(); taken != (b.rows != nil) {
		t.Errorf("%s: that steps take rows of the first weights is %v", name, b.rows != nil)
	}
	epochs := 5
	if name == "raw" && !loops(backend) {
		epochs = 3 // the Go backend adds in sequence, which rounds more
	}
	var together [][]float32
	for epoch := range epochs {
		losses := must(b.train(t.Context(), epoch+1))
		together = append(together, losses)
	}
	for m, c := range configs {
		c.Epochs = epochs
		f, initial := prepared(t, backend, c, bags, examples, seeds[m])
		if _, err := f.train(context.Background(), initial, examples, seeds[m], func(epoch int, loss float64, _ *tensors.Tensor) error {
			if got := float64(together[epoch-1][m]); math.Abs(got-loss) > 2e-4*max(1, loss) {
				t.Errorf("%s: member %d, epoch %d: loss %g in the block, %g step by step", name, m, epoch, got, loss)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStreamed checks that fits on bags that do not fit into memory, which are read for each step, have the results of those
// that do: the same on the Go backend, where the graphs are the same, and up to rounding on XLA.
func TestStreamed(t *testing.T) {
	for name, backend := range backendtest.All(t) {
		for _, batch := range []int{0, 1, 3} { // the last two of sparse bags; with one bag per step, steps take rows
			sparse := batch > 0
			bags, examples := unequal(20)
			if sparse {
				bags, examples = scatter(20, 1500)
			}
			batch = max(batch, 2)
			c := setting(t, "syn")
			c.Epochs, c.Dropout, c.Batch = 3, 0.25, batch
			task := cv.Task{Bags: bags, Kind: mil.BinaryTarget, Classes: 2}
			for seed := range uint64(2) {
				task.Fits = append(task.Fits, cv.Fit{Seed: seed, Setting: settingOf(t, c), Train: examples[:14], Test: []int{14, 15, 16, 17, 18, 19}, EveryEpoch: true})
			}
			var scores [2][][]float64
			for k, most := range []int{mostData, 100} {
				was := mostData
				mostData = most
				trainer := Trainer{Backend: backend, Workers: 1}
				if streams := must(trainer.plan(task)).jobs[0].layout.streams; streams != (k == 1) {
					t.Errorf("%s: that bags are streamed is %v", name, streams)
				}
				for _, o := range learn(t, trainer, task) {
					for _, e := range o.Epochs {
						for _, p := range e.Test {
							scores[k] = append(scores[k], p.Scores)
						}
					}
				}
				mostData = was
			}
			if !loops(backend) && !reflect.DeepEqual(scores[0], scores[1]) {
				t.Errorf("%s, sparse %v: scores %v of bags in memory, %v streamed", name, sparse, scores[0], scores[1])
			}
			requireNear(t, name, scores[1], scores[0], 1e-3)
		}
	}
}

// TestBlockRoom checks that a fit is bit-identical in larger arrays: beside a fit with more steps, and among bags that
// no fit uses.
func TestBlockRoom(t *testing.T) {
	backend := blockBackend(t)
	if backend == nil {
		return
	}
	for _, sparse := range []bool{false, true} {
		c := setting(t, "syn")
		c.Epochs, c.Batch, c.Dropout = 3, 1, 0.5
		text := settingOf(t, c)
		among := func(count int, train ...int) []learner.Epoch {
			bags, examples := unequal(count)
			if sparse {
				spread(bags, 1601)
			}
			task := cv.Task{Name: "unequal", Bags: bags}
			for _, n := range train {
				task.Fits = append(task.Fits, cv.Fit{Seed: 3, Setting: text, Train: examples[:n], Validation: []int{8, 9}, Test: []int{10, 11, 12, 13, 14}, EveryEpoch: true})
			}
			return learn(t, Trainer{Backend: backend}, task)[0].Epochs
		}
		want := among(15, 8)
		for name, got := range map[string][]learner.Epoch{"beside a fit of 90 bags": among(90, 8, 90), "among 150 bags": among(150, 8)} {
			if len(want) != c.Epochs || !reflect.DeepEqual(got, want) {
				t.Errorf("sparse %v, %s: %+v, alone %+v", sparse, name, got, want)
			}
		}
	}
}

// TestRounded checks that sizes that shape graphs are rounded up, large ones only slightly.
func TestRounded(t *testing.T) {
	for n, want := range map[int][2]int{1: {1, 1}, 2: {2, 2}, 3: {4, 3}, 15: {16, 15}, 17: {32, 18}, 5863: {8192, 6144}, 5999: {8192, 6144}, 6059: {8192, 6144},
		6279: {8192, 6656}, 6306: {8192, 6656}, 6519: {8192, 6656}, 8193: {16384, 9216}} {
		if got := [2]int{powerOfTwo(n), fourDigits(n)}; got != want {
			t.Errorf("%d: %v, want %v", n, got, want)
		}
	}
	size := bucketSize{instances: 8}
	for count, want := range map[int]int{1: 1, 129: 256, 1100: 1152} {
		l := layout{group: group{blockStructure: blockStructure{structure: structure{features: 230}}}, bags: map[bucketSize][]int{size: make([]int, count)}}
		if got := l.places(size); got != want {
			t.Errorf("room for %d bags, %d are there; want %d", got, count, want)
		}
	}
}

// TestShared checks that sets with slightly different numbers of bags and steps share graphs, and sparse sets also with
// slightly different numbers of features.
func TestShared(t *testing.T) {
	backend := blockBackend(t)
	if backend == nil {
		return
	}
	form := func(count, columns int) string {
		bags, examples := unequal(count)
		if columns > 0 {
			spread(bags, columns)
		}
		b := newBlock(t, backend, bags, examples, []uint64{1, 2}, setting(t, "syn"), setting(t, "syn"))
		if b.setFeatures != bags[0].Features() {
			t.Errorf("a set of %d features, want %d", b.setFeatures, bags[0].Features())
		}
		var form strings.Builder
		fmt.Fprintln(&form, b.of)
		for k, size := range b.buckets {
			fmt.Fprintln(&form, size, b.steps[size])
			for _, d := range slices.Concat(b.held(k), b.state) {
				if d != nil { // the table's
					fmt.Fprintln(&form, d.Shape())
				}
			}
		}
		return form.String()
	}
	want := form(20, 401)
	if got := form(18, 411); got != want {
		t.Errorf("18 bags of 411 features have graphs of\n%s\n20 of 401 those of\n%s", got, want)
	}
	if got := form(20, 417); got == want {
		t.Error("417 features have the graphs of 401")
	}
	if want, got := form(20, 0), form(18, 0); got != want {
		t.Errorf("18 dense bags have graphs of\n%s\n20 those of\n%s", got, want)
	}
}

// TestBlockMates checks that the outcome of a fit is bit-identical alone, among others, and with any number of workers.
// In the smaller blocks that a low memory limit forces, it is the same up to rounding. The fits of a block differ in
// numbers: learning rate, weight decay, dropout rate, gamma, scale and I. With gamma 1 they have blocks of their own.
func TestBlockMates(t *testing.T) {
	backend := blockBackend(t)
	if backend == nil {
		return
	}
	bags, examples := unequal(20)
	task := cv.Task{Name: "unequal", Bags: bags}
	for i := range 28 {
		c := setting(t, "syn")
		c.Iterations, c.Epochs, c.Dropout = i%7-3, 3, 0.2+0.1*float64(i%4)
		c.LR, c.WeightDecay, c.Gamma, c.Scale = 1e-3*float64(1+i%2), 0.01*float64(i%3), 0.1+0.2*float64(i%5), float64(1+i%6)
		if i >= 14 {
			c.Gamma, c.Iterations = 1, 5*c.Iterations
		}
		text := settingOf(t, c)
		task.Fits = append(task.Fits, cv.Fit{Seed: uint64(i), Setting: text, Train: examples[:15], Test: []int{15, 16, 17, 18, 19}})
	}
	want := learn(t, Trainer{Backend: backend}, task)
	plan, err := Trainer{Backend: backend}.Plan(task)
	if err != nil || plan.Blocks != 4 || plan.Note != "" {
		t.Fatalf("plan %+v, error %v; want four blocks", plan, err)
	}
	if got := learn(t, Trainer{Backend: backend, Workers: 3}, task); !reflect.DeepEqual(got, want) {
		t.Error("three workers differ from one")
	}
	tight := Trainer{Backend: backend, Memory: plan.Memory - 1}
	smaller, err := tight.Plan(task)
	if err != nil || smaller.Members >= plan.Members || smaller.Memory > tight.Memory || smaller.Note == "" {
		t.Fatalf("within %d bytes: plan %+v, error %v", tight.Memory, smaller, err)
	}
	for i, o := range learn(t, tight, task) {
		for k, s := range o.Epochs[0].Test {
			if wanted := want[i].Epochs[0].Test[k].Scores[0]; math.Abs(s.Scores[0]-wanted) > 1e-4*max(1, math.Abs(wanted)) {
				t.Errorf("fit %d: score %g in a block of %d, %g in one of %d", i, s.Scores[0], smaller.Members, wanted, plan.Members)
			}
		}
	}
	for _, i := range []int{4, 18} {
		alone := task
		alone.Fits = task.Fits[i : i+1]
		if got := learn(t, Trainer{Backend: backend}, alone); !reflect.DeepEqual(got[0].Epochs, want[i].Epochs) {
			t.Errorf("fit %d alone differs from the same fit in a block", i)
		}
	}
	if _, err := (Trainer{Backend: backend, Memory: 1 << 20}).Plan(task); err == nil {
		t.Error("1 MB is enough")
	}
}

// TestBlockPlaces checks that the members of a full block of one fit are bit-identical, including the loss, wherever
// they are. The sizes of blocks and layers make arrays end next to a multiple of the 16 numbers of a vector. If a step
// of a layer norm, of the loss's sigmoid or of log(1+x) is rounded by place, the first cases of the list fail.
func TestBlockPlaces(t *testing.T) {
	backend := blockBackend(t)
	if backend == nil {
		return
	}
	rng := rand.New(rand.NewPCG(3, 3))
	type place struct {
		features int
		pooling  string
		change   func(c *Config)
	}
	at := func(width, batch int) func(c *Config) {
		return func(c *Config) { c.Width, c.Batch = width, batch }
	}
	cases := []place{
		{230, "hopfield", at(64, 1)},
		{230, "softmax", at(64, 1)},
		{166, "gated", at(64, 1)},
		{166, "gated", at(64, 3)},
		{230, "max", at(64, 4)},
		{230, "lse", at(10, 3)},
		{166, "lse", func(c *Config) { c.Layers, c.Batch = 0, 3 }},
		{166, "syn", at(256, 2)},
		{166, dsmil, at(64, 3)},
		{166, clam, at(64, 3)},
		{230, "acmil", at(64, 3)},
		{20, setFormer, func(c *Config) { c.Width, c.Embed, c.Inducing, c.Batch = 16, 24, 5, 3 }},
		{20, "syn", func(c *Config) { c.Width, c.Iterations = 16, -3 }},
		{20, "syn", func(c *Config) { c.Width, c.TrueGradient = 16, true }},
		{20, gated, func(c *Config) { c.Width, c.Batch, c.Weights = 16, 3, synlayer.SparsemaxWeights }},
		{166, gated, func(c *Config) { c.Width, c.Batch, c.Weights = 64, 3, synlayer.Entmax15Weights }},
		{166, "mean", func(c *Config) { c.Layers, c.Batch, c.Hidden = 0, 3, 64 }},
	}
	for _, pooling := range Poolings {
		cases = append(cases, place{20, pooling, at(16, 1)})
	}
	for i, p := range large.Part(cases, 5) {
		c := must(DefaultConfig(p.pooling))
		p.change(&c)
		c.Epochs = 12
		text := settingOf(t, c)
		var task cv.Task
		var examples []cv.Example
		for i := range 24 {
			m := &mil.Dense{Rows: 1 + i%8, Cols: p.features}
			for range m.Rows * m.Cols {
				m.Values = append(m.Values, float32(rng.NormFloat64()+float64(i%2)))
			}
			task.Bags = append(task.Bags, m)
			examples = append(examples, cv.Example{Bag: i, Target: mil.Labelled(i % 2)})
		}
		fit := cv.Fit{Seed: 5, Setting: text, Train: examples[:18], Test: []int{18, 19, 20, 21, 22, 23}, EveryEpoch: true}
		task.Fits = []cv.Fit{fit}
		plan, err := Trainer{Backend: backend}.Plan(task)
		if err != nil {
			t.Fatal(err)
		}
		task.Fits = slices.Repeat(task.Fits, plan.Members)
		if plan, err = (Trainer{Backend: backend}).Plan(task); err != nil || plan.Blocks != 1 {
			t.Fatalf("plan %+v, error %v; want one block", plan, err)
		}
		outcomes := learn(t, Trainer{Backend: backend}, task)
		for m, o := range outcomes {
			if !reflect.DeepEqual(o.Epochs, outcomes[0].Epochs) {
				t.Errorf("case %d, %s of %d features: member %d of %d differs from the first", i, p.pooling, p.features, m, len(outcomes))
			}
		}
	}
}

// withLanes makes XLA compute with vectors of n numbers for the rest of a test.
func withLanes(t *testing.T, n int) {
	t.Helper()
	before := lanes
	lanes = n
	t.Cleanup(func() { lanes = before })
}

// TestTwoLeftOfEight checks that without AVX-512 no block size gives a loop that ends within a vector, unless the loop
// fits into one.
func TestTwoLeftOfEight(t *testing.T) {
	backend := blockBackend(t)
	if backend == nil {
		return
	}
	withLanes(t, 8)
	attention := structure{network: synlayer.DefaultNetwork(synlayer.DefaultAttention()), features: 166}
	for batch := 1; batch < 40; batch++ {
		for parameters := 1 << 12; parameters < 1<<20; parameters += parameters / 20 {
			for _, s := range []blockStructure{{structure: attention, batch: batch}, {structure: attention, batch: batch, own: true}} {
				size := blockSize(backend, s, parameters)
				for _, n := range []int{size, size * batch} {
					if size > 1 && (n > 8 || s.own) && n%8 != 0 {
						t.Errorf("batch %d: a block of %d fits, a loop of %d turns", batch, size, n)
					}
				}
			}
		}
	}
	plain := blockStructure{structure: attention, batch: 1}
	for size, want := range map[int]bool{1: false, 7: false, 8: false, 9: true, 11: true, 16: false, 17: true, 22: true, 24: false, 25: true} {
		if plain.twoLeft(size) != want {
			t.Errorf("a block of %d: %v", size, !want)
		}
	}
}

// TestTwoLeft checks that no block size gives a loop with two or three iterations more than a multiple of sixteen, and
// that avoiding this makes no block much smaller.
func TestTwoLeft(t *testing.T) {
	backend := blockBackend(t)
	if backend == nil {
		return
	}
	withLanes(t, 16)
	attention := structure{network: synlayer.DefaultNetwork(synlayer.DefaultAttention()), features: 166}
	lse := structure{network: synlayer.Network{Layers: 1, Width: 10, Pooling: synlayer.DefaultLogSumExp()}, features: 166}
	for batch := 1; batch < 40; batch++ {
		for parameters := 1 << 12; parameters < 1<<20; parameters += parameters / 20 {
			most := max(1, min(blockCache/(16*parameters), mostMembers))
			for _, s := range []blockStructure{{structure: attention, batch: batch}, {structure: lse, batch: batch}, {structure: lse, batch: batch, own: true}} {
				size := blockSize(backend, s, parameters)
				if size > most || size < most/4*4 {
					t.Errorf("batch %d: a block of %d fits, %d are possible", batch, size, most)
				}
				for _, each := range []int{1, batch, 10, batch * 10, mostScored * 10} {
					if n := size * each; n > 16 && size > 1 && (n%16 == 2 || n%16 == 3) && (each == 1 || each == batch || s.structure == lse) {
						t.Errorf("batch %d: a block of %d fits, a loop of %d turns", batch, size, n)
					}
				}
				if s.own && size > 1 && size%4 != 0 {
					t.Errorf("batch %d: a block of %d fits with an own pooling", batch, size)
				}
			}
		}
	}
	plain := blockStructure{structure: attention, batch: 1}
	for size, want := range map[int]bool{1: false, 3: false, 16: false, 17: false, 18: true, 19: true, 22: false, 25: false} {
		if plain.twoLeft(size) != want {
			t.Errorf("a block of %d: %v", size, !want)
		}
	}
}

// TestBlockMatesWide does the same at the width of the paper's networks, where parameters have parts of their own, with
// different neighbours at different places, for dense bags with Elephant's features and for sparse ones.
func TestBlockMatesWide(t *testing.T) {
	backend := blockBackend(t)
	if backend == nil {
		return
	}
	for name, features := range map[string]int{"dense": 230, "sparse": 1000} {
		rng := rand.New(rand.NewPCG(3, 3))
		task := cv.Task{Name: name}
		var examples []cv.Example
		for i := range 16 {
			var bag mil.Instances
			if name == "dense" {
				m := &mil.Dense{Rows: 1 + i%7, Cols: features}
				for range m.Rows * features {
					m.Values = append(m.Values, float32(rng.NormFloat64()+float64(i%2)))
				}
				bag = m
			} else {
				m := &mil.Sparse{Cols: features}
				for range 1 + i%7 {
					for j := i; j < features; j += 40 {
						m.Column, m.Values = append(m.Column, int32(j)), append(m.Values, float32(1+rng.NormFloat64()))
					}
					m.EndRow()
				}
				bag = m
			}
			task.Bags = append(task.Bags, bag)
			examples = append(examples, cv.Example{Bag: i, Target: mil.Labelled(i % 2)})
		}
		for i := range 9 {
			c := must(DefaultConfig([]string{"syn", "softmax"}[i%2]))
			c.Epochs, c.LR = 2, 1e-3*float64(1+i%3)
			text := settingOf(t, c)
			task.Fits = append(task.Fits, cv.Fit{Seed: uint64(i), Setting: text, Train: examples[:12], Test: []int{12, 13, 14, 15}})
		}
		want := learn(t, Trainer{Backend: backend, Workers: 1}, task)
		order := rng.Perm(len(task.Fits))
		permuted := task
		permuted.Fits = nil
		for _, i := range order {
			permuted.Fits = append(permuted.Fits, task.Fits[i])
		}
		for at, o := range learn(t, Trainer{Backend: backend, Workers: 2}, permuted) {
			if want := want[order[at]].Epochs; !reflect.DeepEqual(o.Epochs, want) {
				t.Errorf("%s: fit %d among other mates: %+v, want %+v", name, order[at], o.Epochs, want)
			}
		}
	}
}

// TestBlockNotFinite checks that a member with infinite or NaN numbers is reported, and that its neighbours stay
// bit-identical.
func TestBlockNotFinite(t *testing.T) {
	backend := blockBackend(t)
	if backend == nil {
		return
	}
	bags, examples := unequal(20)
	run := func(wild float64) []learner.Outcome {
		var configs []Config
		for m := range 3 {
			c := setting(t, "sum")
			c.Epochs, c.Standardise = 4, false
			if m == 0 {
				c.LR = wild
			}
			configs = append(configs, c)
		}
		b := newBlock(t, backend, bags, examples, []uint64{1, 2, 3}, configs...)
		for m := range b.fits {
			b.fits[m].Test = []int{0, 1, 2, 3}
		}
		outcomes := must(b.run(context.Background(), nil))
		for m := range outcomes {
			outcomes[m].Wall = 0
		}
		return outcomes
	}
	want, got := run(1e-3), run(1e38)
	if got[0].Err == nil || got[0].Epochs != nil {
		t.Errorf("a learning rate of 1e38 trained: %+v", got[0])
	}
	if !reflect.DeepEqual(got[1:], want[1:]) {
		t.Error("the neighbours moved")
	}
}

// TestBlockFails checks that a failed block fails its fits, with advice on what to lower, and leaves other blocks
// alone. Here the device is lost after the first block.
func TestBlockFails(t *testing.T) {
	if blockBackend(t) == nil {
		return
	}
	lost := must(compute.NewWithConfig("xla:cpu"))
	bags, examples := unequal(20)
	task := cv.Task{Name: "unequal", Bags: bags}
	for i, pooling := range []string{"mean", "mean", "max", "max", "max"} {
		c := setting(t, pooling)
		c.Epochs = 2
		text := settingOf(t, c)
		task.Fits = append(task.Fits, cv.Fit{Seed: uint64(i), Setting: text, Train: examples[:15], Test: []int{15, 16, 17, 18, 19}})
	}
	done, failed := 0, 0
	if err := (Trainer{Backend: lost}).Learn(context.Background(), task, func(o learner.Outcome) error {
		switch {
		case o.Err == nil && len(o.Epochs) == 1:
			done++
			lost.Finalize()
		case o.Err != nil && strings.Contains(o.Err.Error(), "--memory"):
			failed++
		default:
			t.Errorf("%+v", o)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if done != 2 || failed != 3 {
		t.Errorf("%d fits done, %d failed; want 2 and 3", done, failed)
	}
}

// TestBlockPoolings checks that every pooling trains in a block and learns to separate the bags. Bags of one bucket
// limit it to one graph per pooling.
func TestBlockPoolings(t *testing.T) {
	backend := blockBackend(t)
	if backend == nil {
		return
	}
	bags, examples := unequal(30)
	shorten(bags)
	for _, pooling := range large.Part(Poolings, 4) {
		c := setting(t, pooling)
		c.LR = 0.01
		b := newBlock(t, backend, bags, examples, []uint64{1, 2}, c, c)
		first, err := b.train(t.Context(), 1)
		if err != nil {
			t.Fatalf("%s: %v", pooling, err)
		}
		var last []float32
		for epoch := 2; epoch <= 40; epoch++ {
			if last, err = b.train(t.Context(), epoch); err != nil {
				t.Fatal(err)
			}
		}
		for m := range last {
			if !(last[m] < 0.6*first[m]) {
				t.Errorf("%s: member %d: loss %g after the first epoch, %g after the last", pooling, m, first[m], last[m])
			}
		}
	}
}

// TestBlockDevice checks blocks on a device that shares no memory with the host, such as a GPU: they have their own
// size, their graphs are compiled once, before they are needed, and the scores equal those of a CPU's blocks up to
// rounding.
func TestBlockDevice(t *testing.T) {
	device, backend := device(t)
	if device == nil {
		return
	}
	bags, examples := unequal(20)
	task := cv.Task{Name: "unequal", Bags: bags}
	c := setting(t, "syn")
	c.Epochs = 3
	text := settingOf(t, c)
	for i := range 3 {
		task.Fits = append(task.Fits, cv.Fit{Seed: uint64(i), Setting: text, Train: examples[:15], Test: []int{15, 16, 17, 18, 19}})
	}
	var scores [2][]float64
	whole := mostMembers // see twoLeft
	if lanes < 16 {
		whole = mostMembers / lanes * lanes
	}
	for k, b := range []compute.Backend{backend, device} {
		trainer := Trainer{Backend: b}
		plan, err := trainer.Plan(task)
		if want := []int{whole, deviceMembers}[k]; err != nil || plan.Members != want {
			t.Errorf("blocks of %d fits, want %d; %v", plan.Members, want, err)
		}
		for _, o := range learn(t, trainer, task) {
			for _, s := range o.Epochs[0].Test {
				scores[k] = append(scores[k], s.Scores[0])
			}
		}
	}
	for i, want := range scores[0] {
		if math.Abs(scores[1][i]-want) > 1e-4*max(1, math.Abs(want)) {
			t.Errorf("score %g, on the CPU's own blocks %g", scores[1][i], want)
		}
	}
	trained, scored := map[bucketSize]bool{}, map[bucketSize]bool{}
	for i, bag := range bags {
		trained[sizeOf(bag)] = true
		if i >= 15 {
			scored[sizeOf(bag).scored()] = true
		}
	}
	if want := len(trained) + len(scored) + 1; len(trained) < 2 || int(device.graphs) != want {
		t.Errorf("%d graphs of %d buckets, %d of them scored, want %d", device.graphs, len(trained), len(scored), want)
	}
}

package neural

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/tensors"

	"synpool/backend/backendtest"
	many "synpool/internal/large"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// smallChunks makes small bags count as large.
func smallChunks(t *testing.T) {
	t.Helper()
	bag, rows, data := largeBag, chunkRows, mostData
	largeBag, chunkRows, mostData = 60, 128, 1000
	t.Cleanup(func() { largeBag, chunkRows, mostData = bag, rows, data })
}

// device returns a backend that shares no memory with the host, such as a GPU, and the CPU's; nil if there is no XLA. The CPU
// plugin stands in for it.
func device(t *testing.T) (plain *counting, cpu compute.Backend) {
	t.Helper()
	if cpu = blockBackend(t); cpu == nil {
		return nil, nil
	}
	b := must(compute.NewWithConfig("xla:cpu,noshared_buffers"))
	t.Cleanup(b.Finalize)
	return &counting{Backend: b}, cpu
}

// slides returns bags of 257 to 384 instances, which are padded to 384 with and without chunks. Their features have an
// offset; in every second bag some instances are positive.
func slides(bags int) (matrices []mil.Instances, examples []cv.Example) {
	rng := rand.New(rand.NewPCG(3, 5))
	for i := range bags {
		m := &mil.Dense{Rows: 384 - rng.IntN(60), Cols: 12}
		for r := range m.Rows {
			for j := range m.Cols {
				v := 20 + float64(j+1)*rng.NormFloat64()
				if j == 0 && i%2 == 1 && r%10 == 0 {
					v += 4
				}
				m.Values = append(m.Values, float32(v))
			}
		}
		matrices = append(matrices, m)
		examples = append(examples, cv.Example{Bag: i, Target: mil.Labelled(i % 2)})
	}
	return matrices, examples
}

// TestLargeIsTheSame trains every pooling chunk by chunk and bag by bag, with the same order of bags. Both use the same
// numbers except for rounding, which training may increase: 1e-3 of a score's size. With different dropout or order,
// scores differ by 0.1 and more.
func TestLargeIsTheSame(t *testing.T) {
	smallChunks(t)
	bags, examples := slides(7)
	for name, b := range backendtest.All(t) {
		layers, poolings := 1, Poolings
		if loops(b) {
			layers, poolings = 2, many.Part(Poolings, 4)
		}
		for _, pooling := range poolings {
			t.Run(name+"/"+pooling, func(t *testing.T) {
				c := setting(t, pooling)
				c.Layers, c.Width, c.Dropout, c.Batch, c.Epochs, c.LR = layers, 16, 0.3, 3, 3, 3e-3
				fit := cv.Fit{Seed: 4, Order: 8, Train: examples}
				f, initial := prepared(t, b, c, bags, examples, fit.Seed)
				var losses [2][]float64
				keep := func(k int) func(int, float64, *tensors.Tensor) error {
					return func(_ int, loss float64, _ *tensors.Tensor) error {
						losses[k] = append(losses[k], loss)
						return nil
					}
				}
				order := func(epoch int) iter.Seq[[]int] {
					return slices.Chunk(cv.Rand(fit.Order, "bags", epoch).Perm(len(examples)), c.Batch)
				}
				plain := must(f.trainIn(order, (len(examples)+c.Batch-1)/c.Batch, context.Background(), initial, examples, fit.Seed, keep(0)))
				large := must(f.trainLarge(context.Background(), Trainer{}, initial, fit, func(epoch int, loss float64) error { return keep(1)(epoch, loss, nil) }))
				for k, loss := range losses[0] {
					if math.Abs(loss-losses[1][k]) > 1e-3*max(1, loss) {
						t.Errorf("losses %v bag by bag and %v chunk by chunk", losses[0], losses[1])
						break
					}
				}
				all := []int{0, 1, 2, 3, 4, 5, 6}
				score := func(parameters []float32, large bool) []mil.Prediction {
					largeBag = map[bool]int{true: 60, false: 1000}[large]
					p := tensors.FromFlatDataAndDimensions(slices.Clone(parameters), len(parameters))
					return must(f.predict(context.Background(), p, all))
				}
				want, same, got := score(plain, false), score(plain, true), score(large, true)
				for i := range want {
					size := max(1, math.Abs(want[i].Scores[0]))
					if d := math.Abs(want[i].Scores[0]-same[i].Scores[0]) / size; d > 1e-5 {
						t.Errorf("bag %d: score %g, and %g chunk by chunk by the same network", i, want[i].Scores[0], same[i].Scores[0])
					}
					if d := math.Abs(want[i].Scores[0]-got[i].Scores[0]) / size; d > 1e-3 {
						t.Errorf("bag %d: score %g, and %g after training chunk by chunk", i, want[i].Scores[0], got[i].Scores[0])
					}
					if len(same[i].Weights[0]) != bags[i].Len() {
						t.Errorf("bag %d: %d weights of %d instances", i, len(same[i].Weights[0]), bags[i].Len())
					}
				}
			})
		}
	}
}

// TestLargeTogether trains fits on large bags one by one, all together, and on two workers. The results are
// bit-identical.
func TestLargeTogether(t *testing.T) {
	smallChunks(t)
	bags, examples := slides(9)
	task := cv.Task{Name: "slides", Bags: bags, Kind: mil.BinaryTarget, Classes: 2}
	for k := range 5 {
		c := setting(t, []string{"syn", gated}[k%2])
		c.Layers, c.Width, c.Dropout, c.Batch, c.Epochs = 1, 16, 0.2, 2, 3
		fit := cv.Fit{Repeat: k / 3, Fold: k % 3, Seed: uint64(k), Order: uint64(k / 3), Instances: true, EveryEpoch: k == 1}
		fit.Setting = settingOf(t, c)
		for i, e := range examples {
			if i%3 == k%3 {
				fit.Test = append(fit.Test, i)
			} else {
				fit.Train = append(fit.Train, e)
			}
		}
		task.Fits = append(task.Fits, fit)
	}
	for name, b := range backendtest.All(t) {
		t.Run(name, func(t *testing.T) {
			all := learn(t, Trainer{Backend: b, Workers: 1}, task)
			if got := len(all[1].Epochs); got != 3 {
				t.Errorf("%d epochs of a fit that every epoch was asked for", got)
			}
			if got := len(all[0].Epochs[0].Test[0].Instances); got != bags[0].Len() {
				t.Errorf("%d scores of %d instances", got, bags[0].Len())
			}
			if again := learn(t, Trainer{Backend: b, Workers: 2}, task); !reflect.DeepEqual(all, again) {
				t.Error("two workers give other scores than one")
			}
			for i, fit := range task.Fits {
				one := task
				one.Fits = []cv.Fit{fit}
				o := learn(t, Trainer{Backend: b, Workers: 1}, one)[0]
				if o.Fit = i; !reflect.DeepEqual(all[i], o) {
					t.Errorf("fit %d has other scores alone than beside others", i)
				}
			}
			bad := bags[2].(*mil.Dense)
			task.Bags = slices.Clone(bags)
			task.Bags[2] = unreadable{bad}
			err := Trainer{Backend: b, Workers: 1}.Learn(context.Background(), task, func(o learner.Outcome) error {
				if o.Err == nil {
					t.Errorf("fit %d has scores although a bag cannot be read", o.Fit)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			task.Bags = bags
		})
	}
}

// TestLargeOnDevice trains and scores large bags in one array each, on a device that shares no memory with the host, and in
// chunks on the CPU. Scores and weights agree except for rounding; with other dropout or order they differ by 0.1 and more.
// It does not matter whether all bags fit into the device's memory, or only half, or none. Their many features leave little
// room beside a step.
func TestLargeOnDevice(t *testing.T) {
	on, b := device(t)
	if on == nil {
		return
	}
	smallChunks(t)
	defer func(before int64) { residentMemory = before }(residentMemory)
	const features = 1000
	bags, examples := slides(8)
	for i, bag := range bags {
		wide := &mil.Dense{Rows: bag.Len(), Cols: features}
		for r := range wide.Rows {
			row := make([]float32, features)
			copy(row, bag.(*mil.Dense).Row(r))
			row[features-1] = float32(math.Sin(float64(r)))
			wide.Values = append(wide.Values, row...)
		}
		bags[i] = wide
	}
	task := cv.Task{Name: "slides", Bags: bags, Kind: mil.BinaryTarget, Classes: 2}
	for k, pooling := range []string{gated, "syn", "max"} {
		c := setting(t, pooling)
		c.Layers, c.Width, c.Dropout, c.Batch, c.Epochs = 1+k%2, 16, 0.3, 1+k, 5
		if k == 2 {
			c.Instances = 200
		}
		task.Fits = append(task.Fits, cv.Fit{Fold: k, Seed: uint64(k), Setting: settingOf(t, c), Train: examples[:6], Test: []int{6, 7}, Instances: true})
	}
	predicted := func(b compute.Backend) (all []mil.Prediction) {
		for _, o := range learn(t, Trainer{Backend: b, Workers: 1}, task) {
			all = append(all, o.Epochs[0].Test...)
		}
		return all
	}
	want := predicted(b)
	on.bag = fewestResident * features
	drawn := 6 * 5 // of the last fit, for each bag and epoch
	for memory, uploads := range map[int64]func(n int) bool{
		4 << 30:  func(n int) bool { return n == len(bags)+drawn },
		36 << 20: func(n int) bool { return n > len(bags)+drawn },
		16 << 20: func(n int) bool { return n == 0 },
	} {
		residentMemory, on.bags = memory, 0
		for i, p := range predicted(on) {
			if d := math.Abs(p.Scores[0]-want[i].Scores[0]) / max(1, math.Abs(want[i].Scores[0])); d > 1e-5 {
				t.Errorf("%d bytes: fit %d score %g, in chunks %g", memory, i/2, p.Scores[0], want[i].Scores[0])
			}
			for j, w := range p.Instances {
				if math.Abs(w-want[i].Instances[j]) > 1e-5 {
					t.Fatalf("%d bytes: instance %d has weight %g, in chunks %g", memory, j, w, want[i].Instances[j])
				}
			}
		}
		if !uploads(on.bags) {
			t.Errorf("%d bytes: %d uploads of %d bags, and of %d times drawn ones", memory, on.bags, len(bags), drawn)
		}
	}
}

// TestResident checks which bags leave a device when others need room, and that none stays at the end.
func TestResident(t *testing.T) {
	on, b := device(t)
	if on == nil {
		return
	}
	if newResident(b, 12) != nil {
		t.Error("bags are copied to the CPU that they are on")
	}
	bags, _ := slides(4)
	r := newResident(on, 12)
	r.most = 3 * 4 * fewestResident * 12
	for _, step := range []struct {
		bag  int
		some []int
		held []int
	}{
		{0, nil, []int{0}}, {1, nil, []int{0, 1}}, {2, nil, []int{0, 1, 2}}, {0, nil, []int{0, 1, 2}}, {3, nil, []int{0, 2, 3}},
		{1, []int{5, 7}, []int{drawnBag, 0, 3}}, {2, []int{0}, []int{drawnBag, 0, 3}}, {3, nil, []int{drawnBag, 0, 3}}, {1, nil, []int{drawnBag, 1, 3}},
	} {
		x := must(r.values(step.bag, bags[step.bag], step.some))
		if held := slices.Sorted(maps.Keys(r.bags)); !slices.Equal(held, step.held) {
			t.Errorf("after bag %d the device has %v, want %v", step.bag, held, step.held)
		}
		got := must(tensors.CopyFlatData[float32](x))
		rows := step.some
		if rows == nil {
			for i := range bags[step.bag].Len() {
				rows = append(rows, i)
			}
		}
		for k, row := range rows {
			if want := bags[step.bag].(*mil.Dense).Row(row); !slices.Equal(got[k*12:][:12], want) {
				t.Fatalf("bag %d: row %d is %v, want %v", step.bag, row, got[k*12:][:12], want)
			}
		}
		if slices.Max(got[len(rows)*12:]) != 0 {
			t.Errorf("bag %d: its padding is not zero", step.bag)
		}
	}
	if err := r.finalize(); err != nil || r.bytes != 0 || len(r.bags) != 0 {
		t.Errorf("%d bytes and bags %v stay; %v", r.bytes, r.bags, err)
	}
}

// counting is a backend that counts what it does.
type counting struct {
	compute.Backend
	graphs                         int64 // atomic, because several are compiled at the same time
	executions, uploads, downloads int
	bag, bags                      int // numbers of a bag, and uploads of so many
}

func (c *counting) Builder(name string) compute.Builder {
	return countingBuilder{c.Backend.Builder(name), c}
}

func (c *counting) BufferFromFlatData(device compute.DeviceNum, flat any, shape shapes.Shape) (compute.Buffer, error) {
	c.uploads++
	if shape.Size() == c.bag {
		c.bags++
	}
	return c.Backend.BufferFromFlatData(device, flat, shape)
}

// countingBuffer is an output of a graph.
type countingBuffer struct {
	compute.Buffer
	counts *counting
}

func (b countingBuffer) Backend() compute.Backend { return b.counts }

func (b countingBuffer) ToFlatData(flat any) error {
	b.counts.downloads++
	return b.Buffer.ToFlatData(flat)
}

type countingBuilder struct {
	compute.Builder
	counts *counting
}

func (b countingBuilder) Compile() (compute.Executable, error) {
	e, err := b.Builder.Compile()
	atomic.AddInt64(&b.counts.graphs, 1)
	return countingExecutable{e, b.counts}, err
}

type countingExecutable struct {
	compute.Executable
	counts *counting
}

func (e countingExecutable) Execute(inputs []compute.Buffer, donate []bool, device compute.DeviceNum) ([]compute.Buffer, error) {
	e.counts.executions++
	plain := slices.Clone(inputs)
	for i, b := range plain {
		if of, is := b.(countingBuffer); is {
			plain[i] = of.Buffer
		}
	}
	outputs, err := e.Executable.Execute(plain, donate, device)
	for i, b := range outputs {
		outputs[i] = countingBuffer{b, e.counts}
	}
	return outputs, err
}

// TestDeviceCounts counts what each further epoch costs on a device: two executions and a few numbers up per step, and one
// number down. No bag is uploaded again.
func TestDeviceCounts(t *testing.T) {
	on, _ := device(t)
	if on == nil {
		return
	}
	smallChunks(t)
	bags, examples := slides(6)
	c := setting(t, gated)
	c.Layers, c.Width, c.Dropout, c.Batch = 1, 16, 0.3, 1
	var of [2]counting
	for k, epochs := range []int{1, 4} {
		b := &counting{Backend: on.Backend, bag: fewestResident * 12}
		fit := cv.Fit{Seed: 4, Order: 8, Train: examples}
		c.Epochs = epochs
		ps := newPrograms(b)
		f, initial, err := ps.prepare(c, bags, examples, fit.Seed, newMoments(bags))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.trainLarge(t.Context(), Trainer{}, initial, fit, func(int, float64) error { return nil }); err != nil {
			t.Fatal(err)
		}
		ps.finalize()
		of[k] = *b
	}
	steps := 3 * len(examples)
	if n := of[1].executions - of[0].executions; n != 2*steps {
		t.Errorf("%d executions in %d steps", n, steps)
	}
	if n := of[1].uploads - of[0].uploads; n > 5*steps+3 {
		t.Errorf("%d uploads in %d steps", n, steps)
	}
	if n := of[1].downloads - of[0].downloads; n != 3 {
		t.Errorf("%d downloads in 3 epochs", n)
	}
	if of[0].graphs != of[1].graphs || of[0].graphs > 3 { // the parameters' shapes, a whole bag, the update
		t.Errorf("%d and %d graphs", of[0].graphs, of[1].graphs)
	}
	if of[1].bags != len(bags) {
		t.Errorf("%d uploads of %d bags", of[1].bags, len(bags))
	}
}

// unreadable is a bag whose file has vanished.
type unreadable struct{ *mil.Dense }

func (unreadable) Read(int, int, []float32) error { return errors.New("bag.npy is gone") }

// TestCheckpoints stops trainings on large bags at random places, again and again, and resumes them. The outcomes are
// bit-identical to those of uninterrupted trainings, and no file remains.
func TestCheckpoints(t *testing.T) {
	smallChunks(t)
	defer func(before time.Duration) { keptAgain = before }(keptAgain)
	keptAgain = 0
	bags, examples := slides(8)
	task := cv.Task{Name: "slides", Bags: bags, Kind: mil.BinaryTarget, Classes: 2}
	for k := range 3 {
		c := setting(t, gated)
		c.Layers, c.Width, c.Dropout, c.Batch, c.Epochs = 1, 16, 0.2, 3, 4+k
		task.Fits = append(task.Fits, cv.Fit{Fold: k, Seed: uint64(k), Setting: settingOf(t, c), Train: examples[:6], Test: []int{6, 7}, EveryEpoch: k == 1})
	}
	var b compute.Backend // the backend that compiles fastest, because the test does not depend on it
	for _, each := range backendtest.All(t) {
		if backendtest.IsGo(each) || b == nil {
			b = each
		}
	}
	// resume trains the fits that have no outcome yet, like a run that resumes.
	resume := func(ctx context.Context, trainer Trainer, task cv.Task, outcomes []learner.Outcome) error {
		trainer.Backend, trainer.Workers = b, 1
		var left []int
		some := task
		some.Fits = nil
		for i, o := range outcomes {
			if o.Epochs == nil {
				some.Fits, left = append(some.Fits, task.Fits[i]), append(left, i)
			}
		}
		return trainer.Learn(ctx, some, func(o learner.Outcome) error {
			i := left[o.Fit]
			o.Wall, o.Fit = 0, i
			outcomes[i] = o
			return o.Err
		})
	}
	want := make([]learner.Outcome, len(task.Fits))
	if err := resume(context.Background(), Trainer{}, task, want); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	dir := filepath.Join(t.TempDir(), "checkpoints")
	for try, stops := 0, 0; try < 5 || stops < 10; try++ {
		got := make([]learner.Outcome, len(task.Fits))
		for {
			ctx, stop := context.WithCancel(context.Background())
			left, steps := random.IntN(40), 0
			err := resume(ctx, Trainer{Checkpoints: dir, Watch: func(w Watched) {
				if steps++; steps > left {
					stop()
				}
			}}, task, got)
			stop()
			if err == nil {
				if fmt.Sprint(got) != fmt.Sprint(want) { // %v writes every bit of a float64
					t.Fatal("other outcomes after it was stopped")
				}
				break
			}
			stops++
			files := must(filepath.Glob(filepath.Join(dir, "*")))
			for _, name := range files { // a damaged one is not used
				if random.IntN(10) == 0 {
					if err := os.Truncate(name, int64(random.IntN(300))); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if _, err := os.Stat(dir); err == nil {
			t.Fatal("checkpoints stay when all is done")
		}
	}

	// A different fit does not use the checkpoint.
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	err := resume(ctx, Trainer{Checkpoints: dir, Watch: func(w Watched) {
		if w.Epoch == 3 {
			stop()
		}
	}}, task, make([]learner.Outcome, len(task.Fits)))
	if err == nil {
		t.Fatal("was not stopped")
	}
	other := task
	other.Fits = slices.Clone(task.Fits)
	other.Fits[0].Seed = 77
	fresh, got := make([]learner.Outcome, len(task.Fits)), make([]learner.Outcome, len(task.Fits))
	if err := resume(context.Background(), Trainer{}, other, fresh); err != nil {
		t.Fatal(err)
	}
	if err := resume(context.Background(), Trainer{Checkpoints: dir}, other, got); err != nil || fmt.Sprint(got) != fmt.Sprint(fresh) {
		t.Errorf("a fit of another seed goes on from what another has kept, or %v", err)
	}
}

// TestDrawnInstances trains an epoch on instances drawn from each bag, and on bags that consist of them. The results
// are bit-identical. Drawing as many as there are means taking all.
func TestDrawnInstances(t *testing.T) {
	smallChunks(t)
	bags, examples := slides(6)
	fit := cv.Fit{Seed: 4, Order: 8, Train: examples}
	c := setting(t, gated)
	c.Layers, c.Width, c.Dropout, c.Batch, c.Epochs, c.Standardise = 1, 16, 0.3, 3, 1, false
	b := backendtest.Chosen(t)
	train := func(c Config, bags []mil.Instances) []float32 {
		f, initial := prepared(t, b, c, bags, examples, fit.Seed)
		return must(f.trainLarge(context.Background(), Trainer{}, initial, fit, func(int, float64) error { return nil }))
	}
	all := train(c, bags)
	c.Instances = 384
	if !slices.Equal(all, train(c, bags)) {
		t.Error("384 instances of bags that have no more are not all")
	}
	c.Instances = 150
	var parts []mil.Instances
	for i, bag := range bags {
		rows := draw(bag, 150, cv.Rand(fit.Order, "instances", 1, i))
		if len(rows) != 150 || len(slices.Compact(slices.Clone(rows))) != 150 {
			t.Fatalf("rows %v: 150 different ones were to be drawn", rows)
		}
		part := &mil.Dense{Rows: 150, Cols: bag.Features()}
		for _, row := range rows {
			part.Values = append(part.Values, bag.(*mil.Dense).Row(row)...)
		}
		parts = append(parts, part)
	}
	some := train(c, bags)
	c.Instances = 0
	if !slices.Equal(some, train(c, parts)) {
		t.Error("150 drawn instances train differently from bags of these")
	}
	if slices.Equal(some, all) {
		t.Error("150 drawn instances train as all do")
	}
	c.Instances = 2
	sparse := slices.Clone(bags)
	shorten(sparse)
	spread(sparse, 30)
	if err := checkFit(c, sparse, examples); err == nil || !strings.Contains(err.Error(), "instances 2: sparse bags are trained on whole") {
		t.Errorf("instances of sparse bags: error %v", err)
	}
	if c.Layers = 0; c.Validate() == nil {
		t.Error("a network without a layer draws instances")
	}
}

// TestRemoveCheckpoints checks that only checkpoints are removed, and their folder only if nothing else is in it.
func TestRemoveCheckpoints(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model.checkpoints")
	if err := RemoveCheckpoints(dir); err != nil {
		t.Error(err)
	}
	ours, theirs := filepath.Join(dir, strings.Repeat("0a", 16)+".checkpoint"), filepath.Join(dir, "thesis.txt")
	for _, also := range []bool{true, false} {
		if err := errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(ours, nil, 0o666), os.WriteFile(theirs, nil, 0o666)); err != nil {
			t.Fatal(err)
		}
		if !also {
			os.Remove(theirs)
		}
		if err := RemoveCheckpoints(dir); err != nil {
			t.Error(err)
		}
		_, err1 := os.Stat(ours)
		_, err2 := os.Stat(theirs)
		_, err3 := os.Stat(dir)
		if err1 == nil || (err2 == nil) != also || (err3 == nil) != also {
			t.Errorf("%v, %v, %v", err1, err2, err3)
		}
	}
}

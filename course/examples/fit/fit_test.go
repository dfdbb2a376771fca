package fit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend/backendtest"
	"synpool/course/corpus"
	"synpool/course/examples/fit"
	"synpool/course/examples/fit/fittest"
	"synpool/synlayer"
)

// settings train in seconds.
func settings() fit.Settings {
	return fit.Settings{Rate: 0.1, Clip: 1e-3, Batch: 2, Epochs: 60, Seed: 1}
}

// line is the squared error of a straight line.
func line(scope *model.Scope, batch []*Node, _ *Node) *Node {
	return ReduceAllMean(Square(Sub(synlayer.Dense(scope, batch[0], 0, 1), batch[1])))
}

func newLine(t *testing.T, backend compute.Backend, s fit.Settings) *fit.Trainer {
	t.Helper()
	trainer := fittest.Must(fit.New(backend, s, line))
	return trainer
}

// slope returns the line's weight.
func slope(t *testing.T, trainer *fit.Trainer) float64 {
	t.Helper()
	return float64(tensors.MustCopyFlatData[float32](trainer.Store.GetVariable("/weights").MustValue())[0])
}

// course goes through the points of y = 2x + 1 with noise, so that no epoch ends where the one before did.
func course() fit.Course {
	rng := rand.New(rand.NewPCG(3, 3))
	var x, y [][]float32
	for i := range 10 {
		x = append(x, []float32{float32(i)/5 - 1})
		y = append(y, []float32{2*x[i][0] + 1 + float32(0.3*rng.NormFloat64())})
	}
	return fit.Course{
		Name: "line", Log: io.Discard,
		Batches: func(rng *rand.Rand) ([]fit.Batch, error) { return fit.Batches(make([]int, 10), 2, []int{1}, rng) },
		Input: func(b fit.Batch, _ float64) ([]any, error) {
			return []any{fit.Pick(x, b.Rows), fit.Pick(y, b.Rows)}, nil
		},
	}
}

// TestStep finds y = 2x + 1, which Adam does whatever the size of the gradients, on both types of float.
func TestStep(t *testing.T) {
	for name, backend := range backendtest.All(t) {
		t.Run(name, func(t *testing.T) {
			trainer := newLine(t, backend, settings())
			x, y := [][]float32{{-1}, {0}, {1}, {2}}, [][]float32{{-1}, {1}, {3}, {5}}
			var loss float64
			var err error
			for range 200 {
				if loss, err = trainer.Step(x, y); err != nil {
					t.Fatal(err)
				}
			}
			if w := slope(t, trainer); loss > 1e-3 || math.Abs(w-2) > 0.05 {
				t.Errorf("loss %g, weight %g", loss, w)
			}
			x[0][0] = float32(math.NaN())
			if _, err := trainer.Step(x, y); err == nil || err.Error() != "the loss is not finite; try a smaller learning rate" {
				t.Errorf("a loss that is NaN: %v", err)
			}
			double := newLine(t, backend, settings())
			for range 200 {
				if loss, err = double.Step([][]float64{{-1}, {0}, {1}}, [][]float64{{-1}, {1}, {3}}); err != nil {
					t.Fatal(err)
				}
			}
			if loss > 1e-3 {
				t.Errorf("in float64 a loss of %g", loss)
			}
			vector := fittest.Must(fit.New(backend, settings(), func(scope *model.Scope, batch []*Node, _ *Node) *Node { return batch[0] }))
			if _, err := vector.Step(x, y); err == nil || !strings.Contains(err.Error(), "want a scalar") {
				t.Errorf("a loss that is no scalar: %v", err)
			}
		})
	}
}

// TestClip: the first step of gradient descent by Adam does not show the size of a gradient, the second after a smaller one does.
func TestClip(t *testing.T) {
	moved := func(norm float64) float64 {
		s := settings()
		s.Clip = norm
		trainer := newLine(t, backendtest.Chosen(t), s)
		var at [2]float64
		for i, y := range []float32{1000, 10} {
			if _, err := trainer.Step([][]float32{{1}}, [][]float32{{y}}); err != nil {
				t.Fatal(err)
			}
			at[i] = slope(t, trainer)
		}
		return at[1] - at[0]
	}
	// Both gradients are cut to one size: the second step is as large as the first, the rate. Else the larger one's square,
	// which Adam divides by, makes it smaller.
	if cut, whole := moved(1e-3), moved(0); math.Abs(cut-0.1) > 1e-3 || whole > 0.09 {
		t.Errorf("the second step is %g with clipped gradients, %g without", cut, whole)
	}
}

// TestRun: the best epoch is kept, and the log has a line for each.
func TestRun(t *testing.T) {
	for name, backend := range backendtest.All(t) {
		t.Run(name, func(t *testing.T) {
			s := settings()
			s.Epochs = 5
			trainer := newLine(t, backend, s)
			var slopes []float64
			var passed []float64
			scores := []float64{1, 3, 2, 3, 0}
			var log bytes.Buffer
			c := course()
			c.Log = &log
			input := c.Input
			c.Input = func(b fit.Batch, epochs float64) ([]any, error) {
				passed = append(passed, epochs)
				return input(b, epochs)
			}
			c.Validate = func() (float64, string, error) {
				slopes = append(slopes, slope(t, trainer))
				return scores[len(slopes)-1], fmt.Sprintf("score %g", scores[len(slopes)-1]), nil
			}
			kept := fittest.Must(trainer.Run(t.Context(), c))
			if kept.Epoch != 2 || kept.Score != 3 || kept.Took <= 0 || slope(t, trainer) != slopes[1] || slopes[1] == slopes[4] {
				t.Errorf("kept %+v, slope %g of %v", kept, slope(t, trainer), slopes)
			}
			if len(passed) != 25 || passed[0] != 0 || math.Abs(passed[7]-1.4) > 1e-12 {
				t.Errorf("epochs before each step: %v", passed)
			}
			if lines := strings.Split(strings.TrimSpace(log.String()), "\n"); len(lines) != 5 || !strings.HasPrefix(lines[1], "line: epoch 2 of 5: loss ") || !strings.Contains(lines[1], ", score 3, ") {
				t.Errorf("log %q", lines)
			}
			for v := range trainer.Store.IterVariables() {
				if strings.HasPrefix(v.Path(), "/best") {
					t.Errorf("variable %s is left", v.Path())
				}
			}

			c.Validate = nil
			trainer = newLine(t, backend, s)
			kept, err := trainer.Run(t.Context(), c)
			if err != nil || kept.Epoch != 5 || slope(t, trainer) != slopes[4] {
				t.Errorf("without a validation %+v, %v: slope %g, want %g", kept, err, slope(t, trainer), slopes[4])
			}
		})
	}
}

// TestCheckpoint stops a training within its third epoch and goes on: the result is that of a training without a break.
func TestCheckpoint(t *testing.T) {
	for name, backend := range backendtest.All(t) {
		t.Run(name, func(t *testing.T) {
			s := settings()
			s.Epochs = 4
			train := func(ctx context.Context, s fit.Settings, settings any, step func()) (fit.Kept, float64, string, error) {
				trainer := newLine(t, backend, s)
				var log bytes.Buffer
				c := course()
				c.Settings, c.Log = settings, &log
				input := c.Input
				c.Input = func(b fit.Batch, epochs float64) ([]any, error) {
					if step(); ctx.Err() != nil {
						return nil, ctx.Err()
					}
					return input(b, epochs)
				}
				c.Validate = func() (float64, string, error) { return -math.Abs(slope(t, trainer) - 0.4), "score", nil }
				kept, err := trainer.Run(ctx, c)
				if err != nil {
					return kept, 0, log.String(), err
				}
				return kept, slope(t, trainer), log.String(), nil
			}
			want, slope, _, err := train(t.Context(), s, s, func() {})
			if err != nil {
				t.Fatal(err)
			}
			s.Checkpoint = filepath.Join(t.TempDir(), "folder", "line.checkpoint")
			ctx, cancel := context.WithCancel(t.Context())
			steps := 0
			if _, _, _, err := train(ctx, s, s, func() {
				if steps++; steps == 13 {
					cancel()
				}
			}); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "epoch 3 of 4") {
				t.Fatalf("stopped: %v", err)
			}
			steps = 0
			count := func() { steps++ }
			got, again, log, err := train(t.Context(), s, s, count)
			if err != nil || got.Epoch != want.Epoch || got.Score != want.Score || again != slope || steps != 10 || !strings.Contains(log, "line: going on after epoch 2 of 4\n") {
				t.Errorf("went on to %+v, slope %g, in %d steps, want %+v, %g: %v\n%s", got, again, steps, want, slope, err, log)
			}
			steps = 0
			if got, again, _, err := train(t.Context(), s, s, count); err != nil || got.Epoch != want.Epoch || again != slope || steps != 0 {
				t.Errorf("of a finished training %+v, slope %g, in %d steps: %v", got, again, steps, err)
			}
			if _, _, _, err := train(t.Context(), s, "others", count); err == nil || !strings.Contains(err.Error(), "line.checkpoint is a checkpoint of other settings") {
				t.Errorf("other settings: %v", err)
			}
			if files, err := os.ReadDir(filepath.Dir(s.Checkpoint)); err != nil || len(files) != 1 {
				t.Errorf("files %v: %v", files, err)
			}
			whole := fittest.Must(os.ReadFile(s.Checkpoint))
			for _, n := range []int{0, 10, len(whole) / 2, len(whole) - 1} {
				if err := os.WriteFile(s.Checkpoint, whole[:n], 0o600); err != nil {
					t.Fatal(err)
				}
				if _, _, _, err := train(t.Context(), s, s, count); err == nil || !strings.Contains(err.Error(), "line.checkpoint") || strings.Contains(err.Error(), "\n") {
					t.Errorf("%d bytes of a checkpoint: %v", n, err)
				}
			}
			s.Checkpoint = filepath.Join(s.Checkpoint, "below a file")
			if _, _, _, err := train(t.Context(), s, s, count); err == nil {
				t.Error("no error of a folder that cannot be")
			}
		})
	}
}

func TestRunRefuses(t *testing.T) {
	failed := errors.New("failed")
	for what, spoil := range map[string]func(*fit.Course){
		"no batches": func(c *fit.Course) { c.Batches = func(*rand.Rand) ([]fit.Batch, error) { return nil, nil } },
		"batches":    func(c *fit.Course) { c.Batches = func(*rand.Rand) ([]fit.Batch, error) { return nil, failed } },
		"input":      func(c *fit.Course) { c.Input = func(fit.Batch, float64) ([]any, error) { return nil, failed } },
		"validation": func(c *fit.Course) { c.Validate = func() (float64, string, error) { return 0, "", failed } },
		"score":      func(c *fit.Course) { c.Validate = func() (float64, string, error) { return math.NaN(), "", nil } },
		"settings":   func(c *fit.Course) { c.Settings = math.NaN() },
		"loss": func(c *fit.Course) {
			c.Input = func(fit.Batch, float64) ([]any, error) {
				return []any{[][]float32{{1}}, [][]float32{{float32(math.Inf(1))}}}, nil
			}
		},
	} {
		c := course()
		spoil(&c)
		if _, err := newLine(t, backendtest.Chosen(t), settings()).Run(t.Context(), c); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestSettings(t *testing.T) {
	for what, spoil := range map[string]func(*fit.Settings){
		"no rate":         func(s *fit.Settings) { s.Rate = 0 },
		"rate NaN":        func(s *fit.Settings) { s.Rate = math.NaN() },
		"endless rate":    func(s *fit.Settings) { s.Rate = math.Inf(1) },
		"clip":            func(s *fit.Settings) { s.Clip = -1 },
		"no batch":        func(s *fit.Settings) { s.Batch = 0 },
		"batch":           func(s *fit.Settings) { s.Batch = 1 << 40 },
		"no epochs":       func(s *fit.Settings) { s.Epochs = 0 },
		"negative epochs": func(s *fit.Settings) { s.Epochs = -2 },
		"no seed":         func(s *fit.Settings) { s.Seed = 0 },
		"seed":            func(s *fit.Settings) { s.Seed = 1 << 63 },
	} {
		s := settings()
		spoil(&s)
		if s.Check() == nil {
			t.Errorf("%s: no error", what)
		}
		if _, err := fit.New(backendtest.Chosen(t), s, line); err == nil {
			t.Errorf("%s: a trainer", what)
		}
	}
	if err := settings().Check(); err != nil {
		t.Error(err)
	}
}

// TestCall: results are Go values, what is not finite is an error, and tensors are given back.
func TestCall(t *testing.T) {
	for name, backend := range backendtest.All(t) {
		t.Run(name, func(t *testing.T) {
			exec := model.MustNewExec(backend, model.NewStore(), func(_ *model.Scope, x *Node) (quotient, positive *Node) {
				return Div(OnesLike(x), x), GreaterThan(x, ZerosLike(x))
			})
			in := tensors.FromValue([][]float64{{1, 2}, {4, -8}})
			out := fittest.Must(fit.Call(exec, in))
			if got := fmt.Sprint(out...); got != "[[1 0.5] [0.25 -0.125]] [[true true] [true false]]" {
				t.Errorf("results %s", got)
			}
			if in.Ok() {
				t.Error("the tensor that was given is not finalized")
			}
			if _, err := fit.Call(exec, [][]float64{{1, 0}}); err == nil || err.Error() != "result 0 is not finite" {
				t.Errorf("an infinite result: %v", err)
			}
			if _, err := fit.Call(exec, [][]float32{{float32(math.NaN())}}); err == nil {
				t.Error("no error of a result that is NaN")
			}
		})
	}
}

// TestCrossEntropy compares with the sum written out, and a row of zeros counts for nothing.
func TestCrossEntropy(t *testing.T) {
	logits, labels, weights := [][]float64{{1, 2, 0}, {0, 0, 3}, {5, 5, 5}}, []int32{1, 2, -1}, []float64{1, 2, 7}
	want, total := 0.0, 3.0
	for i, row := range logits[:2] {
		sum := 0.0
		for _, v := range row {
			sum += math.Exp(v)
		}
		want -= weights[i] * (row[labels[i]] - math.Log(sum))
	}
	for name, backend := range backendtest.All(t) {
		t.Run(name, func(t *testing.T) {
			out := MustNewExec(backend, func(logits, labels, weights *Node) (sum, weight *Node) {
				return fit.CrossEntropy(logits, Mul(OneHot(labels, 3, dtypes.Float64), ExpandAxes(weights, -1)))
			}).MustCall(logits, labels, weights)
			if sum, weight := out[0].Value().(float64), out[1].Value().(float64); math.Abs(sum-want) > 1e-14 || weight != total {
				t.Errorf("%g of weight %g, want %g of %g", sum, weight, want, total)
			}
		})
	}
}

func TestBatches(t *testing.T) {
	lengths := []int{3, 8, 1, 4, 5, 0, 8, 2, 2, 7}
	for _, rng := range []*rand.Rand{nil, rand.New(rand.NewPCG(1, 1))} {
		batches := fittest.Must(fit.Batches(lengths, 3, []int{2, 4, 8}, rng))
		var seen []int
		for _, b := range batches {
			if len(b.Rows) != 3 {
				t.Errorf("a batch of %d", len(b.Rows))
			}
			for _, r := range b.Rows {
				if r < 0 {
					continue
				}
				seen = append(seen, r)
				if n := lengths[r]; n > b.Limit || n <= b.Limit/2 && n > 2 {
					t.Errorf("length %d in a batch of %d", n, b.Limit)
				}
			}
		}
		slices.Sort(seen)
		if !slices.Equal(seen, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
			t.Errorf("the batches have %v", seen)
		}
	}
	if got := fit.Pick([]string{"a", "b"}, []int{1, -1, 0}); !slices.Equal(got, []string{"b", "", "a"}) {
		t.Errorf("picked %q", got)
	}
	if got := fit.Lengths([]string{"a", "", "abc"}, func(s string) int { return len(s) }); !slices.Equal(got, []int{1, 0, 3}) {
		t.Errorf("lengths %d", got)
	}
	if got := fit.PickLabels([]int{5, 6}, []int{1, -1, 0}); !slices.Equal(got, []int32{6, -1, 5}) {
		t.Errorf("picked %d", got)
	}
	for what, call := range map[string]func() ([]fit.Batch, error){
		"long":     func() ([]fit.Batch, error) { return fit.Batches([]int{9}, 1, []int{8}, nil) },
		"no size":  func() ([]fit.Batch, error) { return fit.Batches(nil, 0, []int{8}, nil) },
		"size":     func() ([]fit.Batch, error) { return fit.Batches([]int{1}, math.MaxInt, []int{8}, nil) },
		"limits":   func() ([]fit.Batch, error) { return fit.Batches(nil, 1, nil, nil) },
		"negative": func() ([]fit.Batch, error) { return fit.Batches(nil, 1, []int{-1}, nil) },
	} {
		if _, err := call(); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// TestBinaryCrossEntropy compares with the sum over rows and labels, written out: a label counts whatever other labels the row
// has, and an empty row not at all.
func TestBinaryCrossEntropy(t *testing.T) {
	logits := [][]float32{{1, -2}, {0.5, 3}, {4, 4}, {-30, 60}}
	right, rows := fit.PickSeveral([][]bool{{false, false}, {true, true}, {false, true}}, []int{1, 2, -1, 0})
	minus := func(x float64) float64 { return math.Log1p(math.Exp(-x)) } // −log σ(x)
	sum, weight := minus(1)+minus(-2)+minus(-0.5)+minus(3)+minus(30)+60, 6.0
	for name, backend := range backendtest.All(t) {
		t.Run(name, func(t *testing.T) {
			out := MustNewExec(backend, fit.BinaryCrossEntropy).MustCall(logits, right, rows)
			for i, want := range []float64{sum, weight} {
				if got := float64(tensors.ToScalar[float32](out[i])); !(math.Abs(got-want) <= 1e-6*want) {
					t.Errorf("result %d is %g, want %g", i, got, want)
				}
			}
		})
	}
}

// TestPredict: batches go through a graph one after another, padded; what cannot be padded ends it.
func TestPredict(t *testing.T) {
	texts := [][]int32{{1, 2, 3}, {4}, {5, 6}}
	exec := model.MustNewExec(backendtest.Chosen(t), model.NewStore(), func(_ *model.Scope, ids *Node) *Node { return ReduceSum(ConvertDType(ids, dtypes.Float64), -1) })
	set := fit.Set{
		Lengths: fit.Lengths(texts, func(s []int32) int { return len(s) }), Size: 2, Limits: []int{2, 3},
		Input: func(b fit.Batch) ([]any, error) { return fit.Words(corpus.Pad(fit.Pick(texts, b.Rows), b.Limit)) },
	}
	sums := make([]float64, len(texts))
	if err := fit.Predict(exec, set, func(b fit.Batch, out []any) {
		for i, r := range b.Real() {
			sums[r] = out[0].([]float64)[i]
		}
	}); err != nil || !slices.Equal(sums, []float64{6, 4, 11}) {
		t.Errorf("sums %v, %v", sums, err)
	}
	failed := errors.New("no input")
	set.Input = func(fit.Batch) ([]any, error) { return fit.Words(corpus.Batch{}, failed) }
	if err := fit.Predict(exec, set, nil); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	set.Limits = []int{1}
	if err := fit.Predict(exec, set, nil); err == nil {
		t.Error("no error of a text beyond the limits")
	}
}

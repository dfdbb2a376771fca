package fit_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend/backendtest"
	"synpool/examples/fit"
	"synpool/synlayer"
)

func TestTrainer(t *testing.T) {
	for name, backend := range backendtest.All(t) {
		t.Run(name, func(t *testing.T) {
			trainer, err := fit.New(backend, fit.Settings{Rate: 0.1, Clip: 1e-3, Seed: 1}, func(scope *model.Scope, batch []*Node, _ *Node) *Node {
				y := synlayer.Dense(scope, batch[0], 0, 1)
				return ReduceAllMean(Square(Sub(y, batch[1])))
			})
			if err != nil {
				t.Fatal(err)
			}
			// y = 2x + 1, which Adam finds whatever the size of the gradients.
			x, y := [][]float32{{-1}, {0}, {1}, {2}}, [][]float32{{-1}, {1}, {3}, {5}}
			var loss float64
			step := func() {
				t.Helper()
				if loss, err = trainer.Step(x, y); err != nil {
					t.Fatal(err)
				}
			}
			for range 200 {
				step()
			}
			state, err := trainer.State()
			if err != nil {
				t.Fatal(err)
			}
			w := float64(tensors.MustCopyFlatData[float32](state["/weights"])[0])
			if loss > 1e-3 || math.Abs(w-2) > 0.05 || len(state) != 2 {
				t.Errorf("loss %g, weight %g, %d variables", loss, w, len(state))
			}
			before := loss
			x[0][0] = 40
			for range 5 {
				step()
			}
			x[0][0] = -1
			if err := trainer.Restore(state); err != nil {
				t.Fatal(err)
			}
			if step(); math.Abs(loss-before) > 1e-3 {
				t.Errorf("loss %g after restoring, %g before", loss, before)
			}
			x[0][0] = float32(math.NaN())
			if _, err := trainer.Step(x, y); err == nil {
				t.Error("no error of a loss that is NaN")
			}
			if trainer.Restore(fit.State{"/other": nil}) == nil {
				t.Error("no error of a variable that is not there")
			}
		})
	}
	for _, s := range []fit.Settings{{Seed: 1}, {Rate: 1}, {Rate: 1, Clip: -1, Seed: 1}} {
		if _, err := fit.New(backendtest.Chosen(t), s, nil); err == nil {
			t.Errorf("%+v: no error", s)
		}
	}
}

func TestBatches(t *testing.T) {
	lengths := []int{3, 8, 1, 4, 5, 0, 8, 2, 2, 7}
	for _, rng := range []*rand.Rand{nil, rand.New(rand.NewPCG(1, 1))} {
		batches, err := fit.Batches(lengths, 3, []int{2, 4, 8}, rng)
		if err != nil {
			t.Fatal(err)
		}
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
	for what, call := range map[string]func() ([]fit.Batch, error){
		"long":   func() ([]fit.Batch, error) { return fit.Batches([]int{9}, 1, []int{8}, nil) },
		"size":   func() ([]fit.Batch, error) { return fit.Batches(nil, 0, []int{8}, nil) },
		"limits": func() ([]fit.Batch, error) { return fit.Batches(nil, 1, nil, nil) },
	} {
		if _, err := call(); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

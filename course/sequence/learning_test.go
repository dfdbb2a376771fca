package sequence_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"
	"gonum.org/v1/gonum/floats"

	"synpool/backend/backendtest"
	"synpool/course/sequence"
	"synpool/internal/goldentest"
)

// learner returns a step of Adam on a loss, which creates its variables in a new store from a fixed seed.
func learner(t testing.TB, backend compute.Backend, rate float64, loss func(scope *model.Scope, in []*Node) *Node) (store *model.Store, step func(batch ...any) float64) {
	store = model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	adam := optimizer.Adam().LearningRate(rate).Done()
	exec := model.MustNewExec(backend, store, func(scope *model.Scope, in []*Node) *Node {
		l := loss(scope, in)
		adam.UpdateGraph(scope, l.Graph(), l)
		return l
	})
	return store, func(batch ...any) float64 {
		t.Helper()
		out, err := exec.Call(batch...)
		if err != nil {
			t.Fatal(err)
		}
		defer out[0].MustFinalizeAll()
		return goldentest.Floats(out[0])[0]
	}
}

// TestTranslate: what both searches find has the probability that Logits gives it, and what cannot be translated is refused.
func TestTranslate(t *testing.T) {
	const words, longest, batch, begin, end = 9, 5, 8, 1, 2
	backend := backendtest.Chosen(t)
	m := sequence.Translator{Source: words, Target: words, Embed: 16, Encoder: sequence.RNN{Cell: sequence.GRU, Hidden: 16, Bidirectional: true}, Hidden: 32, Align: 16}
	rng := rand.New(rand.NewPCG(1, 1))
	sources, padded := make([][]int32, batch), make([][]int32, batch)
	for i := range sources {
		padded[i] = make([]int32, longest)
		for j := range 2 + rng.IntN(longest-1) {
			padded[i][j] = 3 + int32(rng.IntN(words-3))
			sources[i] = padded[i][:j+1]
		}
	}
	store := model.NewStore()
	store.SetParam(model.ParamInitialSeed, int64(1))
	logProbs := model.MustNewExec(backend, store, func(scope *model.Scope, source, before *Node) *Node {
		memory := m.Encode(scope, source, GreaterThan(source, ScalarZero(source.Graph(), dtypes.Int32)), nil, dtypes.Float32)
		logits, _ := m.Logits(scope, memory, before, nil)
		return LogSoftmax(logits)
	})
	before := func(found []sequence.Hypothesis) [][]int32 {
		all := make([][]int32, batch)
		for i := range all {
			all[i] = make([]int32, longest+1)
			all[i][0] = begin
			if found != nil {
				copy(all[i][1:], found[i].Words)
			}
		}
		return all
	}
	logProbs.MustCall(padded, before(nil)) // draws the variables
	translate := func(width, sentences int, sources [][]int32) ([]sequence.Hypothesis, error) {
		translation, err := sequence.NewTranslation(backend, store, m, sequence.Beam{Width: width, MaxLength: longest + 1, Begin: begin, End: end}, sentences, longest)
		if err != nil {
			t.Fatal(err)
		}
		return translation.Translate(sources)
	}
	for _, width := range []int{1, 3} {
		found, err := translate(width, batch, sources)
		if err != nil {
			t.Fatal(err)
		}
		by := logProbs.MustCall(padded, before(found))[0].Value().([][][]float32)
		for i, h := range found {
			want := 0.0
			for j, w := range h.Words {
				want += float64(by[i][j][w])
			}
			if h.Ended {
				want += float64(by[i][len(h.Words)][end])
			}
			if math.Abs(h.LogProb-want) > 1e-4 {
				t.Errorf("width %d: %v has log-probability %g, by Logits %g", width, h.Words, h.LogProb, want)
			}
			for _, a := range h.Alignments {
				within(t, "sum of an alignment", []float64{floats.Sum(a[:len(sources[i])])}, []float64{1}, 1e-6)
			}
		}
	}
	if found, err := translate(1, 2, [][]int32{{}}); err != nil || len(found) != 1 || math.IsNaN(found[0].LogProb) {
		t.Errorf("an empty source: %v, %v", found, err)
	}
	for what, sources := range map[string][][]int32{"none": nil, "too many": {{3}, {3}, {3}}, "too long": {{3, 3, 3, 3, 3, 3}}} {
		if _, err := translate(1, 2, sources); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

package sequence_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/train/optimizer"

	"synpool/backend/backendtest"
	"synpool/course/sequence"
	"synpool/internal/goldentest"
	"synpool/internal/large"
	"synpool/synlayer"
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

// TestTranslatorLearns: on reversing words, sentences never seen come out right, by both searches, with the attention where
// the word stands, and with the probability that Logits gives them.
func TestTranslatorLearns(t *testing.T) {
	const words, longest, batch, begin, end = 9, 5, 32, 1, 2
	steps := large.Number(240, 400)
	backend := backendtest.Chosen(t)
	m := sequence.Translator{Source: words, Target: words, Embed: 16, Encoder: sequence.RNN{Cell: sequence.GRU, Hidden: 16, Bidirectional: true}, Hidden: 32, Align: 16}
	rng := rand.New(rand.NewPCG(1, 1))
	draw := func() []int32 {
		s := make([]int32, 2+rng.IntN(longest-1))
		for i := range s {
			s[i] = 3 + int32(rng.IntN(words-3))
		}
		return s
	}
	reversed := func(s []int32) []int32 { s = slices.Clone(s); slices.Reverse(s); return s }
	padded := func(s []int32, n int) []int32 { return append(slices.Clone(s), make([]int32, n-len(s))...) }
	held := map[string]bool{}
	var test [][]int32
	for range batch {
		s := draw()
		test = append(test, s)
		held[string(asRunes(s))] = true
	}
	losses := func(scope *model.Scope, in []*Node) *Node { // [batch, steps], 0 in padding
		memory := m.Encode(scope, in[0], GreaterThan(in[0], ScalarZero(in[0].Graph(), dtypes.Int32)), nil, dtypes.Float32)
		logits, _ := m.Logits(scope, memory, in[1], nil)
		right := OneHot(in[2], words, dtypes.Float32)
		there := ConvertDType(GreaterThan(in[2], ScalarZero(in[2].Graph(), dtypes.Int32)), dtypes.Float32)
		return Neg(Mul(there, ReduceSum(Mul(right, LogSoftmax(logits)), -1)))
	}
	store, step := learner(t, backend, 0.01, func(scope *model.Scope, in []*Node) *Node {
		return DivScalar(ReduceAllSum(losses(scope, in)), batch)
	})
	feed := func(sentences [][]int32) []any {
		var source, before, after [][]int32
		for _, s := range sentences {
			r := reversed(s)
			source = append(source, padded(s, longest))
			before = append(before, padded(append([]int32{begin}, r...), longest+1))
			after = append(after, padded(append(r, end), longest+1))
		}
		return []any{source, before, after}
	}
	for range steps {
		var sentences [][]int32
		for len(sentences) < batch {
			if s := draw(); !held[string(asRunes(s))] {
				sentences = append(sentences, s)
			}
		}
		step(feed(sentences)...)
	}
	each := goldentest.Floats(model.MustNewExec(backend, store, losses).MustCall(feed(test)...)[0])
	for _, width := range []int{1, 3} {
		translation, err := sequence.NewTranslation(backend, store, m, sequence.Beam{Width: width, MaxLength: longest + 1, Begin: begin, End: end}, batch, longest)
		if err != nil {
			t.Fatal(err)
		}
		found, err := translation.Translate(test)
		if err != nil {
			t.Fatal(err)
		}
		right, looked, places := 0, 0, 0
		for i, h := range found {
			if !h.Ended || !slices.Equal(h.Words, reversed(test[i])) {
				continue
			}
			right++
			logProb := 0.0
			for _, l := range each[i*(longest+1) : (i+1)*(longest+1)] {
				logProb -= l
			}
			if math.Abs(logProb-h.LogProb) > 1e-4 {
				t.Errorf("width %d: %v has log-probability %g, by Logits %g", width, h.Words, h.LogProb, logProb)
			}
			for j := range h.Words {
				places++
				if a := h.Alignments[j]; slices.Index(a, slices.Max(a)) == len(h.Words)-1-j {
					looked++
				}
			}
		}
		t.Logf("width %d: %d of %d sentences right; %d of %d words looked for in their place", width, right, batch, looked, places)
		// One of hundreds by chance.
		if right < batch*9/10 {
			t.Errorf("width %d: %d of %d sentences right", width, right, batch)
		}
		// The context of a word is also in its neighbours' states, so that the largest weight need not be its own.
		if 2*looked < places {
			t.Errorf("width %d: %d of %d words looked for in their place", width, looked, places)
		}
	}
	translation, err := sequence.NewTranslation(backend, store, m, sequence.Beam{Width: 1, MaxLength: 3, Begin: begin, End: end}, 2, longest)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := translation.Translate([][]int32{{}}); err != nil || len(found) != 1 || math.IsNaN(found[0].LogProb) {
		t.Errorf("an empty source: %v, %v", found, err)
	}
	for what, sources := range map[string][][]int32{"none": nil, "too many": {{3}, {3}, {3}}, "too long": {{3, 3, 3, 3, 3, 3}}} {
		if _, err := translation.Translate(sources); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

func asRunes(s []int32) []rune { return s }

// TestDeepSetsRankOutliers: the 4 to 12 points of a set lie at two places ±m, drawn for each set. The outlier is between
// them, where its distance from the mean is the smallest. Trained on pairs, the network ranks it above all.
func TestDeepSetsRankOutliers(t *testing.T) {
	const batch, least, most, candidates = 32, 4, 12, 4
	steps := large.Number(200, 500)
	backend := backendtest.Chosen(t)
	d := sequence.DeepSets{Element: []int{32, 32}, Pooling: synlayer.MeanPooling{}, Set: []int{32, 1}}
	rng := rand.New(rand.NewPCG(5, 5))
	draw := func() (sets [][][]float32, masks [][]bool, shown [][][]float32, outlier [][]bool) {
		for range batch {
			angle := 2 * math.Pi * rng.Float64()
			point := func(side float64) []float32 {
				return []float32{float32(2*side*math.Cos(angle) + 0.2*rng.NormFloat64()), float32(2*side*math.Sin(angle) + 0.2*rng.NormFloat64())}
			}
			side := func() float64 { return float64(2*rng.IntN(2) - 1) }
			set, mask, show, flags := make([][]float32, most), make([]bool, most), make([][]float32, candidates), make([]bool, candidates)
			size := least + rng.IntN(most-least+1)
			for i := range set {
				if mask[i] = i < size; mask[i] {
					set[i] = point(side())
				} else {
					set[i] = []float32{0, 0}
				}
			}
			flags[rng.IntN(candidates)] = true
			for i := range show {
				if flags[i] {
					show[i] = point(0)
				} else {
					show[i] = point(side())
				}
			}
			sets, masks, shown, outlier = append(sets, set), append(masks, mask), append(shown, show), append(outlier, flags)
		}
		return sets, masks, shown, outlier
	}
	scores := func(scope *model.Scope, set, mask, shown *Node) *Node {
		return d.Scores(scope, synlayer.Bags{X: set, Mask: mask}, shown)
	}
	store, step := learner(t, backend, 0.005, func(scope *model.Scope, in []*Node) *Node {
		return sequence.RankingLoss(scores(scope, in[0], in[1], in[2]), in[3], 1)
	})
	for range steps {
		sets, masks, shown, outlier := draw()
		step(sets, masks, shown, outlier)
	}
	exec := model.MustNewExec(backend, store, scores)
	right, byDistance, total := 0, 0, 0
	for range 5 {
		sets, masks, shown, outlier := draw()
		ranked := exec.MustCall(sets, masks, shown)[0].Value().([][]float32)
		for i := range sets {
			total++
			want := slices.Index(outlier[i], true)
			if slices.Index(ranked[i], slices.Max(ranked[i])) == want {
				right++
			}
			var mean [2]float32
			size := slices.Index(append(masks[i], false), false)
			for _, x := range sets[i][:size] {
				mean[0], mean[1] = mean[0]+x[0]/float32(size), mean[1]+x[1]/float32(size)
			}
			var distances []float32
			for _, x := range shown[i] {
				distances = append(distances, (x[0]-mean[0])*(x[0]-mean[0])+(x[1]-mean[1])*(x[1]-mean[1]))
			}
			if slices.Index(distances, slices.Max(distances)) == want {
				byDistance++
			}
		}
	}
	t.Logf("%d of %d outliers ranked first; by the distance from the mean %d", right, total, byDistance)
	if right < total*95/100 || byDistance > total/10 {
		t.Errorf("%d of %d outliers ranked first, by the distance from the mean %d", right, total, byDistance)
	}
}

// TestRankingLoss compares with the sum over pairs, written out.
func TestRankingLoss(t *testing.T) {
	scores, chosen := [][]float64{{1, 3, 2}, {0, 0, 5}, {4, 1, 1}}, [][]bool{{false, true, false}, {true, true, false}, {false, false, false}}
	// Pairs: 3 against 1 and 2 with margin 1.5 lose 0 and 0.5; 0 against 5, twice, lose 6.5 each; the last row has none.
	want := (0 + 0.5 + 6.5 + 6.5) / 4
	for name, backend := range backendtest.All(t) {
		t.Run(name, func(t *testing.T) {
			got := MustNewExec(backend, func(s, c *Node) *Node { return sequence.RankingLoss(s, c, 1.5) }).MustCall(scores, chosen)[0]
			within(t, "loss", goldentest.Floats(got), []float64{want}, 1e-15)
		})
	}
}

// TestPositions compares with the formula at some places.
func TestPositions(t *testing.T) {
	got := goldentest.Floats(MustNewExec(backendtest.Chosen(t), func(x *Node) *Node { return sequence.Positions(x) }).MustCall(tensors.FromFlatDataAndDimensions(make([]float64, 15), 1, 3, 5))[0])
	want := []float64{0, 1, 0, 1, 0}
	for p := 1.0; p < 3; p++ {
		slow, slower := p/math.Pow(10000, 2./5), p/math.Pow(10000, 4./5)
		want = append(want, math.Sin(p), math.Cos(p), math.Sin(slow), math.Cos(slow), math.Sin(slower))
	}
	within(t, "positions", got, want, 1e-15)
}

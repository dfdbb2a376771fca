package sequence_test

import (
	"slices"
	"testing"

	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend/backendtest"
	"synpool/course/sequence"
)

// TestPretrained: words with a pretrained vector have exactly that, and the others what they have without any.
func TestPretrained(t *testing.T) {
	vectors := map[int32][]float32{0: {0.1, -3e-7, 5}, 3: {1, 2, 0.3}}
	table := func(of map[int32][]float32) [][]float32 {
		store := model.NewStore()
		store.SetParam(model.ParamInitialSeed, int64(7))
		return model.MustNewExec(backendtest.Chosen(t), store, func(scope *model.Scope, words *Node) *Node {
			return sequence.Embedding{Words: 5, Width: 3, Pretrained: of}.Embed(scope, words, dtypes.Float32)
		}).MustCall([]int32{0, 1, 2, 3, 4})[0].Value().([][]float32)
	}
	drawn := table(nil)
	for word, got := range table(vectors) {
		want := drawn[word]
		if vector := vectors[int32(word)]; vector != nil {
			want = vector
		}
		if !slices.Equal(got, want) {
			t.Errorf("word %d has %v, want %v", word, got, want)
		}
	}
}

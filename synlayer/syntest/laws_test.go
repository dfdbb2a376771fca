package syntest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/synlayer"
)

// broken is mean pooling with one fault.
type broken string

func (fault broken) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *Node) {
	x, dtype := bags.X, bags.X.DType()
	real := ConvertDType(bags.Mask, dtype)
	count := ReduceAndKeep(real, ReduceSum, -1)
	if fault != "divides by an empty bag" {
		count = MaxScalar(count, 1)
	}
	share := Div(real, count)
	switch fault {
	case "looks at the position":
		share = Mul(share, OnePlus(Iota(x.Graph(), share.Shape(), share.Rank()-1)))
	case "looks at the neighbours":
		share = Div(share, ReduceAndKeep(real, ReduceMean, -2, -1))
	case "counts padding":
		share = DivScalar(OnesLike(real), float64(real.Shape().Dim(-1)))
	case "overflows":
		share = Mul(share, Exp(ReduceSum(Square(bags.X), -1)))
	case "mixes the members":
		if x.Rank() == 4 {
			share = Mul(share, ReduceAllMean(x))
		}
	case "is random":
		rng := scope.RandomUniform(x.Graph(), share.Shape())
		share = Mul(share, rng)
	}
	x = Where(BroadcastToDims(ExpandAxes(bags.Mask, -1), x.Shape().Dimensions...), x, ZerosLike(x))
	return ReduceSum(Mul(x, ExpandAxes(share, -1)), -2), ExpandAxes(share, -2)
}

// selfish is mean pooling whose training loss looks at all bags of the batch.
type selfish struct{ synlayer.MeanPooling }

func (p selfish) Classify(scope *model.Scope, bags synlayer.Bags, _ int) synlayer.Classification {
	pooled, weights := p.Pool(scope, bags)
	logits := ReduceSum(pooled, -1)
	return synlayer.Classification{Logits: logits, Pooled: pooled, Weights: weights, Loss: func(loss func(*Node) *Node, _ *Node) *Node {
		return Mul(loss(logits), ReduceAndKeep(logits, ReduceSum, -1))
	}}
}

// TestLawsCatchLoss: the laws also check the training loss of a classifier.
func TestLawsCatchLoss(t *testing.T) {
	l := newLaws(gobackend.GetBackend(), selfish{}, dtypes.Float64)
	if exceptions.TryCatch[error](func() { l.alone(breach{}) }) == nil {
		t.Error("no law fails")
	}
}

// TestLawsCatch shows that each law fails for a pooling that breaks it, and none for one that does not.
func TestLawsCatch(t *testing.T) {
	for fault, want := range map[broken]string{
		"none":                    "",
		"looks at the position":   "permutation",
		"looks at the neighbours": "alone",
		"counts padding":          "padding",
		"divides by an empty bag": "empty",
		"overflows":               "extreme",
		"mixes the members":       "members",
		"is random":               "dropout",
	} {
		t.Run(string(fault), func(t *testing.T) {
			var failed []string
			for _, law := range Check(gobackend.GetBackend(), fault) {
				if law.Broken != nil {
					failed = append(failed, law.Name)
				}
			}
			if want == "" && len(failed) > 0 || want != "" && !strings.Contains(fmt.Sprint(failed), want) {
				t.Errorf("laws that failed: %v, want %q among them", failed, want)
			}
		})
	}
}

// TestNumbers: the laws find the numbers of our poolings, so that members have their own.
func TestNumbers(t *testing.T) {
	var paths []string
	for _, h := range newLaws(gobackend.GetBackend(), synlayer.DefaultSyn(), dtypes.Float64).numbers() {
		paths = append(paths, h.Path)
	}
	if want := []string{"/scale", "/gamma"}; !slices.Equal(paths, want) {
		t.Errorf("numbers %v, want %v", paths, want)
	}
}

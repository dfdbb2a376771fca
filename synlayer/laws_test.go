package synlayer_test

import (
	"fmt"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/backend/backendtest"
	"synpool/internal/batched"
	"synpool/synlayer"
	"synpool/synlayer/syntest"
)

// small has sizes that keep the laws quick and are as unequal as can be.
func small(p synlayer.SynPooling) synlayer.SynPooling {
	p.Embed, p.Heads, p.Output = 6, 2, 7
	return p
}

// upTo has any number of Syn steps up to a bound in its graphs, as a trainer has.
type upTo struct {
	synlayer.SynPooling
	bound int
}

func (p upTo) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *graph.Node) {
	batched.BoundSteps(bags.X.Graph(), p.bound)
	return p.SynPooling.Pool(scope, bags)
}

// poolings has every pooling, with each of its settings in each of its forms.
func poolings() map[string]synlayer.Pooling {
	concentrate, distract := small(synlayer.DefaultSyn()), small(synlayer.PaperSyn())
	distract.Iterations = -3
	renormalised := small(synlayer.DefaultSyn())
	renormalised.Iterations, renormalised.Renormalise, renormalised.Dropout = -2, true, 0.25
	bounded := small(synlayer.DefaultSyn())
	bounded.Iterations = -1
	trueGradient := small(synlayer.DefaultSyn())
	trueGradient.Iterations, trueGradient.TrueGradient = -2, true
	trueConcentrate := small(synlayer.PaperSyn())
	trueConcentrate.Iterations, trueConcentrate.TrueGradient = 2, true
	trueDistract := small(synlayer.PaperSyn())
	trueDistract.Iterations, trueDistract.TrueGradient = -2, true
	hopfield := synlayer.DefaultHopfield()
	hopfield.Embed, hopfield.Heads, hopfield.UpdateSteps, hopfield.Dropout = 6, 2, 3, 0.25
	attention := synlayer.DefaultAttention()
	attention.Embed = 6
	gated := attention
	gated.Gated = true
	acmil := synlayer.DefaultACMIL()
	acmil.Embed, acmil.Branches, acmil.Top = 6, 3, 2
	transformer := synlayer.DefaultSetTransformer()
	transformer.Embed, transformer.Heads, transformer.Inducing = 6, 2, 3
	bare := transformer
	bare.Blocks, bare.Norm = 1, false
	return map[string]synlayer.Pooling{
		"softmax":             small(synlayer.DefaultSoftmax()),
		"syn concentrating":   concentrate,
		"syn distracting":     distract,
		"syn renormalised":    renormalised,
		"syn bounded":         upTo{bounded, 2},
		"syn true gradient":   trueGradient,
		"syn true gradient +": trueConcentrate,
		"syn true gradient -": upTo{trueDistract, 2},
		"hopfield":            hopfield,
		"attention":           attention,
		"gated":               gated,
		"sparsemax":           synlayer.AttentionPooling{Embed: 6, Weights: synlayer.SparsemaxWeights},
		"entmax":              synlayer.AttentionPooling{Embed: 6, Gated: true, Weights: synlayer.Entmax15Weights},
		"mean":                synlayer.MeanPooling{},
		"mean hidden":         synlayer.MeanPooling{Hidden: 7},
		"max":                 synlayer.MaxPooling{},
		"sum":                 synlayer.SumPooling{},
		"log-sum-exp":         synlayer.DefaultLogSumExp(),
		"dsmil":               synlayer.DSMILPooling{Embed: 6, Scale: 0.5},
		"clam":                synlayer.CLAMPooling{Embed: 6, Top: 2, InstanceWeight: 0.3},
		"acmil":               acmil,
		"set transformer":     transformer,
		"set transformer -":   bare,
	}
}

// TestLaws tries float32 alone where each graph takes XLA most of a second to compile.
func TestLaws(t *testing.T) {
	for name, backend := range backendtest.All(t) {
		types := floatTypes
		if name != gobackend.BackendName {
			types = []dtypes.DType{dtypes.Float32}
		}
		for what, pooling := range poolings() {
			t.Run(fmt.Sprintf("%s/%s", name, what), func(t *testing.T) {
				t.Parallel()
				syntest.Laws(t, backend, pooling, types...)
			})
		}
	}
}

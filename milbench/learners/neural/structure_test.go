package neural

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
	"synpool/synlayer"
)

// TestNumbers checks that the layers of each network ask for all numbers that apart takes out of it and no others, with
// the same paths and values. They do not ask for a rate of 0, or for steps that shape the graph.
func TestNumbers(t *testing.T) {
	var configs []Config
	for _, pooling := range Poolings {
		c := must(DefaultConfig(pooling))
		configs = append(configs, c)
	}
	dropping, updating := synlayer.DefaultSyn(), synlayer.DefaultHopfield()
	dropping.Dropout = 0.25
	updating.Dropout, updating.UpdateSteps, updating.Tolerance = 0.25, 2, 0.125
	for name, pooling := range map[string]synlayer.Pooling{"dropping": dropping, "updating": updating, "sharp": synlayer.LogSumExpPooling{Sharpness: 5}} {
		remove := must(Register(Entry{Name: name, Default: pooling}))
		defer remove()
		c := must(DefaultConfig(name))
		configs = append(configs, c)
	}
	for _, c := range configs {
		g := graph.NewGraph(gobackend.GetBackend(), c.Pooling)
		batched.BoundSteps(g, c.bound())
		c.Network().Logits(model.NewStore().RootScope(), synlayer.Bags{X: graph.Parameter(g, "x", shapes.Make(dtypes.Float32, 1, 2, 5))})
		asked := slices.Clone(batched.Numbers(g))
		g.Finalize()
		want := slices.DeleteFunc(c.numbers(), func(h batched.Hyperparameter) bool {
			return strings.HasSuffix(h.Path, "/dropout") && h.Value == 0 || strings.HasSuffix(h.Path, "/iterations") && c.bound() == 0
		})
		byPath := func(a, b batched.Hyperparameter) int { return strings.Compare(a.Path, b.Path) }
		slices.SortFunc(asked, byPath)
		slices.SortFunc(want, byPath)
		if !slices.Equal(asked, want) {
			t.Errorf("%s: layers ask for %v, the trainer gives %v", c.Pooling, asked, want)
		}
	}
}

// TestStructure checks that settings that differ only in numbers have the same structure, with a valid network.
func TestStructure(t *testing.T) {
	c := must(DefaultConfig("syn"))
	other := c
	other.Gamma, other.Scale, other.Iterations, other.Dropout = 0.9, 2, -2, 0.5
	flat, long, own, power := c, c, c, c
	flat.Dropout, long.Iterations, power.Gamma = 0, 5, 1
	own.Pooling, own.own = "own", c.Network().Pooling
	s := c.structure(7)
	if err := s.network.Validate(); err != nil {
		t.Error(err)
	}
	if s != other.structure(7) {
		t.Errorf("%+v and %+v differ in more than numbers", s, other.structure(7))
	}
	longer := power
	if longer.Iterations = -20; power.structure(7) != longer.structure(7) {
		t.Error("with gamma 1, a number of steps shapes the graph")
	}
	for _, c := range []Config{flat, long, own, power} {
		if s == c.structure(7) {
			t.Errorf("%+v has the structure of the default", c)
		}
	}
}

// TestInit checks that fan-in draws the weights of dense layers within ±1/√inputs, up to that bound, and changes nothing else.
func TestInit(t *testing.T) {
	for _, pooling := range []string{"syn", gated, setFormer} {
		c := must(DefaultConfig(pooling))
		p := must(newProgram(gobackend.GetBackend(), c.structure(40)))
		defer p.finalize()
		usual := must(p.initial(c, 40, 7))
		c.Init = fanIn
		dense := 0
		for i, values := range must(p.initial(c, 40, 7)) {
			dims := p.forms[i].Dimensions
			if len(dims) != 2 || !strings.HasSuffix(p.paths[i], "/weights") {
				if !slices.Equal(values, usual[i]) {
					t.Errorf("%s: %s has changed", pooling, p.paths[i])
				}
				continue
			}
			dense++
			bound := 1 / math.Sqrt(float64(dims[0]))
			most := float64(max(slices.Max(values), -slices.Min(values)))
			if most > bound*(1+1e-6) || most < 0.9*bound {
				t.Errorf("%s: %s of shape %v reaches %v, want nearly %v", pooling, p.paths[i], dims, most, bound)
			}
		}
		if dense < 3 {
			t.Errorf("%s: %d dense layers", pooling, dense)
		}
	}
}

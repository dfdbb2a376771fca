package neural_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/milbench/learners/neural"
	"synpool/synlayer"
)

func TestConfigJSON(t *testing.T) {
	for _, pooling := range neural.Poolings {
		c := must(neural.DefaultConfig(pooling))
		if err := c.Validate(); err != nil {
			t.Errorf("default setting of %s: %v", pooling, err)
		}
		data := must(json.Marshal(c))
		var back neural.Config
		if err := json.Unmarshal(data, &back); err != nil || back != c {
			t.Errorf("%s read back as %+v, %v", data, back, err)
		}
	}
}

// TestConfigOptional checks that options only for ablations are not in the JSON of other settings, so that their
// results keep their ids.
func TestConfigOptional(t *testing.T) {
	c := must(neural.DefaultConfig("syn"))
	plain, err := json.Marshal(c)
	if err != nil || strings.Contains(string(plain), "renormalise") || strings.Contains(string(plain), "true_gradient") {
		t.Errorf("%s, %v", plain, err)
	}
	c.Renormalise, c.TrueGradient = true, true
	data := must(json.Marshal(c))
	var back neural.Config
	if err := json.Unmarshal(data, &back); err != nil || back != c {
		t.Errorf("%s read back as %+v, %v", data, back, err)
	}
	pooling, ok := c.Network().Pooling.(synlayer.SynPooling)
	if !ok || !pooling.Renormalise || !pooling.TrueGradient {
		t.Errorf("the network of %s pools by %+v", data, c.Network().Pooling)
	}
	softmax := must(neural.DefaultConfig("softmax"))
	softmax.Renormalise = true // not its own: ignored
	if data, err := json.Marshal(softmax); err != nil || strings.Contains(string(data), "renormalise") {
		t.Errorf("%s, %v", data, err)
	}
}

func ExampleHyperparameters() {
	for _, h := range neural.Hyperparameters("dsmil")[:3] {
		fmt.Printf("--%s: %s; search %v\n", h.Flag(), h.Help(), h.Search)
	}
	// Output:
	// --embed: features of keys and values over all heads (syn, softmax, hopfield, settransformer), of queries (dsmil), or of the hidden layer (attention, gated, clam, acmil); search []
	// --scale: factor on the logits of the attention weights (syn, softmax, dsmil); search [0.3 1 3 10]
	// --layers: dense layers before the pooling; search [1 2]
}

func ExampleConfig() {
	c, _ := neural.DefaultConfig("mean")
	data, _ := json.Marshal(c)
	fmt.Println(string(data))
	// Output: {"pooling":"mean","layers":1,"width":256,"dropout":0.75,"epochs":50,"batch":1,"lr":0.001,"weight_decay":0.0001,"standardise":true}
}

// scaled pools by log-sum-exp, with hyperparameters of its own and one that poolings share.
type scaled struct {
	Embed     int
	Sharpness float64 `json:"sharpness" range:"(0,)" search:"1,5.5" help:"sharpness of the maximum"`
	Exact     bool    `json:"exact,omitempty" help:"as published: true or false"`
}

func (p scaled) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *graph.Node) {
	return synlayer.LogSumExpPooling{Sharpness: p.Sharpness}.Pool(scope, bags)
}

// TestRegister checks that a registered pooling has what the listed ones have: JSON, ranges, values in grids and
// searches, presets, help and a network.
// kept is what the faulty poolings below have in common.
type kept struct{ synlayer.MeanPooling }

// TestRegisterRefuses: a pooling that would break later is refused, and poolings are removed in any order.
func TestRegisterRefuses(t *testing.T) {
	type known struct {
		kept
		A float64 `json:"width" help:"a number"`
	}
	type taken struct {
		kept
		Preset string `json:"preset" help:"a word"`
	}
	type open struct {
		kept
		A float64 `json:"a" range:"0,1" help:"a number"`
	}
	type wrong struct {
		kept
		A float64 `json:"a" range:"(0,1]" help:"a number"`
	}
	for want, pooling := range map[string]synlayer.Pooling{
		"use a struct": &scaled{8, 1, false},
		"hyperparameter width: others have this name":  known{},
		"hyperparameter preset: others have this name": taken{},
		"write, say, (0,1]":                            open{},
		"the default: a 0":                             wrong{},
	} {
		if _, err := neural.Register(neural.Entry{Name: "faulty", Default: pooling}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	first, err1 := neural.Register(neural.Entry{Name: "first", Default: kept{}})
	second, err2 := neural.Register(neural.Entry{Name: "second", Default: kept{}})
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if first(); slices.Contains(neural.Poolings, "first") || !slices.Contains(neural.Poolings, "second") {
		t.Error(neural.Poolings)
	}
	if second(); slices.Contains(neural.Poolings, "second") || slices.Contains(neural.Poolings, "first") {
		t.Error(neural.Poolings)
	}
	registered(t, neural.Entry{Name: "scaled", Default: scaled{8, 1, false}, Has: []string{"embed"}})
	if err := (neural.Config{Pooling: "scaled", Embed: 8, Epochs: 1, Batch: 1, LR: 1, Width: 1}).Validate(); err == nil || !strings.Contains(err.Error(), "own hyperparameters are not set") {
		t.Errorf("a literal: %v", err)
	}
}

func TestRegister(t *testing.T) {
	entry := neural.Entry{Name: "scaled", Default: scaled{8, 1, false}, Paper: scaled{8, 7, true}, Has: []string{"embed"}}
	c := registered(t, entry)
	text, err := json.Marshal(c)
	code := regexp.MustCompile(`"code":"[0-9a-f]{12}",`)
	if want := `{"pooling":"scaled","embed":8,"sharpness":1,"layers":1,`; err != nil || !strings.HasPrefix(code.ReplaceAllString(string(text), ""), want) {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	paper, err := neural.PresetConfig(neural.PaperPreset, "scaled")
	if text, _ = json.Marshal(paper); err != nil || !strings.HasPrefix(code.ReplaceAllString(string(text), ""), `{"pooling":"scaled","embed":8,"sharpness":7,"exact":true,`) {
		t.Errorf("%s, %v", text, err)
	}
	if err := json.Unmarshal(text, &c); err != nil || c != paper || c.Network().Pooling != entry.Paper {
		t.Errorf("%s read back as %+v, %v", text, c, err)
	}
	if small, err := neural.PresetConfig(neural.SmallPreset, "scaled"); err != nil || small.Network().Pooling != (scaled{32, 1, false}) {
		t.Errorf("%+v, %v", small, err)
	}
	configs, err := neural.Grid{"pooling": {"scaled", "mean"}, "sharpness": {2, 3.5}, "exact": {true, false}}.Configs()
	if err != nil || len(configs) != 5 || configs[2].Network().Pooling != (scaled{8, 3.5, true}) {
		t.Errorf("%+v, %v", configs, err)
	}
	search := neural.SearchGrid("mean", "scaled")
	before, err := search.Sample(3, 1)
	if err != nil || before[3].Network().Pooling == before[4].Network().Pooling {
		t.Error(before, err)
	}
	delete(search, "sharpness")
	if after, err := search.Sample(3, 1); err != nil || !slices.Equal(before[:3], after[:3]) {
		t.Errorf("mean draws %v with a pooling of one's own, and %v without (%v)", before, after, err)
	}
	for want, grid := range map[string]neural.Grid{
		"sharpness 0: more than 0 is needed": {"pooling": {"scaled"}, "sharpness": {0}},
		"exact 1: true or false is needed":   {"pooling": {"scaled"}, "exact": {1}},
	} {
		if _, err := grid.Configs(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	list := neural.Hyperparameters("scaled")
	if list[1].Help() != "sharpness of the maximum (scaled)" || !strings.HasSuffix(list[0].Help(), "acmil) (scaled)") {
		t.Errorf("%+v", list)
	}
	for want, e := range map[string]neural.Entry{
		"a name of its own":         {Name: "mean", Default: middle{}},
		"rename it":                 {Default: middle{}},
		"cannot be compared":        {Name: "two", Default: listed{}},
		"a <nil> cannot":            {Name: "two"},
		"are not those of":          {Name: "two", Default: middle{}, Paper: scaled{}},
		"shared by poolings":        {Name: "two", Default: middle{}, Has: []string{"width"}},
		"has no field Embed":        {Name: "two", Default: middle{}, Has: []string{"embed"}},
		"others have this name":     {Name: "two", Default: renamed{}},
		"with a name for JSON":      {Name: "two", Default: nameless{}},
		"write, say, (0,1]":         {Name: "two", Default: unclear{}},
		`search of of: "up" is not`: {Name: "two", Default: lost{}},
	} {
		if _, err := neural.Register(e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", e, err, want)
		}
	}

	// What the pooling itself refuses is an error at once, and so are results of the wrong shape.
	for want, pooling := range map[string]synlayer.Pooling{
		`pooling "own": synlayer: HopfieldPooling with beta 0, want a finite number above 0`:                               synlayer.HopfieldPooling{Embed: 32, Heads: 4},
		`pooling "own": its Pool returns weights of shape [2 5] for bags of shape [2 5 4]; want [batch, heads, instances]`: flat{},
	} {
		if _, err := neural.Register(neural.Entry{Name: "own", Default: pooling}); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// flat has weights without heads.
type flat struct{}

func (flat) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *graph.Node) {
	pooled, weights = synlayer.MeanPooling{}.Pool(scope, bags)
	return pooled, graph.Squeeze(weights, -2)
}

// plain is the mean to a power, with fields without tags.
type plain struct {
	Scale, BySize float64
	inner         int
}

func (p plain) Pool(scope *model.Scope, bags synlayer.Bags) (pooled, weights *graph.Node) {
	pooled, weights = synlayer.MeanPooling{}.Pool(scope, bags)
	return graph.MulScalar(pooled, p.Scale+p.BySize+float64(p.inner)), weights
}

// TestPlainFields: exported fields without tags are hyperparameters, and settings of other code are refused.
func TestPlainFields(t *testing.T) {
	texts := map[string][]byte{}
	for inner := range 2 {
		remove, err := neural.Register(neural.Entry{Name: "plain", Default: plain{2, 3, inner}})
		if err != nil {
			t.Fatal(err)
		}
		c, err := neural.DefaultConfig("plain")
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(c)
		if err != nil || !strings.Contains(string(text), `"scale":2,"by_size":3,"layers"`) {
			t.Errorf("%s, %v", text, err)
		}
		if err := json.Unmarshal(bytes.Replace(text, []byte(`"by_size":3`), []byte(`"by_size":4`), 1), &c); err != nil || c.Network().Pooling != (plain{2, 4, inner}) {
			t.Errorf("%+v, %v", c, err)
		}
		if other, found := texts["plain"]; found {
			if err := json.Unmarshal(other, &c); err == nil || !strings.Contains(err.Error(), "its code or its default has changed") {
				t.Errorf("other code: %v", err)
			}
		}
		texts["plain"] = text
		remove()
	}
}

// Structs with wrong tags.
type (
	renamed struct {
		synlayer.MeanPooling
		Of int `json:"sharpness" help:"of"`
	}
	nameless struct {
		synlayer.MeanPooling
		Of int `help:"of"`
	}
	unclear struct {
		synlayer.MeanPooling
		Of int `json:"of" range:"positive" help:"of"`
	}
	lost struct {
		synlayer.MeanPooling
		Of int `json:"of" search:"1,up" help:"of"`
	}
)

// TestRanges checks what ranges allow, how errors say it, and that the largest top is that of package synlayer.
func TestRanges(t *testing.T) {
	wanted := map[string]string{"iterations": "at least -200 and at most 200", "gamma": "more than 0 and at most 1", "lr": "more than 0", "batch": "at least 1",
		"dropout": "at least 0 and less than 1", "norm": "true or false", "loss": "one of squared, huber, hazards, cox", "top": fmt.Sprint("at least 1 and at most ", synlayer.MaxTop)}
	for _, h := range neural.Hyperparameters("") {
		if want, found := wanted[h.Name]; found {
			delete(wanted, h.Name)
			if err := h.Check(map[bool]any{true: "other", false: -201}[h.Name == "loss"]); err == nil || !strings.HasSuffix(err.Error(), ": "+want+" is needed") {
				t.Errorf("%s: error %v, want %q", h.Name, err, want)
			}
		}
	}
	if len(wanted) > 0 {
		t.Errorf("no %v", wanted)
	}
}

func TestConfigRefusesJSON(t *testing.T) {
	good, _ := neural.DefaultConfig("syn")
	data := must(json.Marshal(good))
	for bad, want := range map[string]string{
		`{}`:                 "name of a pooling",
		`{"pooling":"sin"}`:  `did you mean "syn"?`,
		`{"pooling":"mean"}`: "without layers",
		`{"pooling":7}`:      "name of a pooling",
		`[]`:                 "cannot unmarshal",
		strings.Replace(string(data), `"gamma"`, `"gama"`, 1):                  "without gamma",
		strings.Replace(string(data), `{`, `{"beta":1,`, 1):                    "with beta, which it does not have",
		strings.Replace(string(data), `{`, `{"epoch":1,`, 1):                   `with epoch, which it does not have; did you mean "epochs"?`,
		strings.Replace(string(data), `"gamma":0.5`, `"gamma":"half"`, 1):      "setting gamma",
		strings.Replace(string(data), `"iterations":3`, `"iterations":2.5`, 1): "setting iterations",
	} {
		var c neural.Config
		if err := json.Unmarshal([]byte(bad), &c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", bad, err, want)
		}
	}
}

func TestGrid(t *testing.T) {
	g := neural.Grid{"pooling": {"softmax", "syn", "mean", "hopfield"}, "iterations": {-3, 3, 3}, "gamma": {0.5, 1},
		"beta": {1}, "heads": {1, 2}, "lr": {0.1}}
	configs := must(g.Configs())
	count := map[string]int{}
	for _, c := range configs {
		count[c.Pooling]++
		if c.LR != 0.1 {
			t.Errorf("learning rate %g", c.LR)
		}
	}
	// softmax: heads; syn: iterations x gamma x heads; mean: nothing; hopfield: heads.
	want := map[string]int{"softmax": 2, "syn": 8, "mean": 1, "hopfield": 2}
	for pooling, n := range want {
		if count[pooling] != n {
			t.Errorf("%d settings of %s, want %d", count[pooling], pooling, n)
		}
	}
	for _, c := range []struct {
		grid neural.Grid
		want string
	}{
		{neural.Grid{"iterations": {1}}, "no pooling; name one or more of syn, softmax"},
		{neural.Grid{"pooling": {"hopfeld"}}, `did you mean "hopfield"?`},
		{neural.Grid{"pooling": {"qqqqqqqqqqq"}}, "use one of syn, softmax"},
		{neural.Grid{"pooling": {"syn"}, "gamma": {0}}, "gamma 0: more than 0 and at most 1 is needed"},
		{neural.Grid{"pooling": {"syn"}, "iterations": {1000}}, "iterations 1000"},
		{neural.Grid{"pooling": {"syn"}, "heads": {5}}, "heads 5 does not divide --embed 32"},
		{neural.Grid{"pooling": {"mean"}, "dropout": {1}}, "dropout 1"},
		{neural.Grid{"pooling": {"mean"}, "weight_decay": {-1}}, "weight-decay -1"},
		{neural.Grid{"pooling": {"mean"}, "epochs": {0}}, "epochs 0"},
		{neural.Grid{"pooling": {"mean"}, "batch": {0}}, "batch 0"},
		{neural.Grid{"pooling": {"mean"}, "width": {0}}, "width 0"},
		{neural.Grid{"pooling": {"mean"}, "layers": {-1}}, "layers -1"},
		{neural.Grid{"pooling": {"mean"}, "lr": {0}}, "lr 0"},
		{neural.Grid{"pooling": {"hopfield"}, "beta": {0}}, "beta 0"},
		{neural.Grid{"pooling": {"mean"}, "instances": {5}, "layers": {0}}, "instances 5: a network without layers takes all"},
		{neural.Grid{"pooling": {"mean"}, "loss": {"cox"}}, "batch 1: loss cox compares the bags of a batch"},
		{neural.Grid{"pooling": {"mean"}, "loss": {"hinge"}}, "loss hinge: one of squared, huber, hazards, cox is needed"},
		{neural.Grid{"pooling": {"mean"}, "epochs": {2.5}}, "epochs 2.5: an integer is needed"},
		{neural.Grid{"pooling": {"mean"}, "loss": {7}}, "loss 7: a name is needed"},
		{neural.Grid{"pooling": {"mean"}, "standardise": {nil}}, "standardise <nil>: true or false is needed"},
		{neural.Grid{"pooling": {"mean"}, "lr": {math.NaN()}}, "lr NaN"},
		{neural.Grid{"pooling": {"mean"}, "lr": {math.Inf(1)}}, "lr +Inf"},
		{neural.Grid{"pooling": {"mean"}, "epoch": {2}}, `there is no hyperparameter "epoch"; did you mean "epochs"?`},
		{neural.Grid{"pooling": {"mean"}, "qqqqqqqqqqq": {2}}, "use one of preset, pooling, iterations"},
		{neural.Grid{"pooling": {"mean"}, "preset": {"smal"}}, `did you mean "small"?`},
	} {
		if _, err := c.grid.Configs(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one with %q", c.grid, err, c.want)
		}
	}
	// Hyperparameters that a pooling does not have cannot be invalid.
	if _, err := (neural.Grid{"pooling": {"mean"}, "gamma": {0}}).Configs(); err != nil {
		t.Error(err)
	}
}

package neural_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"synpool/milbench/learners/neural"
	"synpool/synlayer"
)

func TestConfigJSON(t *testing.T) {
	for _, pooling := range neural.Poolings {
		c, err := neural.DefaultConfig(pooling)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Validate(); err != nil {
			t.Errorf("default setting of %s: %v", pooling, err)
		}
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var back neural.Config
		if err := json.Unmarshal(data, &back); err != nil || back != c {
			t.Errorf("%s read back as %+v, %v", data, back, err)
		}
	}
}

// TestConfigOptional checks that options only for ablations are not in the JSON of other settings, so that their
// results keep their ids.
func TestConfigOptional(t *testing.T) {
	c, err := neural.DefaultConfig("syn")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := json.Marshal(c)
	if err != nil || strings.Contains(string(plain), "renormalise") || strings.Contains(string(plain), "true_gradient") {
		t.Errorf("%s, %v", plain, err)
	}
	c.Renormalise, c.TrueGradient = true, true
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	var back neural.Config
	if err := json.Unmarshal(data, &back); err != nil || back != c {
		t.Errorf("%s read back as %+v, %v", data, back, err)
	}
	pooling, ok := c.Network().Pooling.(synlayer.SynPooling)
	if !ok || !pooling.Renormalise || !pooling.TrueGradient {
		t.Errorf("the network of %s pools by %+v", data, c.Network().Pooling)
	}
	softmax, err := neural.DefaultConfig("softmax")
	if err != nil {
		t.Fatal(err)
	}
	softmax.Renormalise = true // not its own: ignored
	if data, err := json.Marshal(softmax); err != nil || strings.Contains(string(data), "renormalise") {
		t.Errorf("%s, %v", data, err)
	}
}

func ExampleHyperparameters() {
	names, _ := neural.Hyperparameters("mean")
	fmt.Println(names)
	// Output: [pooling layers width dropout epochs batch instances lr lr_decay weight_decay standardise loss class_weight]
}

func ExampleConfig() {
	c, _ := neural.DefaultConfig("mean")
	data, _ := json.Marshal(c)
	fmt.Println(string(data))
	// Output: {"pooling":"mean","layers":1,"width":256,"dropout":0.75,"epochs":50,"batch":1,"lr":0.001,"weight_decay":0.0001,"standardise":true}
}

// TestOwnConfigRefuses checks that invalid hyperparameters of a user's own pooling are errors of the setting.
func TestOwnConfigRefuses(t *testing.T) {
	for want, pooling := range map[string]synlayer.Pooling{
		`pooling "own": synlayer: LogSumExpPooling with sharpness 0, want a finite number above 0`: synlayer.LogSumExpPooling{},
		`pooling "own": synlayer: HopfieldPooling with beta 0, want a finite number above 0`:       synlayer.HopfieldPooling{Embed: 32, Heads: 4},
	} {
		c, err := neural.OwnConfig("own", pooling)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Validate(); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestConfigRefusesJSON(t *testing.T) {
	good, _ := neural.DefaultConfig("syn")
	data, err := json.Marshal(good)
	if err != nil {
		t.Fatal(err)
	}
	for bad, want := range map[string]string{
		`{}`:                 "name of a pooling",
		`{"pooling":"sin"}`:  `without layers`,
		`{"pooling":"mean"}`: "without layers",
		`{"pooling":7}`:      "name of a pooling",
		`[]`:                 "cannot unmarshal",
		strings.Replace(string(data), `"gamma"`, `"gama"`, 1):                  "without gamma",
		strings.Replace(string(data), `{`, `{"beta":1,`, 1):                    "with beta, which it does not have",
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
	g := neural.Grid{Pooling: []string{"softmax", "syn", "mean", "hopfield"}, Iterations: []int{-3, 3, 3}, Gamma: []float64{0.5, 1},
		Beta: []float64{1}, Heads: []int{1, 2}, LR: []float64{0.1}}
	configs, err := g.Configs()
	if err != nil {
		t.Fatal(err)
	}
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
		{neural.Grid{Iterations: []int{1}}, "no pooling; name one or more of syn, softmax"},
		{neural.Grid{Pooling: []string{"hopfeld"}}, `did you mean "hopfield"?`},
		{neural.Grid{Pooling: []string{"qqqqqqqqqqq"}}, "use one of syn, softmax"},
		{neural.Grid{Pooling: []string{"syn"}, Gamma: []float64{0}}, "gamma 0: more than 0 and at most 1 is needed"},
		{neural.Grid{Pooling: []string{"syn"}, Iterations: []int{1000}}, "iterations 1000"},
		{neural.Grid{Pooling: []string{"syn"}, Heads: []int{5}}, "heads 5: a divisor of the embedding, 32"},
		{neural.Grid{Pooling: []string{"mean"}, Dropout: []float64{1}}, "dropout 1"},
		{neural.Grid{Pooling: []string{"mean"}, WeightDecay: []float64{-1}}, "weight-decay -1"},
		{neural.Grid{Pooling: []string{"mean"}, Epochs: []int{0}}, "epochs 0"},
		{neural.Grid{Pooling: []string{"mean"}, Batch: []int{0}}, "batch 0"},
		{neural.Grid{Pooling: []string{"mean"}, Width: []int{0}}, "width 0"},
		{neural.Grid{Pooling: []string{"mean"}, Layers: []int{-1}}, "layers -1"},
		{neural.Grid{Pooling: []string{"mean"}, LR: []float64{0}}, "lr 0"},
		{neural.Grid{Pooling: []string{"hopfield"}, Beta: []float64{0}}, "beta 0"},
	} {
		if _, err := c.grid.Configs(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one with %q", c.grid, err, c.want)
		}
	}
	// Hyperparameters that a pooling does not have cannot be invalid.
	if _, err := (neural.Grid{Pooling: []string{"mean"}, Gamma: []float64{0}}).Configs(); err != nil {
		t.Error(err)
	}
}

package neural

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"synpool/internal/spelling"
	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/synlayer"
)

// Config is one setting: all hyperparameters of a network and its training. Their tags are read by [Hyperparameter].
// Those that the pooling does not have are ignored and are left out of the JSON.
//
// Standardise does not centre sparse sets, so that zeros stay zeros. Loss is "" or the default for the kind of target,
// which the JSON leaves out, or another for this kind. With ClassWeight "balanced" the probabilities are those of
// equally frequent classes; "" is "none". Beyond 200 Syn steps the weights hardly change, and graphs grow with their
// number.
type Config struct {
	Pooling string // one of [Poolings]

	Iterations int     `json:"iterations" range:"[-200,200]" search:"-3,-1,0,1,3" help:"Syn steps I: positive concentrates the weights, negative distracts them, 0 leaves them"`
	Gamma      float64 `json:"gamma" range:"(0,1]" help:"gamma of the Syn steps, in (0,1]"`
	Embed      int     `json:"embed" range:"[1,16384]" help:"features of keys and values over all heads (syn, softmax, hopfield, settransformer), of queries (dsmil), or of the hidden layer (attention, gated, clam, acmil)"`
	Heads      int     `json:"heads" range:"[1,)" search:"1,8" help:"attention heads"`
	Scale      float64 `json:"scale" range:"(0,)" search:"0.3,1,3,10" help:"factor on the logits of the attention weights"`
	Beta       float64 `json:"beta" range:"(0,)" search:"0.1,0.3,1,3" help:"inverse temperature"`
	Norm       bool    `json:"norm" search:"false,true" help:"layer norms: true or false"`

	Layers      int     `json:"layers" range:"[0,64]" search:"1,2" help:"dense layers before the pooling"`
	Width       int     `json:"width" range:"[1,16384]" search:"32,128" help:"features of each dense layer"`
	Dropout     float64 `json:"dropout" range:"[0,1)" search:"0,0.2,0.5,0.75" help:"dropout rate of the instances' features, in [0,1)"`
	Epochs      int     `json:"epochs" range:"[1,1000000]" search:"80" help:"passes over the training bags"`
	Batch       int     `json:"batch" range:"[1,)" search:"4,16" help:"bags per step"`
	Instances   int     `json:"instances,omitempty" range:"[0,)" help:"number of instances per bag to train on, drawn again in every epoch; all are scored (default all)"`
	LR          float64 `json:"lr" range:"(0,)" search:"0.0003,0.001,0.003" help:"learning rate"`
	LRDecay     float64 `json:"lr_decay,omitempty" range:"[0,1)" search:"0,0.02,0.04" help:"share of the learning rate that is taken off after every epoch"`
	WeightDecay float64 `json:"weight_decay" range:"[0,)" search:"0.0001,0.001,0.01,0.1,0.3" help:"weight decay of AdamW"`
	Standardise bool    `json:"standardise" help:"give each feature mean 0 and standard deviation 1 over the training part: true or false"`
	Loss        string  `json:"loss,omitempty" words:"squared,huber,hazards,cox" help:"training loss; for numbers squared (default) or huber, which a few outliers move little; for survival hazards (default), over eight intervals of time, or cox, the partial likelihood within a --batch of 2 or more bags"`
	ClassWeight string  `json:"class_weight,omitempty" words:"none,balanced" help:"weight of a bag in the loss: none (default), or balanced, so that a rare class counts as much as a frequent one; probabilities are then too high for the rare class"`

	// These came last and are drawn last ([Grid.Sample]), so that a seed draws what it always drew.
	Renormalise  bool    `json:"renormalise,omitempty" help:"divide the weights by their sum after the Syn steps: true or false (syn; default false)"`
	TrueGradient bool    `json:"true_gradient,omitempty" help:"differentiate through the Syn steps instead of straight through: true or false (syn; default false)"`
	Branches     int     `json:"branches" range:"[1,64]" help:"attention branches"`
	Top          int     `json:"top" range:"[1,64]" help:"number of most attended instances per bag: clustered in training with as many least attended ones (clam), or masked at random (acmil)"`
	MaskRate     float64 `json:"mask_rate" range:"[0,1)" help:"probability that a most attended instance is masked in a training step, in [0,1)"`
	Init         string  `json:"init,omitempty" words:"xavier,fan-in" help:"initial weights of dense layers: xavier (default), or fan-in, uniform within ±1/√inputs as in PyTorch, which are smaller and learn faster on large bags"`
	Inducing     int     `json:"inducing" range:"[1,1024]" help:"inducing points"`
	Weights      string  `json:"weights,omitempty" words:"softmax,sparsemax,entmax15" help:"map of attention logits to weights: softmax (default), or sparsemax or entmax15, which give unlikely instances a weight of exactly 0"`
	Hidden       int     `json:"hidden,omitempty" range:"[0,16384]" help:"features of a dense layer with ReLU after the pooling (default none); with --layers 0 the network is SiMLP, a multilayer perceptron on the mean of a bag"`

	own    synlayer.Pooling // a pooling that is registered or has hyperparameters of its own, with these
	target target           // target of the set
	start  *Weights         // initial values instead of random ones; nil for none
}

// DefaultConfig returns the setting of the released program for the named pooling ([synlayer.DefaultNetwork],
// [synlayer.DefaultSyn] and so on; those of other papers as published), with the training of the Syn paper. The error for
// an unknown name suggests the nearest.
func DefaultConfig(pooling string) (Config, error) {
	e, err := find(pooling)
	if err != nil {
		return Config{}, err
	}
	network := synlayer.DefaultNetwork(nil)
	c := Config{Pooling: pooling, Layers: network.Layers, Width: network.Width, Dropout: network.Dropout,
		Epochs: 50, Batch: 1, LR: 1e-3, WeightDecay: 1e-4, Standardise: true}
	e.set(&c, e.Default)
	return c, nil
}

// Names of initial weights.
const (
	xavier = "xavier"
	fanIn  = "fan-in"
)

// Presets of settings. The first is the default of commands.
const (
	// SmallPreset is for sets of tens to a few hundred bags: a narrow network with little dropout, some weight decay, and
	// no layer norms in the pooling ([Entry.KeepNorm]).
	SmallPreset    = "small"
	LargePreset    = "large"    // for bags of hundreds of instances and more, such as slides: small, one bag per step, with [FanIn]
	PaperPreset    = "paper"    // [DefaultConfig] with the pooling of the Syn paper, [synlayer.PaperSyn] (syn, softmax)
	ReleasedPreset = "released" // [DefaultConfig]
)

// Presets lists the presets.
var Presets = []string{SmallPreset, LargePreset, PaperPreset, ReleasedPreset}

// PresetFor returns the preset that suits a set: [LargePreset] if its bags have 256 or more instances on average, otherwise
// [SmallPreset].
func PresetFor(set *mil.Set) string {
	if set.NumInstances() >= largeMean*len(set.Bags) {
		return LargePreset
	}
	return SmallPreset
}

// PresetConfig returns the setting of the named pooling in a preset, by default [ReleasedPreset]. An unknown preset is
// an error.
func PresetConfig(preset, pooling string) (Config, error) {
	c, err := DefaultConfig(pooling)
	e, _ := find(pooling)
	switch preset {
	case SmallPreset, LargePreset:
		c.Width, c.Dropout, c.Norm = 64, 0.2, c.Norm && e.KeepNorm
		if c.Embed > 0 {
			c.Embed = max(1, 32/max(1, c.Heads)) * max(1, c.Heads) // which the heads divide
		}
		c.Epochs, c.Batch, c.WeightDecay = 60, 4, 0.01
		if preset == LargePreset {
			c.Epochs, c.Batch, c.Init = 20, 1, fanIn
		}
	case PaperPreset:
		if e.Paper != nil {
			e.set(&c, e.Paper)
		}
	case ReleasedPreset, "":
	default:
		return c, fmt.Errorf("preset %q: there is no such preset; %s", preset, spelling.Hint(preset, Presets))
	}
	return c, err
}

// Validate reports the first invalid hyperparameter.
func (c Config) Validate() error {
	e, err := find(c.Pooling)
	if err != nil {
		return err
	}
	if c.own == nil && len(e.own()) > 0 {
		return fmt.Errorf("pooling %q: its own hyperparameters are not set; take DefaultConfig or PresetConfig and change that", c.Pooling)
	}
	if p, ok := e.pooling(c).(interface{ Validate() error }); ok && c.own != nil {
		if err := p.Validate(); err != nil {
			return fmt.Errorf("pooling %q: %w", c.Pooling, err)
		}
	}
	for _, h := range e.all() {
		if err := h.Check(h.value(&c).Interface()); err != nil {
			return err
		}
	}
	switch {
	case slices.Contains(e.Has, "heads") && c.Embed%c.Heads != 0:
		return fmt.Errorf("heads %d does not divide --embed %d; every number of heads must divide every embedding", c.Heads, c.Embed)
	case c.Instances > 0 && c.Layers == 0:
		return fmt.Errorf("instances %d: a network without layers takes all; give a layer, or 0 for all", c.Instances)
	case c.Loss == cox && c.Batch < 2:
		return fmt.Errorf("batch %d: loss %s compares the bags of a batch; give at least 2, better 16 or more", c.Batch, cox)
	}
	return nil
}

// maxNumbers is the limit for the parameters of a network, and for the numbers in a batch of bags.
const maxNumbers = 1 << 27

// checkSize reports a network or batch that does not fit into memory, given the features and the largest number of
// instances per bag. Large bags are held one at a time, after the first layer.
func (c Config) checkSize(features, instances, bags int, large bool) error {
	parameters, in := 0, features
	for range c.Layers {
		parameters += (in + 1) * c.Width
		in = c.Width
	}
	parameters += in*4*max(c.Embed, 1) + (in+1)*c.Hidden
	if c.Pooling == setFormer { // one layer for the input, one for the seed, and five attention blocks with five layers
		parameters += 27 * c.Embed * c.Embed
	}
	if parameters > maxNumbers {
		return fmt.Errorf("width %d and layers %d make a network of %d parameters on %d features, more than %d; lower --width, --layers or --hidden",
			c.Width, c.Layers, parameters, features, maxNumbers)
	}
	if large {
		if size := float64(paddedRows(instances, false)) * float64(max(c.Width, c.Embed)); size > maxNumbers {
			return fmt.Errorf("a bag of %d instances holds %.0f numbers in the network, more than %d; lower --width or --embed", instances, size, maxNumbers)
		}
		return nil
	}
	if size := float64(min(c.Batch, bags)) * float64(bucket(instances)) * float64(max(features, c.Width)); size > maxNumbers {
		return fmt.Errorf("batch %d of bags of up to %d instances holds %.0f numbers, more than %d; lower --batch", min(c.Batch, bags), instances, size, maxNumbers)
	}
	return nil
}

// Chooses reports whether the pooling of a setting weights instances differently, so that its weights say which count.
func Chooses(setting json.RawMessage) bool {
	var c Config
	return json.Unmarshal(setting, &c) == nil && c.chooses()
}

// chooses reports whether the pooling weights instances differently.
func (c Config) chooses() bool {
	e, err := find(c.Pooling)
	return err == nil && !e.Uniform
}

// MarshalJSON encodes the fields that the pooling has, in a fixed order.
func (c Config) MarshalJSON() ([]byte, error) {
	if defaultLoss(c.Loss) {
		c.Loss = ""
	}
	if c.ClassWeight == unweighted {
		c.ClassWeight = ""
	}
	if c.Init == xavier {
		c.Init = ""
	}
	if c.Weights == synlayer.SoftmaxWeights {
		c.Weights = ""
	}
	e, _ := find(c.Pooling) // without an entry, only what all networks have
	name, err := json.Marshal(c.Pooling)
	if err != nil {
		return nil, err
	}
	text := fmt.Appendf(nil, `{"pooling":%s`, name)
	if e.code != "" {
		text = fmt.Appendf(text, ",%q:%q", cv.CodeKey, e.code)
	}
	for _, h := range e.all() {
		field := h.value(&c)
		if h.optional && field.IsZero() {
			continue
		}
		value, err := json.Marshal(field.Interface())
		if err != nil {
			return nil, fmt.Errorf("setting %s: %w", h.Name, err)
		}
		text = fmt.Appendf(text, ",%q:%s", h.Name, value)
	}
	return append(text, '}'), nil
}

// UnmarshalJSON decodes what MarshalJSON writes. A missing key is an error, and so is a key that the pooling does not
// have.
func (c *Config) UnmarshalJSON(data []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	var pooling string
	if err := json.Unmarshal(values[cv.PoolingKey], &pooling); err != nil {
		return fmt.Errorf("setting without the name of a pooling: %s", data)
	}
	delete(values, cv.PoolingKey)
	e, err := find(pooling)
	if err != nil {
		return err
	}
	var code string
	if err := json.Unmarshal(values[cv.CodeKey], &code); err == nil && code != e.code {
		return fmt.Errorf("pooling %s: its code or its default has changed since this setting was made (%s, now %s); train again", pooling, code, e.code)
	}
	delete(values, cv.CodeKey)
	read := Config{Pooling: pooling}
	e.set(&read, e.Default)
	for _, h := range e.all() {
		value, found := values[h.Name]
		field := reflect.New(h.field.Type)
		if !found && !h.optional {
			return fmt.Errorf("setting of pooling %s without %s", pooling, h.Name)
		} else if err := json.Unmarshal(value, field.Interface()); found && err != nil {
			return fmt.Errorf("setting %s: %w", h.Name, err)
		}
		h.set(&read, field.Elem())
		delete(values, h.Name)
	}
	for name := range values {
		var known []string
		for _, h := range e.all() {
			known = append(known, h.Name)
		}
		return fmt.Errorf("setting of pooling %s with %s, which it does not have; %s", pooling, name, spelling.Hint(name, known))
	}
	*c = read
	return nil
}

// Network returns the network that c describes.
func (c Config) Network() synlayer.Network {
	e, _ := find(c.Pooling) // without an entry, there is no pooling
	return synlayer.Network{Layers: c.Layers, Width: c.Width, Dropout: c.Dropout, Pooling: e.pooling(c), Outputs: c.target.outputs()}
}

// bound returns the number of Syn steps that the graph is built for: 4, or the next power of two, so that settings
// share graphs. It depends only on the setting; so results do not depend on the settings that share the graph. With γ = 1
// one formula has any number of steps, also none, as softmax has. bound is 0 for poolings without a number of steps, and
// for a registered one, whose steps shape the graph.
func (c Config) bound() int {
	p, ok := c.Network().Pooling.(synlayer.SynPooling)
	if !ok || c.own != nil {
		return 0
	}
	if p.Gamma == 1 {
		return 1
	}
	return powerOfTwo(max(4, p.Iterations, -p.Iterations))
}

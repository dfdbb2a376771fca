package neural

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"synpool/internal/spelling"
	"synpool/synlayer"
)

// Names of the poolings.
const (
	syn       = "syn"
	softmax   = "softmax"
	hopfield  = "hopfield"
	attention = "attention"
	gated     = "gated"
	mean      = "mean"
	maximum   = "max"
	sum       = "sum"
	logSumExp = "lse"
	dsmil     = "dsmil"
	clam      = "clam"
	acmil     = "acmil"
	setFormer = "settransformer"
)

// Poolings lists the names of the poolings. "softmax" is "syn" without Syn steps. "attention" and "gated" are those of
// Ilse et al. 2018. "lse" is log-sum-exp with sharpness 1. "dsmil", "clam" (its single branch) and "acmil" have a
// training loss of their own, and that loss is reported ([synlayer.Classifier]).
var Poolings = []string{syn, softmax, hopfield, attention, gated, mean, maximum, sum, logSumExp, dsmil, clam, acmil, setFormer}

// Config is one setting: all hyperparameters of a network and its training. Fields that the pooling does not have are
// ignored and are left out of the JSON.
type Config struct {
	Pooling string // one of [Poolings], or a name in [Trainer.Poolings]

	Iterations int     // I: Syn steps, negative for inverse steps (syn)
	Gamma      float64 // γ in (0, 1] (syn)
	Embed      int     // M: features of keys and values over all heads; features of the queries (dsmil), or of the hidden layer (attention, gated, clam, acmil)
	Heads      int     // H (syn, softmax, hopfield, settransformer)
	Scale      float64 // S (syn, softmax, dsmil)
	Beta       float64 // β (hopfield)
	Norm       bool    // layer norms (syn, softmax, hopfield, settransformer)

	Renormalise  bool // divide weights by their sum after the Syn steps (syn)
	TrueGradient bool // differentiate through the Syn steps and not straight through; for ablations (syn)

	Branches int     // number of attentions (acmil)
	Top      int     // number of most attended instances to cluster, with as many least attended ones (clam), or to mask (acmil)
	MaskRate float64 // probability in [0, 1) that a most attended instance is masked in training (acmil)
	Inducing int     // inducing points per block (settransformer)

	Layers  int     // L: dense layers before the pooling
	Width   int     // D: features of these layers
	Dropout float64 // dropout of the instances' features, in [0, 1)

	Epochs      int
	Batch       int     // bags per step
	Instances   int     // number of instances per bag drawn at random in each epoch of training; 0 for all. All instances are scored.
	LR          float64 // learning rate
	LRDecay     float64 // share of the learning rate lost after every epoch, in [0, 1)
	WeightDecay float64

	// Standardise gives each feature mean 0 and standard deviation 1 over the instances of the training part. Sparse
	// sets are not centred, so that zeros stay zeros.
	Standardise bool

	// Loss is one of [Losses]: squared error or Huber's loss for real targets; the loss of hazards or Cox's for
	// survival. "" is the default for the kind of target. The JSON leaves out a default loss.
	Loss string

	// ClassWeight is one of [ClassWeights]: "balanced" gives all classes the same weight in the loss, however many bags
	// they have. "" means "none". The probabilities are then those of equally frequent classes. The JSON leaves out "none".
	ClassWeight string

	own    synlayer.Pooling // the pooling with the given name if it is not one of [Poolings]
	target target           // target of the set
}

// key describes one key of a setting's JSON.
type key struct {
	name  string
	field func(*Config) any // pointer to the field
	of    []string          // poolings that have the key; nil for all

	optional bool // left out of the JSON if it is false, 0 or a default loss
}

var keys = []key{
	{"pooling", func(c *Config) any { return &c.Pooling }, nil, false},
	{"iterations", func(c *Config) any { return &c.Iterations }, []string{syn}, false},
	{"gamma", func(c *Config) any { return &c.Gamma }, []string{syn}, false},
	{"embed", func(c *Config) any { return &c.Embed }, []string{syn, softmax, hopfield, attention, gated, dsmil, clam, acmil, setFormer}, false},
	{"heads", func(c *Config) any { return &c.Heads }, []string{syn, softmax, hopfield, setFormer}, false},
	{"scale", func(c *Config) any { return &c.Scale }, []string{syn, softmax, dsmil}, false},
	{"beta", func(c *Config) any { return &c.Beta }, []string{hopfield}, false},
	{"norm", func(c *Config) any { return &c.Norm }, []string{syn, softmax, hopfield, setFormer}, false},
	{"renormalise", func(c *Config) any { return &c.Renormalise }, []string{syn}, true},
	{"true_gradient", func(c *Config) any { return &c.TrueGradient }, []string{syn}, true},
	{"branches", func(c *Config) any { return &c.Branches }, []string{acmil}, false},
	{"top", func(c *Config) any { return &c.Top }, []string{clam, acmil}, false},
	{"mask_rate", func(c *Config) any { return &c.MaskRate }, []string{acmil}, false},
	{"inducing", func(c *Config) any { return &c.Inducing }, []string{setFormer}, false},
	{"layers", func(c *Config) any { return &c.Layers }, nil, false},
	{"width", func(c *Config) any { return &c.Width }, nil, false},
	{"dropout", func(c *Config) any { return &c.Dropout }, nil, false},
	{"epochs", func(c *Config) any { return &c.Epochs }, nil, false},
	{"batch", func(c *Config) any { return &c.Batch }, nil, false},
	{"instances", func(c *Config) any { return &c.Instances }, nil, true},
	{"lr", func(c *Config) any { return &c.LR }, nil, false},
	{"lr_decay", func(c *Config) any { return &c.LRDecay }, nil, true},
	{"weight_decay", func(c *Config) any { return &c.WeightDecay }, nil, false},
	{"standardise", func(c *Config) any { return &c.Standardise }, nil, false},
	{"loss", func(c *Config) any { return &c.Loss }, nil, true},
	{"class_weight", func(c *Config) any { return &c.ClassWeight }, nil, true},
}

// Hyperparameters returns the JSON keys of settings of the named pooling.
func Hyperparameters(pooling string) ([]string, error) {
	if _, err := DefaultConfig(pooling); err != nil {
		return nil, err
	}
	var names []string
	for _, k := range keys {
		if k.has(pooling) {
			names = append(names, k.name)
		}
	}
	return names, nil
}

func (k key) has(pooling string) bool { return k.of == nil || slices.Contains(k.of, pooling) }

// OwnConfig returns the default setting for a user's own pooling, under the given name. Results identify the pooling by
// this name: give different hyperparameters different names, and list all of them in [Trainer.Poolings].
//
// The pooling must be a comparable value that keeps the laws of package syntest. If it has a method Validate, the
// setting reports its errors ([synlayer.Pooling]). A pooling that uses 1/√x or log(1+x) may round differently at
// different places in a block (see the package documentation).
func OwnConfig(name string, pooling synlayer.Pooling) (Config, error) {
	c, err := DefaultConfig(mean)
	if err != nil {
		return Config{}, err
	}
	c.Pooling = name
	return c.with(map[string]synlayer.Pooling{name: pooling})
}

// with returns c with its pooling looked up in poolings, unless it is one of [Poolings].
func (c Config) with(poolings map[string]synlayer.Pooling) (Config, error) {
	own := poolings[c.Pooling]
	switch {
	case own == nil && c.own != nil: // already has it
		return c, nil
	case own == nil:
		_, err := DefaultConfig(c.Pooling)
		return c, err
	case c.Pooling == "" || slices.Contains(Poolings, c.Pooling):
		return c, fmt.Errorf("pooling %q: a pooling of your own needs a name of its own; rename it", c.Pooling)
	case !reflect.ValueOf(own).Comparable():
		return c, fmt.Errorf("pooling %q: a %T cannot be compared with another, which tells the graphs apart; use a struct without slices, maps and functions", c.Pooling, own)
	}
	c.own = own
	return c, nil
}

// DefaultConfig returns the setting of the released program for the named pooling ([synlayer.DefaultNetwork],
// [synlayer.DefaultSyn] and so on; those of other papers as published), with the training of the Syn paper. The error for
// an unknown name suggests the nearest.
func DefaultConfig(pooling string) (Config, error) {
	c := Config{Pooling: pooling, Epochs: 50, Batch: 1, LR: 1e-3, WeightDecay: 1e-4, Standardise: true}
	network := synlayer.DefaultNetwork(nil)
	c.Layers, c.Width, c.Dropout = network.Layers, network.Width, network.Dropout
	switch pooling {
	case syn, softmax:
		p := synlayer.DefaultSyn()
		c.Embed, c.Heads, c.Scale, c.Norm = p.Embed, p.Heads, p.Scale, p.Norm
		if pooling == syn {
			c.Iterations, c.Gamma = p.Iterations, p.Gamma
		}
	case hopfield:
		p := synlayer.DefaultHopfield()
		c.Embed, c.Heads, c.Beta, c.Norm = p.Embed, p.Heads, p.Beta, p.Norm
	case attention, gated:
		c.Embed = synlayer.DefaultAttention().Embed
	case mean, maximum, sum, logSumExp:
	case dsmil:
		p := synlayer.DefaultDSMIL()
		c.Embed, c.Scale = p.Embed, p.Scale
	case clam:
		p := synlayer.DefaultCLAM()
		c.Embed, c.Top = p.Embed, p.Top
	case acmil:
		p := synlayer.DefaultACMIL()
		c.Embed, c.Branches, c.Top, c.MaskRate = p.Embed, p.Branches, p.Top, p.MaskRate
	case setFormer:
		p := synlayer.DefaultSetTransformer()
		c.Embed, c.Heads, c.Inducing, c.Norm = p.Embed, p.Heads, p.Inducing, p.Norm
	default:
		if near := spelling.Nearest(pooling, Poolings); near != "" {
			return Config{}, fmt.Errorf("pooling %q: there is no such pooling; did you mean %q?", pooling, near)
		}
		return Config{}, fmt.Errorf("pooling %q: there is no such pooling; use one of %s", pooling, strings.Join(Poolings, ", "))
	}
	return c, nil
}

// SmallConfig returns a setting of the named pooling for sets of tens to a few hundred bags: a narrow network with
// little dropout, some weight decay, and no layer norms in the pooling. Only the Set Transformer keeps its layer norms;
// without them, its numbers became infinite or NaN on Tiger.
func SmallConfig(pooling string) (Config, error) {
	c, err := DefaultConfig(pooling)
	c.Width, c.Dropout, c.Norm = 64, 0.2, c.Norm && pooling == setFormer
	if c.Embed > 0 {
		c.Embed = 32
	}
	c.Epochs, c.Batch, c.WeightDecay = 60, 4, 0.01
	return c, err
}

// Presets of settings. The first is the default of commands.
const (
	SmallPreset    = "small"    // [SmallConfig]
	PaperPreset    = "paper"    // [DefaultConfig] with γ and layer norm of [synlayer.PaperSyn] (syn, softmax)
	ReleasedPreset = "released" // [DefaultConfig]
)

// Presets lists the presets.
var Presets = []string{SmallPreset, PaperPreset, ReleasedPreset}

// PresetConfig returns the setting of the named pooling in a preset. An unknown preset is an error.
func PresetConfig(preset, pooling string) (Config, error) {
	switch preset {
	case SmallPreset:
		return SmallConfig(pooling)
	case PaperPreset:
		c, err := DefaultConfig(pooling)
		if pooling == syn || pooling == softmax {
			p := synlayer.PaperSyn()
			c.Norm = p.Norm
			if pooling == syn {
				c.Gamma = p.Gamma
			}
		}
		return c, err
	case ReleasedPreset, "":
		return DefaultConfig(pooling)
	}
	if near := spelling.Nearest(preset, Presets); near != "" {
		return Config{}, fmt.Errorf("preset %q: there is no such preset; did you mean %q?", preset, near)
	}
	return Config{}, fmt.Errorf("preset %q: there is no such preset; use one of %s", preset, strings.Join(Presets, ", "))
}

// Validate reports the first invalid hyperparameter.
func (c Config) Validate() error {
	if c.own == nil {
		if _, err := DefaultConfig(c.Pooling); err != nil {
			return err
		}
	}
	if p, ok := c.own.(interface{ Validate() error }); ok {
		if err := p.Validate(); err != nil {
			return fmt.Errorf("pooling %q: %w", c.Pooling, err)
		}
	}
	positive := func(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
	notNegative := func(v float64) bool { return v >= 0 && !math.IsInf(v, 1) }
	for _, check := range []struct {
		name string
		ok   bool
		want string
	}{
		{"iterations", c.Iterations >= -maxIterations && c.Iterations <= maxIterations, fmt.Sprintf("an integer from -%d to %[1]d", maxIterations)},
		{"gamma", c.Gamma > 0 && c.Gamma <= 1, "more than 0 and at most 1"},
		{"embed", c.Embed >= 1 && c.Embed <= maxFeatures, fmt.Sprintf("from 1 to %d", maxFeatures)},
		{"heads", c.Heads >= 1 && c.Embed%max(c.Heads, 1) == 0, fmt.Sprintf("a divisor of the embedding, %d", c.Embed)},
		{"scale", positive(c.Scale), "more than 0"},
		{"beta", positive(c.Beta), "more than 0"},
		{"branches", c.Branches >= 1 && c.Branches <= maxBranches, fmt.Sprintf("from 1 to %d", maxBranches)},
		{"top", c.Top >= 1 && c.Top <= synlayer.MaxTop, fmt.Sprintf("from 1 to %d", synlayer.MaxTop)},
		{"mask_rate", c.MaskRate >= 0 && c.MaskRate < 1, "from 0 to less than 1"},
		{"inducing", c.Inducing >= 1 && c.Inducing <= maxInducing, fmt.Sprintf("from 1 to %d", maxInducing)},
		{"layers", c.Layers >= 0 && c.Layers <= maxLayers, fmt.Sprintf("from 0 to %d", maxLayers)},
		{"width", c.Width >= 1 && c.Width <= maxFeatures, fmt.Sprintf("from 1 to %d", maxFeatures)},
		{"dropout", c.Dropout >= 0 && c.Dropout < 1, "from 0 to less than 1"},
		{"epochs", c.Epochs >= 1 && c.Epochs <= maxEpochs, fmt.Sprintf("from 1 to %d", maxEpochs)},
		{"batch", c.Batch >= 1, "at least 1"},
		{"instances", c.Instances == 0 || c.Instances > 0 && c.Layers > 0, "0 for all, or more of a network with a layer"},
		{"lr", positive(c.LR), "more than 0"},
		{"lr_decay", c.LRDecay >= 0 && c.LRDecay < 1, "from 0 to less than 1"},
		{"weight_decay", notNegative(c.WeightDecay), "0 or more"},
		{"loss", c.Loss == "" || slices.Contains(Losses, c.Loss), "one of " + strings.Join(Losses, ", ")},
		{"class_weight", c.ClassWeight == "" || slices.Contains(ClassWeights, c.ClassWeight), strings.Join(ClassWeights, " or ")},
	} {
		for _, k := range keys {
			if k.name == check.name && k.has(c.Pooling) && !check.ok {
				return fmt.Errorf("%s %v: %s is needed", strings.ReplaceAll(k.name, "_", "-"), deref(k.field(&c)), check.want)
			}
		}
	}
	if c.Loss == cox && c.Batch < 2 {
		return fmt.Errorf("batch %d: loss %s compares the bags of a batch; give at least 2, better 16 or more", c.Batch, cox)
	}
	return nil
}

// Limits of hyperparameters. Beyond maxIterations the weights hardly change, and graphs grow with the number of steps.
const (
	maxIterations = 200
	maxFeatures   = 1 << 14
	maxLayers     = 64
	maxEpochs     = 1_000_000
	maxBranches   = 64
	maxInducing   = 1 << 10
)

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
	parameters += in * 4 * max(c.Embed, 1)
	if c.Pooling == setFormer { // one layer for the input, one for the seed, and five attention blocks with five layers
		parameters += 27 * c.Embed * c.Embed
	}
	if parameters > maxNumbers {
		return fmt.Errorf("width %d and layers %d make a network of %d parameters on %d features, more than %d; lower --width or --layers",
			c.Width, c.Layers, parameters, features, maxNumbers)
	}
	if large {
		if size := float64(paddedRows(instances)) * float64(max(c.Width, c.Embed)); size > maxNumbers {
			return fmt.Errorf("a bag of %d instances holds %.0f numbers in the network, more than %d; lower --width or --embed", instances, size, maxNumbers)
		}
		return nil
	}
	if size := float64(min(c.Batch, bags)) * float64(bucket(instances)) * float64(max(features, c.Width)); size > maxNumbers {
		return fmt.Errorf("batch %d of bags of up to %d instances holds %.0f numbers, more than %d; lower --batch", min(c.Batch, bags), instances, size, maxNumbers)
	}
	return nil
}

// chooses reports whether the pooling weights instances differently.
func (c Config) chooses() bool { return c.Pooling != mean && c.Pooling != sum }

func deref(field any) any {
	switch v := field.(type) {
	case *string:
		return *v
	case *int:
		return *v
	case *float64:
		return *v
	case *bool:
		return *v
	}
	panic(fmt.Sprintf("neural: field of type %T", field))
}

// MarshalJSON encodes the fields that the pooling has, in a fixed order.
func (c Config) MarshalJSON() ([]byte, error) {
	if defaultLoss(c.Loss) {
		c.Loss = ""
	}
	if c.ClassWeight == unweighted {
		c.ClassWeight = ""
	}
	var b bytes.Buffer
	for _, k := range keys {
		if !k.has(c.Pooling) || k.optional && reflect.ValueOf(deref(k.field(&c))).IsZero() {
			continue
		}
		value, err := json.Marshal(k.field(&c))
		if err != nil {
			return nil, fmt.Errorf("setting %s: %w", k.name, err)
		}
		separator := ','
		if b.Len() == 0 {
			separator = '{'
		}
		fmt.Fprintf(&b, "%c%q:%s", separator, k.name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON decodes what MarshalJSON writes. A missing key is an error, and so is a key that the pooling does not
// have. A pooling that is not one of [Poolings] is accepted; the [Trainer] must know it.
func (c *Config) UnmarshalJSON(data []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	var read Config
	if err := json.Unmarshal(values["pooling"], &read.Pooling); err != nil {
		return fmt.Errorf("setting without the name of a pooling: %s", data)
	}
	for _, k := range keys {
		if !k.has(read.Pooling) {
			continue
		}
		value, ok := values[k.name]
		if !ok && k.optional {
			continue
		}
		if !ok {
			return fmt.Errorf("setting of pooling %s without %s", read.Pooling, k.name)
		}
		if err := json.Unmarshal(value, k.field(&read)); err != nil {
			return fmt.Errorf("setting %s: %w", k.name, err)
		}
		delete(values, k.name)
	}
	for name := range values {
		return fmt.Errorf("setting of pooling %s with %s, which it does not have", read.Pooling, name)
	}
	*c = read
	return nil
}

// Network returns the network that c describes.
func (c Config) Network() synlayer.Network {
	network := synlayer.Network{Layers: c.Layers, Width: c.Width, Dropout: c.Dropout, Pooling: c.own, Outputs: c.target.outputs()}
	switch c.Pooling {
	case syn, softmax:
		p := synlayer.SynPooling{Embed: c.Embed, Heads: c.Heads, Scale: c.Scale, Gamma: 1, Norm: c.Norm}
		if c.Pooling == syn {
			p.Iterations, p.Gamma, p.Renormalise, p.TrueGradient = c.Iterations, c.Gamma, c.Renormalise, c.TrueGradient
		}
		network.Pooling = p
	case hopfield:
		p := synlayer.DefaultHopfield()
		p.Embed, p.Heads, p.Beta, p.Norm = c.Embed, c.Heads, c.Beta, c.Norm
		network.Pooling = p
	case attention, gated:
		network.Pooling = synlayer.AttentionPooling{Embed: c.Embed, Gated: c.Pooling == gated}
	case mean:
		network.Pooling = synlayer.MeanPooling{}
	case maximum:
		network.Pooling = synlayer.MaxPooling{}
	case sum:
		network.Pooling = synlayer.SumPooling{}
	case logSumExp:
		network.Pooling = synlayer.DefaultLogSumExp()
	case dsmil:
		network.Pooling = synlayer.DSMILPooling{Embed: c.Embed, Scale: c.Scale}
	case clam:
		p := synlayer.DefaultCLAM()
		p.Embed, p.Top = c.Embed, c.Top
		network.Pooling = p
	case acmil:
		network.Pooling = synlayer.ACMILPooling{Embed: c.Embed, Branches: c.Branches, Top: c.Top, MaskRate: c.MaskRate}
	case setFormer:
		p := synlayer.DefaultSetTransformer()
		p.Embed, p.Heads, p.Inducing, p.Norm = c.Embed, c.Heads, c.Inducing, c.Norm
		network.Pooling = p
	}
	return network
}

// bound returns the number of Syn steps that the graph is built for: 4, or the next power of two, so that settings
// share graphs. It depends only on the setting; so results do not depend on the settings that share the graph. softmax
// uses the graph with few Syn steps and activates none: the two differ only in a number. bound is 0 for poolings
// without a number of steps, and for a user's own, whose steps shape the graph.
func (c Config) bound() int {
	switch c.Pooling {
	case syn:
		return powerOfTwo(max(4, c.Iterations, -c.Iterations))
	case softmax:
		return powerOfTwo(4)
	}
	return 0
}

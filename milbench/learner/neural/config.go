package neural

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"synpool/milbench"
	"synpool/synlayer"
)

// The names of the poolings.
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

// Poolings lists the poolings by name. "softmax" is "syn" without Syn steps; "attention" and "gated" are those of Ilse
// et al. 2018; "lse" is log-sum-exp with sharpness 1. "dsmil", "clam" (its single branch) and "acmil" have a training loss of
// their own, which is then the loss that is reported ([synlayer.Classifier]).
var Poolings = []string{syn, softmax, hopfield, attention, gated, mean, maximum, sum, logSumExp, dsmil, clam, acmil, setFormer}

// Config is one setting: every hyperparameter of a network and its training. Fields that the pooling does not have are
// ignored and do not appear in its JSON.
type Config struct {
	Pooling string // one of [Poolings], or the name of one of a [Trainer]'s own

	Iterations int     // I: Syn steps, negative for inverse steps (syn)
	Gamma      float64 // γ in (0, 1] (syn)
	Embed      int     // M: features of keys and values over all heads; of the queries (dsmil); of the hidden layer (attention, gated, clam, acmil)
	Heads      int     // H (syn, softmax, hopfield, settransformer)
	Scale      float64 // S (syn, softmax, dsmil)
	Beta       float64 // β (hopfield)
	Norm       bool    // layer norms (syn, softmax, hopfield, settransformer)

	Renormalise  bool // weights divided by their sum after the Syn steps (syn)
	TrueGradient bool // through the Syn steps, not straight through; for ablations (syn)

	Branches int     // attentions (acmil)
	Top      int     // most attended instances: those that are clustered, as many least attended ones (clam), or masked (acmil)
	MaskRate float64 // the probability that one of them is masked in training, in [0, 1) (acmil)
	Inducing int     // inducing points of each block (settransformer)

	Layers  int     // L: dense layers before the pooling
	Width   int     // D: their features
	Dropout float64 // of the instances' features, in [0, 1)

	Epochs      int
	Batch       int     // bags a step
	Instances   int     // of a bag, so many drawn at random train it in an epoch; 0 for all. All are scored.
	LR          float64 // learning rate
	LRDecay     float64 // the share by which the learning rate falls after every epoch, in [0, 1)
	WeightDecay float64

	// Standardise gives each feature mean 0 and standard deviation 1 over the instances of the training part.
	// A sparse set is not centred, so that its zeros stay zeros.
	Standardise bool

	// Loss is one of [Losses]: of real targets the squared error or Huber's loss, of survival that of hazards or Cox's. "" stands for
	// the first of the kind of target, which is left out of the JSON too.
	Loss string

	own    synlayer.Pooling // the pooling of that name, if it is not one of [Poolings]
	target target           // of the set
}

// key is one entry of a setting's JSON.
type key struct {
	name  string
	field func(*Config) any // pointer to the field
	of    []string          // poolings that have it; nil for all

	optional bool // left out of the JSON where it is false, 0 or a default loss
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
}

// Hyperparameters returns the names, as in its JSON, of what a setting of the named pooling has.
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

// OwnConfig returns the default setting around a pooling of the user's own, by name. The name stands for it in results:
// give one with other hyperparameters another name, and list them all in [Trainer.Poolings]. The pooling must be a
// comparable value that keeps the laws of package syntest; of one that has a method Validate, the setting says what makes
// no sense ([synlayer.Pooling]). One that uses 1/√x or log(1+x) may round otherwise at another place of a block (see the package).
func OwnConfig(name string, pooling synlayer.Pooling) (Config, error) {
	c, err := DefaultConfig(mean)
	if err != nil {
		return Config{}, err
	}
	c.Pooling = name
	return c.with(map[string]synlayer.Pooling{name: pooling})
}

// with returns c with its pooling taken from poolings, if it is not one of [Poolings].
func (c Config) with(poolings map[string]synlayer.Pooling) (Config, error) {
	own := poolings[c.Pooling]
	switch {
	case own == nil && c.own != nil: // has it already
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

// DefaultConfig returns the setting of the published code around the named pooling ([synlayer.DefaultNetwork],
// [synlayer.DefaultSyn] and so on), trained as in the paper. An unknown name is an error that suggests the nearest.
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
		if near := milbench.Nearest(pooling, Poolings); near != "" {
			return Config{}, fmt.Errorf("pooling %q: there is no such pooling; did you mean %q?", pooling, near)
		}
		return Config{}, fmt.Errorf("pooling %q: there is no such pooling; use one of %s", pooling, strings.Join(Poolings, ", "))
	}
	return c, nil
}

// SmallConfig returns a setting around the named pooling for sets of tens to a few hundred bags: a narrow network without layer norms in
// the pooling, little dropout and some weight decay. Only the Set Transformer keeps its layer norms, without which it left the finite
// numbers on Tiger. [DefaultConfig] has the paper's.
func SmallConfig(pooling string) (Config, error) {
	c, err := DefaultConfig(pooling)
	c.Width, c.Dropout, c.Norm = 64, 0.2, c.Norm && pooling == setFormer
	if c.Embed > 0 {
		c.Embed = 32
	}
	c.Epochs, c.Batch, c.WeightDecay = 60, 4, 0.01
	return c, err
}

// The presets of settings, the default of a command first.
const (
	SmallPreset = "small" // [SmallConfig]
	PaperPreset = "paper" // [DefaultConfig]
)

// Presets lists the presets.
var Presets = []string{SmallPreset, PaperPreset}

// PresetConfig returns the setting of a preset around the named pooling. An unknown preset is an error.
func PresetConfig(preset, pooling string) (Config, error) {
	switch preset {
	case SmallPreset:
		return SmallConfig(pooling)
	case PaperPreset, "":
		return DefaultConfig(pooling)
	}
	if near := milbench.Nearest(preset, Presets); near != "" {
		return Config{}, fmt.Errorf("preset %q: there is no such preset; did you mean %q?", preset, near)
	}
	return Config{}, fmt.Errorf("preset %q: there is no such preset; use one of %s", preset, strings.Join(Presets, ", "))
}

// Validate reports the first hyperparameter that makes no sense.
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

// Bounds of what makes sense. Beyond maxIterations the weights have long stopped to move, and graphs grow with them.
const (
	maxIterations = 200
	maxFeatures   = 1 << 14
	maxLayers     = 64
	maxEpochs     = 1_000_000
	maxBranches   = 64
	maxInducing   = 1 << 10
)

// maxNumbers bounds the parameters of a network, and the numbers of one batch of bags.
const maxNumbers = 1 << 27

// checkSize reports a network or a batch that is too large to hold: bags of up to instances, with features. Of large ones one is held
// at a time, as what the first layer makes of it.
func (c Config) checkSize(features, instances, bags int, large bool) error {
	parameters, in := 0, features
	for range c.Layers {
		parameters += (in + 1) * c.Width
		in = c.Width
	}
	parameters += in * 4 * max(c.Embed, 1)
	if c.Pooling == setFormer { // a layer for what goes in and one for the seed, and five attention blocks of five layers
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

// chooses reports whether the pooling prefers some instances to others.
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

// MarshalJSON writes the fields that the pooling has, in a fixed order.
func (c Config) MarshalJSON() ([]byte, error) {
	if defaultLoss(c.Loss) {
		c.Loss = ""
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

// UnmarshalJSON reads what MarshalJSON writes: a key that is missing, or that the pooling does not have, is an error. A
// name that is not one of [Poolings] is left for a [Trainer] to know.
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

// bound returns the number of Syn steps that a graph is built for: 4, or the next power of two, so that settings
// share graphs. It depends on the setting alone, so that its results do not depend on which others it shares with.
// softmax passes through the graph of few Syn steps with none of them active: the two differ in a number. It is 0 for
// poolings that have no number of steps, and for those of the user's own, whose steps shape the graph.
func (c Config) bound() int {
	switch c.Pooling {
	case syn:
		return powerOfTwo(max(4, c.Iterations, -c.Iterations))
	case softmax:
		return powerOfTwo(4)
	}
	return 0
}

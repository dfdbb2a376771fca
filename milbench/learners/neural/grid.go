package neural

import (
	"fmt"
	"slices"
	"strings"
)

// Grid lists values of hyperparameters. Each combination is a setting. An empty list means the value of the pooling in
// the preset ([PresetConfig]).
type Grid struct {
	Preset string // "" means [ReleasedPreset]

	Pooling     []string // at least one
	Iterations  []int
	Gamma       []float64
	Embed       []int
	Heads       []int
	Scale       []float64
	Beta        []float64
	Norm        []bool
	Layers      []int
	Width       []int
	Dropout     []float64
	Epochs      []int
	Batch       []int
	Instances   []int
	LR          []float64
	LRDecay     []float64
	WeightDecay []float64
	Standardise []bool
	Loss        []string // see [Losses]
	ClassWeight []string // see [ClassWeights]

	Renormalise, TrueGradient []bool

	Branches []int
	Top      []int
	MaskRate []float64
	Inducing []int
}

// Configs returns all settings, in the order of the lists, without duplicates: a hyperparameter that a pooling does not
// have is ignored for it. An invalid setting is an error.
func (g Grid) Configs() ([]Config, error) {
	if len(g.Pooling) == 0 {
		return nil, fmt.Errorf("no pooling; name one or more of %s", strings.Join(Poolings, ", "))
	}
	var configs []Config
	for _, pooling := range g.Pooling {
		c, err := PresetConfig(g.Preset, pooling)
		if err != nil {
			return nil, err
		}
		some := []Config{c}
		some = vary(some, "iterations", g.Iterations)
		some = vary(some, "gamma", g.Gamma)
		some = vary(some, "embed", g.Embed)
		some = vary(some, "heads", g.Heads)
		some = vary(some, "scale", g.Scale)
		some = vary(some, "beta", g.Beta)
		some = vary(some, "norm", g.Norm)
		some = vary(some, "renormalise", g.Renormalise)
		some = vary(some, "true_gradient", g.TrueGradient)
		some = vary(some, "branches", g.Branches)
		some = vary(some, "top", g.Top)
		some = vary(some, "mask_rate", g.MaskRate)
		some = vary(some, "inducing", g.Inducing)
		some = vary(some, "layers", g.Layers)
		some = vary(some, "width", g.Width)
		some = vary(some, "dropout", g.Dropout)
		some = vary(some, "epochs", g.Epochs)
		some = vary(some, "batch", g.Batch)
		some = vary(some, "instances", g.Instances)
		some = vary(some, "lr", g.LR)
		some = vary(some, "lr_decay", g.LRDecay)
		some = vary(some, "weight_decay", g.WeightDecay)
		some = vary(some, "standardise", g.Standardise)
		some = vary(some, "loss", g.Loss)
		some = vary(some, "class_weight", g.ClassWeight)
		for _, c := range some {
			if err := c.Validate(); err != nil {
				return nil, err
			}
			if !slices.Contains(configs, c) {
				configs = append(configs, c)
			}
		}
	}
	return configs, nil
}

// vary returns each config with each value of the named hyperparameter, if its pooling has it.
func vary[T any](configs []Config, name string, values []T) []Config {
	k := keys[slices.IndexFunc(keys, func(k key) bool { return k.name == name })]
	if len(values) == 0 {
		return configs
	}
	var varied []Config
	for _, c := range configs {
		if !k.has(c.Pooling) {
			varied = append(varied, c)
			continue
		}
		for _, v := range values {
			*k.field(&c).(*T) = v
			varied = append(varied, c)
		}
	}
	return varied
}

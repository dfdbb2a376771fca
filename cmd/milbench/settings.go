package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
)

// settings are the flags of a grid.
type settings struct {
	flags  *pflag.FlagSet
	grid   neural.Grid
	probes []neural.Grid // for each value that was given, a grid in which it alone may be wrong
}

// addTo adds a flag for each hyperparameter. With single each flag takes only one value.
func (s *settings) addTo(flags *pflag.FlagSet, single bool) {
	s.flags = flags
	flags.StringVar(&s.grid.Preset, "preset", neural.SmallPreset, "`name` of the defaults of networks: small, for sets of up to a few hundred bags; paper, the Syn paper's (gamma 1, no layer norm); or released, its released program's (gamma 0.5, layer norm)")
	add := func(v pflag.Value, name, usage string) { flags.Var(v, name, usage) }
	g := &s.grid
	type grid = neural.Grid

	add(newList(s, single, &g.Pooling, text, nil), "pooling", "pooling of networks (the default applies if you give another flag for networks): "+strings.Join(neural.Poolings, ", "))
	add(newList(s, single, &g.Iterations, integer, func(p *grid, v int) { p.Iterations = []int{v} }), "iterations",
		"Syn steps I: positive concentrates the weights, negative distracts them, 0 leaves them (syn)")
	add(newList(s, single, &g.Gamma, number, func(p *grid, v float64) { p.Gamma = []float64{v} }), "gamma", "gamma of the Syn steps, in (0,1] (syn)")
	add(newList(s, single, &g.Layers, integer, func(p *grid, v int) { p.Layers = []int{v} }), "layers", "dense layers before the pooling")
	add(newList(s, single, &g.Width, integer, func(p *grid, v int) { p.Width = []int{v} }), "width", "features of each dense layer")
	add(newList(s, single, &g.Embed, integer, func(p *grid, v int) { p.Embed, p.Heads = []int{v}, []int{1} }), "embed",
		"features of keys and values over all heads (syn, softmax, hopfield, settransformer), of queries (dsmil), or of the hidden layer (attention, gated, clam, acmil)")
	add(newList(s, single, &g.Heads, integer, func(p *grid, v int) { p.Heads, p.Embed = []int{min(v, 1)}, []int{1} }), "heads", "attention heads (syn, softmax, hopfield, settransformer)")
	add(newList(s, single, &g.Scale, number, func(p *grid, v float64) { p.Scale = []float64{v} }), "scale", "factor on the logits of the attention weights (syn, softmax, dsmil)")
	add(newList(s, single, &g.Beta, number, func(p *grid, v float64) { p.Beta = []float64{v} }), "beta", "inverse temperature (hopfield)")
	add(newList(s, single, &g.Norm, boolean, nil), "norm", "layer norms: true or false (syn, softmax, hopfield, settransformer)")
	add(newList(s, single, &g.Renormalise, boolean, nil), "renormalise", "divide the weights by their sum after the Syn steps: true or false (syn; default false)")
	add(newList(s, single, &g.TrueGradient, boolean, nil), "true-gradient", "differentiate through the Syn steps instead of straight through: true or false (syn; default false)")
	add(newList(s, single, &g.Branches, integer, func(p *grid, v int) { p.Branches = []int{v} }), "branches", "attention branches (acmil)")
	add(newList(s, single, &g.Top, integer, func(p *grid, v int) { p.Top = []int{v} }), "top",
		"number of most attended instances per bag: clustered in training with as many least attended ones (clam), or masked at random (acmil)")
	add(newList(s, single, &g.MaskRate, number, func(p *grid, v float64) { p.MaskRate = []float64{v} }), "mask-rate",
		"probability that a most attended instance is masked in a training step, in [0,1) (acmil)")
	add(newList(s, single, &g.Inducing, integer, func(p *grid, v int) { p.Inducing = []int{v} }), "inducing", "inducing points (settransformer)")
	add(newList(s, single, &g.Epochs, integer, func(p *grid, v int) { p.Epochs = []int{v} }), "epochs", "passes over the training bags")
	add(newList(s, single, &g.Batch, integer, func(p *grid, v int) { p.Batch = []int{v} }), "batch", "bags per step")
	add(newList(s, single, &g.Instances, integer, func(p *grid, v int) { p.Instances, p.Layers = []int{v}, []int{1} }), "instances",
		"number of instances per bag to train on, drawn again in every epoch; all are scored (default all)")
	add(newList(s, single, &g.LR, number, func(p *grid, v float64) { p.LR = []float64{v} }), "lr", "learning rate")
	add(newList(s, single, &g.LRDecay, number, func(p *grid, v float64) { p.LRDecay = []float64{v} }), "lr-decay", "share of the learning rate that is taken off after every epoch")
	add(newList(s, single, &g.WeightDecay, number, func(p *grid, v float64) { p.WeightDecay = []float64{v} }), "weight-decay", "weight decay of AdamW")
	add(newList(s, single, &g.Dropout, number, func(p *grid, v float64) { p.Dropout = []float64{v} }), "dropout", "dropout rate of the instances' features, in [0,1)")
	add(newList(s, single, &g.Standardise, boolean, nil), "standardise", "give each feature mean 0 and standard deviation 1 over the training part: true or false")
	add(newList(s, single, &g.Loss, text, func(p *grid, v string) { p.Loss, p.Batch = []string{v}, []int{2} }), "loss",
		"training loss; for numbers squared (default) or huber, which a few outliers move little; for survival hazards (default), over eight intervals of "+
			"time, or cox, the partial likelihood within a --batch of 2 or more bags")
	add(newList(s, single, &g.ClassWeight, text, func(p *grid, v string) { p.ClassWeight = []string{v} }), "class-weight",
		"weight of a bag in the loss: none (default), or balanced, so that a rare class counts as much as a frequent one; probabilities are then too high for the rare class")
}

// checkLoss reports a value of --loss or --class-weight that is not for the kind of target of a set.
func (s *settings) checkLoss(set *mil.Set) error {
	for _, loss := range append([]string{""}, s.grid.Loss...) {
		for _, weight := range append([]string{""}, s.grid.ClassWeight...) {
			if err := (neural.Config{Loss: loss, ClassWeight: weight}).CheckLoss(set.Kind); err != nil {
				return fmt.Errorf("%s: --%w", set.Name, err)
			}
		}
	}
	return nil
}

// configs returns the settings of the grid.
func (s *settings) configs() ([]neural.Config, error) {
	for _, probe := range s.probes { // each value alone: what is wrong is named by its own flag
		if _, err := probe.Configs(); err != nil {
			return nil, fmt.Errorf("--%w", err)
		}
	}
	if err := s.fitTogether(); err != nil {
		return nil, err
	}
	configs, err := s.grid.Configs()
	if err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	return configs, nil
}

// maxSettings bounds the settings of a grid.
const maxSettings = 10_000

// fitTogether reports a flag that no pooling has, heads that do not divide an embedding, and grids that are too large.
func (s *settings) fitTogether() error {
	had, total := make(map[string]bool), 0
	for _, pooling := range s.grid.Pooling {
		config, has, err := settingsOf(s.grid.Preset, pooling)
		if err != nil {
			return fmt.Errorf("--%w", err)
		}
		combinations := 1
		for name := range has {
			had[name] = true
			if values, ok := s.flags.Lookup(name).Value.(counted); ok && name != "pooling" {
				combinations = min(combinations*max(values.Len(), 1), maxSettings+1)
			}
		}
		if total += combinations; total > maxSettings {
			return fmt.Errorf("the lists of values make more than %d settings; give fewer values", maxSettings)
		}
		if !has["heads"] {
			continue
		}
		for _, embed := range or(s.grid.Embed, config.Embed) {
			for _, heads := range or(s.grid.Heads, config.Heads) {
				if embed%heads != 0 {
					return fmt.Errorf("--heads %d does not divide --embed %d; every number of heads must divide every embedding", heads, embed)
				}
			}
		}
	}
	var err error
	s.flags.Visit(func(f *pflag.Flag) {
		if _, ok := f.Value.(counted); ok && !had[f.Name] {
			err = fmt.Errorf("--%s: not a setting of --pooling %s, but of %s", f.Name, strings.Join(s.grid.Pooling, ","), strings.Join(owners(f.Name), ", "))
		}
	})
	return err
}

// owners returns the poolings that have a setting, named by its flag.
func owners(setting string) (poolings []string) {
	for _, pooling := range neural.Poolings {
		if _, has, err := settingsOf("", pooling); err == nil && has[setting] {
			poolings = append(poolings, pooling)
		}
	}
	return poolings
}

// counted is the value of a flag that takes several.
type counted interface{ Len() int }

// or returns values, or only the default if there are none.
func or(values []int, byDefault int) []int {
	if len(values) == 0 {
		return []int{byDefault}
	}
	return values
}

// settingsOf returns the setting of a pooling in a preset, and the flags of its hyperparameters.
func settingsOf(preset, pooling string) (config neural.Config, has map[string]bool, err error) {
	if config, err = neural.PresetConfig(preset, pooling); err != nil {
		return config, nil, err
	}
	names, err := neural.Hyperparameters(pooling)
	if err != nil {
		return config, nil, err
	}
	has = make(map[string]bool)
	for _, name := range names {
		has[strings.ReplaceAll(name, "_", "-")] = true
	}
	return config, has, nil
}

// kind says how the values of a list are written.
type kind[T any] struct {
	parse   func(string) (T, error)
	name    string
	example string
}

var (
	text    = kind[string]{func(s string) (string, error) { return s, nil }, "a name", "syn,softmax"}
	integer = kind[int]{strconv.Atoi, "an integer", "-3,0,3"}
	number  = kind[float64]{mil.ParseNumber, "a number", "0.5,1"}
	boolean = kind[bool]{strconv.ParseBool, "true or false", "true,false"}
)

// list is the value of a flag that takes several values, separated by commas; the flag may be repeated.
type list[T any] struct {
	kind[T]
	values *[]T
	single bool
	given  func(T)
	set    bool
}

// newList returns a list. Each value is also checked by itself, in a grid that alone fills in.
func newList[T any](s *settings, single bool, values *[]T, k kind[T], alone func(*neural.Grid, T)) *list[T] {
	return &list[T]{kind: k, values: values, single: single, given: func(v T) {
		if alone != nil {
			probe := neural.Grid{Pooling: neural.Poolings}
			alone(&probe, v)
			s.probes = append(s.probes, probe)
		}
	}}
}

// Set appends the values in the text; the first call replaces the default.
func (l *list[T]) Set(text string) error {
	var values []T
	for field := range strings.SplitSeq(text, ",") {
		field = strings.TrimSpace(field)
		v, err := l.parse(field)
		if err != nil || field == "" {
			return fmt.Errorf("%q is not %s; write, say, %s", field, l.name, l.example)
		}
		values = append(values, v)
		l.given(v)
	}
	if l.set {
		values = append(*l.values, values...)
	}
	if l.single && len(values) > 1 {
		return errors.New("one value is needed here; `milbench run` takes several")
	}
	*l.values, l.set = values, true
	return nil
}

// Len returns the number of values.
func (l *list[T]) Len() int { return len(*l.values) }

func (l *list[T]) String() string {
	if l == nil || l.values == nil {
		return ""
	}
	var b strings.Builder
	for i, v := range *l.values {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, v)
	}
	return b.String()
}

func (l *list[T]) Type() string {
	if l.single {
		return "value"
	}
	return "list"
}

package neural

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"synpool/internal/spelling"
	"synpool/synlayer"
)

// Names of poolings that the training tells apart.
const (
	gated     = "gated"
	dsmil     = "dsmil"
	clam      = "clam"
	setFormer = "settransformer"
)

// Entry describes a pooling of networks. Everything that takes the name of a pooling finds it by its entry.
type Entry struct {
	Name string // in settings

	// Default is the pooling with its default hyperparameters: those published, or those of the released program. It is
	// a comparable value that keeps the laws of package syntest. If it has a method Validate, settings report its errors.
	// Fields with the tags of a [Hyperparameter] are its own ones.
	Default synlayer.Pooling

	// Has names the hyperparameters that it shares with others, such as embed, heads, scale, norm. Each stands for the
	// field of Default with the name that the field has in [Config].
	Has []string

	Paper    synlayer.Pooling // the pooling in [PaperPreset]; nil for Default
	KeepNorm bool             // keeps its layer norms in [SmallPreset]
	Uniform  bool             // weighs all instances alike, so that none is the winner

	registered bool
}

// entries are the poolings, those of [Register] at the end.
var entries = []Entry{
	{Name: "syn", Default: synlayer.DefaultSyn(), Paper: synlayer.PaperSyn(),
		Has: []string{"iterations", "gamma", "embed", "heads", "scale", "norm", "renormalise", "true_gradient"}},
	{Name: "softmax", Default: withoutSteps(synlayer.DefaultSyn()), Paper: withoutSteps(synlayer.PaperSyn()), Has: []string{"embed", "heads", "scale", "norm"}},
	{Name: "hopfield", Default: synlayer.DefaultHopfield(), Has: []string{"embed", "heads", "beta", "norm"}},
	{Name: "attention", Default: synlayer.DefaultAttention(), Has: []string{"embed"}},
	{Name: gated, Default: synlayer.AttentionPooling{Embed: synlayer.DefaultAttention().Embed, Gated: true}, Has: []string{"embed"}},
	{Name: "mean", Default: synlayer.MeanPooling{}, Uniform: true},
	{Name: "max", Default: synlayer.MaxPooling{}},
	{Name: "sum", Default: synlayer.SumPooling{}, Uniform: true},
	{Name: "lse", Default: synlayer.DefaultLogSumExp()},
	{Name: dsmil, Default: synlayer.DefaultDSMIL(), Has: []string{"embed", "scale"}},
	{Name: clam, Default: synlayer.DefaultCLAM(), Has: []string{"embed", "top"}},
	{Name: "acmil", Default: synlayer.DefaultACMIL(), Has: []string{"embed", "branches", "top", "mask_rate"}},
	// Without layer norms, its numbers became infinite or NaN on Tiger.
	{Name: setFormer, Default: synlayer.DefaultSetTransformer(), Has: []string{"embed", "heads", "inducing", "norm"}, KeepNorm: true},
}

func withoutSteps(p synlayer.SynPooling) synlayer.SynPooling {
	p.Iterations, p.Gamma = 0, 1
	return p
}

// Poolings lists the names of the poolings. "softmax" is "syn" without Syn steps. "attention" and "gated" are those of
// Ilse et al. 2018. "lse" is log-sum-exp with sharpness 1. "dsmil", "clam" (its single branch) and "acmil" have a
// training loss of their own, and that loss is reported ([synlayer.Classifier]).
var Poolings = names()

func names() (list []string) {
	for _, e := range entries {
		list = append(list, e.Name)
	}
	return list
}

// Register adds a pooling of your own to [Poolings], before anything else uses this package. Settings, grids, trainers,
// saved models and the command then know it by its name and hyperparameters. Results identify a pooling by these: another
// pooling needs another name. remove takes it away again, for tests.
//
// A pooling that uses 1/√x or log(1+x) may round differently at different places in a block (see the package
// documentation).
func Register(e Entry) (remove func(), err error) {
	if err := e.check(); err != nil {
		return nil, fmt.Errorf("pooling %q: %w", e.Name, err)
	}
	e.registered = true
	entries = append(slices.Clip(entries), e)
	Poolings = names()
	return func() {
		entries = slices.DeleteFunc(slices.Clone(entries), func(other Entry) bool { return other.Name == e.Name })
		Poolings = names()
	}, nil
}

// check reports why an entry cannot be registered.
func (e Entry) check() error {
	in := reflect.TypeOf(e.Default)
	switch {
	case e.Name == "" || slices.Contains(Poolings, e.Name):
		return errors.New("a pooling of your own needs a name of its own; rename it")
	case in == nil || in.Kind() != reflect.Struct || !reflect.ValueOf(e.Default).Comparable():
		return fmt.Errorf("a %T cannot be compared with another, which tells the graphs apart; use a struct without slices, maps and functions", e.Default)
	case e.Paper != nil && reflect.TypeOf(e.Paper) != in:
		return fmt.Errorf("the hyperparameters of a %T are not those of a %v", e.Paper, in)
	case len(e.shared()) < len(e.Has):
		return fmt.Errorf("hyperparameters %s: not all of them are shared by poolings; tag the others", strings.Join(e.Has, ", "))
	}
	for _, h := range e.shared() {
		if f, found := in.FieldByName(h.field.Name); !found || f.Type != h.field.Type {
			return fmt.Errorf("hyperparameter %s: a %v has no field %s of type %v", h.Name, in, h.field.Name, h.field.Type)
		}
	}
	own, err := tagged(in)
	if err != nil {
		return err
	}
	for i, h := range own {
		same := func(other *Hyperparameter) bool { return other.Name == h.Name }
		if slices.ContainsFunc(Hyperparameters(""), h.same) || slices.ContainsFunc(own[:i], same) || slices.Contains(reserved, h.Name) {
			return fmt.Errorf("hyperparameter %s: others have this name; rename it", h.Name)
		}
		if err := h.Check(reflect.ValueOf(e.Default).FieldByIndex(h.field.Index).Interface()); err != nil {
			return fmt.Errorf("the default: %w", err)
		}
	}
	return nil
}

// reserved are keys of settings and grids that are no hyperparameters.
var reserved = []string{"pooling", "learner", "preset"}

// find returns the entry of a pooling. The error for an unknown name suggests the nearest.
func find(pooling string) (Entry, error) {
	if i := slices.Index(Poolings, pooling); i >= 0 {
		return entries[i], nil
	}
	return Entry{}, fmt.Errorf("pooling %q: there is no such pooling; %s", pooling, spelling.Hint(pooling, Poolings))
}

// shared returns the hyperparameters that the pooling shares with others.
func (e Entry) shared() []*Hyperparameter {
	return having(func(h *Hyperparameter) bool { return slices.Contains(e.Has, h.Name) && !h.common() })
}

// own returns the pooling's own hyperparameters.
func (e Entry) own() []*Hyperparameter {
	list, _ := tagged(reflect.TypeOf(e.Default)) // wrong tags are not registered
	return list
}

// all returns the hyperparameters of networks with the pooling, in the order of the JSON.
func (e Entry) all() []*Hyperparameter {
	return slices.Concat(e.shared(), e.own(), common)
}

// set sets the hyperparameters of a pooling in a setting.
func (e Entry) set(c *Config, p synlayer.Pooling) {
	if e.registered || len(e.own()) > 0 {
		c.own = p
	}
	for _, h := range e.shared() {
		h.set(c, reflect.ValueOf(p).FieldByName(h.field.Name))
	}
}

// pooling returns the pooling of a setting.
func (e Entry) pooling(c Config) synlayer.Pooling {
	p := e.Default
	if c.own != nil {
		p = c.own
	}
	for _, h := range e.shared() {
		p = withField(p, h.field.Name, h.value(&c))
	}
	return p
}

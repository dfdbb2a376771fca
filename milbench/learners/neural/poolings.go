package neural

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"synpool/internal/batched"
	"synpool/internal/spelling"
	"synpool/milbench/cv"
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
	// Fields with the tags of a [Hyperparameter] are its own ones. Of a registered pooling, exported numbers, bools and
	// strings without tags are hyperparameters too: those in Has, and otherwise its own, with their names in lower case, after
	// "pooling_" if a network has one of this name.
	Default synlayer.Pooling

	// Has names the hyperparameters that it shares with others, such as embed, heads, scale, norm. Each stands for the
	// field of Default with the name that the field has in [Config]. [Register] adds those that are missing.
	Has []string

	Paper    synlayer.Pooling // the pooling in [PaperPreset]; nil for Default
	KeepNorm bool             // keeps its layer norms in [SmallPreset]
	Uniform  bool             // weighs all instances alike, so that none is the winner

	registered bool
	code       string // checksum of the graphs of a registered pooling
}

// entries are the poolings, those of [Register] at the end.
var entries = []Entry{
	{Name: "syn", Default: synlayer.DefaultSyn(), Paper: synlayer.PaperSyn(),
		Has: []string{"iterations", "gamma", "embed", "heads", "scale", "norm", "renormalise", "true_gradient"}},
	{Name: "softmax", Default: withoutSteps(synlayer.DefaultSyn()), Paper: withoutSteps(synlayer.PaperSyn()), Has: []string{"embed", "heads", "scale", "norm"}},
	{Name: "hopfield", Default: synlayer.DefaultHopfield(), Has: []string{"embed", "heads", "beta", "norm"}},
	{Name: "attention", Default: synlayer.DefaultAttention(), Has: []string{"embed", "weights"}},
	{Name: gated, Default: synlayer.AttentionPooling{Embed: synlayer.DefaultAttention().Embed, Gated: true}, Has: []string{"embed", "weights"}},
	{Name: "mean", Default: synlayer.MeanPooling{}, Has: []string{"hidden"}, Uniform: true},
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
// saved models and the command then know it by its name and hyperparameters. Its settings also have a checksum of the graphs
// of its default ("code"), so that results and models of other code are not taken for those of this one. What Pool does wrong
// in these graphs is an error. remove takes the pooling away again, for tests.
//
// A pooling that uses 1/√x or log(1+x) may round differently at different places in a block (see the package
// documentation).
func Register(e Entry) (remove func(), err error) {
	e.registered = true
	if in := reflect.TypeOf(e.Default); in != nil && in.Kind() == reflect.Struct {
		e.Has = slices.Clip(e.Has)
		for _, h := range having(func(h *Hyperparameter) bool { return !h.common() && !slices.Contains(e.Has, h.Name) }) {
			if f, found := in.FieldByName(h.field.Name); found && len(f.Index) == 1 && f.Tag == "" && f.Type == h.field.Type {
				e.Has = append(e.Has, h.Name)
			}
		}
	}
	if err = e.check(); err == nil {
		e.code, err = codeOf(e.Default)
	}
	if err != nil {
		return nil, fmt.Errorf("pooling %q: %w", e.Name, err)
	}
	entries = append(slices.Clip(entries), e)
	Poolings = names()
	return func() {
		entries = slices.DeleteFunc(slices.Clone(entries), func(other Entry) bool { return other.Name == e.Name })
		Poolings = names()
	}, nil
}

// codeOf returns a checksum of the graphs of a pooling, in training and with members, and of its gradient. Its error says
// what a pooling does wrong in them.
func codeOf(p synlayer.Pooling) (string, error) {
	const members, batch, instances, features = 3, 2, 5, 4
	h := sha256.New()
	for _, front := range [][]int{nil, {members}} {
		of := func(dtype dtypes.DType, dims ...int) shapes.Shape {
			return shapes.Make(dtype, slices.Concat(front, dims)...)
		}
		err := attempt(func() error {
			g := graph.NewGraph(gobackend.GetBackend(), "pooling")
			defer g.Finalize()
			batched.Seed(g, make([]uint64, max(1, len(front)*members))...)
			x := graph.Parameter(g, "x", of(dtypes.Float32, batch, instances, features))
			key := synlayer.DropoutKey(graph.Parameter(g, "seed", of(dtypes.Uint32)), graph.Const(g, uint32(1)))
			c := synlayer.Classify(model.NewStore().RootScope(), p,
				synlayer.Bags{X: x, Mask: graph.Parameter(g, "mask", of(dtypes.Bool, batch, instances)), DropoutKey: key}, 1)
			err := errors.Join(
				shaped("pooled vectors", "[batch, features]", c.Pooled, x, append(slices.Clone(front), batch, anySize)),
				shaped("weights", "[batch, heads, instances]", c.Weights, x, append(slices.Clone(front), batch, anySize, instances)))
			if err != nil {
				return err
			}
			_, differentiated := losses(c, target{}, graph.ZerosLike(c.Logits))
			graph.Gradient(graph.ReduceAllSum(differentiated), x)
			fmt.Fprintln(h, g)
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:6]), nil
}

// anySize is a size that the pooling chooses.
const anySize = -1

// shaped reports a result of a pooling for bags x that is not of the wanted shape.
func shaped(what, axes string, result, x *graph.Node, want []int) error {
	if result == nil {
		return fmt.Errorf("its Pool returns no %s", what)
	}
	got, front := result.Shape().Dimensions, ""
	if slices.EqualFunc(got, want, func(a, b int) bool { return a == b || b == anySize }) {
		return nil
	}
	if x.Rank() > 3 {
		front = " with the members axis in front"
	}
	return fmt.Errorf("its Pool returns %s of shape %v for bags of shape %v; want %s%s", what, got, x.Shape().Dimensions, axes, front)
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
	own, err := hyperparametersOf(in, e.named)
	if err != nil {
		return err
	}
	for i, h := range own {
		same := func(other *Hyperparameter) bool { return other.Name == h.Name }
		clash := func(other *Hyperparameter) bool {
			return same(other) && !(other.own && other.field.Type == h.field.Type)
		}
		if slices.ContainsFunc(Hyperparameters(""), clash) || slices.ContainsFunc(own[:i], same) || slices.Contains(reserved, h.Name) {
			return fmt.Errorf("hyperparameter %s: others have this name; rename it", h.Name)
		}
		if err := h.Check(reflect.ValueOf(e.Default).FieldByIndex(h.field.Index).Interface()); err != nil {
			return fmt.Errorf("the default: %w", err)
		}
	}
	return nil
}

// reserved are keys of settings and grids that are no hyperparameters.
var reserved = []string{cv.PoolingKey, cv.LearnerKey, presetKey, cv.CodeKey}

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
	list, _ := hyperparametersOf(reflect.TypeOf(e.Default), e.named) // wrong tags are not registered
	return list
}

// capital matches a capital that begins a word in the name of a field.
var capital = regexp.MustCompile("([a-z0-9])([A-Z])")

// named returns the name of a hyperparameter that is a field without tags, or "" for none: TrueGradient is true_gradient, and Width,
// which all networks have, pooling_width.
func (e Entry) named(f reflect.StructField) string {
	if !e.registered || slices.ContainsFunc(e.shared(), func(h *Hyperparameter) bool { return h.field.Name == f.Name }) {
		return ""
	}
	name := strings.ToLower(capital.ReplaceAllString(f.Name, "${1}_${2}"))
	if slices.Contains(reserved, name) || slices.ContainsFunc(fields, func(h *Hyperparameter) bool { return h.Name == name }) {
		return cv.PoolingKey + "_" + name
	}
	return name
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

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"synpool/milbench/cv"
	"synpool/milbench/learners"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
)

// settings are the flags of a grid.
type settings struct {
	flags  *pflag.FlagSet
	preset string
	grid   neural.Grid // lists of values by name, without the preset
	wrong  error       // about the first value that no setting may have
}

// addTo adds a flag for each hyperparameter. With single each flag takes only one value.
func (s *settings) addTo(flags *pflag.FlagSet, single bool) {
	s.flags = flags
	flags.StringVar(&s.preset, "preset", neural.SmallPreset, "`name` of the defaults of networks: small, for sets of up to a few hundred bags; large, for bags of hundreds of instances and more, such as slides; paper, the Syn paper's (gamma 1, no layer norm); or released, its released program's (gamma 0.5, layer norm)")
	flags.Var(&list{name: cv.PoolingKey, of: s, single: single, parse: word}, cv.PoolingKey,
		"pooling of networks (the default applies if you give another flag for networks): "+strings.Join(neural.Poolings, ", "))
	for _, h := range neural.Hyperparameters("") {
		flags.Var(&list{name: h.Name, of: s, single: single, parse: func(text string) (any, error) {
			v, err := h.Parse(text)
			if err == nil && s.wrong == nil {
				s.wrong = h.Check(v)
			}
			return v, err
		}}, h.Flag(), h.Help())
	}
}

// word reads a name.
func word(text string) (any, error) {
	if text == "" {
		return nil, errors.New(`"" is not a name; write, say, syn,softmax`)
	}
	return text, nil
}

// poolings returns the names of the poolings.
func (s *settings) poolings() []string { return texts(s.grid[cv.PoolingKey]) }

// texts returns values as texts.
func texts(values []any) []string {
	return namesOf(values, func(v any) string { return fmt.Sprint(v) })
}

// full returns the grid with its preset.
func (s *settings) full() neural.Grid {
	grid := maps.Clone(s.grid)
	grid["preset"] = neural.Values(s.preset)
	return grid
}

// notePreset says that another preset suits a set, unless one is given.
func (s *settings) notePreset(p *program, set *mil.Set) {
	if suits := neural.PresetFor(set); suits != s.preset && !s.flags.Changed("preset") {
		p.note("note: %s: for bags of %d instances on average, --preset %s learns in fewer epochs", set.Name, set.NumInstances()/len(set.Bags), suits)
	}
}

// checkLoss reports a value of --loss or --class-weight that is not for the kind of target of a set.
func (s *settings) checkLoss(set *mil.Set) error {
	for _, loss := range append(neural.Values(""), s.grid["loss"]...) {
		for _, weight := range append(neural.Values(""), s.grid["class_weight"]...) {
			if err := (neural.Config{Loss: loss.(string), ClassWeight: weight.(string)}).CheckLoss(set.Kind); err != nil {
				return fmt.Errorf("%s: --%w", set.Name, err)
			}
		}
	}
	return nil
}

// configs returns the settings of the grid.
func (s *settings) configs() ([]neural.Config, error) {
	if s.wrong != nil { // each value alone: what is wrong is named by its own flag
		return nil, fmt.Errorf("--%w", s.wrong)
	}
	if err := s.fitTogether(); err != nil {
		return nil, err
	}
	configs, err := s.full().Configs()
	if err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	return configs, nil
}

// maxSettings bounds the settings of a grid.
const maxSettings = 10_000

// fitTogether reports a flag that no pooling has, and grids that are too large.
func (s *settings) fitTogether() error {
	had, total := make(map[string]bool), 0
	for _, pooling := range s.poolings() {
		combinations := 1
		for _, h := range neural.Hyperparameters(pooling) {
			had[h.Name] = true
			combinations = min(combinations*max(len(s.grid[h.Name]), 1), maxSettings+1)
		}
		if total += combinations; total > maxSettings {
			return fmt.Errorf("the lists of values make more than %d settings; give fewer values", maxSettings)
		}
	}
	for _, h := range neural.Hyperparameters("") {
		if len(had) > 0 && !had[h.Name] && s.flags.Changed(h.Flag()) {
			return fmt.Errorf("--%s: not a setting of --pooling %s, but of %s", h.Flag(), strings.Join(s.poolings(), ","), strings.Join(h.Of(), ", "))
		}
	}
	return nil
}

// list is the value of a flag that takes several values, separated by commas; the flag may be repeated.
type list struct {
	name          string // in the grid
	of            *settings
	parse         func(string) (any, error)
	single, given bool
}

// Set appends the values in the text; the first call replaces the default.
func (l *list) Set(text string) error {
	var values []any
	for field := range strings.SplitSeq(text, ",") {
		v, err := l.parse(strings.TrimSpace(field))
		if err != nil {
			return err
		}
		values = append(values, v)
	}
	if l.given {
		values = slices.Concat(l.of.grid[l.name], values)
	}
	if l.single && len(values) > 1 {
		return errors.New("one value is needed here; `milbench run` takes several")
	}
	l.of.grid[l.name], l.given = values, true
	return nil
}

func (l *list) String() string {
	if l == nil || l.of == nil {
		return ""
	}
	return strings.Join(texts(l.of.grid[l.name]), ",")
}

func (l *list) Type() string {
	if l.single {
		return "value"
	}
	return "list"
}

// learnerSettings returns the settings of the learners of --learner, the whole grids if grids is true.
func learnerSettings(grids bool, names ...string) ([]json.RawMessage, error) {
	for _, name := range names {
		if slices.Contains(neural.Poolings, name) {
			return nil, fmt.Errorf("--learner %q: a pooling of networks; use --pooling %s", name, name)
		}
	}
	list, err := learners.Settings(grids, names...)
	if err != nil {
		return nil, fmt.Errorf("--%w", err)
	}
	return list, nil
}

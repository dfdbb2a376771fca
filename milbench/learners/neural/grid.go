package neural

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"synpool/internal/spelling"
	"synpool/milbench/cv"
)

// Grid lists values of hyperparameters by name ([Hyperparameter.Name]). Each combination is a setting. "pooling" lists
// at least one of [Poolings]; "preset" may list one of [Presets], otherwise it is [ReleasedPreset]. A hyperparameter
// that is not listed has its value in the preset.
//
//	Grid{"pooling": {"syn", "mean"}, "iterations": {-3, 3}, "lr": {0.001}}
type Grid map[string][]any

// presetKey is the key of the preset in a grid.
const presetKey = "preset"

// Values returns a list as the values of a [Grid].
func Values[T any](list ...T) (values []any) {
	for _, v := range list {
		values = append(values, v)
	}
	return values
}

// Configs returns all settings, in the order of the lists, without duplicates: a hyperparameter that a pooling does not
// have is ignored for it. An invalid setting is an error.
func (g Grid) Configs() ([]Config, error) {
	poolings, preset, err := g.names()
	if err != nil {
		return nil, err
	}
	var configs []Config
	for _, pooling := range poolings {
		c, err := PresetConfig(preset, pooling)
		if err != nil {
			return nil, err
		}
		some := []Config{c}
		for _, h := range Hyperparameters(pooling) {
			if some, err = h.vary(some, g[h.Name]); err != nil {
				return nil, err
			}
		}
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

// Settings returns settings of networks as JSON.
func Settings(configs []Config) (list []json.RawMessage, err error) {
	for _, config := range configs {
		text, err := json.Marshal(config)
		if err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, nil
}

// names returns the names of the poolings and the preset, after a check of the others.
func (g Grid) names() (poolings []string, preset string, err error) {
	known := []string{presetKey, cv.PoolingKey}
	for _, h := range Hyperparameters("") {
		known = append(known, h.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(g)) {
		if !slices.Contains(known, name) {
			return nil, "", fmt.Errorf("grid: there is no hyperparameter %q; %s", name, spelling.Hint(name, known))
		}
	}
	for _, v := range g[cv.PoolingKey] {
		poolings = append(poolings, fmt.Sprint(v))
	}
	if len(poolings) == 0 {
		return nil, "", fmt.Errorf("no pooling; name one or more of %s", strings.Join(Poolings, ", "))
	}
	if presets := g[presetKey]; len(presets) > 1 {
		return nil, "", fmt.Errorf("grid: %d presets; name one", len(presets))
	} else if len(presets) == 1 {
		preset = fmt.Sprint(presets[0])
	}
	return poolings, preset, nil
}

// vary returns each setting with each of the values, or as it is if there are none.
func (h *Hyperparameter) vary(configs []Config, values []any) (varied []Config, err error) {
	if len(values) == 0 {
		return configs, nil
	}
	for _, c := range configs {
		for _, v := range values {
			if err := h.Check(v); err != nil {
				return nil, err
			}
			h.set(&c, reflect.ValueOf(v))
			varied = append(varied, c)
		}
	}
	return varied, nil
}

// SearchGrid returns values for [Grid.Sample] that suit sets of up to a few hundred bags: [SmallPreset] with several
// values of dropout, weight decay, the learning rate and the pooling's own hyperparameters ([Hyperparameter.Search]).
// Those that shape the graph need compiling, so they have two values each. There are enough epochs for fits that choose
// their epoch.
func SearchGrid(poolings ...string) Grid {
	g := Grid{presetKey: {SmallPreset}, cv.PoolingKey: Values(poolings...)}
	for _, h := range Hyperparameters("") {
		if h.Search != nil {
			g[h.Name] = h.Search
		}
	}
	return g
}

// mostDraws is how many times in a row Sample may draw in vain.
const mostDraws = 1000

// Sample returns n different settings per pooling. Each hyperparameter is drawn at random from its list; invalid
// combinations are drawn again. There are fewer settings if the lists allow no more. The same grid and seed give the
// same settings.
//
// Source: J. Bergstra and Y. Bengio, "Random search for hyper-parameter optimization", JMLR 13 (2012).
func (g Grid) Sample(n int, seed uint64) ([]Config, error) {
	if n < 1 {
		return nil, fmt.Errorf("a sample of %d settings: at least 1 is needed", n)
	}
	poolings, _, err := g.names()
	if err != nil {
		return nil, err
	}
	var configs []Config
	for _, pooling := range poolings {
		random := cv.Rand(seed, "sample "+pooling)
		var some []Config
		var wrong error
		for vain := 0; len(some) < n && vain < mostDraws; vain++ {
			one, err := g.drawn(pooling, random).Configs()
			if err != nil {
				wrong = err
				continue
			}
			if !slices.Contains(some, one[0]) {
				some, vain = append(some, one[0]), 0
			}
		}
		if len(some) == 0 {
			return nil, wrong
		}
		configs = append(configs, some...)
	}
	return configs, nil
}

// drawn returns a grid with one random value per list. It also draws what the pooling does not have, unless it is
// another pooling's own.
func (g Grid) drawn(pooling string, random *rand.Rand) Grid {
	g = maps.Clone(g)
	g[cv.PoolingKey] = Values(pooling)
	e, _ := find(pooling) // what is unknown is an error later
	for _, h := range slices.Concat(fields, e.own()) {
		if list := g[h.Name]; len(list) > 1 {
			k := random.IntN(len(list))
			g[h.Name] = list[k : k+1]
		}
	}
	return g
}

package networks

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"synpool/milbench/cv"
	"synpool/milbench/learners"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
)

// LineupLearners and LineupPoolings are compared by default: classical learners of each family, the portfolio, and
// networks.
var (
	LineupLearners = []string{learners.AutoName, "statistics-svm", "statistics-trees", "distance-svm", "set-kernel-svm", "miles", "instance"}
	LineupPoolings = []string{"max", "gated", "syn"}
)

// LineupRepeats is the number of repeats of the comparison.
const LineupRepeats = 2

// Lineup returns the settings of LineupPoolings, with small networks, and of LineupLearners. With grids, each has the
// settings that a validation part can choose from, otherwise its default alone.
func Lineup(grids bool) ([]json.RawMessage, error) {
	configs, err := neural.Grid{Preset: neural.SmallPreset, Pooling: LineupPoolings}.Configs()
	if err != nil {
		return nil, err
	}
	list, err := Settings(configs)
	if err != nil {
		return nil, err
	}
	own, err := OfLearners(LineupLearners, grids)
	return append(list, own...), err
}

// OfLearners returns the settings of the named classical learners: their grids if grids is true, otherwise their
// defaults.
func OfLearners(names []string, grids bool) (list []json.RawMessage, err error) {
	for _, name := range names {
		own, err := learners.Settings(name, grids)
		if err != nil {
			return nil, err
		}
		list = append(list, own...)
	}
	return list, nil
}

// Settings returns the settings of networks as JSON.
func Settings(configs []neural.Config) (list []json.RawMessage, err error) {
	for _, config := range configs {
		text, err := json.Marshal(config)
		if err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, nil
}

// Able returns the settings of learners that can learn a set, and the reasons why others are left out, each reason
// once. If no learner is left, that is an error.
func Able(set *mil.Set, list []json.RawMessage) (able []json.RawMessage, refused []string, err error) {
	add := func(reasons ...string) {
		for _, reason := range reasons {
			if !slices.Contains(refused, reason) {
				refused = append(refused, reason)
			}
		}
	}
	var first error
	for _, setting := range list {
		switch why := refusal(set, setting); why {
		case nil:
			able = append(able, setting)
			add(RefusedCandidates(set, setting)...)
		default:
			if first == nil {
				first = why
			}
			add(why.Error())
		}
	}
	if len(able) == 0 {
		return nil, nil, first
	}
	return able, refused, nil
}

// refusal returns the reason why a setting cannot learn a set.
func refusal(set *mil.Set, setting json.RawMessage) error {
	return learners.Check(neural.Trainer{}, cv.NewTask(set, []cv.Fit{{Setting: setting}}))
}

// RefusedCandidates returns the reasons why candidates of a portfolio cannot learn a set.
func RefusedCandidates(set *mil.Set, setting json.RawMessage) (refused []string) {
	for _, candidate := range learners.Candidates(setting) {
		if why := refusal(set, candidate); why != nil && !slices.Contains(refused, why.Error()) {
			refused = append(refused, why.Error())
		}
	}
	return refused
}

// Setting returns the setting of one network: a pooling in a preset, with the given fields replaced.
func Setting(preset, pooling string, fields map[string]any) (json.RawMessage, error) {
	configs, err := neural.Grid{Preset: preset, Pooling: []string{pooling}}.Configs()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(configs[0])
	if err != nil || len(fields) == 0 {
		return text, err
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	maps.Copy(all, fields)
	if text, err = json.Marshal(all); err != nil {
		return nil, fmt.Errorf("setting of %s: %w", pooling, err)
	}
	var config neural.Config
	if err := json.Unmarshal(text, &config); err != nil {
		return nil, fmt.Errorf("setting of %s: %w", pooling, err)
	}
	return json.Marshal(config)
}

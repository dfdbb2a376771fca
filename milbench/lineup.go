package milbench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
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

// Lineup returns the settings of LineupPoolings, with the preset that suits the set, and of LineupLearners. With grids, each
// has the settings that a validation part can choose from, otherwise its default alone.
func Lineup(set *mil.Set, grids bool) ([]json.RawMessage, error) {
	configs, err := neural.Grid{"preset": {neural.PresetFor(set)}, "pooling": neural.Values(LineupPoolings...)}.Configs()
	if err != nil {
		return nil, err
	}
	list, err := neural.Settings(configs)
	if err != nil {
		return nil, err
	}
	own, err := learners.Settings(grids, LineupLearners...)
	return append(list, own...), err
}

// able returns the settings of learners that can learn a set, and the reasons why others are left out, each reason
// once. If no learner is left, that is an error.
func able(set *mil.Set, list []json.RawMessage) (those []json.RawMessage, refused []string, err error) {
	var first error
	for _, setting := range list {
		reasons := refusedCandidates(set, setting)
		if why := refusal(set, setting); why == nil {
			those = append(those, setting)
		} else {
			first, reasons = cmp.Or(first, why), []string{why.Error()}
		}
		for _, reason := range reasons {
			if !slices.Contains(refused, reason) {
				refused = append(refused, reason)
			}
		}
	}
	if len(those) == 0 {
		return nil, nil, first
	}
	return those, refused, nil
}

// refusal returns the reason why a setting cannot learn a set, of whose large bags learners may take some instances.
func refusal(set *mil.Set, setting json.RawMessage) error {
	if _, err := learners.Find(learner.Name(setting)); err == nil {
		if setting, err = cv.Replace(setting, map[string]any{cv.InstancesKey: 1}); err != nil {
			return err
		}
	}
	return learners.Check(neural.Trainer{}, cv.NewTask(set, []cv.Fit{{Setting: setting}}))
}

// refusedCandidates returns the reasons why candidates of a portfolio cannot learn a set.
func refusedCandidates(set *mil.Set, setting json.RawMessage) (refused []string) {
	for _, candidate := range learners.Candidates(setting) {
		if why := refusal(set, candidate); why != nil && !slices.Contains(refused, why.Error()) {
			refused = append(refused, why.Error())
		}
	}
	return refused
}

// Explains reports whether models with this setting say which instances count: classical learners that score instances, and networks
// whose pooling weights them differently. For a portfolio that depends on what it chooses, and the answer is no.
func Explains(setting json.RawMessage) bool {
	_, setting, err := learners.Members(setting)
	if name := learner.Name(setting); err == nil && slices.Contains(learners.Names(), name) {
		return slices.Contains(learners.InstanceScorers(), name)
	}
	return err == nil && neural.Chooses(setting)
}

// Setting returns the setting of a pooling or another learner by its name in milbench. The given fields replace those of the
// default: hyperparameters by their JSON names. Poolings have the preset small.
func Setting(name string, fields map[string]any) (json.RawMessage, error) {
	if slices.Contains(learners.Names(), name) {
		if len(fields) == 0 {
			fields = map[string]any{} // an object
		}
		text, err := json.Marshal(fields)
		if err != nil {
			return nil, fmt.Errorf("setting of %s: %w", name, err)
		}
		return learners.Override(name, text)
	}
	config, err := neural.PresetConfig(neural.SmallPreset, name)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(config)
	if err == nil {
		text, err = cv.Replace(text, fields)
	}
	if err == nil {
		err = json.Unmarshal(text, &config)
	}
	if err == nil {
		err = config.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("setting of %s: %w", name, err)
	}
	return json.Marshal(config)
}

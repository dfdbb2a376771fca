package results

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"synpool/milbench/cv"
)

// declaredKey marks the setting of scores made by another program (package interop).
const declaredKey = "declared"

// iterationsKey is always shown, because its sign distinguishes concentration from distraction, and so are keys of samples.
const iterationsKey = "iterations"

// shortKeys has the symbols for keys in labels.
var shortKeys = map[string]string{iterationsKey: "I"}

// setting is a decoded config. Only the name of the pooling is interpreted.
type setting struct {
	pooling string
	classic bool           // a classical learner, which shares no hyperparameters with others
	values  map[string]any // without the pooling; numbers are json.Number
}

func decodeSetting(config json.RawMessage) (setting, error) {
	values, err := cv.DecodeSetting(config)
	if err != nil {
		return setting{}, err
	}
	name := "model"
	_, classic := values[cv.LearnerKey]
	for _, key := range []string{cv.PoolingKey, cv.LearnerKey} {
		if text, ok := values[key].(string); ok {
			name = text
		}
		delete(values, key)
	}
	return setting{pooling: name, classic: classic, values: values}, nil
}

// Labels names settings as tables do: each by its learner and the values that distinguish it from other settings of
// that learner.
func Labels(settings []json.RawMessage) ([]string, error) {
	var decoded []setting
	for _, text := range settings {
		s, err := decodeSetting(text)
		if err != nil {
			return nil, err
		}
		decoded = append(decoded, s)
	}
	return labels(decoded), nil
}

// labels names settings, each by the keys whose values differ among the settings of its family.
func labels(settings []setting) []string {
	families := make(map[string][]setting)
	for _, s := range settings {
		families[s.family()] = append(families[s.family()], s)
	}
	keys := make(map[string][]string)
	for family, some := range families {
		keys[family] = differing(some)
	}
	var names []string
	for _, s := range settings {
		names = append(names, s.label(keys[s.family()]))
	}
	return names
}

// family names the settings that s is compared with in labels: the networks, or those of its own classical learner.
func (s setting) family() string {
	if s.classic {
		return s.pooling
	}
	return ""
}

// differing returns the sorted keys that have more than one value, or that only some settings of a pooling have.
func differing(settings []setting) []string {
	first := make(map[string]string)
	differ := make(map[string]bool)
	having := make(map[string]map[string]int) // number of settings by pooling and key; "" counts all of a pooling
	for _, s := range settings {
		if having[s.pooling] == nil {
			having[s.pooling] = make(map[string]int)
		}
		having[s.pooling][""]++
		for key, value := range s.values {
			having[s.pooling][key]++
			text := valueText(value)
			if before, seen := first[key]; !seen {
				first[key] = text
			} else if before != text {
				differ[key] = true
			}
		}
		for _, key := range []string{iterationsKey, cv.SampleKey, cv.InstancesKey} {
			if _, found := s.values[key]; found {
				differ[key] = true
			}
		}
	}
	for _, count := range having {
		for key, n := range count {
			if n < count[""] {
				differ[key] = true
			}
		}
	}
	delete(differ, declaredKey) // it has a mark of its own
	return slices.Sorted(maps.Keys(differ))
}

// label names s by its pooling and its values for keys.
func (s setting) label(keys []string) string {
	parts := []string{s.pooling}
	for _, key := range keys {
		if value, found := s.values[key]; found {
			short, ok := shortKeys[key]
			if !ok {
				short = key
			}
			parts = append(parts, short+"="+valueText(value))
		}
	}
	return strings.Join(parts, " ")
}

func valueText(value any) string {
	if s, ok := value.(string); ok {
		return s
	}
	b, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(b)
}

// compareSettings orders by pooling, then key by key; numbers by size.
func compareSettings(a, b setting) int {
	if c := strings.Compare(a.pooling, b.pooling); c != 0 {
		return c
	}
	keys := slices.Sorted(maps.Keys(a.values))
	for key := range b.values {
		if _, found := a.values[key]; !found {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		x, inA := a.values[key]
		y, inB := b.values[key]
		switch {
		case !inA:
			return -1
		case !inB:
			return 1
		}
		if c := compareValues(x, y); c != 0 {
			return c
		}
	}
	return 0
}

func compareValues(x, y any) int {
	if m, ok := x.(json.Number); ok {
		if n, ok := y.(json.Number); ok {
			p, err1 := m.Float64()
			q, err2 := n.Float64()
			if err1 == nil && err2 == nil && p != q {
				return cmp.Compare(p, q)
			}
		}
	}
	return strings.Compare(valueText(x), valueText(y))
}

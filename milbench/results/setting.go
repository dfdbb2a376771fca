package results

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"synpool/milbench"
)

// What names the learner in a setting, and the pooling of a network.
const (
	learnerKey = "learner"
	poolingKey = "pooling"
)

// declaredKey marks the setting of scores that a program elsewhere has made (package exchange).
const declaredKey = "declared"

// iterationsKey is always shown: its sign tells concentration from distraction.
const iterationsKey = "iterations"

// shortKeys are the symbols of keys in labels.
var shortKeys = map[string]string{iterationsKey: "I"}

// setting is a decoded config; apart from the pooling's name it is opaque.
type setting struct {
	pooling string
	classic bool           // no network: its hyperparameters are those of no other
	values  map[string]any // numbers as json.Number; without the pooling
}

func decodeSetting(config json.RawMessage) (setting, error) {
	values, err := milbench.DecodeSetting(config)
	if err != nil {
		return setting{}, err
	}
	name := "model"
	_, classic := values[learnerKey]
	for _, key := range []string{poolingKey, learnerKey} {
		if text, ok := values[key].(string); ok {
			name = text
		}
		delete(values, key)
	}
	return setting{pooling: name, classic: classic, values: values}, nil
}

// Labels names settings, each by its learner and what tells it from others of the same one, as tables do.
func Labels(settings []json.RawMessage) ([]string, error) {
	decoded := make([]setting, len(settings))
	families := make(map[string][]setting)
	for i, text := range settings {
		s, err := decodeSetting(text)
		if err != nil {
			return nil, err
		}
		decoded[i], families[s.family()] = s, append(families[s.family()], s)
	}
	labels := make([]string, len(settings))
	for i, s := range decoded {
		labels[i] = s.label(differing(families[s.family()]))
	}
	return labels, nil
}

// family names what a setting is compared with in labels: the networks, or the settings of its own classical learner.
func (s setting) family() string {
	if s.classic {
		return s.pooling
	}
	return ""
}

// differing returns the keys, in order, that have more than one value among the settings that have them, or that only some
// settings of a pooling have.
func differing(settings []setting) []string {
	first := make(map[string]string)
	differ := make(map[string]bool)
	having := make(map[string]map[string]int) // settings, by pooling and key; "" counts all of the pooling
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
		if _, found := s.values[iterationsKey]; found {
			differ[iterationsKey] = true
		}
	}
	for _, count := range having {
		for key, n := range count {
			if n < count[""] {
				differ[key] = true
			}
		}
	}
	delete(differ, declaredKey) // a mark of its own says so
	return slices.Sorted(maps.Keys(differ))
}

// label names s by its pooling and its values of keys.
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

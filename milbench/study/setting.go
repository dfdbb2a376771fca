package study

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"synpool/milbench"
)

// poolingKey names the pooling in a setting.
const poolingKey = "pooling"

// iterationsKey is always shown: its sign tells concentration from distraction.
const iterationsKey = "iterations"

// shortKeys are the symbols of keys in labels.
var shortKeys = map[string]string{iterationsKey: "I"}

// setting is a decoded config; apart from the pooling's name it is opaque.
type setting struct {
	pooling string
	values  map[string]any // numbers as json.Number; without the pooling
}

func decodeSetting(config json.RawMessage) (setting, error) {
	values, err := milbench.DecodeSetting(config)
	if err != nil {
		return setting{}, err
	}
	name, ok := values[poolingKey].(string)
	if !ok {
		name = "model"
	}
	delete(values, poolingKey)
	return setting{pooling: name, values: values}, nil
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

// CompareNatural orders names with numbers in them by the numbers' size, needle-0.05 before needle-0.1 and web2 before web10,
// and names that differ in leading zeros alone as strings. It is 0 for equal names only.
func CompareNatural(a, b string) int {
	wholeA, wholeB := a, b
	decimals := false // whether digits here are those after the point
	for a != "" && b != "" {
		m, n := leadingDigits(a), leadingDigits(b)
		if m > 0 && n > 0 {
			x, y := a[:m], b[:n]
			if !decimals {
				x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
				if c := cmp.Compare(len(x), len(y)); c != 0 {
					return c
				}
			}
			if c := strings.Compare(x, y); c != 0 {
				return c
			}
			a, b = a[m:], b[n:]
			decimals = !decimals && strings.HasPrefix(a, ".") && strings.HasPrefix(b, ".")
			if decimals {
				a, b = a[1:], b[1:]
			}
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b, decimals = a[1:], b[1:], false
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(wholeA, wholeB))
}

func leadingDigits(s string) int {
	return len(s) - len(strings.TrimLeft(s, "0123456789"))
}

//go:build js && wasm

// Command program is the computing part of the explorer page. It provides the page with the function
//
//	exploreSyn(weights, iterations, gamma)
//
// which returns a [explorer.View] as an object, or an object of one field, error.
package main

import (
	"syscall/js"

	"synpool/course/explorer"
)

func main() {
	js.Global().Set("exploreSyn", js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		s := explorer.Settings{Iterations: arguments[1].Int(), Gamma: arguments[2].Float()}
		for i := range arguments[0].Length() {
			s.Weights = append(s.Weights, arguments[0].Index(i).Float())
		}
		view, err := explorer.Explore(s)
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		return object(view)
	}))
	select {} // the page calls
}

// object returns a view as what [js.ValueOf] takes.
func object(v *explorer.View) map[string]any {
	o := map[string]any{
		"steps":    list(v.Steps, func(o explorer.Order) any { return scales(o) }),
		"equal":    v.Equal,
		"rate":     v.Rate,
		"f":        list(v.F, point),
		"inverse":  list(v.Inverse, point),
		"warnings": list(v.Warnings, func(w explorer.Warning) any { return map[string]any{"kind": string(w.Kind), "text": w.Text} }),
	}
	if v.Limit != nil {
		o["limit"] = scales(*v.Limit)
	}
	return o
}

func scales(o explorer.Order) map[string]any {
	return map[string]any{"raw": list(o.Raw, number), "unit": list(o.Unit, number), "share": list(o.Share, number)}
}

func point(p [2]float64) any { return []any{p[0], p[1]} }

func number(x float64) any { return x }

func list[T any](from []T, convert func(T) any) []any {
	to := make([]any, len(from))
	for i, v := range from {
		to[i] = convert(v)
	}
	return to
}

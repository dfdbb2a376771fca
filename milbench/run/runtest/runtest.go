// Package runtest provides what tests of runs need: fast learners, sets, settings and runs.
package runtest

import (
	"encoding/json"
	"fmt"

	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/milbench/run"
)

// Set returns a set of n bags with one instance each. Every third bag is positive, and its feature is larger by 1.
func Set(name string, n int) *mil.Set {
	s := &mil.Set{Name: name, Checksum: fmt.Sprintf("%064x", len(name)*1000+n)}
	for i := range n {
		label := 0
		if i%3 == 0 {
			label = 1
		}
		s.Bags = append(s.Bags, mil.Bag{
			ID: fmt.Sprint(name, "-", i), Target: mil.Labelled(label),
			Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{float32(label)}},
		})
	}
	return s
}

// Settings returns settings from JSON texts.
func Settings(list ...string) (settings []json.RawMessage) {
	for _, s := range list {
		settings = append(settings, json.RawMessage(s))
	}
	return settings
}

// Fits is the number of fits in a [Run].
const Fits = 48

// Run returns a run with 2 sets x 3 settings x 2 repeats x 4 folds.
func Run(dir string, l learner.Learner) run.Run {
	return run.Run{
		Sets:     []*mil.Set{Set("first", 40), Set("second", 31)},
		Protocol: cv.Protocol{Name: cv.HonestProtocol, Folds: 4, Repeats: 2},
		Settings: Settings(`{"pooling":"syn","iterations":-3}`, `{"pooling":"syn","iterations":3}`, `{"pooling":"mean"}`),
		Seed:     1, Learner: l, Dir: dir, Backend: "fake", Version: "v0", Revision: "0",
	}
}

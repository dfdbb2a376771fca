package classic

import (
	"encoding/json"
	"math"
	"testing"

	"synpool/internal/goldenfile"
	"synpool/milbench/learner"
)

// TestSavedBefore checks that models of binary targets saved by revision 9a85e58, before there were other kinds, can be
// loaded and predict the same. They were fitted to the dense half of bags.json, with 10 trees and 10 words. Other
// processors may round sums differently: the tolerance is 1e-9.
func TestSavedBefore(t *testing.T) {
	file := goldenfile.Read[struct {
		Models []struct {
			Learner string
			Model   json.RawMessage
			Scores  []float64
		}
	}](t, "models.json")
	byName := make(map[string]learner.Entry)
	for _, e := range everyEntry() {
		byName[e.Name] = e
	}
	if len(file.Models) != len(byName)-len(linearEntries()) { // which came later
		t.Fatalf("%d models of %d learners", len(file.Models), len(byName))
	}
	bags := bagsForms(t)[0].instances()
	for _, c := range file.Models {
		m, err := byName[c.Learner].ReadModel(c.Model)
		if err != nil {
			t.Errorf("%s: %v", c.Learner, err)
			continue
		}
		for i, b := range bags {
			p, err := m.Predict(b)
			if err != nil || len(p.Scores) != 1 || !(math.Abs(p.Scores[0]-c.Scores[i]) <= 1e-9*max(1, math.Abs(c.Scores[i]))) {
				t.Fatalf("%s: bag %d has %v, want %v, %v", c.Learner, i, p.Scores, c.Scores[i], err)
			}
		}
	}
}

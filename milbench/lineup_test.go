package milbench

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/learners"
	"synpool/milbench/mil"
)

// TestSetting checks settings by name, with fields replaced, and the errors of names, fields and values.
func TestSetting(t *testing.T) {
	for _, c := range []struct {
		name   string
		fields map[string]any
		want   string // part of the setting, or of the error
	}{
		{"set-kernel-svm", nil, `{"learner":"set-kernel-svm","gamma":0.5,"c":10,"balanced":true}`},
		{"set-kernel-svm", map[string]any{"c": 3}, `"c":3,`},
		{"set-kernel-svm", map[string]any{"c": func() {}}, "setting of set-kernel-svm: json: unsupported type"},
		{"mean", map[string]any{"epochs": 7}, `"width":64,`},
		{"mean", map[string]any{"epochs": 7}, `"epochs":7,`},
		{"mean", map[string]any{"epoch": 7}, "setting of mean: "},
		{"meen", nil, `did you mean "mean"?`},
	} {
		got, err := Setting(c.name, c.fields)
		if text := string(got); err == nil && !strings.Contains(text, c.want) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %v: %s, %v, want %s", c.name, c.fields, text, err, c.want)
		}
	}
	fixed := json.RawMessage(`{"pooling":"mean","epochs":1}`)
	if got, err := cv.Replace(fixed, map[string]any{"epochs": 2}); err != nil || string(got) != `{"epochs":2,"pooling":"mean"}` {
		t.Errorf("%s, %v", got, err)
	}
}

// TestLineupPreset checks that networks have the preset large from 256 instances per bag on, with a note, and the others do not.
func TestLineupPreset(t *testing.T) {
	for instances, large := range map[int]bool{255: false, 256: true} {
		set := &mil.Set{Name: "slides", Kind: mil.BinaryTarget}
		for i := range 8 {
			set.Bags = append(set.Bags, mil.Bag{ID: string(rune('a' + i)), Target: mil.Target{Label: i % 2}, Instances: &mil.Dense{Rows: instances, Cols: 1, Values: make([]float32, instances)}})
		}
		var notes []string
		runs, err := Comparison{Sets: []*mil.Set{set}, Protocol: cv.Protocol{Folds: 2}, Note: func(line string) { notes = append(notes, line) }}.Runs()
		if err != nil {
			t.Fatal(err)
		}
		networks := 0
		for _, setting := range runs[0].Settings {
			if strings.Contains(string(setting), `"init":"fan-in"`) {
				networks++
			}
		}
		noted := slices.Contains(notes, "slides: networks have the preset large: its bags have 256 instances on average")
		if networks != map[bool]int{true: len(LineupPoolings)}[large] || noted != large {
			t.Errorf("%d instances: %d networks with fan-in, notes %q", instances, networks, notes)
		}
	}
}

// TestAble checks that learners that cannot learn a set are left out, each reason once, and candidates of a portfolio, too.
func TestAble(t *testing.T) {
	set := &mil.Set{Name: "grades", Kind: mil.RealTarget}
	for i := range 4 {
		set.Bags = append(set.Bags, mil.Bag{ID: string(rune('a' + i)), Target: mil.Target{Value: float64(i)}, Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{float32(i)}}})
	}
	list, err := learners.Settings(false, "instance", "instance", "miles", "auto", "statistics-svm")
	if err != nil {
		t.Fatal(err)
	}
	those, refused, err := able(set, list)
	if err != nil || len(those) != 2 || len(refused) != 3 || !strings.HasPrefix(refused[0], "grades: instance cannot learn targets of kind real") {
		t.Errorf("%s, %q, %v", those, refused, err)
	}
	if _, _, err := able(set, list[:3]); err == nil || err.Error() != refused[0] {
		t.Errorf("error %v", err)
	}
}

// TestExplains: weights that differ and scores of instances explain, means do not, and a portfolio depends.
func TestExplains(t *testing.T) {
	for name, want := range map[string]bool{"gated": true, "syn": true, "max": true, "mean": false, "instance": true, "miles": true, "statistics-svm": true, "auto": false} {
		setting, err := Setting(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if Explains(setting) != want {
			t.Errorf("%s: not %v", name, want)
		}
	}
}

package evaluate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"synpool/milbench"
	"synpool/milbench/calibrate"
	"synpool/milbench/mil"
)

// TestProbabilities: the log-loss of an evaluation is that of the probabilities that predict gives, for two classes and three,
// calibrated from held-out bags or the logits of the learner itself.
func TestProbabilities(t *testing.T) {
	for _, classes := range []int{2, 3} {
		set := &mil.Set{Name: "planted", Kind: mil.ClassTarget, Classes: []string{"a", "b", "c"}[:classes]}
		if classes == 2 {
			set.Kind = mil.BinaryTarget
		}
		random := rand.New(rand.NewPCG(5, uint64(classes)))
		for i := range 60 {
			d := &mil.Dense{Rows: 3, Cols: 2}
			for range 6 {
				d.Values = append(d.Values, float32(random.NormFloat64()+float64(i%classes)))
			}
			set.Bags = append(set.Bags, mil.Bag{ID: fmt.Sprint(i), Target: mil.Labelled(i % classes), Instances: d})
		}
		if err := set.Seal(); err != nil {
			t.Fatal(err)
		}
		for name, method := range map[string]calibrate.Method{"statistics-svm": calibrate.Platt, "auto": ""} {
			setting, err := milbench.Setting(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			m, err := milbench.Train(t.Context(), set, milbench.Training{Setting: setting, Seed: 1, Calibrate: method}, nil)
			if err != nil {
				t.Fatal(err)
			}
			said, err := m.Predict(t.Context(), set)
			if err != nil {
				t.Fatal(err)
			}
			want := 0.0
			for i, b := range said.Bags {
				p := b.Probabilities[set.Classes[i%classes]]
				if classes == 2 {
					if p = *b.Probability; i%2 == 0 {
						p = 1 - p
					}
				}
				want -= math.Log(p) / float64(len(said.Bags))
			}
			judged, err := m.Evaluate(t.Context(), &milbench.Labelled{Set: set, All: len(set.Bags)}, 1)
			if err != nil {
				t.Fatal(err)
			}
			if named := judged.Calibration; method != "" && named != string(method) || method == "" && named != "none" {
				t.Errorf("%s on %d classes: calibration %q", name, classes, named)
			}
			for _, f := range judged.Figures {
				if f.Name == "log-loss" && (f.Value == nil || math.Abs(*f.Value-want) > 1e-9) {
					t.Errorf("%s on %d classes: log-loss %v, want %v", name, classes, f.Value, want)
				}
			}
		}
	}
}

package evaluate_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"synpool/milbench"
	"synpool/milbench/calibrate"
	"synpool/milbench/evaluate"
	"synpool/milbench/mil"
)

// TestProbabilities: the log-loss of an evaluation for two classes, and the accuracy for three, is that of the probabilities that
// predict gives, calibrated from held-out bags or the logits of the learner itself.
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
			want, figure := 0.0, "log-loss"
			for i, b := range said.Bags {
				if classes == 3 {
					figure = "accuracy"
					best := slices.MaxFunc(set.Classes, func(a, c string) int { return cmp.Compare(b.Probabilities[a], b.Probabilities[c]) })
					if best == set.Classes[i%3] {
						want += 1 / float64(len(said.Bags))
					}
					continue
				}
				p := *b.Probability
				if i%2 == 0 {
					p = 1 - p
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
			k := slices.IndexFunc(judged.Figures, func(f evaluate.Figure) bool { return f.Name == figure })
			if k < 0 || judged.Figures[k].Value == nil || math.Abs(*judged.Figures[k].Value-want) > 1e-9 {
				t.Errorf("%s on %d classes: figures %+v, want %s %v", name, classes, judged.Figures, figure, want)
			}
		}
	}
}

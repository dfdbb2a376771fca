package neural

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"synpool/backend/backendtest"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// TestPooled checks that the score of a bag is an affine function of its pooled vector, with the classifier's weights
// and bias, up to the rounding of float32.
func TestPooled(t *testing.T) {
	bags, examples := unequal(12)
	set := &mil.Set{Name: "pooled"}
	for i, b := range bags {
		set.Bags = append(set.Bags, mil.Bag{ID: fmt.Sprint(i), Target: mil.Labelled(examples[i].Label), Instances: b})
	}
	for name, b := range backendtest.All(t) {
		c := setting(t, "syn")
		c.Epochs = 2
		m := must(Trainer{Backend: b, Workers: 1}.Train(t.Context(), c, set, 1, nil))
		pooled := must(m.Pooled(t.Context(), bags))
		predictions := must(m.Predict(t.Context(), bags, false))
		var weights, bias []float32
		for i, values := range m.program.pieces(m.parameters) {
			switch path := m.program.paths[i]; {
			case strings.HasSuffix(path, "classifier/weights"):
				weights = values
			case strings.HasSuffix(path, "classifier/bias"):
				bias = values
			}
		}
		for i, v := range pooled {
			if len(v) != len(weights) || len(bias) != 1 {
				t.Fatalf("%s: %d pooled features, %d weights", name, len(v), len(weights))
			}
			logit := float64(bias[0])
			for j, x := range v {
				logit += x * float64(weights[j])
			}
			if math.Abs(logit-predictions[i].Scores[0]) > 1e-5*max(1, math.Abs(logit)) {
				t.Errorf("%s: bag %d: logit %g, score %g", name, i, logit, predictions[i].Scores[0])
			}
		}
		if _, err := m.Pooled(t.Context(), []mil.Instances{&mil.Dense{Cols: 5}}); err == nil || !strings.Contains(err.Error(), "bag 0: no instances") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWeights checks that weights are returned if they are wanted, only for test bags, and one per instance. They are
// the same side by side as step by step, up to float32 after two epochs, and asking for them changes no score by more.
func TestWeights(t *testing.T) {
	bags, examples := unequal(20)
	c := setting(t, "syn")
	c.Epochs, c.Iterations = 2, -2
	fit := cv.Fit{Seed: 3, Setting: settingOf(t, c), Train: examples[:12], Validation: []int{12, 13}, Test: []int{14, 15, 16, 17, 18, 19}, EveryEpoch: true, Instances: true}
	without := fit
	without.Instances = false
	var first []learner.Epoch
	for name, b := range backendtest.All(t) {
		outcomes := learn(t, Trainer{Backend: b, Workers: 1}, cv.Task{Name: "weights", Bags: bags, Fits: []cv.Fit{fit, without}})
		for i, e := range outcomes[0].Epochs {
			for k, s := range e.Test {
				if len(s.Instances) != bags[fit.Test[k]].Len() {
					t.Fatalf("%s: %d weights of %d instances", name, len(s.Instances), bags[fit.Test[k]].Len())
				}
				other := outcomes[1].Epochs[i].Test[k]
				if other.Instances != nil || math.Abs(other.Scores[0]-s.Scores[0]) > 1e-4 {
					t.Errorf("%s: not asked for: %d weights, score %g, not %g", name, len(other.Instances), other.Scores[0], s.Scores[0])
				}
				if first == nil {
					continue
				}
				for j, w := range first[i].Test[k].Instances {
					if math.Abs(w-s.Instances[j]) > 1e-4 {
						t.Errorf("%s: epoch %d, bag %d: weight %g, elsewhere %g", name, e.Number, fit.Test[k], s.Instances[j], w)
					}
				}
			}
			for _, s := range e.Validation {
				if s.Instances != nil {
					t.Errorf("%s: weights of a validation bag", name)
				}
			}
		}
		first = outcomes[0].Epochs
	}
}

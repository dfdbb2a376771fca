package classic

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"synpool/internal/goldenfile"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// selectionTolerance applies to decision values. Ours stop at a violation of 1e-3 of the dual, the reference far below.
const selectionTolerance = 1e-3

// instanceTolerance applies to scores of instances, which separate terms that sum to the score of the bag.
const instanceTolerance = 1e-2

// selections returns the learners that this file tests.
func selections() []learner.Entry {
	return []learner.Entry{MILESEntry(), BagMISVMEntry(), InstanceMISVMEntry(), CitationKNNEntry()}
}

// TestSelectionGolden compares results with numpy and scikit-learn.
func TestSelectionGolden(t *testing.T) {
	golden := goldenfile.Read[struct {
		Data  map[string]goldenBags
		Cases []struct {
			Name      string
			Dense     bool
			Train     int
			Setting   json.RawMessage
			Scores    []*float64 // nil where the reference has none
			Instances [][]float64
		}
	}](t, "selection.json")
	if len(golden.Cases) != goldenSelections {
		t.Fatalf("%d cases", len(golden.Cases))
	}
	for _, c := range golden.Cases {
		t.Run(c.Name, func(t *testing.T) {
			form := "sparse"
			if c.Dense {
				form = "dense"
			}
			bags, train := golden.Data[form].part(!c.Dense, c.Train)
			s := estimator(t, c.Setting)
			if s, ok := s.(*MILES); ok {
				s.tolerance = 1e-6
			}
			m := must(s.Fit(t.Context(), train))
			for i, want := range c.Scores {
				if want == nil {
					continue
				}
				got, err := learner.Predict(m, bags[i], true)
				if err != nil || math.Abs(got.Scores[0]-*want) > selectionTolerance {
					t.Errorf("bag %d has the score %v, want %v (%v)", i, got.Scores, *want, err)
					continue
				}
				if c.Instances == nil {
					continue
				}
				for k, want := range c.Instances[i] {
					if math.Abs(got.Instances[k]-want) > instanceTolerance {
						t.Errorf("instance %d of bag %d has the score %v, want %v", k, i, got.Instances[k], want)
					}
				}
			}
		})
	}
}

// settingsOf returns the grids of the learners.
func settingsOf(t testing.TB) (all []json.RawMessage) {
	t.Helper()
	for _, e := range selections() {
		all = append(all, must(e.Settings())...)
	}
	return all
}

// TestSelectionHeldOut checks that a fit may share bags with others in any order: predictions differ only by rounding.
// The held-out bags among them have no targets.
func TestSelectionHeldOut(t *testing.T) {
	bags, examples := random(9, 30, 5, 3, false)
	for _, setting := range settingsOf(t) {
		s := estimator(t, setting)
		fit := func(shared []mil.Instances) learner.Model {
			train := training(bags, examples[:20])
			train.Shared = learner.NewShared(shared)
			return must(s.Fit(t.Context(), train))
		}
		m, n := fit(bags), fit(slices.Concat(bags[20:], bags[:20]))
		for i := range bags {
			a, errA := m.Predict(bags[i])
			b, errB := n.Predict(bags[i])
			if errA != nil || errB != nil || math.Abs(a.Scores[0]-b.Scores[0]) > selectionTolerance {
				t.Errorf("%s: bag %d has the scores %v and %v (%v, %v)", setting, i, a.Scores, b.Scores, errA, errB)
			}
		}
	}
}

// TestErrors checks that a single class, no bags, and invalid settings are errors.
func TestErrors(t *testing.T) {
	bags, examples := random(9, 10, 5, 3, false)
	for i := range examples {
		examples[i].Target = mil.Labelled(1)
	}
	for _, e := range everyEntry() {
		if _, err := e.Default().Fit(t.Context(), training(bags, examples)); err == nil {
			t.Errorf("%s fits one class", e.Name)
		}
		if _, err := e.Default().Fit(t.Context(), learner.Training{}); err == nil {
			t.Errorf("%s fits no bags", e.Name)
		}
	}
	for name, s := range badSettings {
		if err := s.(interface{ Validate() error }).Validate(); err == nil {
			t.Errorf("%s is valid", name)
		}
	}
}

var badSettings = map[string]learner.Estimator{
	"a penalty that is none": MILES{Penalty: "l3", Gamma: 1, C: 1, Concepts: 1},
	"no concepts":            MILES{Penalty: L1, Gamma: 1, C: 1},
	"gamma 0":                MILES{Penalty: L1, C: 1, Concepts: 1},
	"gamma below 0":          BagMISVM{MISVM{Gamma: -1, C: 1, Rounds: 1}},
	"c 0":                    InstanceMISVM{MISVM{Gamma: 1, Rounds: 1}},
	"no rounds":              InstanceMISVM{MISVM{Gamma: 1, C: 1}},
	"an unknown distance":    CitationKNN{Distance: "near", References: 1},
	"no votes":               CitationKNN{Distance: MinHausdorff},
	"negative citers":        CitationKNN{Distance: MinHausdorff, References: 1, Citers: -1},
	"one word":               BagOfWords{Words: 1, Gamma: 1, SVM: SVM{C: 1}},
	"too many words":         BagOfWords{Words: mostWords + 1, Gamma: 1, SVM: SVM{C: 1}},
	"words without gamma":    BagOfWords{Words: 3, SVM: SVM{C: 1}},
	"words and c NaN":        BagOfWords{Words: 3, Gamma: 1, SVM: SVM{C: math.NaN()}},
	"no components":          FisherVectors{SVM: SVM{C: 1}},
	"too many components":    FisherVectors{Components: mostComponents + 1, SVM: SVM{C: 1}},
	"components without c":   FisherVectors{Components: 3},
	"c NaN":                  MILES{Penalty: L1, Gamma: 1, C: math.NaN(), Concepts: 1},
}

// TestMILESConcepts checks that concepts are instances of the training bags and never of a held-out bag. If there are
// fewer concepts than instances, they are evenly spaced.
func TestMILESConcepts(t *testing.T) {
	bags, examples := random(6, 40, 5, 3, false)
	train := training(bags, examples[:30])
	train.Shared = learner.NewShared(bags)
	instances := 0
	for _, b := range train.Bags {
		instances += b.Len()
	}
	s := defaultMILES()
	for most, want := range map[int]int{5000: instances, 17: 14} {
		s.Concepts = most
		m := must(s.Fit(t.Context(), train))
		if n := m.(*milesModel).Concepts.Len(); n != want {
			t.Errorf("%d concepts of at most %d, want %d", n, most, want)
		}
	}
}

// TestMILESInstances checks that for a linear machine the scores of the instances and the bias sum to the score of the
// bag.
func TestMILESInstances(t *testing.T) {
	bags, examples := random(6, 40, 5, 3, true)
	s := defaultMILES()
	s.Penalty = L2
	m := must(s.Fit(t.Context(), training(bags, examples)))
	for i, b := range bags {
		p := must(learner.Predict(m, b, true))
		sum := m.(*milesModel).Bias
		for _, v := range p.Instances {
			sum += v
		}
		if math.Abs(sum-p.Scores[0]) > 1e-9 {
			t.Errorf("bag %d has the score %v, its instances add up to %v", i, p.Scores, sum)
		}
	}
}

// TestMISVMRows checks that a kernel of many instances, with rows computed on demand, gives the same machine as a
// matrix.
func TestMISVMRows(t *testing.T) {
	const rounding = 1e-7 // the matrix is of float32, whose rounding is at most 6e-8 of a value
	far := func(a, b float64) bool { return math.Abs(a-b) > 1e-12+rounding*math.Abs(a) }
	for _, sparse := range []bool{false, true} {
		for _, gamma := range []float64{0, 1} {
			bags, examples := random(6, 30, 9, 3, sparse)
			train := training(bags, examples[:20])
			train.Shared = learner.NewShared(bags)
			_, rows, err := train.Share()
			if err != nil {
				t.Fatal(err)
			}
			k, at, err := instanceKernelsOf(t.Context(), train.Shared, rows, gamma)
			if err != nil {
				t.Fatal(err)
			}
			demand := newInstanceKernels(k.z, k.z.some(rows), gamma)
			whole, part := make([]float64, k.Len()), make([]float64, demand.Len())
			diagonal := make([]float64, demand.Len())
			demand.Diagonal(diagonal)
			for i, bag := range at {
				for n, from := range demand.instances(i) {
					k.values.Row(k.first[bag]+n, whole)
					demand.Row(from, part)
					if math.Abs(diagonal[from]-part[from]) > 1e-9 {
						t.Errorf("instance %d has %v with itself, and %v on the diagonal", from, part[from], diagonal[from])
					}
					for j, other := range at {
						for n, to := range demand.instances(j) {
							if far(part[to], whole[k.first[other]+n]) {
								t.Fatalf("instances %d and %d have %v, want %v", from, to, part[to], whole[k.first[other]+n])
							}
						}
						if far(part[demand.means+j], whole[k.means+other]) {
							t.Fatalf("instance %d and the mean of bag %d have %v, want %v", from, j, part[demand.means+j], whole[k.means+other])
						}
					}
				}
			}
		}
	}
}

const goldenSelections = 12 + 16 + 8

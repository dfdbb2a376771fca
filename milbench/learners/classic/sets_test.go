package classic_test

import (
	"encoding/json"
	"testing"
	"time"

	"synpool/internal/fetched"
	"synpool/internal/large"
	"synpool/milbench/cv"
	"synpool/milbench/dataset"
	"synpool/milbench/dataset/generate"
	"synpool/milbench/learner"
	"synpool/milbench/learners/classic"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// aucs returns the AUC of the pooled scores of all folds, averaged over repeats, for settings of an entry.
func aucs(t testing.TB, s *mil.Set, protocol cv.Protocol, entry learner.Entry, estimators ...learner.Estimator) []float64 {
	t.Helper()
	var settings []json.RawMessage
	for _, e := range estimators {
		setting := must(entry.Setting(e))
		settings = append(settings, setting)
	}
	fits := must(protocol.Fits(s, settings, 1))
	task := cv.NewTask(s, fits)
	classical := learner.Classical{Entries: []learner.Entry{entry}, Workers: 2}
	type row struct{ repeat, setting int }
	labels, scores := map[row][]int{}, map[row][]float64{}
	if err := classical.Learn(t.Context(), task, func(o learner.Outcome) error {
		if o.Err != nil {
			return o.Err
		}
		at := row{fits[o.Fit].Repeat, o.Fit % len(settings)}
		for k, b := range fits[o.Fit].Test {
			labels[at] = append(labels[at], s.Bags[b].Label)
			scores[at] = append(scores[at], o.Epochs[0].Test[k].Scores[0])
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	means := make([]float64, len(settings))
	for at := range labels {
		auc := must(stats.AUC(labels[at], scores[at]))
		means[at.setting] += auc / float64(protocol.Repeats)
	}
	return means
}

// TestMusk1 checks the AUC on the embedded set over 10 folds, 3 times. The published AUC of an instance classifier with
// the hinge loss and a kernel is 0.932 (0.018) (Carbonneau et al. 2018).
func TestMusk1(t *testing.T) {
	s := must(dataset.Musk1())
	protocol := cv.Protocol{Name: cv.HonestProtocol, Folds: 10, Repeats: large.Number(1, 3)}
	logistic := *classic.InstanceEntry().Default().(*classic.Instance)
	hinge := logistic
	hinge.Loss = classic.Hinge
	radial := hinge
	radial.Gamma = 0.01
	for i, auc := range aucs(t, s, protocol, classic.InstanceEntry(), &logistic, &hinge, &radial) {
		t.Logf("setting %d: AUC %.3f", i, auc)
		if want := []float64{0.83, 0.80, 0.94}[i]; auc < want-0.03 || auc > want+0.03 {
			t.Errorf("setting %d: AUC %.3f, want about %.2f", i, auc, want)
		}
	}
}

// TestRaffHolt runs the unit tests of Raff and Holt. An instance classifier with a maximum passes: it keeps the
// assumption that positive instances make a bag positive.
func TestRaffHolt(t *testing.T) {
	protocol := cv.Protocol{Name: cv.HonestProtocol, Folds: 10, Repeats: 1}
	for _, test := range []generate.RaffHoltTest{generate.SingleConcept, generate.MultipleConcepts, generate.FalseFrequency} {
		s := must(generate.DrawRaffHolt(generate.DefaultRaffHolt(test)))
		auc := aucs(t, s, protocol, classic.InstanceEntry(), classic.InstanceEntry().Default())[0]
		t.Logf("test %d: AUC %.3f", test, auc)
		if auc < 0.75 {
			t.Errorf("test %d: AUC %.3f", test, auc)
		}
	}
}

// TestWeb checks that a fit of a sparse set with about 6,000 features takes seconds.
func TestWeb(t *testing.T) {
	fetched.File(t, "web1.mat", "web1")
	e := must(dataset.Find("web1"))
	s := fetched.Load(t, e.Load)
	start := time.Now()
	auc := aucs(t, s, cv.Protocol{Name: cv.HonestProtocol, Folds: 10, Repeats: 1}, classic.InstanceEntry(), classic.InstanceEntry().Default())[0]
	took := time.Since(start)
	t.Logf("AUC %.3f in %v", auc, took)
	if auc < 0.6 || took > time.Minute {
		t.Errorf("AUC %.3f in %v", auc, took)
	}
}

// selectionEntries returns MILES, both machines of Andrews et al., and citation-kNN.
func selectionEntries() []learner.Entry {
	return []learner.Entry{classic.MILESEntry(), classic.BagMISVMEntry(), classic.InstanceMISVMEntry(), classic.CitationKNNEntry()}
}

// TestSelectionMusk1 checks that the defaults of learners that select instances or compare bags reach about this AUC on
// the embedded set.
func TestSelectionMusk1(t *testing.T) {
	s := must(dataset.Musk1())
	protocol := cv.Protocol{Name: cv.HonestProtocol, Folds: 10, Repeats: large.Number(1, 3)}
	for i, e := range selectionEntries() {
		auc := aucs(t, s, protocol, e, e.Default())[0]
		t.Logf("%s: AUC %.3f", e.Name, auc)
		if want := []float64{0.96, 0.94, 0.94, 0.93}[i]; auc < want-0.04 || auc > want+0.04 {
			t.Errorf("%s: AUC %.3f, want about %.2f", e.Name, auc, want)
		}
	}
}

// TestSelectionSets checks that the defaults reach at least this AUC on fetched sets.
func TestSelectionSets(t *testing.T) {
	for _, bar := range []struct {
		set  string
		aucs [4]float64
	}{
		{"elephant", [4]float64{0.87, 0.83, 0.86, 0.83}},
		{"fox", [4]float64{0.68, 0.60, 0.60, 0.55}},
		{"tiger", [4]float64{0.83, 0.78, 0.78, 0.75}},
	} {
		t.Run(bar.set, func(t *testing.T) {
			fetched.File(t, bar.set+".mat", bar.set)
			found := must(dataset.Find(bar.set))
			s := fetched.Load(t, found.Load)
			for i, e := range selectionEntries() {
				auc := aucs(t, s, cv.Protocol{Name: cv.HonestProtocol, Folds: 10, Repeats: 1}, e, e.Default())[0]
				t.Logf("%s: AUC %.3f", e.Name, auc)
				if auc < bar.aucs[i] {
					t.Errorf("%s: AUC %.3f, want %.2f or more", e.Name, auc, bar.aucs[i])
				}
			}
		})
	}
}

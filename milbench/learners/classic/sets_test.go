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

// aucOf returns the AUC of the pooled scores of all folds, averaged over repeats.
func aucOf(t testing.TB, s *mil.Set, protocol cv.Protocol, entry learner.Entry, estimator learner.Estimator) (mean float64) {
	t.Helper()
	fits := must(protocol.Fits(s, []json.RawMessage{must(entry.Setting(estimator))}, 1))
	labels, scores := map[int][]int{}, map[int][]float64{} // by repeat
	if err := (learner.Classical{Entries: []learner.Entry{entry}, Workers: 2}).Learn(t.Context(), cv.NewTask(s, fits), func(o learner.Outcome) error {
		if o.Err != nil {
			return o.Err
		}
		at := fits[o.Fit].Repeat
		for k, b := range fits[o.Fit].Test {
			labels[at] = append(labels[at], s.Bags[b].Label)
			scores[at] = append(scores[at], o.Epochs[0].Test[k].Scores[0])
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for at := range labels {
		mean += must(stats.AUC(labels[at], scores[at])) / float64(protocol.Repeats)
	}
	return mean
}

// TestMusk1 checks that learners reach about this AUC on the embedded set over 10 folds, 3 times: instance classifiers, and the
// defaults of those that select instances or compare bags. The published AUC of an instance classifier with the hinge loss and
// a kernel is 0.932 (0.018) (Carbonneau et al. 2018).
func TestMusk1(t *testing.T) {
	s := must(dataset.Musk1())
	protocol := cv.Protocol{Name: cv.HonestProtocol, Folds: 10, Repeats: large.Number(1, 3)}
	for _, c := range []struct {
		entry     learner.Entry
		estimator learner.Estimator
		want, off float64
	}{
		{classic.InstanceEntry(), classic.InstanceEntry().Default(), 0.83, 0.03},
		{classic.InstanceEntry(), &classic.Instance{Loss: classic.Hinge, C: 1, Weighted: true}, 0.80, 0.03},
		{classic.InstanceEntry(), &classic.Instance{Loss: classic.Hinge, C: 1, Weighted: true, Gamma: 0.01}, 0.94, 0.03},
		{classic.MILESEntry(), classic.MILESEntry().Default(), 0.96, 0.04},
		{classic.BagMISVMEntry(), classic.BagMISVMEntry().Default(), 0.94, 0.04},
		{classic.InstanceMISVMEntry(), classic.InstanceMISVMEntry().Default(), 0.94, 0.04},
		{classic.CitationKNNEntry(), classic.CitationKNNEntry().Default(), 0.93, 0.04},
	} {
		auc := aucOf(t, s, protocol, c.entry, c.estimator)
		t.Logf("%s: AUC %.3f", c.entry.Name, auc)
		if auc < c.want-c.off || auc > c.want+c.off {
			t.Errorf("%s, %+v: AUC %.3f, want about %.2f", c.entry.Name, c.estimator, auc, c.want)
		}
	}
}

// TestRaffHolt runs the unit tests of Raff and Holt. An instance classifier with a maximum passes: it keeps the
// assumption that positive instances make a bag positive.
func TestRaffHolt(t *testing.T) {
	protocol := cv.Protocol{Name: cv.HonestProtocol, Folds: 10, Repeats: 1}
	for _, test := range []generate.RaffHoltTest{generate.SingleConcept, generate.MultipleConcepts, generate.FalseFrequency} {
		s := must(generate.DrawRaffHolt(generate.DefaultRaffHolt(test)))
		auc := aucOf(t, s, protocol, classic.InstanceEntry(), classic.InstanceEntry().Default())
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
	auc := aucOf(t, s, cv.Protocol{Name: cv.HonestProtocol, Folds: 10, Repeats: 1}, classic.InstanceEntry(), classic.InstanceEntry().Default())
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
				auc := aucOf(t, s, cv.Protocol{Name: cv.HonestProtocol, Folds: 10, Repeats: 1}, e, e.Default())
				t.Logf("%s: AUC %.3f", e.Name, auc)
				if auc < bar.aucs[i] {
					t.Errorf("%s: AUC %.3f, want %.2f or more", e.Name, auc, bar.aucs[i])
				}
			}
		})
	}
}

package milbench

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestTargetKindText(t *testing.T) {
	for _, kind := range []TargetKind{BinaryTarget, ClassTarget, RealTarget, SurvivalTarget} {
		text, err := json.Marshal(kind)
		if err != nil {
			t.Fatal(err)
		}
		var back TargetKind
		if err := json.Unmarshal(text, &back); err != nil || back != kind || string(text) != fmt.Sprintf("%q", kind) {
			t.Errorf("%v becomes %s and %v, %v", kind, text, back, err)
		}
	}
	var kind TargetKind
	if err := kind.UnmarshalText([]byte("ordinal")); err == nil || !strings.Contains(err.Error(), "binary, classes, real, survival") {
		t.Errorf("error %v", err)
	}
	if _, err := TargetKind(9).MarshalText(); err == nil || TargetKind(9).String() != "TargetKind(9)" {
		t.Errorf("%v, error %v", TargetKind(9), err)
	}
}

func TestTakes(t *testing.T) {
	dense, sparse := &Dense{Rows: 3, Cols: 2, Values: make([]float32, 6)}, &Sparse{Rows: 1, Cols: 2, RowStart: []int{0, 0}}
	for want, c := range map[string]struct {
		takes Takes
		task  Task
	}{
		"": {Takes{Kinds: []TargetKind{BinaryTarget}, Dense: true, Sparse: true}, Task{Bags: []Instances{dense, sparse}}},
		"grades: a network cannot learn targets of kind real; it learns: binary, classes": {
			Takes{Name: "a network", Kinds: []TargetKind{BinaryTarget, ClassTarget}}, Task{Name: "grades", Kind: RealTarget}},
		"task: the learner takes no sparse bags":    {Takes{Kinds: []TargetKind{BinaryTarget}, Dense: true}, Task{Bags: []Instances{dense, sparse}}},
		"task: the learner takes sparse bags alone": {Takes{Kinds: []TargetKind{BinaryTarget}, Sparse: true}, Task{Bags: []Instances{sparse, dense}}},
		"task: the learner takes bags of at most 2 instances; the largest has 3: give a part of its instances, or take a learner without a bound, statistics-trees say": {Takes{Kinds: []TargetKind{BinaryTarget}, Dense: true, Sparse: true, MaxInstances: 2}, Task{Bags: []Instances{sparse, dense}}},
		"task: the learner takes at most 1 features; there are 2": {Takes{Kinds: []TargetKind{BinaryTarget}, Dense: true, Sparse: true, MaxFeatures: 1}, Task{Bags: []Instances{sparse}}},
	} {
		err := c.takes.Check(c.task)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestStrata: every class is in every fold, training and validation part, as far as its bags allow. The same holds
// for events in survival and for quintiles of real targets.
func TestStrata(t *testing.T) {
	for _, kind := range []TargetKind{ClassTarget, RealTarget, SurvivalTarget} {
		s := testSet(60, 0)
		s.Kind = kind
		for i := range s.Bags {
			switch kind {
			case ClassTarget:
				s.Classes = []string{"normal", "early", "late"}
				s.Bags[i].Target = Labelled(i % 3)
				if i%4 == 0 {
					s.Bags[i].Target = Labelled(0)
				}
			case RealTarget:
				s.Bags[i].Target = Target{Value: float64(i)}
			case SurvivalTarget:
				s.Bags[i].Target = Target{Value: float64(i), Event: i%3 == 0}
			}
		}
		for _, name := range []string{HonestProtocol, NestedProtocol} {
			fits, err := Protocol{Name: name, Folds: 5, Repeats: 2}.Fits(s, oneSetting, 3)
			if err != nil {
				t.Fatalf("%v: %v", kind, err)
			}
			all := s.strata().count(indices(60))
			for _, f := range fits {
				test := s.strata().count(f.Test)
				for c, n := range all {
					if test[c] < n/5 || test[c] > (n+4)/5 {
						t.Errorf("%v: %d bags of class %d in the test part, of %d in five", kind, test[c], c, n)
					}
				}
				if name == NestedProtocol {
					inside := s.strata().count(f.Validation)
					for c, n := range all {
						if left := n - test[c]; n > 0 && (inside[c] < left/5 || inside[c] > (left+4)/5) {
							t.Errorf("%v: %d bags of class %d validate, of %d", kind, inside[c], c, left)
						}
					}
				}
				for _, e := range f.Train {
					if e.Target != s.Bags[e.Bag].Target {
						t.Errorf("%v: bag %d is trained on with target %v", kind, e.Bag, e.Target)
					}
				}
			}
		}
	}
	s := testSet(6, 0)
	s.Kind, s.Classes = ClassTarget, []string{"a", "b", "c"}
	for i := range s.Bags {
		s.Bags[i].Label = i % 3
	}
	if _, err := (Protocol{Name: HonestProtocol, Folds: 3, Repeats: 1}).Fits(s, oneSetting, 1); err == nil || !strings.Contains(err.Error(), "there are only 2 bags of class a; use at most 2 folds") {
		t.Errorf("error %v", err)
	}
}

func indices(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

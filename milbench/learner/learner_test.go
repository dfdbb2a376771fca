package learner

import (
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

func TestTakes(t *testing.T) {
	dense, sparse := &mil.Dense{Rows: 3, Cols: 2, Values: make([]float32, 6)}, &mil.Sparse{Rows: 1, Cols: 2, RowStart: []int{0, 0}}
	for want, c := range map[string]struct {
		takes Takes
		task  cv.Task
	}{
		"": {Takes{Kinds: []mil.TargetKind{mil.BinaryTarget}, Dense: true, Sparse: true}, cv.Task{Bags: []mil.Instances{dense, sparse}}},
		"grades: a network cannot learn targets of kind real; it learns: binary, classes": {
			Takes{Name: "a network", Kinds: []mil.TargetKind{mil.BinaryTarget, mil.ClassTarget}}, cv.Task{Name: "grades", Kind: mil.RealTarget}},
		"task: the learner takes no sparse bags":    {Takes{Kinds: []mil.TargetKind{mil.BinaryTarget}, Dense: true}, cv.Task{Bags: []mil.Instances{dense, sparse}}},
		"task: the learner takes sparse bags alone": {Takes{Kinds: []mil.TargetKind{mil.BinaryTarget}, Sparse: true}, cv.Task{Bags: []mil.Instances{sparse, dense}}},
		"task: the learner takes bags of at most 2 instances; the largest has 3: \"instances\":2 in its setting takes so many of each; or take a learner without a bound, statistics-trees say": {Takes{Kinds: []mil.TargetKind{mil.BinaryTarget}, Dense: true, Sparse: true, MaxInstances: 2}, cv.Task{Bags: []mil.Instances{sparse, dense}}},
		"task: the learner takes at most 1 features; there are 2": {Takes{Kinds: []mil.TargetKind{mil.BinaryTarget}, Dense: true, Sparse: true, MaxFeatures: 1}, cv.Task{Bags: []mil.Instances{sparse}}},
	} {
		err := c.takes.Check(c.task)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

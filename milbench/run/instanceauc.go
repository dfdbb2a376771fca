package run

import (
	"fmt"

	"gonum.org/v1/gonum/stat"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

// hasInstanceLabels reports whether any positive bag of s has instances of both labels. If not, instance labels add
// nothing to the bag labels.
func hasInstanceLabels(s *mil.Set) bool {
	for i := range s.Bags {
		if witnesses(s, i) != nil {
			return true
		}
	}
	return false
}

// witnesses marks the instances that make bag i positive with 1 and the others with 0. It returns nil for a negative
// bag, and if all instances are alike.
func witnesses(s *mil.Set, i int) []int {
	if s.InstanceLabels == nil || s.Kind != mil.BinaryTarget || s.Bags[i].Label != 1 {
		return nil
	}
	labels := make([]int, len(s.InstanceLabels[i]))
	count := 0
	for k, v := range s.InstanceLabels[i] {
		if v > 0 {
			labels[k] = 1
			count++
		}
	}
	if count == 0 || count == len(labels) {
		return nil
	}
	return labels
}

// instanceAUC returns [synpool/milbench/results.Result.InstanceAUC] for an epoch's test scores, or nil if there is nothing to rank.
func (s *setStudy) instanceAUC(fit cv.Fit, test []mil.Prediction) (*float64, error) {
	if !fit.Instances {
		return nil, nil
	}
	var aucs []float64
	for k, i := range fit.Test {
		labels := witnesses(s.set, i)
		if labels == nil || test[k].Instances == nil { // not all learners score instances
			continue
		}
		auc, err := stats.AUC(labels, test[k].Instances)
		if err != nil {
			return nil, fmt.Errorf("scores of the instances of bag %s: %w", s.set.Bags[i].ID, err)
		}
		aucs = append(aucs, auc)
	}
	if aucs == nil {
		return nil, nil
	}
	mean := stat.Mean(aucs, nil)
	return &mean, nil
}

package run

import (
	"fmt"

	"synpool/milbench"
	"synpool/milbench/judge"
	"synpool/milbench/results"
)

// hasGroups reports whether every bag of s has a group, such as a patient, and some group has several bags. Groups
// made only for duplicates leave the other bags without a group.
func hasGroups(s *milbench.Set) bool {
	groups := map[string]bool{}
	for _, b := range s.Bags {
		if b.Group == "" {
			return false
		}
		groups[b.Group] = true
	}
	return len(groups) < len(s.Bags)
}

// groupAUC returns [results.Result.GroupAUC] for the scores of the test part. It is nil if the set has no groups or
// the part has only groups of one class.
func (s *setStudy) groupAUC(fit milbench.Fit, test []milbench.Prediction) (*results.GroupAUC, error) {
	if s.set.Kind != milbench.BinaryTarget || !hasGroups(s.set) {
		return nil, nil
	}
	place := map[string]int{}
	var labels, count []int
	var mean, most []float64
	for k, i := range fit.Test {
		b := s.set.Bags[i]
		score := test[k].Scores[0]
		at, known := place[b.Group]
		if !known {
			at = len(labels)
			place[b.Group] = at
			labels, count, mean, most = append(labels, 0), append(count, 0), append(mean, 0), append(most, score)
		}
		labels[at], most[at] = max(labels[at], b.Label), max(most[at], score)
		count[at]++
		mean[at] += score
	}
	positive := 0
	for at := range labels {
		mean[at] /= float64(count[at])
		positive += labels[at]
	}
	if positive == 0 || positive == len(labels) {
		return nil, nil
	}
	var auc results.GroupAUC
	var err error
	if auc.Mean, err = judge.AUC(labels, mean); err == nil {
		auc.Max, err = judge.AUC(labels, most)
	}
	if err != nil {
		return nil, fmt.Errorf("scores of the groups: %w", err)
	}
	return &auc, nil
}

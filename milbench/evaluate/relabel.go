package evaluate

import (
	"fmt"
	"slices"
	"strings"

	"synpool/milbench/learners/modeldir"
	"synpool/milbench/mil"
)

// Relabel returns new bags with the class numbers of a model, matched by class name. A model without class names has
// the classes 0 and 1. Names that are numbers match if the numbers are equal. It is an error if the model does not
// know a bag's class or if the kinds of target differ. The result shares its instances with s.
func Relabel(s *mil.Set, model *modeldir.Card) (*mil.Set, error) {
	labelled := func(k mil.TargetKind) bool { return k == mil.BinaryTarget || k == mil.ClassTarget }
	if !labelled(model.Target) || !labelled(s.Kind) {
		if s.Kind != model.Target {
			return nil, fmt.Errorf("%s has targets of kind %v, and the model is for kind %v", s.Name, s.Kind, model.Target)
		}
		return s, nil
	}
	classes := model.Classes
	if classes == nil {
		classes = []string{"0", "1"}
	}
	relabelled := *s
	relabelled.Kind, relabelled.Classes, relabelled.Bags = model.Target, model.Classes, slices.Clone(s.Bags)
	for i := range relabelled.Bags {
		b := &relabelled.Bags[i]
		word := s.ClassName(b.Label)
		b.Label = slices.IndexFunc(classes, func(class string) bool { return mil.SameWord(class, word) })
		if b.Label < 0 {
			return nil, fmt.Errorf("%s: bag %s has label %q, a class that the model does not know; it knows %s",
				s.Name, b.ID, word, strings.Join(classes, ", "))
		}
	}
	return &relabelled, nil
}

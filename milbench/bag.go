package milbench

import (
	"fmt"
	"slices"
	"strconv"
)

// Split says which part of an official split a bag belongs to.
type Split string

// The parts of an official split; NoSplit where the set has none.
const (
	NoSplit   Split = ""
	TrainPart Split = "train"
	TestPart  Split = "test"
)

// Bag is a labelled bag of instances.
type Bag struct {
	ID string // unique within the set
	Target
	Group     string // bags of one group (one patient, or one bag standing twice) are never split across folds; "" for none
	Split     Split  // the part of the set's official split, NoSplit where it has none
	Instances Instances

	// Coordinates returns where each instance is, x and y, as of a slide; nil where the file does not say.
	Coordinates func() ([][2]float64, error)
}

// Set is a multiple-instance data set as its reader returns it.
//
// Instance labels stand in a field of their own: a [Learner] is handed a [Task], which has no room for them.
type Set struct {
	Name     string
	Checksum string   // of the content: see [Set.Seal]
	Features []string // column names; nil where the file has none
	Bags     []Bag

	// Kind of the targets, and the names of the classes as the file writes them, the positive one of two last; nil where they
	// are numbers.
	Kind    TargetKind
	Classes []string

	// Missing are the features that some instances have no value of, see [Medians].
	Missing []Missing

	// Words are the features that say which word stands in a column: 1 or 0 ([Preparation]).
	Words []int

	// InstanceLabels, where known, has one value an instance of each bag. For evaluation only.
	InstanceLabels [][]float64

	// Leaked is set when a column that gives the bag label away was knowingly kept as a feature.
	Leaked bool
}

// NumFeatures returns the number of features of an instance, 0 for a set without bags.
func (s *Set) NumFeatures() int {
	if len(s.Bags) == 0 {
		return 0
	}
	return s.Bags[0].Instances.Features()
}

// NumClasses returns the number of classes: 2 of a binary target, 0 of one without classes.
func (s *Set) NumClasses() int {
	switch s.Kind {
	case BinaryTarget:
		return 2
	case ClassTarget:
		return len(s.Classes)
	}
	return 0
}

// ClassName returns the name of a class as the file writes it, or its number.
func (s *Set) ClassName(label int) string {
	if label >= 0 && label < len(s.Classes) {
		return s.Classes[label]
	}
	return strconv.Itoa(label)
}

// NumInstances returns the number of instances over all bags.
func (s *Set) NumInstances() int {
	n := 0
	for _, b := range s.Bags {
		n += b.Instances.Len()
	}
	return n
}

// NumPositive returns the number of positive bags of a binary target.
func (s *Set) NumPositive() int { return s.NumLabelled(1) }

// NumLabelled returns the number of bags of a class.
func (s *Set) NumLabelled(class int) int {
	n := 0
	for _, b := range s.Bags {
		if b.Label == class {
			n++
		}
	}
	return n
}

// Instances returns the instances of every bag, without anything else about it: what a model is given to score.
func (s *Set) Instances() []Instances {
	instances := make([]Instances, len(s.Bags))
	for i, b := range s.Bags {
		instances[i] = b.Instances
	}
	return instances
}

// HasSplit reports whether the set brings an official split.
func (s *Set) HasSplit() bool {
	for _, b := range s.Bags {
		if b.Split != NoSplit {
			return true
		}
	}
	return false
}

// Task returns what a learner gets to see of s with some fits.
func (s *Set) Task(fits []Fit) Task {
	task := Task{Name: s.Name, Bags: s.Instances(), Kind: s.Kind, Classes: s.NumClasses(), Missing: s.Missing, Words: s.Words, Fits: fits}
	for i, b := range s.Bags {
		if b.Group != "" && task.Groups == nil {
			task.Groups = make([]string, len(s.Bags))
		}
		if task.Groups != nil {
			task.Groups[i] = b.Group
		}
	}
	return task
}

// Validate reports the first reason why s cannot be learnt from: no bags, a class without bags, a real target that is the same for all,
// times of survival without an event, a duplicate id, an empty or malformed bag, bags of unequal width, or a split that covers only some bags.
func (s *Set) Validate() error {
	if err := s.ValidateBags(); err != nil {
		return err
	}
	for class := range s.NumClasses() {
		switch n := s.NumLabelled(class); {
		case n == len(s.Bags):
			return fmt.Errorf("%s: all %d bags have label %s; two classes are needed", s.Name, n, s.ClassName(class))
		case n == 0 && s.Kind != BinaryTarget:
			return fmt.Errorf("%s: no bag has label %s", s.Name, s.ClassName(class))
		}
	}
	first := s.Bags[0].Value
	switch {
	case s.Kind == RealTarget && !slices.ContainsFunc(s.Bags, func(b Bag) bool { return b.Value != first }):
		return fmt.Errorf("%s: all %d bags have target %v; there is nothing to learn", s.Name, len(s.Bags), first)
	case s.Kind == SurvivalTarget && !slices.ContainsFunc(s.Bags, func(b Bag) bool { return b.Event }):
		return fmt.Errorf("%s: all %d bags are censored; events are needed", s.Name, len(s.Bags))
	}
	return nil
}

// ValidateBags reports what [Set.Validate] reports, but for classes without bags: a model can score such bags, though none
// can be learnt from them.
func (s *Set) ValidateBags() error {
	if len(s.Bags) == 0 {
		return fmt.Errorf("%s: no bags", s.Name)
	}
	if n := len(s.Classes); s.Kind == BinaryTarget && n != 0 && n != 2 || s.Kind == ClassTarget && n < 2 {
		return fmt.Errorf("%s: %d names of classes for a target of kind %v", s.Name, n, s.Kind)
	}
	if err := checkPrepared(s.Missing, s.Words, s.NumFeatures()); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	seen := make(map[string]bool, len(s.Bags))
	split := s.HasSplit()
	for _, b := range s.Bags {
		if b.Instances == nil {
			return fmt.Errorf("%s: bag %s has no instances", s.Name, b.ID)
		}
		if s.NumFeatures() == 0 {
			return fmt.Errorf("%s: bag %s has no features", s.Name, s.Bags[0].ID)
		}
		if err := b.Target.validate(s.Kind, len(s.Classes)); err != nil {
			return fmt.Errorf("%s: bag %s has %w", s.Name, b.ID, err)
		}
		switch {
		case seen[b.ID]:
			return fmt.Errorf("%s: bag %s stands twice; give every bag an id of its own", s.Name, b.ID)
		case b.Instances.Len() == 0:
			return fmt.Errorf("%s: bag %s is empty; remove it or give it an instance", s.Name, b.ID)
		case b.Instances.Features() != s.NumFeatures():
			return fmt.Errorf("%s: bag %s has %d features, bag %s has %d", s.Name, b.ID, b.Instances.Features(), s.Bags[0].ID, s.NumFeatures())
		case split && b.Split != TrainPart && b.Split != TestPart:
			return fmt.Errorf("%s: bag %s belongs to neither part of the split; say train or test for every bag or for none", s.Name, b.ID)
		}
		if err := ValidateInstances(b.Instances); err != nil {
			return fmt.Errorf("%s: bag %s: %w", s.Name, b.ID, err)
		}
		seen[b.ID] = true
	}
	return nil
}

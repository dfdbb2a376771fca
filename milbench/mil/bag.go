package mil

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// Split names the part of an official split that a bag belongs to.
type Split string

// The parts of an official split. A set without one uses NoSplit.
const (
	NoSplit   Split = ""
	TrainPart Split = "train"
	TestPart  Split = "test"
)

// Bag is a labelled bag of instances.
type Bag struct {
	ID string // unique within the set
	Target
	Group     string // bags of one group (one patient, or copies of one bag) always share a fold; "" for none
	Split     Split  // part of the official split; NoSplit if the set has none
	Instances Instances

	// Coordinates returns the position (x, y) of each instance, as on a slide. It is nil if the file has no
	// positions.
	Coordinates func() ([][2]float64, error)

	Tile float64 // side of the tile that an instance is, in the unit of Coordinates; 0 if unknown
}

// Set is a multiple-instance data set as returned by its reader.
//
// Instance labels have a field of their own, which a [synpool/milbench/learner.Learner] never sees: it gets a [synpool/milbench/cv.Task], which has no such field.
type Set struct {
	Name     string
	Checksum string   // checksum of the content: see [Set.Seal]
	Features []string // column names; nil if the file has none
	Bags     []Bag

	// Centre has a number for each feature that was subtracted before its values were rounded to float32, because float32
	// would lose their digits: dates, coordinates, masses. It is nil if no feature needs one; 0 stands for none.
	Centre []float64

	// Kind is the kind of the targets. Classes has the names of the classes as spelt in the file; of two classes, the
	// positive one comes last. Classes is nil for the labels 0 and 1 or -1 and 1, and for targets without classes.
	Kind    TargetKind
	Classes []string

	// Missing lists the features that have no value in some instances; see [Medians].
	Missing []Missing

	// Words lists the features that mark a word as present (1) or absent (0); see [Preparation].
	Words []int

	// InstanceLabels has one value per instance of each bag, or nil if unknown. Use it for evaluation only.
	InstanceLabels [][]float64

	// Folds is the customary number of folds of a published set; 0 if there is none.
	Folds int

	// Leaked is true if a column that leaks the bag label was deliberately kept as a feature.
	Leaked bool
}

// NumFeatures returns the number of features per instance. It is 0 for a set without bags.
func (s *Set) NumFeatures() int {
	if len(s.Bags) == 0 {
		return 0
	}
	return s.Bags[0].Instances.Features()
}

// Value returns the value of feature j as in the file, given the one in the bags.
func (s *Set) Value(j int, v float32) float64 {
	if j < len(s.Centre) {
		return float64(v) + s.Centre[j]
	}
	return float64(v)
}

// NumClasses returns the number of classes: 2 for a binary target, 0 for a target without classes.
func (s *Set) NumClasses() int {
	switch s.Kind {
	case BinaryTarget:
		return 2
	case ClassTarget:
		return len(s.Classes)
	}
	return 0
}

// ClassName returns the name of a class as spelt in the file, or its number if it has no name.
func (s *Set) ClassName(label int) string {
	if label >= 0 && label < len(s.Classes) {
		return s.Classes[label]
	}
	return strconv.Itoa(label)
}

// NumInstances returns the number of instances in all bags together.
func (s *Set) NumInstances() int {
	n := 0
	for _, b := range s.Bags {
		n += b.Instances.Len()
	}
	return n
}

// NumPositive returns the number of positive bags. The target must be binary.
func (s *Set) NumPositive() int { return s.NumLabelled(1) }

// NumLabelled returns the number of bags in a class.
func (s *Set) NumLabelled(class int) int {
	n := 0
	for _, b := range s.Bags {
		if b.Label == class {
			n++
		}
	}
	return n
}

// Instances returns the instances of each bag and nothing else. This is what a model gets to score.
func (s *Set) Instances() []Instances {
	instances := make([]Instances, len(s.Bags))
	for i, b := range s.Bags {
		instances[i] = b.Instances
	}
	return instances
}

// HasSplit reports whether the set has an official split.
func (s *Set) HasSplit() bool {
	for _, b := range s.Bags {
		if b.Split != NoSplit {
			return true
		}
	}
	return false
}

// Part returns the bags of one part of the official split as a set named after it, or s itself without a split. A group
// with bags in both parts is an error.
func (s *Set) Part(part Split) (*Set, error) {
	if !s.HasSplit() {
		return s, nil
	}
	of := *s
	of.Name += map[Split]string{TrainPart: ", training part", TestPart: ", test part"}[part]
	of.Bags, of.InstanceLabels = nil, nil
	inTest := make([]bool, len(s.Bags))
	for i, b := range s.Bags {
		if inTest[i] = b.Split == TestPart; b.Split != part {
			continue
		}
		b.Split = NoSplit
		of.Bags = append(of.Bags, b)
		if s.InstanceLabels != nil {
			of.InstanceLabels = append(of.InstanceLabels, s.InstanceLabels[i])
		}
	}
	if err := s.Torn(inTest); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	if len(of.Bags) == 0 {
		return nil, fmt.Errorf("%s: no bag in it; change the split or leave it out", of.Name)
	}
	return &of, of.Seal()
}

// Torn returns an error if a group has bags in the test part and outside.
func (s *Set) Torn(inTest []bool) error {
	tested := make(map[string]string) // for each group, one of its bags in the test part
	for i, b := range s.Bags {
		if inTest[i] {
			tested[b.Group] = b.ID
		}
	}
	for i, b := range s.Bags {
		if other, both := tested[b.Group]; both && b.Group != "" && !inTest[i] {
			return fmt.Errorf("bag %s is in the training part and bag %s of the same group (%s) in the test part; put the group into one part", b.ID, other, b.Group)
		}
	}
	return nil
}

// Validate returns an error if no learner can use s. The error names the first problem: no bags, a class without
// bags, a real target that never varies, survival times without an event, a duplicate id, an empty or malformed bag,
// bags of unequal width, or a split that covers only some bags.
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

// CheckCentre returns an error for a centre ([Set.Centre]) of another number of features, or one that is not finite.
func CheckCentre(centre []float64, features int) error {
	if n := len(centre); n > 0 && n != features {
		return fmt.Errorf("a centre of %d numbers for %d features", n, features)
	}
	for j, c := range centre {
		if c-c != 0 {
			return fmt.Errorf("centre %v of feature %d; give a finite one", c, j+1)
		}
	}
	return nil
}

// ValidateBags checks the same as [Set.Validate], but allows classes without bags: a model can score such bags even
// if no learner can train on them.
func (s *Set) ValidateBags() error {
	if len(s.Bags) == 0 {
		return fmt.Errorf("%s: no bags", s.Name)
	}
	if n := len(s.Classes); s.Kind == BinaryTarget && n != 0 && n != 2 || s.Kind == ClassTarget && n < 2 {
		return fmt.Errorf("%s: %d names of classes for a target of kind %v", s.Name, n, s.Kind)
	}
	if err := cmp.Or(CheckPrepared(s.Missing, s.Words, s.NumFeatures()), CheckCentre(s.Centre, s.NumFeatures())); err != nil {
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
		if err := b.Target.Validate(s.Kind, len(s.Classes)); err != nil {
			return fmt.Errorf("%s: bag %s has %w", s.Name, b.ID, err)
		}
		switch {
		case seen[b.ID]:
			return fmt.Errorf("%s: bag %s occurs twice; give every bag an id of its own", s.Name, b.ID)
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

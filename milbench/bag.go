package milbench

import "fmt"

// Split says which part of an official split a bag belongs to.
type Split string

// The parts of an official split; NoSplit where the set has none.
const (
	NoSplit   Split = ""
	TrainPart Split = "train"
	TestPart  Split = "test"
)

// Matrix holds the instances of one bag, one a row, dense or in compressed sparse rows.
//
// Dense (RowStart nil): Values is row-major, Rows*Cols long.
// Sparse: row i holds Values[RowStart[i]:RowStart[i+1]] in the columns Column[RowStart[i]:RowStart[i+1]],
// which ascend within a row; every other entry is zero. RowStart goes from 0 to the length of Values and of Column.
type Matrix struct {
	Rows, Cols int
	Values     []float64
	RowStart   []int
	Column     []int32
}

// Sparse reports whether m is held in compressed sparse rows.
func (m Matrix) Sparse() bool { return m.RowStart != nil }

// Each calls f with the column and value of every stored entry of row i, zeros of a dense row included.
func (m Matrix) Each(i int, f func(column int, value float64)) {
	if m.Sparse() {
		for k := m.RowStart[i]; k < m.RowStart[i+1]; k++ {
			f(int(m.Column[k]), m.Values[k])
		}
		return
	}
	for j, v := range m.Values[i*m.Cols : (i+1)*m.Cols] {
		f(j, v)
	}
}

// Row writes row i densely into dst, which must be Cols long.
func (m Matrix) Row(i int, dst []float64) {
	if !m.Sparse() {
		copy(dst, m.Values[i*m.Cols:(i+1)*m.Cols])
		return
	}
	clear(dst)
	m.Each(i, func(j int, v float64) { dst[j] = v })
}

// Bag is a labelled bag of instances.
type Bag struct {
	ID        string // unique within the set
	Label     int    // 0 or 1
	Group     string // bags of one group (one patient, or one bag standing twice) are never split across folds; "" for none
	Split     Split  // the part of the set's official split, NoSplit where it has none
	Instances Matrix
}

// Set is a multiple-instance data set as its reader returns it.
//
// Instance labels stand in a field of their own: a [Learner] is handed a [Task], which has no room for them.
type Set struct {
	Name     string
	Checksum string   // SHA-256 of the content (labels, groups, splits and values), in hex
	Features []string // column names; nil where the file has none
	Bags     []Bag

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
	return s.Bags[0].Instances.Cols
}

// NumInstances returns the number of instances over all bags.
func (s *Set) NumInstances() int {
	n := 0
	for _, b := range s.Bags {
		n += b.Instances.Rows
	}
	return n
}

// NumPositive returns the number of positive bags.
func (s *Set) NumPositive() int {
	n := 0
	for _, b := range s.Bags {
		n += b.Label
	}
	return n
}

// Instances returns the instances of every bag, without anything else about it: what a model is given to score.
func (s *Set) Instances() []Matrix {
	instances := make([]Matrix, len(s.Bags))
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

// Validate reports the first reason why s cannot be learnt from: no bags, a single class, a duplicate id,
// an empty or malformed bag, bags of unequal width, or a split that covers only some bags.
func (s *Set) Validate() error {
	if err := s.ValidateBags(); err != nil {
		return err
	}
	if n := s.NumPositive(); n == 0 || n == len(s.Bags) {
		return fmt.Errorf("%s: all %d bags have label %d; two classes are needed", s.Name, len(s.Bags), s.Bags[0].Label)
	}
	return nil
}

// ValidateBags reports what [Set.Validate] reports, but for a single class: a model can score such bags, though none
// can be learnt from them.
func (s *Set) ValidateBags() error {
	if len(s.Bags) == 0 {
		return fmt.Errorf("%s: no bags", s.Name)
	}
	if s.NumFeatures() == 0 {
		return fmt.Errorf("%s: bag %s has no features", s.Name, s.Bags[0].ID)
	}
	seen := make(map[string]bool, len(s.Bags))
	split := s.HasSplit()
	for _, b := range s.Bags {
		switch {
		case seen[b.ID]:
			return fmt.Errorf("%s: bag %s stands twice; give every bag an id of its own", s.Name, b.ID)
		case b.Label != 0 && b.Label != 1:
			return fmt.Errorf("%s: bag %s has label %d; bag labels are 0 or 1", s.Name, b.ID, b.Label)
		case b.Instances.Rows == 0:
			return fmt.Errorf("%s: bag %s is empty; remove it or give it an instance", s.Name, b.ID)
		case b.Instances.Cols != s.NumFeatures():
			return fmt.Errorf("%s: bag %s has %d features, bag %s has %d", s.Name, b.ID, b.Instances.Cols, s.Bags[0].ID, s.NumFeatures())
		case split && b.Split != TrainPart && b.Split != TestPart:
			return fmt.Errorf("%s: bag %s belongs to neither part of the split; say train or test for every bag or for none", s.Name, b.ID)
		}
		if err := b.Instances.Validate(); err != nil {
			return fmt.Errorf("%s: bag %s: %w", s.Name, b.ID, err)
		}
		seen[b.ID] = true
	}
	return nil
}

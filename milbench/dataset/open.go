package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"synpool/internal/spelling"
	"synpool/milbench/mil"
)

// Source is a set before its label column is moved.
type Source struct {
	Stored *mil.Set // as stored; package audit inspects this
	Entry  *Entry   // for a named set; nil for a file
}

// Open reads the named set, or a file if no set has that name. Write "./fox" to read a file with the name of a set.
func Open(nameOrFile string) (*Source, error) { return Options{}.Open(nameOrFile) }

// Open is the function [Open] with options. They apply to files only, except [NoSplit]; a named set is read as
// defined in the catalogue.
func (o Options) Open(nameOrFile string) (*Source, error) {
	e, notNamed := Find(nameOrFile)
	if notNamed == nil {
		stored, err := e.stored()
		if err != nil {
			return nil, err
		}
		if o.Split == NoSplit {
			if !stored.HasSplit() && e.TrainBags == 0 {
				return nil, fmt.Errorf("%s has no official split; leave --split %s out", e.Name, NoSplit)
			}
			e.TrainBags = 0
			for i := range stored.Bags {
				stored.Bags[i].Split = mil.NoSplit
			}
			if err := stored.Seal(); err != nil {
				return nil, err
			}
		}
		return &Source{Stored: stored, Entry: &e}, nil
	}
	if _, err := os.Stat(nameOrFile); errors.Is(err, fs.ErrNotExist) {
		if near := nearFile(nameOrFile); near != "" && near != nameOrFile && strings.ContainsAny(nameOrFile, `./\`) { // not a named set
			return nil, fmt.Errorf("no file %q; did you mean %q?", nameOrFile, near)
		}
		return nil, fmt.Errorf("no file and %w", notNamed)
	}
	stored, err := o.ReadFile(nameOrFile)
	if err != nil {
		return nil, err
	}
	if o.Order != nil && !o.Unlabelled {
		if err := setOrder(stored, o.Order); err != nil {
			return nil, err
		}
	}
	return &Source{Stored: stored}, nil
}

// Set returns the set for training. For a named set it moves the column declared in the catalogue, and c must be
// [NoColumn]. For a file it moves column c.
func (s *Source) Set(c Column) (*mil.Set, error) {
	if s.Entry == nil {
		return MoveInstanceLabels(s.Stored, c)
	}
	if c != NoColumn {
		return nil, fmt.Errorf("%s: a named set has its own label column; leave column %v out", s.Entry.Name, c)
	}
	return s.Entry.finish(s.Stored)
}

// Leaked returns the set with a label column as its last feature, as in files that circulate. The column has the
// instance labels or, if there are none, the bag's label. The set is marked as leaked and its name says so. Use it to
// measure the effect of such a column.
func (s *Source) Leaked() (*mil.Set, error) {
	set, err := s.Set(NoColumn)
	if err != nil {
		return nil, err
	}
	leaked := *set
	leaked.Name, leaked.Leaked = set.Name+"+leak", true
	leaked.Bags, leaked.InstanceLabels = slices.Clone(set.Bags), nil
	if set.Centre != nil {
		leaked.Centre = append(slices.Clone(set.Centre), 0)
	}
	if set.Features != nil {
		leaked.Features = append(slices.Clone(set.Features), "label")
	}
	for i := range leaked.Bags {
		b := &leaked.Bags[i]
		labels := slices.Repeat([]float64{float64(b.Label)}, b.Instances.Len())
		if set.InstanceLabels != nil {
			labels = set.InstanceLabels[i]
		}
		b.Instances, err = remade(b.Instances, b.Instances.Features()+1, func(k int, row, wide []float32) {
			copy(wide, row)
			wide[len(row)] = float32(labels[k])
		})
		if err != nil {
			return nil, err
		}
	}
	return &leaked, leaked.Seal()
}

// remade returns instances of another width, dense or sparse like x: fill makes a row from one of x.
func remade(x mil.Instances, width int, fill func(i int, row, made []float32)) (mil.Instances, error) {
	if mil.IsSparse(x) {
		sparse, made := &mil.Sparse{Cols: width, RowStart: []int{0}}, make([]float32, width)
		err := mil.EachRow(x, func(i int, row []float32) {
			fill(i, row, made)
			sparse.Append(made)
		})
		return sparse, err
	}
	dense := &mil.Dense{Rows: x.Len(), Cols: width, Values: make([]float32, x.Len()*width)}
	err := mil.EachRow(x, func(i int, row []float32) { fill(i, row, dense.Values[i*width:(i+1)*width]) })
	return dense, err
}

// Load reads the named set with exactly the documented features, instance labels moved and the official split set.
// Fetch its files first ([ErrNotFetched]). Load verifies them before reading.
func (e Entry) Load() (*mil.Set, error) {
	stored, err := e.stored()
	if err != nil {
		return nil, err
	}
	return e.finish(stored)
}

// stored verifies the files and reads the set as stored.
func (e Entry) stored() (*mil.Set, error) {
	if _, err := e.Verify(); err != nil {
		return nil, err
	}
	paths, err := e.Paths()
	if err != nil && len(e.Files) > 0 {
		return nil, err
	}
	read := e.read
	if read == nil {
		read = func(paths []string) (*mil.Set, error) { return ReadFile(paths[0]) }
	}
	s, err := read(paths)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Name, err)
	}
	s.Name = e.Name
	return s, nil
}

// finish moves the label column and sets the official split.
func (e Entry) finish(stored *mil.Set) (*mil.Set, error) {
	s, err := MoveInstanceLabels(stored, e.InstanceLabels)
	if err != nil {
		return nil, err
	}
	s.Folds = e.Folds
	if e.TrainBags == 0 {
		return s, nil
	}
	for i := range s.Bags {
		s.Bags[i].Split = mil.TestPart
		if i < e.TrainBags {
			s.Bags[i].Split = mil.TrainPart
		}
	}
	return sealed(s, s.Validate)
}

// nearFile returns the file or folder whose name is nearest to one that is not there, beside which it is; "" for none.
func nearFile(name string) string {
	var names []string
	entries, _ := os.ReadDir(filepath.Dir(name)) // a folder that is not there has none
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	if near := spelling.Nearest(filepath.Base(name), names); near != "" {
		return filepath.Join(filepath.Dir(name), near)
	}
	return ""
}

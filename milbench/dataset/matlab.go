package dataset

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"synpool/milbench/mil"
)

// Names of the variables in the Columbia form.
const (
	featuresVariable = "features"
	labelsVariable   = "labels"
	bagIDsVariable   = "bag_ids"
)

// ReadMATLAB reads a set from a MATLAB level 5 file, as written by save -v6 and -v7. The file may be little or big
// endian, compressed or not, and contain logicals and numbers of every class and storage type. Two forms are
// recognised; other variables are skipped.
//
// Cell array: an N x 2 variable. Each row has the instance matrix of a bag (one instance per row, dense or sparse)
// and the bag's label. The bags are named "1" to "N".
//
// Columbia, as in the sets of Andrews et al. 2002: the variable features with one instance per row, and the variables
// labels and bag_ids with one value per instance. Instances with the same bag_id form a bag, and all have the bag's
// label. Bags are in the order of their first instances.
//
// Features are rounded to float32; numbers beyond 3.4e38 are an error. Objects, structs, complex numbers and files of
// versions 4 and 7.3, which have other formats, are errors too.
func ReadMATLAB(r io.Reader, name string) (*mil.Set, error) {
	return Options{}.from(r, name, Options.readMATLAB)
}

func (o Options) readMATLAB(r io.Reader, name string) (*mil.Set, error) {
	f := matFile{unlabelled: o.Unlabelled, rounding: o.rounding}
	if err := f.read(bufio.NewReaderSize(r, 1<<16)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	bags, labels, err := f.bags()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var words []string
	for _, label := range labels {
		words = append(words, strconv.FormatFloat(label, 'g', -1, 64))
	}
	return o.assemble(&mil.Set{Name: name, Bags: bags}, words)
}

// readMATLABHeader reads the 128 bytes before the first element.
func readMATLABHeader(r io.Reader) (binary.ByteOrder, error) {
	var header [128]byte
	n, err := io.ReadFull(r, header[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, err
	}
	text := header[:n]
	var order binary.ByteOrder
	switch string(header[126:]) {
	case "IM":
		order = binary.LittleEndian
	case "MI":
		order = binary.BigEndian
	}
	switch {
	case n == 0:
		return nil, errors.New("the file is empty")
	case bytes.HasPrefix(text, []byte("\x89HDF")), bytes.HasPrefix(text, []byte("MATLAB 7.3")),
		order != nil && order.Uint16(header[124:]) == 0x0200:
		return nil, errors.New("a MATLAB file of version 7.3 (HDF5); save it in MATLAB with save -v7")
	case n < 128 && bytes.HasPrefix(text, []byte("MATLAB 5.0")):
		return nil, readError(io.ErrUnexpectedEOF)
	case order == nil || order.Uint16(header[124:]) != 0x0100:
		return nil, errors.New("not a MATLAB level 5 file (of version 4, perhaps); save it in MATLAB with save -v7")
	}
	return order, nil
}

// matFile is the content found in a MAT-file.
type matFile struct {
	unlabelled bool // ignore labels
	rounding   *rounding

	cells    []mil.Bag // bags of the cell-array form
	labels   []float64
	cellName string

	columbia map[string]triplets
	others   []string // descriptions of the other variables
}

// read reads the whole file.
func (f *matFile) read(r io.Reader) error {
	order, err := readMATLABHeader(r)
	if err != nil {
		return err
	}
	count := new(int64)
	file := matStream{Reader: counter{r, count}, order: order, count: count}
	for {
		e, err := file.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := f.readVariable(e); err != nil {
			return err
		}
		if err := e.close(file); err != nil {
			return err
		}
	}
}

// readVariable reads e, a top-level element of the file, if it belongs to one of the forms.
func (f *matFile) readVariable(e element) error {
	switch e.kind {
	case miMATRIX:
		return f.readTopArray(e)
	case miCOMPRESSED:
		inflated, err := zlib.NewReader(e)
		if err != nil {
			return readError(err)
		}
		// Bytes count when inflated. Bytes of the file count twice, which does no harm.
		s := matStream{Reader: counter{inflated, e.count}, order: e.order, count: e.count}
		variable, err := s.want("compressed variable")
		if err != nil {
			return err
		}
		if variable.kind != miMATRIX {
			return damagedf("compressed data of type %d", variable.kind)
		}
		if err := f.readTopArray(variable); err != nil {
			return err
		}
		if err := variable.close(s); err != nil {
			return err
		}
		n, err := io.Copy(io.Discard, inflated) // up to the checksum
		if err != nil {
			return readError(err)
		}
		if n > 0 {
			return damagedf("%d bytes after a compressed variable", n)
		}
		return nil
	}
	if e.kind == 0 || e.kind > miUTF32 {
		return damagedf("a data element of unknown type %d", e.kind)
	}
	return nil
}

// readTopArray reads the variable in a miMATRIX element.
func (f *matFile) readTopArray(e element) error {
	a, err := e.readHead()
	if err != nil {
		return err
	}
	switch {
	case a.class == mxCELL && len(a.dimensions) == 2 && (a.dimensions[1] == 2 || a.dimensions[1] == 1 && f.unlabelled):
		if f.cellName != "" {
			return fmt.Errorf("two cell arrays of bags, %s and %s; keep one", f.cellName, a.name)
		}
		f.cellName = a.name
		return f.readCells(e, a.dimensions[0])
	case a.numeric() && (a.name == featuresVariable || a.name == bagIDsVariable || a.name == labelsVariable && !f.unlabelled):
		if _, twice := f.columbia[a.name]; twice {
			return fmt.Errorf("the variable %s occurs twice", a.name)
		}
		t, err := e.readMatrix(a)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		if f.columbia == nil {
			f.columbia = make(map[string]triplets)
		}
		f.columbia[a.name] = t
	case a.name != "": // data of objects are in a variable without a name
		if len(f.others) < 10 {
			f.others = append(f.others, fmt.Sprintf("%s (%v)", a.name, a))
		}
	}
	return nil
}

// readCells reads n instance matrices and then n labels from the cells in e.
func (f *matFile) readCells(e element, n int) error {
	instances := 0
	for i := range n {
		id := strconv.Itoa(i + 1)
		t, err := e.readCell()
		if err == nil && (t.rows == 0 || t.cols == 0) {
			err = errors.New("the instance matrix is empty; remove the bag or give it an instance")
		}
		if err == nil {
			instances += t.rows
			err = plausible(instances, *e.count)
		}
		var m *mil.Sparse
		if err == nil {
			m, err = t.byRow(f.rounding)
		}
		if err != nil {
			return fmt.Errorf("bag %s: %w", id, err)
		}
		f.cells = append(f.cells, mil.Bag{ID: id, Instances: m})
	}
	if f.unlabelled {
		return nil
	}
	for i := range n {
		t, err := e.readCell()
		if err != nil {
			return fmt.Errorf("bag %d, label: %w", i+1, err)
		}
		if t.rows != 1 || t.cols != 1 {
			return fmt.Errorf("bag %d has a label of %dx%d; a bag has one label", i+1, t.rows, t.cols)
		}
		label := 0.0
		if len(t.values) > 0 { // zeros are not stored
			label = t.values[0]
		}
		f.labels = append(f.labels, label)
	}
	return nil
}

// readCell reads the matrix in the next cell of e.
func (e element) readCell() (triplets, error) {
	cell, err := e.want("cell")
	if err != nil {
		return triplets{}, err
	}
	if cell.kind != miMATRIX {
		return triplets{}, damagedf("a cell of type %d", cell.kind)
	}
	if cell.size == 0 { // []
		return triplets{}, nil
	}
	a, err := cell.readHead()
	if err != nil {
		return triplets{}, err
	}
	t, err := cell.readMatrix(a)
	if err != nil {
		return t, err
	}
	return t, cell.close(e.matStream)
}

// plausible returns an error if the file has claimed more instances than its bytes can hold. A sparse matrix may
// claim any number of zero rows, and every row costs memory.
func plausible(instances int, bytes int64) error {
	if int64(instances) > 1<<16+bytes {
		return damagedf("%d instances in %d bytes", instances, bytes)
	}
	return nil
}

// bags returns the bags in the form that was found, and their labels as stored.
func (f *matFile) bags() ([]mil.Bag, []float64, error) {
	if f.cellName != "" {
		return f.cells, f.labels, nil
	}
	if len(f.columbia) == 3 || len(f.columbia) == 2 && f.unlabelled {
		return f.columbiaBags()
	}
	for name, t := range f.columbia {
		f.others = append(f.others, fmt.Sprintf("%s (%dx%d)", name, t.rows, t.cols))
	}
	slices.Sort(f.others)
	found := "nothing"
	if len(f.others) > 0 {
		found = strings.Join(f.others, ", ")
	}
	needed := "a cell array of N x 2 with instances and label, or features, labels and bag_ids"
	if f.unlabelled {
		needed = "a cell array of N x 1 with instances, or features and bag_ids"
	}
	return nil, nil, fmt.Errorf("no bags: found %s; save %s", found, needed)
}

// columbiaBags collects the bags of the Columbia form.
func (f *matFile) columbiaBags() ([]mil.Bag, []float64, error) {
	ids, err := f.columbia[bagIDsVariable].vector(-1)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", bagIDsVariable, err)
	}
	var stored []float64
	if !f.unlabelled {
		if stored, err = f.columbia[labelsVariable].vector(len(ids)); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", labelsVariable, err)
		}
	}
	t := f.columbia[featuresVariable]
	if t.rows != len(ids) {
		return nil, nil, fmt.Errorf("%s is %dx%d and %s has %d values; store one instance per row", featuresVariable, t.rows, t.cols, bagIDsVariable, len(ids))
	}
	if t.cols == 0 {
		return nil, nil, fmt.Errorf("%s has no columns", featuresVariable)
	}
	m, err := t.byRow(f.rounding)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", featuresVariable, err)
	}

	index := make(map[float64]int)
	var bags []mil.Bag
	var labels []float64
	for row, id := range ids {
		i, ok := index[id]
		if !ok {
			i = len(bags)
			index[id] = i
			if !f.unlabelled {
				labels = append(labels, stored[row])
			}
			bags = append(bags, mil.Bag{
				ID:        strconv.FormatFloat(id, 'f', -1, 64),
				Instances: &mil.Sparse{Cols: m.Cols, RowStart: []int{0}},
			})
		}
		if !f.unlabelled && labels[i] != stored[row] {
			return nil, nil, fmt.Errorf("bag %s has label %v in instance %d and %v before; a bag has one label", bags[i].ID, stored[row], row+1, labels[i])
		}
		bag := bags[i].Instances.(*mil.Sparse)
		bag.Column = append(bag.Column, m.Column[m.RowStart[row]:m.RowStart[row+1]]...)
		bag.Values = append(bag.Values, m.Values[m.RowStart[row]:m.RowStart[row+1]]...)
		bag.EndRow()
	}
	return bags, labels, nil
}

package dataset

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"synpool/internal/hdf5"
	"synpool/milbench"
)

// The usual names for the array of a bag and for the positions of its instances.
const (
	featuresName    = "features"
	coordinatesName = "coords"
)

// hdf5Array is an array [instances, features] in an HDF5 file. It is read in pieces.
type hdf5Array struct {
	path, inside string // path of the file, and path in the file
	rows, cols   int
	located      bool // there are coordinates next to the features
}

var _ milbench.Instances = (*hdf5Array)(nil)

// openHDF5 opens the file of one bag: its dataset features, or its only two-dimensional one.
func openHDF5(path string) (milbench.Instances, error) {
	f, file, err := openHDF5File(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	inside, err := featuresIn(file, "")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	a := &hdf5Array{path: path, inside: inside}
	return a, a.measure(file)
}

// openRegular opens a regular file. It rejects others: opening a pipe, for example, would wait for a writer.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file; move it away", path)
	}
	return os.Open(path)
}

// openHDF5File opens a file and reads its beginning. The caller closes the first result.
func openHDF5File(path string) (*os.File, *hdf5.File, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	file, err := hdf5.Open(f, info.Size())
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, hdf5Error(err))
	}
	return f, file, nil
}

// hdf5Error adds advice to an error about a damaged file.
func hdf5Error(err error) error {
	if errors.Is(err, hdf5.ErrDamaged) {
		return fmt.Errorf("%w; fetch it again or save it again", err)
	}
	return err
}

// featuresIn returns the path of a group's dataset features, or of its only two-dimensional array.
func featuresIn(file *hdf5.File, group string) (string, error) {
	names, err := file.Names(group)
	if err != nil {
		return "", hdf5Error(err)
	}
	var arrays []string
	for _, name := range names {
		if name == featuresName {
			return group + "/" + name, nil
		}
		if a, err := file.Array(group + "/" + name); err == nil && len(a.Shape) >= 2 {
			arrays = append(arrays, name)
		}
	}
	switch len(arrays) {
	case 0:
		return "", fmt.Errorf("no dataset %s in %s; there are %s", featuresName, few([]string{group + "/"}), orNothing(names))
	case 1:
		return group + "/" + arrays[0], nil
	}
	return "", fmt.Errorf("no dataset %s in %s, and several others: %s; call one %[1]s", featuresName, few([]string{group + "/"}), few(arrays))
}

// orNothing lists names, or says that there are none.
func orNothing(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return few(names)
}

// measure sets the size of the array. It returns an error if the array cannot hold instances.
func (a *hdf5Array) measure(file *hdf5.File) error {
	array, err := file.Array(a.inside)
	if err != nil {
		return fmt.Errorf("%s: dataset %w", a.path, hdf5Error(err))
	}
	shape := array.Shape
	for len(shape) > 2 && shape[0] == 1 {
		shape = shape[1:]
	}
	switch {
	case len(shape) != 2:
		return fmt.Errorf("%s: dataset %s of shape %v; [instances, features] or [1, instances, features] is needed", a.path, few([]string{a.inside}), array.Shape)
	case shape[0] == 0 || shape[1] == 0:
		return fmt.Errorf("%s: dataset %s of %d instances with %d features; remove the bag or give it instances", a.path, few([]string{a.inside}), shape[0], shape[1])
	}
	a.rows, a.cols = int(shape[0]), int(shape[1])
	if path.Base(a.inside) == featuresName {
		a.located, _ = file.IsArray(a.beside())
	}
	return nil
}

// beside returns the path of the coordinates.
func (a *hdf5Array) beside() string { return path.Join(path.Dir(a.inside), coordinatesName) }

// coordinates returns a function that reads the positions of the instances, or nil if the file has none.
func (a *hdf5Array) coordinates() func() ([][2]float64, error) {
	if !a.located {
		return nil
	}
	return func() ([][2]float64, error) {
		at := &hdf5Array{path: a.path, inside: a.beside()}
		f, file, err := openHDF5File(a.path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if err := at.measure(file); err != nil {
			return nil, err
		}
		if at.rows != a.rows || at.cols != 2 {
			return nil, fmt.Errorf("%s: dataset %s of %d rows and %d columns; two columns, x and y, are needed for each of %d instances",
				a.path, few([]string{at.inside}), at.rows, at.cols, a.rows)
		}
		values := make([]float32, 2*at.rows) // exact up to 16 million pixels
		if err := at.Read(0, at.rows, values); err != nil {
			return nil, err
		}
		all := make([][2]float64, at.rows)
		for i := range all {
			all[i] = [2]float64{float64(values[2*i]), float64(values[2*i+1])}
		}
		return all, nil
	}
}

// Len implements [milbench.Instances].
func (a *hdf5Array) Len() int { return a.rows }

// Features implements [milbench.Instances].
func (a *hdf5Array) Features() int { return a.cols }

// Read implements [milbench.Instances]. It opens the file only during the call, because a set may have more bags than
// a process may have open files.
func (a *hdf5Array) Read(i, j int, dst []float32) error {
	f, file, err := openHDF5File(a.path)
	if err != nil {
		return err
	}
	defer f.Close()
	array, err := file.Array(a.inside)
	if err != nil {
		return fmt.Errorf("%s: dataset %w", a.path, hdf5Error(err))
	}
	rank := len(array.Shape)
	if rank < 2 || array.Shape[rank-2] != int64(a.rows) || array.Shape[rank-1] != int64(a.cols) {
		return fmt.Errorf("%s: dataset %s has another shape than before; start again", a.path, few([]string{a.inside}))
	}
	start, count := make([]int64, rank), make([]int64, rank)
	for k := range rank - 2 {
		count[k] = 1
	}
	start[rank-2], count[rank-2], count[rank-1] = int64(i), int64(j-i), int64(a.cols)
	b, err := array.Read(start, count)
	if err != nil {
		return fmt.Errorf("%s: dataset %s: %w", a.path, few([]string{a.inside}), hdf5Error(err))
	}
	numbers := numpyTypes[fmt.Sprintf("%.1s%d", array.Type.Kind, array.Type.Size)]
	if k, err := numbers.float32s(array.Type.Order, b, dst[:(j-i)*a.cols]); err != nil {
		return fmt.Errorf("%s: dataset %s: row %d, column %d (from 0): %w", a.path, few([]string{a.inside}), i+k/a.cols, k%a.cols, err)
	}
	return nil
}

// readHDF5 reads a file that holds a set: every group with a dataset features, or every dataset, is a bag. An option
// names the table of bags.
func (o Options) readHDF5(path string) (*milbench.Set, error) {
	f, file, err := openHDF5File(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := file.Names("")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, hdf5Error(err))
	}
	if len(names) > 0 && o.Labels == "" && !o.Unlabelled {
		if a, err := file.Array(featuresName); err == nil && len(a.Shape) >= 2 {
			return nil, fmt.Errorf("%s: only one bag; give the folder of bags with its %s", path, listName)
		}
		return nil, fmt.Errorf("%s: no labels; name the table of its bags with --labels", path)
	}
	files := bagFiles{where: path, of: make(map[string]bagFile)}
	for _, name := range names {
		inside := "/" + name
		is, err := file.IsArray(inside)
		if err == nil && !is {
			inside, err = featuresIn(file, inside)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, hdf5Error(err))
		}
		err = files.add(name, bagFile{path: path + ":" + strings.TrimPrefix(inside, "/"), open: func() (milbench.Instances, error) {
			g, file, err := openHDF5File(path)
			if err != nil {
				return nil, err
			}
			defer g.Close()
			a := &hdf5Array{path: path, inside: inside}
			return a, a.measure(file)
		}})
		if err != nil {
			return nil, err
		}
	}
	table := o.Labels
	if table == "" {
		table = filepath.Join(filepath.Dir(path), listName)
	}
	return o.readBags(files, table)
}

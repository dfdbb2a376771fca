package dataset

import (
	"fmt"
	"maps"
	"os"
	slashpath "path"
	"path/filepath"
	"slices"
	"strings"

	"synpool/internal/hdf5"
	"synpool/milbench/mil"
)

// featuresName is the usual name for the array of a bag.
const featuresName = "features"

// hdf5Array is an array [instances, features] in an HDF5 file. It is read in pieces.
type hdf5Array struct {
	path, inside string // path of the file, and path in the file
	rows, cols   int
	rounding     *rounding
}

var _ mil.Instances = (*hdf5Array)(nil)

// hdf5Form is the form of a file whose bag is in a group; "" stands for the file.
func hdf5Form(extension, group string) bagForm {
	return bagForm{extension, func(f *os.File, size int64, choose chooser) (content, error) {
		file, err := hdf5.Open(f, size)
		if err != nil {
			return content{}, advised(err)
		}
		return readGroup(file, f.Name(), group, choose)
	}}
}

// readGroup reads the bag in a group of the file at path.
func readGroup(file *hdf5.File, path, group string, choose chooser) (c content, err error) {
	arrays, err := candidatesIn(file, group, "", 0, nil)
	if err != nil {
		return c, advised(err)
	}
	if c, err = gather(arrays, choose, func(k int) (mil.Instances, error) {
		a := &hdf5Array{path: path, inside: strings.TrimSuffix(group+"/"+arrays[k].name, "/")}
		return a, a.measure(file)
	}); err != nil {
		return c, err
	}
	var about []string
	for _, x := range []mil.Instances{c.places, c.features} {
		if a, there := x.(*hdf5Array); there {
			about = append(about, a.inside)
		}
	}
	var attributes []attribute
	for i := 0; i < len(about); i++ { // then of the groups around
		all, err := file.Attributes(about[i])
		if err != nil {
			return c, advised(err)
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			var first [1]float32
			a, one := all[name], make([]int64, len(all[name].Shape))
			for k := range one {
				one[k] = 1
			}
			if b, err := a.Read(make([]int64, len(one)), one); err == nil && len(b) > 0 {
				if _, err := hdf5Numbers(a).float32s(a.Type.Order, b, first[:], nil, 0, 1); err == nil {
					attributes = append(attributes, attribute{name, float64(first[0])})
				}
			}
		}
		if up := slashpath.Dir(about[i]); up != about[i] && !slices.Contains(about, up) {
			about = append(about, up)
		}
	}
	c.setTile(attributes)
	return c, nil
}

// hdf5Numbers returns how the numbers of an array are decoded.
func hdf5Numbers(a *hdf5.Array) decoder {
	return numpyTypes[fmt.Sprintf("%.1s%d", a.Type.Kind, a.Type.Size)]
}

// Limits of the search for arrays in a file.
const (
	mostDepth  = 6
	mostArrays = 1000
)

// candidatesIn adds the arrays of two dimensions in a group, and those of labels of instances. The name of the group itself is below.
func candidatesIn(file *hdf5.File, group, below string, depth int, list []candidate) ([]candidate, error) {
	inside := group + "/" + below
	is, err := file.IsArray(inside)
	switch {
	case err != nil && depth == 0:
		return nil, err
	case err != nil || depth > mostDepth || len(list) > mostArrays: // such as a link to another file
		return list, nil
	case is:
		a, err := file.Array(inside)
		if err != nil {
			a = &hdf5.Array{}
		}
		c := candidate{name: below, float: a.Type.Kind == hdf5.Float}
		shape := tableShape(a.Shape, below)
		if len(shape) == 2 {
			c.rows, c.cols = shape[0], shape[1]
		}
		if len(shape) == 2 || slashpath.Base(below) == featuresName || below == "" || isInstanceLabels(below) {
			list = append(list, c)
		}
		return list, nil
	}
	names, err := file.Names(inside)
	if err != nil && depth == 0 {
		return nil, err
	}
	for _, name := range names {
		list, _ = candidatesIn(file, group, slashpath.Join(below, name), depth+1, list)
	}
	return list, nil
}

// squeezed returns a shape without leading dimensions of 1, of more than two.
func squeezed(shape []int64) []int64 {
	for len(shape) > 2 && shape[0] == 1 {
		shape = shape[1:]
	}
	return shape
}

// openHDF5File opens a file and reads its beginning. The caller closes the first result.
func openHDF5File(path string) (*os.File, *hdf5.File, error) {
	f, size, err := openSized(path)
	if err != nil {
		return nil, nil, err
	}
	file, err := hdf5.Open(f, size)
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, advised(err))
	}
	return f, file, nil
}

// measure sets the size of the array. It returns an error if the array cannot hold instances.
func (a *hdf5Array) measure(file *hdf5.File) error {
	array, err := file.Array(a.inside)
	if err != nil {
		return fmt.Errorf("dataset %w", advised(err))
	}
	shape := tableShape(array.Shape, a.inside)
	switch {
	case len(shape) != 2:
		return fmt.Errorf("dataset %s of shape %v; [instances, features] or [1, instances, features] is needed", few([]string{a.inside}), array.Shape)
	case shape[0] == 0 || shape[1] == 0:
		return fmt.Errorf("dataset %s of %d instances with %d features; remove the bag or give it instances", few([]string{a.inside}), shape[0], shape[1])
	}
	a.rows, a.cols = int(shape[0]), int(shape[1])
	return nil
}

// Len implements [mil.Instances].
func (a *hdf5Array) Len() int { return a.rows }

// Features implements [mil.Instances].
func (a *hdf5Array) Features() int { return a.cols }

// Read implements [mil.Instances]. It opens the file only during the call, because a set may have more bags than
// a process may have open files.
func (a *hdf5Array) Read(i, j int, dst []float32) error {
	f, file, err := openHDF5File(a.path)
	if err != nil {
		return err
	}
	defer f.Close()
	array, err := file.Array(a.inside)
	if err != nil {
		return fmt.Errorf("%s: dataset %w", a.path, advised(err))
	}
	if shape := tableShape(array.Shape, a.inside); !slices.Equal(shape, []int64{int64(a.rows), int64(a.cols)}) {
		return fmt.Errorf("%s: dataset %s has another shape than before; start again", a.path, few([]string{a.inside}))
	}
	rank := len(array.Shape)
	start, count := make([]int64, rank), slices.Repeat([]int64{1}, rank)
	rows := rank - 2
	if isInstanceLabels(a.inside) {
		rows = max(slices.Index(array.Shape, int64(a.rows)), 0)
	} else {
		count[rank-1] = int64(a.cols)
	}
	start[rows], count[rows] = int64(i), int64(j-i)
	b, err := array.Read(start, count)
	if err != nil {
		return fmt.Errorf("%s: dataset %s: %w", a.path, few([]string{a.inside}), advised(err))
	}
	if k, err := hdf5Numbers(array).float32s(array.Type.Order, b, dst[:(j-i)*a.cols], a.rounding, 0, a.cols); err != nil {
		return fmt.Errorf("%s: dataset %s: row %d, column %d (from 0): %w", a.path, few([]string{a.inside}), i+k/a.cols, k%a.cols, err)
	}
	return nil
}

// readHDF5 reads a file that holds a set: every group with features, or every dataset, is a bag. An option
// names the table of bags.
func (o Options) readHDF5(path string) (*mil.Set, error) {
	f, file, err := openHDF5File(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := file.Names("")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, advised(err))
	}
	one := slices.ContainsFunc(names, func(name string) bool { // bag
		is, _ := file.IsArray("/" + name)
		return is && (name == featuresName || isCoordinates(name))
	})
	switch {
	case one && !o.Unlabelled:
		return nil, fmt.Errorf("%s: only one bag; give the folder of bags with its %s", path, listName)
	case len(names) > 0 && o.Labels == "" && !o.Unlabelled:
		return nil, fmt.Errorf("%s: no labels; name the table of its bags with --labels", path)
	}
	files := bagFiles{where: path, of: make(map[string]bagFile)}
	if one {
		names = nil
		id := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		files.add(id, hdf5Form("", "").file(path, path))
	}
	for _, name := range names {
		if err := files.add(name, hdf5Form("", "/"+name).file(path, path+":"+name)); err != nil {
			return nil, err
		}
	}
	table := o.Labels
	if table == "" {
		table = filepath.Join(filepath.Dir(path), listName)
	}
	return o.readBags(files, table)
}

package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"synpool/milbench"
)

// mostHeld is the number of values up to which a folder of arrays is read into memory, 256 MB. Tests make it smaller.
var mostHeld int64 = 1 << 26

// instances returns the array in memory, or as what reads it from its file.
func (a *numpyArray) instances(held bool) (milbench.Instances, error) {
	if held {
		return milbench.ToDense(a)
	}
	if a.mappable() {
		return mapped(a)
	}
	return a, nil
}

// A folder of NumPy arrays.
const (
	listName       = "labels.csv"
	arrayExtension = ".npy"
)

// ReadNumPy reads a folder of NumPy arrays, one a bag.
//
// Its file labels.csv has a line a bag, under a header with the columns bag and label; group and split may stand there,
// as in [ReadCSV]; other columns are not used. The instances of bag b are in b.npy, as numpy.save writes them: an array
// [instances, features] of float16, float32, float64 or integers of 8 to 64 bits, in either byte order, in C or Fortran
// order. Values become float32, rounded to the nearest. Arrays of more than 256 MB together stay in their files. All bags have as many features, which
// have no names. Bags stand in the order of labels.csv; a bag without its file is an error, and so is an array that
// labels.csv does not list. Other files are not looked at.
func ReadNumPy(folder string) (*milbench.Set, error) { return readNumPy(folder, Options{}) }

// readNumPy reads a folder. An unlabelled one may lack labels.csv: all of its arrays are bags then, in the order of their
// names.
func readNumPy(folder string, o Options) (*milbench.Set, error) {
	full, err := filepath.Abs(folder) // of ".", too, the name
	if err != nil {
		return nil, err
	}
	arrays, err := arraysIn(folder)
	if err != nil {
		return nil, err
	}
	t, err := listBags(filepath.Join(folder, listName), o)
	switch {
	case err == nil:
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case !o.Unlabelled || len(arrays) == 0:
		return nil, fmt.Errorf("%s: a folder without %s; give a file, or a folder of %s arrays, one a bag, with a %[2]s of the columns bag and label", folder, listName, arrayExtension)
	default:
		for _, id := range arrays {
			if !plain(id) {
				return nil, fmt.Errorf("%s: file %q; name it without line breaks and other control characters", folder, id+arrayExtension)
			}
			if _, err := t.of(id, "", "", milbench.NoSplit); err != nil {
				return nil, fmt.Errorf("%s: file %s: %w", folder, id+arrayExtension, err)
			}
		}
	}
	for _, id := range arrays {
		if _, listed := t.index[id]; !listed {
			return nil, fmt.Errorf("%s: bag %s is not in %s; add a line for it or move the file away", filepath.Join(folder, id+arrayExtension), id, listName)
		}
	}
	found, values := make([]*numpyArray, len(t.bags)), int64(0)
	for i, b := range t.bags {
		path := filepath.Join(folder, b.ID+arrayExtension)
		if found[i], err = openArray(path); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: bag %s is in %s, but this file is missing; add it or remove the line", path, b.ID, listName)
		} else if err != nil {
			return nil, err
		}
		if n := found[i].columns; n != found[0].columns {
			return nil, fmt.Errorf("%s: %d features, and bag %s has %d; give all bags the same features", path, n, t.bags[0].ID, found[0].columns)
		}
		values += found[i].rows * found[i].columns
	}
	for i := range t.bags {
		if t.bags[i].Instances, err = found[i].instances(values <= mostHeld); err != nil {
			return nil, err
		}
	}
	s, err := assemble(folder, t.bags, t.words, nil, nil)
	if err != nil {
		return nil, err
	}
	s.Name = filepath.Base(full)
	return s, nil
}

// arraysIn returns the bags that have arrays in a folder, by name.
func arraysIn(folder string) (ids []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if id, is := strings.CutSuffix(e.Name(), arrayExtension); is {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// listBags reads labels.csv and returns its bags, which have no instances yet.
func listBags(path string, o Options) (textBags, error) {
	t := textBags{unlabelled: o.Unlabelled}
	f, err := os.Open(path)
	if err != nil {
		return t, err
	}
	defer f.Close()
	in, err := separated(f)
	if err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	var columns *layout
	err = eachRecord(in, path, func(_ int, record []string) error {
		if columns == nil {
			var err error
			if columns, err = listLayout(record, o); err != nil {
				return err
			}
			columns.tell(path, o)
			if n := len(columns.features); n > 0 && !o.Unlabelled {
				var beside []string
				for _, i := range columns.features {
					beside = append(beside, columns.header[i])
				}
				o.note("%s: not used: %s", path, few(beside))
			}
			return nil
		}
		before := len(t.bags)
		i, err := columns.bagOf(&t, record)
		if err != nil {
			return err
		}
		id := t.bags[i].ID
		if i < before {
			return fmt.Errorf("bag %s stands twice; give every bag one line", id)
		}
		if name := id + arrayExtension; !filepath.IsLocal(name) || filepath.Base(name) != name {
			return fmt.Errorf("bag id %q; it names the file of the bag, so write it without slashes", id)
		}
		return nil
	})
	return t, err
}

// listLayout reads the header of labels.csv.
func listLayout(record []string, o Options) (*layout, error) {
	columns, err := readHeader(record, o)
	switch {
	case err != nil:
		return nil, err
	case columns == nil && o.Unlabelled:
		return nil, errors.New("no header with the column bag; write one")
	case columns == nil:
		return nil, errors.New("no header with the columns bag and label; write one")
	case len(o.Categorical) > 0:
		return nil, fmt.Errorf("--categorical %s is for CSV files of instances; a line is a bag here", o.Categorical[0])
	case columns.instanceLabel >= 0:
		return nil, fmt.Errorf("column %s; a line is a bag here, so leave it out", instanceLabelColumn)
	}
	return columns, nil
}

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

// mostHeld is the number of values up to which the bags of a folder are read into memory: 256 MB. Tests make it
// smaller.
var mostHeld int64 = 1 << 26

// listName is the usual file name for the table of bags in a folder.
const listName = "labels.csv"

// bagForms lists the forms of files with one bag, by file name extension.
var bagForms = []struct {
	extension string
	open      func(path string) (milbench.Instances, error)
}{
	{".npy", func(path string) (milbench.Instances, error) { return nilOr(openArray(path)) }},
	{".h5", openHDF5},
	{".hdf5", openHDF5},
	{".npz", openNPZ},
	{".pt", openTorch},
	{".pth", openTorch},
}

// nilOr returns a nil interface for a nil pointer.
func nilOr(a *numpyArray, err error) (milbench.Instances, error) {
	if err != nil {
		return nil, err
	}
	return a, nil
}

// bagExtensions lists the extensions of files with one bag.
func bagExtensions() string {
	var list []string
	for _, f := range bagForms {
		list = append(list, f.extension)
	}
	return strings.Join(list, ", ")
}

// bagFile is the location of a bag's instances.
type bagFile struct {
	path string // path of the file, and the position in it
	open func() (milbench.Instances, error)
}

// bagFiles has the bags of a folder or an HDF5 file.
type bagFiles struct {
	where string
	ids   []string // in order
	of    map[string]bagFile
}

// add adds a bag.
func (b *bagFiles) add(id string, f bagFile) error {
	if other, there := b.of[id]; there {
		return fmt.Errorf("%s: bag %s is in this file and in %s; move one away", f.path, id, other.path)
	}
	b.ids, b.of[id] = append(b.ids, id), f
	return nil
}

// ReadFolder reads a folder with one file per bag and a table of the bags.
//
// The instances of bag b are in b.npy, b.npz, b.h5, b.hdf5, b.pt or b.pth. Each file holds an array [instances,
// features] of float16, float32, float64 or integers of 8 to 64 bits, in either byte order:
//
//   - .npy as written by numpy.save, in C or Fortran order.
//   - .npz as written by numpy.savez, with an array called features or only one array. Files from
//     numpy.savez_compressed work if the set fits into memory.
//   - .h5 and .hdf5 as written by CLAM and TRIDENT: a dataset features, or the only dataset, also of shape [1,
//     instances, features], chunked or not, with gzip or LZF. A dataset coords next to it, [instances, 2], has the
//     positions of the instances.
//   - .pt and .pth as written by torch.save since PyTorch 1.6: a tensor, or a dictionary with a tensor features or
//     only one tensor. Nothing in the file is run.
//
// Values are rounded to float32. If all bags together exceed 256 MB, they stay in their files. All bags must have the
// same number of features. The features have no names.
//
// The table is labels.csv, or the only CSV or TSV file in the folder. It has a header and one line per bag, with the
// columns bag and label and optionally group and split, as in [ReadCSV]; other columns are ignored. The bags are in
// the order of the table. A bag without a file is an error, and so is a bag file that is not listed. Other files are
// ignored.
func ReadFolder(folder string) (*milbench.Set, error) { return Options{}.readFolder(folder) }

// readFolder reads a folder.
func (o Options) readFolder(folder string) (*milbench.Set, error) {
	full, err := filepath.Abs(folder) // so that "." has a name, too
	if err != nil {
		return nil, err
	}
	files, tables, err := bagsIn(folder)
	if err != nil {
		return nil, err
	}
	if len(files.ids) == 0 {
		if below := folderOfBags(folder); below != "" {
			where := ""
			if o.Labels == "" && len(tables) == 1 {
				where = " --labels " + filepath.Join(folder, tables[0])
			}
			return nil, fmt.Errorf("%s: the bags are in a folder of it; give %s%s", folder, below, where)
		}
		return nil, fmt.Errorf("%s: a folder without bags; give a file, or a folder with one file per bag (%s) with %s, a table of the columns bag and label", folder, bagExtensions(), listName)
	}
	table := filepath.Join(folder, listName)
	switch {
	case o.Labels != "":
		table = o.Labels
	case len(tables) == 1:
		table = filepath.Join(folder, tables[0])
		if tables[0] != listName {
			o.note("%s: the table of bags is %s", folder, tables[0])
		}
	}
	s, err := o.readBags(files, table)
	if err != nil {
		return nil, err
	}
	s.Name = filepath.Base(full)
	return s, nil
}

// folderOfBags returns a subfolder that contains bags, or "" if there is none.
func folderOfBags(folder string) string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		below := filepath.Join(folder, e.Name())
		if files, _, err := bagsIn(below); err == nil && len(files.ids) > 0 {
			return below
		}
	}
	return ""
}

// bagsIn returns the bags and tables in a folder.
func bagsIn(folder string) (files bagFiles, tables []string, err error) {
	files = bagFiles{where: folder, of: make(map[string]bagFile)}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return files, nil, err
	}
	for _, e := range entries {
		name := e.Name()
		if extension := strings.ToLower(filepath.Ext(name)); (extension == ".csv" || extension == ".tsv") && !e.IsDir() {
			tables = append(tables, name)
		}
		for _, form := range bagForms {
			if id, is := strings.CutSuffix(name, form.extension); is {
				path := filepath.Join(folder, name)
				f := bagFile{path: path, open: func() (milbench.Instances, error) { return form.open(path) }}
				if err := files.add(id, f); err != nil {
					return files, nil, err
				}
			}
		}
	}
	return files, tables, nil
}

// readBags reads the table of bags and opens them. Without labels the table may be missing; then all files are bags,
// sorted by name.
func (o Options) readBags(files bagFiles, table string) (*milbench.Set, error) {
	t, err := listBags(table, o)
	switch {
	case err == nil:
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case o.Labels != "":
		return nil, fmt.Errorf("--labels: %w", err)
	case !o.Unlabelled:
		return nil, fmt.Errorf("%s: no table of its bags; name one with --labels, or write %s with the columns bag and label", files.where, listName)
	default:
		for _, id := range files.ids {
			if !plain(id) {
				return nil, fmt.Errorf("%s: bag %q; name it without line breaks and other control characters", files.where, id)
			}
			if _, err := t.of(id, "", "", milbench.NoSplit); err != nil {
				return nil, fmt.Errorf("%s: %w", files.of[id].path, err)
			}
		}
	}
	for _, id := range files.ids {
		if _, listed := t.index[id]; !listed {
			return nil, fmt.Errorf("%s: bag %s is not in %s; add a line for it or move the file away", files.of[id].path, id, filepath.Base(table))
		}
	}
	values := int64(0)
	for i, b := range t.bags {
		f, there := files.of[b.ID]
		if !there {
			return nil, fmt.Errorf("%s: bag %s is in %s, but there is no file of it (%s); add it or remove the line", files.where, b.ID, filepath.Base(table), bagExtensions())
		}
		x, err := f.open()
		if err != nil {
			return nil, err
		}
		if first := t.bags[0].Instances; i > 0 && x.Features() != first.Features() {
			return nil, fmt.Errorf("%s: %d features, and bag %s has %d; give all bags the same features", f.path, x.Features(), t.bags[0].ID, first.Features())
		}
		t.bags[i].Instances = x
		if a, is := x.(*hdf5Array); is {
			t.bags[i].Coordinates = a.coordinates()
		}
		if values += int64(x.Len()) * int64(x.Features()); values > mostHeld {
			for k, other := range t.bags[:i+1] {
				if _, held := other.Instances.(*milbench.Dense); held {
					return nil, fmt.Errorf("%s: compressed, and the set is too large for memory; write its bags with numpy.savez or numpy.save, which can be read in pieces", files.of[t.bags[k].ID].path)
				}
			}
		}
	}
	for i, b := range t.bags {
		if t.bags[i].Instances, err = kept(b.Instances, values <= mostHeld); err != nil {
			return nil, err
		}
	}
	return assemble(&milbench.Set{Name: files.where, Bags: t.bags}, t.words)
}

// kept returns instances in memory if held is set, or else instances that read from their file.
func kept(x milbench.Instances, held bool) (milbench.Instances, error) {
	if held {
		return milbench.ToDense(x)
	}
	if a, is := x.(*numpyArray); is && a.mappable() {
		return mapped(a)
	}
	return x, nil
}

// listBags reads labels.csv and returns its bags, still without instances.
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
			return fmt.Errorf("bag %s occurs twice; give every bag one line", id)
		}
		if !filepath.IsLocal(id) || filepath.Base(id) != id {
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

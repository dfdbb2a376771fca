package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"synpool/internal/disk"
	"synpool/milbench"
)

// mostHeld is the number of values up to which the bags of a folder are read into memory: 256 MB. Tests make it
// smaller.
var mostHeld int64 = 1 << 26

// listName is the usual file name for the table of bags in a folder.
const listName = "labels.csv"

// bagForms lists the forms of files with one bag, by file name extension. A file may hold several arrays; choose picks one.
var bagForms = []struct {
	extension string
	open      func(path string, choose chooser) (content, error)
}{
	{".npy", func(path string, choose chooser) (content, error) {
		a, err := openArray(path)
		if err != nil {
			return content{}, err
		}
		if _, err := choose([]candidate{{rows: a.rows, cols: a.columns}}); err != nil {
			return content{}, fmt.Errorf("%s: %w", path, err)
		}
		return content{features: a}, nil
	}},
	{".h5", openHDF5},
	{".hdf5", openHDF5},
	{".npz", openNPZ},
	{".pt", openTorch},
	{".pth", openTorch},
}

// content is what a file holds of a bag.
type content struct {
	features milbench.Instances
	name     string             // of the array of the features; "" if it has none
	places   milbench.Instances // two columns, x and y; nil if the file has none
	tile     float64            // side of a tile, 0 if the file does not say
	said     string             // what says so
}

// candidate is an array of numbers that may be the features of a bag.
type candidate struct {
	name       string // with the groups that it is in
	rows, cols int64  // 0 if unknown
	float      bool
}

// chooser returns the number of the array to read.
type chooser func([]candidate) (int, error)

// coordinatesName matches the names of arrays that say where instances are.
var coordinatesName = regexp.MustCompile(`coord|position|location|centroid|(^|_)(xys?|pos|locs?|places?|bbox(es)?|box(es)?)$`)

func isCoordinates(name string) bool { return coordinatesName.MatchString(plainName(path.Base(name))) }

// features chooses the array that is named by the option Array, or called features, or is the only one besides coordinates.
func (o Options) features(arrays []candidate) (int, error) {
	pick := func(is func(c candidate) bool) (at []int) {
		for i, c := range arrays {
			if is(c) {
				at = append(at, i)
			}
		}
		return at
	}
	switch nameless := len(arrays) == 1 && arrays[0].name == ""; {
	case nameless && o.Array != "":
		return 0, fmt.Errorf("one array without a name; leave --features %s out", o.Array)
	case nameless:
		return 0, nil
	}
	var names []string
	for _, i := range pick(func(c candidate) bool { return !isCoordinates(c.name) }) {
		names = append(names, arrays[i].name)
	}
	others := func(c candidate) bool {
		return slices.Contains(names, c.name) && c.cols != 1 && (c.float || c.cols > 2)
	}
	rules := []func(c candidate) bool{
		func(c candidate) bool { return c.name == featuresName },
		func(c candidate) bool { return path.Base(c.name) == featuresName },
		func(c candidate) bool { return others(c) && c.float },
		others,
		func(c candidate) bool {
			return slices.Contains(names, c.name) && len(arrays) == 1 && (c.float || c.cols != 2)
		},
	}
	if o.Array != "" {
		rules = []func(c candidate) bool{func(c candidate) bool { return c.name == strings.Trim(o.Array, "/") }, func(c candidate) bool { return path.Base(c.name) == o.Array }}
	}
	for _, is := range rules {
		switch at := pick(is); {
		case len(at) == 1:
			return at[0], nil
		case len(at) > 1:
			names = nil
			for _, i := range at {
				names = append(names, arrays[i].name)
			}
			return 0, fmt.Errorf("several arrays may be the features: %s; name one with --features", few(names))
		}
	}
	switch {
	case o.Array != "" && len(names) > 0:
		return 0, fmt.Errorf("--features %s: no such array; there are %s", o.Array, few(names))
	case len(names) > 0:
		return 0, fmt.Errorf("no array called %s of two dimensions; there are %s; --features takes one of them", featuresName, few(names))
	case len(arrays) > 0:
		return 0, fmt.Errorf("only %s, which says where instances are, and no features; give the files of the features", few([]string{arrays[0].name}))
	}
	return 0, fmt.Errorf("no array of two dimensions; save one called %s, [instances, features]", featuresName)
}

// places returns the number of the array with the coordinates of features, -1 if there is none.
func places(arrays []candidate, features int) int {
	best, at := 0, -1
	for i, c := range arrays {
		fit := 1
		if c.rows == arrays[features].rows {
			fit += 2
		}
		if path.Dir(c.name) == path.Dir(arrays[features].name) {
			fit++
		}
		if i != features && isCoordinates(c.name) && c.cols >= 2 && fit > best {
			best, at = fit, i
		}
	}
	return at
}

// Spellings of the attributes that say how large a tile is: CLAM's, TRIDENT's, STAMP's and others'.
var (
	tileAtBase   = regexp.MustCompile(`^(patch|tile)_?(size|side|width).*(level_?0|lvl?_?0|l0|base)$|^(level_?0|lvl?_?0|base)_(patch|tile)_?(size|side|width)$`)
	tileMicrons  = regexp.MustCompile(`^(patch|tile)_?(size|side|width)?_?(um|microns?)$`)
	tileSize     = regexp.MustCompile(`^(patch|tile)_?(size|side|width|px)(_?(px|pixels?))?$`)
	downsampling = regexp.MustCompile(`^((level|patch|tile)_?)?down_?sampl(e|ing)(_?(factor|rate))?$`)
	baseScale    = regexp.MustCompile(`^(level_?0|lvl?_?0|base|slide|wsi|source|src|native)_(mag|magnification|mpp)$`)
	tileScale    = regexp.MustCompile(`^(target|patch|tile|dst)_(mag|magnification|mpp)$`)
	tileLevel    = regexp.MustCompile(`^((patch|tile)_)?level$`)
)

// setTile sets the side of the tiles, in the unit of the coordinates, from attributes. Those come in order of precedence.
func (c *content) setTile(attributes []attribute) {
	find := func(name *regexp.Regexp) (attribute, bool) {
		i := slices.IndexFunc(attributes, func(a attribute) bool { return a.value > 0 && name.MatchString(plainName(a.name)) })
		if i < 0 {
			return attribute{}, false
		}
		return attributes[i], true
	}
	for _, name := range []*regexp.Regexp{tileAtBase, tileMicrons} {
		if a, there := find(name); there {
			c.tile, c.said = a.value, a.name
			return
		}
	}
	size, there := find(tileSize)
	if !there {
		return
	}
	base, one := find(baseScale)
	tile, other := find(tileScale)
	inMicrons := func(a attribute) bool { return strings.HasSuffix(plainName(a.name), "mpp") }
	level, deep := find(tileLevel)
	down, known := find(downsampling)
	switch {
	case known:
		c.tile, c.said = size.value*down.value, size.name+" times "+down.name
	case one && other && inMicrons(base) && inMicrons(tile):
		c.tile, c.said = size.value*tile.value/base.value, size.name+" times "+tile.name+" by "+base.name
	case one && other && !inMicrons(base) && !inMicrons(tile):
		c.tile, c.said = size.value*base.value/tile.value, size.name+" times "+base.name+" by "+tile.name
	case !deep:
		c.tile, c.said = size.value, size.name
	default:
		c.said = fmt.Sprintf("%s without the downsample of %s %v", size.name, level.name, level.value)
	}
}

// attribute is a number that a file says about an array.
type attribute struct {
	name  string
	value float64
}

// coordinates returns a function that reads the positions of the instances, or nil if there are none.
func (c content) coordinates(path string) func() ([][2]float64, error) {
	if c.places == nil {
		return nil
	}
	rows := c.features.Len()
	return func() ([][2]float64, error) {
		if n, cols := c.places.Len(), c.places.Features(); n != rows || cols < 2 {
			return nil, fmt.Errorf("%s: coordinates of %d rows and %d columns; two columns, x and y, are needed for each of %d instances", path, n, cols, rows)
		}
		all := make([][2]float64, 0, rows) // from float32: exact up to 16 million pixels
		return all, milbench.EachRow(c.places, func(_ int, row []float32) { all = append(all, [2]float64{float64(row[0]), float64(row[1])}) })
	}
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
	open func(choose chooser) (content, error)
}

// bagFiles has the bags of a folder or an HDF5 file.
type bagFiles struct {
	where  string
	ids    []string // in order
	of     map[string]bagFile
	beside map[string]bagFile // files of coordinates only
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
//   - .npz as written by numpy.savez. Files from numpy.savez_compressed work if the set fits into memory.
//   - .h5 and .hdf5 as written by CLAM, TRIDENT and STAMP, also of shape [1, instances, features], chunked or not, with
//     gzip or LZF. Attributes say how large a tile is ([milbench.Bag.Tile]).
//   - .pt and .pth as written by torch.save since PyTorch 1.6: a tensor, or a dictionary of tensors. Nothing in the file
//     is run.
//
// Of several arrays, [Options.Array] says which one has the features. An array such as coords, [instances, 2], has the
// positions of the instances; so does a file b.index.npz. Files whose names begin with a dot are skipped.
//
// Values are rounded to float32, less a centre where float32 would lose their digits ([milbench.Set.Centre]). If all
// bags together exceed 256 MB, they stay in their files. All bags must have the same number of features. The features
// have no names.
//
// The table is labels.csv, or the only CSV or TSV file in the folder. It has a header and one line per bag, with the
// columns bag and label and optionally group and split, as in [ReadCSV]; other columns are ignored. The bags are in
// the order of the table. A bag without a file is an error, and so is a bag file that is not listed. Other files are
// ignored.
func ReadFolder(folder string) (*milbench.Set, error) {
	return Options{}.rounded(folder, reopened, func(o Options) (*milbench.Set, error) { return o.readFolder(folder) })
}

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
		if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~$") { // of the system, of an editor
			continue
		}
		if extension := strings.ToLower(filepath.Ext(name)); (extension == ".csv" || extension == ".tsv") && !e.IsDir() {
			tables = append(tables, name)
		}
		for _, form := range bagForms {
			if id, is := strings.CutSuffix(name, form.extension); is {
				path := filepath.Join(folder, name)
				f := bagFile{path: path, open: func(choose chooser) (content, error) { return form.open(path, choose) }}
				if err := files.add(id, f); err != nil {
					return files, nil, err
				}
			}
		}
	}
	files.beside = make(map[string]bagFile)
	files.ids = slices.DeleteFunc(files.ids, func(id string) bool { // such as s1.index.npz beside s1.pt
		at := strings.LastIndexAny(id, "._-")
		if at < 0 || id[at+1:] != "index" && !isCoordinates(id[at+1:]) {
			return false
		}
		_, is := files.of[id[:at]]
		if is {
			files.beside[id[:at]] = files.of[id]
		}
		return is
	})
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
		if err := o.named(); err != nil {
			return nil, fmt.Errorf("%s: no table of its bags, and so %w", files.where, err)
		}
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
	var told []content
	for i, b := range t.bags {
		f, there := files.of[b.ID]
		if !there {
			return nil, fmt.Errorf("%s: bag %s is in %s, but there is no file of it (%s); add it or remove the line", files.where, b.ID, filepath.Base(table), bagExtensions())
		}
		c, err := f.open(o.features)
		if err != nil {
			return nil, err
		}
		x := c.features
		switch a := x.(type) {
		case *numpyArray:
			a.rounding = o.rounding
		case *hdf5Array:
			a.rounding = o.rounding
		}
		if first := t.bags[0].Instances; i > 0 && x.Features() != first.Features() {
			return nil, fmt.Errorf("%s: %d features, and bag %s has %d; give all bags the same features", f.path, x.Features(), t.bags[0].ID, first.Features())
		}
		t.bags[i].Instances, t.bags[i].Tile, told = x, c.tile, append(told, c)
		t.bags[i].Coordinates = c.coordinates(f.path)
		if beside, there := files.beside[b.ID]; there && c.places == nil {
			t.bags[i].Coordinates = beside.coordinates(x)
		}
		if values += int64(x.Len()) * int64(x.Features()); values > mostHeld {
			for k, other := range t.bags[:i+1] {
				if a, is := other.Instances.(*numpyArray); is && a.inflated != nil {
					return nil, fmt.Errorf("%s: compressed, and the set is too large for memory; write its bags with numpy.savez or numpy.save, which can be read in pieces", files.of[t.bags[k].ID].path)
				}
			}
		}
	}
	o.tell(files.where, told)
	for i, b := range t.bags {
		if t.bags[i].Instances, err = kept(b.Instances, values <= mostHeld); err != nil {
			return nil, err
		}
	}
	return o.assemble(&milbench.Set{Name: files.where, Bags: t.bags}, t.words)
}

// coordinates returns a function that reads the coordinates of instances from a file of their own.
func (f bagFile) coordinates(of milbench.Instances) func() ([][2]float64, error) {
	return func() ([][2]float64, error) {
		c, err := f.open(func(arrays []candidate) (int, error) {
			if at := slices.IndexFunc(arrays, func(c candidate) bool { return c.cols >= 2 }); at >= 0 {
				return at, nil
			}
			return 0, errors.New("no array of two columns, x and y")
		})
		if err != nil {
			return nil, err
		}
		return content{features: of, places: c.features}.coordinates(f.path)()
	}
}

// tell notes which arrays are the features, if they have another name, and how large tiles are if bags are to be scored.
func (o Options) tell(where string, told []content) {
	count := func(of func(c content) string) (parts []string) {
		n := make(map[string]int)
		for _, c := range told {
			if text := of(c); text != "" {
				if n[text]++; n[text] == 1 {
					parts = append(parts, text)
				}
			}
		}
		for k, text := range parts {
			parts[k] = fmt.Sprintf("%s in %d of %d bags", text, n[text], len(told))
		}
		return parts
	}
	if arrays := count(func(c content) string {
		if c.name == "" || c.name == featuresName {
			return ""
		}
		return few([]string{c.name})
	}); len(arrays) > 0 {
		o.note("%s: the array of features is %s (--features)", where, few(arrays))
	}
	if !o.Unlabelled {
		return
	}
	if tiles := count(func(c content) string {
		switch {
		case c.tile > 0:
			return fmt.Sprintf("%v (%s)", c.tile, few([]string{c.said}))
		case c.said != "":
			return "not known (" + few([]string{c.said}) + ")"
		}
		return ""
	}); len(tiles) > 0 {
		o.note("%s: the side of a tile is %s", where, strings.Join(tiles[:min(len(tiles), 5)], ", "))
	}
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
	f, err := disk.Open(path)
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
	case o.Median:
		return nil, errors.New("--missing median is for tables of instances; a line is a bag here")
	case columns.instanceLabel >= 0:
		return nil, fmt.Errorf("column %s; a line is a bag here, so leave it out", instanceLabelColumn)
	}
	return columns, nil
}

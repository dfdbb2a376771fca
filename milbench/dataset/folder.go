package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

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
	path     string
	beside   *bagFile // a file of coordinates only
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
func (c content) coordinates() func() ([][2]float64, error) {
	if c.places == nil && c.beside == nil {
		return nil
	}
	return func() ([][2]float64, error) {
		at, path := c.places, c.path
		if at == nil {
			own, err := c.beside.open(func(arrays []candidate) (int, error) {
				if k := slices.IndexFunc(arrays, func(c candidate) bool { return c.cols >= 2 }); k >= 0 {
					return k, nil
				}
				return 0, errors.New("no array of two columns, x and y")
			})
			if err != nil {
				return nil, err
			}
			at, path = own.features, c.beside.path
		}
		rows := c.features.Len()
		if n, cols := at.Len(), at.Features(); n != rows || cols < 2 {
			return nil, fmt.Errorf("%s: coordinates of %d rows and %d columns; two columns, x and y, are needed for each of %d instances", path, n, cols, rows)
		}
		all := make([][2]float64, 0, rows) // from float32: exact up to 16 million pixels
		return all, milbench.EachRow(at, func(_ int, row []float32) { all = append(all, [2]float64{float64(row[0]), float64(row[1])}) })
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
	case len(tables) > 1 && !slices.Contains(tables, listName) && !o.Unlabelled:
		return nil, fmt.Errorf("%s: several tables: %s; name one with --labels", folder, few(tables))
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
// sorted by name. A bag has one file, or several that the table names.
func (o Options) readBags(files bagFiles, table string) (*milbench.Set, error) {
	t, of, err := o.listBags(table, files)
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
			of = append(of, []string{id})
		}
	}
	var bad badBags
	listed := make(map[string]bool)
	var opened [][]content    // of the files of each bag; nil for a bag that cannot be used
	bags := make(map[int]int) // by their number of features
	for i, b := range t.bags {
		var parts []content
		if !o.Unlabelled && lacksLabel(t.words[i]) {
			bad.add("without a label", b.ID, fmt.Errorf("%s: %w", files.where, noLabel(b.ID, t.words[i])))
		}
		before := len(bad.all)
		for _, id := range of[i] {
			listed[id] = true
			f, there := files.of[id]
			if !there {
				bad.add("without a file", id, fmt.Errorf("%s: bag %s is in %s, but there is no file of it (%s); add it or remove the line", files.where, id, filepath.Base(table), bagExtensions()))
				continue
			}
			c, err := f.open(o.features)
			if err != nil {
				bad.add("", id, err)
				continue
			}
			c.path = f.path
			if beside, there := files.beside[id]; there && c.places == nil {
				c.beside = &beside
			}
			parts = append(parts, c)
		}
		if len(bad.all) > before {
			parts = nil
		}
		for _, c := range parts {
			bags[c.features.Features()]++
		}
		opened = append(opened, parts)
	}
	for _, id := range files.ids {
		if !listed[id] {
			bad.add("without a line in the table", id, fmt.Errorf("%s: bag %s is not in %s; add a line for it or move the file away", files.of[id].path, id, filepath.Base(table)))
		}
	}
	width, like, values := 0, "", int64(0)
	for i, parts := range opened {
		for _, c := range parts {
			if n := c.features.Features(); bags[n] > bags[width] {
				width, like = n, t.bags[i].ID
			}
			values += int64(c.features.Len()) * int64(c.features.Features())
		}
	}
	var told []content
	good := textBags{words: t.words[:0]}
	for i, parts := range opened {
		b, before := t.bags[i], len(bad.all)
		var whole []milbench.Instances
		for _, c := range parts {
			if n := c.features.Features(); n != width {
				bad.add("", b.ID, fmt.Errorf("%s: %d features, and bag %s has %d; give all bags the same features", c.path, n, like, width))
				continue
			}
			switch a := c.features.(type) {
			case *numpyArray:
				a.rounding = o.rounding
			case *hdf5Array:
				a.rounding = o.rounding
			}
			if a, is := c.features.(*numpyArray); is && a.inflated != nil && values > mostHeld {
				return nil, fmt.Errorf("%s: compressed, and the set is too large for memory; write its bags with numpy.savez or numpy.save, which can be read in pieces", c.path)
			}
			x, err := kept(c.features, values <= mostHeld)
			if err != nil {
				bad.add("", b.ID, err)
				continue
			}
			whole, told = append(whole, x), append(told, c)
		}
		if len(parts) == 0 || len(bad.all) > before || !o.Unlabelled && lacksLabel(t.words[i]) {
			continue
		}
		if len(whole) == 1 {
			b.Instances, b.Tile, b.Coordinates = whole[0], parts[0].tile, parts[0].coordinates()
		} else if b.Instances, err = kept(&joined{whole}, values <= mostHeld); err != nil {
			return nil, err
		}
		good.bags = append(good.bags, b)
		if !o.Unlabelled {
			good.words = append(good.words, t.words[i])
		}
	}
	if err := o.leave(bad, files.where, len(good.bags)); err != nil {
		return nil, err
	}
	o.tell(files.where, told)
	o.Subset = false // done
	return o.assemble(&milbench.Set{Name: files.where, Bags: good.bags}, good.words)
}

// badBags are bags that cannot be used: by the kind of what is wrong, "" for an error of its own, and in order.
type badBags struct {
	kinds []string
	ids   map[string][]string
	all   []error
	own   []error // of the kind ""
}

func (b *badBags) add(kind, id string, err error) {
	if !slices.Contains(b.kinds, kind) {
		b.kinds = append(b.kinds, kind)
	}
	if b.ids == nil {
		b.ids = make(map[string][]string)
	}
	b.ids[kind], b.all = append(b.ids[kind], id), append(b.all, err)
	if kind == "" {
		b.own = append(b.own, err)
	}
}

// mostLines is the number of lines of an error about many bags.
const mostLines = 20

// leave leaves bad bags out, if the options say so and others are kept, or returns the error that names all of them.
func (o Options) leave(bad badBags, where string, kept int) error {
	of := kept + len(bad.all)
	if len(bad.all) == 0 {
		if o.Subset {
			o.note("%s: %d of %d bags", where, kept, of)
		}
		return nil
	}
	var lines []string
	for _, kind := range bad.kinds {
		if kind != "" {
			lines = append(lines, kind+": "+few(bad.ids[kind]))
		}
	}
	if o.Subset && kept > 0 {
		if ids := bad.ids[""]; len(ids) > 0 {
			lines = append(lines, "not readable: "+few(ids))
		}
		o.note("%s: %d of %d bags; %s", where, kept, of, strings.Join(lines, "; "))
		return nil
	}
	for _, err := range bad.own {
		lines = append(lines, err.Error())
	}
	if more := len(lines) - mostLines; more > 0 {
		lines = append(lines[:mostLines], fmt.Sprintf("and %d more", more))
	}
	what := fmt.Sprintf("%d of %d bags cannot be used; mend them, or leave them out with --subset", len(bad.all), of)
	if kept == 0 {
		what = "no bag can be used"
		if ids, names := bad.ids["without a file"], bad.ids["without a line in the table"]; len(ids) > 0 && slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, ids[0]) }) {
			what += ", but names of files begin with ids of the table; if one id has several files, add a column with their names, and name the column of the ids with --bag"
		}
	}
	err := fmt.Errorf("%s: %s:\n  %s", where, what, strings.Join(lines, "\n  "))
	if len(bad.all) == 1 {
		err = bad.all[0]
	}
	if o.Rest != nil && kept > 0 {
		o.Rest(err)
		return nil
	}
	return err
}

// joined is the instances of several files, one after another.
type joined struct{ parts []milbench.Instances }

var _ milbench.Instances = (*joined)(nil)

// Len implements [milbench.Instances].
func (j *joined) Len() (n int) {
	for _, x := range j.parts {
		n += x.Len()
	}
	return n
}

// Features implements [milbench.Instances].
func (j *joined) Features() int { return j.parts[0].Features() }

// Read implements [milbench.Instances].
func (j *joined) Read(from, to int, dst []float32) error {
	for _, x := range j.parts {
		n := x.Len()
		if first, last := max(from, 0), min(to, n); first < last {
			if err := x.Read(first, last, dst); err != nil {
				return err
			}
			dst = dst[(last-first)*x.Features():]
		}
		from, to = from-n, to-n
	}
	return nil
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

// listBags reads the table of bags and returns the bags, still without instances, and the names of the files of each.
func (o Options) listBags(path string, files bagFiles) (t textBags, of [][]string, err error) {
	t.unlabelled = o.Unlabelled
	f, err := disk.Open(path)
	if err != nil {
		return t, nil, err
	}
	defer f.Close()
	in, err := separated(f)
	if err != nil {
		return t, nil, fmt.Errorf("%s: %w", path, err)
	}
	var records [][]string
	var lines []int
	if err := eachRecord(in, path, func(line int, record []string) error {
		records, lines = append(records, slices.Clone(record)), append(lines, line)
		return nil
	}); err != nil {
		return t, nil, err
	}
	if len(records) == 0 {
		return t, nil, fmt.Errorf("%s: %w", path, errEmpty)
	}
	column := func(i int) (ids []string) {
		for _, record := range records[1:] {
			ids = append(ids, strings.TrimSpace(record[i]))
		}
		return ids
	}
	// The files are named by the column of the bags or, if --bag names patients, say, by another one.
	columns, err := listLayout(records[0], o)
	at, merging := -1, false
	file, how := map[string]string{}, ""
	if err == nil {
		at = columns.bag
		file, how = match(column(at), files.ids)
	}
	header, _ := match(records[0], files.ids) // none, unless there is none and this is a bag
	if len(file) < len(records)-1 && len(header) == 0 && (err == nil || o.Bag == "") && (o.Bag != "" || len(file) == 0) {
		best := at
		for i := range records[0] {
			if other, otherHow := match(column(i), files.ids); len(other) > len(file) {
				best, file, how = i, other, otherHow
			}
		}
		if merging = best != at && err == nil && o.Bag != ""; best != at && !merging {
			named := o
			named.Bag = strings.TrimSpace(records[0][best])
			columns, err = listLayout(records[0], named)
		}
		at = best
	}
	if err != nil {
		return t, nil, fmt.Errorf("%s: line %d: %w", path, lines[0], err)
	}
	columns.tell(path, o)
	if how != "" {
		o.note("%s: %s", path, how)
	}
	if beside := slices.DeleteFunc(slices.Clone(columns.features), func(i int) bool { return i == at }); len(beside) > 0 && !o.Unlabelled {
		var names []string
		for _, i := range beside {
			names = append(names, columns.header[i])
		}
		o.note("%s: not used: %s", path, few(names))
	}
	taken := make(map[string]int) // line by file
	for k, record := range records[1:] {
		name := strings.TrimSpace(record[at])
		id, known := file[name]
		if known && !merging && strings.ContainsAny(name, `/\`) { // a bag is called like its file, without folders
			record[columns.bag] = id
		}
		before := len(t.bags)
		i, err := columns.bagOf(&t, record)
		if err == nil && !known {
			id = name
			if filepath.Base(id) != id || !filepath.IsLocal(id) {
				err = fmt.Errorf("bag id %q; it names the file of the bag, so write it without slashes", id)
			}
		}
		switch line := taken[id]; {
		case err != nil:
		case !merging && i < before:
			err = fmt.Errorf("bag %s occurs twice; give every bag one line", t.bags[i].ID)
		case line > 0:
			err = fmt.Errorf("file %s is on line %d, too; name every file once", id, line)
		}
		if err != nil {
			return t, nil, fmt.Errorf("%s: line %d: %w", path, lines[k+1], err)
		}
		taken[id] = lines[k+1]
		if i == before {
			of = append(of, nil)
		}
		of[i] = append(of[i], id)
	}
	if merging {
		o.note("%s: %d files, named by column %s, make %d bags of column %s", path, len(taken), columns.header[at], len(of), columns.header[columns.bag])
	}
	t.apart = nil // the files of a bag may stand anywhere
	t.tell(path, o, columns.group >= 0)
	return t, of, nil
}

// spellings are ways in which names of files and ids of one bag differ.
var spellings = []struct {
	name string
	of   func(string) string
}{
	{"folder", func(s string) string { return s[strings.LastIndexAny(s, `/\`)+1:] }},
	{"suffix", func(s string) string { return suffixes.ReplaceAllString(s, "$1") }},
	{"Unicode form", norm.NFC.String},
	{"case", strings.ToLower},
	{"leading zeros", func(s string) string {
		if wholeNumber.MatchString(s) {
			s, _, _ = strings.Cut(s, ".")
			s = cmp.Or(strings.TrimLeft(s, "0"), "0")
		}
		return s
	}},
}

var (
	suffixes    = regexp.MustCompile(`(?i)(.)(\.(npy|h5|hdf5|npz|pth?|ome|tiff?|svs|svslide|ndpis?|mrxs|scn|bif|vms|vmu|dcm|dicom|qptiff|czi|vsi|isyntax|btf|jp2|jpe?g|png|zarr|gz))+$`)
	wholeNumber = regexp.MustCompile(`^[0-9]+(\.0+)?$`) // pandas writes 1.0 where others are missing
)

// plainID returns an id in the common spelling, but for one way; -1 for none.
func plainID(id string, but int) string {
	for k, way := range spellings {
		if k != but {
			id = way.of(id)
		}
	}
	return id
}

// match finds the file of each id: the one of the same name or, where it is the only one and no other id is so called, one
// that is spelt differently. If there is none at all, ids may lack what follows the first dot of the names, or the reverse.
// how says how they differ.
func match(ids, files []string) (of map[string]string, how string) {
	of = make(map[string]string)
	exact := make(map[string]bool)
	for _, f := range files {
		exact[f] = true
	}
	group := func(names []string, key func(string) string) map[string][]string {
		by := make(map[string][]string)
		for _, name := range names {
			if k := key(name); !slices.Contains(by[k], name) {
				by[k] = append(by[k], name)
			}
		}
		return by
	}
	plain := func(s string) string { return plainID(s, -1) }
	short := func(s string) string { s, _, _ = strings.Cut(s, "."); return plain(s) }
	n, ways, say := 0, []string(nil), ""
	pair := func(idKey, fileKey func(string) string, all bool) {
		byID, byFile := group(ids, idKey), group(files, fileKey)
		found := make(map[string]string)
		for key, some := range byID {
			if len(some) == 1 && len(byFile[key]) == 1 && !exact[some[0]] && some[0] != "" {
				found[some[0]] = byFile[key][0]
			}
		}
		if !all || len(found) == len(byID) || len(found) == len(files) {
			maps.Copy(of, found)
		}
	}
	pair(plain, plain, false)
	for _, id := range ids {
		if f, there := of[id]; there {
			if n++; n == 1 {
				say = fmt.Sprintf("%q is %q", id, f)
			}
			for k, way := range spellings {
				if plainID(id, k) != plainID(f, k) && !slices.Contains(ways, way.name) {
					ways = append(ways, way.name)
				}
			}
		} else if exact[id] {
			of[id] = id
		}
	}
	for _, keys := range [][2]func(string) string{{plain, short}, {short, plain}} {
		if len(of) == 0 {
			pair(keys[0], keys[1], true)
			for _, id := range slices.Sorted(maps.Keys(of)) {
				n, ways, say = len(of), []string{"what follows a dot"}, cmp.Or(say, fmt.Sprintf("%q is %q", id, of[id]))
			}
		}
	}
	if n > 0 {
		how = fmt.Sprintf("%d ids are matched with files that differ in %s: %s", n, strings.Join(ways, " and "), say)
	}
	return of, how
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
	case len(o.AsFeatures) > 0:
		return nil, fmt.Errorf("--as-features %s is for CSV files of instances; a line is a bag here", o.AsFeatures[0])
	case columns.instanceLabel >= 0:
		return nil, fmt.Errorf("column %s; a line is a bag here, so leave it out", instanceLabelColumn)
	}
	return columns, nil
}

package dataset

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"synpool/internal/disk"
	"synpool/milbench/mil"
)

// mostHeld is the number of values up to which the bags of a folder are read into memory: 256 MB. Tests make it
// smaller.
var mostHeld int64 = 1 << 26

// listName is the usual file name for the table of bags in a folder.
const listName = "labels.csv"

// bagForm is a form of files with one bag.
type bagForm struct {
	extension string
	// read reads what a file of size bytes holds of a bag. It may hold several arrays; choose picks one.
	read func(f *os.File, size int64, choose chooser) (content, error)
}

var bagForms = []bagForm{
	{".npy", readNumPy},
	hdf5Form(".h5", ""),
	hdf5Form(".hdf5", ""),
	{".npz", readNPZ},
	{".pt", readTorch},
	{".pth", readTorch},
}

// file returns the location of a bag in the file at path; shown is the location for messages.
func (form bagForm) file(path, shown string) bagFile {
	return bagFile{path: shown, open: func(choose chooser) (content, error) {
		f, size, err := openSized(path)
		if err != nil {
			return content{}, err
		}
		defer f.Close()
		c, err := form.read(f, size, choose)
		if err != nil {
			return content{}, fmt.Errorf("%s: %w", path, err)
		}
		return c, nil
	}}
}

// openSized opens a file and returns its size.
func openSized(path string) (*os.File, int64, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return f, info.Size(), nil
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

// readFolder reads a folder with one file per bag and a table of the bags ([ReadFile]).
func (o Options) readFolder(folder string) (*mil.Set, error) {
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
				if err := files.add(id, form.file(path, path)); err != nil {
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
func (o Options) readBags(files bagFiles, table string) (*mil.Set, error) {
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
			if _, err := t.of(id, "", "", mil.NoSplit); err != nil {
				return nil, fmt.Errorf("%s: %w", files.of[id].path, err)
			}
			of = append(of, []string{id})
		}
	}
	var bad []badBag
	listed := make(map[string]bool)
	var opened [][]content    // of the files of each bag; nil for a bag that cannot be used
	bags := make(map[int]int) // by their number of features
	for i, b := range t.bags {
		var parts []content
		if !o.Unlabelled && lacksLabel(t.words[i]) {
			bad = append(bad, badBag{"without a label", b.ID, fmt.Errorf("%s: %w", files.where, noLabel(b.ID, t.words[i]))})
		}
		before := len(bad)
		for _, id := range of[i] {
			listed[id] = true
			f, there := files.of[id]
			if !there {
				bad = append(bad, badBag{"without a file", id, fmt.Errorf("%s: bag %s is in %s, but there is no file of it (%s); add it or remove the line", files.where, id, filepath.Base(table), bagExtensions())})
				continue
			}
			c, err := f.open(o.features)
			if err != nil {
				bad = append(bad, badBag{"", id, err})
				continue
			}
			c.path = f.path
			if beside, there := files.beside[id]; there && c.places == nil {
				c.beside = &beside
			}
			parts = append(parts, c)
		}
		if len(bad) > before {
			parts = nil
		}
		for _, c := range parts {
			bags[c.features.Features()]++
		}
		opened = append(opened, parts)
	}
	for _, id := range files.ids {
		if !listed[id] {
			bad = append(bad, badBag{"without a line in the table", id, fmt.Errorf("%s: bag %s is not in %s; add a line for it or move the file away", files.of[id].path, id, filepath.Base(table))})
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
	var marked instanceMarks
	good := textBags{words: t.words[:0]}
	for i, parts := range opened {
		b, before := t.bags[i], len(bad)
		var whole []mil.Instances
		marked.bag = nil
		for _, c := range parts {
			if n := c.features.Features(); n != width {
				bad = append(bad, badBag{"", b.ID, fmt.Errorf("%s: %d features, and bag %s has %d; give all bags the same features", c.path, n, like, width)})
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
				bad = append(bad, badBag{"", b.ID, err})
				continue
			}
			whole, told = append(whole, x), append(told, c)
			if !o.Unlabelled {
				marked.add(c)
			}
		}
		if len(parts) == 0 || len(bad) > before || !o.Unlabelled && lacksLabel(t.words[i]) {
			continue
		}
		if len(whole) == 1 {
			b.Instances, b.Tile, b.Coordinates = whole[0], parts[0].tile, parts[0].coordinates()
		} else if b.Instances, err = kept(&joined{whole}, values <= mostHeld); err != nil {
			return nil, err
		}
		good.bags, marked.bags = append(good.bags, b), append(marked.bags, marked.bag)
		if !o.Unlabelled {
			good.words = append(good.words, t.words[i])
		}
	}
	if err := o.leave(bad, files.where, len(good.bags)); err != nil {
		return nil, err
	}
	o.tell(files.where, told)
	o.Subset = false // done
	set := &mil.Set{Name: files.where, Bags: good.bags}
	if marked.found {
		if marked.why != nil {
			o.note("labels of instances are not used: %v", marked.why)
		} else {
			set.InstanceLabels = marked.bags
			o.note("%s: labels of instances, which no model sees: %s", files.where, few(marked.names))
		}
	}
	return o.assemble(set, good.words)
}

// instanceMarks are the labels of instances of a folder of bags.
type instanceMarks struct {
	bags  [][]float64 // of each good bag
	bag   []float64   // of the bag at hand
	names []string    // of their arrays
	found bool
	why   error // why they are not used
}

// add adds those of a file of the bag at hand.
func (m *instanceMarks) add(c content) {
	why := c.unfit
	if c.labels != nil {
		why = mil.EachRow(c.labels, func(_ int, row []float32) { m.bag = append(m.bag, float64(row[0])) })
	} else if m.found = m.found || why != nil; why == nil {
		why = fmt.Errorf("%s has none; give each file an array of them, of zeros if no instance is positive", c.path)
	} else {
		why = fmt.Errorf("%s: %w", c.path, why)
	}
	if c.labels != nil && !slices.Contains(m.names, c.marks) {
		m.names = append(m.names, c.marks)
	}
	m.found = m.found || c.labels != nil
	if m.why == nil {
		m.why = why
	}
}

// joined is the instances of several files, one after another.
type joined struct{ parts []mil.Instances }

var _ mil.Instances = (*joined)(nil)

// Len implements [mil.Instances].
func (j *joined) Len() (n int) {
	for _, x := range j.parts {
		n += x.Len()
	}
	return n
}

// Features implements [mil.Instances].
func (j *joined) Features() int { return j.parts[0].Features() }

// Read implements [mil.Instances].
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
func kept(x mil.Instances, held bool) (mil.Instances, error) {
	if held {
		return mil.ToDense(x)
	}
	return x, nil
}

// listBags reads the table of bags and returns the bags, still without instances, and the names of the files of each.
func (o Options) listBags(path string, files bagFiles) (t textBags, of [][]string, err error) {
	t.unlabelled = o.Unlabelled
	var records [][]string
	var lines []int
	if err := eachRecordOf(path, func(line int, record []string) error {
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
		o.note("%s: not used: %s", path, few(columns.names(beside)))
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
	case len(o.Ignore) > 0:
		return nil, fmt.Errorf("--ignore %s is for CSV files of instances; a line is a bag here", o.Ignore[0])
	case len(o.AsFeatures) > 0:
		return nil, fmt.Errorf("--as-features %s is for CSV files of instances; a line is a bag here", o.AsFeatures[0])
	case columns.instanceLabel >= 0:
		return nil, fmt.Errorf("column %s; a line is a bag here, so leave it out", instanceLabelColumn)
	}
	return columns, nil
}

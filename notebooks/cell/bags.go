package cell

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"synpool/internal/spelling"
	"synpool/milbench"
	"synpool/milbench/dataset"
	"synpool/milbench/dataset/audit"
	"synpool/milbench/mil"
	"synpool/plotting"
)

// Bags are the bags of a file or a named set. Nothing is read until it is needed, so every cell can declare them again.
// Methods set how the file is read, and return a changed copy:
//
//	Open("slides.csv").Label("grade").Group("patient")
type Bags struct {
	name    string
	options milbench.Reading
	made    func() (*mil.Set, error) // a set made by a program, instead of a file
	parent  *Bags                    // the bags that these are a part of; nil for all
	chosen  chooser

	read   func() (*opened, error)
	mu     sync.Mutex
	scored map[string]*mil.Set // in the form that models require, by the names of their features
	report func() (audit.Report, error)
}

// opened has what was read.
type opened struct {
	set   *mil.Set
	notes []string
}

// chooser reports which bags of a set belong to a part.
type chooser func(set *mil.Set) (keep []bool, err error)

// Open returns the bags of a file, a folder or a named set, in the formats of milbench: a table with one row per instance
// (CSV, Parquet), or one array per bag (.npy, .npz, .pt, .h5) with a table of labels.
func Open(nameOrFile string) *Bags {
	return newBags(&Bags{name: nameOrFile})
}

// Made returns the bags of a set that was made by a program.
func Made(set *mil.Set) *Bags {
	return newBags(&Bags{name: set.Name, made: func() (*mil.Set, error) { return set, nil }})
}

// OpenWith returns the bags of a file by a reader of your own, for formats that [Open] does not know. It checks what the reader
// returns. Errors name the file.
func OpenWith(file string, reader func(r io.Reader) (*mil.Set, error)) *Bags {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	return newBags(&Bags{name: name, made: sync.OnceValues(func() (*mil.Set, error) {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		set, err := reader(bufio.NewReader(f))
		if err == nil {
			set.Name = name
			if err = set.Validate(); err == nil {
				mil.Pack(set.Bags)
				err = set.Seal()
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return set, nil
	})})
}

func newBags(b *Bags) *Bags {
	b.read = sync.OnceValues(b.open)
	b.report = sync.OnceValues(b.audited)
	return b
}

// with returns bags with a changed way of reading.
func (b *Bags) with(method string, change func(*milbench.Reading)) *Bags {
	if b.parent != nil {
		return b.parent.with(method, change).chosenBy(b.chosen)
	}
	if b.made != nil && method != "KeepLeak" {
		Check(fmt.Errorf("%s: %s says how a file is read, and a program has made this set; change it there", b.name, method))
	}
	options := b.options
	change(&options)
	return newBags(&Bags{name: b.name, options: options, made: b.made})
}

// Only returns the bags with the given ids or groups.
func (b *Bags) Only(idsOrGroups ...string) *Bags { return b.chosenBy(named(idsOrGroups, false)) }

// Except returns all bags except those with the given ids or groups.
func (b *Bags) Except(idsOrGroups ...string) *Bags { return b.chosenBy(named(idsOrGroups, true)) }

func (b *Bags) chosenBy(chosen chooser) *Bags {
	return newBags(&Bags{name: b.name, options: b.options, made: b.made, parent: b, chosen: chosen})
}

// named chooses bags by ids or groups: those, or all others.
func named(idsOrGroups []string, rest bool) chooser {
	return func(set *mil.Set) (keep []bool, err error) {
		known, asked := make(map[string]bool), make(map[string]bool)
		for _, bag := range set.Bags {
			known[bag.ID], known[bag.Group] = true, true
		}
		for _, one := range idsOrGroups {
			if asked[one] = true; !known[one] {
				return nil, missing("bag or group", one, sortedNames(known))
			}
		}
		for _, bag := range set.Bags {
			keep = append(keep, (asked[bag.ID] || asked[bag.Group]) != rest)
		}
		return keep, nil
	}
}

func sortedNames(known map[string]bool) []string { return slices.Sorted(maps.Keys(known)) }

// of returns the bags of a set that are in the part.
func (c chooser) of(set *mil.Set, name string) (*mil.Set, error) {
	keep, err := c(set)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	of := *set
	of.Bags, of.InstanceLabels = nil, nil
	for i, bag := range set.Bags {
		if !keep[i] {
			continue
		}
		of.Bags = append(of.Bags, bag)
		if set.InstanceLabels != nil {
			of.InstanceLabels = append(of.InstanceLabels, set.InstanceLabels[i])
		}
	}
	if len(of.Bags) == 0 {
		return nil, fmt.Errorf("%s: no bag is left", name)
	}
	return &of, of.Seal()
}

// missing returns the error for a name that is not in a list; what says what the names are.
func missing(what, name string, of []string) error {
	of = slices.DeleteFunc(of, func(s string) bool { return s == "" })
	if near := spelling.Nearest(name, of); near != "" {
		return fmt.Errorf("no %s %q; did you mean %q?", what, name, near)
	}
	return fmt.Errorf("no %s %q; the first are %s", what, name, listed(of))
}

// Labels sets the table with the labels of bags that are arrays; the default is labels.csv beside them.
func (b *Bags) Labels(file string) *Bags {
	return b.with("Labels", func(o *milbench.Reading) { o.Labels = file })
}

// Bag sets the column with the ids of the bags; the default is the first of bag, slide_id, image_id and so on.
func (b *Bags) Bag(column string) *Bags {
	return b.with("Bag", func(o *milbench.Reading) { o.Bag = column })
}

// Features names the array of the features in HDF5, .npz and .pt files; the default is features, or the only one besides coords.
func (b *Bags) Features(array string) *Bags {
	return b.with("Features", func(o *milbench.Reading) { o.Array = array })
}

// Subset leaves out bags without a label, without a file or without a line in the table, and bags that cannot be read.
func (b *Bags) Subset() *Bags { return b.with("Subset", func(o *milbench.Reading) { o.Subset = true }) }

// Label sets the column with the labels; the default is the first of label, class, target, diagnosis, grade.
func (b *Bags) Label(column string) *Bags {
	return b.with("Label", func(o *milbench.Reading) { o.Label = column })
}

// Group sets the column with the groups, such as patients: bags of the same group are never split between training and test.
func (b *Bags) Group(column string) *Bags {
	return b.with("Group", func(o *milbench.Reading) { o.Group = column })
}

// Positive sets which of two labels is positive; the default is the larger number, a known word such as tumour
// or mut, else the rarer label.
func (b *Bags) Positive(label string) *Bags {
	return b.with("Positive", func(o *milbench.Reading) { o.Positive = label })
}

// Order sets the order of the labels of three or more classes.
func (b *Bags) Order(labels ...string) *Bags {
	return b.with("Order", func(o *milbench.Reading) { o.Order = labels })
}

// Numbers treats integer labels as numbers, such as counts, instead of classes.
func (b *Bags) Numbers() *Bags {
	return b.with("Numbers", func(o *milbench.Reading) { o.Numbers = true })
}

// Categorical sets columns of words; each word becomes a feature.
func (b *Bags) Categorical(columns ...string) *Bags {
	return b.with("Categorical", func(o *milbench.Reading) { o.Categorical = columns })
}

// AsFeatures sets columns that are features although they look like bookkeeping, such as folds, times or row numbers.
func (b *Bags) AsFeatures(columns ...string) *Bags {
	return b.with("AsFeatures", func(o *milbench.Reading) { o.AsFeatures = columns })
}

// Ignore sets columns to leave out, such as dates and names.
func (b *Bags) Ignore(columns ...string) *Bags {
	return b.with("Ignore", func(o *milbench.Reading) { o.Ignore = columns })
}

// Coordinates sets the two columns with the positions of instances; the default is x and y.
func (b *Bags) Coordinates(x, y string) *Bags {
	return b.with("Coordinates", func(o *milbench.Reading) { o.Coordinates = []string{x, y} })
}

// Median replaces missing values by the median of each training part; without it they are an error.
func (b *Bags) Median() *Bags { return b.with("Median", func(o *milbench.Reading) { o.Median = true }) }

// InstanceLabels says which stored column has instance labels, so it is not used as a feature: "last", or its number from 1.
func (b *Bags) InstanceLabels(column string) *Bags {
	c, err := dataset.ParseColumn(column)
	Check(err)
	return b.with("InstanceLabels", func(o *milbench.Reading) { o.Column = c })
}

// KeepLeak allows training although a column leaks the labels; every result is marked.
func (b *Bags) KeepLeak() *Bags {
	return b.with("KeepLeak", func(o *milbench.Reading) { o.KeepLeak = true })
}

// Set returns the bags as a set, after reading it if necessary.
func (b *Bags) Set() *mil.Set { return Must(b.read()).set }

// Notes returns remarks about anything unusual in the bags.
func (b *Bags) Notes() []string { return Must(b.read()).notes }

// Audit returns the findings of an audit of the file.
func (b *Bags) Audit() audit.Report { return Must(b.report()) }

// Find returns the bag with an id.
func (b *Bags) Find(id string) Bag { return Bag{b, id} }

// Names returns the ids of the bags.
func (b *Bags) Names() []string { return idsOf(b.any()) }

func idsOf(set *mil.Set) (ids []string) {
	for _, bag := range set.Bags {
		ids = append(ids, bag.ID)
	}
	return ids
}

// Bag is one bag of some bags.
type Bag struct {
	of *Bags
	id string
}

// Truth returns the labels of the instances; it ends the cell if the set has none.
func (b Bag) Truth() []float64 {
	set := b.of.Set()
	at := Must(b.in(set))
	if set.InstanceLabels == nil {
		Check(fmt.Errorf("%s: nobody has labelled the instances", b.of.name))
	}
	return set.InstanceLabels[at]
}

// Map draws a value for each instance at its position, from 0 (white) to 1. It ends the cell if the file has no coordinates.
func (b Bag) Map(title, value string, values []float64) *plotting.Figure {
	set := b.of.any()
	at := Must(b.in(set))
	if set.Bags[at].Coordinates == nil {
		Check(fmt.Errorf("%s: nothing says where the instances of %s are; a map needs coords of HDF5, or two columns named by Coordinates", b.of.name, b.id))
	}
	return tileMap(title, value, Must(set.Bags[at].Coordinates()), values, set.Bags[at].Tile)
}

// tileMap draws a value at each position, as a tile of a size; 0 for a guess.
func tileMap(title, value string, places [][2]float64, values []float64, size float64) *plotting.Figure {
	if len(values) != len(places) {
		Check(fmt.Errorf("%d values for %d instances", len(values), len(places)))
	}
	var tiles []plotting.Tile
	for k, place := range places {
		tiles = append(tiles, plotting.Tile{X: place[0], Y: place[1], Value: values[k]})
	}
	return Must(plotting.TileMap(title, value, tiles, size, nil))
}

// open reads the bags.
func (b *Bags) open() (*opened, error) {
	o := &opened{}
	options := b.options
	options.Note = func(text string) { o.notes = append(o.notes, spoken(text)) }
	var err error
	switch {
	case b.parent != nil:
		whole, err := b.parent.read()
		if err != nil {
			return nil, err
		}
		o.notes = whole.notes
		o.set, err = b.chosen.of(whole.set, b.name)
		return o, err
	case b.made != nil:
		if o.set, err = b.made(); err == nil {
			o.set, err = milbench.Check(o.set, options)
		}
	default:
		o.set, err = milbench.Open(b.name, options)
	}
	return o, err
}

// audited inspects the stored file.
func (b *Bags) audited() (audit.Report, error) {
	if b.made != nil || b.parent != nil {
		o, err := b.read()
		if err != nil {
			return audit.Report{}, err
		}
		return audit.Inspect(o.set)
	}
	report, err := milbench.Audit(b.name, b.options.Options)
	if errors.As(err, new(*milbench.LeakError)) { // which the report has, too
		err = nil
	}
	return report, err
}

// identity is what results and models depend on: the checksum, and the names that are not part of it.
func (o *opened) identity() []any {
	return []any{o.set.Checksum, o.set.Name, o.set.Features, o.set.Classes, o.set.Leaked}
}

// unseen reads the bags for scoring, which needs no labels, once for all models with the same features; a model of nil stands for none.
func (b *Bags) unseen(model *milbench.Model) (*mil.Set, error) {
	key := ""
	if model != nil {
		about := model.About()
		key = fmt.Sprintf("%q %v %v", about.Features, about.Centre, about.Missing)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if set := b.scored[key]; set != nil {
		return set, nil
	}
	set, err := b.unlabelled(model)
	if err == nil {
		if b.scored == nil {
			b.scored = make(map[string]*mil.Set)
		}
		b.scored[key] = set
	}
	return set, err
}

// unlabelled reads the bags without their labels.
func (b *Bags) unlabelled(model *milbench.Model) (*mil.Set, error) {
	switch {
	case b.parent != nil:
		return b.unlabelledPart(model)
	case b.made != nil:
		set, err := b.made()
		if err == nil && model != nil {
			set, err = model.Fill(set, b.name)
		}
		return set, err
	case model != nil:
		return model.Open(b.name, b.options)
	}
	options := b.options.Options
	options.Unlabelled = true
	source, err := options.Open(b.name)
	if err != nil {
		return nil, err
	}
	return source.Set(b.options.Column)
}

// unlabelledPart reads the bags of a part without their labels.
func (b *Bags) unlabelledPart(model *milbench.Model) (*mil.Set, error) {
	whole, err := b.parent.unseen(model)
	if err != nil {
		return nil, err
	}
	o, labelled := b.read()
	if labelled != nil { // the file has no labels, and so no groups
		set, err := b.chosen.of(whole, b.name)
		if err != nil {
			return nil, labelled
		}
		return set, nil
	}
	return named(idsOf(o.set), false).of(whole, b.name)
}

// any reads the bags for training or, if that fails, for scoring.
func (b *Bags) any() *mil.Set {
	if o, err := b.read(); err == nil {
		return o.set
	}
	set, err := b.unseen(nil)
	if err != nil {
		_, err = b.read() // its error says more
	}
	Check(err)
	return set
}

// in returns the index of the bag in a set that was read.
func (b Bag) in(set *mil.Set) (int, error) {
	at := slices.IndexFunc(set.Bags, func(bag mil.Bag) bool { return bag.ID == b.id })
	if at >= 0 {
		return at, nil
	}
	return 0, fmt.Errorf("%s: %w", b.of.name, missing("bag", b.id, idsOf(set)))
}

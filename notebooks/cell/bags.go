package cell

import (
	"fmt"
	"slices"
	"sync"

	"synpool/milbench"
	"synpool/milbench/dataset"
	"synpool/milbench/dataset/audit"
	"synpool/milbench/dataset/intake"
	"synpool/milbench/learner"
)

// Bags are the bags of a file or of a named set. Nothing is read before it is needed, so that every cell may declare them anew. Methods
// say how the file is read, and return other bags:
//
//	Open("slides.csv").Label("grade").Group("patient")
type Bags struct {
	name    string
	options intake.Options
	made    *milbench.Set // a set that a program has made, instead of a file

	read   func() (*opened, error)
	mu     sync.Mutex
	scored map[string]*milbench.Set // as models want them, by the names of their features
	report func() (audit.Report, error)
}

// opened is what was read.
type opened struct {
	set   *milbench.Set
	entry *dataset.Entry // of a named set
	notes []string
}

// Open returns the bags of a file, a folder or a named set, as milbench takes them: a table with a row per instance (CSV, Parquet), or
// one array per bag (.npy, .npz, .pt, .h5) and a table of labels.
func Open(nameOrFile string) *Bags {
	return newBags(nameOrFile, intake.Options{}, nil)
}

// Made returns the bags of a set that a program has made.
func Made(set *milbench.Set) *Bags {
	return newBags(set.Name, intake.Options{}, set)
}

func newBags(name string, options intake.Options, made *milbench.Set) *Bags {
	b := &Bags{name: name, options: options, made: made}
	b.read = sync.OnceValues(b.open)
	b.report = sync.OnceValues(b.audited)
	return b
}

// with returns bags that are read in another way.
func (b *Bags) with(change func(*intake.Options)) *Bags {
	options := b.options
	change(&options)
	return newBags(b.name, options, b.made)
}

// Labels names the table of the labels of bags that are arrays; the default is labels.csv beside them.
func (b *Bags) Labels(file string) *Bags {
	return b.with(func(o *intake.Options) { o.Labels = file })
}

// Bag names the column with the ids of the bags; the default is the first of bag, slide_id, image_id and so on.
func (b *Bags) Bag(column string) *Bags { return b.with(func(o *intake.Options) { o.Bag = column }) }

// Label names the column of the labels; the default is the first of label, class, target, diagnosis, grade.
func (b *Bags) Label(column string) *Bags {
	return b.with(func(o *intake.Options) { o.Label = column })
}

// Group names the column of the groups, such as patients: bags of one group are never split between training and test.
func (b *Bags) Group(column string) *Bags {
	return b.with(func(o *intake.Options) { o.Group = column })
}

// Positive names the positive one of two labels; the default is the second in order.
func (b *Bags) Positive(label string) *Bags {
	return b.with(func(o *intake.Options) { o.Positive = label })
}

// Order names the labels of three classes or more in their order.
func (b *Bags) Order(labels ...string) *Bags {
	return b.with(func(o *intake.Options) { o.Order = labels })
}

// Numbers takes labels that are integers for numbers, such as counts, and not for classes.
func (b *Bags) Numbers() *Bags { return b.with(func(o *intake.Options) { o.Numbers = true }) }

// Categorical names columns of words; each word becomes a feature.
func (b *Bags) Categorical(columns ...string) *Bags {
	return b.with(func(o *intake.Options) { o.Categorical = columns })
}

// Coordinates names the two columns that say where instances are; the default is x and y.
func (b *Bags) Coordinates(x, y string) *Bags {
	return b.with(func(o *intake.Options) { o.Coordinates = []string{x, y} })
}

// Median takes the median of each training part for missing values, which are an error otherwise.
func (b *Bags) Median() *Bags { return b.with(func(o *intake.Options) { o.Median = true }) }

// InstanceLabels names the stored column that holds instance labels and is no feature: last, or its number from 1.
func (b *Bags) InstanceLabels(column string) *Bags {
	c, err := dataset.ParseColumn(column)
	Check(err)
	return b.with(func(o *intake.Options) { o.Column = c })
}

// KeepLeak trains although a column leaks the labels; every result is marked.
func (b *Bags) KeepLeak() *Bags { return b.with(func(o *intake.Options) { o.KeepLeak = true }) }

// Set returns the set that the bags are, read if it has not been read yet.
func (b *Bags) Set() *milbench.Set { return Must(b.read()).set }

// Notes returns what is odd about the bags.
func (b *Bags) Notes() []string { return Must(b.read()).notes }

// Audit returns what an audit of the file finds.
func (b *Bags) Audit() audit.Report { return Must(b.report()) }

// Find returns the bag of an id.
func (b *Bags) Find(id string) Bag { return Bag{b, id} }

// Bag is one of some bags.
type Bag struct {
	of *Bags
	id string
}

// open reads the bags.
func (b *Bags) open() (*opened, error) {
	if b.made != nil {
		return &opened{set: b.made}, nil
	}
	o := &opened{}
	options := b.options
	options.Note = func(text string) { o.notes = append(o.notes, spoken(text)) }
	var err error
	o.set, o.entry, err = options.Open(b.name)
	return o, err
}

// audited inspects the file as it is stored.
func (b *Bags) audited() (audit.Report, error) {
	if b.made != nil {
		return audit.Inspect(b.made)
	}
	source, err := b.options.Options.Open(b.name)
	if err != nil {
		return audit.Report{}, err
	}
	return audit.Inspect(source.Stored)
}

// identity is what results and models depend on: the checksum, and the names that have no part in it.
func (o *opened) identity() []any {
	return []any{o.set.Checksum, o.set.Name, o.set.Features, o.set.Classes, o.set.Leaked}
}

// unseen reads the bags for a model to score, which needs no labels, once for models of the same features.
func (b *Bags) unseen(about learner.About) (*milbench.Set, error) {
	key := fmt.Sprintf("%q %v", about.Features, about.Missing)
	b.mu.Lock()
	defer b.mu.Unlock()
	if set := b.scored[key]; set != nil {
		return set, nil
	}
	set, err := b.unlabelled(about)
	if err == nil {
		if b.scored == nil {
			b.scored = make(map[string]*milbench.Set)
		}
		b.scored[key] = set
	}
	return set, err
}

func (b *Bags) unlabelled(about learner.About) (*milbench.Set, error) {
	set := b.made
	if set == nil {
		options := b.options.Options
		options.Unlabelled, options.Features = true, about.Features
		source, err := options.Open(b.name)
		if err != nil {
			return nil, err
		}
		column := b.options.Column
		if about.Features != nil && source.Stored.Features != nil {
			column = dataset.NoColumn // the features were taken by name
		}
		if set, err = source.Set(column); err != nil {
			return nil, err
		}
	}
	return set.Impute(about.Missing)
}

// in returns the index of the bag in a set that was read.
func (b Bag) in(set *milbench.Set) (int, error) {
	at := slices.IndexFunc(set.Bags, func(bag milbench.Bag) bool { return bag.ID == b.id })
	if at >= 0 {
		return at, nil
	}
	var ids []string
	for _, bag := range set.Bags {
		ids = append(ids, bag.ID)
	}
	if near := milbench.Nearest(b.id, ids); near != "" {
		return 0, fmt.Errorf("%s: no bag %q; did you mean %q?", b.of.name, b.id, near)
	}
	return 0, fmt.Errorf("%s: no bag %q; the first are %s", b.of.name, b.id, listed(ids))
}

package dataset

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"synpool/milbench/mil"
)

// content is what a file holds of a bag.
type content struct {
	features mil.Instances
	name     string        // of the array of the features; "" if it has none
	places   mil.Instances // two columns, x and y; nil if the file has none
	labels   mil.Instances // of the instances, one column; nil if the file has none
	marks    string        // name of the array of the labels
	unfit    error         // why an array of labels is not used
	tile     float64       // side of a tile, 0 if the file does not say
	said     string        // what says so
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

// instanceLabelsName matches the names of arrays of labels of instances.
var instanceLabelsName = regexp.MustCompile(`^(inst(ance)?|patch|tile)_?labels?$|^y_?inst$`)

func isInstanceLabels(name string) bool {
	return instanceLabelsName.MatchString(plainName(path.Base(name)))
}

// tableShape returns the two dimensions of an array with this name, or another number of dimensions. Labels of n instances are a column
// of n rows, in whatever place the array has n.
func tableShape(shape []int64, name string) []int64 {
	if !isInstanceLabels(name) {
		return squeezed(shape)
	}
	long := slices.DeleteFunc(slices.Clone(shape), func(n int64) bool { return n == 1 })
	switch {
	case len(long) == 1:
		return []int64{long[0], 1}
	case len(long) == 0 && len(shape) > 0:
		return []int64{1, 1}
	}
	return shape
}

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
	for _, i := range pick(func(c candidate) bool { return !isCoordinates(c.name) && !isInstanceLabels(c.name) }) {
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
		what := "says where instances are"
		if isInstanceLabels(arrays[0].name) {
			what = "has labels of instances"
		}
		return 0, fmt.Errorf("only %s, which %s, and no features; give the files of the features", few([]string{arrays[0].name}), what)
	}
	return 0, fmt.Errorf("no array of two dimensions; save one called %s, [instances, features]", featuresName)
}

// gather opens the features that choose picks from the arrays of a file, and coordinates and labels of the instances, if there are some.
func gather(arrays []candidate, choose chooser, open func(k int) (mil.Instances, error)) (c content, err error) {
	at, err := choose(arrays)
	if err != nil {
		return c, err
	}
	c.name = arrays[at].name
	if c.features, err = open(at); err != nil {
		return c, err
	}
	if k := places(arrays, at); k >= 0 {
		if c.places, err = open(k); err != nil {
			return c, err
		}
	}
	c.labels, c.marks, c.unfit = instanceLabels(arrays, at, open)
	return c, nil
}

// instanceLabels opens the labels of instances that stand beside the features: in their group, or with as many rows. It returns nil
// without one, and an error if one or several cannot be used.
func instanceLabels(arrays []candidate, features int, open func(k int) (mil.Instances, error)) (labels mil.Instances, name string, err error) {
	var fit []int
	for i, c := range arrays {
		if of := arrays[features]; isInstanceLabels(c.name) && i != features && (path.Dir(c.name) == path.Dir(of.name) || c.rows == of.rows) {
			fit = append(fit, i)
		}
	}
	if len(fit) == 0 {
		return nil, "", nil
	}
	if name = few([]string{arrays[fit[0]].name}); len(fit) > 1 {
		return nil, "", fmt.Errorf("both %s and %s have labels of instances; keep one", name, few([]string{arrays[fit[1]].name}))
	}
	if labels, err = open(fit[0]); err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}
	if n := arrays[features].rows; labels.Features() != 1 || int64(labels.Len()) != n {
		return nil, "", fmt.Errorf("%s has %d x %d labels for %d instances; give each one", name, labels.Len(), labels.Features(), n)
	}
	return labels, name, nil
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
		return all, mil.EachRow(at, func(_ int, row []float32) { all = append(all, [2]float64{float64(row[0]), float64(row[1])}) })
	}
}

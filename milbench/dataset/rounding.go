package dataset

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"synpool/milbench/mil"
)

// rounding turns the doubles of a file into float32. The first time a file is read, it measures what that loses. If it
// is too much, the file is read again, and a centre is subtracted from the column first ([mil.Set.Centre]).
type rounding struct {
	centre   []float64 // by column of the file
	names    []string  // of the columns; nil if they have none
	measures bool
	columns  map[int]*measured // a sparse matrix may claim any number of columns
	first    []*measured       // those from the first on, which are found faster
}

// measured has values of a column.
type measured struct {
	n, lost int     // number of values, and of those that differ from the one before only as a double
	last    float64 // value
	sample  []float64
	every   int // one value of so many, a power of two, is in the sample
}

// mostSample is the number of values from which the centre and the spread of a column are found.
const mostSample = 512

// worthIt is the rounding error, relative to the spread of a column, up to which no digits matter.
const worthIt = 1e-3

// of returns a value of a column, minus the centre, as float32.
func (r *rounding) of(column int, v float64) (float32, error) {
	if r == nil {
		return mil.Float32(v)
	}
	if column < len(r.centre) {
		v -= r.centre[column]
	}
	narrow, err := mil.Float32(v)
	if r.measures && err == nil {
		r.measure(column, v, 1)
	}
	return narrow, err
}

// measure adds a value that occurs several times in a row.
func (r *rounding) measure(column int, v float64, times int) {
	var m *measured
	if column < len(r.first) {
		m = r.first[column]
	} else if m = r.columns[column]; m == nil {
		m = &measured{last: v, every: 1}
		if r.columns[column] = m; column == len(r.first) {
			r.first = append(r.first, m)
		}
	}
	if v != m.last && float32(v) == float32(m.last) {
		m.lost++
	}
	m.last = v
	for range times {
		if m.n++; m.n&(m.every-1) != 0 {
			continue
		}
		if m.sample = append(m.sample, v); len(m.sample) == mostSample {
			for i := range mostSample / 2 {
				m.sample[i] = m.sample[2*i+1]
			}
			m.sample, m.every = m.sample[:mostSample/2], 2*m.every
		}
	}
}

// choose takes the names of the columns of a table, and from the centre of a model's features those of the columns.
func (r *rounding) choose(list []reads, wanted []made, model []float64) {
	if r == nil {
		return
	}
	r.names = nil
	for k := range list {
		r.names = append(r.names, list[k].name)
	}
	if wanted == nil || model == nil {
		return
	}
	r.centre = make([]float64, len(list))
	for k, m := range wanted {
		if !m.missing && list[m.at].words == nil && k < len(model) {
			r.centre[m.at] = model[k]
		}
	}
}

// centred reports whether a value is subtracted from any column.
func (r *rounding) centred() bool {
	if r != nil {
		for _, c := range r.centre {
			if c != 0 {
				return true
			}
		}
	}
	return false
}

// forSet returns the centre of a set with the columns of the file as its features.
func (r *rounding) forSet(features int) []float64 {
	if !r.centred() {
		return nil
	}
	return append(make([]float64, 0, features), r.centre...)[:features]
}

// centres returns the centre of each column whose digits float32 would lose, and nil if there is none. It returns an
// error if a centre does not help. A centre is a round number near the median; values far from it do not count.
func (r *rounding) centres() (centre []float64, err error) {
	for _, j := range slices.Sorted(maps.Keys(r.columns)) {
		m := r.columns[j]
		middle, spread, loses := m.around()
		refuse := func(why string) error {
			return fmt.Errorf("%s: %d of %d values would be equal to the one before: %s", r.called(j), m.lost, m.n, why)
		}
		switch {
		case !loses:
		case spread < 0x1p-149/worthIt:
			if spread > 0 {
				return nil, refuse("they are too small for float32, below 1e-38; give the feature another unit")
			}
		case 0x1p-53*math.Abs(middle) > worthIt*spread: // the digits of a double end there
			if spread > 0x1p-51*math.Abs(middle) && math.Abs(middle) >= 1<<24 {
				return nil, refuse("a double has too few digits for them; subtract a common number before you write the file")
			}
		default:
			unit := math.Pow10(int(math.Ceil(math.Log10(spread))))
			centre = append(append(centre, make([]float64, j-len(centre))...), math.Round(middle/unit)*unit)
		}
	}
	return centre, nil
}

// around returns the middle and the spread of a column, and whether float32 loses too much of the values near them.
func (m *measured) around() (middle, spread float64, loses bool) {
	middle, spread = mil.Robust(m.sample)
	square, near := 0.0, 0.0
	for _, v := range m.sample {
		if math.Abs(v-middle) <= 10*spread {
			loss := v - float64(float32(v))
			square, near = square+loss*loss, near+1
		}
	}
	return middle, spread, !(math.Sqrt(square/near) <= worthIt*spread)
}

// called returns a name for a column.
func (r *rounding) called(column int) string {
	if column < len(r.names) {
		return r.names[column]
	}
	return fmt.Sprintf("feature %d", column+1)
}

// rounded reads a set with centres where it needs them: those of a model ([Options.Centre]), or those that a first
// reading finds. again goes back to the start of the input.
func (o Options) rounded(name string, again func() error, read func(o Options) (*mil.Set, error)) (*mil.Set, error) {
	if o.rounding != nil {
		return read(o)
	}
	r := &rounding{centre: o.Centre, measures: o.Centre == nil, columns: make(map[int]*measured)}
	if at := int(o.moves) - 1; at >= 0 && at < len(o.Centre) {
		r.centre = slices.Insert(slices.Clone(o.Centre), at, 0)
	}
	o.rounding = r
	s, err := read(o)
	if err != nil || o.Centre != nil {
		return s, err
	}
	r.measures = false
	centre, err := r.centres()
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case centre == nil:
		return s, nil
	}
	if err := again(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var list []string
	for j, c := range centre {
		if c != 0 {
			form, sign := byte('f'), '-'
			if math.Abs(c) < 1e-4 || math.Abs(c) >= 1e21 {
				form = 'e'
			}
			if c < 0 {
				sign = '+'
			}
			list = append(list, fmt.Sprintf("%s %c %s", r.called(j), sign, strconv.FormatFloat(math.Abs(c), form, -1, 64)))
		}
	}
	o.note("%s: kept as differences, because float32 would lose their digits: %s", name, few(list))
	o.Note, o.rounding = nil, &rounding{centre: centre, names: r.names}
	return read(o)
}

// from is rounded for a reader of r.
func (o Options) from(r io.Reader, name string, read func(o Options, r io.Reader, name string) (*mil.Set, error)) (*mil.Set, error) {
	return o.rounded(name, rewound(r), func(o Options) (*mil.Set, error) { return read(o, r, name) })
}

// reopened is the way back for a path.
func reopened() error { return nil }

// rewound returns a function that goes back to where r is now.
func rewound(r io.Reader) func() error {
	in, can := r.(io.Seeker)
	var at int64
	var err error
	if can {
		at, err = in.Seek(0, io.SeekCurrent)
	}
	return func() error {
		if !can || err != nil {
			return errors.New("float32 would lose digits, and the input can be read only once; give a file")
		}
		_, err := in.Seek(at, io.SeekStart)
		return err
	}
}

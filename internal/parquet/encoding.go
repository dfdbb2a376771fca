package parquet

import (
	"encoding/binary"
	"math/bits"

	"github.com/parquet-go/parquet-go/format"
)

// values iterates over the values of a page, each as bytes in little-endian order, which are valid until the next call.
type values interface{ next() ([]byte, error) }

var errFewValues = damagedf("a page of fewer values than it claims")

// widthOf returns the size of a value in bytes, or 0 if sizes differ.
func widthOf(e *format.SchemaElement) int {
	switch e.Type.V {
	case format.Int32, format.Float:
		return 4
	case format.Int64, format.Double:
		return 8
	case format.FixedLenByteArray:
		return int(e.TypeLength.V)
	}
	return 0
}

// newValues returns the values of a page. At most most of them may be requested.
func newValues(encoding format.Encoding, e *format.SchemaElement, data []byte, most int) (values, error) {
	kind, width := e.Type.V, widthOf(e)
	integer := kind == format.Int32 || kind == format.Int64
	switch {
	case encoding == format.Plain && kind == format.Boolean:
		return &booleans{levels{data: data, width: 1, left: 8 * len(data), packed: true}}, nil
	case encoding == format.Plain && kind == format.ByteArray:
		return &plainTexts{data}, nil
	case encoding == format.Plain && width > 0:
		return &plain{data, width}, nil
	case encoding == format.RLE && kind == format.Boolean:
		part, _, err := prefixed(data)
		return &booleans{levels{data: part, width: 1}}, err
	case encoding == format.ByteStreamSplit && width > 0:
		return &split{data: data, count: len(data) / width, value: make([]byte, width)}, nil
	case encoding == format.DeltaBinaryPacked && integer:
		d, err := newDeltas(data)
		return &deltaIntegers{deltas: d, width: width}, err
	case encoding == format.DeltaLengthByteArray && kind == format.ByteArray:
		return newDeltaTexts(data, most)
	case encoding == format.DeltaByteArray && (kind == format.ByteArray || kind == format.FixedLenByteArray):
		return newPrefixTexts(data, most)
	}
	return nil, damagedf("values of type %v with encoding %v", kind, encoding)
}

// prefixed returns the bytes after their four-byte length, and the rest.
func prefixed(data []byte) (part, rest []byte, err error) {
	if len(data) < 4 {
		return nil, nil, damagedf("a page ends early")
	}
	n, data := binary.LittleEndian.Uint32(data), data[4:]
	if uint64(n) > uint64(len(data)) {
		return nil, nil, damagedf("%d bytes where a page has %d", n, len(data))
	}
	return data[:n], data[n:], nil
}

// plain has values of a fixed width.
type plain struct {
	data  []byte
	width int
}

func (p *plain) next() ([]byte, error) {
	if len(p.data) < p.width {
		return nil, errFewValues
	}
	v := p.data[:p.width]
	p.data = p.data[p.width:]
	return v, nil
}

// plainTexts has texts, each preceded by its length.
type plainTexts struct{ data []byte }

func (p *plainTexts) next() (v []byte, err error) {
	v, p.data, err = prefixed(p.data)
	return v, err
}

// split has values whose first bytes are stored first, then the second ones, and so on.
type split struct {
	data, value []byte
	count, at   int
}

func (s *split) next() ([]byte, error) {
	if s.at == s.count {
		return nil, errFewValues
	}
	for k := range s.value {
		s.value[k] = s.data[k*s.count+s.at]
	}
	s.at++
	return s.value, nil
}

// bitsAt returns width bits (at most 64) of data, starting at bit at. data must be long enough.
func bitsAt(data []byte, at, width int) uint64 {
	i, shift := at/8, at%8
	mask := uint64(1)<<width - 1 // all, of 64
	if shift+width <= 64 && i+8 <= len(data) {
		return binary.LittleEndian.Uint64(data[i:]) >> shift & mask
	}
	var v uint64
	for k := 0; k < width+shift; k += 8 {
		b := uint64(data[i+k/8])
		if k < shift {
			v |= b >> shift
		} else {
			v |= b << (k - shift)
		}
	}
	return v & mask
}

// levels has small numbers in runs: repetitions of one number, or numbers packed into width bits. A run may be long; only
// its next number is ever decoded.
type levels struct {
	data   []byte
	width  int
	left   int // numbers left in the run
	packed bool
	value  uint64 // number of the run
	at     int    // the bit of data that the next packed number begins at
}

func (l *levels) next() (uint64, error) {
	for l.left == 0 {
		if err := l.run(); err != nil {
			return 0, err
		}
	}
	l.left--
	if !l.packed {
		return l.value, nil
	}
	v := bitsAt(l.data, l.at, l.width)
	l.at += l.width
	if l.left == 0 {
		l.data = l.data[l.at/8:]
	}
	return v, nil
}

// run reads the header of a run.
func (l *levels) run() error {
	head, n := binary.Uvarint(l.data)
	if n <= 0 || head>>1 > 1<<31 {
		return errFewValues
	}
	l.data = l.data[n:]
	if l.packed = head&1 == 1; l.packed {
		// The last run may lack bytes for values that are not there.
		groups := int(head >> 1)
		l.at, l.left = 0, 8*groups
		if l.width > 0 {
			l.left = min(l.left, 8*len(l.data)/l.width)
		}
		if l.left == 0 && groups > 0 {
			return errFewValues
		}
		return nil
	}
	bytes := (l.width + 7) / 8
	if bytes > len(l.data) {
		return errFewValues
	}
	var value [8]byte
	copy(value[:], l.data[:bytes])
	l.value, l.left, l.data = binary.LittleEndian.Uint64(value[:]), int(head>>1), l.data[bytes:]
	return nil
}

// booleans has values of one bit.
type booleans struct{ levels }

var bools = [2][]byte{{0}, {1}}

func (b *booleans) next() ([]byte, error) {
	v, err := b.levels.next()
	return bools[v&1], err
}

// deltas has integers stored as differences, in blocks of parts; each part has its own bit width.
type deltas struct {
	data      []byte // behind the part that is read
	part      []byte // that is read
	parts     int    // of a block
	inPart    int    // the values of each
	widths    []byte // of the parts of this block that come
	at        int    // the bit of the part that the next value begins at
	partLeft  int
	left      int // of all values
	first     bool
	value     uint64 // before the next
	least     uint64 // of the differences of the block
	partWidth int
}

func newDeltas(data []byte) (*deltas, error) {
	d := &deltas{data: data, first: true}
	var head [3]uint64
	for i := range head {
		var err error
		if head[i], err = d.uvarint(); err != nil {
			return nil, err
		}
	}
	block, parts, count := head[0], head[1], head[2]
	if block == 0 || block > 1<<20 || parts == 0 || parts > block || block%parts != 0 || block/parts%8 != 0 || count > 1<<31 {
		return nil, damagedf("differences in blocks of %d, in %d parts", block, parts)
	}
	d.parts, d.inPart, d.left = int(parts), int(block/parts), int(count)
	first, err := d.uvarint()
	d.value = zigzag(first)
	return d, err
}

func zigzag(v uint64) uint64 { return v>>1 ^ -(v & 1) }

func (d *deltas) uvarint() (uint64, error) {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		return 0, errFewValues
	}
	d.data = d.data[n:]
	return v, nil
}

func (d *deltas) next() (uint64, error) {
	if d.left == 0 {
		return 0, errFewValues
	}
	d.left--
	if d.first {
		d.first = false
		return d.value, nil
	}
	if d.partLeft == 0 {
		if err := d.nextPart(); err != nil {
			return 0, err
		}
	}
	d.partLeft--
	d.value += d.least + bitsAt(d.part, d.at, d.partWidth)
	d.at += d.partWidth
	return d.value, nil
}

// nextPart begins a part, and also a new block if the previous one has ended.
func (d *deltas) nextPart() error {
	if len(d.widths) == 0 {
		least, err := d.uvarint()
		if err != nil || len(d.data) < d.parts {
			return errFewValues
		}
		d.least, d.widths, d.data = zigzag(least), d.data[:d.parts], d.data[d.parts:]
	}
	d.partWidth, d.widths = int(d.widths[0]), d.widths[1:]
	bytes := d.inPart / 8 * d.partWidth
	if d.partWidth > 64 || bytes > len(d.data) {
		return errFewValues
	}
	d.part, d.data = d.data[:bytes], d.data[bytes:]
	d.at, d.partLeft = 0, d.inPart
	return nil
}

// lengths decodes all values, which are lengths and at most most of them, and returns them with the rest of data.
func lengths(data []byte, most int) (all []int, rest []byte, err error) {
	d, err := newDeltas(data)
	if err != nil {
		return nil, nil, err
	}
	if d.left > most {
		return nil, nil, damagedf("%d texts where a page has %d values", d.left, most)
	}
	for d.left > 0 {
		v, err := d.next()
		if err != nil {
			return nil, nil, err
		}
		if v>>31 > 0 {
			return nil, nil, damagedf("a text of %d bytes", int64(v))
		}
		all = append(all, int(v))
	}
	return all, d.data, nil
}

// deltaIntegers has integers stored as differences.
type deltaIntegers struct {
	*deltas
	width int
	value [8]byte
}

func (d *deltaIntegers) next() ([]byte, error) {
	v, err := d.deltas.next()
	binary.LittleEndian.PutUint64(d.value[:], v)
	return d.value[:d.width], err
}

// deltaTexts has texts that are preceded by the lengths of all of them.
type deltaTexts struct {
	lengths []int
	data    []byte
}

func newDeltaTexts(data []byte, most int) (*deltaTexts, error) {
	all, rest, err := lengths(data, most)
	return &deltaTexts{all, rest}, err
}

func (d *deltaTexts) next() ([]byte, error) {
	if len(d.lengths) == 0 || d.lengths[0] > len(d.data) {
		return nil, errFewValues
	}
	n := d.lengths[0]
	v := d.data[:n]
	d.lengths, d.data = d.lengths[1:], d.data[n:]
	return v, nil
}

// prefixTexts has texts that each share a prefix with the previous one.
type prefixTexts struct {
	prefixes []int
	ends     *deltaTexts
	value    []byte
}

func newPrefixTexts(data []byte, most int) (*prefixTexts, error) {
	prefixes, rest, err := lengths(data, most)
	if err != nil {
		return nil, err
	}
	ends, err := newDeltaTexts(rest, most)
	return &prefixTexts{prefixes: prefixes, ends: ends}, err
}

func (p *prefixTexts) next() ([]byte, error) {
	end, err := p.ends.next()
	if err != nil {
		return nil, err
	}
	if len(p.prefixes) == 0 || p.prefixes[0] > len(p.value) {
		return nil, errFewValues
	}
	p.value = append(p.value[:p.prefixes[0]], end...)
	p.prefixes = p.prefixes[1:]
	return p.value, nil
}

// indices returns the numbers of dictionary values, which are preceded by their width.
func indices(data []byte) (*levels, error) {
	if len(data) == 0 {
		return &levels{}, nil // of a page of nulls
	}
	if data[0] > 32 {
		return nil, damagedf("indices of %d bits", data[0])
	}
	return &levels{data: data[1:], width: int(data[0])}, nil
}

// width returns the number of bits of a level up to most.
func width(most int) int { return bits.Len(uint(most)) }

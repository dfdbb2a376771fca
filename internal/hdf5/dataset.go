package hdf5

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Kind is a kind of number.
type Kind string

// The kinds of numbers.
const (
	Int   Kind = "int"
	Uint  Kind = "uint"
	Float Kind = "float" // IEEE 754
)

// Type is how an array stores its numbers.
type Type struct {
	Kind  Kind
	Size  int // in bytes
	Order binary.ByteOrder
}

// String returns the name of the type, such as float32.
func (t Type) String() string { return fmt.Sprintf("%s%d", t.Kind, 8*t.Size) }

// Array is an array of numbers in a file.
type Array struct {
	Shape []int64
	Type  Type

	f       *File
	compact []byte // in the header
	at      uint64 // address of contiguous data, or of the tree of chunks
	chunk   []uint64
	one     *chunk // the only chunk, if there is no tree
	filters []filter
}

// chunk says where a part of an array is stored.
type chunk struct {
	at, n uint64   // bytes in the file
	mask  uint32   // filters that were not applied
	first []uint64 // its first index along each dimension
}

// Array returns the array at a path.
func (f *File) Array(path string) (*Array, error) {
	at, err := f.lookup(path)
	if err != nil {
		return nil, err
	}
	a, err := f.array(at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown(path), err)
	}
	return a, nil
}

// IsArray reports whether there is an array, and not a group, at a path.
func (f *File) IsArray(path string) (bool, error) {
	at, err := f.lookup(path)
	if err != nil {
		return false, err
	}
	list, err := f.header(at)
	if err != nil {
		return false, fmt.Errorf("%s: %w", shown(path), err)
	}
	_, is := find(list, layoutMessage)
	return is, nil
}

func (f *File) array(at uint64) (*Array, error) {
	list, err := f.header(at)
	if err != nil {
		return nil, err
	}
	if _, found := find(list, layoutMessage); !found {
		return nil, unsupportedf("a group, no array")
	}
	a := &Array{f: f}
	for _, part := range []struct {
		kind uint16
		name string
		read func([]byte) error
	}{{spaceMessage, "shape", a.space}, {typeMessage, "type", a.numbers}, {filterMessage, "", a.pipeline}, {layoutMessage, "layout", a.layout}} {
		m, found := find(list, part.kind)
		switch {
		case !found && part.name == "":
			continue
		case !found:
			return nil, damagedf("an array without %s", part.name)
		case m.shared:
			return nil, unsupportedf("a %s that is stored elsewhere", part.name)
		}
		if err := part.read(m.body); err != nil {
			return nil, err
		}
	}
	if _, found := find(list, externalMessage); found {
		return nil, unsupportedf("numbers in another file")
	}
	return a, a.check()
}

// Attributes returns the attributes of the array or group at a path that are numbers, by name. Other attributes, and those in
// a heap, are left out.
func (f *File) Attributes(path string) (map[string]*Array, error) {
	at, err := f.lookup(path)
	if err != nil {
		return nil, err
	}
	list, err := f.header(at)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown(path), err)
	}
	all := make(map[string]*Array)
	for _, m := range list {
		if m.kind != attributeMessage || m.shared {
			continue
		}
		c := cursor{b: m.body}
		version, flags := c.byte(), c.byte()
		sizes := [3]uint64{uint64(c.uint16()), uint64(c.uint16()), uint64(c.uint16())}
		if version == 3 {
			c.skip(1)
		}
		var parts [3][]byte // name, type and shape
		for k, n := range sizes {
			parts[k] = c.next(n)
			if version == 1 {
				c.skip(-n % 8)
			}
		}
		a := &Array{f: f}
		if c.short || version < 1 || version > 3 || version > 1 && flags != 0 || a.numbers(parts[1]) != nil || a.space(parts[2]) != nil {
			continue
		}
		n := int64(a.Type.Size)
		for _, size := range a.Shape {
			n *= size
		}
		if a.compact = c.b[:min(max(n, 0), int64(len(c.b)))]; a.check() == nil {
			name, _, _ := bytes.Cut(parts[0], []byte{0})
			all[string(name)] = a
		}
	}
	return all, nil
}

// space reads the shape.
func (a *Array) space(b []byte) error {
	c := cursor{b: b}
	version, rank := c.byte(), int(c.byte())
	c.skip(1)
	switch version {
	case 1:
		c.skip(5)
	case 2:
		if kind := c.byte(); kind == 2 {
			return unsupportedf("an array of nothing")
		}
	default:
		return unsupportedf("version %d of a shape", version)
	}
	if rank > maxRank {
		return damagedf("%d dimensions", rank)
	}
	total := uint64(1)
	for range rank {
		n := c.uint64()
		over, product := bits.Mul64(total, max(n, 1))
		if over > 0 || product > math.MaxInt64 || n > math.MaxInt64 {
			return damagedf("a dimension of %d", n)
		}
		total = product
		a.Shape = append(a.Shape, int64(n))
	}
	if c.short {
		return damagedf("a shape")
	}
	return nil
}

// numbers reads the type.
func (a *Array) numbers(b []byte) error {
	c := cursor{b: b}
	first := c.byte()
	flags := c.sized(2) | uint64(c.byte())<<16
	size := c.uint32()
	if c.short {
		return damagedf("a type")
	}
	if first&15 == 8 {
		return a.booleans(int(flags&0xffff), first>>4, int(size), c)
	}
	offset, precision := c.uint16(), c.uint16()
	a.Type.Size, a.Type.Order = int(size), binary.LittleEndian
	if flags&1 != 0 {
		a.Type.Order = binary.BigEndian
	}
	switch first & 15 {
	case 0:
		a.Type.Kind = Uint
		if flags&8 != 0 {
			a.Type.Kind = Int
		}
		if !slices.Contains([]uint32{1, 2, 4, 8}, size) || offset != 0 || uint32(precision) != 8*size {
			return unsupportedf("integers of %d bits in %d bytes", precision, size)
		}
	case 1:
		a.Type.Kind = Float
		exponentAt, exponent, mantissaAt, mantissa, bias := c.byte(), c.byte(), c.byte(), c.byte(), c.uint32()
		type layout struct {
			size                                       uint32
			exponentAt, exponent, mantissaAt, mantissa byte
			bias                                       uint32
		}
		got := layout{size, exponentAt, exponent, mantissaAt, mantissa, bias}
		known := []layout{{2, 10, 5, 0, 10, 15}, {4, 23, 8, 0, 23, 127}, {8, 52, 11, 0, 52, 1023}}
		if c.short || flags&0x40 != 0 || offset != 0 || uint32(precision) != 8*size || !slices.Contains(known, got) {
			return unsupportedf("floats of %d bits in %d bytes that are not those of IEEE 754", precision, size)
		}
	default:
		names := map[byte]string{2: "times", 3: "texts", 4: "bits", 5: "bytes", 6: "records", 7: "references", 9: "of many lengths", 10: "arrays"}
		name, known := names[first&15]
		if !known {
			return damagedf("numbers of class %d", first&15)
		}
		return unsupportedf("values that are %s", name)
	}
	return nil
}

// booleans reads the type of h5py's False and True, a byte 0 or 1 with the names FALSE and TRUE. Other names of numbers are an error, as
// their order means nothing.
func (a *Array) booleans(names int, version byte, size int, c cursor) error {
	const base = 12 // bytes of the type of integers
	of := c.next(base)
	if c.short || of[0]&15 != 0 || names != 2 || size != 1 {
		return unsupportedf("values that are enumerated")
	}
	if err := a.numbers(of); err != nil {
		return err
	}
	for _, name := range []string{"FALSE", "TRUE"} {
		length := len(name) + 1
		if version < 3 {
			length = 8 // padded
		}
		if string(bytes.TrimRight(c.next(uint64(length)), "\x00")) != name {
			return unsupportedf("values that are enumerated")
		}
	}
	if numbers := c.next(2); a.Type.Size != 1 || !bytes.Equal(numbers, []byte{0, 1}) {
		return unsupportedf("values that are enumerated")
	}
	return nil
}

// layout reads the location of the numbers.
func (a *Array) layout(b []byte) error {
	c := cursor{b: b}
	version, class := c.byte(), c.byte()
	switch {
	case version < 3:
		return unsupportedf("version %d of the layout", version)
	case version > 4:
		return unsupportedf("version %d of the layout, written with libver='latest'; write the file with h5py's default", version)
	case class == 0:
		a.compact = c.next(uint64(c.uint16()))
	case class == 1:
		a.at = c.uint64()
		c.skip(8)
	case class == 2 && version == 3:
		rank := int(c.byte())
		a.at = c.uint64()
		for range rank {
			a.chunk = append(a.chunk, uint64(c.uint32()))
		}
	case class == 2:
		flags, rank, width := c.byte(), int(c.byte()), int(c.byte())
		if width < 1 || width > 8 {
			return damagedf("sizes of chunks of %d bytes", width)
		}
		for range rank {
			a.chunk = append(a.chunk, c.sized(width))
		}
		if index := c.byte(); index != 1 && !c.short {
			return unsupportedf("an index of chunks of type %d, written with libver='latest'; write the file with h5py's default", index)
		}
		a.one = &chunk{}
		if flags&2 != 0 {
			a.one.n, a.one.mask = c.uint64(), c.uint32()
		}
		a.one.at = c.uint64()
	default:
		return unsupportedf("an array in several files")
	}
	if c.short {
		return damagedf("a layout")
	}
	return nil
}

// check reports an array whose numbers cannot be at the given location.
func (a *Array) check() error {
	total := uint64(a.Type.Size)
	for _, n := range a.Shape {
		over, product := bits.Mul64(total, uint64(n))
		if over > 0 || product > math.MaxInt64 {
			return damagedf("an array of shape %v", a.Shape)
		}
		total = product
	}
	switch {
	case a.chunk != nil:
		return a.checkChunks()
	case a.filters != nil:
		return damagedf("filters of an array without chunks")
	case a.compact != nil:
		if uint64(len(a.compact)) != total {
			return damagedf("%d bytes for an array of %d", len(a.compact), total)
		}
	case a.at == undefined && total > 0:
		return unsupportedf("an array whose numbers were never written")
	case total > 0 && (a.at > a.f.size || total > a.f.size-a.at):
		return damagedf("%d bytes at %d of a file of %d", total, a.at, a.f.size)
	}
	return nil
}

// most is the largest compression ratio of gzip.
const most = 1032

// chunkBytes is the size of a chunk without filters.
func (a *Array) chunkBytes() uint64 {
	n := uint64(a.Type.Size)
	for _, size := range a.chunk {
		n *= size
	}
	return n
}

// checkChunks checks the sizes of chunks and that none is missing.
func (a *Array) checkChunks() error {
	rank := len(a.Shape)
	if len(a.chunk) != rank+1 || rank == 0 || a.chunk[rank] != uint64(a.Type.Size) {
		return damagedf("chunks of %d dimensions for an array of %d", len(a.chunk), rank)
	}
	a.chunk = a.chunk[:rank]
	product := uint64(a.Type.Size)
	count := uint64(1)
	for k, n := range a.chunk {
		over, next := bits.Mul64(product, n)
		if n == 0 || over > 0 || next > math.MaxUint32 {
			return damagedf("chunks of %v numbers", a.chunk)
		}
		product = next
		if over, count = bits.Mul64(count, (uint64(a.Shape[k])+n-1)/n); over > 0 {
			return damagedf("an array of shape %v in chunks of %v", a.Shape, a.chunk)
		}
	}
	if a.one != nil {
		a.one.first = make([]uint64, rank)
		if a.one.n == 0 {
			a.one.n = product
		}
		if count != 1 {
			return damagedf("one chunk for an array of %d", count)
		}
	}
	there, places := uint64(0), make(map[string]bool)
	err := a.chunks(func(c chunk) error {
		there++
		name := fmt.Sprint(c.first)
		if places[name] {
			return damagedf("two chunks at %v", c.first)
		}
		places[name] = true
		switch {
		case c.at > a.f.size || c.n > a.f.size-c.at:
			return damagedf("a chunk of %d bytes at %d of a file of %d", c.n, c.at, a.f.size)
		case len(a.filters) == 0 && c.n != product, product/most > c.n+64:
			return damagedf("a chunk of %d bytes for %d", c.n, product)
		}
		return nil
	})
	if err == nil && there != count {
		err = unsupportedf("%d of %d chunks were written; the others have no numbers", there, count)
	}
	return err
}

// chunks calls do with each chunk.
func (a *Array) chunks(do func(chunk) error) error {
	if a.one != nil {
		return do(*a.one)
	}
	if a.at == undefined {
		return nil
	}
	seen := make(map[uint64]bool)
	rank := len(a.Shape)
	var walk func(at uint64) error
	walk = func(at uint64) error {
		if seen[at] || len(seen) > maxNodes {
			return damagedf("a tree of chunks with a circle, or of more than %d nodes", maxNodes)
		}
		seen[at] = true
		level, err := a.f.level(at)
		if err != nil {
			return err
		}
		list, err := a.f.children(at, 1, uint64(8+8*(rank+1)))
		if err != nil {
			return err
		}
		for _, child := range list {
			if level > 0 {
				if err := walk(child.at); err != nil {
					return err
				}
				continue
			}
			key := cursor{b: child.key}
			c := chunk{at: child.at, n: uint64(key.uint32()), mask: key.uint32()}
			for k := range rank {
				first := key.uint64()
				if first >= uint64(a.Shape[k]) || first%a.chunk[k] != 0 {
					return damagedf("a chunk at %d of %d along dimension %d", first, a.Shape[k], k)
				}
				c.first = append(c.first, first)
			}
			if err := do(c); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(a.at)
}

// Read returns the numbers from start, count along each dimension, as bytes in the byte order and size of the type; the last
// dimension varies fastest.
func (a *Array) Read(start, count []int64) ([]byte, error) {
	rank := len(a.Shape)
	if len(start) != rank || len(count) != rank {
		return nil, fmt.Errorf("%d and %d numbers for a place in an array of %d dimensions", len(start), len(count), rank)
	}
	n := int64(a.Type.Size)
	for k := range rank {
		if start[k] < 0 || count[k] < 0 || start[k] > a.Shape[k]-count[k] {
			return nil, fmt.Errorf("from %d, %d along dimension %d of %d", start[k], count[k], k, a.Shape[k])
		}
		n *= count[k]
	}
	dst := make([]byte, n)
	if n == 0 {
		return dst, nil
	}
	to := box{dst, start, count}
	if a.chunk == nil {
		return dst, a.readWhole(to)
	}
	return dst, a.chunks(func(c chunk) error {
		of := box{first: make([]int64, rank), size: make([]int64, rank)}
		for k := range rank {
			of.first[k], of.size[k] = int64(c.first[k]), int64(a.chunk[k])
			if of.first[k] >= start[k]+count[k] || of.first[k]+of.size[k] <= start[k] {
				return nil
			}
		}
		b, err := a.f.bytes(c.at, c.n)
		if err != nil {
			return err
		}
		if of.bytes, err = unfiltered(a.filters, b, c.mask, a.chunkBytes(), a.Type.Size); err != nil {
			return fmt.Errorf("chunk at %v: %w", c.first, err)
		}
		to.fill(of, a.Type.Size)
		return nil
	})
}

// readWhole reads a part of an array that is stored contiguously, run by run: a run is the longest stretch of wanted numbers
// that are adjacent in the file.
func (a *Array) readWhole(to box) error {
	rank := len(a.Shape)
	if a.compact != nil {
		to.fill(box{a.compact, make([]int64, rank), a.Shape}, a.Type.Size)
		return nil
	}
	outer, run := rank, int64(a.Type.Size) // a run spans the dimensions that are wanted whole, and the last one that is not
	for whole := true; whole && outer > 0; {
		outer--
		run *= to.size[outer]
		whole = to.size[outer] == a.Shape[outer]
	}
	place := slices.Clone(to.first)
	for dst := to.bytes; len(dst) > 0; dst = dst[run:] {
		at := int64(0)
		for k := range rank {
			at = at*a.Shape[k] + place[k]
		}
		b, err := a.f.bytes(a.at+uint64(at*int64(a.Type.Size)), uint64(run))
		if err != nil {
			return err
		}
		copy(dst, b)
		advance(place[:outer], to.first, to.size)
	}
	return nil
}

// advance moves a place to the next one, the last dimension first, of size from first on. It reports whether there is one.
func advance(place, first, size []int64) bool {
	for k := len(place) - 1; k >= 0; k-- {
		if place[k]++; place[k] < first[k]+size[k] {
			return true
		}
		place[k] = first[k]
	}
	return false
}

// box is a part of an array: its bytes, and its first index and size along each dimension.
type box struct {
	bytes       []byte
	first, size []int64
}

// fill copies the intersection of b and another box into b.
func (b box) fill(from box, width int) {
	rank := len(b.size)
	if rank == 0 {
		copy(b.bytes, from.bytes)
		return
	}
	low, n := make([]int64, rank), make([]int64, rank)
	for k := range rank {
		low[k] = max(b.first[k], from.first[k])
		if n[k] = min(b.first[k]+b.size[k], from.first[k]+from.size[k]) - low[k]; n[k] <= 0 {
			return
		}
	}
	place := slices.Clone(low)
	run := n[rank-1] * int64(width)
	for more := true; more; more = advance(place[:rank-1], low, n) {
		var to, of int64
		for k := range rank {
			to, of = to*b.size[k]+place[k]-b.first[k], of*from.size[k]+place[k]-from.first[k]
		}
		copy(b.bytes[to*int64(width):][:run], from.bytes[of*int64(width):][:run])
	}
}

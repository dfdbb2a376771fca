package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Types of data elements (MAT-File Format, table 1-1).
const (
	miINT8       = 1
	miUINT8      = 2
	miINT16      = 3
	miUINT16     = 4
	miINT32      = 5
	miUINT32     = 6
	miSINGLE     = 7
	miDOUBLE     = 9
	miINT64      = 12
	miUINT64     = 13
	miMATRIX     = 14
	miCOMPRESSED = 15
	miUTF8       = 16
	miUTF32      = 18
)

// matStream reads the data elements of a MAT-file or of the part inside one element.
type matStream struct {
	io.Reader
	order binary.ByteOrder
	count *int64 // number of inflated bytes read from the file so far
}

// element is one data element: its type, the size that the file claims, and its bytes.
type element struct {
	matStream
	kind    uint32
	size    int64
	padding int64
}

// next reads the tag of the next element. It returns io.EOF at the end of the stream. The caller must read at most
// the whole element and then close it.
func (s matStream) next() (element, error) {
	var tag [8]byte
	if _, err := io.ReadFull(s, tag[:]); err == io.EOF {
		return element{}, io.EOF
	} else if err != nil {
		return element{}, readError(err)
	}
	first, second := s.order.Uint32(tag[:4]), s.order.Uint32(tag[4:])
	if size := first >> 16; size != 0 { // small data element: at most four bytes, inside the tag
		if size > 4 {
			return element{}, damagedf("a small data element claims %d bytes", size)
		}
		e := element{matStream: s, kind: first & 0xffff, size: int64(size)}
		e.Reader = bytes.NewReader(tag[4 : 4+size])
		return e, nil
	}
	e := element{matStream: s, kind: first, size: int64(second)}
	e.Reader = &io.LimitedReader{R: s.Reader, N: e.size}
	if e.kind != miCOMPRESSED {
		e.padding = -e.size & 7
	}
	return e, nil
}

// want is next, but the end of the stream is an error.
func (s matStream) want(what string) (element, error) {
	e, err := s.next()
	if err == io.EOF {
		err = readError(err)
	}
	if err != nil {
		return e, fmt.Errorf("%s: %w", what, err)
	}
	return e, nil
}

// close skips the rest of e and the padding after it in the enclosing stream s.
func (e element) close(s matStream) error {
	if _, err := io.Copy(io.Discard, e.Reader); err != nil {
		return readError(err)
	}
	if l, ok := e.Reader.(*io.LimitedReader); ok && l.N > 0 {
		return readError(io.ErrUnexpectedEOF)
	}
	if _, err := io.CopyN(io.Discard, s, e.padding); err != nil {
		return readError(err)
	}
	return nil
}

// counter counts the bytes read through it.
type counter struct {
	io.Reader
	count *int64
}

func (c counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	*c.count += int64(n)
	return n, err
}

// decoder knows the size in bytes of a number type and how to read it.
type decoder struct {
	width  int
	decode func(binary.ByteOrder, []byte) float64
	narrow func(b []byte, dst []float32) // decodes many little-endian numbers, if float32 holds them all; or nil. b may be the memory of dst where they are as wide
}

// decoders read the numeric types.
var decoders = map[uint32]decoder{
	miINT8:   {1, func(_ binary.ByteOrder, b []byte) float64 { return float64(int8(b[0])) }, nil},
	miUINT8:  {1, func(_ binary.ByteOrder, b []byte) float64 { return float64(b[0]) }, nil},
	miINT16:  {2, func(o binary.ByteOrder, b []byte) float64 { return float64(int16(o.Uint16(b))) }, nil},
	miUINT16: {2, func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint16(b)) }, nil},
	miINT32:  {4, func(o binary.ByteOrder, b []byte) float64 { return float64(int32(o.Uint32(b))) }, nil},
	miUINT32: {4, func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint32(b)) }, nil},
	miSINGLE: {4, func(o binary.ByteOrder, b []byte) float64 { return float64(math.Float32frombits(o.Uint32(b))) }, nil},
	miDOUBLE: {8, func(o binary.ByteOrder, b []byte) float64 { return math.Float64frombits(o.Uint64(b)) }, nil},
	miINT64:  {8, func(o binary.ByteOrder, b []byte) float64 { return float64(int64(o.Uint64(b))) }, nil},
	miUINT64: {8, func(o binary.ByteOrder, b []byte) float64 { return float64(o.Uint64(b)) }, nil},
}

// nonZeros calls f with the position and value of every non-zero number in e. It returns how many numbers e really
// had, whatever its length field claims.
func (e element) nonZeros(f func(k int, v float64) error) (int, error) {
	d, ok := decoders[e.kind]
	if !ok {
		return 0, damagedf("numbers of unknown type %d", e.kind)
	}
	if e.size%int64(d.width) != 0 {
		return 0, damagedf("%d bytes of numbers of %d bytes", e.size, d.width)
	}
	chunk := make([]byte, min(max(e.size, 8), 1<<14))
	k := 0
	for {
		n, err := io.ReadFull(e, chunk)
		for i := 0; i < n; {
			if i+8 <= n && binary.LittleEndian.Uint64(chunk[i:]) == 0 { // most of a sparse set
				i += 8
				k += 8 / d.width
				continue
			}
			for end := min(i+8, n); i < end; i += d.width {
				if v := d.decode(e.order, chunk[i:]); v != 0 {
					if err := f(k, v); err != nil {
						return k, err
					}
				}
				k++
			}
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			if l, ok := e.Reader.(*io.LimitedReader); ok && l.N > 0 {
				return k, readError(err)
			}
			return k, nil
		}
		if err != nil {
			return k, readError(err)
		}
	}
}

// all returns every number in e.
func (e element) all() ([]float64, error) {
	var values []float64
	n, err := e.nonZeros(func(k int, v float64) error {
		values = append(grown(values, k), v)
		return nil
	})
	return grown(values, n), err
}

// grown appends zeros to values up to length n.
func grown(values []float64, n int) []float64 {
	for len(values) < n {
		values = append(values, 0)
	}
	return values
}

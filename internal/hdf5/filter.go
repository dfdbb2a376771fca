package hdf5

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
)

// The supported filters, by their registered numbers.
const (
	gzipFilter       = 1
	shuffleFilter    = 2
	fletcher32Filter = 3
	lzfFilter        = 32000
)

// filter is a transformation applied to chunks before they were stored.
type filter struct {
	id     uint16
	values []uint32
}

// pipeline reads the filters, in the order in which they were applied.
func (a *Array) pipeline(b []byte) error {
	c := cursor{b: b}
	version, n := c.byte(), int(c.byte())
	if version != 1 && version != 2 || n > maxRank {
		return damagedf("version %d of %d filters", version, n)
	}
	if version == 1 {
		c.skip(6)
	}
	for range n {
		f := filter{id: c.uint16()}
		name := uint16(0)
		if version == 1 || f.id >= 256 {
			name = c.uint16()
		}
		c.skip(2)
		values := c.uint16()
		if version == 1 {
			name = (name + 7) / 8 * 8
		}
		text := c.next(uint64(name))
		for range values {
			f.values = append(f.values, c.uint32())
			if c.short {
				break
			}
		}
		if version == 1 && values%2 == 1 {
			c.skip(4)
		}
		if c.short {
			return damagedf("the filters")
		}
		switch f.id {
		case gzipFilter, shuffleFilter, fletcher32Filter, lzfFilter:
		default:
			return unsupportedf("filter %d %q; write the file with gzip, lzf or no compression", f.id, bytes.TrimRight(text, "\x00"))
		}
		a.filters = append(a.filters, f)
	}
	return nil
}

// unfiltered undoes the filters of a chunk, which then has n bytes of numbers of the given width. Filters in mask were not
// applied.
func unfiltered(filters []filter, b []byte, mask uint32, n uint64, width int) (_ []byte, err error) {
	limit := n + 4*uint64(len(filters)) // a checksum may follow
	for k := len(filters) - 1; k >= 0; k-- {
		if mask>>k&1 == 1 {
			continue
		}
		switch filters[k].id {
		case gzipFilter:
			b, err = inflated(b, limit)
		case shuffleFilter:
			size := width
			if v := filters[k].values; len(v) > 0 && v[0] > 0 && uint64(v[0]) <= n {
				size = int(v[0])
			}
			b = unshuffled(b, size)
		case fletcher32Filter:
			b, err = verified(b)
		case lzfFilter:
			b, err = unLZF(b, limit)
		}
		if err != nil {
			return nil, err
		}
	}
	if uint64(len(b)) != n {
		return nil, damagedf("%d bytes for %d", len(b), n)
	}
	return b, nil
}

// inflated decompresses zlib data to at most limit bytes.
func inflated(b []byte, limit uint64) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, damagedf("compressed data: %v", err)
	}
	out, err := io.ReadAll(io.LimitReader(z, int64(limit)+1))
	if err != nil {
		return nil, damagedf("compressed data: %v", err)
	}
	if uint64(len(out)) > limit {
		return nil, damagedf("compressed data of more than %d bytes", limit)
	}
	return out, nil
}

// unshuffled restores the bytes of numbers: in shuffled data all first bytes come first, then all second ones, and so on.
func unshuffled(b []byte, size int) []byte {
	n := len(b) / size
	out := make([]byte, len(b))
	for k := range size {
		for i, v := range b[k*n : (k+1)*n] {
			out[i*size+k] = v
		}
	}
	copy(out[n*size:], b[n*size:])
	return out
}

// verified checks and removes the 32-bit Fletcher checksum.
func verified(b []byte) ([]byte, error) {
	if len(b) < 4 {
		return nil, damagedf("a chunk without its checksum")
	}
	body, want := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])
	var first, second uint32
	for i := 0; i < len(body); i += 2 {
		v := uint32(body[i]) << 8
		if i+1 < len(body) {
			v |= uint32(body[i+1])
		}
		first = (first + v) % 65535
		second = (second + first) % 65535
	}
	// The library reduces sums in a different way, which gives 65535 instead of 0.
	same := func(a, b uint32) bool { return a%65535 == b%65535 }
	if !same(want&0xffff, first) || !same(want>>16, second) {
		return nil, damagedf("the checksum of a chunk")
	}
	return body, nil
}

// unLZF decompresses LibLZF data to at most limit bytes: literal runs of up to 32 bytes, and copies from up to 8192 bytes
// before.
func unLZF(b []byte, limit uint64) ([]byte, error) {
	fail := func(what string) ([]byte, error) { return nil, fmt.Errorf("LZF: %w", damagedf("%s", what)) }
	var out []byte
	for i := 0; i < len(b); {
		control := int(b[i])
		i++
		if control < 32 {
			if i+control+1 > len(b) {
				return fail("ends early")
			}
			out = append(out, b[i:i+control+1]...)
			i += control + 1
		} else {
			n := control >> 5
			if n == 7 {
				if i >= len(b) {
					return fail("ends early")
				}
				n += int(b[i])
				i++
			}
			if i >= len(b) {
				return fail("ends early")
			}
			from := len(out) - (control&31)<<8 - int(b[i]) - 1
			i++
			if from < 0 {
				return fail("a copy of what is before the beginning")
			}
			for k := range n + 2 {
				out = append(out, out[from+k])
			}
		}
		if uint64(len(out)) > limit {
			return fail("too many bytes")
		}
	}
	return out, nil
}

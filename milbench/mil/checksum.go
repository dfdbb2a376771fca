package mil

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
)

// checksum returns the SHA-256, in hex, of the content of a set. It covers the kind of the targets and then, for each
// bag in order, its id, target (class, value, event), group, split, numbers of instances and features, and instances.
//
// An instance is hashed as one bit per feature, lowest bit of the first byte first, set if the value is not 0; then
// the non-zero values as float32. Features with missing values, their indicators, the word features and the centre
// follow the bags. Equal values therefore have equal checksums, whether dense or sparse, in memory or in a file. Names of the
// set, features and classes are not hashed. Integers have 64 bits, all numbers are little-endian, and each text
// follows its length.
func (s *Set) checksum() (string, error) {
	d := digester{hash: sha256.New()}
	d.integer(int(s.Kind))
	d.integer(len(s.Bags))
	for _, b := range s.Bags {
		d.text(b.ID)
		d.integer(b.Label)
		d.word(math.Float64bits(b.Value))
		event := 0
		if b.Event {
			event = 1
		}
		d.integer(event)
		d.text(b.Group)
		d.text(string(b.Split))
		d.integer(b.Instances.Len())
		d.integer(b.Instances.Features())
		if err := d.instances(b.Instances); err != nil {
			return "", err
		}
	}
	for _, m := range s.Missing {
		d.integer(m.Feature)
		d.integer(m.Indicator)
	}
	for _, j := range s.Words {
		d.integer(j)
	}
	for _, c := range s.Centre {
		d.word(math.Float64bits(c))
	}
	d.flush()
	return hex.EncodeToString(d.hash.Sum(nil)), nil
}

// Seal computes the checksum of a set that was made or changed in memory. Runs identify the set by this checksum.
func (s *Set) Seal() error {
	sum, err := s.checksum()
	if err != nil {
		return err
	}
	s.Checksum = sum
	return nil
}

// digester buffers input to a hash, which is slow when fed a few bytes at a time.
type digester struct {
	hash   hash.Hash
	buffer []byte
}

func (d *digester) word(w uint64) {
	d.buffer = binary.LittleEndian.AppendUint64(d.buffer, w)
	d.full()
}

func (d *digester) integer(n int) { d.word(uint64(n)) }

func (d *digester) instances(x Instances) error {
	bits := make([]byte, (x.Features()+7)/8)
	if s, ok := x.(*Sparse); ok {
		for i := range s.Rows {
			clear(bits)
			columns, values := s.Row(i)
			for k, j := range columns {
				if values[k] != 0 {
					bits[j/8] |= 1 << (j % 8)
				}
			}
			d.row(bits, values)
		}
		return nil
	}
	return EachRow(x, func(_ int, row []float32) {
		clear(bits)
		for j, v := range row {
			if v != 0 {
				bits[j/8] |= 1 << (j % 8)
			}
		}
		d.row(bits, row)
	})
}

// row adds an instance with these bits. Its non-zero values are in values, in order.
func (d *digester) row(bits []byte, values []float32) {
	d.buffer = append(d.buffer, bits...)
	for _, v := range values {
		if v != 0 {
			d.buffer = binary.LittleEndian.AppendUint32(d.buffer, math.Float32bits(v))
		}
	}
	d.full()
}

func (d *digester) text(s string) {
	d.integer(len(s))
	d.buffer = append(d.buffer, s...)
}

func (d *digester) full() {
	if len(d.buffer) >= 1<<14 {
		d.flush()
	}
}

func (d *digester) flush() {
	d.hash.Write(d.buffer)
	d.buffer = d.buffer[:0]
}

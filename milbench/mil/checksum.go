package mil

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
)

// checksum returns the SHA-256, in hex, of the content of a set. It covers the kind of the targets and then, for each
// bag in order, its id, target (class, value, event), group, split, numbers of instances and features, and instances
// ([EachEncoded]).
//
// Features with missing values, their indicators, the word features and the centre follow the bags. Names of the set,
// features and classes are not hashed. Integers have 64 bits, all numbers are little-endian, and each text follows its
// length.
func (s *Set) checksum() (string, error) {
	hash := sha256.New()
	d := bufio.NewWriterSize(hash, 1<<14) // hashing is slow when fed a few bytes at a time
	word := func(w uint64) { d.Write(binary.LittleEndian.AppendUint64(d.AvailableBuffer(), w)) }
	integer := func(n int) { word(uint64(n)) }
	text := func(s string) {
		integer(len(s))
		d.WriteString(s)
	}
	integer(int(s.Kind))
	integer(len(s.Bags))
	for _, b := range s.Bags {
		text(b.ID)
		integer(b.Label)
		word(math.Float64bits(b.Value))
		event := 0
		if b.Event {
			event = 1
		}
		integer(event)
		text(b.Group)
		text(string(b.Split))
		integer(b.Instances.Len())
		integer(b.Instances.Features())
		if err := EachEncoded(b.Instances, nil, func(instance []byte) { d.Write(instance) }); err != nil {
			return "", err
		}
	}
	for _, m := range s.Missing {
		integer(m.Feature)
		integer(m.Indicator)
	}
	for _, j := range s.Words {
		integer(j)
	}
	for _, c := range s.Centre {
		word(math.Float64bits(c))
	}
	d.Flush()
	return hex.EncodeToString(hash.Sum(nil)), nil
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

// EachEncoded calls f with the bytes of every instance: one bit per feature, lowest bit of the first byte first, set if
// the value is not 0; then the non-zero values as little-endian float32. Equal values therefore have equal bytes, whether
// dense or sparse, in memory or in a file. Features in aside, which count from 0, have the value 0. The bytes are valid
// only during the call.
func EachEncoded(x Instances, aside map[int]bool, f func(instance []byte)) error {
	var instance []byte
	begin := func() { instance = append(instance[:0], make([]byte, (x.Features()+7)/8)...) }
	value := func(j int, v float32) {
		if v != 0 && (len(aside) == 0 || !aside[j]) {
			instance[j/8] |= 1 << (j % 8)
			instance = binary.LittleEndian.AppendUint32(instance, math.Float32bits(v))
		}
	}
	if s, ok := x.(*Sparse); ok {
		for i := range s.Rows {
			begin()
			columns, values := s.Row(i)
			for k, j := range columns {
				value(int(j), values[k])
			}
			f(instance)
		}
		return nil
	}
	return EachRow(x, func(_ int, row []float32) {
		begin()
		for j, v := range row {
			value(j, v)
		}
		f(instance)
	})
}

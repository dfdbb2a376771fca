package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"

	"synpool/milbench"
)

// checksum returns the SHA-256 of the bags in hex, over an encoding that is the same for a dense and a sparse matrix
// of equal values: the number of bags, and of each its id, label, group, split, rows, columns, and of each row the
// number of values that are not zero and these with their columns. Integers are 64 bits, little-endian; strings stand
// behind their length.
func checksum(bags []milbench.Bag) string {
	d := digester{hash: sha256.New()}
	d.integer(len(bags))
	for _, b := range bags {
		d.text(b.ID)
		d.integer(b.Label)
		d.text(b.Group)
		d.text(string(b.Split))
		d.integer(b.Instances.Rows)
		d.integer(b.Instances.Cols)
		for i := range b.Instances.Rows {
			n := 0
			b.Instances.Each(i, func(_ int, v float64) {
				if v != 0 {
					n++
				}
			})
			d.integer(n)
			b.Instances.Each(i, func(j int, v float64) {
				if v != 0 {
					d.integer(j)
					d.word(math.Float64bits(v))
				}
			})
		}
	}
	d.flush()
	return hex.EncodeToString(d.hash.Sum(nil))
}

// digester gathers words for a hash, which is slow when fed eight bytes at a time.
type digester struct {
	hash   hash.Hash
	buffer []byte
}

func (d *digester) word(w uint64) {
	d.buffer = binary.LittleEndian.AppendUint64(d.buffer, w)
	if len(d.buffer) >= 1<<14 {
		d.flush()
	}
}

func (d *digester) integer(n int) { d.word(uint64(n)) }

func (d *digester) text(s string) {
	d.integer(len(s))
	d.buffer = append(d.buffer, s...)
}

func (d *digester) flush() {
	d.hash.Write(d.buffer)
	d.buffer = d.buffer[:0]
}

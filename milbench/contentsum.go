package milbench

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
)

// ContentSum returns the SHA-256, in hex, of the instances of a bag, in whatever order they stand: that of the sorted SHA-256 of each, which
// is a bit for every feature, from the lowest of the first byte on, that says whether its value is other than 0, and then these values as
// little-endian float32. Bags of the same instances have one sum, dense or sparse, in memory or in a file. Ids, labels and groups have no part
// in it. It holds 32 bytes for each instance.
func ContentSum(x Instances) (string, error) {
	sums := make([][sha256.Size]byte, 0, x.Len())
	var text []byte
	err := EachRow(x, func(_ int, row []float32) {
		text = append(text[:0], make([]byte, (len(row)+7)/8)...)
		for j, v := range row {
			if v != 0 {
				text[j/8] |= 1 << (j % 8)
				text = binary.LittleEndian.AppendUint32(text, math.Float32bits(v))
			}
		}
		sums = append(sums, sha256.Sum256(text))
	})
	if err != nil {
		return "", err
	}
	slices.SortFunc(sums, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	all := sha256.New()
	for _, s := range sums {
		all.Write(s[:])
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

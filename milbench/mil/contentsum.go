package mil

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
)

// ContentSum returns the SHA-256, in hex, of the instances of a bag, whatever their order. It hashes the sorted
// SHA-256 sums of the instances. Each instance is hashed as one bit per feature, lowest bit of the first byte first,
// set if the value is not 0; then the non-zero values as little-endian float32.
//
// Bags with the same instances have the same sum, whether dense or sparse, in memory or in a file. Ids, labels and
// groups do not count. ContentSum needs 32 bytes of memory per instance.
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

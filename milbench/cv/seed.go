package cv

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// SplitSeed derives a seed for a purpose ("folds", "fit", ...) and a position (repeat, fold, ...) from a study's
// seed. It is the first 8 bytes, little-endian, of SHA-256(purpose, 0, seed, at[0], at[1], ...), with every number as
// 8 little-endian bytes. Seeds for different purposes or positions are unrelated, and a seed depends on nothing else.
func SplitSeed(seed uint64, purpose string, at ...int) uint64 {
	sum := seedSum(seed, purpose, at)
	return binary.LittleEndian.Uint64(sum[:8])
}

// Rand returns a random generator for a purpose and a position: PCG seeded with bytes 0-7 and 8-15 of the hash in
// [SplitSeed].
func Rand(seed uint64, purpose string, at ...int) *rand.Rand {
	sum := seedSum(seed, purpose, at)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16])))
}

func seedSum(seed uint64, purpose string, at []int) [sha256.Size]byte {
	b := append([]byte(purpose), 0)
	b = binary.LittleEndian.AppendUint64(b, seed)
	for _, n := range at {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return sha256.Sum256(b)
}

package milbench

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// SplitSeed derives the seed of one purpose ("folds", "fit", ...) at a place (repeat, fold, ...) from a study's seed:
// the first 8 bytes, little-endian, of SHA-256(purpose, 0, seed, at[0], at[1], ...), every number as 8 little-endian
// bytes. Seeds of different purposes or places are unrelated, and the place of a seed is all that it depends on.
func SplitSeed(seed uint64, purpose string, at ...int) uint64 {
	sum := seedSum(seed, purpose, at)
	return binary.LittleEndian.Uint64(sum[:8])
}

// Rand returns the generator of one purpose at a place: PCG seeded by bytes 0-7 and 8-15 of the sum of [SplitSeed].
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

package mil

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// ContentSum returns the SHA-256, in hex, of the instances of a bag, whatever their order. It hashes the sorted
// SHA-256 sums of the instances ([EachEncoded]).
//
// Bags with the same instances have the same sum. Ids, labels and groups do not count. ContentSum needs 32 bytes of
// memory per instance.
func ContentSum(x Instances) (string, error) {
	sums := make([][sha256.Size]byte, 0, x.Len())
	if err := EachEncoded(x, nil, func(instance []byte) { sums = append(sums, sha256.Sum256(instance)) }); err != nil {
		return "", err
	}
	slices.SortFunc(sums, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	all := sha256.New()
	for _, s := range sums {
		all.Write(s[:])
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

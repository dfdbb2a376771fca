package dataset

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"

	"synpool/milbench/mil"
)

// File clean1.data of UCI data set 74. NOTICE-musk1.txt has its attribution and licence.
//
//go:generate sh -c "gzip -9 -n -c $MILBENCH_DATA/clean1.data >musk1.data.gz"
//go:embed musk1.data.gz
var musk1 []byte

// Musk1 returns the data set Musk 1, which is embedded in the program: 92 molecules, 47 of them musks, with 476
// conformations and 166 features. Bags have the names of their molecules as ids.
//
// Chapman and Jain (1994), Musk (Version 1), UCI Machine Learning Repository, doi.org/10.24432/C5ZK5B, CC BY 4.0.
func Musk1() (*mil.Set, error) {
	r, err := gzip.NewReader(bytes.NewReader(musk1))
	if err != nil {
		return nil, fmt.Errorf("musk1: %w", err)
	}
	return ReadC45(r, "musk1")
}

//go:build !unix

package dataset

import "synpool/milbench"

// mapped reads the array in pieces: files are mapped on Unix alone.
func mapped(a *numpyArray) (milbench.Instances, error) { return a, nil }

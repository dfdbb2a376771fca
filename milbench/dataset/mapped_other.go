//go:build !unix

package dataset

import "synpool/milbench"

// mapped reads the array in pieces, because only Unix can map files.
func mapped(a *numpyArray) (milbench.Instances, error) { return a, nil }

// Package hdf5 reads arrays of numbers from HDF5 files, in parts, and attributes that are numbers, without C.
//
// It reads what h5py and PyTables write by default: groups with symbol tables or compact links; integers of 8 to 64 bits and
// floats of 16, 32 and 64 bits, in either byte order; arrays stored contiguously, in the header, or in chunks; the filters
// gzip, shuffle, Fletcher checksum and LZF. Unsupported features give an error that names them ([ErrUnsupported]): other
// types, filters and chunk indices, links to other files, and groups with links in a heap. Nothing in a file is trusted:
// every length is checked against the size of the file before memory is allocated, and damage is an error ([ErrDamaged]).
//
// Source: HDF5 File Format Specification, version 3.0, The HDF Group.
//
// The Go module github.com/scigolib/hdf5 also reads HDF5. It is not used because it refuses float16, converts every number
// to float64, and allocates as much memory as a file claims to need.
package hdf5

import (
	"errors"
	"fmt"
)

// ErrDamaged is wrapped by errors about bytes that are invalid in HDF5.
var ErrDamaged = errors.New("the file is damaged")

// ErrUnsupported is wrapped by errors about HDF5 features that this package does not support.
var ErrUnsupported = errors.New("not supported")

// ErrNotFound is wrapped by errors about names that are not in a group.
var ErrNotFound = errors.New("not in the file")

func damagedf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrDamaged)
}

func unsupportedf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrUnsupported)
}

// Package hdf5 reads arrays of numbers from HDF5 files, in pieces, without C.
//
// It reads what h5py and PyTables write by default: groups with symbol tables or compact links; integers of 8 to 64 bits and floats of 16,
// 32 and 64, in either byte order; arrays stored in one piece, in the header, or in chunks; the filters gzip, shuffle, Fletcher's
// checksum and LZF. What it does not read it names in an error ([ErrUnsupported]): other types, filters and indices of chunks, links to
// other files, groups whose links are kept in a heap. Nothing in a file is trusted: every length is checked against the size of the file before memory is
// taken for it, and damage is an error ([ErrDamaged]).
//
// Source: HDF5 File Format Specification, version 3.0, The HDF Group.
//
// There is a Go module that reads HDF5, github.com/scigolib/hdf5. It refuses float16, makes every number a float64, and takes as much
// memory as a file asks for.
package hdf5

import (
	"errors"
	"fmt"
)

// ErrDamaged is wrapped by errors about bytes that no HDF5 file has.
var ErrDamaged = errors.New("the file is damaged")

// ErrUnsupported is wrapped by errors about what HDF5 has and this package does not read.
var ErrUnsupported = errors.New("not supported")

// ErrNotFound is wrapped by errors about names that a group does not have.
var ErrNotFound = errors.New("not in the file")

func damagedf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrDamaged)
}

func unsupportedf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrUnsupported)
}

package dataset

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"synpool/internal/disk"
	"synpool/internal/hdf5"
	"synpool/internal/parquet"
	"synpool/milbench/mil"
)

// ReadFile reads a set as stored: every column that is not marked otherwise is a feature. It detects the form from
// the first bytes, or else from the extension .mat, .data (C4.5) or .csv. Text with another extension is C4.5 if its
// first line ends with a dot. Files may be gzipped, except Parquet and HDF5. The set is named after the file, without
// folder and extensions.
//
// A Parquet file (.parquet) has one row per instance and the same columns as a CSV file with a header (see
// [ReadCSV]). It may contain numbers, booleans (read as 1 and 0), texts, and nulls for missing values. A column of
// lists with N numbers, such as embedding, becomes N features, embedding1 to embeddingN; all rows need the same N.
// The unnamed index stored by pandas is skipped.
//
// # Folders
//
// A folder of bags has one file per bag and a table of the bags. The instances of bag b are in b.npy, b.npz, b.h5, b.hdf5,
// b.pt or b.pth. Each file holds an array [instances, features] of float16, float32, float64 or integers of 8 to 64 bits, in
// either byte order:
//
//   - .npy as written by numpy.save, in C or Fortran order.
//   - .npz as written by numpy.savez. Files from numpy.savez_compressed work if the set fits into memory.
//   - .h5 and .hdf5 as written by CLAM, TRIDENT and STAMP, also of shape [1, instances, features], chunked or not, with
//     gzip or LZF. Attributes say how large a tile is ([mil.Bag.Tile]).
//   - .pt and .pth as written by torch.save since PyTorch 1.6: a tensor, or a dictionary of tensors. Nothing in the file
//     is run.
//
// Of several arrays, [Options.Array] says which one has the features. An array such as coords, [instances, 2], has the
// positions of the instances; so does a file b.index.npz. An array instance_labels, inst_labels, tile_labels, patch_labels or y_inst,
// [instances], has their labels ([mil.Set.InstanceLabels]), which are used if each file has one. Files whose names begin with a dot are skipped.
//
// Values are rounded to float32, less a centre where float32 would lose their digits ([mil.Set.Centre]). If all
// bags together exceed 256 MB, they stay in their files. All bags must have the same number of features. The features
// have no names.
//
// The table is labels.csv, or the only CSV or TSV file in the folder. It has a header and one line per bag, with the
// columns bag and label and optionally group and split, as in [ReadCSV]; other columns are ignored. The bags are in
// the order of the table. A bag without a file is an error, and so is a bag file that is not listed. Other files are
// ignored.
//
// An HDF5 file (.h5 or .hdf5) in which each group with a dataset features, or each dataset, is a bag, is read like a
// folder.
func ReadFile(path string) (*mil.Set, error) { return Options{}.ReadFile(path) }

// ReadFile is the function [ReadFile] with options.
func (o Options) ReadFile(path string) (*mil.Set, error) {
	if o.splitFile() {
		own := o
		own.Split = ""
		s, err := own.ReadFile(path)
		if err != nil {
			return nil, err
		}
		return o.split(s)
	}
	return o.rounded(path, reopened, func(o Options) (*mil.Set, error) { return o.readFile(path) })
}

func (o Options) readFile(path string) (*mil.Set, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return o.readFolder(path)
	}
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := inflated(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}

	first, err := in.Peek(128)
	if len(first) == 0 {
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return nil, fmt.Errorf("%s: %w", path, errEmpty)
	}
	base, extension := filepath.Base(path), ""
	for range 2 { // .csv.gz
		extension = strings.ToLower(filepath.Ext(base))
		base = strings.TrimSuffix(base, filepath.Ext(base))
		if extension != ".gz" {
			break
		}
	}
	for _, c := range [][2]string{{"labels", o.Labels}, {"features", o.Array}} {
		if c[1] != "" && extension != ".h5" && extension != ".hdf5" {
			return nil, fmt.Errorf("%s: no folder of bags and no HDF5 file; --%s %s is for those", path, c[0], c[1])
		}
	}
	var whole func(path string) (*mil.Set, error) // for a file that is not read from start to end
	switch {
	case bytes.HasPrefix(first, []byte(hdf5.Signature)) && (extension == ".h5" || extension == ".hdf5"):
		whole = o.readHDF5
	case extension == ".parquet", bytes.HasPrefix(first, []byte(parquet.Magic)) && bytes.IndexByte(first, 0) >= 0:
		whole = o.readParquet
	}
	if whole != nil {
		s, err := whole(path)
		if err == nil {
			s.Name = base
		}
		return s, err
	}
	read, table := o.readCSV, true
	switch {
	case bytes.HasPrefix(first, []byte("MATLAB")), bytes.HasPrefix(first, []byte("\x89HDF")), extension == ".mat",
		len(first) == 128 && (string(first[126:]) == "IM" || string(first[126:]) == "MI"):
		read, table = o.readMATLAB, false
	case bytes.HasPrefix(first, []byte{0, 0, 8}):
		return nil, fmt.Errorf("%s: an IDX file of images or labels, which has no bags; draw bags of digits from it", path)
	case bytes.HasPrefix(first, []byte(numpyMagic)):
		return nil, fmt.Errorf("%s: a NumPy array, which is one bag; give the folder of the bags with their %s", path, listName)
	case foreign(first) != nil:
		return nil, fmt.Errorf("%s: %w", path, foreign(first))
	case extension == ".names" && bytes.Contains(first, []byte(": ")):
		return nil, fmt.Errorf("%s: the names of a C4.5 file; give the file %s.data", path, base)
	case bytes.IndexByte(first, 0) >= 0:
		return nil, fmt.Errorf("%s: neither text nor a MATLAB file; give a .mat, .data, .csv, .parquet or .h5 file, or a folder of bags", path)
	case extension == ".data", extension != ".csv" && endsWithDot(in):
		read, table = o.readC45, false
	}
	if err := o.named(); err != nil && !table {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s, err := read(in, path)
	if err != nil {
		return nil, err
	}
	s.Name = base
	return s, nil
}

// endsWithDot reports whether the next line ends with a dot.
func endsWithDot(in *bufio.Reader) bool {
	text, _ := in.Peek(in.Size())
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return bytes.HasSuffix(bytes.TrimSpace(line), []byte("."))
}

// inflated returns the bytes of r, decompressed if they are gzipped.
func inflated(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if magic, _ := in.Peek(2); string(magic) != "\x1f\x8b" {
		return in, nil
	}
	unzipped, err := gzip.NewReader(in)
	if err != nil {
		return nil, readError(err)
	}
	return bufio.NewReaderSize(unzipped, 1<<16), nil
}

// errDamaged is wrapped by every error for bytes that are invalid in the form.
var errDamaged = errors.New("the file is damaged; fetch it again or save it again")

func damagedf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), errDamaged)
}

// advised adds advice to an error about a damaged HDF5 or Parquet file.
func advised(err error) error {
	if errors.Is(err, hdf5.ErrDamaged) || errors.Is(err, parquet.ErrDamaged) {
		return fmt.Errorf("%w; fetch it again or save it again", err)
	}
	return err
}

// readError explains why reading failed.
func readError(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return damagedf("ends early")
	case errors.Is(err, zlib.ErrChecksum), errors.Is(err, zlib.ErrHeader), errors.Is(err, zlib.ErrDictionary),
		errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, &corrupt):
		return damagedf("compressed data: %v", err)
	}
	return err
}

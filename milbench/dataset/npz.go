package dataset

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"synpool/milbench/mil"
)

// readNPZ opens the bag in a .npz file. Compressed arrays are read into memory, up to 256 MB.
func readNPZ(f *os.File, size int64, choose chooser) (c content, err error) {
	archive, err := zip.NewReader(f, size)
	if err != nil {
		return c, damagedf("no archive of arrays: %v", err)
	}
	var arrays []candidate
	var members []*zip.File
	for _, m := range archive.File {
		name, is := strings.CutSuffix(m.Name, ".npy")
		if !is || len(arrays) > mostArrays {
			continue
		}
		one := candidate{name: name}
		if in, err := m.Open(); err == nil {
			if h, err := readNumPyHeader(bufio.NewReader(in), name); err == nil {
				one.rows, one.cols, one.float = h.rows, h.columns, h.descr[1] == 'f'
			} else if len(archive.File) > 1 && name != featuresName && !isInstanceLabels(name) { // no table
				one.cols = -1
			}
			in.Close()
		}
		if one.cols >= 0 {
			arrays, members = append(arrays, one), append(members, m)
		}
	}
	return gather(arrays, choose, func(k int) (mil.Instances, error) { return npzArray(f, size, members[k]) })
}

// npzArray opens an array of an archive.
func npzArray(f *os.File, size int64, member *zip.File) (mil.Instances, error) {
	if member.Method == zip.Store {
		at, err := member.DataOffset()
		if err != nil {
			return nil, damagedf("no archive of arrays: %v", err)
		}
		// Check the size claimed by the archive against the file.
		size := min(member.UncompressedSize64, uint64(max(0, size-at)))
		h, err := readNumPyHeader(bufio.NewReader(io.NewSectionReader(f, at, int64(size))), strings.TrimSuffix(member.Name, ".npy"))
		if err == nil {
			err = h.check(int64(size))
		}
		if err != nil {
			return nil, arrayError(member, err)
		}
		h.size += at
		return &numpyArray{numpyHeader: h, path: f.Name()}, nil
	}
	in, err := member.Open()
	if err != nil {
		return nil, arrayError(member, damagedf("%v", err))
	}
	defer in.Close()
	x, err := inflatedArray(bufio.NewReader(in), f.Name(), strings.TrimSuffix(member.Name, ".npy"))
	if err != nil {
		return nil, arrayError(member, err)
	}
	return x, nil
}

// arrayError adds the name of the array to an error.
func arrayError(member *zip.File, err error) error {
	return fmt.Errorf("array %s: %w", few([]string{strings.TrimSuffix(member.Name, ".npy")}), err)
}

// inflatedArray reads a whole array.
func inflatedArray(in io.Reader, path, name string) (*numpyArray, error) {
	h, err := readNumPyHeader(in, name)
	if err != nil {
		return nil, err
	}
	width := int64(h.numbers.width)
	if h.rows == 0 || h.columns == 0 {
		return nil, h.check(h.size)
	}
	if h.columns > mostHeld || h.rows > mostHeld/h.columns {
		return nil, fmt.Errorf("%d x %d numbers, compressed, are too many for memory; write them with numpy.savez or numpy.save", h.rows, h.columns)
	}
	// Read before allocating: a header may claim more than there is.
	b, err := io.ReadAll(io.LimitReader(in, h.rows*h.columns*width+1))
	if err != nil {
		return nil, readError(err)
	}
	if err := h.check(h.size + int64(len(b))); err != nil {
		return nil, err
	}
	h.size = 0
	return &numpyArray{numpyHeader: h, path: path, inflated: b}, nil
}

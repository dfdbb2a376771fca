package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// readIDX reads a byte array in the IDX format of MNIST, gzipped or not: two zero bytes, the type (8, unsigned byte),
// the number of dimensions, their sizes as 32-bit big-endian numbers, and the bytes. The number of dimensions must
// match.
func readIDX(r io.Reader, name string, dimensions int) (sizes []int, data []byte, err error) {
	in, err := inflated(r)
	if err == nil {
		sizes, data, err = readIDXBytes(in, dimensions)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return sizes, data, nil
}

func readIDXBytes(in io.Reader, dimensions int) (sizes []int, data []byte, err error) {
	header := make([]byte, 4*(1+dimensions))
	if n, err := io.ReadFull(in, header[:4]); err == io.EOF && n == 0 {
		return nil, nil, errors.New("the file is empty")
	} else if err != nil {
		return nil, nil, readError(err)
	}
	if want := [4]byte{0, 0, 8, byte(dimensions)}; [4]byte(header) != want {
		return nil, nil, fmt.Errorf("begins with % x, not with % x as an IDX file of bytes in %d dimensions", header[:4], want, dimensions)
	}
	if _, err := io.ReadFull(in, header[4:]); err != nil {
		return nil, nil, readError(err)
	}
	size := uint64(1)
	for i := range dimensions {
		n := binary.BigEndian.Uint32(header[4*(i+1):])
		if n == 0 {
			return nil, nil, fmt.Errorf("dimension %d is 0; the file holds nothing", i+1)
		}
		sizes = append(sizes, int(n))
		if size *= uint64(n); size > 1<<40 {
			return nil, nil, fmt.Errorf("claims dimensions %v, more than a file holds; fetch it again", sizes)
		}
	}
	data, err = io.ReadAll(io.LimitReader(in, int64(size)+1)) // grows while reading, up to the gzip checksum
	switch {
	case err != nil:
		return nil, nil, readError(err)
	case uint64(len(data)) < size:
		return nil, nil, readError(io.ErrUnexpectedEOF)
	case uint64(len(data)) > size:
		return nil, nil, fmt.Errorf("goes on after the %d bytes of its dimensions %v; fetch it again", size, sizes)
	}
	return sizes, data, nil
}

package dataset

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unsafe"

	"synpool/internal/disk"
	"synpool/internal/float16"
	"synpool/milbench/mil"
)

// numpyMagic starts every array file.
const numpyMagic = "\x93NUMPY"

// maxNumPyHeader limits the header of an array, in bytes. Headers for two dimensions and one type take 128.
const maxNumPyHeader = 1 << 16

// numpyTypes has the supported number types, by NumPy's name after the byte order.
var numpyTypes = map[string]decoder{
	"i1": decoders[miINT8], "i2": decoders[miINT16], "i4": decoders[miINT32], "i8": decoders[miINT64],
	"b1": decoders[miUINT8], "u1": decoders[miUINT8], "u2": decoders[miUINT16], "u4": decoders[miUINT32], "u8": decoders[miUINT64],
	"f2": {2, func(o binary.ByteOrder, b []byte) float64 { return float64(float16.Float32(o.Uint16(b))) }, func(b []byte, dst []float32) {
		for k := range dst {
			dst[k] = float16.Float32(uint16(b[2*k]) | uint16(b[2*k+1])<<8)
		}
	}},
	"f4": {4, decoders[miSINGLE].decode, func(b []byte, dst []float32) {
		if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
			copy(bytesOf(dst), b) // does nothing if they were read there
			return
		}
		for k := range dst {
			dst[k] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:]))
		}
	}},
	"f8": decoders[miDOUBLE],
}

// float32s decodes one number per element of dst, rounded to float32. Number k is of the given column plus k modulo
// columns. If a number is not finite or too large, it returns its index and an error.
func (d decoder) float32s(order binary.ByteOrder, b []byte, dst []float32, r *rounding, column, columns int) (int, error) {
	b = b[:d.width*len(dst)]
	if d.narrow != nil && order == binary.LittleEndian && !r.centred() {
		d.narrow(b, dst)
		for k, v := range dst {
			if !mil.Finite(v) {
				_, err := mil.Float32(float64(v))
				return k, err
			}
		}
		return 0, nil
	}
	for k := range dst {
		v, err := r.of(column+k%columns, d.decode(order, b[k*d.width:]))
		if err != nil {
			return k, err
		}
		dst[k] = v
	}
	return 0, nil
}

// numpyHeader is the header of an array [rows, columns].
type numpyHeader struct {
	numbers       decoder
	order         binary.ByteOrder
	fortran       bool // stored column by column
	rows, columns int64
	size          int64  // of the header, in bytes
	descr         string // NumPy's name of the type
}

// readNumPy reads the header of a .npy file.
func readNumPy(f *os.File, size int64, choose chooser) (content, error) {
	h, err := readNumPyHeader(bufio.NewReader(f), "")
	if err == nil {
		err = h.check(size)
	}
	if err == nil {
		_, err = choose([]candidate{{rows: h.rows, cols: h.columns}})
	}
	return content{features: &numpyArray{numpyHeader: h, path: f.Name()}}, err
}

// check returns an error if the array is empty or the file size does not match it.
func (h numpyHeader) check(size int64) error {
	if h.rows == 0 || h.columns == 0 {
		return fmt.Errorf("an array of %d instances with %d features; remove the bag or give it instances", h.rows, h.columns)
	}
	width := int64(h.numbers.width)
	if n := (size - h.size) / width; h.columns > n || h.rows > n/h.columns || h.rows*h.columns*width != size-h.size {
		return damagedf("%d bytes for %d x %d numbers of %d bytes", max(0, size-h.size), h.rows, h.columns, width)
	}
	return nil
}

// numpyArray is an array [instances, features] in a .npy file. It is read in pieces.
type numpyArray struct {
	numpyHeader
	path     string
	inflated []byte // the numbers of a compressed array; nil if they are in the file
	rounding *rounding
}

var _ mil.Instances = (*numpyArray)(nil)

// Len implements [mil.Instances].
func (a *numpyArray) Len() int { return int(a.rows) }

// Features implements [mil.Instances].
func (a *numpyArray) Features() int { return int(a.columns) }

// Read implements [mil.Instances]. It opens the file only during the call, because a set may have more bags than
// a process may have open files.
func (a *numpyArray) Read(i, j int, dst []float32) error {
	var in io.ReaderAt = bytes.NewReader(a.inflated)
	if a.inflated == nil {
		f, err := disk.Open(a.path)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	rows := max(1, pieceValues/int(a.columns)) // at a time, so that the bytes of a large array are not held beside its values
	if a.fortran {
		rows = j - i
	}
	for k := i; k < j; k += rows {
		if err := a.read(in, k, min(k+rows, j), dst[(k-i)*int(a.columns):]); err != nil {
			return fmt.Errorf("%s: %w", a.path, err)
		}
	}
	return nil
}

// pieceValues is the number of values that are read at once.
const pieceValues = 1 << 18

// read reads instances i to j-1 of an array.
func (a *numpyArray) read(in io.ReaderAt, i, j int, dst []float32) error {
	width, columns := a.numbers.width, int(a.columns)
	run, runs, wide := (j-i)*columns, 1, columns // length and number of contiguous runs in the file, and columns of each
	values := dst[:run]
	if a.fortran {
		run, runs, wide = j-i, columns, 1
		values = make([]float32, run)
	}
	piece := bytesOf(values) // numbers of four bytes are decoded in their place: each is read before it is written
	if width != 4 {
		piece = make([]byte, run*width)
	}
	for k := range runs {
		at := int64(i) * a.columns
		if a.fortran {
			at = int64(k)*a.rows + int64(i)
		}
		if n, err := in.ReadAt(piece, a.size+at*int64(width)); n < len(piece) {
			return readError(err)
		}
		if p, err := a.numbers.float32s(a.order, piece, values, a.rounding, k, wide); err != nil {
			row, column := p/columns, p%columns
			if a.fortran {
				row, column = p, k
			}
			return fmt.Errorf("row %d, column %d (from 0): %w", i+row, column, err)
		}
		if a.fortran {
			for row, v := range values {
				dst[row*columns+k] = v
			}
		}
	}
	return nil
}

// bytesOf returns the memory of numbers.
func bytesOf(numbers []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(numbers))), 4*len(numbers))
}

// readNumPyHeader reads everything before the numbers of an array with this name.
func readNumPyHeader(in io.Reader, name string) (h numpyHeader, err error) {
	first := make([]byte, len(numpyMagic)+2)
	if n, err := io.ReadFull(in, first); n > 0 && !strings.HasPrefix(string(first[:n]), numpyMagic[:min(n, len(numpyMagic))]) {
		return h, errors.New("no NumPy array; write it with numpy.save")
	} else if err != nil {
		return h, readError(err)
	}
	length := make([]byte, 4)
	switch major := first[len(numpyMagic)]; major {
	case 1:
		length = length[:2]
	case 2, 3:
	default:
		return h, fmt.Errorf("version %d of the NumPy format, which is not supported; write it with numpy.save", major)
	}
	if _, err := io.ReadFull(in, length); err != nil {
		return h, readError(err)
	}
	n := uint32(binary.LittleEndian.Uint16(length))
	if len(length) == 4 {
		n = binary.LittleEndian.Uint32(length)
	}
	if n > maxNumPyHeader {
		return h, damagedf("a header of %d bytes", n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(in, text); err != nil {
		return h, readError(err)
	}
	h.size = int64(len(first) + len(length) + len(text))
	return h, h.parse(string(text), name)
}

// numpyEntry matches an entry of the header dictionary. Its value is a string, list, tuple or Boolean.
var numpyEntry = regexp.MustCompile(`'(\w+)'\s*:\s*('[^']*'|\[.*\]|\([^()]*\)|True|False)`)

// parse reads the dictionary in a header, in Python syntax:
// {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }.
func (h *numpyHeader) parse(text, name string) error {
	text = strings.ReplaceAll(text, `"`, `'`)
	entries := map[string]string{}
	for _, m := range numpyEntry.FindAllStringSubmatch(text, -1) {
		entries[m[1]] = m[2]
	}
	rest := strings.Map(func(r rune) rune {
		if strings.ContainsRune("{}, \n", r) {
			return -1
		}
		return r
	}, numpyEntry.ReplaceAllString(text, ""))
	descr, fortran, shape := entries["descr"], entries["fortran_order"], entries["shape"]
	if len(entries) != 3 || rest != "" || descr == "" || fortran != "True" && fortran != "False" || !strings.HasPrefix(shape, "(") {
		return damagedf("the header %.60q", text)
	}
	h.fortran = fortran == "True"
	if err := h.parseType(strings.Trim(descr, "'")); err != nil {
		return err
	}
	sizes := []int64{}
	inside := strings.TrimSpace(strings.Trim(shape, "()"))
	for size := range strings.SplitSeq(strings.TrimSuffix(inside, ","), ",") {
		if inside == "" {
			break // no dimensions
		}
		n, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(size), "L"), 10, 62) // Python 2 writes 3L
		if err != nil {
			return damagedf("the shape %.60q", shape)
		}
		sizes = append(sizes, int64(n))
	}
	if isInstanceLabels(name) {
		sizes = tableShape(sizes, name)
	}
	if len(sizes) != 2 {
		return fmt.Errorf("an array of shape %.60s; save one of two dimensions, [instances, features]", strings.Join(strings.Fields(shape), " "))
	}
	h.rows, h.columns = sizes[0], sizes[1]
	return nil
}

// parseType reads the type of the numbers, for example <f8.
func (h *numpyHeader) parseType(descr string) error {
	h.descr = descr
	const cure = "save numbers, such as x.astype(numpy.float32)"
	if strings.HasSuffix(descr, "O") {
		return errors.New("an array of Python objects; " + cure)
	}
	var known bool
	if descr != "" {
		h.numbers, known = numpyTypes[descr[1:]]
	}
	switch {
	case known && descr[0] == '<':
		h.order = binary.LittleEndian
	case known && descr[0] == '>':
		h.order = binary.BigEndian
	case known && descr[0] == '|' && h.numbers.width == 1:
		h.order = binary.LittleEndian // a single byte has no order
	default:
		return fmt.Errorf("an array of type %.60q; %s", descr, cure)
	}
	return nil
}

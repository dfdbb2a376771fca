package dataset

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"

	"synpool/milbench"
)

// numpyMagic begins every array.
const numpyMagic = "\x93NUMPY"

// maxNumPyHeader bounds the header of an array in bytes; those of two dimensions and one type take 128.
const maxNumPyHeader = 1 << 16

// numpyTypes are the types of numbers that are read, by what NumPy calls them behind the byte order.
var numpyTypes = map[string]decoder{
	"i1": decoders[miINT8], "i2": decoders[miINT16], "i4": decoders[miINT32], "i8": decoders[miINT64],
	"u1": decoders[miUINT8], "u2": decoders[miUINT16], "u4": decoders[miUINT32], "u8": decoders[miUINT64],
	"f2": {2, func(o binary.ByteOrder, b []byte) float64 { return float16(o.Uint16(b)) }},
	"f4": decoders[miSINGLE], "f8": decoders[miDOUBLE],
}

// float16 returns the number of 16 bits (IEEE 754 binary16: sign, 5 bits of exponent, 10 of fraction). It is exact.
func float16(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	var size float64
	switch {
	case exponent == 0: // subnormal, or 0
		size = math.Ldexp(fraction, -24)
	case exponent < 31:
		size = math.Ldexp(1024+fraction, exponent-25)
	case fraction == 0:
		size = math.Inf(1)
	default:
		return math.NaN()
	}
	if bits>>15 == 1 {
		return -size
	}
	return size
}

// numpyHeader is what stands before the numbers of an array [rows, columns].
type numpyHeader struct {
	numbers       decoder
	order         binary.ByteOrder
	fortran       bool // column by column
	rows, columns int64
	size          int64 // of the header itself, in bytes
}

// readArray reads a .npy file. It errs with [fs.ErrNotExist] where there is none.
func readArray(path string) (milbench.Matrix, error) {
	info, err := os.Stat(path) // before it is opened: a pipe would wait for who writes it
	if err != nil {
		return milbench.Matrix{}, err
	}
	if !info.Mode().IsRegular() {
		return milbench.Matrix{}, fmt.Errorf("%s: no file but something else of that name; move it away", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return milbench.Matrix{}, err
	}
	defer f.Close()
	m, err := readNumPyArray(bufio.NewReaderSize(f, 1<<16), info.Size())
	if err != nil {
		return milbench.Matrix{}, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// readNumPyArray reads the array in a file of size bytes (NumPy enhancement proposal 1; numpy.lib.format).
func readNumPyArray(in io.Reader, size int64) (milbench.Matrix, error) {
	h, err := readNumPyHeader(in)
	if err != nil {
		return milbench.Matrix{}, err
	}
	if h.rows == 0 || h.columns == 0 {
		return milbench.Matrix{}, fmt.Errorf("an array of %d instances with %d features; remove the bag or give it instances", h.rows, h.columns)
	}
	width := h.numbers.width
	if n := (size - h.size) / int64(width); h.columns > n || h.rows > n/h.columns || h.rows*h.columns*int64(width) != size-h.size {
		return milbench.Matrix{}, damagedf("%d bytes for %d x %d numbers of %d bytes", max(0, size-h.size), h.rows, h.columns, width)
	}
	values, err := h.values(in, int(h.rows*h.columns))
	if err != nil {
		return milbench.Matrix{}, err
	}
	m := milbench.Matrix{Rows: int(h.rows), Cols: int(h.columns), Values: values}
	if h.fortran {
		m.Values = make([]float64, 0, len(values))
		for i := range m.Rows {
			for k := i; k < len(values); k += m.Rows {
				m.Values = append(m.Values, values[k])
			}
		}
	}
	for k, v := range m.Values {
		if err := finite(v); err != nil {
			return milbench.Matrix{}, fmt.Errorf("row %d, column %d (from 0): %w", k/m.Cols, k%m.Cols, err)
		}
	}
	return m, nil
}

// values reads n numbers in the order of the file. The slice grows as they come.
func (h numpyHeader) values(in io.Reader, n int) ([]float64, error) {
	d := h.numbers
	var values []float64
	chunk := make([]byte, min(n*d.width, 1<<14))
	for len(values) < n {
		part := chunk[:min((n-len(values))*d.width, len(chunk))]
		if _, err := io.ReadFull(in, part); err != nil {
			return nil, readError(err)
		}
		for i := 0; i < len(part); i += d.width {
			values = append(values, d.decode(h.order, part[i:]))
		}
	}
	return values, nil
}

// readNumPyHeader reads up to the numbers.
func readNumPyHeader(in io.Reader) (h numpyHeader, err error) {
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
		return h, fmt.Errorf("version %d of the NumPy format, which is unknown; write it with numpy.save", major)
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
	return h, h.parse(string(text))
}

// numpyEntry is an entry of the dictionary that a header is. Its value is a string, a list, a tuple or a truth value.
var numpyEntry = regexp.MustCompile(`'(\w+)'\s*:\s*('[^']*'|\[.*\]|\([^()]*\)|True|False)`)

// parse reads the dictionary of a header, in Python's syntax: {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }.
func (h *numpyHeader) parse(text string) error {
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
			break // of no dimensions
		}
		n, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(size), "L"), 10, 62) // Python 2 wrote 3L
		if err != nil {
			return damagedf("the shape %.60q", shape)
		}
		sizes = append(sizes, int64(n))
	}
	if len(sizes) != 2 {
		return fmt.Errorf("an array of shape %.60s; save one of two dimensions, [instances, features]", strings.Join(strings.Fields(shape), " "))
	}
	h.rows, h.columns = sizes[0], sizes[1]
	return nil
}

// parseType reads the type of the numbers, such as <f8.
func (h *numpyHeader) parseType(descr string) error {
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
		h.order = binary.LittleEndian // there is none of one byte
	default:
		return fmt.Errorf("an array of type %.60q; %s", descr, cure)
	}
	return nil
}

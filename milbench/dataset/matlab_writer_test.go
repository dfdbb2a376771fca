package dataset

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math"
)

// matWriter writes MAT-files in every variant of level 5.
type matWriter struct {
	order    binary.AppendByteOrder
	compress bool   // write variables as miCOMPRESSED
	small    bool   // put elements of up to four bytes inside their tags
	storage  uint32 // type of numbers
}

func (w matWriter) element(kind uint32, data []byte) []byte {
	if w.small && len(data) > 0 && len(data) <= 4 {
		out := w.order.AppendUint32(nil, uint32(len(data))<<16|kind)
		return append(append(out, data...), make([]byte, 4-len(data))...)
	}
	out := w.order.AppendUint32(nil, kind)
	out = w.order.AppendUint32(out, uint32(len(data)))
	return append(append(out, data...), make([]byte, -len(data)&7)...)
}

func (w matWriter) number(out []byte, kind uint32, v float64) []byte {
	switch kind {
	case miINT8, miUINT8:
		return append(out, byte(int64(v)))
	case miINT16, miUINT16:
		return w.order.AppendUint16(out, uint16(int64(v)))
	case miINT32, miUINT32:
		return w.order.AppendUint32(out, uint32(int64(v)))
	case miINT64, miUINT64:
		return w.order.AppendUint64(out, uint64(int64(v)))
	case miSINGLE:
		return w.order.AppendUint32(out, math.Float32bits(float32(v)))
	}
	return w.order.AppendUint64(out, math.Float64bits(v))
}

func (w matWriter) numbers(kind uint32, values ...float64) []byte {
	var data []byte
	for _, v := range values {
		data = w.number(data, kind, v)
	}
	return w.element(kind, data)
}

// array writes a miMATRIX element; flags go into the second byte, for example 0x08 for complex.
func (w matWriter) array(name string, class, flags byte, dimensions []float64, parts ...[]byte) []byte {
	head := w.element(miUINT32, w.order.AppendUint32(w.order.AppendUint32(nil, uint32(flags)<<8|uint32(class)), 1))
	if dimensions != nil {
		head = append(head, w.numbers(miINT32, dimensions...)...)
	}
	head = append(head, w.element(miINT8, []byte(name))...)
	return w.element(miMATRIX, append(head, bytes.Join(parts, nil)...))
}

// matrix writes rows of numbers as a dense array of doubles in w.storage.
func (w matWriter) matrix(name string, rows [][]float64) []byte {
	var values []float64
	for j := range rows[0] {
		for i := range rows {
			values = append(values, rows[i][j])
		}
	}
	return w.array(name, mxDOUBLE, 0, []float64{float64(len(rows)), float64(len(rows[0]))}, w.numbers(w.storage, values...))
}

// sparse writes rows of numbers as a sparse array, with room for two more values.
func (w matWriter) sparse(name string, rows [][]float64) []byte {
	var row, values []float64
	start := []float64{0}
	for j := range rows[0] {
		for i := range rows {
			if v := rows[i][j]; v != 0 {
				row, values = append(row, float64(i)), append(values, v)
			}
		}
		start = append(start, float64(len(values)))
	}
	return w.array(name, mxSPARSE, 0, []float64{float64(len(rows)), float64(len(rows[0]))},
		w.numbers(miINT32, append(row, 0, 0)...), w.numbers(miINT32, start...), w.numbers(w.storage, append(values, 0, 0)...))
}

// cells writes an N x 2 cell array, instance matrices before labels.
func (w matWriter) cells(name string, cells ...[]byte) []byte {
	return w.array(name, mxCELL, 0, []float64{float64(len(cells) / 2), 2}, cells...)
}

// file writes variables after a header.
func (w matWriter) file(variables ...[]byte) []byte {
	header := append(bytes.Repeat([]byte{' '}, 116), make([]byte, 8)...)
	copy(header, "MATLAB 5.0 MAT-file")
	header = w.order.AppendUint16(header, 0x0100)
	out := w.order.AppendUint16(header, 'M'<<8|'I')
	for _, variable := range variables {
		if w.compress {
			var deflated bytes.Buffer
			z := zlib.NewWriter(&deflated)
			z.Write(variable)
			z.Close()
			out = w.order.AppendUint32(out, miCOMPRESSED)
			out = w.order.AppendUint32(out, uint32(deflated.Len()))
			variable = deflated.Bytes()
		}
		out = append(out, variable...)
	}
	return out
}

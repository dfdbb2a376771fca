package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

var (
	errShort = errors.New("ends early")
	errForm  = errors.New("no struct of Thrift")
)

// decode decodes a struct of Thrift's compact protocol at the beginning of data and returns its length. It first checks that
// no list is longer than the remaining bytes, so a false length allocates nothing. (A list element may take a few hundred
// times the memory of its byte.)
func decode(data []byte, to any) (n int, err error) {
	w := walker{data}
	if err := w.structure(0); err != nil {
		return 0, err
	}
	n = len(data) - len(w.data)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errForm, p)
		}
	}()
	var protocol thrift.CompactProtocol
	return n, thrift.NewDecoder(protocol.NewReaderFromBytes(data[:n])).Decode(to)
}

// walker skips values of the compact protocol.
type walker struct{ data []byte }

// The types of the compact protocol whose values take bytes.
const (
	thriftStop   = 0
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftInt16  = 4
	thriftInt32  = 5
	thriftInt64  = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

func (w *walker) skip(n uint64) error {
	if n > uint64(len(w.data)) {
		return errShort
	}
	w.data = w.data[n:]
	return nil
}

func (w *walker) one() (byte, error) {
	if len(w.data) == 0 {
		return 0, errShort
	}
	b := w.data[0]
	w.data = w.data[1:]
	return b, nil
}

func (w *walker) uvarint() (uint64, error) {
	v, n := binary.Uvarint(w.data)
	switch {
	case n == 0:
		return 0, errShort
	case n < 0:
		return 0, errForm
	}
	w.data = w.data[n:]
	return v, nil
}

func (w *walker) structure(depth int) error {
	for {
		head, err := w.one()
		if err != nil || head == thriftStop {
			return err
		}
		if head>>4 == 0 { // the number of the field follows
			if _, err := w.uvarint(); err != nil {
				return err
			}
		}
		if kind := head & 15; kind != thriftTrue && kind != thriftFalse {
			if err := w.value(kind, depth); err != nil {
				return err
			}
		}
	}
}

// value skips a value that is not a boolean field.
func (w *walker) value(kind byte, depth int) error {
	if depth > mostNesting {
		return errForm
	}
	switch kind {
	case thriftTrue, thriftFalse, thriftByte: // booleans in a list
		return w.skip(1)
	case thriftInt16, thriftInt32, thriftInt64:
		_, err := w.uvarint()
		return err
	case thriftDouble:
		return w.skip(8)
	case thriftBinary:
		n, err := w.uvarint()
		if err != nil {
			return err
		}
		return w.skip(n)
	case thriftStruct:
		return w.structure(depth + 1)
	case thriftList, thriftSet:
		head, err := w.one()
		if err != nil {
			return err
		}
		n := uint64(head >> 4)
		if n == 15 {
			if n, err = w.uvarint(); err != nil {
				return err
			}
		}
		return w.values(n, depth, head&15)
	case thriftMap:
		n, err := w.uvarint()
		if err != nil || n == 0 {
			return err
		}
		kinds, err := w.one()
		if err != nil {
			return err
		}
		return w.values(n, depth, kinds>>4, kinds&15)
	}
	return errForm
}

// values skips n groups of values of these kinds. Each value has at least one byte.
func (w *walker) values(n uint64, depth int, kinds ...byte) error {
	if n > uint64(len(w.data)) {
		return errShort
	}
	for range n {
		for _, kind := range kinds {
			if err := w.value(kind, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

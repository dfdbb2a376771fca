// Package pickle reads Python pickles of plain data, such as those of torch.save, without executing anything.
//
// It supports numbers, strings, bytes, None, booleans, tuples, lists and dictionaries. A class is represented by its name
// ([Global]), the result of a call by a [Call] with its arguments, and an object stored elsewhere by a [Persistent]. Other
// opcodes are an error. A length beyond the end of the pickle is also an error, and no memory is allocated for it.
//
// Source: Lib/pickletools.py of CPython.
package pickle

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Global is the full name of a class or function, including its module.
type Global string

// Call represents the result of a function for arguments, and the state that would be set on it.
type Call struct {
	Func  any // usually a Global
	Args  Tuple
	Items *Dict // items of a subclass of dict
}

// Persistent is the id of an object that is stored elsewhere.
type Persistent struct{ ID any }

// Tuple is a tuple.
type Tuple []any

// List is a list.
type List struct{ Items []any }

// Dict is an ordered dictionary.
type Dict struct{ Keys, Values []any }

// ErrDamaged is wrapped by errors about bytes that are not a valid pickle.
var ErrDamaged = errors.New("damaged pickle")

// mark is the position of a MARK opcode on the stack.
type mark struct{}

// reader reads opcodes.
type reader struct {
	b     []byte
	stack []any
	memo  map[uint64]any
}

// Read returns the value of a pickle. Integers are int64, floats float64.
func Read(b []byte) (any, error) {
	r := &reader{b: b, memo: make(map[uint64]any)}
	for {
		done, err := r.step()
		if err != nil {
			return nil, err
		}
		if done {
			return r.pop()
		}
	}
}

func damaged(what string) error { return fmt.Errorf("%s: %w", what, ErrDamaged) }

// next returns the next n bytes.
func (r *reader) next(n uint64) ([]byte, error) {
	if n > uint64(len(r.b)) {
		return nil, damaged("ends early")
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b, nil
}

// number returns the next little-endian number of n bytes.
func (r *reader) number(n uint64) (uint64, error) {
	b, err := r.next(n)
	if err != nil {
		return 0, err
	}
	var wide [8]byte
	copy(wide[:], b)
	return binary.LittleEndian.Uint64(wide[:]), nil
}

// sized returns bytes that are preceded by their length, a number of n bytes.
func (r *reader) sized(n uint64) ([]byte, error) {
	length, err := r.number(n)
	if err != nil {
		return nil, err
	}
	return r.next(length)
}

// line returns the bytes up to a line break.
func (r *reader) line() (string, error) {
	i := bytes.IndexByte(r.b, '\n')
	if i < 0 {
		return "", damaged("ends early")
	}
	before := string(r.b[:i])
	r.b = r.b[i+1:]
	return before, nil
}

func (r *reader) push(v any) { r.stack = append(r.stack, v) }

func (r *reader) pop() (any, error) {
	if len(r.stack) == 0 {
		return nil, damaged("nothing on the stack")
	}
	v := r.stack[len(r.stack)-1]
	r.stack = r.stack[:len(r.stack)-1]
	if _, is := v.(mark); is {
		return nil, damaged("a mark on the stack")
	}
	return v, nil
}

// popMark removes and returns the values above the last mark.
func (r *reader) popMark() ([]any, error) {
	for i := len(r.stack) - 1; i >= 0; i-- {
		if _, is := r.stack[i].(mark); is {
			items := append([]any(nil), r.stack[i+1:]...)
			r.stack = r.stack[:i]
			return items, nil
		}
	}
	return nil, damaged("no mark on the stack")
}

// popTuple removes and returns the last n values of the stack.
func (r *reader) popTuple(n int) (Tuple, error) {
	t := make(Tuple, n)
	for i := n - 1; i >= 0; i-- {
		v, err := r.pop()
		if err != nil {
			return nil, err
		}
		t[i] = v
	}
	return t, nil
}

// step executes an opcode; done says that it was the last one.
func (r *reader) step() (done bool, err error) {
	op, err := r.next(1)
	if err != nil {
		return false, err
	}
	switch op[0] {
	case '.': // STOP
		return true, nil
	case 0x80: // PROTO
		_, err = r.next(1)
	case 0x95: // FRAME
		_, err = r.next(8)
	case '(': // MARK
		r.push(mark{})
	case 'N': // NONE
		r.push(nil)
	case 0x88, 0x89: // NEWTRUE, NEWFALSE
		r.push(op[0] == 0x88)
	case ')': // EMPTY_TUPLE
		r.push(Tuple{})
	case ']': // EMPTY_LIST
		r.push(&List{})
	case '}': // EMPTY_DICT
		r.push(&Dict{})
	case '0': // POP
		_, err = r.pop()
	default:
		err = r.value(op[0])
	}
	return false, err
}

// value executes an opcode that has an argument or takes values from the stack.
func (r *reader) value(op byte) error {
	var n uint64
	var b []byte
	var err error
	switch op {
	case 'K', 'M': // BININT1, BININT2
		n, err = r.number(uint64(op-'K')/2 + 1)
		r.push(int64(n))
	case 'J': // BININT
		n, err = r.number(4)
		r.push(int64(int32(uint32(n))))
	case 0x8a: // LONG1
		b, err = r.sized(1)
		if len(b) > 8 {
			return damaged("a number of more than 64 bits")
		}
		var wide [8]byte
		copy(wide[:], b)
		shift := 64 - 8*len(b)
		r.push(int64(binary.LittleEndian.Uint64(wide[:])<<shift) >> shift)
	case 'G': // BINFLOAT
		if b, err = r.next(8); err == nil {
			r.push(math.Float64frombits(binary.BigEndian.Uint64(b)))
		}
	case 'X', 0x8c, 'U', 'T', 'C', 'B': // texts and bytes
		width := map[byte]uint64{'X': 4, 0x8c: 1, 'U': 1, 'T': 4, 'C': 1, 'B': 4}[op]
		b, err = r.sized(width)
		r.push(string(b))
	case 'q', 'r', 'h', 'j': // BINPUT, LONG_BINPUT, BINGET, LONG_BINGET
		width := map[byte]uint64{'q': 1, 'r': 4, 'h': 1, 'j': 4}[op]
		if n, err = r.number(width); err != nil {
			return err
		}
		if op == 'q' || op == 'r' {
			return r.remember(n)
		}
		v, known := r.memo[n]
		if !known {
			return damaged("a value that was not kept")
		}
		r.push(v)
	case 0x94: // MEMOIZE
		return r.remember(uint64(len(r.memo)))
	default:
		return r.compound(op)
	}
	return err
}

// remember stores the value on top of the stack in the memo.
func (r *reader) remember(at uint64) error {
	v, err := r.pop()
	if err == nil {
		r.push(v)
		r.memo[at] = v
	}
	return err
}

// compound executes an opcode that makes a value from others.
func (r *reader) compound(op byte) error {
	switch op {
	case 't': // TUPLE
		items, err := r.popMark()
		r.push(Tuple(items))
		return err
	case 0x85, 0x86, 0x87: // TUPLE1, TUPLE2, TUPLE3
		t, err := r.popTuple(int(op) - 0x84)
		r.push(t)
		return err
	case 'c': // GLOBAL
		module, err := r.line()
		if err != nil {
			return err
		}
		name, err := r.line()
		r.push(Global(module + "." + name))
		return err
	case 0x93: // STACK_GLOBAL
		t, err := r.popTuple(2)
		if err != nil {
			return err
		}
		module, is1 := t[0].(string)
		name, is2 := t[1].(string)
		if !is1 || !is2 {
			return damaged("a class without a name")
		}
		r.push(Global(module + "." + name))
		return nil
	case 'Q': // BINPERSID
		id, err := r.pop()
		r.push(Persistent{id})
		return err
	case 'R', 0x81: // REDUCE, NEWOBJ
		t, err := r.popTuple(2)
		if err != nil {
			return err
		}
		args, is := t[1].(Tuple)
		if !is {
			return damaged("a call without arguments")
		}
		r.push(&Call{Func: t[0], Args: args, Items: &Dict{}})
		return nil
	case 'b': // BUILD: the state, which torch has for the metadata of a dictionary
		_, err := r.pop()
		return err
	case 'a', 'e', 's', 'u': // APPEND, APPENDS, SETITEM, SETITEMS
		return r.fill(op)
	}
	return fmt.Errorf("opcode 0x%02x, which plain data does not have", op)
}

// fill adds values to the list or dictionary below them on the stack.
func (r *reader) fill(op byte) error {
	var items []any
	var err error
	switch op {
	case 'a':
		items, err = r.popTuple(1)
	case 's':
		items, err = r.popTuple(2)
	default:
		items, err = r.popMark()
	}
	if err != nil {
		return err
	}
	of, err := r.pop()
	if err != nil {
		return err
	}
	r.push(of)
	if op == 'a' || op == 'e' {
		list, is := of.(*List)
		if !is {
			return damaged("values for no list")
		}
		list.Items = append(list.Items, items...)
		return nil
	}
	if call, is := of.(*Call); is {
		of = call.Items
	}
	d, is := of.(*Dict)
	if !is || len(items)%2 == 1 {
		return damaged("values for no dictionary")
	}
	for i := 0; i < len(items); i += 2 {
		d.Keys, d.Values = append(d.Keys, items[i]), append(d.Values, items[i+1])
	}
	return nil
}

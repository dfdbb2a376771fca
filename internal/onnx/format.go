package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// Model is a graph with a description.
type Model struct {
	Producer, Version string
	Doc               string
	Metadata          []Entry
	Graph             *Graph
}

// Entry is a text with a key.
type Entry struct{ Key, Value string }

// Get returns the text of a key, or "".
func (m *Model) Get(key string) string {
	for _, e := range m.Metadata {
		if e.Key == key {
			return e.Value
		}
	}
	return ""
}

// MostBytes is the size limit of a file: messages of protocol buffers end below 2 GB.
const MostBytes = math.MaxInt32

// ErrTooLarge is the error of a model that does not fit into a file.
var ErrTooLarge = errors.New("the model has more than 2 GB, which a file of ONNX cannot hold")

// message is a message of protocol buffers under construction.
type message []byte

func (m *message) number(field protowire.Number, v int64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), uint64(v))
}

func (m *message) text(field protowire.Number, s string) {
	if s != "" {
		m.always(field, []byte(s))
	}
}

func (m *message) always(field protowire.Number, b []byte) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), b)
}

func (m *message) float(field protowire.Number, v float32) {
	*m = protowire.AppendFixed32(protowire.AppendTag(*m, field, protowire.Fixed32Type), math.Float32bits(v))
}

// Encode returns the content of a file.
func (m *Model) Encode() ([]byte, error) {
	var out message
	out.number(1, irVersion)
	out.text(2, m.Producer)
	out.text(3, m.Version)
	out.text(6, m.Doc)
	graph, err := m.Graph.encode()
	if err != nil {
		return nil, err
	}
	out.always(7, graph)
	for _, set := range []struct {
		domain  string
		version int64
	}{{"", opset}, {ML, mlOpset}} {
		var one message
		one.text(1, set.domain)
		one.number(2, set.version)
		out.always(8, one)
	}
	for _, e := range m.Metadata {
		var one message
		one.always(1, []byte(e.Key))
		one.always(2, []byte(e.Value))
		out.always(14, one)
	}
	if len(out) > MostBytes {
		return nil, ErrTooLarge
	}
	return out, nil
}

func (g *Graph) encode() (out message, err error) {
	for _, n := range g.Nodes {
		one, err := n.encode()
		if err != nil {
			return nil, err
		}
		out.always(1, one)
	}
	out.text(2, g.Name)
	for _, c := range g.Constants {
		one, err := c.encode()
		if err != nil {
			return nil, err
		}
		one.text(8, c.Name)
		out.always(5, one)
		if len(out) > MostBytes {
			return nil, ErrTooLarge
		}
	}
	for _, i := range g.Inputs {
		out.always(11, i.encode())
	}
	for _, o := range g.Outputs {
		out.always(12, o.encode())
	}
	return out, nil
}

func (n *Node) encode() (out message, err error) {
	for _, name := range n.Inputs {
		out.always(1, []byte(name))
	}
	for _, name := range n.Outputs {
		out.always(2, []byte(name))
	}
	out.text(3, n.Outputs[0])
	out.text(4, n.Op)
	for _, a := range n.Attributes {
		one, err := a.encode()
		if err != nil {
			return nil, err
		}
		out.always(5, one)
	}
	out.text(7, n.Domain)
	return out, nil
}

// Kinds of attributes in the format.
const (
	kindFloat = iota + 1
	kindInt
	kindString
	kindTensor
	kindGraph
	kindFloats
	kindInts
	kindStrings
)

func (a Attribute) encode() (out message, err error) {
	out.text(1, a.Name)
	kind := int64(0)
	switch v := a.Value.(type) {
	case float32:
		kind = kindFloat
		out.float(2, v)
	case int64:
		kind = kindInt
		out.number(3, v)
	case string:
		kind = kindString
		out.always(4, []byte(v))
	case *Tensor:
		kind = kindTensor
		one, err := v.encode()
		if err != nil {
			return nil, err
		}
		out.always(5, one)
	case *Graph:
		kind = kindGraph
		one, err := v.encode()
		if err != nil {
			return nil, err
		}
		out.always(6, one)
	case []float32:
		kind = kindFloats
		for _, f := range v {
			out.float(7, f)
		}
	case []int64:
		kind = kindInts
		for _, i := range v {
			out.number(8, i)
		}
	case []string:
		kind = kindStrings
		for _, s := range v {
			out.always(9, []byte(s))
		}
	default:
		return nil, fmt.Errorf("attribute %s: %T cannot be written", a.Name, a.Value)
	}
	out.number(20, kind)
	return out, nil
}

func (t *Tensor) encode() (out message, err error) {
	for _, d := range t.Dims {
		out.number(1, int64(d))
	}
	out.number(2, int64(t.Type()))
	if texts, is := t.Data.([]string); is {
		for _, text := range texts {
			out.always(6, []byte(text))
		}
		return out, nil
	}
	raw, err := binary.Append(nil, binary.LittleEndian, t.Data)
	if err != nil {
		return nil, fmt.Errorf("a tensor of %T cannot be written", t.Data)
	}
	out.always(9, raw)
	return out, nil
}

// WriteConstants writes the constants of the graph, as a file has them, to w.
func (g *Graph) WriteConstants(w io.Writer) error {
	for _, c := range g.Constants {
		one, err := c.encode()
		if err != nil {
			return err
		}
		one.text(8, c.Name)
		if _, err := w.Write(one); err != nil {
			return err
		}
	}
	return nil
}

func (i Info) encode() message {
	var shape message
	for _, d := range i.Dims {
		var one message
		if n, err := strconv.Atoi(d); err == nil {
			one.number(1, int64(n))
		} else {
			one.text(2, d)
		}
		shape.always(1, one)
	}
	var tensor, typed, out message
	tensor.number(1, int64(i.Type))
	if i.Dims != nil {
		tensor.always(2, shape)
	}
	typed.always(1, tensor)
	out.text(1, i.Name)
	out.always(2, typed)
	return out
}

// errFormat reports a file that is not of the format.
var errFormat = errors.New("not a file of ONNX, or a damaged one")

// fields calls f with each field of a message: its number, and its bytes or its number.
func fields(b []byte, f func(field protowire.Number, data []byte, number uint64) error) error {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return errFormat
		}
		b = b[n:]
		var data []byte
		var number uint64
		switch kind {
		case protowire.VarintType:
			number, n = protowire.ConsumeVarint(b)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(b)
			number = uint64(v)
		case protowire.Fixed64Type:
			number, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			data, n = protowire.ConsumeBytes(b)
		default:
			n = -1
		}
		if n < 0 {
			return errFormat
		}
		b = b[n:]
		if err := f(field, data, number); err != nil {
			return err
		}
	}
	return nil
}

// mostDeep limits graphs within graphs.
const mostDeep = 8

// Decode reads the content of a file. It checks what it reads: nothing in a file is trusted to fit.
func Decode(data []byte) (*Model, error) {
	m := &Model{}
	versions := map[string]uint64{}
	err := fields(data, func(field protowire.Number, data []byte, _ uint64) (err error) {
		switch field {
		case 2:
			m.Producer = string(data)
		case 3:
			m.Version = string(data)
		case 6:
			m.Doc = string(data)
		case 7:
			m.Graph, err = decodeGraph(data, 0)
		case 8:
			domain, version := "", uint64(0)
			err = fields(data, func(field protowire.Number, data []byte, number uint64) error {
				switch field {
				case 1:
					domain = string(data)
				case 2:
					version = number
				}
				return nil
			})
			versions[domain] = version
		case 14:
			var e Entry
			err = fields(data, func(field protowire.Number, data []byte, _ uint64) error {
				switch field {
				case 1:
					e.Key = string(data)
				case 2:
					e.Value = string(data)
				}
				return nil
			})
			m.Metadata = append(m.Metadata, e)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case m.Graph == nil:
		return nil, errFormat
	case versions[""] > 0 && (versions[""] < opset || versions[""] > 20):
		return nil, fmt.Errorf("operators of version %d; versions %d to 20 can be read", versions[""], opset)
	}
	return m, nil
}

func decodeGraph(data []byte, deep int) (*Graph, error) {
	if deep > mostDeep {
		return nil, errFormat
	}
	g := &Graph{}
	return g, fields(data, func(field protowire.Number, data []byte, _ uint64) error {
		switch field {
		case 1:
			n, err := decodeNode(data, deep)
			if err != nil {
				return err
			}
			g.Nodes = append(g.Nodes, n)
		case 2:
			g.Name = string(data)
		case 5:
			t, name, err := decodeTensor(data)
			if err != nil {
				return err
			}
			g.Constants = append(g.Constants, Constant{name, t})
		case 11, 12:
			i, err := decodeInfo(data)
			if err != nil {
				return err
			}
			if field == 11 {
				g.Inputs = append(g.Inputs, i)
			} else {
				g.Outputs = append(g.Outputs, i)
			}
		}
		return nil
	})
}

func decodeNode(data []byte, deep int) (*Node, error) {
	n := &Node{}
	err := fields(data, func(field protowire.Number, data []byte, _ uint64) error {
		switch field {
		case 1:
			n.Inputs = append(n.Inputs, string(data))
		case 2:
			n.Outputs = append(n.Outputs, string(data))
		case 4:
			n.Op = string(data)
		case 5:
			a, err := decodeAttribute(data, deep)
			if err != nil {
				return err
			}
			n.Attributes = append(n.Attributes, a)
		case 7:
			n.Domain = string(data)
		}
		return nil
	})
	if err == nil && len(n.Outputs) == 0 {
		err = errFormat
	}
	return n, err
}

func decodeAttribute(data []byte, deep int) (a Attribute, err error) {
	var floats []float32
	var ints []int64
	var texts []string
	var kind uint64
	err = fields(data, func(field protowire.Number, data []byte, number uint64) (err error) {
		switch field {
		case 1:
			a.Name = string(data)
		case 2:
			a.Value = math.Float32frombits(uint32(number))
		case 3:
			a.Value = int64(number)
		case 4:
			a.Value = string(data)
		case 5:
			a.Value, _, err = decodeTensor(data)
		case 6:
			a.Value, err = decodeGraph(data, deep+1)
		case 7:
			floats = append(floats, math.Float32frombits(uint32(number)))
		case 8:
			ints = append(ints, int64(number))
		case 9:
			texts = append(texts, string(data))
		case 20:
			kind = number
		}
		return err
	})
	switch kind {
	case kindFloats:
		a.Value = floats
	case kindInts:
		a.Value = ints
	case kindStrings:
		a.Value = texts
	}
	return a, err
}

func decodeInfo(data []byte) (i Info, err error) {
	err = fields(data, func(field protowire.Number, data []byte, _ uint64) error {
		switch field {
		case 1:
			i.Name = string(data)
		case 2:
			return fields(data, func(field protowire.Number, data []byte, _ uint64) error {
				if field != 1 {
					return nil
				}
				return fields(data, func(field protowire.Number, data []byte, number uint64) error {
					switch field {
					case 1:
						i.Type = Type(number)
					case 2:
						return fields(data, func(_ protowire.Number, data []byte, _ uint64) error {
							dim := ""
							err := fields(data, func(field protowire.Number, data []byte, number uint64) error {
								if dim = string(data); field == 1 {
									dim = strconv.FormatInt(int64(number), 10)
								}
								return nil
							})
							i.Dims = append(i.Dims, dim)
							return err
						})
					}
					return nil
				})
			})
		}
		return nil
	})
	return i, err
}

// decodeTensor reads a tensor whose numbers are bytes, as [Tensor.encode] and the libraries of ONNX write them.
func decodeTensor(data []byte) (t *Tensor, name string, err error) {
	t = &Tensor{}
	var kind Type
	var raw []byte
	var texts []string
	err = fields(data, func(field protowire.Number, data []byte, number uint64) error {
		switch field {
		case 1:
			t.Dims = append(t.Dims, int(number))
		case 2:
			kind = Type(number)
		case 6:
			texts = append(texts, string(data))
		case 8:
			name = string(data)
		case 9:
			raw = data
		case 13:
			return errors.New("its weights are in another file, which cannot be read; export it as one file")
		}
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	n := size(t.Dims)
	if n < 0 || n > len(data) || slices.ContainsFunc(t.Dims, func(d int) bool { return d > len(data) }) {
		return nil, "", errFormat
	}
	switch kind {
	case Float:
		t.Data, err = values[float32](n, raw)
	case Double:
		t.Data, err = values[float64](n, raw)
	case Int32:
		t.Data, err = values[int32](n, raw)
	case Int64:
		t.Data, err = values[int64](n, raw)
	case Bool:
		t.Data, err = values[bool](n, raw)
	case String:
		if t.Data = texts; len(texts) != n {
			err = errFormat
		}
	default:
		err = fmt.Errorf("values of type %d, which cannot be read", kind)
	}
	return t, name, err
}

// values returns the n values of bytes, little endian.
func values[T any](n int, raw []byte) ([]T, error) {
	out := make([]T, n)
	if binary.Size(out) != len(raw) {
		return nil, errFormat
	}
	_, err := binary.Decode(raw, binary.LittleEndian, out)
	return out, err
}

// mapped returns f of each value.
func mapped[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}

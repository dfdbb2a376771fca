package dataset

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"synpool/internal/pickle"
	"synpool/milbench/mil"
)

// torchTypes has the supported tensor types, by the name of their storage.
var torchTypes = map[pickle.Global]string{
	"torch.HalfStorage": "f2", "torch.FloatStorage": "f4", "torch.DoubleStorage": "f8", "torch.BFloat16Storage": "bf16",
	"torch.CharStorage": "i1", "torch.ShortStorage": "i2", "torch.IntStorage": "i4", "torch.LongStorage": "i8", "torch.ByteStorage": "u1", "torch.BoolStorage": "b1",
}

// bfloat16 is the upper half of a float32.
var bfloat16 = decoder{2, func(o binary.ByteOrder, b []byte) float64 {
	return float64(math.Float32frombits(uint32(o.Uint16(b)) << 16))
}, nil}

// maxPickle limits the size of a file's tensor descriptions, in bytes.
const maxPickle = 16 << 20

// readTorch opens the bag in a file written by torch.save: a tensor, or one of a dictionary. It runs nothing in the file.
func readTorch(f *os.File, size int64, choose chooser) (c content, err error) {
	archive, err := zip.NewReader(f, size)
	if err != nil {
		first := make([]byte, 4)
		if _, err := f.ReadAt(first, 0); err == nil && string(first) == "\x80\x02\x8a\x0a" {
			return c, errors.New("a file of PyTorch before 1.6; load it and save it again with torch.save")
		}
		return c, damagedf("no file of torch.save: %v", err)
	}
	members := make(map[string]*zip.File) // by name in the folder of the archive
	for _, m := range archive.File {
		_, inside, _ := strings.Cut(path.Clean(m.Name), "/")
		members[inside] = m
	}
	if members["constants.pkl"] != nil {
		return c, errors.New("a TorchScript program, no tensors; save the features with torch.save")
	}
	about := members["data.pkl"]
	if about == nil {
		return c, errors.New("no file of torch.save; save the tensor of the features with it")
	}
	text, err := inflatedMember(about, maxPickle)
	if err != nil {
		return c, err
	}
	root, err := pickle.Read(text)
	if errors.Is(err, pickle.ErrDamaged) {
		return c, damagedf("%v", err)
	} else if err != nil {
		return c, fmt.Errorf("%w; save a tensor, or a dictionary of tensors", err)
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if m := members["byteorder"]; m != nil {
		text, err := inflatedMember(m, 16)
		if err != nil {
			return c, err
		}
		if string(text) == "big" {
			order = binary.BigEndian
		}
	}
	var found tensors
	found.add(root, "", 0)
	if len(found.list) == 0 {
		return c, errors.New(found.none)
	}
	c, err = gather(found.list, choose, func(k int) (mil.Instances, error) {
		a := &numpyArray{numpyHeader: numpyHeader{order: order}, path: f.Name()}
		return a, a.placeTensor(found.calls[k], found.list[k].name, members, size)
	})
	c.setTile(found.numbers)
	return c, err
}

// inflatedMember returns the bytes of an archive member, up to limit.
func inflatedMember(m *zip.File, limit int64) ([]byte, error) {
	in, err := m.Open()
	if err != nil {
		return nil, damagedf("%s: %v", few([]string{m.Name}), err)
	}
	defer in.Close()
	b, err := io.ReadAll(io.LimitReader(in, limit+1))
	switch {
	case err != nil:
		return nil, damagedf("%s: %v", few([]string{m.Name}), err)
	case int64(len(b)) > limit:
		return nil, fmt.Errorf("%s: more than %d bytes", few([]string{m.Name}), limit)
	}
	return b, nil
}

// asTensor returns the call that creates a tensor or a parameter.
func asTensor(v any) (*pickle.Call, bool) {
	call, is := v.(*pickle.Call)
	if !is {
		return nil, false
	}
	switch call.Func {
	case pickle.Global("torch._utils._rebuild_tensor_v2"):
		return call, len(call.Args) >= 4
	case pickle.Global("torch._utils._rebuild_parameter"):
		if len(call.Args) > 0 {
			if inner, is := call.Args[0].(*pickle.Call); is && inner.Func == pickle.Global("torch._utils._rebuild_tensor_v2") {
				return inner, len(inner.Args) >= 4
			}
		}
	}
	return nil, false
}

// isRebuilt reports whether a value is a tensor, even one of an unsupported type.
func isRebuilt(v any) bool {
	call, is := v.(*pickle.Call)
	if !is {
		return false
	}
	name, is := call.Func.(pickle.Global)
	return is && strings.HasPrefix(string(name), "torch._utils._rebuild_")
}

// tensors are the tensors and numbers of a file.
type tensors struct {
	list    []candidate
	calls   []*pickle.Call
	numbers []attribute
	none    string // why there is no tensor
	seen    int    // values
}

// add adds the tensors in a value with a name: a tensor, a dictionary or a list.
func (t *tensors) add(v any, name string, depth int) {
	if tensor, is := asTensor(v); is {
		one := candidate{name: name}
		if shape, is := integers(tensor.Args[2]); is {
			if shape = tableShape(shape, name); len(shape) == 2 {
				one.rows, one.cols = shape[0], shape[1]
			} else if name != "" && path.Base(name) != featuresName && !isInstanceLabels(name) {
				return
			}
		}
		if stored, is := tensor.Args[0].(pickle.Persistent); is {
			if storage, is := stored.ID.(pickle.Tuple); is && len(storage) > 1 {
				class, _ := storage[1].(pickle.Global)
				one.float = strings.Contains(torchTypes[class], "f")
			}
		}
		t.list, t.calls = append(t.list, one), append(t.calls, tensor)
		return
	}
	if isRebuilt(v) && depth == 0 {
		t.none = "a tensor of a type or layout that is not read; save x.float().to_dense()"
		return
	}
	keys, values := []any(nil), []any(nil)
	switch v := v.(type) {
	case *pickle.Dict:
		keys, values = v.Keys, v.Values
	case *pickle.Call:
		if v.Func == pickle.Global("collections.OrderedDict") && v.Items != nil {
			keys, values = v.Items.Keys, v.Items.Values
		}
	case *pickle.List:
		values = v.Items
	case pickle.Tuple:
		values = v
	case int64:
		t.numbers = append(t.numbers, attribute{path.Base(name), float64(v)})
	case float64:
		t.numbers = append(t.numbers, attribute{path.Base(name), v})
	}
	t.none = "no tensor; save one, or a dictionary with one called features, with torch.save"
	for i, one := range values {
		if t.seen++; depth > mostDepth || t.seen > mostArrays {
			return
		}
		key := strconv.Itoa(i)
		if keys != nil {
			text, is := keys[i].(string)
			if !is {
				continue
			}
			key = text
		}
		t.add(one, path.Join(name, key), depth+1)
	}
}

// integers returns the integers in a tuple.
func integers(v any) (list []int64, ok bool) {
	t, is := v.(pickle.Tuple)
	if !is {
		return nil, false
	}
	for _, n := range t {
		i, is := n.(int64)
		if !is || i < 0 {
			return nil, false
		}
		list = append(list, i)
	}
	return list, true
}

// placeTensor reads the shape, type and position of a tensor.
func (h *numpyHeader) placeTensor(tensor *pickle.Call, name string, members map[string]*zip.File, fileSize int64) error {
	stored, is1 := tensor.Args[0].(pickle.Persistent)
	storage, is2 := stored.ID.(pickle.Tuple)
	first, is3 := tensor.Args[1].(int64)
	shape, is4 := integers(tensor.Args[2])
	strides, is5 := integers(tensor.Args[3])
	if !is1 || !is2 || !is3 || !is4 || !is5 || len(storage) < 3 || len(shape) != len(strides) || first < 0 {
		return damagedf("a tensor")
	}
	class, is1 := storage[1].(pickle.Global)
	key, is2 := storage[2].(string)
	if !is1 || !is2 {
		return damagedf("a tensor")
	}
	kind, known := torchTypes[class]
	if !known {
		return fmt.Errorf("a tensor of %s; save numbers, such as x.float()", few([]string{string(class)}))
	}
	h.numbers = numpyTypes[kind]
	if kind == "bf16" {
		h.numbers = bfloat16
	}
	written := shape
	if shape = tableShape(shape, name); isInstanceLabels(name) && len(shape) == 2 {
		strides = []int64{strides[max(slices.Index(written, shape[0]), 0)], 1}
	}
	strides = strides[max(len(strides)-len(shape), 0):]
	if len(shape) != 2 {
		return fmt.Errorf("a tensor of shape %v; [instances, features] or [1, instances, features] is needed", written)
	}
	h.rows, h.columns = shape[0], shape[1]
	if h.rows == 0 || h.columns == 0 {
		return h.check(0)
	}
	switch {
	case (strides[1] == 1 || h.columns == 1) && (strides[0] == h.columns || h.rows == 1):
	case (strides[0] == 1 || h.rows == 1) && (strides[1] == h.rows || h.columns == 1):
		h.fortran = true
	default:
		return fmt.Errorf("a tensor with strides %v, part of another; save x.contiguous()", strides)
	}
	member := members["data/"+key]
	if member == nil {
		return damagedf("no numbers of the tensor")
	}
	if member.Method != zip.Store {
		return errors.New("compressed numbers; load the file and save it again with torch.save")
	}
	at, err := member.DataOffset()
	if err != nil {
		return damagedf("%v", err)
	}
	width := int64(h.numbers.width)
	size := min(int64(min(member.UncompressedSize64, math.MaxInt64)), fileSize-at)
	if n := size / width; first > n || h.columns > n-first || h.rows > (n-first)/h.columns {
		return damagedf("%d bytes for %d x %d numbers of %d bytes from the %dth on", max(0, size), h.rows, h.columns, width, first)
	}
	h.size = at + first*width
	return nil
}

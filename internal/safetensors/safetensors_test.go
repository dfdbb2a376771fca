package safetensors

import (
	"encoding/binary"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestReference reads a file of the reference implementation (testdata/write.py). Half precision and bfloat16 have their own rounding.
func TestReference(t *testing.T) {
	data, err := os.ReadFile("testdata/types.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	arrays, metadata, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	want := []float32{0, 1, -2.5, 3.25, 1e-3, -65504}
	for name, tolerance := range map[string]float64{"single": 0, "double": 0, "half": 1. / 2048, "brain": 1. / 128} {
		a := arrays[name]
		if !slices.Equal(a.Dims, []int{2, 3}) {
			t.Fatalf("%s has shape %v", name, a.Dims)
		}
		for i, v := range a.Values {
			if d := math.Abs(float64(v - want[i])); d > tolerance*math.Abs(float64(want[i])) {
				t.Errorf("%s: value %d is %v, want %v", name, i, v, want[i])
			}
		}
	}
	if a := arrays["scalar"]; len(a.Dims) != 0 || !slices.Equal(a.Values, []float32{7}) {
		t.Errorf("scalar %v", a)
	}
	if a := arrays["empty"]; !slices.Equal(a.Dims, []int{0, 3}) || len(a.Values) != 0 {
		t.Errorf("empty %v", a)
	}
	if metadata["made"] != "by safetensors" {
		t.Errorf("metadata %v", metadata)
	}
}

// TestEncode reads what Encode writes.
func TestEncode(t *testing.T) {
	want := map[string]Tensor{"a.weight": {[]int{2, 1}, []float32{1, -2}}, "b": {[]int{}, []float32{3}}}
	data, err := Encode(want, map[string]string{"k": "v"})
	if err != nil {
		t.Fatal(err)
	}
	got, metadata, err := Decode(data)
	if err != nil || !reflect.DeepEqual(got, want) || metadata["k"] != "v" {
		t.Errorf("%v, %v, %v", got, metadata, err)
	}
}

func file(header string, values int) []byte {
	data := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(data, header...), make([]byte, values)...)
}

// TestRefuses has damaged files: an error, and no memory for what is not there.
func TestRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":   {nil, "not a safetensors file"},
		"length":  {binary.LittleEndian.AppendUint64(nil, 1<<60), "not a safetensors file"},
		"json":    {file("{", 0), "not a safetensors file"},
		"outside": {file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 4), `"a"`},
		"size":    {file(`{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}`, 8), `"a"`},
		"huge":    {file(`{"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]}}`, 8), `"a"`},
		"overlap": {file(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8), "not a safetensors file"},
		"type":    {file(`{"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}}`, 8), `"I64"`},
		"minus":   {file(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[-4,0]}}`, 8), `"a"`},
	} {
		if _, _, err := Decode(c.data); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	if data, err := os.ReadFile("testdata/types.safetensors"); err == nil {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		arrays, metadata, err := Decode(data)
		if err != nil {
			return
		}
		again, err := Encode(arrays, metadata)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Decode(again); err != nil {
			t.Fatal(err)
		}
	})
}

package pickle

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"synpool/internal/alloctest"
	"synpool/internal/goldenfile"
)

type golden struct {
	Protocol int
	Value    any
	Class    Global
	Pickle   []byte
}

func readGolden(t testing.TB) (list []golden) {
	t.Helper()
	list = goldenfile.Read[[]golden](t, "golden.json")
	if len(list) < 100 {
		t.Fatalf("%d pickles", len(list))
	}
	return list
}

// plain returns a value as JSON would.
func plain(v any) any {
	list := func(items []any) any {
		all := []any{}
		for _, item := range items {
			all = append(all, plain(item))
		}
		return all
	}
	switch v := v.(type) {
	case int64:
		return float64(v)
	case Tuple:
		return list(v)
	case *List:
		return list(v.Items)
	case *Dict:
		m := map[string]any{}
		for i, k := range v.Keys {
			m[k.(string)] = plain(v.Values[i])
		}
		return m
	case *Call:
		return plain(v.Items)
	}
	return v
}

// TestGolden: values are those that CPython wrote (testdata/golden.py).
func TestGolden(t *testing.T) {
	for _, g := range readGolden(t) {
		got, err := Read(g.Pickle)
		if err != nil || !reflect.DeepEqual(plain(got), g.Value) {
			t.Errorf("protocol %d: %v, %v, want %v", g.Protocol, plain(got), err, g.Value)
		}
		if call, is := got.(*Call); is != (g.Class != "") || is && call.Func != g.Class {
			t.Errorf("protocol %d: class %v, want %v", g.Protocol, got, g.Class)
		}
	}
}

// TestRefused: anything but plain data is an error, and so is a pickle that ends early or claims more than it has.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "ends early",
		"\x80\x02":                            "ends early",
		".":                                   "nothing on the stack",
		"(.":                                  "a mark",
		"t.":                                  "no mark",
		"X\xff\xff\xff\xffabc.":               "ends early",
		"T\xff\xff\xff\x7fabc.":               "ends early",
		"h\x05.":                              "not kept",
		"\x8a\x09123456789.":                  "64 bits",
		"K\x01K\x02a.":                        "no list",
		"}K\x01a.":                            "no list",
		"](K\x01u.":                           "no dictionary",
		"}(K\x01u.":                           "no dictionary",
		"K\x01K\x02R.":                        "without arguments",
		"cos\nsystem\n(X\x02\x00\x00\x00lstR": "ends early",
		"cos":                                 "ends early",
		"i.":                                  "opcode 0x69",
		"K\x01K\x02\x93.":                     "without a name",
	} {
		v, err := Read([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, %v, want %s", text, v, err, want)
		}
		if err != nil && !errors.Is(err, ErrDamaged) && !strings.Contains(want, "opcode") {
			t.Errorf("%q: %v is no damage", text, err)
		}
	}
}

// TestRunsNothing: a call stays a name with arguments.
func TestRunsNothing(t *testing.T) {
	v, err := Read([]byte("cos\nsystem\n(X\x02\x00\x00\x00lstR."))
	call, is := v.(*Call)
	if err != nil || !is || call.Func != Global("os.system") || !reflect.DeepEqual(call.Args, Tuple{"ls"}) {
		t.Errorf("%v, %v", v, err)
	}
	if v, err := Read([]byte("X\x01\x00\x00\x00aQ.")); err != nil || v != any(Persistent{"a"}) {
		t.Errorf("%v, %v", v, err)
	}
	if v, err := Read([]byte("G\x7f\xf0\x00\x00\x00\x00\x00\x00.")); err != nil || v != math.Inf(1) {
		t.Errorf("%v, %v", v, err)
	}
}

func FuzzRead(f *testing.F) {
	for i, g := range readGolden(f) {
		if i%5 == 0 {
			f.Add(g.Pickle)
		}
	}
	f.Add([]byte("cos\nsystem\n(X\x02\x00\x00\x00lstR."))
	f.Fuzz(func(t *testing.T, b []byte) {
		alloctest.Bounded(t, b, 1<<10, func() {
			if _, err := Read(b); err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
		})
	})
}

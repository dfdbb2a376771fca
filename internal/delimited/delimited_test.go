package delimited

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// TestNewReader: the first line says what separates fields; what is quoted does not count, nor does a byte order mark.
func TestNewReader(t *testing.T) {
	for text, want := range map[string][]string{
		"a,b\n1,2\n":                  {"a", "b"},
		"\ufeffa;b\r\n1,5;2\r\n":      {"a", "b"},
		"a\tb\n":                      {"a", "b"},
		"\"a;b;c\",d\n":               {"a;b;c", "d"},
		"alone\n1\n":                  {"alone"},
		"a|b\n1|2,5\n":                {"a", "b"},
		"# by X, 2024\n#\na;b\n1;2\n": {"a", "b"},
		"# a,b\n1,2\n":                {"a", "b"},
		"\ufeff" + `"bag","x"` + "\n": {"bag", "x"},
	} {
		in, err := NewReader(iotest.OneByteReader(strings.NewReader(text)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := in.Read(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	in, err := NewReader(strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := in.Read(); err != io.EOF {
		t.Error(err)
	}
	broken := errors.New("broken")
	if _, err := NewReader(iotest.ErrReader(broken)); err != broken {
		t.Error(err)
	}
}

// TestBounded: what repeats without end is refused before it fills the memory; long tables, and long quoted fields, are read.
func TestBounded(t *testing.T) {
	for _, c := range []struct {
		start, repeated string
		times           int
		err             error
	}{
		{"", "a", mostRecord + 1, ErrTooLong},
		{"1,2,\"", "b\n", mostRecord, ErrTooLong},
		{"\"b\"\n", "1,2\n", mostRecord, nil},
		{"", "\"b\n\"\n", mostRecord / 4, nil},
		{"", "1,", mostRecord / 2, nil},
	} {
		text := io.MultiReader(strings.NewReader(c.start), &repeated{c.repeated, c.times})
		size, err := io.Copy(io.Discard, Bounded(iotest.HalfReader(text), true))
		if err != c.err || err == nil && size != int64(len(c.start)+len(c.repeated)*c.times) {
			t.Errorf("%q: %d bytes, %v", c.repeated, size, err)
		}
	}
}

// TestBoundedLines: without quotes, one of them opens nothing.
func TestBoundedLines(t *testing.T) {
	text := io.MultiReader(strings.NewReader("\""), &repeated{"1,2\n", mostRecord / 2})
	if _, err := io.Copy(io.Discard, Bounded(text, false)); err != nil {
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, Bounded(&repeated{"a", mostRecord + 1}, false)); err != ErrTooLong {
		t.Error(err)
	}
}

// repeated reads a text several times.
type repeated struct {
	text  string
	times int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	for ; r.times > 0 && len(p)-n >= len(r.text); r.times-- {
		n += copy(p[n:], r.text)
	}
	if r.times == 0 {
		err = io.EOF
	}
	return n, err
}

package fetched

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"synpool/internal/fetch"
)

// recorder is a test that records how it ends.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Skipf(format string, args ...any) { r.Skip(fmt.Sprintf(format, args...)) }

func (r *recorder) Skip(args ...any) {
	r.skipped = fmt.Sprint(args...)
	runtime.Goexit()
}

func (r *recorder) Fatal(args ...any) {
	r.failed = fmt.Sprint(args...)
	runtime.Goexit()
}

// record runs a test until it ends.
func record(t *testing.T, test func(t testing.TB)) *recorder {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(r)
	}()
	<-done
	return r
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("MILBENCH_DATA", dir)
	path := filepath.Join(dir, "fox.mat")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := File(t, "fox.mat"); got != path {
		t.Errorf("%s, want %s", got, path)
	}
	const set = " and set MILBENCH_DATA to the folder it fills"
	for want, sets := range map[string][]string{"no a.mat: run `milbench data fetch`" + set: nil, "no a.mat: run `milbench data fetch a`" + set: {"a"}} {
		if r := record(t, func(t testing.TB) { File(t, "a.mat", sets...) }); r.skipped != want {
			t.Errorf("skipped: %q, want %q", r.skipped, want)
		}
	}
	t.Chdir(dir) // where the file is, and no folder is named
	t.Setenv("MILBENCH_DATA", "")
	if r := record(t, func(t testing.TB) { File(t, "fox.mat") }); r.skipped == "" {
		t.Error("without a folder it is not skipped")
	}
}

func TestLoad(t *testing.T) {
	load := func(err error) func(t testing.TB) {
		return func(t testing.TB) {
			if got := Load(t, func() (int, error) { return 3, err }); got != 3 || err != nil {
				t.Errorf("%d of %v", got, err)
			}
		}
	}
	for _, c := range []struct {
		err             error
		skipped, failed string
	}{
		{nil, "", ""},
		{fmt.Errorf("fox: %w", fetch.ErrNotFetched), "fox: " + fetch.ErrNotFetched.Error(), ""},
		{errors.New("damaged"), "", "damaged"},
	} {
		if r := record(t, load(c.err)); r.skipped != c.skipped || r.failed != c.failed {
			t.Errorf("%v: skipped %q, failed %q", c.err, r.skipped, r.failed)
		}
	}
}

//go:build linux && cgo && !noxla && (amd64 || arm64)

package pjrtcache

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// testStore returns a store in a folder of the user's own.
func testStore(t *testing.T, dir string) *store {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o700))
	must(t, os.Chmod(dir, 0o700))
	s, err := newStore(dir)
	must(t, err)
	return s
}

func TestStore(t *testing.T) {
	s := testStore(t, filepath.Join(t.TempDir(), "a", "b"))
	k := sumOf([]byte("program"))
	if got := s.get(k); got != nil {
		t.Errorf("an empty store has %q", got)
	}
	for _, want := range []string{"first", "second"} {
		s.put(k, []byte(want))
		if got := s.get(k); string(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if info, err := os.Stat(s.dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info.Mode(), err)
	}
	whole, err := os.ReadFile(s.path(k))
	must(t, err)
	for n := range whole { // cut off anywhere
		must(t, os.WriteFile(s.path(k), whole[:n], 0o600))
		if got := s.get(k); got != nil {
			t.Errorf("%q of %d bytes of %d", got, n, len(whole))
		}
		if _, err := os.Stat(s.path(k)); !os.IsNotExist(err) {
			t.Errorf("what is not whole is still there: %v", err)
		}
	}
}

// The first entry that a process puts trims the store.
func TestStoreTrim(t *testing.T) {
	s, stale := testStore(t, t.TempDir()), sumOf([]byte("stale"))
	old := time.Now().AddDate(0, 0, -unusedDays-1)
	for i := range 2 {
		must(t, os.WriteFile(s.path(stale), []byte("x"), 0o600))
		must(t, os.Chtimes(s.path(stale), old, old))
		s.put(sumOf([]byte{byte(i)}), []byte("executable"))
		if _, err := os.Stat(s.path(stale)); os.IsNotExist(err) != (i == 0) {
			t.Errorf("after entry %d: %v", i, err)
		}
	}
}

// A store that cannot be written leaves nothing behind.
func TestStoreNoRoom(t *testing.T) {
	s, k := testStore(t, t.TempDir()), sumOf([]byte("program"))
	if err := os.Mkdir(s.path(k), 0o700); err != nil { // a folder in place of the entry
		t.Fatal(err)
	}
	must(t, os.WriteFile(filepath.Join(s.path(k), "x"), nil, 0o600))
	if s.put(k, []byte("executable")); s.writable() {
		t.Error("it is still written to")
	}
	if left, _ := filepath.Glob(filepath.Join(s.dir, "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// The store refuses folders and files of other users, because entries are executed.
func TestStoreOwner(t *testing.T) {
	for _, mode := range []os.FileMode{0o770, 0o707, 0o777} {
		dir := t.TempDir()
		must(t, os.Chmod(dir, mode))
		if s, err := newStore(dir); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%v: store %v, error %v", mode, s, err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	if s, err := newStore(file); err == nil {
		t.Errorf("a store %v in a file", s)
	}
}

func TestRemove(t *testing.T) {
	now := time.Now()
	key := strings.Repeat("0", 63)
	names := []string{key + "a.xla", key + "b.xla", "", key + "c.xla", key + "d.xla.new17", "notes.xla", "new-film.mp4", key + "e.xla.new"}
	others := names[5:]
	for what, c := range map[string]struct {
		before time.Time
		most   int64
		want   []string
	}{
		"nothing":  {now.AddDate(0, 0, -30), 40, slices.Concat(names[:2], names[3:])},
		"unused":   {now.AddDate(0, 0, -2).Add(-time.Hour), 40, slices.Concat(names[:2], others)},
		"too much": {now.AddDate(0, 0, -30), 20, slices.Concat(names[:2], others)},
		"all":      {now.AddDate(0, 0, -30), 9, others},
	} {
		s := testStore(t, t.TempDir())
		for days, name := range names {
			if name == "" {
				continue
			}
			path := filepath.Join(s.dir, name)
			used := now.AddDate(0, 0, -days)
			must(t, os.WriteFile(path, bytes.Repeat([]byte("x"), 10), 0o600))
			must(t, os.Chtimes(path, used, used))
		}
		s.remove(c.before, c.most)
		left, err := os.ReadDir(s.dir)
		must(t, err)
		var got []string
		for _, e := range left {
			got = append(got, e.Name())
		}
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: left %v, want %v", what, got, c.want)
		}
	}
}

// Numbers of CPUs and of threads are told apart.
func TestThreads(t *testing.T) {
	seen := map[string]bool{}
	for _, cpus := range []int{1, 2, 12} {
		for _, first := range []string{"", "1", "2", "12"} {
			for _, second := range []string{"", "1", "2", "12"} {
				t.Setenv("PJRT_NPROC", first)
				t.Setenv("NPROC", second)
				if s := threads(cpus); seen[s] {
					t.Errorf("%s for other threads, too", s)
				} else {
					seen[s] = true
				}
			}
		}
	}
}

// Parts that are divided elsewhere are other parts.
func TestSumOf(t *testing.T) {
	parts := func(texts ...string) (all [][]byte) {
		for _, s := range texts {
			all = append(all, []byte(s))
		}
		return all
	}
	seen := map[string][][]byte{}
	for _, p := range [][][]byte{parts("ab", "c"), parts("a", "bc"), parts("abc"), parts("abc", ""), parts("c", "ab"), nil} {
		key := sumOf(p...)
		if other, ok := seen[key]; ok {
			t.Errorf("%q and %q have one key", p, other)
		}
		if again := sumOf(p...); again != key {
			t.Errorf("%q: %s, then %s", p, key, again)
		}
		seen[key] = p
	}
}

func TestUnnamed(t *testing.T) {
	for in, want := range map[string]string{
		"module @Exec_f_12 {\n  func.func @main(%x) {": "\n  func.func @main(%x) {",
		"module {\n}":            "module {\n}",
		"ML\xefR\x01 { bytecode": "ML\xefR\x01 { bytecode",
		"module @":               "module @",
	} {
		if got := unnamed([]byte(in)); string(got) != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// CPUs are alike whatever their clock is, and others with another name or other instructions.
func TestCPUKind(t *testing.T) {
	const cpu = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: A\ncpu MHz\t\t: 2400.0\nflags\t\t: fpu avx2\n\nprocessor\t: 1\nmodel name\t: A\n"
	kind := func(text string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), "cpuinfo")
		must(t, os.WriteFile(path, []byte(text), 0o600))
		k, err := cpuKind(path)
		must(t, err)
		return k
	}
	one := kind(cpu)
	if again := kind(strings.NewReplacer("2400", "1200", "processor\t: 0", "processor\t: 7").Replace(cpu)); again != one {
		t.Errorf("%q, at another clock %q", one, again)
	}
	if little := kind(cpu + "\nprocessor\t: 2\nmodel name\t: B\n"); little == one {
		t.Error("a CPU of another kind beside them makes no difference")
	}
	for _, change := range [][2]string{{"model name\t: A", "model name\t: B"}, {"avx2", "avx512f"}, {"Genuine", "Authentic"}} {
		if other := kind(strings.Replace(cpu, change[0], change[1], 1)); other == one {
			t.Errorf("%v: the same kind %q", change, one)
		}
	}
	if k, err := cpuKind(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Errorf("no file, but kind %q", k)
	}
	silent := filepath.Join(t.TempDir(), "cpuinfo")
	must(t, os.WriteFile(silent, []byte("processor\t: 0\n"), 0o600))
	if k, err := cpuKind(silent); err == nil {
		t.Errorf("nothing known, but kind %q", k)
	}
}

// Flags that name files cannot be told from others of that name.
func TestSelfContained(t *testing.T) {
	for flags, want := range map[string]bool{
		"": true, " ": true, "--xla_backend_optimization_level=1": true, " --a --b": true,
		"flags.txt": false, "--xla_dump_to=dir": false, "--a --xla_dump_hlo_as_text": false,
	} {
		if got := selfContained(flags); got != want {
			t.Errorf("%q: %t, want %t", flags, got, want)
		}
	}
}

// Another plugin, CPU or flag gives another key.
func TestMachine(t *testing.T) {
	cpus := [2]string{}
	for i := range cpus {
		cpus[i] = filepath.Join(t.TempDir(), "cpuinfo")
		must(t, os.WriteFile(cpus[i], fmt.Appendf(nil, "model\t: %d\n", i), 0o600))
	}
	seen := map[string]bool{}
	for _, plugin := range []string{"plugin", "plugin 2"} {
		for _, cpu := range cpus {
			for _, flags := range []string{"", "--a"} {
				m, err := machine(strings.NewReader(plugin), cpu, flags)
				if err != nil || seen[m] {
					t.Errorf("%s, %s, %s: %q as before, or error %v", plugin, cpu, flags, m, err)
				}
				seen[m] = true
			}
		}
	}
	if m, err := machine(strings.NewReader("plugin"), "none", ""); err == nil {
		t.Errorf("%q of an unknown CPU", m)
	}
}

// The header is the one of go-xla's own calls.
func TestHeader(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gomlx/go-xla").Output()
	must(t, err)
	theirs, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "pjrt", "pjrt_c_api.h"))
	must(t, err)
	if ours, err := os.ReadFile("pjrt_c_api.h"); err != nil || !bytes.Equal(ours, theirs) {
		t.Errorf("pjrt_c_api.h is not that of go-xla in go.mod: copy it again (%v)", err)
	}
}

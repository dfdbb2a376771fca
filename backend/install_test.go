package backend

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// zipped returns a wheel with one member.
func zipped(t *testing.T, member string, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(member)
	if err == nil {
		_, err = w.Write(content)
	}
	must(t, errors.Join(err, z.Close()))
	return b.Bytes()
}

// sum returns the SHA-256 in hex.
func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}

// pip puts a python3 on PATH that, asked for a download in the way of Install, does as script says; $1 is the folder
// to download into, $2 the requirements file.
func pip(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "python3"), []byte(`#!/bin/sh
case "$*" in
"-m pip download "*" --require-hashes --dest "*" -r "*) ;;
*) echo "called with $*" >&2; exit 2 ;;
esac
while [ "$1" != --dest ]; do shift; done
set -- "$2" "$4"
`+script+"\n"))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+"/bin:/usr/bin")
}

func TestInstall(t *testing.T) {
	content := bytes.Repeat([]byte("the plugin "), 1000)
	good := zipped(t, packageMember, content)
	corrupt := bytes.Clone(good)
	corrupt[len(corrupt)/2] ^= 0x40
	stray := zipped(t, "../../../evil/xla_cpu_pjrt.so", content)
	give := `cp "$WHEEL" "$1/xla_cpu_pjrt-0.0.1-py3-none-any.whl"`
	tests := []struct {
		name   string
		wheel  []byte
		sha256 string
		script string
		fails  []string // parts of the error; nil if it installs
	}{
		{"good", good, sum(good), `grep -q "^xla-cpu-pjrt==0.0.1 --hash=sha256:` + sum(good) + `$" "$2" && ` + give, nil},
		{"another sum", corrupt, sum(good), give, []string{"SHA-256 " + sum(corrupt), "try again"}},
		{"corrupt inside", corrupt, sum(corrupt), give, []string{"unpacking the XLA plugin from xla_cpu_pjrt-0.0.1"}},
		{"cut off", good[:len(good)/2], sum(good[:len(good)/2]), give, []string{"unpacking"}},
		{"other content", stray, sum(stray), give, []string{"it has no file " + packageMember}},
		{"pip fails", nil, sum(good), `echo "ERROR: first" >&2; echo "ERROR: no matching distribution" >&2; exit 1`,
			[]string{"pip: ERROR: no matching distribution", "try again, or where pip works run"}},
		{"no network", nil, sum(good), `echo "WARNING: Retrying (Retry(total=0)) after connection broken by 'ProxyError'" >&2
echo "ERROR: No matching distribution found for xla-cpu-pjrt==0.0.1" >&2; exit 1`, []string{"no connection to the package index; check the network", "try again"}},
		{"full disk", nil, sum(good), `echo "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device" >&2; exit 1`,
			[]string{"pip: the disk is full"}},
		{"pip gives nothing", nil, sum(good), "exit 0", []string{"pip left 0 wheels"}},
		{"pip gives two", good, sum(good), give + `; cp "$WHEEL" "$1/other.whl"`, []string{"pip left 2 wheels"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			elsewhere(t)
			dir := filepath.Join(t.TempDir(), "lib", "go-xla")
			t.Setenv(pluginPath, dir)
			scratch := t.TempDir()
			t.Setenv("TMPDIR", scratch)
			source := filepath.Join(t.TempDir(), "wheel")
			write(t, source, test.wheel)
			t.Setenv("WHEEL", source)
			pip(t, test.script)
			var out bytes.Buffer
			err := install(t.Context(), &out, "test/test", map[string]wheel{"test/test": {"any", test.sha256}})
			var names []string
			entries, _ := os.ReadDir(dir)
			for _, e := range entries {
				names = append(names, e.Name())
			}
			if left, _ := os.ReadDir(scratch); len(left) != 0 {
				t.Errorf("%v is left in the temporary folder", left)
			}
			if test.fails == nil {
				target := filepath.Join(dir, pluginFile("cpu"))
				got, readErr := os.ReadFile(target)
				if err != nil || readErr != nil || !bytes.Equal(got, content) || len(names) != 1 {
					t.Fatalf("%v, %v; %d bytes installed, want %d; folder: %v", err, readErr, len(got), len(content), names)
				}
				if !strings.Contains(out.String(), "installed "+target) {
					t.Errorf("output %q", out.String())
				}
				return
			}
			for _, part := range test.fails {
				if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
					t.Errorf("error %q, want one line with %q", err, part)
				}
			}
			if entries, _ := os.ReadDir(filepath.Dir(filepath.Dir(dir))); len(entries) != 0 {
				t.Errorf("%v is left, in it %v", entries, names)
			}
			if want := test.name == "no network" || test.name == "full disk"; errors.Is(err, ErrTemporary) != want {
				t.Errorf("error %q is temporary: %v, want %v", err, !want, want)
			}
		})
	}
}

// TestPlace checks that a file that cannot be written completely, here because it is already closed, keeps its name.
func TestPlace(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "plugin.so")
	part, err := os.Create(filepath.Join(dir, "plugin.part"))
	if err == nil {
		err = part.Close()
	}
	must(t, err)
	if err := place(part, target); !errors.Is(err, os.ErrClosed) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q, want one line of a closed file", err)
	}
	if _, err := os.Stat(target); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a plugin that was not written to the end is installed: %v", err)
	}
}

func TestInstallRefuses(t *testing.T) {
	table := map[string]wheel{"test/test": {"any", "00"}}
	t.Run("no Python", func(t *testing.T) {
		dir := elsewhere(t)
		t.Setenv("PATH", dir)
		err := install(t.Context(), &bytes.Buffer{}, "test/test", table)
		for _, part := range []string{"python3 with pip is needed", "python3 -m pip download", "unzip -p"} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("error %q, want %q", err, part)
			}
		}
	})
	t.Run("folder that cannot be written", func(t *testing.T) {
		dir := elsewhere(t)
		pip(t, `echo "pip was called" >&2; exit 1`)
		file := filepath.Join(dir, "file")
		write(t, file, nil)
		t.Setenv(pluginPath, filepath.Join(file, "lib"))
		err := install(t.Context(), &bytes.Buffer{}, "test/test", table)
		if err == nil || !strings.Contains(err.Error(), "cannot install into "+file) {
			t.Errorf("error %q", err)
		}
	})
	t.Run("no folder", func(t *testing.T) {
		elsewhere(t)
		t.Setenv(pluginPath, "")
		if err := install(t.Context(), &bytes.Buffer{}, "test/test", table); err == nil || !strings.Contains(err.Error(), "no folder to install into") {
			t.Errorf("error %q", err)
		}
	})
	t.Run("other machine", func(t *testing.T) {
		elsewhere(t)
		err := install(t.Context(), &bytes.Buffer{}, "plan9/386", table)
		if err == nil || !strings.Contains(err.Error(), "plan9/386: the Go backend works as it is") {
			t.Errorf("error %q", err)
		}
	})
	t.Run("macOS and Windows", func(t *testing.T) {
		elsewhere(t)
		for _, machine := range xlaPlatforms {
			_, pinned := wheels[machine]
			archive := archives[machine]
			if pinned == (archive != "") {
				t.Errorf("%s has a wheel: %t, and the archive %q", machine, pinned, archive)
			}
			if pinned {
				continue
			}
			err := install(t.Context(), &bytes.Buffer{}, machine, wheels)
			for _, part := range []string{machine, "the Go backend works as it is", "unpack pjrt_cpu_" + strings.ReplaceAll(machine, "/", "_") + ".", "/" + archiveVersion, "GOMLX_BACKEND=xla:/"} {
				if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
					t.Errorf("error %q, want one line with %q", err, part)
				}
			}
		}
		if err := install(t.Context(), &bytes.Buffer{}, "darwin/amd64", wheels); err == nil || strings.Contains(err.Error(), "unpack") {
			t.Errorf("error %q, and XLA does not run on macOS on Intel", err)
		}
	})
	t.Run("broken plugin in the way", func(t *testing.T) {
		path := filepath.Join(elsewhere(t), pluginFile("cpu"))
		must(t, os.Mkdir(path+".d", 0o755))
		must(t, os.Symlink("/dev/null", path))
		err := install(t.Context(), &bytes.Buffer{}, "test/test", table)
		if err == nil || !strings.Contains(err.Error(), path+": it is not a regular file; remove it") {
			t.Errorf("error %q", err)
		}
	})
	t.Run("stopped", func(t *testing.T) {
		dir := elsewhere(t)
		pip(t, "exec sleep 60")
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		start := time.Now()
		if err := install(ctx, &bytes.Buffer{}, "test/test", table); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("stopped after %v", d)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 0 {
			t.Errorf("left %v", entries)
		}
	})
}

// A folder that was there, with something in it or not, stays when nothing could be installed.
func TestInstallLeavesFolders(t *testing.T) {
	elsewhere(t)
	pip(t, "exit 1")
	root := t.TempDir()
	for _, dir := range []string{"lib", "empty"} {
		must(t, os.Mkdir(filepath.Join(root, dir), 0o755))
	}
	write(t, filepath.Join(root, "lib", "other.so"), nil)
	for _, dir := range []string{"lib", "empty", "lib/go-xla", "empty/go-xla/deeper"} {
		t.Setenv(pluginPath, filepath.Join(root, dir))
		if err := install(t.Context(), &bytes.Buffer{}, "test/test", map[string]wheel{"test/test": {"any", "00"}}); err == nil {
			t.Fatal("installed")
		}
		for name, want := range map[string]int{".": 2, "lib": 1, "empty": 0} {
			if entries, err := os.ReadDir(filepath.Join(root, name)); err != nil || len(entries) != want {
				t.Errorf("after %s: %s holds %v (%v)", dir, name, entries, err)
			}
		}
	}
}

func TestDiskError(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}, true},
		{errors.Join(errors.New("x"), syscall.EDQUOT), true},
		{&os.PathError{Op: "write", Path: "x", Err: syscall.EACCES}, false},
	} {
		if got := diskError(c.err); errors.Is(got, ErrTemporary) != c.want || got.Error() != c.err.Error() {
			t.Errorf("%v became %v, temporary %v", c.err, got, errors.Is(got, ErrTemporary))
		}
	}
}

func TestInstallSaysWhatIsThere(t *testing.T) {
	elsewhere(t)
	device(t, true)
	t.Setenv("PATH", "")
	var out bytes.Buffer
	if err := Install(t.Context(), &out); err == nil {
		t.Error("installed without Python")
	}
	readme, err := os.ReadFile("README.md")
	must(t, err)
	_, commands, _ := strings.Cut(string(readme), "  ```\n")
	commands, _, _ = strings.Cut(commands, "  ```\n")
	if !strings.Contains(commands, "jax-cuda13-plugin") || !strings.Contains(out.String(), commands) {
		t.Errorf("%q does not have the commands of README.md\n%s", out.String(), commands)
	}
	if installed == "" {
		return
	}
	t.Setenv(pluginPath, filepath.Dir(installed))
	out.Reset()
	if err := Install(t.Context(), &out); err != nil || !strings.Contains(out.String(), installed+" is already installed") {
		t.Errorf("%v, output %q", err, out.String())
	}
}

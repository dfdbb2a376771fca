package backend

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// ErrTemporary is wrapped by errors of [Install] for which another try may succeed: no network, a full disk.
var ErrTemporary = errors.New("try again later")

// installCommand is the command that calls [Install].
const installCommand = "milbench backend install"

// The Python package of OpenXLA that contains the CPU plugin, and the path of the plugin in its wheel.
const (
	packageName    = "xla-cpu-pjrt"
	packageVersion = "0.0.1"
	packageMember  = "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"
	memberLimit    = 1 << 30 // bytes; the plugins have up to 260 MB
)

// wheel is the package built for one platform: its platform tag and SHA-256.
type wheel struct{ tag, sha256 string }

// wheels has the wheel of every platform that the package is built for.
var wheels = map[string]wheel{
	"linux/amd64": {"manylinux_2_27_x86_64", "55837b6b7b47daa717f2d9a5a03563ea0ceaa338d06a81a1e2d3f060d960decc"},
	"linux/arm64": {"manylinux_2_27_aarch64", "8f613be6e891858f40d64f9799319502fff42689661944fc18a6ffd8210b30c9"},
}

// archives names the archive with the plugin for the CPU of every other platform that XLA is built for, among the releases that
// go-xla uses. We have no sums to check them with, so errors name them and nothing is downloaded.
var archives = map[string]string{
	"darwin/arm64":  "pjrt_cpu_darwin_arm64.tar.gz",
	"windows/amd64": "pjrt_cpu_windows_amd64.zip",
}

// archiveVersion is the release that the version of go-xla in go.mod takes.
const archiveVersion = "v0.114.0"

// platform returns the platform of this machine, as used in wheels.
func platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

// Install downloads the XLA plugin for this machine's CPU with Python's pip, checks its SHA-256 and installs it where [New]
// looks first. On a machine with an NVIDIA device it also prints how to use that device. It reports its progress to out.
//
// An existing plugin is left alone. On an error nothing is installed and no folder is left behind; [ErrTemporary] marks
// errors that may go away.
func Install(ctx context.Context, out io.Writer) error {
	if hasCUDA() {
		fmt.Fprint(out, cudaText)
	}
	return install(ctx, out, platform(), wheels)
}

// install is [Install] with a given platform and wheels.
func install(ctx context.Context, out io.Writer, platform string, wheels map[string]wheel) (err error) {
	w, ok := wheels[platform]
	if archive := archives[platform]; !ok && archive != "" {
		return fmt.Errorf("there is no XLA plugin with a known sum for %s, so nothing is installed, and the Go backend works as it is: for XLA, "+
			"build with cgo, unpack %s of https://github.com/gomlx/pjrt-cpu-binaries/releases/tag/%s, and set GOMLX_BACKEND=xla:/absolute/path/of/the/plugin",
			platform, archive, archiveVersion)
	}
	if !ok {
		return fmt.Errorf("there is no XLA plugin to install for %s: the Go backend works as it is; "+
			"with a PJRT plugin of your own, set GOMLX_BACKEND=xla:/absolute/path/of/the/plugin", platform)
	}
	if path := findPlugin("cpu"); path != "" {
		if err := checkPlugin(path); err != nil {
			return fmt.Errorf("%s: %w; remove it and run %s again", path, err, installCommand)
		}
		fmt.Fprintf(out, "%s is already installed; remove it to install it again\n", path)
		return nil
	}
	dirs := pluginDirs()
	if len(dirs) == 0 {
		return fmt.Errorf("no folder to install into: %s is set and empty; unset it or name a folder", pluginPath)
	}
	target := filepath.Join(dirs[0], pluginFile("cpu"))
	python, err := exec.LookPath("python3")
	if err != nil {
		return fmt.Errorf("python3 with pip is needed to download the XLA plugin: %w; install it, or %s", err, byHand(w, target))
	}

	// The target comes first: what cannot be written need not be downloaded.
	missing := missingFolders(dirs[0])
	defer func() {
		for _, dir := range missing {
			if err != nil {
				os.Remove(dir) // unless something is in it
			}
		}
	}()
	if err := os.MkdirAll(dirs[0], 0o755); err != nil {
		return fmt.Errorf("cannot install into %s: %w", dirs[0], diskError(err))
	}
	plugin, err := os.CreateTemp(dirs[0], ".cpu-plugin-*.part")
	if err != nil {
		return fmt.Errorf("cannot install into %s: %w", dirs[0], diskError(err))
	}
	defer func() {
		plugin.Close()
		if err != nil {
			os.Remove(plugin.Name())
		}
	}()
	scratch, err := os.MkdirTemp("", "xla-plugin-*")
	if err != nil {
		return fmt.Errorf("cannot download the XLA plugin: %w", diskError(err))
	}
	defer os.RemoveAll(scratch)

	path, err := download(ctx, out, python, scratch, w)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("downloading the XLA plugin: %w; try again, or %s", diskError(err), byHand(w, target))
	}
	if err := extract(path, packageMember, plugin); err != nil {
		return fmt.Errorf("unpacking the XLA plugin from %s: %w", filepath.Base(path), diskError(err))
	}
	if err := place(plugin, target); err != nil {
		return fmt.Errorf("installing the XLA plugin: %w", diskError(err))
	}
	fmt.Fprintf(out, "installed %s\n", target)
	return nil
}

// place closes a written plugin and renames it to target, once it is completely on the disk.
func place(plugin *os.File, target string) error {
	if err := cmp.Or(plugin.Chmod(0o755), plugin.Sync(), plugin.Close()); err != nil {
		return err
	}
	return os.Rename(plugin.Name(), target)
}

// missingFolders returns dir and its parents that do not exist, dir first.
func missingFolders(dir string) (missing []string) {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return missing
		}
		missing = append(missing, dir)
	}
}

// diskError marks the errors of a full disk as temporary.
func diskError(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) {
		return temporary{err}
	}
	return err
}

// temporary marks an error as [ErrTemporary] without adding to its text.
type temporary struct{ error }

func (t temporary) Unwrap() error        { return t.error }
func (t temporary) Is(target error) bool { return target == ErrTemporary }

// pipSays has lower-case parts of pip's messages about a broken network and a full disk. They are needed because pip's last
// line is misleading: without a network it says that it finds no version of the package.
var pipSays = []struct{ part, meaning string }{
	{"no space left on device", "the disk is full"},
	{"disk quota exceeded", "the disk is full"},
	{"connection", "no connection to the package index; check the network"},
	{"timed out", "no connection to the package index; check the network"},
	{"name resolution", "no connection to the package index; check the network"},
}

// pipError says why pip failed, given what it wrote to stderr.
func pipError(err error, stderr string) error {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	if lines[0] == "" {
		return fmt.Errorf("pip: %w", err)
	}
	last := strings.TrimSpace(lines[len(lines)-1])
	for _, s := range pipSays {
		if strings.Contains(strings.ToLower(stderr), s.part) {
			return temporary{fmt.Errorf("pip: %s: %s (%w)", s.meaning, last, err)}
		}
	}
	return fmt.Errorf("pip: %s (%w)", last, err)
}

// download uses pip to fetch the wheel into dir and returns its path. Both pip and this function check the SHA-256.
func download(ctx context.Context, out io.Writer, python, dir string, w wheel) (string, error) {
	requirements := filepath.Join(dir, "requirements.txt")
	line := fmt.Sprintf("%s==%s --hash=sha256:%s\n", packageName, packageVersion, w.sha256)
	if err := os.WriteFile(requirements, []byte(line), 0o600); err != nil {
		return "", err
	}
	var stderr bytes.Buffer
	pip := exec.CommandContext(ctx, python, "-m", "pip", "download", "--disable-pip-version-check", "--no-input",
		"--no-deps", "--only-binary=:all:", "--require-hashes", "--dest", dir, "-r", requirements)
	pip.Stdout = out
	pip.Stderr = &stderr
	if err := pip.Run(); err != nil {
		return "", pipError(err, stderr.String())
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.whl"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("pip left %d wheels, not 1", len(found))
	}
	f, err := os.Open(found[0])
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != w.sha256 {
		return "", fmt.Errorf("%s has the SHA-256 %s, not %s", filepath.Base(found[0]), got, w.sha256)
	}
	return found[0], nil
}

// extract copies one member of a zip file to dst and does not trust the sizes in the file.
func extract(path, member string, dst io.Writer) error {
	z, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		if f.Name != member {
			continue
		}
		src, err := f.Open()
		if err != nil {
			return err
		}
		defer src.Close()
		n, err := io.Copy(dst, io.LimitReader(src, memberLimit+1))
		if err != nil {
			return err
		}
		if n > memberLimit {
			return fmt.Errorf("%s is larger than %d bytes", member, memberLimit)
		}
		return nil
	}
	return fmt.Errorf("it has no file %s", member)
}

// byHand says how to install without this program.
func byHand(w wheel, target string) string {
	return fmt.Sprintf("where pip works run: python3 -m pip download --no-deps --only-binary=:all: --platform %s %s==%s"+
		" (SHA-256 %s), then here: unzip -p %s-*.whl %s > %s",
		w.tag, packageName, packageVersion, w.sha256, strings.ReplaceAll(packageName, "-", "_"), packageMember, target)
}

// cudaText says how to run on an NVIDIA device with the plugin of JAX.
const cudaText = `An NVIDIA device is here. To use it (Linux), in a Python environment:

  python3 -m pip install "jax-cuda13-plugin[with-cuda]"
  packages=$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  export GOMLX_BACKEND=xla:$(find "$packages" -name xla_cuda_plugin.so)
  export GOPJRT_CUDA_CHECKS=0 XLA_FLAGS=--xla_gpu_cuda_data_dir=$packages/nvidia/cu13

The plugin for the CPU:
`

package backend

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// pluginPath is the environment variable with the directories that go-xla searches instead of its own, separated by ":".
const pluginPath = "PJRT_PLUGIN_LIBRARY_PATH"

// pluginDirs returns the directories to search for plugins, in order: those of PJRT_PLUGIN_LIBRARY_PATH if it is set;
// otherwise the user's directory, the system's and those of LD_LIBRARY_PATH.
func pluginDirs() []string {
	if list, ok := os.LookupEnv(pluginPath); ok {
		return slices.DeleteFunc(strings.Split(list, ":"), func(dir string) bool { return dir == "" })
	}
	var dirs []string
	if home, err := os.UserHomeDir(); err == nil {
		switch runtime.GOOS {
		case "darwin":
			home = filepath.Join(home, "Library", "Application Support")
		case "windows":
			home = filepath.Join(home, "AppData", "Local")
		default:
			home = filepath.Join(home, ".local", "lib")
		}
		dirs = append(dirs, filepath.Join(home, "go-xla"))
	}
	if runtime.GOOS != "windows" {
		dirs = append(dirs, "/usr/local/lib/go-xla")
	}
	for _, dir := range slices.Clone(dirs) {
		dirs = append(dirs, filepath.Join(dir, "nvidia"))
	}
	for dir := range strings.SplitSeq(os.Getenv("LD_LIBRARY_PATH"), ":") {
		if filepath.IsAbs(dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// pluginFile returns the file name of a plugin.
func pluginFile(name string) string {
	ext := ".so"
	switch runtime.GOOS {
	case "darwin":
		ext = ".dylib"
	case "windows":
		ext = ".dll"
	}
	return "pjrt_c_api_" + name + "_plugin" + ext
}

// forCPU reports whether the plugin at path is for the CPU.
func forCPU(path string) bool {
	return strings.Contains(strings.ToLower(filepath.Base(path)), "cpu")
}

// findPlugin returns the absolute path of a plugin, with or without a version in its file name, or "" if there is none.
func findPlugin(name string) string {
	for _, file := range []string{pluginFile(name), pluginFile(name + "_v*")} {
		for _, dir := range pluginDirs() {
			found, _ := filepath.Glob(filepath.Join(dir, file))
			for _, path := range slices.Backward(found) {
				if info, err := os.Stat(path); err != nil || info.IsDir() {
					continue
				}
				if abs, err := filepath.Abs(path); err == nil {
					return abs
				}
			}
		}
	}
	return ""
}

// checkPlugin checks that path is a complete shared library for this machine with the entry point of PJRT. Loading any other
// file could crash the process in the dynamic linker.
func checkPlugin(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	if runtime.GOOS != "linux" {
		return nil
	}
	f, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("it is not a whole shared library: %w", err)
	}
	defer f.Close()
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH]
	if f.Type != elf.ET_DYN || f.Machine != machine {
		return fmt.Errorf("it is a %v for %v, not a shared library for %s", f.Type, f.Machine, runtime.GOARCH)
	}
	size := uint64(info.Size())
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD && (p.Off > size || p.Filesz > size-p.Off) {
			return fmt.Errorf("it is cut off at %d bytes", info.Size())
		}
	}
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return fmt.Errorf("its symbols cannot be read: %w", err)
	}
	if !slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == "GetPjrtApi" && s.Section != elf.SHN_UNDEF }) {
		return errors.New("it has no entry point GetPjrtApi")
	}
	return nil
}

//go:build linux && cgo && !noxla && (amd64 || arm64)

package pjrtcache

/*
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "wrap.h"
*/
import "C"

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// smallest is how many bytes of text a program has, at least, that is worth a file. It is not a matter of how long the
// program took to compile: what is compiled at the start of a process, with effects on what follows, must always be.
const smallest = 4 << 10

// cache is the one wrapped plugin of the process: the functions of a table are given nothing that would tell one from another.
var cache struct {
	api     *C.PJRT_Api
	store   *store
	machine func() (string, error) // what all executables depend on; takes a moment, once

	compiled, loaded atomic.Int64

	mu      sync.Mutex
	clients map[*C.PJRT_Client]string // how each was made
	first   map[string]*sync.Once     // by key; as many as there are programs
}

// Wrap loads the plugin at path and returns the address of its table of functions, with what clients for the CPU compile
// going through a store in dir. It is for one plugin a process, and not for one that is loaded already.
func Wrap(path, dir string) (api uintptr, err error) {
	if cache.api != nil {
		return 0, errors.New("a plugin of this process is wrapped already")
	}
	flags := os.Getenv("XLA_FLAGS")
	if !selfContained(flags) || strings.Contains(os.Getenv("XLA_DEBUG_OPTIONS"), "xla_dump") {
		return 0, errors.New("XLA_FLAGS or XLA_DEBUG_OPTIONS name files")
	}
	store, err := newStore(dir)
	if err != nil {
		return 0, err
	}
	file, err := os.Open(path) // now, as another version may take its place
	if err != nil {
		return 0, err
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var wrapped *C.PJRT_Api
	plugin := C.synpoolOpen(name)
	if plugin != nil {
		wrapped = C.synpoolWrap(plugin)
	}
	if wrapped == nil {
		return 0, errors.Join(fmt.Errorf("%s cannot be loaded, is loaded already, or is of another version of PJRT", path), file.Close())
	}
	cache.api, cache.store = plugin, store
	cache.clients, cache.first = map[*C.PJRT_Client]string{}, map[string]*sync.Once{}
	cache.machine = sync.OnceValues(func() (string, error) {
		defer file.Close()
		return machine(file, "/proc/cpuinfo", flags)
	})
	return uintptr(unsafe.Pointer(wrapped)), nil
}

// Shared reports whether clients load what others have compiled: a plugin is wrapped, and its store can be written.
func Shared() bool { return cache.api != nil && cache.store.writable() }

// Counts returns how many programs that a store is for were compiled in this process, and how many loaded.
func Counts() (compiled, loaded int) { return int(cache.compiled.Load()), int(cache.loaded.Load()) }

// selfContained reports whether XLA's flags are all there is: they may be the name of a file that has them, or ask for files
// to be written while a program is compiled.
func selfContained(flags string) bool {
	flags = strings.TrimSpace(flags)
	return (flags == "" || flags[0] == '-') && !strings.Contains(flags, "xla_dump")
}

// machine returns what all executables of a plugin depend on: its bytes, the CPU and XLA's flags.
func machine(plugin io.Reader, cpuinfo, flags string) (string, error) {
	h := sha256.New()
	if _, err := io.Copy(h, plugin); err != nil {
		return "", err
	}
	cpu, err := cpuKind(cpuinfo)
	return fmt.Sprintf("%x\n%s\n%s", h.Sum(nil), cpu, flags), err
}

// cpuKind returns the lines of a file like /proc/cpuinfo that say for which kind of CPU code is to be compiled, each once.
func cpuKind(path string) (string, error) {
	info, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	var kind []string
	for line := range strings.Lines(string(info)) {
		name, _, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(name) {
		case "vendor_id", "cpu family", "model", "model name", "stepping", "flags",
			"CPU implementer", "CPU architecture", "CPU variant", "CPU part", "Features":
			if !slices.Contains(kind, line) {
				kind = append(kind, line)
			}
		}
	}
	if kind == nil {
		return "", fmt.Errorf("%s does not say which CPU this is", path)
	}
	return strings.Join(kind, ""), nil
}

//export synpoolWrappedCreate
func synpoolWrappedCreate(args *C.PJRT_Client_Create_Args) *C.PJRT_Error {
	failure := C.synpoolCreate(cache.api, args)
	if failure != nil || !bool(C.synpoolOnCPU(cache.api, args.client)) {
		return failure
	}
	// A client starts as many threads as these say, else as the thread that makes it may run on, and compiles for them.
	var cpus unix.CPUSet
	if unix.SchedGetaffinity(0, &cpus) != nil {
		return nil
	}
	made := []string{threads(cpus.Count())}
	for i := range args.num_options {
		o := &unsafe.Slice(args.create_options, args.num_options)[i]
		if o._type != C.PJRT_NamedValue_kInt64 { // none that this project gives: nothing of this client is kept
			return nil
		}
		made = append(made, fmt.Sprintf("%s=%d", bytesAt(o.name, o.name_size), int64(C.synpoolInt64(o))))
	}
	slices.Sort(made[1:])
	cache.mu.Lock()
	defer cache.mu.Unlock()
	cache.clients[args.client] = strings.Join(made, "\n")
	return nil
}

// threads returns what the number of a client's threads depends on.
func threads(cpus int) string {
	return fmt.Sprintf("%d CPUs, PJRT_NPROC=%q, NPROC=%q", cpus, os.Getenv("PJRT_NPROC"), os.Getenv("NPROC"))
}

//export synpoolWrappedDestroy
func synpoolWrappedDestroy(args *C.PJRT_Client_Destroy_Args) *C.PJRT_Error {
	cache.mu.Lock()
	delete(cache.clients, args.client)
	cache.mu.Unlock()
	return C.synpoolDestroy(cache.api, args)
}

//export synpoolWrappedCompile
func synpoolWrappedCompile(args *C.PJRT_Client_Compile_Args) (failure *C.PJRT_Error) {
	key, ok := keyOf(args)
	if !ok {
		return C.synpoolCompile(cache.api, args)
	}
	done := false
	compile := func() {
		if done = true; load(args, key) {
			return
		}
		cache.compiled.Add(1)
		if failure = C.synpoolCompile(cache.api, args); failure == nil {
			keep(args.executable, key)
		}
	}
	if cache.store.writable() { // of clients that want the same program at the same time one compiles it
		firstOf(key).Do(compile)
	}
	if !done {
		compile()
	}
	return failure
}

// firstOf returns what the first compilation of a key in this process does.
func firstOf(key string) *sync.Once {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if cache.first[key] == nil {
		cache.first[key] = new(sync.Once)
	}
	return cache.first[key]
}

// load gives args the executable of a key and reports whether there is one.
func load(args *C.PJRT_Client_Compile_Args, key string) bool {
	executable := cache.store.get(key)
	if executable == nil {
		return false
	}
	if !C.synpoolLoad(cache.api, args, (*C.char)(unsafe.Pointer(unsafe.SliceData(executable))), C.size_t(len(executable))) {
		cache.store.drop(key)
		cache.store.giveUp() // one that was whole: it may be so with all
		return false
	}
	cache.loaded.Add(1)
	return true
}

// keep puts an executable into the store; what cannot be kept is compiled again.
func keep(executable *C.PJRT_LoadedExecutable, key string) {
	if !cache.store.writable() {
		return
	}
	var size C.size_t
	if p := C.synpoolSerialize(cache.api, executable, &size); p != nil {
		defer C.free(unsafe.Pointer(p))
		cache.store.put(key, bytesAt(p, size))
	}
}

// keyOf returns the key of a program that is to be compiled; none if it is small, or not all is known that it depends on.
func keyOf(args *C.PJRT_Client_Compile_Args) (string, bool) {
	p := args.program
	cache.mu.Lock()
	client, ok := cache.clients[args.client]
	cache.mu.Unlock()
	if !ok || p.code_size < smallest || args.extension_start != nil {
		return "", false
	}
	machine, err := cache.machine()
	if err != nil {
		return "", false
	}
	return sumOf([]byte(machine), []byte(client), bytesAt(p.format, p.format_size), unnamed(bytesAt(p.code, p.code_size)),
		bytesAt(args.compile_options, args.compile_options_size)), true
}

// unnamed returns a program without the name of its module, "module @NAME {", in which GoMLX counts.
func unnamed(code []byte) []byte {
	if name, rest, ok := bytes.Cut(code, []byte("{")); ok && bytes.HasPrefix(name, []byte("module @")) {
		return rest
	}
	return code
}

// bytesAt returns bytes of C's.
func bytesAt(p *C.char, size C.size_t) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(p)), size) }

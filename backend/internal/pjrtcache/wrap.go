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
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/encoding/protowire"
)

// smallest is the minimum size of a program's text, in bytes, that is worth a file. The time to compile is not the
// criterion: a program that is compiled at the start of a process, with effects on what follows, must always be compiled.
const smallest = 4 << 10

// cache is the only wrapped plugin of the process: the functions of the table get nothing that would tell two plugins apart.
var cache struct {
	api     *C.PJRT_Api
	store   *store                 // nil if nothing is kept
	machine func() (string, error) // what all executables depend on; slow, computed once
	options []byte                 // further compile options

	compiled, loaded atomic.Int64

	mu      sync.Mutex
	memory  int64                     // of the first device of the last client, in bytes; 0 if unknown
	clients map[*C.PJRT_Client]string // how each client was made
	first   map[string]*sync.Once     // by key; as many as there are programs
}

// Wrap loads the plugin at path and returns the address of its function table. All its clients compile with the given
// options of XLA, whose values are of type bool or int64. An unknown option is an error of every compilation. What they
// compile is kept in a store in dir, or unkept says why not. Wrap works for one plugin per process, which must not be loaded
// already.
func Wrap(path, dir string, options map[string]any) (api uintptr, unkept, err error) {
	if cache.api != nil {
		return 0, nil, errors.New("a plugin of this process is wrapped already")
	}
	flags := os.Getenv("XLA_FLAGS")
	store, unkept := newStore(dir)
	if !selfContained(flags) || strings.Contains(os.Getenv("XLA_DEBUG_OPTIONS"), "xla_dump") {
		store, unkept = nil, errors.New("XLA_FLAGS or XLA_DEBUG_OPTIONS name files")
	}
	file, err := os.Open(path) // opened now, because another version may replace it
	if err != nil {
		return 0, nil, err
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var wrapped *C.PJRT_Api
	plugin := C.synpoolOpen(name)
	if plugin != nil {
		wrapped = C.synpoolWrap(plugin)
	}
	if wrapped == nil {
		return 0, nil, errors.Join(fmt.Errorf("%s cannot be loaded, is loaded already, or is of another version of PJRT", path), file.Close())
	}
	cache.api, cache.store, cache.options = plugin, store, overrides(options)
	cache.clients, cache.first = map[*C.PJRT_Client]string{}, map[string]*sync.Once{}
	cache.machine = sync.OnceValues(func() (string, error) {
		defer file.Close()
		return machine(file, "/proc/cpuinfo", flags)
	})
	return uintptr(unsafe.Pointer(wrapped)), unkept, nil
}

// overrides returns the field env_option_overrides of XLA's CompileOptionsProto, a map from names to OptionOverrideProto.
// A message that is appended to another one is merged with it.
func overrides(options map[string]any) (proto []byte) {
	const envOptionOverrides, key, value, boolField, intField = 7, 1, 2, 2, 3
	for _, name := range slices.Sorted(maps.Keys(options)) {
		var of []byte
		switch v := options[name].(type) {
		case bool:
			of = protowire.AppendVarint(protowire.AppendTag(nil, boolField, protowire.VarintType), protowire.EncodeBool(v))
		case int64:
			of = protowire.AppendVarint(protowire.AppendTag(nil, intField, protowire.VarintType), uint64(v))
		}
		entry := protowire.AppendString(protowire.AppendTag(nil, key, protowire.BytesType), name)
		entry = protowire.AppendBytes(protowire.AppendTag(entry, value, protowire.BytesType), of)
		proto = protowire.AppendBytes(protowire.AppendTag(proto, envOptionOverrides, protowire.BytesType), entry)
	}
	return proto
}

// Shared reports whether clients load what others have compiled: whether a plugin is wrapped and its store is writable.
func Shared() bool { return cache.api != nil && cache.store.writable() }

// Keeps reports whether it is known what the clients compile for, without which nothing is kept of them.
func Keeps() bool {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	return len(cache.clients) > 0
}

// Memory returns the bytes of memory that a client may take on its device; 0 if the plugin does not say.
func Memory() int64 {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	return cache.memory
}

// Counts returns how many programs that are worth a file were compiled in this process, and how many were loaded.
func Counts() (compiled, loaded int) { return int(cache.compiled.Load()), int(cache.loaded.Load()) }

// selfContained reports whether XLA's flags have no other inputs or outputs: they may instead be the name of a file with
// flags, or make XLA write files while it compiles.
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

// cpuKind returns the lines of a file like /proc/cpuinfo that determine the kind of CPU to compile for, without duplicates.
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
	if failure != nil {
		return failure
	}
	made, memory := madeOf(args)
	cache.mu.Lock()
	defer cache.mu.Unlock()
	cache.memory = memory
	if made != "" {
		cache.clients[args.client] = made
	}
	return nil
}

// madeOf returns what a client compiles for, "" if that is unknown, and the memory of its device.
//
// On a CPU, a client starts as many threads as the options say, or else one per CPU that its creating thread may run on,
// and compiles for that number. On a GPU it compiles for its kind, its driver and the versions of CUDA.
func madeOf(args *C.PJRT_Client_Create_Args) (made string, memory int64) {
	var on C.synpoolDevice
	if !C.synpoolOn(cache.api, args.client, &on) {
		return "", 0
	}
	parts := []string{C.GoStringN(on.platform, C.int(on.platform_size))}
	if parts[0] == "cpu" {
		var cpus unix.CPUSet
		if unix.SchedGetaffinity(0, &cpus) != nil {
			return "", 0
		}
		parts = append(parts, threads(cpus.Count()))
	} else {
		memory = int64(on.memory)
		driver, err := os.ReadFile(driverVersion)
		if err != nil || !bytes.Contains(cache.options, []byte("xla_gpu_autotune_level")) { // timed algorithms differ from time to time
			return "", memory
		}
		parts = append(parts, C.GoStringN(on.version, C.int(on.version_size)), C.GoStringN(on.kind, C.int(on.kind_size)), string(driver))
	}
	fixed := len(parts)
	for i := range args.num_options {
		o := &unsafe.Slice(args.create_options, args.num_options)[i]
		var value [64]C.char
		if !C.synpoolOption(o, &value[0], C.size_t(len(value))) { // not an option that this project sets: keep nothing of this client
			return "", memory
		}
		parts = append(parts, fmt.Sprintf("%s=%s", bytesAt(o.name, o.name_size), C.GoString(&value[0])))
	}
	slices.Sort(parts[fixed:])
	return strings.Join(parts, "\n"), memory
}

// driverVersion is where the driver of an NVIDIA GPU says its version.
const driverVersion = "/proc/driver/nvidia/version"

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
	if len(cache.options) > 0 {
		given, size := args.compile_options, args.compile_options_size
		all := C.CBytes(slices.Concat(bytesAt(given, size), cache.options))
		defer func() {
			args.compile_options, args.compile_options_size = given, size
			C.free(all)
		}()
		args.compile_options, args.compile_options_size = (*C.char)(all), size+C.size_t(len(cache.options))
	}
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
		C.synpoolTrim()
	}
	if cache.store.writable() { // if several clients want the same program at the same time, only one compiles it
		firstOf(key).Do(compile)
	}
	if !done {
		compile()
	}
	return failure
}

// firstOf returns the sync.Once for the first compilation of a key in this process.
func firstOf(key string) *sync.Once {
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if cache.first[key] == nil {
		cache.first[key] = new(sync.Once)
	}
	return cache.first[key]
}

// load sets the executable of a key in args and reports whether there is one.
func load(args *C.PJRT_Client_Compile_Args, key string) bool {
	executable := cache.store.get(key)
	if executable == nil {
		return false
	}
	if !C.synpoolLoad(cache.api, args, (*C.char)(unsafe.Pointer(unsafe.SliceData(executable))), C.size_t(len(executable))) {
		cache.store.drop(key)
		cache.store.giveUp() // the entry was complete, so all others may be unusable too
		return false
	}
	cache.loaded.Add(1)
	return true
}

// keep puts an executable into the store; one that cannot be kept is compiled again next time.
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

// keyOf returns the key of a program to compile; none if the program is small, or if some of its dependencies are unknown.
func keyOf(args *C.PJRT_Client_Compile_Args) (string, bool) {
	p := args.program
	cache.mu.Lock()
	client, ok := cache.clients[args.client]
	cache.mu.Unlock()
	if !ok || cache.store == nil || p.code_size < smallest || args.extension_start != nil {
		return "", false
	}
	machine, err := cache.machine()
	if err != nil {
		return "", false
	}
	return sumOf([]byte(machine), []byte(client), bytesAt(p.format, p.format_size), unnamed(bytesAt(p.code, p.code_size)),
		bytesAt(args.compile_options, args.compile_options_size)), true
}

// unnamed returns a program without the name of its module, "module @NAME {", because GoMLX puts a counter into it.
func unnamed(code []byte) []byte {
	if name, rest, ok := bytes.Cut(code, []byte("{")); ok && bytes.HasPrefix(name, []byte("module @")) {
		return rest
	}
	return code
}

// bytesAt returns C memory as a slice.
func bytesAt(p *C.char, size C.size_t) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(p)), size) }

package backend

import (
	"fmt"
	"os"
	"path/filepath"
)

// CacheVariable is the name of the environment variable for the folder where XLA keeps compiled graphs: an absolute
// path, or "off". Later processes, and other cores of the same process, load the graphs instead of compiling them
// again. The default is synpool/xla in the user's cache directory ([os.UserCacheDir]). If the folder cannot be written,
// every process compiles for itself.
//
// Results of loaded and compiled graphs are bit-identical. On a GPU nothing is kept if XLA times algorithms, as in TF32. Graphs from a different plugin version, a different kind of CPU
// or GPU, another driver of a GPU, or different XLA_FLAGS are not loaded. Nothing is kept if the flags make XLA write files, and graphs below 4 KiB are not
// kept. When a process first keeps a graph, it removes graphs not used for 30 days, and the oldest ones above 2 GiB in
// total.
//
// Whoever can write to the folder decides what code runs. It is therefore created for the user alone, and a folder that
// belongs to someone else, or that others may write to, is not used. The variable is read when XLA is first started. The
// cache works on Linux (amd64 and arm64); elsewhere every process compiles.
const CacheVariable = "SYNPOOL_XLA_CACHE"

// cacheDir returns the folder of compiled graphs, or "" if there is none.
func cacheDir() (string, error) {
	switch dir := os.Getenv(CacheVariable); {
	case dir == "off":
		return "", nil
	case filepath.IsAbs(dir):
		return dir, nil
	case dir != "":
		return "", fmt.Errorf("%s=%s is not the absolute path of a folder; use one, or off", CacheVariable, dir)
	}
	if user, err := os.UserCacheDir(); err == nil && filepath.IsAbs(user) {
		return filepath.Join(user, "synpool", "xla"), nil
	}
	return "", nil // a user without a home
}

// Graphs returns a line that says where XLA keeps compiled graphs ([CacheVariable]), or why it does not; "" for
// other backends.
func (c Choice) Graphs() string {
	if c.Plugin == "" {
		return ""
	}
	return graphs(c.Plugin)
}

// DeviceMemory returns the bytes of memory that XLA may take on its device, if that is not a CPU; 0 if that is unknown.
func DeviceMemory() int64 { return deviceMemory() }

package backend

import (
	"fmt"
	"os"
	"path/filepath"
)

// CacheVariable is the environment variable with the folder in which XLA on the CPU keeps compiled graphs, so that later
// processes, and other cores of one, load them instead of compiling them again: an absolute path, or "off". The default is
// synpool/xla in the user's cache directory ([os.UserCacheDir]); where nothing can be written every process compiles for
// itself.
//
// A graph that is loaded gives the same bits as one that was compiled. What another version of the plugin, another kind of
// CPU or other XLA_FLAGS compiled is not loaded, nor is anything kept where flags have XLA write files. Graphs of less than
// 4 KiB are not worth a file. When a process first keeps a graph it removes what was not used for 30 days, and the oldest of
// what is more than 2 GiB. Whoever can write to the folder decides what code runs: it is made for the user alone, and one that
// is another's, or that others may write to, is not used. The variable is read when XLA is first started. On Linux, amd64 and
// arm64; elsewhere every process compiles.
const CacheVariable = "SYNPOOL_XLA_CACHE"

// cacheDir returns the folder of compiled graphs, "" for none.
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

// Graphs says where XLA on the CPU keeps the graphs that it has compiled ([CacheVariable]), or why it does not; "" of other
// backends.
func (c Choice) Graphs() string {
	if c.Plugin == "" || !forCPU(c.Plugin) {
		return ""
	}
	return graphs(c.Plugin)
}

//go:build cgo && !noxla && (amd64 || arm64)

package backend

import (
	"cmp"
	"errors"
	"os"
	"sync"

	"github.com/gomlx/go-xla/pjrt"

	"synpool/backend/internal/pjrtcache"
)

// keeper is the first plugin of the process. Its compiled graphs are kept in dir unless there is an error; a second plugin
// compiles without a cache.
var keeper struct {
	once      sync.Once
	path, dir string
	err       error
}

// keepCompiled makes go-xla compile with further options of XLA, and keep what the plugin at path compiles in files: see
// [CacheVariable]. If that fails, go-xla loads the plugin itself, and reports what is wrong with it.
func keepCompiled(path string, options map[string]any) {
	keeper.once.Do(func() {
		keeper.path = path
		dir, err := cacheDir()
		if err == nil && dir == "" {
			err = errors.New("the user has no home folder; set " + CacheVariable)
			if os.Getenv(CacheVariable) != "" {
				err = errors.New(CacheVariable + " is off")
			}
		}
		keeper.dir, keeper.err = dir, err
		if err != nil && len(options) == 0 {
			return
		}
		api, unkept, err := pjrtcache.Wrap(path, dir, options)
		if err == nil {
			err = pjrt.RegisterPreloadedPlugin(path, api)
		}
		keeper.err = cmp.Or(keeper.err, err, unkept)
	})
}

// kept reports whether compiled graphs of the loaded plugin at path are kept.
func kept(path string) bool { return keeper.path == path && keeper.err == nil && pjrtcache.Shared() }

// deviceMemory returns the bytes of memory that XLA may take on its device; 0 if the plugin does not say.
func deviceMemory() int64 { return pjrtcache.Memory() }

// graphs says where compiled graphs are kept, or why they are not.
func graphs(path string) string {
	switch {
	case keeper.path != path:
		return "not kept: another plugin was tried first, " + keeper.path
	case keeper.err != nil:
		return "not kept: " + keeper.err.Error()
	case !pjrtcache.Keeps():
		return "not kept: the driver is not known, or algorithms are timed"
	case !kept(path):
		return "read from " + keeper.dir + "; nothing more can be kept there"
	}
	return "kept in " + keeper.dir
}

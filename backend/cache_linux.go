//go:build cgo && !noxla && (amd64 || arm64)

package backend

import (
	"errors"
	"os"
	"sync"

	"github.com/gomlx/go-xla/pjrt"

	"synpool/backend/internal/pjrtcache"
)

// keeper is the first CPU plugin of the process. Its compiled graphs are kept in dir unless there is an error; a second
// plugin compiles without a cache.
var keeper struct {
	once      sync.Once
	path, dir string
	err       error
}

// keepCompiled makes go-xla keep what the CPU plugin at path compiles in files: see [CacheVariable]. If that fails, go-xla
// loads the plugin itself, and reports what is wrong with it.
func keepCompiled(path string) {
	keeper.once.Do(func() {
		keeper.path = path
		keeper.dir, keeper.err = cacheDir()
		if keeper.err == nil && keeper.dir == "" {
			keeper.err = errors.New("the user has no home folder; set " + CacheVariable)
			if os.Getenv(CacheVariable) != "" {
				keeper.err = errors.New(CacheVariable + " is off")
			}
		}
		if keeper.err != nil {
			return
		}
		var api uintptr
		if api, keeper.err = pjrtcache.Wrap(path, keeper.dir); keeper.err == nil {
			keeper.err = pjrt.RegisterPreloadedPlugin(path, api)
		}
	})
}

// kept reports whether compiled graphs of the loaded plugin at path are kept.
func kept(path string) bool { return keeper.path == path && keeper.err == nil && pjrtcache.Shared() }

// graphs says where compiled graphs are kept, or why they are not.
func graphs(path string) string {
	switch {
	case keeper.path != path:
		return "not kept: another plugin was tried first, " + keeper.path
	case keeper.err != nil:
		return "not kept: " + keeper.err.Error()
	case !kept(path):
		return "read from " + keeper.dir + "; nothing more can be kept there"
	}
	return "kept in " + keeper.dir
}

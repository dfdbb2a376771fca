//go:build cgo && !noxla && (amd64 || arm64)

package backend

import (
	"sync"

	"github.com/gomlx/go-xla/pjrt"

	"synpool/backend/internal/pjrtcache"
)

// keeper is the first plugin of the process for the CPU, whose compiled graphs are kept; another one compiles as ever.
var keeper struct {
	once sync.Once
	path string
}

// keepCompiled has go-xla use the plugin at path, one for the CPU, with what it compiles kept in files: see [CacheVariable].
// Where that cannot be, go-xla loads the plugin itself, and says what is wrong with it.
func keepCompiled(path string) {
	dir, err := cacheDir()
	if err != nil || dir == "" {
		return
	}
	keeper.once.Do(func() {
		api, err := pjrtcache.Wrap(path, dir)
		if err == nil && pjrt.RegisterPreloadedPlugin(path, api) == nil {
			keeper.path = path
		}
	})
}

// kept reports whether graphs that the plugin at path, which is loaded, compiles are kept.
func kept(path string) bool { return keeper.path == path && pjrtcache.Shared() }

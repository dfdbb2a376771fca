//go:build cgo && !noxla && (amd64 || arm64)

package backend

import (
	"sync"

	"github.com/gomlx/go-xla/pjrt"

	"synpool/backend/internal/pjrtcache"
)

// cached has the first plugin of the process wrapped; another one compiles as ever.
var cached sync.Once

// keepCompiled has go-xla use the plugin at path, one for the CPU, with what it compiles kept in files: see [CacheVariable].
// Where that cannot be, go-xla loads the plugin itself, and says what is wrong with it.
func keepCompiled(path string) {
	dir, err := cacheDir()
	if err != nil || dir == "" {
		return
	}
	cached.Do(func() {
		if api, err := pjrtcache.Wrap(path, dir); err == nil {
			_ = pjrt.RegisterPreloadedPlugin(path, api)
		}
	})
}

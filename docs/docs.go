// Package docs holds built documents, for programs that show them.
package docs

import _ "embed"

// Explorer is explorer.html, the explorer page as go run ./course/explorer/build wrote it.
//
//go:embed explorer.html
var Explorer []byte

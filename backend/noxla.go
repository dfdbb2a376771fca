//go:build !(cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64)))

package backend

import (
	"errors"

	"github.com/gomlx/compute"
)

// xlaBuilt reports whether XLA is part of this build.
const xlaBuilt = false

func newXLA(string, string) (compute.Backend, error) {
	return nil, errors.New("this program was built without XLA")
}

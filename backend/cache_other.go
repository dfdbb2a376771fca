//go:build cgo && !noxla && ((darwin && arm64) || (windows && amd64))

package backend

func keepCompiled(string) {}

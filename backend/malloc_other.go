//go:build !linux || !cgo || noxla

package backend

// keepFreed does nothing here.
func keepFreed() {}

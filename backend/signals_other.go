//go:build !linux

package backend

// withoutSignals calls f; elsewhere XLA's threads are like others.
func withoutSignals(f func() error) error { return f() }

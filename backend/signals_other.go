//go:build !linux

package backend

// withoutSignals calls f; only on Linux must XLA's threads block signals.
func withoutSignals(f func() error) error { return f() }

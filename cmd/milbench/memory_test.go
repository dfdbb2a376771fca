package main

import (
	"strings"
	"testing"
)

func TestMemorySize(t *testing.T) {
	for text, want := range map[string]uint64{
		"500MB": 500e6, "2GB": 2e9, "1.5GiB": 3 << 29, "2 gb": 2e9, "64kB": 64e3, "64KiB": 64 << 10, "1TiB": 1 << 40, "7B": 7, ".5MB": 5e5,
		"0.1TB": 1e11, "3MiB": 3 << 20,
	} {
		var m memorySize
		if err := m.Set(text); err != nil || uint64(m) != want {
			t.Errorf("%q: %d, %v; want %d", text, m, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "say 500MB, 2GB or 1.5GiB", "500": "say 500MB", "lots": "say 500MB", "MB": "say 500MB", "-1GB": "say 500MB", "1e3MB": "say 500MB",
		"1.2.3GB": "say 500MB", "0x10MB": "say 500MB", "InfGB": "say 500MB", "2XB": "say 500MB", "2Gb/s": "say 500MB", "500M": "say 500MB",
		"0MB": "from 1B to", "0.1B": "from 1B to", "99999999999TB": "from 1B to", strings.Repeat("9", 400) + "B": "say 500MB",
	} {
		m := memorySize(7)
		if err := m.Set(text); err == nil || !strings.Contains(err.Error(), want) || m != 7 {
			t.Errorf("%q: %d, %v; want %q", text, m, err, want)
		}
	}
}

func TestBytesText(t *testing.T) {
	for n, want := range map[uint64]string{1: "1 MB", 1e6: "1 MB", 1e6 + 1: "2 MB", 500e6: "500 MB", 9.9e9: "9900 MB", 12e9: "12 GB", 12e9 + 1: "13 GB"} {
		if got := bytesText(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
		// Given back as --memory it is enough.
		var m memorySize
		if err := m.Set(bytesText(n)); err != nil || uint64(m) < n {
			t.Errorf("%s is read as %d (%v), less than %d", bytesText(n), m, err, n)
		}
	}
}

package main

import (
	"errors"
	"fmt"
	"strings"

	"synpool/backend"
	"synpool/milbench/mil"
)

// byteUnits are the units of sizes, within each kind from large to small.
var byteUnits = []struct {
	name  string
	bytes float64
}{
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1},
	{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
}

// memorySize is the value of a flag that takes a size such as 1.5GiB; 0 if it is not given.
type memorySize uint64

func (m *memorySize) Set(text string) error {
	unit := strings.TrimLeft(text, "0123456789.")
	n, err := mil.ParseNumber(strings.TrimSuffix(text, unit))
	for _, u := range byteUnits {
		if err != nil || !strings.EqualFold(strings.TrimSpace(unit), u.name) {
			continue
		}
		bytes := n * u.bytes
		if bytes < 1 || bytes >= 1<<63 {
			return errors.New("a size from 1B to 8000000TB is needed")
		}
		*m = memorySize(bytes)
		return nil
	}
	return errors.New("a size is needed, say 500MB, 2GB or 1.5GiB")
}

// bound returns the size or, without one, half of the free memory. It is 0, no bound, if that is unknown.
func (m memorySize) bound() uint64 {
	if free, known := backend.FreeMemory(); m == 0 && known {
		return free / 2
	}
	return uint64(m)
}

func (m *memorySize) String() string {
	if *m == 0 {
		return ""
	}
	return bytesText(uint64(*m))
}

func (m *memorySize) Type() string { return "size" }

// bytesText writes a number of bytes for people, rounded up.
func bytesText(n uint64) string {
	if n < 10e9 {
		return fmt.Sprintf("%d MB", (n+1e6-1)/1e6)
	}
	return fmt.Sprintf("%d GB", (n+1e9-1)/1e9)
}

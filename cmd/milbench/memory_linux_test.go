package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"synpool/internal/large"
)

// TestAuditMemory audits a folder of NumPy arrays that is several times as large as what the process may hold: arrays stay on
// disk. It measures the resident memory at its peak.
func TestAuditMemory(t *testing.T) {
	const bags, features, most = 12, 512, 100  // MB
	instances := large.Number(12_000, 100_000) // 290 MB, or 2.5 GB
	dir := bagArrays(t, bags, instances, features)
	out, resident := measured(t, "audit", dir)
	has(t, out, fmt.Sprintf("%d; %[2]d to %[2]d per bag", bags*instances, instances))
	t.Logf("%d MB of values, %d MB resident", bags*instances*features*4>>20, resident)
	if resident == 0 || resident > most {
		t.Errorf("%d MB resident, want at most %d", resident, most)
	}
}

// TestPredictMemory scores a bag, and its instances, that takes more than the process may hold, also where nothing has been
// compiled before. What it takes more than a bag of 10,000 instances is at most half of what it has more.
func TestPredictMemory(t *testing.T) {
	const features, few, most = 1024, 10_000, 350 // MB
	instances := large.Number(70_000, 100_000)    // 290 MB, or 410 MB: too much to be read whole
	model := filepath.Join(t.TempDir(), "model")
	succeed(t, "train", bagArrays(t, 4, 300, features), "--pooling", "gated", "--epochs", "1", "--out", model)
	var resident [2]int
	for k, n := range []int{few, instances} {
		var out string
		if out, resident[k] = measured(t, "predict", model, bagArrays(t, 1, n, features), "--instances"); strings.Count(out, "\nb0,") != n {
			t.Errorf("%d instances, want %d", strings.Count(out, "\nb0,"), n)
		}
	}
	values := (instances - few) * features * 4 >> 20
	t.Logf("%d MB of values more, %d MB resident more than %d", values, resident[1]-resident[0], resident[0])
	if resident[0] == 0 || resident[1]-resident[0] > values/2 || resident[1] > most {
		t.Errorf("%d MB resident, %d more, want at most %d, %d more", resident[1], resident[1]-resident[0], most, values/2)
	}
}

// bagArrays returns a folder of so many bags, which differ in one value.
func bagArrays(t *testing.T, bags, instances, features int) string {
	t.Helper()
	dir, random := t.TempDir(), rand.New(rand.NewPCG(1, 2))
	list := "bag,label\n"
	values := make([]byte, 0, 4*instances*features)
	for range instances * features {
		values = binary.LittleEndian.AppendUint32(values, math.Float32bits(random.Float32()))
	}
	for bag := range bags {
		list += fmt.Sprintf("b%d,%s\n", bag, []string{"normal", "tumour"}[bag%2])
		binary.LittleEndian.PutUint32(values, math.Float32bits(float32(bag)+random.Float32())) // no bag is another
		put(t, filepath.Join(dir, fmt.Sprintf("b%d.npy", bag)), npy("<f4", instances, features, values))
	}
	put(t, filepath.Join(dir, "labels.csv"), list)
	return dir
}

// measured runs the program and returns what it prints and the MB that it had resident at most.
func measured(t *testing.T, args ...string) (out string, resident int) {
	t.Helper()
	c := process(t, args...)
	var text bytes.Buffer
	c.Stdout, c.Stderr = &text, &text
	must(t, c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v\n%s", err, &text)
			}
			return text.String(), resident
		case <-time.After(5 * time.Millisecond):
			resident = max(resident, peak(c.Process.Pid))
		}
	}
}

// peak returns the MB that a process has had resident at most since it began, 0 for one that has ended. The resource usage of
// a child would count what its parent had resident.
func peak(pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "\nVmHWM:")
	var kB int
	fmt.Sscan(after, &kB)
	return kB >> 10
}

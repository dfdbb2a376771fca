package backend

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
)

// refuse has threads not be bound for the rest of the test.
func refuse(t *testing.T, err error) {
	t.Helper()
	old := setAffinity
	t.Cleanup(func() { setAffinity = old })
	setAffinity = func([]int) error { return err }
}

func TestCores(t *testing.T) {
	most := runtime.GOMAXPROCS(0)
	if cpus, err := affinity(); err == nil {
		most = min(most, len(cpus))
	}
	b := gobackend.GetBackend()
	goes := Choice{Backend: b, Config: "go"}
	options := Choice{Backend: b, Config: "go:ops_sequential"}
	cpu := Choice{Backend: b, Config: "xla:cpu", Plugin: "/nowhere/" + pluginFile("cpu")}
	cuda := Choice{Backend: b, Config: "xla:cuda", Plugin: "/nowhere/" + pluginFile("cuda")}
	for _, test := range []struct {
		name    string
		choice  Choice
		n       int
		workers int
		note    string
	}{
		{"go", goes, 1, 1, ""},
		{"go with options", options, most, most, ""},
		{"go on all", goes, most, most, ""},
		{"go on none", goes, 0, 1, ""},
		{"go on fewer than none", goes, -3, 1, ""},
		{"go on more", goes, most + 5, most, "CPU affinity, CPU quota or GOMAXPROCS allow no more"},
		{"cuda", cuda, most + 5, 1, ""},
		{"refused", cpu, most, 1, "one worker uses all cores: threads cannot be bound to one core each (refused)"},
		{"refused and more", cpu, most + 5, 1, "threads cannot be bound"},
	} {
		t.Run(test.name, func(t *testing.T) {
			refuse(t, errors.New("refused"))
			cores := test.choice.Cores(test.n)
			if cores.Workers != test.workers {
				t.Errorf("%d workers, want %d", cores.Workers, test.workers)
			}
			if !strings.Contains(cores.Note, test.note) || (test.note == "") != (cores.Note == "") || strings.Contains(cores.Note, "\n") {
				t.Errorf("note %q, want %q", cores.Note, test.note)
			}
			var together sync.WaitGroup
			together.Add(cores.Workers)
			err := cores.Run(func(own compute.Backend) error {
				together.Done()
				together.Wait()
				if own != b {
					t.Error("the worker has another backend")
				}
				double(t, own)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			double(t, b)
		})
	}
}

func TestCoresWithinGOMAXPROCS(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	cores := (&Choice{Backend: gobackend.GetBackend(), Config: "go"}).Cores(2)
	if cores.Workers != 1 || !strings.HasPrefix(cores.Note, "1 of 2 cores used: ") {
		t.Errorf("%d workers, note %q", cores.Workers, cores.Note)
	}
}

// errWork is an error of work.
var errWork = errors.New("bad fold")

// endings are the ways in which work can end, with a part of the error.
var endings = []struct {
	name string
	end  func() error
	says string
	is   error
}{
	{"done", func() error { return nil }, "", nil},
	{"error", func() error { return errWork }, "bad fold", errWork},
	{"panic", func() error { panic("bad graph") }, "panic: bad graph", nil},
	{"panic of an error", func() error { panic(errWork) }, "panic: bad fold", errWork},
	{"bug", func() error { return []error{}[len(errWork.Error())] }, "panic: runtime error: index out of range", nil},
	{"goroutine ended", func() error { runtime.Goexit(); return nil }, "runtime.Goexit", nil},
}

// ended reports an error of Run that is not that of an ending, once a worker.
func ended(t *testing.T, err error, says string, is error, workers int) {
	t.Helper()
	if says == "" {
		if err != nil {
			t.Error(err)
		}
		return
	}
	if err == nil {
		t.Fatalf("no error, want %q", says)
	}
	if lines := strings.Split(err.Error(), "\n"); len(lines) != workers ||
		slices.ContainsFunc(lines, func(line string) bool { return !strings.Contains(line, says) }) {
		t.Errorf("error %q, want %q %d times", err, says, workers)
	}
	if is != nil && !errors.Is(err, is) {
		t.Errorf("error %v does not wrap %v", err, is)
	}
}

func TestCoresEnd(t *testing.T) {
	for _, e := range endings {
		t.Run(e.name, func(t *testing.T) {
			cores := (&Choice{Backend: gobackend.GetBackend(), Config: "go"}).Cores(2)
			err := cores.Run(func(compute.Backend) error { return e.end() })
			ended(t, err, e.says, e.is, cores.Workers)
		})
	}
}

//go:build cgo && !noxla && (amd64 || arm64)

package backend

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"golang.org/x/sys/unix"
)

// started is XLA on the CPU, one for all tests.
var started = sync.OnceValues(func() (*Choice, error) { return askedXLA("xla:"+installed, installed) })

// onCPU returns XLA on the CPU.
func onCPU(t *testing.T) *Choice {
	t.Helper()
	if installed == "" {
		t.Skipf("it needs XLA on the CPU: run %s", installCommand)
	}
	c, err := started()
	must(t, err)
	return c
}

// threads returns the CPUs that each thread of the process may run on, as the kernel writes them.
func threads(t *testing.T) map[int]string {
	t.Helper()
	files, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(files) == 0 {
		t.Fatalf("no threads in %v: %v", files, err)
	}
	all := map[int]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		id, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		must(t, err)
		if _, cpus, found := strings.Cut(string(text), "\nCpus_allowed_list:"); found {
			cpus, _, _ = strings.Cut(cpus, "\n")
			all[id] = strings.TrimSpace(cpus)
		}
	}
	return all
}

// freely fails the test if a thread cannot run where the calling one can.
func freely(t *testing.T, want []int) {
	t.Helper()
	if now, err := affinity(); err != nil || !slices.Equal(now, want) {
		t.Errorf("the caller's thread may run on %v (%v), before on %v", now, err, want)
	}
	fresh := make(chan []int)
	go func() {
		cpus, _ := affinity()
		fresh <- cpus
	}()
	if now := <-fresh; !slices.Equal(now, want) {
		t.Errorf("a fresh goroutine may run on %v, before on %v", now, want)
	}
	all := threads(t)
	self := all[unix.Gettid()]
	for id, cpus := range all {
		if cpus != self {
			t.Errorf("thread %d may run on %s, not on %s", id, cpus, self)
		}
	}
}

// small runs a graph on a backend and leaves nothing there.
func small(b compute.Backend) (sum float32, err error) {
	exec, err := graph.NewExec(b, func(x *graph.Node) *graph.Node {
		return graph.ReduceAllSum(graph.Tanh(graph.Dot(x, graph.Transpose(x, 0, 1)).Product()))
	})
	if err != nil {
		return 0, err
	}
	defer exec.Finalize()
	x := make([][]float32, 33)
	for i := range x {
		for j := range 57 {
			x[i] = append(x[i], float32(math.Sin(float64(57*i+j)))/8)
		}
	}
	out, err := exec.Call1(x)
	if err != nil {
		return 0, err
	}
	defer out.FinalizeAll()
	return out.Value().(float32), nil
}

// onOwnThread keeps the thread for the test, and returns XLA on the CPU and the CPUs that the thread may run on.
func onOwnThread(t *testing.T) (*Choice, []int) {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	c := onCPU(t)
	before, err := affinity()
	must(t, err)
	return c, before
}

func TestCoresBound(t *testing.T) {
	c, before := onOwnThread(t)
	for _, e := range endings {
		t.Run(e.name, func(t *testing.T) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			cores := c.Cores(2)
			if most := min(len(before), runtime.GOMAXPROCS(0)); cores.Workers != min(2, most) || (cores.Note != "") != (most < 2) {
				t.Errorf("%d workers, note %q", cores.Workers, cores.Note)
			}
			var mu sync.Mutex
			var seen []int
			var together sync.WaitGroup
			together.Add(cores.Workers)
			err := cores.Run(func(b compute.Backend) error {
				together.Done()
				together.Wait()
				own, err := affinity()
				if err != nil || len(own) != 1 {
					t.Errorf("a worker may run on %v (%v), want one CPU", own, err)
				}
				bound := 0
				for _, cpus := range threads(t) {
					if cpus == fmt.Sprint(own[0]) {
						bound++
					}
				}
				if bound < 2 {
					t.Errorf("%d threads are bound to CPU %d, want that of the worker and those of its client", bound, own[0])
				}
				if b == c.Backend || b.NumDevices() != 1 {
					t.Errorf("the worker has %d devices", b.NumDevices())
				}
				mu.Lock()
				seen = append(seen, own...)
				mu.Unlock()
				return e.end()
			})
			ended(t, err, e.says, e.is, cores.Workers)
			freely(t, before)
			slices.Sort(seen)
			if !slices.Equal(seen, before[:cores.Workers]) {
				t.Errorf("the workers ran on %v, want the first of %v", seen, before)
			}
		})
	}
}

// Of a process that may use more CPUs than it has workers the threads run where the system puts them, since other processes
// may be at work on any one; a client has no more of them than one that is bound has, so that it computes the same.
func TestCoresFree(t *testing.T) {
	c, before := onOwnThread(t)
	if len(before) == 1 {
		t.Skip("it needs two CPUs")
	}
	// ofClient counts the threads of XLA's that are there while a worker runs, by name, and computes.
	ofClient := func(cores *Cores) (names map[string]int, sum float32) {
		count := func() map[string]int {
			names := make(map[string]int)
			for id := range threadIDs() {
				if name, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/comm", id)); err == nil {
					names[string(name)]++
				}
			}
			own, _ := os.ReadFile("/proc/self/comm")
			delete(names, string(own)) // Go's own
			return names
		}
		others := count()
		if err := cores.Run(func(b compute.Backend) (err error) {
			names = count()
			for name, n := range others {
				names[name] -= n
			}
			if sum, err = small(b); err != nil {
				return err
			}
			own, err := affinity()
			if want := before[:len(own)]; !slices.Equal(own, want) || (cores.free != nil) != (len(own) == len(before)) {
				t.Errorf("the worker may run on %v", own)
			}
			if cores.free != nil {
				freely(t, before)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		freely(t, before)
		return names, sum
	}
	free := c.Cores(1)
	bound := *free
	bound.free = nil
	names, sum := ofClient(free)
	namesBound, sumBound := ofClient(&bound)
	if !maps.Equal(names, namesBound) || sum != sumBound || len(names) == 0 {
		t.Errorf("threads %v and sum %v, bound %v and %v", names, sum, namesBound, sumBound)
	}
}

// A graph gives the same on every worker, and on the backend for all cores.
func TestCoresAgree(t *testing.T) {
	c := onCPU(t)
	want, err := small(c.Backend)
	must(t, err)
	cores := c.Cores(2)
	sums := make(chan float32, cores.Workers)
	if err := cores.Run(func(b compute.Backend) error {
		sum, err := small(b)
		sums <- sum
		return err
	}); err != nil {
		t.Fatal(err)
	}
	first := <-sums
	if math.Abs(float64(first-want)) > 1e-5*math.Abs(float64(want)) {
		t.Errorf("sum %v, want %v", first, want)
	}
	close(sums)
	for sum := range sums {
		if sum != first {
			t.Errorf("sum %v, on another core %v", sum, first)
		}
	}
	if again, err := small(c.Backend); err != nil || again != want {
		t.Errorf("afterwards %v (%v), before %v", again, err, want)
	}
}

// The threads that XLA starts for the first graph of a process do not stay on the CPU of the worker that compiles it.
func TestCoresFirst(t *testing.T) {
	const alone = "SYNPOOL_TEST_ALONE"
	c := onCPU(t)
	if os.Getenv(alone) == "" {
		test := exec.Command(os.Args[0], "-test.run=^TestCoresFirst$")
		test.Env = append(os.Environ(), alone+"=1")
		if out, err := test.CombinedOutput(); err != nil {
			t.Errorf("in a process of its own: %v\n%s", err, out)
		}
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := affinity()
	must(t, err)
	if err := c.Cores(2).Run(func(b compute.Backend) error {
		_, err := small(b)
		return err
	}); err != nil {
		t.Error(err)
	}
	freely(t, before)
}

// The CPUs that a process may use are not always the first ones.
func TestCoresOnTheLastCPU(t *testing.T) {
	c := onCPU(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, err := affinity()
	must(t, err)
	last := before[len(before)-1:]
	must(t, setAffinity(last))
	defer setAffinity(before)
	cores := c.Cores(2)
	if cores.Workers != 1 || !strings.HasPrefix(cores.Note, "1 of 2 cores used: ") {
		t.Errorf("%d workers, note %q", cores.Workers, cores.Note)
	}
	err = cores.Run(func(compute.Backend) error {
		if own, err := affinity(); err != nil || !slices.Equal(own, last) {
			t.Errorf("a worker may run on %v (%v), want %v", own, err, last)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// One worker that cannot start keeps all from working.
func TestCoresStart(t *testing.T) {
	c := onCPU(t)
	before, err := affinity()
	must(t, err)
	never := func(compute.Backend) error {
		t.Error("a worker works")
		return nil
	}
	check := func(t *testing.T, cores *Cores, part string) {
		t.Helper()
		if err := cores.Run(never); err == nil || !strings.Contains(err.Error(), part) ||
			!strings.Contains(err.Error(), "use fewer cores") || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want one line with %q", err, part)
		}
		freely(t, before)
	}
	t.Run("plugin gone", func(t *testing.T) {
		cores := c.Cores(1)
		cores.plugin = filepath.Join(t.TempDir(), pluginFile("cpu"))
		check(t, cores, fmt.Sprintf("starting XLA on CPU %d: ", before[0]))
	})
	t.Run("CPU gone", func(t *testing.T) {
		cores := c.Cores(2)
		cores.cpus = slices.Clone(cores.cpus)
		cores.cpus[len(cores.cpus)-1] = 1023
		check(t, cores, "binding a thread to CPU 1023: ")
	})
	t.Run("refused later", func(t *testing.T) {
		cores := c.Cores(1)
		refuse(t, unix.EPERM)
		check(t, cores, unix.EPERM.Error())
	})
}

// Where threads cannot be bound, there is one worker on the backend that is there.
func TestCoresRefused(t *testing.T) {
	c := onCPU(t)
	refuse(t, unix.EPERM)
	cores := c.Cores(4)
	if cores.Workers != 1 || !strings.Contains(cores.Note, unix.EPERM.Error()) {
		t.Errorf("%d workers, note %q", cores.Workers, cores.Note)
	}
	worked := 0
	err := cores.Run(func(b compute.Backend) error {
		worked++
		if b != c.Backend {
			t.Error("the worker has a backend of its own")
		}
		return nil
	})
	if err != nil || worked != 1 {
		t.Errorf("%v, worked %d times", err, worked)
	}
}

// A thread that cannot be given back does not live on.
func TestCoresNotReleased(t *testing.T) {
	c := onCPU(t)
	before, err := affinity()
	must(t, err)
	if len(before) == 1 {
		t.Skip("it needs two CPUs")
	}
	cores := c.Cores(1)
	set := setAffinity
	defer func() { setAffinity = set }()
	setAffinity = func(cpus []int) error {
		if len(cpus) > 1 {
			return unix.EPERM
		}
		return set(cpus)
	}
	worker := 0
	if err := cores.Run(func(compute.Backend) error {
		worker = unix.Gettid()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if worker == os.Getpid() { // Go parks the main thread instead of ending it
		var all unix.CPUSet
		all.Fill()
		must(t, unix.SchedSetaffinity(worker, &all))
		return
	}
	for start := time.Now(); threads(t)[worker] != ""; time.Sleep(time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatal("the bound thread lives on")
		}
	}
	freely(t, before)
}

// The options of the configuration are those of every worker.
func TestCoresOptions(t *testing.T) {
	onCPU(t)
	config := installed + ",noshared_buffers"
	c, err := askedXLA("xla:"+config, config)
	must(t, err)
	defer c.Backend.Finalize()
	if err := c.Cores(1).Run(func(b compute.Backend) error {
		if b.HasSharedBuffers() {
			t.Error("the worker shares its memory")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// TestKeepFreed counts the pages that the system hands out for the large arrays of a graph, call after call. Settings of
// malloc in the environment can make it fail.
func TestKeepFreed(t *testing.T) {
	const warm = 60                 // calls first: XLA's threads take turns, and malloc keeps memory of its own for each
	const calls, rows = 20, 1 << 11 // an array of 16 MB a call
	const pages = calls * rows * rows * 4 / (4 << 10)
	faults := func(b compute.Backend) (int64, error) {
		exec, err := graph.NewExec(b, func(x *graph.Node) *graph.Node {
			tall, wide := graph.BroadcastToDims(x, rows, 8), graph.BroadcastToDims(x, 8, rows)
			return graph.ReduceAllSum(graph.Tanh(graph.Dot(tall, wide).Product()))
		})
		if err != nil {
			return 0, err
		}
		defer exec.Finalize()
		var before, after unix.Rusage
		for i := range warm + calls {
			if i == warm {
				err = unix.Getrusage(unix.RUSAGE_SELF, &before)
			}
			out, failed := exec.Call1(float32(i))
			if failed != nil {
				return 0, failed
			}
			out.MustFinalizeAll()
		}
		err = errors.Join(err, unix.Getrusage(unix.RUSAGE_SELF, &after))
		return after.Minflt - before.Minflt, err
	}
	check := func(b compute.Backend) error {
		n, err := faults(b)
		if n > pages/4 {
			t.Errorf("%d pages from the system for arrays of %d that were there before", n, pages)
		}
		return err
	}
	c := onCPU(t)
	if err := errors.Join(check(c.Backend), c.Cores(1).Run(check)); err != nil {
		t.Error(err)
	}
}

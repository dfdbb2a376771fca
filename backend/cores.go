package backend

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"golang.org/x/sys/cpu"
)

// Cores is how a backend's work is spread over the cores of the machine.
//
// XLA on the CPU is fastest with a client of its own on each core: the threads of one client for all cores take work from
// each other and move between cores, which costs more than they gain on operations of microseconds.
type Cores struct {
	Workers int    // that work at a time, at least 1
	Note    string // one line on what was asked for and cannot be had, "" if nothing
	Kept    bool   // workers load graphs that one of them has compiled: see [CacheVariable]

	backend compute.Backend // of all workers, unless they have CPUs and backends of their own:
	cpus    []int
	free    []int // where their threads may run once they are started; nil for a CPU of their own each
	plugin  string
	options string
}

// Cores spreads work over n cores, over fewer if the process may not use as many (CPU affinity, CPU quota, GOMAXPROCS):
//
//   - XLA on the CPU: one worker a core, each with a one-device backend of as many threads as one core has use for. They are
//     bound to that core if the process may use no others than the n; else the system places them, since other processes may
//     be at work there, too. Where threads cannot be bound, one worker on c.Backend, which uses all cores by itself.
//   - The Go backend: n workers share c.Backend.
//   - CUDA and others: one worker on c.Backend.
//
// An n below 1 counts as 1.
func (c *Choice) Cores(n int) *Cores {
	cores := &Cores{Workers: 1, backend: c.Backend}
	name, _, _ := strings.Cut(c.Config, ":")
	xlaCPU := c.Plugin != "" && forCPU(c.Plugin)
	if !xlaCPU && name != goConfig {
		return cores
	}
	cpus, err := bindable()
	most := runtime.GOMAXPROCS(0) // knows the quota
	if err == nil {
		most = min(most, len(cpus))
	}
	cores.Workers = max(1, min(n, most))
	if n > most {
		cores.Note = fmt.Sprintf("%d of %d cores used: CPU affinity, CPU quota or GOMAXPROCS allow no more", cores.Workers, n)
	}
	switch {
	case !xlaCPU:
	case err != nil:
		cores.Workers = 1
		cores.Note = fmt.Sprintf("one worker uses all cores: threads cannot be bound to one core each (%v)", err)
	default:
		cores.cpus = cpus[:cores.Workers]
		if len(cpus) > cores.Workers {
			cores.free = cpus
		}
		cores.plugin, cores.Kept = c.Plugin, kept(c.Plugin)
		_, cores.options, _ = strings.Cut(c.Config, ",")
	}
	return cores
}

// Lanes returns how many numbers of float32 the vectors hold in which XLA computes on this CPU: 16 with AVX-512, 8 on other x86
// processors, 4 elsewhere. Loops whose turns are no multiple of it round their last turns otherwise.
func Lanes() int {
	switch {
	case cpu.X86.HasAVX512F:
		return 16
	case runtime.GOARCH == "amd64":
		return 8
	}
	return 4
}

// Run calls work in every worker at the same time, on an OS thread and with the backend of that worker, and returns when
// all have ended. Goroutines that work starts run on other threads, bound to no core.
//
// A backend of a worker's own ends with it: work finalises what it made there (tensors, executables) before it returns.
// If a worker's backend cannot be started, no work is done. The errors of all workers are joined; a panic of work is one
// of them. Afterwards all threads may run where they could before.
func (c *Cores) Run(work func(b compute.Backend) error) error {
	if c.cpus != nil {
		if err := startCompiler(c.backend); err != nil {
			return fmt.Errorf("compiling: %w", err)
		}
	}
	errs := make([]error, c.Workers)
	var workers, starting sync.WaitGroup
	var failed atomic.Bool
	starting.Add(c.Workers)
	for i := range errs {
		errs[i] = errors.New("a worker's goroutine was ended by runtime.Goexit") // unless it comes to its end
		workers.Go(func() {
			b, end, err := c.start(i)
			if err != nil {
				failed.Store(true)
			} else {
				defer end()
			}
			starting.Done()
			starting.Wait()
			if !failed.Load() {
				err = do(work, b)
			}
			errs[i] = err
		})
	}
	workers.Wait()
	return errors.Join(errs...)
}

// do calls work and turns a panic, which is how GoMLX tells of a wrong graph, into an error.
func do(work func(b compute.Backend) error, b compute.Backend) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case error:
			err = fmt.Errorf("panic: %w", r)
		default:
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return work(b)
}

// startCompiler compiles a graph of one operation. The first compilation of a process starts threads that serve all its
// clients and never end; they must not inherit the one CPU of a worker.
func startCompiler(b compute.Backend) error {
	return try(func() error {
		builder := b.Builder("start")
		x, err := builder.Main().Parameter("x", shapes.Make(dtypes.Float32, 1), nil)
		if err != nil {
			return err
		}
		if x, err = builder.Main().Neg(x); err != nil {
			return err
		}
		if err := builder.Main().Return([]compute.Value{x}, nil); err != nil {
			return err
		}
		program, err := builder.Compile()
		if err != nil {
			return err
		}
		program.Finalize()
		return nil
	})
}

// clients has one client made at a time.
var clients sync.Mutex

// start returns the backend of worker i; end is called on the same goroutine.
func (c *Cores) start(i int) (b compute.Backend, end func(), err error) {
	if c.cpus == nil {
		return c.backend, func() {}, nil
	}
	clients.Lock()
	defer clients.Unlock()
	release, err := bind(c.cpus[i])
	if err != nil {
		return nil, nil, fmt.Errorf("binding a thread to CPU %d: %w; use fewer cores", c.cpus[i], err)
	}
	// A client starts threads for as many CPUs as the one that makes it may run on.
	others := threadIDs()
	b, err = load(c.plugin, c.options)
	if err != nil {
		release()
		return nil, nil, fmt.Errorf("starting XLA on CPU %d: %w; use fewer cores", c.cpus[i], err)
	}
	if c.free != nil {
		setAffinity(c.free) // a thread that cannot be set free works where it is
		for id := range threadIDs() {
			if !others[id] {
				setThreadAffinity(id, c.free)
			}
		}
	}
	return b, func() {
		b.Finalize()
		release()
	}, nil
}

// bindable returns the CPUs that threads of this process may be bound to.
func bindable() ([]int, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cpus, err := affinity()
	if err == nil {
		err = setAffinity(cpus) // changes nothing, and is refused where a change would be
	}
	return cpus, err
}

// bind locks the goroutine to its OS thread and binds the thread, and those that it will start, to one CPU. release undoes
// that.
func bind(cpu int) (release func(), err error) {
	runtime.LockOSThread()
	before, err := affinity()
	if err == nil {
		err = setAffinity([]int{cpu})
	}
	if err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	return func() {
		// A thread that stays bound must not run other goroutines. Left locked, it ends with this one.
		if setAffinity(before) == nil {
			runtime.UnlockOSThread()
		}
	}, nil
}

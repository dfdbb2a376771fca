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

// Cores describes how the work of a backend is spread over the cores of the machine.
//
// XLA on the CPU is fastest with one client per core. The threads of a single client take work from each other and move
// between cores, which costs more than it gains for operations of microseconds.
type Cores struct {
	Workers int    // number of workers that run at the same time, at least 1
	Note    string // one line on a request that cannot be met, "" if none
	Kept    bool   // workers load graphs that another has compiled: see [CacheVariable]

	backend compute.Backend // shared by all workers, unless they have their own CPUs and backends:
	cpus    []int
	free    []int // CPUs that their threads may use once started; nil means one CPU per worker
	plugin  string
	options string
}

// Cores spreads work over n cores, or fewer if the process may not use that many (CPU affinity, CPU quota, GOMAXPROCS):
//
//   - XLA on the CPU: one worker per core, each with its own single-device backend with the number of threads that suits one
//     core. If the process may use exactly n cores, the threads of each worker are bound to its core; otherwise the system
//     places them, because other processes may run there too. If threads cannot be bound, there is one worker on c.Backend,
//     which uses all cores.
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

// Lanes returns the number of float32 values in a SIMD vector that XLA uses on this CPU: 16 with AVX-512, 8 on other x86
// processors, 4 elsewhere. If the length of a loop is not a multiple of it, the remaining iterations may round differently.
func Lanes() int {
	switch {
	case cpu.X86.HasAVX512F:
		return 16
	case runtime.GOARCH == "amd64":
		return 8
	}
	return 4
}

// Run calls work in every worker at the same time, on the OS thread and with the backend of that worker, and returns when
// all have finished. Goroutines started by work run on other threads, which are not bound to a core.
//
// A worker's own backend ends with the worker: work must finalise what it made there (tensors, executables) before it
// returns. If the backend of any worker fails to start, no work is done. The errors of all workers are joined; a panic of
// work becomes an error. Afterwards all threads may run on the same CPUs as before.
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
		errs[i] = errors.New("a worker's goroutine was ended by runtime.Goexit") // unless work returns
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

// do calls work and turns a panic into an error: GoMLX panics on a wrong graph.
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

// startCompiler compiles a graph with one operation. The first compilation of a process starts threads that serve all its
// clients and never end; they must not inherit the single CPU of a worker.
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

// clients makes sure that only one client is created at a time.
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
	// A client starts one thread for each CPU that the creating thread may run on.
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

// bind locks the goroutine to its OS thread and binds the thread, and those that it will start, to one CPU; release undoes
// both.
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

package milbench

import (
	"cmp"
	"runtime"
	"sync"

	"synpool/backend"
	"synpool/milbench/learner"
	"synpool/milbench/learners"
	"synpool/milbench/learners/neural"
)

// Machine says what trains and scores. The zero value, like nil, takes all cores and sets no limit. The backend of networks
// starts when the first one needs it. A machine may be used by several goroutines; [Machine.Close] is for the end, when
// nothing runs on it and no network of it is needed any more.
type Machine struct {
	Cores       int    // to train on, at most those of the machine; 0 means all
	Memory      uint64 // limit in bytes; 0 means none
	Checkpoints string // folder for unfinished trainings on large bags; "" keeps none

	Started func(*backend.Choice) // called once the backend has started; may be nil
	Note    func(string)          // gets one line on how the cores are used, if there is something to say; may be nil
	Watch   func(neural.Watched)  // see [neural.Trainer]; may be nil

	mu     sync.Mutex
	choice *backend.Choice
}

// here is the machine of nil.
var here Machine

func (m *Machine) or() *Machine { return cmp.Or(m, &here) }

// Backend starts the backend unless it runs, and returns it.
func (m *Machine) Backend() (*backend.Choice, error) {
	m = m.or()
	choice, started, err := m.start()
	if started && m.Started != nil {
		m.Started(choice)
	}
	return choice, err
}

func (m *Machine) start() (choice *backend.Choice, started bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.choice == nil {
		if m.choice, err = backend.New(); err != nil {
			return nil, false, err
		}
		started = true
	}
	return m.choice, started, nil
}

// Close stops the backend if it runs.
func (m *Machine) Close() {
	m = m.or()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.choice != nil {
		m.choice.Backend.Finalize()
		m.choice = nil
	}
}

// Trainer starts the backend and returns a trainer of many networks, in blocks side by side.
func (m *Machine) Trainer() (neural.Trainer, error) {
	m = m.or()
	choice, err := m.Backend()
	if err != nil {
		return neural.Trainer{}, err
	}
	t, cores := m.on(choice), choice.Cores(m.cores())
	if cores.Note != "" && m.Note != nil {
		m.Note(cores.Note)
	}
	t.Workers, t.Run, t.Kept = cores.Workers, cores.Run, cores.Kept
	return t, nil
}

// single starts the backend and returns a trainer of one network at a time, on all cores.
func (m *Machine) single() (neural.Trainer, error) {
	choice, err := m.Backend()
	if err != nil {
		return neural.Trainer{}, err
	}
	return m.on(choice), nil
}

func (m *Machine) on(choice *backend.Choice) neural.Trainer {
	return neural.Trainer{Backend: choice.Backend, Workers: 1, Memory: m.Memory, Watch: m.Watch, Checkpoints: m.Checkpoints}
}

func (m *Machine) cores() int {
	if m.Cores < 1 {
		return runtime.GOMAXPROCS(0)
	}
	return m.Cores
}

// trainer returns what trains and reads single models. Networks train side by side if many is true, for settings that try
// several of them, otherwise one at a time on all cores.
func (m *Machine) trainer(many bool) learners.Trainer {
	nets := &neural.Networks{Start: m.single}
	if many {
		nets.Start = m.Trainer
	}
	return learners.Trainer{Networks: nets, Resources: learners.Resources{Workers: m.cores(), Memory: m.Memory}}
}

// Learner starts the backend and returns a learner of every setting: networks in blocks side by side, and the others on as
// many cores.
func (m *Machine) Learner() (learner.Learner, neural.Trainer, error) {
	t, err := m.Trainer()
	return learners.All(t, learners.Resources{Workers: t.Workers, Memory: t.Memory}), t, err
}

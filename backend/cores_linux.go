package backend

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// affinity returns the CPUs that the calling thread may run on, in order.
func affinity() ([]int, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil, err
	}
	var cpus []int
	for cpu := 0; len(cpus) < set.Count(); cpu++ {
		if set.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}

// setAffinity makes the calling thread run on some CPUs only. Threads that it starts inherit them.
var setAffinity = func(cpus []int) error { return setThreadAffinity(0, cpus) }

// setThreadAffinity is setAffinity for any thread of the process; 0 is the calling one.
func setThreadAffinity(id int, cpus []int) error {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	return unix.SchedSetaffinity(id, &set)
}

// threadIDs returns the threads of the process, or none if the system does not report them.
func threadIDs() map[int]bool {
	entries, _ := os.ReadDir("/proc/self/task")
	ids := make(map[int]bool, len(entries))
	for _, e := range entries {
		if id, err := strconv.Atoi(e.Name()); err == nil {
			ids[id] = true
		}
	}
	return ids
}

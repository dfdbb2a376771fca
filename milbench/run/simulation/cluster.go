package simulation

import (
	"errors"
	"fmt"
)

// Cluster describes a scheduler and its nodes. All times are in seconds.
type Cluster struct {
	Nodes int // each node runs one shard at a time
	Cores int // per node, at least 1

	Wait       float64 // mean time of an attempt in the queue, exponential
	Starts     float64 // maximum number of attempts that the scheduler starts per second; +Inf for no limit
	StartUp    float64 // from the start of an attempt until it compiles
	Failures   float64 // per node and hour
	Retry      float64 // from a failure until the shard is queued again
	Stragglers float64 // share of nodes that are slow, from 0 to 1
	Slowdown   float64 // how much slower they are, a factor of at least 1
	Merge      float64 // lines merged per second; +Inf for no delay
}

// Default returns a cluster with one node of two cores. An attempt waits one minute and starts up in five seconds;
// ten start per second. A node fails once in a thousand hours, and its shard is queued again five minutes later. One
// node in twenty is slower by half, and 100,000 lines are merged per second. The cores are those of the machine used
// for [Measured]; everything else is an assumption, so adapt it to your cluster.
func Default() Cluster {
	return Cluster{Nodes: 1, Cores: 2, Wait: 60, Starts: 10, StartUp: 5, Failures: 0.001, Retry: 300, Stragglers: 0.05, Slowdown: 1.5, Merge: 100_000}
}

// Validate returns an error if there are no nodes or cores, or if a number is out of range.
func (c Cluster) Validate() error {
	for _, v := range []struct {
		name      string
		value     float64
		low, high float64
	}{
		{"nodes", float64(c.Nodes), 1, mostNodes},
		{"cores of a node", float64(c.Cores), 1, mostCores},
		{"mean queue wait in seconds", c.Wait, 0, mostSeconds},
		{"start-up in seconds", c.StartUp, 0, mostSeconds},
		{"failures per node and hour", c.Failures, 0, mostFailures},
		{"retry delay in seconds", c.Retry, 0, mostSeconds},
		{"share of stragglers", c.Stragglers, 0, 1},
		{"factor of stragglers", c.Slowdown, 1, 1e6},
	} {
		if !(v.value >= v.low && v.value <= v.high) {
			return fmt.Errorf("%s: %v; give a number from %v to %v", v.name, v.value, v.low, v.high)
		}
	}
	for _, v := range []struct {
		name  string
		value float64
	}{{"attempts started per second", c.Starts}, {"lines merged per second", c.Merge}} {
		if !(v.value >= 1e-6) {
			return fmt.Errorf("%s: %v; give a number from 1e-06", v.name, v.value)
		}
	}
	return nil
}

// Upper limits for a simulation.
const (
	mostNodes    = 100_000
	mostCores    = 1024
	mostFits     = 10_000_000
	mostSeconds  = 1e9
	mostFailures = 3600 // per node and hour: one per second
)

// mostLives limits how long a block may end after the start of its attempt, in mean times between failures: one
// attempt in 3,000 gets that far.
const mostLives = 8

// ErrFailures is wrapped by the error returned if nodes fail so often that hardly any block finishes.
var ErrFailures = errors.New("fits would hardly ever end")

// check returns an error if nodes fail before a block finishes.
func (c Cluster) check(w Work) error {
	for _, g := range w.groups {
		longest := 0.0
		for _, r := range g.Runs {
			longest = max(longest, c.StartUp+r.Compile+r.Block)
		}
		if c.Stragglers > 0 {
			longest *= c.Slowdown
		}
		if longest*c.Failures > mostLives*3600 {
			return fmt.Errorf("%s: a block takes up to %.0f s with start-up and compiling, and a node fails every %.0f s; %w",
				g.Name, longest, 3600/c.Failures, ErrFailures)
		}
	}
	return nil
}

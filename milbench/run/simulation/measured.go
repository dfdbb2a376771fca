package simulation

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
)

// measured.jsonl has the output of milbench/learner/neural/bench on two cores of an AMD EPYC with XLA, five runs per
// structure, taken from milbench/learner/neural/bench/results.jsonl.
//
//go:embed measured.jsonl
var measured []byte

// Measured returns the groups that come with the package: six networks and sets, each measured in five runs on a
// machine with two cores (milbench/learner/neural/bench).
func Measured() []Group {
	groups, err := ReadGroups(bytes.NewReader(measured), "measured.jsonl")
	if err != nil {
		panic(fmt.Sprintf("simulation: %v", err)) // cannot happen: a test reads it
	}
	return groups
}

// benchLine is one run in the output of milbench/learner/neural/bench.
type benchLine struct {
	Set     string  `json:"set"`
	Width   int     `json:"width"`
	Batch   int     `json:"batch"`
	Epochs  int     `json:"epochs"`
	Fits    int     `json:"fits"`
	Members int     `json:"members"`
	Cores   int     `json:"cores"`
	Seconds float64 `json:"seconds"`         // wall time of training
	Compile float64 `json:"compile_seconds"` // per core
}

// kind identifies the runs of one group.
type kind struct {
	set                                 string
	width, batch, epochs, fits, members int
}

// ReadGroups reads the output of milbench/learner/neural/bench, one run per line. It returns one group per set,
// width, batch, number of epochs and number of fits, in the order of their first lines. It assumes that all blocks of
// a run take equally long.
func ReadGroups(in io.Reader, name string) ([]Group, error) {
	var groups []Group
	at := map[kind]int{}
	lines := bufio.NewScanner(in)
	for number := 1; lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var l benchLine
		err := json.Unmarshal(lines.Bytes(), &l)
		var g Group
		if err == nil {
			g, err = l.group()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: line %d is not what milbench/learner/neural/bench prints: %w", name, number, err)
		}
		k := kind{l.Set, l.Width, l.Batch, l.Epochs, l.Fits, l.Members}
		if i, known := at[k]; known {
			groups[i].Runs = append(groups[i].Runs, g.Runs...)
			continue
		}
		at[k] = len(groups)
		groups = append(groups, g)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(groups) == 0 {
		return nil, fmt.Errorf("%s holds no run; fill it with go run ./milbench/learner/neural/bench", name)
	}
	return groups, nil
}

// group returns the group of a line, with its run.
func (l benchLine) group() (Group, error) {
	if l.Set == "" || l.Cores < 1 || l.Cores > mostCores || l.Fits < 1 || l.Members < 1 {
		return Group{}, fmt.Errorf("set %q, %d fits in blocks of %d on %d cores", l.Set, l.Fits, l.Members, l.Cores)
	}
	blocks := (l.Fits-1)/l.Members + 1
	rounds := (blocks-1)/l.Cores + 1 // rounds of parallel blocks
	g := Group{Name: fmt.Sprintf("%s, width %d, batch %d", l.Set, l.Width, l.Batch), Fits: l.Fits, Blocks: blocks,
		Runs: []Run{{Compile: l.Compile, Block: l.Seconds / float64(rounds)}}}
	return g, g.Validate()
}

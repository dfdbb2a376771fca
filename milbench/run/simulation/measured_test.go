package simulation

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// The measured lines are in the trainer's benchmark: every run of milbench without curves, complete and with 50
// epochs.
func TestMeasuredStandsInTheBenchmark(t *testing.T) {
	text, err := os.ReadFile("../../learner/neural/bench/results.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	compact := func(line []byte) string {
		var v any
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatal(err)
		}
		b, _ := json.Marshal(v)
		return string(b)
	}
	var want, got []string
	for line := range bytes.Lines(text) {
		var run struct {
			Row, Side string
			Quick     bool
			Epochs    int
			Processes []json.RawMessage
		}
		if err := json.Unmarshal(line, &run); err != nil {
			t.Fatal(err)
		}
		if run.Side == "go" && !run.Quick && run.Epochs == 50 && run.Row != "cost" {
			want = append(want, compact(run.Processes[0]))
		}
	}
	for line := range bytes.Lines(measured) {
		got = append(got, compact(line))
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("measured.jsonl has %d runs that are not the %d of milbench/learner/neural/bench/results.jsonl", len(got), len(want))
	}
}

func TestMeasured(t *testing.T) {
	groups := Measured()
	if len(groups) != 6 {
		t.Fatalf("%d groups", len(groups))
	}
	for _, g := range groups {
		if err := g.Validate(); err != nil || len(g.Runs) != 5 {
			t.Errorf("%+v (%v)", g, err)
		}
	}
	// 10 blocks of 5 fits on two cores are 5 rounds; the process took compiling plus these.
	g := groups[0]
	if g.Name != "elephant, width 256, batch 1" || g.Fits != 50 || g.Blocks != 10 || g.Runs[0] != (Run{7.257757300000001, 24.731152862000002 / 5}) {
		t.Errorf("%+v", g)
	}
}

func TestReadGroupsRefuses(t *testing.T) {
	for want, line := range map[string]string{
		"f: line 1 is not what milbench/learner/neural/bench prints": "{",
		"f holds no run":             "\n",
		"set \"\", 5 fits":           `{"width":1,"fits":5,"members":1,"cores":2,"seconds":1}`,
		"on 0 cores":                 `{"set":"a","fits":5,"members":1,"seconds":1}`,
		"a\", 0 fits in blocks of 1": `{"set":"a","members":1,"cores":1,"seconds":1}`,
		"0 s per block":              `{"set":"a","fits":1,"members":1,"cores":1}`,
		"token too long":             strings.Repeat(" ", bufio.MaxScanTokenSize+1),
	} {
		if _, err := ReadGroups(strings.NewReader(line), "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", line, err, want)
		}
	}
}

func FuzzReadGroups(f *testing.F) {
	line, _, _ := bytes.Cut(measured, []byte("\n"))
	f.Add(line)
	f.Add([]byte(`{"set":"a","fits":9223372036854775807,"members":1,"cores":1,"seconds":1}`))
	f.Add([]byte(`{"set":"a","fits":1,"members":9223372036854775807,"cores":1,"seconds":1e300}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		groups, err := ReadGroups(bytes.NewReader(text), "fuzz")
		if err != nil {
			return
		}
		w, err := NewWork(groups, 10)
		if err != nil {
			t.Fatalf("read, but no work: %v", err)
		}
		cut, err := w.Cut(3)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ideal(2).Simulate(cut, 1); err != nil {
			t.Fatal(err)
		}
	})
}

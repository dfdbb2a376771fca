package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"synpool/backend"
	"synpool/internal/large"
	"synpool/milbench"
	"synpool/milbench/cluster"
	"synpool/milbench/results"
	"synpool/milbench/run/simulation"
)

func TestPlanSimulate(t *testing.T) {
	figure := filepath.Join(t.TempDir(), "cost.svg")
	args := strings.Fields("plan simulate --fits 200,400 --nodes 1,3 --simulations 5 --seed 3 --figure " + figure)
	out, stderr := succeed(t, args...)
	if !strings.Contains(stderr, "drawn: "+figure) {
		t.Errorf("nothing of a figure:\n%s", stderr)
	}
	if drawn, err := os.ReadFile(figure); err != nil || !bytes.Contains(drawn, []byte("400 fits")) {
		t.Errorf("no figure (%v)", err)
	}
	again, _ := succeed(t, args...)
	if out != again {
		t.Errorf("the same command prints\n%sand\n%s", out, again)
	}
	var s simulated
	asJSON, _ := succeed(t, append(args, "--json")...)
	if err := json.Unmarshal([]byte(asJSON), &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Work) != 2 || s.On.Cores != 2 || s.On.Wait != 60 || s.Seed != 3 || s.Most != 5 {
		t.Fatalf("%+v", s)
	}
	rows := regexp.MustCompile(`(?m)^[0-9,]+  .*%.*$`).FindAllString(out, -1)
	if len(rows) != 4 {
		t.Fatalf("%d rows:\n%s", len(rows), out)
	}
	for i, w := range s.Work {
		if w.Fits != 200*(i+1) || len(w.Costs) != 2 || len(w.Doublings) != 3 || w.Costs[0] != w.Doublings[0] || w.Costs[1].Nodes != 3 {
			t.Errorf("%+v", w)
		}
		for k, c := range w.Costs {
			if row := rows[2*i+k]; !strings.HasPrefix(row, fmt.Sprint(w.Fits)) || !strings.Contains(row, " "+wallText(c.Wall)+" ") {
				t.Errorf("%+v is printed as %q", c, row)
			}
		}
	}
}

// TestSimulatedScaling says of doublings what was simulated: nothing of one number of nodes.
func TestSimulatedScaling(t *testing.T) {
	costs := []simulation.Cost{{Nodes: 1, Wall: 100}, {Nodes: 2, Wall: 50}, {Nodes: 4, Wall: 49}}
	for _, c := range []struct {
		doublings []simulation.Cost
		stopsAt   int
		want      string
	}{
		{costs[:1], 0, "\nsimulated; "},
		{costs[:2], 0, "\n1,000 fits: twice the nodes save 10 % or more at every doubling up to 2\n\nsimulated; "},
		{costs, 2, "\n1,000 fits: twice the nodes save less than 10 % at 2\n\nsimulated; "},
	} {
		var out bytes.Buffer
		p := program{out: &sink{w: &out}}
		if err := p.writeSimulated(simulated{Work: []simulatedWork{{Fits: 1000, Costs: c.doublings, Doublings: c.doublings, StopsAt: c.stopsAt}}}); err != nil {
			t.Fatal(err)
		}
		_, got, _ := strings.Cut(out.String(), "\n")
		for range c.doublings {
			_, got, _ = strings.Cut(got, "\n")
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("after the table of %d doublings %q, want %q", len(c.doublings), got, c.want)
		}
	}
}

// Flags change what they say.
func TestPlanSimulateFlags(t *testing.T) {
	simulate := func(flags string) simulatedWork {
		out, _ := succeed(t, strings.Fields("plan simulate --json --fits 300 --nodes 4 --simulations 20 "+flags)...)
		var s simulated
		if err := json.Unmarshal([]byte(out), &s); err != nil || len(s.Work) != 1 {
			t.Fatalf("%v\n%s", err, out)
		}
		return s.Work[0]
	}
	usual := simulate("").Costs[0]
	for _, flags := range []string{"--queue-wait 1h", "--start-up 10m", "--failures 20 --retry 1h", "--stragglers 1 --slowdown 3", "--starts 0.001", "--merge 0.1", "--cores 1"} {
		if c := simulate(flags).Costs[0]; c.Wall < 1.1*usual.Wall {
			t.Errorf("%s: %.0f s, without %.0f s", flags, c.Wall, usual.Wall)
		}
	}
	if c := simulate("--max-shards 1").Costs[0]; c.Shards != 1 || usual.Shards < 2 {
		t.Errorf("%d shards where 1 is allowed, and %d where all are", c.Shards, usual.Shards)
	}
	line := `{"set":"x","width":8,"batch":1,"epochs":5,"fits":10,"members":1,"cores":2,"seconds":5000,"compile_seconds":0}` + "\n"
	if w := simulate("--measured " + write(t, "runs.jsonl", line)); w.CoreSeconds != 300*1000 {
		t.Errorf("%v s of cores, want 300 fits of 1,000 s", w.CoreSeconds)
	}
}

// studyPlan writes the plan of two settings on a set, 20 repeats of 10 folds, in groups of blocks of 10 and of 20 s.
func studyPlan(t *testing.T) string {
	t.Helper()
	p := &cluster.Plan{
		Format: cluster.Format, Version: "v0.1.0", Backend: "xla:cpu", Cores: 1, Seed: 1, Shards: 1,
		Settings: []json.RawMessage{[]byte(`{"pooling":"max"}`), []byte(`{"pooling":"mean"}`)},
		Sets:     []cluster.Set{{Name: "musk1", Checksum: "d4", Source: "musk1"}},
		Arms:     []cluster.Arm{{Protocol: milbench.Protocol{Name: milbench.HonestProtocol, Folds: 10, Repeats: 20}, Folds: 10, FoldsRun: 10, Settings: []int{0, 1}}},
		Groups:   []cluster.Group{{Members: 25, Compile: 6, Block: 10}, {Members: 25, Compile: 6, Block: 20}},
	}
	for setting := range 2 {
		for repeat := range 20 {
			for fold := range 10 {
				id, err := milbench.FitID("d4", milbench.HonestProtocol, 10, repeat, fold, 1, p.Settings[setting])
				if err != nil {
					t.Fatal(err)
				}
				p.Fits = append(p.Fits, cluster.Fit{ID: id, Setting: setting, Repeat: repeat, Fold: fold,
					Seed: milbench.SplitSeed(1, "fit", repeat, fold), Group: setting, Training: 10*repeat + fold, Networks: 1})
			}
		}
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return write(t, "plan.json", b.String())
}

// The groups of a plan are simulated with its estimates; one core without overhead and chance takes their sum on average.
func TestPlanSimulatePlan(t *testing.T) {
	path := studyPlan(t)
	out, _ := succeed(t, strings.Fields("plan simulate --json --nodes 1 --queue-wait 0s --start-up 0s --failures 0 --stragglers 0 --simulations 200 --plan "+path)...)
	var s simulated
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	w := s.Work[0]
	if s.On.Cores != 1 || w.Fits != 400 || w.Blocks != 16 || math.Abs(w.CoreSeconds-(2*6+8*10+8*20)) > 1e-9 {
		t.Errorf("on %d cores %d fits in %d blocks of %v s together", s.On.Cores, w.Fits, w.Blocks, w.CoreSeconds)
	}
	if c := w.Costs[0]; math.Abs(c.Wall-w.CoreSeconds) > 4*c.WallSD/math.Sqrt(float64(c.Simulations)) || c.WallSD == 0 || c.Shards != 1 {
		t.Errorf("%+v", c)
	}
	out, _ = succeed(t, strings.Fields("plan simulate --fits 800 --cores 2 --json --nodes 1 --simulations 5 --plan "+path)...)
	if err := json.Unmarshal([]byte(out), &s); err != nil || s.On.Cores != 2 || s.Work[0].Blocks != 32 {
		t.Errorf("twice the plan: %+v (%v)", s, err)
	}
}

// Estimates are corrected by what fits of the plan took: those of a group by its own, others by all.
func TestPlanSimulateResults(t *testing.T) {
	path := studyPlan(t)
	p, err := cluster.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	for _, f := range p.Fits[:25] { // a block of 10 s of the first group, on a core that compiles for 6 s
		r := results.Result{Set: "musk1", Checksum: "d4", Protocol: milbench.HonestProtocol, Folds: 10, FoldsRun: 10, Repeat: f.Repeat, Fold: f.Fold, Seed: 1,
			Config: p.Settings[f.Setting], Epoch: 1, Bags: []results.ScoredBag{{ID: fmt.Sprint("b", f.Fold), Target: milbench.Labelled(1), Scores: []float64{0}}}, Backend: "xla:cpu", Version: "v0.1.0", WallS: 2 * (10 + 6) / 25.0}
		if r.Fit, err = r.ID(); err != nil || r.Fit != f.ID {
			t.Fatalf("fit %s, want %s (%v)", r.Fit, f.ID, err)
		}
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	rs := filepath.Dir(write(t, results.FileName, lines.String()))
	out, _ := succeed(t, "plan", "simulate", "--json", "--nodes", "1", "--simulations", "5", "--plan", path, "--measured", rs)
	var s simulated
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	if w := s.Work[0]; math.Abs(w.CoreSeconds-2*(2*6+8*10+8*20)) > 1e-9 {
		t.Errorf("%v core seconds, want twice the estimate", w.CoreSeconds)
	}
	refuse(t, exitUse, "give --plan", "plan", "simulate", "--measured", rs)
	refuse(t, exitUse, "no results yet", "plan", "simulate", "--plan", path, "--measured", t.TempDir())
	other := filepath.Dir(write(t, results.FileName, ""))
	refuse(t, exitUse, "there is no fit of the plan in it", "plan", "simulate", "--plan", path, "--measured", other)
}

// TestLevels: every core of every shard compiles for itself, which is no sign of a slow machine; fits that will fail take no time.
func TestLevels(t *testing.T) {
	p := &cluster.Plan{Cores: 2, Shards: 5, Groups: []cluster.Group{{Members: 1, Compile: 12, Block: 1.4}, {Members: 1}}}
	var rs []results.Result
	for i := range 10 { // two blocks in each of five shards
		id := fmt.Sprintf("%016x", i)
		p.Fits = append(p.Fits, cluster.Fit{ID: id, Training: i, Networks: 1, Shard: i / 2})
		rs = append(rs, results.Result{Fit: id, WallS: 12 + 1.4})
	}
	p.Fits = append(p.Fits, cluster.Fit{ID: "f", Group: 1, Networks: 1})
	level, err := levels(p, rs)
	if err != nil || math.Abs(level(0)-1) > 1e-9 || math.Abs(level(1)-1) > 1e-9 {
		t.Errorf("%v and %v, want 1 of a machine that is as planned (%v)", level(0), level(1), err)
	}
	if groups := plannedGroups(p, level, []simulation.Run{{Compile: 1, Block: 1}}); len(groups) != 1 || groups[0].Fits != 10 {
		t.Errorf("%+v", groups)
	}
}

func TestPlanSimulateRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"--fits 0":                    "--fits 0: numbers from 1 to 10000000 are needed, each once",
		"--fits 5,5":                  "--fits 5: numbers",
		"--fits x":                    `--fits "x": "x" is not an integer`,
		"--fits=":                     `--fits "": "" is not an integer`,
		"--fits 100000000":            "--fits 100000000: numbers from 1 to",
		"--nodes=-1":                  "--nodes -1: numbers from 1 to 65536 are needed",
		"--cores 0":                   "--cores is 0; give a number from 1 to 1024",
		"--queue-wait=-1s":            "--queue-wait is -1",
		"--queue-wait soon":           `--queue-wait "soon": a time is needed, say 90s, 10m or 2h`,
		"--start-up=-1s":              "--start-up is -1",
		"--retry=-1s":                 "--retry is -1",
		"--starts 0":                  "--starts is 0",
		"--starts Inf":                "--starts is +Inf",
		"--merge NaN":                 "--merge is NaN",
		"--failures=-1":               "--failures is -1",
		"--failures many":             `--failures "many": a number is needed`,
		"--failures 3600":             "--failures 3600: elephant",
		"--stragglers 2":              "--stragglers is 2; give a number from 0 to 1",
		"--slowdown 0.5":              "--slowdown is 0.5; give a number from 1 to",
		"--simulations 0":             "--simulations is 0; give a number from 1 to",
		"--max-shards=-1":             "--max-shards is -1",
		"--figure cost.gif":           `--figure "cost.gif": end the name with .png, .svg or .pdf`,
		"--figure no/such/folder.png": "there is no folder no/such",
		"--plan nothing.json":         "nothing.json",
		"--measured nothing.jsonl":    "--measured: open nothing.jsonl",
		"--measured EMPTY":            "holds no run; fill it with go run ./milbench/learner/neural/bench",
		"--plan EMPTY":                "EMPTY: ",
		"soon":                        `"soon" is one argument too many`,
	} {
		place := strings.NewReplacer("EMPTY", write(t, "EMPTY", ""))
		refuse(t, exitUse, want, append([]string{"plan", "simulate"}, strings.Fields(place.Replace(args))...)...)
	}
	refuse(t, exitUse, `did you mean "simulate"?`, "plan", "simulat")
}

// TestPlanDocs compares the plan in docs/cluster.md with what its command prints, on XLA. Blocks and their memory depend on the vectors
// of the CPU.
func TestPlanDocs(t *testing.T) {
	if os.Getenv("GOMLX_BACKEND") != "xla:cpu" || backend.Lanes() != 16 {
		return
	}
	docs, err := os.ReadFile("../../docs/cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	const command = "milbench plan study iterations --quick --shards 3"
	out, _ := succeed(t, append(strings.Fields(command)[1:], "--cores", "2")...)
	if !strings.Contains(string(docs), "\n"+command+"\n") || !strings.Contains(string(docs), "\n```text\n"+out+"```\n") {
		t.Errorf("docs/cluster.md has another plan than %s prints:\n%s", command, out)
	}
}

// TestClusterDocs compares the table and the figure of docs/cluster.md with what its command prints and draws. Other
// processors round differently. It takes 10 s, so it runs where many draws are asked for.
func TestClusterDocs(t *testing.T) {
	if !large.Asked() || os.Getenv("GOMLX_BACKEND") != "go" || runtime.GOARCH != "amd64" {
		return
	}
	docs, err := os.ReadFile("../../docs/cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	figure := filepath.Join(t.TempDir(), "cluster.svg")
	out, _ := succeed(t, "plan", "simulate", "--figure", figure)
	if !strings.Contains(string(docs), "\n```\nmilbench plan simulate --figure docs/cluster.svg\n```\n") ||
		!strings.Contains(string(docs), "\n```text\n"+out+"```\n") {
		t.Errorf("docs/cluster.md has another table than milbench plan simulate prints:\n%s", out)
	}
	drawn, err := os.ReadFile(figure)
	if err != nil {
		t.Fatal(err)
	}
	if shown, err := os.ReadFile("../../docs/cluster.svg"); err != nil || !bytes.Equal(shown, drawn) {
		t.Errorf("docs/cluster.svg is not what milbench plan simulate --figure docs/cluster.svg draws (%v)", err)
	}
}

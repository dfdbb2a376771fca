package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"synpool/internal/large"
	"synpool/internal/reexec"
	"synpool/milbench/cluster"
	"synpool/milbench/results"
)

// noArray takes the variables of schedulers out of the environment, and sets those given.
func noArray(t *testing.T, variables ...string) {
	t.Helper()
	for _, name := range []string{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_STEP", "JOB_COMPLETION_INDEX"} {
		t.Setenv(name, "")
	}
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
}

func TestShardFlag(t *testing.T) {
	slurm := func(id, low, high, count, step string) []string {
		return []string{"SLURM_ARRAY_TASK_ID=" + id, "SLURM_ARRAY_TASK_MIN=" + low, "SLURM_ARRAY_TASK_MAX=" + high, "SLURM_ARRAY_TASK_COUNT=" + count, "SLURM_ARRAY_TASK_STEP=" + step}
	}
	for _, c := range []struct {
		text string
		env  []string
		want string // i/n, an error, or "" for no shard
	}{
		{"", nil, ""},
		{"0/1", nil, "0/1"},
		{"11/12", nil, "11/12"},
		{"3/12", slurm("7", "0", "9", "10", "1"), "3/12"},
		{"12/12", nil, "--shard 12/12: shards count from 0; the last of 12 is 11/12"},
		{"-1/12", nil, "--shard -1/12: shards count from 0; the last of 12 is 11/12"},
		{"0/0", nil, "--shard 0/0: 1 to 100000 shards are possible"},
		{"0/-3", nil, "1 to 100000 shards are possible"},
		{"1/1000000", nil, "1 to 100000 shards are possible"},
		{"3", nil, "--shard 3: two integers are needed, say 0/12 to 11/12, or /12 in an array of jobs"},
		{"3/x", nil, "two integers are needed"},
		{"x/3", nil, "two integers are needed"},
		{"3/4/5", nil, "two integers are needed"},
		{"/12", nil, "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX says which; write, say, 0/12"},
		{"/12", []string{"JOB_COMPLETION_INDEX=5"}, "5/12"},
		{"/12", []string{"JOB_COMPLETION_INDEX=12"}, "--shard /12 (JOB_COMPLETION_INDEX is 12): shards count from 0; the last of 12 is 11/12"},
		{"/12", []string{"JOB_COMPLETION_INDEX=five"}, "(JOB_COMPLETION_INDEX is five): shards count from 0"},
		{"/12", slurm("7", "7", "7", "1", "1"), "7/12"},   // one task of an array again
		{"/12", slurm("1", "1", "12", "12", "1"), "0/12"}, // a whole array, whatever it counts from
		{"/12", slurm("12", "1", "12", "12", "1"), "11/12"},
		{"", []string{"JOB_COMPLETION_INDEX=5"}, "JOB_COMPLETION_INDEX is 5, but the number of shards is not set; give --shard /n"},
		{"", slurm("0", "0", "11", "12", "1"), "0/12"},
		{"", slurm("12", "1", "12", "12", "1"), "11/12"},
		{"", slurm("40", "10", "50", "5", "10"), "3/5"},
		{"", slurm("9", "3", "9", "3", "1"), "task 9 of a Slurm array of 3 tasks from 3 to 9 is not in an evenly spaced row; give --shard /n"},
		{"", slurm("45", "10", "50", "5", "10"), "not in an evenly spaced row"},
		{"", slurm("2", "0", "", "12", "1"), `SLURM_ARRAY_TASK_MAX is "", no integer; give --shard i/n`},
		{"", slurm("two", "0", "11", "12", "1"), `SLURM_ARRAY_TASK_ID is "two", no integer`},
		{"", slurm("2", "0", "11", "12", ""), "2/12"},
		{"none", slurm("2", "0", "11", "12", "1"), ""},
		{"none", []string{"JOB_COMPLETION_INDEX=5"}, ""},
	} {
		noArray(t, c.env...)
		f := shardFlags{text: c.text}
		s, err := f.shard(1)
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case s != nil:
			got = fmt.Sprintf("%d/%d", s.i, s.n)
		}
		if got != c.want && !(err != nil && c.want != "" && strings.Contains(got, c.want)) {
			t.Errorf("--shard %q with %q: %q, want %q", c.text, c.env, got, c.want)
		}
	}
}

func TestShardErrors(t *testing.T) {
	noArray(t)
	file, dir := write(t, "toy.csv", toy(false)), filepath.Join(t.TempDir(), "out")
	plan := filepath.Join(t.TempDir(), "plan.json")
	succeed(t, with("plan", "run", file, "--pooling", "mean", "--folds", "2", "--repeats", "1", "--shards", "2", "--out", plan)...)
	damaged := write(t, "damaged.json", "{")
	for _, c := range []struct{ args, want string }{
		{"run FILE --shard 2/2 --out OUT", "--shard 2/2: shards count from 0; the last of 2 is 1/2"},
		{"study noise --shard 2/2 --out OUT", "--shard 2/2: shards count from 0; the last of 2 is 1/2"},
		{"run FILE --plan PLAN --out OUT", "a plan names its own sets; leave the names or --plan out"},
		{"run --plan PLAN --pooling max --out OUT", "--pooling: a plan has settings of its own; leave --pooling or --plan out"},
		{"study --plan PLAN --quick --out OUT", "--quick: a plan has settings of its own"},
		{"study --plan PLAN --out OUT", "PLAN is a plan of milbench run; give milbench run --plan"},
		{"run --plan PLAN", "--out is missing"},
		{"run --plan nothing.json --out OUT", "open a plan: open nothing.json: no such file"},
		{"run --plan DAMAGED --out OUT", "DAMAGED: a plan that cannot be read"},
		{"run --shard 0/2 --out OUT", "an argument is missing"},
		{"plan run FILE", "--shards is missing"},
		{"plan run FILE --shards 0", "--shards 0: 1 to 100000 are possible"},
		{"plan run FILE --shards 2 --cores 0", "--cores 0"},
		{"plan run FILE FILE --shards 2", "holds the same bags as FILE; name one of them"},
		{"plan run musk1 --keep-leak --shards 2", "--keep-leak is for files"},
		{"plan run FILE --shards 2 --out nowhere/plan.json", "write nowhere/plan.json: "},
		{"plan study noize --shards 2", `no study "noize"; did you mean noise?`},
		{"plan stdy noise", `did you mean "study"?`},
		{"merge OUT --out OUT", "results folder: open OUT: no such file"},
		{"merge DIR --out DIR", "no results yet"},
		{"merge DIR", "--out is missing"},
		{"merge --out OUT", "an argument is missing"},
		{"merge DIR --plan DAMAGED --out DIR", "DAMAGED: a plan that cannot be read"},
	} {
		place := strings.NewReplacer("FILE", file, "PLAN", plan, "OUT", dir, "DAMAGED", damaged, "DIR", t.TempDir())
		refuse(t, exitUse, place.Replace(c.want), strings.Fields(place.Replace(c.args))...)
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s left a folder of results", c.args)
		}
	}
}

// TestPlanTable: the table's time is that of the dry run of each shard.
func TestPlanTable(t *testing.T) {
	noArray(t)
	file := write(t, "toy.csv", toy(false))
	args := with(file, "--pooling", "mean,syn", "--iterations=-1,2", "--folds", "3", "--repeats", "4", "--cores", "1", "--memory", "8GB")
	plan, dir := filepath.Join(t.TempDir(), "plan.json"), filepath.Join(t.TempDir(), "out")
	text, _ := succeed(t, append([]string{"plan", "run", "--shards", "4", "--out", plan, "--json"}, args...)...)
	var table []shardRow
	if err := json.Unmarshal([]byte(text), &table); err != nil || len(table) != 4 {
		t.Fatalf("%d shards, %v", len(table), err)
	}
	fits := 0
	for i, row := range table {
		fits += row.Fits
		if row.Fits == 0 {
			continue
		}
		out, _ := succeed(t, "run", "--plan", plan, "--shard", fmt.Sprintf("%d/4", i), "--out", dir, "--cores", "1", "--memory", "8GB", "--dry-run", "--json")
		var e estimate
		if err := json.Unmarshal([]byte(out), &e); err != nil {
			t.Fatal(err)
		}
		if e.Total.Missing != row.Fits || e.Total.Seconds < 0.9*row.Seconds-0.01 || e.Total.Seconds > 1.1*row.Seconds+0.01 || !slices.Equal(row.Sets, []string{file}) {
			t.Errorf("shard %d: %+v, its dry run %+v", i, row, e.Total)
		}
	}
	p, err := cluster.ReadFile(plan)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range p.Costs() { // on one core
		if math.Abs(table[i].Seconds-c.Seconds()) > 1e-6*(1+c.Seconds()) {
			t.Errorf("shard %d takes %v s of a core and %v s on one core", i, c.Seconds(), table[i].Seconds)
		}
	}
	if fits != 36 {
		t.Errorf("%d fits", fits)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a dry run left a folder")
	}
	text, _ = succeed(t, append([]string{"plan", "run", "--shards", "4"}, args...)...)
	if !strings.Contains(text, "SHARD  FITS") || !strings.Contains(text, "\n36 fits; the longest shard takes about ") {
		t.Error(text)
	}
}

// TestOwnSets: a shard opens its own sets alone.
func TestOwnSets(t *testing.T) {
	noArray(t)
	folder := t.TempDir()
	var files []string
	for i := range 4 {
		path := filepath.Join(folder, fmt.Sprintf("set%d.csv", i))
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(toy(false), ".", fmt.Sprintf(".%d", i))), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	plan, dir := filepath.Join(folder, "plan.json"), filepath.Join(folder, "out")
	args := with("plan", "run", "--pooling", "mean", "--folds", "2", "--repeats", "1", "--shards", "4", "--out", plan)
	succeed(t, append(args, files...)...)
	p, err := cluster.ReadFile(plan)
	if err != nil {
		t.Fatal(err)
	}
	away := func(path string) string { return path + ".away" }
	for i := range 4 {
		own := p.Sources(p.Shard(i))
		if len(own) == 0 || len(own) == len(files) {
			t.Fatalf("shard %d is on %v", i, own)
		}
		for _, f := range files {
			if !slices.Contains(own, f) {
				if err := os.Rename(f, away(f)); err != nil {
					t.Fatal(err)
				}
			}
		}
		succeed(t, "run", "--plan", plan, "--shard", fmt.Sprintf("%d/4", i), "--out", dir)
		for _, f := range files {
			if _, err := os.Stat(away(f)); err == nil {
				if err := os.Rename(away(f), f); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	succeed(t, "merge", dir, "--out", dir)
	if got := readResults(t, dir); len(got) != 8 {
		t.Errorf("%d results", len(got))
	}
	if err := os.Remove(p.Sources(p.Shard(0))[0]); err != nil {
		t.Fatal(err)
	}
	refuse(t, exitUse, "no file and no named set", "run", "--plan", plan, "--shard", "0/4", "--out", filepath.Join(folder, "again"))
	if err := os.WriteFile(p.Sources(p.Shard(1))[0], []byte(strings.ReplaceAll(toy(false), ".", ".99")), 0o666); err != nil {
		t.Fatal(err)
	}
	refuse(t, exitUse, "fits of the plan are not there (here set", "run", "--plan", plan, "--shard", "1/4", "--out", filepath.Join(folder, "again"))
}

// TestMergeCommand goes from shards without a plan to a table: what is missing is trained by its own plan.
func TestMergeCommand(t *testing.T) {
	noArray(t)
	file, root := write(t, "toy.csv", toy(false)), t.TempDir()
	dir, undisturbed := filepath.Join(root, "out"), filepath.Join(root, "undisturbed")
	args := func(dir string, more ...string) []string {
		return with(append([]string{"run", file, "--pooling", "mean,max", "--folds", "3", "--repeats", "2", "--out", dir}, more...)...)
	}
	wantTable, _ := succeed(t, args(undisturbed)...)
	want := readResults(t, undisturbed)
	for _, i := range []string{"0", "2"} {
		t.Setenv("JOB_COMPLETION_INDEX", i)
		succeed(t, args(dir, "--shard", "/3")...)
	}
	noArray(t)
	refuse(t, exitUse, "results of shards that are not merged; first give milbench merge", args(dir)...)
	refuse(t, exitUse, "is a plan with different seeds (1); choose another --out", args(dir, "--seed", "2", "--shard", "1/3")...)
	refuse(t, exitUse, "is a plan with different settings; choose", args(dir, "--lr", "0.1", "--shard", "1/3")...)
	refuse(t, exitUse, "is a plan with different options (", args(dir, "--curves", "--shard", "1/3")...)
	otherFolds := "is a plan with different --protocol, --folds, --repeats or --inner (honest, 3, 2 and 0 for " + file + "); choose another --out"
	refuse(t, exitUse, otherFolds, args(dir, "--folds", "4", "--shard", "1/3")...)
	refuse(t, exitUse, otherFolds, with("run", file, "--pooling", "mean,max", "--repeats", "2", "--out", dir, "--shard", "1/3")...)
	refuse(t, exitUse, "plan.json has 3 shards, and --shard is of 4; give --shard i/3, or --plan "+dir, args(dir, "--shard", "1/4")...)
	plan := filepath.Join(dir, results.PlanName)
	noArray(t, "SLURM_ARRAY_TASK_ID=1", "SLURM_ARRAY_TASK_MIN=1", "SLURM_ARRAY_TASK_MAX=1", "SLURM_ARRAY_TASK_COUNT=1") // one task again
	refuse(t, exitUse, "plan.json has 3 shards, and the Slurm array 1 tasks; give --shard /3", args(dir)...)
	refuse(t, exitUse, "plan.json has 3 shards, and the Slurm array 1 tasks; give --shard /3", "run", "--plan", plan, "--out", dir)
	noArray(t, "SLURM_ARRAY_TASK_ID=1", "SLURM_ARRAY_TASK_MIN=0", "SLURM_ARRAY_TASK_MAX=1", "SLURM_ARRAY_TASK_COUNT=2") // of the rest
	if _, stderr := succeed(t, "run", "--plan", plan, "--shard", "/2", "--out", filepath.Join(root, "halves")); !strings.Contains(stderr, "shard 1/2") {
		t.Error(stderr)
	}
	noArray(t)
	refuse(t, exitUse, "which is not of the plan; choose another --out", args(undisturbed, "--lr", "0.1", "--shard", "0/3")...)
	if _, err := os.Stat(filepath.Join(undisturbed, results.PlanName)); err == nil {
		t.Error("a shard that was refused left a plan")
	}
	refuse(t, exitUse, "puts those of its shards together", "table", dir)

	missing := filepath.Join(dir, "missing.json")
	o := milbenchOf(t.Context(), "merge", dir, "--out", dir)
	if o.code != exitFinding || !strings.Contains(o.err, "of 12 fits are missing (") || !strings.Contains(o.err, " of toy); milbench run --plan "+missing+" --out "+dir+" trains them") {
		t.Fatalf("exit code %d\n%s", o.code, o.err)
	}
	p, err := cluster.ReadFile(missing)
	if err != nil || len(p.Fits)+len(readResults(t, dir)) != len(want) {
		t.Fatalf("%d results, %v", len(readResults(t, dir)), err)
	}
	if _, stderr := succeed(t, "run", "--plan", missing, "--out", dir); !strings.Contains(stderr, fmt.Sprintf("%d of %[1]d fits done", len(p.Fits))) {
		t.Error(stderr)
	}
	for _, args := range [][]string{{"table", dir}, {"plot", dir, "--out", filepath.Join(root, "auc.svg")}} {
		if o := milbenchOf(t.Context(), args...); !strings.Contains(o.err, fmt.Sprintf("note: left out: %s holds %d results of shards that are not merged", dir, len(p.Fits))) {
			t.Errorf("%s of results that are not all merged:\n%s", args[0], o.err)
		}
	}
	if _, stderr := succeed(t, "merge", dir, "--out", dir); !strings.Contains(stderr, "12 results, 0 duplicates left out") || strings.Contains(stderr, "note:") {
		t.Error(stderr)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("the plan of what was missing is still there")
	}
	attempts, err := filepath.Glob(filepath.Join(dir, results.AttemptsName, "*", results.FileName))
	if err != nil || len(attempts) == 0 {
		t.Fatalf("%d attempts, %v", len(attempts), err)
	}
	kept, err := os.ReadFile(attempts[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(attempts[0], append([]byte("damaged\n"), kept...), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, stderr := succeed(t, "table", dir); !strings.Contains(stderr, "note: cannot tell whether results of shards are left out: ") {
		t.Errorf("a table beside a damaged attempt: %s", stderr)
	}
	if err := os.WriteFile(attempts[0], kept, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := readResults(t, dir); !slices.Equal(got, want) {
		t.Error("the results are not those of one run")
	}
	if out, _ := succeed(t, "table", dir); out != wantTable {
		t.Errorf("the table is\n%s, want\n%s", out, wantTable)
	}
	if _, stderr := succeed(t, "run", "--plan", filepath.Join(dir, results.PlanName), "--out", dir); !strings.Contains(stderr, "12 fits on "+file+", 12 of them finished") {
		t.Error(stderr)
	}
	if out, _ := succeed(t, args(dir)...); out != wantTable {
		t.Errorf("the run as a whole goes on with another table:\n%s", out)
	}

	// Who merges without a plan does not know that nothing is missing.
	bare := filepath.Join(root, "bare")
	if err := os.MkdirAll(bare, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := results.WritePlan(filepath.Join(bare, "missing.json"), p); err != nil {
		t.Fatal(err)
	}
	if _, stderr := succeed(t, "merge", undisturbed, "--out", bare); !strings.Contains(stderr, "missing fits cannot be found") {
		t.Error(stderr)
	}
	if _, err := os.Stat(filepath.Join(bare, "missing.json")); err != nil {
		t.Errorf("the plan of what is missing: %v", err)
	}

	// Curves that a plan asks for and results do not have are told.
	curved := filepath.Join(root, "curved")
	succeed(t, args(curved)...)
	succeed(t, args(curved, "--curves", "--shard", "0/1")...)
	if _, stderr := succeed(t, "merge", curved, "--out", curved); !strings.Contains(stderr, "note: 12 of them have no curve, which the plan asks for") {
		t.Error(stderr)
	}

	other := filepath.Join(root, "other")
	succeed(t, args(other, "--seed", "5", "--shard", "0/1")...)
	refuse(t, exitUse, "do not go together: one has seed 1, the other 5", "merge", dir, other, "--out", filepath.Join(root, "both"))
}

// TestFailedShard: a fit that fails three times ends the shard with 1, the others are there, and the merge says which is not.
func TestFailedShard(t *testing.T) {
	noArray(t)
	file, dir := write(t, "toy.csv", toy(false)), filepath.Join(t.TempDir(), "out")
	o := milbenchOf(t.Context(), with("run", file, "--pooling", "mean", "--lr", "1e30,0.001", "--folds", "2", "--repeats", "1", "--out", dir, "--shard", "0/1")...)
	if o.code != exitFinding || !strings.Contains(o.err, "2 of 4 fits done") || !strings.Contains(o.err, "2 failed") {
		t.Errorf("exit code %d\n%s", o.code, o.err)
	}
	if o := milbenchOf(t.Context(), "merge", dir, "--out", dir); o.code != exitFinding || !strings.Contains(o.err, "2 of 4 fits are missing (2 of toy)") {
		t.Errorf("exit code %d\n%s", o.code, o.err)
	}
}

// startStubborn starts a command that does not heed its context, and waits until it runs.
func startStubborn(t *testing.T) (c *exec.Cmd, stderr *bytes.Buffer) {
	t.Helper()
	c, stderr = reexec.Command(t, "stubborn"), &bytes.Buffer{}
	c.Stderr = stderr
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stdout.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	return c, stderr
}

// TestGivenUp: what does not heed a signal is given up in time, and a second SIGTERM, of a scheduler that sends it to the
// script and to its child, does not take the grace away.
func TestGivenUp(t *testing.T) {
	for signal, code := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel() // it waits
			c, stderr := startStubborn(t)
			start := time.Now()
			if err := c.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if signal == syscall.SIGTERM {
				time.Sleep(grace / 3)
				if err := c.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
			}
			c.Wait() // the exit code tells
			if took := time.Since(start); took < grace || took > 5*time.Second || c.ProcessState.ExitCode() != code || !strings.Contains(stderr.String(), "run the same command again to resume") {
				t.Errorf("%v: exit code %d after %v\n%s", signal, c.ProcessState.ExitCode(), took, stderr)
			}
		})
	}
}

// TestInterruptedTwice: who presses Ctrl-C a second time does not wait.
func TestInterruptedTwice(t *testing.T) {
	t.Parallel() // it waits
	c, _ := startStubborn(t)
	start := time.Now()
	for range 2 {
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		time.Sleep(grace / 3)
	}
	c.Wait() // how it ended tells
	if s := c.ProcessState.Sys().(syscall.WaitStatus); !s.Signaled() || s.Signal() != syscall.SIGINT || time.Since(start) >= grace {
		t.Errorf("%v after %v", c.ProcessState, time.Since(start))
	}
}

// TestKilledShards kills processes of twelve shards, and merges, at random moments, sometimes two of one shard at a time, and gives the
// same commands again until all have ended: the merged results are those of an undisturbed run except for order and wall time,
// and the tables are the same to the byte.
func TestKilledShards(t *testing.T) {
	noArray(t)
	shards := large.Number(4, 12)
	kills, longest, repeats := large.Number(4, 50), 250*time.Millisecond, fmt.Sprint(large.Number(12, 30))
	if os.Getenv("GOMLX_BACKEND") != "go" { // starts more slowly, even with what the first run has compiled
		longest = 600 * time.Millisecond
	}
	file, root := write(t, "toy.csv", toy(false)), t.TempDir()
	args := []string{
		file, "--pooling", "mean,syn", "--iterations", "3", "--folds", "4", "--repeats", repeats, "--cores", "1", "--curves",
		"--width", "8", "--embed", "8", "--heads", "2", "--epochs", "10", "--batch", "4",
	}
	undisturbed, plan := filepath.Join(root, "undisturbed"), filepath.Join(root, "plan.json")
	if out, err := process(t, append([]string{"run", "--out", undisturbed}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := readResults(t, undisturbed)
	succeed(t, append([]string{"plan", "run", "--shards", fmt.Sprint(shards), "--out", plan}, args...)...)
	random := rand.New(rand.NewPCG(8, 5))
	killed, during, rounds := 0, 0, 0
	for killed < kills || during == 0 && rounds < 20 { // until a kill has hit a folder with results
		dir := filepath.Join(root, fmt.Sprint("killed", rounds))
		rounds++
		for shard := range shards {
			for ended := false; !ended; {
				var running []*exec.Cmd
				for range 1 + random.IntN(5)/4 {
					c := process(t, "run", "--plan", plan, "--shard", fmt.Sprintf("%d/%d", shard, shards), "--out", dir, "--cores", "1")
					c.Stderr = &bytes.Buffer{}
					if err := c.Start(); err != nil {
						t.Fatal(err)
					}
					running = append(running, c)
				}
				if (killed < kills || during == 0) && random.IntN(3) > 0 {
					time.Sleep(time.Duration(random.Int64N(int64(longest))))
					for _, c := range running {
						if err := c.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
							t.Fatal(err)
						}
					}
				}
				for _, c := range running {
					err := c.Wait()
					ended = ended || err == nil
					if err != nil && c.ProcessState.ExitCode() != -1 {
						t.Fatalf("%v\n%s", err, c.Stderr)
					}
					if err != nil {
						killed++
					}
				}
				if finished, err := results.Finished(dir, nil); err != nil {
					t.Error(err)
				} else if !ended && len(finished) > 0 {
					during++
				}
			}
		}
		for range 5 {
			c := process(t, "merge", dir, "--out", dir)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(random.Int64N(int64(100 * time.Millisecond))))
			if err := c.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
			c.Wait() // however it ended
		}
		if _, stderr := succeed(t, "merge", dir, "--out", dir); strings.Contains(stderr, "note:") {
			t.Errorf("a merge of results that are alike:\n%s", stderr)
		}
		if got := readResults(t, dir); !slices.Equal(got, want) {
			t.Errorf("%d results, not those of an undisturbed run (%d)", len(got), len(want))
		}
		requireCurves(t, dir)
		for _, format := range results.Formats {
			got, _ := succeed(t, "table", dir, "--format", format)
			if wanted, _ := succeed(t, "table", undisturbed, "--format", format); got != wanted {
				t.Errorf("the table is\n%s, want\n%s", got, wanted)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".*.part")); left != nil {
			t.Errorf("left behind: %v", left)
		}
	}
	t.Logf("%d kills, %d of them with results there, in %d rounds of %d shards", killed, during, rounds, shards)
	if during < kills/4 {
		t.Errorf("only %d of %d kills hit with results there", during, killed)
	}
}

// TestStudyPlan: an experiment is planned on the sets that are there, its folder keeps to its sets, and of no results the plan says
// that all are missing and how they are trained and merged. Nothing is trained here.
func TestStudyPlan(t *testing.T) {
	noArray(t)
	t.Setenv("MILBENCH_DATA", t.TempDir())
	out, _ := succeed(t, "plan", "study", "assumption", "--quick", "--shards", "5", "--json")
	var table []shardRow
	if err := json.Unmarshal([]byte(out), &table); err != nil {
		t.Fatal(err)
	}
	sets := make(map[string]bool)
	for _, row := range table {
		for _, s := range row.Sets {
			sets[s] = true
		}
	}
	if got := slices.Sorted(maps.Keys(sets)); !slices.Equal(got, []string{"raffholt1", "raffholt2", "raffholt3"}) {
		t.Errorf("sets %v", got)
	}
	dir := t.TempDir()
	plan := filepath.Join(dir, "assumption-quick", results.PlanName)
	if err := os.Mkdir(filepath.Dir(plan), 0o777); err != nil {
		t.Fatal(err)
	}
	succeed(t, "plan", "study", "assumption", "--quick", "--sets", "raffholt1", "--shards", "2", "--out", plan)
	refuse(t, exitUse, "is a plan with different sets (raffholt1); choose", "study", "assumption", "--quick", "--shard", "0/2", "--out", dir)
	for out, want := range map[string]string{
		filepath.Dir(plan): "trains them",
		filepath.Join(dir, "merged"): fmt.Sprintf("trains them, and then milbench merge %s --plan %s %s --out %s merges them, too",
			filepath.Dir(plan), plan, filepath.Join(dir, "merged", "assumption-quick"), filepath.Join(dir, "merged")),
	} {
		train := filepath.Dir(out)
		if out != filepath.Dir(plan) {
			train = out
		}
		o := milbenchOf(t.Context(), "merge", filepath.Dir(plan), "--plan", plan, "--out", out)
		missing := filepath.Join(out, missingName)
		if o.code != exitFinding || !strings.HasSuffix(strings.TrimSpace(o.err), fmt.Sprintf("milbench study --plan %s --out %s %s", missing, train, want)) {
			t.Errorf("exit code %d\n%s", o.code, o.err)
		}
		if _, err := cluster.ReadFile(missing); err != nil {
			t.Error(err)
		}
	}
	refuse(t, exitUse, "run `milbench data fetch", "study", "ablation", "--shard", "0/3", "--out", t.TempDir())
	if _, stderr := succeed(t, "plan", "study", "ablation", "--shards", "3"); strings.Count(stderr, "note: left out: ") != 5 {
		t.Errorf("sets that are not there:\n%s", stderr)
	}
}

// TestMergeMissing: merge replaces and removes its own plan of missing fits, and no other file.
func TestMergeMissing(t *testing.T) {
	file, dir := write(t, "toy.csv", toy(false)), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	fits := []string{file, "--learner", "statistics-svm", "--folds", "3", "--repeats", "1"}
	plan := in("plan.json")
	succeed(t, append(append([]string{"plan", "run"}, fits...), "--shards", "2", "--out", plan)...)
	text, err := os.ReadFile(plan)
	if err != nil {
		t.Fatal(err)
	}
	merge := []string{"merge", in("results"), "--plan", plan, "--out", in("results"), "--missing"}
	shard := func(which string) {
		succeed(t, "run", "--plan", plan, "--shard", which, "--out", in("results"))
	}
	shard("0/2")
	theirs := write(t, "thesis.json", `{"pages": 200}`)
	refuse(t, exitUse, "is no plan", append(merge, theirs)...)
	refuse(t, exitUse, "is the plan "+plan, append(merge, plan)...)
	own := write(t, "plan.json", string(text))
	refuse(t, exitUse, "is the plan "+own, "merge", filepath.Dir(own), "--out", in("elsewhere"), "--missing", own)
	taken := write(t, "missing.json", "notes")
	refuse(t, exitUse, "is no plan", "merge", in("results"), "--plan", plan, "--out", filepath.Dir(taken))
	for _, path := range []string{in("todo.json"), in("todo.json"), in("results/missing.json")} { // new, there already, the default
		if o := milbenchOf(t.Context(), append(merge, path)...); o.code != exitFinding || !strings.Contains(o.err, "run --plan "+path) {
			t.Errorf("exit code %d\n%s", o.code, o.err)
		}
	}
	shard("1/2")
	if _, said := succeed(t, append(merge, in("todo.json"))...); !strings.Contains(said, "nothing is missing; "+in("todo.json")+" is from before") {
		t.Error(said)
	}
	succeed(t, merge[:len(merge)-1]...)
	for path, there := range map[string]bool{theirs: true, plan: true, in("todo.json"): true, in("results/missing.json"): false} {
		if _, err := os.Stat(path); (err == nil) != there {
			t.Errorf("%s: %v", path, err)
		}
	}
	if after, err := os.ReadFile(plan); err != nil || !bytes.Equal(after, text) {
		t.Errorf("the plan has changed (%v)", err)
	}
}

// TestStoppedShard: a shard that is told to stop ends within 5 s with 143, what it has finished is on the disk, and the same
// command goes on from there.
func TestStoppedShard(t *testing.T) {
	noArray(t)
	file, dir := write(t, "toy.csv", toy(false)), filepath.Join(t.TempDir(), "out")
	args := append(long(file, dir), "--shard", "0/1")
	c := process(t, args...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if finished, err := results.Finished(dir, nil); err == nil && len(finished) >= 5 || time.Now().After(deadline) {
			break
		}
	}
	start := time.Now()
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	c.Wait() // the exit code tells
	if took := time.Since(start); took > 5*time.Second || c.ProcessState.ExitCode() != 143 || !strings.Contains(stderr.String(), "run the same command again to resume") {
		t.Errorf("exit code %d after %v\n%s", c.ProcessState.ExitCode(), took, &stderr)
	}
	finished, err := results.Finished(dir, nil)
	if err != nil || len(finished) < 5 || len(finished) >= 60 {
		t.Fatalf("%d results, %v", len(finished), err)
	}
	if _, stderr := succeed(t, args...); !strings.Contains(stderr, fmt.Sprintf("%d of 60 fits done", 60-len(finished))) {
		t.Error(stderr)
	}
	if _, stderr := succeed(t, "merge", dir, "--out", dir); !strings.Contains(stderr, "60 results, 0 duplicates left out") {
		t.Error(stderr)
	}
}

package results

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"synpool/internal/large"
	"synpool/internal/reexec"
	"synpool/milbench"
	"synpool/milbench/cluster"
)

// writeLarge writes the plan and attempts at 12 shards with the given number of results, for ten folds of sets like
// Musk 1. It writes twice of them a second time.
func writeLarge(dir string, fits, twice int) (err error) {
	random := rand.New(rand.NewPCG(8, 4))
	p := &cluster.Plan{Format: cluster.Format, Version: "v0.0.0-20261121232850-2685dc1ba0f3", Backend: "xla:cpu", Cores: 2, Seed: 1, Shards: 12,
		Groups: []cluster.Group{{Members: 25, Compile: 12, Block: 3, Memory: 500e6}}}
	arm := cluster.Arm{Protocol: milbench.Protocol{Name: milbench.HonestProtocol, Folds: 10, Repeats: 1000}, Folds: 10, FoldsRun: 10}
	for i := range 10 {
		setting, err := milbench.CanonicalSetting(fmt.Appendf(nil, `{"pooling":"mean","layers":1,"width":256,"dropout":0.75,"epochs":50,"batch":1,"lr":%v,"weight_decay":0.0001,"standardise":true}`, 1e-5*float64(i+1)))
		if err != nil {
			return err
		}
		p.Settings, arm.Settings = append(p.Settings, setting), append(arm.Settings, i)
	}
	for i := range (fits + 99_999) / 100_000 {
		arm.Set = i
		p.Sets = append(p.Sets, cluster.Set{Name: fmt.Sprintf("musk%d", i+1), Checksum: fmt.Sprintf("%064x", i), Source: fmt.Sprintf("musk%d", i+1)})
		p.Arms = append(p.Arms, arm)
	}
	files := make([]*bufio.Writer, 12)
	for i := range files {
		folder := AttemptDir(dir, i, len(files))
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
		f, err := os.Create(filepath.Join(folder, FileName))
		if err != nil {
			return err
		}
		defer f.Close()
		files[i] = bufio.NewWriterSize(f, 1<<20)
	}
	r := Result{Protocol: "honest", Folds: 10, FoldsRun: 10, Seed: 1, Epoch: 50, Backend: p.Backend, Version: p.Version,
		Revision: "2685dc1ba0f3823dc981d7670ad0720a382162e3", Bags: make([]ScoredBag, 9)}
	for i := range fits {
		set, setting := i/100_000, i/10_000%10
		r.Set, r.Checksum = p.Sets[set].Name, p.Sets[set].Checksum
		r.Repeat, r.Fold, r.Config = i/10%1000, i%10, p.Settings[setting]
		for k := range r.Bags {
			r.Bags[k] = ScoredBag{ID: fmt.Sprint(k*10 + r.Fold), Target: milbench.Labelled(k % 2), Scores: []float64{float64(float32(random.NormFloat64()))}}
		}
		if r.Fit, err = r.ID(); err != nil {
			return err
		}
		copies := 1
		if i < twice {
			copies = 2
		}
		for c := range copies {
			r.WallS = random.Float64()
			line, err := json.Marshal(r)
			if err != nil {
				return err
			}
			if _, err := files[(i+c)%len(files)].Write(append(line, '\n')); err != nil {
				return err
			}
		}
		p.Fits = append(p.Fits, cluster.Fit{ID: r.Fit, Arm: set, Setting: setting, Repeat: r.Repeat, Fold: r.Fold,
			Seed: milbench.SplitSeed(1, "fit", r.Repeat, r.Fold), Training: i, Networks: 1})
	}
	for _, f := range files {
		if err := f.Flush(); err != nil {
			return err
		}
	}
	return WritePlan(filepath.Join(dir, PlanName), p)
}

// largeFits is the number of results to merge, largeTwice how many of them occur twice.
func largeFits() int {
	if raced {
		return 10_000
	}
	return large.Number(40_000, 1_000_000)
}

func largeTwice() int { return largeFits() / 10 }

// TestMergeLarge merges a million results, a tenth of them twice, in a separate process. Peak memory must stay below
// 500 MB. The time must be at most 2.5 times that of sort for the same lines with the same memory, although sort
// checks nothing. This must also hold with a plan and for any number of processors reported to Go. Both programs run
// in turn, at most three times; on a busy machine their CPU time counts.
//
// Without SYNPOOL_LARGE=1 there are fewer results, less memory for them, and no time limit. Under the race detector
// only the merged content counts.
func TestMergeLarge(t *testing.T) {
	if testing.Short() && large.Asked() && !raced {
		t.Skip("writes 2.4 GB; leave -short out")
	}
	fits, twice := largeFits(), largeTwice()
	most := int64(large.Number(130, 500)) * 1e6
	dir := t.TempDir()
	// Another process writes them, because the peak memory of a process includes that of its children.
	if out, err := reexec.Command(t, "large", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, c := range []struct {
		processors string
		plan       bool
	}{{"", true}, {"64", true}, {"", false}} {
		if !c.plan {
			if err := os.Remove(filepath.Join(dir, PlanName)); err != nil {
				t.Fatal(err)
			}
		}
		merged, sorted := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64) // fastest times
		inTime := false
		for try := 0; try < 3 && !inTime; try++ {
			if err := os.RemoveAll(filepath.Join(dir, FileName)); err != nil { // an earlier merge would count as results, too
				t.Fatal(err)
			}
			cmd := reexec.Command(t, "merge", dir)
			if c.processors != "" {
				cmd.Env = append(cmd.Env, "GOMAXPROCS="+c.processors)
			}
			out, took := timed(t, cmd)
			peak := peakMemory(cmd.ProcessState)
			t.Logf("%+v: %v, %d MB", c, took.Round(10*time.Millisecond), peak/1e6)
			if want := fmt.Sprintf("%d results, %d duplicates\n", fits, twice); out != want {
				t.Fatalf("%s, want %s", out, want)
			}
			if peak > most && !raced {
				t.Errorf("%+v: %d MB, want less than %d", c, peak/1e6, most/1e6)
			}
			merged, inTime = min(merged, took), true
			if large.Asked() && !raced {
				sorted = min(sorted, sortLarge(t, dir, most))
				inTime = merged <= sorted*5/2
			}
		}
		if !inTime {
			t.Errorf("%+v: %v, of sort %v; want at most 2.5 times as much", c, merged, sorted)
		}
	}
}

// sortLarge keeps one line per id using sort with limited memory, and returns its time.
func sortLarge(t *testing.T, dir string, memory int64) time.Duration {
	paths, err := filepath.Glob(filepath.Join(dir, AttemptsName, "*", FileName))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%v: %d files of results", err, len(paths))
	}
	out := filepath.Join(dir, "sorted")
	defer os.Remove(out)
	cmd := exec.Command("sort", append([]string{"-u", "-t", ",", "-k", "1,1", "-S", fmt.Sprintf("%dK", memory>>10), "-T", dir, "-o", out}, paths...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	_, took := timed(t, cmd)
	t.Logf("sort: %v", took.Round(10*time.Millisecond))
	return took
}

// timed runs a command and returns its output and the shorter of its wall time and CPU time.
func timed(t *testing.T, cmd *exec.Cmd) (string, time.Duration) {
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(start)
	if err != nil {
		t.Fatalf("%s: %v: %s", cmd.Path, err, out)
	}
	return string(out), min(took, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
}

// mergeLarge is the process of TestMergeLarge.
func mergeLarge(dir string) error {
	m, err := Merge(context.Background(), []string{dir}, dir, nil)
	if err == nil {
		fmt.Printf("%d results, %d duplicates\n", m.Results, m.Duplicates)
	}
	return err
}

// BenchmarkMerge merges 100,000 results that follow a plan.
func BenchmarkMerge(b *testing.B) {
	dir := b.TempDir()
	if err := writeLarge(dir, 100_000, 10_000); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Merge(context.Background(), []string{dir}, dir, nil); err != nil {
			b.Fatal(err)
		}
	}
}

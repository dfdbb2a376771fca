package run_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"synpool/internal/reexec"
	"synpool/milbench/results"
	"synpool/milbench/run"
	"synpool/milbench/run/runtest"
)

func TestMain(m *testing.M) {
	switch reexec.Kind() {
	case "":
		os.Exit(m.Run())
	case "run": // a slow run that never ends
		r := runtest.Run(os.Args[1], &runtest.Learner{Delay: 3 * time.Millisecond})
		r.Curves = true
		r.Progress = func(p run.Progress) {
			if p.Skipped+p.Done == runtest.Fits-3 {
				time.Sleep(time.Hour)
			}
		}
		_, err := r.Do(context.Background())
		exitOn(err)
	case "limited": // a run that may write at most 10,000 bytes to a file
		unlimit := limitFileSize(10_000)
		r := runtest.Run(os.Args[1], &runtest.Learner{})
		r.Curves = true
		_, err := r.Do(context.Background())
		unlimit() // files written by go test -cover do not belong to the run
		exitOn(err)
	}
}

// exitOn ends the process, with status 75 if the disk is full.
func exitOn(err error) {
	if errors.Is(err, results.ErrDiskFull) {
		fmt.Fprint(os.Stderr, err)
		os.Exit(75)
	}
	reexec.Exit(err)
}

// TestKilledRun kills a run several times and resumes it. Nothing is lost or run twice, and in the end the file
// equals that of an undisturbed run, except for order and wall times.
func TestKilledRun(t *testing.T) {
	want := undisturbed(t)
	dir := filepath.Join(t.TempDir(), "killed")
	path := filepath.Join(dir, results.FileName)
	kept := 0
	for _, lines := range []int{1, 9, 20, 33} {
		cmd := reexec.Command(t, "run", dir)
		must(t, cmd.Start())
		for start := time.Now(); ; time.Sleep(time.Millisecond) {
			b, _ := os.ReadFile(path)
			if bytes.Count(b, []byte("\n")) >= lines {
				break
			}
			if time.Since(start) > 20*time.Second {
				t.Fatalf("no %d lines after 20 s", lines)
			}
		}
		must(t, cmd.Process.Kill())
		cmd.Wait()
		got := contents(t, dir)
		if len(got) < lines || len(got) == runtest.Fits {
			t.Fatalf("%d results after the kill at %d", len(got), lines)
		}
		for fit, line := range got {
			if want[fit] != line {
				t.Errorf("after the kill at %d fit %s is\n%s\nwant\n%s", lines, fit, line, want[fit])
			}
		}
		kept = len(got)
	}

	l := &runtest.Learner{}
	r := runtest.Run(dir, l)
	r.Curves = true
	sum, err := r.Do(context.Background())
	if err != nil || sum != (run.Summary{Total: runtest.Fits, Skipped: kept, Done: runtest.Fits - kept}) || l.Trained != runtest.Fits-kept {
		t.Errorf("%d kept, %d given to the learner: %+v, %v", kept, l.Trained, sum, err)
	}
	if got := contents(t, dir); !maps.Equal(got, want) {
		t.Errorf("the results differ from an undisturbed run's:\n%v\nwant\n%v", got, want)
	}
	b, err := os.ReadFile(path)
	if err != nil || bytes.Count(b, []byte("\n")) != runtest.Fits {
		t.Errorf("%d lines, %v; want one a fit, %d", bytes.Count(b, []byte("\n")), err, runtest.Fits)
	}
	requireCurves(t, dir)
}

package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"synpool/milbench/results"
)

// helperKey tells the test binary that it is a process of a test, and of which.
const helperKey = "RUN_TEST_PROCESS"

func TestMain(m *testing.M) {
	switch os.Getenv(helperKey) {
	case "":
		os.Exit(m.Run())
	case "run": // a run that takes its time and never ends
		r := fakeRun(os.Args[1], &fakeLearner{delay: 3 * time.Millisecond})
		r.Curves = true
		r.Progress = func(p Progress) {
			if p.Skipped+p.Done == fakeTotal-3 {
				time.Sleep(time.Hour)
			}
		}
		_, err := r.Do(context.Background())
		exitOn(err)
	case "limited": // a run that may not write files beyond 10,000 bytes
		unlimit := limitFileSize(10_000)
		r := fakeRun(os.Args[1], &fakeLearner{})
		r.Curves = true
		_, err := r.Do(context.Background())
		unlimit() // what go test -cover keeps is no part of the run
		exitOn(err)
	}
}

func exitOn(err error) {
	switch {
	case errors.Is(err, results.ErrDiskFull):
		fmt.Fprint(os.Stderr, err)
		os.Exit(75)
	case err != nil:
		fmt.Fprint(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func helper(t *testing.T, kind, dir string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, dir)
	cmd.Env = append(os.Environ(), helperKey+"="+kind)
	return cmd
}

// TestKilledRun kills a run again and again and lets it go on: nothing is lost, nothing run twice, and in the end the
// file is that of an undisturbed run but for order and wall times.
func TestKilledRun(t *testing.T) {
	undisturbed := filepath.Join(t.TempDir(), "undisturbed")
	sum, err := fakeRun(undisturbed, &fakeLearner{}).Do(context.Background())
	if err != nil || sum != (Summary{Total: fakeTotal, Done: fakeTotal}) {
		t.Fatalf("%+v, %v", sum, err)
	}
	want := contents(t, undisturbed)

	dir := filepath.Join(t.TempDir(), "killed")
	path := filepath.Join(dir, results.FileName)
	kept := 0
	for _, lines := range []int{1, 9, 20, 33} {
		cmd := helper(t, "run", dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for start := time.Now(); ; time.Sleep(time.Millisecond) {
			b, _ := os.ReadFile(path)
			if bytes.Count(b, []byte("\n")) >= lines {
				break
			}
			if time.Since(start) > 20*time.Second {
				t.Fatalf("no %d lines after 20 s", lines)
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		got := contents(t, dir)
		if len(got) < lines || len(got) == fakeTotal {
			t.Fatalf("%d results after the kill at %d", len(got), lines)
		}
		for fit, line := range got {
			if want[fit] != line {
				t.Errorf("after the kill at %d fit %s is\n%s\nwant\n%s", lines, fit, line, want[fit])
			}
		}
		kept = len(got)
	}

	l := &fakeLearner{}
	r := fakeRun(dir, l)
	r.Curves = true
	sum, err = r.Do(context.Background())
	if err != nil || sum != (Summary{Total: fakeTotal, Skipped: kept, Done: fakeTotal - kept}) || l.handed != fakeTotal-kept {
		t.Errorf("%d kept, %d handed to the learner: %+v, %v", kept, l.handed, sum, err)
	}
	if got := contents(t, dir); !maps.Equal(got, want) {
		t.Errorf("the results differ from an undisturbed run's:\n%v\nwant\n%v", got, want)
	}
	b, err := os.ReadFile(path)
	if err != nil || bytes.Count(b, []byte("\n")) != fakeTotal {
		t.Errorf("%d lines, %v; want one a fit, %d", bytes.Count(b, []byte("\n")), err, fakeTotal)
	}
	requireCurves(t, dir)
}

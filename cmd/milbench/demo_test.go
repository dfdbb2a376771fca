package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"synpool/milbench"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
	"synpool/milbench/results"
)

// reader is a learner that scores a bag by its first feature: gated networks as it is, syn the other way round, all others
// alike. It fails on demand.
type reader struct{ err error }

func (reader) Takes() learner.Takes { return learner.Takes{} }

func (reader) Plan(cv.Task) (learner.Plan, error) { return learner.Plan{}, nil }

func (r reader) Learn(_ context.Context, task cv.Task, done func(learner.Outcome) error) error {
	for i, fit := range task.Fits {
		factor := map[string]float64{"gated": 1, "syn": -1}[learner.Name(fit.Setting)]
		e := learner.Epoch{Number: 1}
		row := make([]float32, task.Bags[0].Features())
		for _, b := range fit.Test {
			if err := task.Bags[b].Read(0, 1, row); err != nil {
				return err
			}
			e.Test = append(e.Test, mil.Scored(float64(row[0])*factor))
		}
		if err := done(learner.Outcome{Fit: i, Epochs: []learner.Epoch{e}, Err: r.err}); err != nil {
			return err
		}
	}
	return nil
}

func TestDemo(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	var out, stderr bytes.Buffer
	p := &program{out: &sink{w: &out}, err: &stderr}
	d, err := p.runDemo(t.Context(), reader{}, nil)
	must(t, err)
	if d.Bags != 92 || d.Protocol.Folds != 10 || d.Protocol.Repeats != 1 || len(d.Rows) != len(milbench.LineupLearners)+len(milbench.LineupPoolings) {
		t.Errorf("%+v", d)
	}
	up, down := d.Rows[0], d.Rows[len(d.Rows)-1]
	if strings.HasPrefix(up.Setting, "syn") {
		up, down = down, up
	}
	if len(up.FoldAUCs) != 10 || math.Abs(up.Mean+down.Mean-1) > 1e-12 || d.Rows[3].Mean != 0.5 {
		t.Errorf("AUC %v and %v, between them %v", up.Mean, down.Mean, d.Rows[3].Mean)
	}
	if *up.Low > up.Mean || *up.High < up.Mean || up.Interval != results.OverFolds {
		t.Errorf("interval %v to %v around %v, over %s", *up.Low, *up.High, up.Mean, up.Interval)
	}
	if !strings.Contains(d.Conclusion, "has the largest AUC") {
		t.Errorf("conclusion %q", d.Conclusion)
	}
	d.Figure = filepath.Join(t.TempDir(), "demo.png")
	must(t, errors.Join(p.print(false, d, d.table), p.writeConclusion(d), d.draw(d.Figure)))
	for _, r := range d.Rows {
		has(t, stderr.String(), fmt.Sprintf("%-16s  AUC %.3f\n", r.Setting, r.Mean)) // as soon as it was known
	}
	has(t, out.String(), "gated", "syn", "statistics-svm", "protocol honest: 10 folds, 1 repeat, seed 1", d.Figure, d.Conclusion)
	f, err := os.Open(d.Figure)
	must(t, err)
	defer f.Close()
	if _, err := png.Decode(f); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}

	if _, err := p.runDemo(t.Context(), reader{errors.New("no luck")}, nil); exitCode(t.Context(), err) != exitFinding || !strings.Contains(err.Error(), "no luck") {
		t.Errorf("failed fits: %v", err)
	}
}

// A demo that is stopped leaves nothing behind.
func TestDemoStopped(t *testing.T) {
	temporary, folder := t.TempDir(), t.TempDir()
	c := process(t, "demo")
	c.Env, c.Dir = append(c.Env, "TMPDIR="+temporary), folder
	var stderr bytes.Buffer
	c.Stderr = &stderr
	must(t, c.Start())
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if begun, _ := filepath.Glob(filepath.Join(temporary, "*", "results.jsonl")); len(begun) > 0 {
			break
		}
	}
	must(t, c.Process.Signal(syscall.SIGTERM))
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != 143 {
		t.Errorf("%v\n%s", err, &stderr)
	}
	for _, dir := range []string{temporary, folder} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
}

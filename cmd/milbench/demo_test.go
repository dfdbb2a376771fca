package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"synpool/milbench"
	"synpool/milbench/learner/neural"
)

// reader is a learner that scores a bag by its first feature, and fails on demand.
type reader struct{ err error }

func (reader) Takes() milbench.Takes { return milbench.Takes{} }

func (reader) Plan(milbench.Task) (milbench.Plan, error) { return milbench.Plan{}, nil }

func (r reader) Learn(_ context.Context, task milbench.Task, done func(milbench.Outcome) error) error {
	for i, fit := range task.Fits {
		var config neural.Config
		if err := json.Unmarshal(fit.Setting, &config); err != nil {
			return err
		}
		e := milbench.Epoch{Number: config.Epochs}
		row := make([]float32, task.Bags[0].Features())
		for _, b := range fit.Test {
			if err := task.Bags[b].Read(0, 1, row); err != nil {
				return err
			}
			e.Test = append(e.Test, milbench.Scored(float64(row[0])*float64(config.Iterations)))
		}
		if err := done(milbench.Outcome{Fit: i, Epochs: []milbench.Epoch{e}, Err: r.err}); err != nil {
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
	d, err := p.runDemo(t.Context(), reader{}, "fake")
	if err != nil {
		t.Fatal(err)
	}
	if d.Bags != 92 || d.Protocol.Folds != 10 || d.Protocol.Repeats != 1 || len(d.Rows) != 3 {
		t.Errorf("%+v", d)
	}
	// Scores of I = 3 are those of I = -3 the other way round; those of softmax are all 0.
	up, none, down := d.Rows[0], d.Rows[1], d.Rows[2]
	if len(up.FoldAUCs) != 10 || none.AUCMean != 0.5 || up.AUCMean+down.AUCMean < 1-1e-12 || up.AUCMean+down.AUCMean > 1+1e-12 {
		t.Errorf("AUC %v, %v, %v", up.AUCMean, none.AUCMean, down.AUCMean)
	}
	if up.FoldLow > up.AUCMean || up.FoldHigh < up.AUCMean {
		t.Errorf("interval %v to %v around %v", up.FoldLow, up.FoldHigh, up.AUCMean)
	}
	d.Figure = filepath.Join(t.TempDir(), "demo.png")
	if err := errors.Join(p.writeDemo(d), d.draw(d.Figure)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"concentration (syn, I = 3)", "plain softmax", "distraction (syn, I = -3)", "protocol honest: 10 folds, 1 repeat, seed 1",
		"50 epochs, width 64, batch 8", "backend fake", d.Figure, d.Conclusion,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	f, err := os.Open(d.Figure)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := png.Decode(f); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}

	if _, err := p.runDemo(t.Context(), reader{errors.New("no luck")}, "fake"); exitCode(t.Context(), err) != exitFinding || !strings.Contains(err.Error(), "no luck") {
		t.Errorf("failed fits: %v", err)
	}
}

func TestConclusion(t *testing.T) {
	row := func(name string, low, high float64) demoRow { return demoRow{Name: name, FoldLow: low, FoldHigh: high} }
	if got := conclusion([]demoRow{row("a", 0.5, 0.7), row("b", 0.6, 0.8), row("c", 0.7, 0.9)}); !strings.Contains(got, "all overlap") {
		t.Error(got)
	}
	got := conclusion([]demoRow{row("a", 0.5, 0.6), row("b", 0.6, 0.8), row("c", 0.7, 0.9)})
	if !strings.Contains(got, "that of c lies above that of a") || strings.Contains(got, "of b") {
		t.Error(got)
	}
}

// A demo that is stopped leaves nothing behind.
func TestDemoStopped(t *testing.T) {
	temporary, folder := t.TempDir(), t.TempDir()
	c := process(t, "demo")
	c.Env, c.Dir = append(c.Env, "TMPDIR="+temporary), folder
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if begun, _ := filepath.Glob(filepath.Join(temporary, "*", "results.jsonl")); len(begun) > 0 {
			break
		}
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != 143 {
		t.Errorf("%v\n%s", err, &stderr)
	}
	for _, dir := range []string{temporary, folder} {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
}

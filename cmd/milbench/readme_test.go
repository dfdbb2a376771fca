package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"synpool/internal/large"
)

// TestReadmeDemo compares the sentence and the figure of README.md with what the demo prints and draws on the Go backend.
// Other processors round differently. It takes 45 s, so it runs where many draws are asked for; [TestDemo] is the short one.
func TestReadmeDemo(t *testing.T) {
	if !large.Asked() || os.Getenv("GOMLX_BACKEND") != "go" || runtime.GOARCH != "amd64" {
		return
	}
	file := contents(t, "../../README.md")
	figure := filepath.Join(t.TempDir(), "demo.png")
	d := decoded[demonstration](t, "demo", "--json", "--out", figure)
	if !strings.Contains(strings.Join(strings.Fields(file), " "), d.Conclusion) {
		t.Errorf("README.md does not say: %s", d.Conclusion)
	}
	if contents(t, "../../docs/demo.png") != contents(t, figure) {
		t.Errorf("docs/demo.png is not what GOMLX_BACKEND=go milbench demo --out docs/demo.png draws")
	}
}

// TestReadmeFigure: the figure of README.md is drawn from the committed results.
func TestReadmeFigure(t *testing.T) {
	if runtime.GOARCH != "amd64" { // other processors round differently
		return
	}
	figure := filepath.Join(t.TempDir(), "shuffled.svg")
	succeed(t, "plot", "../../paper/results/published.json.gz", "--figure", "control", "--out", figure)
	if contents(t, "../../docs/shuffled.svg") != contents(t, figure) {
		t.Errorf("docs/shuffled.svg is not what milbench plot paper/results/published.json.gz --figure control draws")
	}
}

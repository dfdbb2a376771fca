package main

import (
	"bytes"
	"encoding/json"
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
	file, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	figure := filepath.Join(t.TempDir(), "demo.png")
	out, _ := succeed(t, "demo", "--json", "--out", figure)
	var d demonstration
	if err := json.Unmarshal([]byte(out), &d); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(strings.Fields(string(file)), " "), d.Conclusion) {
		t.Errorf("README.md does not say: %s", d.Conclusion)
	}
	drawn, err := os.ReadFile(figure)
	if err != nil {
		t.Fatal(err)
	}
	if shown, err := os.ReadFile("../../docs/demo.png"); err != nil || !bytes.Equal(shown, drawn) {
		t.Errorf("docs/demo.png is not what GOMLX_BACKEND=go milbench demo --out docs/demo.png draws (%v)", err)
	}
}

// TestReadmeFigure: the figure of README.md is drawn from the committed results.
func TestReadmeFigure(t *testing.T) {
	if runtime.GOARCH != "amd64" { // other processors round differently
		return
	}
	figure := filepath.Join(t.TempDir(), "shuffled.svg")
	succeed(t, "plot", "../../paper/results/published.json.gz", "--figure", "control", "--out", figure)
	drawn, err := os.ReadFile(figure)
	if err != nil {
		t.Fatal(err)
	}
	if shown, err := os.ReadFile("../../docs/shuffled.svg"); err != nil || !bytes.Equal(shown, drawn) {
		t.Errorf("docs/shuffled.svg is not what milbench plot paper/results/published.json.gz --figure control draws (%v)", err)
	}
}

package export_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"synpool/internal/onnx"
	"synpool/milbench"
	"synpool/milbench/mil"
	"synpool/milbench/run/runtest"
)

// trained writes a model of a learner to a file and returns its name and the bags.
func trained(t *testing.T, learner string, batch bool) (file string, m *milbench.Model, set *mil.Set) {
	t.Helper()
	set = runtest.Set("bags", 12)
	setting, err := milbench.Setting(learner, nil)
	if err != nil {
		t.Fatal(err)
	}
	machine := &milbench.Machine{}
	t.Cleanup(machine.Close)
	if m, err = milbench.Train(context.Background(), set, milbench.Training{Setting: setting}, machine); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "model.onnx")
	if err := m.Export(file, batch); err != nil {
		t.Fatal(err)
	}
	return file, m, set
}

// TestLoad reads a file back: it predicts, explains and evaluates as the model does.
func TestLoad(t *testing.T) {
	file, m, set := trained(t, "statistics-svm", false)
	read, err := milbench.Load(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []func(*milbench.Model) (*milbench.Predictions, error){
		func(m *milbench.Model) (*milbench.Predictions, error) { return m.Predict(context.Background(), set) },
		func(m *milbench.Model) (*milbench.Predictions, error) { return m.Explain(context.Background(), set) },
	} {
		want, err := f(m)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f(read)
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range want.Bags {
			if g := got.Bags[i]; g.Bag != b.Bag || math.Abs(*g.Score-*b.Score) > 1e-9 || len(g.Instances) != len(b.Instances) {
				t.Errorf("bag %s: %v, want %v", b.Bag, g, b)
			}
		}
	}
	if a, b := read.About(), m.About(); a.Set != b.Set || string(a.Setting) != string(b.Setting) || a.NumFeatures != b.NumFeatures {
		t.Errorf("about %+v, want %+v", a, b)
	}
	if err := read.Save(t.TempDir()); err == nil || !strings.Contains(err.Error(), "copy") {
		t.Errorf("error %v of saving a file as a folder", err)
	}
}

// TestLoadRefuses reads damaged and foreign files.
func TestLoadRefuses(t *testing.T) {
	file, _, _ := trained(t, "statistics-svm", false)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := (&onnx.Model{Producer: "other", Graph: &onnx.Graph{Name: "g"}}).Encode()
	if err != nil {
		t.Fatal(err)
	}
	// One bit of a number in a constant.
	m, err := onnx.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Clone(data)
	for _, c := range m.Graph.Constants {
		if values, is := c.Data.([]float64); is && len(values) > 3 {
			at := bytes.Index(changed, binary.LittleEndian.AppendUint64(nil, math.Float64bits(values[1])))
			changed[at] ^= 1
			break
		}
	}
	batch, _, _ := trained(t, "statistics-svm", true)
	several, err := os.ReadFile(batch)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, want string
		data       []byte
	}{
		{"short", "not a file of ONNX", data[:len(data)/2]},
		{"empty", "not a file of ONNX", nil},
		{"text", "not a file of ONNX", []byte("bag,label\n")},
		{"foreign", "not written by milbench export", foreign},
		{"changed", "its numbers are not those that were written", changed},
		{"batch", "--batch", several},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "some.onnx")
			if err := os.WriteFile(name, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := milbench.Load(name, nil)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "some.onnx") || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with the name and %q", err, c.want)
			}
		})
	}
	if _, err := milbench.Load(filepath.Join(t.TempDir(), "absent.onnx"), nil); err == nil || !strings.Contains(err.Error(), "absent.onnx") {
		t.Errorf("error %v of a file that is not there", err)
	}
}

// TestExportRefuses has a model that ONNX cannot hold.
func TestExportRefuses(t *testing.T) {
	set := runtest.Set("bags", 12)
	setting, err := milbench.Setting("distance-svm", nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := milbench.Train(context.Background(), set, milbench.Training{Setting: setting}, nil)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "model.onnx")
	if err := m.Export(file, false); err == nil || !strings.Contains(err.Error(), "earth mover's distance") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a file was written")
	}
	if _, err := milbench.Train(context.Background(), set, milbench.Training{Setting: setting, Exportable: true}, nil); err == nil || !strings.Contains(err.Error(), "--exportable") {
		t.Errorf("error %v", err)
	}
}

package dataset

import (
	"path/filepath"
	"reflect"
	"testing"

	"synpool/internal/goldenfile"
	"synpool/milbench/mil"
)

// TestTorchTypes: every type and layout written by torch.save is read as in PyTorch, or refused in one line.
func TestTorchTypes(t *testing.T) {
	want := goldenfile.Read[map[string][][]float32](t, "torch.json")
	const (
		noTensor = "no tensor; save one, or a dictionary with one called features, with torch.save"
		noType   = "a tensor of a type or layout that is not read; save x.float().to_dense()"
	)
	refused := map[string]string{
		"complex64":     "a tensor of torch.ComplexFloatStorage; save numbers, such as x.float()",
		"uint16":        noType,
		"uint32":        noType,
		"uint64":        noType,
		"float8_e4m3fn": noType,
		"sparse":        noType,
		"columns":       "a tensor with strides [3 2], part of another; save x.contiguous()",
		"repeated":      "a tensor with strides [0 1], part of another; save x.contiguous()",
		"several":       "several arrays may be the features: x, y; name one with --features",
		"list":          "several arrays may be the features: 0, 1; name one with --features",
		"object":        noTensor,
		"none":          noTensor,
		"flat":          "a tensor of shape [12]; [instances, features] or [1, instances, features] is needed",
		"cube":          "a tensor of shape [2 4 3]; [instances, features]",
		"empty":         "an array of 0 instances with 3 features; remove the bag or give it instances",
		"not finite":    "row 0, column 0 (from 0): value -Inf; replace it by a finite number",
		"legacy":        "a file of PyTorch before 1.6; load it and save it again with torch.save",
	}
	if len(want) < 30 {
		t.Errorf("%d files", len(want))
	}
	for name, rows := range want {
		path := filepath.Join("testdata/torch", name+".pt")
		x, err := bagForm{".pt", readTorch}.file(path, path).open(Options{}.features)
		var got *mil.Dense
		if err == nil {
			got, err = mil.ToDense(x.features)
		}
		if why, is := refused[name]; is != (rows == nil) {
			t.Errorf("%s: values %v, refused %q, %v", name, rows, why, err)
		} else if is {
			if err == nil {
				t.Errorf("%s: no error", name)
			} else {
				requireOneLine(t, err, path, why)
			}
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		var all [][]float32
		for i := range got.Rows {
			all = append(all, got.Row(i))
		}
		if !reflect.DeepEqual(all, rows) {
			t.Errorf("%s: %v, want %v", name, all, rows)
		}
	}
}

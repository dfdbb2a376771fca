package modeldir

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCalibration(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	if err := SaveCalibration(dir, 1.5); !errors.Is(err, ErrNoModel) {
		t.Errorf("without a model: %v", err)
	}
	saveParts(t, dir, 1)
	var got float64
	if found, err := LoadCalibration(dir, &got); found || err != nil {
		t.Errorf("%v, %v of a model without", found, err)
	}
	for _, want := range []float64{1.5, 2.5} { // the second replaces the first
		if err := SaveCalibration(dir, want); err != nil {
			t.Fatal(err)
		}
		if found, err := LoadCalibration(dir, &got); !found || err != nil || got != want {
			t.Errorf("%v, %v, %v, want %v", got, found, err, want)
		}
	}
	if n, err := load(dir); n != 1 || err != nil {
		t.Errorf("the model beside it: %v, %v", n, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("%v, %v", entries, err)
	}

	// Damage, and a value of another type.
	path := filepath.Join(dir, calibrationName)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for what, bad := range map[string][]byte{"empty": nil, "cut": good[:len(good)/2], "changed": bytes.Replace(good, []byte("2.5"), []byte("3.5"), 1)} {
		if err := os.WriteFile(path, bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if found, err := LoadCalibration(dir, &got); found || !errors.Is(err, ErrNoModel) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v", what, found, err)
		}
	}
	if err := os.WriteFile(path, good, 0o666); err != nil {
		t.Fatal(err)
	}
	var text string
	if found, err := LoadCalibration(dir, &text); found || !errors.Is(err, ErrNoModel) {
		t.Errorf("a number read as text: %v, %v", found, err)
	}

	// Another model has none, even if the file of the old one is still there.
	saveParts(t, dir, 2)
	if _, err := os.Stat(path); err == nil {
		t.Error("the next model kept the calibration")
	}
	if err := os.WriteFile(path, good, 0o666); err != nil {
		t.Fatal(err)
	}
	if found, err := LoadCalibration(dir, &got); found || err != nil {
		t.Errorf("that of another model: %v, %v", found, err)
	}
	if n, err := load(dir); n != 2 || err != nil {
		t.Errorf("the model beside it: %v, %v", n, err)
	}
}

package modeldir

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCalibration checks that a calibration is part of the card.
func TestCalibration(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	var got float64
	for _, want := range []any{nil, 1.5, 2.5, nil} { // each model replaces the one before
		c := newNumberCard(1)
		if want != nil {
			must(t, c.Calibrate(want))
		}
		must(t, Save(dir, c, func(folder string) error { return WriteJSON(folder, "number.json", 1) }))
		if found, err := calibrationIn(dir, &got); found != (want != nil) || err != nil || found && got != want {
			t.Errorf("%v, %v, %v, want %v", got, found, err, want)
		}
		var text string
		if _, err := calibrationIn(dir, &text); (want != nil) != errors.Is(err, ErrNoModel) {
			t.Errorf("a number read as text: %v", err)
		}
	}
}

// TestOldCalibration reads the file that version 0.1 wrote beside the card.
func TestOldCalibration(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	saveParts(t, dir, 1)
	c, _, err := Inspect(dir)
	must(t, err)
	b := besideCard{Model: c.Sum, Calibration: []byte("2.5")}
	b.Sum = b.sum()
	must(t, WriteJSON(dir, calibrationName, b))
	var got float64
	if found, err := calibrationIn(dir, &got); !found || err != nil || got != 2.5 {
		t.Errorf("%v, %v, %v", got, found, err)
	}
	path := filepath.Join(dir, calibrationName)
	good, err := os.ReadFile(path)
	must(t, err)
	for what, bad := range map[string][]byte{"empty": nil, "cut": good[:len(good)/2], "changed": bytes.Replace(good, []byte("2.5"), []byte("3.5"), 1)} {
		must(t, os.WriteFile(path, bad, 0o666))
		if found, err := calibrationIn(dir, &got); found || !errors.Is(err, ErrNoModel) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v", what, found, err)
		}
	}
	must(t, os.WriteFile(path, good, 0o666))
	// Another model has none, even if the file of the old one is still there.
	saveParts(t, dir, 2)
	if _, err := os.Stat(path); err == nil {
		t.Error("the next model kept the calibration")
	}
	must(t, os.WriteFile(path, good, 0o666))
	if found, err := calibrationIn(dir, &got); found || err != nil {
		t.Errorf("that of another model: %v, %v", found, err)
	}
	if n, err := load(dir); n != 2 || err != nil {
		t.Errorf("the model beside it: %v, %v", n, err)
	}
}

// calibrationIn reads the calibration of the model in a folder.
func calibrationIn(dir string, into any) (bool, error) {
	c, _, err := Inspect(dir)
	if err != nil {
		return false, err
	}
	return c.LoadCalibration(into)
}

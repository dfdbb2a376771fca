package modeldir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// calibrationName is the file beside the card that turns the model's scores into probabilities. It is optional; models
// of earlier versions have none.
const calibrationName = "calibration.json"

// besideCard is the content of the calibration file.
type besideCard struct {
	Sum         string          `json:"sum"`         // SHA-256 of the other two fields
	Model       string          `json:"model"`       // sum of the card of its model
	Calibration json.RawMessage `json:"calibration"` // compact
}

func (b besideCard) sum() string { return sum256(append([]byte(b.Model), b.Calibration...)) }

// SaveCalibration writes value as JSON beside the model that [Save] wrote to dir, atomically. It belongs to this model:
// the next Save removes it.
func SaveCalibration(dir string, value any) error {
	if err := saveCalibration(dir, value); err != nil {
		return fmt.Errorf("saving the calibration of the model in %s: %w", dir, err)
	}
	return nil
}

func saveCalibration(dir string, value any) (err error) {
	b := besideCard{}
	if b.Model, err = sumOf(dir); err != nil {
		return err
	}
	if b.Calibration, err = json.Marshal(value); err != nil {
		return err
	}
	b.Sum = b.sum()
	folder, undo, err := begin(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, undo()) }()
	if err := WriteJSON(filepath.Join(dir, folder), calibrationName, b); err != nil {
		return err
	}
	return os.Rename(filepath.Join(dir, folder, calibrationName), filepath.Join(dir, calibrationName))
}

// LoadCalibration reads the value that [SaveCalibration] wrote beside the model in dir, and reports whether there is
// one. A file that belongs to another model, which a killed Save may leave behind, is ignored. A damaged file is an
// error that wraps [ErrNoModel].
func LoadCalibration(dir string, into any) (found bool, err error) {
	name := filepath.Join(dir, calibrationName)
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !info.Mode().IsRegular() || info.Size() > mostCard:
		return false, Damaged("%s is not a file of at most %d MB", calibrationName, mostCard>>20)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return false, err
	}
	var b besideCard
	if err := strict(data, &b); err != nil {
		return false, Damaged("%s: %v", calibrationName, err)
	}
	if b.Sum != b.sum() {
		return false, Damaged("%s is damaged", calibrationName)
	}
	sum, err := sumOf(dir)
	if err != nil || b.Model != sum {
		return false, err
	}
	if err := strict(b.Calibration, into); err != nil {
		return false, Damaged("%s: %v", calibrationName, err)
	}
	return true, nil
}

// sumOf returns the sum on the card of the model in dir.
func sumOf(dir string) (string, error) {
	data, err := cardOf(dir)
	if err != nil {
		return "", err
	}
	var head struct {
		Sum string `json:"sum"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return "", damaged(fmt.Errorf("%s: %w", cardName, err))
	}
	if sum256(bytes.Replace(data, []byte(head.Sum), nil, 1)) != head.Sum {
		return "", damaged(fmt.Errorf("%s is damaged", cardName))
	}
	return head.Sum, nil
}

// belongs reports whether an entry of a model's folder is part of a model.
func belongs(e os.DirEntry) bool {
	return e.Name() == cardName || e.Name() == calibrationName || isParameters(e)
}

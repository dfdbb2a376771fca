package modeldir

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"synpool/internal/disk"
)

// calibrationName is the file with the calibration of a model that version 0.1 saved; it now stands on the card.
const calibrationName = "calibration.json"

// besideCard is the content of that file.
type besideCard struct {
	Sum         string          `json:"sum"`         // SHA-256 of the other two fields
	Model       string          `json:"model"`       // sum of the card of its model
	Calibration json.RawMessage `json:"calibration"` // compact
}

func (b besideCard) sum() string { return sum256(append([]byte(b.Model), b.Calibration...)) }

// Calibrate puts what turns the model's scores into probabilities on the card, as JSON.
func (c *Card) Calibrate(learnt any) (err error) {
	c.Calibration, err = json.Marshal(learnt)
	return err
}

// LoadCalibration reads the value that [Card.Calibrate] put on the card, and reports whether there is one.
func (c *Card) LoadCalibration(into any) (found bool, err error) {
	if c.Calibration == nil {
		return false, nil
	}
	if err := strict(c.Calibration, into); err != nil {
		return false, Damaged("the calibration: %v", err)
	}
	return true, nil
}

// addOld adds the calibration that version 0.1 wrote beside the card. A file that belongs to another model is ignored.
func (c *Card) addOld(dir string) error {
	name := filepath.Join(dir, calibrationName)
	info, err := os.Stat(name)
	switch {
	case c.Calibration != nil || errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Size() > mostCard:
		return Damaged("%s has more than %d MB", calibrationName, mostCard>>20)
	}
	data, err := disk.ReadFile(name)
	if err != nil {
		return Damaged("%v", err)
	}
	var b besideCard
	if err := strict(data, &b); err != nil {
		return Damaged("%s: %v", calibrationName, err)
	}
	if b.Sum != b.sum() {
		return Damaged("%s is damaged", calibrationName)
	}
	if b.Model == c.Sum {
		c.Calibration = b.Calibration
	}
	return nil
}

// belongs reports whether an entry of a model's folder is part of a model.
func belongs(e os.DirEntry) bool {
	return e.Name() == cardName || e.Name() == calibrationName || isParameters(e)
}

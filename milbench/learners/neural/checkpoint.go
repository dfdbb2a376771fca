package neural

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/gomlx/gomlx/core/tensors"

	"synpool/internal/disk"
	"synpool/milbench/cv"
	"synpool/milbench/learner"
	"synpool/milbench/mil"
)

// keptAgain is the minimum time between two checkpoints of a fit, which are written at the end of an epoch. If epochs
// are shorter, a killed training loses up to this time. Tests set it to 0.
var keptAgain = 2 * time.Second

// snapshot is a checkpoint of a training on large bags after an epoch. A killed training resumes from it.
type snapshot struct {
	Step   int32
	Epoch  int
	State  [3][]float32 // parameters and both moments
	Epochs []learner.Epoch
}

// checkpointOf returns the checkpoint file of a training in a folder. The name is a checksum of everything that
// determines the training, so a different training never finds it.
func (l *largeFit) checkpointOf(dir string) (string, error) {
	var sizes []int
	for _, b := range l.bags {
		sizes = append(sizes, b.Len())
	}
	content, err := json.Marshal(struct {
		Version  int
		Backend  string
		Config   Config
		Fit      cv.Fit
		Features int
		Sizes    []int
		Input    Standardisation // fingerprint of the values
		Kind     mil.TargetKind
		Classes  int
	}{2, l.program.backend.Name() + " " + l.program.backend.Description(), l.config, l.fit, l.program.features, sizes, l.input, l.config.target.kind, l.config.target.classes})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	return filepath.Join(dir, hex.EncodeToString(sum[:16])+".checkpoint"), nil
}

// keep writes the state of a fit to a file, atomically.
func (l *largeFit) keep(path string) error {
	c := snapshot{Step: l.step, Epoch: l.epoch, Epochs: l.epochs}
	for k, s := range l.state {
		var err error
		if c.State[k], err = tensors.CopyFlatData[float32](s); err != nil {
			return err
		}
	}
	var content bytes.Buffer
	content.Write(make([]byte, sha256.Size))
	if err := gob.NewEncoder(&content).Encode(c); err != nil {
		return err
	}
	data := content.Bytes()
	sum := sha256.Sum256(data[sha256.Size:])
	copy(data, sum[:])
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return disk.WriteFile(path, data)
}

// resume restores a fit from a checkpoint file. Without a file, or with a damaged one, the fit starts from the
// beginning.
func (l *largeFit) resume(path string) error {
	data, err := disk.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(data) < sha256.Size || sha256.Sum256(data[sha256.Size:]) != [sha256.Size]byte(data) {
		return nil
	}
	var c snapshot
	if err := gob.NewDecoder(bytes.NewReader(data[sha256.Size:])).Decode(&c); err != nil {
		return nil
	}
	for k, values := range c.State {
		if len(values) != l.state[k].Size() {
			return nil
		}
	}
	if err := finalize(l.state...); err != nil {
		return err
	}
	for k, values := range c.State {
		l.state[k] = tensors.FromFlatDataAndDimensions(values, len(values))
	}
	l.step, l.epoch, l.epochs = c.Step, c.Epoch, c.Epochs
	return nil
}

// checkpointName matches the names of checkpoints.
var checkpointName = regexp.MustCompile(`^[0-9a-f]{32}\.checkpoint$`)

// RemoveCheckpoints removes all checkpoints in a folder, and the folder if it is then empty. It touches no other file.
func RemoveCheckpoints(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if e.Type().IsRegular() && checkpointName.MatchString(e.Name()) {
			if err := removeCheckpoint(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeCheckpoint removes a file that is no longer needed, and its folder if it is then empty.
func removeCheckpoint(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_ = os.Remove(filepath.Dir(path)) // fails if there are other files
	return nil
}

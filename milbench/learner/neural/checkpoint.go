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
	"time"

	"github.com/gomlx/gomlx/core/tensors"

	"synpool/milbench"
)

// keptAgain is after how long the state of a fit is kept again, at the end of an epoch: what a kill may lose where epochs are
// shorter. Tests make it 0.
var keptAgain = 2 * time.Second

// snapshot is what is kept of a training on large bags after an epoch, so that one that was killed goes on from there.
type snapshot struct {
	Step   int32
	Epoch  int
	State  [3][]float32 // parameters and both moments
	Epochs []milbench.Epoch
}

// checkpointOf returns the file of a training in a folder. Its name is a checksum of all that decides the training: another one never
// finds it.
func (l *largeFit) checkpointOf(dir string) (string, error) {
	var sizes []int
	for _, b := range l.bags {
		sizes = append(sizes, b.Len())
	}
	content, err := json.Marshal(struct {
		Version  int
		Backend  string
		Config   Config
		Fit      milbench.Fit
		Features int
		Sizes    []int
		Input    Standardisation // a fingerprint of the values
		Kind     milbench.TargetKind
		Classes  int
	}{2, l.program.backend.Name() + " " + l.program.backend.Description(), l.config, l.fit, l.program.features, sizes, l.input, l.config.target.kind, l.config.target.classes})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(content)
	return filepath.Join(dir, hex.EncodeToString(sum[:16])+".checkpoint"), nil
}

// keep writes the state of a fit to a file: whole, or not at all.
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
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part")
	if err != nil {
		return err
	}
	_, err = part.Write(data)
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return nil
}

// resume puts a fit into the state that a file has kept. Without a file, or with a damaged one, it stays at its beginning.
func (l *largeFit) resume(path string) error {
	data, err := os.ReadFile(path)
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

// removeCheckpoint removes a file that is no longer needed, and its folder with the last one.
func removeCheckpoint(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	leftovers, _ := filepath.Glob(path + ".*.part") // of a kill while one was written
	for _, name := range leftovers {
		_ = os.Remove(name)
	}
	_ = os.Remove(filepath.Dir(path)) // fails where it has others
	return nil
}

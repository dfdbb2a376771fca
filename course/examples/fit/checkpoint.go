package fit

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"synpool/internal/disk"
)

// progress is the state of a training, and the start of a checkpoint.
type progress struct {
	Settings  []byte // JSON
	Epochs    int    // done
	Kept      Kept
	Variables []saved // the values follow in this order, which is that of the store
}

type saved struct {
	Path      string
	Trainable bool
}

// load fills the store from the checkpoint. Without one, the training is at its start.
func (t *Trainer) load(settings any) (progress, error) {
	asked, err := json.Marshal(settings)
	if err != nil {
		return progress{}, err
	}
	p := progress{Settings: asked}
	if t.settings.Checkpoint == "" {
		return p, nil
	}
	f, err := disk.Open(t.settings.Checkpoint)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return p, err
	}
	defer f.Close()
	d := gob.NewDecoder(bufio.NewReader(f))
	p.Settings = nil
	if err := d.Decode(&p); err != nil {
		return p, fmt.Errorf("%s is no checkpoint of a training (%w); give another folder (-checkpoints) or remove it", t.settings.Checkpoint, err)
	}
	if !bytes.Equal(p.Settings, asked) {
		return p, fmt.Errorf("%s is a checkpoint of other settings; give another folder (-checkpoints) or remove it", t.settings.Checkpoint)
	}
	for _, s := range p.Variables {
		value, err := tensors.GobDeserialize(d)
		if err != nil {
			return p, fmt.Errorf("%s, variable %s: %w; remove the file", t.settings.Checkpoint, s.Path, err)
		}
		v, err := t.Store.CreateVariable(s.Path, value)
		if err != nil {
			return p, fmt.Errorf("%s: %w", t.settings.Checkpoint, err)
		}
		v.SetTrainable(s.Trainable)
	}
	return p, nil
}

// save writes a checkpoint, which gets its name only when it is complete.
func (t *Trainer) save(p progress) error {
	name := t.settings.Checkpoint
	if name == "" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	variables := slices.Collect(t.Store.IterVariables())
	p.Variables = nil
	for _, v := range variables {
		p.Variables = append(p.Variables, saved{v.Path(), v.Trainable})
	}
	if err := disk.Write(name, func(out io.Writer) error {
		e := gob.NewEncoder(out)
		if err := e.Encode(p); err != nil {
			return err
		}
		for _, v := range variables {
			value, err := v.Value()
			if err == nil {
				err = value.GobSerialize(e)
			}
			if err != nil {
				return fmt.Errorf("variable %s: %w", v.Path(), err)
			}
		}
		return nil
	}); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

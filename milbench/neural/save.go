package neural

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/gomlx/gomlx/support/exceptions"
)

// format is the version of the files of a model.
const format = 1

// cardName is the file of a model's card; the parameters lie beside it in a GoMLX checkpoint.
const cardName = "model.json"

// ErrNoModel is wrapped by errors of [Load] about a folder that holds no model that this version can read.
var ErrNoModel = errors.New("not a model of this version of milbench")

// Save writes the model into the folder dir, which is made; one that is there must be empty or a model, which is
// replaced. The folder appears whole or not at all.
func (m *Model) Save(dir string) (err error) {
	dir = filepath.Clean(dir)
	if err := mayReplace(dir); err != nil {
		return err
	}
	temporary, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-*")
	if err != nil {
		return fmt.Errorf("saving the model: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(temporary))
		}
	}()
	if err := m.write(temporary); err != nil {
		return fmt.Errorf("saving the model to %s: %w", dir, err)
	}
	// MkdirTemp keeps others out; a model is as open as any other file that the user makes.
	if err := os.Chmod(temporary, 0o755); err != nil {
		return fmt.Errorf("saving the model to %s: %w", dir, err)
	}
	old := temporary + "-old"
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("saving the model to %s: %w", dir, err)
	}
	if err := os.Rename(temporary, dir); err != nil {
		return errors.Join(fmt.Errorf("saving the model to %s: %w", dir, err), restore(old, dir))
	}
	return os.RemoveAll(old)
}

// restore puts back what Save had moved away, if anything.
func restore(old, dir string) error {
	if err := os.Rename(old, dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// mayReplace reports why dir cannot become a model.
func mayReplace(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("saving the model: %w", err)
	}
	for _, e := range entries {
		if e.Name() == cardName {
			return nil
		}
	}
	if len(entries) > 0 {
		return fmt.Errorf("saving the model: %s is a folder that holds something else; name another", dir)
	}
	return nil
}

func (m *Model) write(dir string) error {
	store := model.NewStore()
	start := 0
	for i, path := range m.program.paths {
		form := m.program.forms[i]
		values := append([]float32{}, m.parameters[start:start+form.Size()]...)
		start += form.Size()
		if _, err := store.CreateVariable(path, tensors.FromFlatDataAndDimensions(values, form.Dimensions...)); err != nil {
			return err
		}
	}
	handler, err := checkpoint.Build(store).Dir(dir).Done()
	if err != nil {
		return err
	}
	if err := handler.Save(); err != nil {
		return err
	}
	c := m.card
	if c.Files, err = sums(dir); err != nil {
		return err
	}
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, cardName), append(data, '\n'), 0o644)
}

// sums returns the SHA-256 of each file of a folder but the card.
func sums(dir string) (map[string]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, e := range entries {
		if e.Name() == cardName || !e.Type().IsRegular() {
			continue
		}
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		h := sha256.New()
		_, err = io.Copy(h, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		all[e.Name()] = hex.EncodeToString(h.Sum(nil))
	}
	return all, nil
}

// Load reads a model that Save wrote. Damage to any of its files is an error, as is a model of another version.
func Load(b compute.Backend, dir string) (*Model, error) {
	m, err := load(b, dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return m, nil
}

func load(b compute.Backend, dir string) (*Model, error) {
	data, err := os.ReadFile(filepath.Join(dir, cardName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: it has no %s; make one with: milbench train NAME|FILE --out MODEL", ErrNoModel, cardName)
	}
	if err != nil {
		return nil, err
	}
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return nil, fmt.Errorf("%w: %s: %w; train it again", ErrNoModel, cardName, err)
	}
	if version.Format != format {
		return nil, fmt.Errorf("%w: its format is %d, this one reads %d; train it again", ErrNoModel, version.Format, format)
	}
	var c card
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return nil, fmt.Errorf("%w: %s: %w; train it again", ErrNoModel, cardName, err)
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w; train it again", ErrNoModel, cardName, err)
	}
	// The checkpoint's reader trusts its files; their sums say whether it may.
	found, err := sums(dir)
	if err != nil {
		return nil, err
	}
	for name, want := range c.Files {
		switch found[name] {
		case want:
		case "":
			return nil, fmt.Errorf("%w: %s is missing; train it again", ErrNoModel, name)
		default:
			return nil, fmt.Errorf("%w: %s is damaged; train it again", ErrNoModel, name)
		}
	}
	m, err := newModel(b, c)
	if err != nil {
		return nil, err
	}
	store := model.NewStore()
	var loading error
	if caught := exceptions.TryCatch[error](func() {
		_, loading = checkpoint.Load(store).Dir(dir).ExcludeAllParams().Immediate().Done()
	}); caught != nil || loading != nil {
		return nil, fmt.Errorf("%w: %w; train it again", ErrNoModel, errors.Join(caught, loading))
	}
	if m.parameters, err = m.program.flatten(store); err != nil {
		return nil, fmt.Errorf("%w: %w; train it again", ErrNoModel, err)
	}
	return m, nil
}

// check reports what of a card does not fit together.
func (c card) check() error {
	if err := c.Config.Validate(); err != nil {
		return err
	}
	if c.NumFeatures < 1 {
		return fmt.Errorf("%d features", c.NumFeatures)
	}
	for _, per := range []struct {
		what string
		n    int
	}{{"names", len(c.Features)}, {"shifts", len(c.Standardisation.Shift)}, {"factors", len(c.Standardisation.Factor)}} {
		if per.n != 0 && per.n != c.NumFeatures {
			return fmt.Errorf("%d %s for %d features", per.n, per.what, c.NumFeatures)
		}
	}
	if len(c.Files) == 0 {
		return errors.New("no files of parameters")
	}
	return nil
}

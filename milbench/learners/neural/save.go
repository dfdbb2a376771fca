package neural

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/milbench/learners/modeldir"
)

// Card is what [Model.Save] writes about the model: its training set, features and targets.
func (m *Model) Card() *modeldir.Card { return &m.card.Card }

// Save writes the model to the folder dir and creates it if necessary. An existing folder must be empty or hold a
// model, which is replaced. The parameters are a GoMLX checkpoint. If Save fails or is killed, the old model remains
// ([modeldir.Save]).
func (m *Model) Save(dir string) error {
	c := m.card
	return modeldir.Save(dir, &c, m.write)
}

// write writes the parameters to a folder.
func (m *Model) write(folder string) error {
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
	// GoMLX v0.28.2 leaves the file of compressed parameters open, and Windows does not remove an open file.
	handler, err := checkpoint.Build(store).Dir(folder).WithCompression(checkpoint.BinUncompressed).Done()
	if err != nil {
		return err
	}
	return handler.Save()
}

// Load reads a model written by [Model.Save]. It returns an error if a file is damaged or does not belong to the model,
// or if the model has another version. A model with a pooling of your own needs that pooling ([Register]).
func Load(b compute.Backend, dir string) (*Model, error) {
	m, err := load(b, dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return m, nil
}

func load(b compute.Backend, dir string) (*Model, error) {
	var c card
	if err := modeldir.Read(dir, &c); err != nil {
		return nil, err
	}
	c.Config.target = c.Config.learns(c.Target, len(c.Classes))
	if err := c.check(); err != nil {
		return nil, modeldir.Damaged("its card: %v", err)
	}
	read, err := c.Open(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{} // by file name extension
	for name, data := range read {
		files[filepath.Ext(name)] = data
	}
	m, err := newModel(b, c)
	if err != nil {
		return nil, err
	}
	// The checkpoint's reader trusts its input; the checksums were verified before.
	store := model.NewStore()
	var loading error
	if caught := exceptions.TryCatch[error](func() {
		_, loading = checkpoint.Load(store).FromEmbed(string(files[checkpoint.JsonNameSuffix]), files[checkpoint.BinDataSuffix]).
			ExcludeAllParams().Immediate().Done()
	}); caught != nil || loading != nil {
		return nil, modeldir.Damaged("%v", errors.Join(caught, loading))
	}
	if m.parameters, err = m.program.flatten(store); err != nil {
		return nil, modeldir.Damaged("%v", err)
	}
	return m, nil
}

// check reports parts of a card that do not fit together.
func (c card) check() error {
	if err := c.Config.Validate(); err != nil {
		return err
	}
	if err := c.Targets.check(c.Config.target); err != nil {
		return err
	}
	for _, per := range []struct {
		what string
		n    int
	}{{"shifts", len(c.Standardisation.Shift)}, {"factors", len(c.Standardisation.Factor)}} {
		if per.n != 0 && per.n != c.NumFeatures {
			return fmt.Errorf("%d %s for %d features", per.n, per.what, c.NumFeatures)
		}
	}
	endings := map[string]int{}
	for name := range c.Files {
		endings[filepath.Ext(name)]++
		if name != filepath.Base(name) {
			return fmt.Errorf("%q is no name of a file", name)
		}
	}
	if len(c.Files) != 2 || endings[checkpoint.JsonNameSuffix] != 1 || endings[checkpoint.BinDataSuffix] != 1 {
		return fmt.Errorf("%d files of parameters, not a %s and a %s", len(c.Files), checkpoint.JsonNameSuffix, checkpoint.BinDataSuffix)
	}
	return nil
}

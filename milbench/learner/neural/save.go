package neural

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/gomlx/ml/model/checkpoint"
	"github.com/gomlx/gomlx/support/exceptions"

	"synpool/synlayer"
)

// format is the version of the files of a model.
const format = 1

// The folder of a model holds its card and, in a folder that the card names, a GoMLX checkpoint of its parameters. The
// name of that folder starts with parametersPrefix and ends with a number.
const (
	cardName         = "model.json"
	parametersPrefix = "milbench-parameters-"
)

// ErrNoModel is wrapped by errors of [Load] about a folder that holds no model that this version can read.
var ErrNoModel = errors.New("not a model of this version of milbench")

// Save writes the model into the folder dir, which is made if it is missing; one that is there must be empty or hold a
// model, which is replaced.
//
// The card, which names the files of the parameters, is moved into its place last, in one step: at any moment the
// folder holds the old model or the new one, whole, or none yet. A Save that fails leaves what was there; what one that
// was killed leaves is passed over by [Load] and removed by the next Save.
func (m *Model) Save(dir string) error {
	if err := m.save(dir); err != nil {
		return fmt.Errorf("saving the model to %s: %w", dir, err)
	}
	return nil
}

func (m *Model) save(dir string) (err error) {
	parameters, undo, err := begin(dir)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, undo())
		}
	}()
	written, err := m.write(dir, parameters)
	if err != nil {
		return err
	}
	if err := os.Rename(written, filepath.Join(dir, cardName)); err != nil {
		return err
	}
	// The model is saved. What cannot be removed is removed by the next Save.
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if isParameters(e) && e.Name() != parameters {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
	return nil
}

// CanSave reports why [Model.Save] could not write into the folder dir, as far as this can be known before. It leaves
// nothing behind.
func CanSave(dir string) error {
	_, undo, err := begin(dir)
	if err != nil {
		return err
	}
	return undo()
}

// begin makes the folder of the parameters of a model that is to be saved in dir; undo removes what begin has made.
func begin(dir string) (parameters string, undo func() error, err error) {
	if err := mayHold(dir); err != nil {
		return "", nil, err
	}
	made := os.Mkdir(dir, 0o777)
	if made != nil && !errors.Is(made, fs.ErrExist) {
		if _, err := os.Stat(filepath.Dir(dir)); errors.Is(err, fs.ErrNotExist) {
			return "", nil, fmt.Errorf("there is no folder %s to make it in", filepath.Dir(dir))
		}
		return "", nil, made
	}
	undo = func() error {
		err := os.RemoveAll(filepath.Join(dir, parameters))
		if made == nil {
			err = errors.Join(err, os.Remove(dir))
		}
		return err
	}
	for n := 1; ; n++ {
		parameters = parametersPrefix + strconv.Itoa(n)
		err := os.Mkdir(filepath.Join(dir, parameters), 0o777)
		if err == nil {
			return parameters, undo, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", nil, errors.Join(err, undo())
		}
	}
}

// isParameters reports whether an entry of a model's folder is a folder of parameters, of the model or left by a Save
// that was killed.
func isParameters(e os.DirEntry) bool {
	number, found := strings.CutPrefix(e.Name(), parametersPrefix)
	_, err := strconv.ParseUint(number, 10, 32)
	return found && err == nil && e.IsDir()
}

// mayHold reports why dir cannot become the folder of a model.
func mayHold(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != cardName && !isParameters(e) {
			return fmt.Errorf("%s holds something else than a model, %s; name another folder", dir, e.Name())
		}
	}
	if len(entries) > 0 && !slices.ContainsFunc(entries, isParameters) {
		return fmt.Errorf("%s holds no model, though a %s; name another folder", dir, cardName)
	}
	return nil
}

// write writes the parameters into their folder and the card beside them, and returns the path of the card.
func (m *Model) write(dir, parameters string) (string, error) {
	store := model.NewStore()
	start := 0
	for i, path := range m.program.paths {
		form := m.program.forms[i]
		values := append([]float32{}, m.parameters[start:start+form.Size()]...)
		start += form.Size()
		if _, err := store.CreateVariable(path, tensors.FromFlatDataAndDimensions(values, form.Dimensions...)); err != nil {
			return "", err
		}
	}
	folder := filepath.Join(dir, parameters)
	handler, err := checkpoint.Build(store).Dir(folder).Done()
	if err != nil {
		return "", err
	}
	if err := handler.Save(); err != nil {
		return "", err
	}
	files, err := readFiles(folder)
	if err != nil {
		return "", err
	}
	c := m.card
	c.Sum, c.Parameters, c.Files = "", parameters, map[string]string{}
	for name, data := range files {
		c.Files[name] = sum256(data)
	}
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return "", err
	}
	data = append(data, '\n')
	data = bytes.Replace(data, []byte(`"sum": ""`), fmt.Appendf(nil, `"sum": %q`, sum256(data)), 1)
	path := filepath.Join(folder, cardName)
	return path, os.WriteFile(path, data, 0o666)
}

// readFiles returns the content of the files of a folder, which has no folders.
func readFiles(dir string) (map[string][]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func sum256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Load reads a model that [Model.Save] wrote. Damage to any of its files is an error, as is a file that is not of the
// model, and a model of another version. A model with a pooling of the user's own needs that, by its name
// ([Trainer.Poolings]).
func Load(b compute.Backend, dir string, poolings ...map[string]synlayer.Pooling) (*Model, error) {
	own := map[string]synlayer.Pooling{}
	for _, some := range poolings {
		maps.Copy(own, some)
	}
	m, err := load(b, dir, own)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return m, nil
}

func load(b compute.Backend, dir string, own map[string]synlayer.Pooling) (*Model, error) {
	data, err := os.ReadFile(filepath.Join(dir, cardName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: it has no %s; make one with: milbench train NAME|FILE --out MODEL", ErrNoModel, cardName)
	}
	if err != nil {
		return nil, err
	}
	c, err := parseCard(data, own)
	if err != nil {
		return nil, fmt.Errorf("%w: %w; train it again", ErrNoModel, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Name() != cardName && !isParameters(e) {
			return nil, fmt.Errorf("%w: %s does not belong to it; remove that", ErrNoModel, e.Name())
		}
	}
	files, err := c.readParameters(filepath.Join(dir, c.Parameters))
	if err != nil {
		return nil, fmt.Errorf("%w: %w; train it again", ErrNoModel, err)
	}
	m, err := newModel(b, c)
	if err != nil {
		return nil, err
	}
	store := model.NewStore()
	var loading error
	if caught := exceptions.TryCatch[error](func() {
		_, loading = checkpoint.Load(store).FromEmbed(string(files[checkpoint.JsonNameSuffix]), files[checkpoint.BinDataSuffix]).
			ExcludeAllParams().Immediate().Done()
	}); caught != nil || loading != nil {
		return nil, fmt.Errorf("%w: %w; train it again", ErrNoModel, errors.Join(caught, loading))
	}
	if m.parameters, err = m.program.flatten(store); err != nil {
		return nil, fmt.Errorf("%w: %w; train it again", ErrNoModel, err)
	}
	return m, nil
}

// parseCard reads a card of a model whose pooling may be one of own, and reports damage to it.
func parseCard(data []byte, own map[string]synlayer.Pooling) (c card, err error) {
	var head struct {
		Format int    `json:"format"`
		Sum    string `json:"sum"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return c, fmt.Errorf("%s: %w", cardName, err)
	}
	if head.Format != format {
		return c, fmt.Errorf("its format is %d, this one reads %d", head.Format, format)
	}
	if head.Sum == "" || sum256(bytes.Replace(data, []byte(head.Sum), nil, 1)) != head.Sum {
		return c, fmt.Errorf("%s is damaged", cardName)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&c); err != nil {
		return c, fmt.Errorf("%s: %w", cardName, err)
	}
	if c.Config, err = c.Config.with(own); err != nil {
		return c, fmt.Errorf("%s: %w", cardName, err)
	}
	if err := c.check(); err != nil {
		return c, fmt.Errorf("%s: %w", cardName, err)
	}
	return c, nil
}

// readParameters reads the files that the card names from their folder, which has no others, and returns them by their
// endings. The checkpoint's reader trusts what it reads; the sums say whether it may.
func (c card) readParameters(folder string) (map[string][]byte, error) {
	for name := range c.Files {
		if _, err := os.Stat(filepath.Join(folder, name)); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is missing", name)
		}
	}
	files, err := readFiles(folder)
	if err != nil {
		return nil, err
	}
	byEnding := map[string][]byte{}
	for name, data := range files {
		switch c.Files[name] {
		case sum256(data):
		case "":
			return nil, fmt.Errorf("%s does not belong to it", name)
		default:
			return nil, fmt.Errorf("%s is damaged", name)
		}
		byEnding[filepath.Ext(name)] = data
	}
	return byEnding, nil
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
	if c.Parameters != filepath.Base(c.Parameters) || !strings.HasPrefix(c.Parameters, parametersPrefix) {
		return fmt.Errorf("%q is no folder of parameters", c.Parameters)
	}
	return nil
}

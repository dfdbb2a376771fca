// Package modeldir keeps a trained model in a folder, whatever its kind: a card, model.json, and, in a folder that the card
// names, the files of its parameters.
//
// The card, which has the SHA-256 of every file, is moved into its place last, in one step: at any moment the folder holds the old
// model or the new one, whole, or none yet.
package modeldir

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"synpool/milbench"
)

// format is the version of the files of a model.
const format = 1

// The name of the folder of the parameters starts with parametersPrefix and ends with a number.
const (
	cardName         = "model.json"
	parametersPrefix = "milbench-parameters-"
)

// mostCard bounds, in bytes, a card that is read.
const mostCard = 1 << 28

// ErrNoModel is wrapped by errors about a folder that holds no model that this version can read.
var ErrNoModel = errors.New("not a model of this version of milbench")

// damaged wraps [ErrNoModel] around what is wrong with the files of a model.
func damaged(err error) error { return fmt.Errorf("%w: %w; train it again", ErrNoModel, err) }

// Damaged returns an error that wraps [ErrNoModel], in one line: the files of a model do not fit together, and why.
func Damaged(format string, args ...any) error {
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "; ")
	return damaged(errors.New(text))
}

// Card is what the cards of all kinds of models have. A kind embeds it in a struct with fields of its own.
type Card struct {
	Format   int      `json:"format"`
	Sum      string   `json:"sum"`            // SHA-256 of the card with this field empty
	Kind     string   `json:"kind,omitempty"` // of the model; empty of a network
	Set      string   `json:"set"`
	Checksum string   `json:"checksum"`          // of the set
	Classes  []string `json:"classes,omitempty"` // names of the classes, of two the positive one last

	Target milbench.TargetKind `json:"target,omitempty"` // kind of the targets

	Leaked      bool     `json:"leaked"`
	Seed        uint64   `json:"seed"`
	NumFeatures int      `json:"num_features"`
	Features    []string `json:"features,omitempty"`

	Missing []milbench.Missing `json:"missing,omitempty"` // what stands where features have no value

	Parameters string            `json:"parameters"` // their folder
	Files      map[string]string `json:"files"`      // its files, each with its SHA-256

	Facts *Facts `json:"facts,omitempty"` // what [Describe] has put there; nil on cards of earlier versions
}

// Common returns the card itself, for structs that embed it.
func (c *Card) Common() *Card { return c }

// Carded is a pointer to the card of some kind, which is stored as JSON.
type Carded interface{ Common() *Card }

// Save writes a model into the folder dir, which is made if it is missing; one that is there must be empty or hold a model, which is
// replaced. write puts the files of the parameters into a folder, which may have folders; Save fills in what of the card is
// about them.
//
// A Save that fails leaves what was there; what one that was killed leaves is passed over by [Read] and removed by the
// next Save.
func Save(dir string, card Carded, write func(folder string) error) error {
	if err := save(dir, card, write); err != nil {
		return fmt.Errorf("saving the model to %s: %w", dir, err)
	}
	return nil
}

func save(dir string, card Carded, write func(folder string) error) (err error) {
	parameters, undo, err := begin(dir)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, undo())
		}
	}()
	folder := filepath.Join(dir, parameters)
	if err := write(folder); err != nil {
		return err
	}
	written, err := writeCard(folder, parameters, card)
	if err != nil {
		return err
	}
	if err := os.Rename(written, filepath.Join(dir, cardName)); err != nil {
		return err
	}
	// The model is saved. What cannot be removed is removed by the next Save.
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if isParameters(e) && e.Name() != parameters || e.Name() == calibrationName {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
	return nil
}

// CanSave reports why [Save] could not write into the folder dir, as far as this can be known before. It leaves nothing
// behind.
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
		if !belongs(e) {
			return fmt.Errorf("%s holds something else than a model, %s; name another folder", dir, e.Name())
		}
	}
	if len(entries) > 0 && !slices.ContainsFunc(entries, isParameters) {
		return fmt.Errorf("%s holds no model, though a %s; name another folder", dir, cardName)
	}
	return nil
}

// writeCard writes the card into the folder of the parameters and returns its path.
func writeCard(folder, parameters string, card Carded) (string, error) {
	names, err := list(folder)
	if err != nil {
		return "", err
	}
	c := card.Common()
	c.Format, c.Sum, c.Parameters, c.Files = format, "", parameters, map[string]string{}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			return "", err
		}
		c.Files[name] = sum256(data)
	}
	data, err := json.MarshalIndent(card, "", "  ")
	if err != nil {
		return "", err
	}
	data = append(data, '\n')
	c.Sum = sum256(data)
	written := filepath.Join(folder, cardName)
	return written, os.WriteFile(written, signed(data), 0o666)
}

// signed puts the sum of a card into its empty field.
func signed(card []byte) []byte {
	return bytes.Replace(card, []byte(`"sum": ""`), fmt.Appendf(nil, `"sum": %q`, sum256(card)), 1)
}

// list returns the names of all files in a folder and those in it, with slashes. Another thing than a file, and a folder without
// files, stands there by its name, too.
func list(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
			continue
		}
		within, err := list(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		if len(within) == 0 {
			names = append(names, e.Name())
		}
		for _, name := range within {
			names = append(names, path.Join(e.Name(), name))
		}
	}
	return names, nil
}

func sum256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Kind returns the kind of the model in a folder, "" of a network. What else of its card may be wrong, [Read] says.
func Kind(dir string) (string, error) {
	data, err := cardOf(dir)
	if err != nil {
		return "", err
	}
	var head struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return "", damaged(fmt.Errorf("%s: %w", cardName, err))
	}
	return head.Kind, nil
}

// Read reads the card of the model that [Save] wrote into the folder dir. card has the kind that is wanted. Damage to the card is
// an error that wraps [ErrNoModel], as is a file that is not of the model, a model of another kind, and one of another version.
// The files are still to be read, by [Card.Open].
func Read(dir string, card Carded) error {
	kind := card.Common().Kind
	data, err := cardOf(dir)
	if err != nil {
		return err
	}
	if err := parse(data, kind, card); err != nil {
		return damaged(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !belongs(e) {
			return fmt.Errorf("%w: %s does not belong to it; remove that", ErrNoModel, e.Name())
		}
	}
	return nil
}

// cardOf returns the text of the card in a folder.
func cardOf(dir string) ([]byte, error) {
	name := filepath.Join(dir, cardName)
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w: it has no %s; make one with: milbench train NAME|FILE --out MODEL", ErrNoModel, cardName)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > mostCard:
		return nil, damaged(fmt.Errorf("%s is no file of at most %d MB", cardName, mostCard>>20))
	}
	return os.ReadFile(name)
}

// parse reads a card of a kind and reports damage to it.
func parse(data []byte, kind string, card Carded) error {
	if err := intact(data); err != nil {
		return err
	}
	var head struct {
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return fmt.Errorf("%s: %w", cardName, err)
	}
	if head.Kind != kind {
		return fmt.Errorf("its kind is %q, not %q", cmp.Or(head.Kind, "network"), cmp.Or(kind, "network"))
	}
	if err := strict(data, card); err != nil {
		return fmt.Errorf("%s: %w", cardName, err)
	}
	if err := card.Common().check(); err != nil {
		return fmt.Errorf("%s: %w", cardName, err)
	}
	return nil
}

// intact reports a card of another format, or one that is not what was written.
func intact(data []byte) error {
	var head struct {
		Format int    `json:"format"`
		Sum    string `json:"sum"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return fmt.Errorf("%s: %w", cardName, err)
	}
	if head.Format != format {
		return fmt.Errorf("its format is %d, this one reads %d", head.Format, format)
	}
	if head.Sum == "" || sum256(bytes.Replace(data, []byte(head.Sum), nil, 1)) != head.Sum {
		return fmt.Errorf("%s is damaged", cardName)
	}
	return nil
}

// strict reads JSON that has no unknown field, and nothing behind it.
func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something stands behind the JSON")
	}
	return nil
}

// check reports what of a card does not fit together.
func (c *Card) check() error {
	if c.NumFeatures < 1 {
		return fmt.Errorf("%d features", c.NumFeatures)
	}
	if n := len(c.Features); n != 0 && n != c.NumFeatures {
		return fmt.Errorf("%d names for %d features", n, c.NumFeatures)
	}
	switch n := len(c.Classes); {
	case c.Target == milbench.BinaryTarget && n != 0 && n != 2:
		return fmt.Errorf("%d names of classes, not 2", n)
	case c.Target == milbench.ClassTarget && n < 3, c.Target != milbench.BinaryTarget && c.Target != milbench.ClassTarget && n > 0:
		return fmt.Errorf("%d names of classes for a target of kind %v", n, c.Target)
	}
	if err := milbench.CheckMissing(c.Missing, c.NumFeatures); err != nil {
		return err
	}
	for name := range c.Files {
		if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("%q is no name of a file", name)
		}
	}
	if c.Facts != nil {
		if err := c.Facts.check(c.NumFeatures); err != nil {
			return err
		}
	}
	if c.Parameters != filepath.Base(c.Parameters) || !strings.HasPrefix(c.Parameters, parametersPrefix) {
		return fmt.Errorf("%q is no folder of parameters", c.Parameters)
	}
	return nil
}

// Folder returns the folder of the parameters of the model in dir.
func (c *Card) Folder(dir string) string { return filepath.Join(dir, c.Parameters) }

// Open returns the content of the files of the parameters of the model in dir, by name. They are those that the card names, and
// no others, and have their sums; else the error wraps [ErrNoModel].
func (c *Card) Open(dir string) (map[string][]byte, error) {
	folder := c.Folder(dir)
	for name := range c.Files {
		if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name))); errors.Is(err, fs.ErrNotExist) {
			return nil, damaged(fmt.Errorf("%s is missing", name))
		}
	}
	names, err := list(folder)
	if err != nil {
		return nil, damaged(err)
	}
	files := map[string][]byte{}
	for _, name := range names {
		want, found := c.Files[name]
		if !found {
			return nil, damaged(fmt.Errorf("%s does not belong to it", name))
		}
		at := filepath.Join(folder, filepath.FromSlash(name))
		info, err := os.Stat(at)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, damaged(fmt.Errorf("%s is no file", name))
		}
		data, err := os.ReadFile(at)
		if err != nil {
			return nil, err
		}
		if sum256(data) != want {
			return nil, damaged(fmt.Errorf("%s is damaged", name))
		}
		files[name] = data
	}
	return files, nil
}

// WriteJSON writes a value into a new file of the parameters' folder.
func WriteJSON(folder, name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name), append(data, '\n'), 0o666)
}

// ReadJSON reads a value from the content of a file, which has no unknown fields. An error wraps [ErrNoModel].
func ReadJSON(files map[string][]byte, name string, into any) error {
	data, found := files[name]
	if !found {
		return damaged(fmt.Errorf("%s is missing", name))
	}
	if err := strict(data, into); err != nil {
		return Damaged("%s: %v", name, err)
	}
	return nil
}

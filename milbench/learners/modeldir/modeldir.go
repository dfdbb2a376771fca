// Package modeldir stores a trained model of any kind in a folder. The folder holds a card, model.json, and a folder
// named by the card with the files of the model's parameters.
//
// The card lists the SHA-256 of every file, and says all else about the model. When everything is on the disk it is moved into
// place last and atomically, so the folder always holds the complete old model, the complete new one, or none yet.
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
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"synpool/internal/disk"
	"synpool/milbench/mil"
)

// format is the version of the file format.
const format = 1

// The parameters' folder is named parametersPrefix followed by a number. It holds the file mark if a Save may remove it: an empty one
// while it is written, and the names of the model's files when another model replaces it.
const (
	cardName         = "model.json"
	parametersPrefix = "milbench-parameters-"
	mark             = ".milbench"
)

// mostCard is the size limit of a card that is read, in bytes.
const mostCard = 1 << 28

// ErrNoModel is wrapped by errors that say that a folder holds no model that this version can read.
var ErrNoModel = errors.New("not a model of this version of milbench")

// damaged wraps [ErrNoModel] around a problem with the files of a model.
func damaged(err error) error { return fmt.Errorf("%w: %w; train it again", ErrNoModel, err) }

// Damaged returns an error of one line that wraps [ErrNoModel] and says why the files of a model do not fit together.
func Damaged(format string, args ...any) error {
	text := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "; ")
	return damaged(errors.New(text))
}

// Card holds the fields that the cards of all kinds of models share. A kind embeds Card in a struct with fields of its
// own.
type Card struct {
	Format   int      `json:"format"`
	Sum      string   `json:"sum"`            // SHA-256 of the card with this field empty
	Kind     string   `json:"kind,omitempty"` // kind of the model; empty for a network
	Set      string   `json:"set"`
	Checksum string   `json:"checksum"`          // checksum of the training set
	Classes  []string `json:"classes,omitempty"` // class names; of two, the positive one is last

	Target mil.TargetKind `json:"target,omitempty"` // kind of target

	Leaked      bool     `json:"leaked"`
	Seed        uint64   `json:"seed"`
	NumFeatures int      `json:"num_features"`
	Features    []string `json:"features,omitempty"`

	Centre []float64 `json:"centre,omitempty"` // what is subtracted from the features before rounding, see [mil.Set.Centre]

	Missing []mil.Missing `json:"missing,omitempty"` // values that replace missing ones
	Words   []int         `json:"words,omitempty"`   // features that mark words, see [mil.Set.Words]

	Parameters string            `json:"parameters"` // folder of the parameters
	Files      map[string]string `json:"files"`      // SHA-256 of each of its files

	Facts *Facts `json:"facts,omitempty"` // nil if nobody has described the model

	Calibration json.RawMessage `json:"calibration,omitempty"` // see [Card.Calibrate]; nil if there is none
}

// Common returns the card itself, for structs that embed it.
func (c *Card) Common() *Card { return c }

// Carded is implemented by pointers to the cards of all kinds, which are stored as JSON.
type Carded interface{ Common() *Card }

// Save writes a model to the folder dir and creates it if necessary. An existing folder must be empty or hold a model,
// which is replaced. write must put the parameter files into the given folder; subfolders are allowed. Save fills in
// the card's fields about these files, and the limits among its facts.
//
// If Save fails, the old model remains. If it is killed, [Read] ignores what it left behind, and the next Save removes
// it. Save removes nothing else: files that others have put beside the old parameters stay. Of several Saves to one folder
// one works, under the lock of the file dir.saving; the others wait up to ten seconds.
func Save(dir string, card Carded, write func(folder string) error) error {
	if err := save(dir, card, write); err != nil {
		return fmt.Errorf("saving the model to %s: %w", dir, err)
	}
	return nil
}

func save(dir string, card Carded, write func(folder string) error) (err error) {
	release, err := alone(dir)
	if err != nil {
		return err
	}
	defer release()
	parameters, undo, err := begin(dir)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, undo())
		}
	}()
	_, old, _ := inspect(dir)
	folder := filepath.Join(dir, parameters)
	if err := write(folder); err != nil {
		return err
	}
	written, err := writeCard(folder, parameters, card)
	if err != nil {
		return err
	}
	if old.Parameters != "" {
		names := strings.Join(slices.Sorted(maps.Keys(old.Files)), "\n")
		os.WriteFile(filepath.Join(dir, old.Parameters, mark), []byte(names), 0o666) // without it, the folder stays
	}
	if err := os.Rename(written, filepath.Join(dir, cardName)); err != nil {
		return err
	}
	disk.SyncFolder(dir)
	// The model is saved. The next Save removes what cannot be removed now.
	os.Remove(filepath.Join(folder, mark))
	os.Remove(filepath.Join(dir, calibrationName))
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if isParameters(e) && e.Name() != parameters {
			discard(filepath.Join(dir, e.Name()))
		}
	}
	return nil
}

// alone waits for the lock of saving to a folder, at most ten seconds.
func alone(dir string) (release func(), err error) {
	full, err := filepath.Abs(dir) // "." has a name, too
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		release, err = disk.Lock(full + ".saving")
		switch {
		case err == nil:
			return release, nil
		case errors.Is(err, disk.ErrNoLock), errors.Is(err, disk.ErrLocked) && time.Now().After(end):
			return nil, err
		case !errors.Is(err, disk.ErrLocked): // no locks there, or no writing, and then begin says why
			return func() {}, nil
		}
	}
}

// discard removes what a mark says of a folder, and the folders that are empty then.
func discard(folder string) {
	names, err := os.ReadFile(filepath.Join(folder, mark))
	if err != nil {
		return
	}
	if len(names) == 0 {
		os.RemoveAll(folder)
		return
	}
	for name := range strings.SplitSeq(string(names), "\n") {
		if filepath.IsLocal(filepath.FromSlash(name)) {
			os.Remove(filepath.Join(folder, filepath.FromSlash(name)))
		}
	}
	os.Remove(filepath.Join(folder, mark))
	var folders []string
	filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			folders = append(folders, path)
		}
		return nil
	})
	for _, path := range slices.Backward(folders) {
		os.Remove(path)
	}
}

// CanSave reports why [Save] could not write to the folder dir, as far as this can be known in advance. It leaves
// nothing behind.
func CanSave(dir string) error {
	_, undo, err := begin(dir)
	if err != nil {
		return err
	}
	return undo()
}

// begin creates the parameters' folder of a new model in dir; undo removes what begin has created.
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
			if err := os.WriteFile(filepath.Join(dir, parameters, mark), nil, 0o666); err != nil {
				return "", nil, errors.Join(err, undo())
			}
			return parameters, undo, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			if made == nil {
				err = errors.Join(err, os.Remove(dir))
			}
			return "", nil, err
		}
	}
}

// isParameters reports whether an entry of a model's folder is a parameters' folder, either of the model or left by a
// killed Save.
func isParameters(e os.DirEntry) bool {
	number, found := strings.CutPrefix(e.Name(), parametersPrefix)
	_, err := strconv.ParseUint(number, 10, 32)
	return found && err == nil && e.IsDir()
}

// mayHold reports why dir cannot become a model's folder.
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
			return fmt.Errorf("%s holds something other than a model, %s; name another folder", dir, e.Name())
		}
	}
	if len(entries) > 0 && !slices.ContainsFunc(entries, isParameters) {
		return fmt.Errorf("%s holds no model, though a %s; name another folder", dir, cardName)
	}
	return nil
}

// writeCard writes the card to the parameters' folder and returns its path. All files are on the disk then.
func writeCard(folder, parameters string, card Carded) (string, error) {
	names, err := list(folder)
	if err != nil {
		return "", err
	}
	c := card.Common()
	c.Format, c.Sum, c.Parameters, c.Files = format, "", parameters, map[string]string{}
	for _, name := range names {
		f, err := os.OpenFile(filepath.Join(folder, filepath.FromSlash(name)), os.O_RDWR, 0)
		if err != nil {
			return "", err
		}
		data, err := io.ReadAll(f)
		if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
			return "", err
		}
		c.Files[name] = sum256(data)
	}
	if c.Facts != nil {
		if err := c.Facts.check(c.NumFeatures); err != nil {
			return "", err
		}
		c.Facts.Limits = c.limits()
	}
	data, err := json.MarshalIndent(card, "", "  ")
	if err != nil {
		return "", err
	}
	data = append(data, '\n')
	c.Sum = sum256(data)
	written := filepath.Join(folder, cardName)
	return written, disk.WriteFile(written, bytes.Replace(data, []byte(`"sum": ""`), fmt.Appendf(nil, `"sum": %q`, c.Sum), 1))
}

// list returns the slash-separated names of all files below a folder, except mark. It also lists folders without files, and anything
// that is not a file.
func list(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Name() == mark {
			continue
		}
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

// Kind returns the kind of the model in a folder, "" for a network. It checks the card as [Inspect] does.
func Kind(dir string) (string, error) {
	_, c, err := inspect(dir)
	return c.Kind, err
}

// Watch returns a function that reports whether another model has been saved to dir since.
func Watch(dir string) (replaced func() bool) {
	name := filepath.Join(dir, cardName)
	before, missing := os.Stat(name)
	return func() bool {
		now, err := os.Stat(name)
		return err == nil && (missing != nil || !os.SameFile(before, now) || !before.ModTime().Equal(now.ModTime()))
	}
}

// Read reads the card of the model that [Save] wrote to the folder dir. card must be of the expected kind. The error
// wraps [ErrNoModel] if the card is damaged, a file does not belong to the model, or the model has another kind or
// version. Read does not check the content of the files; [Card.Open] does.
func Read(dir string, card Carded) error {
	kind := card.Common().Kind
	data, c, err := inspect(dir)
	if err != nil {
		return err
	}
	if c.Kind != kind {
		return damaged(fmt.Errorf("its kind is %q, not %q", cmp.Or(c.Kind, "network"), cmp.Or(kind, "network")))
	}
	if err := strict(data, card); err != nil {
		return damaged(fmt.Errorf("%s: %w", cardName, err))
	}
	card.Common().Calibration = c.Calibration // models of version 0.1 have it in a file of its own
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
		lack := "it has no " + cardName
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			lack = "there is no such folder"
		}
		return nil, fmt.Errorf("%w: %s; make one with: milbench train NAME|FILE --out MODEL", ErrNoModel, lack)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > mostCard:
		return nil, damaged(fmt.Errorf("%s is not a file of at most %d MB", cardName, mostCard>>20))
	}
	return os.ReadFile(name)
}

// intact reports a card of another format, or one that was changed.
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

// strict reads JSON without unknown fields and without trailing data.
func strict(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is data after the JSON")
	}
	return nil
}

// Validate reports parts of a card that do not fit together, besides the names of its files.
func (c *Card) Validate() error {
	if c.NumFeatures < 1 {
		return fmt.Errorf("%d features", c.NumFeatures)
	}
	if n := len(c.Features); n != 0 && n != c.NumFeatures {
		return fmt.Errorf("%d names for %d features", n, c.NumFeatures)
	}
	switch n := len(c.Classes); {
	case c.Target == mil.BinaryTarget && n != 0 && n != 2:
		return fmt.Errorf("%d names of classes, not 2", n)
	case c.Target == mil.ClassTarget && n < 3, c.Target != mil.BinaryTarget && c.Target != mil.ClassTarget && n > 0:
		return fmt.Errorf("%d names of classes for a target of kind %v", n, c.Target)
	}
	if err := cmp.Or(mil.CheckPrepared(c.Missing, c.Words, c.NumFeatures), mil.CheckCentre(c.Centre, c.NumFeatures)); err != nil {
		return err
	}
	for _, m := range c.Missing {
		if slices.Contains(c.Words, m.Feature) || slices.Contains(c.Words, m.Indicator) {
			return fmt.Errorf("feature %d is that of a word and of a number", m.Feature)
		}
	}
	if c.Facts != nil {
		return c.Facts.check(c.NumFeatures)
	}
	return nil
}

// check does the same as Validate, and also reports bad names of files.
func (c *Card) check() error {
	if err := c.Validate(); err != nil {
		return err
	}
	for name := range c.Files {
		if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("%q is no name of a file", name)
		}
	}
	if c.Parameters != filepath.Base(c.Parameters) || !strings.HasPrefix(c.Parameters, parametersPrefix) {
		return fmt.Errorf("%q is not a folder of parameters", c.Parameters)
	}
	return nil
}

// Folder returns the parameters' folder of the model in dir.
func (c *Card) Folder(dir string) string { return filepath.Join(dir, c.Parameters) }

// Open returns the contents of the parameter files of the model in dir, by name. The error wraps [ErrNoModel] if a file
// on the card is missing, if there are others, or if a checksum does not match.
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
			return nil, damaged(fmt.Errorf("%s is not a file", name))
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

// WriteJSON writes a value to a new file in the parameters' folder.
func WriteJSON(folder, name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name), append(data, '\n'), 0o666)
}

// ReadJSON decodes the file with the given name; unknown fields are an error. Errors wrap [ErrNoModel].
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

package results

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
)

// SpacesName is the name of the file with spaces in a results folder.
const SpacesName = "spaces.jsonl"

// What a [Space] shows.
const (
	OfInstances = "instances" // features of instances, standardised by the training part
	OfMeans     = "means"     // means of these features over each bag
	OfPooled    = "pooled"    // pooled vectors of bags, from a trained model
)

// Space has coordinates of a set's instances or bags, for the first fold of the first repeat of a protocol: one line
// of spaces.jsonl.
type Space struct {
	Set      string          `json:"set"`
	Checksum string          `json:"checksum"` // checksum of the set
	Of       string          `json:"of"`       // [OfInstances], [OfMeans] or [OfPooled]
	Config   json.RawMessage `json:"config,omitempty"`

	// Vectors are coordinates along the first principal components of all vectors, at most 20, with four significant
	// digits.
	Vectors [][]float64 `json:"vectors"`
	Labels  []int       `json:"labels"` // label of each vector's bag
	Test    []bool      `json:"test"`   // whether the bag is in the test part

	// How well the classes separate, in all features, among the vectors of one part ([synpool/milbench/stats.Silhouette]).
	TrainSilhouette float64 `json:"train_silhouette"`
	TestSilhouette  float64 `json:"test_silhouette"`
}

// ID identifies what s shows: the first 16 hexadecimal digits of the SHA-256 of checksum, kind and setting, as JSON.
func (s Space) ID() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "[%q,%q,%s]", s.Checksum, s.Of, cmp.Or(string(s.Config), "null")))
	return hex.EncodeToString(sum[:8])
}

// Validate returns an error if s is unusable.
func (s Space) Validate() error {
	switch {
	case s.Set == "" || s.Checksum == "":
		return errors.New("no set or no checksum")
	case s.Of != OfInstances && s.Of != OfMeans && s.Of != OfPooled:
		return fmt.Errorf("a space of %q; use one of %s, %s, %s", s.Of, OfInstances, OfMeans, OfPooled)
	case (s.Of == OfPooled) != (len(s.Config) > 0):
		return fmt.Errorf("a space of %s with the setting %q; pooled ones alone have one", s.Of, s.Config)
	case len(s.Vectors) == 0 || len(s.Labels) != len(s.Vectors) || len(s.Test) != len(s.Vectors):
		return fmt.Errorf("%d vectors, %d labels and %d parts", len(s.Vectors), len(s.Labels), len(s.Test))
	}
	for i, v := range s.Vectors {
		if len(v) != len(s.Vectors[0]) || len(v) == 0 {
			return fmt.Errorf("vector %d has %d places, the first %d", i+1, len(v), len(s.Vectors[0]))
		}
		for _, x := range v {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("vector %d has a place of %v", i+1, x)
			}
		}
		if s.Labels[i] != 0 && s.Labels[i] != 1 {
			return fmt.Errorf("vector %d has label %d; labels are 0 or 1", i+1, s.Labels[i])
		}
	}
	return nil
}

// ReadSpaces returns the spaces in a folder, each once. If the folder has no such file, it returns none.
func ReadSpaces(dir string) ([]Space, error) {
	spaces, err := records(filepath.Join(dir, SpacesName), "spaces", Space.ID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return spaces, err
}

// SpacesFile is the file of spaces in a results folder, open for appending. The folder must be locked by [Open].
type SpacesFile struct {
	lines
	known map[string]bool // ids
}

// OpenSpaces opens the file of spaces in a folder and reads the existing ones. An incomplete last line is cut off.
func OpenSpaces(dir string) (*SpacesFile, error) {
	path, known := filepath.Join(dir, SpacesName), make(map[string]bool)
	file, err := openLines(path, "spaces", func(in io.Reader) (size int64, err error) {
		return eachRecord(in, path, removeIt, func(s Space, _ []byte) error {
			known[s.ID()] = true
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	return &SpacesFile{*file, known}, nil
}

// Has reports whether the file has a space that shows the same as s.
func (f *SpacesFile) Has(s Space) bool { return f.known[s.ID()] }

// Append writes a space as [File.Append] writes a result.
func (f *SpacesFile) Append(s Space) error {
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := f.append(line); err != nil {
		return err
	}
	f.known[s.ID()] = true
	return nil
}

// Close closes the file.
func (f *SpacesFile) Close() error { return f.out.Close() }

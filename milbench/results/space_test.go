package results

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSpaceValidate(t *testing.T) {
	good := Space{Set: "s", Checksum: "c", Of: OfMeans, Vectors: [][]float64{{1}, {2}}, Labels: []int{0, 1}, Test: []bool{false, true}}
	must(t, good.Validate())
	for want, spoil := range map[string]func(*Space){
		"no set":                func(s *Space) { s.Set = "" },
		`a space of "x"`:        func(s *Space) { s.Of = "x" },
		"pooled ones alone":     func(s *Space) { s.Of = OfPooled },
		"1 labels":              func(s *Space) { s.Labels = s.Labels[:1] },
		"vector 2 has 0 places": func(s *Space) { s.Vectors = [][]float64{{1}, {}} },
		"a place of NaN":        func(s *Space) { s.Vectors = [][]float64{{1}, {math.NaN()}} },
		"has label 3":           func(s *Space) { s.Labels = []int{0, 3} },
	} {
		s := good
		spoil(&s)
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestSpacesFile writes spaces and reads them again. Each occurs once, an incomplete last line is cut off, and a
// damaged line is reported.
func TestSpacesFile(t *testing.T) {
	dir := t.TempDir()
	if spaces, err := ReadSpaces(dir); err != nil || spaces != nil {
		t.Errorf("no file: %d spaces, %v", len(spaces), err)
	}
	means := Space{Set: "s", Checksum: "c", Of: OfMeans, Vectors: [][]float64{{1}, {2}}, Labels: []int{0, 1}, Test: []bool{false, true}}
	pooled := means
	pooled.Of, pooled.Config = OfPooled, json.RawMessage(`{"pooling":"max"}`)
	other := pooled
	other.Config = json.RawMessage(`{"pooling":"mean"}`)
	write := func(spaces ...Space) {
		t.Helper()
		f, err := OpenSpaces(dir)
		must(t, err)
		for _, s := range spaces {
			if f.Has(s) {
				t.Errorf("%s %s is there already", s.Of, s.Config)
			}
			must(t, f.Append(s))
			if !f.Has(s) {
				t.Errorf("%s %s is not there", s.Of, s.Config)
			}
		}
		must(t, f.Close())
	}
	write(means, pooled)
	path := filepath.Join(dir, SpacesName)
	whole, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, append(slices.Clone(whole), whole[:50]...), 0o666))
	write(other)
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(text), string(whole)) || strings.Count(string(text), "\n") != 3 {
		t.Errorf("the file is %s, %v", text, err)
	}
	must(t, os.WriteFile(path, append(text, whole...), 0o666))
	spaces, err := ReadSpaces(dir)
	if err != nil || len(spaces) != 3 || spaces[0].ID() != means.ID() || spaces[1].ID() != pooled.ID() || spaces[2].ID() != other.ID() {
		t.Errorf("%+v, %v", spaces, err)
	}
	must(t, os.WriteFile(path, []byte("{\"set\":\"plane\"}\n"), 0o666))
	if _, err := ReadSpaces(dir); err == nil || !strings.Contains(err.Error(), "line 1 is damaged") {
		t.Errorf("damaged: %v", err)
	}
	if _, err := OpenSpaces(dir); err == nil || !strings.Contains(err.Error(), "line 1 is damaged") {
		t.Errorf("damaged: %v", err)
	}
}

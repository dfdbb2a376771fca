package results_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"synpool/internal/large"
	"synpool/milbench/results"
	"synpool/paper"
	"synpool/paper/report"
	committed "synpool/paper/results"
	"synpool/plotting"
)

const (
	root        = "../../"
	resultsText = root + "RESULTS.md"
	tablesText  = root + "docs/tables.md"
	mostBytes   = 10_000_000 // that the archives may take together
	mostFigure  = 100_000    // that a figure may take
	mostWords   = 4_000      // of RESULTS.md
)

// TestFresh: RESULTS.md, docs/tables.md and the figures in docs/results are what milbench study report writes from the archives.
func TestFresh(t *testing.T) {
	all, err := archives()
	if err != nil {
		t.Fatal(err)
	}
	files, err := report.Files(all)
	if err != nil {
		t.Fatal(err)
	}
	const again = "run\n\tgo run ./cmd/milbench study report paper/results --out ."
	drawn := 0
	for name, want := range files {
		figure := filepath.Ext(name) == ".svg"
		got, err := os.ReadFile(root + name)
		if figure {
			drawn++
			if len(want) > mostFigure {
				t.Errorf("%s: %d bytes are too many for a figure", name, len(want))
			}
		}
		if err != nil || !bytes.Equal(got, want) && (!figure || runtime.GOARCH == "amd64") { // other processors round differently
			t.Errorf("%s is stale (%v); %s", name, err, again)
		}
	}
	there, err := filepath.Glob(root + "docs/results/*")
	if err != nil || len(there) != drawn || drawn < 10 {
		t.Errorf("docs/results has %d files, want %d (%v); remove those that are not drawn any more", len(there), drawn, err)
	}
	if words := len(strings.Fields(string(files["RESULTS.md"]))); words > mostWords {
		t.Errorf("RESULTS.md has %d words; move what not every reader needs into docs/tables.md", words)
	}
}

// TestArchives checks each archive: it belongs to the full form of the experiment in its name, it has times, no set is
// half finished, and writing it again gives the same bytes. All archives together are small.
func TestArchives(t *testing.T) {
	all, err := archives()
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, a := range all {
		packed, err := os.ReadFile(results.ArchiveName(a.Experiment))
		if err != nil {
			t.Fatal(err)
		}
		size += len(packed)
		reader, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := paper.FindExperiment(a.Experiment); err != nil {
			t.Error(err)
		}
		form, quick, err := paper.FormOf(a)
		if err != nil || quick {
			t.Errorf("%s: of the quick form (%v)", a.Experiment, err)
		}
		_, lacks, err := paper.Lacking(a, form)
		if err != nil {
			t.Error(err)
		}
		for _, l := range lacks {
			t.Errorf("%s: the full form lacks %s", a.Experiment, l)
		}
		of := make(map[string]bool) // the settings of the form
		for _, arm := range form.Arms {
			for _, setting := range arm.Settings {
				of[sorted(t, setting)] = true
			}
		}
		for _, r := range a.Results {
			if !of[sorted(t, r.Config)] {
				t.Errorf("%s: a fit of another experiment, %s", a.Experiment, r.Config)
				break
			}
		}
		if len(a.Times) == 0 {
			t.Errorf("%s: no times", a.Experiment)
		}
		var again bytes.Buffer
		if err := a.Write(&again); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(text, again.Bytes()) {
			t.Errorf("%s: writing it again gives different bytes", a.Experiment)
		}
		for _, r := range a.Results {
			if r.Revision == "unknown" || r.Revision == "" {
				t.Errorf("%s: a fit of an unknown revision", a.Experiment)
				break
			}
		}
	}
	if size > mostBytes {
		t.Errorf("the archives take %d bytes, more than %d", size, mostBytes)
	}
}

// sorted returns a setting with sorted keys.
func sorted(t *testing.T, setting json.RawMessage) string {
	t.Helper()
	var values map[string]any
	if err := json.Unmarshal(setting, &values); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// archives reads the committed archives once for all tests.
var archives = sync.OnceValues(committed.Archives)

// archived yields the archives with their experiments.
func archived(t *testing.T) iter.Seq2[results.Archive, paper.Experiment] {
	t.Helper()
	all, err := archives()
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(results.Archive, paper.Experiment) bool) {
		for _, a := range all {
			e, err := paper.FindExperiment(a.Experiment)
			if err != nil {
				t.Fatal(err)
			}
			if !yield(a, e) {
				return
			}
		}
	}
}

// TestTimes checks the times of full forms that milbench study list prints against those of the archives, to a quarter
// or a minute.
func TestTimes(t *testing.T) {
	for a, e := range archived(t) {
		fits, seconds := 0, 0.0
		for _, run := range a.Times {
			fits, seconds = fits+run.Fits, seconds+run.Seconds
		}
		if fits < len(a.Results) {
			t.Errorf("%s: %d results, times of %d", a.Experiment, len(a.Results), fits)
		}
		said := e.Full.Time.Seconds()
		if off := math.Abs(said - seconds); off > 60 && off > seconds/4 {
			t.Errorf("%s: %.0f s are said, %.0f s were measured", a.Experiment, said, seconds)
		}
	}
}

// TestArchive checks that the archive of one experiment equals the one among all.
func TestArchive(t *testing.T) {
	all, err := archives()
	if err != nil {
		t.Fatal(err)
	}
	a, err := committed.Archive("features")
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(all, func(a results.Archive) bool { return a.Experiment == "features" })
	if a.Experiment != "features" || len(a.Results) != len(all[at].Results) || len(a.Times) != len(all[at].Times) {
		t.Errorf("%s with %d results, want %d", a.Experiment, len(a.Results), len(all[at].Results))
	}
	if _, err := committed.Archive("feature"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such experiment: %v", err)
	}
}

// TestFigures: every figure of every archive can be drawn, and no text in it is cut; spaces of their first vectors alone, unless SYNPOOL_LARGE
// is 1.
func TestFigures(t *testing.T) {
	for a, e := range archived(t) {
		a.Spaces = slices.Clone(a.Spaces)
		for i := range a.Spaces {
			s := &a.Spaces[i]
			n := min(large.Number(60, len(s.Vectors)), len(s.Vectors))
			s.Vectors, s.Labels, s.Test = s.Vectors[:n], s.Labels[:n], s.Test[:n]
		}
		for _, name := range e.Figures {
			figure, err := report.Plot(a, name)
			var svg bytes.Buffer
			if err == nil {
				err = figure.Write(&svg, plotting.SVG)
			}
			if err != nil {
				t.Errorf("%s: %v", a.Experiment, err)
			}
			if cut := regexp.MustCompile(`>[^<]+…[^<]*<`).FindString(svg.String()); cut != "" {
				t.Errorf("%s, %s: %q is cut", a.Experiment, name, cut)
			}
		}
	}
}

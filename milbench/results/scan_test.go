package results

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"synpool/milbench"
)

// oldScores has a repeat of Musk 1 as the last revision wrote it whose bags had a single "score", 5b74237:
//
//	milbench run musk1 --pooling max --protocol nested --folds 4 --repeats 1 --epochs 2 --width 8 --out old
const oldScores = "testdata/scores.jsonl"

func oldLines(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile(oldScores)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte(`"scores"`)) || bytes.Count(text, []byte("\n")) != 4 {
		t.Fatalf("%s is not four results with a single score", oldScores)
	}
	return text
}

// TestOldScores: lines with the single "score" are read, scanned, merged and tabulated like those with "scores", and
// agree with them if a fit has both.
func TestOldScores(t *testing.T) {
	text := oldLines(t)
	old := put(t, text)
	found, err := Read(old)
	if err != nil || len(found) != 4 {
		t.Fatalf("%d results, %v", len(found), err)
	}
	if b := found[0].Bags[0]; b.ID != "MUSK-219" || b.Label != 1 || !slices.Equal(b.Scores, []float64{-0.4922764003276825}) || !slices.Equal(b.Winners, []int{1}) {
		t.Errorf("the first bag is %+v", b)
	}
	table, err := Tabulate(found)
	if err != nil || len(table.Rows) != 1 || len(table.Notes) != 0 {
		t.Fatalf("%+v, %v", table, err)
	}
	// The table printed by that revision.
	_, lines := table.lines("±", "–")
	if got := strings.Join(lines[1], " "); got != "musk1 max 0.642 0.524–0.760 bags 1 0.060 0.634 0.641 0.554 0.559 0.796 nested, 4 folds, a fifth inside" {
		t.Errorf("the row is %s", got)
	}

	now := t.TempDir()
	file, err := Open(now)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range found {
		if err := file.Append(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(now, FileName))
	if err != nil {
		t.Fatal(err)
	}
	if want := regexp.MustCompile(`"score":([^,}]+)`).ReplaceAll(text, []byte(`"scores":[$1]`)); !bytes.Equal(written, want) {
		t.Errorf("written as\n%s\nwant\n%s", written, want)
	}
	olds, news := slices.Collect(bytes.Lines(text)), slices.Collect(bytes.Lines(written))
	s := newScanner()
	for i := range olds {
		key, by, ok := s.scan(olds[i])
		again, byAgain, okAgain := s.scan(news[i])
		if !ok || !okAgain || key.String() != found[i].Fit || key != again || by != byAgain {
			t.Errorf("fit %s: scanned %v as %v, %v and %v as %v, %v", found[i].Fit, ok, key, by, okAgain, again, byAgain)
		}
		for _, both := range [][2][]byte{{olds[i], news[i]}, {news[i], olds[i]}} {
			if differ, _, err := disagree(both[0], both[1]); differ || err != nil {
				t.Errorf("fit %s: its forms disagree, %v", found[i].Fit, err)
			}
		}
	}

	var merged [][]byte
	for _, dirs := range [][]string{{old, now}, {now, old}} {
		out := t.TempDir()
		m := mustMerge(t, dirs, out, nil)
		if m.Results != 4 || m.Duplicates != 4 || m.Disagreements != 0 {
			t.Errorf("merged: %+v", m)
		}
		both, err := Read(out)
		if err != nil || len(both) != 4 {
			t.Fatalf("%d results, %v", len(both), err)
		}
		again, err := Tabulate(both)
		if err != nil || len(again.Rows) != 1 || !slices.Equal(again.Rows[0].Values, table.Rows[0].Values) {
			t.Errorf("merged, the table is %+v, %v", again, err)
		}
		merged = append(merged, []byte(folderBytes(t, out)))
	}
	if !bytes.Equal(merged[0], merged[1]) {
		t.Error("the order of the folders says which form is kept")
	}

	changed := found[2]
	changed.Bags = slices.Clone(changed.Bags)
	changed.Bags[1].Scores = []float64{changed.Bags[1].Scores[0] + 1e-9}
	line, err := json.Marshal(changed)
	if err != nil {
		t.Fatal(err)
	}
	for _, dirs := range [][]string{{old, put(t, append(line, '\n'))}, {put(t, append(line, '\n')), old}} {
		if m := mustMerge(t, dirs, t.TempDir(), nil); m.Disagreements != 1 || m.Disagreeing[0].Fit != changed.Fit {
			t.Errorf("another score: %+v", m)
		}
	}
}

// TestScanned: lines with optional fields are scanned. Lines without a binary target are decoded and checked as
// strictly.
func TestScanned(t *testing.T) {
	auc := 0.5
	named := newFake().results()[0]
	named.Classes, named.InstanceAUC, named.MemberAUC = []string{"benign", "malignant"}, &auc, []float64{0.25, 1}
	named.Group = &GroupFigure{0.75, 1}
	for i := range named.Bags {
		named.Bags[i].Instances = []float64{0.5, -1e-7, 3}
	}
	foreign := named
	foreign.Classes = []string{"gutartig", "bösartig"}
	for name, c := range map[string]struct {
		r       Result
		scanned bool
	}{
		"named, with scores of instances": {named, true},
		"names beyond ASCII":              {foreign, false},
		"classes":                         {ofKind(milbench.ClassTarget), false},
		"real":                            {ofKind(milbench.RealTarget), false},
		"survival":                        {ofKind(milbench.SurvivalTarget), false},
	} {
		line, err := json.Marshal(c.r)
		if err != nil {
			t.Fatal(err)
		}
		line = append(line, '\n')
		if _, _, ok := newScanner().scan(line); ok != c.scanned {
			t.Errorf("%s: scanned %v", name, ok)
		}
		if key, by, err := newScanner().result(line); err != nil || key.String() != c.r.Fit || by != (maker{c.r.Backend, c.r.Version}) {
			t.Errorf("%s: %v, %v, %v", name, key, by, err)
		}
	}
}

// FuzzScan: any line that can be scanned also decodes, is valid and has the same id and maker.
func FuzzScan(f *testing.F) {
	nested := newFake()
	nested.protocol = milbench.NestedProtocol
	text, err := os.ReadFile(filepath.Join(nested.folder(f), FileName))
	if err != nil {
		f.Fatal(err)
	}
	auc, s := 0.5, newScanner()
	for line := range bytes.Lines(append(text, oldLines(f)...)) {
		f.Add(line)
		var result Result
		if err := json.Unmarshal(line, &result); err != nil {
			f.Fatal(err)
		}
		if _, _, ok := s.scan(line); !ok {
			f.Fatalf("a line as it is written is not scanned: %s", line)
		}
		result.InstanceAUC, result.MemberAUC, result.Seed = &auc, []float64{0.1, 1e-7}, 1<<64-1
		result.Group = &GroupFigure{0, 0.125}
		result.Classes, result.Bags[0].Instances = []string{"no", "yes"}, []float64{1, -0.5}
		if result.Fit, err = result.ID(); err != nil {
			f.Fatal(err)
		}
		if line, err = json.Marshal(result); err != nil {
			f.Fatal(err)
		}
		if _, _, ok := s.scan(append(line, '\n')); !ok {
			f.Fatalf("a line as it is written is not scanned: %s", line)
		}
		f.Add(append(line, '\n'))
		f.Add(append(bytes.Replace(line, []byte(`"id":"`), []byte(`"id":"é\"`), 1), '\n'))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		key, by, ok := newScanner().scan(line)
		if !ok {
			return
		}
		var result Result
		if err := json.Unmarshal(line, &result); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		if err := result.Validate(); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		if key.String() != result.Fit || by != (maker{result.Backend, result.Version}) {
			t.Errorf("%v, %v of %q", key, by, line)
		}
	})
}

// BenchmarkScan reads the ids of lines with "scores", with the old "score", and by decoding.
func BenchmarkScan(b *testing.B) {
	found, err := Read(put(b, oldLines(b)))
	if err != nil {
		b.Fatal(err)
	}
	var now []byte
	for _, r := range found {
		line, err := json.Marshal(r)
		if err != nil {
			b.Fatal(err)
		}
		now = append(append(now, line...), '\n')
	}
	for _, c := range []struct {
		name string
		text []byte
	}{{"scores", now}, {"score", oldLines(b)}, {"decoded", bytes.ReplaceAll(now, []byte(`"winners"`), []byte(` "winners"`))}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			s := newScanner()
			for b.Loop() {
				for line := range bytes.Lines(c.text) {
					if _, _, err := s.result(line); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

package modeldir

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"synpool/internal/reexec"
	"synpool/milbench/mil"
)

func TestMain(m *testing.M) {
	switch reexec.Kind() {
	case "":
		os.Exit(m.Run())
	case "killed in the files":
		reexec.Exit(saveNumber(os.Args[1], 2, func(folder string) error {
			os.WriteFile(filepath.Join(folder, "number.json"), []byte("2"), 0o666)
			os.Exit(7)
			return nil
		}))
	case "killed before the card is moved":
		reexec.Exit(saveNumber(os.Args[1], 2, func(folder string) error {
			if err := WriteJSON(folder, "number.json", 2); err != nil {
				return err
			}
			_, err := writeCard(folder, filepath.Base(folder), newNumberCard(2))
			if err == nil {
				os.Exit(7)
			}
			return err
		}))
	}
}

// numberCard is the card of a model that is one number, which is also stored in a file.
type numberCard struct {
	Card
	Number int `json:"number"`
}

func newNumberCard(n int) *numberCard {
	set := &mil.Set{Name: "one", Checksum: "c", Features: []string{"a", "b"}, Classes: []string{"no", "yes"},
		Bags: []mil.Bag{{ID: "x", Instances: &mil.Dense{Rows: 1, Cols: 2, Values: []float32{1, 2}}}}}
	return &numberCard{CardOf("number", set, 3), n}
}

func saveNumber(dir string, n int, write func(folder string) error) error {
	return Save(dir, newNumberCard(n), write)
}

// saveParts writes the model of a number, with one part in a subfolder.
func saveParts(t *testing.T, dir string, n int) {
	t.Helper()
	err := saveNumber(dir, n, func(folder string) error {
		if err := os.MkdirAll(filepath.Join(folder, "part", "deeper"), 0o777); err != nil {
			return err
		}
		return errors.Join(WriteJSON(folder, "number.json", n), WriteJSON(folder, "part/deeper/number.json", n))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func load(dir string) (int, error) {
	c := numberCard{Card: Card{Kind: "number"}}
	if err := Read(dir, &c); err != nil {
		return 0, err
	}
	files, err := c.Open(dir)
	if err != nil {
		return 0, err
	}
	var n int
	err = ReadJSON(files, "number.json", &n)
	return n, err
}

func wantNumber(t *testing.T, dir string, want int) {
	t.Helper()
	if n, err := load(dir); n != want || err != nil {
		t.Errorf("the model is %d (%v), want %d", n, err, want)
	}
}

// tree returns the contents of the files below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	names, err := list(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, _ := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(data)
	}
	return files
}

func TestSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	for n := range 3 { // each replaces the previous one
		saveParts(t, dir, n)
		wantNumber(t, dir, n)
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
			t.Errorf("the folder holds %v (%v)", entries, err)
		}
	}
	if kind, err := Kind(dir); kind != "number" || err != nil {
		t.Errorf("kind %q, %v", kind, err)
	}
	before := tree(t, dir)
	broken := errors.New("no room")
	if err := saveNumber(dir, 9, func(string) error { return broken }); !errors.Is(err, broken) || !strings.Contains(err.Error(), dir) {
		t.Errorf("error %v", err)
	}
	if after := tree(t, dir); !reflect.DeepEqual(after, before) {
		t.Errorf("a Save that failed made of %v %v", before, after)
	}
}

// TestKilled checks that a Save that is killed at any point keeps the old model, and that the next Save removes what it
// left behind.
func TestKilled(t *testing.T) {
	for _, kind := range []string{"killed in the files", "killed before the card is moved"} {
		for _, first := range []bool{false, true} {
			dir := filepath.Join(t.TempDir(), "model")
			if first {
				saveParts(t, dir, 1)
			}
			out, err := reexec.Command(t, kind, dir).CombinedOutput()
			if err == nil || !strings.Contains(err.Error(), "exit status 7") {
				t.Fatalf("%s: %v: %s", kind, err, out)
			}
			if first {
				wantNumber(t, dir, 1)
			} else if _, err := load(dir); !errors.Is(err, ErrNoModel) {
				t.Errorf("%s: error %v", kind, err)
			}
			if err := CanSave(dir); err != nil {
				t.Error(err)
			}
			saveParts(t, dir, 3)
			wantNumber(t, dir, 3)
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
				t.Errorf("%s: the folder holds %v (%v)", kind, entries, err)
			}
		}
	}
}

// TestSaveTogether: several Saves to one folder wait for each other, and one of their models is whole in the end.
func TestSaveTogether(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	var saving sync.WaitGroup
	for range 8 {
		saving.Go(func() {
			for n := range 5 {
				if err := saveNumber(dir, n, func(folder string) error { return WriteJSON(folder, "number.json", n) }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	saving.Wait()
	wantNumber(t, dir, 4)
	if entries, err := os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestSaveKeeps checks that a Save removes the files of the old model, and no others.
func TestSaveKeeps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	saveParts(t, dir, 1)
	theirs := filepath.Join(dir, parametersPrefix+"1", "part", "thesis.txt")
	other := filepath.Join(dir, parametersPrefix+"77", "data.csv")
	for _, path := range []string{theirs, other} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte("theirs"), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	saveParts(t, dir, 2)
	wantNumber(t, dir, 2)
	for _, path := range []string{theirs, other} {
		if text, err := os.ReadFile(path); string(text) != "theirs" {
			t.Errorf("%q, %v", text, err)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(theirs)); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// rewrite changes a card and corrects its sum.
func rewrite(t *testing.T, dir, from, to string) {
	t.Helper()
	path := filepath.Join(dir, cardName)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var head struct{ Sum string }
	if err := json.Unmarshal(data, &head); err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(bytes.Replace(data, []byte(head.Sum), nil, 1), []byte(from), []byte(to), 1)
	if bytes.Equal(changed, bytes.Replace(data, []byte(head.Sum), nil, 1)) {
		t.Fatalf("the card holds no %q", from)
	}
	changed = bytes.Replace(changed, []byte(`"sum": ""`), []byte(`"sum": "`+sum256(changed)+`"`), 1)
	if err := os.WriteFile(path, changed, 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestDamage(t *testing.T) {
	in := func(dir, name string) string { return filepath.Join(dir, parametersPrefix+"1", name) }
	edited := func(from, to string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { rewrite(t, dir, from, to) }
	}
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   string
	}{
		{"no card", func(_ *testing.T, dir string) { os.Remove(filepath.Join(dir, cardName)) }, "it has no model.json"},
		{"a folder as the card", func(_ *testing.T, dir string) {
			os.Remove(filepath.Join(dir, cardName))
			os.Mkdir(filepath.Join(dir, cardName), 0o777)
		}, "model.json is not a file"},
		{"another kind", edited(`"kind": "number"`, `"kind": "word"`), `its kind is "word", not "number"`},
		{"a network", edited(`"kind": "number",`, ``), `its kind is "network", not "number"`},
		{"another version", edited(`"format": 1`, `"format": 2`), "its format is 2"},
		{"no features", edited(`"num_features": 2`, `"num_features": 0`), "0 features"},
		{"more features", edited(`"num_features": 2`, `"num_features": 3`), "2 names for 3 features"},
		{"one class", edited("\"no\",\n", ""), "1 names of classes"},
		{"an unknown field", edited(`"number": `, `"nomber": `), "unknown field"},
		{"a file elsewhere", edited(`"number.json"`, `"../number.json"`), "is no name of a file"},
		{"a file anywhere", edited(`"number.json"`, `"/number.json"`), "is no name of a file"},
		{"a folder elsewhere", edited(`"parameters": "`, `"parameters": "../`), "is not a folder of parameters"},
		{"a damaged file", func(_ *testing.T, dir string) { os.WriteFile(in(dir, "number.json"), []byte("4"), 0o666) }, "number.json is damaged"},
		{"a damaged part", func(_ *testing.T, dir string) { os.WriteFile(in(dir, "part/deeper/number.json"), []byte("4"), 0o666) }, "part/deeper/number.json is damaged"},
		{"a missing part", func(_ *testing.T, dir string) { os.RemoveAll(in(dir, "part")) }, "part/deeper/number.json is missing"},
		{"a file too many", func(_ *testing.T, dir string) { os.WriteFile(in(dir, "part/more"), nil, 0o666) }, "part/more does not belong to it"},
		{"a folder too many", func(_ *testing.T, dir string) { os.Mkdir(in(dir, "more"), 0o777) }, "more does not belong to it"},
		{"a folder as a file", func(_ *testing.T, dir string) {
			os.Remove(in(dir, "number.json"))
			os.Mkdir(in(dir, "number.json"), 0o777)
		}, "number.json is not a file"},
		{"something beside it", func(_ *testing.T, dir string) { os.WriteFile(filepath.Join(dir, "notes"), nil, 0o666) }, "notes does not belong to it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "model")
			saveParts(t, dir, 1)
			c.damage(t, dir)
			_, err := load(dir)
			if !errors.Is(err, ErrNoModel) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, c.want)
			}
		})
	}
}

// FuzzRead checks that no card makes Read panic.
func FuzzRead(f *testing.F) {
	dir := filepath.Join(f.TempDir(), "model")
	if err := saveNumber(dir, 1, func(folder string) error { return WriteJSON(folder, "number.json", 1) }); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(filepath.Join(dir, cardName))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"format":1,"sum":""}`))
	f.Fuzz(func(t *testing.T, card []byte) {
		var c numberCard
		if err := parse(card, "number", &c); err == nil {
			c.Open(dir)
		}
		if json.Unmarshal(card, &c) == nil && c.check() == nil {
			c.Open(dir)
		}
	})
}

func TestCheck(t *testing.T) {
	c := newNumberCard(1)
	for want, bag := range map[string]mil.Instances{
		"bag 1: 3 features; the model, trained on one, takes 2": &mil.Dense{Rows: 1, Cols: 3, Values: []float32{1, 2, 3}},
		"bag 1: no instances": &mil.Dense{Cols: 2},
	} {
		good := &mil.Dense{Rows: 1, Cols: 2, Values: []float32{1, 2}}
		err := c.Check([]mil.Instances{good, bag})
		if bad := (*BagError)(nil); !errors.As(err, &bad) || bad.Bag != 1 || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

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

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
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
	must(t, err)
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
	must(t, err)
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
		must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte("theirs"), 0o666)))
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
	must(t, err)
	var head struct{ Sum string }
	must(t, json.Unmarshal(data, &head))
	changed := bytes.Replace(bytes.Replace(data, []byte(head.Sum), nil, 1), []byte(from), []byte(to), 1)
	if bytes.Equal(changed, bytes.Replace(data, []byte(head.Sum), nil, 1)) {
		t.Fatalf("the card holds no %q", from)
	}
	changed = bytes.Replace(changed, []byte(`"sum": ""`), []byte(`"sum": "`+sum256(changed)+`"`), 1)
	must(t, os.WriteFile(path, changed, 0o666))
}

// replace changes a card, which is damaged then.
func replace(t *testing.T, dir, from, to string) {
	t.Helper()
	path := filepath.Join(dir, cardName)
	data, err := os.ReadFile(path)
	must(t, err)
	if !bytes.Contains(data, []byte(from)) {
		t.Fatalf("the card holds no %q", from)
	}
	must(t, os.WriteFile(path, bytes.Replace(data, []byte(from), []byte(to), 1), 0o666))
}

func TestDamage(t *testing.T) {
	in := func(dir, name string) string { return filepath.Join(dir, parametersPrefix+"1", name) }
	edited := func(from, to string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { rewrite(t, dir, from, to) }
	}
	raw := func(from, to string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { replace(t, dir, from, to) }
	}
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   string
	}{
		{"no folder", func(_ *testing.T, dir string) { os.RemoveAll(dir) }, "there is no such folder"},
		{"no JSON", raw("{", "["), "model.json"},
		{"another set", raw(`"set": "one"`, `"set": "two"`), "model.json is damaged"},
		{"no sum", raw(`"sum"`, `"some"`), "model.json is damaged"},
		{"a space more", raw(`"set": `, `"set":  `), "model.json is damaged"},
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

// TestFlipped checks that a flipped bit anywhere in any file is found, and so is an end that is missing or too long.
func TestFlipped(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	saveParts(t, dir, 1)
	for name, content := range tree(t, dir) {
		good := []byte(content)
		all := [][]byte{nil, good[:len(good)-1], append(bytes.Clone(good), '\n')}
		for at := range good {
			bad := bytes.Clone(good)
			bad[at] ^= 1 << (at % 8)
			all = append(all, bad)
		}
		for _, bad := range append(all, good) {
			must(t, os.WriteFile(filepath.Join(dir, name), bad, 0o666))
			if _, err := load(dir); errors.Is(err, ErrNoModel) == bytes.Equal(bad, good) {
				t.Fatalf("%s is %q instead of %q: error %v", name, bad, good, err)
			}
		}
	}
}

// unfinished marks a folder of parameters as a killed Save leaves it.
func unfinished(t *testing.T, folder string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(folder, ".milbench"), nil, 0o666))
}

// TestSaveWhere checks where a model can be saved: a folder that is missing or empty, including the working folder, or
// one that holds a model. CanSave gives the same answer in advance.
func TestSaveWhere(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, dir string) string{
		"missing": func(_ *testing.T, dir string) string { return filepath.Join(dir, "model") },
		"empty":   func(_ *testing.T, dir string) string { return dir },
		"working folder": func(t *testing.T, dir string) string {
			t.Chdir(dir)
			return "."
		},
		"another model": func(t *testing.T, dir string) string {
			saveParts(t, dir, 2)
			return dir
		},
		"a damaged model": func(t *testing.T, dir string) string {
			saveParts(t, dir, 2)
			replace(t, dir, `"set": "one"`, `"set": "two"`)
			return dir
		},
		// A Save that was killed before the card was moved, with and without a model before it.
		"killed": func(t *testing.T, dir string) string {
			saveParts(t, dir, 2)
			os.Remove(filepath.Join(dir, cardName))
			unfinished(t, filepath.Join(dir, "milbench-parameters-1"))
			return dir
		},
		"killed beside a model": func(t *testing.T, dir string) string {
			saveParts(t, dir, 2)
			must(t, os.CopyFS(filepath.Join(dir, "milbench-parameters-2"), os.DirFS(filepath.Join(dir, "milbench-parameters-1"))))
			unfinished(t, filepath.Join(dir, "milbench-parameters-2"))
			wantNumber(t, dir, 2)
			return dir
		},
		"through a link": func(t *testing.T, dir string) string {
			link := filepath.Join(t.TempDir(), "link")
			must(t, os.Symlink(dir, link))
			return link
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := prepare(t, t.TempDir())
			_, before := os.Stat(dir)
			must(t, CanSave(dir))
			if _, after := os.Stat(dir); (before == nil) != (after == nil) {
				t.Errorf("CanSave made or removed %s", dir)
			}
			saveParts(t, dir, 1)
			wantNumber(t, dir, 1)
			entries, err := os.ReadDir(dir)
			want := 2
			if name == "a damaged model" {
				want = 3 // nobody knows which files are its parameters
			}
			if err != nil || len(entries) != want {
				t.Errorf("the folder holds %v (%v), want the card and the parameters", entries, err)
			}
		})
	}
	for name, prepare := range map[string]func(t *testing.T, dir string) string{
		"something else": func(t *testing.T, dir string) string {
			must(t, os.WriteFile(filepath.Join(dir, "thesis.tex"), []byte("years of work"), 0o644))
			return dir
		},
		"a model and something else": func(t *testing.T, dir string) string {
			saveParts(t, dir, 2)
			must(t, os.WriteFile(filepath.Join(dir, "thesis.tex"), []byte("years of work"), 0o644))
			return dir
		},
		"another model.json": func(t *testing.T, dir string) string {
			must(t, os.WriteFile(filepath.Join(dir, cardName), []byte("{}"), 0o644))
			return dir
		},
		"a file": func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "file")
			must(t, os.WriteFile(path, nil, 0o644))
			return path
		},
		"no parent": func(_ *testing.T, dir string) string { return filepath.Join(dir, "no", "folder") },
		"no name":   func(*testing.T, string) string { return "" },
		"a folder that cannot be written": func(t *testing.T, dir string) string {
			if _, err := os.Stat("/proc/self"); err == nil {
				return "/proc/model"
			}
			return filepath.Join(dir, "no", "proc")
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			dir := prepare(t, root)
			before := tree(t, root)
			if err := CanSave(dir); err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("CanSave: error %v, want one line", err)
			}
			if err := saveNumber(dir, 1, func(string) error { return nil }); err == nil || !strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Save: error %v, want one line that names %s", err, dir)
			}
			if after := tree(t, root); !reflect.DeepEqual(after, before) {
				t.Errorf("files %v became %v", before, after)
			}
		})
	}
}

// TestSaveFails checks that a Save that does not finish keeps the old model.
func TestSaveFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	saveParts(t, dir, 1)
	card := filepath.Join(dir, cardName)
	must(t, os.Rename(card, card+".kept"))
	must(t, os.MkdirAll(filepath.Join(card, "in the way"), 0o755))
	kept, err := os.ReadFile(card + ".kept")
	must(t, err)
	must(t, os.Remove(card+".kept"))
	if err := saveNumber(dir, 2, func(string) error { return nil }); err == nil {
		t.Error("saved over a folder called model.json")
	}
	must(t, os.RemoveAll(card))
	must(t, os.WriteFile(card, kept, 0o644))
	wantNumber(t, dir, 1)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
}

// FuzzRead checks that no card makes Read panic.
func FuzzRead(f *testing.F) {
	dir := filepath.Join(f.TempDir(), "model")
	must(f, saveNumber(dir, 1, func(folder string) error { return WriteJSON(folder, "number.json", 1) }))
	good, err := os.ReadFile(filepath.Join(dir, cardName))
	must(f, err)
	f.Add(good)
	f.Add([]byte(`{"format":1,"sum":""}`))
	f.Fuzz(func(t *testing.T, card []byte) {
		if c, err := parse(card); err == nil {
			c.Open(dir)
		}
		var c numberCard
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

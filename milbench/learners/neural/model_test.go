package neural_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"synpool/backend/backendtest"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
)

func TestModel(t *testing.T) {
	ctx := context.Background()
	set := planted(24, false)
	set.Features = []string{"a", "b", "c", "d", "e", "f"}
	for name, backend := range backendtest.All(t) {
		trainer := neural.Trainer{Backend: backend, Workers: 1}
		c := config(t, "syn")
		epochs := 0
		var first, last float64
		m, err := trainer.Train(ctx, c, set, 1, func(epoch int, loss float64) {
			epochs++
			if epoch != epochs {
				t.Errorf("epoch %d reported as number %d", epoch, epochs)
			}
			if epoch == 1 {
				first = loss
			}
			last = loss
		})
		if err != nil {
			t.Fatal(err)
		}
		if epochs != c.Epochs || last >= first {
			t.Errorf("%s: %d epochs, loss from %g to %g", name, epochs, first, last)
		}
		var bags []mil.Instances
		for _, b := range set.Bags {
			bags = append(bags, b.Instances)
		}
		want, err := m.Predict(ctx, bags)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range want {
			if len(p.Weights) != c.Heads || len(p.Weights[0]) != bags[i].Len() || len(p.Winners) != c.Heads {
				t.Fatalf("%s: prediction %d is %+v", name, i, p)
			}
			if math.Abs(p.Probability()-1/(1+math.Exp(-p.Scores[0]))) > 1e-15 {
				t.Errorf("%s: probability %g of score %g", name, p.Probability(), p.Scores[0])
			}
			for h, row := range p.Weights {
				for _, w := range row {
					if w > row[p.Winners[h]] {
						t.Errorf("%s: winner %d of weights %v", name, p.Winners[h], row)
					}
				}
			}
		}
		dir := filepath.Join(t.TempDir(), "model")
		for range 2 { // the second replaces the first
			if err := m.Save(dir); err != nil {
				t.Fatal(err)
			}
		}
		loaded, err := neural.Load(backend, dir)
		if err != nil {
			t.Fatal(err)
		}
		got, err := loaded.Predict(ctx, bags)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: a loaded model predicts otherwise", name)
		}
		if loaded.Config() != c || loaded.Card().NumFeatures != 6 || loaded.Card().Set != "planted" || !reflect.DeepEqual(loaded.Card().Features, set.Features) {
			t.Errorf("%s: loaded as %+v", name, loaded)
		}
		left, err := os.ReadDir(filepath.Dir(dir))
		if err != nil || len(left) != 1 {
			t.Errorf("%s: saving left %v behind (%v)", name, left, err)
		}
		narrow := []mil.Instances{&mil.Dense{Rows: 1, Cols: 2, Values: []float32{1, 2}}}
		if _, err := loaded.Predict(ctx, narrow); err == nil || !strings.Contains(err.Error(), "bag 0: 2 features; the model, trained on planted, takes 6") {
			t.Errorf("%s: bag of another width: %v", name, err)
		}
	}
}

// trained returns a small trained model.
func trained(t *testing.T, seed uint64) *neural.Model {
	t.Helper()
	c := config(t, "mean")
	c.Epochs = 1
	m, err := neural.Trainer{Backend: backendtest.Chosen(t)}.Train(context.Background(), c, planted(8, false), seed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func save(t *testing.T, m *neural.Model, dir string) {
	t.Helper()
	if err := m.Save(dir); err != nil {
		t.Fatal(err)
	}
}

// sameModel checks that the model in a folder is m.
func sameModel(t *testing.T, dir string, m *neural.Model) {
	t.Helper()
	loaded, err := neural.Load(backendtest.Chosen(t), dir)
	if err != nil {
		t.Fatal(err)
	}
	bags := []mil.Instances{planted(8, false).Bags[0].Instances}
	want, err := m.Predict(context.Background(), bags)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := loaded.Predict(context.Background(), bags); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the model in %s predicts %+v, want %+v (%v)", dir, got, want, err)
	}
}

// files returns the paths of all files below a folder.
func files(t *testing.T, dir string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// notLoaded checks that the folder is refused with an error of one line that contains the folder and want.
func notLoaded(t *testing.T, dir, want string) {
	t.Helper()
	_, err := neural.Load(backendtest.Chosen(t), dir)
	if !errors.Is(err, neural.ErrNoModel) || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), dir) || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v, want one line with the folder and %q", err, want)
	}
}

// edit replaces the first occurrence of from in a card, and corrects the card's sum unless damaged is true.
func edit(t *testing.T, dir, from, to string, damaged bool) {
	t.Helper()
	path := filepath.Join(dir, "model.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(data, []byte(from), []byte(to), 1)
	if bytes.Equal(changed, data) {
		t.Fatalf("the card holds no %q", from)
	}
	if !damaged {
		field := regexp.MustCompile(`"sum": "\w*"`)
		changed = field.ReplaceAll(changed, []byte(`"sum": ""`))
		sum := sha256.Sum256(changed)
		changed = field.ReplaceAll(changed, []byte(`"sum": "`+hex.EncodeToString(sum[:])+`"`))
	}
	if err := os.WriteFile(path, changed, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestModelFiles(t *testing.T) {
	m := trained(t, 1)
	edited := func(from, to string, damaged bool) func(*testing.T, string) {
		return func(t *testing.T, dir string) { edit(t, dir, from, to, damaged) }
	}
	parameters := func(t *testing.T, dir, suffix string) string {
		found, err := filepath.Glob(filepath.Join(dir, "milbench-parameters-1", "checkpoint*"+suffix))
		if err != nil || len(found) != 1 {
			t.Fatalf("files %v, %v", found, err)
		}
		return found[0]
	}
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		want   string
	}{
		{"no model", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "model.json")) }, "it has no model.json"},
		{"no folder", func(t *testing.T, dir string) { os.RemoveAll(dir) }, "it has no model.json"},
		{"another version", edited(`"format": 1`, `"format": 2`, true), "its format is 2, this one reads 1"},
		{"no JSON", edited(`{`, `[`, true), "model.json"},
		{"another name of the set", edited(`"set": "planted"`, `"set": "painted"`, true), "model.json is damaged"},
		{"another seed", edited(`"seed": 1`, `"seed": 3`, true), "model.json is damaged"},
		{"no sum", edited(`"sum"`, `"some"`, true), "model.json is damaged"},
		{"a space more", edited(`"set": `, `"set":  `, true), "model.json is damaged"},
		{"an unknown field", edited(`"set"`, `"sett"`, false), "model.json"},
		{"another shape", edited(`"num_features": 6`, `"num_features": 7`, false), "6 shifts for 7 features"},
		{"a setting that makes no sense", edited(`"width": 8`, `"width": -8`, false), "width -8"},
		{"another width", edited(`"width": 8`, `"width": 9`, false), "is missing"},
		{"a file elsewhere", edited(`"checkpoint`, `"../checkpoint`, false), "is no name of a file"},
		{"a folder elsewhere", edited(`"parameters": "`, `"parameters": "../`, false), "is not a folder of parameters"},
		{"one file", edited(`.json": "`, `.bin.bin": "`, false), "2 files of parameters, not a .json and a .bin"},
		{"truncated parameters", func(t *testing.T, dir string) { os.Truncate(parameters(t, dir, ".bin"), 10) }, "is damaged"},
		{"missing parameters", func(t *testing.T, dir string) { os.Remove(parameters(t, dir, ".bin")) }, "is missing"},
		{"missing folder", func(t *testing.T, dir string) { os.RemoveAll(filepath.Join(dir, "milbench-parameters-1")) }, "is missing"},
		{"a damaged index", func(t *testing.T, dir string) { os.WriteFile(parameters(t, dir, ".json"), []byte("{}"), 0o644) }, "is damaged"},
		{"a file too many", func(t *testing.T, dir string) { os.WriteFile(filepath.Join(dir, "notes"), nil, 0o644) }, "notes does not belong to it"},
		{"a folder too many", func(t *testing.T, dir string) { os.Mkdir(filepath.Join(dir, "milbench-parameters-x"), 0o755) }, "milbench-parameters-x does not belong to it"},
		{"a second checkpoint", func(t *testing.T, dir string) {
			other := filepath.Join(t.TempDir(), "other")
			save(t, trained(t, 2), other)
			for _, path := range files(t, filepath.Join(other, "milbench-parameters-1")) {
				// Readers of checkpoints take the latest one in a folder.
				later := strings.Replace(filepath.Base(path), "checkpoint", "checkpoint-n9999999", 1)
				if err := os.Rename(path, filepath.Join(dir, "milbench-parameters-1", later)); err != nil {
					t.Fatal(err)
				}
			}
		}, "does not belong to it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "model")
			save(t, m, dir)
			c.damage(t, dir)
			notLoaded(t, dir, c.want)
		})
	}
}

// TestModelDamage checks that a flipped bit anywhere in any file is found.
func TestModelDamage(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	save(t, trained(t, 1), dir)
	all := files(t, dir)
	if len(all) != 3 {
		t.Fatalf("files %v", all)
	}
	for _, path := range all {
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(good); at += 1 + len(good)/97 {
			bad := bytes.Clone(good)
			bad[at] ^= 1 << (at % 8)
			if err := os.WriteFile(path, bad, 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := neural.Load(backendtest.Chosen(t), dir); !errors.Is(err, neural.ErrNoModel) {
				t.Fatalf("byte %d of %s is %q instead of %q: error %v", at, filepath.Base(path), bad[at], good[at], err)
			}
		}
		for _, bad := range [][]byte{nil, good[:len(good)-1], append(bytes.Clone(good), '\n')} {
			if err := os.WriteFile(path, bad, 0o644); err != nil {
				t.Fatal(err)
			}
			notLoaded(t, dir, "")
		}
		if err := os.WriteFile(path, good, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := neural.Load(backendtest.Chosen(t), dir); err != nil {
		t.Error(err)
	}
}

// unfinished marks a folder of parameters as a killed Save leaves it.
func unfinished(t *testing.T, folder string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, ".milbench"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestSaveWhere checks where a model can be saved: a folder that is missing or empty, including the working folder, or
// one that holds a model. CanSave gives the same answer in advance.
func TestSaveWhere(t *testing.T) {
	one, two := trained(t, 1), trained(t, 2)
	for name, prepare := range map[string]func(t *testing.T, dir string) string{
		"missing": func(_ *testing.T, dir string) string { return filepath.Join(dir, "model") },
		"empty":   func(_ *testing.T, dir string) string { return dir },
		"working folder": func(t *testing.T, dir string) string {
			t.Chdir(dir)
			return "."
		},
		"another model": func(t *testing.T, dir string) string {
			save(t, two, dir)
			return dir
		},
		"a damaged model": func(t *testing.T, dir string) string {
			save(t, two, dir)
			edit(t, dir, "planted", "painted", true)
			return dir
		},
		// A Save that was killed before the card was moved, with and without a model before it.
		"killed": func(t *testing.T, dir string) string {
			save(t, two, dir)
			os.Remove(filepath.Join(dir, "model.json"))
			unfinished(t, filepath.Join(dir, "milbench-parameters-1"))
			return dir
		},
		"killed beside a model": func(t *testing.T, dir string) string {
			save(t, two, dir)
			if err := os.CopyFS(filepath.Join(dir, "milbench-parameters-2"), os.DirFS(filepath.Join(dir, "milbench-parameters-1"))); err != nil {
				t.Fatal(err)
			}
			unfinished(t, filepath.Join(dir, "milbench-parameters-2"))
			sameModel(t, dir, two)
			return dir
		},
		"through a link": func(t *testing.T, dir string) string {
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(dir, link); err != nil {
				t.Fatal(err)
			}
			return link
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := prepare(t, t.TempDir())
			_, before := os.Stat(dir)
			if err := modeldir.CanSave(dir); err != nil {
				t.Fatal(err)
			}
			if _, after := os.Stat(dir); (before == nil) != (after == nil) {
				t.Errorf("CanSave made or removed %s", dir)
			}
			save(t, one, dir)
			sameModel(t, dir, one)
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
			if err := os.WriteFile(filepath.Join(dir, "thesis.tex"), []byte("years of work"), 0o644); err != nil {
				t.Fatal(err)
			}
			return dir
		},
		"a model and something else": func(t *testing.T, dir string) string {
			save(t, two, dir)
			if err := os.WriteFile(filepath.Join(dir, "thesis.tex"), []byte("years of work"), 0o644); err != nil {
				t.Fatal(err)
			}
			return dir
		},
		"another model.json": func(t *testing.T, dir string) string {
			if err := os.WriteFile(filepath.Join(dir, "model.json"), []byte("{}"), 0o644); err != nil {
				t.Fatal(err)
			}
			return dir
		},
		"a file": func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "file")
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				t.Fatal(err)
			}
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
			before := files(t, root)
			if err := modeldir.CanSave(dir); err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("CanSave: error %v, want one line", err)
			}
			if err := one.Save(dir); err == nil || !strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Save: error %v, want one line that names %s", err, dir)
			}
			if after := files(t, root); !reflect.DeepEqual(after, before) {
				t.Errorf("files %v became %v", before, after)
			}
		})
	}
}

// TestSaveFails checks that a Save that does not finish keeps the old model.
func TestSaveFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	one := trained(t, 1)
	save(t, one, dir)
	card := filepath.Join(dir, "model.json")
	if err := os.Rename(card, card+".kept"); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(card, "in the way"), 0o755); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(card + ".kept")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(card + ".kept"); err != nil {
		t.Fatal(err)
	}
	if err := trained(t, 2).Save(dir); err == nil {
		t.Error("saved over a folder called model.json")
	}
	if err := os.RemoveAll(card); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(card, kept, 0o644); err != nil {
		t.Fatal(err)
	}
	sameModel(t, dir, one)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
}

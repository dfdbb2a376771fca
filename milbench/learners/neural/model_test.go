package neural_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"synpool/backend/backendtest"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/learners/neural"
	"synpool/milbench/mil"
)

// TestModel trains, saves and loads a network the way package learners does.
func TestModel(t *testing.T) {
	ctx := context.Background()
	set := planted(24, false)
	set.Features = []string{"a", "b", "c", "d", "e", "f"}
	for name, backend := range backendtest.All(t) {
		networks := &neural.Networks{Start: func() (neural.Trainer, error) { return neural.Trainer{Backend: backend, Workers: 1}, nil }}
		c := config(t, "syn")
		setting := must(json.Marshal(c))
		epochs := 0
		var first, last float64
		m, err := networks.TrainModel(ctx, setting, 0, set, 1, func(epoch int, loss float64) {
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
		want := must(m.Predict(ctx, bags, true))
		for i, p := range want {
			if len(p.Weights) != c.Heads || len(p.Weights[0]) != bags[i].Len() || len(p.Winners) != c.Heads || !slices.Equal(p.Instances, p.MeanWeights()) {
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
		loaded := must(networks.LoadModel(dir))
		got := must(loaded.Predict(ctx, bags, true))
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: a loaded model predicts otherwise", name)
		}
		about := loaded.About()
		if !reflect.DeepEqual(about, m.About()) || string(about.Setting) != string(setting) || about.NumFeatures != 6 || about.Set != "planted" || !slices.Equal(about.Features, set.Features) {
			t.Errorf("%s: loaded as %+v", name, about)
		}
		left, err := os.ReadDir(filepath.Dir(dir))
		if err != nil || len(left) != 1 {
			t.Errorf("%s: saving left %v behind (%v)", name, left, err)
		}
		narrow := []mil.Instances{&mil.Dense{Rows: 1, Cols: 2, Values: []float32{1, 2}}}
		if _, err := loaded.Predict(ctx, narrow, false); err == nil || !strings.Contains(err.Error(), "bag 0: 2 features; the model, trained on planted, takes 6") {
			t.Errorf("%s: bag of another width: %v", name, err)
		}
		networks.Memory = 1
		if _, err := networks.TrainModel(ctx, setting, 2, set, 1, nil); err == nil || !strings.Contains(err.Error(), "--memory") {
			t.Errorf("%s: within a byte: %v", name, err)
		}
	}
}

// trained returns a small trained model.
func trained(t *testing.T, seed uint64) *neural.Model {
	t.Helper()
	c := config(t, "mean")
	c.Epochs = 1
	return must(neural.Trainer{Backend: backendtest.Chosen(t)}.Train(context.Background(), c, planted(8, false), seed, nil))
}

func save(t *testing.T, m *neural.Model, dir string) {
	t.Helper()
	if err := m.Save(dir); err != nil {
		t.Fatal(err)
	}
}

// edit replaces the first occurrence of from in a card, and corrects the card's sum.
func edit(t *testing.T, dir, from, to string) {
	t.Helper()
	path := filepath.Join(dir, "model.json")
	data := must(os.ReadFile(path))
	changed := bytes.Replace(data, []byte(from), []byte(to), 1)
	if bytes.Equal(changed, data) {
		t.Fatalf("the card holds no %q", from)
	}
	field := regexp.MustCompile(`"sum": "\w*"`)
	changed = field.ReplaceAll(changed, []byte(`"sum": ""`))
	sum := sha256.Sum256(changed)
	changed = field.ReplaceAll(changed, []byte(`"sum": "`+hex.EncodeToString(sum[:])+`"`))
	if err := os.WriteFile(path, changed, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestModelFiles checks what networks add to the checks of package modeldir.
func TestModelFiles(t *testing.T) {
	m := trained(t, 1)
	edited := func(from, to string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { edit(t, dir, from, to) }
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
		{"another shape", edited(`"num_features": 6`, `"num_features": 7`), "6 shifts for 7 features"},
		{"a setting that makes no sense", edited(`"width": 8`, `"width": -8`), "width -8"},
		{"another width", edited(`"width": 8`, `"width": 9`), "is missing"},
		{"one file", edited(`.json": "`, `.bin.bin": "`), "2 files of parameters, not a .json and a .bin"},
		{"truncated parameters", func(t *testing.T, dir string) { os.Truncate(parameters(t, dir, ".bin"), 10) }, "is damaged"},
		{"a damaged index", func(t *testing.T, dir string) { os.WriteFile(parameters(t, dir, ".json"), []byte("{}"), 0o644) }, "is damaged"},
		{"a second checkpoint", func(t *testing.T, dir string) {
			other := filepath.Join(t.TempDir(), "other")
			save(t, trained(t, 2), other)
			for _, suffix := range []string{".json", ".bin"} {
				// Readers of checkpoints take the latest one in a folder.
				path := parameters(t, other, suffix)
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
			_, err := neural.Load(backendtest.Chosen(t), dir)
			if !errors.Is(err, modeldir.ErrNoModel) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), dir) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with the folder and %q", err, c.want)
			}
		})
	}
}

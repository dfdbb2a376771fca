package neural

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"

	"synpool/internal/safetensors"
	"synpool/milbench/learners"
	"synpool/milbench/mil"
	"synpool/synlayer"
)

// goBackend returns the backend in pure Go: the graphs of many shapes are compiled once each, which takes XLA minutes. What they compute is
// compared between backends elsewhere.
func goBackend(t *testing.T) compute.Backend {
	t.Helper()
	b, err := compute.NewWithConfig(gobackend.BackendName)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	return b
}

// foreign is what PyTorch computes (testdata/weights/write.py).
type foreign struct {
	Bags     [][][]float32
	Networks map[string]struct {
		Fields  map[string]float64
		Logits  [][]float64
		Weights [][][]float64
	}
}

func readForeign(t *testing.T) (f foreign, bags []mil.Instances) {
	t.Helper()
	text, err := os.ReadFile("testdata/weights/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	for _, rows := range f.Bags {
		bags = append(bags, &mil.Dense{Rows: len(rows), Cols: len(rows[0]), Values: slices.Concat(rows...)})
	}
	return f, bags
}

// labelled returns a set of the bags with labels of so many classes.
func foreignSet(t *testing.T, bags []mil.Instances, outputs int) *mil.Set {
	t.Helper()
	set := &mil.Set{Name: "foreign"}
	if outputs > 1 {
		set.Kind, set.Classes = mil.ClassTarget, []string{"a", "b", "c"}
	}
	for i := range 12 {
		set.Bags = append(set.Bags, mil.Bag{ID: fmt.Sprint(i), Instances: bags[i%len(bags)], Target: mil.Target{Label: i % max(2, outputs)}})
	}
	if err := set.Seal(); err != nil {
		t.Fatal(err)
	}
	return set
}

// model returns a network that begins with the weights, and with no epochs is of the weights as they are.
func (w *Weights) model(t *testing.T, set *mil.Set, fields map[string]any, epochs int) *Model {
	t.Helper()
	m, err := w.train(t, set, fields, epochs)
	if err != nil {
		t.Fatal(err)
	}
	return m.(*Model)
}

func (w *Weights) train(t *testing.T, set *mil.Set, fields map[string]any, epochs int) (learners.Model, error) {
	t.Helper()
	if epochs > 0 {
		fields["epochs"] = epochs
	}
	config, err := w.Setting(SmallPreset, fields)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	w.Untrained = epochs == 0
	return (&Networks{Trainer: Trainer{Backend: goBackend(t), Workers: 1}, From: w}).TrainModel(context.Background(), text, 0, set, 1, nil)
}

// TestReadWeights compares networks with the state dicts of PyTorch with PyTorch: logits and weights within 1e-5, relative above 1 (float32).
// What we write of them is read again, and is the same network. A training from them begins there: with a learning rate of 1e-12
// nothing changes.
func TestReadWeights(t *testing.T) {
	f, bags := readForeign(t)
	for name, want := range f.Networks {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata/weights", name+".safetensors"))
			if err != nil {
				t.Fatal(err)
			}
			w, err := ReadWeights(data)
			if err != nil {
				t.Fatal(err)
			}
			fields := map[string]any{}
			for key, v := range want.Fields {
				if fields[key] = v; key == "heads" {
					fields[key] = int(v)
				}
			}
			if pooling, _, _ := strings.Cut(name, "-"); pooling == "hopfield" && w.Pooling != "hopfield" || name == "clam" && w.Pooling != clam {
				t.Errorf("pooling %s", w.Pooling)
			}
			set := foreignSet(t, bags, w.Outputs)
			check := func(m *Model, tolerance float64) {
				t.Helper()
				got, err := m.Predict(context.Background(), bags, false)
				if err != nil {
					t.Fatal(err)
				}
				for i, p := range got {
					logits := want.Logits[i]
					if len(logits) == 2 { // one logit is their difference
						logits = []float64{logits[1] - logits[0]}
					}
					for k, v := range logits {
						if math.Abs(p.Scores[k]-v) > tolerance*max(1, math.Abs(v)) {
							t.Errorf("bag %d: logit %v, want %v", i, p.Scores[k], v)
						}
					}
					for h, row := range want.Weights[i] {
						for k, v := range row {
							if math.Abs(p.Weights[h][k]-v) > tolerance {
								t.Errorf("bag %d: weight %v, want %v", i, p.Weights[h][k], v)
							}
						}
					}
				}
			}
			m := w.model(t, set, fields, 0)
			check(m, 1e-5)
			dict, err := m.StateDict()
			if err != nil {
				t.Fatal(err)
			}
			again, err := ReadWeights(dict)
			if err != nil {
				t.Fatal(err)
			}
			check(again.model(t, set, map[string]any{}, 0), 1e-5)
			still := map[string]any{"lr": 1e-12, "weight_decay": 0., "dropout": 0.}
			for key, v := range fields {
				still[key] = v
			}
			check(w.model(t, set, still, 2), 1e-5)
			// Names and shapes are those of PyTorch.
			original, _, err := safetensors.Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			written, _, err := safetensors.Decode(dict)
			if err != nil {
				t.Fatal(err)
			}
			if name == "abmil" || name == "gated" || name == "clam" || name == "gated-classes" {
				for key, a := range original {
					if b := written[key]; !slices.Equal(a.Dims, b.Dims) || len(original) != len(written) {
						t.Errorf("array %s is %v, PyTorch's %v", key, b.Dims, a.Dims)
					}
				}
			}
		})
	}
}

// TestStateDict folds the scaling of features and of numbers into the first and the last layer, for every pooling.
func TestStateDict(t *testing.T) {
	_, bags := readForeign(t)
	for _, pooling := range Poolings {
		t.Run(pooling, func(t *testing.T) {
			for _, kind := range []mil.TargetKind{mil.BinaryTarget, mil.ClassTarget, mil.RealTarget} {
				if pooling == clam && kind == mil.RealTarget {
					continue
				}
				set := foreignSet(t, bags, map[mil.TargetKind]int{mil.BinaryTarget: 1, mil.ClassTarget: 3, mil.RealTarget: 1}[kind])
				if kind == mil.RealTarget {
					set.Kind = kind
					for i := range set.Bags {
						set.Bags[i].Target = mil.Target{Value: 50 + 3*float64(i%5)}
					}
					if err := set.Seal(); err != nil {
						t.Fatal(err)
					}
				}
				c, err := PresetConfig(SmallPreset, pooling)
				if err != nil {
					t.Fatal(err)
				}
				c.Epochs = 2
				m, err := Trainer{Backend: goBackend(t), Workers: 1}.Train(context.Background(), c, set, 3, nil)
				if err != nil {
					t.Fatal(err)
				}
				dict, err := m.StateDict()
				if err != nil {
					if kind == mil.RealTarget && strings.Contains(err.Error(), "no last layer") {
						continue
					}
					t.Fatal(err)
				}
				w, err := ReadWeights(dict)
				if err != nil {
					t.Fatal(err)
				}
				same := w.model(t, set, map[string]any{}, 0)
				if same.Config().Standardise {
					t.Error("features are scaled twice")
				}
				want, err := m.Predict(context.Background(), bags, false)
				if err != nil {
					t.Fatal(err)
				}
				got, err := same.Predict(context.Background(), bags, false)
				if err != nil {
					t.Fatal(err)
				}
				for i := range want {
					for k, v := range want[i].Scores {
						if d := math.Abs(got[i].Scores[k] - v); d > 1e-4*max(1, math.Abs(v)) {
							t.Errorf("%v: bag %d: score %v, want %v", kind, i, got[i].Scores[k], v)
						}
					}
				}
			}
		})
	}
}

// TestReadWeightsRefuses has state dicts that do not fit: the error names the array.
func TestReadWeightsRefuses(t *testing.T) {
	data, err := os.ReadFile("testdata/weights/gated.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	_, bags := readForeign(t)
	array := func(dims ...int) safetensors.Tensor {
		n := 1
		for _, d := range dims {
			n *= d
		}
		return safetensors.Tensor{Dims: dims, Values: make([]float32, n)}
	}
	for name, c := range map[string]struct {
		change func(arrays map[string]safetensors.Tensor)
		want   string
	}{
		"missing": {func(a map[string]safetensors.Tensor) { delete(a, "attention_U.0.weight") }, "attention_U.0.weight is missing"},
		"shape":   {func(a map[string]safetensors.Tensor) { a["attention_U.0.weight"] = array(4, 7) }, "attention_U.0.weight takes 7 features"},
		"axes":    {func(a map[string]safetensors.Tensor) { a["attention_w.weight"] = array(4) }, "attention_w.weight has shape [4]"},
		"bias":    {func(a map[string]safetensors.Tensor) { a["attention_w.bias"] = array(2) }, "attention_w.bias has 2 values"},
		"branches": {func(a map[string]safetensors.Tensor) {
			a["attention_w.weight"], a["attention_w.bias"] = array(2, 4), array(2)
		}, "2 attention branches"},
		"left over":   {func(a map[string]safetensors.Tensor) { a["head.weight"] = array(3, 3) }, "head.weight has no place"},
		"unknown":     {func(a map[string]safetensors.Tensor) { clear(a); a["w"] = array(1) }, "no network that is known has the arrays w"},
		"convolution": {func(a map[string]safetensors.Tensor) { a["feature_extractor_part1.0.weight"] = array(2, 1, 5, 5) }, "convolution"},
		"classifier":  {func(a map[string]safetensors.Tensor) { a["classifier.0.weight"] = array(1, 9) }, "classifier.0.weight takes 9 features"},
	} {
		t.Run(name, func(t *testing.T) {
			arrays, _, err := safetensors.Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			c.change(arrays)
			changed, err := safetensors.Encode(arrays, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ReadWeights(changed); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, c.want)
			}
		})
	}
	if _, err := ReadWeights([]byte("PK\x03\x04 archive/data.pkl")); err == nil || !strings.Contains(err.Error(), "save_file") {
		t.Errorf("error %v of a file of torch.save", err)
	}
	w, err := ReadWeights(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Setting(SmallPreset, map[string]any{"width": 7}); err == nil || !strings.Contains(err.Error(), "width: the weights have 6") {
		t.Errorf("error %v of another width", err)
	}
	set := foreignSet(t, bags, 3) // three classes for one logit
	if _, err := w.train(t, set, nil, 0); err == nil || !strings.Contains(err.Error(), "outputs") {
		t.Errorf("error %v of weights of one logit for three classes", err)
	}
}

// TestOwnShapes: arrays that we wrote, and that have as many numbers in another shape, are refused.
func TestOwnShapes(t *testing.T) {
	_, bags := readForeign(t)
	set := foreignSet(t, bags, 1)
	c, err := PresetConfig(SmallPreset, "mean")
	if err != nil {
		t.Fatal(err)
	}
	c.Epochs, c.Layers, c.Width = 1, 2, 6
	m, err := Trainer{Backend: goBackend(t), Workers: 1}.Train(context.Background(), c, set, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	dict, err := m.StateDict()
	if err != nil {
		t.Fatal(err)
	}
	arrays, metadata, err := safetensors.Decode(dict)
	if err != nil {
		t.Fatal(err)
	}
	const name = "embedding_1.weight"
	array := arrays[name]
	if !slices.Equal(array.Dims, []int{6, 6}) {
		t.Fatalf("%s has shape %v", name, array.Dims)
	}
	array.Dims = []int{9, 4}
	arrays[name] = array
	changed, err := safetensors.Encode(arrays, metadata)
	if err != nil {
		t.Fatal(err)
	}
	w, err := ReadWeights(changed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.train(t, set, nil, 0); err == nil || !strings.Contains(err.Error(), "the array embedding_1.weight has shape [9 4], and that of a network for these bags [6 6]") {
		t.Errorf("error %v", err)
	}
}

// TestSparseStateDict: the arrays of a network whose weights are no softmax would compute another function elsewhere.
func TestSparseStateDict(t *testing.T) {
	for _, weights := range []string{synlayer.SparsemaxWeights, synlayer.Entmax15Weights} {
		err := (&Model{card: card{Config: Config{Pooling: gated, Layers: 1, Weights: weights}}}).foldScaling(nil)
		if err == nil || !strings.Contains(err.Error(), "those of "+weights) || !strings.Contains(err.Error(), "export it as ONNX") {
			t.Error(err)
		}
	}
	if err := (&Model{card: card{Config: Config{Pooling: gated, Layers: 1, Weights: synlayer.SoftmaxWeights}}}).foldScaling(nil); err != nil {
		t.Error(err)
	}
}

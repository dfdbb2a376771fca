package main

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// predictions reads what predict prints.
func predictions(t *testing.T, args ...string) []scoredBag {
	t.Helper()
	out, _ := succeed(t, append(append([]string{"predict"}, args...), "--json")...)
	var bags []scoredBag
	if err := json.Unmarshal([]byte(out), &bags); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return bags
}

func TestTrainPredict(t *testing.T) {
	text := toy(false)
	file := write(t, "toy.csv", text)
	model := filepath.Join(t.TempDir(), "model")
	out, _ := succeed(t, with("train", file, "--pooling", "softmax", "--heads", "2", "--out", model)...)
	if !strings.Contains(out, "on the training bags themselves") || !strings.Contains(out, "model in "+model) {
		t.Error(out)
	}
	bags := predictions(t, model, file, "--instances")
	if len(bags) != 24 || bags[3].Bag != "b3" || len(bags[3].Instances) != 4 {
		t.Fatalf("%+v", bags)
	}
	for _, b := range bags {
		if p := 1 / (1 + math.Exp(-b.Score)); math.Abs(p-b.Probability) > 1e-6 {
			t.Errorf("bag %s: probability %v of score %v, want %v", b.Bag, b.Probability, b.Score, p)
		}
		for head, winner := range b.Winners {
			sum := 0.0
			for _, i := range b.Instances {
				sum += i.Heads[head]
				if i.Heads[head] > b.Instances[winner].Heads[head] {
					t.Errorf("bag %s, head %d: instance %d won and %d has more weight", b.Bag, head, winner, i.Instance)
				}
			}
			if math.Abs(sum-1) > 1e-5 {
				t.Errorf("bag %s, head %d: softmax weights sum up to %v", b.Bag, head, sum)
			}
		}
		if len(b.Winners) != 2 {
			t.Errorf("bag %s: %d winners for 2 heads", b.Bag, len(b.Winners))
		}
		for _, i := range b.Instances {
			if want := (i.Heads[0] + i.Heads[1]) / 2; math.Abs(i.Weight-want) > 1e-12 {
				t.Errorf("bag %s: weight %v, want the mean of %v", b.Bag, i.Weight, i.Heads)
			}
		}
	}

	// Without labels, and of one class, bags get the same scores.
	var unlabelled, oneClass strings.Builder
	for line := range strings.Lines(text) {
		fields := strings.SplitN(line, ",", 3)
		unlabelled.WriteString(fields[0] + "," + fields[2])
		if fields[1] != "0" {
			oneClass.WriteString(line)
		}
	}
	plain := predictions(t, model, file)
	if got := predictions(t, model, write(t, "unlabelled.csv", unlabelled.String())); !reflect.DeepEqual(got, plain) {
		t.Errorf("without labels %+v, with them %+v", got, plain)
	}
	positive := predictions(t, model, write(t, "positive.csv", oneClass.String()))
	for i, b := range positive {
		if want := plain[2*i+1]; b.Bag != want.Bag || math.Abs(b.Score-want.Score) > 1e-5 {
			t.Errorf("of one class %+v, among all bags %+v", b, want)
		}
	}

	// CSV says the same as JSON.
	csvText, _ := succeed(t, "predict", model, file)
	records, err := csv.NewReader(strings.NewReader(csvText)).ReadAll()
	if err != nil || len(records) != 25 || strings.Join(records[0], " ") != "bag score probability winners" {
		t.Fatalf("%v, %q", err, records)
	}
	for i, r := range records[1:] {
		score, err := strconv.ParseFloat(r[1], 64)
		if err != nil || r[0] != plain[i].Bag || math.Abs(score-plain[i].Score) > 1e-6*math.Abs(score) || r[3] != strconv.Itoa(plain[i].Winners[0])+" "+strconv.Itoa(plain[i].Winners[1]) {
			t.Errorf("%q, want %+v", r, plain[i])
		}
	}
	weights, _ := succeed(t, "predict", model, file, "--instances")
	if lines := strings.Split(weights, "\n"); lines[0] != "bag,instance,weight,weight_1,weight_2" || len(lines) != 24/4*10+2 || !strings.HasPrefix(lines[1], "b0,0,1,1,1") {
		t.Errorf("%d lines:\n%s", len(lines), weights)
	}

	// A bag without a score has its name.
	huge := write(t, "huge.csv", "bag,p,q,r\nzoo,1,2,3\napple,3e38,-3e38,3e38\n")
	refuse(t, exitUse, "huge.csv: bag apple: its score is not finite", "predict", model, huge)

	// What does not fit the model.
	refuse(t, exitUse, "has 4 features, the model "+model+" has 3", "predict", model, write(t, "wide.csv", toy(true)))
	refuse(t, exitUse, "--instance-label-column", "predict", model, write(t, "wide.csv", toy(true)))
	refuse(t, exitUse, `feature 1 is "x", of the model `+model+` it is "p"`, "predict", model, write(t, "names.csv", strings.Replace(text, "p,q,r", "x,q,r", 1)))
	refuse(t, exitUse, "musk1 has 166 features", "predict", model, "musk1")
	if got := predictions(t, model, write(t, "moved.csv", toy(true)), "--instance-label-column", "last"); len(got) != 24 {
		t.Errorf("%d bags after the label column was moved", len(got))
	}

	// A model is replaced by another; nothing else is.
	succeed(t, with("train", file, "--pooling", "max", "--out", model)...)
	if got := predictions(t, model, file); reflect.DeepEqual(got, plain) {
		t.Error("the model was not replaced")
	}
	refuse(t, exitUse, "holds something else than a model, toy.csv", with("train", file, "--out", filepath.Dir(file))...)
	refuse(t, exitUse, "not a directory", with("train", file, "--out", file)...)
}

// Every pooling can be trained, saved, loaded and asked for weights; those without attention have no winners.
func TestTrainEveryPooling(t *testing.T) {
	file := write(t, "toy.csv", toy(false))
	for _, pooling := range []string{"syn", "hopfield", "attention", "gated", "mean", "max", "sum", "lse", "dsmil", "clam", "acmil", "settransformer"} {
		model := filepath.Join(t.TempDir(), pooling)
		succeed(t, with("train", file, "--pooling", pooling, "--out", model)...)
		without := pooling == "mean" || pooling == "sum"
		for _, b := range predictions(t, model, file, "--instances") {
			if len(b.Instances) == 0 || len(b.Instances[0].Heads) == 0 || !without && len(b.Winners) != len(b.Instances[0].Heads) {
				t.Errorf("%s: %+v", pooling, b)
			}
			if without && len(b.Winners) > 0 {
				t.Errorf("%s: winners %v", pooling, b.Winners)
			}
		}
		if !without {
			continue
		}
		if out, _ := succeed(t, "predict", model, file, "--json"); strings.Contains(out, "winners") {
			t.Errorf("%s: winners in\n%s", pooling, out)
		}
		if out, _ := succeed(t, "predict", model, file); !strings.HasSuffix(strings.Split(out, "\n")[1], ",") {
			t.Errorf("%s: the last cell is not empty in\n%s", pooling, out)
		}
	}
}

// Where a model cannot be saved it is not trained.
func TestTrainChecksFolder(t *testing.T) {
	file := write(t, "toy.csv", toy(false))
	for _, dir := range []string{"/proc/model", filepath.Join(file, "model"), filepath.Join(t.TempDir(), "no", "model")} {
		args := with("train", file, "--out", dir)
		refuse(t, exitUse, "--out \""+dir+"\": ", args...)
		if o := milbenchOf(t.Context(), args...); strings.Contains(o.err, "backend ") {
			t.Errorf("a backend was started:\n%s", o.err)
		}
	}
	folder := t.TempDir()
	t.Chdir(folder)
	for range 2 { // empty, then a model
		succeed(t, with("train", file, "--pooling", "mean", "--out", ".")...)
		predictions(t, ".", file)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
}

// A training that leaves the finite numbers is a failed fit, and leaves no model.
func TestTrainDiverges(t *testing.T) {
	file, model := write(t, "toy.csv", toy(false)), filepath.Join(t.TempDir(), "model")
	refuse(t, exitFinding, "not finite", with("train", file, "--pooling", "mean", "--lr", "1e30", "--out", model)...)
	refuse(t, exitFinding, "toy: bag b0: its score is not finite", "train", file, "--pooling", "mean", "--lr", "1e38", "--epochs", "1", "--batch", "100", "--out", model)
	refuse(t, exitUse, "lower --width", "train", file, "--pooling", "mean", "--width", "16384", "--layers", "2", "--out", model)
	if _, err := os.Stat(model); err == nil {
		t.Error("a model was saved")
	}
}

func TestDamagedModels(t *testing.T) {
	file := write(t, "toy.csv", toy(false))
	model := filepath.Join(t.TempDir(), "model")
	succeed(t, with("train", file, "--pooling", "mean", "--out", model)...)
	parameters, err := filepath.Glob(filepath.Join(model, "*", "*"))
	if err != nil || len(parameters) != 2 {
		t.Fatal(parameters, err)
	}
	for _, path := range append(parameters, filepath.Join(model, "model.json")) {
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		flipped := append([]byte{}, good...)
		flipped[len(flipped)/2] ^= 0x20
		for what, bad := range map[string][]byte{"truncated": good[:len(good)/2], "flipped": flipped, "empty": nil} {
			if err := os.WriteFile(path, bad, 0o666); err != nil {
				t.Fatal(err)
			}
			if o := milbenchOf(t.Context(), "predict", model, file); o.code != exitUse || !strings.Contains(o.err, model) {
				t.Errorf("%s %s: exit code %d, %s", what, path, o.code, o.err)
			}
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(good), `"format": 1`, `"format": 99`, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		if filepath.Base(path) == "model.json" {
			refuse(t, exitUse, "its format is 99", "predict", model, file)
		}
		if err := os.WriteFile(path, good, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	succeed(t, "predict", model, file)
}

func TestTrainLeaked(t *testing.T) {
	file := write(t, "leaky.csv", toy(true))
	model := filepath.Join(t.TempDir(), "model")
	out, _ := succeed(t, with("train", file, "--pooling", "mean", "--keep-leak", "--out", model)...)
	if !strings.Contains(out, "LEAKED") {
		t.Error(out)
	}
	if _, stderr := succeed(t, "predict", model, file); !strings.Contains(stderr, "was trained with a column that leaks the labels") {
		t.Error(stderr)
	}
}

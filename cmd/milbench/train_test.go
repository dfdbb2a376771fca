package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"synpool/milbench/learners"
	"synpool/milbench/learners/neural"
	"synpool/milbench/predict"
)

// predictions reads what predict prints.
func predictions(t *testing.T, args ...string) []predict.Bag {
	t.Helper()
	out, _ := succeed(t, append(append([]string{"predict"}, args...), "--json")...)
	var bags []predict.Bag
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
		if p := 1 / (1 + math.Exp(-*b.Score)); b.Probability == nil || math.Abs(p-*b.Probability) > 1e-6 || b.Calibration != "none" {
			t.Errorf("%+v: want probability %v of score %v, not calibrated", b, p, *b.Score)
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
		if want := plain[2*i+1]; b.Bag != want.Bag || math.Abs(*b.Score-*want.Score) > 1e-5 {
			t.Errorf("of one class %+v, among all bags %+v", b, want)
		}
	}

	// CSV says the same as JSON.
	csvText, _ := succeed(t, "predict", model, file)
	records, err := csv.NewReader(strings.NewReader(csvText)).ReadAll()
	if err != nil || len(records) != 25 || strings.Join(records[0], " ") != "bag score probability winners calibration" {
		t.Fatalf("%v, %q", err, records)
	}
	for i, r := range records[1:] {
		score, err := strconv.ParseFloat(r[1], 64)
		if err != nil || r[0] != plain[i].Bag || math.Abs(score-*plain[i].Score) > 1e-6*math.Abs(score) || r[3] != strconv.Itoa(plain[i].Winners[0])+" "+strconv.Itoa(plain[i].Winners[1]) {
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
	wide := write(t, "wide.csv", "0,b0,1,2,3,4\n1,b1,1,2,3,4\n")
	refuse(t, exitUse, "has 4 features, the model "+model+" has 3", "predict", model, wide)
	refuse(t, exitUse, "--instance-label-column", "predict", model, wide)
	refuse(t, exitUse, `no column "p"; give the file the columns that the model was trained on`, "predict", model, write(t, "names.csv", strings.Replace(text, "p,q,r", "x,q,r", 1)))
	refuse(t, exitUse, "musk1 has 166 features", "predict", model, "musk1")
	if got := predictions(t, model, write(t, "more.csv", toy(true))); !reflect.DeepEqual(got, plain) { // columns are taken by name
		t.Errorf("with a column more: %+v, want %+v", got, plain)
	}
	refuse(t, exitUse, "the features are taken by the names that the model knows", "predict", model, write(t, "more.csv", toy(true)), "--instance-label-column", "last")
	renamed := strings.Replace(toy(true), "bag,label", "slide_id,diagnosis", 1)
	if got := predictions(t, model, write(t, "renamed.csv", renamed)); !reflect.DeepEqual(got, plain) {
		t.Errorf("of a table with other names: %+v, want %+v", got, plain)
	}

	// A model is replaced by another; nothing else is.
	succeed(t, with("train", file, "--pooling", "max", "--out", model)...)
	if got := predictions(t, model, file); reflect.DeepEqual(got, plain) {
		t.Error("the model was not replaced")
	}
	refuse(t, exitUse, "holds something other than a model, toy.csv", with("train", file, "--out", filepath.Dir(file))...)
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
		if out, _ := succeed(t, "predict", model, file); !strings.HasSuffix(strings.Split(out, "\n")[1], ",,none") {
			t.Errorf("%s: the cell of the winners is not empty in\n%s", pooling, out)
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

// words is toy with labels that are words, and without them.
func words() (labelled, unlabelled string) {
	var with, without strings.Builder
	for line := range strings.Lines(toy(false)) {
		fields := strings.SplitN(line, ",", 3)
		label := map[string]string{"0": "benign", "1": "malign"}[fields[1]]
		if label == "" {
			label = fields[1] // the header
		}
		with.WriteString(fields[0] + "," + label + "," + fields[2])
		without.WriteString(fields[0] + "," + fields[2])
	}
	return with.String(), without.String()
}

// TestAutoKinds: auto is run, trained and asked on classes and real targets, with the figure of the kind; survival is refused with what to take.
func TestAutoKinds(t *testing.T) {
	files := map[string]*strings.Builder{"classes": {}, "real": {}, "times": {}}
	for name, columns := range map[string]string{"classes": "label", "real": "target", "times": "time,event"} {
		files[name].WriteString("bag," + columns + ",p,q,r\n")
	}
	random := rand.New(rand.NewPCG(6, 7))
	for bag := range 36 {
		y := random.NormFloat64()
		for range 1 + bag%3 {
			x, by := [3]float64{random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}, [3]float64{}
			by[bag%3] = 2
			fmt.Fprintf(files["classes"], "b%d,%s,%.3f,%.3f,%.3f\n", bag, []string{"red", "green", "blue"}[bag%3], x[0]+by[0], x[1]+by[1], x[2]+by[2])
			fmt.Fprintf(files["real"], "b%d,%.3f,%.3f,%.3f,%.3f\n", bag, y, x[0]+2*y, x[1], x[2])
			fmt.Fprintf(files["times"], "b%d,%.3f,%d,%.3f,%.3f,%.3f\n", bag, math.Exp(y), bag%2, x[0]+2*y, x[1], x[2])
		}
	}
	setting := `{"inner":2,"candidates":[{"learner":"statistics-svm"},{"learner":"statistics-trees","trees":20}]}`
	for name, figure := range map[string]string{"classes": "macro AUC", "real": "R²"} {
		t.Run(name, func(t *testing.T) {
			file, model := write(t, name+".csv", files[name].String()), filepath.Join(t.TempDir(), "model")
			out, _ := succeed(t, "train", file, "--learner", "auto", "--setting", setting, "--out", model)
			if !strings.Contains(out, "auto trained on 36 bags: "+figure+" ") || !strings.Contains(out, figure+" inside") {
				t.Error(out)
			}
			for _, b := range predictions(t, model, file, "--instances") {
				switch {
				case len(b.Instances) == 0:
					t.Errorf("%+v", b)
				case name == "real":
					if b.Value == nil {
						t.Errorf("%+v", b)
					}
				default:
					sum := 0.0
					for class, p := range b.Probabilities {
						sum += p
						if score := b.Scores[class]; math.Abs(math.Exp(score)-p) > 1e-9 {
							t.Errorf("class %s: score %v, probability %v", class, score, p)
						}
					}
					if math.Abs(sum-1) > 1e-9 {
						t.Errorf("%+v", b)
					}
					for _, one := range b.Instances {
						if len(one.Scores) != 3 || *one.Score != one.Scores[b.Class] {
							t.Errorf("%+v", one)
						}
					}
				}
			}
			out, _ = succeed(t, "run", file, "--learner", "auto", "--folds", "3", "--repeats", "1", "--out", filepath.Join(t.TempDir(), "results"))
			if !strings.Contains(out, figure) || !strings.Contains(out, "| auto") {
				t.Error(out)
			}
		})
	}
	refuse(t, exitUse, "times: no candidate of auto learns targets of kind survival; take a network: --pooling gated",
		"train", write(t, "times.csv", files["times"].String()), "--learner", "auto", "--out", filepath.Join(t.TempDir(), "model"))
}

// quick are fields of settings that train in a moment.
var quick = map[string]string{"statistics-trees": `{"trees":20}`, "auto": `{"inner":2}`}

// Every learner that is no network can be trained, saved, loaded and asked for scores of instances.
func TestTrainLearners(t *testing.T) {
	labelled, unlabelled := words()
	file, fresh := write(t, "toy.csv", labelled), write(t, "fresh.csv", unlabelled)
	for _, name := range learners.Names() {
		t.Run(name, func(t *testing.T) {
			model := filepath.Join(t.TempDir(), "model")
			args := []string{"train", file, "--learner", name, "--out", model}
			if setting := quick[name]; setting != "" {
				args = append(args, "--setting", setting)
			}
			out, stderr := succeed(t, args...)
			if !strings.Contains(out, "toy: "+name+" trained on 24 bags: AUC ") || !strings.Contains(out, "model in "+model) || strings.Contains(stderr, "backend ") {
				t.Error(out, stderr)
			}
			if has := strings.Contains(out, "AUC inside"); has != (name == learners.AutoName) {
				t.Error(out)
			}
			bags := predictions(t, model, fresh)
			if with := predictions(t, model, file); !reflect.DeepEqual(bags, with) {
				t.Errorf("without labels %+v, with them %+v", bags, with)
			}
			right := 0
			for i, b := range bags {
				switch {
				case !slices.Contains([]string{"auto", "instance", "statistics-trees"}, name): // its score is not a logit
					if b.Probability != nil {
						t.Errorf("bag %s: probability %v of score %v", b.Bag, *b.Probability, *b.Score)
					}
				case b.Probability == nil || math.Abs(*b.Probability-1/(1+math.Exp(-*b.Score))) > 1e-15:
					t.Errorf("%+v of score %v", b, *b.Score)
				}
				if want := []string{"benign", "malign"}[i%2]; b.Class == want {
					right++
				}
				if (b.Class == "malign") != (*b.Score > 0) || (len(b.Winners) > 0) != slices.Contains([]string{"instance", "mi-svm-bag", "mi-svm-instance"}, name) || b.Instances != nil {
					t.Errorf("%+v", b)
				}
			}
			if right < 14 {
				t.Errorf("%d of 24 bags are told apart", right)
			}

			// Of instances, as JSON and as CSV.
			asJSON, _ := succeed(t, "predict", model, fresh, "--instances", "--json")
			if strings.Contains(asJSON, "weight") || strings.Contains(asJSON, "heads") {
				t.Errorf("weights of %s:\n%s", name, asJSON)
			}
			rows := predictions(t, model, fresh, "--instances")
			text, _ := succeed(t, "predict", model, fresh, "--instances")
			lines := strings.Split(strings.TrimSpace(text), "\n")
			if lines[0] != "bag,instance,score" || len(lines) != 1+24/4*10 {
				t.Fatalf("%d lines:\n%s", len(lines), text)
			}
			at := 1
			for _, b := range rows {
				for _, i := range b.Instances {
					if i.Score == nil {
						t.Fatalf("%s: %+v has no score", name, b)
					}
					if want := b.Bag + "," + strconv.Itoa(i.Instance) + "," + predict.Decimal(*i.Score); lines[at] != want {
						t.Errorf("%s, want %s", lines[at], want)
					}
					at++
				}
			}
			refuse(t, exitUse, "has 4 features, the model "+model+" has 3", "predict", model, write(t, "wide.csv", "0,b0,1,2,3,4\n1,b1,1,2,3,4\n"))
		})
	}
}

// A portfolio with a network among its candidates is trained, saved and loaded.
func TestTrainAutoNetwork(t *testing.T) {
	labelled, unlabelled := words()
	file, model := write(t, "toy.csv", labelled), filepath.Join(t.TempDir(), "model")
	config, err := neural.DefaultConfig("max")
	if err != nil {
		t.Fatal(err)
	}
	config.Layers, config.Width, config.Epochs, config.Batch, config.LR, config.Dropout = 1, 8, 6, 4, 0.02, 0
	setting, err := json.Marshal(map[string]any{"inner": 2, "candidates": []any{config}})
	if err != nil {
		t.Fatal(err)
	}
	out, stderr := succeed(t, "train", file, "--learner", "auto", "--setting", string(setting), "--out", model)
	if !strings.Contains(out, "max      1.000") || !strings.Contains(stderr, "backend ") {
		t.Error(out, stderr)
	}
	fresh := write(t, "fresh.csv", unlabelled)
	if got := predictions(t, model, fresh, "--instances"); len(got) != 24 || got[1].Instances[0].Score == nil {
		t.Errorf("%+v", got)
	}
}

func TestTrainLearnerFlags(t *testing.T) {
	file, out := write(t, "toy.csv", toy(false)), filepath.Join(t.TempDir(), "model")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--learner", "mint"}, `--learner "mint": there is no such learner; did you mean "mind"?`},
		{[]string{"--learner", "mind", "--pooling", "max"}, "--pooling: one model is trained; leave out --pooling or --learner"},
		{[]string{"--learner", "mind", "--width", "8"}, "--width: a setting of networks; use --setting for fields of --learner mind"},
		{[]string{"--setting", `{"c":1}`}, "--setting: the setting of a learner that is no network; name one with --learner"},
		{[]string{"--learner", "mind", "--setting", `{"gama":1}`}, `--setting of mind: there is no field "gama"; did you mean "gamma"?`},
		{[]string{"--learner", "mind", "--setting", `{"c":true}`}, `--setting of mind: c true: a value of type float64 is needed`},
		{[]string{"--learner", "mind", "--setting", `c=1`}, `--setting of mind: "c=1" is no JSON object`},
		{[]string{"--learner", "mind", "--setting", `{"distance":"emdd"}`}, `--setting of mind: distance "emdd": there is no such distance; did you mean "emd"?`},
		{[]string{"--learner", "auto", "--setting", `{"inner":1}`}, `inner 1: 2 to 20 inner folds are possible`},
		{[]string{"--learner", "mind", "--memory", "1MB"}, "raise --memory"},
		{[]string{"--learner", "mind", "--cores", "0"}, "--cores 0: at least 1 is needed"},
		{[]string{"--pooling", "max", "--cores", "1"}, "--cores: for --learner; a network is trained on all cores"},
	} {
		refuse(t, exitUse, c.want, append([]string{"train", file, "--out", out}, c.args...)...)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a model was saved")
	}
	refuse(t, exitUse, "one: the training part cannot be cut into inner folds", "train", write(t, "one.csv", "bag,label,p\na,0,1\nb,1,2\n"), "--learner", "auto", "--out", out)
}

// A classical model whose files are damaged is refused.
func TestDamagedLearners(t *testing.T) {
	file, model := write(t, "toy.csv", toy(false)), filepath.Join(t.TempDir(), "model")
	succeed(t, "train", file, "--learner", "set-kernel-svm", "--out", model)
	fitted := filepath.Join(model, "milbench-parameters-1", "fitted.json")
	good, err := os.ReadFile(fitted)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(fitted, good[1:], 0o666); err != nil {
		t.Fatal(err)
	}
	refuse(t, exitUse, model+": not a model of this version of milbench: fitted.json is damaged; train it again", "predict", model, file)
	succeed(t, "train", file, "--learner", "instance", "--out", model) // is replaced all the same
	predictions(t, model, file)
}

// A stopped training leaves the model that was there.
func TestTrainStopped(t *testing.T) {
	file, model := write(t, "toy.csv", toy(false)), filepath.Join(t.TempDir(), "model")
	succeed(t, "train", file, "--learner", "instance", "--out", model)
	before := predictions(t, model, file)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(&stopped{syscall.SIGINT})
	for _, name := range []string{"auto", "mind"} {
		o := milbenchOf(ctx, "train", file, "--learner", name, "--out", model)
		if o.code != 130 || !strings.Contains(o.err, "no model was saved") {
			t.Errorf("%s: exit code %d, %s", name, o.code, o.err)
		}
	}
	if after := predictions(t, model, file); !reflect.DeepEqual(after, before) {
		t.Error("the model has changed")
	}
	if entries, err := os.ReadDir(model); err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
}

// TestPredictWithCoordinates: where an HDF5 file says where its instances are, x and y stand beside their scores.
func TestPredictWithCoordinates(t *testing.T) {
	folder := filepath.Join("..", "..", "milbench", "dataset", "testdata", "folder")
	model := filepath.Join(t.TempDir(), "model")
	succeed(t, "train", folder, "--learner", "miles", "--setting", `{"c":1}`, "--out", model)
	out, _ := succeed(t, "predict", model, folder, "--instances")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rows[0], ","); got != "bag,instance,x,y,tile,score" {
		t.Errorf("header %q", got)
	}
	found := 0
	for _, row := range rows[1:] {
		instance, _ := strconv.Atoi(row[1])
		switch want := []string{strconv.Itoa(2 * instance), strconv.Itoa(2*instance + 1)}; {
		case row[0] == "clam" && (!slices.Equal(row[2:4], want) || row[4] != "256"):
			t.Errorf("row %q, want %q", row, want)
		case row[0] == "clam":
			found++
		case row[0] == "tensor" && row[2]+row[3] != "":
			t.Errorf("row %q: its file says no place", row)
		}
	}
	if found != 3 {
		t.Errorf("%d instances of clam, want 3", found)
	}
	part := t.TempDir() // the other bags are scored if one cannot be read
	if err := os.CopyFS(part, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(part, "trident.h5"), 100); err != nil {
		t.Fatal(err)
	}
	o := milbenchOf(t.Context(), "predict", model, part)
	if o.code != exitFinding || strings.Count(o.out, "\n") != 11 || !strings.Contains(o.err, "not scored: "+filepath.Join(part, "trident.h5")+": ") {
		t.Errorf("exit code %d, %s, %s", o.code, o.out, o.err)
	}
	if out, said := succeed(t, "predict", model, part, "--subset"); strings.Count(out, "\n") != 11 || !strings.Contains(said, "10 of 11 bags; not readable: trident") {
		t.Errorf("%s, %s", out, said)
	}
	out, _ = succeed(t, "predict", model, folder, "--instances", "--json")
	if !strings.Contains(out, `"x": 4,`) || strings.Contains(out, "null") {
		t.Errorf("JSON: %.400s", out)
	}
}

// Of survival predict writes the curve and the median of networks that learn hazards, and of Cox's loss the risk alone; tables and evaluate
// have the integrated Brier score of the first.
func TestPredictSurvival(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 0))
	text := "bag,time,event,p,q\n"
	for bag := range 40 {
		x := random.Float64()
		for range 2 {
			text += fmt.Sprintf("b%d,%.3f,%d,%.4f,%.4f\n", bag, 1/(0.1+x), bag%5%2, x, random.NormFloat64())
		}
	}
	file := write(t, "times.csv", text)
	for _, c := range []struct {
		loss    string
		header  string
		columns int
		curves  bool
	}{
		{"hazards", "bag,risk,median,alive_after_", 11, true},
		{"cox", "bag,risk,winners", 3, false},
	} {
		dir := t.TempDir()
		model, results := filepath.Join(dir, "model"), filepath.Join(dir, "results")
		settings := []string{"--pooling", "mean", "--epochs", "5", "--batch", "20", "--loss", c.loss}
		succeed(t, append([]string{"train", file, "--out", model}, settings...)...)
		out, _ := succeed(t, "predict", model, file)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if len(lines) != 41 || !strings.HasPrefix(lines[0], c.header) || strings.Count(lines[0], ",") != c.columns-1 {
			t.Errorf("%s: %d lines, %s", c.loss, len(lines), lines[0])
		}
		if c.curves {
			fields := strings.Split(lines[1], ",")
			before := 1.0
			for _, field := range fields[3:10] {
				alive, err := strconv.ParseFloat(field, 64)
				if err != nil || alive > before || alive < 0 {
					t.Errorf("%s", lines[1])
				}
				before = alive
			}
			if (fields[2] != "") != (before <= 0.5) {
				t.Errorf("the median of %s", lines[1])
			}
		}
		if scored := predictions(t, model, file); (scored[0].Survival != nil) != c.curves {
			t.Errorf("%s: %+v", c.loss, scored[0])
		}
		if out, _ = succeed(t, "evaluate", model, file); strings.Contains(out, "integrated Brier score") != c.curves {
			t.Errorf("%s: %s", c.loss, out)
		}
		succeed(t, append([]string{"run", file, "--folds", "2", "--repeats", "1", "--out", results}, settings...)...)
		out, _ = succeed(t, "table", results, "--format", "csv")
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if at := slices.Index(rows[0], "integrated_brier"); at < 0 || (rows[1][at] != "") != c.curves {
			t.Errorf("%s: %s", c.loss, out)
		}
	}
}

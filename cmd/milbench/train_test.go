package main

import (
	"context"
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
	"synpool/milbench/predict"
)

// predictions reads what predict prints.
func predictions(t *testing.T, args ...string) []predict.Bag {
	t.Helper()
	return decoded[[]predict.Bag](t, append(append([]string{"predict"}, args...), "--json")...)
}

func TestTrainPredict(t *testing.T) {
	text := toy(false)
	file := write(t, "toy.csv", text)
	model, out := trained(t, with(file, "--pooling", "softmax", "--heads", "2")...)
	has(t, out, "on the training bags themselves", "model in "+model)
	bags := predictions(t, model, file, "--instances")
	if len(bags) != 24 || bags[3].Bag != "b3" || len(bags[3].Instances) != 4 {
		t.Fatalf("%+v", bags)
	}
	for _, b := range bags {
		if p := 1 / (1 + math.Exp(-*b.Score)); b.Probability == nil || math.Abs(p-*b.Probability) > 1e-6 || b.Calibration != "none" || len(b.Winners) != 2 {
			t.Errorf("%+v: want probability %v of score %v, not calibrated, and 2 winners", b, p, *b.Score)
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
		for _, i := range b.Instances {
			if want := (i.Heads[0] + i.Heads[1]) / 2; math.Abs(i.Weight-want) > 1e-12 {
				t.Errorf("bag %s: weight %v, want the mean of %v", b.Bag, i.Weight, i.Heads)
			}
		}
	}

	// Without labels, with other names of columns, and with a column more, bags get the same scores; so do bags of one class.
	var unlabelled, oneClass strings.Builder
	for line := range strings.Lines(text) {
		fields := strings.SplitN(line, ",", 3)
		unlabelled.WriteString(fields[0] + "," + fields[2])
		if fields[1] != "0" {
			oneClass.WriteString(line)
		}
	}
	plain := predictions(t, model, file)
	for name, same := range map[string]string{
		"unlabelled.csv": unlabelled.String(),
		"more.csv":       toy(true),
		"renamed.csv":    strings.Replace(toy(true), "bag,label", "slide_id,diagnosis", 1),
	} {
		if got := predictions(t, model, write(t, name, same)); !reflect.DeepEqual(got, plain) {
			t.Errorf("of %s %+v, want %+v", name, got, plain)
		}
	}
	for i, b := range predictions(t, model, write(t, "positive.csv", oneClass.String())) {
		if want := plain[2*i+1]; b.Bag != want.Bag || math.Abs(*b.Score-*want.Score) > 1e-5 {
			t.Errorf("of one class %+v, among all bags %+v", b, want)
		}
	}

	// CSV says the same as JSON.
	out, _ = succeed(t, "predict", model, file)
	records := csvLines(t, out)
	if len(records) != 25 || strings.Join(records[0], " ") != "bag score probability winners calibration" {
		t.Fatalf("%q", records)
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

	// A bag without a score has its name, and what does not fit the model is refused.
	wide := write(t, "wide.csv", "0,b0,1,2,3,4\n1,b1,1,2,3,4\n")
	for want, args := range map[string][]string{
		"huge.csv: bag apple: its score is not finite":                           {write(t, "huge.csv", "bag,p,q,r\nzoo,1,2,3\napple,3e38,-3e38,3e38\n")},
		"has 4 features, the model " + model + " has 3":                          {wide},
		"--instance-label-column":                                                {wide},
		`no column "p"; give the file the columns that the model was trained on`: {write(t, "names.csv", strings.Replace(text, "p,q,r", "x,q,r", 1))},
		"musk1 has 166 features":                                                 {"musk1"},
		"the features are taken by the names that the model knows":               {write(t, "more.csv", toy(true)), "--instance-label-column", "last"},
	} {
		refuse(t, exitUse, want, append([]string{"predict", model}, args...)...)
	}

	// A model is replaced by another; nothing else is. Poolings without attention have no winners.
	succeed(t, with("train", file, "--pooling", "mean", "--out", model)...)
	for _, b := range predictions(t, model, file, "--instances") {
		if len(b.Instances) == 0 || len(b.Instances[0].Heads) == 0 || b.Winners != nil {
			t.Errorf("%+v", b)
		}
	}
	if out, _ := succeed(t, "predict", model, file); !strings.HasSuffix(strings.Split(out, "\n")[1], ",,none") {
		t.Errorf("the cell of the winners is not empty in\n%s", out)
	}
	refuse(t, exitUse, "holds something other than a model, toy.csv", with("train", file, "--out", filepath.Dir(file))...)
	refuse(t, exitUse, "not a directory", with("train", file, "--out", file)...)
}

// Where a model cannot be saved it is not trained.
func TestTrainChecksFolder(t *testing.T) {
	file := write(t, "toy.csv", toy(false))
	for _, dir := range []string{"/proc/model", filepath.Join(file, "model"), filepath.Join(newFolder(t), "model")} {
		args := with("train", file, "--out", dir)
		refuse(t, exitUse, "--out \""+dir+"\": ", args...)
		if o := milbenchOf(t.Context(), args...); strings.Contains(o.err, "backend ") {
			t.Errorf("a backend was started:\n%s", o.err)
		}
	}
	t.Chdir(t.TempDir())
	for range 2 { // empty, then a model
		succeed(t, "train", file, "--learner", "statistics-svm", "--out", ".")
		predictions(t, ".", file)
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v (%v)", entries, err)
	}
}

// A training that leaves the finite numbers is a failed fit, and leaves no model.
func TestTrainDiverges(t *testing.T) {
	file, model := write(t, "toy.csv", toy(false)), newFolder(t)
	refuse(t, exitFinding, "not finite", with("train", file, "--pooling", "mean", "--lr", "1e30", "--out", model)...)
	refuse(t, exitFinding, "toy: bag b0: its score is not finite", "train", file, "--pooling", "mean", "--lr", "1e38", "--epochs", "1", "--batch", "100", "--out", model)
	refuse(t, exitUse, "lower --width", "train", file, "--pooling", "mean", "--width", "16384", "--layers", "2", "--out", model)
	absent(t, model)
}

func TestTrainLeaked(t *testing.T) {
	file := write(t, "leaky.csv", toy(true))
	model, out := trained(t, file, "--learner", "statistics-svm", "--keep-leak")
	has(t, out, "LEAKED")
	_, stderr := succeed(t, "predict", model, file)
	has(t, stderr, "was trained with a column that leaks the labels")
}

// Every learner that is no network can be trained, saved, loaded and asked for scores of instances.
func TestTrainLearners(t *testing.T) {
	file := write(t, "toy.csv", strings.NewReplacer(",0,", ",benign,", ",1,", ",malign,").Replace(toy(false)))
	fresh := write(t, "fresh.csv", strings.NewReplacer(",label,", ",", ",0,", ",", ",1,", ",").Replace(toy(false))) // without labels
	quick := map[string]string{"statistics-trees": `{"trees":20}`, "auto": `{"inner":2}`}                           // settings that train in a moment
	for _, name := range learners.Names() {
		t.Run(name, func(t *testing.T) {
			args := []string{file, "--learner", name}
			if setting := quick[name]; setting != "" {
				args = append(args, "--setting", setting)
			}
			model, out := trained(t, args...)
			has(t, out, "toy: "+name+" trained on 24 bags: AUC ", "model in "+model)
			if has := strings.Contains(out, "AUC inside"); has != (name == learners.AutoName) {
				t.Error(out)
			}
			right := 0
			for i, b := range predictions(t, model, fresh) {
				switch {
				case !slices.Contains([]string{"auto", "instance", "linear-probe", "statistics-trees"}, name): // its score is not a logit
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
			var want strings.Builder // CSV says the same of instances as JSON
			want.WriteString("bag,instance,score\n")
			for _, b := range predictions(t, model, fresh, "--instances") {
				for _, i := range b.Instances {
					if i.Score == nil || i.Heads != nil {
						t.Fatalf("%+v", i)
					}
					fmt.Fprintf(&want, "%s,%d,%s\n", b.Bag, i.Instance, predict.Decimal(*i.Score))
				}
			}
			if text, _ := succeed(t, "predict", model, fresh, "--instances"); text != want.String() || strings.Count(text, "\n") != 1+24/4*10 {
				t.Errorf("%s, want\n%s", text, &want)
			}
		})
	}
}

// A stopped training leaves the model that was there.
func TestTrainStopped(t *testing.T) {
	file := write(t, "toy.csv", toy(false))
	model, _ := trained(t, file, "--learner", "instance")
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
	model, _ := trained(t, folder, "--learner", "miles", "--setting", `{"c":1}`)
	out, _ := succeed(t, "predict", model, folder, "--instances")
	rows := csvLines(t, out)
	if got := strings.Join(rows[0], ","); got != "bag,instance,x,y,tile,score" {
		t.Errorf("header %q", got)
	}
	found := 0
	for _, row := range rows[1:] {
		instance, _ := strconv.Atoi(row[1])
		switch want := []string{strconv.Itoa(2 * instance), strconv.Itoa(2*instance + 1), "256"}; {
		case row[0] == "clam" && !slices.Equal(row[2:5], want):
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
	if out, _ = succeed(t, "predict", model, folder, "--instances", "--json"); !strings.Contains(out, `"x": 4,`) || strings.Contains(out, "null") {
		t.Errorf("JSON: %.400s", out)
	}
	part := t.TempDir() // the other bags are scored if one cannot be read
	must(t, os.CopyFS(part, os.DirFS(folder)))
	must(t, os.Truncate(filepath.Join(part, "trident.h5"), 100))
	o := milbenchOf(t.Context(), "predict", model, part)
	if o.code != exitFinding || strings.Count(o.out, "\n") != 11 || !strings.Contains(o.err, "not scored: "+filepath.Join(part, "trident.h5")+": ") {
		t.Errorf("exit code %d, %s, %s", o.code, o.out, o.err)
	}
	if out, said := succeed(t, "predict", model, part, "--subset"); strings.Count(out, "\n") != 11 || !strings.Contains(said, "10 of 11 bags; not readable: trident") {
		t.Errorf("%s, %s", out, said)
	}
}

// Of survival predict writes the curve and the median of networks that learn hazards, and of Cox's loss the risk alone; evaluate has the
// integrated Brier score of the first.
func TestPredictSurvival(t *testing.T) {
	random, x := rand.New(rand.NewPCG(6, 0)), 0.0
	file := write(t, "times.csv", bagTable("time,event,p,q", 40, pairs, func(bag, instance int) string {
		if instance == 0 {
			x = random.Float64()
		}
		return fmt.Sprintf("%.3f,%d,%.4f,%.4f", 1/(0.1+x), bag%5%2, x, random.NormFloat64())
	}))
	for _, c := range []struct {
		loss, header string
		columns      int
		curves       bool
	}{
		{"hazards", "bag,risk,median,alive_after_", 11, true},
		{"cox", "bag,risk,winners", 3, false},
	} {
		model, _ := trained(t, file, "--pooling", "mean", "--epochs", "5", "--batch", "20", "--loss", c.loss)
		out, _ := succeed(t, "predict", model, file)
		bags := csvLines(t, out)
		if len(bags) != 41 || !strings.HasPrefix(out, c.header) || len(bags[0]) != c.columns {
			t.Errorf("%s: %d lines, %s", c.loss, len(bags), bags[0])
		}
		if c.curves {
			before := 1.0
			for _, field := range bags[1][3:10] {
				alive, err := strconv.ParseFloat(field, 64)
				if err != nil || alive > before || alive < 0 {
					t.Errorf("%s", bags[1])
				}
				before = alive
			}
			if (bags[1][2] != "") != (before <= 0.5) {
				t.Errorf("the median of %s", bags[1])
			}
		}
		if scored := predictions(t, model, file); (scored[0].Survival != nil) != c.curves {
			t.Errorf("%s: %+v", c.loss, scored[0])
		}
		if out, _ = succeed(t, "evaluate", model, file); strings.Contains(out, "integrated Brier score") != c.curves {
			t.Errorf("%s: %s", c.loss, out)
		}
	}
}

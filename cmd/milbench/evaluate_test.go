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
	"sync"
	"testing"

	"synpool/milbench/evaluate"
	"synpool/milbench/learners"
	"synpool/milbench/learners/modeldir"
	"synpool/milbench/stats"
)

// slides is a CSV file of bags of patients, two each, whose labels are words. One instance of a cancer is larger; shift moves the size of all.
func slides(seed uint64, bags int, shift float64) string {
	random := rand.New(rand.NewPCG(seed, 1))
	text := bagTable("label,group,size,texture,colour", bags, func(int) int { return 2 + random.IntN(6) }, func(bag, instance int) string {
		word, more := []string{"benign", "cancer"}[bag/2%2], 0.0
		if word == "cancer" && instance == 0 {
			more = 2
		}
		return fmt.Sprintf("%s,p%d-%d,%.3f,%.3f,%.3f", word, seed, bag/2, random.NormFloat64()+more+shift, random.NormFloat64()-more, random.Float64())
	})
	return strings.ReplaceAll(text, "\nb", fmt.Sprintf("\ns%d-", seed))
}

// judged is a model of slides, with the figures of a run.
var judged = sync.OnceValue(func() (j struct{ model, folder, file string }) {
	dir, err := os.MkdirTemp(common, "judged")
	if err != nil {
		panic(err)
	}
	j.model, j.folder, j.file = filepath.Join(dir, "model"), filepath.Join(dir, "results"), filepath.Join(dir, "slides.csv")
	if err := os.WriteFile(j.file, []byte(slides(1, 60, 0)), 0o666); err != nil {
		panic(err)
	}
	for _, args := range [][]string{
		{"run", j.file, "--learner", "statistics-svm", "--folds", "5", "--repeats", "2", "--out", j.folder},
		{"train", j.file, "--learner", "statistics-svm", "--results", j.folder, "--operating", "0.8,0.9", "--out", j.model},
	} {
		if o := milbenchOf(context.Background(), args...); o.code != exitDone {
			panic(o.err)
		}
	}
	return j
})

// judgedModel returns the folder of a model of slides, that of a run with the same setting, and their file. Tests read them alone.
func judgedModel() (model, folder, file string) { j := judged(); return j.model, j.folder, j.file }

// evaluationOf reads what evaluate prints as JSON.
func evaluationOf(t *testing.T, args ...string) evaluate.Evaluation {
	t.Helper()
	return decoded[evaluate.Evaluation](t, append(append([]string{"evaluate"}, args...), "--json")...)
}

func TestShow(t *testing.T) {
	model, folder, file := judgedModel()
	out, _ := succeed(t, "show", model)
	has(t, out, "learner ", "statistics-svm", "60: 30 benign, 30 cancer", "groups       30", "calibration  none", "size ", "judged on held-out bags  by the protocol honest, 5 folds, 2 repeats",
		"what it must not be used for\n- Not where errors are costly: of 60 training bags 30 are of class benign", "- Not a medical device", "checksum ", "positive cancer")
	if strings.Contains(out, "log-loss") || strings.Contains(out, "nobody has measured") {
		t.Error(out)
	}
	facts := func(model string) *modeldir.Facts {
		t.Helper()
		return decoded[modeldir.Card](t, "show", model, "--json").Facts
	}
	f := facts(model)
	if len(f.Operating) != 2 || len(f.Judged) != 1 || f.Judged[0].Bags != 60 || f.Judge != "" || len(f.Data.Features) != 3 || f.Data.Features[0].Name != "size" || len(f.Data.Contents) != 60 {
		t.Errorf("%+v", f)
	}
	// The figures are those of the table of the run.
	if r := rows(t, "table", folder)["slides: statistics-svm"]; r.Mean != f.Judged[0].Figures[0].Value {
		t.Errorf("%+v, %+v", r, f.Judged)
	}

	// Without results the card names the command that judges; it does.
	plain, _ := trained(t, file, "--learner", "statistics-svm")
	out, _ = succeed(t, "show", plain)
	has(t, out, "not judged: run milbench run "+file+" --learner=statistics-svm --out results first", "nobody has measured")
	requireParses(t, facts(plain).Judge)
	succeed(t, with("train", file, "--pooling", "softmax", "--out", plain)...)
	command := strings.Fields(facts(plain).Judge)
	if want := "milbench run " + file + " --pooling=softmax --width=8 --epochs=2 --batch=4 --out results"; len(command) != len(strings.Fields(want)) || !slices.Contains(command, "--width=8") {
		t.Errorf("%s, want %s in whatever order", command, want)
	}
	dir := newFolder(t)
	succeed(t, append(command[1:len(command)-1], dir, "--folds", "3", "--repeats", "1")...)
	succeed(t, with("train", file, "--pooling", "softmax", "--results", dir, "--out", plain)...)
	if f := facts(plain); len(f.Operating) != 1 || f.Operating[0].Wanted != 0.9 || !slices.ContainsFunc(f.Judged[0].Figures, func(g modeldir.Figure) bool { return g.Name == "log-loss" }) {
		t.Errorf("%+v", f)
	}
	// With --setting there is no such command.
	succeed(t, "train", file, "--learner", "statistics-svm", "--setting", `{"c":10}`, "--out", plain)
	out, _ = succeed(t, "show", plain)
	has(t, out, "milbench run does not take --setting")

	// Results of another learner, of other bags, and none.
	for want, args := range map[string][]string{
		"no results of this learner with this setting on this data, but of statistics-svm": {file, "--learner", "statistics-trees", "--results", folder},
		"no results of this data, but of other bags (slides)":                              {write(t, "other.csv", slides(2, 60, 0)), "--learner", "statistics-svm", "--results", folder},
		"--results: ":                  {file, "--learner", "statistics-svm", "--results", t.TempDir()},
		"give --results a folder":      {file, "--learner", "statistics-svm", "--operating", "0.9"},
		"--operating 2: a specificity": {file, "--learner", "statistics-svm", "--results", folder, "--operating", "2"},
	} {
		refuse(t, exitUse, want, append([]string{"train", "--out", plain}, args...)...)
	}

	// A damaged card is one line that names the file.
	path := filepath.Join(plain, "model.json")
	put(t, path, contents(t, path)[1:])
	refuse(t, exitUse, path, "show", plain)
	refuse(t, exitUse, plain+": not a model of this version of milbench: model.json", "evaluate", plain, file)
	refuse(t, exitUse, "it has no model.json", "show", t.TempDir())
}

// TestShowQuotes: the command that the card names can be pasted into the shells of the system, or there is none.
func TestShowQuotes(t *testing.T) {
	for _, c := range []struct{ system, word, want string }{
		{"linux", "a/b.csv", "a/b.csv"},
		{"linux", `it's $5.csv`, `'it'\''s $5.csv'`},
		{"windows", `C:\bags\b.csv`, `C:\bags\b.csv`},
		{"windows", `C:\my bags\b.csv`, `"C:\my bags\b.csv"`},
		{"windows", `--order=low grade,high grade`, `"--order=low grade,high grade"`},
		{"windows", `C:\my bags\`, ""},
		{"windows", "$5.csv", ""},
		{"windows", "%TEMP%.csv", ""},
		{"windows", `a "b"`, ""},
	} {
		if got, ok := quotedFor(c.system, c.word); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%s: %s becomes %s, %v; want %s", c.system, c.word, got, ok, c.want)
		}
	}
}

func TestEvaluate(t *testing.T) {
	model, _, file := judgedModel()
	fresh := write(t, "new.csv", slides(2, 80, 0))
	out, _ := succeed(t, "evaluate", model, fresh)
	has(t, out, "new: 80 bags (40 benign, 40 cancer; positive is cancer), 40 groups", "DeLong", "bootstrap of 40 groups", "label   called benign  called cancer", "chosen for specificity", "no feature is unlike", "too narrow")
	if strings.Contains(out, "warning") {
		t.Error(out)
	}
	e := evaluationOf(t, model, fresh)

	// The figures are those of the scores that predict prints, and the thresholds those of the card.
	var labels []int
	var scores []float64
	for i, b := range predictions(t, model, fresh) {
		labels, scores = append(labels, i/2%2), append(scores, *b.Score)
	}
	auc, se, err := stats.DeLong(labels, scores)
	if err != nil || math.Abs(*e.Figures[0].Value-auc) > 1e-12 || math.Abs(*e.Figures[0].Low-(auc-1.959964*se)) > 1e-6 {
		t.Errorf("%+v, want %v with error %v (%v)", e.Figures[0], auc, se, err)
	}
	c := decoded[modeldir.Card](t, "show", model, "--json")
	for i, o := range e.Operating {
		sensitivity, specificity, err := stats.SensitivitySpecificity(labels, scores, c.Facts.Operating[i].Threshold)
		if err != nil || o.Training != c.Facts.Operating[i] || *o.Sensitivity.Value != sensitivity || *o.Specificity.Value != specificity {
			t.Errorf("%+v, want %v and %v (%v)", o, sensitivity, specificity, err)
		}
	}
	if again := evaluationOf(t, model, fresh, "--seed", "1"); *again.Figures[1].Low != *e.Figures[1].Low {
		t.Error("the same seed draws differently")
	}

	// Columns in another order, and no groups.
	var turned strings.Builder
	for line := range strings.Lines(slides(2, 80, 0)) {
		f := strings.Split(strings.TrimSpace(line), ",")
		fmt.Fprintf(&turned, "%s,%s,%s,%s,%s\n", f[5], f[0], f[4], f[1], f[3])
	}
	other := evaluationOf(t, model, write(t, "turned.csv", turned.String()))
	if *other.Figures[0].Value != *e.Figures[0].Value || other.Groups != 0 || other.Figures[1].Method != "Clopper-Pearson" {
		t.Errorf("%+v", other.Figures)
	}
	moved, _ := succeed(t, "evaluate", model, write(t, "moved.csv", slides(3, 80, 3)))
	has(t, moved, "warning", "size: ")

	// A model without thresholds says how to get them, and takes none from the new bags.
	plain := filepath.Join(t.TempDir(), "plain")
	succeed(t, "train", file, "--learner", "statistics-svm", "--out", plain)
	if out, _ := succeed(t, "evaluate", plain, fresh); !strings.Contains(out, "no operating points: the card has no thresholds; train with --results FOLDER") || strings.Contains(out, "chosen for") {
		t.Error(out)
	}
	// Calibrated probabilities are those of predict.
	succeed(t, "train", file, "--learner", "statistics-svm", "--calibrate", "platt", "--out", plain)
	if out, _ := succeed(t, "show", plain); !strings.Contains(out, "calibration  platt, learnt from 60 bags that 5 folds held out") || strings.Contains(out, "not calibrated") {
		t.Error(out)
	}
	calibrated := evaluationOf(t, plain, fresh)
	brier := 0.0
	for i, b := range predictions(t, plain, fresh) {
		brier += math.Pow(*b.Probability-float64(labels[i]), 2) / float64(len(labels))
	}
	if f := calibrated.Figures[7]; f.Name != "Brier score" || math.Abs(*f.Value-brier) > 1e-9 || calibrated.Calibration != "platt" {
		t.Errorf("%+v, want %v", f, brier)
	}
	// What does not fit the model is one line.
	text := slides(2, 20, 0)
	refuse(t, exitUse, `has label "malignant", a class that the model does not know; it knows benign, cancer`, "evaluate", model, write(t, "words.csv", strings.ReplaceAll(text, "cancer", "malignant")))
	refuse(t, exitUse, `no column "size"`, "evaluate", model, write(t, "names.csv", strings.Replace(text, "size", "length", 1)))
	refuse(t, exitUse, "label", "evaluate", model, write(t, "unlabelled.csv", strings.Replace(text, "label", "remark", 1)))
	refuse(t, exitUse, "it has no model.json", "evaluate", t.TempDir(), fresh)
}

// TestSplit: train takes the training part of a split, and evaluate the test part, wherever the split stands.
func TestSplit(t *testing.T) {
	text, parts := slides(1, 60, 0), "train,val,test\n"
	var column, first, second strings.Builder
	for i, line := range slices.Collect(strings.Lines(text)) {
		line = strings.TrimSpace(line)
		var bag int
		fmt.Sscanf(line, "s1-%d,", &bag)
		part := []string{"train", "test", "val"}[bag/4%3]
		switch {
		case i == 0:
			fmt.Fprintf(&column, "%s,fold\n", line)
			fmt.Fprintln(&first, line)
			fmt.Fprintln(&second, line)
			continue
		case part == "test":
			fmt.Fprintln(&second, line)
		default:
			fmt.Fprintln(&first, line)
		}
		fmt.Fprintf(&column, "%s,%s\n", line, part)
	}
	for bag := range 60 {
		row := []string{"", "", ""}
		row[[]int{0, 2, 1}[bag/4%3]] = fmt.Sprint("s1-", bag)
		parts += strings.Join(row, ",") + "\n"
	}
	train := func(args ...string) (string, string) {
		model := newFolder(t)
		out, _ := succeed(t, append([]string{"train", "--learner", "statistics-svm", "--out", model}, args...)...)
		return model, out
	}
	alone, _ := train(write(t, "slides.csv", first.String()))
	want := evaluationOf(t, alone, write(t, "slides.csv", second.String()))
	whole, splits, named := write(t, "slides.csv", text), write(t, "splits_0.csv", parts), write(t, "slides.csv", column.String())
	usual := write(t, "slides.csv", strings.Replace(column.String(), "fold", "split", 1))
	for _, args := range [][]string{{whole, "--split", splits}, {named, "--split", "fold"}, {usual}} {
		model, out := train(args...)
		got := evaluationOf(t, append([]string{model}, args...)...)
		if !strings.Contains(out, "trained on 40 of 60 bags") || got.Bags != 20 || got.Whole != 60 || got.Trained != "slides, training part" || !reflect.DeepEqual(got.Figures, want.Figures) {
			t.Errorf("%q: %s%+v, want %+v", args, out, got, want)
		}
	}
	if _, out := train(usual, "--split", "none"); !strings.Contains(out, "trained on 60 bags") {
		t.Error(out)
	}
	refuse(t, exitUse, "--split none: there is no column split", "evaluate", alone, whole, "--split", "none")
	refuse(t, exitUse, "musk1 has no official split", "train", "musk1", "--split", "none", "--learner", "statistics-svm", "--out", t.TempDir())
	refuse(t, exitUse, "of the same group (p1-0) in the test part", "train", write(t, "torn.csv", strings.NewReplacer("p1-2,", "p1-0,", "fold", "split").Replace(column.String())), "--learner", "statistics-svm", "--out", t.TempDir())
}

// TestEvaluateInstances: the scores that predict --instances prints are judged by the labels of a table.
func TestEvaluateInstances(t *testing.T) {
	dir := t.TempDir()
	train, fresh := filepath.Join(dir, "tiles.csv"), filepath.Join(dir, "labelled-tiles.csv")
	must(t, writeTiles(train, 8, 20))
	must(t, writeTiles(fresh, 0, 8))
	for judged, args := range map[string][]string{"weight": with("train", train, "--pooling", "gated"), "score": {"train", train, "--learner", "statistics-trees"}} {
		model := newFolder(t)
		succeed(t, append(args, "--out", model)...)
		e := evaluationOf(t, model, fresh)
		out, _ := succeed(t, "predict", model, fresh, "--instances")
		truth, said := csvLines(t, contents(t, fresh)), csvLines(t, out)
		var labels []int
		var scores []float64
		for i, row := range said[1:] {
			score, err := strconv.ParseFloat(row[slices.Index(said[0], judged)], 64)
			must(t, err)
			label, err := strconv.Atoi(truth[i+1][slices.Index(truth[0], "instance_label")])
			must(t, err)
			labels, scores = append(labels, label), append(scores, score)
		}
		auc, err := stats.AUC(labels, scores)
		must(t, err)
		if s := e.Localised; s == nil || s.Judged != judged || s.Bags != 4 || s.Lesions != 4 || s.All != len(truth)-1 || math.Abs(*s.Figures[3].Value-auc) > 1e-6 || s.Figures[6].Value == nil {
			t.Errorf("%s: %+v, want a pooled AUC of %v", judged, s, auc)
		}
		out, _ = succeed(t, "evaluate", model, fresh)
		has(t, out, "judged: the "+judged+" that milbench predict --instances prints", "pooled instance AUC", "sensitivity at 0.25")
		named := write(t, "labelled-tiles.csv", strings.Replace(contents(t, fresh), "instance_label", "seen", 1))
		if other := evaluationOf(t, model, named, "--instance-label-column", "1"); !reflect.DeepEqual(other.Localised, e.Localised) || !reflect.DeepEqual(other.Figures, e.Figures) {
			t.Errorf("%s: %+v of a column by its number, %+v by its name", judged, other.Localised, e.Localised)
		}
		if other := evaluationOf(t, model, named); other.Localised != nil {
			t.Errorf("%s: labels of instances that nobody named: %+v", judged, other.Localised)
		}
		refuse(t, exitUse, "--instance-label-column 2: column f1 is a feature of the model; give the column of the labels", "evaluate", model, named, "--instance-label-column", "2")
		refuse(t, exitUse, "leave the flag out", "predict", model, named, "--instance-label-column", "1")
	}
}

// TestEvaluateAnEarlierModel: a model whose card has no facts is judged, and a warning says what is missing.
func TestEvaluateAnEarlierModel(t *testing.T) {
	_, _, file := judgedModel()
	dir, _ := trained(t, file, "--learner", "statistics-svm")
	model, err := learners.Trainer{}.Load(dir)
	must(t, err)
	model.Card().Facts = nil
	must(t, model.Save(dir))
	if out, _ := succeed(t, "show", dir); !strings.Contains(out, "an earlier version has trained the model") || strings.Contains(out, "Not for") {
		t.Error(out)
	}
	e := evaluationOf(t, dir, write(t, "new.csv", slides(2, 20, 0)))
	if e.Shift != nil || len(e.Operating) != 0 || len(e.Warnings) != 1 || !strings.Contains(e.Warnings[0], "no profile") || e.Figures[0].Value == nil {
		t.Errorf("%+v", e)
	}
}

package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"synpool/milbench/predict"
)

// overlapping are 60 bags, three of each group, whose classes no learner can tell apart fully.
func overlapping(classes ...string) string {
	random := rand.New(rand.NewPCG(3, 0))
	return bagTable("label,p,q,group", 60, func(bag int) int { return 1 + bag%3 }, func(bag, _ int) string {
		class := bag / 3 % len(classes)
		return fmt.Sprintf("%s,%.4f,%.4f,g%d", classes[class], random.NormFloat64()+0.8*float64(class), random.NormFloat64(), bag/3)
	})
}

// brier returns the cross-fitted Brier score that train prints below the one before.
func brier(t *testing.T, out string) float64 {
	t.Helper()
	found := regexp.MustCompile(`(?m)^(?:before.*?|after, cross-fitted) {2,}(0\.\d+) `).FindAllStringSubmatch(out, -1)
	if len(found) != 2 {
		t.Fatalf("no Brier scores in\n%s", out)
	}
	after, _ := strconv.ParseFloat(found[1][1], 64)
	return after
}

// The scores of a support vector machine get probabilities; without a calibration there are none.
func TestTrainCalibrate(t *testing.T) {
	file := write(t, "bags.csv", overlapping("0", "1"))
	model, _ := trained(t, file, "--learner", "statistics-svm")
	again := []string{"train", file, "--learner", "statistics-svm", "--out", model}
	plain := predictions(t, model, file)
	text, stderr := succeed(t, "predict", model, file)
	has(t, stderr, "not calibrated, and the score of statistics-svm is no logit: there is no probability")
	has(t, text, "\nb0,"+predict.Decimal(*plain[0].Score)+",,,none")
	for _, method := range []string{"temperature", "platt", "isotonic"} {
		out, notes := succeed(t, append(again, "--calibrate", method)...)
		has(t, out, "calibrated by "+method+" on 60 held-out bags of 5 folds: ", "before, score read as a logit",
			"ECE uses 10 bins and 60 bags; with few bags it is large by chance alone")
		if has := strings.Contains(notes, "isotonic regression needs about 1000 bags"); has != (method == "isotonic") {
			t.Error(notes)
		}
		if after := brier(t, out); !(after > 0.05 && after < 0.26) {
			t.Errorf("%s: Brier score %v", method, after)
		}
		bags := predictions(t, model, file)
		for i, b := range bags {
			if *b.Score != *plain[i].Score { // the model is that of all bags, as without
				t.Errorf("%s: score %v, without a calibration %v", method, *b.Score, *plain[i].Score)
			}
			if b.Probability == nil || !(*b.Probability >= 0 && *b.Probability <= 1) || b.Calibration != method {
				t.Fatalf("%s: %+v", method, b)
			}
		}
		text, stderr := succeed(t, "predict", model, file)
		has(t, stderr, "probabilities are calibrated by "+method+", learnt from 60 held-out bags: ECE ")
		if records := csvLines(t, text); strings.Join(records[0], " ") != "bag score probability winners calibration" ||
			records[5][2] != predict.Decimal(*bags[4].Probability) || records[5][4] != method {
			t.Errorf("%q", records)
		}
	}
	succeed(t, again...) // the next model has none
	if got := predictions(t, model, file); !reflect.DeepEqual(got, plain) {
		t.Errorf("%+v, want %+v", got, plain)
	}
}

// Networks and several classes are calibrated, too: the class is that of the largest probability.
func TestTrainCalibrateOthers(t *testing.T) {
	two, three := write(t, "two.csv", overlapping("benign", "malign")), write(t, "three.csv", overlapping("low", "middle", "high"))
	for _, c := range []struct {
		args   []string
		figure string
	}{
		{with(two, "--pooling", "max", "--calibrate", "platt"), "Share of positives"},
		{[]string{three, "--learner", "statistics-svm", "--calibrate", "temperature"}, "Share of bags whose class is right"},
	} {
		model, out := trained(t, c.args...)
		if strings.Contains(out, "read as a logit") != slices.Contains(c.args, "statistics-svm") {
			t.Error(out)
		}
		brier(t, out)
		for _, b := range predictions(t, model, c.args[0]) {
			if p := b.Probability; p != nil && ((b.Class == "malign") != (*p > 0.5) || math.Abs(*p-1/(1+math.Exp(-*b.Score))) < 1e-9) {
				t.Errorf("%+v, of score %v", b, *b.Score)
			}
			sum, largest := 0.0, 0.0
			for _, p := range b.Probabilities {
				sum, largest = sum+p, max(largest, p)
			}
			if b.Calibration == "none" || b.Probability == nil && (len(b.Probabilities) != 3 || math.Abs(sum-1) > 1e-9 || b.Probabilities[b.Class] != largest) {
				t.Errorf("%+v", b)
			}
		}
		drawn := filepath.Join(t.TempDir(), "reliability.svg")
		succeed(t, "plot", model, "--figure", "reliability", "--out", drawn)
		has(t, contents(t, drawn), c.figure)
	}
}

func TestTrainCalibrateRefuses(t *testing.T) {
	out := newFolder(t)
	few := "bag,label,p,group\na,0,1,x\nb,0,2,y\nc,1,3,z\n"
	for want, bags := range map[string]string{
		"--calibrate: bags: the held-out folds need two bags or groups of each class; add bags": few,
		"the held-out folds need two bags or groups of each class":                              few + "d,1,2,z\n",
		"--calibrate: bags: targets of kind real have no probabilities; or leave the flag out":  "bag,target,p\na,0.5,1\nb,1.5,2\nc,2.5,3\n",
	} {
		refuse(t, exitUse, want, "train", write(t, "bags.csv", bags), "--learner", "statistics-svm", "--calibrate", "platt", "--out", out)
	}
	absent(t, out)
}

// The reliability diagram of a calibrated model is drawn; other folders are refused.
func TestPlotReliability(t *testing.T) {
	file, drawn := write(t, "bags.csv", overlapping("0", "1")), filepath.Join(t.TempDir(), "reliability.svg")
	plain, _ := trained(t, file, "--learner", "statistics-svm")
	refuse(t, exitUse, plain+": the model has no calibration", "plot", plain, "--figure", "reliability", "--out", drawn)
	model, _ := trained(t, file, "--learner", "statistics-svm", "--calibrate", "platt")
	refuse(t, exitUse, "a model's folder holds nothing else", "plot", model, "--figure", "reliability", "--out", filepath.Join(model, "r.svg"))
	_, notes := succeed(t, "plot", model, "--figure", "reliability", "--out", drawn)
	has(t, notes, "drawn: "+drawn)
	has(t, contents(t, drawn), "60 held-out bags, platt", "before (ECE 0.", "after, cross-fitted (ECE 0.", "Share of positives")
}

// Sets stand beside probabilities or alone, and the scores are those of the same model without them. Evaluate counts what predict prints.
func TestTrainConformal(t *testing.T) {
	for _, classes := range [][]string{{"0", "1"}, {"low", "middle", "high"}} {
		file, model := write(t, "bags.csv", overlapping(classes...)), newFolder(t)
		train := []string{"train", file, "--learner", "statistics-svm", "--out", model}
		succeed(t, train...)
		plain := predictions(t, model, file)
		alone, notes := succeed(t, append(train, "--calibrate", "conformal", "--level", "0.8")...)
		has(t, alone, "conformal sets of level 0.8 from 60 held-out bags of 5 folds: cross-fitted, a set has ")
		if strings.Contains(alone, "Brier") || strings.Contains(notes, "in every set") {
			t.Errorf("%s\n%s", alone, notes)
		}
		both, _ := succeed(t, append(train, "--calibrate", "platt,conformal", "--level", "0.8")...)
		has(t, both, "calibrated by platt on 60 held-out bags", "conformal sets of level 0.8")
		brier(t, both)
		out, _ := succeed(t, "show", model)
		has(t, out, "calibration  platt, learnt from 60 bags", "conformal    sets of level 0.8 from 60 held-out bags")
		bags := predictions(t, model, file)
		covered, size := 0, 0
		for i, b := range bags {
			if plain[i].Set != nil || plain[i].Level != 0 || b.Set == nil || b.Level != 0.8 || len(b.PValues) != len(classes) || b.Calibration != "platt" {
				t.Fatalf("%+v", b)
			}
			for _, class := range classes {
				if slices.Contains(b.Set, class) != (b.PValues[class] > 0.2+1e-9) {
					t.Errorf("set %v of %v", b.Set, b.PValues)
				}
			}
			if size += len(b.Set); slices.Contains(b.Set, classes[i/3%len(classes)]) {
				covered++
			}
		}
		text, stderr := succeed(t, "predict", model, file)
		has(t, stderr, "sets of level 0.8 from 60 held-out bags; about 80 % of new bags have their target inside")
		if records := csvLines(t, text); records[0][len(records[0])-1] != "set" || records[3][len(records[3])-1] != strings.Join(bags[2].Set, "|") {
			t.Errorf("%q", records[:4])
		}
		e := evaluationOf(t, model, file)
		found := map[string]float64{}
		for _, f := range e.Figures {
			if f.Value != nil {
				found[f.Name] = *f.Value
			}
			if f.Name == "coverage at level 0.8" && (f.Low == nil || f.Method != "bootstrap of 20 groups") {
				t.Errorf("%+v", f)
			}
		}
		if len(found) < 2+len(classes) || math.Abs(found["coverage at level 0.8"]-float64(covered)/60) > 1e-12 || math.Abs(found["mean size of sets"]-float64(size)/60) > 1e-12 {
			t.Errorf("%v, want coverage %d/60, size %d/60", found, covered, size)
		}
		refuse(t, exitUse, "has no calibration of probabilities", "plot", func() string { succeed(t, append(train, "--calibrate", "conformal")...); return model }(), "--figure", "reliability", "--out", "x.svg")
	}
}

// Numbers get intervals of one width; of single bags the coverage has a binomial interval.
func TestTrainConformalNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 0))
	file := write(t, "real.csv", bagTable("target,p", 60, func(int) int { return 2 }, func(bag, _ int) string {
		return fmt.Sprintf("%.2f,%.4f", float64(bag)/10, float64(bag)/10+random.NormFloat64())
	}))
	model, out := trained(t, file, "--learner", "statistics-svm", "--calibrate", "conformal")
	has(t, out, "conformal intervals of level 0.9 from 60 held-out bags: the value ± ")
	covered, width := 0, 0.0
	for i, b := range predictions(t, model, file) {
		if b.Low == nil || math.Abs(*b.Low+*b.High-2**b.Value) > 1e-9 || b.Set != nil || b.Level != 0.9 || width != 0 && math.Abs(*b.High-*b.Low-width) > 1e-9 {
			t.Fatalf("%+v", b)
		}
		width = *b.High - *b.Low
		if target := float64(i) / 10; *b.Low <= target && target <= *b.High {
			covered++
		}
	}
	text, _ := succeed(t, "predict", model, file)
	if records := csvLines(t, text); strings.Join(records[0], " ") != "bag value low high winners" {
		t.Errorf("%q", records[0])
	}
	for _, f := range evaluationOf(t, model, file).Figures {
		switch f.Name {
		case "coverage at level 0.9":
			if math.Abs(*f.Value-float64(covered)/60) > 1e-12 || f.Low == nil || f.Method != "Clopper-Pearson" {
				t.Errorf("%+v, want %d of 60", f, covered)
			}
			covered = -1
		case "width of intervals":
			if math.Abs(*f.Value-width) > 1e-9 {
				t.Errorf("%+v, want %v", f, width)
			}
			width = -1
		}
	}
	if covered != -1 || width != -1 {
		t.Error("no coverage or no width")
	}
	few := write(t, "few.csv", bagTable("target,p", 8, func(int) int { return 2 }, func(bag, _ int) string { return fmt.Sprintf("%.2f,%d", float64(bag)/10, bag) }))
	refuse(t, exitUse, "intervals of level 0.9 need 9 bags or groups, and there are 8; add bags, or choose a lower level", "train", few, "--learner", "statistics-svm",
		"--calibrate", "conformal", "--out", newFolder(t))
}

// A class with too few bags to be left out of any set is named.
func TestTrainConformalFew(t *testing.T) {
	_, notes := succeed(t, "train", write(t, "bags.csv", overlapping("benign", "malign")), "--learner", "statistics-svm", "--calibrate", "conformal", "--level", "0.95", "--out", newFolder(t))
	has(t, notes, "class benign is in every set: it has 10 bags or groups, and at level 0.95 it needs 19")
}

// A model with scores of instances selects those of new bags at a false discovery rate; others, and flags that do not fit, are refused.
func TestPredictFDR(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 0))
	bags := func(name string) string {
		return write(t, name, bagTable("label,p", 80, func(int) int { return 10 }, func(bag, i int) string {
			x := random.NormFloat64()
			if bag%2 == 1 && i < 3 {
				x += 6
			}
			return fmt.Sprintf("%d,%.4f", bag%2, x)
		}))
	}
	file, fresh := bags("bags.csv"), bags("new.csv")
	model, out := trained(t, file, "--learner", "instance", "--calibrate", "platt,instances")
	has(t, out, "instances: p-values against 400 instances of held-out negative bags", "calibrated by platt on 80 held-out bags")
	shown, _ := succeed(t, "show", model)
	has(t, shown, "of instances  p-values against 400 instances")
	text, notes := succeed(t, "predict", model, fresh, "--instances", "--fdr", "0.1")
	records := csvLines(t, text)
	selected, negative := 0, 0
	for k, r := range records[1:] {
		if p, err := strconv.ParseFloat(r[3], 64); err != nil || !(p >= 1.0/401-1e-6 && p <= 1) {
			t.Fatalf("%q, %v", r, err)
		}
		if r[4] == "1" {
			if selected++; k/10%2 == 0 || k%10 >= 3 {
				negative++
			}
		}
	}
	if strings.Join(records[0], " ") != "bag instance score p_value discovery" || selected < 100 || negative > selected/5 {
		t.Errorf("%q: %d selected, %d of them negative; there are 120 positive ones", records[0], selected, negative)
	}
	has(t, notes, fmt.Sprintf("note: %d of 800 instances are selected; about 10 %% of those selected", selected))
	json, _ := succeed(t, "predict", model, fresh, "--instances", "--fdr", "0.1", "--json")
	if got := strings.Count(json, `"discovery": true`); got != selected {
		t.Errorf("%d selected in JSON, %d in CSV", got, selected)
	}
	plain, _ := trained(t, file, "--learner", "instance")
	refuse(t, exitUse, "--fdr: "+plain+": the model has no scores of instances of held-out negative bags; train it with milbench train --calibrate instances", "predict", plain, fresh, "--instances", "--fdr", "0.1")
	refuse(t, exitUse, "--fdr: selects instances; add --instances", "predict", model, fresh, "--fdr", "0.1")
	refuse(t, exitUse, "--fdr 1.5: give a rate above 0 and below 1", "predict", model, fresh, "--instances", "--fdr", "1.5")
	refuse(t, exitUse, "--calibrate: three: p-values of instances need a target of two classes", "train", write(t, "three.csv", overlapping("a", "b", "c")), "--learner", "statistics-svm", "--calibrate", "instances", "--out", newFolder(t))
}

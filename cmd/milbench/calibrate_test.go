package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"synpool/milbench/predict"
)

// overlapping are 60 bags of two classes that no learner can tell apart fully, 20 groups of three bags if they are grouped.
func overlapping(grouped bool) string {
	random := rand.New(rand.NewPCG(3, 0))
	var b strings.Builder
	b.WriteString("bag,label,p,q")
	if grouped {
		b.WriteString(",group")
	}
	b.WriteByte('\n')
	for bag := range 60 {
		for range 1 + bag%3 {
			fmt.Fprintf(&b, "b%d,%d,%.4f,%.4f", bag, bag/3%2, random.NormFloat64()+0.8*float64(bag/3%2), random.NormFloat64())
			if grouped {
				fmt.Fprintf(&b, ",g%d", bag/3)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// brier returns the Brier scores of held-out bags that train prints, before and after.
func brier(t *testing.T, out string) (before, after float64) {
	t.Helper()
	found := regexp.MustCompile(`(?m)^(?:before.*?|after, cross-fitted) {2,}(0\.\d+) `).FindAllStringSubmatch(out, -1)
	if len(found) != 2 {
		t.Fatalf("no Brier scores in\n%s", out)
	}
	before, _ = strconv.ParseFloat(found[0][1], 64)
	after, _ = strconv.ParseFloat(found[1][1], 64)
	return before, after
}

// The scores of a support vector machine get probabilities, which rise with them; without a calibration there are none.
func TestTrainCalibrate(t *testing.T) {
	for _, grouped := range []bool{false, true} {
		file := write(t, "bags.csv", overlapping(grouped))
		model := filepath.Join(t.TempDir(), "model")
		args := []string{"train", file, "--learner", "statistics-svm", "--out", model}
		succeed(t, args...)
		plain := predictions(t, model, file)
		text, stderr := succeed(t, "predict", model, file)
		if !strings.Contains(stderr, "not calibrated, and the score of statistics-svm is no logit: there is no probability") ||
			!strings.HasPrefix(strings.Split(text, "\n")[1], "b0,"+predict.Decimal(*plain[0].Score)+",,,none") {
			t.Errorf("%s%s", stderr, text)
		}
		for _, method := range []string{"temperature", "platt", "isotonic"} {
			out, notes := succeed(t, append(args, "--calibrate", method)...)
			if !strings.Contains(out, "calibrated by "+method+" on 60 held-out bags of 5 folds: ") ||
				!strings.Contains(out, "before, score read as a logit") ||
				!strings.Contains(out, "ECE uses 10 bins and 60 bags; with few bags it is large by chance alone") {
				t.Error(out)
			}
			if has := strings.Contains(notes, "isotonic regression needs about 1000 bags"); has != (method == "isotonic") {
				t.Error(notes)
			}
			if _, after := brier(t, out); !(after > 0.05 && after < 0.26) {
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
				for k, other := range bags[:i] {
					if (*b.Score-*other.Score)*(*b.Probability-*other.Probability) < 0 {
						t.Errorf("%s: bags %d and %d: %v of %v, %v of %v", method, k, i, *other.Probability, *other.Score, *b.Probability, *b.Score)
					}
				}
			}
			text, stderr := succeed(t, "predict", model, file)
			if !strings.Contains(stderr, "probabilities are calibrated by "+method+", learnt from 60 held-out bags: ECE ") {
				t.Error(stderr)
			}
			records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			if err != nil || strings.Join(records[0], " ") != "bag score probability winners calibration" ||
				records[5][2] != predict.Decimal(*bags[4].Probability) || records[5][4] != method {
				t.Errorf("%v, %q", err, records)
			}
		}
		succeed(t, args...) // the next model has none
		if got := predictions(t, model, file); !reflect.DeepEqual(got, plain) {
			t.Errorf("%+v, want %+v", got, plain)
		}
	}
}

// The same seed gives the same calibration, another one other folds.
func TestTrainCalibrateSeed(t *testing.T) {
	file := write(t, "bags.csv", overlapping(false))
	probabilities := func(seed string) (all []float64) {
		model := filepath.Join(t.TempDir(), "model")
		succeed(t, "train", file, "--learner", "mind", "--calibrate", "platt", "--seed", seed, "--out", model)
		for _, b := range predictions(t, model, file) {
			all = append(all, *b.Probability)
		}
		return all
	}
	one := probabilities("1")
	if again, other := probabilities("1"), probabilities("2"); !reflect.DeepEqual(one, again) || reflect.DeepEqual(one, other) {
		t.Errorf("%v, again %v, of another seed %v", one, again, other)
	}
}

// Networks and auto are calibrated, too; class names follow the probability.
func TestTrainCalibrateOthers(t *testing.T) {
	file := write(t, "bags.csv", strings.NewReplacer(",0,", ",benign,", ",1,", ",malign,").Replace(overlapping(false)))
	for name, args := range map[string][]string{
		"network": with("train", file, "--pooling", "max"),
		"auto":    {"train", file, "--learner", "auto", "--setting", `{"inner":2,"candidates":[{"learner":"statistics-svm"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			model := filepath.Join(t.TempDir(), "model")
			out, _ := succeed(t, append(args, "--calibrate", "platt", "--out", model)...)
			if strings.Contains(out, "read as a logit") {
				t.Error(out)
			}
			brier(t, out)
			for _, b := range predictions(t, model, file) {
				if b.Probability == nil || (b.Class == "malign") != (*b.Probability > 0.5) || b.Calibration != "platt" {
					t.Errorf("%+v", b)
				}
				if name == "network" && math.Abs(*b.Probability-1/(1+math.Exp(-*b.Score))) < 1e-9 {
					t.Errorf("%+v: the probability is that of the score", b)
				}
			}
		})
	}
}

func TestTrainCalibrateRefuses(t *testing.T) {
	out := filepath.Join(t.TempDir(), "model")
	few := "bag,label,p,group\na,0,1,x\nb,0,2,y\nc,1,3,z\n"
	for _, c := range []struct{ bags, method, want string }{
		{overlapping(false), "plat", `--calibrate "plat": no such calibration; did you mean "platt"?`},
		{overlapping(false), "", `--calibrate "": no such calibration; use one of temperature, platt, isotonic`},
		{few, "platt", "--calibrate: bags: the held-out folds need two bags or groups of each class; add bags"},
		{few + "d,1,2,z\n", "platt", "the held-out folds need two bags or groups of each class"},
	} {
		refuse(t, exitUse, c.want, "train", write(t, "bags.csv", c.bags), "--learner", "mind", "--calibrate", c.method, "--out", out)
	}
	refuse(t, exitUse, "--calibrate: counts: targets of kind real have no probabilities; or leave the flag out",
		"train", write(t, "counts.csv", "bag,target,p\na,0.5,1\nb,1.5,2\nc,2.5,3\n"), "--pooling", "mean", "--calibrate", "platt", "--out", out)
	if _, err := os.Stat(out); err == nil {
		t.Error("a model was saved")
	}
}

// A damaged calibration is an error, not a probability.
func TestDamagedCalibration(t *testing.T) {
	file, model := write(t, "bags.csv", overlapping(false)), filepath.Join(t.TempDir(), "model")
	succeed(t, "train", file, "--learner", "mind", "--calibrate", "platt", "--out", model)
	path := filepath.Join(model, "model.json")
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := strings.Replace(string(good), `"method": "platt"`, `"method": "latpt"`, 1)
	if err := os.WriteFile(path, []byte(bad), 0o666); err != nil || bad == string(good) {
		t.Fatal(err, string(good))
	}
	refuse(t, exitUse, model+": not a model of this version of milbench: model.json is damaged", "predict", model, file)
}

// The reliability diagram of a calibrated model is drawn; other folders are refused.
func TestPlotReliability(t *testing.T) {
	file, model := write(t, "bags.csv", overlapping(false)), filepath.Join(t.TempDir(), "model")
	drawn := filepath.Join(t.TempDir(), "reliability.svg")
	succeed(t, "train", file, "--learner", "mind", "--out", model)
	refuse(t, exitUse, model+": the model has no calibration", "plot", model, "--figure", "reliability", "--out", drawn)
	succeed(t, "train", file, "--learner", "mind", "--calibrate", "platt", "--out", model)
	refuse(t, exitUse, "a model's folder holds nothing else", "plot", model, "--figure", "reliability", "--out", filepath.Join(model, "r.svg"))
	_, notes := succeed(t, "plot", model, "--figure", "reliability", "--out", drawn)
	text, err := os.ReadFile(drawn)
	if err != nil || !strings.Contains(notes, "drawn: "+drawn) {
		t.Fatal(err, notes)
	}
	for _, want := range []string{"60 held-out bags, platt", "before (ECE 0.", "after, cross-fitted (ECE 0.", "Share of positives"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in the figure", want)
		}
	}
}

// Several classes: a probability each, whose sum is 1, and the class of the largest.
func TestTrainCalibrateClasses(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 0))
	text := "bag,label,p,q\n"
	for bag := range 60 {
		for range 2 {
			text += fmt.Sprintf("b%d,%s,%.4f,%.4f\n", bag, []string{"low", "middle", "high"}[bag%3], random.NormFloat64()+float64(bag%3), random.NormFloat64())
		}
	}
	file := write(t, "bags.csv", text)
	for _, method := range []string{"temperature", "platt", "isotonic"} {
		model := filepath.Join(t.TempDir(), "model")
		out, _ := succeed(t, "train", file, "--learner", "statistics-svm", "--calibrate", method, "--out", model)
		if _, after := brier(t, out); !(after > 0.1 && after < 0.67) || !strings.Contains(out, "calibrated by "+method+" on 60 held-out bags of 5 folds") {
			t.Error(out)
		}
		for _, b := range predictions(t, model, file) {
			sum, largest := 0.0, 0.0
			for _, p := range b.Probabilities {
				sum, largest = sum+p, max(largest, p)
			}
			if len(b.Probabilities) != 3 || math.Abs(sum-1) > 1e-9 || b.Probabilities[b.Class] != largest || b.Calibration != method {
				t.Errorf("%+v", b)
			}
		}
		drawn := filepath.Join(t.TempDir(), "reliability.svg")
		succeed(t, "plot", model, "--figure", "reliability", "--out", drawn)
		if text, err := os.ReadFile(drawn); err != nil || !strings.Contains(string(text), "Share of bags whose class is right") {
			t.Errorf("%s: the axis has another name (%v)", method, err)
		}
	}
}

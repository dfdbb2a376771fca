package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"synpool/milbench"
	"synpool/milbench/results"
)

// toy returns bags, every second one positive, the last ones of groups of two.
func toy(t *testing.T, bags int) *milbench.Set {
	t.Helper()
	s := &milbench.Set{Name: "toy", Classes: []string{"benign", "tumour, any"}}
	for i := range bags {
		b := milbench.Bag{ID: fmt.Sprint("b", i), Target: milbench.Labelled(i % 2), Instances: &milbench.Dense{Rows: 1, Cols: 1, Values: []float32{float32(i)}}}
		if i >= bags/2 {
			b.Group = fmt.Sprint("p", (i-bags/2)/2)
		}
		s.Bags = append(s.Bags, b)
	}
	if err := s.Seal(); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestParts: parts are those of the fits, and come back from their file.
func TestParts(t *testing.T) {
	official := toy(t, 12)
	for i := range official.Bags {
		official.Bags[i].Group, official.Bags[i].Split = "", milbench.TrainPart
		if i < 4 {
			official.Bags[i].Split = milbench.TestPart
		}
	}
	for _, s := range []*milbench.Set{toy(t, 24), official} {
		protocol := milbench.Protocol{Name: milbench.HonestProtocol, Folds: 4, Repeats: 3}
		p, err := Of(s, protocol, 18446744073709551615)
		if err != nil {
			t.Fatal(err)
		}
		fits, err := protocol.Fits(s, []json.RawMessage{[]byte("{}")}, 18446744073709551615)
		if err != nil {
			t.Fatal(err)
		}
		tests := 0
		for _, fit := range fits {
			for _, i := range fit.Test {
				tests++
				if p.Tested[fit.Repeat][i] != fit.Fold {
					t.Errorf("bag %d is tested by fold %d, want %d", i, p.Tested[fit.Repeat][i], fit.Fold)
				}
			}
		}
		for _, tested := range p.Tested {
			for _, fold := range tested {
				if fold != untested {
					tests--
				}
			}
		}
		if tests != 0 {
			t.Errorf("%d more test bags than in the fits", -tests)
		}
		var file bytes.Buffer
		if err := p.Write(&file); err != nil {
			t.Fatal(err)
		}
		back, err := Read(&file, "folds.csv")
		if err != nil || !reflect.DeepEqual(back, p) {
			t.Errorf("read back %+v, %v; want %+v", back, err, p)
		}
	}
	real := toy(t, 4)
	real.Kind, real.Classes = milbench.RealTarget, nil
	if _, err := Of(real, milbench.Honest(), 1); err == nil || !strings.Contains(err.Error(), "toy: its targets are of kind real") {
		t.Error(err)
	}
	if _, err := Of(toy(t, 4), milbench.Nested(), 1); err == nil || !strings.Contains(err.Error(), "nested: inner folds and validation parts are not written") {
		t.Error(err)
	}
}

// file is that of eight bags, two folds and a repeat, and scores the lines of scores for it.
func file(t *testing.T) (text, scores string) {
	t.Helper()
	p, err := Of(toy(t, 8), milbench.Protocol{Name: milbench.HonestProtocol, Folds: 2, Repeats: 2}, 1)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	scores = "bag,repeat,fold,score\n"
	for repeat, tested := range p.Tested {
		for i, fold := range tested {
			scores += fmt.Sprintf("b%d,%d,%d,%v\n", i, repeat, fold, float64(i%2)-0.5+float64(i)/10)
		}
	}
	return b.String(), scores
}

// TestReadRefuses: one line that names the file, the line and what is wrong.
func TestReadRefuses(t *testing.T) {
	text, _ := file(t)
	lines := strings.SplitAfter(text, "\n")
	for name, c := range map[string]struct{ text, want string }{
		"nothing":        {"", "f.csv: an empty file"},
		"a header":       {lines[0], "f.csv: no bags"},
		"no column":      {strings.Replace(text, "checksum", "sum", 1), "f.csv: line 1: no column checksum; the columns bag, label"},
		"twice a column": {strings.Replace(text, "label", "bag", 1), `f.csv: line 1: column "bag" stands twice`},
		"twice":          {text + lines[1], "f.csv: line 18: bag b0 stands twice in repeat 0"},
		"a bag less":     {strings.Join(lines[:16], ""), "f.csv: repeat 1 has 7 of 8 bags"},
		"another bag":    {text + strings.Replace(lines[16], "b7", "b8", 1), "f.csv: line 18: bag b8 is not in repeat 0"},
		"another class":  {strings.Replace(text, lines[9], strings.Replace(lines[9], ",0,,1", ",1,,1", 1), 1), "f.csv: line 10: bag b0 has another class or group than before"},
		"another label":  {strings.Replace(text, lines[3], strings.Replace(lines[3], "benign", "benine", 1), 1), `f.csv: line 4: bag b2 has label "benine", and class 0 is "benign"`},
		"a class":        {strings.Replace(text, "benign,0", "benign,2", 1), `f.csv: line 2: class "2"; a whole number from 0 to 1 is needed`},
		"a repeat":       {strings.Replace(text, lines[9], strings.Replace(lines[9], ",1,", ",2,", 1), 1), `f.csv: line 10: repeat "2"; a whole number from 0 to 1 is needed`},
		"a seed":         {strings.Replace(text, ",1\n", ",2\n", 1), "f.csv: line 3: set, checksum, protocol, folds, folds_run and seed are not those"},
		"no seed":        {strings.Replace(text, ",1\n", ",x\n", 1), `f.csv: line 2: seed "x"; a whole number is needed`},
		"fields":         {text + "a,b\n", "f.csv: line 18: wrong number of fields"},
	} {
		p, err := Read(strings.NewReader(c.text), "f.csv")
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %+v; want %s", name, err, p, c.want)
		}
	}
	torn := strings.Replace(text, "b5,\"tumour, any\",1,p0,0,0", "b5,\"tumour, any\",1,p0,0,1", 1)
	if torn == text {
		torn = strings.Replace(text, "b5,\"tumour, any\",1,p0,0,1", "b5,\"tumour, any\",1,p0,0,0", 1)
	}
	if _, err := Read(strings.NewReader(torn), "f.csv"); err == nil || err.Error() != "f.csv: the bags of group p0 are in several parts of repeat 0" {
		t.Errorf("a torn group: %v", err)
	}
}

// TestResults: scores become results whose figures are those of the scores; a probability is as good as its logit.
func TestResults(t *testing.T) {
	text, scores := file(t)
	p, err := Read(strings.NewReader(text), "f.csv")
	if err != nil {
		t.Fatal(err)
	}
	all, err := p.Results(strings.NewReader(scores), "s.csv", "my model")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 4 {
		t.Fatalf("%d results", len(all))
	}
	for _, r := range all {
		if err := r.Validate(); err != nil {
			t.Error(err)
		}
		for _, b := range r.Bags {
			var i int
			if _, err := fmt.Sscanf(b.ID, "b%d", &i); err != nil || b.Label != i%2 || b.Scores[0] != float64(i%2)-0.5+float64(i)/10 {
				t.Errorf("bag %+v, %v", b, err)
			}
		}
	}
	dir := filepath.Join(t.TempDir(), "results")
	if n, err := Add(dir, all); n != 4 || err != nil {
		t.Fatalf("%d added, %v", n, err)
	}
	if n, err := Add(dir, all); n != 0 || err != nil {
		t.Errorf("again: %d added, %v", n, err)
	}
	other, err := p.Results(strings.NewReader(strings.Replace(scores, "-0.5\n", "-0.7\n", 1)), "s.csv", "my model")
	if err == nil {
		_, err = Add(dir, other)
	}
	if err == nil || !strings.Contains(err.Error(), "it has other scores of this name and these folds") {
		t.Errorf("other scores: %v", err)
	}
	list, err := results.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	table, err := results.Tabulate(list)
	if err != nil || len(table.Rows) != 1 || !table.Rows[0].Declared || table.Rows[0].Setting != "my model" || table.Rows[0].N != 2 {
		t.Fatalf("%+v, %v", table, err)
	}
	lines := strings.Split(strings.TrimSpace(strings.Replace(scores, "score", "probability", 1)), "\n")
	for k := 1; k < len(lines); k++ {
		lines[k] = fmt.Sprintf("%s,%v", lines[k][:strings.LastIndex(lines[k], ",")], float64(k-1)/15) // from 0 to 1
	}
	probabilities, err := p.Results(strings.NewReader(strings.Join(lines, "\n")), "s.csv", "other")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range probabilities {
		if err := r.Validate(); err != nil {
			t.Error(err)
		}
	}
	if logit(0.5) != 0 || logit(0) != -logit(1) || logit(0) > -27 || math.Abs(logit(0.2)-math.Log(0.25)) > 1e-15 {
		t.Errorf("logits %v, %v, %v", logit(0.5), logit(0), logit(1))
	}
}

// TestResultsRefuses: one line, and nothing is stored.
func TestResultsRefuses(t *testing.T) {
	text, scores := file(t)
	p, err := Read(strings.NewReader(text), "f.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(scores, "\n")
	fold := strings.Split(lines[1], ",")[2]
	other := map[string]string{"0": "1", "1": "0"}[fold]
	for name, c := range map[string]struct{ text, want string }{
		"missing":       {strings.Join(lines[:16], ""), "s.csv: bag b7 has no score in repeat 1"},
		"twice":         {scores + lines[1], "s.csv: line 18: bag b0 stands twice in repeat 0"},
		"other folds":   {strings.Replace(scores, "b0,0,"+fold, "b0,0,"+other, 1), "s.csv: line 2: bag b0 is tested by fold " + fold + " of repeat 0, not by fold " + other + "; these are other folds"},
		"other bags":    {strings.Replace(scores, "b0", "c0", 1), "s.csv: line 2: bag c0 is not among the 8 bags of the parts; these are other folds"},
		"NaN":           {strings.Replace(scores, "-0.5", "NaN", 1), `s.csv: line 2: bag b0: score "NaN"; a finite number is needed`},
		"a word":        {strings.Replace(scores, "-0.5", "high", 1), `s.csv: line 2: bag b0: score "high"; a finite number is needed`},
		"a repeat":      {strings.Replace(scores, "b0,0", "b0,2", 1), `s.csv: line 2: repeat "2"; a whole number from 0 to 1 is needed`},
		"a probability": {strings.Replace(scores, "score", "probability", 1), "s.csv: line 2: bag b0: probability -0.5; it is from 0 to 1"},
		"no score":      {strings.Replace(scores, "score", "logit", 1), "s.csv: line 2: bag b0: no column score or probability"},
		"both":          {strings.Replace(strings.ReplaceAll(scores, "\n", ",1\n"), "score,1", "score,probability", 1), "s.csv: line 2: bag b0: both a column score and a column probability"},
	} {
		all, err := p.Results(strings.NewReader(c.text), "s.csv", "model")
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || all != nil {
			t.Errorf("%s: %v; want %s", name, err, c.want)
		}
	}
	for _, name := range []string{"", " a", "a\n"} {
		if _, err := Setting(name); err == nil {
			t.Errorf("name %q: no error", name)
		}
	}
	dir := filepath.Join(t.TempDir(), "none")
	if _, err := Add(dir, []results.Result{{}}); err == nil {
		t.Error("an empty result was added")
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
}

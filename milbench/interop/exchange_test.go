package interop

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
	"synpool/milbench/results"
)

// toy returns bags, every second one positive; the last ones are in groups of two.
func toy(t testing.TB, bags int) *mil.Set {
	t.Helper()
	s := &mil.Set{Name: "toy", Classes: []string{"benign", "tumour, any"}}
	for i := range bags {
		b := mil.Bag{ID: fmt.Sprint("b", i), Target: mil.Labelled(i % 2), Instances: &mil.Dense{Rows: 1, Cols: 1, Values: []float32{float32(i)}}}
		if i >= bags/2 {
			b.Group = fmt.Sprint("p", (i-bags/2)/2)
		}
		s.Bags = append(s.Bags, b)
	}
	must(t, s.Seal())
	return s
}

// kinds returns 24 bags for a kind of target.
func kinds(t testing.TB, kind mil.TargetKind) *mil.Set {
	t.Helper()
	s := toy(t, 24)
	s.Kind, s.Classes = kind, nil
	if kind == mil.ClassTarget {
		s.Classes = []string{"a", "b, c", "d_e"}
	}
	for i := range s.Bags {
		switch s.Bags[i].Group = ""; kind {
		case mil.ClassTarget:
			s.Bags[i].Target = mil.Labelled(i % 3)
		case mil.RealTarget:
			s.Bags[i].Target = mil.Target{Value: float64(i)/10 - 1}
		case mil.SurvivalTarget:
			s.Bags[i].Target = mil.Target{Value: float64(i) / 3, Event: i%2 == 0}
		}
	}
	must(t, s.Seal())
	return s
}

// TestParts: parts match those of the fits, and can be read back from their file.
func TestParts(t *testing.T) {
	official := toy(t, 12)
	for i := range official.Bags {
		official.Bags[i].Group, official.Bags[i].Split = "", mil.TrainPart
		if i < 4 {
			official.Bags[i].Split = mil.TestPart
		}
	}
	sets := []*mil.Set{toy(t, 24), official}
	for _, kind := range []mil.TargetKind{mil.ClassTarget, mil.RealTarget, mil.SurvivalTarget} {
		sets = append(sets, kinds(t, kind))
	}
	for _, s := range sets {
		protocol := cv.Protocol{Name: cv.HonestProtocol, Folds: 4, Repeats: 3}
		p, err := Of(s, protocol, 18446744073709551615)
		must(t, err)
		fits, err := protocol.Fits(s, []json.RawMessage{[]byte("{}")}, 18446744073709551615)
		must(t, err)
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
				if fold != cv.Untested {
					tests--
				}
			}
		}
		if tests != 0 {
			t.Errorf("%d more test bags than in the fits", -tests)
		}
		var file bytes.Buffer
		must(t, p.Write(&file))
		back, err := Read(&file, "folds.csv")
		if err != nil || !reflect.DeepEqual(back, p) {
			t.Errorf("read back %+v, %v; want %+v", back, err, p)
		}
	}
	if _, err := Of(toy(t, 4), cv.Nested(), 1); err == nil || !strings.Contains(err.Error(), "nested: inner folds and validation parts are not written") {
		t.Error(err)
	}
}

// file returns a file of eight bags, two folds and one repeat, and the lines of scores for it.
func file(t *testing.T) (text, scores string) {
	t.Helper()
	p, err := Of(toy(t, 8), cv.Protocol{Name: cv.HonestProtocol, Folds: 2, Repeats: 2}, 1)
	must(t, err)
	var b bytes.Buffer
	must(t, p.Write(&b))
	scores = "bag,repeat,fold,score\n"
	for repeat, tested := range p.Tested {
		for i, fold := range tested {
			scores += fmt.Sprintf("b%d,%d,%d,%v\n", i, repeat, fold, float64(i%2)-0.5+float64(i)/10)
		}
	}
	return b.String(), scores
}

// TestReadRefuses: one line names the file, the line and the problem.
func TestReadRefuses(t *testing.T) {
	text, _ := file(t)
	lines := strings.SplitAfter(text, "\n")
	for name, c := range map[string]struct{ text, want string }{
		"nothing":        {"", "f.csv: an empty file"},
		"a header":       {lines[0], "f.csv: no bags"},
		"no column":      {strings.Replace(text, "checksum", "sum", 1), "f.csv: line 1: no column checksum; the columns bag, group"},
		"twice a column": {strings.Replace(text, "label", "bag", 1), `f.csv: line 1: column "bag" occurs twice`},
		"twice":          {text + lines[1], "f.csv: line 18: bag b0 occurs twice in repeat 0"},
		"a bag less":     {strings.Join(lines[:16], ""), "f.csv: repeat 1 has 7 of 8 bags"},
		"another bag":    {text + strings.Replace(lines[16], "b7", "b8", 1), "f.csv: line 18: bag b8 is not in repeat 0"},
		"another class":  {strings.Replace(text, lines[9], strings.Replace(lines[9], ",0,,1", ",1,,1", 1), 1), "f.csv: line 10: bag b0: label \"benign\", and class 1 is \"tumour, any\""},
		"another label":  {strings.Replace(text, lines[3], strings.Replace(lines[3], "benign", "benine", 1), 1), `f.csv: line 4: bag b2: label "benine", and class 0 is "benign"`},
		"a class":        {strings.Replace(text, "benign,0", "benign,2", 1), `f.csv: line 2: bag b0: class "2"; a whole number from 0 to 1 is needed`},
		"a repeat":       {strings.Replace(text, lines[9], strings.Replace(lines[9], ",1,", ",2,", 1), 1), `f.csv: line 10: repeat "2"; a whole number from 0 to 1 is needed`},
		"a seed":         {strings.Replace(text, ",1\n", ",2\n", 1), "f.csv: line 3: set, checksum, target, protocol, folds, folds_run, splits and seed are not those"},
		"no seed":        {strings.Replace(text, ",1\n", ",x\n", 1), `f.csv: line 2: seed "x"; a whole number is needed`},
		"no target":      {strings.Replace(text, "label", "word", 1), "f.csv: line 2: no column label; the columns label, class are needed"},
		"a target":       {strings.Replace(text, ",binary,", ",ordinal,", 1), `f.csv: line 2: "ordinal" is not a kind of target; the kinds are binary`},
		"another target": {strings.Replace(text, lines[2], strings.Replace(lines[2], ",binary,", ",real,", 1), 1), "f.csv: line 3: set, checksum, target"},
		"another group":  {strings.Replace(text, lines[9], strings.Replace(lines[9], ",0,,1", ",0,x,1", 1), 1), "f.csv: line 10: bag b0 has another target or group than before"},
		"two of a name":  {strings.ReplaceAll(text, "\"tumour, any\"", "benign"), `f.csv: classes 0 and 1 are both called "benign"`},
		"no label":       {strings.Replace(text, "benign", "", 1), "f.csv: line 2: bag b0: no label"},
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

// TestResults: scores become results with the figures of the scores. A probability gives the same as its logit.
func TestResults(t *testing.T) {
	text, scores := file(t)
	p, err := Read(strings.NewReader(text), "f.csv")
	must(t, err)
	all, err := p.Results(strings.NewReader(scores), "s.csv", "my model")
	must(t, err)
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
	must(t, err)
	table, err := results.Tabulate(list)
	if err != nil || len(table.Rows) != 1 || !table.Rows[0].Declared || table.Rows[0].Setting != "my model" || table.Rows[0].N != 2 {
		t.Fatalf("%+v, %v", table, err)
	}
	lines := strings.Split(strings.TrimSpace(strings.Replace(scores, "score", "probability", 1)), "\n")
	for k := 1; k < len(lines); k++ {
		lines[k] = fmt.Sprintf("%s,%v", lines[k][:strings.LastIndex(lines[k], ",")], float64(k-1)/15) // from 0 to 1
	}
	probabilities, err := p.Results(strings.NewReader(strings.Join(lines, "\n")), "s.csv", "other")
	must(t, err)
	for _, r := range probabilities {
		if err := r.Validate(); err != nil {
			t.Error(err)
		}
	}
	if logit(0.5) != 0 || logit(0) != -logit(1) || logit(0) > -27 || math.Abs(logit(0.2)-math.Log(0.25)) > 1e-15 {
		t.Errorf("logits %v, %v, %v", logit(0.5), logit(0), logit(1))
	}
}

// TestResultsRefuses: the error is one line, and nothing is stored.
func TestResultsRefuses(t *testing.T) {
	text, scores := file(t)
	p, err := Read(strings.NewReader(text), "f.csv")
	must(t, err)
	lines := strings.SplitAfter(scores, "\n")
	fold := strings.Split(lines[1], ",")[2]
	other := map[string]string{"0": "1", "1": "0"}[fold]
	for name, c := range map[string]struct{ text, want string }{
		"missing":       {strings.Join(lines[:16], ""), "s.csv: bag b7 has no score in repeat 1"},
		"twice":         {scores + lines[1], "s.csv: line 18: bag b0 occurs twice in repeat 0"},
		"other folds":   {strings.Replace(scores, "b0,0,"+fold, "b0,0,"+other, 1), "s.csv: line 2: bag b0 is tested by fold " + fold + " of repeat 0, not by fold " + other + "; these are other folds"},
		"other bags":    {strings.Replace(scores, "b0", "c0", 1), "s.csv: line 2: bag c0 is not among the 8 bags of the parts; these are other folds"},
		"NaN":           {strings.Replace(scores, "-0.5", "NaN", 1), `s.csv: line 2: bag b0: score "NaN"; a finite number is needed`},
		"a word":        {strings.Replace(scores, "-0.5", "high", 1), `s.csv: line 2: bag b0: score "high"; a finite number is needed`},
		"a repeat":      {strings.Replace(scores, "b0,0", "b0,2", 1), `s.csv: line 2: repeat "2"; a whole number from 0 to 1 is needed`},
		"a probability": {strings.Replace(scores, "score", "probability", 1), "s.csv: line 2: bag b0: probability -0.5; it is from 0 to 1: call the column score if it is none"},
		"no score":      {strings.Replace(scores, "score", "logit", 1), "s.csv: line 1: no column score or probability"},
		"both":          {strings.Replace(strings.ReplaceAll(scores, "\n", ",1\n"), "score,1", "score,probability", 1), "s.csv: line 1: both a column score and a column probability; keep one"},
	} {
		all, err := p.Results(strings.NewReader(c.text), "s.csv", "model")
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || all != nil {
			t.Errorf("%s: %v; want %s", name, err, c.want)
		}
	}
	for _, name := range []string{"", " a", "a\n"} {
		if _, err := settingOf(name); err == nil {
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

// scoresOf returns the parts of 24 bags for a kind of target, read back from their file, and a table of scores with
// the given columns; of returns the fields for a bag.
func scoresOf(t testing.TB, kind mil.TargetKind, columns string, of func(i int, b Bag) string) (*Parts, string) {
	t.Helper()
	s := toy(t, 24)
	if kind != mil.BinaryTarget {
		s = kinds(t, kind)
	}
	p, err := Of(s, cv.Protocol{Name: cv.HonestProtocol, Folds: 2, Repeats: 2}, 1)
	must(t, err)
	var file bytes.Buffer
	must(t, p.Write(&file))
	if p, err = Read(&file, "f.csv"); err != nil {
		t.Fatal(err)
	}
	text := "bag,repeat,fold," + columns + "\n"
	for repeat, tested := range p.Tested {
		for i, b := range p.Bags {
			text += fmt.Sprintf("%s,%d,%d,%s\n", b.ID, repeat, tested[i], of(i, b))
		}
	}
	return p, text
}

// ofClass returns values for three classes; right is for the class of the bag.
func ofClass(right, wrong string) func(int, Bag) string {
	return func(_ int, b Bag) string {
		fields := []string{wrong, wrong, wrong}
		fields[b.Label] = right
		return strings.Join(fields, ",")
	}
}

const (
	probabilities = `probability_a,"probability_b, c",probability_d_e`
	logits        = `score_a,"score_b, c",score_d_e`
)

// TestResultsOfKinds: perfect scores for every kind of target give the best figure, and the table row names it.
func TestResultsOfKinds(t *testing.T) {
	two := func(first, second string) func(int, Bag) string {
		return func(_ int, b Bag) string { return []string{first + "," + second, second + "," + first}[b.Label] }
	}
	for _, c := range []struct {
		kind    mil.TargetKind
		columns string
		of      func(int, Bag) string
		scores  []float64 // of the first bag
		figure  string
	}{
		{mil.BinaryTarget, `probability_benign,"probability_tumour, any"`, two("0.8", "0.2"), []float64{math.Log(0.2) - math.Log(0.8)}, "AUC"},
		{mil.BinaryTarget, `score_benign,"score_tumour, any"`, two("2", "-1"), []float64{-3}, "AUC"},
		{mil.ClassTarget, probabilities, ofClass("0.8", "0.1"), []float64{math.Log(0.8), math.Log(0.1), math.Log(0.1)}, "macro AUC"},
		{mil.ClassTarget, probabilities, ofClass("0.8005", "0.1"), []float64{math.Log(0.8005), math.Log(0.1), math.Log(0.1)}, "macro AUC"},
		{mil.ClassTarget, probabilities, ofClass("1", "0"), []float64{0, math.Log(1e-12), math.Log(1e-12)}, "macro AUC"},
		{mil.ClassTarget, logits, ofClass("3.5", "-1"), []float64{3.5, -1, -1}, "macro AUC"},
		{mil.RealTarget, "prediction", func(_ int, b Bag) string { return fmt.Sprint(b.Value) }, []float64{-1}, "R²"},
		{mil.RealTarget, "value", func(_ int, b Bag) string { return fmt.Sprint(b.Value) }, []float64{-1}, "R²"},
		{mil.SurvivalTarget, "risk", func(_ int, b Bag) string { return fmt.Sprint(-b.Value) }, []float64{0}, "concordance"},
	} {
		p, text := scoresOf(t, c.kind, c.columns, c.of)
		all, err := p.Results(strings.NewReader(text), "s.csv", "my model")
		if err != nil {
			t.Errorf("%v, %s: %v", c.kind, c.columns, err)
			continue
		}
		dir := filepath.Join(t.TempDir(), "results")
		if _, err := Add(dir, all); err != nil {
			t.Fatal(err)
		}
		list, err := results.Read(dir)
		must(t, err)
		for _, r := range list {
			for _, b := range r.Bags {
				if b.ID == "b0" && !reflect.DeepEqual(b.Scores, c.scores) {
					t.Errorf("%v, %s: scores %v, want %v", c.kind, c.columns, b.Scores, c.scores)
				}
			}
		}
		table, err := results.Tabulate(list)
		if err != nil || len(table.Rows) != 1 {
			t.Fatalf("%v: %+v, %v", c.kind, table, err)
		}
		if row := table.Rows[0]; row.Target != c.kind || row.Figure != c.figure || row.Mean != 1 || !row.Declared || row.N != 2 {
			t.Errorf("%v, %s: %+v", c.kind, c.columns, row)
		}
	}
}

// TestKindsRefuse: a table of another kind, or with invalid numbers, gives a one-line error.
func TestKindsRefuse(t *testing.T) {
	zero := func(int, Bag) string { return "0" }
	right := ofClass("0.8", "0.1")
	for name, c := range map[string]struct {
		kind     mil.TargetKind
		columns  string
		of       func(int, Bag) string
		old, new string // replaced once
		want     string
	}{
		"sum": {mil.ClassTarget, probabilities, right, "0.8,0.1,0.1", "0.8,0.1,0.05",
			"s.csv: line 2: bag b0: its probabilities sum to 0.95, not to 1 within 0.001"},
		"a little more":      {mil.ClassTarget, probabilities, ofClass("0.8021", "0.1"), "", "", "s.csv: line 2: bag b0: its probabilities sum to 1.002, not"},
		"a probability":      {mil.ClassTarget, probabilities, ofClass("1.2", "-0.1"), "", "", "s.csv: line 2: bag b0: probability_a 1.2; it is from 0 to 1: call the column score_a if"},
		"NaN":                {mil.ClassTarget, probabilities, ofClass("NaN", "0"), "", "", `s.csv: line 2: bag b0: probability_a "NaN"; a finite number is needed`},
		"infinite":           {mil.ClassTarget, logits, ofClass("1", "-Inf"), "", "", `s.csv: line 2: bag b0: score_b, c "-Inf"; a finite number is needed`},
		"underscores":        {mil.ClassTarget, probabilities, ofClass("0_1", "0"), "", "", `s.csv: line 2: bag b0: probability_a "0_1"; a finite number is needed`},
		"hexadecimal":        {mil.RealTarget, "value", func(int, Bag) string { return "0x1p-2" }, "", "", `s.csv: line 2: bag b0: value "0x1p-2"; a finite number is needed`},
		"missing class":      {mil.ClassTarget, probabilities, right, "probability_d_e", "other", "s.csv: line 1: no column probability_d_e; each of the classes a, b, c, d_e needs one"},
		"unknown class":      {mil.ClassTarget, probabilities, right, "probability_d_e", "probability_f", "s.csv: line 1: column probability_f belongs to no class; the classes are a, b, c, d_e"},
		"both":               {mil.ClassTarget, probabilities, right, "probability_d_e", "score_d_e", "s.csv: line 1: columns score_a and probability_a; keep one kind"},
		"a score of classes": {mil.ClassTarget, "score", zero, "", "", "s.csv: line 1: no columns score_a and so on, or probability_a and so on"},
		"missing of two":     {mil.BinaryTarget, "probability_benign", zero, "", "", "s.csv: line 1: no column probability_tumour, any; each"},
		"two and one":        {mil.BinaryTarget, "probability_benign,score", func(int, Bag) string { return "0,0" }, "", "", "s.csv: line 1: both a column score and columns of classes; keep one"},
		"no value":           {mil.RealTarget, "score", zero, "", "", "s.csv: line 1: no column prediction or value"},
		"two values":         {mil.RealTarget, "value,prediction", func(int, Bag) string { return "0,0" }, "", "", "s.csv: line 1: both a column prediction and a column value; keep one"},
		"a value NaN":        {mil.RealTarget, "value", func(int, Bag) string { return "nan" }, "", "", `s.csv: line 2: bag b0: value "nan"; a finite number is needed`},
		"no risk":            {mil.SurvivalTarget, "value", zero, "", "", "s.csv: line 1: no column risk; the columns risk are needed"},
		"an empty risk":      {mil.SurvivalTarget, "risk", func(int, Bag) string { return "" }, "", "", `s.csv: line 2: bag b0: risk ""; a finite number is needed`},
	} {
		p, text := scoresOf(t, c.kind, c.columns, c.of)
		if c.old != "" {
			if !strings.Contains(text, c.old) {
				t.Errorf("%s: nothing to replace", name)
			}
			text = strings.Replace(text, c.old, c.new, 1)
		}
		all, err := p.Results(strings.NewReader(text), "s.csv", "model")
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || all != nil {
			t.Errorf("%s: %v; want %s", name, err, c.want)
		}
	}
}

// TestForeignTables: tables written by other programs read the same.
func TestForeignTables(t *testing.T) {
	p, text := scoresOf(t, mil.ClassTarget, logits, ofClass("3.5", "-1"))
	want, err := p.Results(strings.NewReader(text), "s.csv", "model")
	must(t, err)
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	must(t, err)
	// written returns the table with another separator and line ending, and changed columns.
	written := func(comma rune, crlf bool, change func(record []string) []string) string {
		var b bytes.Buffer
		out := csv.NewWriter(&b)
		out.Comma, out.UseCRLF = comma, crlf
		for i, record := range records {
			if record = slices.Clone(record); change != nil {
				record = change(record)
			}
			if change == nil && i > 0 {
				record[1] += ".0" // pandas writes whole numbers this way next to missing ones
			}
			out.Write(record)
		}
		out.Flush()
		return b.String()
	}
	for name, text := range map[string]string{
		"semicolons":      written(';', false, nil),
		"tabs":            written('\t', false, nil),
		"CRLF":            written(',', true, nil),
		"byte order mark": "\ufeff" + written(';', true, nil),
		"another order":   written(',', false, func(r []string) []string { slices.Reverse(r); return r }),
		"more columns":    written(',', false, func(r []string) []string { return append([]string{""}, append(r, r[0]+" seen")...) }),
		"spaces":          strings.ReplaceAll(strings.Replace(text, ",", " , ", 2), "\nb", "\n b"),
		"no end":          strings.TrimSuffix(text, "\n"),
		"empty lines":     strings.ReplaceAll(text, "\n", "\n\n"),
		"lines in another order": func() string {
			lines := strings.Split(strings.TrimSpace(text), "\n")
			slices.Reverse(lines[1:])
			return strings.Join(lines, "\n")
		}(),
	} {
		got, err := p.Results(strings.NewReader(text), "s.csv", "model")
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := p.Results(strings.NewReader(strings.ReplaceAll(written(';', false, nil), "3.5", "3,5")), "s.csv", "model"); err == nil ||
		err.Error() != `s.csv: line 2: bag b0: score_a "3,5"; a finite number is needed` {
		t.Errorf("decimal commas: %v", err)
	}
	if _, err := p.Results(strings.NewReader("\x00\xff"), "s.csv", "model"); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("bytes: %v", err)
	}
}

// FuzzRead: no file of parts causes a panic, and what is read can be written and read again.
func FuzzRead(f *testing.F) {
	for _, kind := range []mil.TargetKind{mil.BinaryTarget, mil.ClassTarget, mil.RealTarget, mil.SurvivalTarget} {
		p, scores := scoresOf(f, kind, "score", func(int, Bag) string { return "0" })
		var b bytes.Buffer
		p.Write(&b)
		f.Add(b.String(), scores)
	}
	f.Fuzz(func(t *testing.T, text, scores string) {
		p, err := Read(strings.NewReader(text), "f.csv")
		if err != nil {
			return
		}
		p.Results(strings.NewReader(scores), "s.csv", "model")
		var b bytes.Buffer
		must(t, p.Write(&b))
		if back, err := Read(&b, "f.csv"); err != nil || !reflect.DeepEqual(back, p) {
			t.Errorf("read back %+v, %v; want %+v", back, err, p)
		}
	})
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

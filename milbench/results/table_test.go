package results

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"synpool/milbench/mil"
	"synpool/milbench/stats"
)

var update = flag.Bool("update", false, "write the golden tables again")

// sample returns a valid result of one of two folds.
func sample(set, config string, repeat, fold int, labels []int, scores []float64) Result {
	r := Result{
		Set: set, Checksum: fmt.Sprintf("%064x", len(set)), Protocol: "honest", Folds: 2, FoldsRun: 2, Repeat: repeat, Fold: fold, Seed: 1,
		Config: json.RawMessage(config), Epoch: 5, Backend: "go", Version: "v0.1.0", Revision: "abc", WallS: 1.5,
	}
	for i, y := range labels {
		r.Bags = append(r.Bags, ScoredBag{ID: fmt.Sprint("bag", fold, "-", i), Target: mil.Labelled(y), Scores: []float64{scores[i]}})
	}
	return withID(r)
}

func withID(r Result) Result {
	id, err := r.ID()
	if err != nil {
		panic(err)
	}
	r.Fit = id
	return r
}

var four = []int{0, 0, 1, 1}

// pair returns the results of both folds of a repeat: AUC 1 in the first fold; 0.75 in the second, or 1 in odd
// repeats. There shift moves all scores, which only affects the pooled figures.
func pair(set, config string, repeat int, shift float64) []Result {
	if repeat%2 == 1 {
		return []Result{
			sample(set, config, repeat, 0, four, []float64{-2, -1, 1, 2}),
			sample(set, config, repeat, 1, four, []float64{-1 + shift, -0.5 + shift, 0 + shift, 2 + shift}),
		}
	}
	return []Result{
		sample(set, config, repeat, 0, four, []float64{-2, -1, 1, 2}),
		sample(set, config, repeat, 1, four, []float64{-1 + shift, 1 + shift, 0 + shift, 2 + shift}),
	}
}

// TestFigures compares a row with figures computed by hand.
func TestFigures(t *testing.T) {
	const config = `{"pooling":"syn","iterations":-3}`
	results := pair("set", config, 0, 0)
	few := sample("set", `{"pooling":"mean"}`, 0, 0, []int{0, 1, 1}, []float64{0, 0, 0}) // one bag of a class
	few.Bags[1].ID = "another"
	results = append(results,
		sample("set", config, 1, 0, four, []float64{-2, -1, 1, 2}),              // AUC 1
		sample("set", config, 1, 1, four, []float64{0.1, 0.2, 0.3, 0.4}),        // AUC 1
		sample("set", `{"pooling":"max"}`, 0, 0, four, []float64{2, 1, -1, -2}), // one repeat lacks a fold
		few,
		sample("set", `{"pooling":"mean"}`, 0, 1, four, []float64{0, 0, 0, 0}))
	table := tabulated(t, results)
	if len(table.Rows) != 2 || len(table.Notes) != 1 || !strings.HasPrefix(table.Notes[0], "set, max: 1 of 1 repeats left out") {
		t.Fatalf("%d rows, notes %q", len(table.Rows), table.Notes)
	}
	mean, syn := table.Rows[0], table.Rows[1]
	if mean.Setting != "mean" || mean.N != 1 || mean.Mean != 0.5 || mean.SD != nil || mean.Low != nil || mean.SE != nil || mean.Interval != "" || mean.TestBags != 7 {
		t.Errorf("mean: %+v", mean)
	}
	if syn.Setting != "syn I=-3" || syn.N != 2 || syn.TestBags != 8 || syn.Interval != OverBags || syn.Folds != 2 || syn.Protocol != "honest" || !slices.Equal(syn.Values, []float64{0.875, 1}) {
		t.Errorf("syn: %+v", syn)
	}
	// Fold 2 of repeat 1: V10 = (0.5, 1), V01 = (1, 0.5), each with variance 0.125, so se^2 = 0.125. The other folds:
	// 0.
	se := math.Sqrt(0.125 / 4 / 2)
	// Pooled, repeat 1: positives 1 2 0 2 against negatives -2 -1 -1 1: 3.5 + 4 + 3 + 4 of 16. Repeat 2: positives
	// 1 2 .3 .4 against -2 -1 .1 .2: all.
	pooled := (14.5/16 + 1) / 2
	for name, pair := range map[string][2]float64{
		"mean": {syn.Mean, 0.9375}, "SD": {*syn.SD, 0.125 / math.Sqrt2},
		"low": {*syn.Low, 0.9375 - 1.959963984540054*se}, "high": {*syn.High, 1}, "SE": {*syn.SE, se},
		"pooled": {syn.Figures["auc_pooled"], pooled},
		// Fold 2 of repeat 1 in falling order: 1 0 1 0: 1/2 * 1 + 1/2 * 2/3.
		"AP": {syn.Figures["average_precision"], ((1+5.0/6)/2 + 1) / 2},
		// Above 0: repeat 1: negatives 1 of 4 wrong, positives 0 is wrong; repeat 2: negatives .1 and .2 are wrong.
		"accuracy": {syn.Figures["accuracy"], (6.0/8 + 6.0/8) / 2}, "balanced": {syn.Figures["balanced_accuracy"], (6.0/8 + 6.0/8) / 2},
	} {
		if math.Abs(pair[0]-pair[1]) > 1e-9 {
			t.Errorf("%s is %v, want %v", name, pair[0], pair[1])
		}
	}
}

// goldenResults has every kind of row: several settings, one repeat, an incomplete repeat, split, optimistic, leaked,
// nested, other backends, names that need escaping.
func goldenResults() (results []Result) {
	change := func(f func(*Result), rs ...Result) {
		for _, r := range rs {
			f(&r)
			results = append(results, withID(r))
		}
	}
	same := func(*Result) {}
	for repeat := range 3 {
		shift := 0.5 * float64(repeat)
		change(same, pair("web10", `{"pooling":"syn","iterations":-3,"width":64}`, repeat, shift)...)
		change(same, pair("web10", `{"pooling":"syn","iterations":3,"width":64}`, repeat, -shift)...)
		change(same, pair("web10", `{"pooling":"syn","iterations":10,"width":64}`, repeat, shift)...)
		change(same, pair("web10", `{"pooling":"mean","width":64}`, repeat, shift)[:2-repeat%2]...)
	}
	change(func(r *Result) { r.Folds, r.FoldsRun = 1, 1 }, pair("web2", `{"pooling":"softmax"}`, 0, 0)[0])
	change(func(r *Result) { r.Protocol, r.Folds, r.FoldsRun, r.Optimistic = "published", 4, 1, true }, pair("web2", `{"pooling":"softmax"}`, 0, 0)[0])
	change(func(r *Result) { r.Leaked, r.Backend = true, "xla" }, pair("my_bags|50%", `{"pooling":"gated"}`, 0, 0)...)
	for repeat := range 2 { // the second is from another program
		change(func(r *Result) {
			r.Backend, r.Revision = []string{"go", "xla"}[repeat], []string{"abc", "def"}[repeat]
		}, pair("birdsong", `{"pooling":"max"}`, repeat, 0)...)
	}
	for i := range 2 { // two sets with one name
		change(func(r *Result) { r.Checksum = strings.Repeat("ab"[i:i+1], 64) }, pair("bags.csv", `{"pooling":"max"}`, 0, 0)...)
	}
	for repeat := range 2 {
		for i, config := range []string{`{"pooling":"lse","gamma":0.5}`, `{"pooling":"lse","gamma":1}`, `{"pooling":"max"}`} {
			change(func(r *Result) {
				r.Protocol = "nested"
				r.Validation = []ScoredBag{{ID: "v0", Target: mil.Labelled(0), Scores: []float64{0}}, {ID: "v1", Target: mil.Labelled(1), Scores: []float64{float64((i+r.Fold)%2) - 0.5}}}
			}, pair("nested", config, repeat, float64(i))...)
		}
	}
	return results
}

var longNumber = regexp.MustCompile(`\d+\.\d{11,}`)

// roundedText rounds long numbers to 10 decimals, because some processors fuse multiplication and addition and differ
// in the last digits.
func roundedText(text string) string {
	return longNumber.ReplaceAllStringFunc(text, func(number string) string {
		x, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return number
		}
		return strconv.FormatFloat(x, 'f', 10, 64)
	})
}

// requireGolden compares a text with a file of testdata, up to the last digits of numbers; go test -update writes it.
func requireGolden(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must(t, os.WriteFile(path, []byte(text), 0o666))
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if roundedText(text) != roundedText(string(want)) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, text, want)
	}
}

// TestGoldenTables compares every format with its golden file.
func TestGoldenTables(t *testing.T) {
	results := goldenResults()
	table := tabulated(t, results)
	slices.Reverse(results)
	reversed := tabulated(t, results)
	for _, format := range Formats {
		t.Run(format, func(t *testing.T) {
			var got, again bytes.Buffer
			must(t, table.Write(&got, format))
			must(t, reversed.Write(&again, format))
			if got.String() != again.String() {
				t.Error("the order of the results changes the table")
			}
			requireGolden(t, "table."+format, got.String())
			for _, word := range []string{"optimistic", map[bool]string{true: `"leaked": true`, false: "LEAKED"}[format == "json"]} {
				if !strings.Contains(got.String(), word) {
					t.Errorf("%q is not in the table", word)
				}
			}
		})
	}
	var b bytes.Buffer
	for format, want := range map[string]string{"jsn": `did you mean "json"?`, "spreadsheet": "use one of md, csv, tex, html, json"} {
		if err := table.Write(&b, format); err == nil || !strings.Contains(err.Error(), want) || b.Len() > 0 {
			t.Errorf("format %s: %v", format, err)
		}
	}
	if err := (Table{}).Write(&b, "json"); err != nil || b.String() != "[]\n" {
		t.Errorf("an empty table is %q, %v", b.String(), err)
	}
}

// TestNestedChoice checks that only the validation part chooses, and what is left out.
func TestNestedChoice(t *testing.T) {
	nested := func(config string, repeat, fold int, validation []float64, test []float64) Result {
		r := sample("set", config, repeat, fold, four, test)
		r.Protocol = "nested"
		for i, y := range four {
			r.Validation = append(r.Validation, ScoredBag{ID: fmt.Sprint("v", i), Target: mil.Labelled(y), Scores: []float64{validation[i]}})
		}
		return withID(r)
	}
	const a, b = `{"pooling":"syn","iterations":1}`, `{"pooling":"syn","iterations":2}`
	good, sure, bad := []float64{-1, -1, 1, 1}, []float64{-5, -5, 5, 5}, []float64{1, 1, -1, -1}
	results := []Result{
		nested(a, 0, 0, good, bad), nested(b, 0, 0, bad, good), // a is better on validation, but worse on the test part
		nested(a, 0, 1, good, bad), nested(b, 0, 1, sure, good), // equal AUC, b has the lower log-loss
		nested(a, 1, 0, good, good), nested(b, 1, 0, good, bad), // all equal: the first in order
		nested(a, 1, 1, good, good), nested(b, 1, 1, good, bad),
		nested(a, 2, 0, good, good), nested(b, 2, 0, good, bad), nested(a, 2, 1, good, good), // b lacks a fold
	}
	table := tabulated(t, results)
	if len(table.Rows) != 1 || len(table.Notes) != 1 || !strings.Contains(table.Notes[0], "1 of 3 repeats left out") {
		t.Fatalf("%d rows, notes %q", len(table.Rows), table.Notes)
	}
	row := table.Rows[0]
	if row.Setting != "syn (chosen inside)" || row.Config != nil || !slices.Equal(row.Values, []float64{0.5, 1}) {
		t.Errorf("%+v", row)
	}
	if len(row.Chosen) != 2 || row.Chosen[0].Fits != 3 || row.Chosen[1].Fits != 1 || !strings.Contains(string(row.Chosen[0].Config), `"iterations":1`) {
		t.Errorf("chosen: %+v", row.Chosen)
	}
	kept, err := ReadArchive(strings.NewReader(writeArchive(t, results)))
	must(t, err)
	if again, err := Tabulate(kept.Results); err != nil || !reflect.DeepEqual(again, table) {
		t.Errorf("out of an archive: %+v, %v\nwant %+v", again, err, table)
	}
	const c = `{"pooling":"mean"}`
	across := []Result{nested(a, 0, 0, good, bad), nested(c, 0, 0, bad, good), nested(a, 0, 1, bad, bad), nested(c, 0, 1, good, good)}
	best, err := TabulateBest(append(across, pair("set", a, 0, 0)...)) // the honest pair has no row
	if err != nil || len(best.Rows) != 1 {
		t.Fatalf("%+v, %v", best, err)
	}
	if row := best.Rows[0]; row.Setting != "any (chosen inside)" || row.Protocol != "nested" || !slices.Equal(row.Values, []float64{0.5}) || len(row.Chosen) != 2 {
		t.Errorf("%+v", row)
	}
	if _, err := Tabulate([]Result{func() Result { r := nested(a, 0, 0, good, good); r.Validation = nil; return r }(), nested(b, 0, 0, good, good),
		nested(a, 0, 1, good, good), nested(b, 0, 1, good, good)}); err == nil || !strings.Contains(err.Error(), "validation part") {
		t.Errorf("without a validation part: %v", err)
	}
}

// TestRowsApart checks which results form two rows and which one.
func TestRowsApart(t *testing.T) {
	const config = `{"pooling":"syn"}`
	other := func(f func(*Result)) (out []Result) {
		for _, r := range pair("set", config, 0, 0) {
			f(&r)
			out = append(out, withID(r))
		}
		return out
	}
	base := pair("set", config, 0, 0)
	for name, test := range map[string]struct {
		more []Result
		rows int
		n    int
	}{
		"seed":     {other(func(r *Result) { r.Seed = 2 }), 1, 2},
		"copy":     {other(func(r *Result) { r.Backend = "xla" }), 1, 1},
		"keys":     {other(func(r *Result) { r.Config = json.RawMessage(`{ "pooling" : "syn" }`) }), 1, 1},
		"content":  {other(func(r *Result) { r.Checksum = strings.Repeat("f", 64) }), 2, 1},
		"protocol": {other(func(r *Result) { r.Protocol = "published"; r.Folds = 2; r.Optimistic = true }), 2, 1},
		"leaked":   {other(func(r *Result) { r.Leaked, r.Seed = true, 2 }), 1, 2},
	} {
		table := tabulated(t, append(slices.Clone(base), test.more...))
		if len(table.Rows) != test.rows || table.Rows[0].N != test.n {
			t.Errorf("%s: %d rows, n = %d; want %d, %d", name, len(table.Rows), table.Rows[0].N, test.rows, test.n)
		}
		if table.Rows[0].Leaked != (name == "leaked") {
			t.Errorf("%s: leaked is %v", name, table.Rows[0].Leaked)
		}
		if name == "content" && (table.Rows[0].Set != "set (00000000)" || table.Rows[1].Set != "set (ffffffff)") {
			t.Errorf("sets are named %s and %s", table.Rows[0].Set, table.Rows[1].Set)
		}
	}
}

// TestNotes checks the notes on names, backends, versions and revisions.
func TestNotes(t *testing.T) {
	const config = `{"pooling":"syn"}`
	first, second := pair("a.csv", config, 0, 0), pair("a.csv", config, 1, 0)
	change := func(f func(*Result), rs ...Result) (out []Result) {
		for _, r := range rs {
			f(&r)
			out = append(out, withID(r))
		}
		return out
	}
	for name, test := range map[string]struct {
		results []Result
		sets    string // of the rows
		notes   []string
	}{
		"alike": {append(second, first...), "a.csv", nil},
		"renamed": {append(change(func(r *Result) { r.Set = "old.csv" }, first...), second...), "a.csv",
			[]string{"a.csv: some of its results have the name old.csv; the bags are the same"}},
		"renamed twice and back": {slices.Concat(second[:1], change(func(r *Result) { r.Set = "c.csv" }, first[0]), change(func(r *Result) { r.Set = "b.csv" }, second[1]), first[1:]), "a.csv",
			[]string{"a.csv: some of its results have the name c.csv, b.csv; the bags are the same"}},
		"another file": {append(change(func(r *Result) { r.Checksum = strings.Repeat("f", 64) }, first...), second...), "a.csv (00000000) a.csv (ffffffff)",
			[]string{"a.csv: 2 sets of this name have different checksums; the start of them tells the sets apart"}},
		"another file, the first renamed": {append(change(func(r *Result) { r.Checksum = strings.Repeat("f", 64) }, first...), change(func(r *Result) { r.Set = "b.csv" }, second...)...), "a.csv b.csv", nil},
		"backend": {append(change(func(r *Result) { r.Backend = "xla:cpu" }, first[0]), first[1]), "a.csv",
			[]string{"a.csv, syn: fits from several backends (go, xla:cpu); run into a new folder for figures of one alone"}},
		"threshold": {change(func(r *Result) {
			r.Bags = slices.Clone(r.Bags)
			for i, b := range r.Bags { // the scores rank the bags as the labels do, and none is above 0
				r.Bags[i].Scores = []float64{float64(b.Label) - 3}
			}
		}, first...), "a.csv",
			[]string{"a.csv: bal. acc. of syn is that of chance though the AUC is not: the score 0, a probability of 0.5, decides on the class, and nearly all bags are on one side of it; " +
				"milbench train --results chooses a threshold on held-out bags; for a rare class, networks take --class-weight balanced"}},
		"version and revision of two rows": {slices.Concat(first, change(func(r *Result) { r.Version, r.Revision = "v0.2.0", "" }, second...),
			pair("a.csv", `{"pooling":"max"}`, 0, 0)[:1], change(func(r *Result) { r.Version, r.Revision = "v0.2.0", "" }, pair("a.csv", `{"pooling":"max"}`, 0, 0)[1])), "a.csv a.csv",
			[]string{"a.csv, max; a.csv, syn: fits from several versions (v0.1.0, v0.2.0) and revisions (unknown, abc); run into a new folder for figures of one alone"}},
	} {
		t.Run(name, func(t *testing.T) {
			table := tabulated(t, test.results)
			var sets []string
			for _, r := range table.Rows {
				sets = append(sets, r.Set)
			}
			if strings.Join(sets, " ") != test.sets || !slices.Equal(table.Notes, test.notes) {
				t.Errorf("sets %q, notes %q; want %q and %q", sets, table.Notes, test.sets, test.notes)
			}
		})
	}
}

// TestTwoLabels: results of which some have another label of a bag are of other data, also from another folder.
func TestTwoLabels(t *testing.T) {
	fits := append(pair("set", `{"pooling":"syn"}`, 0, 0), pair("set", `{"pooling":"max"}`, 0, 0)...)
	if _, err := Tabulate(fits); err != nil {
		t.Error(err)
	}
	fits[3].Bags[1].Label = 1
	if _, err := Tabulate(fits); err == nil || !strings.Contains(err.Error(), "bag bag1-1 of set has another target than in an earlier result") {
		t.Error(err)
	}
}

func TestLabels(t *testing.T) {
	for _, test := range []struct{ configs, want []string }{
		{[]string{`{"pooling":"mean","width":64}`}, []string{"mean"}},
		{[]string{`{"pooling":"syn","iterations":-3,"lr":0.001}`, `{"pooling":"syn","iterations":3,"lr":0.001}`}, []string{"syn I=-3", "syn I=3"}},
		{[]string{`{"pooling":"syn","iterations":3,"norm":true}`, `{"pooling":"mean"}`}, []string{"syn I=3", "mean"}},
		{[]string{`{"pooling":"syn","norm":true,"width":64}`, `{"pooling":"syn","norm":false,"width":64}`, `{"pooling":"mean","width":8}`},
			[]string{"syn norm=true width=64", "syn norm=false width=64", "mean width=8"}},
		{[]string{`{"pooling":"syn","iterations":3}`, `{"pooling":"syn","iterations":3,"renormalise":true}`, `{"pooling":"mean"}`},
			[]string{"syn I=3", "syn I=3 renormalise=true", "mean"}},
		{[]string{`{"depth":3}`, `{"depth":[1,2]}`}, []string{"model depth=3", "model depth=[1,2]"}},
	} {
		var settings []json.RawMessage
		for _, c := range test.configs {
			settings = append(settings, json.RawMessage(c))
		}
		if got, err := Labels(settings); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("labels of %q are %q, want %q (%v)", test.configs, got, test.want, err)
		}
	}
}

func TestOrder(t *testing.T) {
	var settings []setting
	for _, c := range []string{`{"pooling":"syn","iterations":10}`, `{"pooling":"syn","iterations":-3}`, `{"pooling":"max"}`, `{"pooling":"syn"}`, `{"pooling":"syn","iterations":3}`} {
		s, err := decodeSetting(json.RawMessage(c))
		must(t, err)
		settings = append(settings, s)
	}
	slices.SortFunc(settings, compareSettings)
	var labels []string
	for _, s := range settings {
		labels = append(labels, s.label([]string{iterationsKey}))
	}
	if got := strings.Join(labels, ", "); got != "max, syn, syn I=-3, syn I=3, syn I=10" {
		t.Errorf("settings in order: %s", got)
	}
}

// TestIntervals checks what the interval of an AUC is over, for different numbers of repeats and folds.
func TestIntervals(t *testing.T) {
	for _, c := range []struct {
		repeats, folds int
		want           Interval
	}{{3, 2, OverRepeats}, {2, 3, OverFolds}, {1, 5, OverFolds}, {2, 2, OverBags}, {1, 4, OverBags}} {
		var all []Result
		var aucs []float64 // of every fold
		for repeat := range c.repeats {
			for fold := range c.folds {
				scores := []float64{-2, 0, 0.5, 2}
				if (fold+repeat)%3 == 0 {
					scores[2] = -0.5
				}
				r := sample("set", `{"pooling":"max"}`, repeat, fold, four, scores)
				r.Folds, r.FoldsRun = c.folds, c.folds
				var err error
				if r.Fit, err = r.ID(); err != nil {
					t.Fatal(err)
				}
				auc, err := r.Figure()
				must(t, err)
				all, aucs = append(all, r), append(aucs, auc)
			}
		}
		table, err := Tabulate(all)
		if err != nil || len(table.Rows) != 1 {
			t.Fatalf("%+v: %d rows, %v", c, len(table.Rows), err)
		}
		row := table.Rows[0]
		if row.Interval != c.want || row.Low == nil || *row.Low > row.Mean || *row.High < row.Mean {
			t.Errorf("%+v: over %q, from %v to %v around %v", c, row.Interval, row.Low, row.High, row.Mean)
		}
		if c.want == OverFolds {
			_, low, _, err := stats.CorrectedInterval(aucs, 1/float64(c.folds-1), level)
			if err != nil || math.Abs(max(low, 0)-*row.Low) > 1e-12 {
				t.Errorf("%+v: low is %v, want %v, %v", c, *row.Low, low, err)
			}
		}
	}
}

// TestTabulateOtherwise: results on given folds and of few training bags have rows and verdicts of their own, and say so. Rows are
// ordered by the number of bags.
func TestTabulateOtherwise(t *testing.T) {
	own, err := Tabulate(newFake().results())
	must(t, err)
	all, err := Tabulate(slices.Concat(otherwise("", 16), newFake().results(), otherwise("0123456789abcdef", 0), otherwise("", 4)))
	must(t, err)
	if len(all.Rows) != 4*len(own.Rows) || len(all.Verdicts) != 4*len(own.Verdicts) {
		t.Fatalf("%d rows, %d verdicts; alone %d, %d", len(all.Rows), len(all.Verdicts), len(own.Rows), len(own.Verdicts))
	}
	var texts []string
	for _, r := range all.Rows {
		if text := r.ProtocolText(); r.Set == all.Rows[0].Set && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if want := []string{"honest, 4 folds", "honest, 4 folds, shots 4", "honest, 4 folds, shots 16", "honest, 4 folds given as 01234567"}; !slices.Equal(texts, want) {
		t.Errorf("%q, want %q", texts, want)
	}
	for _, want := range []string{all.Rows[0].Set + ", shots 16: ", all.Rows[0].Set + ", folds 01234567: "} {
		if !slices.ContainsFunc(all.Verdicts, func(v string) bool { return strings.HasPrefix(v, want) }) {
			t.Errorf("no verdict %q in %q", want, all.Verdicts)
		}
	}
}

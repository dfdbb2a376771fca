package results

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"synpool/milbench/cv"
	"synpool/milbench/mil"
)

// archivedResults returns made-up results under several protocols.
func archivedResults() (all []Result) {
	for _, protocol := range []string{cv.HonestProtocol, cv.NestedProtocol, cv.PublishedProtocol} {
		f := newFake()
		f.protocol = protocol
		all = append(all, f.results()...)
	}
	return all
}

// archivedCurves has curves with at most five digits per number.
var archivedCurves = []MeanCurve{{Set: "first", Config: json.RawMessage(`{"pooling":"syn"}`), Fits: 2, Changes: []Changes{{"train", "before", []float64{0.71234, 3e-7}, 0.25}}}}

// otherwise returns results under the honest protocol, on given folds or of a few training bags.
func otherwise(splits string, shots int) []Result {
	all := newFake().results()
	for i := range all {
		r := &all[i]
		r.Splits, r.Shots = splits, shots
		r.Fit, _ = r.ID()
	}
	return all
}

func writeArchive(t *testing.T, results []Result) string {
	t.Helper()
	var b bytes.Buffer
	must(t, (Archive{Experiment: "fake", Results: results, Curves: archivedCurves}).Write(&b))
	return b.String()
}

// TestArchive reads back what was written: everything except wall times and winners, scores to five digits, and for a
// validation part its AUC and loss. The order of the results does not matter.
func TestArchive(t *testing.T) {
	results := slices.Concat(archivedResults(), otherwise("0123456789abcdef", 0), otherwise("", 4))
	text := writeArchive(t, results)
	back, err := ReadArchive(strings.NewReader(text))
	must(t, err)
	if back.Experiment != "fake" || len(back.Results) != len(results) {
		t.Fatalf("%s: %d results of %d", back.Experiment, len(back.Results), len(results))
	}
	if !reflect.DeepEqual(back.Curves, archivedCurves) {
		t.Errorf("curves %+v", back.Curves)
	}
	want := make(map[string]Result)
	for _, r := range results {
		r.WallS = 0
		want[r.Fit] = r
	}
	for _, r := range back.Results {
		w := want[r.Fit]
		for i := range w.Bags {
			b := &w.Bags[i]
			if len(r.Bags[i].Scores) != 1 || math.Abs(r.Bags[i].Scores[0]-b.Scores[0]) > 5e-5*math.Abs(b.Scores[0]) {
				t.Errorf("fit %s: scores %g, want %g", r.Fit, r.Bags[i].Scores, b.Scores)
			}
			b.Scores, b.Winners = r.Bags[i].Scores, nil
		}
		if (r.Inside != nil) != (w.Protocol == "nested") {
			t.Errorf("fit %s of protocol %s: inside %v", r.Fit, w.Protocol, r.Inside)
		}
		if r.Inside != nil {
			inside, err := w.ValidationFigures()
			if err != nil || math.Abs(r.Inside.Figure-inside.Figure) > 1e-9 || math.Abs(r.Inside.Loss-inside.Loss) > 1e-8*inside.Loss {
				t.Errorf("fit %s: inside %v, want %v, %v", r.Fit, *r.Inside, inside, err)
			}
			w.Validation, w.Inside = nil, r.Inside
		}
		config, err := cv.CanonicalSetting(w.Config)
		must(t, err)
		w.Config = config
		if !reflect.DeepEqual(r, w) {
			t.Errorf("read back as\n%+v, want\n%+v", r, w)
		}
	}
	if again := writeArchive(t, back.Results); again != text {
		t.Error("an archive of what an archive holds is another")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	shuffled := append(results, results[:5]...) // some twice
	rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	if again := writeArchive(t, shuffled); again != text {
		t.Error("the order of the results shows")
	}
	raw := 0
	for _, r := range results {
		line, err := json.Marshal(r)
		must(t, err)
		raw += len(line)
	}
	if len(text) > raw/3 {
		t.Errorf("%d bytes of %d: not compact", len(text), raw)
	}
}

func TestReadArchives(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadArchives(os.DirFS(dir)); !errors.Is(err, ErrNoResults) {
		t.Errorf("an empty folder: %v", err)
	}
	text := writeArchive(t, archivedResults())
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(text)); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	whole := packed.Bytes()
	for name, text := range map[string][]byte{"b.json.gz": whole, "a.json.gz": whole, "c.json": []byte(text), "notes.txt": []byte("none")} {
		must(t, os.WriteFile(filepath.Join(dir, name), text, 0o666))
	}
	archives, err := ReadArchives(os.DirFS(dir))
	if err != nil || len(archives) != 2 || len(archives[0].Results) != len(archives[1].Results) {
		t.Errorf("%d archives, %v", len(archives), err)
	}
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-5] ^= 1 // in the checksum
	for what, content := range map[string][]byte{"torn": whole[:100], "without its last byte": whole[:len(whole)-1], "damaged": damaged, "not compressed": []byte(text)} {
		must(t, os.WriteFile(filepath.Join(dir, "c.json.gz"), content, 0o666))
		if _, err := ReadArchives(os.DirFS(dir)); err == nil || !strings.Contains(err.Error(), "c.json.gz: ") {
			t.Errorf("an archive that is %s: %v", what, err)
		}
	}
}

func TestReadArchiveRefuses(t *testing.T) {
	text := writeArchive(t, archivedResults())
	classes, real, survival := writeArchive(t, []Result{ofKind(mil.ClassTarget)}), writeArchive(t, []Result{ofKind(mil.RealTarget)}), writeArchive(t, []Result{ofKind(mil.SurvivalTarget)})
	for _, c := range []struct{ text, old, new, want string }{
		{text, `"format":2`, `"format":1`, "format 1; this version reads the formats 2 to 5"},
		{text, `"experiment"`, `"experimen"`, "unknown field"},
		{text, `"config":2`, `"config":3`, "setting 3 of 3"},
		{text, `"test":[`, `"test":[99,`, "scores of"},
		{text, `"epoch":4`, `"epoch":0`, "epoch 0"},
		{text, `"labels":[1`, `"labels":[2`, "label 2"},
		{text, `"labels":[1,`, `"labels":[`, "39 labels, 0 values and 0 events of 40 bags"},
		{text, `"inside":{"auc":`, `"inside":{"auc":1`, "AUC of the validation part"},
		{text, `"test":"`, `"test":"!`, "not float32 values in base64"},
		{text, `"test":"`, `"test":"AAAA`, "not float32 values in base64"},
		{text, `"log_loss":`, `"log_loss":-`, "loss of the validation part"},
		{text, `]}`, ``, "cannot be read"},
		{classes, `"classes":["early","late","never"]`, `"classes":["early","late"]`, "bag bag0 has 3 scores; of a target of kind classes a bag has 2"},
		{classes, `"labels":[0,1,2,`, `"labels":[0,1,3,`, "bag bag2 has label 3 of 3 classes; they count from 0"},
		{classes, `"target":"classes"`, `"target":"ordinal"`, `"ordinal" is not a kind of target`},
		{classes, `"target":"classes"`, `"target":"real"`, "4 labels, 0 values and 0 events of 4 bags, whose target is of kind real"},
		{real, `"values":[0.25,`, `"values":[`, "4 labels, 3 values and 0 events of 4 bags, whose target is of kind real"},
		{real, `"target":"real",`, ``, "4 labels, 4 values and 0 events of 4 bags, whose target is of kind binary"},
		{real, `"target":"real"`, `"target":"survival"`, "4 values and 0 events of 4 bags, whose target is of kind survival"},
		{survival, `"events":[true,`, `"events":[`, "4 values and 3 events of 4 bags"},
	} {
		changed := strings.Replace(c.text, c.old, c.new, 1)
		if changed == c.text {
			t.Fatalf("no %s in the archive", c.old)
		}
		if _, err := ReadArchive(strings.NewReader(changed)); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s for %s: error %v, want %q in it", c.new, c.old, err, c.want)
		}
	}
	at := strings.Index(text, `"test":"`) + len(`"test":"`)
	nan := "AADAfwAAwH8AAMB/" // three of them
	if _, err := ReadArchive(strings.NewReader(text[:at] + nan + text[at+len(nan):])); err == nil || !strings.Contains(err.Error(), "has score NaN; scores are finite") {
		t.Errorf("a score that is not a number: %v", err)
	}
	if err := (Archive{Experiment: "fake"}).Write(&bytes.Buffer{}); err == nil {
		t.Error("an archive of nothing")
	}
	uneven := ofKind(mil.ClassTarget)
	uneven.Bags[1].Scores = uneven.Bags[1].Scores[:2]
	if err := (Archive{Results: []Result{uneven}}).Write(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "bag bag1 has 2 scores; of a target of kind classes a bag has 3") {
		t.Errorf("a score too few: %v", err)
	}
	results := archivedResults()
	results[1].Bags[0].Label = 1 - results[1].Bags[0].Label
	if err := (Archive{Experiment: "fake", Results: results}).Write(&bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "two labels") {
		t.Errorf("a bag with two labels: %v", err)
	}
}

// TestArchiveAdd: adding sets one after another gives the same archive as all of them together.
func TestArchiveAdd(t *testing.T) {
	results := archivedResults()
	third := slices.Clone(results[:2])
	for i := range third {
		r := &third[i]
		r.Set, r.Checksum = "third", "of the third"
		*r = withID(*r)
	}
	curve := archivedCurves[0]
	curve.Set = "third"
	var together bytes.Buffer
	must(t, (Archive{Experiment: "fake", Results: slices.Concat(results, third), Curves: append(slices.Clone(archivedCurves), curve)}).Write(&together))
	want := together.String()
	a := Archive{Experiment: "fake", Results: results, Curves: archivedCurves, Times: []Time{{Fits: 1}}}
	b := Archive{Experiment: "fake", Results: third, Curves: []MeanCurve{curve}, Times: []Time{{Fits: 2}, {Fits: 2}}}
	for _, both := range [][2]Archive{{a, b}, {b, a}} {
		sum, err := both[0].Add(both[1])
		must(t, err)
		var text bytes.Buffer
		if err := sum.Write(&text); err != nil || text.String() != want {
			t.Errorf("added, an archive of %d results is another than of both at once (%v)", len(sum.Results), err)
		}
		if len(sum.Times) != 3 {
			t.Errorf("times %+v", sum.Times)
		}
		if again, err := sum.Add(both[1]); err != nil || !slices.Equal(again.Times, sum.Times) {
			t.Errorf("added again, times %+v, %v", again.Times, err)
		}
	}
	again := slices.Clone(results)
	again[0].Bags = slices.Clone(again[0].Bags)
	again[0].Bags[0].Scores = []float64{12.5}
	sum, err := a.Add(Archive{Experiment: "fake", Results: again})
	if err != nil || len(sum.Results) != len(results) || len(sum.Curves) != 0 || !slices.ContainsFunc(sum.Results, func(r Result) bool { return r.Fit == again[0].Fit && r.Bags[0].Scores[0] == 12.5 }) {
		t.Errorf("a set that both hold: %d results, %d curves, %v", len(sum.Results), len(sum.Curves), err)
	}
	if _, err := a.Add(Archive{Experiment: "other"}); err == nil || !strings.Contains(err.Error(), "results of other do not go into an archive of fake") {
		t.Errorf("another experiment: %v", err)
	}
}

// TestArchiveKinds: an archive with only binary targets without names has format 2, as before other kinds existed;
// others have format 3. Class names, several scores, and real and survival targets are read back, with scores to five
// digits.
func TestArchiveKinds(t *testing.T) {
	binary := newFake().results()[:1]
	for name, c := range map[string]struct {
		results []Result
		format  string
		holds   []string
	}{
		"binary":       {binary, "2", []string{`"labels":[1,0,0,`}},
		"with names":   {[]Result{ofKind(mil.BinaryTarget)}, "3", []string{`"classes":["benign","malignant"]`, `"labels":[0,1,0,1]`}},
		"classes":      {[]Result{ofKind(mil.ClassTarget)}, "3", []string{`"target":"classes"`, `"classes":["early","late","never"]`, `"labels":[0,1,2,0]`}},
		"real":         {[]Result{ofKind(mil.RealTarget)}, "3", []string{`"target":"real"`, `"values":[0.25,-0.75,-1.75,-2.75]`}},
		"survival":     {[]Result{ofKind(mil.SurvivalTarget)}, "3", []string{`"target":"survival"`, `"values":[0,12.5,25,37.5]`, `"events":[true,false,true,false]`}},
		"all together": {append(slices.Clone(binary), ofKind(mil.BinaryTarget), ofKind(mil.ClassTarget), ofKind(mil.RealTarget), ofKind(mil.SurvivalTarget)), "3", nil},
	} {
		t.Run(name, func(t *testing.T) {
			text := writeArchive(t, c.results)
			if !strings.HasPrefix(text, `{"format":`+c.format+`,`) {
				t.Errorf("%.20s, want format %s", text, c.format)
			}
			for _, part := range c.holds {
				if !strings.Contains(text, part) {
					t.Errorf("no %s in\n%s", part, text)
				}
			}
			if c.format == "2" {
				for _, key := range []string{"target", "classes", "values", "events"} {
					if strings.Contains(text, `"`+key+`"`) {
						t.Errorf("%q in format 2", key)
					}
				}
			}
			back, err := ReadArchive(strings.NewReader(text))
			if err != nil || len(back.Results) != len(c.results) {
				t.Fatalf("%d results, %v", len(back.Results), err)
			}
			for _, w := range c.results {
				w.WallS, w.Bags = 0, slices.Clone(w.Bags)
				for i := range w.Bags {
					w.Bags[i].Scores, w.Bags[i].Winners = roundedAll(w.Bags[i].Scores), nil
				}
				at := slices.IndexFunc(back.Results, func(r Result) bool { return r.Fit == w.Fit })
				if at < 0 || !reflect.DeepEqual(back.Results[at], w) {
					t.Errorf("read back as\n%+v, want\n%+v", back.Results, w)
				}
			}
			if again := writeArchive(t, back.Results); again != text {
				t.Errorf("written again\n%s\nwant\n%s", again, text)
			}
		})
	}
}

// TestArchiveSave writes an archive beside its times and reads both again.
func TestArchiveSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	a := Archive{Experiment: "fake", Results: archivedResults(), Times: []Time{{Fits: 3, Seconds: 1.5, Cores: 2, Backend: "go", Version: "v1"}}}
	path, err := a.Save(dir)
	if err != nil || path != filepath.Join(dir, "fake.json.gz") {
		t.Fatal(path, err)
	}
	back, err := OpenArchive(os.DirFS(dir), "fake.json.gz")
	if err != nil || len(back.Results) != len(a.Results) || !slices.Equal(back.Times, a.Times) {
		t.Errorf("%d results, times %+v, %v", len(back.Results), back.Times, err)
	}
	if _, err := OpenArchive(os.DirFS(dir), "other.json.gz"); err == nil || !strings.Contains(err.Error(), "open an archive of results") {
		t.Errorf("no file: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(dir, "times", "fake.jsonl"), []byte("damaged\n"), 0o666))
	if _, err := OpenArchive(os.DirFS(dir), "fake.json.gz"); err == nil || !strings.Contains(err.Error(), "times of an archive: times/fake.jsonl: line 1 is damaged") {
		t.Errorf("damaged times: %v", err)
	}
	if _, err := (Archive{Experiment: "none"}).Save(dir); !errors.Is(err, ErrNoResults) {
		t.Errorf("an archive of nothing: %v", err)
	}
	if _, err := a.Save(path); err == nil || !strings.Contains(err.Error(), "folder of archives") {
		t.Errorf("into a file: %v", err)
	}
}

// TestArchiveBounded checks that a small compressed file cannot fill the memory, and that nothing may follow the JSON.
func TestArchiveBounded(t *testing.T) {
	most := mostArchive
	mostArchive = 1 << 20
	defer func() { mostArchive = most }()
	for text, want := range map[string]string{
		`{"format":2` + strings.Repeat(" ", 1<<21) + "}": "more than 1 MB of text",
		`{"format":2} {}`: "data after the JSON",
		`{"format":2}x`:   "invalid character",
	} {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		io.WriteString(w, text)
		w.Close()
		if _, err := unpack(&packed); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v, want %s", text, err, want)
		}
	}
}

package cell

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"

	"synpool/milbench"
	"synpool/milbench/calibrate"
	"synpool/milbench/dataset/generate"
	"synpool/milbench/predict"
	"synpool/milbench/results"
	"synpool/plotting"
)

// slides writes slides, two per patient, some of them with cells that are larger than others, and returns the file.
func slides(t *testing.T, name string, n int, known bool) string {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(n), 1))
	text := "slide_id,diagnosis,patient_id,area,roundness,stain\n"
	for i := range n {
		label := "?"
		if known {
			label = []string{"normal", "tumour"}[i%2]
		}
		for cell := range 6 + random.IntN(10) {
			area := 100 + 15*random.NormFloat64()
			if i%2 == 1 && cell < 2 {
				area += 60
			}
			text += fmt.Sprintf("slide%d,%s,p%d,%.1f,%.3f,%.3f\n", i+1, label, i/2, area, 0.8+0.06*random.NormFloat64(), random.NormFloat64())
		}
	}
	return put(t, name, text)
}

// put writes a file into a folder of its own and returns its path.
func put(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// wants reports the parts that a text lacks.
func wants(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %s", part, text)
		}
	}
}

// printed returns what f prints outside of a notebook.
func printed(t *testing.T, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out := os.Stdout
	os.Stdout = w
	text := make(chan string)
	go func() {
		all, _ := io.ReadAll(r)
		text <- string(all)
	}()
	f()
	os.Stdout = out
	w.Close()
	return <-text
}

// TestFive is the five lines of the package: bags, a comparison, a model, what counts in a bag, and predictions. What is
// computed is found again by values that are declared again, as in another cell, and a further learner is trained alone.
func TestFive(t *testing.T) {
	t.Setenv(StoreVariable, t.TempDir())
	file, fresh := slides(t, "slides.csv", 40, true), slides(t, "fresh.csv", 6, false)
	learners := []Learner{StatisticsSVM, Named("statistics-trees")}
	compare := func(learners ...Learner) *Comparison { return Compare(Open(file), learners...).Folds(4).Repeats(1) }

	bags := Open(file)
	wants(t, printed(t, func() { Show(bags) }), "20 normal, 20 tumour", "no column leaks the labels", "groups     20", `label is the column "diagnosis" (Label)`, `Positive "normal" takes the other`)
	if said := printed(t, func() { Show(compare(learners...)) }); !strings.Contains(said, "8 fits trained") || !strings.Contains(said, "statistics-svm") {
		t.Errorf("the first time: %s", said)
	}
	if said := printed(t, func() { Show(compare(learners...)) }); strings.Contains(said, "trained in") || !strings.Contains(said, "statistics-svm") {
		t.Errorf("the second time: %s", said)
	}
	if said := printed(t, func() { Show(compare(append(learners, Named("instance"))...)) }); !strings.Contains(said, "4 fits trained") || !strings.Contains(said, "instance") {
		t.Errorf("with a third learner: %s", said)
	}
	two := compare(learners...)
	if n := len(two.Fits()); n != 8 || len(two.Table().Rows) != 2 {
		t.Errorf("%d fits, %d rows", n, len(two.Table().Rows))
	}
	best := two.Best()
	if row := two.Row(best); row.Mean < 0.8 || row.Mean < two.Row(StatisticsSVM).Mean || row.Mean < two.Row(StatisticsTrees).Mean {
		t.Errorf("the best has %+v", row)
	}
	if best := Compare(Open(file), Mean.Epochs(1), Gated.Epochs(1)).Folds(2).Repeats(1).BestExplaining(); best.String() != "gated" {
		t.Errorf("%v is said to explain best", best)
	}

	for _, of := range []struct {
		learner Learner
		score   string
	}{{Named("instance"), "score"}, {Mean.Epochs(2), "share"}} {
		model := Train(Open(file), of.learner)
		if said := printed(t, func() { Show(model) }); !strings.Contains(said, "trained in") || !strings.Contains(said, "normal, tumour") {
			t.Errorf("%v: %s", of.learner, said)
		}
		again := Train(Open(file), of.learner)
		said := printed(t, func() { Show(again.Explain(bags.Find("slide2"))) })
		if of.score == "share" {
			if sum := floats.Sum(again.Explain(bags.Find("slide2")).Shares()); math.Abs(sum-1) > 1e-6 {
				t.Errorf("%v: shares of %v", of.learner, sum)
			}
		}
		if strings.Contains(said, "trained") || !strings.Contains(said, of.score) || !strings.Contains(said, "area") {
			t.Errorf("%v: %s", of.learner, said)
		}
		scores := filepath.Join(t.TempDir(), "scores.csv")
		Save(again.Predict(Open(fresh)), scores)
		text, err := os.ReadFile(scores)
		if err != nil || bytes.Count(text, []byte("\n")) != 7 || !bytes.HasPrefix(text, []byte("bag,score,")) {
			t.Errorf("%s, %v", text, err)
		}
		kept := filepath.Join(t.TempDir(), "model")
		Save(again, kept)
		if got, want := Load(kept).Predict(Open(fresh)), again.Predict(Open(fresh)); !slices.EqualFunc(got.Bags(), want.Bags(), func(a, b predict.Bag) bool { return *a.Score == *b.Score }) {
			t.Errorf("%v: the model that is read says something else", of.learner)
		}
	}
}

// TestEnds runs itself to see what a cell says that ends with an error: one line, in the words of cells.
func TestEnds(t *testing.T) {
	file := os.Getenv("CELL_FILE")
	ends := []struct {
		want string
		end  func()
	}{
		{"no such bag", func() { Check(errors.New("no such bag")) }},
		{"no such bag", func() { Must(1, errors.New("no such bag")) }},
		{"no such bag", func() { Show((*plotting.Figure)(nil), errors.New("no such bag")) }},
		{"nothing.csv", func() { Show(Open("nothing.csv")) }},
		{`no bag "slide3x"; did you mean`, func() { Show(Train(Open(file), StatisticsSVM).Explain(Open(file).Find("slide3x"))) }},
		{`Label: no column "garde"`, func() { Show(Open(file).Label("garde")) }},
		{`did you mean "softmax"?`, func() { Show(Compare(Open(file), Named("sofmax"))) }},
		{"Order is for three classes", func() { Show(Open(file).Order("normal", "tumour")) }},
		{"cannot be saved", func() { Save(3, "x") }},
		{`no bag or group "p1x"; did yo`, func() { Show(Open(file).Except("p1x")) }},
		{"no bag is left", func() { Show(Open(file).Only("p1").Except("p1")) }},
		{"nobody has labelled", func() { fmt.Println(Open(file).Find("slide3").Truth()) }},
		{"no logit", func() { Compare(Open(file), StatisticsSVM).Folds(2).Threshold(StatisticsSVM, 0.5) }},
		{"above 0 and below 1", func() { Compare(Open(file), StatisticsTrees).Folds(2).Threshold(StatisticsTrees, 1) }},
		{`no option "c"; the first are`, func() { Pick("bag", "a", "b").At("c") }},
		{"a value that the steps reach", func() { Slider("x", 0, 1, 0.4, 0.5) }},
		{"chosen inside, fold by fold", func() {
			Compare(Open(file), Mean.Epochs(1), Mean.Epochs(2)).Nested().Folds(2).Repeats(1).Threshold(Mean.Epochs(1), 0.5)
		}},
		{"a program has made this set", func() { Made(Open(file).Set()).Label("x") }},
		{"goes from 2 to 1", func() { Slider("steps", 2, 1, 1, 1) }},
		{"scores have no shares", func() { Train(Open(file), Named("instance")).Explain(Open(file).Find("slide3")).Shares() }},
		{"no probabilities; or leave", func() { Show(Train(Open(os.Getenv("CELL_COUNTS")), Mean.Epochs(1)).Calibrate("platt")) }},
		{"calibrate a model of Train", func() { Load("model").Calibrate("platt") }},
		{`did you mean "platt"?`, func() { Train(Open(file), StatisticsSVM).Calibrate("plat") }},
		{"add one that does", func() { Compare(Open(file), Mean.Epochs(1)).Folds(2).Repeats(1).BestExplaining() }},
		{"is no share to remove", func() { Show(Train(Open(file), StatisticsSVM).Without(Open(file), 1.5)) }},
		{"nothing says where", func() { Show(Open(file).Find("slide3").Map("a", "b", nil)) }},
	}
	if k, err := strconv.Atoi(os.Getenv("CELL_ENDS")); err == nil {
		ends[k].end()
		os.Exit(0)
	}
	data, counts := slides(t, "slides.csv", 20, true), put(t, "counts.csv", "bag,target,area\na,0.5,1\nb,1.5,2\nc,2.5,3\n")
	for k, c := range ends {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestEnds$")
		cmd.Env = append(os.Environ(), fmt.Sprint("CELL_ENDS=", k), "CELL_FILE="+data, "CELL_COUNTS="+counts, StoreVariable+"="+t.TempDir())
		var said strings.Builder
		cmd.Stderr = &said
		var exit *exec.ExitError
		if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(said.String(), c.want) || strings.Count(said.String(), "\n") != 1 || strings.Contains(said.String(), "--") {
			t.Errorf("%s: %v, and says %q", c.want, err, said.String())
		}
	}
}

// TestInterrupted stops a comparison as Jupyter stops a cell: it ends within five seconds and says that it goes on, and so it does.
func TestInterrupted(t *testing.T) {
	if file := os.Getenv("KIT_STOP"); file != "" {
		fmt.Println("begins")
		Show(Compare(Open(file), Named("statistics-trees").With("trees", 2000), StatisticsSVM).Folds(5).Repeats(20))
		os.Exit(0)
	}
	file, store := slides(t, "slides.csv", 40, true), t.TempDir()
	cell := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestInterrupted$")
		cmd.Env = append(os.Environ(), "KIT_STOP="+file, StoreVariable+"="+store)
		return cmd
	}
	kept := func() int {
		all, err := filepath.Glob(filepath.Join(store, "results", "*", results.FileName))
		if err != nil || len(all) != 1 {
			return 0
		}
		text, err := os.ReadFile(all[0])
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(text, []byte("\n"))
	}
	cmd := cell()
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "begins\n" {
		t.Fatalf("%q, %v", line, err)
	}
	for wait := 0; kept() < 3 && wait < 600; wait++ {
		time.Sleep(100 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	stopped := time.Now()
	if err := cmd.Wait(); err == nil || time.Since(stopped) > 5*time.Second || said.String() != "stopped; what was trained is kept, and the cell goes on from there\n" {
		t.Fatalf("%v after %v: %s", err, time.Since(stopped), said.String())
	}
	before := kept()
	if before < 3 || before >= 200 {
		t.Fatalf("%d results are kept", before)
	}
	rest, err := cell().CombinedOutput()
	if want := fmt.Sprintf("%d fits trained", 200-before); err != nil || !strings.Contains(string(rest), want) {
		t.Errorf("%v, no %q in %s", err, want, rest)
	}
}

func TestSpoken(t *testing.T) {
	for text, want := range map[string]string{
		"label is the column x (--label)":                                  "label is the column x (Label)",
		"--keep-leak trains with it":                                       "KeepLeak trains with it",
		"--instance-label-column last moves it":                            "InstanceLabels last moves it",
		"unless --missing median takes medians":                            "unless Median takes medians",
		"no logit; milbench train --calibrate learns one":                  "no logit; Calibrate learns one",
		"judged: the score that milbench predict --instances prints":       "judged: the score that Explain returns",
		"made by milbench train --calibrate platt":                         "made by milbench train --calibrate platt",
		"made by milbench run --folds 3; --numbers takes them for numbers": "made by milbench run --folds 3; Numbers takes them for numbers",
	} {
		if got := spoken(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestCards(t *testing.T) {
	c := Card{title: "<b>", facts: [][2]string{{"a", "1 & 2"}}, rows: [][]string{{"name", "value"}, {"x<y", "0.5"}, {"z", ""}}, notes: []string{"a note"}}
	wants(t, c.asHTML(), "<b>&lt;b&gt;</b>", "1 &amp; 2", "x&lt;y", `text-align:right">0.5</td>`, `text-align:left">z</td>`, "a note</p>")
	if got, want := c.asText(), "<b>\na  1 & 2\nname  value\nx<y   0.5\nz     \na note\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestNames: results and models also depend on the names in a file. Where the headers of two columns are exchanged, or a
// label is called otherwise, nothing old is found.
func TestNames(t *testing.T) {
	t.Setenv(StoreVariable, t.TempDir())
	file, fresh := slides(t, "slides.csv", 20, true), slides(t, "fresh.csv", 6, false)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	said := func() (string, float64) {
		p := Train(Open(file), StatisticsSVM).Predict(Open(fresh)).Bags()[1]
		return p.Class, *p.Score
	}
	class, score := said()
	for _, c := range []struct{ old, new string }{{"area,roundness,stain", "stain,roundness,area"}, {"tumour", "cancer"}} {
		if err := os.WriteFile(file, bytes.ReplaceAll(text, []byte(c.old), []byte(c.new)), 0o666); err != nil {
			t.Fatal(err)
		}
		now, other := said()
		if c.old == "tumour" && (class != "tumour" || now != "cancer") || c.old != "tumour" && other == score {
			t.Errorf("%s instead of %s: %s %v, before %s %v", c.new, c.old, now, other, class, score)
		}
	}
}

// TestCodeVersion: the code is known by its files, without those of tests and notebooks.
func TestCodeVersion(t *testing.T) {
	version, err := codeVersion()
	if err != nil || len(version) != 16 {
		t.Fatalf("%q, %v", version, err)
	}
	root := t.TempDir()
	write := func(name string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("a/a.go")
	last, err := sumOf(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		changes bool
	}{{"a/a_test.go", false}, {"notebooks/b.go", false}, {"a/testdata/c.go", false}, {"a/readme.md", false}, {"a/d.go", true}, {"a/e.c", true}, {"go.mod", true}} {
		write(c.name)
		now, err := sumOf(root)
		if err != nil || (now != last) != c.changes {
			t.Errorf("%s: %s after %s, %v", c.name, now, last, err)
		}
		last = now
	}
	if _, err := sumOf(filepath.Join(root, "nowhere")); err == nil {
		t.Error("no error of a folder that is not there")
	}
}

// TestLeaked: a column that leaks the labels is shown by an audit and ends the cell, and where it is kept everything says so.
func TestLeaked(t *testing.T) {
	t.Setenv(StoreVariable, t.TempDir())
	text := "bag,label,p,q\n"
	random := rand.New(rand.NewPCG(3, 4))
	for bag := range 40 {
		for range 3 {
			text += fmt.Sprintf("b%d,%d,%d,%.3f\n", bag, bag%2, 7+bag%2, random.NormFloat64())
		}
	}
	file := put(t, "leaks.csv", text)
	wants(t, printed(t, func() { Show(Open(file).Audit()) }), "1 column leaks the labels", "leak ", "(p)", "means nothing")
	if _, err := Open(file).read(); err == nil || !strings.Contains(spoken(err.Error()), "KeepLeak trains with it") {
		t.Errorf("error %v", err)
	}
	bags := Open(file).KeepLeak()
	model := Train(bags, Named("instance"))
	for what, said := range map[string]string{
		"model":       printed(t, func() { Show(model) }),
		"predictions": printed(t, func() { Show(model.Predict(bags)) }),
		"explanation": printed(t, func() { Show(model.Explain(bags.Find("b1"))) }),
		"comparison":  printed(t, func() { Show(Compare(bags, StatisticsSVM).Folds(2).Repeats(1)) }),
	} {
		if !strings.Contains(strings.ToUpper(said), "LEAKED") {
			t.Errorf("%s: %s", what, said)
		}
	}
}

// TestCalibrate: a support vector machine gets probabilities, the model beside it has none, and what was learnt is found again.
func TestCalibrate(t *testing.T) {
	t.Setenv(StoreVariable, t.TempDir())
	bags := Open(slides(t, "slides.csv", 20, true))
	defer func(before *milbench.Machine) { machine = before }(machine)
	machine = &milbench.Machine{} // no cell has started a backend
	if l := Train(bags, Gated.Epochs(2)).Calibrate("temperature").Calibration(); l == nil || l.Calibration.Bags != 20 {
		t.Errorf("a network has %+v", l)
	}
	plain := Train(bags, StatisticsSVM)
	if said := printed(t, func() { Show(plain.Calibrate("isotonic")) }); !strings.Contains(said, "also learns their noise") {
		t.Errorf("no warning in %s", said)
	}
	wants(t, printed(t, func() { Show(plain.Calibrate("platt")) }), "5 fits trained in", "statistics-svm, calibrated by platt", "1/(1+exp(-(", "learnt from 20 held-out bags")
	again := Train(bags, StatisticsSVM).Calibrate("platt")
	if said := printed(t, func() { again.Predict(bags).Bags() }); said != "" {
		t.Errorf("computed again: %s", said)
	}
	for i, b := range again.Predict(bags).Bags() {
		if b.Calibration != "platt" || b.Probability == nil || *b.Probability != Must(again.Calibration().Calibration.Probabilities([]float64{*b.Score}))[0] {
			t.Errorf("%+v", b)
		}
		if other := plain.Predict(bags).Bags()[i]; other.Probability != nil || *other.Score != *b.Score {
			t.Errorf("without calibration %+v", other)
		}
	}
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	Save(again, from)
	Save(Load(from), to)
	if l := Load(to).Calibration(); l == nil || l.Calibration.Method != calibrate.Platt || l.Folds != calibrate.HeldOutFolds {
		t.Errorf("saved %+v", l)
	}
	if plain.Calibration() != nil {
		t.Error("the model without calibration has one")
	}
}

// TestLive: outside of a notebook a live cell shows its picture once; controls keep to their steps and ends.
func TestLive(t *testing.T) {
	gamma, bag := Slider("gamma", 0.05, 1, 0.05, 0.5), Pick("bag", "a", "b", "c")
	out := printed(t, func() {
		Live(func() any { return []any{fmt.Sprint("gamma ", gamma, ", bag ", bag), 7} }, gamma, bag)
	})
	if out != "gamma 0.50, bag a\n7\n" {
		t.Errorf("it shows %q", out)
	}
	for _, c := range []struct {
		of    *Control
		at    int
		moved bool
		value float64
		said  string
	}{{gamma, 9, false, 0.5, "0.50"}, {gamma, 0, true, 0.05, "0.05"}, {gamma, 2, true, 0.15, "0.15"}, {gamma, 99, true, 1, "1.00"}, {gamma, -1, true, 0.05, "0.05"},
		{Slider("y", 0.05, 1, 0.1, 0.05), 0, false, 0.05, "0.05"}, {Slider("y", 0, 1, 0.4, 0), 9, true, 0.8, "0.8"}, {bag, 2, true, 2, "c"}, {bag, 3, false, 2, "c"}, {bag, -5, true, 0, "a"}, {Slider("steps", -6, 6, 1, 3), 0, true, -6, "-6"}} {
		if moved := c.of.move(c.at); moved != c.moved || c.of.Value() != c.value || c.of.String() != c.said {
			t.Errorf("%s at %d: moved %v to %v, %q; want %v, %v, %q", c.of.name, c.at, moved, c.of.Value(), c.of, c.moved, c.value, c.said)
		}
	}
}

// TestAsHTML: figures, texts and cards of a live cell are HTML, and what users have written in them is text.
func TestAsHTML(t *testing.T) {
	figure := Must(plotting.Functions("a & b", "x", "y", []plotting.FunctionCurve{{Name: "f", X: []float64{0, 1}, Y: []float64{0, 1}}}))
	got := asHTML([]any{figure, "1 < 2", Threshold{learner: "<i>", classes: []string{"a", "<i>"}}, nil})
	wants(t, got, `src="data:image/svg+xml;base64,`, "<pre>1 &lt; 2\n</pre>")
	if strings.Contains(got, "<i>") {
		t.Errorf("%q", got)
	}
}

// TestCurve: the loss of a training is drawn from 0 at the bottom to the largest at the top.
func TestCurve(t *testing.T) {
	if got := curve([]float64{2, 1, 0}); !strings.Contains(got, `points="0.0,1.0 80.0,16.0 160.0,31.0"`) {
		t.Error(got)
	}
	for _, losses := range [][]float64{nil, {1}, {0, 0}, {1, math.Inf(1)}, {math.NaN(), math.NaN()}} {
		if got := curve(losses); got != "" {
			t.Errorf("%v: %s", losses, got)
		}
	}
}

// TestParts: bags are chosen by id and by group, and a part is another set than the whole.
func TestParts(t *testing.T) {
	all := Open(slides(t, "slides.csv", 8, true)) // two slides of each of p0 to p3
	for _, c := range []struct {
		bags *Bags
		want string
	}{
		{all.Only("p1", "slide8"), "slide3 slide4 slide8"},
		{all.Except("p1", "slide8"), "slide1 slide2 slide5 slide6 slide7"},
		{all.Except("p0").Only("p1").Except("slide3"), "slide4"},
		{all.Only("p2").Positive("normal"), "slide5 slide6"},
	} {
		if got := strings.Join(c.bags.Names(), " "); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
		if said := printed(t, func() { Show(c.bags) }); !strings.Contains(said, fmt.Sprintf("instances  %d,", c.bags.Set().NumInstances())) {
			t.Errorf("%s: %s", c.want, said)
		}
		if c.bags.Set().Checksum == all.Set().Checksum {
			t.Errorf("%s has the checksum of all", c.want)
		}
	}
	if again := all.Only("p0", "p1", "p2", "p3").Set().Checksum; again != all.Set().Checksum {
		t.Error("a part of everything is another set")
	}
	t.Setenv(StoreVariable, t.TempDir())
	model := Train(all.Except("p3"), StatisticsSVM)
	printed(t, func() { Show(model) })
	if rows := model.Predict(all.Only("p3")).Bags(); len(rows) != 2 || rows[0].Bag != "slide7" {
		t.Errorf("%+v", rows)
	}
}

// TestMap: where a file has places, an explanation is a map of the ranks, and a bag draws any values in them.
func TestMap(t *testing.T) {
	t.Setenv(StoreVariable, t.TempDir())
	set := Must(generate.DrawSlides(generate.SlidesConfig{Patients: 4, Slides: 2, LeastTiles: 40, MostTiles: 60, LeastTumour: 0.1, MostTumour: 0.2, Features: 6, Tissues: 2, Stain: 0.1, Shift: 3, Seed: 1}))
	bags := Made(set)
	truth := bags.Find(set.Bags[0].ID).Truth()
	if len(truth) != set.Bags[0].Instances.Len() {
		t.Errorf("%d labels of %d instances", len(truth), set.Bags[0].Instances.Len())
	}
	model := Train(bags, Gated.Epochs(2))
	var e *Explanation
	printed(t, func() { e = model.Explain(bags.Find(set.Bags[0].ID)); e.Ranks() })
	if n := len(e.figures()); n != 3 { // ranks, weights and truth
		t.Errorf("%d figures", n)
	}
	if ranks := e.Ranks(); slices.Min(ranks) != 0 || slices.Max(ranks) != 1 {
		t.Errorf("ranks %v", ranks)
	}
	for _, f := range []*plotting.Figure{e.Figure(), bags.Find(set.Bags[0].ID).Map("Where", "tumour", truth)} {
		var drawing bytes.Buffer
		if err := f.Write(&drawing, plotting.SVG); err != nil || bytes.Count(drawing.Bytes(), []byte("<path")) < len(truth) {
			t.Errorf("%d bytes of %d tiles, %v", drawing.Len(), len(truth), err)
		}
	}
}

// TestNested: settings of one pooling are one row, chosen inside of each training part.
func TestNested(t *testing.T) {
	t.Setenv(StoreVariable, t.TempDir())
	c := Compare(Open(slides(t, "slides.csv", 20, true)), Mean.Epochs(1), Mean.Epochs(2), StatisticsSVM).Nested().Folds(3).Repeats(1)
	var rows int
	var best Learner
	printed(t, func() { rows, best = len(c.Table().Rows), c.Best() })
	if rows != 2 || best.Setting() == nil {
		t.Errorf("%d rows, want one of the mean and one of the machine; the best is %v", rows, best)
	}
	if row := c.Row(Mean.Epochs(1)); row.Config != nil || row.Mean != c.Row(Mean.Epochs(2)).Mean {
		t.Errorf("%+v", row)
	}
	if c.Training() == nil {
		t.Error("no training")
	}
}

// TestForget: what cells have kept is removed, also what a killed cell left half-written, and nothing else, whatever its name.
func TestForget(t *testing.T) {
	root := t.TempDir()
	t.Setenv(StoreVariable, root)
	printed(t, func() {
		Show(Train(Open("musk1"), StatisticsSVM))
		Show(Compare(Open("musk1"), StatisticsSVM).Folds(3).Repeats(1))
	})
	Check(tagged(filepath.Join(root, "models", ".0123456789abcdef01234567-1.part")))
	theirs := []string{"models/0123456789abcdef01234567/model.json", "results/.0123456789abcdef01234567-1.part/log", "results/musk1.jsonl", "xla/kept"}
	for _, name := range theirs {
		Check(os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o777))
		Check(os.WriteFile(filepath.Join(root, name), nil, 0o666))
	}
	folders := func(kind string) int { return len(Must(os.ReadDir(filepath.Join(root, kind)))) }
	if folders("models") != 3 || folders("results") != 3 {
		t.Fatalf("%d models, %d results", folders("models"), folders("results"))
	}
	printed(t, Forget)
	for _, name := range theirs {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
	if folders("models") != 1 || folders("results") != 2 {
		t.Errorf("%d models, %d results", folders("models"), folders("results"))
	}
}

// TestGrades: bags of ordered classes are explained for each class, and drawn as a confusion matrix.
func TestGrades(t *testing.T) {
	t.Setenv(StoreVariable, t.TempDir())
	text, random := "bag,label,area,stain\n", rand.New(rand.NewPCG(1, 1))
	for i := range 30 {
		for range 3 {
			text += fmt.Sprintf("b%d,%s,%.3f,%.3f\n", i, []string{"low", "mid", "high"}[i%3], float64(i%3)+random.NormFloat64()/3, random.NormFloat64())
		}
	}
	bags := Open(put(t, "grades.csv", text)).Order("low", "mid", "high")
	wants(t, printed(t, func() { Show(Train(bags, StatisticsSVM).Explain(bags.Find("b1"))) }), "for low  for mid  for high")
	result := Compare(bags, StatisticsSVM).Folds(3).Repeats(1)
	var drawing bytes.Buffer
	printed(t, func() {
		if err := result.FigureOf(StatisticsSVM).Write(&drawing, plotting.SVG); err != nil {
			t.Error(err)
		}
	})
	if !strings.Contains(drawing.String(), ">mid<") {
		t.Errorf("no class in the figure of %d bytes", drawing.Len())
	}
}

// TestThreshold: the counts at a threshold are those of all test bags of a repeat, and a larger threshold calls fewer positive.
func TestThreshold(t *testing.T) {
	t.Setenv(StoreVariable, t.TempDir())
	result := Compare(Open(slides(t, "slides.csv", 20, true)), StatisticsTrees).Folds(4)
	var low, high Threshold
	printed(t, func() {
		low, high = result.Threshold(StatisticsTrees, 0.01), result.Threshold(StatisticsTrees, 0.99)
	})
	for _, c := range []Threshold{low, high} {
		if c.Counts[0][0]+c.Counts[0][1] != 10 || c.Counts[1][0]+c.Counts[1][1] != 10 || c.Sensitivity != float64(c.Counts[1][1])/10 || c.Specificity != float64(c.Counts[0][0])/10 {
			t.Errorf("%+v", c)
		}
	}
	if low.Sensitivity <= high.Sensitivity || low.Specificity > high.Specificity {
		t.Errorf("at 0.01 %+v, at 0.99 %+v", low, high)
	}
	wants(t, printed(t, func() { Show(low) }), "tumour if its probability is above 0.01", "called normal")
}

// TestMade: a set that a program has changed is another set, whatever checksum it bears.
func TestMade(t *testing.T) {
	set := *Open(slides(t, "slides.csv", 8, true)).Set()
	before := Made(&set).Set().Checksum
	set.Bags = set.Bags[:6]
	if fresh := Open(slides(t, "fresh.csv", 6, false)); len(fresh.Names()) != 6 || len(fresh.Only("slide3").Names()) != 1 {
		t.Errorf("%v", fresh.Names())
	}
	if after := Made(&set).Set().Checksum; after == before || after == set.Checksum {
		t.Errorf("%s, was %s", after, before)
	}
}

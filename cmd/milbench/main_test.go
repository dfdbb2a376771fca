package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"synpool/internal/reexec"
)

func TestMain(m *testing.M) {
	switch reexec.Kind() {
	case "command":
		main()
	case "predict":
		reexec.Exit(predictFolds(os.Args[1], os.Args[2]))
	case "stubborn": // a command that does not heed its context
		withSignals(context.Background())
		fmt.Println("started")
		select {}
	}
	if os.Getenv("GOMLX_BACKEND") == "" {
		os.Setenv("GOMLX_BACKEND", "go") // a run a test: what counts is the start
	}
	var err error
	if common, err = os.MkdirTemp("", "milbench-test"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(common)
	os.Exit(code)
}

// common is the folder of what several tests read.
var common string

// outcome is what a run of the command left.
type outcome struct {
	code     int
	out, err string
}

// milbenchOf runs the command in this process.
func milbenchOf(ctx context.Context, args ...string) outcome {
	var out, stderr bytes.Buffer
	code := start(ctx, args, &out, &stderr)
	return outcome{code, out.String(), stderr.String()}
}

// succeed wants a run to succeed, and returns its standard output and error.
func succeed(t *testing.T, args ...string) (out, stderr string) {
	t.Helper()
	o := milbenchOf(t.Context(), args...)
	if o.code != exitDone {
		t.Fatalf("milbench %s: exit code %d\n%s%s", strings.Join(args, " "), o.code, o.out, o.err)
	}
	return o.out, o.err
}

// prints wants a run to succeed and to print a text, on standard output or standard error.
func prints(t *testing.T, want string, args ...string) {
	t.Helper()
	out, stderr := succeed(t, args...)
	has(t, out+stderr, want)
}

// columnNotes are the lines that list the features of a table.
var columnNotes = regexp.MustCompile(`milbench: note: [^\n|]*: features: [^\n|]*[\n|]`)

// refuse wants a run to end with an exit code and to say want in one line on standard error, lines of the backend and
// notes aside.
func refuse(t *testing.T, code int, want string, args ...string) {
	t.Helper()
	o := milbenchOf(t.Context(), args...)
	var lines []string
	for line := range strings.Lines(o.err) {
		if !strings.HasPrefix(line, "backend ") && !strings.HasPrefix(line, "milbench: note: ") {
			lines = append(lines, line)
		}
	}
	if o.code != code || len(lines) != 1 || !strings.HasPrefix(lines[0], "milbench: ") || !strings.Contains(lines[0], want) {
		t.Errorf("milbench %s: exit code %d, want %d and one line with %q:\n%s", strings.Join(args, " "), o.code, code, want, o.err)
	}
}

// process returns the command as a process of its own.
func process(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	return reexec.Command(t, "command", args...)
}

// decoded reads the JSON that a command prints.
func decoded[T any](t *testing.T, args ...string) (v T) {
	t.Helper()
	out, _ := succeed(t, args...)
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return v
}

// has wants a text to contain parts.
func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

// csvLines reads the lines of a CSV table, the header first.
func csvLines(t *testing.T, text string) [][]string {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(all) == 0 {
		t.Fatalf("%v in %q", err, text)
	}
	return all
}

// newFolder returns the path of a folder that is not there yet.
func newFolder(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "out")
}

// trained trains a model and returns its folder, and what the command prints.
func trained(t *testing.T, args ...string) (model, out string) {
	t.Helper()
	model = newFolder(t)
	out, _ = succeed(t, append([]string{"train", "--out", model}, args...)...)
	return model, out
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// contents returns the text of a file.
func contents(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	must(t, err)
	return string(text)
}

// put writes a text into a file.
func put[T string | []byte](t *testing.T, path string, text T) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o666))
}

// absent wants a file or folder not to be there.
func absent(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); err == nil {
		t.Errorf("%s is there", path)
	}
}

// write writes a file into a folder of the test.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	put(t, path, content)
	return path
}

// bagTable is a CSV table: the columns after bag, and what they hold in each instance of each bag.
func bagTable(columns string, bags int, instances func(bag int) int, row func(bag, instance int) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "bag,%s\n", columns)
	for bag := range bags {
		for i := range instances(bag) {
			fmt.Fprintf(&b, "b%d,%s\n", bag, row(bag, i))
		}
	}
	return b.String()
}

// pairs has two instances in each bag.
func pairs(int) int { return 2 }

// toy is a CSV file of 24 bags in which one instance of a positive bag has larger features. With leak a last column
// holds the label of the bag.
func toy(leak bool) string {
	random := rand.New(rand.NewPCG(1, 0))
	columns := "label,p,q,r"
	if leak {
		columns += ",answer"
	}
	return bagTable(columns, 24, func(bag int) int { return 1 + bag%4 }, func(bag, instance int) string {
		shift := 0.0
		if bag%2 == 1 && instance == 0 {
			shift = 1.5
		}
		row := fmt.Sprintf("%d,%.3f,%.3f,%.3f", bag%2, random.NormFloat64()+shift, random.NormFloat64()-shift, random.NormFloat64())
		if leak {
			row += fmt.Sprintf(",%d", bag%2)
		}
		return row
	})
}

// small are the flags of a network that trains in a moment.
var small = []string{"--width", "8", "--epochs", "2", "--batch", "4"}

func with(args ...string) []string { return append(args, small...) }

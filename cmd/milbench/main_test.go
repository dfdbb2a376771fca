package main

import (
	"bytes"
	"context"
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
	os.Exit(m.Run())
}

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

// write writes a file into a folder of the test.
func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// toy is a CSV file of 24 bags in which one instance of a positive bag has larger features. With leak a last column
// holds the label of the bag.
func toy(leak bool) string {
	random := rand.New(rand.NewPCG(1, 0))
	var b strings.Builder
	b.WriteString("bag,label,p,q,r")
	if leak {
		b.WriteString(",answer")
	}
	b.WriteByte('\n')
	for bag := range 24 {
		label := bag % 2
		for instance := range 1 + bag%4 {
			shift := 0.0
			if label == 1 && instance == 0 {
				shift = 1.5
			}
			fmt.Fprintf(&b, "b%d,%d,%.3f,%.3f,%.3f", bag, label, random.NormFloat64()+shift, random.NormFloat64()-shift, random.NormFloat64())
			if leak {
				fmt.Fprintf(&b, ",%d", label)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// small are the flags of a network that trains in a moment.
var small = []string{"--width", "8", "--epochs", "2", "--batch", "4"}

func with(args ...string) []string { return append(args, small...) }

package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// cells is the table of the pictures of a terminal: 40 slides of 4 to 9 cells. Of a tumour at least one cell is larger and less round. With leak a
// last column names the scanner, one for each label.
func cells(leak bool) string {
	random := rand.New(rand.NewPCG(1, 2))
	columns, moved, n := "label,area,roundness", -1, 0
	if leak {
		columns += ",scanner"
	}
	text := bagTable(columns, 40, func(slide int) int {
		if n, moved = 4+random.IntN(6), -1; slide%2 == 1 {
			moved = random.IntN(n)
		}
		return n
	}, func(slide, cell int) string {
		area, round := 100+12*random.NormFloat64(), 0.78+0.07*random.NormFloat64()
		if cell == moved || moved >= 0 && random.Float64() < 0.15 {
			area, round = area+24, round-0.1
		}
		row := fmt.Sprintf("%s,%.1f,%.2f", []string{"normal", "tumour"}[slide%2], area, round)
		if leak {
			row += fmt.Sprintf(",%d", 3+4*(slide%2))
		}
		return row
	})
	return regexp.MustCompile(`(?m)^b(\d+)`).ReplaceAllStringFunc(text, func(id string) string {
		k, _ := strconv.Atoi(id[1:])
		return fmt.Sprintf("slide%02d", k+1)
	})
}

// onTerminal runs a command on a terminal of 200 columns and returns what it writes there.
func onTerminal(t *testing.T, args ...string) string {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	must(t, err)
	defer master.Close()
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err = errors.Join(err, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0),
		unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 200})); err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	must(t, err)
	c := process(t, args...)
	c.Stdout, c.Stderr = terminal, terminal
	written := make(chan string)
	go func() {
		var b bytes.Buffer
		io.Copy(&b, master) // ends with an error when nobody has the terminal open any more
		written <- b.String()
	}()
	err = c.Run()
	terminal.Close()
	out := strings.ReplaceAll(<-written, "\r\n", "\n")
	if err != nil {
		t.Fatalf("milbench %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// inProgress matches a line of progress at work.
var inProgress = regexp.MustCompile(`\r(([0-9]+) of ([0-9]+) fits done, [0-9.]+ (?:fits per second|s per fit), [^\r]* left  [a-z]+)\x1b\[K`)

// halfway cuts what a run has written off at the line of progress that is nearest to half of the fits.
func halfway(t *testing.T, written string) string {
	t.Helper()
	before, _, _ := strings.Cut(written, "\r")
	lines := inProgress.FindAllStringSubmatch(written, -1)
	if len(lines) == 0 {
		t.Fatalf("no line of progress in\n%q", written)
	}
	return before + slices.MinFunc(lines, func(a, b []string) int {
		from := func(line []string) int {
			done, _ := strconv.Atoi(line[2])
			all, _ := strconv.Atoi(line[3])
			return max(2*done-all, all-2*done)
		}
		return cmp.Compare(from(a), from(b))
	})[1] + "\n"
}

// TestPictures compares the recordings that docs/pictures shows as pictures of a terminal with what the commands write now, except for their speed.
// With -update it records again.
func TestPictures(t *testing.T) {
	if runtime.GOARCH != "amd64" { // other processors round differently
		return
	}
	t.Setenv("GOMLX_BACKEND", "go")
	t.Setenv("GOMAXPROCS", "2") // on one core the run would note how long it takes
	recordings, err := filepath.Abs("../../docs/pictures")
	must(t, err)
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"bags.csv": cells(false), "leaky.csv": cells(true)} {
		put(t, name, text)
	}
	audited, _ := succeed(t, "audit", "bags.csv")
	leaky := milbenchOf(t.Context(), "audit", "leaky.csv")
	if leaky.code != exitFinding {
		t.Errorf("the leak was not found: exit code %d", leaky.code)
	}
	run := onTerminal(t, "run", "bags.csv", "--folds", "5", "--repeats", "1", "--out", "results")
	table, _ := succeed(t, "table", "results")

	speed := regexp.MustCompile(`[0-9]+( of [0-9]+ fits done, ).* left`)
	masked := func(text string) string { return speed.ReplaceAllString(text, "…$1… left") }
	for name, text := range map[string]string{
		"audit.txt": "$ milbench audit bags.csv\n" + audited + "$ milbench audit leaky.csv\n" + leaky.out + leaky.err,
		"run.txt":   "$ milbench run bags.csv --folds 5 --repeats 1 --out results\n" + halfway(t, run),
		"table.txt": "$ milbench table results\n" + table,
	} {
		path := filepath.Join(recordings, name)
		if *update {
			put(t, path, text)
		}
		if file, err := os.ReadFile(path); err != nil || masked(string(file)) != masked(text) {
			t.Errorf("docs/pictures/%s is not what the commands write now (%v); run: go test ./cmd/milbench -run Pictures -update, then go test ./docs/pictures -update. Now:\n%s", name, err, text)
		}
	}
}

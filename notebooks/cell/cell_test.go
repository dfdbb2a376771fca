package cell

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"synpool/plotting"
)

func ExampleFolder() {
	folder := Temporary("example")
	folder.Clear()
	folder.Keep("steps", 20)
	folder.Note("auc", 0.95)
	folder.Numbers("go")
	// Output:
	// auc 0.9500
	// backend go
	// auc 0.95
	// steps 20
}

func ExampleMust() {
	fmt.Println(Must(strconv.Atoi("12")))
	// Output: 12
}

func ExampleDoubles() {
	fmt.Println(Doubles([]float32{0.5, 2}))
	// Output: [0.5 2]
}

func TestClear(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	folder := Temporary("a name")
	folder.Clear()
	folder.Keep("old", 1)
	folder.Clear()
	if files, err := os.ReadDir(string(folder)); err != nil || len(files) > 0 {
		t.Errorf("%d files are left (%v)", len(files), err)
	}
}

func TestLog(t *testing.T) {
	for line, want := range map[string]string{
		"epoch 1 of 6: loss 1.073, macro-F1 0.487, 16s\n":                     "epoch 1 of 6: loss 1.073, macro-F1 0.487\n",
		"epoch 1 of 3: loss 0.4364, 50.71 % wrong, 36s, 1m12s left\n":         "epoch 1 of 3: loss 0.4364, 50.71 % wrong\n",
		"epoch 9 of 9: loss 0.5, 1h2m3s, 0s left\nepoch 1: 3 states, 250ms\n": "epoch 9 of 9: loss 0.5\nepoch 1: 3 states\n",
	} {
		var b bytes.Buffer
		if n, err := (timeless{&b}).Write([]byte(line)); err != nil || n != len(line) || b.String() != want {
			t.Errorf("%q becomes %q (%d bytes, %v), want %q", line, &b, n, err, want)
		}
	}
}

// TestEnds runs itself to see a cell end with one line.
func TestEnds(t *testing.T) {
	ends := map[string]func(){
		"check": func() { Check(errors.New("no such bag")) },
		"must":  func() { Must(1, errors.New("no such bag")) },
		"show":  func() { Show((*plotting.Figure)(nil), errors.New("no such bag")) },
	}
	if end, ok := ends[os.Getenv("CELL_ENDS")]; ok {
		end()
		os.Exit(0)
	}
	for name := range ends {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestEnds$")
		cmd.Env = append(os.Environ(), "CELL_ENDS="+name)
		said, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || strings.TrimSpace(string(said)) != "no such bag" {
			t.Errorf("%s: %v, and says %q", name, err, said)
		}
	}
}

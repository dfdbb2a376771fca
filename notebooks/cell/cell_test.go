package cell

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"synpool/plotting"
)

func ExampleMust() {
	fmt.Println(Must(strconv.Atoi("12")))
	// Output: 12
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

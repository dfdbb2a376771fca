package reexec

import (
	"errors"
	"os"
	"os/exec"
	"testing"
)

func TestMain(m *testing.M) {
	switch Kind() {
	case "":
		os.Exit(m.Run())
	case "fails":
		Exit(errors.New(os.Args[1]))
	}
	Exit(nil)
}

func TestCommand(t *testing.T) {
	if out, err := Command(t, "ends").CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
	out, err := Command(t, "fails", "no such thing").CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || string(out) != "no such thing" {
		t.Errorf("%v: %s", err, out)
	}
}

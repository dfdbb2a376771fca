package results

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"synpool/internal/reexec"
)

func TestMain(m *testing.M) {
	switch reexec.Kind() {
	case "":
		os.Exit(m.Run())
	case "lock": // holds the lock until its input ends
		_, err := Open(os.Args[1])
		fmt.Println("open:", err)
		io.Copy(io.Discard, os.Stdin)
		reexec.Exit(err)
	}
}

// TestLock opens a folder locked by another process, and again after that process was killed.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	cmd := reexec.Command(t, "lock", dir)
	stdin, err := cmd.StdinPipe()
	must(t, err)
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "open: <nil>\n" {
		t.Fatalf("the other process said %q, %v", line, err)
	}
	if _, err := Open(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("Open: %v, want ErrLocked", err)
	} else if owner := fmt.Sprintf("process %d on ", cmd.Process.Pid); !bytes.Contains([]byte(err.Error()), []byte(owner)) && namesOwner {
		t.Errorf("Open: %v, want %q in it", err, owner)
	}
	if there, err := Read(dir); err != nil || len(there) != 0 {
		t.Errorf("Read of a locked folder: %v, %v", there, err)
	}
	must(t, cmd.Process.Kill())
	cmd.Wait()
	f, err := Open(dir)
	must(t, err)
	if _, err := Open(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("second Open in one process: %v, want ErrLocked", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if f, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
